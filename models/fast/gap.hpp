// Kernels for operands with the exponents of f32 and few bits (bf16, tf32), in floats and 32-bit integers.
//
// Their products overflow fp32, so each row and each column of a block is scaled by its largest exponent. The reference
// exponent of an element is then the sum of the two largest less a gap, which is the least sum of distances: a
// (min, +) product in saturating bytes. Gaps up to 80 leave every factor in range; lanes with a larger one (subnormals
// beside normal numbers), with results near the ends of the exponent range, or with infinite or NaN operands are
// computed in doubles from the operands as they are.
#pragma once

#include "narrow.hpp"

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
            if constexpr (Pairs) {
                gap = min_of(
                    gap, saturating_add(load<Bytes>(static_cast<const std::uint8_t*>(a) + k * row_of_tile + j), right));
            } else {
                const Ints word = Ints{} + static_cast<const std::int32_t*>(a)[k];
                gap = min_of(gap, saturating_add(bits_of<Bytes>(word), right));
            }
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

/// The wide form of one vector of columns, from operands as they are. @param a  of the row; pairs: of lane 0's column
template <bool Pairs, bool TwoLevel>
__attribute__((noinline)) Floats in_doubles(const Tile& tile, const float* a, int j, Floats c_all) {
    const Recipe& r = *tile.recipe;
    const Doubles finite = Doubles{} + __DBL_MAX__;
    alignas(64) float result[floats], c_lanes[floats];
    store(c_lanes, c_all);
    for (int h = 0; h < floats; h += doubles) {
        const auto left = [&](int k) {
            return Pairs ? load<HalfFloats>(a + k * row_of_tile + j + h) : splat<HalfFloats>(a[k]);
        };
        const auto right = [&](int k) { return load<HalfFloats>(tile.b_raw + k * row_of_tile + j + h); };
        HalfInts top = HalfInts{} + lowest;
        for (int k = 0; k < tile.L; ++k) {
            const HalfInts e =
                operand_exponents(bits_of<HalfInts>(left(k))) + operand_exponents(bits_of<HalfInts>(right(k)));
            top = e > top ? e : top;
        }
        const HalfFloats c32 = load<HalfFloats>(c_lanes + h);
        const Doubles c = to_doubles(c32);
        const HalfInts c_exponent = operand_exponents(bits_of<HalfInts>(c32));
        HalfInts with_c = c_exponent > top ? c_exponent : top;
        if (r.floor > lowest) with_c = with_c < r.floor ? HalfInts{} + r.floor : with_c;
        const Longs P = to_longs(top), E = to_longs(with_c);
        const Doubles scale = power_of_two(r.F - (TwoLevel ? P : E));
        Doubles sum{}, hard = c, soft{};
        for (int k = 0; k < tile.L; ++k) {
            const Doubles x = to_doubles(left(k)), y = to_doubles(right(k)), p = x * y;
            sum += truncated(x * scale * y);
            hard += p;
            soft += (p * huge) * (1 / huge);
        }
        HalfFloats d;
        if constexpr (TwoLevel)
            d = with_accumulator(r, sum, exponents(top), c, exponents(c_exponent), exponents(with_c));
        else
            d = rounded(r.result, (sum + truncated(c * scale)) * power_of_two(E - r.F));
        Doubles value = to_doubles(d);
        if (r.limited) value = magnitude(soft) <= finite ? value : soft;
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

    Ints gap(const std::uint8_t* codes) const { return to_ints(load<QuarterBytes>(codes)); }
    /// Of row i and column j: the sum of the scaled lines' exponents.
    Ints top(int i, int j) const {
        return load<Ints>(tile.b_tops + j) + (Pairs ? load<Ints>(tile.a_tops + j) : Ints{} + tile.a_tops[i]);
    }
    Ints E(Ints top, Ints gap, Floats c) const {
        const Ints c_field = ((bits_of<Ints>(c) >> 23) & 255) - 127;
        return max_of(top - gap, c_field);
    }
    /// 2^(F − E) for scaled operands; so small that it makes all products zero where c is far above them.
    Floats scale(Ints top, Ints E) const { return bits_of<Floats>(max_of(top - E + (r.F + 127), Ints{} + 1) << 23); }

    void finish(const std::uint8_t* codes, float* acc, const float* a_raw, int i, int j, bool special, Ints sum) const {
        const Floats c = load<Floats>(acc);
        const Ints g = gap(codes), e = E(top(i, j), g, c);
        const Ints c_scale = ((r.F + 127) - e) << 23;
        const Ints c_part = to_ints(c * bits_of<Floats>(c_scale));
        const Ints total = sum + c_part;
        const Ints overflow = (sum ^ total) & (c_part ^ total);
        Floats d = to_floats_toward_zero(total) * bits_of<Floats>((254 << 23) - c_scale);
        d = bits_of<Floats>(bits_of<Ints>(d) & keep);
        const Floats alone = bits_of<Floats>(bits_of<Ints>(c) & keep) + 0.0F;
        const Ints none = g == no_gap;
        d = none ? alone : d;
        // In range: E from −101 to 126, where every factor and every result is a normal number.
        const Ints far = ((e + 101 < 0) | (e > 126) | (g > widest_gap) | (overflow < 0)) & ~none;
        if (special || any((Ints)(far | ((bits_of<Ints>(c) & 0x7f800000) == 0x7f800000)))) [[unlikely]]
            d = in_doubles<Pairs, false>(tile, a_raw, j, c);
        store(acc, d);
    }
};

template <bool Pairs, bool Two>
inline void gap_rows(const Tile& tile, int i) {
    const Gap<Pairs> of{tile};
    const auto* b = static_cast<const float*>(tile.b);
    const int L = tile.L;
    alignas(64) std::uint8_t codes[Two ? 2 : 1][panel];
    const std::size_t skip = static_cast<std::size_t>(i) * tile.a_stride;
    const float* a0 = static_cast<const float*>(tile.a) + skip;
    const float* a1 = Two ? a0 + tile.a_stride : a0;
    const float *raw0 = tile.a_raw + skip, *raw1 = Two ? raw0 + tile.a_stride : raw0;
    float* acc0 = static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride;
    float* acc1 = Two ? acc0 + tile.acc_stride : acc0;
    for (int row = 0; row < (Two ? 2 : 1); ++row) {
        const void* a_codes = Pairs ? tile.a_exponents
                                    : static_cast<const std::int32_t*>(tile.a_exponents) + skip +
                                          static_cast<std::size_t>(row) * tile.a_stride;
        gaps<Pairs>(a_codes, static_cast<const std::uint8_t*>(tile.b_exponents), L, codes[row]);
    }
    const std::uint8_t *codes0 = codes[0], *codes1 = codes[Two ? 1 : 0];
    const bool special0 = tile.b_special || tile.a_special[i] != 0;
    const bool special1 = Two && (tile.b_special || tile.a_special[i + 1] != 0);
    constexpr int half = floats;
    const auto scale = [&](const std::uint8_t* from, const float* acc, int row, int j) {
        const Ints top = of.top(row, j);
        return of.scale(top, of.E(top, of.gap(from + j), load<Floats>(acc + j)));
    };
    for (int j = 0; j < row_of_tile; j += 2 * half) {
        const Floats s00 = scale(codes0, acc0, i, j), s01 = scale(codes0, acc0, i, j + half);
        const Floats s10 = Two ? scale(codes1, acc1, i + 1, j) : s00;
        const Floats s11 = Two ? scale(codes1, acc1, i + 1, j + half) : s01;
        Ints t00{}, t01{}, t10{}, t11{};
        const float* right = b + j;
        for (int k = 0; k < L; ++k, right += row_of_tile) {
            const Floats b0 = load<Floats>(right), b1 = load<Floats>(right + half);
            if constexpr (Pairs) {
                t00 += to_ints(load<Floats>(a0 + k * row_of_tile + j) * s00 * b0);
                t01 += to_ints(load<Floats>(a0 + k * row_of_tile + j + half) * s01 * b1);
            } else {
                t00 += to_ints(s00 * a0[k] * b0);
                t01 += to_ints(s01 * a0[k] * b1);
            }
            if constexpr (Two) {
                t10 += to_ints(s10 * a1[k] * b0);
                t11 += to_ints(s11 * a1[k] * b1);
            }
        }
        of.finish(codes0 + j, acc0 + j, raw0, i, j, special0, t00);
        of.finish(codes0 + j + half, acc0 + j + half, raw0, i, j + half, special0, t01);
        if constexpr (Two) {
            of.finish(codes1 + j, acc1 + j, raw1, i + 1, j, special1, t10);
            of.finish(codes1 + j + half, acc1 + j + half, raw1, i + 1, j + half, special1, t11);
        }
    }
}

template <bool Pairs>
void gap_fused(const Tile& tile) {
    int i = 0;
    if constexpr (!Pairs)
        for (; i + 2 <= tile.rows; i += 2) gap_rows<Pairs, true>(tile, i);
    for (; i < tile.rows; ++i) gap_rows<Pairs, false>(tile, i);
}

/// TR- and GTR-FDPA with sums of products in 32 bits: of narrow operands, or scaled ones. One row.
template <bool Pairs, bool Scaled, int Halves>
struct TwoLevel {
    const Tile& tile;
    int i;
    const std::uint8_t (&codes)[Halves][panel]; ///< of each half's largest product: exponents, or gaps
    const Recipe& r = *tile.recipe;
    const std::size_t skip = static_cast<std::size_t>(i) * tile.a_stride;
    const float* a = static_cast<const float*>(tile.a) + skip;
    float* acc = static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride;
    const bool special = tile.b_special || tile.a_special[i] != 0;

    /// Σ trunc(a·b·scale) of one half.
    Ints sum(int half, int j, Floats scale) const {
        const auto* b = static_cast<const float*>(tile.b);
        const int count = tile.L / Halves;
        Ints even{}, odd{};
        const auto term = [&](int k) {
            const Floats left = Pairs ? load<Floats>(a + k * row_of_tile + j) * scale : scale * a[k];
            return to_ints(left * load<Floats>(b + k * row_of_tile + j));
        };
        int k = half * count;
        for (; k + 1 < (half + 1) * count; k += 2) {
            even += term(k);
            odd += term(k + 1);
        }
        if (k < (half + 1) * count) even += term(k);
        return even + odd;
    }

    void columns(int j) const {
        Ints T{}, P, far{}; // the sum at P, the products' largest exponent; lanes that are beyond 32 bits
        if constexpr (Scaled) {
            const Ints gap = to_ints(load<QuarterBytes>(codes[0] + j));
            P = Gap<Pairs>{tile}.top(i, j) - gap;
            far = ((gap > widest_gap) & (gap != no_gap)) | (P >= 127);
            P = gap == no_gap ? Ints{} + lowest : P;
            const Ints shift = r.F + gap > 126 ? Ints{} + 126 : r.F + gap;
            T = sum(0, j, bits_of<Floats>((shift + 127) << 23));
        } else {
            Ints own[Halves];
            for (int h = 0; h < Halves; ++h) own[h] = to_ints(load<QuarterBytes>(codes[h] + j));
            const Ints code = Halves == 1 ? own[0] : max_of(own[0], own[Halves - 1]);
            for (int h = 0; h < Halves; ++h) {
                Ints shift = (r.F - r.narrow_bias + 128) - own[h];
                shift = shift > 90 ? Ints{} + 90 : shift; // only without a product
                const Ints S = sum(h, j, bits_of<Floats>((shift + 127) << 23));
                // Down to the larger of the two exponents; of a lone sum this changes nothing.
                const Ints down = code - own[h];
                T += Halves == 1 ? S : S >> (down > 31 ? Ints{} + 31 : down);
            }
            P = code < 128 ? Ints{} + lowest : code + (r.narrow_bias - 128);
        }
        const Ints c_bits = load<Ints>(acc + j), c_exponent = accumulator_exponents(c_bits, tile.c_emin);
        const Ints E = max_of(P, c_exponent);
        const Floats c = bits_of<Floats>(c_bits);
        const auto low = [](Ints x) { return exponents(low_half(x)); };
        const auto high = [](Ints x) { return exponents(high_half(x)); };
        Floats d =
            join(with_accumulator(r, to_doubles(low_half(T)), low(P), to_doubles(low_half(c)), low(c_exponent), low(E)),
                 with_accumulator(r, to_doubles(high_half(T)), high(P), to_doubles(high_half(c)), high(c_exponent),
                                  high(E)));
        far |= (c_bits & 0x7f800000) == 0x7f800000;
        if (special || any(far)) [[unlikely]] {
            if constexpr (Scaled)
                d = in_doubles<Pairs, true>(tile, Pairs ? tile.a_raw : tile.a_raw + skip, j, c);
            else
                d = with_narrow_specials<Pairs>(tile, a, j, c, d);
        }
        store(acc + j, d);
    }
};

template <bool Pairs, bool Scaled, int Halves>
void quick_two_level(const Tile& tile) {
    const int count = tile.L / Halves;
    alignas(64) std::uint8_t codes[Halves][panel];
    for (int i = 0; i < tile.rows; ++i) {
        const TwoLevel<Pairs, Scaled, Halves> row{tile, i, codes};
        for (int h = 0; h < Halves; ++h) {
            const auto* b_codes = static_cast<const std::uint8_t*>(tile.b_exponents) + h * count * row_of_tile;
            const void* a_codes = Pairs ? static_cast<const void*>(static_cast<const std::uint8_t*>(tile.a_exponents) +
                                                                   h * count * row_of_tile)
                                        : static_cast<const std::int32_t*>(tile.a_exponents) + row.skip + h * count;
            if constexpr (Scaled)
                gaps<Pairs>(a_codes, b_codes, count, codes[h]);
            else
                narrow_exponents<Pairs>(a_codes, b_codes, count, 0, codes[h]);
        }
        for (int j = 0; j < row_of_tile; j += floats) row.columns(j);
    }
}

} // namespace discern::fast::DISCERN_ISA
