#include "status_flags.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::cli {

void FlagOptions::add_to(CommandLine& line, std::string_view what) {
    line.add_flag("--flags", wanted,
                  sentence(what, " IEEE 754's status flags: 10 invalid, 04 overflow, 02 underflow, 01 inexact"));
    line.add_option("--tininess", tininess,
                    "with --flags, when a result is tiny: by its value before or after it is rounded (after)")
        .type_name("WHEN")
        .one_of({"before", "after"});
}

std::optional<FlagModel> FlagOptions::model(const Kernel& kernel, std::string_view text) const {
    if (!wanted) return std::nullopt;
    if (has_schedule(text))
        throw Error(sentence("--flags: ", text, " is a kernel; flags are defined of a unit, without a schedule"));
    if (const DefinedFlags defined = defined_flags(kernel.unit); !defined.why_not.empty())
        throw Error(sentence("--flags: the flags of ", text, " are not defined: ", defined.why_not,
                             "; they are of multiply-adds, additions and products, such as x86/fma.f32"));
    return FlagModel(kernel.unit, *tininess_from_name(tininess));
}

std::string described(StatusFlags flags) { return sentence(flag_digits(flags), " (", names_of_flags(flags), ")"); }

} // namespace discern::cli
