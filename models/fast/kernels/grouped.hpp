// GST-FDPA: the dot products of groups are exact in floats; only their alignment, by the exponents of their scales,
// takes doubles.
#pragma once

#include "wide.hpp"

namespace discern::fast::DISCERN_ISA {

/// One row of GST-FDPA and two vectors of columns.
template <bool Pairs>
struct Grouped {
    const Tile& tile;
    const float* a;
    const double* a_scales;
    float* acc;
    const std::int32_t* e; ///< reference exponents
    bool special;

    /// The scales' product of group g.
    Doubles scale(int g, int at) const {
        const Doubles right = load<Doubles>(tile.b_scales + g * row_of_tile + at);
        return Pairs ? load<Doubles>(a_scales + g * row_of_tile + at) * right : right * a_scales[g];
    }
    /// The reference exponents of group g, whose scales' exponents are given: of zeros it is `empty`.
    Ints exponents_of(int g, int j, Ints scales, int empty) const {
        const auto* b = static_cast<const float*>(tile.b);
        const int group = tile.recipe->group;
        Ints zero = scales < lowest;
        if (const Ints none = dot(g, j) == Floats{}; any(none)) {
            Ints some{};
            for (int k = g * group; k < (g + 1) * group; ++k) {
                const Floats left = Pairs ? load<Floats>(a + k * row_of_tile + j) : splat<Floats>(a[k]);
                some |= (Ints)(left * load<Floats>(b + k * row_of_tile + j) != Floats{});
            }
            zero |= none & ~some;
        }
        return zero ? Ints{} + empty : scales;
    }
    Floats dot(int g, int j) const {
        const auto* b = static_cast<const float*>(tile.b);
        const int group = tile.recipe->group;
        Floats sum{};
        for (int k = g * group; k < (g + 1) * group; ++k) {
            const Floats left = Pairs ? load<Floats>(a + k * row_of_tile + j) : splat<Floats>(a[k]);
            sum = exact_multiply_add(left, load<Floats>(b + k * row_of_tile + j), sum);
        }
        return sum;
    }
    /// The sum of doubles, for infinite and NaN scales and accumulators.
    __attribute__((noinline)) HalfFloats with_specials(int groups, int at, HalfFloats c, HalfFloats d) const {
        Doubles sum = to_doubles(c);
        for (int g = 0; g < groups; ++g) {
            const Floats both = dot(g, at / floats * floats);
            sum += to_doubles(at % floats == 0 ? low_half(both) : high_half(both)) * scale(g, at);
        }
        return to_floats(magnitude(sum) <= Doubles{} + __DBL_MAX__ ? to_doubles(d) : sum);
    }
    void finish(int groups, int at, Doubles sum) const {
        const Recipe& r = *tile.recipe;
        const HalfFloats c = load<HalfFloats>(acc + at);
        const Longs E = load_longs(e + at);
        sum += truncated(to_doubles(c) * power_of_two(r.F - E));
        HalfFloats d = rounded(r.result, sum * power_of_two(E - r.F));
        if (special || any_special(c)) [[unlikely]]
            d = with_specials(groups, at, c, d);
        store(acc + at, d);
    }
    void columns(int groups, int j) const {
        const int F = tile.recipe->F;
        const Doubles to_low = power_of_two(F - load_longs(e + j));
        const Doubles to_high = power_of_two(F - load_longs(e + j + doubles));
        Doubles low{}, high{};
        for (int g = 0; g < groups; ++g) {
            const Floats both = dot(g, j);
            low += truncated(to_doubles(low_half(both)) * (scale(g, j) * to_low));
            high += truncated(to_doubles(high_half(both)) * (scale(g, j + doubles) * to_high));
        }
        finish(groups, j, low);
        finish(groups, j + doubles, high);
    }
};

/// GST-FDPA: the dot product of a group is exact in floats; groups are aligned by the exponents of their scales.
template <bool Pairs>
void grouped(const Tile& tile) {
    const Recipe& r = *tile.recipe;
    const int groups = tile.L / r.group;
    alignas(64) std::int32_t e[panel];
    for (int i = 0; i < tile.rows; ++i) {
        const std::size_t scale_row = static_cast<std::size_t>(i) * tile.a_scale_stride;
        const Grouped<Pairs> row{tile,
                                 static_cast<const float*>(tile.a) + static_cast<std::size_t>(i) * tile.a_stride,
                                 tile.a_scales + scale_row,
                                 static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride,
                                 e,
                                 tile.b_special || tile.a_special[i] != 0};
        const std::int16_t* a_exponents = tile.a_scale_exponents + scale_row;
        if (!r.empty) product_exponents<Pairs>(a_exponents, tile.b_scale_exponents, 0, groups, e);
        alignas(64) std::int32_t of_group[panel];
        for (int g = 0; r.empty && g < groups; ++g) {
            product_exponents<Pairs>(a_exponents, tile.b_scale_exponents, g, 1, of_group);
            for (int j = 0; j < row_of_tile; j += floats) {
                const Ints own = row.exponents_of(g, j, load<Ints>(of_group + j), *r.empty);
                store(e + j, g == 0 ? own : max_of(own, load<Ints>(e + j)));
            }
        }
        for (int j = 0; j < row_of_tile; j += floats) {
            const Ints c = accumulator_exponents(load<Ints>(row.acc + j), tile.c_emin, r.c_zero);
            store(e + j, max_of(max_of(load<Ints>(e + j), c), Ints{} + (r.floor > lowest ? r.floor : lowest)));
        }
        for (int j = 0; j < row_of_tile; j += floats) row.columns(groups, j);
    }
}

} // namespace discern::fast::DISCERN_ISA
