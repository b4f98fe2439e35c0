// Kernels in files, `ptx:FILE` or `llir:FILE` with its launch beside it, as arguments of commands and of other
// programs.
#pragma once

#include "reading.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace discern::programs {

inline constexpr std::string_view ptx_prefix = "ptx:", llir_prefix = "llir:";

/// Whether an argument is ptx:FILE or llir:FILE.
inline bool is_kernel_file(std::string_view text) {
    return text.starts_with(ptx_prefix) || text.starts_with(llir_prefix);
}

/// The files of an argument.
struct KernelFiles {
    std::string code, launch;
    std::string assembly{}; ///< what the compiler made of LLVM IR, if it lies beside it
    bool is_llir = false;
};

/// @param launch  the file that says how it is started; empty: FILE.launch.json, without .ptx, .llir or .ll before it
KernelFiles files_of(const std::string& argument, const std::string& launch);

/// @throws Error if a file cannot be read, or as read_kernel does
KernelReading read_kernel_file(const KernelFiles& files, Terms& terms);

/// The schedule that the kernel's one result is, in the notation. @throws Error if it has several, or no schedule says
/// it, or if its bits are not settled by the code
std::string schedule_in_file(const std::string& argument, const std::string& launch);

} // namespace discern::programs
