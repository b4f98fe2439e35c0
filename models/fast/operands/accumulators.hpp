// Accumulators between bit patterns and the rows of floats (of f64: doubles) that the kernels add to.
#pragma once

#include "models/format.hpp"
#include "models/gemm.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace discern::fast {

/// One pattern of an array, read and written.
inline std::uint64_t pattern_at(const void* data, std::size_t word, std::size_t index) {
    switch (word) {
    case 1: return static_cast<const std::uint8_t*>(data)[index];
    case 2: return static_cast<const std::uint16_t*>(data)[index];
    case 4: return static_cast<const std::uint32_t*>(data)[index];
    default: return static_cast<const std::uint64_t*>(data)[index];
    }
}
inline std::uint64_t pattern_at(const Patterns& patterns, std::size_t index) {
    return pattern_at(patterns.data(), patterns.word(), index);
}

void put_pattern(void* data, std::size_t word, std::size_t index, std::uint64_t bits);

/// Patterns index … index+count−1 of a format as floats, or doubles. @param to  as many of them
void load_accumulators(const Format& format, const Patterns& from, std::size_t index, std::size_t count, void* to);

/// The inverse, of numbers that the format holds. @param nan  the pattern of every NaN; nothing: its own sign and
/// payload
void store_accumulators(const Format& format, std::optional<std::uint64_t> nan, const void* from, std::size_t index,
                        std::size_t count, const MutablePatterns& to);

} // namespace discern::fast
