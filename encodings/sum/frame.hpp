// Sums in a frame: a term whose sign differs from the frame's enters as its one's complement instead of its two's
// complement, which is one unit of its last bit away. docs/notation.md, `frame=` and `opposed=`, has the rule.
#pragma once

#include "encodings/number/nodes.hpp"

#include <span>

namespace discern {

/// The sign relative to which the sum is formed.
struct Frame {
    Term exists;   ///< 1 bit: whether the sum has a frame
    Term negative; ///< 1 bit: whether that sign is −
};

/// @param summands  with c among them
/// @param someone   as Exponents::someone
Frame find_frame(Terms& t, std::span<const Summand> summands, const FuseRule& rule, Term someone);

/// The difference between a summand's one's complement and its two's complement.
struct Inversion {
    Term adds;    ///< what it adds to the sum, in units of the sum's last bit, fraction_bits + 2 bits; 0: not inverted
    Term happens; ///< 1 bit: the summand is inverted
};

/// @param aligned  the summand, as aligned_term gives it with most = fraction_bits
Inversion find_inversion(Terms& t, const Frame& frame, const Summand& s, const Pick<Opposed>& opposed, Term aligned,
                         int fraction_bits);

} // namespace discern
