// What stands for a unit: a product alone, as A100, where the other operand or the file says the formats and K; or a
// kernel in its own code, ptx:FILE, where that is a schedule.
#pragma once

#include "vector_file.hpp"

#include <span>
#include <string>
#include <vector>

namespace discern::cli {

/// The words, to be replaced.
std::vector<std::string*> each_word(std::vector<std::string>& words);

/// Replaces each ptx:FILE by the schedule that it is, and says so on io.err.
/// @param launches  how they are started, in order; FILE.launch.json of those that have none here
/// @throws Error if no schedule says it
void put_schedules(std::span<std::string* const> units, const std::vector<std::string>& launches, const Streams& io);

/// Units that have to have one shape: those that are products alone get that of the first that is not. If all are, they
/// stay, and resolving them is an error that lists their units.
void decide_products(std::span<std::string* const> units);

/// The same for the units that are to be compared with a file's vectors, where all of them are products alone: the
/// file's formats and K decide. @throws Error if the file is standard input, which can be read only once
void decide_products_by_file(std::span<std::string* const> units, const std::string& path, const DataOptions& options,
                             const Streams& io);

} // namespace discern::cli
