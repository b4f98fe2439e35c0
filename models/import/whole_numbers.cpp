#include "whole_numbers.hpp"

#include <algorithm>
#include <cmath>

namespace discern {

namespace {

bool is_whole(std::string_view word) { return word.find_first_of(".eExXpP") == std::string_view::npos; }

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

} // namespace

PrintedDigits coarsest_printing(std::span<const std::string_view> words, PrintedDigits as_they_look) {
    if (std::ranges::all_of(words, is_whole)) return {.kind = PrintedDigits::Kind::places, .count = 0};
    return as_they_look;
}

AgainstExact against_exact(const Shape& shape, std::span<const Vector> vectors, std::span<const PlaceRange> ranges) {
    const Format& d = format(shape.d);
    // A unit keeps 12 bits beside its largest summand, or what d has, and loses some units of the last of them.
    constexpr int most_bits = 14, lost_bits = 2;
    const double lost = std::ldexp(1.0, lost_bits - std::min(d.mantissa_bits, most_bits));
    AgainstExact result;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        const Sum sum = sum_of(shape, vectors[i]);
        const double least = to_double(d, pattern_at_place(d, ranges[i].first)),
                     most = to_double(d, pattern_at_place(d, ranges[i].last)),
                     seen = to_double(d, vectors[i].d.front()), slack = sum.largest * lost;
        if (!std::isfinite(sum.value) || !std::isfinite(least) || !std::isfinite(most)) continue;
        if (most - least < 8 * slack || std::fabs(sum.value - seen) <= slack) continue; // says nothing
        ++(sum.value >= least - slack && sum.value <= most + slack ? result.rounded : result.off);
    }
    return result;
}

} // namespace discern
