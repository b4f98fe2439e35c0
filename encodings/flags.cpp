#include "flags.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <variant>

namespace discern {

namespace {

/// The same sum, rounded otherwise.
Unit rounded_otherwise(const Unit& unit, FormatId to, Rounding mode) {
    Unit other = unit;
    auto& root = std::get<Round>(other.tree.kind);
    other.d = root.format = to;
    root.mode = mode;
    other.nan = {.kind = NanRule::Kind::any};
    return other;
}

/// Patterns of a format of IEEE 754's kind.
class Patterns {
  public:
    Patterns(Terms& t, FormatId id) : t_(t), format_(format(id)) {}

    Term magnitude(Term pattern) const { return t_.extract(pattern, format_.padding_bits, magnitude_bits()); }
    Term is_zero(Term pattern) const { return t_.eq(magnitude(pattern), constant(0)); }
    Term is_infinite(Term pattern) const { return t_.eq(magnitude(pattern), constant(infinity())); }
    Term is_signalling(Term pattern) const {
        if (format_.specials != Specials::ieee) return t_.truth(false);
        const Term quiet = t_.bit(pattern, format_.padding_bits + format_.mantissa_bits - 1);
        return t_.bvand(is_nan(t_, format_, pattern), t_.bvnot(quiet));
    }
    /// Whether the number is of smaller magnitude than 2^exponent, which the format has.
    Term is_below(Term pattern, int exponent) const {
        return t_.bvult(magnitude(pattern),
                        constant(static_cast<std::uint64_t>(exponent + format_.bias) << format_.mantissa_bits));
    }

  private:
    int magnitude_bits() const { return format_.exponent_bits + format_.mantissa_bits; }
    Term constant(std::uint64_t bits) const { return t_.constant(Bits(magnitude_bits(), bits)); }
    std::uint64_t infinity() const { return ((1ull << format_.exponent_bits) - 1) << format_.mantissa_bits; }

    Terms& t_;
    const Format& format_;
};

/// With two more bits of exponent neither a product of two numbers of the format nor its sum with a third leaves the
/// normal numbers.
FormatId wider(const Unit& unit) {
    const Format& d = format(unit.d);
    int exponent_bits = d.exponent_bits;
    for (const FormatId id : {unit.a, unit.b, unit.c.value_or(unit.d)})
        exponent_bits = std::max(exponent_bits, format(id).exponent_bits);
    const auto wide = format_of_fields(exponent_bits + 2, d.mantissa_bits, Specials::ieee);
    if (!wide)
        throw Error(sentence("the flags of ", d.name,
                             " are compared by vectors (eval --flags, check --flags) and not "
                             "as a formula, which needs a format with more exponents than there is"));
    return *wide;
}

bool is_one_operation(const Unit& unit) {
    const auto& sum = std::get<Round>(unit.tree.kind).get().kind;
    const auto* fuse = std::get_if<Fuse>(&sum);
    const auto is_leaf = [](const Child& child) { return discern::is_leaf(child.get()); };
    return unit.K == 1 && unit.place == AccumulatorPlace::chained &&
           (fuse == nullptr ? std::holds_alternative<Product>(sum) : std::ranges::all_of(fuse->children, is_leaf));
}

} // namespace

Term encode_flags(Terms& t, const Unit& unit, const InputTerms& in, Tininess tininess) {
    if (const DefinedFlags defined = defined_flags(unit); !defined.why_not.empty())
        throw Error("the flags of this unit are not defined: " + defined.why_not);
    if (!is_one_operation(unit))
        throw Error(
            "the flags of several operations in a row are compared by vectors (eval --flags, check --flags) and "
            "not as a formula; one multiply-add, addition or product has one");
    const Format& d = format(unit.d);
    const Rounding mode = std::get<Round>(unit.tree.kind).mode;
    const FormatId wide = wider(unit);
    const Patterns narrow_patterns(t, unit.d), wide_patterns(t, wide);
    const auto result = [&](FormatId to, Rounding how) { return encode(t, rounded_otherwise(unit, to, how), in); };
    const auto either = [&](Term x, Term y) { return t.bvor(x, y); };
    const auto both = [&](Term x, Term y) { return t.bvand(x, y); };

    const Term down = result(unit.d, Rounding::rd), up = result(unit.d, Rounding::ru), free = result(wide, mode);
    const Term nan = is_nan(t, d, up);
    const Term zero = both(narrow_patterns.is_zero(down), narrow_patterns.is_zero(up));
    const Term inexact = both(t.bvnot(nan), both(t.bvnot(t.eq(down, up)), t.bvnot(zero)));
    const Term overflow = both(inexact, t.bvnot(wide_patterns.is_below(free, d.emax() + 1)));
    const Term judged = tininess == Tininess::before ? result(wide, Rounding::rz) : free;
    const Term underflow = both(inexact, wide_patterns.is_below(judged, d.emin()));

    Term invalid = t.truth(false), of_operand = t.truth(false);
    const auto operand = [&](FormatId id, Term pattern) {
        invalid = either(invalid, Patterns(t, id).is_signalling(pattern));
        of_operand = either(of_operand, is_nan(t, format(id), pattern));
    };
    operand(unit.a, in.a.front());
    operand(unit.b, in.b.front());
    if (in.c) operand(*unit.c, *in.c);
    const auto times = [&](FormatId x, Term infinite, FormatId y, Term zero_too) {
        if (!format(x).has_infinity()) return t.truth(false);
        return both(Patterns(t, x).is_infinite(infinite), Patterns(t, y).is_zero(zero_too));
    };
    invalid = either(invalid, times(unit.a, in.a.front(), unit.b, in.b.front()));
    invalid = either(invalid, times(unit.b, in.b.front(), unit.a, in.a.front()));
    invalid = either(invalid, both(nan, t.bvnot(of_operand)));

    // From the highest bit down; there is no division.
    return t.concat(invalid, t.concat(t.truth(false), t.concat(overflow, t.concat(underflow, inexact))));
}

} // namespace discern
