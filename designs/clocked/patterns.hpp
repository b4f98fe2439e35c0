// Vectors that a design is asked about and swept with: random ones of all families, and probes of each feature.
#pragma once

#include "circuit.hpp"

#include "models/evaluate.hpp"
#include "models/random.hpp"
#include "models/stimulus/probes/probes.hpp"
#include "models/vectors/mixture.hpp"
#include "solver/decide/sweep/patterns.hpp"
#include "solver/question/solution.hpp"

namespace discern::rtl {

/// Random vectors, probes, and sums of which little is left, by turns.
class Stream {
  public:
    Stream(const Unit& unit, std::uint64_t seed)
        : unit_(unit), evaluate_(unit), mixture_(unit, seed), probes_(shape_of(unit), seed), random_(seed + 1) {}
    const InputBuffer& next();

  private:
    /// Two terms that cancel, and a third of any size: what is left lies anywhere below.
    void cancel();

    const Unit& unit_;
    Evaluator evaluate_;
    InputMixture mixture_;
    ProbeMaker probes_;
    Random random_;
    InputBuffer buffer_;
    std::size_t turn_ = 0;
};

/// The same as values of a circuit's variables, with everything that is open drawn at random.
class DesignPatterns {
  public:
    DesignPatterns(const DesignCircuit& circuit, const Unit& unit, std::uint64_t seed)
        : circuit_(circuit), open_(circuit.open()), stream_(unit, seed), random_(seed + 2) {}

    /// @param change  of the inputs, before they become values
    Valuation next(const std::function<void(InputBuffer&)>& change = {}) {
        InputBuffer inputs = stream_.next();
        if (change) change(inputs);
        Valuation values = valuation(circuit_.inputs, inputs);
        for (const Open& open : open_) values.emplace_back(open.variable, random_.bits());
        return values;
    }

  private:
    const DesignCircuit& circuit_;
    std::vector<Open> open_;
    Stream stream_;
    Random random_;
};

/// A solution: a vector on which unit and design differ, with what was open.
struct Found {
    Vector vector;
    OpenValues open;
};

/// Variables of one operation among several.
InputTerms numbered(Terms& t, const InputTerms& like, int number);

/// The solution that values of the variables are.
Found found_from(const DesignCircuit& circuit, const std::function<std::uint64_t(Term)>& value);

} // namespace discern::rtl
