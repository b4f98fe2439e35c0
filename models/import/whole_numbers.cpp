#include "whole_numbers.hpp"

#include <algorithm>
#include <cmath>

namespace discern {

namespace {

/// How far the ends of a range of numbers are apart.
double width_of(const Format& f, PlaceRange range) {
    return to_double(f, pattern_at_place(f, range.last)) - to_double(f, pattern_at_place(f, range.first));
}

/// The exact result in doubles, which is near enough here, and the largest of its summands.
struct Sum {
    double value = 0, largest = 0;
    void add(double x) {
        value += x;
        largest = std::max(largest, std::fabs(x));
    }
};

Sum sum_of(const Shape& shape, const Vector& x) {
    Sum sum;
    if (shape.c && x.c) sum.add(to_double(format(*shape.c), *x.c));
    for (std::size_t k = 0; k < x.a.size(); ++k) {
        double product = to_double(format(shape.a), x.a[k]) * to_double(format(shape.b), x.b[k]);
        if (shape.scale) {
            const Format& f = format(shape.scale->format);
            const std::size_t block = k / static_cast<std::size_t>(shape.scale->block);
            product *= to_double(f, x.sa[block]) * to_double(f, x.sb[block]);
        }
        sum.add(product);
    }
    return sum;
}

/// How vectors' results lie to what they are exactly, beyond what a unit of d's format may lose on the way.
struct AgainstExact {
    std::size_t rounded = 0; ///< d is off by no more than half of its last digit,
    std::size_t off = 0;     ///< or by more
    /// Whether d was rounded by its printing, for certain.
    bool is_printing() const { return rounded >= 8 && off == 0; }
};

/// @param printed  the ranges of each vector's d, and perhaps c, if they were printed so
AgainstExact against_exact(const Shape& shape, std::span<const Vector> vectors, const PrintedRanges& printed) {
    const Format& d = format(shape.d);
    // A unit keeps 12 bits beside its largest summand, or what d has, and loses some units of the last of them.
    constexpr int most_bits = 14, lost_bits = 2;
    const double lost = std::ldexp(1.0, lost_bits - std::min(d.mantissa_bits, most_bits));
    AgainstExact result;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        const Sum sum = sum_of(shape, vectors[i]);
        const double of_c = printed.c.empty() ? 0 : width_of(format(*shape.c), printed.c[i]) / 2;
        const double least = to_double(d, pattern_at_place(d, printed.d[i].first)),
                     most = to_double(d, pattern_at_place(d, printed.d[i].last)),
                     seen = to_double(d, vectors[i].d.front()), slack = sum.largest * lost;
        if (!std::isfinite(sum.value) || !std::isfinite(least) || !std::isfinite(most)) continue;
        if (most - least < 8 * slack || std::fabs(sum.value - seen) <= slack) continue; // says nothing
        const double reach = slack + of_c;
        ++(sum.value >= least - reach && sum.value <= most + reach ? result.rounded : result.off);
    }
    return result;
}

std::vector<PlaceRange> ranges_of(const Format& format, std::span<const std::string_view> words, PrintedDigits digits) {
    std::vector<PlaceRange> ranges;
    for (const std::string_view word : words) ranges.push_back(printed_range(format, word, digits));
    return ranges;
}

} // namespace

bool are_whole(std::span<const std::string_view> words) {
    const auto is_whole = [](std::string_view word) { return word.find_first_of(".eExXpP") == std::string_view::npos; };
    const auto is_zero = [](std::string_view word) { return word.find_first_not_of("+-0") == std::string_view::npos; };
    return std::ranges::all_of(words, is_whole) && !std::ranges::all_of(words, is_zero);
}

PrintedDigits coarsest_printing(std::span<const std::string_view> words, PrintedDigits as_they_look) {
    if (are_whole(words)) return {.kind = PrintedDigits::Kind::places, .count = 0};
    return as_they_look;
}

void look_at_results(Table& table, const PrintedColumn& c, const PrintedColumn& d, bool may_be_ranges) {
    const std::vector<std::string_view> words = d.views(), of_c = c.views();
    const PrintedDigits digits = coarsest_printing(words, d.digits);
    const Format& f = format(table.shape.d);
    if (f.is_fixed_point() || (digits.kind == PrintedDigits::Kind::significant && digits.count >= digits_needed(f)))
        return;
    PrintedRanges printed{.c = {}, .d = ranges_of(f, words, digits)};
    printed.d_digits = digits.kind == PrintedDigits::Kind::significant ? digits.count : 0;
    AgainstExact seen = against_exact(table.shape, table.vectors, printed);
    if (!seen.is_printing() && are_whole(of_c) && !format(*table.shape.c).is_fixed_point()) {
        printed.c = ranges_of(format(*table.shape.c), of_c, coarsest_printing(of_c, c.digits));
        if (const AgainstExact with_c = against_exact(table.shape, table.vectors, printed); with_c.is_printing())
            seen = with_c;
        else
            printed.c.clear();
    }
    if (may_be_ranges && seen.is_printing()) {
        table.ranges.d = std::move(printed.d);
        table.ranges.d_digits = printed.d_digits;
        if (!printed.c.empty()) table.ranges.c = std::move(printed.c);
    } else {
        // If the factors were rounded, too, most results are far off.
        const bool most_are_off = seen.off >= 8 && 2 * seen.off > words.size() && are_whole(words);
        table.unlike_results = seen.rounded + (most_are_off ? seen.off : 0);
    }
}

} // namespace discern
