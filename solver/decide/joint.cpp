// One copy of the inputs for each vector of the set; for each pair of units, some copy has to separate them.
#include "joint.hpp"

#include "solver/question/solution.hpp"

namespace discern {

JointAnswer separate_jointly(const JointQuestion& question, const BackendKind& kind, std::uint64_t seed,
                             const Limit& limit) {
    const std::vector<Unit>& units = question.units;
    Terms t;
    std::vector<InputTerms> inputs;
    std::vector<std::vector<Term>> results; // of each vector, d of each unit
    for (std::size_t v = 0; v < question.count; ++v) {
        inputs.push_back(input_variables(t, units.front(), v == 0 ? "" : "_" + std::to_string(v)));
        results.emplace_back();
        for (const Unit& unit : units) results.back().push_back(encode(t, unit, inputs.back()));
    }
    std::vector<Term> conditions;
    for (const InputTerms& one : inputs) conditions.push_back(allowed(t, question.limits, units.front(), one));
    for (std::size_t i = 0; i < units.size(); ++i)
        for (std::size_t j = i + 1; j < units.size(); ++j) {
            if (question.excused.contains({i, j})) continue;
            std::vector<Term> some; // the set separates the two
            for (const auto& d : results) some.push_back(results_differ(t, units[i], units[j], d[i], d[j]));
            conditions.push_back(t.any_of(some));
        }
    JointAnswer answer;
    const auto backend = kind.make(t, seed);
    for (const Term condition : conditions) backend->require(condition);
    answer.outcome = backend->check(limit);
    if (answer.outcome == Outcome::sat)
        for (const InputTerms& one : inputs) answer.vectors.push_back(solution(*backend, one));
    return answer;
}

} // namespace discern
