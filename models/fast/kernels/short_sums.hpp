// T-FDPA of narrow operands whose sums have at most 23 bits: the adder of floats does the aligning.
//
// A number that is added to 2^(23 + E − F), rounded toward zero, is truncated at 2^(E − F), which is what F asks. So a
// sum that begins with that power takes products by a fused multiply-add each, positive ones and negative ones apart,
// since rounding toward zero has to be rounding toward that power. The columns are divided by their signs, once for all
// rows; the sign of a row's element decides which of the two its products belong to.
#pragma once

#include "narrow.hpp"

namespace discern::fast::DISCERN_ISA {

#if DISCERN_VECTOR_BYTES == 64

/// sum + x·y, and sum − x·y, rounded toward zero.
inline Floats add_toward_zero(Floats x, Floats y, Floats sum) {
    return (Floats)_mm512_fmadd_round_ps((__m512)x, (__m512)y, (__m512)sum, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
inline Floats subtract_toward_zero(Floats x, Floats y, Floats sum) {
    return (Floats)_mm512_fnmadd_round_ps((__m512)x, (__m512)y, (__m512)sum, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

/// T-FDPA of at most `most_short` products.
template <bool Careful, bool Nearest>
void short_sums(const Tile& tile) {
    constexpr int vectors = row_of_tile / floats;
    const Narrow<false, Careful, Nearest, false> of{tile};
    const Recipe& r = *tile.recipe;
    const auto* b = static_cast<const float*>(tile.b);
    alignas(512) float columns[most_short][2][row_of_tile]; // magnitudes: of the positive ones, of the negative ones
    for (int k = 0; k < tile.L; ++k)
        for (int j = 0; j < row_of_tile; j += floats) {
            const Floats x = load<Floats>(b + k * row_of_tile + j);
            store(columns[k][0] + j, max_of(x, Floats{}));
            store(columns[k][1] + j, max_of(-x, Floats{}));
        }
    alignas(64) std::uint8_t codes[panel];
    for (int i = 0; i < tile.rows; ++i) {
        const std::size_t skip = static_cast<std::size_t>(i) * tile.a_stride;
        const float* a = static_cast<const float*>(tile.a) + skip;
        float* acc = static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride;
        const bool special = tile.b_special || tile.a_special[i] != 0;
        bool usual = of.exponents(static_cast<const std::int32_t*>(tile.a_exponents) + skip,
                                  static_cast<const std::uint8_t*>(tile.b_exponents), tile.L, codes) &&
                     !special;
        typename decltype(of)::Known known[vectors];
        Floats up[vectors], down[vectors];
        Ints odd{};
        for (int n = 0; n < vectors; ++n) {
            const Floats c = load<Floats>(acc + n * floats);
            known[n] = of.begin(codes + n * floats, c, i, n * floats);
            // 2^(23 + E − F); where floats end there, or c is infinite or NaN, is not usual.
            const Ints power = static_cast<std::int32_t>(277u << 23) - bits_of<Ints>(known[n].scale);
            odd |= (253 << 23) - power;
            const Floats first = bits_of<Floats>(power), one = Floats{} + 1.0F;
            up[n] = add_toward_zero(max_of(c, Floats{}), one, first);
            down[n] = subtract_toward_zero(max_of(-c, Floats{}), one, -first);
        }
        usual = usual && !any_negative(odd);
        constexpr std::uintptr_t half = sizeof columns[0][0];
        auto both = reinterpret_cast<std::uintptr_t>(columns);
#pragma GCC unroll 4
        for (int k = 0; k < tile.L; ++k, both += 2 * half) {
            const Floats x = magnitude(splat<Floats>(a[k]));
            // A negative element has positive products with the negative columns. Rows of columns are aligned to both.
            const std::uintptr_t same = both + (load<std::uint32_t>(a + k) >> 31) * half;
            const auto* ups = reinterpret_cast<const float*>(same);
            const auto* downs = reinterpret_cast<const float*>(same ^ half);
            for (int n = 0; n < vectors; ++n) {
                up[n] = add_toward_zero(x, load<Floats>(ups + n * floats), up[n]);
                down[n] = subtract_toward_zero(x, load<Floats>(downs + n * floats), down[n]);
            }
        }
        for (int n = 0; n < vectors; ++n) {
            const Floats sum = up[n] + down[n]; // exact
            Floats d;
            if constexpr (Nearest)
                d = nearest_short(r.result, sum) + 0.0F;
            else
                d = bits_of<Floats>(bits_of<Ints>(sum) & of.keep);
            if (!usual) [[unlikely]] {
                const int j = n * floats;
                d = of.careful(codes + j, known[n], load<Floats>(acc + j), i, j, special,
                               of.integer_sum(a, j, known[n].scale), Ints{});
            }
            store(acc + n * floats, d);
        }
    }
}

#endif

} // namespace discern::fast::DISCERN_ISA
