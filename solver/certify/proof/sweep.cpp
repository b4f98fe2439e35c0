#include "sweep.hpp"

#include "one_sweep.hpp"

namespace discern::certificate {

Swept sweep(const Miter& miter, const std::vector<std::vector<std::uint64_t>>& vectors, const SweepOptions& options) {
    const Formula formula = to_formula(miter);
    ProofLog log(formula);
    Given given(formula.variables);
    Swept result;
    ClauseId refuted = 0;
    if (miter.different <= yes) { // the formula's last clause is empty, or there is none
        if (miter.different == yes) return result;
        const auto last = static_cast<ClauseId>(formula.size());
        result.proof = log.text(log.add({}, std::span(&last, 1)));
        result.verdict = Swept::Verdict::equivalent;
        return result;
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
