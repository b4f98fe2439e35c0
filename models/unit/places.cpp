// Sets of numbers as intervals of places: each limit of inputs is an interval or two, and limits intersect.
#include "models/places.hpp"

#include "texts.hpp"

#include <algorithm>
#include <numeric>

namespace discern {

namespace {

std::int64_t largest_place(const Format& f) {
    return place_of(f, pack(f, {.significand = f.max_significand(), .exponent = f.emax()}));
}

/// Both magnitudes from `first` to `last`, of either sign where the format has signs.
void add_magnitudes(PlaceSet& set, const Format& f, std::int64_t first, std::int64_t last) {
    if (f.is_signed) set.insert(set.begin(), {-last, -first});
    set.push_back({first, last});
}

} // namespace

PlaceSet all_numbers(const Format& f) {
    const std::int64_t most = largest_place(f);
    return {{f.is_fixed_point() ? -most - 1 : f.is_signed ? -most : 0, most}};
}

PlaceSet numbers_between(const Format& f, double low, double high) {
    const PlaceRange all = all_numbers(f).front();
    /// The first place whose number does not lie below the bound.
    const auto first = [&](auto is_below) {
        std::int64_t begin = all.first, end = all.last + 1;
        while (begin < end) {
            const std::int64_t middle = std::midpoint(begin, end); // toward begin; the difference may be too large
            if (is_below(to_double(f, pattern_at_place(f, middle))))
                begin = middle + 1;
            else
                end = middle;
        }
        return begin;
    };
    const std::int64_t from = first([&](double x) { return x < low; });
    const std::int64_t to = first([&](double x) { return x <= high; });
    if (from >= to) return {};
    return {{from, to - 1}};
}

PlaceSet numbers_of_exponents(const Format& f, int low, int high) {
    if (low <= f.emin() && high >= f.emax()) return all_numbers(f);
    PlaceSet set;
    if (f.has_zero) set.push_back({0, 0});
    if (f.is_fixed_point() || low > high || low > f.emax() || high < f.emin()) return set; // of which all have emin
    const std::uint64_t hidden = std::uint64_t{1} << f.mantissa_bits;
    const auto smallest = [&](int exponent) {
        return place_of(f, pack(f, {.significand = hidden, .exponent = exponent}));
    };
    const std::int64_t zero = f.has_zero ? 1 : 0; // 1 if place 0 is a zero and not a magnitude
    const std::int64_t first = low <= f.emin() ? zero : smallest(low);
    const std::int64_t last = high >= f.emax() ? largest_place(f) : smallest(high + 1) - 1;
    add_magnitudes(set, f, first, last);
    return set;
}

PlaceSet numbers_not_subnormal(const Format& f) {
    if (!f.has_subnormals()) return all_numbers(f);
    PlaceSet set = {{0, 0}};
    add_magnitudes(set, f, std::int64_t{1} << f.mantissa_bits, largest_place(f));
    return set;
}

PlaceSet common(const PlaceSet& one, const PlaceSet& other) {
    PlaceSet both;
    for (const PlaceRange& x : one)
        for (const PlaceRange& y : other) {
            const PlaceRange range{std::max(x.first, y.first), std::min(x.last, y.last)};
            if (range.first <= range.last) both.push_back(range);
        }
    return both;
}

std::string no_input_left(const Format& f, std::string_view operand, std::span<const std::string> limits) {
    return sentence("no input is left: no number of ", f.name, ", the format of ", operand, ", is within ",
                    texts::joined(limits, " and "), "; wider limits are right");
}

} // namespace discern
