// Units of different shapes in commands: how --d is read, and how it is said what was assumed.
#pragma once

#include "cli/base/json.hpp"
#include "cli/options/options.hpp"
#include "solver/decide/common.hpp"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace discern::cli {

/// Adds --d, of units whose results have different formats.
void add_result_format(CommandLine& line, std::string& d);

/// FORMAT:MODE of --d; nothing if it is empty. @throws Error
std::optional<Conversion> conversion_of(const std::string& text);

/// A line for each sentence.
void print_assumed(std::ostream& out, const std::vector<std::string>& assumed);

/// "assumed", if there are some, in what --json prints.
void put_assumed(Json& object, const std::vector<std::string>& assumed);

} // namespace discern::cli
