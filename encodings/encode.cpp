// The walk over the tree that builds d as a term: block after block, each with the accumulator that the one before
// left.
#include "encode.hpp"

#include "encodings/number/nodes.hpp"
#include "encodings/number/special.hpp"
#include "leaves.hpp"
#include "sum/unobservable.hpp"
#include "zero_signs.hpp"

#include "models/parametric/family.hpp"
#include "models/unit/nan_rule.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <map>
#include <stdexcept>

namespace discern {

namespace {

using parametric::ParametricNode;
using parametric::Slot;
using parametric::SlotOf;
using Kind = ParametricNode::Kind;

class Encoder {
  public:
    Encoder(Terms& t, const parametric::Structure& space, const ParameterTerms& parameters, const InputTerms& inputs)
        : t_(t), tree_(space.tree), unit_(space.frame), parameters_(parameters), inputs_(inputs),
          has_scaled_sums_(has_scaled_sum(space.tree)) {
        inner_nan_ = unit_.nan; // a fixed NaN pattern is one of d's format; inner roundings use the canonical NaN
        if (inner_nan_.kind == NanRule::Kind::pattern) inner_nan_.kind = NanRule::Kind::any;
    }

    Term run() {
        const bool last = unit_.place == AccumulatorPlace::last;
        const Format& d = format(unit_.d);
        if (unit_.c && !last)
            accumulator_ = {decode_term(t_, format(*unit_.c), *inputs_.c), &format(*unit_.c)};
        else
            accumulator_ = {decode_term(t_, d, t_.constant(d.width, 0)), &d};
        Term result = t_.constant(d.width, 0);
        for (block_ = 0; block_ < unit_.blocks(); ++block_) {
            below_rounds_.clear();
            const Number& c = accumulator_.number;
            zero_signs_count_ = zero_signs_count(t_, tree_, parameters_,
                                                 {c.zero_negative == t_.truth(false), is_never_subnormal(t_, c)});
            const Rounded block = rounded(tree_, unit_.nan);
            result = block.pattern;
            accumulator_ = {decoded(d, block), &d};
        }
        return unit_.c && last ? plus_c() : result;
    }

  private:
    struct Decoded {
        Number number;
        const Format* format = nullptr;
    };

    // One addition of IEEE 754, rounded to nearest.
    Term plus_c() {
        const RoundRule nearest = {.format = fixed(t_, unit_.d),
                                   .mode = fixed(t_, Rounding::rne),
                                   .overflow = fixed(t_, Overflow::ieee),
                                   .ftz = fixed(t_, ResultFlush{}),
                                   .zsign_ieee = fixed(t_, true),
                                   .usign_keep = fixed(t_, true)};
        const Number c = decode_term(t_, format(*unit_.c), *inputs_.c);
        const Fused sum = fuse_term(t_, {{accumulator_.number, exactly(t_), false}, {c, exactly(t_), true}},
                                    wide_and_free(t_), nothing_counts);
        return round_term(t_, format(unit_.d), nearest, sum.sum, patterns_of(unit_.nan));
    }

    Factors factors(int l) const {
        const auto k = static_cast<std::size_t>(unit_.element(block_, l));
        Factors f{
            decode_term(t_, format(unit_.a), inputs_.a[k]), decode_term(t_, format(unit_.b), inputs_.b[k]), {}, {}};
        if (unit_.scale && !has_scaled_sums_) {
            f.scale_a = scale(inputs_.sa, l);
            f.scale_b = scale(inputs_.sb, l);
        }
        return f;
    }

    /// The scale of an element of the block.
    Number scale(const std::vector<Term>& patterns, int l) const {
        const int k = unit_.element(block_, l);
        Number n =
            decode_term(t_, format(unit_.scale->format), patterns[static_cast<std::size_t>(k / unit_.scale->block)]);
        n.carried.present = t_.truth(false); // its NaN has no payload that a result could carry
        return n;
    }

    /// @param by  a or b
    bool is_scaled(const ParametricNode::Edge& edge, Scaled by) const {
        return edge.scaled != parametric::no_slot && parameters_.at(edge.scaled).any([by](int scaled) {
            return multiplies(static_cast<Scaled>(scaled), by);
        });
    }
    /// A number times the scales of its elements by which it is multiplied.
    Number scaled(const ParametricNode::Edge& edge, Number n) const {
        const bool by_a = is_scaled(edge, Scaled::a), by_b = is_scaled(edge, Scaled::b);
        if (!by_a && !by_b) return n;
        const int l = parametric::first_element(edge.node.front()).value();
        std::vector<Number> scales;
        if (by_a) scales.push_back(scale(inputs_.sa, l));
        if (by_b) scales.push_back(scale(inputs_.sb, l));
        return scaled_term(t_, n, scales);
    }
    bool has_scaled_sum(const ParametricNode& node) const {
        return std::any_of(node.child.begin(), node.child.end(),
                           [this](const ParametricNode& child) { return has_scaled_sum(child); }) ||
               std::any_of(node.edges.begin(), node.edges.end(), [this](const ParametricNode::Edge& edge) {
                   return is_scaled(edge, Scaled::a) ||
                          has_scaled_sum(edge.node.front()); // by b alone: above or below it
               });
    }

    // ------------------------------------------------------------------------------------------------ parameters

    /// The values that each parameter of a part may have.
    template <template <template <typename> class> class Attributes>
    Attributes<Pick> picked(const Attributes<SlotOf>& slots) const {
        Attributes<Pick> result;
        Attributes<Pick>::zip(slots, result, [this]<typename T>(Slot slot, Pick<T>& pick) {
            pick = slot == parametric::no_slot ? fixed(t_, T{})
                                               : parameters_.at(slot).mapped(t_, parametric::value_of_number<T>);
        });
        return result;
    }

    RoundRule rule_of_round(const ParametricNode& node) const {
        RoundRule rule = picked(node.round);
        if (zero_signs_count_ || !t_.may_fold(Folding::zero_sign_unseen)) return rule;
        // match: a zero whose sign has no effect on the result => +0
        rule.zsign_ieee = fixed(t_, false);
        // match: the result of a block that is not the last, and zero sums are +0 => a zero result is +0, too
        const bool is_seen = !t_.may_fold(Folding::zero_sign_inner_block) || block_ + 1 == unit_.blocks() ||
                             next_block_reads_zero_signs(tree_, parameters_);
        if (&node == &tree_ && is_seen) return rule;
        rule.ftz = rule.ftz.mapped(t_, [](ResultFlush ftz) { return ResultFlush{ftz.when, false}; });
        rule.usign_keep = fixed(t_, false);
        return rule;
    }

    // ----------------------------------------------------------------------------------------------------- nodes

    /// The numbers that a node stands for: several for a leaf that selects several elements.
    /// @param beside  the only other number of an exact sum of which an accumulator is a term, or nullptr
    /// @param outer   how an inner sum is aligned, if nothing is kept of what that loses; or nullptr
    std::vector<Number> numbers(const ParametricNode& node, int indifferent, const Reader* reader = nullptr,
                                const Number* beside = nullptr, const Alignment* outer = nullptr) {
        std::vector<Number> result;
        switch (node.kind) {
        case Kind::product: {
            ProductRule rule = picked(node.product);
            // match: limit ≥ the exponent from which the rounding that consumes the product gives infinity anyway => no
            // limit
            if (t_.may_fold(Folding::limit_of_overflow) && reader != nullptr && reader->infinite_from)
                rule.limit = rule.limit.mapped(
                    t_, [&](std::optional<int> n) { return n && *n >= *reader->infinite_from ? std::nullopt : n; });
            for_each(node.which, unit_.L,
                     [&](int l) { result.push_back(with_kind(product_term(t_, rule, factors(l)))); });
            return result;
        }
        case Kind::group:
            for_each(node.which, unit_.L / node.size, [&](int i) {
                std::vector<Factors> elements;
                for (int l = 0; l < node.size; ++l) elements.push_back(factors(i * node.size + l));
                result.push_back(with_kind(group_term(t_, picked(node.group).empty, elements)));
            });
            return result;
        case Kind::accumulator: {
            AccumulatorRule rule = picked(node.accumulator);
            if (beside != nullptr && reader != nullptr && rule.as.all([](const auto& format) { return !format; }))
                rule.ftz = either(t_, subnormals_unobservable(t_, *accumulator_.format, *beside, *reader),
                                  OperandFlush::plus, std::move(rule.ftz));
            return {accumulator_term(t_, rule, accumulator_.number)};
        }
        case Kind::fuse: return {fused(node, indifferent, reader, outer)};
        case Kind::round: return {rounded_number(node, indifferent, reader)};
        }
        throw std::logic_error("encode: a node without kind");
    }

    Number fused(const ParametricNode& fuse, int indifferent, const Reader* reader, const Alignment* outer) {
        const FuseRule rule = picked(fuse.fuse);
        const auto with = [&](int indifferent_here) {
            const bool may_be_unobservable = t_.may_fold(Folding::subnormals_unobservable) && reader != nullptr &&
                                             reader->flushes_to_plus && *reader->flushes_to_plus != t_.truth(false);
            const auto beside =
                may_be_unobservable ? beside_accumulator(fuse, rule, indifferent_here) : std::optional<Number>();
            std::vector<Summand> summands;
            for (const ParametricNode::Edge& edge : fuse.edges) {
                const Alignment written = alignment(edge);
                const Alignment& how = indifferent_here == nothing_counts ? exactly(t_) : written;
                const bool is_c = edge.node.front().kind == Kind::accumulator;
                const bool is_sticky = rule.sticky.any([](bool is) { return is; });
                for (Number& n : numbers(edge.node.front(), indifferent_here, is_c ? reader : nullptr,
                                         is_c && beside ? &*beside : nullptr, is_sticky ? nullptr : &how)) {
                    // A rounded NaN is kept as that of an accumulator.
                    if (edge.node.front().kind == Kind::round) n.carried.factor = n.carried.invalid = t_.truth(false);
                    summands.push_back({scaled(edge, std::move(n)), how, is_c});
                }
            }
            if (outer != nullptr) align_as_outer(summands, rule, *outer);
            // An exact sum never wraps, and its sticky bit is never set.
            FuseRule exact = wide_and_free(t_);
            exact.plus = rule.plus;
            return fuse_term(t_, std::move(summands), indifferent_here == nothing_counts ? exact : rule, indifferent,
                             reader);
        };
        Fused sum = with(everything_counts);
        // Which exponents of inner sums matter is known only when this sum is built: for itself, and for its consumer.
        if (indifferent != everything_counts && has_inner_sums(fuse))
            sum = with(sum.exact && indifferent == nothing_counts ? nothing_counts
                                                                  : std::min(sum.indifferent, indifferent));
        if (is_ranked()) hide_infinities_beside_nan(t_, sum.sum);
        return std::move(sum.sum);
    }

    Alignment alignment(const ParametricNode::Edge& edge) const {
        return picked(static_cast<const ChildAttributes<SlotOf>&>(edge));
    }

    /// match: of two terms, neither of which is truncated where E is its own exponent, aligned rd (or ru) to F bits or
    /// more; the sum, which takes part with its own exponent, zeros too, is aligned rd (or ru) to F bits after that =>
    /// F bits. Rounding down twice is rounding down once (formal/Unobservable.v: align_as_outer). The sign of a zero
    /// has no effect. (With `less`, the second one may keep more bits than the first one.)
    void align_as_outer(std::vector<Summand>& summands, const FuseRule& rule, const Alignment& outer) {
        const auto none = [](const auto& value) { return !value; };
        const Rounding way = outer.rounding.first();
        const bool is_way = t_.may_fold(Folding::align_as_outer) && outer.rounding.is_fixed() &&
                            (way == Rounding::rd || way == Rounding::ru);
        if (summands.size() != 2 || zero_signs_count_ || !is_way || !outer.F.is_fixed() || !outer.F.first() ||
            !outer.drop.all(none) || !outer.less.all([](int by) { return by == 0; }) || !rule.floor.all(none) ||
            !rule.carry.all(none) || !rule.step.all(none) || rule.sticky.any([](bool is) { return is; }) ||
            !rule.frame.all([](SignFrame frame) { return frame == SignFrame::none; }) ||
            !outer.zero.all([](const ZeroExponent& z) { return z.kind == ZeroExponent::Kind::own; }))
            return;
        const int F = *outer.F.first();
        const bool agree = std::all_of(summands.begin(), summands.end(), [&](const Summand& s) {
            return s.number.facts->digits <= F && s.how.drop.all(none) &&
                   s.how.less.all([](int by) { return by == 0; }) &&
                   s.how.rounding.all([&](Rounding mode) { return mode == way; });
        });
        if (!agree) return;
        for (Summand& s : summands)
            s.how.F = s.how.F.mapped(t_, [&](std::optional<int> f) { return f && *f <= F ? f : std::optional(F); });
    }

    /// The only other number of an exact sum.
    std::optional<Number> beside_accumulator(const ParametricNode& fuse, const FuseRule& rule, int indifferent) {
        const auto none = [](const auto& value) { return !value; };
        const bool exact = std::all_of(fuse.edges.begin(), fuse.edges.end(), [&](const ParametricNode::Edge& edge) {
            const Alignment how = alignment(edge);
            return how.F.all(none) && how.drop.all(none);
        });
        if (fuse.edges.size() != 2 || !exact || !rule.carry.all(none) || !rule.step.all(none) ||
            !rule.frame.all([](SignFrame frame) { return frame == SignFrame::none; }))
            return std::nullopt;
        for (const std::size_t c : {0u, 1u}) {
            const ParametricNode& other = fuse.edges[1 - c].node.front();
            if (fuse.edges[c].node.front().kind != Kind::accumulator || other.kind == Kind::accumulator) continue;
            std::vector<Number> list = numbers(other, indifferent);
            if (list.size() == 1) return std::move(list.front());
        }
        return std::nullopt;
    }

    static bool has_inner_sums(const ParametricNode& fuse) {
        return std::any_of(fuse.edges.begin(), fuse.edges.end(), [](const ParametricNode::Edge& edge) {
            const Kind kind = edge.node.front().kind;
            return kind == Kind::fuse || kind == Kind::round;
        });
    }

    /// @param reader  what rounds the number again, or nullptr
    Number rounded_number(const ParametricNode& node, int indifferent, const Reader* reader) {
        if (indifferent == nothing_counts) {
            const Number value = child_of(node);
            // The number is the same for all formats that hold it.
            std::optional<Number> same;
            const bool all_hold_it = parameters_.at(node.round.format).all([&](int id) {
                same = exact_rounding(t_, format(static_cast<FormatId>(id)), rule_of_round(node), value, inner_nan_,
                                      reader);
                return same.has_value();
            });
            if (all_hold_it) return *same;
        }
        Number n = decoded(result_format(parameters_.at(node.round.format), unit_.d), rounded(node, inner_nan_));
        if (is_ranked()) {
            const Number value = child_of(node);
            const NanKind kind = nan_kind(t_, value);
            n.carried.factor = t_.bvand(n.nan, kind.factor);
            n.carried.invalid = t_.bvand(n.nan, kind.invalid);
        }
        return n;
    }

    /// Whether a NaN of one kind takes precedence over that of another.
    bool is_ranked() const { return unit_.nan.kind == NanRule::Kind::rdna; }

    NanPatterns patterns_of(const NanRule& rule) const { return {rule, is_ranked() && invalid_is_as_of_factor(unit_)}; }

    /// The product, or group of products, whose NaN is that of a factor or of an invalid operation.
    Number with_kind(Number n) const {
        if (!is_ranked()) return n;
        n.carried.factor = n.carried.present;
        n.carried.invalid = n.nan;
        return n;
    }

    /// Whether the result for a zero is the same as for a number that rounds to zero. Rounding down, no negative number
    /// does.
    bool zeros_indistinguishable(const ParametricNode& round, const RoundRule& rule,
                                 std::optional<Rounding> way) const {
        const auto yes = [](bool b) { return b; };
        if (!rule.ftz.all([](const ResultFlush& f) { return f.when == Flush::none; })) return false;
        if (&round != &tree_) return !zero_signs_count_;
        return !zero_signs_count_ && (way == Rounding::rd || !rule.usign_keep.any(yes));
    }

    Reader reader_of(const ParametricNode& round) const {
        Reader reader;
        const RoundRule rule = rule_of_round(round);
        const bool sees_all = rule.ftz.any([](const ResultFlush& f) { return f.when == Flush::before; });
        for (const auto& [id, condition] : parameters_.at(round.round.format).options) {
            const Format& f = format(static_cast<FormatId>(id));
            reader.precision = std::max(reader.precision, f.mantissa_bits + 1);
            reader.least_precision = std::min(reader.least_precision, f.mantissa_bits + 1);
            reader.emin = std::min(reader.emin, f.emin());
            reader.lsb = std::max(reader.lsb, f.lsb());
            if (sees_all) reader.flushed_below = std::max(reader.flushed_below, f.emin());
        }
        const bool nearest = rule.mode.all([](Rounding m) { return m == Rounding::rne || m == Rounding::rna; });
        reader.nearest = nearest;
        reader.directed =
            rule.mode.all([](Rounding m) { return m == Rounding::rz || m == Rounding::rd || m == Rounding::ru; });
        reader.even = rule.mode.all([](Rounding m) { return m == Rounding::rne; });
        for (const Rounding way : {Rounding::rd, Rounding::ru})
            if (rule.mode.all([way](Rounding m) { return m == way; })) reader.way = way;
        if (rule.overflow.all([&](Overflow o) { return o == Overflow::infinity || (o == Overflow::ieee && nearest); }))
            for (const auto& [id, condition] : parameters_.at(round.round.format).options)
                reader.infinite_from =
                    std::max(reader.infinite_from.value_or(INT_MIN), format(static_cast<FormatId>(id)).emax() + 1);
        const auto flushes = [](const ResultFlush& f) {
            return (f.when == Flush::before || f.when == Flush::after) && !f.keeps_sign;
        };
        if (nearest && rule.ftz.all(flushes) && !rule.zsign_ieee.any([](bool ieee) { return ieee; }))
            reader.plus_below = std::ldexp(1 - std::ldexp(1.0, -reader.least_precision), reader.emin);
        reader.zeros_indistinguishable = zeros_indistinguishable(round, rule, reader.way);
        reader.flushes_to_plus =
            t_.bvand(rule.ftz.when(t_, [](const ResultFlush& f) { return f.when != Flush::none && !f.keeps_sign; }),
                     t_.bvnot(rule.zsign_ieee.when(t_, [](bool ieee) { return ieee; })));
        return reader;
    }

    /// The operand of a rounding, built once. A sum may be encoded twice; if the operands of roundings below it were,
    /// too, a chain of n roundings would be 2^n times as large.
    Number child_of(const ParametricNode& round) {
        if (const auto known = below_rounds_.find(&round); known != below_rounds_.end()) return known->second;
        const Reader reader = reader_of(round);
        std::vector<Number> value = numbers(round.child.front(), nothing_counts, &reader);
        if (value.size() != 1) throw std::logic_error("encode: a round must have exactly one child");
        below_rounds_.emplace(&round, value.front());
        return std::move(value.front());
    }

    struct Rounded {
        Term pattern;
        Facts value; ///< of the number that was rounded
        std::vector<Facts::ToFormat> choices;
        bool may_be_infinite, zeros_are_positive;
    };

    bool may_be_infinite(const Number& value) const {
        const Term flags[] = {value.positive, value.negative, value.tentative_positive, value.tentative_negative};
        return t_.any_of(flags) != t_.truth(false);
    }

    Rounded rounded(const ParametricNode& node, const NanRule& nan) {
        const Number value = child_of(node);
        const RoundRule rule = rule_of_round(node);
        const Pick<int>& to = parameters_.at(node.round.format);
        const int width = result_format(parameters_.at(node.round.format), unit_.d).width;
        const Term pattern = to.choose(t_, [&](int id) {
            const Format& f = format(static_cast<FormatId>(id));
            const Term own = round_term(t_, f, rule, value, patterns_of(nan));
            return f.width == width ? own : t_.concat(own, t_.constant(width - f.width, 0)); // a longer fraction
        });
        bool positive = true;
        std::vector<Facts::ToFormat> choices;
        const bool flushes = rule.ftz.all([](const ResultFlush& r) { return r.when != Flush::none; });
        for (const auto& [id, condition] : to.options) {
            const Format& f = format(static_cast<FormatId>(id));
            choices.push_back({&f, may_overflow(f, rule, value), flushes});
            positive = positive && zeros_are_positive(t_, f, rule, value);
        }
        return {pattern, value.facts, std::move(choices), may_be_infinite(value), positive};
    }

    Number decoded(const Format& f, const Rounded& result) {
        Number n = decode_term(t_, f, result.pattern);
        n.facts = result.value.rounded(f, result.choices, result.may_be_infinite);
        // match: |result| < 2^below => exponent < below
        if (t_.may_fold(Folding::most_bounds_exponent))
            n.exponent.high = std::clamp(n.facts->below - 1, f.emin(), n.exponent.high);
        n.lsb.high = n.exponent.high - f.mantissa_bits;
        n.pattern = {result.pattern, f.id};
        if (result.zeros_are_positive) n.zero_negative = t_.truth(false);
        t_.show(n);
        return n;
    }

    Terms& t_;
    const ParametricNode& tree_;
    const Unit& unit_;
    const ParameterTerms& parameters_;
    const InputTerms& inputs_;
    bool has_scaled_sums_; ///< so that scales multiply those, and no products
    NanRule inner_nan_;
    bool zero_signs_count_ = true; ///< the sign of an inner zero may affect the sign of a result
    Decoded accumulator_;
    int block_ = 0;
    std::map<const ParametricNode*, Number> below_rounds_; ///< in this block
};

} // namespace

Term encode(Terms& t, const parametric::Structure& space, const ParameterTerms& parameters, const InputTerms& inputs) {
    return Encoder(t, space, parameters, inputs).run();
}

Term encode(Terms& t, const Unit& unit, const InputTerms& inputs) {
    const parametric::Structure space = parametric::structure_of(unit);
    return encode(t, space, ParameterTerms(t, space, parametric::Assignment(space.variables.size())), inputs);
}

Term is_nan(Terms& t, const Format& f, Term pattern) { return decode_term(t, f, pattern).nan; }

Term results_differ(Terms& t, const Unit& first, const Unit& second, Term d1, Term d2) {
    const Term differ = t.bvnot(t.eq(d1, d2));
    if (first.nan.kind != NanRule::Kind::any && second.nan.kind != NanRule::Kind::any) return differ;
    const Format& f = format(first.d);
    const Term nan1 = is_nan(t, f, d1), nan2 = is_nan(t, f, d2);
    return t.bvand(differ, t.bvnot(t.bvand(nan1, nan2)));
}

} // namespace discern
