// A target that is no function: the two answers that it gave to one vector.
#pragma once

#include "cli/base/json.hpp"
#include "identification/identify/identify.hpp"
#include "models/hex.hpp"

#include <fmt/format.h>

#include <string>

namespace discern::cli {

inline Json json_of(const Shape& shape, const identify::Unsteady& answers) {
    const Format& d = format(shape.d);
    return {{"vector", json_of(shape, answers.vector)},
            {"answers", {to_hex(d, answers.first), to_hex(d, answers.second)}}};
}

inline std::string said_of(const Shape& shape, const identify::Unsteady& answers) {
    const Format& d = format(shape.d);
    return fmt::format("unexplained: the target is not a function: for one vector it gave {} and then {}\n  {}\n",
                       to_hex(d, answers.first), to_hex(d, answers.second), to_json(shape, answers.vector));
}

} // namespace discern::cli
