// --flags and --tininess: the status flags of IEEE 754 beside the results.
#pragma once

#include "cli/options/options.hpp"
#include "models/flags.hpp"
#include "models/kernel.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace discern::cli {

/// The flags of a unit whose flags are defined.
class FlagModel {
  public:
    FlagModel(Unit unit, Tininess tininess) : unit_(std::move(unit)), tininess_(tininess) {}
    StatusFlags operator()(const Inputs& inputs) const { return flags_exactly(unit_, inputs, tininess_); }

  private:
    Unit unit_;
    Tininess tininess_;
};

struct FlagOptions {
    bool wanted = false;
    std::string tininess = "after";

    /// @param remark  what is done with the flags
    void add_to(CommandLine& line, std::string_view remark);
    /// The model, if flags are wanted.
    /// @param text  the kernel as the user wrote it
    /// @throws Error if they are not defined
    std::optional<FlagModel> model(const Kernel& kernel, std::string_view text) const;
};

void add_tininess(CommandLine& line, std::string& tininess);

/// "03 (underflow, inexact)"
std::string described(StatusFlags flags);

} // namespace discern::cli
