// Distances are counted as integers, in the order of the format's numbers.
#include "apart.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace discern {

namespace {

bool is_finite(const Format& f, std::uint64_t bits) { return decode(f, bits).number_class == NumberClass::finite; }

} // namespace

std::uint64_t ulps_between(const Format& format, std::uint64_t one, std::uint64_t other) {
    const std::int64_t a = place_of(format, one), b = place_of(format, other);
    return a < b ? static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a)
                 : static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
}

void Apart::add(const Format& format, std::uint64_t reference, std::uint64_t other) {
    if (!is_finite(format, reference) || !is_finite(format, other)) {
        ++special;
        return;
    }
    const std::uint64_t ulps = ulps_between(format, reference, other);
    if (ulps == 0) {
        ++zero_sign;
        return;
    }
    ++finite;
    most_ulps = std::max(most_ulps, ulps);
    sum_of_ulps += static_cast<double>(ulps);
    ++by_ulps[static_cast<std::size_t>(std::bit_width(ulps - 1))];
    const double x = to_double(format, reference), y = to_double(format, other);
    if (x == 0) {
        ++from_zero;
        return;
    }
    const double relative = std::fabs(y - x) / std::fabs(x);
    largest_relative = std::max(largest_relative, relative);
    sum_of_relative += relative;
}

void Apart::add(const Apart& other) {
    finite += other.finite;
    zero_sign += other.zero_sign;
    special += other.special;
    most_ulps = std::max(most_ulps, other.most_ulps);
    sum_of_ulps += other.sum_of_ulps;
    from_zero += other.from_zero;
    largest_relative = std::max(largest_relative, other.largest_relative);
    sum_of_relative += other.sum_of_relative;
    for (std::size_t i = 0; i < by_ulps.size(); ++i) by_ulps[i] += other.by_ulps[i];
}

} // namespace discern
