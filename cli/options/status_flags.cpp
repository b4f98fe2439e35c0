#include "status_flags.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::cli {

void FlagOptions::add_to(CommandLine& line, std::string_view remark) {
    line.add_shared("--flags", wanted, remark);
    add_tininess(line, tininess);
}

void add_tininess(CommandLine& line, std::string& tininess) {
    line.add_shared("--tininess", tininess).one_of({"before", "after"});
}

std::function<StatusFlags(const Inputs&)> FlagOptions::model(const Kernel& kernel, std::string_view text) const {
    if (!wanted) return nullptr;
    if (has_schedule(text))
        throw Error(sentence("--flags: ", text, " is a kernel; flags are defined of a unit, without a schedule"));
    if (const DefinedFlags defined = defined_flags(kernel.unit); !defined.why_not.empty())
        throw Error(sentence("--flags: the flags of ", text, " are not defined: ", defined.why_not,
                             "; they are of multiply-adds, additions and products, such as x86/fma.f32"));
    return [unit = kernel.unit, when = *tininess_from_name(tininess)](const Inputs& inputs) {
        return flags_exactly(unit, inputs, when);
    };
}

std::string described(StatusFlags flags) { return sentence(flag_digits(flags), " (", names_of_flags(flags), ")"); }

} // namespace discern::cli
