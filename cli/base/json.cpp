// See json.hpp. A number whose digits are chosen is held as binary, which JSON does not have otherwise, and written as
// is.
#include "json.hpp"

#include "models/hex.hpp"
#include "models/products.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace discern::cli {

namespace {

void append(std::string& text, const Json& value) {
    if (value.is_binary()) {
        text.append(value.get_binary().begin(), value.get_binary().end());
    } else if (value.is_structured()) {
        char before = value.is_object() ? '{' : '[';
        if (value.empty()) text += before;
        for (const auto& [key, item] : value.items()) {
            text += std::exchange(before, ',');
            if (value.is_object()) text += json_string(key) + ':';
            append(text, item);
        }
        text += value.is_object() ? '}' : ']';
    } else {
        text += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
}

} // namespace

std::string to_text(const Json& value) {
    std::string text;
    append(text, value);
    return text;
}

void print_line(std::ostream& out, const Json& value) { out << to_text(value) << '\n'; }

std::string to_lines(const Json& list, const std::string& indent) {
    std::string text;
    for (const Json& item : list) text += (text.empty() ? "\n" : ",\n") + indent + to_text(item);
    return "[" + text + "\n]";
}

Json number(double value, const char* format) {
    if (!std::isfinite(value)) return nullptr;
    const std::string digits = fmt::format(fmt::runtime(format), value);
    return Json::binary({digits.begin(), digits.end()});
}

Json json_of(const Shape& shape, const Vector& vector) { return Json::parse(to_json(shape, vector)); }

Json json_with_expected(const Shape& shape, const Vector& vector, std::uint64_t expected) {
    Json object = json_of(shape, vector);
    object["expected"] = to_hex(format(shape.d), expected);
    return object;
}

Json json_of_products(std::span<const std::string> units) {
    Json object = Json::object();
    for (const auto& [architecture, names] : products_behind(units)) object[architecture] = names;
    return object;
}

Json from_one(const std::vector<std::size_t>& indices) {
    return list_of(indices, [](std::size_t index) { return index + 1; });
}

Json json_of(const Ground& ground) {
    const std::string text = text_of(ground);
    return text.empty() ? Json(nullptr) : Json(text);
}

void put_ground(Json& object, const Ground& ground) {
    object["ground"] = json_of(ground);
    if (ground.kind == Ground::Kind::argument) object["bound"] = ground.name;
}

Json json_of(const std::vector<Ground>& grounds) {
    return list_of(grounds, [](const Ground& ground) { return json_of(ground); });
}

} // namespace discern::cli
