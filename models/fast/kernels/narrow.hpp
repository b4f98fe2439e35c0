// The narrow kernel: T-FDPA of formats of at most six bits of exponent, in floats and 32-bit integers.
//
// A product of two operands of 12 bits is exact in fp32, scaled by 2^(F − E) too unless it is so small that it counts
// as zero; conversion to an integer truncates it, which is the alignment. Exponents are codes of eight bits, 64 columns
// in one register of AVX-512: a product of non-zero operands has a code of 128 or more, any other a smaller one, so
// that zeros never win. Sums that 32 bits do not hold (c can add the last straw) are finished in doubles.
#pragma once

#include "rows.hpp"

namespace discern::fast::DISCERN_ISA {

/// The finish in doubles: (sum + more + c)·2^(E−F) rounded, for lanes where 32 bits may have overflowed.
__attribute__((noinline)) inline Floats finish_wide(const Recipe& r, Ints sum, Ints more, Ints c, Ints E) {
    alignas(64) std::int32_t parts[4][floats];
    alignas(64) float d[floats];
    store(parts[0], sum);
    store(parts[1], more);
    store(parts[2], c);
    store(parts[3], E);
    const auto part = [&](int n, int h) { return to_doubles(load<HalfInts>(parts[n] + h)); };
    for (int h = 0; h < floats; h += doubles) {
        const Doubles v = part(0, h) + part(1, h) + part(2, h);
        store(d + h, rounded(r.result, v * power_of_two(load_longs(parts[3] + h) - r.F)));
    }
    return load<Floats>(d);
}

/// As with_specials, in floats: sums of narrow products and an accumulator do not overflow them.
template <bool Pairs>
__attribute__((noinline)) Floats with_narrow_specials(const Tile& tile, int i, int j, Floats c, Floats d) {
    const auto* b = static_cast<const float*>(tile.b);
    const float* a = static_cast<const float*>(tile.a) + static_cast<std::size_t>(i) * tile.a_stride;
    Floats sum = c;
    for (int k = 0; k < tile.L; ++k) {
        const Floats right = load<Floats>(b + k * row_of_tile + j);
        sum += Pairs ? load<Floats>(a + k * row_of_tile + j) * right : right * a[k];
    }
    return magnitude(sum) <= Floats{} + __FLT_MAX__ ? d : sum;
}

/// Codes of the largest products' exponents for 64 columns.
template <bool Pairs>
inline void narrow_exponents(const void* a, const std::uint8_t* b, int L, std::uint8_t floor, std::uint8_t* out) {
    for (int j = 0; j < row_of_tile; j += bytes) {
        Bytes e = Bytes{} + floor;
        for (int k = 0; k < L; ++k) {
            const Bytes right = load<Bytes>(b + k * row_of_tile + j);
            if constexpr (Pairs) {
                e = max_of(e, load<Bytes>(static_cast<const std::uint8_t*>(a) + k * row_of_tile + j) + right);
            } else {
                const Ints word = Ints{} + static_cast<const std::int32_t*>(a)[k];
                e = max_of(e, bits_of<Bytes>(word) + right);
            }
        }
        store(out + j, e);
    }
}

/// x (an exact value of at most 24 bits) to nearest in a format of 11 bits or fewer.
inline Floats nearest_short(const Result& rule, Floats x) {
    const Floats least = Floats{} + static_cast<float>(rule.least);
    const Floats power = bits_of<Floats>(bits_of<Ints>(max_of(magnitude(x), least)) & 0x7f800000);
    const Floats constant = power * rule.nearest_in_f32;
    const Floats r = (x + constant) - constant;
    const Floats limit = Floats{} + static_cast<float>(rule.max_finite);
    return magnitude(r) > limit ? with_sign(Floats{} + __builtin_inff(), r) : r;
}

/// What the lanes of one vector of columns need before and after their sums.
/// @tparam Careful  mind a subnormal accumulator's exponent and the floor
/// @tparam Nearest  results of at most 11 bits, to nearest; otherwise truncated, with the exponents of f32
template <bool Pairs, bool Careful, bool Nearest, bool Split>
struct Narrow {
    const Tile& tile;
    const Recipe& r = *tile.recipe;
    /// Code 128 stands for narrow_bias; biased like the exponents of floats, so is the reference exponent.
    const int to_biased = r.narrow_bias - 128 + 127;
    const int c_least = tile.c_emin + 127;
    const Ints keep = Ints{} + static_cast<std::int32_t>(~((1u << (23 - r.result.mantissa_bits)) - 1));

    static constexpr bool split = Split;
    void exponents(const void* a, const std::uint8_t* b, int L, std::uint8_t* out) const {
        const int floor_code = Careful && r.floor > r.narrow_bias ? r.floor - r.narrow_bias + 128 : 0;
        narrow_exponents<Pairs>(a, b, L, static_cast<std::uint8_t>(floor_code), out);
    }
    /// 2^(F−E).
    Floats scale(const std::uint8_t* codes, const float* acc, int, int) const {
        const Ints bits = load<Ints>(acc);
        Ints c_exponent = (bits >> 23) & 255;
        if constexpr (Careful) {
            c_exponent = max_of(c_exponent, Ints{} + c_least);
            c_exponent = (bits & 0x7fffffff) == 0 ? Ints{} : c_exponent;
        }
        const Ints E = max_of(to_ints(load<QuarterBytes>(codes)) + to_biased, c_exponent);
        return bits_of<Floats>(((r.F + 254) - E) << 23);
    }

    void finish(const std::uint8_t* codes, float* acc, int i, int j, bool special, Floats scale, Ints sum,
                Ints more) const {
        const Floats c = load<Floats>(acc);
        const Ints c_part = to_ints(c * scale);
        Ints total = sum, overflow{};
        if constexpr (Split) {
            total = sum + more;
            overflow = (sum ^ total) & (more ^ total);
        }
        const Ints with_c = total + c_part;
        overflow |= (total ^ with_c) & (c_part ^ with_c);
        Floats d = to_floats_toward_zero(with_c);
        const Floats back = bits_of<Floats>((254 << 23) - bits_of<Ints>(scale));
        // Without a product (or a floor) the accumulator alone is the sum; scale may not even hold its exponent.
        Floats alone;
        if constexpr (Nearest) {
            // Rounded to odd in 24 bits, then to nearest.
            const Ints inexact = (to_ints(d) != with_c) & 1;
            d = nearest_short(r.result, bits_of<Floats>(bits_of<Ints>(d) | inexact) * back) + 0.0F;
            alone = nearest_short(r.result, c) + 0.0F;
        } else {
            d = bits_of<Floats>(bits_of<Ints>(d * back) & keep);
            alone = bits_of<Floats>(bits_of<Ints>(c) & keep) + 0.0F;
        }
        if (any_negative(overflow)) [[unlikely]] {
            const Ints E = (r.F + 254) - (bits_of<Ints>(scale) >> 23);
            d = overflow < 0 ? finish_wide(r, sum, more, c_part, E - 127) : d;
        }
        d = to_ints(load<QuarterBytes>(codes)) < 128 ? alone : d;
        if (special || any((Ints)((bits_of<Ints>(c) & 0x7f800000) == 0x7f800000))) [[unlikely]]
            d = with_narrow_specials<Pairs>(tile, i, j, c, d);
        store(acc, d);
    }
};

} // namespace discern::fast::DISCERN_ISA
