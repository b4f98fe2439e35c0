// Rows of independent vectors into a panel: transposed and decoded by vector instructions.
//
// A magnitude moved to where f32 has it is the number times 2^(bias − 127), subnormals included, so that one
// multiplication decodes every format of 16 bits or fewer.
#pragma once

#include "wide.hpp"

namespace discern::fast::DISCERN_ISA {

using Eight = VectorOf<std::uint16_t, 16>::type;
using Words = VectorOf<std::uint16_t, bytes>::type;
using HalfWords = VectorOf<std::uint16_t, bytes / 2>::type;

/// Eight rows by eight columns.
inline void transpose_eight(const std::uint16_t* from, std::size_t from_stride, std::uint16_t* to, std::size_t to_stride) {
    Eight r[8], s[8];
    for (std::size_t i = 0; i < 8; ++i) r[i] = load<Eight>(from + i * from_stride);
    for (int i = 0; i < 4; ++i) {
        s[2 * i] = __builtin_shufflevector(r[i], r[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 4; ++i) {
        r[2 * i] = __builtin_shufflevector(s[i], s[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        r[2 * i + 1] = __builtin_shufflevector(s[i], s[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 4; ++i) {
        s[2 * i] = __builtin_shufflevector(r[i], r[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (std::size_t i = 0; i < 8; ++i) store(to + i * to_stride, s[i]);
}

inline Ints widened(HalfWords x) {
#if DISCERN_VECTOR_BYTES == 64
    return (Ints)_mm512_cvtepu16_epi32((__m256i)x);
#elif DISCERN_VECTOR_BYTES == 32
    return (Ints)_mm256_cvtepu16_epi32((__m128i)x);
#else
    return __builtin_convertvector(x, Ints);
#endif
}

/// Stores words below 256 as bytes.
inline void store_bytes(std::uint8_t* to, Words x) {
#if DISCERN_VECTOR_BYTES == 64
    _mm256_storeu_si256((__m256i*)to, _mm512_cvtepi16_epi8((__m512i)x));
#elif DISCERN_VECTOR_BYTES == 32
    const __m256i pairs = _mm256_permute4x64_epi64(_mm256_packus_epi16((__m256i)x, (__m256i)x), 8);
    _mm_storeu_si128((__m128i*)to, _mm256_castsi256_si128(pairs));
#elif defined(__x86_64__)
    _mm_storel_epi64((__m128i*)to, _mm_packus_epi16((__m128i)x, (__m128i)x));
#else
    for (int i = 0; i < shorts; ++i) to[i] = static_cast<std::uint8_t>(x[i]);
#endif
}

inline bool unpack(const Unpack& u) {
    constexpr std::size_t most = 256; // 16-bit units of a row
    const std::size_t units = u.K * static_cast<std::size_t>(u.word) / 2;
    if (units > most || u.K * static_cast<std::size_t>(u.word) % 2 != 0) return false;
    alignas(64) std::uint16_t columns[most * panel];
    const auto* rows = static_cast<const std::uint16_t*>(u.rows);
    std::size_t unit = 0;
    for (; unit + 8 <= units; unit += 8)
        for (std::size_t line = 0; line < panel; line += 8)
            transpose_eight(rows + line * units + unit, units, columns + unit * panel + line, panel);
    for (; unit < units; ++unit)
        for (std::size_t line = 0; line < panel; ++line) columns[unit * panel + line] = rows[line * units + unit];

    const auto magnitude_mask = static_cast<std::uint16_t>((1u << (u.width - 1)) - 1);
    const auto width_mask = static_cast<std::uint16_t>((1u << u.width) - 1);
    const auto special_from = static_cast<std::uint16_t>(u.special_from);
    const int to_f32 = 23 - u.mantissa_bits;
    Words special{};
    for (std::size_t position = 0; position < u.K; ++position) {
        const std::size_t element = u.order[position];
        const std::uint16_t* column = columns + (u.word == 2 ? element : element / 2) * panel;
        for (int j = 0; j < row_of_tile; j += shorts) {
            Words bits = load<Words>(column + j);
            if (u.word == 1) bits = (element % 2 == 0 ? bits : bits >> 8) & width_mask;
            Words m = bits & magnitude_mask;
            special |= (Words)(m >= special_from);
            if (u.special_bits >= 0) special |= (Words)(bits == static_cast<std::uint16_t>(u.special_bits));
            Words field = m >> u.mantissa_bits;
            if (u.flush) {
                const Words subnormal = (Words)(field == 0) & (Words)(m != 0);
                bits &= ~subnormal;
                m &= ~subnormal;
            }
            field = field == 0 ? Words{} + std::uint16_t{1} : field;
            const std::size_t at = position * panel + static_cast<std::size_t>(j);
            if (u.narrow_codes != nullptr) {
                const Words code = m == 0 ? Words{} : field + std::uint16_t{63};
                store_bytes(u.narrow_codes + at, code);
            }
            if (u.wide_codes != nullptr) {
                const Shorts e = (Shorts)field + static_cast<std::int16_t>(u.emin - 1);
                store(u.wide_codes + at, m == 0 ? Shorts{} + static_cast<std::int16_t>(no_exponent) : e);
            }
            alignas(64) std::uint16_t lanes[2][shorts];
            store(lanes[0], m);
            store(lanes[1], bits);
            for (int h = 0; h < shorts; h += floats) {
                const Ints magnitudes = widened(load<HalfWords>(lanes[0] + h));
                const Ints signs = (widened(load<HalfWords>(lanes[1] + h)) >> (u.width - 1)) << 31;
                const Floats absolute = bits_of<Floats>(magnitudes << to_f32) * u.scale;
                const Floats value = bits_of<Floats>(bits_of<Ints>(absolute) | signs);
                const std::size_t to = at + static_cast<std::size_t>(h);
                if (u.floats != nullptr) store(u.floats + to, value);
                if (u.doubles != nullptr) {
                    alignas(64) float parts[floats];
                    store(parts, value);
                    for (int n = 0; n < floats; n += doubles) store(u.doubles + to + n, load_doubles(parts + n));
                }
            }
        }
    }
    alignas(64) std::uint16_t found[shorts];
    store(found, special);
    for (const std::uint16_t lane : found)
        if (lane != 0) return false;
    return true;
}

} // namespace discern::fast::DISCERN_ISA
