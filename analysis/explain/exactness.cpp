// The exact sum is the one sum of a unit without any alignment, as the recorded walk has it: in digits, so that
// nothing has to be rounded before the difference from d is known.
#include "exactness.hpp"

#include "models/stimulus/stimulus.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace discern::explain {

namespace {

/// The number of a pattern.
Number number_of(const Format& f, std::uint64_t bits) {
    const Decoded x = decode(f, bits);
    Number number;
    number.negative = x.negative;
    if (x.number_class != NumberClass::finite) {
        number.kind = x.number_class == NumberClass::nan ? Number::Kind::nan : Number::Kind::infinite;
        return number;
    }
    std::uint64_t significand = x.significand;
    number.lsb = x.exponent - f.mantissa_bits;
    for (; significand != 0 && (significand & 1) == 0; significand >>= 1) ++number.lsb;
    for (; significand != 0; significand >>= 1)
        number.digits.insert(number.digits.begin(), significand & 1 ? '1' : '0');
    return number;
}

/// x − y as a significand of at most 62 bits, the rest truncated, and its exponent: more digits than are ever shown.
double difference(const Number& x, const Number& y, int& exponent) {
    if (x.digits.empty() && y.digits.empty()) return exponent = 0, 0.0;
    const int low = x.digits.empty() ? y.lsb : y.digits.empty() ? x.lsb : std::min(x.lsb, y.lsb);
    const int top = 1 + (x.digits.empty() ? y.top() : y.digits.empty() ? x.top() : std::max(x.top(), y.top()));
    std::vector<int> sum(static_cast<std::size_t>(top - low + 1), 0); // from the last digit
    const auto add = [&](const Number& number, int sign) {
        for (std::size_t i = 0; i < number.digits.size(); ++i)
            if (number.digits[i] == '1')
                sum[static_cast<std::size_t>(number.top() - static_cast<int>(i) - low)] += sign;
    };
    add(x, x.negative ? -1 : 1);
    add(y, y.negative ? 1 : -1);
    // The sign is that of the first digit of the digits −2 … 2 after a carry: made positive first.
    const auto carry = [&] {
        int over = 0;
        for (int& digit : sum) {
            const int all = digit + over;
            digit = ((all % 2) + 2) % 2;
            over = (all - digit) / 2;
        }
        return over;
    };
    std::vector<int> turned = sum;
    bool negative = false;
    if (carry() < 0) {
        negative = true;
        sum = std::move(turned);
        for (int& digit : sum) digit = -digit;
        carry();
    }
    std::size_t first = sum.size();
    while (first > 0 && sum[first - 1] == 0) --first;
    if (first == 0) return exponent = 0, 0.0;
    constexpr std::size_t most = 52;
    double value = 0;
    const std::size_t last = first > most ? first - most : 0;
    for (std::size_t i = first; i > last; --i) value = 2 * value + sum[i - 1];
    exponent = low + static_cast<int>(last);
    return negative ? -value : value;
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
    const Number result = number_of(f, d), nearest = number_of(f, walk.d);
    const auto is_same = [](const Number& x, const Number& y) {
        return x.kind == y.kind && x.digits == y.digits && (x.digits.empty() || x.lsb == y.lsb) &&
               (x.negative == y.negative || x.kind == Number::Kind::nan || x.is_zero());
    };
    all.is_correct = is_same(result, nearest);
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
