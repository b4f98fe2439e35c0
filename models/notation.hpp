// The one-line notation of whole units: reading and printing. The grammar is in docs/notation.md.
#pragma once

#include "unit.hpp"

#include <string>
#include <string_view>

namespace discern {

/// Reads a whole-unit line; overrides in braces may follow the tree. The result is validated.
/// @throws Error with the column, what was found there and what was expected.
Unit parse_unit(std::string_view text);

/// Whether the text looks like a whole-unit line and not like a catalogue name: it has a colon or an arrow outside of
/// braces.
bool is_notation(std::string_view text);

/// Prints the line that reads back as the same unit.
std::string to_string(const Unit& unit);

/// Prints a tree, or part of one.
std::string to_string(const Node& node);

/// The text that arithmetic_hash() hashes: expanded, sorted where order does not matter, every alignment spelled out.
std::string canonical_text(const Unit& unit);

} // namespace discern
