// --flags and --tininess: the status flags of IEEE 754 beside the results.
#pragma once

#include "cli/options/options.hpp"
#include "models/flags.hpp"
#include "models/kernel.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace discern::cli {

struct FlagOptions {
    bool wanted = false;
    std::string tininess = "after";

    /// @param remark  what is done with the flags
    void add_to(CommandLine& line, std::string_view remark);
    /// The flags that the unit raises; no function if they are not wanted.
    /// @param text  the kernel as the user wrote it
    /// @throws Error if they are not defined
    std::function<StatusFlags(const Inputs&)> model(const Kernel& kernel, std::string_view text) const;
};

void add_tininess(CommandLine& line, std::string& tininess);

/// "03 (underflow, inexact)"
std::string described(StatusFlags flags);

} // namespace discern::cli
