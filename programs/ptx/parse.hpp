// Reading PTX (ISA 7.0 to 9.x), as nvcc, Triton and clang write it.
#pragma once

#include "program.hpp"

#include <memory>

namespace discern::programs {

/// @param entry  its name; empty: the file must have one only
/// @throws Error with the file and the line of what is not read
std::unique_ptr<const Program> parse_ptx(std::string text, std::string file, std::string_view entry);

} // namespace discern::programs
