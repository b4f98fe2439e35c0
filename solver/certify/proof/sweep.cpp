#include "sweep.hpp"

#include "one_sweep.hpp"

namespace discern::certificate {

Swept sweep(const Miter& miter, const std::vector<std::vector<std::uint64_t>>& vectors, const SweepOptions& options) {
    const Formula formula = to_formula(miter);
    const Formula whole = options.condition != nullptr ? to_formula(miter, *options.condition) : formula;
    ProofLog log(whole);
    Given given(formula.variables);
    Swept result;
    ClauseId refuted = 0;
    const auto end_with = [&](std::size_t empty) { // a clause of the formula
        const auto last = static_cast<ClauseId>(empty);
        result.proof = log.text(log.add({}, std::span(&last, 1)));
        result.verdict = Swept::Verdict::equivalent;
        return result;
    };
    if (miter.different == yes) return result;
    if (miter.different == no) return end_with(formula.size());
    if (options.condition != nullptr) {
        if (options.condition->holds == no) return end_with(whole.size());
        const auto first = static_cast<ClauseId>(formula.size() + 1);
        const Literal holds = given.know(options.condition->circuit, options.condition->holds, first);
        if (holds != yes) given.units.push_back({holds, static_cast<ClauseId>(whole.size())});
    }
    std::vector<Literal> cases;
    for (const Case& one : options.cases) cases.push_back(given.define(one.circuit, one.holds, log));
    SweepOptions apart = options;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Literal holds = cases[i];
        if (holds <= yes) continue;
        apart.between = options.cases[i].between;
        given.units.push_back({holds, log.assume(in_formula(holds))});
        result = sweep_once(miter, formula, apart, given, log, vectors, refuted);
        if (result.verdict != Swept::Verdict::equivalent) return result;
        const bool conditional = log.is_conditional(refuted);
        log.drop_assumption();
        if (!conditional) break; // of all inputs, then
        given.units.back() = {invert(holds), refuted};
        refuted = 0;
    }
    if (refuted == 0) result = sweep_once(miter, formula, options, given, log, vectors, refuted);
    if (result.verdict == Swept::Verdict::equivalent) result.proof = log.text(refuted);
    return result;
}

} // namespace discern::certificate
