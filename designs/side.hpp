// A design as a side of a question: its netlist computes, and a simulator has to give the same.
//
// A design is read twice, by a reader and us, and by a simulator. What the netlist says is believed only where both
// say the same: on some vectors before anything is asked, on each vector that is shown, and, before "equivalent" is
// said, wherever the design does something of its own.
#pragma once

#include "designs/clocked/circuit.hpp"
#include "designs/clocked/simulate.hpp"

#include "solver/backend/limit.hpp"
#include "solver/decide/challenge.hpp"
#include "solver/question/question.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace discern::rtl {

/// A design that was read, and its files for programs that read it themselves.
struct ReadDesignOf {
    const DesignQuestion& question; ///< beside another design: of any unit of the shape
    const Sources& sources;
};

class DesignSide {
  public:
    /// @param read  what it refers to must outlive the object
    DesignSide(const ReadDesignOf& read, std::uint64_t seed, const Limit& limit);

    std::string name() const { return "module " + question().design.top; }
    const DesignQuestion& question() const { return read_.question; }
    const Sources& sources() const { return read_.sources; }

    /// d, with everything that is open drawn at random.
    std::uint64_t operator()(const Inputs& inputs) { return evaluate_(inputs, random_); }
    std::vector<std::uint64_t> operator()(std::span<const Inputs> many) { return evaluate_(many, random_); }
    /// As DesignEvaluator::depends_on.
    const Open* depends_on(const Inputs& inputs, const OpenValues& found = {}) {
        return evaluate_.depends_on(inputs, random_, found);
    }
    /// Whether d depends on what registers held before the operands came.
    bool depends_on_state() const { return circuit_.design.depends_on_state(); }

    /// By one simulator. @param one_run  as of simulate()
    std::optional<Simulated> simulated(const std::vector<Vector>& vectors, std::string& why_not,
                                       bool one_run = false) const;
    /// @return what was done, and what came of it. @throws Error if a simulator gives another d than the netlist
    Stage compared(const std::vector<Vector>& vectors, const std::string& on);
    /// The same with some vectors of all kinds.
    Stage compared();
    /// The same with vectors that take each condition of the design both ways; nothing if it has none.
    std::optional<Stage> compared_on_conditions(const Limit& limit);
    /// @param digits         d, by a simulator
    /// @param must_be_known  whether x is no result
    /// @throws Error if it is not what the netlist gives
    void require_same(const Vector& v, const std::string& by, const std::string& digits, bool must_be_known);

    /// For claims that vectors challenge. What is left open is drawn at random; a vector for which d depends on it
    /// refutes nothing, and where there is no simulator the netlist's d counts. The side must outlive it.
    Side claimed();

    /// A vector in words.
    std::string json(const Vector& v) const;

  private:
    ReadDesignOf read_;
    std::uint64_t seed_;
    const Limit& limit_;
    DesignCircuit circuit_;
    DesignEvaluator evaluate_;
    Random random_;
};

} // namespace discern::rtl
