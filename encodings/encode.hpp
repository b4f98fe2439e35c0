// From a space to a term: d as a function of the input patterns and of the parameters. A unit is a space without
// choices.
//
// The encoder reads the same tree as the evaluators and shares no arithmetic with them. Both sides of a question are
// encoded over the same input variables in the same graph, so decoding, products and whatever else they have in common
// are the same nodes; and what the ranges of their numbers make equal is one node too (number.hpp).
#pragma once

#include "encodings/graph/term.hpp"
#include "encodings/graph/term_eval.hpp"
#include "models/evaluate.hpp"
#include "models/parametric/structure.hpp"
#include "models/unit.hpp"
#include "parameters.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace discern {

/// The inputs of one dot product as terms: K patterns of a and of b, Unit::scales() of each scale, and c if there is
/// one.
struct InputTerms {
    std::vector<Term> a, b, sa, sb;
    std::optional<Term> c;

    /// Those of a first, c last.
    std::vector<Term> all() const;
};

/// visit(term, pattern) for every term and its pattern of `inputs`, Inputs or an InputBuffer, in the order of
/// InputTerms::all(). Both may be changed. @throws std::logic_error unless there are as many patterns as terms.
template <typename Of, typename Patterns, typename Visit>
void for_each_input(Of& terms, Patterns&& inputs, const Visit& visit) {
    const auto row = [&](auto& of, auto& patterns) {
        if (of.size() != patterns.size()) throw std::logic_error("set_inputs: wrong number of patterns");
        for (std::size_t i = 0; i < of.size(); ++i) visit(of[i], patterns[i]);
    };
    row(terms.a, inputs.a);
    row(terms.b, inputs.b);
    row(terms.sa, inputs.sa);
    row(terms.sb, inputs.sb);
    if (terms.c) visit(*terms.c, inputs.c);
}

/// Variables a0, b0, sa0, sb0, …, c of the widths that the unit's formats have.
/// @param suffix  of their names
InputTerms input_variables(Terms& t, const Unit& unit, const std::string& suffix = "");

/// Sets the variables of `terms` to these inputs.
void set_inputs(TermEvaluator& evaluator, const InputTerms& terms, const Inputs& inputs, std::size_t lane = 0);

/// Constants of these inputs in place of variables.
InputTerms constant_inputs(Terms& t, const InputTerms& variables, const Inputs& inputs);

/// d as a bit pattern of the unit's d format. The unit must be valid (validate()).
Term encode(Terms& t, const Unit& unit, const InputTerms& inputs);

/// d of the member that the parameters name; every one must be valid.
Term encode(Terms& t, const parametric::Structure& space, const ParameterTerms& parameters, const InputTerms& inputs);

/// Whether a pattern is a NaN of the format.
Term is_nan(Terms& t, const Format& format, Term pattern);

/// Whether the two results of one vector differ for these units: other bits, unless both are NaN and one unit says
/// that its NaN compare equal to all.
Term results_differ(Terms& t, const Unit& first, const Unit& second, Term d1, Term d2);

} // namespace discern
