// What the encoder knows of a number for all inputs.
//
// The rules of folding rest on these facts, so a fact that is false makes wrong answers. Therefore they are a type of
// its own. All code may read one; only its operations make one, and each of them says why what it claims of its result
// holds. A test (tests/encodings/fact_walker.hpp) compares every claim about every number of a unit with the value that
// the number has on concrete inputs.
#pragma once

#include "encodings/graph/ranged.hpp"
#include "models/format.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <optional>
#include <span>

namespace discern {

/// The lengths of the longest runs of equal binary digits in a significand, below which at least one digit is set.
struct DigitRuns {
    int zeros = INT_MAX;      ///< zeros below a one
    int ones = INT_MAX;       ///< ones below a zero
    int inner_ones = INT_MAX; ///< ones below a zero that has a one above it
    /// Zeros below the digits 01; the same where only a single one follows; ones below the digits 10, the last
    /// included.
    int odd_zeros = INT_MAX, lone_odd_zeros = INT_MAX, odd_ones = INT_MAX;
};

/// The scales that multiply a number, by their exponents, and what holds of the number beside them.
/// Numbers of one block share the scales. Each bound is relative to 2^s, s being the sum of the scales' exponents;
/// bounds of the number itself say less, since the scales' significands may be larger where their exponents are not the
/// largest.
struct Scaling {
    Ranged a, b; ///< the exponents of the two scales
    int last;    ///< the number is a multiple of 2^(last + s)
    double most; ///< |value| ≤ most · 2^s
    int highest; ///< the reference exponent is at most highest + s

    bool is_that_of(const Scaling& other) const { return a.bits == other.a.bits && b.bits == other.b.bits; }
};

/// What holds of a number for all inputs, as long as it is neither infinite nor NaN. The value is a magnitude, an
/// integer, times 2^lsb; the reference exponent is called `exponent`.
struct Bounds {
    int last = 0;               ///< it is a multiple of 2^last
    int least = INT_MIN;        ///< |value| ≥ 2^least unless it is zero; least_magnitude() knows more
    double units = 0;           ///< |value| ≤ units · 2^lsb
    int below = 0;              ///< |value| < 2^below
    double most = 0;            ///< |value| ≤ most
    double span = HUGE_VAL;     ///< |value| ≤ span · 2^p for some p of which it is a multiple
    double peak = 0;            ///< |value| ≤ peak · 2^exponent
    int zero_exponent = 0;      ///< a zero has no larger reference exponent
    int depth = INT_MAX;        ///< |value| ≥ 2^(exponent − depth) unless it is zero,
    int normal_above = INT_MAX; ///< and ≥ 2^exponent where the exponent is larger than that,
    int partly_above = INT_MAX; ///< and ≥ 2^(exponent − part_depth) where it is larger than that, as of products one
    int part_depth = INT_MAX;   ///< factor of which is normal there
    int digits = INT_MAX;       ///< it is a multiple of 2^(exponent − digits)
    /// Of a sum: the lowest exponent of its summands that are not zero. The sum's own exponent may be that low,
    /// whatever its floor and its zeros, where its consumer is indifferent to exponents up to there.
    int lowest = INT_MAX;
    DigitRuns runs = {};
    std::optional<int> gap = {};         ///< exponent − lsb, where that is a constant
    int below_lsb = 0;                   ///< without a gap: exponent ≥ lsb − that unless it is zero
    bool has_subnormals = true;          ///< of an operand: a magnitude without its highest bit is a subnormal number
    std::optional<Scaling> scaling = {}; ///< of a product that is multiplied by scales
};

/// |value| ≥ 2 to that, unless it is zero.
inline int least_magnitude(const Bounds& b) { return std::max(b.last, b.least); }

/// |value| ≥ 2^(exponent − that) unless it is zero, where the exponent is larger than `above`.
inline int depth_above(const Bounds& b, int above) {
    if (b.normal_above <= above) return 0;
    return b.partly_above <= above ? std::min(b.part_depth, b.depth) : b.depth;
}

/// The exponent is at least the lsb less that, unless the number is zero.
inline int most_below_lsb(const Bounds& b) { return b.gap ? std::max(0, -*b.gap) : b.below_lsb; }

/// Bounds of magnitudes as doubles: exact where the result is one, else rounded up; infinite where there is none.
double sum_above(double x, double y);
double product_above(double x, double y);
double power_above(int exponent);

class Facts {
  public:
    Facts() = default; ///< of a number that is always zero

    const Bounds* operator->() const { return &b_; }
    const Bounds& operator*() const { return b_; }

    // ---- operands -----------------------------------------------------------------------------------------------

    /// The numbers of a format, with the exponent of their fields.
    static Facts of_format(const Format& format);
    /// Every subnormal number becomes a zero.
    Facts flushed() const;
    /// Exponents of subnormal numbers are lowered, down to `highest` or to the emin of another format below it; zeros
    /// have that one.
    Facts read_again(int highest) const;

    // ---- products -----------------------------------------------------------------------------------------------

    /// The product with another operand. @param highest, highest_of_other  their largest exponents
    Facts times(const Facts& other, int highest, int highest_of_other) const;
    /// The product with a scale.
    Facts times_scale(const Facts& scale, int highest, int highest_of_scale) const;
    /// Of a product of two operands and two scales, what holds beside the scales.
    /// @param a, b  the scales' exponents  @param highest  the largest exponent of the product of the operands
    /// @param peak  of the product and the scales together  @param normalised  whether its exponent may be normalised
    Facts with_scales(const Ranged& a, const Ranged& b, const Facts& operands, const Facts& scale_a,
                      const Facts& scale_b, int highest, bool normalised) const;
    /// The reference exponent of a product is that of its leading digit (`full`), or raised where the significand is 2
    /// or more (`carry`), or as it was (`raw`).
    /// @param width  bits of the magnitude  @param all_full, some_raw  of the choices that there are
    Facts normalised(int width, bool all_full, bool some_raw) const;
    /// Values of 2^limit and more become infinite.
    Facts limited(int limit) const;
    /// The exact sum of products in fixed point, with the exponent 0. @param width  bits of its magnitude
    static Facts of_group(std::span<const Facts> products, int width, int gap);
    /// A zero may have that exponent, too.
    Facts with_zero_exponent(int exponent) const;

    // ---- sums ---------------------------------------------------------------------------------------------------

    /// The exponent is lowered by `fewest` to `most`.
    Facts lowered(int fewest, int most) const;

    struct Sticky {
        int least_F, lowest_E; ///< the bit weighs 2^(E − F − 1)
    };
    /// How a sum was made. Its exponent is E.
    struct Sum {
        int width = 1;                      ///< bits of the magnitude
        int highest_lsb = 0, highest_E = 0; ///< the largest values of both
        std::optional<int> fraction_bits;   ///< E − lsb, where the last bit moves with E
        bool wraps = false;                 ///< the register may wrap
        double peak = 0;                    ///< |sum| ≤ peak · 2^E, before it wraps
        int last = 0;                       ///< each aligned summand is a multiple of 2^last
        int least = INT_MIN, lowest = INT_MAX;
        double most = HUGE_VAL, span = HUGE_VAL; ///< without the sticky bit
        int below_lsb = 0;
        std::optional<Sticky> sticky;
    };
    static Facts of_sum(const Sum& sum);

    // ---- results ------------------------------------------------------------------------------------------------

    /// A format to which a number is rounded, and how.
    struct ToFormat {
        const Format* format;
        bool may_overflow;   ///< some value exceeds the largest number, before overflow is handled
        bool always_flushes; ///< no result is subnormal
    };
    /// The result of rounding, read in a format that holds those of all choices.
    /// @param may_be_infinite  whether the number that is rounded may be infinite
    Facts rounded(const Format& read_in, std::span<const ToFormat> choices, bool may_be_infinite) const;

  private:
    explicit Facts(Bounds bounds) : b_(bounds) {}

    Bounds b_;
};

} // namespace discern
