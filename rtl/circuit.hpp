// A unit and a design in one graph, over the same inputs, and the question whether their results can differ.
#pragma once

#include "unroll.hpp"

#include "encodings/graph/term_eval.hpp"
#include "solver/decide/input_limits.hpp"

#include "models/random.hpp"
#include "models/unit.hpp"
#include "models/vectors.hpp"

namespace discern::rtl {

struct DesignQuestion {
    Unit unit;
    Design design;
    Connection connection;
    InputLimits limits;
};

/// What stands beside the unit's term and the design's, for sweeping to find equal gates in. It decides nothing.
enum class Beside {
    nothing,
    plain, ///< the plain circuit of certificate/, the notation read literally: designs are often nearer to it
};

struct DesignCircuit {
    explicit DesignCircuit(const DesignQuestion& question, Beside beside = Beside::nothing);

    Terms terms;
    InputTerms inputs;
    Term d1; ///< the unit's
    std::optional<Term> beside;
    DesignTerm design;
    Term assume, differ; ///< 1 bit: the inputs are within the limits; … and the results differ

    std::vector<Term> variables() const;
};

/// The design's term on concrete inputs.
class DesignEvaluator {
  public:
    explicit DesignEvaluator(const DesignCircuit& circuit);

    /// d, with everything that is open drawn at random.
    std::uint64_t operator()(const Inputs& inputs, Random& random);
    /// On what open value d depends for these inputs; "" if on none that was found.
    std::string depends_on(const Inputs& inputs, Random& random);

  private:
    std::uint64_t run();

    const DesignCircuit& circuit_;
    TermEvaluator evaluator_;
};

} // namespace discern::rtl
