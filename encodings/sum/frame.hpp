// Sums in a frame: terms whose sign is not that of the frame are inverted, digit by digit, where others negate them.
//
// The two differ by one in the last place. docs/notation.md, `frame=` and `opposed=`, has the rule.
#pragma once

#include "encodings/nodes.hpp"

#include <span>

namespace discern {

/// Whose sign the terms are inverted by.
struct Frame {
    Term exists;   ///< 1 bit: whether there is anybody
    Term negative; ///< 1 bit: whether that sign is −
};

/// @param summands  with c among them
/// @param someone   as Exponents::someone
Frame find_frame(Terms& t, std::span<const Summand> summands, const FuseRule& rule, Term someone);

/// What inverting a summand instead of negating it does.
struct Inversion {
    Term adds;    ///< to the sum, in its last places, places + 2 bits; zero if it is not inverted
    Term happens; ///< 1 bit
};

/// @param aligned  the summand, as aligned_term with `places`
Inversion find_inversion(Terms& t, const Frame& frame, const Summand& s, const Pick<Opposed>& opposed, Term aligned,
                         int places);

} // namespace discern
