// Lets GoogleTest print units and trees in the notation.
#pragma once

#include "models/notation.hpp"

#include <ostream>

namespace discern {

inline void PrintTo(const Unit& unit, std::ostream* out) { *out << to_string(unit); }
inline void PrintTo(const Node& node, std::ostream* out) { *out << to_string(node); }

} // namespace discern
