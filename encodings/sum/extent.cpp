// See extent.hpp.
#include "extent.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace discern {

namespace {

/// The largest whole number that the mode makes of magnitudes up to that one.
double most_places(double magnitude, Rounding mode) {
    const double whole = std::floor(magnitude);
    if (whole == magnitude || mode == Rounding::rz) return whole;
    return mode == Rounding::odd && std::fmod(whole, 2) != 0 ? whole : whole + 1;
}

} // namespace

double largest_sum(std::span<const Summand> summands, bool framed) {
    double sum = 0;
    for (const auto& [n, how, is_c] : summands) {
        double largest = 0, place = 0; // by which an inverted summand is larger
        for (const auto& [F, condition] : how.F.options) {
            for (const auto& [mode, of_mode] : how.rounding.options)
                largest = std::max(largest, F ? std::ldexp(most_places(std::ldexp(n.bounds.peak, *F), mode), -*F)
                                              : n.bounds.peak);
            if (framed && F) place = std::max(place, std::ldexp(1.0, -*F));
        }
        sum = sum_above(sum, largest + place);
    }
    return sum;
}

// Of two that nearly cancel both are as large as the larger one ever is at least, so their last places are high.
int least_of_sum(Terms& t, std::span<const Summand> summands) {
    std::vector<const Bounds*> some;
    for (const Summand& s : summands)
        if (s.number.zero != t.truth(true)) some.push_back(&s.number.bounds);
    if (some.empty() || some.size() > 2) return INT_MIN;
    const int first = least_magnitude(*some.front()), second = least_magnitude(*some.back());
    const int both = std::max(first, second) - 1; // a sum below 2^both is of two that are not
    int least = std::min({first, second, both});
    if (some.size() == 1) return first;
    for (const Bounds* b : some) {
        int place = b->last;
        if (b->digits != INT_MAX && b->peak > 0)
            place = std::max(place, static_cast<int>(std::ceil(both - std::log2(b->peak))) - b->digits);
        least = std::min(least, place);
    }
    return least;
}

std::optional<std::pair<Term, FormatId>> pattern_of_sum(Terms& t, std::span<const Summand> summands) {
    const Number* only = nullptr;
    for (const Summand& s : summands) {
        const Number& n = s.number;
        if (n.zero_negative != t.truth(false)) return std::nullopt;
        const Term special[] = {n.nan, n.positive, n.negative, n.soft_positive, n.soft_negative}; // as 0·∞ may be
        if (n.zero == t.truth(true) && t.any_of(special) == t.truth(false)) continue;
        if (only != nullptr) return std::nullopt;
        only = &n;
    }
    return only == nullptr ? std::nullopt : only->pattern;
}

bool uncut_by_themselves(std::span<const Summand> summands) {
    return std::all_of(summands.begin(), summands.end(), [](const Summand& s) {
        return s.how.F.all([&](const auto& F) { return !F || *F >= s.number.bounds.digits; });
    });
}

int highest_beside(std::span<const Summand> summands, std::size_t i, const Pick<std::optional<int>>& floor) {
    int highest = INT_MIN;
    for (const Summand& other : summands) {
        if (&other != &summands[i])
            highest = std::max({highest, other.number.exponent.high, other.number.bounds.zero_exponent});
        for (const auto& [zero, condition] : other.how.zero.options)
            if (zero.kind == ZeroExponent::Kind::constant) highest = std::max(highest, zero.value);
    }
    for (const auto& [value, condition] : floor.options)
        if (value) highest = std::max(highest, *value);
    return highest;
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
