// Each rule says why the facts of its result hold. A fact that is not mentioned stays what it was.
#include "facts.hpp"

#include "models/unit/product_digits.hpp"

#include <bit>
#include <limits>

namespace discern {

double sum_above(double x, double y) {
    const double sum = x + y;
    return sum - x == y && sum - y == x ? sum : std::nextafter(sum, HUGE_VAL);
}

double product_above(double x, double y) {
    const double product = x * y;
    const bool is_exact = std::fma(x, y, -product) == 0 && (std::isnormal(product) || x == 0 || y == 0);
    return is_exact ? product : std::nextafter(product, HUGE_VAL);
}

double power_above(int exponent) {
    return std::max(std::ldexp(1.0, exponent), std::numeric_limits<double>::denorm_min());
}

// ------------------------------------------------------------------------------------------------------------ operands

// The significand has m bits below its first one, which is the hidden bit and 0 in subnormal numbers alone. In fixed
// point the exponent is a constant, the magnitude has one bit more, which only the smallest number sets, and no number
// is called subnormal.
Facts Facts::of_format(const Format& f) {
    const int m = f.mantissa_bits;
    Bounds b = {.last = f.lsb(),
                .units = std::ldexp(2.0, m) - 1,
                .below = f.emax() + 1,
                .most = std::ldexp(static_cast<double>(f.max_significand()), f.emax() - m),
                .peak = 2 - std::ldexp(1.0, -m),
                .zero_exponent = f.emin(),
                .depth = m,
                .normal_above = f.emin(),
                .digits = m,
                .gap = m};
    if (f.is_fixed_point()) {
        b.units = std::ldexp(2.0, m);
        b.below = f.emax() + 2;
        b.most = std::ldexp(2.0, f.emax());
        b.peak = 2;
        b.has_subnormals = false;
    }
    return Facts(b);
}

// What is not zero then has its hidden bit.
Facts Facts::flushed() const {
    Bounds b = b_;
    if (b.normal_above != INT_MAX) {
        b.least = std::max(b.least, b.normal_above);
        b.depth = 0;
    }
    return Facts(b);
}

// Exponents are lowered down to that of the leading digit, and raised to it in fixed point alone: a value whose
// exponent is above the least one is at least 2 to it, and less than twice that where the exponent was changed.
Facts Facts::read_again(int highest) const {
    Bounds b = b_;
    b.gap.reset();
    b.depth = highest <= b.last ? 0 : std::min(b.depth, b.digits);
    b.normal_above = highest;
    b.zero_exponent = highest;
    b.has_subnormals = true;
    return Facts(b);
}

// ------------------------------------------------------------------------------------------------------------ products

namespace {

int sum_of_known(int x, int y) { return x == INT_MAX || y == INT_MAX ? INT_MAX : x + y; }

// Above a run of ones stands 10, or 100 and a further digit follows the ones.
DigitRuns runs_of_product(int a, int b) {
    const ProductDigits* digits = product_digits(a, b);
    if (digits == nullptr) return {};
    return {digits->longest(DigitRun::zeros),
            digits->longest(DigitRun::ones),
            std::max(digits->longest(DigitRun::ones_below_10), a + b - 4),
            digits->longest(DigitRun::zeros_below_01),
            digits->longest(DigitRun::lone_zeros_below_01),
            digits->longest(DigitRun::all_ones_below_10)};
}

} // namespace

// Significands are multiplied and exponents added. A zero product has a zero factor, which has at most the exponent of
// its format's zero. Where the exponent is above normal_above, none of the two factors can have its smallest exponent,
// and above partly_above not both. An operand's significand has one bit more than `digits`.
Facts Facts::times(const Facts& other, int highest, int highest_of_other) const {
    Bounds b = times_scale(other, highest, highest_of_other).b_;
    const Bounds &x = b_, &y = other.b_;
    b.runs = runs_of_product(x.digits + (x.has_subnormals ? 1 : 2), y.digits + (y.has_subnormals ? 1 : 2));
    if (x.normal_above == INT_MAX || y.normal_above == INT_MAX) return Facts(b);
    b.normal_above = std::max(x.normal_above + highest_of_other, highest + y.normal_above);
    b.partly_above = x.normal_above + y.normal_above;
    b.part_depth = std::max(x.depth, y.depth);
    return Facts(b);
}

// As above; by exponent nothing is claimed, and only a scale that is a power of two leaves the digits as they are.
Facts Facts::times_scale(const Facts& scale, int highest, int highest_of_scale) const {
    const Bounds &x = b_, &y = scale.b_;
    Bounds b = x;
    b.last = x.last + y.last;
    b.least = least_magnitude(x) + least_magnitude(y);
    b.units = product_above(x.units, y.units);
    b.below = x.below + y.below;
    b.most = product_above(x.most, y.most);
    b.span = HUGE_VAL;
    b.peak = product_above(x.peak, y.peak);
    b.zero_exponent = std::max(x.zero_exponent + highest_of_scale, highest + y.zero_exponent);
    b.depth = sum_of_known(x.depth, y.depth);
    b.normal_above = b.partly_above = b.part_depth = INT_MAX;
    b.digits = sum_of_known(x.digits, y.digits);
    if (y.digits != 0) b.runs = {};
    b.gap = x.gap && y.gap ? std::optional(*x.gap + *y.gap) : std::nullopt;
    b.below_lsb = b.gap ? 0 : most_below_lsb(x) + most_below_lsb(y);
    b.has_subnormals = true;
    if (b.lowest != INT_MAX) b.lowest += y.last; // a scale's exponent is not below that of its last digit
    return Facts(b);
}

// A scale is at most its peak times 2 to its exponent, and a multiple of 2^(exponent − digits). The exponent of a
// product is that of its operands and its scales, and a significand of 2 or more raises it where it is normalised.
Facts Facts::with_scales(const Ranged& a, const Ranged& b, const Facts& operands, const Facts& scale_a,
                         const Facts& scale_b, int highest, bool normalised) const {
    const Bounds &x = *scale_a, &y = *scale_b;
    const double scales = product_above(x.peak, y.peak);
    Bounds result = b_;
    result.scaling = {.a = a,
                      .b = b,
                      .last = operands->last - x.digits - y.digits,
                      .most = product_above(operands->most, scales),
                      .highest = highest + (normalised ? std::ilogb(product_above(operands->peak, scales)) : 0)};
    return Facts(result);
}

// Facts must hold for every choice. A product that is not normalised has its `digits` below its exponent; one that is,
// or has its exponent raised by a carry, has at most all but one of its bits. A carry shifts by one bit: a significand
// below 4 becomes less than 2. In fixed point (−2 · −2), or times a scale with a fraction, it can be 4 or more, and
// then stays 2 or more. Where the exponent was raised, the value is at least 2 to it.
Facts Facts::normalised(int width, bool all_full, bool some_raw) const {
    Bounds b = b_;
    const int bits = b.units >= 1 ? std::min(width, std::ilogb(b.units) + 1) : width;
    b.digits = all_full ? bits - 1 : std::max(b.digits, bits - 1);
    if (all_full) b.depth = 0;
    if (all_full || (!some_raw && b.peak < 4))
        b.peak = std::min(b.peak, bits <= 53 ? 2 - std::ldexp(1.0, 1 - bits) : 2.0);
    b.gap.reset();
    return Facts(b);
}

Facts Facts::limited(int limit) const {
    Bounds b = b_;
    b.below = std::min(b.below, limit);
    b.most = std::min(b.most, power_above(b.below));
    return Facts(b);
}

// Its exponent is 0 and no operand's, so that digits and magnitudes relative to it are those of the largest sum.
Facts Facts::of_group(std::span<const Facts> products, int width, int gap) {
    Bounds b = {.last = INT_MAX, .units = std::ldexp(1.0, width), .below = INT_MIN, .gap = gap};
    for (const Facts& p : products) {
        b.last = std::min(b.last, p->last);
        b.below = std::max(b.below, p->below);
        b.most = sum_above(b.most, p->most);
    }
    b.below += static_cast<int>(std::bit_width(products.size()));
    b.peak = std::ldexp(1.0, b.below);
    return Facts(b);
}

Facts Facts::with_zero_exponent(int exponent) const {
    Bounds b = b_;
    b.zero_exponent = std::max(b.zero_exponent, exponent);
    return Facts(b);
}

// ---------------------------------------------------------------------------------------------------------------- sums

// The value is as much larger, and its last digit as much higher, relative to an exponent that is lower; bounds from
// below by exponents still hold.
Facts Facts::lowered(int fewest, int most) const {
    Bounds b = b_;
    b.below_lsb = b.gap ? std::max(0, most - *b.gap) : b.below_lsb + most;
    b.gap = b.gap && fewest == most ? std::optional(*b.gap - most) : std::nullopt;
    b.has_subnormals = true;
    b.peak = std::ldexp(b.peak, most);
    b.zero_exponent -= fewest;
    if (b.scaling) b.scaling->highest -= fewest;
    if (b.digits != INT_MAX) b.digits -= fewest;
    if (b.lowest != INT_MAX) b.lowest -= most;
    return Facts(b);
}

// The magnitude has as many bits as its register. A sum whose last bit moves with E is a multiple of 2^(E − fraction
// bits), and at most peak times 2^E; a register that wraps holds less than that, as a wider one counts as none. A
// zero's exponent is at most E, and so is that of a sum. A sticky bit lies one place below, at 2^(E − F − 1), and may
// be set with F the least of its choices: it is added to each bound of the magnitude, and the sum is no longer a
// multiple of what it was.
Facts Facts::of_sum(const Sum& s) {
    Bounds b = {.last = s.last,
                .least = s.least,
                .units = std::ldexp(1.0, s.width),
                .below = s.highest_lsb + s.width,
                .most = s.most,
                .span = s.span,
                .peak = s.peak,
                .zero_exponent = s.highest_E,
                .lowest = s.lowest,
                .below_lsb = s.below_lsb};
    if (s.peak > 0 && s.peak < HUGE_VAL) b.below = std::min(b.below, s.highest_E + std::ilogb(s.peak) + 1);
    if (s.fraction_bits) {
        b.gap = b.digits = *s.fraction_bits;
        if (s.wraps)
            b.peak = std::max(b.peak, std::ldexp(1.0, s.width - *s.fraction_bits));
        else if (s.peak > 0)
            b.units = std::min(b.units, std::ldexp(s.peak, *s.fraction_bits));
    }
    if (s.sticky) {
        const double weight = std::ldexp(0.5, -s.sticky->least_F); // in units of 2^E
        b.gap = b.digits = *s.fraction_bits + 1;
        b.last = std::min(b.last, s.sticky->lowest_E - *b.gap);
        b.units = sum_above(2 * b.units, std::ldexp(weight, *b.gap));
        b.peak = sum_above(b.peak, weight);
        b.most = sum_above(b.most, std::ldexp(weight, s.highest_E));
        b.below = std::max(b.below, s.highest_E + std::ilogb(b.peak) + 1);
        b.span = HUGE_VAL;
    }
    b.most = std::min(b.most, power_above(b.below));
    return Facts(b);
}

// ------------------------------------------------------------------------------------------------------------- results

namespace {

/// An upper bound of what rounding gives for values up to the given one.
double rounded_up(double most, const Format& f) {
    if (!(most < HUGE_VAL)) return most;
    const int place = std::max(most > 0 ? std::ilogb(most) - f.mantissa_bits : f.lsb(), f.lsb());
    return sum_above(most, std::ldexp(1.0, place));
}

} // namespace

// Rounding does not change whether a value is a multiple of 2^last, and gives at most the next power of two. The
// largest number, given for larger values, and in fixed point for infinities, is only known to be a multiple of the
// weight of its own last bit. A result that is not zero is as large as the value at least, or as the least number that
// is not flushed.
Facts Facts::rounded(const Format& read_in, std::span<const ToFormat> choices, bool may_be_infinite) const {
    int last = b_.last, least = INT_MAX, below = b_.below + 1;
    double most = b_.most;
    for (const auto& [format, may_overflow, always_flushes] : choices) {
        const Format& f = *format;
        if (may_overflow) last = std::min(last, f.emax() - f.mantissa_bits);
        const int smallest = always_flushes ? f.emin() : f.lsb();
        least = std::min(least, std::max(smallest, std::min(least_magnitude(b_), f.emax())));
        most = std::max(most, rounded_up(b_.most, f));
        below = std::max(below, f.lsb() + 1);
        if (!f.is_fixed_point() || !may_be_infinite) continue;
        last = std::min(last, f.lsb());
        most = std::max(most, std::ldexp(2.0, f.emax()));
        below = std::max(below, f.emax() + 2);
    }
    Bounds b = of_format(read_in).b_;
    b.last = std::max(b.last, last);
    b.least = least;
    b.most = std::min(b.most, most);
    const int own = b.most > 0 ? std::ilogb(b.most) + 1 : INT_MAX; // a sum of many is narrower than its term
    b.below = std::min({b.below, below, own});
    return Facts(b);
}

} // namespace discern
