// Pieces of JSON that several commands print.
#pragma once

#include "models/vectors.hpp"
#include "solver/decide/ground.hpp"

#include <string>

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

} // namespace discern::cli
