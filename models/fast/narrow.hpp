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
inline Floats finish_wide(const Recipe& r, Ints sum, Ints more, Ints c, Ints E) {
    alignas(64) std::int32_t parts[4][floats];
    alignas(64) float d[floats];
    store(parts[0], sum);
    store(parts[1], more);
    store(parts[2], c);
    store(parts[3], E);
    for (int h = 0; h < floats; h += doubles) {
        const Longs total = load_longs(parts[0] + h) + load_longs(parts[1] + h) + load_longs(parts[2] + h);
        Doubles v;
        for (int i = 0; i < doubles; ++i) v[i] = static_cast<double>(total[i]);
        store(d + h, rounded(r.result, v * power_of_two(load_longs(parts[3] + h) - r.F)));
    }
    return load<Floats>(d);
}

/// As with_specials, in floats: sums of narrow products and an accumulator do not overflow them.
template <bool Pairs>
inline Floats with_narrow_specials(const Tile& tile, const float* a, int j, Floats c, Floats d) {
    const auto* b = static_cast<const float*>(tile.b);
    Floats sum = c;
    for (int k = 0; k < tile.recipe->L; ++k) {
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
    const Floats least = Floats{} + __builtin_ldexpf(1.0F, rule.emin);
    const Floats power = bits_of<Floats>(bits_of<Ints>(max_of(magnitude(x), least)) & 0x7f800000);
    const Floats constant = power * __builtin_ldexpf(1.5F, 23 - rule.mantissa_bits);
    const Floats r = (x + constant) - constant;
    const Floats limit = Floats{} + static_cast<float>(rule.max_finite);
    return magnitude(r) > limit ? with_sign(Floats{} + __builtin_inff(), r) : r;
}

/// @tparam Careful  mind a subnormal accumulator's exponent and the floor
/// @tparam Nearest  results of at most 11 bits, to nearest; otherwise truncated, with the exponents of f32
/// @tparam Split     the sum of the products may need 33 bits
template <bool Pairs, bool Careful, bool Nearest, bool Split>
void narrow(const Tile& tile) {
    const Recipe& r = *tile.recipe;
    const auto* b = static_cast<const float*>(tile.b);
    const int L = r.L, F = r.F;
    // Code 128 stands for narrow_bias; biased like the exponents of floats, so is the reference exponent.
    const int to_biased = r.narrow_bias - 128 + 127;
    const int floor_code = Careful && r.floor > r.narrow_bias ? r.floor - r.narrow_bias + 128 : 0;
    const Ints keep = Ints{} + static_cast<std::int32_t>(~((1u << (23 - r.result.mantissa_bits)) - 1));
    alignas(64) std::uint8_t codes[panel];
    for (int i = 0; i < tile.rows; ++i) {
        const std::size_t skip = static_cast<std::size_t>(i) * tile.a_stride;
        const float* a = static_cast<const float*>(tile.a) + skip;
        float* acc = static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride;
        const bool special = tile.b_special || tile.a_special[i] != 0;
        const void* a_codes = Pairs ? tile.a_exponents : static_cast<const std::int32_t*>(tile.a_exponents) + skip;
        narrow_exponents<Pairs>(a_codes, static_cast<const std::uint8_t*>(tile.b_exponents), L,
                                static_cast<std::uint8_t>(floor_code), codes);
        constexpr int at_once = 2; // vectors of columns that share what a row has in common
        for (int j = 0; j < row_of_tile; j += at_once * floats) {
            Ints P[at_once], E[at_once], c_field[at_once];
            Floats c[at_once], scale[at_once];
            Ints sum[at_once]{}, more[at_once]{};
            for (int n = 0; n < at_once; ++n) {
                const int at = j + n * floats;
                P[n] = __builtin_convertvector(load<QuarterBytes>(codes + at), Ints);
                const Ints bits = load<Ints>(acc + at);
                c[n] = bits_of<Floats>(bits);
                c_field[n] = (bits >> 23) & 255;
                Ints c_exponent = c_field[n];
                if constexpr (Careful) {
                    c_exponent = max_of(c_exponent, Ints{} + (tile.c_emin + 127));
                    c_exponent = (bits & 0x7fffffff) == 0 ? Ints{} : c_exponent;
                }
                E[n] = max_of(P[n] + to_biased, c_exponent);
                scale[n] = bits_of<Floats>(((F + 254) - E[n]) << 23);
            }
            const auto accumulate = [&](Ints(&into)[at_once], int k) {
                for (int n = 0; n < at_once; ++n) {
                    const int at = k * row_of_tile + j + n * floats;
                    const Floats left = Pairs ? load<Floats>(a + at) * scale[n] : scale[n] * a[k];
                    into[n] += to_ints(left * load<Floats>(b + at));
                }
            };
            const int first_half = Split ? L / 2 : L;
            for (int k = 0; k < first_half; ++k) accumulate(sum, k);
            if constexpr (Split)
                for (int k = first_half; k < L; ++k) accumulate(more, k);
            for (int n = 0; n < at_once; ++n) {
                const int at = j + n * floats;
                const Ints c_part = to_ints(c[n] * scale[n]);
                Ints total = sum[n];
                Ints overflow{};
                if constexpr (Split) {
                    total = total + more[n];
                    overflow = (sum[n] ^ total) & (more[n] ^ total);
                }
                const Ints with_c = total + c_part;
                overflow |= (total ^ with_c) & (c_part ^ with_c);
                Floats d = to_floats_toward_zero(with_c);
                const Floats back = bits_of<Floats>((254 << 23) - bits_of<Ints>(scale[n]));
                if constexpr (Nearest) {
                    // Rounded to odd in 24 bits, then to nearest.
                    const Ints inexact = (to_ints(d) != with_c) & 1;
                    d = nearest_short(r.result, bits_of<Floats>(bits_of<Ints>(d) | inexact) * back);
                    d += 0.0F;
                } else {
                    d = bits_of<Floats>(bits_of<Ints>(d * back) & keep);
                }
                if (any(overflow < 0)) [[unlikely]]
                    d = overflow < 0 ? finish_wide(r, sum[n], more[n], c_part, E[n] - 127) : d;
                // Without a product (or a floor) the accumulator alone is the sum; scale may not even hold its exponent.
                Floats alone = c[n] + 0.0F;
                if constexpr (Nearest)
                    alone = nearest_short(r.result, alone) + 0.0F;
                else
                    alone = bits_of<Floats>(bits_of<Ints>(alone) & keep);
                d = P[n] < 128 ? alone : d;
                if (special || any(c_field[n] == 255)) [[unlikely]]
                    d = with_narrow_specials<Pairs>(tile, a, j + n * floats, c[n], d);
                store(acc + at, d);
            }
        }
    }
}

} // namespace discern::fast::DISCERN_ISA
