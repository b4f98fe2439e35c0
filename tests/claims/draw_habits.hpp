// What several parameters of a unit together have to be for a rule of the encoder to hold, or hardly not to hold. Drawn
// one by one they would seldom meet.
#pragma once

#include "draw.hpp"

#include <vector>

namespace discern::claims {

/// Changes a unit into one that has the habit, or leaves it.
using Habit = void (*)(Random& random, Unit& unit, const Size& size);
const std::vector<Habit>& habits();

/// A format that holds the exact sum of all products, or is a digit or two short of that: there rounding begins.
/// Nothing if there is no such format. @param unit  without d
std::optional<FormatId> format_of_sums(Random& random, const Unit& unit);

/// A parameter's value in one part, or in all parts of the kind; as before if that makes no unit.
bool set_one(Random& random, Unit& unit, const parametric::Parameter& p, bool next_to_it);

} // namespace discern::claims
