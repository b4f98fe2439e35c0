// The term of a space with its parameters set to those of a member, as a function.
#pragma once

#include "encodings/encode.hpp"
#include "encodings/graph/term_eval.hpp"
#include "encodings/parameters.hpp"

#include "models/parametric/family.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace discern::tests {

using Members = parametric::Family; // and not a family of vectors

/// The parameters of a space whose members are those of a family.
inline std::unique_ptr<ParameterTerms> parameters_of(Terms& terms, const Members& family) {
    std::vector<parametric::Box> boxes;
    for (const parametric::Assignment& member : family.members) {
        boxes.emplace_back();
        for (const std::size_t value : member) boxes.back().sets.push_back(parametric::ValueSet::single(value));
    }
    parametric::merge(boxes);
    return std::make_unique<ParameterTerms>(terms, family.structure, boxes, "x");
}

/// Sets them to those of a member.
inline void set_member(TermEvaluator& evaluator, const ParameterTerms& parameters,
                       const parametric::Assignment& member) {
    const auto variables = parameters.variables();
    for (std::size_t slot = 0; slot < variables.size(); ++slot)
        if (variables[slot]) evaluator.set(*variables[slot], member[slot]);
}

/// The term of units of one skeleton, as a function of which of them it is.
class SpaceCircuit {
  public:
    explicit SpaceCircuit(const Members& family) : family_(family) {
        parameters_ = parameters_of(terms_, family);
        inputs_ = input_variables(terms_, family.structure.frame);
        d_ = encode(terms_, family.structure, *parameters_, inputs_);
        evaluator_ = std::make_unique<TermEvaluator>(terms_, std::vector{d_, parameters_->is_member()});
    }

    /// d of a member; nothing if the parameters are not thought to be those of one.
    std::optional<std::uint64_t> operator()(std::size_t member, const Inputs& inputs) {
        set_member(*evaluator_, *parameters_, family_.members[member]);
        set_inputs(*evaluator_, inputs_, inputs);
        evaluator_->run();
        if (evaluator_->low(parameters_->is_member()) != 1) return std::nullopt;
        return evaluator_->low(d_);
    }

    /// The same of a term in which the inputs are constants.
    std::uint64_t of_constants(std::size_t member, const Inputs& inputs) {
        const Term d = encode(terms_, family_.structure, *parameters_, constant_inputs(terms_, inputs_, inputs));
        TermEvaluator evaluator(terms_, {d});
        set_member(evaluator, *parameters_, family_.members[member]);
        evaluator.run();
        return evaluator.low(d);
    }

  private:
    const Members& family_;
    Terms terms_;
    std::unique_ptr<ParameterTerms> parameters_;
    InputTerms inputs_;
    Term d_;
    std::unique_ptr<TermEvaluator> evaluator_;
};

} // namespace discern::tests
