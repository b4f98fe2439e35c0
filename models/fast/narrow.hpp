// The narrow kernel: T-FDPA of formats of at most six bits of exponent, in floats and 32-bit integers.
//
// A product of two operands of 12 bits is exact in fp32, scaled by 2^(F − E) too unless it is so small that it counts
// as zero; conversion to an integer truncates it, which is the alignment. Exponents are codes of eight bits, 64 columns
// in one register of AVX-512: a product of non-zero operands has a code of 128 or more, any other a smaller one, so that
// zeros never win. Sums that 32 bits do not hold (c can add the last straw) are finished in doubles.
#pragma once

#include "wide.hpp"

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
__attribute__((noinline)) Floats with_narrow_specials(const Tile& tile, const float* a, int j, Floats c, Floats d) {
    const auto* b = static_cast<const float*>(tile.b);
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

    /// 2^(F−E).
    Floats scale(const std::uint8_t* codes, const float* acc) const {
        const Ints bits = load<Ints>(acc);
        Ints c_exponent = (bits >> 23) & 255;
        if constexpr (Careful) {
            c_exponent = max_of(c_exponent, Ints{} + c_least);
            c_exponent = (bits & 0x7fffffff) == 0 ? Ints{} : c_exponent;
        }
        const Ints E = max_of(to_ints(load<QuarterBytes>(codes)) + to_biased, c_exponent);
        return bits_of<Floats>(((r.F + 254) - E) << 23);
    }

    void finish(const std::uint8_t* codes, float* acc, const float* a, int j, bool special, Floats scale, Ints sum,
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
            d = with_narrow_specials<Pairs>(tile, a, j, c, d);
        store(acc, d);
    }
};

/// Rows of A and two vectors of columns at once, so that what is loaded serves several sums.
template <bool Pairs, bool Careful, bool Nearest, bool Split, bool Two>
inline void narrow_rows(const Tile& tile, int i) {
    const Narrow<Pairs, Careful, Nearest, Split> of{tile};
    const Recipe& r = *tile.recipe;
    const auto* b = static_cast<const float*>(tile.b);
    const int floor_code = Careful && r.floor > r.narrow_bias ? r.floor - r.narrow_bias + 128 : 0;
    const int L = tile.L;
    alignas(64) std::uint8_t codes[Two ? 2 : 1][panel];
    const std::size_t skip = static_cast<std::size_t>(i) * tile.a_stride;
    const float* a0 = static_cast<const float*>(tile.a) + skip;
    const float* a1 = Two ? a0 + tile.a_stride : a0;
    float* acc0 = static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride;
    float* acc1 = Two ? acc0 + tile.acc_stride : acc0;
    for (int row = 0; row < (Two ? 2 : 1); ++row) {
        const void* a_codes = Pairs ? tile.a_exponents
                                    : static_cast<const std::int32_t*>(tile.a_exponents) + skip +
                                          static_cast<std::size_t>(row) * tile.a_stride;
        narrow_exponents<Pairs>(a_codes, static_cast<const std::uint8_t*>(tile.b_exponents), L,
                                static_cast<std::uint8_t>(floor_code), codes[row]);
    }
    const std::uint8_t *codes0 = codes[0], *codes1 = codes[Two ? 1 : 0];
    const bool special0 = tile.b_special || tile.a_special[i] != 0;
    const bool special1 = Two && (tile.b_special || tile.a_special[i + 1] != 0);
    constexpr int half = floats;
    for (int j = 0; j < row_of_tile; j += 2 * half) {
        const Floats s00 = of.scale(codes0 + j, acc0 + j), s01 = of.scale(codes0 + j + half, acc0 + j + half);
        const Floats s10 = Two ? of.scale(codes1 + j, acc1 + j) : s00;
        const Floats s11 = Two ? of.scale(codes1 + j + half, acc1 + j + half) : s01;
        const auto sums = [&](int from, int to, Ints& t00, Ints& t01, Ints& t10, Ints& t11) {
            Ints u00{}, u01{}, u10{}, u11{};
            const float* right = b + from * row_of_tile + j;
            for (int k = from; k < to; ++k, right += row_of_tile) {
                const Floats b0 = load<Floats>(right), b1 = load<Floats>(right + half);
                if constexpr (Pairs) {
                    u00 += to_ints(load<Floats>(a0 + k * row_of_tile + j) * s00 * b0);
                    u01 += to_ints(load<Floats>(a0 + k * row_of_tile + j + half) * s01 * b1);
                } else {
                    u00 += to_ints(s00 * a0[k] * b0);
                    u01 += to_ints(s01 * a0[k] * b1);
                }
                if constexpr (Two) {
                    u10 += to_ints(s10 * a1[k] * b0);
                    u11 += to_ints(s11 * a1[k] * b1);
                }
            }
            t00 = u00, t01 = u01, t10 = u10, t11 = u11;
        };
        Ints t00, t01, t10, t11, m00{}, m01{}, m10{}, m11{};
        sums(0, Split ? L / 2 : L, t00, t01, t10, t11);
        if constexpr (Split) sums(L / 2, L, m00, m01, m10, m11);
        of.finish(codes0 + j, acc0 + j, a0, j, special0, s00, t00, m00);
        of.finish(codes0 + j + half, acc0 + j + half, a0, j + half, special0, s01, t01, m01);
        if constexpr (Two) {
            of.finish(codes1 + j, acc1 + j, a1, j, special1, s10, t10, m10);
            of.finish(codes1 + j + half, acc1 + j + half, a1, j + half, special1, s11, t11, m11);
        }
    }
}

/// @tparam Split  the sum of the products may need 33 bits
template <bool Pairs, bool Careful, bool Nearest, bool Split>
void narrow(const Tile& tile) {
    int i = 0;
    if constexpr (!Pairs)
        for (; i + 2 <= tile.rows; i += 2) narrow_rows<Pairs, Careful, Nearest, Split, true>(tile, i);
    for (; i < tile.rows; ++i) narrow_rows<Pairs, Careful, Nearest, Split, false>(tile, i);
}

} // namespace discern::fast::DISCERN_ISA
