#include "proof.hpp"

#include "encodings/graph/gates.hpp"

namespace discern::rtl {

namespace {

/// Less than of a question: what writes a proof takes longer for a conflict, and has to make them again for each part.
constexpr SweepRound proof_round = {.conflicts = 500, .most_open = 30};
constexpr SweepRound last_round = {.conflicts = 30'000,
                                   .most_open = 1'000'000}; ///< of a case that is not split further

/// The condition of a case as gates over the operands.
certificate::Condition condition_of(const Unit& unit, const std::vector<Quantity>& quantities, const Case& one) {
    Terms terms(Terms::Order::as_written);
    const InputTerms inputs = input_variables(terms, unit);
    Blaster blaster(terms, Layout::chained);
    for (const Term operand : inputs.all()) blaster.bits(operand);
    certificate::Bits holds = blaster.bits(is_of(terms, unit, inputs, quantities, one));
    Netlist circuit = certificate::without_unused(blaster.netlist(), holds);
    return {std::move(circuit), holds.front()};
}

} // namespace

certificate::SplitProof split_proof(const Unit& unit, const Unit& shape, const InputLimits& limits,
                                    const CasesOptions& options) {
    if (!can_be_split(unit)) return {};
    using Verdict = certificate::Written::Verdict;
    return [unit, shape, limits, options, quantities = quantities_of(unit)](
               const std::function<Verdict(const certificate::ProofCase&)>& ask, const Limit& limit) {
        const auto ask_one = [&](const Case& one, std::optional<SweepRound> work) {
            Stream stream(shape, options.seed + 7);
            Steering steering(shape, quantities, one, options.seed + 9);
            const auto next = [&](InputBuffer& inputs) {
                inputs = stream.next();
                steering(inputs);
            };
            const SweepRound round = work ? proof_round : last_round;
            const Verdict verdict =
                ask({condition_of(shape, quantities, one), next, round.conflicts, round.most_open, !work});
            return verdict == Verdict::equivalent  ? Outcome::unsat
                   : verdict == Verdict::different ? Outcome::sat
                                                   : Outcome::unknown;
        };
        return split_into_cases(unit, limits, options, ask_one, limit).outcome == Outcome::unsat;
    };
}

} // namespace discern::rtl
