// JSON as the commands print it: nlohmann's values in the order in which they are put, and one function that writes
// them.
//
// The lines of files of vectors alone are written otherwise, by models/vectors/writer.cpp: there may be millions a
// second.
#pragma once

#include "models/vectors.hpp"
#include "solver/question/ground.hpp"

#include <nlohmann/json.hpp>

#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace discern::cli {

using Json = nlohmann::ordered_json;

/// The text of it, without a blank or a line end. What is no UTF-8 (a name of a file may be none) is replaced by
/// U+FFFD.
std::string to_text(const Json& value);

/// The same as a line.
void print_line(std::ostream& out, const Json& value);

/// A list with a line for each item, behind an indent.
std::string to_lines(const Json& list, const std::string& indent = "");

/// A number with the digits that a format of fmt gives it, as "{:.4f}"; null where it is infinite or NaN, which JSON
/// does not have. (nlohmann itself always writes as many digits as tell a double from all others.)
Json number(double value, const char* format);
/// To six significant digits.
inline Json number(double value) { return number(value, "{:.6g}"); }

/// A vector as in files: {"a":[…],"b":[…],"c":"…","d":"…"}.
Json json_of(const Shape& shape, const Vector& vector);
/// The same with one more field, `expected`: the pattern of d that a unit gives.
Json json_with_expected(const Shape& shape, const Vector& vector, std::uint64_t expected);

/// A list of what a function makes of each.
template <typename Items, typename Function>
Json list_of(const Items& items, const Function& json) {
    Json list = Json::array();
    for (const auto& item : items) list.push_back(json(item));
    return list;
}

/// Indices as people count, from 1.
Json from_one(const std::vector<std::size_t>& indices);

/// Names and counts, in order: {"zero sign":1,…}.
template <typename Names, typename Counts>
Json counts_of(const Names& names, const Counts& counts) {
    Json object = Json::object();
    for (std::size_t i = 0; i < counts.size(); ++i) object[std::string(names[i])] = counts[i];
    return object;
}

/// The products that have units of these names, by architecture: {"ampere":["A100",…]}.
Json json_of_products(std::span<const std::string> units);

/// "solver"; null of none.
Json json_of(const Ground& ground);
/// Puts `"ground":"solver"` into an object; of a bound its name too, `"ground":"argument","bound":"losses-of-steps"`.
void put_ground(Json& object, const Ground& ground);
/// The grounds of a list of things: a list of texts, or null where nothing is claimed.
Json json_of(const std::vector<Ground>& grounds);

/// The weakest of them. @return none of an empty list
inline Ground weakest_of(const std::vector<Ground>& grounds) {
    Ground all;
    for (const Ground& ground : grounds) all = weakest(all, ground);
    return all;
}

} // namespace discern::cli
