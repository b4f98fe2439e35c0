#include "p3109.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern {

namespace {

bool take(std::string_view& text, std::string_view start) {
    const bool is_there = text.starts_with(start);
    if (is_there) text.remove_prefix(start.size());
    return is_there;
}

/// A number of at most four digits; 0: there is none.
int take_digits(std::string_view& text) {
    int number = 0;
    for (int digits = 0; digits < 4 && !text.empty() && text.front() >= '0' && text.front() <= '9'; ++digits) {
        number = 10 * number + (text.front() - '0');
        text.remove_prefix(1);
    }
    return number;
}

std::string printed(const P3109Name& name) {
    return sentence("binary", name.width, "p", name.precision, name.is_signed ? "s" : "u",
                    name.is_extended ? "e" : "f");
}

} // namespace

std::optional<P3109Name> p3109_name(std::string_view lower) {
    const bool is_of_gfloat = take(lower, "p3109_k");
    if (!is_of_gfloat && !take(lower, "binary")) return std::nullopt;
    P3109Name name;
    name.width = take_digits(lower);
    if (name.width == 0 || !take(lower, "p")) return std::nullopt;
    name.precision = take_digits(lower);
    if (name.precision == 0) return std::nullopt;
    if (lower.empty() && !is_of_gfloat) return name;
    name.is_signed = !take(lower, "u");
    if (name.is_signed && !take(lower, "s")) return std::nullopt;
    name.is_extended = !take(lower, "f");
    if (name.is_extended && !take(lower, "e")) return std::nullopt;
    return lower.empty() ? std::optional(name) : std::nullopt;
}

std::optional<FormatId> format_of(const P3109Name& name) {
    if (!name.is_signed) return std::nullopt;
    return format_of_fields(name.width - name.precision, name.precision - 1,
                            name.is_extended ? Specials::inuz : Specials::fnuz);
}

std::string why_no_format(const P3109Name& name) {
    const std::string said = printed(name) + " of P3109 ";
    if (name.precision > name.width || (name.is_signed && name.precision == name.width))
        return sentence(said, "does not exist: its precision is ", name.precision, " and it has ", name.width,
                        " bits; a smaller precision is right");
    P3109Name with_sign = name;
    with_sign.is_signed = true;
    const auto signed_one = format_of(with_sign);
    const std::string instead =
        signed_one
            ? sentence("; of P3109's formats of ", name.width, " bits and this precision, the signed one is right, ",
                       printed(with_sign), ", which is ", format(*signed_one).name)
            : std::string("; a signed one with 2 to 10 exponent bits and a precision of 2 or more is right");
    if (!name.is_signed)
        return said + "has no sign, and only formats of scales (e8m0, ue4m3, ue5m3) are without one" + instead;
    return sentence(said, "has ", name.width - name.precision, " exponent and ", name.precision - 1, " fraction bits",
                    instead);
}

} // namespace discern
