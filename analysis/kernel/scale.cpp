#include "scale.hpp"

#include "models/format.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace discern::kernels {

double scale_of(const Shape& shape, const Ask& ask) {
    const auto K = static_cast<std::size_t>(shape.K);
    std::vector<std::uint64_t> a(K, 0), b(K, 0);
    if (to_double(format(shape.a), one(format(shape.a))) != 1 || to_double(format(shape.b), one(format(shape.b))) != 1)
        return 1;
    a[0] = one(format(shape.a));
    b[0] = one(format(shape.b));
    const std::vector<Inputs> batch(1, Inputs{.a = a, .b = b, .sa = {}, .sb = {}, .c = 0});
    const auto answers = ask(batch);
    if (answers.empty() || !answers.front()) return 1;
    const double d = to_double(format(shape.d), *answers.front());
    return std::isfinite(d) && d > 0 ? d : 1;
}

std::optional<std::uint64_t> times_power_of_two(const Format& format, std::uint64_t bits, int by) {
    const double value = to_double(format, bits);
    if (!std::isfinite(value) || value == 0) return bits;
    const double scaled = std::ldexp(std::fabs(value), by);
    if (!std::isfinite(scaled) || scaled == 0 || std::ilogb(scaled) > format.emax()) return std::nullopt;
    const int exponent = std::max(std::ilogb(scaled), format.emin());
    const double significand = std::ldexp(scaled, format.mantissa_bits - exponent);
    if (significand != std::floor(significand)) return std::nullopt;
    return pack(format, {.number_class = NumberClass::finite,
                         .negative = std::signbit(value),
                         .significand = static_cast<std::uint64_t>(significand),
                         .exponent = exponent,
                         .payload = 0});
}

Ask without_scale(const Shape& shape, Ask ask, int exponent) {
    return [&d = format(shape.d), ask = std::move(ask), exponent](std::span<const Inputs> batch) {
        auto answers = ask(batch);
        for (auto& answer : answers)
            if (answer) answer = times_power_of_two(d, *answer, -exponent);
        return answers;
    };
}

AskProduct without_scale(const Shape& shape, AskProduct product, int exponent) {
    if (!product) return product;
    return [&f = format(shape.d), product = std::move(product), exponent](GemmSize size, Patterns a, Patterns b,
                                                                          Patterns c, MutablePatterns d) {
        product(size, a, b, c, d);
        for (std::size_t i = 0; i < d.size(); ++i) {
            auto* const at = static_cast<std::byte*>(d.data()) + i * d.word();
            std::uint64_t bits = 0;
            std::memcpy(&bits, at, d.word());
            bits = times_power_of_two(f, bits, -exponent).value_or(bits);
            std::memcpy(at, &bits, d.word());
        }
    };
}

} // namespace discern::kernels
