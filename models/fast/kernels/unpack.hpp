// Rows of independent vectors into a panel: transposed and decoded by vector instructions.
//
// The bits of a magnitude, shifted to their position in f32, are the number times 2^(bias − 127), subnormals included;
// an addition of integers then corrects the exponent. A multiplication would do it too, but some processors take a
// hundred cycles for one with a subnormal operand.
#pragma once

#include "wide.hpp"

namespace discern::fast::DISCERN_ISA {

using Eight = VectorOf<std::uint16_t, 16>::type;
using Words = VectorOf<std::uint16_t, bytes>::type;
using HalfWords = VectorOf<std::uint16_t, bytes / 2>::type;

/// Eight rows by eight columns.
inline void transpose_eight(const std::uint16_t* from, std::size_t from_stride, std::uint16_t* to,
                            std::size_t to_stride) {
    Eight r[8], s[8];
    for (std::size_t i = 0; i < 8; ++i) r[i] = load<Eight>(from + i * from_stride);
    const auto interleave = [](const Eight* x, Eight* y) { // the rows i and i + 4
        for (int i = 0; i < 4; ++i) {
            y[2 * i] = __builtin_shufflevector(x[i], x[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
        }
    };
    interleave(r, s);
    interleave(s, r);
    interleave(r, s);
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
#elif defined(__aarch64__)
    vst1_u8(to, vmovn_u16((uint16x8_t)x));
#else
    for (int i = 0; i < shorts; ++i) to[i] = static_cast<std::uint8_t>(x[i]);
#endif
}

/// Columns of 64 units of 16 bits: unit u of row n at [64·u + n].
inline void transpose(const std::uint16_t* rows, std::size_t units, std::uint16_t* columns) {
    std::size_t unit = 0;
    for (; unit + 8 <= units; unit += 8)
        for (std::size_t line = 0; line < panel; line += 8)
            transpose_eight(rows + line * units + unit, units, columns + unit * panel + line, panel);
    for (; unit < units; ++unit)
        for (std::size_t line = 0; line < panel; ++line) columns[unit * panel + line] = rows[line * units + unit];
}

/// The same columns from rows of 64 words.
template <int Word>
inline void columns_across(const Unpack& u, std::uint16_t* columns) {
    using HalfBytes = VectorOf<std::uint8_t, bytes / 2>::type;
    const auto* row = static_cast<const std::uint8_t*>(u.across);
    if constexpr (Word == 1) {
        for (std::size_t k = 0; k < u.K; k += 2, row += 2 * u.across_stride)
            for (std::size_t n = 0; n < panel; n += static_cast<std::size_t>(shorts)) {
                const Words low = __builtin_convertvector(load<HalfBytes>(row + n), Words);
                const Words high = __builtin_convertvector(load<HalfBytes>(row + u.across_stride + n), Words);
                store(columns + k / 2 * panel + n, low | (high << 8));
            }
    } else if constexpr (Word == 2) {
        for (std::size_t k = 0; k < u.K; ++k, row += u.across_stride)
            __builtin_memcpy(columns + k * panel, row, panel * Word);
    } else {
        for (std::size_t k = 0; k < u.K; ++k, row += u.across_stride)
            for (std::size_t n = 0; n < panel; ++n) {
                std::uint32_t word = 0;
                __builtin_memcpy(&word, row + n * Word, Word);
                columns[2 * k * panel + n] = static_cast<std::uint16_t>(word);
                columns[(2 * k + 1) * panel + n] = static_cast<std::uint16_t>(word >> 16);
            }
    }
}

/// Whether some pattern has a magnitude of at least `from`, or is `equal`. Units first, first + step, …
template <class V, class T>
inline bool some_special(const std::uint16_t* columns, std::size_t units, std::size_t first, std::size_t step,
                         T magnitudes, std::uint32_t from, int equal) {
    V most{}, same{};
    for (std::size_t unit = first; unit < units; unit += step)
        for (int j = 0; j < row_of_tile; j += shorts) {
            const V x = load<V>(columns + unit * panel + j);
            most = max_of(most, x & magnitudes);
            if (equal >= 0) same |= (V)(x == static_cast<T>(equal));
        }
    if (from <= magnitudes) same |= (V)(most >= static_cast<T>(from));
    return any((Ints)(bits_of<Ints>(same) != 0));
}

template <int Word>
inline bool some_special(const Unpack& u, const std::uint16_t* columns, std::size_t units) {
    if constexpr (Word == 1)
        return some_special<Bytes, std::uint8_t>(columns, units, 0, 1, static_cast<std::uint8_t>(u.magnitudes),
                                                 u.special_from, u.special_bits);
    else if constexpr (Word == 2)
        return some_special<Words, std::uint16_t>(columns, units, 0, 1, static_cast<std::uint16_t>(u.magnitudes),
                                                  u.special_from, u.special_bits);
    else // the upper halves, where the exponents are
        return some_special<Words, std::uint16_t>(columns, units, 1, 2, 0x7fff, u.special_from >> 16, -1);
}

inline void flush_subnormals(const Unpack& u, std::uint16_t* columns, std::size_t units) {
    const auto least_normal = static_cast<std::uint16_t>(1u << u.mantissa_bits);
    for (std::size_t at = 0; at < units * panel; at += static_cast<std::size_t>(shorts)) {
        const Words x = load<Words>(columns + at), m = x & static_cast<std::uint16_t>(u.magnitudes);
        const Words small = (Words)(m < least_normal);
        const Words flushed = u.ftz == Flushed::subnormals_and_zeros ? small
                              : u.ftz == Flushed::subnormals         ? small & (Words)(m != 0)
                                                                     : small & static_cast<std::uint16_t>(u.magnitudes);
        store(columns + at, x & ~flushed);
    }
}

/// Patterns of one element, with other elements' bits above the width.
template <int Word>
inline Ints patterns(const std::uint16_t* columns, std::size_t element, int j) {
    const auto at = [&](std::size_t unit) { return widened(load<HalfWords>(columns + unit * panel + j)); };
    if constexpr (Word == 1) {
        const Ints two = at(element / 2);
        return element % 2 == 0 ? two : two >> 8;
    } else if constexpr (Word == 2) {
        return at(element);
    } else {
        return at(2 * element) | at(2 * element + 1) << 16;
    }
}

/// The exponents' fields of magnitudes, that of a subnormal number less its leading zeros that count.
template <class V, class T>
inline V less_leading_zeros(const Unpack& u, V field, V magnitude, T) {
    for (int n = 0; n < u.leading_zeros; ++n) field += (V)(magnitude < static_cast<T>(1 << (u.mantissa_bits - n)));
    return field;
}

/// Narrow codes of patterns of a byte, two in each unit as the patterns are.
inline void find_byte_codes(const Unpack& u, const std::uint16_t* columns, std::size_t units, std::uint16_t* codes) {
    const auto magnitudes = static_cast<std::uint8_t>(u.magnitudes);
    const Bytes fields = Bytes{} + static_cast<std::uint8_t>(0xff >> u.mantissa_bits);
    const auto least = static_cast<std::uint8_t>(63 + u.below_emin);
    for (std::size_t at = 0; at < units * panel; at += static_cast<std::size_t>(shorts)) {
        const Bytes m = load<Bytes>(columns + at) & magnitudes;
        Bytes field = max_of(bits_of<Bytes>(bits_of<Words>(m) >> u.mantissa_bits) & fields, Bytes{} + std::uint8_t{1});
        field = less_leading_zeros(u, field, m, std::uint8_t{});
        store(codes + at, (field + least) & (Bytes)(m != 0));
    }
}

/// Those of one element.
inline void put_byte_codes(const Unpack& u, const std::uint16_t* codes, std::size_t element, std::size_t position) {
    for (int j = 0; j < row_of_tile; j += shorts) {
        const Words two = load<Words>(codes + element / 2 * panel + j);
        store_bytes(u.narrow_codes + position * panel + static_cast<std::size_t>(j),
                    element % 2 == 0 ? two & std::uint16_t{255} : two >> 8);
    }
}

/// The codes of one element's exponents.
template <int Word>
inline void put_codes(const Unpack& u, const std::uint16_t* columns, std::size_t element, std::size_t position) {
    for (int j = 0; j < row_of_tile; j += shorts) {
        Words x = load<Words>(columns + (Word == 1 ? element / 2 : element) * panel + j);
        if (Word == 1 && element % 2 != 0) x >>= 8;
        const Words m = x & static_cast<std::uint16_t>(u.magnitudes);
        const Words field =
            less_leading_zeros(u, max_of(m >> u.mantissa_bits, Words{} + std::uint16_t{1}), m, std::uint16_t{});
        const std::size_t at = position * panel + static_cast<std::size_t>(j);
        if (u.narrow_codes != nullptr)
            store_bytes(u.narrow_codes + at, (field + static_cast<std::uint16_t>(63 + u.below_emin)) & (Words)(m != 0));
        if (u.wide_codes != nullptr) {
            Shorts e = (Shorts)field + static_cast<std::int16_t>(u.emin - 1);
            if (u.scales != nullptr) e += load<Shorts>(u.scale_exponents + element / u.scale_block * panel + j);
            store(u.wide_codes + at, m == 0 ? Shorts{} + static_cast<std::int16_t>(no_exponent) : e);
        }
    }
}

/// Numbers from magnitudes in the position that f32 has for them. @param rebias  (127 − bias)·2^23
inline Floats numbers_of(Ints placed, std::int32_t rebias) {
    if (rebias == 0) return bits_of<Floats>(placed);
    constexpr std::int32_t one = 1 << 23; // of the exponent
    const Ints normal = placed + rebias;
    const Floats least_normal = bits_of<Floats>(Ints{} + (rebias + one));
    // 0.m·2^emin is 1.m·2^emin − 1·2^emin.
    return placed < one ? bits_of<Floats>(normal + one) - least_normal : bits_of<Floats>(normal);
}

/// The methods of decoding.
enum class Decoding {
    special, ///< some are infinite or NaN
    sixteen, ///< of four bits, whose values one register holds
    halves,  ///< numbers of f16, which are converted by an instruction, times a power of two
    numbers
};

#if DISCERN_VECTOR_BYTES == 64
constexpr bool converts_halves = true;
inline Floats floats_of_halves(HalfWords x) { return (Floats)_mm512_cvtph_ps((__m256i)x); }
#elif DISCERN_VECTOR_BYTES == 32
constexpr bool converts_halves = true;
inline Floats floats_of_halves(HalfWords x) { return (Floats)_mm256_cvtph_ps((__m128i)x); }
#else
constexpr bool converts_halves = false;
inline Floats floats_of_halves(HalfWords) { return Floats{}; }
#endif

#if DISCERN_VECTOR_BYTES == 64
constexpr bool looks_up_sixteen = true;
inline Floats one_of_sixteen(Floats values, Ints index) {
    return (Floats)_mm512_permutexvar_ps((__m512i)index, (__m512)values);
}
#else
constexpr bool looks_up_sixteen = false;
inline Floats one_of_sixteen(Floats values, Ints) { return values; }
#endif

/// Those of one element in the columns from j on.
template <int Word, Decoding How>
inline Floats values(const Unpack& u, const std::uint16_t* columns, std::size_t element, int j) {
    const auto magnitudes = static_cast<std::int32_t>(u.magnitudes);
    const int to_sign = 32 - u.width, from_sign = to_sign - u.to_f32;
    if constexpr (How == Decoding::special) {
        const std::int32_t width_bits = (1 << (u.width & 31)) - 1;
        const Ints x = patterns<Word>(columns, element, j), m = x & magnitudes, placed = m << u.to_f32;
        const Ints is = (m >= static_cast<std::int32_t>(u.special_from)) | ((x & width_bits) == u.special_bits);
        const Ints absolute = is ? static_cast<std::int32_t>(u.special) | (placed & 0x7fffff)
                                 : bits_of<Ints>(numbers_of(placed, u.rebias));
        return bits_of<Floats>(absolute | ((x << to_sign) & INT32_MIN));
    } else if constexpr (How == Decoding::sixteen) {
        return one_of_sixteen(load<Floats>(u.sixteen), patterns<Word>(columns, element, j));
    } else if constexpr (How == Decoding::halves) {
        HalfWords x = load<HalfWords>(columns + (Word == 1 ? element / 2 : element) * panel + j);
        if (Word == 2 && u.width == 16 && u.to_half == 0 && u.half_scale == 1) return floats_of_halves(x);
        // The sign to the top, and the magnitude to where f16 has it.
        if (Word == 1 && element % 2 != 0) x >>= 8;
        const HalfWords magnitude = (x & static_cast<std::uint16_t>(u.magnitudes)) << u.to_half;
        return floats_of_halves(magnitude | ((x << (16 - u.width)) & std::uint16_t{0x8000})) * u.half_scale;
    } else {
        // Shifted left until the sign is the top bit, and back until the magnitude has its position.
        constexpr int unit = Word == 1 ? 2 : Word; // of two bytes one is moved up alone
        const Ints x = patterns<unit>(columns, Word == 1 ? element / 2 : element, j);
        const int up = Word == 1 && element % 2 != 0 ? to_sign - 8 : to_sign;
        const Ints placed = (x << up) >> from_sign;
        const Floats absolute = numbers_of(placed & (magnitudes << u.to_f32), u.rebias);
        return bits_of<Floats>(bits_of<Ints>(absolute) | (placed & INT32_MIN));
    }
}

template <int Word, Decoding How>
inline void decode_columns(const Unpack& request, const std::uint16_t* columns, const std::uint16_t* byte_codes) {
    const Unpack u = request; // of which no store can change anything
    for (std::size_t position = 0; position < u.K; ++position) {
        const std::size_t element = u.order[position];
        if (Word == 1 && u.narrow_codes != nullptr)
            put_byte_codes(u, byte_codes, element, position);
        else if (Word != 4 && (u.narrow_codes != nullptr || u.wide_codes != nullptr))
            put_codes<Word>(u, columns, element, position);
        const double* scales = u.scales == nullptr ? nullptr : u.scales + element / u.scale_block * panel;
        for (int j = 0; j < row_of_tile; j += floats) {
            const Floats value = values<Word, How>(u, columns, element, j);
            const std::size_t at = position * panel + static_cast<std::size_t>(j);
            if (u.floats != nullptr) store(u.floats + at, value);
            if (u.doubles == nullptr) continue;
            Doubles low = to_doubles(low_half(value)), high = to_doubles(high_half(value));
            if (scales != nullptr) {
                low *= load<Doubles>(scales + j);
                high *= load<Doubles>(scales + j + doubles);
            }
            store(u.doubles + at, low);
            store(u.doubles + at + doubles, high);
        }
    }
}

template <int Word>
inline bool unpack_words(const Unpack& u) {
    alignas(64) std::uint16_t columns[256 * panel];
    const std::size_t units = u.K * Word / 2;
    if (u.rows != nullptr)
        transpose(static_cast<const std::uint16_t*>(u.rows), units, columns);
    else
        columns_across<Word>(u, columns);
    if (u.ftz != Flushed::none) flush_subnormals(u, columns, units);
    alignas(64) std::uint16_t byte_codes[Word == 1 ? 256 * panel : 1];
    if (Word == 1 && u.narrow_codes != nullptr) find_byte_codes(u, columns, units, byte_codes);
    const bool can_be_special = u.special_from <= u.magnitudes || u.special_bits >= 0;
    const bool special = can_be_special && some_special<Word>(u, columns, units);
    if (looks_up_sixteen && Word == 1 && u.sixteen != nullptr)
        decode_columns<Word, Decoding::sixteen>(u, columns, byte_codes);
    else if (special)
        decode_columns<Word, Decoding::special>(u, columns, byte_codes);
    else if (converts_halves && Word != 4 && u.to_half >= 0)
        decode_columns<Word, Decoding::halves>(u, columns, byte_codes);
    else
        decode_columns<Word, Decoding::numbers>(u, columns, byte_codes);
    return special;
}

inline bool unpack(const Unpack& u) {
    return u.word == 1 ? unpack_words<1>(u) : u.word == 2 ? unpack_words<2>(u) : unpack_words<4>(u);
}

} // namespace discern::fast::DISCERN_ISA
