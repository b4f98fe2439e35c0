// The question "do members of these spaces differ?" as one term over shared inputs, and the report that is
// written when an answer turns out to be wrong.
#pragma once

#include "encodings/encode.hpp"
#include "replay.hpp"

#include <filesystem>

namespace discern {

/// Both sides in one graph, over the same variables.
struct Circuit {
    explicit Circuit(const SpaceQuestion& question, Terms::Order order = Terms::Order::canonical);
    explicit Circuit(const Question& question, Terms::Order order = Terms::Order::canonical);

    Terms terms;
    InputTerms inputs;
    ParameterTerms first, second;
    Term d1, d2;
    Term assume;  ///< 1 bit: the inputs are within the limits, and the parameters are those of members
    Term results; ///< 1 bit: the results differ
    Term differ;  ///< both

    /// All variables of inputs and parameters.
    std::vector<Term> variables() const;

  private:
    /// Whether the member of the second space gives what was observed.
    Term explains(const parametric::Structure& structure, const Vector& observed);
};

/// A vector is not trusted, whatever found it: it is run on both models of both units.
/// @param by  what found it, for messages
/// @throws std::logic_error if it does not hold; it names a report in `directory`: the question as SMT-LIB 2 with, in
/// comments, the units, the vector and what each model makes of it
Replay require_replay(const Question& question, const Vector& proposed, const std::string& by,
                      const std::filesystem::path& directory);

} // namespace discern
