// Matrix instructions of integers, which are exact: a sum of products of any order, wrapped to 32 bits, or clamped to
// them at the end of each instruction (.satfinite). They have no name in the catalogue, whose units round.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace discern::programs {

/// Of operands: s8, u8, s4, u4 or b1.
struct IntegerFormat {
    unsigned bits = 8;
    bool is_signed = false;
};

struct IntegerUnit {
    enum class Product : std::uint8_t { times, conjunction, difference }; ///< of b1: and, xor
    std::size_t k = 0;
    IntegerFormat a, b;
    bool saturates = false;
    Product product = Product::times;

    /// The accumulator after instructions of k products each. @param a, b  patterns, as many
    std::uint32_t operator()(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::uint32_t c) const;
};

/// "integers.k32.s32.s8.u8", with .satfinite, or .and or .xor of b1, behind it.
std::string integer_unit_name(std::size_t k, std::string_view a, std::string_view b, std::string_view modifier);
/// The unit of such a name; nothing if it is another one's.
std::optional<IntegerUnit> integer_unit(std::string_view name);

} // namespace discern::programs
