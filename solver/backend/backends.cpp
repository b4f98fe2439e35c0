// The table of back-ends.
#include "backend.hpp"
#include "makers.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/error.hpp"
#include "models/suggest.hpp"

#include <vector>

namespace discern {

std::string_view name(Outcome outcome) {
    static constexpr std::string_view names[] = {"sat", "unsat", "unknown"};
    return names[static_cast<std::size_t>(outcome)];
}

std::span<const BackendKind> backends() {
    static const std::vector<BackendKind> table = {
#ifdef DISCERN_HAVE_CADICAL
        {"sat", cadical_version(), make_cadical},
#endif
#ifdef DISCERN_HAVE_Z3
        {"z3", z3_version(), make_z3},
#endif
#ifdef DISCERN_HAVE_CVC5
        {"cvc5", cvc5_version(), make_cvc5},
#endif
    };
    return table;
}

std::unique_ptr<ClauseSolver> make_clause_solver(std::uint64_t seed, bool incremental) {
#ifdef DISCERN_HAVE_CADICAL
    return make_cadical_clauses(seed, incremental);
#else
    static_cast<void>(seed);
    static_cast<void>(incremental);
    return nullptr;
#endif
}

BackendKind require_backend(std::string_view wanted) {
    std::vector<std::string> names;
    std::string list;
    for (const BackendKind& kind : backends()) {
        if (kind.name == wanted) return kind;
        names.push_back(kind.name);
        list += (list.empty() ? "" : ", ") + names.back();
    }
    if (is_program(wanted)) {
        const std::string command(wanted);
        return {command, "a program that reads SMT-LIB 2",
                [command](const Terms& terms, std::uint64_t) { return make_smtlib(terms, command); }};
    }
    throw Error("there is no solver '" + std::string(wanted.substr(0, 40)) + "' in this build" +
                did_you_mean(wanted, names) + ", and no program of that name; it has " +
                (list.empty() ? "none" : list));
}

} // namespace discern
