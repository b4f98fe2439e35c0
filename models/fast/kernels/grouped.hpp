// GST-FDPA: the dot products of groups are exact in floats; their sum takes doubles.
//
// Mostly it is exact there: F is so large that no group is truncated unless exponents spread far, and only c is. Where
// they do, or where a group of zeros has an exponent of its own, each group is aligned.
#pragma once

#include "rows.hpp"

namespace discern::fast::DISCERN_ISA {

/// Which elements of each group are not zero, a bit for each, by sixteens; of columns, and of rows.
struct Nonzero {
    static constexpr int bits = 16;
    alignas(64) std::int16_t b[2 * most_groups][panel];
    std::int16_t a[panel][2 * most_groups];

    void find(const Tile& tile) {
        for (int part = 0; part < tile.L / bits; ++part) {
            const int first = part * bits;
            for (int j = 0; j < row_of_tile; j += floats) {
                Ints some{};
                for (int k = 0; k < bits; ++k) {
                    const auto right =
                        load<Floats>(static_cast<const float*>(tile.b.values) + (first + k) * row_of_tile + j);
                    some |= (Ints)(right != Floats{}) & (1 << k);
                }
                for (int n = 0; n < floats; ++n) b[part][j + n] = static_cast<std::int16_t>(some[n]);
            }
            for (int i = 0; i < tile.rows; ++i) {
                const float* left =
                    static_cast<const float*>(tile.a.values) + static_cast<std::size_t>(i) * tile.a.stride;
                std::uint32_t some = 0;
                for (int k = 0; k < bits; k += floats) some |= nonzero_bits(left + first + k) << k;
                a[i][part] = static_cast<std::int16_t>(some);
            }
        }
    }
    /// Of products: of a row and as many columns as V has.
    template <class V>
    V products(int row, int j, int part) const {
        return load<V>(b[part] + j) & a[row][part];
    }
};

/// One row of GST-FDPA.
template <bool Pairs>
struct Grouped {
    const Tile& tile;
    const Nonzero& nonzero;
    int row;
    const float* a;
    const double* a_scales;
    const std::int16_t* a_exponents; ///< of scales
    float* acc;
    bool special;
    const Recipe& r = *tile.recipe;
    const int groups = tile.L / r.group;

    /// The scales' product of group g.
    Doubles scale(int g, int at) const {
        const Doubles right = load<Doubles>(tile.b.scales + g * row_of_tile + at);
        return left_of<Pairs, Doubles>(a_scales, g, at) * right;
    }
    /// The exponents of the scales' products of group g: floats columns from j.
    Ints scale_exponents(int g, int j) const {
        const auto right = to_ints(load<HalfShorts>(tile.b.scale_exponents + g * row_of_tile + j));
        if constexpr (Pairs)
            return right + to_ints(load<HalfShorts>(a_exponents + g * row_of_tile + j));
        else
            return right + static_cast<std::int32_t>(a_exponents[g]);
    }
    Floats left(int k, int j) const { return left_of<Pairs, Floats>(a, k, j); }
    Floats product(int k, int j) const {
        return left(k, j) * load<Floats>(static_cast<const float*>(tile.b.values) + k * row_of_tile + j);
    }
    /// The largest and the smallest exponent of the scales' products of all groups: 64 columns. The smallest is far
    /// below all others where a group has none but zeros that count by an exponent of their own.
    void spread(std::int16_t* most, std::int16_t* least) const {
        const int parts = r.group / Nonzero::bits;
        for (int j = 0; j < row_of_tile; j += shorts) {
            Shorts high{}, low{}, empty{};
            for (int g = 0; g < groups; ++g) {
                const Shorts right = load<Shorts>(tile.b.scale_exponents + g * row_of_tile + j);
                const Shorts e = left_of<Pairs, Shorts>(a_exponents, g, j) + right;
                high = g == 0 ? e : max_of(high, e);
                low = g == 0 ? e : e < low ? e : low;
                if (Pairs || !r.empty) continue;
                Shorts some{};
                for (int n = 0; n < parts; ++n) some |= nonzero.products<Shorts>(row, j, g * parts + n);
                empty |= ~some & (some - std::int16_t{1}); // the top bit
            }
            store(most + j, high);
            store(least + j, empty < 0 ? Shorts{} + static_cast<std::int16_t>(no_exponent) : low);
        }
    }
    /// The lanes in which all products of group g are zero; where their sum is not, they are not.
    Ints all_zero(int g, int j, Floats sum) const {
        if constexpr (Pairs) {
            Ints zero = (Ints)(sum == Floats{});
            for (int k = g * r.group; k < (g + 1) * r.group && any(zero); ++k)
                zero &= (Ints)(product(k, j) == Floats{});
            return zero;
        } else {
            const int parts = r.group / Nonzero::bits;
            HalfShorts some{};
            for (int n = 0; n < parts; ++n) some |= nonzero.products<HalfShorts>(row, j, g * parts + n);
            return to_ints(some) == 0;
        }
    }
    /// The largest reference exponent: of a group of zeros it is `empty`, where there is one.
    Ints exponents(const Floats* dots, int j) const {
        Ints e = Ints{} + 2 * no_exponent;
        for (int g = 0; g < groups; ++g) {
            Ints own = scale_exponents(g, j);
            if (r.empty) {
                Ints zero = own < lowest;
                zero |= all_zero(g, j, dots[g]);
                own = zero ? Ints{} + *r.empty : own;
            }
            e = max_of(e, own);
        }
        const Ints c = accumulator_exponents(load<Ints>(acc + j), tile.c_emin, r.c_zero);
        return max_of(max_of(e, c), Ints{} + (r.floor > lowest ? r.floor : lowest));
    }
    /// The sum of doubles, for infinite and NaN scales and accumulators.
    __attribute__((noinline)) HalfFloats with_specials(const Floats* dots, int at, HalfFloats c, HalfFloats d) const {
        Doubles sum = to_doubles(c);
        for (int g = 0; g < groups; ++g)
            sum += to_doubles(at % floats == 0 ? low_half(dots[g]) : high_half(dots[g])) * scale(g, at);
        return to_floats(magnitude(sum) <= Doubles{} + __DBL_MAX__ ? to_doubles(d) : sum);
    }
    void finish(const Floats* dots, int at, Doubles sum, Longs E) const {
        const HalfFloats c = load<HalfFloats>(acc + at);
        sum += truncated(to_doubles(c) * power_of_two(r.F - E));
        HalfFloats d = rounded(r.result, sum * power_of_two(E - r.F));
        if (special || any_special(c)) [[unlikely]]
            d = with_specials(dots, at, c, d);
        store(acc + at, d);
    }
    /// Where nothing but c is truncated: the results, if no lane of `odd` is negative.
    /// @param dots  of the groups
    Floats quick(const Floats* dots, int j, const std::int16_t* most, const std::int16_t* least, Ints& odd) const {
        const Ints c_bits = load<Ints>(acc + j), field = (c_bits >> 23) & 255;
        const Ints E =
            max_of(max_of(to_ints(load<HalfShorts>(most + j)), accumulator_exponents(c_bits, tile.c_emin, r.c_zero)),
                   Ints{} + (r.floor > lowest ? r.floor : lowest));
        // Sums are multiples of 2^−149, and far from overflow.
        odd = (to_ints(load<HalfShorts>(least + j)) - E + (r.F - r.digits)) | (E - (r.F - 149)) | (120 - E);
        // Of c, digits below 2^(E−F) are truncated.
        const Ints digits = max_of(E - max_of(field, Ints{} + 1) + (150 - r.F), Ints{});
        const Ints kept = digits > 23 ? Ints{} : (Ints{} - 1) << (digits & 31);
        const Floats c = bits_of<Floats>(c_bits & kept);
        const auto half = [&](HalfFloats own_c, int at, auto of) {
            Doubles sum = to_doubles(own_c);
            for (int g = 0; g < groups; ++g) sum = exact_multiply_add(to_doubles(of(dots[g])), scale(g, at), sum);
            return to_floats(bits_of<Doubles>(bits_of<Longs>(sum) & ~std::int64_t{0x1fffffff}));
        };
        return join(half(low_half(c), j, [](Floats x) { return low_half(x); }),
                    half(high_half(c), j + doubles, [](Floats x) { return high_half(x); })) +
               0.0F;
    }
    /// The general case.
    __attribute__((noinline)) void columns(const Floats* dots, int j) const {
        const Ints e = exponents(dots, j);
        const Longs E_low = to_longs(low_half(e)), E_high = to_longs(high_half(e));
        const Doubles to_low = power_of_two(r.F - E_low), to_high = power_of_two(r.F - E_high);
        Doubles low{}, high{};
        for (int g = 0; g < groups; ++g) {
            low += truncated(to_doubles(low_half(dots[g])) * (scale(g, j) * to_low));
            high += truncated(to_doubles(high_half(dots[g])) * (scale(g, j + doubles) * to_high));
        }
        finish(dots, j, low, E_low);
        finish(dots, j + doubles, high, E_high);
    }
};

/// Several rows at once, so that the columns are loaded once for all of them.
template <bool Pairs, int Rows>
inline void grouped_rows(const Tile& tile, const Nonzero& nonzero, int first) {
    const auto of_row = [&](int i) {
        const auto row = static_cast<std::size_t>(i);
        const std::size_t scale_row = row * tile.a.scale_stride;
        return Grouped<Pairs>{tile,
                              nonzero,
                              i,
                              static_cast<const float*>(tile.a.values) + row * tile.a.stride,
                              tile.a.scales + scale_row,
                              tile.a.scale_exponents + scale_row,
                              static_cast<float*>(tile.acc) + row * tile.acc_stride,
                              tile.b.any_special || tile.a.special[i] != 0};
    };
    const Grouped<Pairs> rows[2] = {of_row(first), of_row(first + Rows - 1)};
    const Recipe& r = *tile.recipe;
    const bool can_be_quick = !r.result.to_nearest && r.result.mantissa_bits == 23 && r.result.emin == -126;
    alignas(64) std::int16_t most[Rows][panel], least[Rows][panel];
    bool usual[Rows];
    each<Rows>([&](auto row) {
        rows[row].spread(most[row], least[row]);
        usual[row] = can_be_quick && !rows[row].special;
    });
    const int group = tile.recipe->group;
    for (int j = 0; j < row_of_tile; j += floats) {
        Floats dots[Rows][most_groups];
        const auto* right = static_cast<const float*>(tile.b.values) + j;
        for (int g = 0, k = 0; g < rows[0].groups; ++g) {
            Floats sums[Rows][2]{}; // each is exact
            const auto add = [&](int n) {
                const auto b = load<Floats>(right + k * row_of_tile);
                each<Rows>([&](auto row) { sums[row][n] = exact_multiply_add(rows[row].left(k, j), b, sums[row][n]); });
                ++k;
            };
            while (k + 2 <= (g + 1) * group) {
                add(0);
                add(1);
            }
            if (k < (g + 1) * group) add(0);
            each<Rows>([&](auto row) { dots[row][g] = sums[row][0] + sums[row][1]; });
        }
        each<Rows>([&](auto row) {
            bool quick = usual[row];
            if (Pairs && r.empty) {
                Ints none{};
                for (int g = 0; g < rows[row].groups; ++g) none |= rows[row].all_zero(g, j, dots[row][g]);
                quick = quick && !any(none);
            }
            Ints odd{};
            const Floats d = rows[row].quick(dots[row], j, most[row], least[row], odd);
            if (quick && !any_negative(odd)) [[likely]]
                store(rows[row].acc + j, d);
            else
                rows[row].columns(dots[row], j);
        });
    }
}

/// GST-FDPA: the dot product of a group is exact in floats; groups are aligned by the exponents of their scales.
template <bool Pairs>
void grouped(const Tile& tile) {
    Nonzero nonzero;
    if (!Pairs && tile.recipe->empty) nonzero.find(tile);
    int i = 0;
    for (; i + 2 <= tile.rows; i += 2) grouped_rows<Pairs, 2>(tile, nonzero, i);
    for (; i < tile.rows; ++i) grouped_rows<Pairs, 1>(tile, nonzero, i);
}

} // namespace discern::fast::DISCERN_ISA
