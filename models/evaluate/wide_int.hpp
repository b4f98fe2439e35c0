// Signed integers of several widths behind one set of functions, for the integer evaluator: 64 bits, 128 bits, and
// fixed-capacity two's complement integers for exact sums whose terms are far apart.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace discern::wide {

using i64 = std::int64_t;
__extension__ using i128 = __int128;
__extension__ using u128 = unsigned __int128;

/// Two's complement, little-endian limbs.
template <std::size_t N>
struct Limbs {
    std::array<std::uint64_t, N> limb;

    bool operator==(const Limbs&) const = default;
};

/// Exact sums of fp32 and bf16 products and c: 2^-298 … 2^256, and what their number adds.
using Medium = Limbs<10>;

/// Bits that the widest exact sum needs: an f64·f64 product with two e8m0 scales spans 2^-2402 … 2^2304, constant
/// exponents reach 2^2500 (parameters.cpp), and 2^13 terms add 13 bits and a sign: 4916.
using Big = Limbs<78>;
static_assert(8 * sizeof(Big) >= 2402 + 2500 + 14);

// ---- construction, signs, comparison with zero ----

inline void assign(i64& x, i128 value) { x = static_cast<i64>(value); }
inline void assign(i128& x, i128 value) { x = value; }
template <std::size_t N>
void assign(Limbs<N>& x, i128 value) {
    x.limb.fill(value < 0 ? ~0ull : 0);
    x.limb[0] = static_cast<std::uint64_t>(value);
    x.limb[1] = static_cast<std::uint64_t>(value >> 64);
}

inline bool negative(i64 x) { return x < 0; }
inline bool negative(i128 x) { return x < 0; }
template <std::size_t N>
bool negative(const Limbs<N>& x) {
    return (x.limb.back() >> 63) != 0;
}

inline bool is_zero(i64 x) { return x == 0; }
inline bool is_zero(i128 x) { return x == 0; }
template <std::size_t N>
bool is_zero(const Limbs<N>& x) {
    for (const std::uint64_t limb : x.limb)
        if (limb != 0) return false;
    return true;
}

// ---- arithmetic (the caller has proved that results fit) ----

inline i64 add(i64 x, i64 y) { return x + y; }
inline i128 add(i128 x, i128 y) { return x + y; }
template <std::size_t N>
Limbs<N> add(const Limbs<N>& x, const Limbs<N>& y) {
    Limbs<N> sum;
    u128 carry = 0;
    for (std::size_t i = 0; i < x.limb.size(); ++i) {
        carry += static_cast<u128>(x.limb[i]) + y.limb[i];
        sum.limb[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    return sum;
}

inline i64 negate(i64 x) { return -x; }
inline i128 negate(i128 x) { return -x; }
template <std::size_t N>
Limbs<N> negate(const Limbs<N>& x) {
    Limbs<N> result, one;
    for (std::size_t i = 0; i < x.limb.size(); ++i) result.limb[i] = ~x.limb[i];
    assign(one, 1);
    return add(result, one);
}

template <typename Int>
Int magnitude(const Int& x) {
    return negative(x) ? negate(x) : x;
}

/// x·2^n; the caller has proved that it fits.
inline i64 shift_left(i64 x, int n) { return static_cast<i64>(static_cast<std::uint64_t>(x) << n); }
inline i128 shift_left(i128 x, int n) { return static_cast<i128>(static_cast<u128>(x) << n); }
template <std::size_t N>
Limbs<N> shift_left(const Limbs<N>& x, int n) {
    Limbs<N> result;
    const int limbs = n / 64, bits = n % 64;
    for (int i = static_cast<int>(N) - 1; i >= 0; --i) {
        const auto at = [&](int j) { return j >= 0 ? x.limb[static_cast<std::size_t>(j)] : 0; };
        const std::uint64_t high = at(i - limbs) << bits;
        const std::uint64_t low = bits == 0 ? 0 : at(i - limbs - 1) >> (64 - bits);
        result.limb[static_cast<std::size_t>(i)] = high | low;
    }
    return result;
}

// ---- magnitudes: the following take x ≥ 0 ----

/// floor(x / 2^n), any n ≥ 0.
inline i64 shift_right(i64 x, int n) { return n > 63 ? 0 : x >> n; }
inline i128 shift_right(i128 x, int n) { return n > 127 ? 0 : x >> n; }
template <std::size_t N>
Limbs<N> shift_right(const Limbs<N>& x, int n) {
    Limbs<N> result;
    const int limbs = n / 64, bits = n % 64;
    for (int i = 0; i < static_cast<int>(N); ++i) {
        const auto at = [&](int j) { return j < static_cast<int>(N) ? x.limb[static_cast<std::size_t>(j)] : 0; };
        const std::uint64_t low = at(i + limbs) >> bits;
        const std::uint64_t high = bits == 0 ? 0 : at(i + limbs + 1) << (64 - bits);
        result.limb[static_cast<std::size_t>(i)] = low | high;
    }
    return result;
}

/// Position of the highest set bit plus one; 0 for zero.
inline int bit_length(std::uint64_t x) { return 64 - std::countl_zero(x); }
inline int bit_length(i64 x) { return bit_length(static_cast<std::uint64_t>(x)); }
inline int bit_length(i128 x) {
    const auto high = static_cast<std::uint64_t>(x >> 64);
    return high != 0 ? 64 + bit_length(high) : bit_length(static_cast<std::uint64_t>(x));
}
template <std::size_t N>
int bit_length(const Limbs<N>& x) {
    for (int i = static_cast<int>(N) - 1; i >= 0; --i)
        if (const std::uint64_t limb = x.limb[static_cast<std::size_t>(i)]; limb != 0) return 64 * i + bit_length(limb);
    return 0;
}

/// Bit n, n ≥ 0.
inline bool bit(i64 x, int n) { return n < 63 && ((x >> n) & 1) != 0; }
inline bool bit(i128 x, int n) { return n < 127 && ((x >> n) & 1) != 0; }
template <std::size_t N>
bool bit(const Limbs<N>& x, int n) {
    return n < 64 * static_cast<int>(N) && ((x.limb[static_cast<std::size_t>(n / 64)] >> (n % 64)) & 1) != 0;
}

/// Whether one of the n lowest bits is set.
inline bool any_below(i64 x, int n) { return n >= 63 ? x != 0 : (x & ((i64{1} << n) - 1)) != 0; }
inline bool any_below(i128 x, int n) { return n >= 127 ? x != 0 : (x & ((i128{1} << n) - 1)) != 0; }
template <std::size_t N>
bool any_below(const Limbs<N>& x, int n) {
    for (int i = 0; i < static_cast<int>(N) && 64 * i < n; ++i) {
        const int bits = n - 64 * i;
        const std::uint64_t mask = bits >= 64 ? ~0ull : (1ull << bits) - 1;
        if ((x.limb[static_cast<std::size_t>(i)] & mask) != 0) return true;
    }
    return false;
}

inline std::uint64_t low_word(i64 x) { return static_cast<std::uint64_t>(x); }
inline std::uint64_t low_word(i128 x) { return static_cast<std::uint64_t>(x); }
template <std::size_t N>
std::uint64_t low_word(const Limbs<N>& x) {
    return x.limb[0];
}

/// The two's complement number in the `width` lowest bits of x (any sign).
inline i64 wrap(i64 x, int width) {
    return width > 63 ? x : static_cast<i64>(static_cast<std::uint64_t>(x) << (64 - width)) >> (64 - width);
}
inline i128 wrap(i128 x, int width) {
    return width > 127 ? x : static_cast<i128>(static_cast<u128>(x) << (128 - width)) >> (128 - width);
}
template <std::size_t N>
Limbs<N> wrap(const Limbs<N>& x, int width) {
    Limbs<N> result = x;
    const bool sign = bit(x, width - 1);
    for (int i = 0; i < static_cast<int>(N); ++i) {
        const int bits = width - 64 * i;
        std::uint64_t& limb = result.limb[static_cast<std::size_t>(i)];
        const std::uint64_t mask = bits >= 64 ? ~0ull : bits <= 0 ? 0 : (1ull << bits) - 1;
        limb = sign ? limb | ~mask : limb & mask;
    }
    return result;
}

} // namespace discern::wide
