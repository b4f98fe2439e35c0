// Bounds are numbers and not terms: they decide how terms are built, at no cost in the formula.
#include "extent.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace discern {

namespace {

/// The largest integer to which the mode rounds any magnitude up to the given one.
double most_units(double magnitude, Rounding mode) {
    const double whole = std::floor(magnitude);
    if (whole == magnitude || mode == Rounding::rz) return whole;
    return mode == Rounding::odd && std::fmod(whole, 2) != 0 ? whole : whole + 1;
}

} // namespace

double aligned_peak(const Summand& s) {
    const double peak = s.number.facts->peak;
    double largest = 0;
    for (const auto& [F, condition] : s.how.F.options)
        for (const auto& [mode, of_mode] : s.how.rounding.options)
            largest = std::max(largest, F ? std::ldexp(most_units(std::ldexp(peak, *F), mode), -*F) : peak);
    return largest;
}

double largest_sum(std::span<const Summand> summands, bool framed) {
    double sum = 0;
    for (const Summand& s : summands) {
        double unit = 0; // what inverting instead of negating may add
        for (const auto& [F, condition] : s.how.F.options)
            if (framed && F) unit = std::max(unit, std::ldexp(1.0, -*F));
        sum = sum_above(sum, aligned_peak(s) + unit);
    }
    return sum;
}

// If two summands nearly cancel, both are about as large as the larger one's smallest magnitude, which bounds the
// weight of their last bits from below.
int least_of_sum(Terms& t, std::span<const Summand> summands) {
    std::vector<const Bounds*> some;
    for (const Summand& s : summands)
        if (s.number.zero != t.truth(true)) some.push_back(&*s.number.facts);
    if (some.empty() || some.size() > 2) return INT_MIN;
    const int first = least_magnitude(*some.front()), second = least_magnitude(*some.back());
    const int both = std::max(first, second) - 1; // a sum below 2^both has two summands of at least 2^both
    int least = std::min({first, second, both});
    if (some.size() == 1) return first;
    for (const Bounds* b : some) {
        int lsb = b->last;
        if (b->digits != INT_MAX && b->peak > 0)
            lsb = std::max(lsb, static_cast<int>(std::ceil(both - std::log2(b->peak))) - b->digits);
        least = std::min(least, lsb);
    }
    return least;
}

// A single summand that is not zero is the sum. Of two or more, all but one have an exponent that is at least the
// second lowest one, so that E is, and what is aligned is a multiple of 2^(E − F).
int least_of_aligned_sum(Terms& t, std::span<const Summand> summands) {
    int least = INT_MAX, lowest = INT_MAX, second = INT_MAX;
    for (const Summand& s : summands) {
        if (s.number.zero == t.truth(true)) continue;
        if (s.number.facts->lowest != INT_MAX) return INT_MIN; // an inner sum, whose exponent may be replaced
        least = std::min(least, least_magnitude(*s.number.facts));
        second = std::min(second, std::max(lowest, s.number.exponent.low));
        lowest = std::min(lowest, s.number.exponent.low);
    }
    if (second == INT_MAX) return least;
    for (const Summand& s : summands) {
        if (s.number.zero == t.truth(true)) continue;
        const int unit = s.number.facts->last;
        int most = INT_MIN;
        for (const auto& [F, condition] : s.how.F.options) most = std::max(most, F.value_or(INT_MAX));
        least = std::min(least, most == INT_MAX ? unit : std::max(unit, second - most));
    }
    return least;
}

bool exact_at_own_exponents(std::span<const Summand> summands) {
    return std::all_of(summands.begin(), summands.end(), [](const Summand& s) {
        return s.how.F.all([&](const auto& F) { return !F || *F >= s.number.facts->digits; });
    });
}

int highest_beside(std::span<const Summand> summands, std::size_t i, const Pick<std::optional<int>>& floor) {
    int highest = INT_MIN;
    for (const Summand& other : summands) {
        if (&other != &summands[i])
            highest = std::max({highest, other.number.exponent.high, other.number.facts->zero_exponent});
        for (const auto& [zero, condition] : other.how.zero.options)
            if (zero.kind == ZeroExponent::Kind::constant) highest = std::max(highest, zero.value);
    }
    for (const auto& [value, condition] : floor.options)
        if (value) highest = std::max(highest, *value);
    return highest;
}

namespace {

/// Whether all are multiplied by the same scales.
bool share_scales(std::span<const Summand> summands) {
    const auto& first = summands.front().number.facts->scaling;
    return std::all_of(summands.begin(), summands.end(), [&](const Summand& s) {
        return first && s.number.facts->scaling && s.number.facts->scaling->is_that_of(*first);
    });
}

} // namespace

bool exact_beside_one_scale(std::span<const Summand> summands, const Pick<std::optional<int>>& floor) {
    using Kind = ZeroExponent::Kind;
    if (!share_scales(summands) || !floor.all([](const auto& f) { return !f; })) return false;
    int highest = INT_MIN;
    for (const Summand& s : summands) highest = std::max(highest, s.number.facts->scaling->highest);
    const auto is_of_fields = [](const ZeroExponent& z) { return z.kind != Kind::constant; };
    return std::all_of(summands.begin(), summands.end(), [&](const Summand& s) {
        return s.how.zero.all(is_of_fields) && (!s.number.empty || s.number.empty->takes.all(is_of_fields)) &&
               s.how.F.all([&](const auto& F) { return !F || *F >= highest - s.number.facts->scaling->last; });
    });
}

double span_of_one_scale(std::span<const Summand> summands) {
    if (!share_scales(summands)) return HUGE_VAL;
    int last = INT_MAX;
    double most = 0;
    for (const Summand& s : summands) {
        last = std::min(last, s.number.facts->scaling->last);
        most = sum_above(most, s.number.facts->scaling->most);
    }
    return std::ldexp(most, -last);
}

Pick<int> largest_F(Terms& t, std::span<const Summand> summands) {
    std::set<int> values;
    for (const auto& [n, how, is_c] : summands)
        for (const auto& [F, condition] : how.F.options) values.insert(F.value_or(0));
    Pick<int> largest;
    for (const int value : values) {
        std::vector<Term> some = {}, none_above = {};
        for (const auto& [n, how, is_c] : summands) {
            some.push_back(how.F.when(t, [value](const auto& F) { return F.value_or(0) == value; }));
            none_above.push_back(how.F.when(t, [value](const auto& F) { return F.value_or(0) <= value; }));
        }
        largest.options.emplace_back(value, t.bvand(t.any_of(some), t.all_of(none_above)));
    }
    return largest;
}

} // namespace discern
