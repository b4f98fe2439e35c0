// Overrides in braces: `{F=24,zero=-126,floor=none}` makes a variant of a unit.
//
// Every key is a transformation of the unit's tree, so that overrides work on units of the catalogue as they do on
// units written out in the notation. Which nodes a key means is decided by the tree's shape (tree_shape.hpp), never by
// a unit's name.
#pragma once

#include "unit.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern {

struct OverrideKey {
    std::string_view key;
    std::string_view values; ///< what may stand behind '=', for help texts and errors
    std::string_view meaning;
};

/// All keys, in the order in which they are applied (whatever the order of writing).
std::span<const OverrideKey> override_keys();

/// The settings inside of the braces, in the order of writing; checks form, keys and repetitions, not values.
std::vector<std::pair<std::string_view, std::string_view>> parse_overrides(std::string_view braces);

/// The unit with the overrides applied, validated.
/// @param braces  "{key=value,…}", or empty
/// @throws Error that names the key, what is wrong with its value for this unit, and what would be right.
Unit with_overrides(const Unit& unit, std::string_view braces);

/// The keys that mean something for this unit's tree, with their values as an override would give them ("24", "rne",
/// "none").
std::vector<std::pair<std::string_view, std::string>> parameters(const Unit& unit);

} // namespace discern
