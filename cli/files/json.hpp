// Pieces of JSON that several commands print.
#pragma once

#include "models/vectors.hpp"

#include <string>

namespace discern::cli {

/// @param texts  a range of strings
template <typename Texts>
std::string json_list(const Texts& texts) {
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "" : ",") + json_string(text);
    return "[" + list + "]";
}

} // namespace discern::cli
