#include "scene.hpp"

#include "identification/identify/zeros.hpp"

#include <algorithm>
#include <bit>

namespace discern::probe {

namespace {

constexpr int far = 40;

} // namespace

int Amount::exponent() const { return lsb + static_cast<int>(std::bit_width(significand)) - 1; }

Amount amount(std::int64_t significand, int lsb) {
    if (significand == 0) return {};
    auto magnitude = static_cast<std::uint64_t>(significand < 0 ? -significand : significand);
    const int zeros = std::countr_zero(magnitude);
    magnitude >>= zeros;
    return {significand < 0, magnitude, lsb + zeros};
}

std::optional<Amount> amount_of(const Format& format, std::uint64_t bits) {
    const Decoded x = decode(format, bits);
    if (x.number_class != NumberClass::finite) return std::nullopt;
    Amount value = amount(static_cast<std::int64_t>(x.significand), x.exponent - format.mantissa_bits);
    value.negative = x.negative && !value.is_zero();
    return value;
}

std::optional<std::uint64_t> pattern_of(const Format& format, const Amount& value) {
    if (value.is_zero()) return pack(format, {.significand = 0, .exponent = format.emin()});
    const int exponent = std::max(value.exponent(), format.emin());
    const int shift = value.lsb - (exponent - format.mantissa_bits);
    if (shift < 0 || exponent > format.emax()) return std::nullopt;
    const std::uint64_t significand = value.significand << shift;
    if (exponent == format.emax() && significand > format.max_significand()) return std::nullopt;
    return pack(format, {.negative = value.negative, .significand = significand, .exponent = exponent});
}

Scene::Scene(const Shape& shape)
    : a_(format(shape.a)), b_(format(shape.b)), c_(shape.c ? &format(*shape.c) : nullptr),
      vector_(identify::zeros_of(shape)) {}

Scene& Scene::put(int place, const Amount& value) {
    if (place == at_c) {
        const auto pattern = c_ != nullptr ? pattern_of(*c_, value) : std::nullopt;
        possible_ = possible_ && pattern;
        vector_.c = pattern.value_or(0);
        return *this;
    }
    const int exponent = value.exponent();
    const int low = std::max(a_.emin(), exponent - b_.emax()), high = std::min(a_.emax(), exponent - b_.emin());
    if (low > high) {
        possible_ = false;
        return *this;
    }
    const int of_a = std::clamp(exponent >> 1, low, high);
    Amount a = value;
    a.lsb -= exponent - of_a;
    return put_factors(place, a, power(exponent - of_a));
}

Scene& Scene::put_factors(int lane, const Amount& a, const Amount& b) {
    const auto a_pattern = pattern_of(a_, a), b_pattern = pattern_of(b_, b);
    possible_ = possible_ && a_pattern && b_pattern;
    vector_.a[static_cast<std::size_t>(lane)] = a_pattern.value_or(0);
    vector_.b[static_cast<std::size_t>(lane)] = b_pattern.value_or(0);
    return *this;
}

Span span_of(const Shape& shape) {
    const Format &a = format(shape.a), &b = format(shape.b), &d = format(shape.d);
    Span span{.high = std::min({a.emax() + b.emax(), d.emax() - 2, far}),
              .low = std::max({a.emin() + b.emin(), d.emin(), -far})};
    if (!shape.c) return span;
    const Format& c = format(*shape.c);
    return {.high = std::min(span.high, c.emax() - 2), .low = std::max(span.low, c.emin())};
}

} // namespace discern::probe
