// Names of bins, and which of them the recorded walk over a tree shows.
#include "bins.hpp"

#include "models/rounding.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace discern::coverage {

namespace {

using explain::Number;

struct Words {
    std::string_view name, meaning;
};

constexpr auto words = std::to_array<Words>({
    {"cut", "alignment takes bits that are set"},
    {"gone", "is not zero, and alignment leaves nothing of it"},
    {"largest", "has the largest exponent"},
    {"zero-largest", "is zero, and has the largest exponent"},
    {"zero", "is zero"},
    {"infinite", "is infinite"},
    {"nan", "is a NaN"},
    {"floor", "the floor is above all exponents"},
    {"all-zero", "all terms are zero"},
    {"carry", "the first digit is above those of all terms"},
    {"cancel", "the first digit is below the highest one of a term"},
    {"cancelled", "the terms cancel to zero"},
    {"wraps", "the register wraps"},
    {"exact", "nothing is rounded"},
    {"below-half", "less than half a unit is rounded"},
    {"tie-even", "a tie, behind a 0"},
    {"tie-odd", "a tie, behind a 1"},
    {"above-half", "more than half a unit is rounded"},
    {"next-binade", "rounding reaches a power of two"},
    {"to-normal", "rounding reaches the smallest normal number"},
    {"subnormal", "the result is subnormal"},
    {"underflow", "the result is rounded to zero"},
    {"flushed", "the result is flushed to zero"},
    {"overflow", "the result is above the largest number"},
    {"plus-zero", "an exact zero gives +0"},
    {"minus-zero", "an exact zero gives -0"},
    {"plus-infinity", "the operand is +inf"},
    {"minus-infinity", "the operand is -inf"},
    {"operand-nan", "the operand is a NaN"},
    {"opposite", "infinities of both signs give a NaN"},
});
static_assert(words.size() == static_cast<std::size_t>(Event::opposite) + 1);

bool is_finite(const Number& x) { return x.kind == Number::Kind::finite; }

/// Whether the term is a product, a group or what a block adds: those whose names are not steps'.
bool is_leaf(const explain::Block& block, const std::string& term) {
    return term == block.accumulator || term.front() == 'p' || term.front() == 'g';
}

/// The digit that is worth 2^exponent.
bool digit(const Number& x, int exponent) {
    const int i = x.top() - exponent;
    return i >= 0 && i < static_cast<int>(x.digits.size()) && x.digits[static_cast<std::size_t>(i)] == '1';
}

/// Whether some digit below 2^exponent is set. The last digit of a number always is.
bool any_below(const Number& x, int exponent) { return x.lsb < exponent; }

template <typename Found>
void of_sum(const explain::Block& block, const explain::Sum& sum, const Found& found) {
    bool finite = true, zero = true, kept_any = false, of_floor = sum.E_from == "floor";
    std::optional<int> most, top;
    for (const explain::Term& term : sum.terms) {
        finite = finite && is_finite(term.value);
        zero = zero && term.value.is_zero();
        if (term.exponent && (!most || *most < *term.exponent)) most = term.exponent;
        if (!is_leaf(block, term.name)) continue;
        if (term.value.is_zero()) found(term.name, Event::zero);
        if (term.value.kind == Number::Kind::infinite) found(term.name, Event::infinite);
        if (term.value.kind == Number::Kind::nan) found(term.name, Event::nan);
    }
    if (!finite) return;
    for (const explain::Term& term : sum.terms) {
        if (!term.lost.is_zero()) found(term.name, Event::cut);
        if (!term.value.is_zero() && term.kept.is_zero()) found(term.name, Event::gone);
        if (!of_floor && term.exponent && term.exponent == most) {
            if (!term.value.is_zero()) found(term.name, Event::largest);
            if (term.value.is_zero() && is_leaf(block, term.name)) found(term.name, Event::zero_largest);
        }
        if (term.kept.is_zero()) continue;
        kept_any = true;
        top = std::max(top.value_or(term.kept.top()), term.kept.top());
    }
    if (of_floor) found("", Event::floor);
    if (zero) found("", Event::all_zero);
    if (kept_any && sum.value.is_zero()) found("", Event::cancelled);
    if (kept_any && !sum.value.is_zero() && sum.value.top() > *top) found("", Event::carry);
    if (kept_any && !sum.value.is_zero() && sum.value.top() < *top) found("", Event::cancel);
    if (sum.value != sum.result && !(sum.value.is_zero() && sum.result.is_zero())) found("", Event::wraps);
}

/// A finite operand that is not zero: its digits are looked at, and the result only for flushing.
template <typename Found>
void of_rounded(const explain::RoundStep& step, const Found& found) {
    const Format& f = format(step.rule.format);
    const Number& x = step.operand;
    const bool tiny = x.top() < f.emin();
    int exponent = std::max(x.top(), f.emin());
    const int lsb = exponent - f.mantissa_bits;
    const bool odd = digit(x, lsb), half = digit(x, lsb - 1), sticky = any_below(x, lsb - 1);
    std::uint64_t significand = 0;
    for (int e = exponent; e >= lsb; --e) significand = 2 * significand + (digit(x, e) ? 1 : 0);
    found("", !half    ? (sticky ? Event::below_half : Event::exact)
              : sticky ? Event::above_half
              : odd    ? Event::tie_odd
                       : Event::tie_even);
    if (rounds_away(step.rule.mode, x.negative, odd, half, sticky)) ++significand;
    const std::uint64_t hidden = 1ull << f.mantissa_bits;
    if (significand == 2 * hidden) {
        found("", Event::next_binade);
        significand = hidden;
        ++exponent;
    }
    const bool is_zero = step.result.is_zero();
    if (significand == 0) found("", Event::underflow);
    if (significand != 0 && is_zero) found("", Event::flushed);
    if (f.has_subnormals() && tiny && significand == hidden && !is_zero) found("", Event::to_normal);
    if (f.has_subnormals() && significand != 0 && significand < hidden && !is_zero) found("", Event::subnormal);
    if (!f.is_fixed_point() && (exponent > f.emax() || (exponent == f.emax() && significand > f.max_significand())))
        found("", Event::overflow);
}

template <typename Found>
void of_rounding(const explain::RoundStep& step, const Found& found) {
    const Number& x = step.operand;
    if (x.kind == Number::Kind::nan) {
        found("", Event::operand_nan);
    } else if (x.kind == Number::Kind::infinite) {
        found("", x.negative ? Event::minus_infinity : Event::plus_infinity);
    } else if (x.is_zero()) {
        const Format& f = format(step.rule.format);
        if (f.has_minus_zero()) found("", step.result.negative ? Event::minus_zero : Event::plus_zero);
    } else {
        of_rounded(step, found);
    }
}

} // namespace

std::string_view name(Event event) { return words[static_cast<std::size_t>(event)].name; }
std::string_view meaning(Event event) { return words[static_cast<std::size_t>(event)].meaning; }

std::string name(const Bin& bin, const Unit& unit) {
    std::string text = unit.blocks() > 1 ? "b" + std::to_string(bin.block) + "." : "";
    text += bin.node + ".";
    if (!bin.term.empty()) text += bin.term + ".";
    return text + std::string(name(bin.event));
}

std::vector<Bin> hits(const explain::Trace& trace) {
    std::vector<Bin> all;
    for (std::size_t b = 0; b < trace.blocks.size(); ++b) {
        const explain::Block& block = trace.blocks[b];
        bool leaf_nan = false;
        for (const explain::Step& step : block.steps) {
            const std::string& node = std::visit([](const auto& one) -> const std::string& { return one.name; }, step);
            const auto found = [&](const std::string& term, Event event) {
                leaf_nan = leaf_nan || event == Event::nan;
                all.push_back({b, node, term, event});
                // At the root all terms of the block have been seen.
                if (event == Event::operand_nan && node == "d" && !leaf_nan)
                    all.push_back({b, node, "", Event::opposite});
            };
            if (const auto* sum = std::get_if<explain::Sum>(&step))
                of_sum(block, *sum, found);
            else
                of_rounding(std::get<explain::RoundStep>(step), found);
        }
    }
    return all;
}

} // namespace discern::coverage
