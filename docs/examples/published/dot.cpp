#include "dot.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace discern::published {

std::uint64_t pattern(const Format& format, double number) {
    Decoded value;
    value.negative = std::signbit(number);
    if (number != 0) {
        int exponent = std::max(std::ilogb(number), format.emin());
        const double significand = std::ldexp(std::fabs(number), format.mantissa_bits - exponent);
        if (!std::isfinite(number) || significand != std::floor(significand))
            throw std::invalid_argument("pattern: the number is not one of " + std::string(format.name));
        value.significand = static_cast<std::uint64_t>(significand);
        value.exponent = exponent;
    }
    return pack(format, value);
}

double number(const Format& format, std::uint64_t pattern) {
    const Decoded value = decode(format, pattern);
    const double sign = value.negative ? -1 : 1;
    switch (value.number_class) {
    case NumberClass::nan: return std::numeric_limits<double>::quiet_NaN();
    case NumberClass::infinite: return sign * std::numeric_limits<double>::infinity();
    case NumberClass::finite: break;
    }
    return sign * std::ldexp(static_cast<double>(value.significand), value.exponent - format.mantissa_bits);
}

double dot_of_patterns(const std::string& unit, std::vector<std::uint64_t> a, std::vector<std::uint64_t> b,
                       std::uint64_t c) {
    const Evaluator evaluate(resolve_unit(unit));
    const auto K = static_cast<std::size_t>(evaluate.unit().K);
    if (a.size() > K || b.size() > K) throw std::invalid_argument("dot: more elements than " + unit + " has");
    a.resize(K);
    b.resize(K);
    return number(format(evaluate.unit().d), evaluate({.a = a, .b = b, .sa = {}, .sb = {}, .c = c}));
}

double dot(const std::string& unit, const std::vector<double>& a, const std::vector<double>& b, double c) {
    const Unit u = resolve_unit(unit);
    const auto patterns = [](FormatId id, const std::vector<double>& numbers) {
        std::vector<std::uint64_t> result;
        for (const double x : numbers) result.push_back(pattern(format(id), x));
        return result;
    };
    return dot_of_patterns(unit, patterns(u.a, a), patterns(u.b, b), u.c ? pattern(format(*u.c), c) : 0);
}

} // namespace discern::published
