// Errors are added as doubles. Each is rounded once, to odd, so that it is in the cell of the exact error.
#include "errors.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace discern::measure {

namespace {

constexpr int most_mantissa_bits = 50; ///< an exact sum rounded to odd in f64 has two bits more
constexpr int most_exponent_bits = 8;  ///< so that an ulp is far above the least double

/// 2^n for n of a normal double.
double power(int n) { return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52); }

/// ⌊log2 |x|⌋ of a normal double; less than all of them for others.
int exponent_of(double x) { return static_cast<int>((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff) - 1023; }

/// result − sum, rounded to odd.
double result_minus(double result, const ExactSum& sum) {
    const double lost = two_sum(result, -sum.high);
    if (lost == 0) return sum.low == 0 ? result : rounded_to_odd(result, -sum.low);
    // The two are far apart, and `lost` and `low` both below the last bit of their difference.
    return rounded_to_odd(result, rounded_to_odd(lost, -sum.low));
}

} // namespace

std::uint64_t nearest(const Format& f, double x) {
    Decoded value{.negative = std::signbit(x), .exponent = std::max(x == 0 ? f.emin() : std::ilogb(x), f.emin())};
    if (value.exponent <= f.emax()) {
        value.significand =
            static_cast<std::uint64_t>(std::nearbyint(std::ldexp(std::fabs(x), f.mantissa_bits - value.exponent)));
        if (value.significand >> (f.mantissa_bits + 1) != 0) {
            value.significand >>= 1;
            ++value.exponent;
        }
    }
    if (value.exponent > f.emax() || (value.exponent == f.emax() && value.significand > f.max_significand()))
        value.exponent = f.emax(), value.significand = f.max_significand();
    if (value.significand == 0 && !f.has_minus_zero()) value.negative = false;
    return pack(f, value);
}

void Errors::add(const Errors& o) {
    dots += o.dots;
    special += o.special;
    correct += o.correct;
    apart.add(o.apart);
    ulp += o.ulp;
    signed_ulp += o.signed_ulp;
    most_ulp = std::max(most_ulp, o.most_ulp);
    relative += o.relative;
    signed_relative += o.signed_relative;
    most_relative = std::max(most_relative, o.most_relative);
    from_zero += o.from_zero;
    absolute += o.absolute;
    signed_absolute += o.signed_absolute;
    of_ulp.add(o.of_ulp);
    of_relative.add(o.of_relative);
    for (std::size_t i = 0; i < histogram.size(); ++i) histogram[i] += o.histogram[i];
}

ErrorCounter::ErrorCounter(const Format& d)
    : format_(&d), least_(std::ldexp(1.0, d.emin())),
      largest_(std::ldexp(static_cast<double>(d.max_significand()), d.emax() - d.mantissa_bits)) {
    if (d.is_fixed_point())
        throw Error(
            sentence("errors of results in ", d.name,
                     " are not counted: ulps are of floating-point numbers; a unit with a floating-point d is right"));
    if (d.mantissa_bits > most_mantissa_bits || d.exponent_bits > most_exponent_bits)
        throw Error(
            sentence("errors of results in ", d.name,
                     " are not counted, because a double would not hold the smallest of them; results of at most ",
                     most_exponent_bits, " exponent bits and ", most_mantissa_bits, " fraction bits are right"));
}

double ErrorCounter::nearest(double x, double ulp) const {
    // Adding so large a number rounds to a multiple of ulp.
    const double large = std::copysign(ulp * 0x1.8p52, x);
    const double rounded = (x + large) - large;
    return std::fabs(rounded) > largest_ ? std::copysign(INFINITY, x) : rounded;
}

void ErrorCounter::add(Errors& e, std::uint64_t d, const ExactSum& sum) const {
    ++e.dots;
    const double exact = sum.to_odd();
    const double result = to_double(*format_, d);
    const double ulp = std::fabs(exact) < least_ ? std::ldexp(1.0, format_->lsb())
                                                 : power(exponent_of(exact) - format_->mantissa_bits);
    if (!std::isfinite(exact) || !std::isfinite(result)) {
        ++e.special;
        return;
    }
    const double rounded = nearest(exact, ulp);
    if (!std::isfinite(rounded)) {
        ++e.special;
        return;
    }
    if (rounded == result)
        ++e.correct;
    else
        e.apart.add(*format_, measure::nearest(*format_, rounded), d);
    const double difference = result_minus(result, sum), error = difference / ulp, size = std::fabs(error);
    e.ulp += size;
    e.signed_ulp += error;
    e.most_ulp = std::max(e.most_ulp, size);
    e.of_ulp.add(size);
    e.absolute += std::fabs(difference);
    e.signed_absolute += difference;
    if (exact == 0) {
        ++e.from_zero;
    } else {
        const double relative = difference / std::fabs(exact);
        e.relative += std::fabs(relative);
        e.signed_relative += relative;
        e.most_relative = std::max(e.most_relative, std::fabs(relative));
        e.of_relative.add(std::fabs(relative));
    }
    const double place = std::floor(error * Errors::steps) + Errors::reach * Errors::steps;
    const auto cell = static_cast<std::size_t>(std::clamp(place, -1.0, double(Errors::cells)) + 1);
    ++e.histogram[cell];
}

} // namespace discern::measure
