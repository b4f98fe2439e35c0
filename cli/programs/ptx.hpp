// Kernels that are read from their own code, `ptx:FILE`, as arguments of commands.
#pragma once

#include "cli/files/files.hpp"
#include "programs/reading/file.hpp"

#include <array>
#include <string>
#include <vector>

namespace discern::cli {

/// Reads ptx:FILE. @param launch  the file that says how it is started; empty: FILE.launch.json, without .ptx before it
/// @throws Error
inline programs::KernelReading read_ptx(const std::string& argument, const std::string& launch, programs::Terms& terms,
                                        const Streams& io) {
    const programs::KernelFiles files = programs::files_of(argument, launch);
    note_input(files.code, io);
    note_input(files.launch, io);
    return programs::read_kernel_file(files, terms);
}

/// `show ptx:FILE`. @return the exit status
int show_ptx(const std::string& argument, const std::string& launch, bool json, const Streams& io);

struct PtxProduct {
    std::string unit, launch, out, round = "rne"; ///< the unit is ptx:FILE
    unsigned threads = 1;
    bool numbers = false;
};

/// `gemm ptx:FILE A B …`. @return the exit status
/// @param operands  files, in the order of the launch; empty ones are none
int gemm_ptx(const PtxProduct& options, std::vector<std::string> operands, const Streams& io);

struct PtxExplanation {
    std::vector<std::string> kernels, launches; ///< each ptx:FILE
    std::string vector, out;                    ///< files
    bool json = false;
};

/// Whether a file has a vector that `same-bits` of such kernels has written.
bool is_kernel_vector(const std::string& path);

/// `explain ptx:FILE [ptx:FILE] VECTOR`. @return the exit status
int explain_ptx(const PtxExplanation& options, const Streams& io);

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
