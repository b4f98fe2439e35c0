// The whole question "what is it?", as `discern identify` asks it: of the units that have names and of all others.
//
// What has a name is tried first, since that takes a second, and once more at the end, with all that was observed. The
// loop between (identify.hpp) finds the unit whether it has a name or not.
#pragma once

#include "identify.hpp"

#include "identification/which/known_units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace discern::identify {

/// What a recording has of a target: nothing else can be asked.
struct Recording {
    std::vector<Vector> vectors; ///< with d, where the target had an answer
    bool nan_any = false;        ///< any NaN stands for any NaN
};

/// Names of units, by classes of the same arithmetic.
using NamedClasses = std::vector<std::vector<std::string>>;

struct Question {
    Shape shape;                     ///< of the target
    std::vector<std::string> spaces; ///< where to look, as --space has them; empty: the default space
    std::optional<Recording> recording;
    double timeout = 60;        ///< seconds for all of it
    bool timeout_is_own = true; ///< false: a recording that a unit with a name explains gets less
    /// How. Without `timeout`, `validate_seconds` at most, `only`, and `known`, which follow from the question.
    Options options = {};
    /// Called before the loop, with the units that have names and give what was observed so far.
    std::function<void(const NamedClasses&)> first = {};
};

/// A unit that has a name, and does not give all that was observed.
struct NearNamed {
    std::string text;                                         ///< as every command takes it
    std::size_t mismatches = 0, of = 0;                       ///< observations
    std::array<std::size_t, difference_names.size()> kinds{}; ///< in the order of Difference
};

struct Identified {
    Result result;
    KnownUnits known;            ///< the units that have names
    NamedClasses consistent;     ///< of these, those that give all that was observed
    std::vector<NearNamed> near; ///< of these, where the target is unexplained: the nearest first
};

/// @param ask  answers vectors of the shape; of a recording, those that are in it
/// @throws Error if a space is none, or has units of another shape, or none; or if the target fails
Identified identify(Question question, const Ask& ask);

} // namespace discern::identify
