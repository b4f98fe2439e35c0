// A design with a handshake as gates, one edge of its clock after the other, 64 runs at once: fast enough for millions
// of operations with stalls between them.
//
// What the design leaves open is drawn at random, for each run by itself. Two runs with the same values on the ports
// that part are a design whose outputs are not defined.
#pragma once

#include "designs/clocked/circuit.hpp"

#include "encodings/graph/gates.hpp"

#include "models/families.hpp"
#include "models/random.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace discern::rtl {

using Lanes = std::uint64_t; ///< a bit of each run

/// Runs side by side, if each is there a second time, so many places above, with other values of what is open.
inline constexpr std::size_t pairs = 32;
constexpr Lanes both(Lanes lanes) { return (lanes & ((Lanes{1} << pairs) - 1)) | (lanes << pairs); }

/// The values of all gates, from those of the inputs.
void compute(const Netlist& netlist, std::vector<std::uint64_t>& values);

class Stepper {
  public:
    Stepper(const DesignQuestion& question, std::uint64_t seed);

    /// All runs begin: registers are as the reset leaves them.
    void reset();

    /// What is on the ports until it is changed.
    void set_operands(Lanes lanes, const Inputs& inputs);
    void set_offers(Lanes valid, Lanes ready);

    /// Computes the outputs before an edge …
    void evaluate();
    Lanes ready_in() const { return lanes_of(ready_in_); }
    Lanes valid_out() const { return lanes_of(valid_out_); }
    std::uint64_t d(std::size_t lane) const;
    /// In which of the pairs the two d differ.
    Lanes d_differs() const;
    /// … and takes the edge.
    void edge();

    /// The words of operands, as a record of what was on the ports, and the vector of a lane in such a record.
    std::vector<Lanes> operands() const;
    Vector vector_of(std::span<const Lanes> operands, std::size_t lane) const;

  private:
    using Word = std::vector<Literal>;

    Lanes lanes_of(Literal x) const { return certificate::value_of(values_, x); }
    void set(Literal input, Lanes value) { values_[certificate::node_of(input)] = value; }
    Unit unit_;
    Random random_;
    Terms terms_;
    Blaster after_reset_{terms_}, blaster_{terms_};
    std::vector<Word> first_, now_, next_; ///< of each register
    std::vector<Word> operands_;           ///< in the order of Inputs
    Word open_of_reset_, open_, d_;
    Literal valid_ = 0, ready_ = 0, ready_in_ = 0, valid_out_ = 0;
    bool has_ready_ = false;
    std::vector<std::uint64_t> values_; ///< by node
};

} // namespace discern::rtl
