// A unit and a design, or two designs, in one graph, over the same inputs, and the question whether their results can
// differ.
#pragma once

#include "unroll.hpp"

#include "encodings/graph/term_eval.hpp"
#include "solver/question/input_limits.hpp"

#include "models/flags.hpp"
#include "models/random.hpp"
#include "models/unit.hpp"
#include "models/vectors.hpp"

namespace discern::rtl {

/// A cut point: a net of the design that is claimed to equal a wire of the unit's datapath (cuts.hpp).
struct CutPoint {
    std::string text;
    std::vector<Net> bits; ///< lowest first
    std::string wire;
    std::optional<int> cycle; ///< after the operands; known once it was proved
    bool proved = false;
};

/// The status flags of a unit, which take the place of its d.
struct FlagsAsked {
    Unit unit;
    Tininess tininess = Tininess::after;
};

struct DesignQuestion {
    Unit unit; ///< if flags are asked about, any unit whose d has their width
    Design design;
    Connection connection;
    Reached reached; ///< of its registers, proved
    InputLimits limits;
    std::vector<CutPoint> cuts;
    std::string reader;           ///< the program that read it …
    bool by_cases = false;        ///< split into cases at once, and not only where the whole question has no answer
    bool cycles_found = false;    ///< the number of edges was not given
    std::string reader_name = {}; ///< … as --reader takes it
    ConnectionText text = {};     ///< how it is connected, for another reading of it
    /// The netlist of what a simulator does, with its connection, where it is not the same term.
    std::optional<Design> simulated = {};
    Connection connection_simulated = {};
    std::optional<FlagsAsked> flags = {};

    /// The unit whose numbers are multiplied and added.
    const Unit& operation() const { return flags ? flags->unit : unit; }
    /// What the design has to give: d, or the flags.
    std::uint64_t exactly(const Inputs& inputs) const {
        return flags ? flags_exactly(flags->unit, inputs, flags->tininess) : evaluate_exactly(unit, inputs);
    }
};

/// As what the unit is read. The two encodings share no code, and either is the unit: what is proved of one needs not
/// the other.
enum class Reading {
    term,      ///< that of encodings/, folded by all that ranges make equal
    reference, ///< the circuit of certificate/, the notation word for word: designs are often nearer to it
};

/// The unit's result as the reference circuit gives it.
Term reference_term(Terms& t, const Unit& unit, const InputTerms& inputs);

struct DesignCircuit {
    /// @param cuts    cut points; the wires of those that were proved replace their nets
    /// @param beside  a design of the same shape, which takes the place of the unit
    explicit DesignCircuit(const DesignQuestion& question, Reading reading = Reading::term,
                           const std::vector<CutPoint>& cuts = {}, const DesignQuestion* beside = nullptr);

    Terms terms;
    InputTerms inputs;
    DesignTerm first; ///< the unit, which leaves nothing open, or the design that takes its place
    DesignTerm design;
    std::vector<Term> wires;  ///< of the cuts
    Term assume, differ = {}; ///< 1 bit: the inputs are within the limits; … and the results differ

    std::vector<Term> variables() const;
    /// What either side leaves open.
    std::vector<Open> open() const;

  private:
    void cut(const Unit& unit, const std::vector<CutPoint>& cuts);
};

/// Values of variables that are open, by their names.
using OpenValues = std::map<std::string, std::uint64_t>;

/// The design's term on concrete inputs.
class DesignEvaluator {
  public:
    explicit DesignEvaluator(const DesignCircuit& circuit);

    /// d, with everything that is open drawn at random.
    std::uint64_t operator()(const Inputs& inputs, Random& random);
    /// The same of each of many, which takes a fourth of the time.
    std::vector<std::uint64_t> operator()(std::span<const Inputs> many, Random& random);
    /// On what open value d depends for these inputs; nullptr if on none that was found.
    /// @param found  values of open variables, by their names, from a circuit of the same question, that make another d
    const Open* depends_on(const Inputs& inputs, Random& random, const OpenValues& found = {});

  private:
    std::uint64_t run();
    /// The first open value that changes d on the way from some values to others.
    const Open* way(const OpenValues& from, const OpenValues& to);

    const DesignCircuit& circuit_;
    TermEvaluator evaluator_;
    std::optional<TermEvaluator> of_many_;
};

} // namespace discern::rtl
