// The narrow kernel: T-FDPA of formats of at most six bits of exponent, in floats and 32-bit integers.
//
// A product of two operands of 12 bits is exact in fp32, scaled by 2^(F − E) too unless it is so small that it counts
// as zero; conversion to an integer truncates it, which is the alignment. Exponents are codes of eight bits, 64 columns
// in one register of AVX-512: a product of non-zero operands has a code of 128 or more, any other a smaller one, so
// that zeros never have the maximum. Sums that 32 bits do not hold, perhaps only because of c, are finished in doubles.
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
    const auto* b = static_cast<const float*>(tile.b.values);
    const float* a = static_cast<const float*>(tile.a.values) + static_cast<std::size_t>(i) * tile.a.stride;
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
            e = max_of(e, codes_of<Pairs>(a, k, j) + right);
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

/// T-FDPA of narrow operands.
/// @tparam Careful  the exponent of a subnormal accumulator and the floor are taken into account
/// @tparam Nearest  results of at most 11 bits, to nearest; otherwise truncated, with the exponents of f32
template <bool Pairs, bool Careful, bool Nearest, bool Split>
struct Narrow {
    const Tile& tile;
    const Recipe& r = *tile.recipe;
    const Ints keep = Ints{} + static_cast<std::int32_t>(~((1u << (23 - r.result.mantissa_bits)) - 1));
    const Ints of_F = Ints{} + (r.F << 23), of_F_and_bias = Ints{} + ((r.F + 254) << 23);

    struct Known {
        Floats scale;
    };
    static constexpr bool split = Split;
    /// Biased as those of floats are; 0 where there is no product, which is not usual.
    bool exponents(const void* a, const std::uint8_t* b, int L, std::uint8_t* out) const {
        const int floor_code = Careful && r.floor > r.narrow_bias ? r.floor - r.narrow_bias + 128 : 0;
        narrow_exponents<Pairs>(a, b, L, static_cast<std::uint8_t>(floor_code), out);
        // Code 128 stands for narrow_bias; others without a product are smaller.
        const auto to_biased = static_cast<std::uint8_t>(r.narrow_bias - 128 + 127);
        Bytes none{};
        for (int j = 0; j < row_of_tile; j += bytes) {
            const Bytes code = load<Bytes>(out + j);
            none |= ~code;
            store(out + j, code < 128 ? Bytes{} : code + to_biased);
        }
        return !any_negative(none);
    }
    Known begin(const std::uint8_t* codes, Floats c, int, int) const {
        const Ints bits = bits_of<Ints>(c);
        Ints of_c = bits & 0x7f800000;
        if constexpr (Careful) {
            of_c = max_of(of_c, Ints{} + ((tile.c_emin + 127) << 23));
            of_c = (bits & 0x7fffffff) == 0 ? Ints{} : of_c;
        }
        // Of exponents as of floats: their larger one is the larger number, and that is quicker to find.
        const Floats of_products = bits_of<Floats>(to_ints(load<QuarterBytes>(codes)) << 23);
        const Ints E = bits_of<Ints>(max_of(of_products, bits_of<Floats>(of_c)));
        return {bits_of<Floats>(of_F_and_bias - E)};
    }
    /// Results of the truncated sum of all, with_c, where it is right.
    Floats rounded_back(Known known, Ints with_c) const {
        const Floats d = to_floats_toward_zero(with_c);
        const Floats back = bits_of<Floats>((254 << 23) - bits_of<Ints>(known.scale));
        if constexpr (Nearest) {
            // Rounded to odd in 24 bits, then to nearest.
            const Ints inexact = (to_ints(d) != with_c) & 1;
            return nearest_short(r.result, bits_of<Floats>(bits_of<Ints>(d) | inexact) * back) + 0.0F;
        } else {
            return bits_of<Floats>(bits_of<Ints>(d * back) & keep);
        }
    }
    Floats quick(Known known, Floats c, Ints sum, Ints more, Ints& odd) const {
        odd = bits_of<Ints>(known.scale) - of_F; // of an infinite or NaN c
        const Ints total = all_products<Split>(sum, more, odd), c_part = to_ints(c * known.scale),
                   with_c = total + c_part;
        if (r.may_overflow) odd |= overflow_of(total, c_part, with_c);
        return rounded_back(known, with_c);
    }
    /// Σ trunc(scale·a·b) of one vector of columns.
    __attribute__((noinline)) Ints integer_sum(const float* a, int j, Floats scale) const {
        Ints sum{};
        const auto* b = static_cast<const float*>(tile.b.values);
        for (int k = 0; k < tile.L; ++k) {
            const Floats right = load<Floats>(b + k * row_of_tile + j);
            sum += to_ints(Pairs ? load<Floats>(a + k * row_of_tile + j) * scale * right : scale * a[k] * right);
        }
        return sum;
    }
    __attribute__((noinline)) Floats careful(const std::uint8_t* codes, Known known, Floats c, int i, int j,
                                             bool special, Ints sum, Ints more) const {
        Ints overflow{};
        const Ints total = all_products<Split>(sum, more, overflow), c_part = to_ints(c * known.scale),
                   with_c = total + c_part;
        overflow |= overflow_of(total, c_part, with_c);
        Floats d = rounded_back(known, with_c);
        if (any_negative(overflow)) {
            const Ints E = (r.F + 254) - (bits_of<Ints>(known.scale) >> 23);
            d = overflow < 0 ? finish_wide(r, sum, more, c_part, E - 127) : d;
        }
        // Without a product (or a floor) the accumulator alone is the sum; scale may not even hold its exponent.
        const Floats alone = (Nearest ? nearest_short(r.result, c) : bits_of<Floats>(bits_of<Ints>(c) & keep)) + 0.0F;
        d = to_ints(load<QuarterBytes>(codes)) == 0 ? alone : d;
        if (special || any((Ints)((bits_of<Ints>(c) & 0x7f800000) == 0x7f800000)))
            d = with_narrow_specials<Pairs>(tile, i, j, c, d);
        return d;
    }
};

} // namespace discern::fast::DISCERN_ISA
