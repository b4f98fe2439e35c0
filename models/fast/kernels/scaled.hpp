// ST-FDPA of narrow operands with one scale, a power of two, for all elements of a block: the narrow kernel, with the
// scales' exponents added to those of the products.
//
// Where exponents leave the range in which factors and results are normal numbers of f32, or 32 bits do not hold the
// sum, lanes are computed in doubles.
#pragma once

#include "gap.hpp"
#include "narrow.hpp"

namespace discern::fast::DISCERN_ISA {

template <bool Pairs, bool Split>
struct Scaled {
    const Tile& tile;
    const Recipe& r = *tile.recipe;
    const Ints keep = Ints{} + static_cast<std::int32_t>(~((1u << (23 - r.result.mantissa_bits)) - 1));

    struct Known {
        Floats scale; ///< 2^(F − E) for products without their scales; where that is out of range, so small that all
                      ///< products become zero
        Ints E, scales;
    };
    static constexpr bool split = Split;
    /// Codes; without a product, which is not usual, below 128.
    static bool exponents(const void* a, const std::uint8_t* b, int L, std::uint8_t* out) {
        narrow_exponents<Pairs>(a, b, L, 0, out);
        Bytes none{};
        for (int j = 0; j < row_of_tile; j += bytes) none |= ~load<Bytes>(out + j);
        return !any_negative(none);
    }
    /// Of row i and the columns from j: the sum of the scales' exponents.
    Ints scales(int i, int j) const {
        const Ints right = to_ints(load<HalfShorts>(tile.b.scale_exponents + j));
        if constexpr (Pairs)
            return right + to_ints(load<HalfShorts>(tile.a.scale_exponents + j));
        else
            return right +
                   static_cast<std::int32_t>(tile.a.scale_exponents[static_cast<std::size_t>(i) * tile.a.scale_stride]);
    }
    Known begin(const std::uint8_t* codes, Floats c, int i, int j) const {
        const Ints code = to_ints(load<QuarterBytes>(codes)), s = scales(i, j);
        const Ints least = Ints{} + (r.floor > lowest ? r.floor : lowest);
        const Ints products = code < 128 ? least : max_of(least, code + s + (r.narrow_bias - 128));
        const Ints E = max_of(products, accumulator_exponents(bits_of<Ints>(c), tile.c_emin));
        const Ints shift = (r.F + 127) + s - E;
        const Ints most = shift > 254 ? Ints{} + 254 : shift; // only without a product
        return {bits_of<Floats>(max_of(most, Ints{} + 1) << 23), E, s};
    }
    Floats quick(Known known, Floats c, Ints sum, Ints more, Ints& odd) const {
        odd = Gap<Pairs>::out_of_range(known.E);
        const Ints c_scale = ((r.F + 127) - known.E) << 23, total = all_products<Split>(sum, more, odd);
        const Ints c_part = to_ints(c * bits_of<Floats>(c_scale)), with_c = total + c_part;
        odd |= overflow_of(total, c_part, with_c);
        const Floats d = to_floats_toward_zero(with_c) * bits_of<Floats>((254 << 23) - c_scale);
        return bits_of<Floats>(bits_of<Ints>(d) & keep);
    }
    __attribute__((noinline)) Floats careful(const std::uint8_t* codes, Known known, Floats c, int i, int j,
                                             bool special, Ints sum, Ints more) const {
        Ints far{};
        const Ints none = to_ints(load<QuarterBytes>(codes)) < 128;
        const Floats d = quick(known, c, sum, more, far), alone = bits_of<Floats>(bits_of<Ints>(c) & keep) + 0.0F;
        far = (far < 0) & ~none;
        if (special || any((Ints)(far | ((bits_of<Ints>(c) & 0x7f800000) == 0x7f800000))))
            return in_doubles(i, j, c, known.E, known.scales);
        return none ? alone : d;
    }

    __attribute__((noinline)) Floats in_doubles(int i, int j, Floats c_all, Ints e_all, Ints scales_all) const {
        const auto row = static_cast<std::size_t>(i);
        const float* a = static_cast<const float*>(tile.a.values) + row * tile.a.stride;
        const auto* b = static_cast<const float*>(tile.b.values);
        const auto half = [&](int at, HalfFloats c32, HalfInts e, HalfInts s) {
            const Longs reference = to_longs(e);
            const Doubles c = to_doubles(c32), one = power_of_two(r.F + to_longs(s) - reference);
            const Doubles left_scale =
                Pairs ? load<Doubles>(tile.a.scales + at) : splat<Doubles>(tile.a.scales[row * tile.a.scale_stride]);
            const Doubles both = left_scale * load<Doubles>(tile.b.scales + at);
            Doubles sum{}, hard = c;
            for (int k = 0; k < tile.L; ++k) {
                const Doubles left =
                    Pairs ? load_doubles(a + k * row_of_tile + at) : splat<Doubles>(static_cast<double>(a[k]));
                const Doubles p = left * load_doubles(b + k * row_of_tile + at);
                sum += truncated(p * one);
                hard += p * both;
            }
            sum += truncated(c * power_of_two(r.F - reference));
            const HalfFloats d = rounded(r.result, sum * power_of_two(reference - r.F));
            return to_floats(magnitude(hard) <= Doubles{} + __DBL_MAX__ ? to_doubles(d) : hard);
        };
        return join(half(j, low_half(c_all), low_half(e_all), low_half(scales_all)),
                    half(j + doubles, high_half(c_all), high_half(e_all), high_half(scales_all)));
    }
};

} // namespace discern::fast::DISCERN_ISA
