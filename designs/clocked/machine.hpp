// A netlist as a machine: registers that hold words, and one edge of the clock after the other.
//
// What is not specified stays open: x in the source, values on the ports in other cycles, the first contents of
// registers. Each is a variable of its own, so a proof holds for all of its values.
#pragma once

#include "connection.hpp"

#include "encodings/encode.hpp"

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace discern::rtl {

/// A value that neither the operands nor the design say.
struct Open {
    enum class Kind { x, other_cycle, state } kind = Kind::x;
    Term variable;   ///< of at most 64 bits
    std::string why; ///< "register 'q' at f.sv:3 still counts with what it held before the operands"
};

class Machine {
  public:
    /// @param roots  nets that are going to be read; what does not reach them is left out
    /// @param prefix  of the names of variables; another one for each machine in one graph
    /// @throws Error if a root depends on a net without a driver, on a loop, on a register without clock
    Machine(Terms& t, const Design& design, const Connection& connection, const std::vector<Net>& roots,
            std::string prefix = "open");

    /// Indices among the design's cells.
    const std::vector<std::size_t>& registers() const { return registers_; }
    int width_of(std::size_t r) const { return static_cast<int>(design_.cells[r].pin("Q").size()); }
    /// "register 'q' at f.sv:3"
    std::string name_of_register(std::size_t r) const;

    Term state(std::size_t r) const { return state_.at(r); }
    void set_state(std::size_t r, Term value) { state_[r] = value; }
    /// Some of its bits, from `place` on.
    void set_bits(std::size_t r, int place, Term bits);
    /// Every register holds anything.
    void forget();
    /// A variable, in parts of 64 bits.
    Term any(int width, Open::Kind kind, const std::string& why);

    /// The values on the ports.
    struct Ports {
        bool reset = false;
        const InputTerms* operands = nullptr; ///< nullptr: anything
        std::optional<bool> valid = true;     ///< of a handshake, of operands; nothing: anything
        std::optional<bool> ready = true;     ///< … for results
    };
    /// Computes the values of all nets before the next edge.
    void evaluate(const Ports& ports);
    /// The edge, after evaluate().
    void edge();
    void step(const Ports& ports) {
        evaluate(ports);
        edge();
    }
    /// From arbitrary contents, holds the reset as long as a result takes, and one edge more. Without a reset, contents
    /// stay arbitrary.
    void reset();
    /// After evaluate(): nets as a word, the lowest bit first.
    Term word(const std::vector<Net>& bits);

    /// All open values so far.
    const std::vector<Open>& open() const { return open_; }

  private:
    void find_cone(const std::vector<Net>& roots);
    std::string name_of(const Cell& cell) const;
    void require_clock(const Cell& cell);
    void visit(Net root);
    void enter(Net bit, std::vector<std::pair<std::size_t, std::size_t>>& path);
    Term on_port(const Port& port, const Ports& ports);
    Term reset_value(const Cell& cell);
    Term now(const Cell& cell, Term state);

    Terms& t_;
    const Design& design_;
    const Connection& connection_;
    std::string prefix_;

    enum class Mark { fresh, open, done };
    std::unordered_map<std::size_t, Mark> marks_;
    std::unordered_map<std::size_t, std::vector<Net>> needs_;
    std::vector<std::size_t> order_, registers_;
    std::set<bool> edges_;

    std::unordered_map<std::size_t, Term> values_, state_;
    std::unordered_map<std::ptrdiff_t, Term> of_ports_;
    std::vector<Open> open_;
    const Cell* reading_ = nullptr; ///< whose inputs are being read
};

/// The nets of d, lowest first.
std::vector<Net> result_nets(const Design& design, const Connection& connection);
/// … and those of a state and a handshake, which are looked at as well.
std::vector<Net> observed_nets(const Design& design, const Connection& connection);

} // namespace discern::rtl
