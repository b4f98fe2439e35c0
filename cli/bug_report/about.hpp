// The part of a bug report about the program and the machine on which it runs.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace discern::cli {

/// Rows of a table: what, and its value. No name of the machine is among them.
std::vector<std::pair<std::string, std::string>> about_program_and_machine();

} // namespace discern::cli
