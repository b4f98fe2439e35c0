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
#include "exact_numbers.hpp"
#include "models/evaluate.hpp"
#include "models/evaluate/raised_flags.hpp"
#include "models/unit/nan_rule.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

namespace discern {

namespace {

using namespace exact;

// --------------------------------------------------------------------------------------------- the tree of a block

/// A bit pattern and the format that it is in.
struct Pattern {
    const Format* format;
    std::uint64_t bits;
};

/// The conversion to a format. Under NanRule::rdna the origin of a NaN, which it keeps, decides what it carries; a NaN
/// that products' limits made is that of an invalid operation.
Number rounded_number(const Unit& unit, const Round& r, const Number& before, RaisedFlags& raised) {
    Number after = converted(r, before);
    raised.by_rounding(r, before, after);
    if (!after.is_nan() || unit.nan.kind != NanRule::Kind::rdna) return after;
    using enum NanOrigin;
    after.origin = before.tentative || (before.is_nan() && before.origin == accumulator && !before.content)
                       ? invalid_operation
                       : before.origin;
    const bool is_invalid = after.origin == invalid_operation;
    const Format& f = format(r.format);
    if (after.origin == factor || (is_invalid && invalid_is_as_of_factor(unit)))
        after.content = NanContent{true, factor_nan_fraction(f) << (64 - f.mantissa_bits)};
    else if (is_invalid)
        after.content = invalid;
    return after;
}

/// The evaluation of the tree on one block.
class Block {
  public:
    Block(const Unit& unit, const Inputs& inputs, int index, Pattern accumulator, RaisedFlags& raised)
        : unit_(unit), inputs_(inputs), index_(index), accumulator_(accumulator), raised_(raised) {}

    /// The numbers a node stands for, in order: one for each selected element or group of a leaf, else one.
    std::vector<Number> numbers(const Node& node) const {
        return std::visit([this](const auto& kind) { return all(kind); }, node.kind);
    }

    Number round(const Round& r) const { return all(r).front(); }

  private:
    std::vector<Number> all(const Product& p) const {
        return selected(p.which, unit_.L, [&](int l) { return product(p, l); });
    }
    std::vector<Number> all(const Group& g) const {
        return selected(g.which, unit_.L / g.size, [&](int i) { return group(g, i); });
    }
    std::vector<Number> all(const Accumulator& c) const { return {accumulator(c)}; }
    std::vector<Number> all(const Fuse& f) const { return {fuse(f)}; }
    std::vector<Number> all(const Round& r) const {
        return {rounded_number(unit_, r, numbers(r.get()).front(), raised_)};
    }

    template <class Leaf>
    static std::vector<Number> selected(Selection which, int count, Leaf leaf) {
        std::vector<Number> numbers;
        for_each(which, count, [&](int i) { numbers.push_back(leaf(i)); });
        return numbers;
    }

    Number product(const Product& p, int l) const;
    Number group(const Group& g, int i) const;
    Number accumulator(const Accumulator& c) const;
    Number fuse(const Fuse& f) const;
    Number scaled(const Number& n, std::size_t element, bool infzero = false, Scaled by = Scaled::both) const;
    Number scaled_leaf(const Number& n, std::size_t element, bool infzero = false) const;
    void invert(const Fuse& f, const std::vector<Number>& terms, const std::vector<const Child*>& child_of, int E,
                std::vector<Dyadic>& values) const;

    /// Whether a NaN of one origin takes precedence over that of another.
    bool is_ranked() const { return unit_.nan.kind == NanRule::Kind::rdna; }

    const Unit& unit_;
    const Inputs& inputs_;
    int index_;
    Pattern accumulator_;
    RaisedFlags& raised_;
};

/// n times the scales of an element, or one of them (Xie et al., Algorithm 8, line 4; Algorithm 9, lines 4-5). The
/// NaN of a scale carries nothing: only a, b and c are operands in the sense of NanRule::propagate.
Number Block::scaled(const Number& n, std::size_t element, bool infzero, Scaled by) const {
    const Format& f = format(unit_.scale->format);
    const std::size_t i = element / static_cast<std::size_t>(unit_.scale->block);
    Number sa = read(f, inputs_.sa[i]), sb = read(f, inputs_.sb[i]);
    sa.content.reset();
    sb.content.reset();
    if (by == Scaled::a) return product_of(n, sa, infzero);
    if (by == Scaled::b) return product_of(n, sb, infzero);
    return product_of(product_of(n, sa, infzero), sb, infzero);
}

/// A leaf's number times its scales, unless there are none, or they multiply what is rounded.
Number Block::scaled_leaf(const Number& n, std::size_t element, bool infzero) const {
    return unit_.scale && !has_scaled_sums(unit_.tree) ? scaled(n, element, infzero) : n;
}

/// A number of a leaf, converted exactly to another format: only the exponent of small ones changes.
Number read_again(Number n, std::optional<FormatId> as) {
    if (!as || !n.is_finite()) return n;
    const int emin = format(*as).emin();
    n.exponent = n.is_zero() ? emin : std::max(log2_floor(n.value), emin);
    return n;
}

/// An exact product of the l-th elements (Xie et al., step 1 of Algorithms 7, 8, 10 and 11).
Number Block::product(const Product& p, int l) const {
    const auto k = static_cast<std::size_t>(unit_.element(index_, l));
    const Format &fa = format(unit_.a), &fb = format(unit_.b);
    const Number a = read_again(factor(fa, read(fa, inputs_.a[k]), p), p.as);
    const Number b = read_again(factor(fb, read(fb, inputs_.b[k]), p), p.as);
    raised_.by_operand(fa, inputs_.a[k]);
    raised_.by_operand(fb, inputs_.b[k]);
    raised_.by_product(a, b);
    Number n = scaled_leaf(product_of(a, b, p.infzero), k, p.infzero);
    n.origin = n.content ? NanOrigin::factor : NanOrigin::invalid_operation;
    if (!n.is_finite() || n.is_zero()) return n;
    const int top = log2_floor(n.value);
    if (p.limit && top >= *p.limit) return infinity(n.sign, p.oinf_yields);
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
        products.back().origin = products.back().content ? NanOrigin::factor : NanOrigin::invalid_operation;
    }
    Number sum = exact_sum(products);
    if (const auto ranked = is_ranked() ? ranked_nan(products) : std::nullopt) sum = *ranked;
    const auto first = static_cast<std::size_t>(unit_.element(index_, i * g.size));
    Number n = scaled_leaf(sum, first);
    n.origin = sum.is_nan() ? sum.origin : NanOrigin::invalid_operation;
    if (n.is_zero() && !sum.is_zero()) n.sign = Sign::mixed; // by a zero scale: the terms of the sum were not all zero
    const bool by_scale = n.is_zero() && scaled_leaf(finite({1, 0}, 0, Sign::plus), first).is_zero();
    const bool empty = std::all_of(products.begin(), products.end(), [](const Number& p) { return p.is_zero(); });
    if (n.is_zero() && (empty || by_scale)) n.exponent = reference_exponent(n, g.empty);
    return n;
}

/// The accumulator (Xie et al., Algorithm 5, line 3, and lines 6-7 of Algorithm 7).
Number Block::accumulator(const Accumulator& c) const {
    const Format& own = *accumulator_.format;
    raised_.by_operand(own, accumulator_.bits);
    return read_again(flushed(own, read(own, accumulator_.bits), c), c.as);
}

/// The value of a child after alignment at 2^E (Xie et al., Algorithm 7, line 10; Algorithm 11, lines 23-25).
Dyadic aligned(const Number& n, const Child& child, int E) {
    if (n.is_zero() || (child.drop && *n.exponent < E - *child.drop)) return {};
    return child.F ? rounded(n.value, E - *child.F, child.rounding) : n.value;
}

/// Terms whose sign is not that of the frame are inverted where they should be negated: one bit further from zero.
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
            // A rounded NaN is kept as that of an accumulator.
            if (std::holds_alternative<Round>(child.get().kind)) n.origin = NanOrigin::accumulator;
            if (child.scaled != Scaled::no)
                n = scaled(n, static_cast<std::size_t>(unit_.element(index_, first_element(child.get()).value())),
                           false, child.scaled);
            terms.push_back(std::move(n));
            child_of.push_back(&child);
        }
    raised_.by_sum(terms);
    if (auto ranked = is_ranked() ? ranked_nan(terms) : std::nullopt) return *std::move(ranked);
    if (auto special = special_sum(terms)) return *std::move(special);

    std::optional<int> E = f.floor;
    for (std::size_t i = 0; i < terms.size(); ++i)
        if (auto e = reference_exponent(terms[i], child_of[i]->zero)) {
            *e -= child_of[i]->less;
            E = std::max(E.value_or(*e), *e);
        }

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
        for (std::size_t i = 0; i < terms.size(); ++i) lost = lost || !(terms[i].value - values[i]).is_zero();
        if (lost) total = total + Dyadic{total.is_negative() ? -1 : 1, *E - F - 1};
    }
    return finite(std::move(total), E, f.plus ? Sign::plus : zero_sum_sign(terms, values));
}

// ------------------------------------------------------------------------------------------------- the whole unit

/// d's bit pattern of a rounded number.
/// @param f  the format of the round, whose patterns are patterns of d
std::uint64_t output(const Unit& unit, const Format& f, const Number& n) {
    if (!n.is_nan()) return write(f, n);
    switch (unit.nan.kind) {
    case NanRule::Kind::pattern: return unit.nan.bits;
    case NanRule::Kind::any: return write_nan(format(unit.d), {false, quiet_bit});
    case NanRule::Kind::propagate:
    case NanRule::Kind::rdna: break;
    }
    return write_nan(f, n.content.value_or(invalid));
}

} // namespace

std::uint64_t evaluate_exactly(const Unit& unit, const Inputs& inputs) {
    RaisedFlags raised;
    return evaluate_exactly(unit, inputs, raised);
}

std::uint64_t exact::evaluate_exactly(const Unit& unit, const Inputs& inputs, RaisedFlags& raised) {
    const auto K = static_cast<std::size_t>(unit.K), scales = static_cast<std::size_t>(unit.scales());
    if (inputs.a.size() != K || inputs.b.size() != K || inputs.sa.size() != scales || inputs.sb.size() != scales)
        throw std::logic_error("evaluate_exactly: the inputs do not have the sizes of the unit");

    const Format& fd = format(unit.d);
    const Pattern c = unit.c ? Pattern{&format(*unit.c), inputs.c} : Pattern{&fd, 0};
    const bool c_last = unit.place == AccumulatorPlace::last;
    const auto& root = std::get<Round>(unit.tree.kind);

    Pattern accumulator = c_last ? Pattern{&fd, 0} : c; // all bits zero: +0
    for (int i = 0; i < unit.blocks(); ++i)
        accumulator = {&fd, output(unit, format(root.format), Block(unit, inputs, i, accumulator, raised).round(root))};
    if (!c_last) return accumulator.bits;

    const Round ieee{.format = unit.d, .mode = Rounding::rne, .child = {}};
    const std::vector<Number> terms = {read(fd, accumulator.bits), read(*c.format, c.bits)};
    raised.by_operand(*c.format, c.bits);
    raised.by_sum(terms);
    const std::optional<Number> nan = unit.nan.kind == NanRule::Kind::rdna ? ranked_nan(terms) : std::nullopt;
    return output(unit, fd, rounded_number(unit, ieee, nan ? *nan : exact_sum(terms), raised));
}

} // namespace discern
