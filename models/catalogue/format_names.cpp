// What formats are called outside of the notation: by numpy, PyTorch and ml_dtypes, by C, by P3109, and by people. A
// name that stands for several formats is no format, and it is said which those are.
#include "models/error.hpp"
#include "models/format.hpp"
#include "models/suggest.hpp"
#include "models/unit/texts.hpp"
#include "p3109.hpp"

#include <vector>

namespace discern {

namespace {

using texts::in_lower_case;

struct Everyday {
    std::string_view name;
    FormatId id;
};
constexpr Everyday everyday[] = {
    {"half", FormatId::f16},
    {"float16", FormatId::f16},
    {"single", FormatId::f32},
    {"float", FormatId::f32},
    {"float32", FormatId::f32},
    {"double", FormatId::f64},
    {"float64", FormatId::f64},
    {"binary16", FormatId::f16},
    {"binary32", FormatId::f32},
    {"binary64", FormatId::f64},
    {"float8_e4m3fn", FormatId::e4m3},
    {"float8_e5m2", FormatId::e5m2},
    {"float8_e4m3fnuz", FormatId::e4m3fnuz},
    {"float8_e5m2fnuz", FormatId::e5m2fnuz},
    {"float6_e3m2fn", FormatId::e3m2},
    {"float6_e2m3fn", FormatId::e2m3},
    {"float4_e2m1fn", FormatId::e2m1},
    {"float4_e2m1fn_x2", FormatId::e2m1},
    {"float8_e8m0fnu", FormatId::e8m0},
};

struct Several {
    std::string_view name, sentence;
};
constexpr Several several[] = {
    {"fp8", "fp8 is e4m3 or e5m2, and on CDNA3 e4m3fnuz or e5m2fnuz; one of them is right"},
    {"float8", "float8 is e4m3 or e5m2, and on CDNA3 e4m3fnuz or e5m2fnuz; one of them is right"},
    {"bf8", "bf8 is e5m2, and on CDNA3 e5m2fnuz; one of them is right"},
    {"fp6", "fp6 is e3m2 or e2m3; one of them is right"},
    {"mxfp8",
     "mxfp8 is e4m3 or e5m2 with a scale e8m0 for 32 elements; of a product, mxfp8_e4m3 or mxfp8_e5m2 is right"},
    {"mxfp6",
     "mxfp6 is e3m2 or e2m3 with a scale e8m0 for 32 elements; of a product, mxfp6_e3m2 or mxfp6_e2m3 is right"},
};

constexpr std::string_view of_blocks = "mxfp4 is e2m1 with a scale e8m0 for 32 elements (--scale e8m0/32), and nvfp4 "
                                       "e2m1 with a scale ue4m3 for 16 (--scale ue4m3/16)";

} // namespace

std::optional<FormatId> everyday_format(std::string_view text) {
    if (const auto id = format_from_name(text)) return id;
    const std::string lower = in_lower_case(text);
    for (const auto& [name, id] : everyday)
        if (name == lower) return id;
    if (const auto name = p3109_name(lower)) return format_of(*name);
    return format_from_name(lower);
}

std::string why_not_one_format(std::string_view text) {
    const std::string lower = in_lower_case(text);
    for (const auto& [name, sentence] : several)
        if (name == lower) return std::string(sentence);
    const auto name = p3109_name(lower);
    return name && !format_of(*name) ? why_no_format(*name) : "";
}

FormatId require_format(std::string_view text, std::string_view where) {
    if (const auto id = everyday_format(text)) return *id;
    const std::string place = std::string(where) + ": ";
    if (const std::string which = why_not_one_format(text); !which.empty()) throw Error(place + which);
    if (const std::string lower = in_lower_case(text); lower == "mxfp4" || lower == "nvfp4")
        throw Error(place + std::string(of_blocks));
    std::vector<std::string> known;
    for (const Format& f : formats()) known.emplace_back(f.name);
    const std::string hint = did_you_mean(text, known);
    throw Error(place + "there is no format '" + std::string(text.substr(0, 40)) + "'" +
                (hint.empty() ? "; a name is right, such as f16, or " + std::string(format_by_fields) : hint));
}

} // namespace discern
