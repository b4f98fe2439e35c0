// `identify --kernel`: which instruction in which schedule a target is.
#pragma once

#include "cli/files/target.hpp"

#include <cstdint>

namespace discern::cli {

struct KernelQuestion {
    TargetChoice choice;
    std::uint64_t seed = 1, validate = 100'000;
    bool finite = false, json = false;
};

/// Prints the answer. @return the exit status
int identify_kernel(const KernelQuestion& question, const Streams& io);

} // namespace discern::cli
