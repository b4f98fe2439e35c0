// Whole numbers with known bounds, for exponents: unsigned words that count from the lower bound, so that no exponent
// has a sign bit or a width of its own choosing.
#pragma once

#include "domain.hpp"

#include <algorithm>
#include <bit>

namespace discern::circuit {

/// low + bits, which is at most high. The width is chosen for the bounds; where the number does not matter (the
/// exponent of a NaN) it may be outside of them, and is then anything.
template <Domain D>
struct Integer {
    Word<D> bits;
    int low = 0, high = 0;
};

/// Bits that hold 0 … most.
inline int bits_for(int most) { return static_cast<int>(std::bit_width(static_cast<unsigned>(most))); }

template <Domain D>
Integer<D> integer(D& d, int value) {
    return {d.constant(0, 0), value, value};
}

/// offset + bits.
template <Domain D>
Integer<D> integer(D& d, const Word<D>& bits, int offset) {
    return {bits, offset, offset + (1 << d.width(bits)) - 1};
}

/// x + by, a constant: the bits stay as they are.
template <Domain D>
Integer<D> offset_by(Integer<D> x, int by) {
    x.low += by;
    x.high += by;
    return x;
}

/// The same number counted from a lower `low`, in a word for numbers up to `high`.
template <Domain D>
Word<D> rebased(D& d, const Integer<D>& x, int low, int high) {
    const int width = bits_for(high - low);
    return d.add(d.resize(x.bits, width), d.constant(static_cast<std::uint64_t>(x.low - low), width));
}

/// x + y.
template <Domain D>
Integer<D> sum(D& d, const Integer<D>& x, const Integer<D>& y) {
    const int low = x.low + y.low, high = x.high + y.high, width = bits_for(high - low);
    return {d.add(d.resize(x.bits, width), d.resize(y.bits, width)), low, high};
}

/// x + one, for a bit.
template <Domain D>
Integer<D> plus(D& d, const Integer<D>& x, Bit<D> one) {
    return {d.increment(d.resize(x.bits, bits_for(x.high + 1 - x.low)), one), x.low, x.high + 1};
}

/// x − y, of which it is known that it lies between the bounds.
template <Domain D>
Integer<D> difference(D& d, const Integer<D>& x, const Integer<D>& y, int low, int high) {
    // Modulo 2^width, which is enough, since the difference is known to lie between the bounds.
    const int width = bits_for(high - low);
    const Word<D> without_bounds = d.subtract(d.resize(x.bits, width), d.resize(y.bits, width));
    const auto offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(x.low) - y.low - low);
    return {d.add(without_bounds, d.constant(offset, width)), low, high};
}

/// x < y.
template <Domain D>
Bit<D> less(D& d, const Integer<D>& x, const Integer<D>& y) {
    const int low = std::min(x.low, y.low), high = std::max(x.high, y.high);
    const Word<D> right = rebased(d, y, low, high);
    const Word<D> left = rebased(d, x, low, high);
    return d.less(left, right);
}

/// condition ? then : otherwise.
template <Domain D>
Integer<D> mux(D& d, Bit<D> condition, const Integer<D>& then, const Integer<D>& otherwise) {
    const int low = std::min(then.low, otherwise.low), high = std::max(then.high, otherwise.high);
    const Word<D> second = rebased(d, otherwise, low, high);
    const Word<D> first = rebased(d, then, low, high);
    return {d.mux(condition, first, second), low, high};
}

template <Domain D>
Integer<D> larger(D& d, const Integer<D>& x, const Integer<D>& y) {
    return mux(d, less(d, x, y), y, x);
}

/// The largest of those numbers whose bit in `takes_part` is set; if none is, a number that is not above any of them.
template <Domain D>
struct Largest {
    Integer<D> value;
    Maximum<D> maximum; ///< how it came about
};

template <Domain D>
Largest<D> largest(D& d, const std::vector<Integer<D>>& numbers, const std::vector<Bit<D>>& takes_part) {
    int low = numbers.front().low, high = numbers.front().high;
    for (const Integer<D>& x : numbers) {
        low = std::min(low, x.low);
        high = std::max(high, x.high);
    }
    // Down to a power of two: circuits of which one has lower numbers then have most bits in common.
    low = low < 0 ? -static_cast<int>(std::bit_ceil(static_cast<unsigned>(-low))) : 0;
    std::vector<Word<D>> words;
    for (const Integer<D>& x : numbers) words.push_back(rebased(d, x, low, high));
    Maximum<D> maximum = d.maximum(words, takes_part);
    Word<D> bits = maximum.word;
    return {{std::move(bits), low, high}, std::move(maximum)};
}

} // namespace discern::circuit
