// A launch of a kernel in LLVM IR for AMDGPU, run: the same graph as of a kernel in PTX.
#pragma once

#include "programs/launch/run.hpp"

#include <string>

namespace discern::programs::amd {

/// @param llir  the text of the file @param file  its name, for errors
/// @param assembly  what the compiler made of it, which says what is fused; empty: it is not known
/// @param assembly_file  its name @throws Error with file, line and instruction
RunKernel run_llir(std::string llir, const std::string& file, Launch launch, std::string_view assembly,
                   const std::string& assembly_file);

} // namespace discern::programs::amd
