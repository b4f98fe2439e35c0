// Patterns as numbers, twice: as values, and as terms. Claims are written with these, so that a claim about a vector
// and the same claim about all vectors look the same; tests compare the two.
#pragma once

#include "analysis/measure/apart.hpp"
#include "encodings/encode.hpp"
#include "models/format.hpp"
#include "models/unit.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <optional>

namespace discern::property {

using discern::negated;
using discern::place_of;

bool is_zero(const Format& f, std::uint64_t bits);
bool is_nan(const Format& f, std::uint64_t bits);
bool is_infinite(const Format& f, std::uint64_t bits);
inline bool is_finite(const Format& f, std::uint64_t bits) { return !is_nan(f, bits) && !is_infinite(f, bits); }

Term is_zero(Terms& t, const Format& f, Term bits);
Term is_infinite(Terms& t, const Format& f, Term bits);
Term is_finite(Terms& t, const Format& f, Term bits);

/// The pattern of −x; a NaN stays one, and so does a zero that has no sign.
Term negated(Terms& t, const Format& f, Term bits);

/// Whether two zeros of other signs are the same result.
enum class Zeros : std::uint8_t { by_sign, alike };

/// Whether two patterns are the same number; all NaN are equal.
bool alike(const Format& f, std::uint64_t x, std::uint64_t y, Zeros zeros);
Term alike(Terms& t, const Format& f, Term x, Term y, Zeros zeros);

/// place_of() a pattern as a term, in two's complement, ordinal_width() bits: differences of two fit.
Term place_of(Terms& t, const Format& f, Term bits);
inline int ordinal_width(const Format& f) { return f.width + 2; }

/// x·y < u·v of finite patterns, exactly.
bool is_larger_product(const Format& a, const Format& b, std::uint64_t x, std::uint64_t y, std::uint64_t u,
                       std::uint64_t v);
Term is_larger_product(Terms& t, const Format& a, const Format& b, Term x, Term y, Term u, Term v);

/// The special value that IEEE 754 gives for a sum of products some of whose operands are not finite.
enum class Special : std::uint8_t { none, plus_infinity, minus_infinity, nan };
Special special_of(const Unit& unit, const Inputs& inputs);
struct SpecialTerms {
    Term any, nan, plus, minus; ///< 1 bit each; `any` if it is not none
};
SpecialTerms special_of(Terms& t, const Unit& unit, const InputTerms& inputs);

/// Whether the exponents of all terms that are not zero, products and c, lie within n of each other: the sum of the
/// exponents of a product's factors and scales, of a subnormal the least. Inputs are finite.
bool exponents_within(const Unit& unit, const Inputs& inputs, int n);
/// The least and the largest of them; nothing: all terms are zero.
struct Exponents {
    int least, most;
};
std::optional<Exponents> exponents_of(const Unit& unit, const Inputs& inputs);
/// The same, of a variable that is the largest of them if the condition holds.
struct ExponentsWithin {
    Term condition, largest;
};
ExponentsWithin exponents_within(Terms& t, const Unit& unit, const InputTerms& inputs, int n);

} // namespace discern::property
