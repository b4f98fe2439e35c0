// A reader of the evaluator's walk that writes down what the walk computes, in integers wide enough for every sum.
#include "trace.hpp"

#include "models/evaluate/plan_reader.hpp"
#include "models/evaluate/run.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

namespace discern::explain {

namespace {

using integer::Plan;
using integer::PlanEdge;
using integer::PlanNode;
using integer::PlanReader;
using integer::Special;

template <typename Int>
Number number_of(const Int& value, int lsb) {
    Number x;
    x.negative = wide::negative(value);
    const Int magnitude = wide::magnitude(value);
    int bit = wide::bit_length(magnitude) - 1;
    for (; bit >= 0; --bit) x.digits += wide::bit(magnitude, bit) ? '1' : '0';
    x.lsb = x.digits.empty() ? 0 : lsb;
    while (!x.digits.empty() && x.digits.back() == '0') { // 0 alone has no digits
        x.digits.pop_back();
        ++x.lsb;
    }
    return x;
}

template <typename Int>
Number number_of(const integer::Term<Int>& term) {
    Number x = number_of(term.value, term.lsb);
    switch (term.special) {
    case Special::finite:
        if (x.digits.empty()) x.negative = term.zero_sign == integer::ZeroSign::minus;
        break;
    case Special::tentative_plus:
    case Special::plus_infinity: x.kind = Number::Kind::infinite; break;
    case Special::tentative_minus:
    case Special::minus_infinity:
        x.kind = Number::Kind::infinite;
        x.negative = true;
        break;
    case Special::tentative_nan:
    case Special::invalid_nan:
    case Special::operand_nan:
    case Special::factor_nan: x.kind = Number::Kind::nan; break;
    }
    return x;
}

Number difference(const integer::Term<wide::Big>& x, const integer::Term<wide::Big>& y) {
    integer::Term<wide::Big> terms[2] = {x, y}, sum;
    terms[1].value = wide::negate(y.value);
    integer::exact_sum(terms, 2, sum);
    return number_of(sum.value, sum.lsb);
}

/// Reads a plan as the evaluator does, and writes down what it reads and gives. Always in the widest integers, in which
/// differences fit too.
class Recorder : public PlanReader<wide::Big> {
    using Base = PlanReader<wide::Big>;

  public:
    using typename Base::Context;
    using typename Base::Term;

    Recorder(const Plan& plan, std::size_t first, Block& block)
        : Base(plan), plan_(plan), first_(first), block_(block) {}

    void gathered(const PlanNode& node, const Term* terms) {
        Sum sum;
        const bool last = &node == &plan_.nodes[plan_.nodes.back().child];
        sum.name = last ? "sum" : "s" + std::to_string(++sums_);
        before_.clear();
        each_term(*this, node, terms, [&](const PlanEdge& edge, const Term& term) {
            explain::Term& one = sum.terms.emplace_back();
            const auto scaled = static_cast<Scaled>(edge.scaled);
            one.name = name_of(child(edge)) + (multiplies(scaled, Scaled::a) ? "*sa" : "") +
                       (multiplies(scaled, Scaled::b) ? "*sb" : "");
            one.value = number_of(term);
            const int exponent =
                integer::raised_by(*this, edge, integer::no_exponent, reference_exponent(term, edge.zero));
            if (term.special == Special::finite && exponent > integer::no_exponent) one.exponent = exponent;
            before_.push_back(term);
            settle(child(edge), one.value);
        });
        put(node, std::move(sum));
    }

    int reference(const PlanNode& node, const Term* terms, Context context) {
        const int E = Base::reference(node, terms, context);
        Sum& sum = current();
        if (E == integer::no_exponent) return E;
        sum.E = E;
        int largest = node.fuse.floor > integer::no_exponent ? node.fuse.floor : integer::no_exponent;
        if (largest != integer::no_exponent) sum.E_from = "floor";
        for (const explain::Term& term : sum.terms)
            if (term.exponent && (*term.exponent > largest || (*term.exponent == largest && sum.E_from == "floor"))) {
                largest = *term.exponent;
                sum.E_from = term.name;
            }
        sum.E_raised = largest != E;
        return E;
    }

    bool sum(const PlanNode& node, const Term* terms, int E, Term& sum, integer::ZeroSigns& signs, bool lost) {
        Sum& record = current();
        for (std::size_t i = 0; i < node.edges.size(); ++i) {
            const PlanEdge& edge = node.edges[i];
            explain::Term& term = record.terms[i];
            if (edge.F != parametric::exact && record.E) term.lsb = E - edge.F;
            term.mode = static_cast<Rounding>(edge.rounding);
            term.kept = number_of(terms[i]);
            term.lost = difference(before_[i], terms[i]);
            term.dropped = edge.drop != parametric::none && !wide::is_zero(before_[i].value) &&
                           before_[i].exponent < E - edge.drop;
        }
        return Base::sum(node, terms, E, sum, signs, lost);
    }

    void add_one(Term& sum, bool negative, int lsb) {
        current().ones.push_back(lsb);
        Base::add_one(sum, negative, lsb);
    }

    template <typename Wrapped>
    int carry(const PlanNode& node, const Term& sum, Wrapped wrapped) {
        Sum& record = current();
        const int carry = Base::carry(node, sum, wrapped);
        record.value = number_of(sum.value, sum.lsb);
        record.result = carry == parametric::none ? record.value : number_of(wrapped(carry), sum.lsb);
        return carry;
    }

    integer::Rounded round(const PlanNode& node, const Term& term) {
        const integer::Rounded rounded = Base::round(node, term);
        RoundStep step;
        step.name = &node == &plan_.nodes.back() ? "d" : "r" + std::to_string(++rounds_);
        step.rule = node.round;
        step.operand = number_of(term);
        step.bits = pack(*node.format, rounded.value);
        step.result = number(*node.format, step.bits);
        settle(child(node), step.operand);
        put(node, std::move(step));
        return rounded;
    }

  private:
    Sum& current() { return std::get<Sum>(block_.steps.back()); }

    template <typename Recorded>
    void put(const PlanNode& node, Recorded step) {
        names_[&node] = step.name;
        at_[&node] = block_.steps.size();
        block_.steps.emplace_back(std::move(step));
    }

    /// A sum that is infinite or NaN shows this in the number that its parent reads.
    void settle(const PlanNode& node, const Number& value) {
        if (node.kind != PlanNode::Kind::fuse || value.kind == Number::Kind::finite) return;
        auto& sum = std::get<Sum>(block_.steps[at_.at(&node)]);
        sum.value = sum.result = value;
    }

    std::string name_of(const PlanNode& node) const {
        const auto index = static_cast<std::size_t>(node.index);
        switch (node.kind) {
        case PlanNode::Kind::product: return "p" + std::to_string(plan_.order[first_ + index]);
        case PlanNode::Kind::group:
            return "g" + std::to_string((first_ + index * static_cast<std::size_t>(node.size)) /
                                        static_cast<std::size_t>(node.size));
        case PlanNode::Kind::accumulator: return block_.accumulator;
        case PlanNode::Kind::fuse:
        case PlanNode::Kind::round: return names_.at(&node);
        }
        return {};
    }

    const Plan& plan_;
    std::size_t first_;
    Block& block_;
    std::map<const PlanNode*, std::string> names_;
    std::map<const PlanNode*, std::size_t> at_; ///< of steps
    std::vector<Term> before_;                  ///< the current sum's terms as they were
    int sums_ = 0, rounds_ = 0;
};

Block block_frame(const Plan& plan, std::size_t first) {
    Block block;
    for (std::size_t l = 0; l < plan.L; ++l) block.elements.push_back(plan.order[first + l]);
    block.accumulator = first != 0 ? "d" + std::to_string(first / plan.L - 1) : plan.starts_with_c ? "c" : "+0";
    return block;
}

} // namespace

Number number(const Format& f, std::uint64_t bits) {
    return number_of(integer::operand_term<wide::i128>(f, decode(f, bits)));
}

std::optional<double> Number::as_double() const {
    if (kind == Kind::infinite) return negative ? -HUGE_VAL : HUGE_VAL;
    if (kind == Kind::nan) return std::nan("");
    if (digits.empty()) return negative ? -0.0 : 0.0;
    if (digits.size() > 53 || lsb < -1074 || top() > 1023) return std::nullopt;
    double x = 0;
    for (const char digit : digits) x = 2 * x + (digit == '1' ? 1 : 0);
    x = std::ldexp(x, lsb);
    return negative ? -x : x;
}

std::string Number::text() const {
    const std::string sign = negative ? "-" : "";
    if (kind == Kind::nan) return "NaN";
    if (kind == Kind::infinite) return sign + "inf";
    if (digits.empty()) return sign + "0";
    constexpr int few = 12, many = 40; // digits behind and before the point that are still easy to read
    if (lsb >= -few && top() <= many) {
        char text[80];
        std::snprintf(text, sizeof text, "%.*f", std::max(0, -lsb), as_double().value());
        return text;
    }
    if (digits.size() == 1) return sentence(sign, "2^", lsb);
    std::string hex;
    for (std::size_t i = 1; i < digits.size(); i += 4) {
        int digit = 0;
        for (std::size_t j = i; j < i + 4; ++j) digit = 2 * digit + (j < digits.size() && digits[j] == '1' ? 1 : 0);
        hex += "0123456789abcdef"[digit];
    }
    return sentence(sign, "0x1.", hex, "p", top());
}

Trace trace(const Unit& unit, const Inputs& inputs) {
    const Plan plan(unit);
    Trace trace;
    trace.d = run_blocks(plan, inputs, [&](const integer::Block& operands, std::size_t first) {
        Block block = block_frame(plan, first);
        Recorder recorder(plan, first, block);
        integer::Rounded rounded;
        integer::Machine<wide::Big, Recorder>(recorder, operands).round(plan.nodes.back(), rounded);
        block.d = pack(*plan.d, stored(plan, rounded));
        block.result = number(*plan.d, block.d);
        trace.blocks.push_back(std::move(block));
        return rounded;
    });
    trace.c_last = unit.place == AccumulatorPlace::last;
    trace.result = number(*plan.d, trace.d);
    return trace;
}

} // namespace discern::explain
