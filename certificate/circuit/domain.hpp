// The operations of which the reference circuit of a unit is made.
//
// The circuit is defined once, in this folder, as templates over a domain D of bits and words; what a domain is, this
// file says. There are two: gates (gates.hpp), of which certificates speak, and bit-vector terms
// (encodings/datapath/word_domain.hpp), from which hardware, C and code for GPUs are printed. Both compute the same,
// because the arithmetic is the same text. The manner is that of symfpu (Brain, Schanda, Sun, "Building better
// bit-blasting for floating-point problems", TACAS 2019), whose algorithms are templates over traits of bit-vectors.
//
// A domain may be slow or fast, but an operation gives the value that is said here. An operation may add to the circuit
// (it makes gates), and a certificate relies on their order; so two operations are two statements, never two arguments
// of one call.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace discern::circuit {

/// One wire: zero or one.
template <class D>
using Bit = typename D::Bit;
/// A bit vector of any width, 0 included; bit 0 is the least significant one (lsb). Read as an unsigned number.
template <class D>
using Word = typename D::Word;
/// The result of a right shift: `.word`, and `.sticky`: whether a set bit was shifted out.
template <class D>
using Shifted = typename D::Shifted;
/// The result of a normalisation: `.word`, and `.leading_zeros`, their number.
template <class D>
using Normalised = typename D::Normalised;
/// The result of a maximum: `.word`.
template <class D>
using Maximum = typename D::Maximum;
/// A sum in two's complement of which not all addends are known yet; `.word` is what it is by now.
template <class D>
using Total = typename D::Total;

/// In the requirements below x, y are words, p, q, r are bits, and i, w are integers.
template <class D>
concept Domain = requires(D d, const Word<D>& x, const Word<D>& y, Bit<D> p, Bit<D> q, Bit<D> r, int i, int w,
                          std::uint64_t value, Total<D>& total, const std::vector<Word<D>>& words,
                          const std::vector<Bit<D>>& bits) {
    // ---- bits; two that are equal carry the same value for all inputs, so that what is known to be zero is left out
    { p == q } -> std::convertible_to<bool>;
    { d.zero() } -> std::same_as<Bit<D>>;
    { d.one() } -> std::same_as<Bit<D>>;
    { d.bit_not(p) } -> std::same_as<Bit<D>>;
    { d.bit_and(p, q) } -> std::same_as<Bit<D>>;
    { d.bit_or(p, q) } -> std::same_as<Bit<D>>;
    { d.bit_xor(p, q) } -> std::same_as<Bit<D>>;
    /// p ? q : r
    { d.mux(p, q, r) } -> std::same_as<Bit<D>>;

    // ---- words and their bits
    { d.width(x) } -> std::same_as<int>;
    /// The low w bits of a number; those from the 64th on are zeros.
    { d.constant(value, w) } -> std::same_as<Word<D>>;
    /// w copies of a bit.
    { d.repeat(p, w) } -> std::same_as<Word<D>>;
    /// Bit i; 0 ≤ i < width.
    { d.bit(x, i) } -> std::same_as<Bit<D>>;
    /// The w bits from bit i on, of a word that has zeros on both sides; i may be negative.
    { d.slice(x, i, w) } -> std::same_as<Word<D>>;
    /// Truncated or zero-extended to w bits.
    { d.resize(x, w) } -> std::same_as<Word<D>>;
    /// x·2^(width of y) + y.
    { d.concat(x, y) } -> std::same_as<Word<D>>;

    // ---- operations bit by bit; operands of one width
    /// Whether some bit is set; whether all are. Of no bits: no, and yes.
    { d.any(x) } -> std::same_as<Bit<D>>;
    { d.all(x) } -> std::same_as<Bit<D>>;
    { d.word_or(x, y) } -> std::same_as<Word<D>>;
    /// p ? x : y
    { d.mux(p, x, y) } -> std::same_as<Word<D>>;
    /// p ? x : 0
    { d.mask(p, x) } -> std::same_as<Word<D>>;

    // ---- arithmetic modulo 2^width; operands of one width
    { d.add(x, y) } -> std::same_as<Word<D>>;
    { d.subtract(x, y) } -> std::same_as<Word<D>>;
    /// x + p
    { d.increment(x, p) } -> std::same_as<Word<D>>;
    /// p ? −x : x
    { d.negate_if(p, x) } -> std::same_as<Word<D>>;
    { d.less(x, y) } -> std::same_as<Bit<D>>;

    // ---- arithmetic that widens
    /// As wide as both factors together.
    { d.multiply(x, y) } -> std::same_as<Word<D>>;
    /// x·2^y, wider by the largest y there can be.
    { d.shift_left(x, y) } -> std::same_as<Word<D>>;

    /// x / 2^y, of the width of x; y may be larger than that.
    { d.shift_right(x, y) } -> std::same_as<Shifted<D>>;
    /// x·2^n with the n that sets the highest bit, which are the leading zeros. Of a zero: anything.
    { d.normalise(x) } -> std::same_as<Normalised<D>>;
    /// The largest of one or more words of one width, of those whose bit is set; if none is, a word that is no larger
    /// than any of them, or zero.
    { d.maximum(words, bits) } -> std::same_as<Maximum<D>>;

    // ---- sums of many addends in two's complement, modulo 2^w
    { d.total(w) } -> std::same_as<Total<D>>;
    /// Adds (−1)^p · x · 2^i; the sum has room for x·2^i and a sign.
    d.add_signed(total, x, p, i);
    /// Adds a word of its width.
    d.add_word(total, x);
    /// The sum.
    { d.word(total) } -> std::same_as<Word<D>>;
};

/// Whether some of the bits are set.
template <Domain D>
Bit<D> any_of(D& d, const std::vector<Bit<D>>& bits) {
    Bit<D> found = d.zero();
    for (const Bit<D> bit : bits) found = d.bit_or(found, bit);
    return found;
}

/// The highest bit of a word that has one.
template <Domain D>
Bit<D> msb(D& d, const Word<D>& x) {
    return d.bit(x, d.width(x) - 1);
}

} // namespace discern::circuit
