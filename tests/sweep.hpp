// How long a random test takes: short by default, long where DISCERN_SWEEP is set (the ctest label `slow`).
#pragma once

#include <cstdlib>

namespace discern::tests {

/// DISCERN_SWEEP if it is a positive number, else the default: vectors, trees or whatever the test counts.
inline int sweep(int otherwise) {
    const char* const text = std::getenv("DISCERN_SWEEP");
    return text != nullptr && std::atoi(text) > 0 ? std::atoi(text) : otherwise;
}

/// Whether it is set: for tests that do more then.
inline bool sweeping() { return std::getenv("DISCERN_SWEEP") != nullptr; }

} // namespace discern::tests
