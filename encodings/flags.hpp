// The status flags of IEEE 754 as a function of the input patterns.
#pragma once

#include "encode.hpp"

#include "models/flags.hpp"

namespace discern {

/// The flags (5 bits, as in StatusFlags) of one multiply-add, addition or product that is rounded once.
///
/// They follow from what the operation gives with other roundings: it is inexact if rd and ru give two numbers; it
/// overflows, or is tiny, if it is too large or too small in a format with more exponents. So they share no argument
/// with flags_exactly(), which compares exact numbers.
/// @throws Error if the unit's flags are not defined, it is made of several operations, or no format has exponents
/// enough (f64)
Term encode_flags(Terms& t, const Unit& unit, const InputTerms& inputs, Tininess tininess);

} // namespace discern
