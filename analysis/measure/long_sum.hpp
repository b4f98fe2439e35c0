// Sums of any numbers, however far apart they are, as one long integer: all bits from the smallest product to the
// largest sum (Kulisch, "Computer Arithmetic and Validity", 2008).
#pragma once

#include "models/evaluate/wide_int.hpp"

#include <span>

namespace discern::measure {

/// A real number as two doubles: the nearest one, and what is then left, rounded to odd if that is no double itself.
/// Both together say whether the number is above, below or equal to a double, and how far away from it to 53 bits. A
/// number below 2^-1021, to which only f64 operands lead, is one double, rounded to odd.
struct ExactSum {
    double high = 0, low = 0;
    /// The number if it is a double, else that of its two neighbours whose last bit is set. Rounding the result to a
    /// format of 51 bits or fewer is as if the number itself was rounded.
    double to_odd() const;
};

/// x becomes x + y as it is rounded; returns what that lost, exactly (Knuth's TwoSum).
inline double two_sum(double& x, double y) {
    const double sum = x + y, of_y = sum - x, lost = (x - (sum - of_y)) + (y - of_y);
    x = sum;
    return lost;
}

/// high + low, rounded to odd: to itself if it is a double, else to the neighbour whose last bit is set.
double rounded_to_odd(double high, double low);

/// significand·2^exponent
struct Term {
    wide::i128 significand;
    int exponent;
};

/// The sum of all terms; `high` is infinite if it is beyond the doubles.
/// @param lowest  the least exponent that a term can have
/// @param narrow  the sum is less than 2^(lowest + 639) whatever is added on the way; else less than 2^(lowest + 4991)
ExactSum long_sum(std::span<const Term> terms, int lowest, bool narrow);

} // namespace discern::measure
