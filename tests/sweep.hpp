// How long a random test takes: short by default, long where DISCERN_SWEEP is set (the ctest label `slow`); and how
// much longer everything does under sanitizers.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace discern::tests {

/// How many times as long as in an optimised build things take, roughly: 1, or more under sanitizers. For limits of
/// time within which something has to be found.
#ifndef DISCERN_SLOWNESS
#define DISCERN_SLOWNESS 1
#endif
inline constexpr int slowness = DISCERN_SLOWNESS;

/// So many random inputs; under sanitizers a quarter. There a test is to take each path once, and the optimised build
/// looks for wrong results.
constexpr int fewer(int count) { return slowness == 1 || count < 4 ? count : count / 4; }

/// DISCERN_SWEEP if it is a positive number, else the default: vectors, trees or whatever the test counts.
inline int sweep(int otherwise) {
    const char* const text = std::getenv("DISCERN_SWEEP");
    return text != nullptr && std::atoi(text) > 0 ? std::atoi(text) : fewer(otherwise);
}

/// Whether it is set: for tests that do more then.
inline bool sweeping() { return std::getenv("DISCERN_SWEEP") != nullptr; }

/// Whether the i-th of a table takes part: each in a sweep, else every n-th, for tests that are alike in what they look
/// for and take long together.
inline bool takes_part(std::size_t i, std::size_t n) { return sweeping() || i % n == 0; }

/// Whether the i-th of what a sweep goes through is of the part that DISCERN_SWEEP_PART=N/OF asks for, N from 0;
/// without it everything is.
inline bool is_in_part(std::size_t i) {
    const char* const text = std::getenv("DISCERN_SWEEP_PART");
    std::size_t part = 0, of = 1;
    if (text != nullptr && std::sscanf(text, "%zu/%zu", &part, &of) != 2) return false;
    return part < of && i % of == part;
}

} // namespace discern::tests
