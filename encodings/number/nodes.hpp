// The nodes of a tree as terms, with parameters that may be choices: the fused sum and the rounding.
#pragma once

#include "encodings/graph/pick.hpp"
#include "models/unit.hpp"
#include "models/unit/attributes.hpp"
#include "number.hpp"

#include <climits>
#include <optional>
#include <vector>

namespace discern {

using Alignment = ChildAttributes<Pick>; ///< how a summand is aligned before it is added
using FuseRule = FuseAttributes<Pick>;

struct Summand {
    Number number;
    Alignment how;
    bool is_c;
};

/// Each attribute has the value that the notation leaves out.
template <template <template <typename> class> class Attributes>
Attributes<Pick> usual(Terms& t) {
    Attributes<Pick> result;
    Attributes<Pick>::zip(result, result, [&t]<typename T>(Pick<T>& pick, Pick<T>&) { pick = fixed(t, T{}); });
    return result;
}

/// Every summand is added exactly.
inline Alignment exactly(Terms& t) { return usual<ChildAttributes>(t); }
/// Nothing wraps, and E is that of the largest term.
inline FuseRule wide_and_free(Terms& t) { return usual<FuseAttributes>(t); }

/// Bounds up to which exponents have no effect on the result: no exponent is below the first, every one below the
/// second.
inline constexpr int everything_counts = INT_MIN, nothing_counts = INT_MAX;

struct Reader; // sum/unobservable.hpp

struct Fused {
    Number sum;
    int indifferent; ///< exponents of the summands up to this one do not affect the value of the sum
    bool exact;      ///< no summand is truncated or dropped, and the register never wraps
};

/// @param summands     at least one
/// @param indifferent  exponents of the sum up to this one do not affect the result
/// @param reader       the rounding that is the only consumer of the sum, or nullptr
Fused fuse_term(Terms& t, std::vector<Summand> summands, const FuseRule& rule, int indifferent,
                const Reader* reader = nullptr);

/// The parameters of a rounding without its format, which is a parameter of its own.
using RoundRule = RoundAttributes<Pick>;

/// Which pattern a NaN becomes.
struct NanPatterns {
    NanRule rule;
    bool invalid_as_of_factor = false; ///< under NanRule::rdna: see invalid_is_as_of_factor()
};

/// The rounded number as a bit pattern of a format.
Term round_term(Terms& t, const Format& format, const RoundRule& how, const Number& value, const NanPatterns& nan);

/// Whether a finite value may exceed the format's largest number after rounding, before overflow is handled.
bool may_overflow(const Format& format, const RoundRule& how, const Number& value);

/// Whether it is known that no result is −0.
bool zeros_are_positive(Terms& t, const Format& format, const RoundRule& how, const Number& value);

/// The number itself if every rounding of it is exact, or has no effect on the next one; nothing if that is not known.
/// match: every value of the operand is a number of the format, and the reference exponent of the result has no effect
/// => the operand
/// @param next  the rounding that alone consumes the result, or nullptr
std::optional<Number> exact_rounding(Terms& t, const Format& format, const RoundRule& how, const Number& value,
                                     const NanRule& nan, const Reader* next);

} // namespace discern
