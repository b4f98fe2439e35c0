// Words of bits and the plainest circuits for them: ripple carry, one row a bit of a multiplier, one stage a bit of a
// shift.
#pragma once

#include "netlist.hpp"

#include <cstdint>
#include <utility>

namespace discern::certificate {

/// The low `width` bits of a constant.
Bits constant(std::uint64_t value, int width);
/// Zeros appended above, or bits cut off above.
Bits resized(Bits x, int width);
/// The bits from `first`, `count` of them; places that the word does not have are zeros.
Bits part(const Bits& x, int first, int count);
inline int width(const Bits& x) { return static_cast<int>(x.size()); }

/// Whether some bit is set; whether all are.
Literal any(Netlist& n, const Bits& x);
Literal all(Netlist& n, const Bits& x);

/// condition ? then : otherwise, of one width.
Bits choose(Netlist& n, Literal condition, const Bits& then, const Bits& otherwise);
/// The word if the condition holds, else zero.
Bits only_if(Netlist& n, Literal condition, const Bits& x);
/// Every bit reversed if the condition holds.
Bits reversed_if(Netlist& n, Literal condition, Bits x);

/// x + y + carry modulo 2^width; x and y have that width.
Bits add(Netlist& n, const Bits& x, const Bits& y, Literal carry = no);
/// x + one modulo 2^width.
Bits increment(Netlist& n, const Bits& x, Literal one);
/// x < y, of one width, without sign.
Literal less(Netlist& n, const Bits& x, const Bits& y);
/// The product, as wide as both together.
Bits multiply(Netlist& n, const Bits& x, const Bits& y);

/// x·2^amount, as wide as needed for the largest amount.
Bits shift_left(Netlist& n, const Bits& x, const Bits& amount);
/// x shifted right by any amount, and whether a bit that was set left the word.
struct Shifted {
    Bits word;
    Literal lost;
};
Shifted shift_right(Netlist& n, const Bits& x, const Bits& amount);
/// x shifted left until its highest bit is set, and by how many places. Of a zero: anything.
struct Normalised {
    Bits word;
    Bits count;
};
Normalised normalise(Netlist& n, const Bits& x);

/// A whole number between two bounds: low + bits. The bounds are what the places are chosen for; where the number does
/// not matter (the exponent of a NaN) it may be outside of them, and is then anything.
struct Integer {
    Bits bits;
    int low = 0, high = 0;
};

Integer integer(int value);
/// offset + bits.
Integer integer(Bits bits, int offset);
/// x + by.
Integer moved(Integer x, int by);
/// x + y.
Integer sum(Netlist& n, const Integer& x, const Integer& y);
/// x + one, for a bit.
Integer plus(Netlist& n, const Integer& x, Literal one);
/// x − y, of which it is known that it lies between the bounds.
Integer difference(Netlist& n, const Integer& x, const Integer& y, int low, int high);
/// x < y.
Literal less(Netlist& n, const Integer& x, const Integer& y);
Integer choose(Netlist& n, Literal condition, const Integer& then, const Integer& otherwise);
Integer larger(Netlist& n, const Integer& x, const Integer& y);
/// The largest of those numbers that take part; if none does, a number that is not above any of them.
Integer largest(Netlist& n, const std::vector<Integer>& numbers, Bits take_part);

} // namespace discern::certificate
