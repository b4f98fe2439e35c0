// The exact sum is the one sum of a unit without any alignment, as the recorded walk has it: in digits, so that
// nothing has to be rounded before the difference from d is known.
#include "exactness.hpp"

#include "models/evaluate/wide_int.hpp"
#include "models/stimulus/stimulus.hpp"

#include <algorithm>
#include <cmath>

namespace discern::explain {

namespace {

/// A finite number in units of 2^lowest.
wide::Big in_units(const Number& x, int lowest) {
    wide::Big value{};
    for (std::size_t i = 0; i < x.digits.size(); ++i) {
        if (x.digits[i] == '0') continue;
        const auto at = static_cast<std::size_t>(x.top() - static_cast<int>(i) - lowest);
        value.limb[at / 64] |= 1ull << (at % 64);
    }
    return x.negative ? wide::negate(value) : value;
}

/// x − y as a significand of at most 52 bits, the rest truncated, and its exponent: more digits than are ever shown.
double difference(const Number& x, const Number& y, int& exponent) {
    exponent = x.is_zero() ? y.lsb : y.is_zero() ? x.lsb : std::min(x.lsb, y.lsb);
    const wide::Big all = wide::add(in_units(x, exponent), wide::negate(in_units(y, exponent)));
    const wide::Big size = wide::magnitude(all);
    const int dropped = std::max(wide::bit_length(size) - 52, 0);
    exponent += dropped;
    const auto value = static_cast<double>(wide::low_word(wide::shift_right(size, dropped)));
    return wide::negative(all) ? -value : value;
}

} // namespace

Exactness exactness(const Shape& shape, const Inputs& inputs, std::uint64_t d) {
    const Unit unit = unit_of_shape(shape);
    const Format& f = format(shape.d);
    const Trace walk = trace(unit, inputs);
    Exactness all;
    for (const Step& step : walk.blocks.back().steps)
        if (const auto* sum = std::get_if<Sum>(&step)) all.exact = sum->value;
    all.correct = walk.d;
    const Number result = number(f, d);
    all.is_correct = result == walk.result || (result.is_zero() && walk.result.is_zero());
    if (all.exact.kind != Number::Kind::finite || result.kind != Number::Kind::finite) return all;
    int exponent = 0;
    const double distance = difference(result, all.exact, exponent);
    all.is_exact = distance == 0;
    // In fixed point, the ulp is one for all numbers.
    const int of_number =
        f.is_fixed_point() || all.exact.digits.empty() ? f.emin() : std::max(all.exact.top(), f.emin());
    all.ulp = std::ldexp(distance, exponent - (of_number - f.mantissa_bits));
    if (all.exact.digits.empty()) return all;
    int exact_exponent = 0;
    const double exact = difference(all.exact, {}, exact_exponent);
    all.relative = std::ldexp(distance / std::fabs(exact), exponent - exact_exponent);
    return all;
}

} // namespace discern::explain
