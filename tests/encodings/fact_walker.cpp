// Each claim is a row of one table. Integers are exact, and bounds that are doubles are compared with them exactly.
#include "fact_walker.hpp"

#include <cmath>
#include <functional>

namespace discern::tests {

namespace {

using Integer = boost::multiprecision::cpp_int;

/// magnitude · 2^lsb ≤ bound · 2^exponent, exactly.
bool at_most(const Integer& magnitude, int lsb, double bound, int exponent) {
    if (bound == HUGE_VAL) return true;
    if (magnitude == 0) return bound >= 0;
    int e = 0;
    const double fraction = std::frexp(bound, &e); // in [1/2, 1)
    const Integer significand(static_cast<std::uint64_t>(std::ldexp(fraction, 53)));
    const int scale = e - 53 + exponent, low = std::min(lsb, scale);
    return (magnitude << (lsb - low)) <= (significand << (scale - low));
}

/// The runs of equal digits of a number, from its last 1 up, as DigitRuns says.
DigitRuns runs_of(const Integer& magnitude) {
    DigitRuns runs = {0, 0, 0, 0, 0, 0};
    std::vector<bool> digits; // from the last 1 up
    for (auto i = lsb(magnitude); i <= msb(magnitude); ++i) digits.push_back(bit_test(magnitude, i));
    for (std::size_t i = 0, end = 0; i < digits.size(); i = end) {
        end = i;
        while (end < digits.size() && digits[end] == digits[i]) ++end;
        const int length = static_cast<int>(end - i), above_last = i == 0 ? length - 1 : length;
        // The digit above the run ends it; the one above that says whether it stands alone.
        const bool one_above = end + 1 < digits.size() && digits[end + 1];
        if (!digits[i]) {
            runs.zeros = std::max(runs.zeros, length);
            if (!one_above) runs.odd_zeros = std::max(runs.odd_zeros, length);
            if (!one_above && i == 1) runs.lone_odd_zeros = std::max(runs.lone_odd_zeros, length);
            continue;
        }
        runs.ones = std::max(runs.ones, above_last);
        if (!one_above) continue;
        runs.inner_ones = std::max(runs.inner_ones, above_last);
        runs.odd_ones = std::max(runs.odd_ones, length);
    }
    return runs;
}

bool are_at_most(const DigitRuns& seen, const DigitRuns& claimed) {
    return seen.zeros <= claimed.zeros && seen.ones <= claimed.ones && seen.inner_ones <= claimed.inner_ones &&
           seen.odd_zeros <= claimed.odd_zeros && seen.lone_odd_zeros <= claimed.lone_odd_zeros &&
           seen.odd_ones <= claimed.odd_ones;
}

constexpr FactClaim claims[] = {
    {"last", [](const SeenNumber& s) { return s.zero || s.bottom >= s.b.last; }},
    {"least", [](const SeenNumber& s) { return s.zero || s.top >= s.b.least; }},
    {"units", [](const SeenNumber& s) { return at_most(s.magnitude, 0, s.b.units, 0); }},
    {"below", [](const SeenNumber& s) { return s.zero || s.top < s.b.below; }},
    {"most", [](const SeenNumber& s) { return at_most(s.magnitude, s.lsb, s.b.most, 0); }},
    {"span", [](const SeenNumber& s) { return s.zero || at_most(s.magnitude >> (s.bottom - s.lsb), 0, s.b.span, 0); }},
    {"peak", [](const SeenNumber& s) { return s.zero || at_most(s.magnitude, s.lsb, s.b.peak, s.exponent); }},
    {"zero_exponent",
     [](const SeenNumber& s) {
         if (!s.zero) return true;
         return s.as_empty ? *s.as_empty <= s.b.zero_exponent : !s.has_exponent || s.exponent <= s.b.zero_exponent;
     }},
    {"depth", [](const SeenNumber& s) { return s.zero || s.b.depth == INT_MAX || s.top >= s.exponent - s.b.depth; }},
    {"normal_above",
     [](const SeenNumber& s) { return s.zero || s.exponent <= s.b.normal_above || s.top >= s.exponent; }},
    {"partly_above",
     [](const SeenNumber& s) {
         return s.zero || s.exponent <= s.b.partly_above || s.top >= s.exponent - s.b.part_depth;
     }},
    {"digits",
     [](const SeenNumber& s) { return s.zero || s.b.digits == INT_MAX || s.bottom >= s.exponent - s.b.digits; }},
    {"lowest", [](const SeenNumber& s) { return s.zero || s.b.lowest == INT_MAX || s.exponent >= s.b.lowest; }},
    {"runs", [](const SeenNumber& s) { return s.zero || are_at_most(runs_of(s.magnitude), s.b.runs); }},
    {"gap", [](const SeenNumber& s) { return s.zero || !s.b.gap || s.exponent - s.lsb == *s.b.gap; }},
    {"below_lsb", [](const SeenNumber& s) { return s.zero || s.exponent >= s.lsb - most_below_lsb(s.b); }},
    // Only a format with a constant exponent, in fixed point, has none.
    {"has_subnormals",
     [](const SeenNumber& s) { return s.b.has_subnormals || s.number.exponent.low == s.number.exponent.high; }},
    {"scaling",
     [](const SeenNumber& s) {
         if (!s.b.scaling || s.zero) return true;
         return s.bottom >= s.b.scaling->last + s.scales && at_most(s.magnitude, s.lsb, s.b.scaling->most, s.scales) &&
                s.exponent <= s.b.scaling->highest + s.scales;
     }},
    {"exponent",
     [](const SeenNumber& s) {
         const Ranged& e = s.number.exponent;
         return (s.zero && !s.has_exponent) || s.as_empty || (e.low <= s.exponent && s.exponent <= e.high);
     }},
    {"lsb", [](const SeenNumber& s) { return s.zero || (s.number.lsb.low <= s.lsb && s.lsb <= s.number.lsb.high); }},
    {"zero", [](const SeenNumber& s) { return s.zero == (s.magnitude == 0); }},
    {"pattern", [](const SeenNumber& s) { return !s.by_pattern || (s.exact_value && *s.by_pattern == s.value); }},
    {"summands", [](const SeenNumber& s) { return !s.by_summands || !s.exact_value || *s.by_summands == s.value; }},
};

void for_each_term(const Number& n, const std::function<void(Term)>& visit) {
    for (const Term t : {n.zero, n.sign, n.magnitude, n.lsb.bits, n.exponent.bits, n.has_exponent, n.nan, n.positive,
                         n.negative, n.tentative_positive, n.tentative_negative})
        visit(t);
    if (n.facts->scaling) {
        visit(n.facts->scaling->a.bits);
        visit(n.facts->scaling->b.bits);
    }
    if (n.empty) {
        visit(n.empty->here);
        for (const auto& [e, condition] : n.empty->takes.options) visit(condition);
    }
    if (n.pattern) visit(n.pattern->first);
    for (const Number& one : n.summands) for_each_term(one, visit);
}

} // namespace

std::span<const FactClaim> fact_claims() { return claims; }

FactWalker::FactWalker(const Members& family) : family_(family) {
    parameters_ = parameters_of(terms_, family);
    inputs_ = input_variables(terms_, family.structure.frame);
    terms_.watch([this](const Number& n) { numbers_.push_back(n); });
    encode(terms_, family.structure, *parameters_, inputs_);
    std::vector<Term> roots;
    for (const Number& n : numbers_) for_each_term(n, [&](Term t) { roots.push_back(t); });
    evaluator_ = std::make_unique<TermEvaluator>(terms_, roots);
}

std::optional<SeenNumber> FactWalker::see(const Number& n) const {
    for (const Term special : {n.nan, n.positive, n.negative, n.tentative_positive, n.tentative_negative})
        if (is(special)) return std::nullopt; // nothing is claimed of these
    SeenNumber s{.number = n,
                 .b = *n.facts,
                 .zero = is(n.zero),
                 .has_exponent = is(n.has_exponent),
                 .magnitude = 0,
                 .lsb = value_of(n.lsb),
                 .exponent = value_of(n.exponent),
                 .as_empty = {},
                 .by_pattern = {},
                 .by_summands = {}};
    const Bits magnitude = evaluator_->value(n.magnitude);
    for (std::size_t i = magnitude.words().size(); i-- > 0;) s.magnitude = (s.magnitude << 64) | magnitude.words()[i];
    if (s.magnitude != 0) {
        s.top = s.lsb + static_cast<int>(msb(s.magnitude));
        s.bottom = s.lsb + static_cast<int>(lsb(s.magnitude));
        s.exact_value = s.top - s.bottom < 53 && s.top < 1024 && s.bottom >= -1074;
    } else {
        s.exact_value = true;
    }
    if (s.exact_value && s.magnitude != 0) {
        const Integer odd = s.magnitude >> (s.bottom - s.lsb);
        s.value = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(odd)), s.bottom);
        if (is(n.sign)) s.value = -s.value;
    }
    if (n.facts->scaling) s.scales = value_of(n.facts->scaling->a) + value_of(n.facts->scaling->b);
    if (n.empty && is(n.empty->here))
        for (const auto& [e, condition] : n.empty->takes.options)
            if (is(condition))
                s.as_empty = e.kind == ZeroExponent::Kind::constant ? e.value
                             : e.kind == ZeroExponent::Kind::own    ? s.exponent
                                                                    : INT_MIN;
    if (n.pattern) s.by_pattern = to_double(format(n.pattern->second), evaluator_->low(n.pattern->first));
    if (!n.summands.empty()) {
        double sum = 0;
        bool exact = true;
        for (const Number& one : n.summands) {
            const auto seen = see(one);
            const double before = sum;
            if (seen) sum += seen->value;
            exact = exact && seen && seen->exact_value && sum - before == seen->value && sum - seen->value == before;
        }
        if (exact) s.by_summands = sum;
    }
    return s;
}

std::optional<std::string> FactWalker::operator()(std::size_t member, const Inputs& inputs) {
    set_member(*evaluator_, *parameters_, family_.members[member]);
    set_inputs(*evaluator_, inputs_, inputs);
    evaluator_->run();
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
        const auto seen = see(numbers_[i]);
        if (!seen) continue;
        for (const FactClaim& claim : claims) {
            ++compared_;
            if (claim.holds(*seen)) continue;
            return std::string(claim.field) + " of number " + std::to_string(i) + ": magnitude 0x" +
                   seen->magnitude.str(0, std::ios_base::hex) + ", lsb " + std::to_string(seen->lsb) + ", exponent " +
                   std::to_string(seen->exponent);
        }
    }
    return std::nullopt;
}

} // namespace discern::tests
