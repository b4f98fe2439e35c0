// Exact numbers for the oracle: unbounded integers times powers of two.
//
// Every finite pattern of every format, every product and every sum of such is one, so nothing is rounded by accident;
// `rounded` is the only operation that loses anything. Alignments are shifts, there is no division. The header is
// private to oracle.cpp, which is what keeps Boost.Multiprecision out of everybody else's includes.
#pragma once

#include "models/rounding.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <array>
#include <vector>

namespace discern::exact {

// Unbounded; the first 256 bits are stored in place, which is enough for everything but far-apart exact sums.
using Integer =
    boost::multiprecision::number<boost::multiprecision::cpp_int_backend<256, 0>, boost::multiprecision::et_off>;

/// The number integer · 2^scale.
struct Dyadic {
    Integer integer = 0;
    int scale = 0;

    bool is_zero() const { return integer.is_zero(); }
    bool is_negative() const { return integer.sign() < 0; }
};

inline Integer magnitude(const Integer& x) { return x.sign() < 0 ? Integer(-x) : x; }

/// floor(log2 |x|) of a non-zero x.
inline int log2_floor(const Dyadic& x) { return static_cast<int>(msb(magnitude(x.integer))) + x.scale; }

inline Dyadic operator*(const Dyadic& x, const Dyadic& y) { return {x.integer * y.integer, x.scale + y.scale}; }

inline Dyadic operator+(const Dyadic& x, const Dyadic& y) {
    if (x.is_zero()) return y;
    if (y.is_zero()) return x;
    if (x.scale < y.scale) return y + x;
    return {(x.integer << (x.scale - y.scale)) + y.integer, y.scale};
}

inline Dyadic operator-(const Dyadic& x, const Dyadic& y) { return x + Dyadic{-y.integer, y.scale}; }

/// The properties of a number between two multiples of the quantum on which rounding depends.
struct Between {
    bool negative;
    int against_half; ///< the distance from the neighbour nearer to zero, compared with half a quantum: -1, 0, 1
    bool odd;         ///< that neighbour is an odd multiple
};

/// By mode: whether the neighbour farther from zero is chosen.
inline constexpr std::array<bool (*)(const Between&), rounding_names.size()> chooses_farther = {
    [](const Between&) { return false; },                                                  // rz
    [](const Between& x) { return x.negative; },                                           // rd
    [](const Between& x) { return !x.negative; },                                          // ru
    [](const Between& x) { return x.against_half > 0 || (x.against_half == 0 && x.odd); }, // rne
    [](const Between& x) { return x.against_half >= 0; },                                  // rna
    [](const Between& x) { return !x.odd; },                                               // odd
    [](const Between&) { return true; },                                                   // ra
    [](const Between& x) { return x.against_half >= (x.negative ? 1 : 0); },               // rnu
    [](const Between& x) { return x.against_half >= (x.negative ? 0 : 1); },               // rnd
    [](const Between& x) { return x.against_half > 0; },                                   // rnz
    [](const Between& x) { return x.against_half + (x.odd ? 0 : 1) > 0; },                 // rno
};

/// x rounded to a multiple of 2^quantum.
inline Dyadic rounded(const Dyadic& x, int quantum, Rounding mode) {
    if (x.scale >= quantum) return x;
    const auto shift = static_cast<unsigned>(quantum - x.scale);
    const Integer all = magnitude(x.integer);
    Integer multiple = all >> shift;
    const Integer rest = all - (multiple << shift);
    if (!rest.is_zero()) {
        const int against_half = Integer(rest << 1).compare(Integer(1) << shift);
        const Between between{x.is_negative(), against_half < 0 ? -1 : (against_half > 0 ? 1 : 0),
                              !multiple.is_zero() && bit_test(multiple, 0)};
        if (chooses_farther[static_cast<std::size_t>(mode)](between)) ++multiple;
    }
    return {x.is_negative() ? Integer(-multiple) : multiple, quantum};
}

inline Dyadic sum(const std::vector<Dyadic>& values) {
    Dyadic total;
    for (const Dyadic& v : values) total = total + v;
    return total;
}

/// x as a two's complement register of `width` bits shows it, whose last bit is worth 2^last. x is a multiple of
/// that.
inline Dyadic wrapped(const Dyadic& x, int width, int last) {
    if (x.is_zero()) return x;
    const Integer modulus = Integer(1) << width;
    Integer units = ((x.integer << (x.scale - last)) % modulus + modulus) % modulus;
    if (units >= modulus >> 1) units -= modulus;
    return {units, last};
}

} // namespace discern::exact
