// SAT sweeping over a list of gates (Kuehlmann et al., "Robust Boolean reasoning for equivalence checking and
// functional property verification", 2002; Mishchenko et al., "FRAIGs", 2005): gates that agree on all vectors so far
// are proved equal one after the other, from the inputs up, each over those found equal before it; a vector on which
// two of them differ tells others apart as well.
//
// Here is what every sweep has in common: the order, which gates are compared, what a counterexample does, and when a
// gate is left alone. Who answers whether two gates are equal, and what becomes of one that is, is behind an interface:
// CaDiCaL, over gates that are made again in a normal form (solver/decide/sweep/gate_sweep.cpp), or a small solver that
// writes a proof (solver/certify/proof/one_sweep.cpp).
#pragma once

#include "vectors.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace discern::certificate {

/// Answers the questions of a sweep, and knows which gates were found equal.
class GateAnswers {
  public:
    GateAnswers() = default;
    GateAnswers(const GateAnswers&) = delete;
    GateAnswers& operator=(const GateAnswers&) = delete;
    virtual ~GateAnswers() = default;

    enum class Answer : std::uint8_t {
        same,
        different, ///< there is a solution on which they differ
        far,       ///< open, since only the gates near them were looked at: another one may be nearer
        open,
    };

    /// Takes a gate. What it reads was taken, and kept or merged, before.
    virtual void add(std::uint32_t gate) = 0;
    /// An earlier node that is the same gate over the same inputs, as what is known equal has it.
    virtual std::optional<std::uint32_t> twin(std::uint32_t gate) = 0;
    /// Whether a gate always has the value of an earlier literal, which then stands for it.
    virtual Answer merge(std::uint32_t gate, Literal earlier) = 0;
    /// The node is equal to no earlier one, as far as is known: later ones may be equal to it.
    virtual void keep(std::uint32_t node) = 0;
    /// After `different`: the value of an input, if it has one.
    virtual std::optional<bool> value_found(std::size_t input) = 0;
};

struct MergeOptions {
    std::size_t most_open = ~std::size_t{}; ///< after so many questions without an answer, none is asked any more
    bool asks_last = false; ///< after one without an answer, about the last gate that agrees, which is the nearest
    std::function<bool()> is_over; ///< whether the sweep is to end: it is settled, or there is no time
};

class GateMerger {
  public:
    /// @param signatures  of the gates' list; from now on only nodes that are kept here are found
    GateMerger(Signatures& signatures, SweepVectors& vectors, GateAnswers& answers, MergeOptions options)
        : signatures_(signatures), vectors_(vectors), answers_(answers), options_(std::move(options)) {
        signatures_.forget_entered();
        signatures_.add_gates();
    }

    /// The constant and the inputs, before all gates.
    void keep_inputs();
    /// A gate: an earlier one stands for it from now on, or later ones may be equal to it.
    /// @param compared  whether with all that agree on the vectors; else only with a gate of the same inputs
    void place(std::uint32_t gate, bool compared = true);

    struct Count {
        std::size_t merged = 0, refuted = 0, open = 0;
    };
    const Count& count() const { return count_; }

  private:
    bool merge(std::uint32_t gate, bool compared);
    void keep(std::uint32_t node);

    Signatures& signatures_;
    SweepVectors& vectors_;
    GateAnswers& answers_;
    MergeOptions options_;
    Count count_;
};

} // namespace discern::certificate
