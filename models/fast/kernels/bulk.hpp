// Bulk-normalised dot products (RISC-V BNA), in doubles: products aligned with jamming, their sum rounded to odd in
// f32, and then c added and rounded to odd. The sum of the products, its scale and a sum of two are as in wide.hpp.
#pragma once

#include "wide.hpp"

namespace discern::fast::DISCERN_ISA {

/// To an integer, to odd: an inexact one ends in a one. For |x| < 2^51.
inline Doubles jammed(Doubles x) {
    const Doubles t = truncated(x), half = t * 0.5;
    const Doubles away = with_sign(Doubles{} + 1.0, x);
    return t + (((x != t) & (truncated(half) == half)) ? away : Doubles{});
}

/// v rounded to odd in f32, to infinity from 2^128 on. @param truncating  the format f32, toward zero
inline HalfFloats to_odd(const Result& truncating, Doubles v) {
    const HalfFloats t = rounded(truncating, v);
    const Doubles inexact = to_doubles(t) != v ? Doubles{} + 1.0 : Doubles{};
    const HalfInts bits = bits_of<HalfInts>(t), finite = (bits & 0x7f800000) != 0x7f800000;
    const HalfInts odd = bits | ((to_floats(inexact) != 0.0F) & finite & 1);
    return bits_of<HalfFloats>(odd);
}

/// An infinite or NaN sum is its own result.
inline HalfFloats to_odd_or_special(const Result& truncating, Doubles v) {
    const HalfFloats special = to_floats(v), d = to_odd(truncating, v);
    const Doubles none = magnitude(v) <= Doubles{} + __DBL_MAX__ ? Doubles{} : Doubles{} + 1.0;
    return to_floats(none) == 0.0F ? d : special;
}

template <bool Pairs>
void bulk_normalised(const Tile& tile) {
    const Recipe& r = *tile.recipe;
    alignas(64) std::int32_t e[panel];
    for (int i = 0; i < tile.rows; ++i) {
        const auto row = row_of<Pairs>(tile, i);
        product_exponents<Pairs>(row.a_exponents, static_cast<const std::int16_t*>(tile.b_exponents), 0, tile.L, e);
        for (int j = 0; j < row_of_tile; j += doubles) {
            const Products<Pairs> product{row.a, static_cast<const double*>(tile.b), j};
            const Longs E = max_of(load_longs(e + j), Longs{} + lowest);
            const Doubles scale = power_of_two(r.F - E), c = load_doubles(row.acc + j);
            Doubles sum{}, hard{};
            for (int k = 0; k < tile.L; ++k) sum += jammed(product(k) * scale);
            Doubles inner = to_doubles(to_odd(r.result, sum * power_of_two(E - r.F)));
            if (row.special) {
                for (int k = 0; k < tile.L; ++k) hard += product(k);
                inner = magnitude(hard) <= Doubles{} + __DBL_MAX__ ? inner : hard;
            }
            store(row.acc + j, to_odd_or_special(r.result, sum_to_odd(inner, c)));
        }
    }
}

} // namespace discern::fast::DISCERN_ISA
