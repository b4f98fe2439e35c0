// Small files of vectors, read in one go.
#pragma once

#include "models/error.hpp"
#include "models/vectors.hpp"

#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace discern::tests {

inline constexpr Shape small{
    .a = FormatId::f16, .b = FormatId::f16, .c = FormatId::f32, .d = FormatId::f32, .scale = {}, .K = 2};
inline constexpr Shape scaled{.a = FormatId::e2m1,
                              .b = FormatId::e3m2,
                              .c = FormatId::f32,
                              .d = FormatId::f32,
                              .scale = Scale{.format = FormatId::e8m0, .block = 2},
                              .K = 3};

inline const std::string small_header = R"({"discern":1,"a":"f16","b":"f16","c":"f32","d":"f32","K":2})";

/// All vectors of a file.
inline std::vector<Vector> read_all(const std::string& text, std::optional<ReadAs> as = std::nullopt) {
    std::istringstream in(text);
    VectorReader reader(in, "file", std::move(as));
    std::vector<Vector> all;
    Vector vector;
    while (reader.next(vector)) all.push_back(vector);
    return all;
}

inline ReadAs as_unit(const Shape& shape) { return {.unit = "the unit", .shape = shape}; }

/// The sentence that reading ends with, or "".
inline std::string complaint(const std::string& text, std::optional<ReadAs> as = std::nullopt) {
    try {
        read_all(text, std::move(as));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

} // namespace discern::tests
