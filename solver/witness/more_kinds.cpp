// Asks the solver again under conditions that exclude all known kinds.
#include "more_kinds.hpp"

#include "kind_conditions.hpp"
#include "solver/question/solution.hpp"

namespace discern {

namespace {

// Consecutive solutions of a known kind that differ only in the elements at which its terms stand.
constexpr int fruitless_solutions = 24;

} // namespace

void find_more_kinds(WitnessSet& witnesses, Circuit& circuit, const Unit& unit, const BackendKind& kind,
                     std::uint64_t seed, const Limit& limit) {
    KindConditions conditions(circuit, unit);
    Terms& t = circuit.terms;
    const auto backend = kind.make(t, seed);
    backend->require(circuit.differ);

    std::vector<Term> others; // not these: assumptions, since the second part does not have the first one's
    const auto next = [&](bool new_profile) {
        if (backend->check(limit, others) != Outcome::sat) return std::optional<Vector>();
        std::optional<Vector> found = solution(*backend, circuit.inputs);
        if (!new_profile) others.push_back(t.bvnot(conditions.like(found->inputs())));
        return found;
    };

    while (!witnesses.enough()) {
        others.clear();
        for (const Profile& profile : witnesses.profiles()) others.push_back(t.bvnot(conditions.is(profile)));
        std::optional<Vector> found = next(true);
        if (!found || !witnesses.take(std::move(*found), kind.name, true)) break;
    }
    others.clear();
    for (const Vector& v : witnesses.witnesses()) others.push_back(t.bvnot(conditions.like(v.inputs())));
    for (int in_vain = 0; !witnesses.enough() && in_vain < fruitless_solutions;) {
        std::optional<Vector> found = next(false);
        if (!found) break;
        if (witnesses.take(std::move(*found), kind.name, false)) {
            others.push_back(t.bvnot(conditions.like(witnesses.witnesses().back().inputs())));
            in_vain = 0;
        } else {
            ++in_vain;
        }
    }
}

} // namespace discern
