// A term of a unit's inputs, evaluated without a solver.
#pragma once

#include "encodings/encode.hpp"

namespace discern::tests {

class TermCircuit {
  public:
    /// @param encode  the term, from the graph and the inputs' variables
    template <class Encode>
    TermCircuit(const Unit& unit, const Encode& encode)
        : inputs_(input_variables(terms_, unit)), term_(encode(terms_, inputs_)), evaluator_(terms_, {term_}) {}

    std::uint64_t operator()(const Inputs& inputs) {
        set_inputs(evaluator_, inputs_, inputs);
        evaluator_.run();
        return evaluator_.low(term_);
    }

  private:
    Terms terms_;
    InputTerms inputs_;
    Term term_;
    TermEvaluator evaluator_;
};

/// d of a unit.
inline TermCircuit circuit_of(const Unit& unit) {
    return {unit, [&](Terms& t, const InputTerms& inputs) { return encode(t, unit, inputs); }};
}

} // namespace discern::tests
