// Evaluation of terms on concrete inputs, without any solver: holds the encoder and the models together in tests, and
// replays solvers' answers on the graph itself.
#pragma once

#include "term.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace discern {

/// Evaluates the given roots. Terms of at most 64 bits take one machine word and no allocation; wider ones are Bits.
/// The graph may grow afterwards, but not be destroyed.
class TermEvaluator {
  public:
    /// Inputs that one run may take at once: what a step costs besides its own operation is then paid once for all of
    /// them.
    static constexpr std::size_t most_lanes = 16;

    /// @param lanes  1 or most_lanes: for how many inputs a run computes the roots
    TermEvaluator(const Terms& terms, std::vector<Term> roots, std::size_t lanes = 1);

    /// Sets the variable for the runs to come; variables start as 0, and those the roots do not depend on are ignored.
    void set(Term variable, const Bits& value, std::size_t lane = 0);
    void set(Term variable, std::uint64_t value, std::size_t lane = 0);
    void run();
    /// The value that a root, or any term the roots are made of, had in the last run.
    Bits value(Term t, std::size_t lane = 0) const;
    /// Its least significant 64 bits.
    std::uint64_t low(Term t, std::size_t lane = 0) const;

  private:
    struct Step {
        Op op;
        bool narrow; ///< the result and all operands have at most 64 bits
        int width;
        int low;
        std::uint32_t first; ///< operands: operands_[first] …
        std::uint32_t count;
        std::array<std::uint32_t, 3> operand; ///< slots of the first three, once more
        std::uint64_t mask;                   ///< of the result's bits, if it is narrow
        std::size_t wide;                     ///< of a result of more than 64 bits: its first place in wide_
    };

    template <std::size_t lanes>
    void run_all();
    template <std::size_t lanes>
    void run_narrow(const Step& s, std::uint64_t* results) const;
    void run_wide(std::size_t at, std::size_t lane);
    std::size_t place(Term t, std::size_t lane) const; ///< of its value

    std::size_t lanes_;
    std::vector<Step> steps_;             ///< in topological order; its index is the slot of its value
    std::vector<std::uint32_t> computed_; ///< slots of the steps that are neither constants nor variables
    std::vector<std::uint32_t> operands_; ///< slots
    std::vector<std::int64_t> slot_of_;   ///< by term id; −1: not needed
    std::vector<std::uint64_t> words_;    ///< by slot, and then by lane: values of at most 64 bits
    std::vector<Bits> wide_;              ///< values of more than 64 bits, those of a step by lane
};

} // namespace discern
