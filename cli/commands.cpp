// The list of commands, in the order in which the help has them. A new one is a line here; its record says the rest.
#include "cli/base/command.hpp"
#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#define DISCERN_COMMANDS(COMMAND)                                                                                      \
    COMMAND(units)                                                                                                     \
    COMMAND(show)                                                                                                      \
    COMMAND(eval)                                                                                                      \
    COMMAND(diff)                                                                                                      \
    COMMAND(import)                                                                                                    \
    COMMAND(generate)                                                                                                  \
    COMMAND(synth)                                                                                                     \
    COMMAND(prove)                                                                                                     \
    COMMAND(suite)                                                                                                     \
    COMMAND(store)                                                                                                     \
    COMMAND(smt2)                                                                                                      \
    COMMAND(targets)                                                                                                   \
    COMMAND(run)                                                                                                       \
    COMMAND(check)                                                                                                     \
    COMMAND(tell)                                                                                                      \
    COMMAND(which)                                                                                                     \
    COMMAND(identify)                                                                                                  \
    COMMAND(probe)                                                                                                     \
    COMMAND(audit)                                                                                                     \
    COMMAND(gemm)                                                                                                      \
    COMMAND(same_bits)                                                                                                 \
    COMMAND(explain)                                                                                                   \
    COMMAND(coverage)                                                                                                  \
    COMMAND(measure)                                                                                                   \
    COMMAND(property)                                                                                                  \
    COMMAND(compare)                                                                                                   \
    COMMAND(export)                                                                                                    \
    COMMAND(rtl)                                                                                                       \
    COMMAND(page)                                                                                                      \
    COMMAND(bug_report)

namespace discern::cli {

#define DISCERN_DECLARED(NAME) extern const Command NAME##_command;
DISCERN_COMMANDS(DISCERN_DECLARED)
#undef DISCERN_DECLARED

namespace {

#define DISCERN_LISTED(NAME) std::cref(NAME##_command),
constexpr std::reference_wrapper<const Command> all_commands[] = {DISCERN_COMMANDS(DISCERN_LISTED)};
#undef DISCERN_LISTED

const Command* named(std::string_view name) {
    for (const Command& command : all_commands)
        if (command.name == name || (!name.empty() && command.other_name == name)) return &command;
    return nullptr;
}

} // namespace

std::span<const std::reference_wrapper<const Command>> commands() { return all_commands; }

const Command* find_command(std::string_view name) {
    const Command* const found = named(name);
    return found != nullptr && found->run != nullptr ? found : nullptr;
}

const Command& require_command(const std::string& name, std::string_view whose) {
    if (const Command* const found = find_command(name)) return *found;
    if (named(name) != nullptr) throw Error("'discern " + name + "' is not part of this version");
    std::vector<std::string> names;
    for (const Command& command : all_commands) names.emplace_back(command.name);
    throw Error(sentence(whose, "there is no command ", excerpt(name), did_you_mean(name, names),
                         "; 'discern --help' lists the commands"));
}

} // namespace discern::cli
