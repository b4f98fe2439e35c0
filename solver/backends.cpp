// The table of back-ends.
#include "backend.hpp"
#include "makers.hpp"

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
    };
    return table;
}

const BackendKind& require_backend(std::string_view wanted) {
    std::vector<std::string> names;
    std::string list;
    for (const BackendKind& kind : backends()) {
        if (kind.name == wanted) return kind;
        names.emplace_back(kind.name);
        list += (list.empty() ? "" : ", ") + names.back();
    }
    throw Error("there is no solver '" + std::string(wanted.substr(0, 40)) + "' in this build" +
                did_you_mean(wanted, names) + "; it has " + (list.empty() ? "none" : list));
}

} // namespace discern
