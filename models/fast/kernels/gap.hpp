// Kernels for operands with the exponents of f32 and few bits (bf16, tf32), in floats and 32-bit integers.
//
// Their products overflow fp32, so each row and each column of a block is scaled by its largest exponent. The reference
// exponent of an element is then the sum of the two largest less a gap, which is the least sum of distances: a
// (min, +) product in saturating bytes. Gaps up to 80 leave every factor in range; lanes with a larger one (subnormals
// beside normal numbers), with results near the ends of the exponent range, or with infinite or NaN operands are
// computed in doubles from the operands as they are.
#pragma once

#include "rows.hpp"
#include "two_level.hpp"

namespace discern::fast::DISCERN_ISA {

constexpr int widest_gap = 80;
constexpr int no_gap = 255; ///< no product

/// Gaps of 64 columns.
template <bool Pairs>
inline void gaps(const void* a, const std::uint8_t* b, int L, std::uint8_t* out) {
    for (int j = 0; j < row_of_tile; j += bytes) {
        Bytes gap = Bytes{} + std::uint8_t{255};
        for (int k = 0; k < L; ++k) {
            const Bytes right = load<Bytes>(b + k * row_of_tile + j);
            gap = min_of(gap, saturating_add(codes_of<Pairs>(a, k, j), right));
        }
        store(out + j, gap);
    }
}

/// Columns scaled to their largest exponents, and distances to it.
inline void scale_columns(const ScaleColumns& request) {
    for (int j = 0; j < row_of_tile; j += floats) {
        const auto magnitudes = [&](std::size_t l) { return load<Ints>(request.raw + l * panel + j) & 0x7fffffff; };
        Ints most{};
        for (std::size_t l = 0; l < request.L; ++l) most = max_of(most, magnitudes(l));
        const Ints none = most == 0, field = max_of(most >> 23, Ints{} + 1);
        const Ints top = (field - 127) & ~none;
        store(request.tops + j, top);
        // In two steps, since 2^−top may not be a float. What is too far below the top to matter may become zero.
        const Ints half = (-top) >> 1;
        const Floats one = bits_of<Floats>((half + 127) << 23), two = bits_of<Floats>((-top - half + 127) << 23);
        for (std::size_t l = 0; l < request.L; ++l) {
            const std::size_t at = l * panel + static_cast<std::size_t>(j);
            store(request.values + at, load<Floats>(request.raw + at) * one * two);
            const Ints m = magnitudes(l), distance = field - max_of(m >> 23, Ints{} + 1);
            const Ints code = m == 0 ? Ints{} + 255 : distance > 127 ? Ints{} + 127 : distance;
            store(request.codes + at, to_bytes(code));
        }
    }
}

/// Exponents that operands give to products; zero: no_exponent.
inline HalfInts operand_exponents(HalfInts bits) {
    const HalfInts field = (bits >> 23) & 255;
    const HalfInts e = (field == 0 ? HalfInts{} + 1 : field) - 127;
    return (bits & 0x7fffffff) == 0 ? HalfInts{} + no_exponent : e;
}

/// The wide form of one vector of columns, from operands as they are.
template <bool Pairs, bool TwoLevel>
__attribute__((noinline)) Floats in_doubles(const Tile& tile, int i, int j, Floats c_all) {
    const Recipe& r = *tile.recipe;
    const float* a = tile.a.raw + static_cast<std::size_t>(i) * tile.a.stride;
    const Doubles finite = Doubles{} + __DBL_MAX__;
    alignas(64) float result[floats], c_lanes[floats];
    store(c_lanes, c_all);
    for (int h = 0; h < floats; h += doubles) {
        const auto left = [&](int k) {
            return Pairs ? load<HalfFloats>(a + k * row_of_tile + j + h) : splat<HalfFloats>(a[k]);
        };
        const auto right = [&](int k) { return load<HalfFloats>(tile.b.raw + k * row_of_tile + j + h); };
        HalfInts top = HalfInts{} + lowest;
        for (int k = 0; k < tile.L; ++k) {
            const HalfInts e =
                operand_exponents(bits_of<HalfInts>(left(k))) + operand_exponents(bits_of<HalfInts>(right(k)));
            top = e > top ? e : top;
        }
        const HalfFloats c32 = load<HalfFloats>(c_lanes + h);
        const Doubles c = to_doubles(c32);
        const HalfInts c_bits = bits_of<HalfInts>(c32);
        const int c_zero = r.c_zero == own_exponent ? tile.c_emin : r.c_zero;
        const HalfInts c_exponent =
            (c_bits & 0x7fffffff) == 0 && c_zero > lowest ? HalfInts{} + c_zero : operand_exponents(c_bits);
        HalfInts with_c = c_exponent > top ? c_exponent : top;
        if (r.floor > lowest) with_c = with_c < r.floor ? HalfInts{} + r.floor : with_c;
        const Longs P = to_longs(top), E = to_longs(with_c);
        const Doubles scale = power_of_two(r.F - (TwoLevel ? P : E));
        Doubles sum{}, hard = c, tentative{};
        for (int k = 0; k < tile.L; ++k) {
            const Doubles x = to_doubles(left(k)), y = to_doubles(right(k)), p = x * y;
            sum += truncated(x * scale * y);
            const Doubles limited = (p * huge) * (1 / huge);
            hard += r.limited && !r.yields ? limited : p;
            tentative += limited;
        }
        HalfFloats d;
        if constexpr (TwoLevel)
            d = with_accumulator(r, sum, exponents(top), c, exponents(c_exponent), exponents(with_c), true);
        else
            d = rounded(r.result, (sum + truncated(c * scale)) * power_of_two(E - r.F));
        Doubles value = to_doubles(d);
        if (r.limited) value = magnitude(tentative) <= finite ? value : tentative;
        store(result + h, to_floats(magnitude(hard) <= finite ? value : hard));
    }
    return load<Floats>(result);
}

/// T-FDPA.
template <bool Pairs>
struct Gap {
    const Tile& tile;
    const Recipe& r = *tile.recipe;
    const Ints keep = Ints{} + static_cast<std::int32_t>(~((1u << (23 - r.result.mantissa_bits)) - 1));

    const Ints biased_F = Ints{} + (r.F + 127);

    struct Known {
        Floats scale; ///< 2^(F − E) for scaled operands; where c is far above, so small that all products become zero
        Ints E;
    };
    /// Of row i and column j: the sum of the scaled lines' exponents.
    Ints top(int i, int j) const {
        return load<Ints>(tile.b.tops + j) + (Pairs ? load<Ints>(tile.a.tops + j) : Ints{} + tile.a.tops[i]);
    }
    static constexpr bool split = false;
    /// Gaps, of which wide ones are not usual.
    static bool exponents(const void* a, const std::uint8_t* b, int L, std::uint8_t* out) {
        gaps<Pairs>(a, b, L, out);
        Bytes wide{};
        for (int j = 0; j < row_of_tile; j += bytes)
            wide |= saturating_add(load<Bytes>(out + j), Bytes{} + static_cast<std::uint8_t>(127 - widest_gap));
        return !any_negative(wide);
    }
    Known begin(const std::uint8_t* codes, Floats c, int i, int j) const {
        const Ints both = top(i, j), c_field = ((bits_of<Ints>(c) >> 23) & 255) - 127;
        const Ints E = max_of(both - to_ints(load<QuarterBytes>(codes)), c_field);
        return {bits_of<Floats>(max_of(both - E + biased_F, Ints{} + 1) << 23), E};
    }
    /// Whether E is from −101 to 126, so that every factor and every result is a normal number, and c is finite.
    static Ints out_of_range(Ints E) { return (E + 101) | (126 - E); }

    Floats quick(Known known, Floats c, Ints sum, Ints, Ints& odd) const {
        const Ints c_scale = (biased_F - known.E) << 23;
        const Ints c_part = to_ints(c * bits_of<Floats>(c_scale)), total = sum + c_part;
        odd = out_of_range(known.E) | overflow_of(sum, c_part, total);
        const Floats d = to_floats_toward_zero(total) * bits_of<Floats>((254 << 23) - c_scale);
        return bits_of<Floats>(bits_of<Ints>(d) & keep);
    }
    __attribute__((noinline)) Floats careful(const std::uint8_t* codes, Known known, Floats c, int i, int j,
                                             bool special, Ints sum, Ints more) const {
        const Ints g = to_ints(load<QuarterBytes>(codes)), none = g == no_gap;
        Ints far{};
        const Floats d = quick(known, c, sum, more, far), alone = bits_of<Floats>(bits_of<Ints>(c) & keep) + 0.0F;
        far = ((g > widest_gap) | (far < 0)) & ~none;
        if (special || any((Ints)(far | ((bits_of<Ints>(c) & 0x7f800000) == 0x7f800000))))
            return in_doubles<Pairs, false>(tile, i, j, c);
        return none ? alone : d;
    }
};

} // namespace discern::fast::DISCERN_ISA
