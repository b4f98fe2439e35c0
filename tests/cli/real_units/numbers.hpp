// Numbers of real units: patterns and doubles, by the processor's own arithmetic and without the library.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace real_numbers {

using Bits = std::uint64_t;

inline double from_f32(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
inline Bits to_f32(double value) {
    if (std::isnan(value)) return 0x7fc00000;
    return std::bit_cast<std::uint32_t>(static_cast<float>(value)); // to nearest, ties to even
}

/// A number of E exponent and M fraction bits, the largest field for infinity and NaN or, of e4m3, NaN alone.
inline double from_small(Bits bits, int E, int M, bool has_infinity) {
    const int bias = (1 << (E - 1)) - 1, field = static_cast<int>(bits >> M) & ((1 << E) - 1);
    const auto fraction = static_cast<double>(bits & ((1ull << M) - 1));
    const double sign = (bits >> (E + M) & 1) != 0 ? -1 : 1;
    if (field == (1 << E) - 1) {
        if (has_infinity) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
        if (fraction == std::ldexp(1.0, M) - 1) return std::nan("");
    }
    const double hidden = field == 0 ? 0 : 1;
    return sign * std::ldexp(hidden + std::ldexp(fraction, -M), std::max(field, 1) - bias);
}
inline double from_f16(Bits bits) { return from_small(bits, 5, 10, true); }
inline double from_bf16(Bits bits) { return from_f32(bits << 16); }
inline double from_e4m3(Bits bits) { return from_small(bits, 4, 3, false); }

/// To nearest, ties to even.
inline Bits to_f16(double value) {
    if (std::isnan(value)) return 0x7e00;
    const Bits sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::abs(value);
    if (std::isinf(magnitude)) return sign | 0x7c00;
    if (magnitude == 0) return sign;
    const int exponent = std::max(std::ilogb(magnitude), -14);
    const double places = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
    const auto pattern = (static_cast<Bits>(exponent + 14) << 10) + static_cast<Bits>(places);
    return sign | std::min<Bits>(pattern, 0x7c00);
}
inline double in_f32(double value) { return static_cast<float>(value); }

} // namespace real_numbers
