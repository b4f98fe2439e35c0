#include "epilogue.hpp"

#include "models/format.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace discern::kernels {

namespace {

/// The pattern of the largest number of a format.
std::uint64_t largest(const Format& f, bool negative) {
    return pack(f, {.negative = negative, .significand = f.max_significand(negative), .exponent = f.emax()});
}

/// x + y, of which the last digit is odd where others follow: then one more rounding to a narrower format is the only
/// one.
double odd_sum(double x, double y) {
    const double sum = x + y;
    if (!std::isfinite(sum)) return sum;
    const double part = sum - x, error = (x - (sum - part)) + (y - part);
    if (error == 0 || (std::bit_cast<std::uint64_t>(sum) & 1) != 0) return sum;
    const bool away = (error > 0) == (sum > 0);
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) + (away ? 1 : ~std::uint64_t{0}));
}

/// A product of two numbers of f32 is exact in f64, and a sum of two is rounded to f32 as if it were.
float rounded(double x) { return static_cast<float>(x); }

/// With the digits that f32 needs: "0.3".
std::string shortest(float x) {
    std::array<char, 32> room{};
    return {room.data(), std::to_chars(room.data(), room.data() + room.size(), x).ptr};
}

std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

} // namespace

std::uint64_t nearest(const Format& f, double value, bool saturates) {
    if (std::isnan(value)) return pack(f, {.number_class = NumberClass::nan, .payload = 1});
    const bool negative = std::signbit(value);
    const double magnitude = std::fabs(value);
    if (magnitude == 0) return pack(f, {.negative = negative, .significand = 0, .exponent = f.emin()});
    const double most = std::ldexp(static_cast<double>(f.max_significand(negative)), f.emax() - f.mantissa_bits);
    if (saturates && magnitude >= most) return largest(f, negative);
    const auto beyond = [&] {
        const NumberClass what = f.has_infinity() ? NumberClass::infinite : NumberClass::nan;
        return pack(f, {.number_class = what, .negative = negative, .payload = 1});
    };
    if (std::isinf(magnitude)) return beyond();
    int exponent = std::max(std::ilogb(magnitude), f.emin());
    double significand = std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent)); // ties to even
    if (significand >= std::ldexp(2, f.mantissa_bits)) {
        significand /= 2;
        ++exponent;
    }
    if (std::ldexp(significand, exponent - f.mantissa_bits) > most) return beyond();
    return pack(f,
                {.negative = negative, .significand = static_cast<std::uint64_t>(significand), .exponent = exponent});
}

std::uint64_t Epilogue::operator()(float sum) const {
    const double product = static_cast<double>(sum) * alpha; // exact
    double y = 0;
    if (once) {
        y = addition == Addition::none ? product : odd_sum(product, bias);
    } else {
        float x = rounded(product);
        if (second) x = rounded(static_cast<double>(x) * *second);
        if (addition == Addition::after) x = rounded(static_cast<double>(x) + bias);
        if (addition == Addition::fused)
            x = second ? rounded(static_cast<double>(x) + bias) : std::fma(sum, alpha, bias);
        y = x;
    }
    if (std::isnan(y) && nan) return *nan;
    if (d == FormatId::f32 && !once) return bits_of(static_cast<float>(y));
    return nearest(format(d), y, saturates);
}

std::string in_words(const Epilogue& e) {
    std::string text = "times " + shortest(e.alpha);
    if (e.second) text += ", rounded to f32, times " + shortest(*e.second);
    const std::string bias = e.bias == 0 ? "+0" : shortest(e.bias);
    const std::string_view first = e.once ? format(e.d).name : "f32";
    text += e.addition == Addition::fused && !e.second ? sentence(", plus ", bias, " in one rounding to ", first)
                                                       : sentence(", rounded to ", first);
    if (e.addition == Addition::after || (e.addition == Addition::fused && e.second))
        text += sentence(", plus ", bias, ", rounded to f32");
    if (e.d != FormatId::f32 && !e.once) text += sentence(", rounded to ", format(e.d).name);
    return text + (e.saturates ? ", saturated" : "");
}

std::uint64_t Finished::of_sum(std::uint64_t sum) const {
    return then ? (*then)(static_cast<float>(to_double(format(kernel.d()), sum))) : sum;
}

Shape shape_of(const Finished& finished) {
    Shape shape = shape_of(finished.kernel);
    shape.d = finished.d();
    return shape;
}

bool same_result(const Finished& finished, std::uint64_t d1, std::uint64_t d2) {
    if (!finished.then) return same_result(finished.kernel, d1, d2);
    if (d1 == d2) return true;
    const auto is_nan = [&](std::uint64_t d) {
        return decode(format(finished.then->d), d).number_class == NumberClass::nan;
    };
    return !finished.then->nan && is_nan(d1) && is_nan(d2);
}

std::optional<std::uint64_t> sum_before(const Epilogue& e, std::uint64_t d, int least) {
    const double y = to_double(format(e.d), d);
    if (std::isnan(y)) return 0x7fffffff;
    const double factor = static_cast<double>(e.alpha) * e.second.value_or(1);
    const auto smallest = static_cast<float>(std::ldexp(1, std::max(least, -149)));
    if (e(0) == d && e(smallest) != d && e(-smallest) != d) return 0;
    if (e(-0.0F) == d && e(smallest) != d && e(-smallest) != d) return bits_of(-0.0F);
    const auto near = static_cast<float>((y - e.bias) / factor);
    std::optional<std::uint64_t> one;
    float sum = near;
    constexpr int around = 4;
    for (int i = 0; i < around; ++i) sum = std::nextafter(sum, -std::numeric_limits<float>::infinity());
    for (int i = 0; i <= 2 * around; ++i) {
        if (sum != 0 && e(sum) == d) {
            if (one) return std::nullopt;
            one = bits_of(sum);
        }
        sum = std::nextafter(sum, std::numeric_limits<float>::infinity());
    }
    return one;
}

Ask with_sums(const Shape& shape, Ask ask, const Epilogue& epilogue) {
    const int least = shape.scale ? -149 : format(shape.a).lsb() + format(shape.b).lsb();
    return [ask = std::move(ask), epilogue, least](std::span<const Inputs> batch) {
        auto answers = ask(batch);
        for (auto& answer : answers)
            if (answer) answer = sum_before(epilogue, *answer, least);
        return answers;
    };
}

} // namespace discern::kernels
