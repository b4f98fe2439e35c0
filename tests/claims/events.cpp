#include "events.hpp"

#include "analysis/explain/trace.hpp"
#include "models/evaluate/exact.hpp"
#include "models/format.hpp"

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

namespace discern::claims {

namespace {

using exact::Dyadic;
using exact::Integer;
using explain::Number;

bool is_special(const Number& x) { return x.kind != Number::Kind::finite; }

Dyadic value_of(const Number& x) {
    Integer integer = 0;
    for (const char digit : x.digits) integer = integer * 2 + (digit == '1' ? 1 : 0);
    return {x.negative ? Integer(-integer) : integer, x.lsb};
}

Dyadic negated(const Dyadic& x) { return {Integer(-x.integer), x.scale}; }
Dyadic size_of(const Dyadic& x) { return x.is_negative() ? negated(x) : x; }
bool is_less(const Dyadic& x, const Dyadic& y) { return (x + negated(y)).is_negative(); }
bool is_equal(const Dyadic& x, const Dyadic& y) { return (x + negated(y)).is_zero(); }
Dyadic power_of_two(int exponent) { return {1, exponent}; }

class Events {
  public:
    explicit Events(std::set<std::string>& all) : all_(all) {}

    void block(const std::string& prefix, const explain::Block& block) {
        // Products, groups and what the block adds; other terms are results of steps within it.
        std::set<std::string> steps;
        bool nan_leaf = false;
        for (const explain::Step& step : block.steps) {
            if (const auto* sum = std::get_if<explain::Sum>(&step)) {
                node_ = prefix + sum->name;
                for (const explain::Term& term : sum->terms)
                    if (!steps.contains(term.name)) nan_leaf = leaf(term) || nan_leaf;
                finite_sum(*sum, steps);
                steps.insert(sum->name);
            } else {
                const auto& round = std::get<explain::RoundStep>(step);
                node_ = prefix + round.name;
                rounding(round);
                if (round.name == "d" && round.operand.kind == Number::Kind::nan && !nan_leaf) hit("opposite");
                steps.insert(round.name);
            }
        }
    }

  private:
    void hit(const std::string& event) { all_.insert(node_ + "." + event); }
    void hit_if(bool is, const std::string& event) {
        if (is) hit(event);
    }

    /// @return whether it is NaN
    bool leaf(const explain::Term& term) {
        const bool nan = term.value.kind == Number::Kind::nan;
        hit_if(nan, term.name + ".nan");
        hit_if(term.value.kind == Number::Kind::infinite, term.name + ".infinite");
        hit_if(!is_special(term.value) && value_of(term.value).is_zero(), term.name + ".zero");
        return nan;
    }

    void finite_sum(const explain::Sum& sum, const std::set<std::string>& steps) {
        if (std::ranges::any_of(sum.terms, [](const explain::Term& x) { return is_special(x.value); })) return;
        const bool floor = sum.E_from == "floor";
        hit_if(floor, "floor");
        hit_if(std::ranges::all_of(sum.terms, [](const explain::Term& x) { return value_of(x.value).is_zero(); }),
               "all-zero");
        std::optional<Dyadic> most; // of the aligned terms
        for (const explain::Term& term : sum.terms) {
            const Dyadic before = value_of(term.value), after = value_of(term.kept);
            hit_if(!is_equal(before, after), term.name + ".cut");
            hit_if(!before.is_zero() && after.is_zero(), term.name + ".gone");
            if (!after.is_zero() && (!most || is_less(*most, size_of(after)))) most = size_of(after);
            if (floor || !term.exponent) continue;
            const bool largest = std::ranges::none_of(
                sum.terms, [&](const explain::Term& x) { return x.exponent && *x.exponent > *term.exponent; });
            hit_if(largest && !before.is_zero(), term.name + ".largest");
            hit_if(largest && before.is_zero() && !steps.contains(term.name), term.name + ".zero-largest");
        }
        const Dyadic total = value_of(sum.value);
        if (most) {
            const int first = exact::log2_floor(*most);
            hit_if(total.is_zero(), "cancelled");
            hit_if(!is_less(size_of(total), power_of_two(first + 1)), "carry");
            hit_if(!total.is_zero() && is_less(size_of(total), power_of_two(first)), "cancel");
        }
        hit_if(!is_equal(total, value_of(sum.result)), "wraps");
    }

    void rounding(const explain::RoundStep& step) {
        const Format& f = format(step.rule.format);
        const bool negative = step.operand.negative;
        if (step.operand.kind == Number::Kind::nan) return hit("operand-nan");
        if (is_special(step.operand)) return hit(negative ? "minus-infinity" : "plus-infinity");
        const Dyadic x = value_of(step.operand);
        if (x.is_zero()) {
            if (f.has_minus_zero()) hit((step.bits >> (f.width - 1) & 1u) != 0 ? "minus-zero" : "plus-zero");
            return;
        }
        // The neighbours among multiples of the last digit, as if the format went on above its largest number.
        const int first = std::max(exact::log2_floor(x), f.emin()), last = first - f.mantissa_bits;
        const Dyadic below = size_of(exact::rounded(x, last, Rounding::rz)), rest = size_of(x) + negated(below);
        const Dyadic half = power_of_two(last - 1);
        const bool is_odd = !is_equal(exact::rounded(below, last + 1, Rounding::rz), below);
        if (rest.is_zero())
            hit("exact");
        else if (is_equal(rest, half))
            hit(is_odd ? "tie-odd" : "tie-even");
        else
            hit(is_less(rest, half) ? "below-half" : "above-half");
        const Dyadic rounded = size_of(exact::rounded(x, last, step.rule.mode));
        const Dyadic normal = power_of_two(f.emin());
        const Decoded result = decode(f, step.bits);
        const bool flushed = result.is_zero() && !rounded.is_zero();
        hit_if(is_equal(rounded, power_of_two(first + 1)), "next-binade");
        hit_if(rounded.is_zero(), "underflow");
        hit_if(flushed, "flushed");
        if (f.has_subnormals() && !flushed) {
            hit_if(is_less(size_of(x), normal) && is_equal(rounded, normal), "to-normal");
            hit_if(!rounded.is_zero() && is_less(rounded, normal), "subnormal");
        }
        const Dyadic largest = {Integer(f.max_significand()), f.emax() - f.mantissa_bits};
        hit_if(!f.is_fixed_point() && is_less(largest, rounded), "overflow");
    }

    std::set<std::string>& all_;
    std::string node_;
};

} // namespace

std::set<std::string> events_of(const Unit& unit, const Inputs& inputs) {
    std::set<std::string> all;
    const explain::Trace trace = explain::trace(unit, inputs);
    for (std::size_t b = 0; b < trace.blocks.size(); ++b)
        Events(all).block(unit.blocks() > 1 ? "b" + std::to_string(b) + "." : "", trace.blocks[b]);
    return all;
}

} // namespace discern::claims
