// The wide kernels: one block of a tile in doubles, whatever the exponents.
//
// A double holds every product of two operands exactly, and every sum of aligned terms. Scaled by 2^(F − E), rounding
// to an integer is the alignment; the sum of the integers is exact, and scaling back is too. So a fused sum is, for
// each product, two multiplications, a rounding and an addition on eight lanes. Reference exponents are the (max, +)
// product of 16-bit codes.
#pragma once

#include "simd.hpp"
#include "tile.hpp"

namespace discern::fast::DISCERN_ISA {

constexpr int row_of_tile = static_cast<int>(panel);
constexpr int lowest =
    -600; ///< the exponent of a sum in which no term took part; every product's is larger, and 2 to it is a double
constexpr double huge = 0x1p896; ///< multiplying by it makes magnitudes ≥ 2^128 infinite

inline Doubles load_doubles(const float* from) { return to_doubles(load<HalfFloats>(from)); }
inline Longs load_longs(const std::int32_t* from) { return to_longs(load<HalfInts>(from)); }

/// Element k of a row of A for the columns from j on: of independent vectors each has its own.
template <bool Pairs, class V, class T>
inline V left_of(const T* a, int k, int j) {
    if constexpr (Pairs)
        return load<V>(a + k * row_of_tile + j);
    else
        return splat<V>(a[k]);
}

/// The reference exponents of the products first … first+count−1 of 64 columns.
template <bool Pairs>
inline void product_exponents(const std::int16_t* a, const std::int16_t* b, int first, int count, std::int32_t* out) {
    for (int j = 0; j < row_of_tile; j += shorts) {
        Shorts e = Shorts{} + static_cast<std::int16_t>(2 * no_exponent);
        for (int k = first; k < first + count; ++k) {
            const Shorts right = load<Shorts>(b + k * row_of_tile + j);
            e = max_of(e, left_of<Pairs, Shorts>(a, k, j) + right);
        }
        store(out + j, to_ints(low_half(e)));
        store(out + j + floats, to_ints(high_half(e)));
    }
}

/// The reference exponents of an accumulator.
/// @param zero  that of a zero, or own_exponent
inline Ints accumulator_exponents(Ints bits, int emin, int zero = no_exponent) {
    const Ints field = ((bits >> 23) & 255) - 127;
    const Ints e = max_of(field, Ints{} + emin);
    return zero == own_exponent || zero == emin ? e : (bits & 0x7fffffff) == 0 ? Ints{} + zero : e;
}

/// Products of one vector of columns.
template <bool Pairs>
struct Products {
    const double *a, *b;
    int j;
    Doubles right(int k) const { return load<Doubles>(b + k * row_of_tile + j); }
    Doubles left(int k) const { return left_of<Pairs, Doubles>(a, k, j); }
    Doubles operator()(int k) const { return left(k) * right(k); }
    /// Their sum, where doubles hold every part of it.
    template <int L>
    Doubles sum() const {
        Doubles all = (*this)(0);
        for (int k = 1; k < L; ++k) all = exact_multiply_add(left(k), right(k), all);
        return all;
    }
    Doubles sum(int L) const {
        Doubles all = (*this)(0);
        for (int k = 1; k < L; ++k) all = exact_multiply_add(left(k), right(k), all);
        return all;
    }
};

/// Σ trunc(a·b·2^(F−E)) over the products first … first+count−1, for `doubles` lanes from column j.
template <bool Pairs>
inline Doubles aligned_sum(const double* a, const double* b, int first, int count, int j, Doubles scale) {
    Doubles even{}, odd{};
    int k = first;
    const auto term = [&](int i) {
        return truncated(left_of<Pairs, Doubles>(a, i, j) * scale * load<Doubles>(b + i * row_of_tile + j));
    };
    for (; k + 1 < first + count; k += 2) {
        even += term(k);
        odd += term(k + 1);
    }
    if (k < first + count) even += term(k);
    return even + odd;
}

/// v rounded as the recipe says; it has more than enough bits, so this is one rounding.
inline HalfFloats rounded(const Result& rule, Doubles v) {
    v += 0.0; // −0 becomes +0
    if (rule.to_nearest && rule.mantissa_bits == 23) {
        const HalfFloats nearest = to_floats(v);
        return rule.keep_sign ? nearest : nearest + 0.0F;
    }
    // The power of two of v, at least 2^emin.
    const Doubles least = Doubles{} + rule.least;
    const Doubles power = bits_of<Doubles>(bits_of<Longs>(max_of(magnitude(v), least)) & 0x7ff0000000000000);
    Doubles r;
    if (rule.to_nearest) {
        const Doubles constant = power * rule.nearest;
        r = magnitude((v + constant) - constant);
    } else {
        const Doubles inverse = bits_of<Doubles>((Longs{} + (std::int64_t{2046} << 52)) - bits_of<Longs>(power));
        r = magnitude(truncated(v * (inverse * rule.up)) * (power * rule.down));
    }
    r = r > rule.max_finite ? Doubles{} + __builtin_inf() : r;
    const Doubles signed_r = with_sign(r, v);
    return to_floats(rule.keep_sign ? signed_r : signed_r + 0.0);
}

/// What a block with infinite or NaN operands gives: the sum in doubles, which no finite operands can make infinite. A
/// lane whose sum is finite keeps `d`. With a limit, infinities that products of magnitude ≥ 2^128 become are summed
/// apart, and count where there are no others.
template <bool Pairs>
__attribute__((noinline)) HalfFloats with_specials(const Tile& tile, const double* a, int j, Doubles c, HalfFloats d) {
    const auto* b = static_cast<const double*>(tile.b.values);
    Doubles hard = c, tentative{};
    for (int k = 0; k < tile.L; ++k) {
        const Doubles right = load<Doubles>(b + k * row_of_tile + j);
        const Doubles left = Pairs ? load<Doubles>(a + k * row_of_tile + j) : Doubles{} + a[k];
        const Doubles p = left * right;
        const Doubles limited = (p * huge) * (1 / huge);
        hard += tile.recipe->limited && !tile.recipe->yields ? limited : p;
        tentative += limited;
    }
    const Doubles limit = Doubles{} + __DBL_MAX__;
    Doubles result = to_doubles(d);
    if (tile.recipe->limited) result = magnitude(tentative) <= limit ? result : tentative;
    return to_floats(magnitude(hard) <= limit ? result : hard);
}

/// Whether lanes of the accumulator are infinite or NaN.
inline bool any_special(HalfFloats c) {
    const HalfInts bits = bits_of<HalfInts>(c);
    const HalfInts special = (bits & 0x7f800000) == 0x7f800000;
    return any(to_longs(special));
}

template <bool Pairs>
struct Row {
    const double* a;
    const std::int16_t* a_exponents;
    float* acc;
    bool special;
};

template <bool Pairs>
inline Row<Pairs> row_of(const Tile& tile, int i) {
    const std::size_t skip = static_cast<std::size_t>(i) * tile.a.stride;
    return {static_cast<const double*>(tile.a.values) + skip, static_cast<const std::int16_t*>(tile.a.exponents) + skip,
            static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride,
            tile.b.any_special || tile.a.special[i] != 0};
}

/// T-FDPA and ST-FDPA.
template <bool Pairs>
void fused(const Tile& tile) {
    const Recipe& r = *tile.recipe;
    const auto* b = static_cast<const double*>(tile.b.values);
    alignas(64) std::int32_t e[panel];
    for (int i = 0; i < tile.rows; ++i) {
        const auto row = row_of<Pairs>(tile, i);
        product_exponents<Pairs>(row.a_exponents, static_cast<const std::int16_t*>(tile.b.exponents), 0, tile.L, e);
        for (int j = 0; j < row_of_tile; j += floats) {
            const Ints c = accumulator_exponents(load<Ints>(row.acc + j), tile.c_emin);
            store(e + j, max_of(max_of(load<Ints>(e + j), c), Ints{} + (r.floor > lowest ? r.floor : lowest)));
        }
        for (int j = 0; j < row_of_tile; j += doubles) {
            const HalfFloats c32 = load<HalfFloats>(row.acc + j);
            const Doubles c = to_doubles(c32);
            const Longs E = load_longs(e + j);
            const Doubles scale = power_of_two(r.F - E);
            const Doubles sum = aligned_sum<Pairs>(row.a, b, 0, tile.L, j, scale) + truncated(c * scale);
            HalfFloats d = rounded(r.result, sum * power_of_two(E - r.F));
            if (row.special || any_special(c32)) d = with_specials<Pairs>(tile, row.a, j, c, d);
            store(row.acc + j, d);
        }
    }
}

} // namespace discern::fast::DISCERN_ISA
