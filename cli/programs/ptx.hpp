// Kernels that are read from their own code, `ptx:FILE` and `llir:FILE`, as arguments of commands.
#pragma once

#include "cli/base/command.hpp"
#include "programs/reading/reading.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace discern::cli {

inline constexpr std::string_view ptx_prefix = "ptx:", llir_prefix = "llir:";

/// Whether an argument is ptx:FILE or llir:FILE.
inline bool is_ptx(std::string_view text) { return text.starts_with(ptx_prefix) || text.starts_with(llir_prefix); }

/// Reads ptx:FILE, or llir:FILE with the assembly that lies beside it. @param launch  the file that says how it is
/// started; empty: FILE.launch.json, without .ptx, .llir or .ll before it @throws Error
programs::KernelReading read_ptx(const std::string& argument, const std::string& launch, programs::Terms& terms,
                                 const Streams& io);

/// `show ptx:FILE`. @return the exit status
int show_ptx(const std::string& argument, const std::string& launch, bool json, const Streams& io);

struct PtxProduct {
    std::string kernel, launch, out, round;
    std::vector<std::string> operands; ///< files, in the order of the launch; empty ones are none
    unsigned threads = 1;
    bool numbers = false;
};

/// `gemm ptx:FILE A B …`. @return the exit status
int gemm_ptx(const PtxProduct& options, const Streams& io);

struct PtxQuestion {
    std::array<std::string, 2> kernels; ///< of which one at least is ptx:FILE
    std::vector<std::string> launches;  ///< of the kernels that are read, in order
    std::string out;                    ///< a file for the vector
    std::uint64_t vectors = 10'000, seed = 1;
    double timeout = 60;
    bool json = false;
};

/// `same-bits` of kernels of which one at least is ptx:FILE. @return the exit status
int same_bits_of_ptx(const PtxQuestion& options, const Streams& io);

} // namespace discern::cli
