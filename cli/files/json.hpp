// Pieces of JSON that several commands print.
#pragma once

#include "models/vectors.hpp"
#include "solver/decide/ground.hpp"

#include <string>
#include <vector>

namespace discern::cli {

/// @param texts  a range of strings
template <typename Texts>
std::string json_list(const Texts& texts) {
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "" : ",") + json_string(text);
    return "[" + list + "]";
}

/// `"ground":"solver"`, null of none; of a bound its name too, `"ground":"argument","bound":"losses-of-steps"`.
inline std::string ground_json(const Ground& ground) {
    const std::string text = text_of(ground);
    std::string json = "\"ground\":" + (text.empty() ? "null" : json_string(text));
    if (ground.kind == Ground::Kind::argument) json += ",\"bound\":" + json_string(ground.name);
    return json;
}

/// The grounds of a list of things, as JSON: a list of texts, or null where nothing is claimed.
inline std::string grounds_json(const std::vector<Ground>& grounds) {
    std::string list;
    for (const Ground& ground : grounds) {
        const std::string text = text_of(ground);
        list += (list.empty() ? "" : ",") + (text.empty() ? "null" : json_string(text));
    }
    return "[" + list + "]";
}

/// The weakest of them. @return none of an empty list
inline Ground weakest_of(const std::vector<Ground>& grounds) {
    Ground all;
    for (const Ground& ground : grounds) all = weakest(all, ground);
    return all;
}

} // namespace discern::cli
