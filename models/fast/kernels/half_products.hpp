// T-FDPA of formats whose products are numbers of f16, aligned to 16 bits: two products a lane of 32 bits.
//
// Scaled by 2^(F − E), as in the narrow kernel, a product of fp8 fits f16 and, as an integer, 16 bits (F ≤ 13); one
// instruction of VNNI then adds two of them to a sum of 32 bits. So the products take half as many instructions as in
// floats. Rows and columns are scaled by the largest exponents of the tile first: that makes every product exact in
// f16, and 2^(F − E) one of its numbers unless E is 15 or more below the tile's largest product, which is not usual.
#pragma once

#include "narrow.hpp"

#if defined(__AVX512FP16__) && defined(__AVX512VNNI__)

namespace discern::fast::DISCERN_ISA {

/// Of halves, two in a lane.
inline __m512h product_of_halves(Ints x, Ints y) { return _mm512_mul_ph((__m512h)x, (__m512h)y); }

/// A row times a power of two, as halves, which is exact.
inline void halves_of_row(const float* from, int L, float scale, std::int16_t* to) {
    for (int k = 0; k < L; k += floats)
        _mm256_store_si256((__m256i*)(to + k), (__m256i)_mm512_cvtxps_ph((__m512)(load<Floats>(from + k) * scale)));
}

constexpr int least_above = -60; ///< numbers of these formats are larger, or zero

/// The exponent of a power of two above all finite ones among so many numbers.
inline int exponent_above(const float* from, int count) {
    Ints most{};
    for (int i = 0; i < count; i += floats) {
        const Ints bits = load<Ints>(from + i) & 0x7fffffff;
        most = max_of(most, bits >= 0x7f800000 ? Ints{} : bits);
    }
    const int above = (_mm512_reduce_max_epi32((__m512i)most) >> 23) - 126;
    return above > least_above ? above : least_above;
}

/// T-FDPA where the recipe says that half_products do.
template <bool Careful, bool Nearest>
void half_products(const Tile& tile) {
    constexpr int vectors = row_of_tile / floats;
    const Narrow<false, Careful, Nearest, false> of{tile};
    const auto *a = static_cast<const float*>(tile.a.values), *b = static_cast<const float*>(tile.b.values);
    const int pairs = tile.L / 2;

    // |a| < 2^7 and |b| < 2^8: products below 2^15.
    int above_a = least_above;
    for (int i = 0; i < tile.rows; ++i) {
        const int own = exponent_above(a + static_cast<std::size_t>(i) * tile.a.stride, tile.L);
        above_a = own > above_a ? own : above_a;
    }
    const int shift_a = 7 - above_a, shift_b = 8 - exponent_above(b, tile.L * row_of_tile);
    const auto power = [](int e) { return bits_of<float>((e + 127) << 23); };
    alignas(64) std::int32_t columns[most_halves / 2][row_of_tile]; // two elements of a column in each
    for (int k = 0; k < pairs; ++k)
        for (int j = 0; j < row_of_tile; j += floats) {
            const auto half = [&](int element) {
                const Floats x = load<Floats>(b + (2 * k + element) * row_of_tile + j) * power(shift_b);
                return (Ints)_mm512_cvtepu16_epi32((__m256i)_mm512_cvtxps_ph((__m512)x));
            };
            store(columns[k] + j, half(0) | half(1) << 16);
        }
    // In the exponent of f16: F − E less what the operands have been multiplied by; 0 counts as 2^−15 and less.
    const int rebias = 127 + shift_a + shift_b - 15;
    const Ints twice = (Ints)_mm512_set_epi32(0x0d0c0d0c, 0x09080908, 0x05040504, 0x01000100, 0x0d0c0d0c, 0x09080908,
                                              0x05040504, 0x01000100, 0x0d0c0d0c, 0x09080908, 0x05040504, 0x01000100,
                                              0x0d0c0d0c, 0x09080908, 0x05040504, 0x01000100);
    const Ints ones = Ints{} + 0x00010001;

    alignas(64) std::uint8_t codes[panel];
    alignas(64) std::int16_t left[most_halves];
    for (int i = 0; i < tile.rows; ++i) {
        const std::size_t skip = static_cast<std::size_t>(i) * tile.a.stride;
        float* acc = static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride;
        const bool special = tile.b.any_special || tile.a.special[i] != 0;
        bool usual = of.exponents(static_cast<const std::int32_t*>(tile.a.exponents) + skip,
                                  static_cast<const std::uint8_t*>(tile.b.exponents), tile.L, codes) &&
                     !special;
        halves_of_row(a + skip, tile.L, power(shift_a), left);
        typename decltype(of)::Known known[vectors];
        Ints scales[vectors], sums[vectors]{}, odd{};
        for (int n = 0; n < vectors; ++n) {
            known[n] = of.begin(codes + n * floats, load<Floats>(acc + n * floats), i, n * floats);
            const Ints exponent = ((bits_of<Ints>(known[n].scale) >> 13)) - (rebias << 10);
            odd |= (30 << 10) - exponent;
            scales[n] = (Ints)_mm512_shuffle_epi8((__m512i)max_of(exponent, Ints{}), (__m512i)twice);
        }
        for (int k = 0; k < pairs; ++k) {
            const Ints x = Ints{} + load<std::int32_t>(left + 2 * k);
            for (int n = 0; n < vectors; ++n) {
                const __m512h product = product_of_halves(x, load<Ints>(columns[k] + n * floats));
                const __m512i truncated = _mm512_cvttph_epi16(_mm512_mul_ph(product, (__m512h)scales[n]));
                sums[n] = (Ints)_mm512_dpwssd_epi32((__m512i)sums[n], truncated, (__m512i)ones);
            }
        }
        Floats d[vectors];
        for (int n = 0; n < vectors; ++n) {
            Ints own{};
            d[n] = of.quick(known[n], load<Floats>(acc + n * floats), sums[n], Ints{}, own);
            odd |= own;
        }
        usual = usual && !any_negative(odd);
        for (int n = 0; n < vectors; ++n) {
            const int j = n * floats;
            if (!usual) [[unlikely]]
                d[n] = of.careful(codes + j, known[n], load<Floats>(acc + j), i, j, special,
                                  of.integer_sum(a + skip, j, known[n].scale), Ints{});
            store(acc + j, d[n]);
        }
    }
}

} // namespace discern::fast::DISCERN_ISA

#endif
