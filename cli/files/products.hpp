// Units that are named by a product alone: A100, where the other operand or the file says the formats and K.
#pragma once

#include "vector_file.hpp"

#include <span>
#include <string>

namespace discern::cli {

/// Units that have to have one shape: those that are products alone get that of the first that is not. If all are, they
/// stay, and resolving them is an error that lists their units.
void decide_products(std::span<std::string* const> units);

/// The same for the units that are to be compared with a file's vectors, where all of them are products alone: the
/// file's formats and K decide. @throws Error if the file is standard input, which can be read only once
void decide_products_by_file(std::span<std::string* const> units, const std::string& path, const DataOptions& options,
                             const Streams& io);

} // namespace discern::cli
