// E-FDPA: one exact sum, rounded once. It is of any size, but doubles hold it where exponents spread little.
#pragma once

#include "wide.hpp"

namespace discern::fast::DISCERN_ISA {

/// The largest spread (difference between largest and smallest) of the exponents of nonzero operands in one column.
inline int widest_spread(const std::int16_t* codes, int L) {
    Shorts most = Shorts{} - std::int16_t{30000};
    for (int j = 0; j < row_of_tile; j += shorts) {
        Shorts high = Shorts{} + static_cast<std::int16_t>(no_exponent), low = -high;
        for (int k = 0; k < L; ++k) {
            const Shorts e = load<Shorts>(codes + k * row_of_tile + j);
            high = max_of(high, e);
            const Shorts bounded =
                e == static_cast<std::int16_t>(no_exponent) ? Shorts{} - static_cast<std::int16_t>(no_exponent) : e;
            low = bounded < low ? bounded : low;
        }
        most = max_of(most, high - low);
    }
    int widest = 0;
    for (int i = 0; i < shorts; ++i) widest = most[i] > widest ? most[i] : widest;
    return widest;
}

inline int spread_of_row(const std::int16_t* codes, int L) {
    int high = no_exponent, low = -no_exponent;
    for (int k = 0; k < L; ++k) {
        if (codes[k] == no_exponent) continue;
        high = codes[k] > high ? codes[k] : high;
        low = codes[k] < low ? codes[k] : low;
    }
    return high > low ? high - low : 0;
}

/// E-FDPA whatever the operands are. Products of narrow formats are summed in two parts, multiples of 2^middle and the
/// rest, each of which a double holds; at most two products of wide formats are the two parts themselves. Then the sum
/// of three, rounded once. @param in_one  a double holds the sum of the products
template <bool Pairs>
__attribute__((noinline)) HalfFloats exact_in_parts(const Tile& tile, const double* a, int j, bool in_one,
                                                    HalfFloats c32, bool special) {
    const Recipe& r = *tile.recipe;
    const Products<Pairs> product{a, static_cast<const double*>(tile.b.values), j};
    const Doubles c = to_doubles(c32);
    Doubles high{}, low{};
    if (in_one) {
        high = product.sum(tile.L);
    } else if (r.high != r.low) {
        const double splitter = r.splitter;
        for (int k = 0; k < tile.L; ++k) {
            const Doubles p = product(k), rough = (p + splitter) - splitter;
            high += rough;
            low += p - rough;
        }
    } else {
        high = product(0);
        if (tile.L == 2) low = product(1);
    }
    // high + low + c, after Boldo and Melquiond: an exact sum of two, another, and what is left rounded to odd.
    const Sum inner = two_sum(low, c), outer = two_sum(high, inner.sum);
    const Doubles rest = sum_to_odd(outer.error, inner.error);
    const HalfFloats d = rounded(r.result, sum_to_odd(outer.sum, rest));
    return special || any_special(c32) ? with_specials<Pairs>(tile, a, j, c, d) : d;
}

/// One row of E-FDPA. Where exponents spread little, a double holds the sum of the products, and mostly with c too.
/// @tparam L  0: any
template <bool Pairs, int L>
inline void exact_row(const Tile& tile, const Row<Pairs>& row, bool in_one) {
    const Recipe& r = *tile.recipe;
    for (int j = 0; j < row_of_tile; j += doubles) {
        const HalfFloats c32 = load<HalfFloats>(row.acc + j);
        if (in_one) {
            const Products<Pairs> product{row.a, static_cast<const double*>(tile.b.values), j};
            const Doubles c = to_doubles(c32), p = L == 0 ? product.sum(tile.L) : product.template sum<L>();
            const Doubles sum = p + c;
            if (all_exact(sum, p, c)) [[likely]] {
                store(row.acc + j, rounded(r.result, sum));
                continue;
            }
        }
        store(row.acc + j, exact_in_parts<Pairs>(tile, row.a, j, in_one, c32, row.special));
    }
}

/// E-FDPA.
template <bool Pairs>
void exact(const Tile& tile) {
    const Recipe& r = *tile.recipe;
    const int b_spread = widest_spread(static_cast<const std::int16_t*>(tile.b.exponents), tile.L);
    for (int i = 0; i < tile.rows; ++i) {
        const auto row = row_of<Pairs>(tile, i);
        const int a_spread = Pairs ? widest_spread(row.a_exponents, tile.L) : spread_of_row(row.a_exponents, tile.L);
        const bool in_one = a_spread + b_spread <= r.room;
        if (tile.L == 2)
            exact_row<Pairs, 2>(tile, row, in_one);
        else if (tile.L == 4)
            exact_row<Pairs, 4>(tile, row, in_one);
        else
            exact_row<Pairs, 0>(tile, row, in_one);
    }
}

} // namespace discern::fast::DISCERN_ISA
