// ST-FDPA of narrow operands with one scale, a power of two, for all elements of a block: the narrow kernel, with the
// scales' exponents added to those of the products.
//
// Where exponents leave the range in which factors and results are normal numbers of f32, or 32 bits do not hold the
// sum, lanes are computed in doubles.
#pragma once

#include "narrow.hpp"

namespace discern::fast::DISCERN_ISA {

template <bool Pairs, bool Split>
struct Scaled {
    const Tile& tile;
    const Recipe& r = *tile.recipe;
    const Ints keep = Ints{} + static_cast<std::int32_t>(~((1u << (23 - r.result.mantissa_bits)) - 1));

    static constexpr bool split = Split;
    static void exponents(const void* a, const std::uint8_t* b, int L, std::uint8_t* out) {
        narrow_exponents<Pairs>(a, b, L, 0, out);
    }
    /// Of row i and the columns from j: the sum of the scales' exponents.
    Ints scales(int i, int j) const {
        const Ints right = to_ints(load<HalfShorts>(tile.b_scale_exponents + j));
        if constexpr (Pairs)
            return right + to_ints(load<HalfShorts>(tile.a_scale_exponents + j));
        else
            return right +
                   static_cast<std::int32_t>(tile.a_scale_exponents[static_cast<std::size_t>(i) * tile.a_scale_stride]);
    }
    Ints E(Ints code, Ints scales, Floats c) const {
        const Ints least = Ints{} + (r.floor > lowest ? r.floor : lowest);
        const Ints products = code < 128 ? least : max_of(least, code + scales + (r.narrow_bias - 128));
        return max_of(products, accumulator_exponents(bits_of<Ints>(c), tile.c_emin));
    }
    /// 2^(F − E) for products without their scales; where that is too small, so small that all become zero.
    Floats scale(const std::uint8_t* codes, const float* acc, int i, int j) const {
        const Ints s = scales(i, j);
        const Ints shift = (r.F + 127) + s - E(to_ints(load<QuarterBytes>(codes)), s, load<Floats>(acc));
        const Ints most = shift > 254 ? Ints{} + 254 : shift; // only without a product
        return bits_of<Floats>(max_of(most, Ints{} + 1) << 23);
    }

    void finish(const std::uint8_t* codes, float* acc, int i, int j, bool special, Floats, Ints sum, Ints more) const {
        const Floats c = load<Floats>(acc);
        const Ints code = to_ints(load<QuarterBytes>(codes)), s = scales(i, j), e = E(code, s, c);
        Ints total = sum, overflow{};
        if constexpr (Split) {
            total = sum + more;
            overflow = (sum ^ total) & (more ^ total);
        }
        const Ints c_scale = ((r.F + 127) - e) << 23;
        const Ints c_part = to_ints(c * bits_of<Floats>(c_scale)), with_c = total + c_part;
        overflow |= (total ^ with_c) & (c_part ^ with_c);
        Floats d = to_floats_toward_zero(with_c) * bits_of<Floats>((254 << 23) - c_scale);
        d = bits_of<Floats>(bits_of<Ints>(d) & keep);
        const Ints none = code < 128;
        d = none ? bits_of<Floats>(bits_of<Ints>(c) & keep) + 0.0F : d;
        // In range: E from −101 to 126, where every factor and every result is a normal number.
        const Ints far = ((e + 101 < 0) | (e > 126) | (overflow < 0)) & ~none;
        if (special || any((Ints)(far | ((bits_of<Ints>(c) & 0x7f800000) == 0x7f800000)))) [[unlikely]]
            d = in_doubles(i, j, c, e, s);
        store(acc, d);
    }

    __attribute__((noinline)) Floats in_doubles(int i, int j, Floats c_all, Ints e_all, Ints scales_all) const {
        const auto row = static_cast<std::size_t>(i);
        const float* a = static_cast<const float*>(tile.a) + row * tile.a_stride;
        const auto* b = static_cast<const float*>(tile.b);
        const auto half = [&](int at, HalfFloats c32, HalfInts e, HalfInts s) {
            const Longs reference = to_longs(e);
            const Doubles c = to_doubles(c32), one = power_of_two(r.F + to_longs(s) - reference);
            const Doubles left_scale =
                Pairs ? load<Doubles>(tile.a_scales + at) : splat<Doubles>(tile.a_scales[row * tile.a_scale_stride]);
            const Doubles both = left_scale * load<Doubles>(tile.b_scales + at);
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
