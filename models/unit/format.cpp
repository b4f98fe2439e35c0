#include "models/format.hpp"

#include "models/error.hpp"
#include "models/suggest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace discern {

namespace {

using enum FormatId;
using enum Specials;

// id, name, synonym, width, exponent, mantissa, padding, bias, specials, signed, zero, source
constexpr std::array<Format, 16> named_formats = {{
    {f64, "f64", "fp64", 64, 11, 52, 0, 1023, ieee, true, true, "IEEE 754 binary64"},
    {f32, "f32", "fp32", 32, 8, 23, 0, 127, ieee, true, true, "IEEE 754 binary32"},
    {tf32, "tf32", "xf32", 32, 8, 10, 13, 127, ieee, true, true,
     "PTX ISA: 19 bits in an f32 container, low bits truncated"},
    {bf16, "bf16", "bfloat16", 16, 8, 7, 0, 127, ieee, true, true, "upper half of binary32"},
    {f16, "f16", "fp16", 16, 5, 10, 0, 15, ieee, true, true, "IEEE 754 binary16"},
    {e5m2, "e5m2", "", 8, 5, 2, 0, 15, ieee, true, true, "OCP OFP8"},
    {e4m3, "e4m3", "", 8, 4, 3, 0, 7, all_ones, true, true, "OCP OFP8"},
    {e5m2fnuz, "e5m2fnuz", "", 8, 5, 2, 0, 16, fnuz, true, true, "AMD CDNA3 bf8"},
    {e4m3fnuz, "e4m3fnuz", "", 8, 4, 3, 0, 8, fnuz, true, true, "AMD CDNA3 fp8"},
    {e3m2, "e3m2", "", 6, 3, 2, 0, 3, none, true, true, "OCP MX FP6"},
    {e2m3, "e2m3", "", 6, 2, 3, 0, 1, none, true, true, "OCP MX FP6"},
    {e2m1, "e2m1", "fp4", 4, 2, 1, 0, 1, none, true, true, "OCP MX FP4"},
    {e8m0, "e8m0", "ue8m0", 8, 8, 0, 0, 127, all_ones, false, false, "OCP MX scale"},
    {ue4m3, "ue4m3", "", 8, 4, 3, 0, 7, all_ones, false, true, "NVFP4 scale: e4m3 whose sign bit is ignored"},
    {ue5m3, "ue5m3", "", 8, 5, 3, 0, 15, all_ones, false, true, "E5M3 of AMD hipBLASLt, a scale of gfx1250"},
    {e8m13, "e8m13", "", 32, 8, 13, 10, 127, ieee, true, true, "Xie et al., Table 2: f32 with 13 fraction bits"},
}};

constexpr bool in_order() {
    for (std::size_t i = 0; i < named_formats.size(); ++i)
        if (named_formats[i].id != static_cast<FormatId>(i)) return false;
    return true;
}
static_assert(in_order());

// ------------------------------------------------------------------------------------------- formats by their fields

constexpr int least_exponent = 2, most_exponent = 11, most_mantissa = 52;
constexpr std::size_t per_specials = static_cast<std::size_t>((most_exponent - least_exponent + 1) * most_mantissa);
constexpr std::size_t by_fields = special_suffixes.size() * per_specials;

/// Whether the fields stay within binary64, whose exponents bound all arithmetic (wide_int.hpp).
constexpr bool are_fields(int e, int m, Specials specials) {
    return e >= least_exponent && e <= most_exponent && m >= 1 && m <= most_mantissa &&
           (e < most_exponent || specials == ieee);
}

constexpr std::size_t place_of(int e, int m, Specials specials) {
    return static_cast<std::size_t>(specials) * per_specials +
           static_cast<std::size_t>((e - least_exponent) * most_mantissa + m - 1);
}

constexpr const Format* find_named(std::string_view text) {
    for (const Format& f : named_formats)
        if (text == f.name || (!f.synonym.empty() && text == f.synonym)) return &f;
    return nullptr;
}

// ------------------------------------------------------------------------------------------------------ fixed point

constexpr int least_width = 2, most_width = 54; // with more, some numbers are none of binary64

constexpr bool is_fixed(int width, int fraction) {
    return width >= least_width && width <= most_width && fraction >= 0 && fraction <= width;
}
/// After all that are shorter, w + 1 of each width w.
constexpr std::size_t place_of_fixed(int width, int fraction) {
    return static_cast<std::size_t>(width * (width + 1) / 2 - least_width * (least_width + 1) / 2 + fraction);
}
constexpr std::size_t all_fixed = place_of_fixed(most_width, most_width) + 1;

// ------------------------------------------------------------------------------------------------------------ names

struct Name {
    std::array<char, 12> letters{}; ///< the longest is e11m52ieee
    std::size_t length = 0;

    constexpr void add(std::string_view text) {
        for (const char letter : text) letters[length++] = letter;
    }
    constexpr void add(int number) {
        if (number >= 10) letters[length++] = static_cast<char>('0' + number / 10);
        letters[length++] = static_cast<char>('0' + number % 10);
    }
    constexpr std::string_view text() const { return {letters.data(), length}; }
};

constexpr Name name_of(int e, int m, Specials specials) {
    Name name;
    name.add("e");
    name.add(e);
    name.add("m");
    name.add(m);
    if (specials != ieee || find_named(name.text()) != nullptr)
        name.add(special_suffixes[static_cast<std::size_t>(specials)]);
    return name;
}

constexpr Name name_of_fixed(int width, int fraction) {
    Name name;
    name.add("fix");
    name.add(width);
    name.add(".");
    name.add(fraction);
    return name;
}

template <typename Visit>
constexpr void for_all_fields(Visit visit) {
    for (const Specials specials : {ieee, all_ones, fnuz, inuz, none})
        for (int e = least_exponent; e <= most_exponent; ++e)
            for (int m = 1; m <= most_mantissa; ++m)
                if (are_fields(e, m, specials)) visit(e, m, specials);
}

template <typename Visit>
constexpr void for_all_fixed(Visit visit) {
    for (int width = least_width; width <= most_width; ++width)
        for (int fraction = 0; fraction <= width; ++fraction) visit(width, fraction);
}

constexpr auto names_by_fields = [] {
    std::array<Name, by_fields> list{};
    for_all_fields([&](int e, int m, Specials s) { list[place_of(e, m, s)] = name_of(e, m, s); });
    return list;
}();

constexpr auto described = [] {
    std::array<Format, by_fields> list{};
    for_all_fields([&](int e, int m, Specials specials) {
        const std::size_t at = place_of(e, m, specials);
        Format& f = list[at];
        f.id = static_cast<FormatId>(named_formats.size() + at);
        f.name = names_by_fields[at].text();
        f.width = 1 + e + m;
        f.exponent_bits = e;
        f.mantissa_bits = m;
        f.padding_bits = 0;
        f.specials = specials;
        f.bias = (1 << (e - 1)) - (f.has_nan_for_minus_zero() ? 0 : 1);
        f.is_signed = f.has_zero = true;
        f.source = "its fields";
    });
    return list;
}();

constexpr auto fixed_names = [] {
    std::array<Name, all_fixed> list{};
    for_all_fixed(
        [&](int width, int fraction) { list[place_of_fixed(width, fraction)] = name_of_fixed(width, fraction); });
    return list;
}();

constexpr auto all_of_fixed_point = [] {
    std::array<Format, all_fixed> list{};
    for_all_fixed([&](int width, int fraction) {
        const std::size_t at = place_of_fixed(width, fraction);
        Format& f = list[at];
        f.id = static_cast<FormatId>(named_formats.size() + by_fields + at);
        f.name = fixed_names[at].text();
        f.width = width;
        f.exponent_bits = 1;
        f.mantissa_bits = width - 2;
        f.padding_bits = 0;
        f.bias = fraction - width + 3; // the last bit is 2^(1 − bias − mantissa bits)
        f.specials = fixed;
        f.is_signed = f.has_zero = true;
        f.source = "two's complement";
    });
    return list;
}();

/// The number in front of the text, which loses it; -1: there is none, or it has a leading zero or a third digit.
int take_number(std::string_view& text) {
    int number = -1;
    std::size_t n = 0;
    for (; n < text.size() && text[n] >= '0' && text[n] <= '9'; ++n) {
        if (number == 0 || n == 2) return -1;
        number = std::max(number, 0) * 10 + (text[n] - '0');
    }
    text.remove_prefix(n);
    return number;
}

std::optional<FormatId> fixed_from_text(std::string_view text) {
    if (!text.starts_with("fix")) return std::nullopt;
    text.remove_prefix(3);
    const int width = take_number(text);
    if (!text.starts_with('.')) return std::nullopt;
    text.remove_prefix(1);
    const int fraction = take_number(text);
    return text.empty() ? fixed_point(width, fraction) : std::nullopt;
}

std::optional<FormatId> from_fields(std::string_view text) {
    if (const auto fixed_one = fixed_from_text(text)) return fixed_one;
    if (!text.starts_with('e')) return std::nullopt;
    text.remove_prefix(1);
    const int e = take_number(text);
    if (!text.starts_with('m')) return std::nullopt;
    text.remove_prefix(1);
    const int m = take_number(text);
    const auto* suffix =
        text.empty() ? special_suffixes.begin() : std::find(special_suffixes.begin(), special_suffixes.end(), text);
    if (suffix == special_suffixes.end()) return std::nullopt;
    return format_of_fields(e, m, static_cast<Specials>(suffix - special_suffixes.begin()));
}

constexpr std::uint64_t low_bits(int n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

} // namespace

std::span<const Format> formats() { return named_formats; }

const Format& format(FormatId id) {
    const auto at = static_cast<std::size_t>(id);
    if (at < named_formats.size()) return named_formats[at];
    const std::size_t after = at - named_formats.size();
    return after < by_fields ? described[after] : all_of_fixed_point[after - by_fields];
}

std::optional<FormatId> format_of_fields(int exponent_bits, int mantissa_bits, Specials specials) {
    if (!are_fields(exponent_bits, mantissa_bits, specials)) return std::nullopt;
    const Format& f = described[place_of(exponent_bits, mantissa_bits, specials)];
    for (const Format& named : named_formats)
        if (named.is_signed && named.has_zero && named.width == f.width && named.exponent_bits == f.exponent_bits &&
            named.mantissa_bits == f.mantissa_bits && named.bias == f.bias && named.specials == f.specials)
            return named.id;
    return f.id;
}

std::optional<FormatId> fixed_point(int width, int fraction_bits) {
    if (!is_fixed(width, fraction_bits)) return std::nullopt;
    return all_of_fixed_point[place_of_fixed(width, fraction_bits)].id;
}

std::optional<FormatId> format_from_name(std::string_view text) {
    if (const Format* named = find_named(text)) return named->id;
    return from_fields(text);
}

namespace {

Decoded decode_fixed(const Format& f, std::uint64_t bits) {
    const bool negative = ((bits >> (f.width - 1)) & 1) != 0;
    return {.negative = negative, .significand = negative ? (0 - bits) & f.mask() : bits, .exponent = f.emin()};
}

} // namespace

Decoded decode(const Format& f, std::uint64_t bits) {
    if (f.is_fixed_point()) return decode_fixed(f, bits);
    Decoded value;
    const int m = f.mantissa_bits;
    const std::uint64_t mantissa = (bits >> f.padding_bits) & low_bits(m);
    const auto field = static_cast<int>((bits >> (f.padding_bits + m)) & low_bits(f.exponent_bits));
    const int top = (1 << f.exponent_bits) - 1;
    value.negative = f.is_signed && ((bits >> (f.width - 1)) & 1) != 0;
    switch (f.specials) {
    case ieee:
        if (field == top) value.number_class = mantissa == 0 ? NumberClass::infinite : NumberClass::nan;
        break;
    case all_ones:
        if (field == top && mantissa == low_bits(m)) value.number_class = NumberClass::nan;
        break;
    case inuz:
        if (field == top && mantissa == low_bits(m)) value.number_class = NumberClass::infinite;
        [[fallthrough]];
    case fnuz:
        if (value.negative && field == 0 && mantissa == 0) value.number_class = NumberClass::nan;
        break;
    case none:
    case fixed: break;
    }
    if (value.number_class == NumberClass::nan) value.payload = mantissa;
    if (value.number_class != NumberClass::finite) return value;
    const bool normal = field != 0 || !f.has_zero;
    value.significand = mantissa | (normal ? 1ull << m : 0);
    value.exponent = normal ? field - f.bias : f.emin();
    return value;
}

double to_double(const Format& format, std::uint64_t bits) {
    const Decoded x = decode(format, bits);
    double magnitude = std::ldexp(static_cast<double>(x.significand), x.exponent - format.mantissa_bits);
    if (x.number_class == NumberClass::infinite) magnitude = std::numeric_limits<double>::infinity();
    if (x.number_class == NumberClass::nan) magnitude = std::numeric_limits<double>::quiet_NaN();
    return x.negative ? -magnitude : magnitude;
}

namespace {

/// Apart, so that pack itself stays short.
[[noreturn]] void cannot_pack(const Format& f, const char* why) {
    throw std::logic_error(std::string("pack: ") + why + " in " + std::string(f.name));
}

} // namespace

std::uint64_t pack(const Format& f, const Decoded& value) {
    const int m = f.mantissa_bits;
    const std::uint64_t sign = f.is_signed && value.negative ? 1ull << (f.width - 1) : 0;
    const auto fields = [&](std::uint64_t exponent_field, std::uint64_t mantissa) {
        return sign | (((exponent_field << m) | mantissa) << f.padding_bits);
    };
    const std::uint64_t top = low_bits(f.exponent_bits);
    if (value.number_class == NumberClass::infinite) {
        if (!f.has_infinity()) cannot_pack(f, "there is no infinity");
        return fields(top, f.infinite_mantissa());
    }
    if (value.number_class == NumberClass::nan) {
        switch (f.specials) {
        case ieee: return fields(top, value.payload == 0 ? 1ull << (m - 1) : value.payload & low_bits(m));
        case all_ones: return fields(top, low_bits(m));
        case fnuz:
        case inuz: return 1ull << (f.width - 1);
        case none:
        case fixed: break;
        }
        cannot_pack(f, "there is no NaN");
    }
    if (value.significand == 0) {
        if (!f.has_zero) cannot_pack(f, "there is no zero");
        return f.has_minus_zero() ? sign : 0;
    }
    if (f.is_fixed_point()) {
        if (value.exponent != f.emin() || value.significand > f.max_significand(value.negative))
            cannot_pack(f, "the number is not one of its");
        return (value.negative ? 0 - value.significand : value.significand) & f.mask();
    }
    const bool normal = ((value.significand >> m) & 1) != 0;
    const bool fits = value.significand <= low_bits(m + 1) && value.exponent >= f.emin() &&
                      value.exponent <= f.emax() && (normal || (value.exponent == f.emin() && f.has_zero)) &&
                      (value.exponent < f.emax() || value.significand <= f.max_significand());
    if (!fits) cannot_pack(f, "the number is not one of its");
    return fields(normal ? static_cast<std::uint64_t>(value.exponent + f.bias) : 0, value.significand & low_bits(m));
}

std::uint64_t quiet_nan(const Format& f) {
    return pack(f, {.number_class = NumberClass::nan,
                    .negative = false,
                    .payload = f.mantissa_bits > 0 ? 1ull << (f.mantissa_bits - 1) : 0});
}

std::uint64_t one(const Format& f) {
    const std::uint64_t hidden = 1ull << f.mantissa_bits;
    if (!f.is_fixed_point()) return pack(f, {.significand = hidden, .exponent = 0});
    const std::uint64_t unit = 1ull << -f.lsb();
    return pack(f, {.significand = std::min(hidden, unit), .exponent = f.emin()});
}

std::uint64_t negated(const Format& f, std::uint64_t bits) {
    Decoded x = decode(f, bits);
    if (!f.is_fixed_point()) {
        const std::uint64_t sign = 1ull << (f.width - 1);
        const bool is_other = !f.has_minus_zero() && (x.is_zero() || x.number_class == NumberClass::nan);
        return is_other ? bits : bits ^ sign;
    }
    x.negative = !x.negative;
    x.significand = std::min(x.significand, f.max_significand(x.negative));
    return pack(f, x);
}

std::int64_t place_of(const Format& f, std::uint64_t bits) {
    const std::uint64_t sign = f.is_signed ? 1ull << (f.width - 1) : 0;
    if (f.is_fixed_point()) return static_cast<std::int64_t>(bits ^ sign) - static_cast<std::int64_t>(sign);
    const auto magnitude =
        static_cast<std::int64_t>((bits >> f.padding_bits) & low_bits(f.exponent_bits + f.mantissa_bits));
    return (bits & sign) != 0 ? -magnitude : magnitude;
}

std::uint64_t pattern_at_place(const Format& f, std::int64_t place) {
    if (f.is_fixed_point()) return static_cast<std::uint64_t>(place) & f.mask();
    const auto magnitude = static_cast<std::uint64_t>(place < 0 ? -place : place) << f.padding_bits;
    return place < 0 ? magnitude | 1ull << (f.width - 1) : magnitude;
}

bool holds(const Format& outer, const Format& inner) {
    return outer.width == inner.width && outer.exponent_bits == inner.exponent_bits && outer.bias == inner.bias &&
           outer.specials == inner.specials && outer.is_signed == inner.is_signed &&
           outer.mantissa_bits >= inner.mantissa_bits &&
           outer.mantissa_bits + outer.padding_bits == inner.mantissa_bits + inner.padding_bits;
}

} // namespace discern
