// The nodes of a tree as terms, with parameters that may be choices: the fused sum and the rounding.
#pragma once

#include "encodings/graph/pick.hpp"
#include "models/unit.hpp"
#include "models/unit/attributes.hpp"
#include "number.hpp"

#include <climits>
#include <optional>
#include <span>
#include <vector>

namespace discern {

using Alignment = ChildAttributes<Pick>; ///< how a summand is aligned
using FuseRule = FuseAttributes<Pick>;

struct Summand {
    Number number;
    Alignment how;
    bool is_c;
};

/// Nothing is cut.
inline Alignment exactly(Terms& t) {
    return {fixed(t, std::optional<int>()), fixed(t, Rounding::rz), fixed(t, ZeroExponent{}),
            fixed(t, std::optional<int>())};
}
/// Nothing wraps, and E is that of the largest term.
inline FuseRule wide_and_free(Terms& t) {
    return {fixed(t, std::optional<int>()),
            fixed(t, std::optional<int>()),
            fixed(t, false),
            fixed(t, false),
            fixed(t, SignFrame::none),
            fixed(t, Opposed::all),
            fixed(t, std::optional<int>()),
            fixed(t, 0)};
}

/// Exponents up to which all are alike to whoever reads them: none are, or all.
inline constexpr int everything_counts = INT_MIN, nothing_counts = INT_MAX;

struct Reader; // sum/unfelt.hpp

struct Fused {
    Number sum;
    int indifferent; ///< exponents of the summands up to this one are alike to the value of the sum
    bool exact;      ///< nothing is ever cut, dropped or wraps
};

/// @param summands     at least one
/// @param indifferent  exponents of the sum up to this one are alike to whoever reads it
/// @param reader       the rounding that reads the sum and nothing else of it, if there is one; may be nullptr
/// the
///                     same summands, before they were told which of their exponents are alike
Fused fuse_term(Terms& t, std::vector<Summand> summands, const FuseRule& rule, int indifferent,
                const Reader* reader = nullptr);

/// What is read of it: all but the format, which is said apart.
using RoundRule = RoundAttributes<Pick>;

/// The rounded number as a bit pattern of a format.
/// @param nan  which pattern a NaN becomes
Term round_term(Terms& t, const Format& format, const RoundRule& how, const Number& value, const NanRule& nan);

/// Whether a finite number may become more than the largest of the format, before an overflow is dealt with.
bool may_overflow(const Format& format, const RoundRule& how, const Number& value);

/// Whether it is known that no result is −0.
bool zeros_are_positive(Terms& t, const Format& format, const RoundRule& how, const Number& value);

/// The number itself, where rounding it loses nothing; nothing if that is not known.
/// match: a rounding that is exact for all inputs, and whose result's exponent nobody reads => its operand
std::optional<Number> rounded_idly(Terms& t, const Format& format, const RoundRule& how, const Number& value,
                                   const NanRule& nan);

} // namespace discern
