// Whose the results are in a file that has several for each vector: the classes of a suite, or the units of a search.
#pragma once

#include "cli/files/vector_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace discern::cli {

/// The units of each result, in the order of the results; empty: the file does not say them.
std::vector<std::vector<std::string>> owners_of(const Header& header);

/// The index that --class means: a letter, or one of the units. @throws Error that names the classes
std::size_t require_class(const std::string& wanted, const std::vector<std::vector<std::string>>& owners);

/// The class with that unit; nothing if there is none.
std::optional<std::size_t> class_of(const std::string& unit, const std::vector<std::vector<std::string>>& owners);

/// Leaves that result alone of those that the vector has. @throws Error if it has no such one
void choose_result(const VectorFile& file, std::size_t index, Vector& vector);

} // namespace discern::cli
