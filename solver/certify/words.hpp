// Vectors as a netlist takes them: a word for each bit of the operands, in which each vector has one.
#pragma once

#include "certificate/reference.hpp"
#include "models/families.hpp"
#include "models/format.hpp"
#include "models/random.hpp"
#include "models/unit.hpp"

#include <cstdint>
#include <vector>

namespace discern::certificate {

/// The order of a vector's patterns in a netlist's inputs: visit(format, pattern).
template <typename Buffer, typename Visit>
void each_pattern(const Unit& unit, Buffer& x, Visit visit) {
    for (auto& pattern : x.a) visit(format(unit.a), pattern);
    for (auto& pattern : x.b) visit(format(unit.b), pattern);
    for (auto& pattern : x.sa) visit(format(unit.scale->format), pattern);
    for (auto& pattern : x.sb) visit(format(unit.scale->format), pattern);
    if (unit.c) visit(format(*unit.c), x.c);
}

/// A bit of each pattern in a word.
inline void put(const Unit& unit, const InputBuffer& x, std::size_t vector, std::vector<std::uint64_t>& words) {
    std::size_t next = 0;
    each_pattern(unit, x, [&](const Format& f, std::uint64_t pattern) {
        for (int i = 0; i < f.width; ++i) words[next++] |= ((pattern >> i) & 1u) << vector;
    });
}

/// So many words for each input: vectors, 64 in a word, and random bits for inputs that are no operands.
/// @param next  makes a vector
template <typename Next>
std::vector<std::vector<std::uint64_t>> words_of(const Unit& unit, std::size_t inputs, std::size_t count,
                                                 std::uint64_t seed, const Next& next) {
    Random random(seed);
    std::vector<std::vector<std::uint64_t>> all(count, std::vector<std::uint64_t>(input_bits(unit)));
    for (std::vector<std::uint64_t>& words : all) {
        for (std::size_t v = 0; v < 64; ++v) {
            InputBuffer x;
            next(x);
            put(unit, x, v, words);
        }
        while (words.size() < inputs) words.push_back(random.bits());
    }
    return all;
}

/// The vector that has these bits.
inline InputBuffer vector_of(const Unit& unit, const std::vector<std::uint64_t>& bits) {
    InputBuffer x;
    x.a.resize(static_cast<std::size_t>(unit.K));
    x.b = x.a;
    x.sa.resize(static_cast<std::size_t>(unit.scales()));
    x.sb = x.sa;
    std::size_t next = 0;
    each_pattern(unit, x, [&](const Format& f, std::uint64_t& pattern) {
        for (int i = 0; i < f.width; ++i) pattern |= (bits[next++] & 1u) << i;
    });
    return x;
}

} // namespace discern::certificate
