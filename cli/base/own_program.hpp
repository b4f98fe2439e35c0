// The other programs of discern, as they lie beside the one that runs.
#pragma once

#include <filesystem>
#include <string_view>

namespace discern::cli {

/// The file in which this code is: the program, or a library that another program has loaded.
std::filesystem::path own_file();

/// The program of that name beside own_file(), or in one of the two folders above it, as in a build.
/// @return an empty path: there is none
std::filesystem::path program_beside_us(std::string_view name);

} // namespace discern::cli
