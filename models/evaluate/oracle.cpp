// The exact oracle: what a tree computes, in unbounded integers and as literally as possible.
//
// Every other implementation of the trees (machine integers, bit-vector circuits) is fast and therefore clever; this
// one is slow and therefore plain, so that a disagreement between them can be settled by reading. It follows
// docs/notation.md sentence by sentence, and through it the algorithms of Xie et al., "Bit-Accurate Modeling of GPU
// Matrix Multiply-Accumulate Units": algorithms 1-4 and 6-11 are trees of the nodes below, 5 is the loop over the
// blocks.
//
// Every finite number here is an integer times a power of two, so nothing is ever rounded except where the tree says
// so, and rounding compares exact numbers instead of looking at guard bits. Format records, Selection and Unit::element
// are shared with the other implementations; decoding, arithmetic, rounding and encoding are not.
#include "exact.hpp"
#include "models/evaluate.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

namespace discern {

namespace {

using namespace exact;

// ------------------------------------------------------------------------- unnormalised numbers and special values

enum class Sign { plus, minus, mixed };

Sign sign_from(bool negative) { return negative ? Sign::minus : Sign::plus; }

/// The NaN of an operand, as NanRule::propagate keeps it: its mantissa field is left-aligned in `fraction`, quieted.
struct NanContent {
    bool negative = false;
    std::uint64_t fraction = 0;
};

constexpr std::uint64_t quiet_bit = 1ull << 63;

/// An intermediate result. Finite: a value, a reference exponent (or none) and, if the value is zero, a zero sign.
/// Infinite: a sign. NaN: what it carries, nothing if an invalid operation made it.
struct Number {
    NumberClass number_class = NumberClass::finite;
    Dyadic value;
    std::optional<int> exponent;
    Sign sign = Sign::plus; ///< of an infinity, of a zero, of an operand's NaN; of any other number that of its value
    bool soft = false;      ///< made by the limit of a product: yields to specials that come from the inputs
    std::optional<NanContent> content;

    bool is_finite() const { return number_class == NumberClass::finite; }
    bool is_nan() const { return number_class == NumberClass::nan; }
    bool is_infinite() const { return number_class == NumberClass::infinite; }
    bool is_zero() const { return is_finite() && value.is_zero(); }
};

/// A finite number; the zero sign counts only if the value is zero.
Number finite(Dyadic value, std::optional<int> exponent, Sign zero_sign) {
    Number n;
    n.sign = value.is_zero() ? zero_sign : sign_from(value.is_negative());
    n.value = std::move(value);
    n.exponent = exponent;
    return n;
}

Number infinity(Sign sign, bool soft = false) {
    Number n;
    n.number_class = NumberClass::infinite;
    n.sign = sign;
    n.soft = soft;
    return n;
}

Number nan(std::optional<NanContent> content, bool soft = false) {
    Number n;
    n.number_class = NumberClass::nan;
    n.content = content;
    n.soft = soft;
    return n;
}

// --------------------------------------------------------------------------------------------- bit patterns

std::uint64_t ones(int n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

/// The number of a bit pattern (SignedSig and Exp of the algorithms): a subnormal or zero has exponent emin.
Number read(const Format& f, std::uint64_t bits) {
    const bool negative = f.is_signed && ((bits >> (f.width - 1)) & 1) != 0;
    const std::uint64_t unsigned_part = (bits >> f.padding_bits) & ones(f.exponent_bits + f.mantissa_bits);
    const std::uint64_t mantissa = unsigned_part & ones(f.mantissa_bits);
    const std::uint64_t infinity_pattern = ones(f.exponent_bits) << f.mantissa_bits;

    if (f.specials == Specials::ieee && unsigned_part == infinity_pattern) return infinity(sign_from(negative));
    const bool is_nan =
        (f.specials == Specials::ieee && unsigned_part > infinity_pattern) ||
        (f.specials == Specials::all_ones && unsigned_part == ones(f.exponent_bits + f.mantissa_bits)) ||
        (f.specials == Specials::fnuz && negative && unsigned_part == 0);
    if (is_nan) {
        const std::uint64_t aligned = f.mantissa_bits == 0 ? 0 : mantissa << (64 - f.mantissa_bits);
        Number n = nan(NanContent{negative, aligned | quiet_bit});
        n.sign = sign_from(negative);
        return n;
    }

    const bool has_hidden_bit = !f.has_zero || unsigned_part > mantissa;
    const int exponent = has_hidden_bit ? static_cast<int>(unsigned_part >> f.mantissa_bits) - f.bias : f.emin();
    const Integer significand = mantissa + (has_hidden_bit ? 1ull << f.mantissa_bits : 0);
    return finite({negative ? Integer(-significand) : significand, exponent - f.mantissa_bits}, exponent,
                  sign_from(negative));
}

/// The pattern of a finite number that the format holds, or of an infinity if it has one.
std::uint64_t write(const Format& f, const Number& n) {
    const std::uint64_t sign_bit = n.sign == Sign::minus ? 1ull << (f.width - 1) : 0;
    if (n.is_infinite()) return sign_bit | (ones(f.exponent_bits) << (f.mantissa_bits + f.padding_bits));
    if (n.is_zero()) return sign_bit;
    // In units of the last place; the hidden bit of a normal number is what makes its exponent field one larger.
    const int exponent = std::max(log2_floor(n.value), f.emin());
    const Dyadic exact = rounded(n.value, exponent - f.mantissa_bits, Rounding::rz);
    const auto places =
        static_cast<std::uint64_t>(magnitude(exact.integer) << (exact.scale - exponent + f.mantissa_bits));
    const auto above_emin = static_cast<std::uint64_t>(exponent - f.emin());
    return sign_bit | (((above_emin << f.mantissa_bits) + places) << f.padding_bits);
}

/// The NaN of the format that keeps as much of the content as it can.
std::uint64_t write_nan(const Format& f, const NanContent& content) {
    const std::uint64_t sign_bit = content.negative ? 1ull << (f.width - 1) : 0;
    const std::uint64_t top = ones(f.exponent_bits);
    switch (f.specials) {
    case Specials::ieee:
        return sign_bit | (((top << f.mantissa_bits) | (content.fraction >> (64 - f.mantissa_bits))) << f.padding_bits);
    case Specials::all_ones: return sign_bit | (top << f.mantissa_bits) | ones(f.mantissa_bits);
    case Specials::fnuz: return 1ull << (f.width - 1);
    case Specials::none: break;
    }
    throw std::logic_error("evaluate_exactly: a NaN reached a format that has none");
}

Dyadic largest(const Format& f) { return {Integer(f.max_significand()), f.emax() - f.mantissa_bits}; }

/// NaN made by an invalid operation: sign bit set.
constexpr NanContent invalid{true, quiet_bit};

// --------------------------------------------------------------------------------- products and sums of numbers

/// The exact product: values multiplied, exponents added. Infinity times zero is NaN, or infinite; of two NaN the first
/// one's.
Number product_of(const Number& x, const Number& y, bool infinity_beats_zero) {
    if (x.is_nan() || y.is_nan()) return nan(x.content ? x.content : y.content);
    const Sign sign = x.sign == Sign::mixed || y.sign == Sign::mixed ? Sign::mixed : sign_from(x.sign != y.sign);
    if (!x.is_finite() || !y.is_finite())
        return (x.is_zero() || y.is_zero()) && !infinity_beats_zero ? nan({}) : infinity(sign);
    return finite(x.value * y.value, *x.exponent + *y.exponent, sign);
}
Number operator*(const Number& x, const Number& y) { return product_of(x, y, false); }

/// The special value of a sum, nothing if all terms are finite. Specials made by a limit (soft) count only if there is
/// none that comes from the inputs.
std::optional<Number> special_sum(const std::vector<Number>& terms) {
    for (const bool soft : {false, true}) {
        bool has_nan = false, has_plus = false, has_minus = false;
        std::optional<NanContent> content;
        for (const Number& t : terms) {
            if (t.is_finite() || t.soft != soft) continue;
            has_nan |= t.is_nan();
            has_plus |= t.is_infinite() && t.sign == Sign::plus;
            has_minus |= t.is_infinite() && t.sign == Sign::minus;
            if (!content) content = t.content;
        }
        if (has_nan || (has_plus && has_minus)) return nan(content, soft);
        if (has_plus || has_minus) return infinity(sign_from(has_minus), soft);
    }
    return std::nullopt;
}

/// The sign of a sum that is zero.
/// @param values  of the terms as they were added, in the order of `terms`
Sign zero_sum_sign(const std::vector<Number>& terms, const std::vector<Dyadic>& values) {
    if (!std::all_of(values.begin(), values.end(), [](const Dyadic& v) { return v.is_zero(); })) return Sign::mixed;
    const Sign first = terms.front().sign;
    const bool common = std::all_of(terms.begin(), terms.end(), [&](const Number& t) { return t.sign == first; });
    return common ? first : Sign::mixed;
}

/// The exact sum, with reference exponent 0.
Number exact_sum(const std::vector<Number>& terms) {
    if (auto special = special_sum(terms)) return *std::move(special);
    std::vector<Dyadic> values;
    for (const Number& t : terms) values.push_back(t.value);
    return finite(sum(values), 0, zero_sum_sign(terms, values));
}

/// An operand as a leaf reads it.
template <class Leaf>
Number flushed(const Format& f, Number operand, const Leaf& leaf) {
    if (!leaf.flush || !operand.is_finite()) return operand;
    if (operand.is_zero()) return finite({}, operand.exponent, leaf.zero_keeps_sign ? operand.sign : Sign::plus);
    if (log2_floor(operand.value) >= f.emin()) return operand;
    return finite({}, operand.exponent, leaf.flush_keeps_sign ? operand.sign : Sign::plus);
}

/// A factor as the products read it.
Number factor(const Format& f, Number operand, const Product& p) {
    if (operand.is_infinite() && p.infinity_is_nan) {
        const Sign sign = operand.sign;
        operand = nan({});
        operand.sign = sign;
    }
    if (operand.is_nan() && p.nan_is_zero) operand = finite({}, f.emin(), operand.sign);
    return flushed(f, std::move(operand), p);
}

// ----------------------------------------------------------------------------------------------- conversion

/// Whether IEEE 754 (§7.4) gives infinity for an overflow, by mode: for positive, for negative numbers.
constexpr std::array<std::array<bool, 2>, rounding_names.size()> ieee_overflow_is_infinite = {
    {{false, false}, {false, true}, {true, false}, {true, true}, {true, true}, {false, false}}};

/// An infinity in a format that may lack it: then NaN, and the largest number if there is no NaN either.
Number infinity_of(const Format& f, Sign sign) {
    if (f.has_infinity()) return infinity(sign);
    if (f.has_nan()) return read(f, write_nan(f, invalid));
    Dyadic value = largest(f);
    if (sign == Sign::minus) value.integer = -value.integer;
    return finite(value, f.emax(), sign);
}

/// Whether a result is flushed. One that the mode alone rounds to zero is no subnormal result, but the exact number was
/// below emin.
bool is_flushed(const Round& r, const Format& f, const Dyadic& exact, const Dyadic& result) {
    const auto tiny = [&](const Dyadic& x) { return log2_floor(x) < f.emin(); };
    switch (r.flush) {
    case Flush::none: return false;
    case Flush::result: return !result.is_zero() && tiny(result);
    case Flush::before: return tiny(exact);
    case Flush::after: return tiny(rounded(exact, log2_floor(exact) - f.mantissa_bits, r.mode));
    }
    return false;
}

/// The conversion to a format (ρ of Xie et al., Table 2; with flushing lines 2, 4 and 5 of Algorithm 1).
Number converted(const Round& r, const Number& n) {
    const Format& f = format(r.format);
    // A FNUZ format has no minus zero.
    const auto zero = [&](Sign sign) { return finite({}, f.emin(), f.specials == Specials::fnuz ? Sign::plus : sign); };

    if (n.is_nan()) return f.has_nan() ? read(f, write_nan(f, n.content.value_or(invalid))) : n;
    if (n.is_infinite()) return infinity_of(f, n.sign);
    if (n.is_zero()) {
        if (!r.zero_sign_ieee) return zero(Sign::plus);
        return zero(n.sign != Sign::mixed ? n.sign : sign_from(r.mode == Rounding::rd));
    }

    const Dyadic result = rounded(n.value, std::max(log2_floor(n.value), f.emin()) - f.mantissa_bits, r.mode);
    if (is_flushed(r, f, n.value, result)) return zero(r.flush_keeps_sign ? n.sign : Sign::plus);
    if (result.is_zero()) return zero(r.underflow_keeps_sign ? n.sign : Sign::plus);

    const Dyadic most = largest(f);
    const Dyadic excess = Dyadic{magnitude(result.integer), result.scale} + Dyadic{-most.integer, most.scale};
    if (!excess.is_zero() && !excess.is_negative()) {
        const bool minus = n.sign == Sign::minus;
        const bool infinite = r.overflow == Overflow::infinity ||
                              (r.overflow == Overflow::ieee &&
                               ieee_overflow_is_infinite[static_cast<std::size_t>(r.mode)][minus ? 1 : 0]);
        if (infinite) return infinity_of(f, n.sign);
        return finite({minus ? Integer(-most.integer) : most.integer, most.scale}, f.emax(), n.sign);
    }
    return finite(result, std::max(log2_floor(result), f.emin()), n.sign);
}

// --------------------------------------------------------------------------------------------- the tree of a block

/// A bit pattern and the format that it is in.
struct Pattern {
    const Format* format;
    std::uint64_t bits;
};

/// The evaluation of the tree on one block.
class Block {
  public:
    Block(const Unit& unit, const Inputs& inputs, int index, Pattern accumulator)
        : unit_(unit), inputs_(inputs), index_(index), accumulator_(accumulator) {}

    /// The numbers a node stands for, in order: one for each selected element or group of a leaf, else one.
    std::vector<Number> numbers(const Node& node) const {
        return std::visit([this](const auto& kind) { return all(kind); }, node.kind);
    }

    Number round(const Round& r) const { return converted(r, numbers(r.get()).front()); }

  private:
    std::vector<Number> all(const Product& p) const {
        return selected(p.which, unit_.L, [&](int l) { return product(p, l); });
    }
    std::vector<Number> all(const Group& g) const {
        return selected(g.which, unit_.L / g.size, [&](int i) { return group(g, i); });
    }
    std::vector<Number> all(const Accumulator& c) const { return {accumulator(c)}; }
    std::vector<Number> all(const Fuse& f) const { return {fuse(f)}; }
    std::vector<Number> all(const Round& r) const { return {round(r)}; }

    template <class Leaf>
    static std::vector<Number> selected(Selection which, int count, Leaf leaf) {
        std::vector<Number> numbers;
        for (int i = which.first; i < count; i += which.step) {
            numbers.push_back(leaf(i));
            if (which.step == 0) break;
        }
        return numbers;
    }

    Number product(const Product& p, int l) const;
    Number group(const Group& g, int i) const;
    Number accumulator(const Accumulator& c) const;
    Number fuse(const Fuse& f) const;
    Number scaled(Number n, std::size_t element, bool infinity_beats_zero = false) const;
    void invert(const Fuse& f, const std::vector<Number>& terms, const std::vector<const Child*>& child_of, int E,
                std::vector<Dyadic>& values) const;

    const Unit& unit_;
    const Inputs& inputs_;
    int index_;
    Pattern accumulator_;
};

/// n times the scales of an element, if the unit has any (Xie et al., Algorithm 8, line 4; Algorithm 9, lines 4-5). The
/// NaN of a scale carries nothing: only a, b and c are operands in the sense of NanRule::propagate.
Number Block::scaled(Number n, std::size_t element, bool infinity_beats_zero) const {
    if (!unit_.scale) return n;
    const Format& f = format(unit_.scale->format);
    const std::size_t i = element / static_cast<std::size_t>(unit_.scale->block);
    Number sa = read(f, inputs_.sa[i]), sb = read(f, inputs_.sb[i]);
    sa.content.reset();
    sb.content.reset();
    return product_of(product_of(n, sa, infinity_beats_zero), sb, infinity_beats_zero);
}

/// An exact product of the l-th elements (Xie et al., step 1 of Algorithms 7, 8, 10 and 11).
Number Block::product(const Product& p, int l) const {
    const auto k = static_cast<std::size_t>(unit_.element(index_, l));
    const Format &fa = format(unit_.a), &fb = format(unit_.b);
    const Number a = factor(fa, read(fa, inputs_.a[k]), p);
    const Number b = factor(fb, read(fb, inputs_.b[k]), p);
    Number n = scaled(product_of(a, b, p.infinity_beats_zero), k, p.infinity_beats_zero);
    if (!n.is_finite() || n.is_zero()) return n;
    const int top = log2_floor(n.value);
    if (p.limit && top >= *p.limit) return infinity(n.sign, p.limit_yields);
    if (p.normalisation == Normalisation::carry && top > *n.exponent) ++*n.exponent;
    if (p.normalisation == Normalisation::full) n.exponent = top;
    return n;
}

/// The exponent with which a finite number takes part in the maximum; nothing: it does not.
std::optional<int> reference_exponent(const Number& n, const ZeroExponent& of_zero) {
    if (!n.is_zero() || of_zero.kind == ZeroExponent::Kind::own) return n.exponent;
    if (of_zero.kind == ZeroExponent::Kind::constant) return of_zero.value;
    return std::nullopt;
}

/// An exact dot product of elements that share their scales (Xie et al., Algorithm 9, step 1).
Number Block::group(const Group& g, int i) const {
    std::vector<Number> products;
    for (int l = i * g.size; l < (i + 1) * g.size; ++l) {
        const auto k = static_cast<std::size_t>(unit_.element(index_, l));
        products.push_back(read(format(unit_.a), inputs_.a[k]) * read(format(unit_.b), inputs_.b[k]));
    }
    const Number sum = exact_sum(products);
    const auto first = static_cast<std::size_t>(unit_.element(index_, i * g.size));
    Number n = scaled(sum, first);
    if (n.is_zero() && !sum.is_zero()) n.sign = Sign::mixed; // by a zero scale: the terms of the sum were not all zero
    const bool by_scale = n.is_zero() && scaled(finite({1, 0}, 0, Sign::plus), first).is_zero();
    const bool empty = std::all_of(products.begin(), products.end(), [](const Number& p) { return p.is_zero(); });
    if (n.is_zero() && (empty || by_scale)) n.exponent = reference_exponent(n, g.empty);
    return n;
}

/// The accumulator (Xie et al., Algorithm 5, line 3, and lines 6-7 of Algorithm 7).
Number Block::accumulator(const Accumulator& c) const {
    const Format& own = *accumulator_.format;
    Number n = flushed(own, read(own, accumulator_.bits), c);
    if (c.as && n.is_finite()) {
        const int emin = format(*c.as).emin();
        n.exponent = n.is_zero() ? emin : std::max(log2_floor(n.value), emin);
    }
    return n;
}

/// The value of a child after alignment at 2^E (Xie et al., Algorithm 7, line 10; Algorithm 11, lines 23-25).
Dyadic aligned(const Number& n, const Child& child, int E) {
    if (n.is_zero() || (child.drop && *n.exponent < E - *child.drop)) return {};
    return child.F ? rounded(n.value, E - *child.F, child.rounding) : n.value;
}

/// Terms whose sign is not that of the frame are inverted where they should be negated: one place further from zero.
void Block::invert(const Fuse& f, const std::vector<Number>& terms, const std::vector<const Child*>& child_of, int E,
                   std::vector<Dyadic>& values) const {
    const auto is_c = [](const Child* child) { return std::holds_alternative<Accumulator>(child->get().kind); };
    const auto at = static_cast<std::size_t>(std::find_if(child_of.begin(), child_of.end(), is_c) - child_of.begin());
    const Number& c = terms[at];
    Sign frame = c.sign;
    if (c.is_zero() && f.frame == SignFrame::nonzero_c) return;
    if (c.is_zero() && f.frame == SignFrame::c_or_plus) frame = Sign::plus;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (i == at || terms[i].sign == frame) continue;
        if (f.opposed == Opposed::nonzero && terms[i].is_zero()) continue;
        if (f.opposed == Opposed::kept && values[i].is_zero()) continue;
        values[i] = values[i] + Dyadic{frame == Sign::minus ? 1 : -1, E - child_of[i]->F.value()};
    }
}

/// The fused sum (Xie et al., step 2 of Algorithm 7; the two sums of Algorithms 10 and 11; exact in 3 and 6).
Number Block::fuse(const Fuse& f) const {
    std::vector<Number> terms;
    std::vector<const Child*> child_of;
    for (const Child& child : f.children)
        for (Number& n : numbers(child.get())) {
            terms.push_back(std::move(n));
            child_of.push_back(&child);
        }
    if (auto special = special_sum(terms)) return *std::move(special);

    std::optional<int> E = f.floor;
    for (std::size_t i = 0; i < terms.size(); ++i)
        if (const auto e = reference_exponent(terms[i], child_of[i]->zero)) E = std::max(E.value_or(*e), *e);

    while (E && f.step && (*E - f.phase) % *f.step != 0) ++*E;

    std::vector<Dyadic> values(terms.size()); // all of them are zero if there is no E
    if (E)
        for (std::size_t i = 0; i < terms.size(); ++i) values[i] = aligned(terms[i], *child_of[i], *E);
    if (E && f.frame != SignFrame::none) invert(f, terms, child_of, *E, values);
    Dyadic total = sum(values);
    int F = 0;
    for (const Child& child : f.children) F = std::max(F, child.F.value_or(0));
    if (E && f.carry) total = wrapped(total, 1 + *f.carry + 2 + F, *E - F);
    if (E && f.sticky) {
        bool lost = false;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const Dyadic kept{-values[i].integer, values[i].scale};
            lost = lost || !(terms[i].value + kept).is_zero();
        }
        if (lost) total = total + Dyadic{total.is_negative() ? -1 : 1, *E - F - 1};
    }
    return finite(std::move(total), E, f.zero_is_plus ? Sign::plus : zero_sum_sign(terms, values));
}

// ------------------------------------------------------------------------------------------------- the whole unit

/// d's bit pattern of a rounded number.
/// @param f  the format of the round, whose patterns are patterns of d
std::uint64_t output(const Unit& unit, const Format& f, const Number& n) {
    if (!n.is_nan()) return write(f, n);
    switch (unit.nan.kind) {
    case NanRule::Kind::pattern: return unit.nan.bits;
    case NanRule::Kind::any: return write_nan(format(unit.d), {false, quiet_bit});
    case NanRule::Kind::propagate: break;
    }
    return write_nan(f, n.content.value_or(invalid));
}

} // namespace

std::uint64_t evaluate_exactly(const Unit& unit, const Inputs& inputs) {
    const auto K = static_cast<std::size_t>(unit.K), scales = static_cast<std::size_t>(unit.scales());
    if (inputs.a.size() != K || inputs.b.size() != K || inputs.sa.size() != scales || inputs.sb.size() != scales)
        throw std::logic_error("evaluate_exactly: the inputs do not have the sizes of the unit");

    const Format& fd = format(unit.d);
    const Pattern c = unit.c ? Pattern{&format(*unit.c), inputs.c} : Pattern{&fd, 0};
    const bool c_last = unit.place == AccumulatorPlace::last;
    const auto& root = std::get<Round>(unit.tree.kind);

    Pattern accumulator = c_last ? Pattern{&fd, 0} : c; // all bits zero: +0
    for (int i = 0; i < unit.blocks(); ++i)
        accumulator = {&fd, output(unit, format(root.format), Block(unit, inputs, i, accumulator).round(root))};
    if (!c_last) return accumulator.bits;

    const Round ieee{.format = unit.d, .mode = Rounding::rne, .child = {}};
    const Number total = exact_sum({read(fd, accumulator.bits), read(*c.format, c.bits)});
    return output(unit, fd, converted(ieee, total));
}

} // namespace discern
