#include "exactness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace discern::cli {

namespace {

/// A double of the number, the digits beyond truncated.
double about(const explain::Number& x) {
    constexpr std::size_t most = 53;
    double value = 0;
    const std::size_t taken = std::min(most, x.digits.size());
    for (std::size_t i = 0; i < taken; ++i) value = 2 * value + (x.digits[i] == '1' ? 1 : 0);
    value = std::ldexp(value, x.lsb + static_cast<int>(x.digits.size() - taken));
    return x.negative ? -value : value;
}

} // namespace

std::string exact_text(const explain::Exactness& one) {
    const std::string text = one.exact.text();
    const bool is_decimal = text.find_first_of("xi^N") == std::string::npos;
    return is_decimal || one.exact.kind != explain::Number::Kind::finite
               ? text
               : fmt::format("{}, about {:.10g}", text, about(one.exact));
}

std::string distance_text(const explain::Exactness& one) {
    const bool overflowed = !one.ulp && one.is_correct && one.exact.kind == explain::Number::Kind::finite;
    if (overflowed) return "infinite, correctly rounded";
    if (!one.ulp) return one.is_correct ? "exactly that" : "not that, and at no distance that could be measured";
    if (one.is_exact) return "exactly that";
    std::string text = fmt::format("{:.3g} ulp {}", std::fabs(*one.ulp), *one.ulp < 0 ? "below" : "above");
    if (one.relative) text += fmt::format(", relative {:.3g}", std::fabs(*one.relative));
    return text + (one.is_correct ? ", correctly rounded" : "");
}

void put_exactness(Json& object, const explain::Exactness& one) {
    const auto exact = one.exact.as_double();
    object["exact"] = one.exact.kind == explain::Number::Kind::finite && exact ? Json(*exact) : Json(one.exact.text());
    object["ulp_error"] = one.ulp ? number(*one.ulp) : Json(nullptr);
    object["relative_error"] = one.relative ? number(*one.relative) : Json(nullptr);
    object["correctly_rounded"] = one.is_correct;
}

} // namespace discern::cli
