// Coverage bins of a unit: what can happen at each sum and each rounding of its tree, so that a bench can say which of
// it its vectors have shown.
//
// A bin is described twice: as what the recorded walk of the evaluator shows (hits), and as a bit of the reference
// circuit (conditions), which a solver can be asked for. The two share no arithmetic, and tests hold them together.
#pragma once

#include "analysis/explain/trace.hpp"
#include "encodings/encode.hpp"
#include "models/unit.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace discern::coverage {

enum class Event : std::uint8_t {
    // of a term of a sum, where all of its terms are finite
    cut,          ///< alignment or a drop takes bits that are set
    gone,         ///< it is not zero, and alignment leaves nothing of it
    largest,      ///< it is not zero, and no exponent that takes part in E, and no floor, is above its own
    zero_largest, ///< a leaf: it is zero, and takes part in E with an exponent that none is above (zero=)
    // of a leaf (a product, a group, the accumulator), whatever the others are
    zero,
    infinite,
    nan,
    // of a sum, where all terms are finite
    floor,     ///< the floor is above the exponents of all terms
    all_zero,  ///< all terms are zero
    carry,     ///< the sum's first digit is above those of all aligned terms
    cancel,    ///< that is below the highest one of them
    cancelled, ///< the sum is zero, and some aligned term is not
    wraps,     ///< the register is too narrow for it (carry=)
    // of a rounding, where the operand is finite and not zero
    exact,      ///< nothing is below the last digit that is kept
    below_half, ///< what is below is less than half a unit
    tie_even,   ///< it is half a unit, and the digit before is 0
    tie_odd,    ///< it is half a unit, and the digit before is 1
    above_half,
    next_binade, ///< the significand is rounded up to a power of two
    to_normal,   ///< a number below the normal ones is rounded up to the smallest of these
    subnormal,   ///< the result is subnormal
    underflow,   ///< it is rounded to zero
    flushed,     ///< it is replaced by zero (ftz=)
    overflow,    ///< it is above the largest number after rounding
    // of a rounding, where it is not
    plus_zero,
    minus_zero,
    plus_infinity,
    minus_infinity,
    operand_nan,
    opposite, ///< of the root: a NaN although no term is one: infinities of both signs
};

/// "cut", and what it means as a sentence without its subject: "alignment takes bits that are set".
std::string_view name(Event event);
std::string_view meaning(Event event);

struct Bin {
    std::size_t block = 0; ///< of the unit's blocks, from 0
    std::string node;      ///< the sum or the rounding as `explain` calls it: s1, sum, r1, d
    std::string term;      ///< p3, g0, c, d0, s1, r1; of a rounding and of a whole sum none
    Event event = {};

    bool operator==(const Bin&) const = default;
    bool operator<(const Bin& o) const {
        return std::tie(block, node, term, event) < std::tie(o.block, o.node, o.term, o.event);
    }
};

/// "sum.p3.cut"; of a unit of several blocks "b1.sum.p3.cut".
std::string name(const Bin& bin, const Unit& unit);

/// The bins that one vector hits, each once.
std::vector<Bin> hits(const explain::Trace& trace);

/// The bins of a unit in the order of the circuit, with the bit that says whether inputs hit them. Where the parameters
/// alone exclude an event, there is no bin. An addition of c after all blocks, and sums within a group, have none.
struct Conditions {
    /// @throws Error if the unit is not valid
    explicit Conditions(const Unit& unit);
    Conditions(const Conditions&) = delete;
    Conditions& operator=(const Conditions&) = delete;

    Terms terms;
    InputTerms inputs;
    std::vector<Bin> bins;
    std::vector<Term> hit; ///< of each bin
};

} // namespace discern::coverage
