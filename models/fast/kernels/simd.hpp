// Vectors of one instruction set, in the compiler's vector extensions, and the few operations that those lack.
//
// Included by one source file for each instruction set, which defines DISCERN_ISA (the namespace that keeps these
// definitions apart) and DISCERN_VECTOR_BYTES. Nothing here may come from the standard library's inline functions.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__) // whose vectors of 16 bytes, Neon, are in every 64-bit Arm
#include <arm_neon.h>
#endif
// Whether there is an instruction for x·y + z, rounded once: with AVX2 and AVX-512, and in Neon.
#if DISCERN_VECTOR_BYTES > 16 || defined(__aarch64__)
#define DISCERN_FUSES 1
#else
#define DISCERN_FUSES 0
#endif

namespace discern::fast::DISCERN_ISA {

constexpr int bytes = DISCERN_VECTOR_BYTES;

template <class T, int N>
struct VectorOf {
    typedef T type __attribute__((vector_size(N)));
};
using Doubles = VectorOf<double, bytes>::type;
using Longs = VectorOf<std::int64_t, bytes>::type; ///< also the masks of Doubles
using Floats = VectorOf<float, bytes>::type;
using Ints = VectorOf<std::int32_t, bytes>::type; ///< also the masks of Floats
using Shorts = VectorOf<std::int16_t, bytes>::type;
using Bytes = VectorOf<std::uint8_t, bytes>::type;
using HalfFloats = VectorOf<float, bytes / 2>::type; ///< as many as Doubles
using HalfInts = VectorOf<std::int32_t, bytes / 2>::type;
using HalfShorts = VectorOf<std::int16_t, bytes / 2>::type;   ///< as many as Floats
using QuarterBytes = VectorOf<std::uint8_t, bytes / 4>::type; ///< as many as Floats

constexpr int doubles = bytes / 8, floats = bytes / 4, shorts = bytes / 2;

template <class V>
inline V load(const void* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof(V));
    return v;
}
template <class V>
inline void store(void* to, const V& v) {
    __builtin_memcpy(to, &v, sizeof(V));
}
template <class V, class T>
inline V splat(T x) {
    return x - V{}; // x − 0 is x, −0 included
}
template <class To, class From>
inline To bits_of(const From& v) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &v, sizeof(To));
    return to;
}

inline Doubles magnitude(Doubles x) { return bits_of<Doubles>(bits_of<Longs>(x) & 0x7fffffffffffffff); }
inline Floats magnitude(Floats x) { return bits_of<Floats>(bits_of<Ints>(x) & 0x7fffffff); }
inline Doubles with_sign(Doubles magnitude, Doubles sign) {
    return bits_of<Doubles>(bits_of<Longs>(magnitude) | (bits_of<Longs>(sign) & INT64_MIN));
}
inline Floats with_sign(Floats magnitude, Floats sign) {
    return bits_of<Floats>(bits_of<Ints>(magnitude) | (bits_of<Ints>(sign) & INT32_MIN));
}

template <class V>
inline V max_of(V x, V y) {
    return x > y ? x : y;
}

// Conversions by intrinsics: GCC 12 takes __builtin_convertvector apart into scalars where the widths differ.
#if DISCERN_VECTOR_BYTES == 64
inline Ints to_ints(QuarterBytes x) { return (Ints)_mm512_cvtepu8_epi32((__m128i)x); }
inline Ints to_ints(HalfShorts x) { return (Ints)_mm512_cvtepi16_epi32((__m256i)x); }
inline QuarterBytes to_bytes(Ints x) { return (QuarterBytes)_mm512_cvtepi32_epi8((__m512i)x); }
inline Longs to_longs(HalfInts x) { return (Longs)_mm512_cvtepi32_epi64((__m256i)x); }
inline Doubles to_doubles(HalfFloats x) { return (Doubles)_mm512_cvtps_pd((__m256)x); }
inline Doubles to_doubles(HalfInts x) { return (Doubles)_mm512_cvtepi32_pd((__m256i)x); }
inline HalfFloats to_floats(Doubles x) { return (HalfFloats)_mm512_cvtpd_ps((__m512d)x); }
#elif DISCERN_VECTOR_BYTES == 32
inline Ints to_ints(QuarterBytes x) { return (Ints)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)&x)); }
inline Ints to_ints(HalfShorts x) { return (Ints)_mm256_cvtepi16_epi32((__m128i)x); }
inline QuarterBytes to_bytes(Ints x) {
    const __m256i low = _mm256_shuffle_epi8((__m256i)x, _mm256_set1_epi32(0x0c080400));
    const __m128i pair = _mm_unpacklo_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
    return load<QuarterBytes>(&pair);
}
inline Longs to_longs(HalfInts x) { return (Longs)_mm256_cvtepi32_epi64((__m128i)x); }
inline Doubles to_doubles(HalfFloats x) { return (Doubles)_mm256_cvtps_pd((__m128)x); }
inline Doubles to_doubles(HalfInts x) { return (Doubles)_mm256_cvtepi32_pd((__m128i)x); }
inline HalfFloats to_floats(Doubles x) { return (HalfFloats)_mm256_cvtpd_ps((__m256d)x); }
#elif defined(__aarch64__)
inline Ints to_ints(HalfShorts x) { return (Ints)vmovl_s16((int16x4_t)x); }
inline Ints to_ints(QuarterBytes x) {
    std::uint32_t word = 0;
    __builtin_memcpy(&word, &x, sizeof word);
    return (Ints)vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(word))));
}
inline QuarterBytes to_bytes(Ints x) {
    const uint16x4_t words = vmovn_u32((uint32x4_t)x);
    const std::uint32_t word = vget_lane_u32(vreinterpret_u32_u8(vmovn_u16(vcombine_u16(words, words))), 0);
    return load<QuarterBytes>(&word);
}
inline Longs to_longs(HalfInts x) { return (Longs)vmovl_s32((int32x2_t)x); }
inline Doubles to_doubles(HalfFloats x) { return (Doubles)vcvt_f64_f32((float32x2_t)x); }
inline Doubles to_doubles(HalfInts x) { return (Doubles)vcvtq_f64_s64(vmovl_s32((int32x2_t)x)); }
inline HalfFloats to_floats(Doubles x) { return (HalfFloats)vcvt_f32_f64((float64x2_t)x); }
#else
inline Ints to_ints(QuarterBytes x) { return __builtin_convertvector(x, Ints); }
inline Ints to_ints(HalfShorts x) { return __builtin_convertvector(x, Ints); }
inline QuarterBytes to_bytes(Ints x) { return __builtin_convertvector(x, QuarterBytes); }
inline Longs to_longs(HalfInts x) { return __builtin_convertvector(x, Longs); }
inline Doubles to_doubles(HalfFloats x) { return __builtin_convertvector(x, Doubles); }
inline Doubles to_doubles(HalfInts x) { return __builtin_convertvector(x, Doubles); }
inline HalfFloats to_floats(Doubles x) { return __builtin_convertvector(x, HalfFloats); }
#endif

// Halves of vectors, in registers: a vector that is stored and loaded again by halves waits for its store.
#if DISCERN_VECTOR_BYTES == 64
inline HalfFloats low_half(Floats x) { return (HalfFloats)_mm512_castps512_ps256((__m512)x); }
inline HalfFloats high_half(Floats x) { return (HalfFloats)_mm512_extractf32x8_ps((__m512)x, 1); }
inline HalfInts low_half(Ints x) { return (HalfInts)_mm512_castsi512_si256((__m512i)x); }
inline HalfInts high_half(Ints x) { return (HalfInts)_mm512_extracti32x8_epi32((__m512i)x, 1); }
inline HalfShorts low_half(Shorts x) { return (HalfShorts)_mm512_castsi512_si256((__m512i)x); }
inline HalfShorts high_half(Shorts x) { return (HalfShorts)_mm512_extracti32x8_epi32((__m512i)x, 1); }
inline Floats join(HalfFloats low, HalfFloats high) {
    return (Floats)_mm512_insertf32x8(_mm512_castps256_ps512((__m256)low), (__m256)high, 1);
}
#elif DISCERN_VECTOR_BYTES == 32
inline HalfFloats low_half(Floats x) { return (HalfFloats)_mm256_castps256_ps128((__m256)x); }
inline HalfFloats high_half(Floats x) { return (HalfFloats)_mm256_extractf128_ps((__m256)x, 1); }
inline HalfInts low_half(Ints x) { return (HalfInts)_mm256_castsi256_si128((__m256i)x); }
inline HalfInts high_half(Ints x) { return (HalfInts)_mm256_extracti128_si256((__m256i)x, 1); }
inline HalfShorts low_half(Shorts x) { return (HalfShorts)_mm256_castsi256_si128((__m256i)x); }
inline HalfShorts high_half(Shorts x) { return (HalfShorts)_mm256_extracti128_si256((__m256i)x, 1); }
inline Floats join(HalfFloats low, HalfFloats high) {
    return (Floats)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)low), (__m128)high, 1);
}
#else
inline HalfFloats low_half(Floats x) { return __builtin_shufflevector(x, x, 0, 1); }
inline HalfFloats high_half(Floats x) { return __builtin_shufflevector(x, x, 2, 3); }
inline HalfInts low_half(Ints x) { return __builtin_shufflevector(x, x, 0, 1); }
inline HalfInts high_half(Ints x) { return __builtin_shufflevector(x, x, 2, 3); }
inline HalfShorts low_half(Shorts x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3); }
inline HalfShorts high_half(Shorts x) { return __builtin_shufflevector(x, x, 4, 5, 6, 7); }
inline Floats join(HalfFloats low, HalfFloats high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3); }
#endif

#if DISCERN_VECTOR_BYTES == 64
inline Bytes min_of(Bytes x, Bytes y) { return (Bytes)_mm512_min_epu8((__m512i)x, (__m512i)y); }
inline Bytes saturating_add(Bytes x, Bytes y) { return (Bytes)_mm512_adds_epu8((__m512i)x, (__m512i)y); }
#elif DISCERN_VECTOR_BYTES == 32
inline Bytes min_of(Bytes x, Bytes y) { return (Bytes)_mm256_min_epu8((__m256i)x, (__m256i)y); }
inline Bytes saturating_add(Bytes x, Bytes y) { return (Bytes)_mm256_adds_epu8((__m256i)x, (__m256i)y); }
#elif defined(__x86_64__)
inline Bytes min_of(Bytes x, Bytes y) { return (Bytes)_mm_min_epu8((__m128i)x, (__m128i)y); }
inline Bytes saturating_add(Bytes x, Bytes y) { return (Bytes)_mm_adds_epu8((__m128i)x, (__m128i)y); }
#elif defined(__aarch64__)
inline Bytes min_of(Bytes x, Bytes y) { return (Bytes)vminq_u8((uint8x16_t)x, (uint8x16_t)y); }
inline Bytes saturating_add(Bytes x, Bytes y) { return (Bytes)vqaddq_u8((uint8x16_t)x, (uint8x16_t)y); }
#else
inline Bytes min_of(Bytes x, Bytes y) { return x < y ? x : y; }
inline Bytes saturating_add(Bytes x, Bytes y) {
    const Bytes sum = x + y;
    return sum < x ? Bytes{} + std::uint8_t{255} : sum;
}
#endif

#if DISCERN_VECTOR_BYTES == 64
inline Doubles truncated(Doubles x) { return (Doubles)_mm512_roundscale_pd((__m512d)x, 11); }
inline Doubles floored(Doubles x) { return (Doubles)_mm512_roundscale_pd((__m512d)x, 9); }
inline Bytes max_of(Bytes x, Bytes y) { return (Bytes)_mm512_max_epu8((__m512i)x, (__m512i)y); }
inline Shorts max_of(Shorts x, Shorts y) { return (Shorts)_mm512_max_epi16((__m512i)x, (__m512i)y); }
inline Ints max_of(Ints x, Ints y) { return (Ints)_mm512_max_epi32((__m512i)x, (__m512i)y); }
inline Doubles max_of(Doubles x, Doubles y) { return (Doubles)_mm512_max_pd((__m512d)x, (__m512d)y); }
inline Floats max_of(Floats x, Floats y) { return (Floats)_mm512_max_ps((__m512)x, (__m512)y); }
inline Floats fused_multiply_add(Floats x, Floats y, Floats z) {
    return (Floats)_mm512_fmadd_ps((__m512)x, (__m512)y, (__m512)z);
}
inline Doubles fused_multiply_add(Doubles x, Doubles y, Doubles z) {
    return (Doubles)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)z);
}
inline bool any(Ints mask) { return _mm512_movepi32_mask((__m512i)mask) != 0; }
inline bool any(Longs mask) { return _mm512_movepi64_mask((__m512i)mask) != 0; }
inline Floats to_floats_toward_zero(Ints x) {
    return (Floats)_mm512_cvt_roundepi32_ps((__m512i)x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
inline Ints to_ints(Floats x) { return (Ints)_mm512_cvttps_epi32((__m512)x); }
#elif DISCERN_VECTOR_BYTES == 32
inline Doubles truncated(Doubles x) { return (Doubles)_mm256_round_pd((__m256d)x, 11); }
inline Doubles floored(Doubles x) { return (Doubles)_mm256_round_pd((__m256d)x, 9); }
inline Bytes max_of(Bytes x, Bytes y) { return (Bytes)_mm256_max_epu8((__m256i)x, (__m256i)y); }
inline Shorts max_of(Shorts x, Shorts y) { return (Shorts)_mm256_max_epi16((__m256i)x, (__m256i)y); }
inline Ints max_of(Ints x, Ints y) { return (Ints)_mm256_max_epi32((__m256i)x, (__m256i)y); }
inline Doubles max_of(Doubles x, Doubles y) { return (Doubles)_mm256_max_pd((__m256d)x, (__m256d)y); }
inline Floats max_of(Floats x, Floats y) { return (Floats)_mm256_max_ps((__m256)x, (__m256)y); }
inline Floats fused_multiply_add(Floats x, Floats y, Floats z) {
    return (Floats)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z);
}
inline Doubles fused_multiply_add(Doubles x, Doubles y, Doubles z) {
    return (Doubles)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
}
inline bool any(Ints mask) { return _mm256_movemask_epi8((__m256i)mask) != 0; }
inline bool any(Longs mask) { return _mm256_movemask_epi8((__m256i)mask) != 0; }
inline Ints to_ints(Floats x) { return (Ints)_mm256_cvttps_epi32((__m256)x); }
#elif defined(__aarch64__)
inline Doubles truncated(Doubles x) { return (Doubles)vrndq_f64((float64x2_t)x); }
inline Doubles floored(Doubles x) { return (Doubles)vrndmq_f64((float64x2_t)x); }
inline Bytes max_of(Bytes x, Bytes y) { return (Bytes)vmaxq_u8((uint8x16_t)x, (uint8x16_t)y); }
inline Shorts max_of(Shorts x, Shorts y) { return (Shorts)vmaxq_s16((int16x8_t)x, (int16x8_t)y); }
inline Ints max_of(Ints x, Ints y) { return (Ints)vmaxq_s32((int32x4_t)x, (int32x4_t)y); }
inline Floats fused_multiply_add(Floats x, Floats y, Floats z) {
    return (Floats)vfmaq_f32((float32x4_t)z, (float32x4_t)x, (float32x4_t)y);
}
inline Doubles fused_multiply_add(Doubles x, Doubles y, Doubles z) {
    return (Doubles)vfmaq_f64((float64x2_t)z, (float64x2_t)x, (float64x2_t)y);
}
inline bool any(Ints mask) { return vmaxvq_u32((uint32x4_t)mask) != 0; }
inline bool any(Longs mask) { return vmaxvq_u32((uint32x4_t)mask) != 0; }
inline Ints to_ints(Floats x) { return (Ints)vcvtq_s32_f32((float32x4_t)x); }
#else
/// For |x| < 2^51, which aligned values are: to the nearest by adding and subtracting a power of two, then corrected.
inline Doubles floored(Doubles x) {
    const Doubles nearest = (x + 0x1.8p52) - 0x1.8p52;
    return nearest > x ? nearest - 1.0 : nearest;
}
inline Doubles truncated(Doubles x) {
    const Doubles m = magnitude(x), nearest = (m + 0x1p52) - 0x1p52;
    return with_sign(nearest > m ? nearest - 1.0 : nearest, x);
}
template <class V>
inline bool any_lane(V mask) {
    bool found = false;
    for (std::size_t i = 0; i < sizeof(V) / sizeof(mask[0]); ++i) found |= mask[i] != 0;
    return found;
}
#if defined(__x86_64__)
inline Bytes max_of(Bytes x, Bytes y) { return (Bytes)_mm_max_epu8((__m128i)x, (__m128i)y); }
inline Shorts max_of(Shorts x, Shorts y) { return (Shorts)_mm_max_epi16((__m128i)x, (__m128i)y); }
inline bool any(Ints mask) { return _mm_movemask_epi8((__m128i)mask) != 0; }
inline bool any(Longs mask) { return _mm_movemask_epi8((__m128i)mask) != 0; }
inline Ints to_ints(Floats x) { return (Ints)_mm_cvttps_epi32((__m128)x); }
#else
inline bool any(Ints mask) { return any_lane(mask); }
inline bool any(Longs mask) { return any_lane(mask); }
inline Ints to_ints(Floats x) { return __builtin_convertvector(x, Ints); }
#endif
#endif

#if DISCERN_VECTOR_BYTES != 64
/// The magnitude's first discarded bit is cleared, after which rounding to nearest truncates.
inline Floats to_floats_toward_zero(Ints x) {
    const Ints m = x < 0 ? -x : x;
    const Floats f = __builtin_convertvector(m & ~(m >> 24), Floats);
    return x == INT32_MIN ? Floats{} - 0x1p31F : with_sign(f, bits_of<Floats>(x));
}
#endif

/// To nearest.
inline Floats to_floats(Ints x) { return __builtin_convertvector(x, Floats); }
/// x·power down to an integer, for a power of two and integers that fit; below zero however small x is.
inline Ints scaled_down(Floats x, Floats power) {
#if DISCERN_VECTOR_BYTES == 64
    const auto scaled = _mm512_mul_round_ps((__m512)x, (__m512)power, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return (Ints)_mm512_cvt_roundps_epi32(scaled, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#else
    const Floats scaled = x * power; // which may have become −0
    const Ints n = to_ints(scaled);  // toward zero
    return n + ((Ints)(to_floats(n) > scaled) | ((Ints)(x < 0.0F) & (Ints)(scaled == 0.0F)));
#endif
}

/// Whether some lane has its top bit set.
#if DISCERN_VECTOR_BYTES == 64
inline bool any_negative(Ints x) { return _mm512_movepi32_mask((__m512i)x) != 0; }
#elif DISCERN_VECTOR_BYTES == 32
inline bool any_negative(Ints x) { return _mm256_movemask_ps((__m256)x) != 0; }
#elif defined(__aarch64__)
inline bool any_negative(Ints x) { return vminvq_s32((int32x4_t)x) < 0; }
#else
inline bool any_negative(Ints x) { return any((Ints)(x < 0)); }
#endif

inline bool any_negative(Bytes x) {
#if DISCERN_VECTOR_BYTES == 64
    return _mm512_movepi8_mask((__m512i)x) != 0;
#elif DISCERN_VECTOR_BYTES == 32
    return _mm256_movemask_epi8((__m256i)x) != 0;
#elif defined(__x86_64__)
    return _mm_movemask_epi8((__m128i)x) != 0;
#elif defined(__aarch64__)
    return vmaxvq_u8((uint8x16_t)x) >= 128;
#else
    const auto halves = bits_of<Longs>(x);
    return ((halves[0] | halves[1]) & static_cast<std::int64_t>(0x8080808080808080)) != 0;
#endif
}

/// Whose top bits are set where x + y = sum has left the range of 32 bits.
inline Ints overflow_of(Ints x, Ints y, Ints sum) {
#if DISCERN_VECTOR_BYTES == 64
    return (Ints)_mm512_ternarylogic_epi32((__m512i)x, (__m512i)y, (__m512i)sum, 0x42);
#else
    return (x ^ sum) & (y ^ sum);
#endif
}

/// Of as many numbers as Floats have, which are not zero: a bit for each, the first one lowest.
inline std::uint32_t nonzero_bits(const float* from) {
    const Ints some = (Ints)(load<Floats>(from) != Floats{});
#if DISCERN_VECTOR_BYTES == 64
    return _mm512_movepi32_mask((__m512i)some);
#elif DISCERN_VECTOR_BYTES == 32
    return static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)some));
#else
    std::uint32_t bits = 0;
    for (int i = 0; i < floats; ++i) bits |= some[i] != 0 ? 1u << i : 0;
    return bits;
#endif
}

/// x·y + z where each step is exact: fused, if there is an instruction for it.
template <class V>
inline V exact_multiply_add(V x, V y, V z) {
#if !DISCERN_FUSES
    return x * y + z;
#else
    return fused_multiply_add(x, y, z);
#endif
}

/// Whether every sum is x + y exactly; not so where one of them is infinite or NaN.
inline bool all_exact(Doubles sum, Doubles x, Doubles y) {
    // The difference from the larger one is exact.
    const Doubles of_y = sum - x, of_x = sum - y;
#if DISCERN_VECTOR_BYTES == 64
    return (_mm512_cmp_pd_mask((__m512d)of_y, (__m512d)y, _CMP_NEQ_UQ) |
            _mm512_cmp_pd_mask((__m512d)of_x, (__m512d)x, _CMP_NEQ_UQ)) == 0;
#else
    return !any((Longs)((of_y != y) | (of_x != x)));
#endif
}

/// 2^e in every lane, for −1022 ≤ e ≤ 1023.
inline Doubles power_of_two(Longs e) { return bits_of<Doubles>((e + 1023) << 52); }

/// x down to a multiple of the last bit of `constant`, which is 1.5·2^n, where |x| ≤ 2^(n−2).
inline Doubles floored_to(Doubles x, Doubles constant) {
#if DISCERN_VECTOR_BYTES == 64
    return (Doubles)_mm512_add_round_pd((__m512d)x, (__m512d)constant, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC) -
           constant;
#else
    const Doubles nearest = (x + constant) - constant;
    const Doubles ulp = bits_of<Doubles>((bits_of<Longs>(constant) & 0x7ff0000000000000) - (std::int64_t{52} << 52));
    return nearest > x ? nearest - ulp : nearest;
#endif
}

/// Exponents of as many lanes as Doubles have, in the integers that are cheaper to compute with.
#if DISCERN_VECTOR_BYTES == 16
using Exponents = Longs; // there are no vectors of 8 bytes
inline Exponents exponents(HalfInts x) { return to_longs(x); }
inline Longs to_longs(Longs x) { return x; }
#else
using Exponents = HalfInts;
inline Exponents exponents(HalfInts x) { return x; }
inline Doubles power_of_two(Exponents e) { return bits_of<Doubles>(to_longs(e + 1023) << 52); }
#endif

/// x + y = sum + error exactly, unless something overflows (Knuth).
struct Sum {
    Doubles sum, error;
};
inline Sum two_sum(Doubles x, Doubles y) {
    const Doubles s = x + y, t = s - x;
    return {s, (x - (s - t)) + (y - t)};
}
/// x + y rounded to odd: an inexact sum ends in a one, so that a later rounding to fewer bits is right
/// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
inline Doubles sum_to_odd(Doubles x, Doubles y) {
    const Sum s = two_sum(x, y);
    const Longs bits = bits_of<Longs>(s.sum);
    const Longs inexact_even = ((s.error > 0.0) | (s.error < 0.0)) & ((bits & 1) == 0);
    const Longs outward = (s.error > 0.0) == (s.sum > 0.0);
    return bits_of<Doubles>(bits + (inexact_even & (outward ? Longs{} + 1 : Longs{} - 1)));
}

#if !DISCERN_FUSES
/// Without the instruction: the product is exact in f64, the sum is rounded to odd and then to f32.
inline Floats fused_multiply_add(Floats x, Floats y, Floats z) {
    Floats result;
    for (int half = 0; half < 2; ++half) {
        HalfFloats parts[3];
        __builtin_memcpy(&parts[0], reinterpret_cast<const char*>(&x) + half * (bytes / 2), bytes / 2);
        __builtin_memcpy(&parts[1], reinterpret_cast<const char*>(&y) + half * (bytes / 2), bytes / 2);
        __builtin_memcpy(&parts[2], reinterpret_cast<const char*>(&z) + half * (bytes / 2), bytes / 2);
        const Doubles product = to_doubles(parts[0]) * to_doubles(parts[1]);
        const HalfFloats sum = to_floats(sum_to_odd(product, to_doubles(parts[2])));
        __builtin_memcpy(reinterpret_cast<char*>(&result) + half * (bytes / 2), &sum, bytes / 2);
    }
    return result;
}
#endif

} // namespace discern::fast::DISCERN_ISA
