// What several sweeps of one proof share: the gates that define their cases, and conditions on the inputs.
#pragma once

#include "log.hpp"
#include "structure.hpp"

#include "certificate/miter.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace discern::certificate {

/// The inputs of a gate as a formula writes them; none is the constant.
std::vector<std::int32_t> inputs_in_formula(const Netlist::Node& gate);

class Given {
  public:
    struct Unit {
        Literal holds;
        ClauseId id; ///< of the clause that says so
    };
    std::vector<Unit> units;

    /// @param variables  of the formula; the gates' come after them
    explicit Given(std::size_t variables) : first_(variables + 1) {}

    /// Defines the gates of a circuit over the formula's inputs, as far as they are not there.
    /// @return the name that a literal of it has here
    Literal define(const Netlist& circuit, Literal literal, ProofLog& log);

    /// The same of a circuit whose gates the formula has after its other variables. @param first  clause of them
    Literal know(const Netlist& circuit, Literal literal, ClauseId first);

    const std::vector<Netlist::Node>& gates() const { return gates_; }
    /// A gate's variable, its clauses, and the number of the first of them.
    std::size_t variable(std::size_t gate) const { return first_ + gate; }
    Formula clauses(std::size_t gate) const;
    ClauseId first_clause(std::size_t gate) const { return ids_[gate]; }

    /// The gates that earlier sweeps defined, which come after these. No other sweep uses them, but they keep their
    /// variables: those of later definitions follow.
    std::vector<Netlist::Node> earlier;

    /// The vectors on which all units hold. @param inputs  a word for each; bit v is its value in vector v
    std::uint64_t vectors(std::span<const std::uint64_t> inputs) const;

    /// The variables on which the units depend.
    std::vector<std::uint32_t> cone() const;

  private:
    template <typename GateOf>
    Literal name_of(const Netlist& circuit, Literal literal, const GateOf& gate_of);
    Literal gate_of(const Netlist::Node& gate, ProofLog& log);
    Literal enter(const Netlist::Node& gate, ClauseId first);

    std::size_t first_;
    std::vector<Netlist::Node> gates_;
    std::vector<ClauseId> ids_;
    Structure structure_;
};

} // namespace discern::certificate
