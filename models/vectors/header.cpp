// The first line of the two JSON forms, and whether all that it says agrees.
#include "lines.hpp"
#include "models/kernel.hpp"
#include "models/unit/texts.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace discern {

namespace {

using Json = nlohmann::ordered_json;
using vector_lines::ParsedHeader;
using vector_lines::Place;

constexpr int deepest = 32; // levels of nesting in a header
constexpr int largest_K = 1 << 20;

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// The line as a JSON object whose keys are all different.
Json parse_object(const Place& place, std::string_view line) {
    std::vector<std::set<std::string>> keys;
    const auto watch = [&](int depth, Json::parse_event_t event, const Json& parsed) {
        using Event = Json::parse_event_t;
        if (depth > deepest) place.fail("the header is nested more than ", deepest, " levels deep");
        if (event == Event::object_start) keys.emplace_back();
        if (event == Event::object_end) keys.pop_back();
        if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second)
            place.fail("field ", excerpt(parsed.get<std::string>()), " is there twice");
        return true;
    };
    try {
        Json object = Json::parse(line.begin(), line.end(), watch);
        if (object.is_object()) return object;
    } catch (const Json::parse_error& error) {
        if (error.byte > line.size()) place.fail("the line ends before its JSON object does");
        place.fail("not JSON from column ", error.byte, " on");
    }
    place.fail("the line is not a JSON object");
}

std::string require_string(const Place& place, const std::string& field, const Json& value) {
    if (!value.is_string()) place.fail_field(field, "must be a string, not ", excerpt(dump(value)));
    return value.get<std::string>();
}

/// A header that names its unit and spells the patterns of an operand in one string: the compact form with "by".
bool is_signed_compact(const Json& object) {
    return !object.contains("discern") && object.contains("unit") && object.contains("by");
}

int require_count(const Place& place, const std::string& field, const Json& value) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 || value.get<std::uint64_t>() > largest_K)
        place.fail_field(field, "must be a number from 1 to ", largest_K, ", not ", excerpt(dump(value)));
    return value.get<int>();
}

FormatId require_format_field(const Place& place, const std::string& field, const Json& value) {
    return require_format(require_string(place, field, value), place.at(sentence("field ", field)));
}

NanComparison require_nan(const Place& place, const Json& value) {
    const std::string text = require_string(place, "nan", value);
    if (text == "any") return NanComparison::any;
    if (text == "exact") return NanComparison::exact;
    place.fail_field("nan", excerpt(text), R"( is neither "any" nor "exact")");
}

/// "Ada Lovelace" and "mma…" become "ada/mma…".
std::string catalogue_name(std::string arch, const std::string& instr) {
    if (arch == "Ada Lovelace") arch = "Ada";
    std::erase(arch, ' ');
    return texts::in_lower_case(arch) + "/" + instr;
}

/// Takes the field that spells out part of the shape; false if it is none of those.
bool take_shape_field(const Place& place, const std::string& field, const Json& value, ParsedHeader& parsed) {
    const std::array<std::pair<const char*, std::optional<FormatId>*>, 5> formats = {
        {{"a", &parsed.a}, {"b", &parsed.b}, {"c", &parsed.c}, {"d", &parsed.d}, {"scale", &parsed.scale}}};
    const std::array<std::pair<const char*, std::optional<int>*>, 2> counts = {
        {{"K", &parsed.K}, {"kblock", &parsed.kblock}}};
    for (const auto& [key, format] : formats) {
        if (field != key) continue;
        *format = require_format_field(place, field, value);
        return true;
    }
    for (const auto& [key, count] : counts) {
        if (field != key) continue;
        *count = require_count(place, field, value);
        return true;
    }
    return false;
}

/// How such a header says that the unit has no scales.
bool is_no_scale(const std::string& field, const Json& value) {
    return (field == "scale" && value.is_null()) || (field == "kblock" && value == 0);
}

constexpr std::string_view right_header = R"({"discern":1,"unit":"…"})";

} // namespace

namespace vector_lines {

ParsedHeader parse_json_header(const Place& place, std::string_view line) {
    const Json object = parse_object(place, line);
    ParsedHeader parsed;
    const bool canonical = object.contains("discern"), by = is_signed_compact(object);
    if (!canonical && !by && !(object.contains("arch") && object.contains("instr")))
        place.fail("the line is not a header; the first line must be ", right_header,
                   R"(, or have "arch" and "instr", or "unit" and "by")");
    if (canonical && !(object["discern"].is_number_integer() && object["discern"] == 1))
        place.fail_field("discern", "is ", excerpt(dump(object["discern"])), "; this program reads version 1, ",
                         right_header);
    parsed.dialect = canonical ? Dialect::json_lines : Dialect::compact;
    std::string arch, instr;
    for (const auto& [field, value] : object.items()) {
        if (field == "discern" || (by && is_no_scale(field, value)) || take_shape_field(place, field, value, parsed))
            continue;
        if (field == "nan")
            parsed.header.nan = require_nan(place, value);
        else if ((canonical || by) && field == "unit")
            parsed.header.unit = require_string(place, field, value);
        else if (canonical && field == "target")
            parsed.header.target = require_string(place, field, value);
        else if (!canonical && !by && field == "arch")
            arch = require_string(place, field, value);
        else if (!canonical && !by && field == "instr")
            instr = require_string(place, field, value);
        else
            parsed.header.other.emplace_back(field, dump(value));
    }
    if (!canonical && !by) parsed.header.unit = catalogue_name(arch, instr);
    if ((canonical || by) && object.contains("unit") && parsed.header.unit.empty())
        place.fail_field("unit", "is empty");
    return parsed;
}

namespace {

/// The shape that the header spells out, if it does so completely. @throws Error if it cannot be understood
std::optional<Shape> spelled_shape(const Place& place, const ParsedHeader& parsed) {
    if (parsed.scale.has_value() != parsed.kblock.has_value())
        place.fail_field(parsed.scale ? "kblock" : "scale",
                         R"(missing; scales take both, as in "scale":"e8m0","kblock":32)");
    if (!parsed.a || !parsed.b || !parsed.d || !parsed.K) return std::nullopt;
    Shape shape{.a = *parsed.a, .b = *parsed.b, .c = parsed.c, .d = *parsed.d, .scale = std::nullopt, .K = *parsed.K};
    if (parsed.scale) shape.scale = Scale{.format = *parsed.scale, .block = *parsed.kblock};
    return shape;
}

/// Checks fields that are spelled out, though perhaps not all of them, against a unit.
void require_spelled(const Place& place, const ParsedHeader& parsed, const ReadAs& as) {
    const auto check = [&](const char* field, const auto& said, const auto& right, const auto& show) {
        if (said && said != right)
            place.fail_field(field, "is ", show(*said), ", but ", as.unit, " has ",
                             right ? show(*right) : std::string("none"), " (", to_string(as.shape), ")");
    };
    const auto format_name = [](FormatId id) { return std::string(format(id).name); };
    const auto number = [](int count) { return std::to_string(count); };
    const Shape& shape = as.shape;
    check("a", parsed.a, std::optional(shape.a), format_name);
    check("b", parsed.b, std::optional(shape.b), format_name);
    check("c", parsed.c, shape.c, format_name);
    check("d", parsed.d, std::optional(shape.d), format_name);
    check("K", parsed.K, std::optional(shape.K), number);
    check("scale", parsed.scale, shape.scale ? std::optional(shape.scale->format) : std::nullopt, format_name);
    check("kblock", parsed.kblock, shape.scale ? std::optional(shape.scale->block) : std::nullopt, number);
}

void require_agreement(const Place& place, const char* field, const std::string& what, const Shape& shape,
                       const ReadAs& as) {
    if (shape == as.shape) return;
    place.fail_field(field, what, " (", to_string(shape), ") does not agree with ", as.unit, " (", to_string(as.shape),
                     ") in ", difference(shape, as.shape));
}

} // namespace

Agreement agree(const Place& place, ParsedHeader& parsed, const std::optional<ReadAs>& as) {
    Agreement result;
    std::optional<ReadAs> right = as;
    if (!parsed.header.unit.empty()) {
        Kernel kernel;
        try {
            kernel = resolve_kernel(parsed.header.unit);
        } catch (const Error& error) {
            place.fail_field("unit", std::string_view(error.what()));
        }
        result.nan_any = kernel.unit.nan.kind == NanRule::Kind::any;
        const ReadAs own{.unit = parsed.header.unit, .shape = shape_of(kernel)};
        if (right) require_agreement(place, "unit", own.unit, own.shape, *right);
        if (!right) right = own;
    }
    const std::optional<Shape> spelled = spelled_shape(place, parsed);
    if (right) require_spelled(place, parsed, *right);
    if (right && spelled) require_agreement(place, "a, b, c, d, K", "the header", *spelled, *right);
    if (!right && !spelled) place.fail(R"(the header names no unit, nor all of the formats "a", "b", "d" and "K")");
    result.shape = right ? right->shape : *spelled;
    result.nan_any = result.nan_any || parsed.header.nan == NanComparison::any;
    parsed.header.shape = spelled;
    return result;
}

} // namespace vector_lines

std::string json_string(std::string_view text) { return dump(Json(text)); }

std::string to_json(const Header& header) {
    Json object = {{"discern", 1}};
    if (!header.unit.empty()) object["unit"] = header.unit;
    if (header.shape) {
        const Shape& shape = *header.shape;
        object["a"] = format(shape.a).name;
        object["b"] = format(shape.b).name;
        if (shape.c) object["c"] = format(*shape.c).name;
        object["d"] = format(shape.d).name;
        object["K"] = shape.K;
        if (shape.scale) {
            object["scale"] = format(shape.scale->format).name;
            object["kblock"] = shape.scale->block;
        }
    }
    if (header.nan != NanComparison::unsaid) object["nan"] = header.nan == NanComparison::any ? "any" : "exact";
    if (!header.target.empty()) object["target"] = header.target;
    for (const auto& [field, value] : header.other) object[field] = Json::parse(value);
    return dump(object);
}

} // namespace discern
