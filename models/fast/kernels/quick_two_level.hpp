// TR- and GTR-FDPA of narrow operands, or of wide ones of few bits: sums of products in floats and 32-bit integers; c
// too, but far from the products, or beside subnormal sums, in doubles.
#pragma once

#include "gap.hpp"
#include "narrow.hpp"

namespace discern::fast::DISCERN_ISA {

/// Constants of the recipe for all lanes of a tile, which are loaded faster than made. D = F2 − F.
struct TwoLevelConstants {
    explicit TwoLevelConstants(const Recipe& r)
        : to_scale(Ints{} + (r.F - r.narrow_bias + 128 + 127)), to_exponent(Ints{} + (r.narrow_bias - 128)),
          D(Ints{} + (r.F2 - r.F)), least_E(Ints{} + (r.F2 - 126)), biased_F(Ints{} + (r.F + 127)),
          below_point(Ints{} + ((1 << (r.F2 - r.F)) - 1)), back(Ints{} + ((254 - (r.F2 - r.F)) << 23)),
          last_kept(Ints{} + ((r.F2 - r.F - (r.kept > 0 ? r.kept : 60)) << 23)),
          point(Floats{} + static_cast<float>(1 << (r.F2 - r.F))),
          half_point(Floats{} + static_cast<float>(1 << (r.F2 - r.F - 1))) {}
    Ints to_scale, to_exponent, D, least_E, biased_F, below_point, back, last_kept;
    Floats point, half_point;
};

/// TR- and GTR-FDPA with sums of products in 32 bits: of narrow operands, or scaled ones. One row.
template <bool Pairs, bool Scaled, int Halves>
struct TwoLevel {
    const Tile& tile;
    const TwoLevelConstants& of;
    int i;
    const std::uint8_t (&codes)[Halves][panel]; ///< of each half's largest product: exponents, or gaps
    const Recipe& r = *tile.recipe;
    const std::size_t skip = static_cast<std::size_t>(i) * tile.a.stride;
    const float* a = static_cast<const float*>(tile.a.values) + skip;
    float* acc = static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride;
    const bool special = tile.b.any_special || tile.a.special[i] != 0;

    /// Σ trunc(a·b·scale) of one half.
    Ints sum(int half, int j, Floats scale) const {
        const auto* b = static_cast<const float*>(tile.b.values);
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

    template <class Half>
    static Floats joined(const Half& of) {
        return join(of([](auto x) { return low_half(x); }), of([](auto x) { return high_half(x); }));
    }

    /// Whether F2 bits hold all products' sums, sums with c are normal numbers where they are truncated, and no c
    /// is dropped that would have an effect: a negative one has, a positive one is below F's last bit.
    bool near(Ints P, Ints c_bits, Ints c_exponent, Ints E) const {
        Ints bad = (P - E + of.D) | (E - of.least_E);
        if (r.drop > 0) bad |= (c_exponent - E + r.drop) & c_bits;
        return !any_negative(bad);
    }
    /// The same step in integers: in units of 2^(E−F), c down to one, and the sum of products, of which D = F2 − F
    /// digits are below the point.
    Floats with_near_accumulator(Ints T, Ints P, Floats c, Ints E) const {
        const Ints c_scale = (of.biased_F - E) << 23, down = E - P;
        const Ints high = (T >> down) + scaled_down(c, bits_of<Floats>(c_scale));
        const Floats low = to_floats((T << (of.D - down)) & of.below_point);
        const Floats truncated = to_floats_toward_zero(high);
        const Ints exponent = bits_of<Ints>(truncated) & 0x7f800000;
        // If the sum has at most 24 bits, `high` is exact, and one rounding adds the bits below the point.
        const Floats short_sum = exact_multiply_add(truncated, of.point, low);
        // If it has more, the bits below the point matter only as far as they are kept, counted from the leading bit.
        const Ints some = (bits_of<Ints>(low) & 0x7f800000) >= exponent + of.last_kept;
        const Floats long_sum = to_floats(high + high - some) * of.half_point;
        // −2^24 and something above it has fewer digits than 2^24: of negative numbers the next one counts.
        const Floats sum = (high ^ (high >> 31)) < (1 << 24) ? short_sum : long_sum;
        return sum * bits_of<Floats>(of.back - c_scale);
    }
    template <class Half>
    __attribute__((noinline)) HalfFloats with_far_accumulator(const Half& half, Ints T, Ints P, Floats c,
                                                              Ints c_exponent, Ints E) const {
        return with_accumulator(r, to_doubles(half(T)), exponents(half(P)), to_doubles(half(c)),
                                exponents(half(c_exponent)), exponents(half(E)), true);
    }

    __attribute__((always_inline)) void columns(int j) const {
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
                const Ints shift = of.to_scale - own[h];
                const Ints usual = shift > 217 ? Ints{} + 217 : shift; // not so only without a product
                const Ints S = sum(h, j, bits_of<Floats>(usual << 23));
                // Down to the larger of the two exponents; of a lone sum this changes nothing.
                const Ints down = code - own[h];
                T += Halves == 1 ? S : S >> (down > 31 ? Ints{} + 31 : down);
            }
            P = code < 128 ? Ints{} + lowest : code + of.to_exponent;
        }
        const Ints c_bits = load<Ints>(acc + j), c_exponent = accumulator_exponents(c_bits, tile.c_emin, r.c_zero);
        const Ints E = max_of(P, c_exponent);
        const Floats c = bits_of<Floats>(c_bits);
        Floats d;
        if (near(P, c_bits, c_exponent, E)) {
            d = with_near_accumulator(T, P, c, E);
        } else {
            d = joined([&](auto half) { return with_far_accumulator(half, T, P, c, c_exponent, E); });
        }
        if (special || any_negative(far | (127 - c_exponent))) [[unlikely]] {
            if constexpr (Scaled)
                d = in_doubles<Pairs, true>(tile, i, j, c);
            else
                d = with_narrow_specials<Pairs>(tile, i, j, c, d);
        }
        store(acc + j, d);
    }
};

template <bool Pairs, bool Scaled, int Halves>
void quick_two_level(const Tile& tile) {
    const int count = tile.L / Halves;
    const TwoLevelConstants of(*tile.recipe);
    alignas(64) std::uint8_t codes[Halves][panel];
    for (int i = 0; i < tile.rows; ++i) {
        const TwoLevel<Pairs, Scaled, Halves> row{tile, of, i, codes};
        for (int h = 0; h < Halves; ++h) {
            const auto* b_codes = static_cast<const std::uint8_t*>(tile.b.exponents) + h * count * row_of_tile;
            const void* a_codes = Pairs ? static_cast<const void*>(static_cast<const std::uint8_t*>(tile.a.exponents) +
                                                                   h * count * row_of_tile)
                                        : static_cast<const std::int32_t*>(tile.a.exponents) + row.skip + h * count;
            if constexpr (Scaled)
                gaps<Pairs>(a_codes, b_codes, count, codes[h]);
            else
                narrow_exponents<Pairs>(a_codes, b_codes, count, 0, codes[h]);
        }
        for (int j = 0; j < row_of_tile; j += floats) row.columns(j);
    }
}

} // namespace discern::fast::DISCERN_ISA
