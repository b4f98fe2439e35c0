// The second solver gets the same terms. If its answer contradicts the first one's, the question is written to a
// report.
#include "cross_check.hpp"

#include "solution.hpp"

#include "encodings/graph/smtlib.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace discern {

namespace {

// The portfolio's proofs are the preferred back-end's.
std::string_view answering(std::string_view solver) {
    return solver == "portfolio" && !backends().empty() ? std::string_view(backends().front().name) : solver;
}

} // namespace

BackendKind second_solver(std::string_view wanted, std::string_view answers) {
    const std::string_view first = answering(answers);
    if (wanted == "auto") {
        for (const BackendKind& kind : backends())
            if (kind.name != first) return kind;
        throw Error("--cross-check: this build has no second solver beside '" + std::string(first) +
                    "'; a program that reads SMT-LIB 2 can be named, such as --cross-check boolector");
    }
    if (wanted == first)
        throw Error(
            sentence("--cross-check: ", excerpt(wanted), " is the solver that answers; the second must be another"));
    return require_backend(wanted);
}

Confirmation::Confirmation(const CrossCheck* check, const Circuit& circuit, std::string first, std::uint64_t seed)
    : check_(check), circuit_(circuit), first_(std::move(first)), seed_(seed) {}

bool Confirmation::unsat(const Limit& limit, std::span<const Term> assumptions) {
    return agrees(Outcome::unsat, limit, assumptions);
}

bool Confirmation::sat(const Limit& limit) { return agrees(Outcome::sat, limit, {}); }

bool Confirmation::agrees(Outcome expected, const Limit& limit, std::span<const Term> assumptions) {
    if (check_ == nullptr) return true;
    std::vector<Term> all = conditions_;
    all.insert(all.end(), assumptions.begin(), assumptions.end());
    const auto second = check_->second.make(circuit_.terms, seed_);
    for (const Term condition : all) second->require(condition);
    const Outcome said = second->check(limit);
    if (said != expected && said != Outcome::unknown) contradicted(*second, said, expected, all);
    const bool agreed = said == expected;
    ++(agreed ? count_.confirmed : count_.unconfirmed);
    return agreed;
}

void Confirmation::contradicted(Backend& second, Outcome said, Outcome first_said, std::span<const Term> all) {
    std::string comment = "'" + first_ + "' says " + std::string(name(first_said)) + " to this, and '" +
                          check_->second.name + "' says " + std::string(name(said)) + ".\n";
    if (said == Outcome::sat) { // a solution can be evaluated, which shows which solver is wrong
        TermEvaluator evaluator(circuit_.terms, {all.begin(), all.end()});
        const Vector proposed = solution(second, circuit_.inputs);
        set_inputs(evaluator, circuit_.inputs, proposed.inputs());
        evaluator.run();
        bool holds = true;
        for (const Term condition : all) holds = holds && evaluator.low(condition) == 1;
        comment += "The values given by '" + check_->second.name + "' are " + (holds ? "a" : "no") + " solution.\n";
    }
    std::ostringstream script;
    write_smtlib(script, circuit_.terms, all, comment, true);
    const auto file =
        check_->reports / ("discern-report-" + std::to_string(std::hash<std::string>()(script.str())) + ".smt2");
    std::ofstream(file) << script.str();
    throw std::logic_error("the solvers '" + first_ + "' and '" + check_->second.name +
                           "' contradict each other; see the report " + file.string());
}

} // namespace discern
