// A proof that a miter's results are the same: gates of equal value are proved equal one after the other
// (solver/sweep/merger.hpp), by a solver that writes down how (prover.hpp).
//
// The reference circuit stays as it is: what is found is clauses that follow from its clauses. Where the two units' are
// too far apart for that, circuits between them lead from one to the other: their gates enter the proof as definitions,
// as far as they are not gates that are there already. Where they agree for different reasons in different cases, the
// cases are gone through: each sweep then assumes one, its clauses say so, and its last one is that the case does not
// occur.
#pragma once

#include "certificate/miter.hpp"
#include "solver/backend/limit.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace discern::certificate {

/// Circuits over a miter's inputs. They need not be right: what is not is of no use, and does no harm.
struct CircuitsBetween {
    std::size_t count = 0;
    std::function<Netlist(std::size_t)> circuit;
    /// By node of the first unit: whether it is a gate of a sum, which is what exchanges change. Empty: all are.
    std::vector<bool> of_sums = {};
    bool exchanges = true;  ///< each exchanges two terms: pairs of carries become gates (carries.hpp)
    bool from_last = false; ///< they lead from the last unit to the others, and not from the first one
};

/// A case, as a condition of a miter's inputs: what is different there is settled apart.
struct Case {
    Netlist circuit;
    Literal holds;
    CircuitsBetween between = {};
};

/// Gates that help to show what follows: some of a circuit, which are compared with each other.
struct Lemmas {
    Netlist circuit;
    Bits compared;
};

struct SweepOptions {
    int conflicts = 300;                    ///< a pair of gates is given up after these
    int tries = 200;                        ///< … and the results after so many times ten as many
    std::size_t most_open = ~std::size_t{}; ///< all is given up when so many pairs were
    std::uint64_t seed = 1;
    bool only_and_gates = false; ///< all results but the first one's are circuits of and-gates
    Limit limit;
    CircuitsBetween between;
    const Condition* condition = nullptr; ///< the formula has it as well: results may differ where it does not hold
    std::optional<Lemmas> lemmas{};       ///< before the units' gates
    /// Each is refuted apart, one after the other, and then what is left of all inputs. None needs to be of use.
    std::vector<Case> cases;
    /// For tests of the checker: gates (of the netlist, the later one first) that are taken for equal without a reason.
    std::function<bool(std::size_t, std::size_t)> believe{};
};

struct Swept {
    enum class Verdict { equivalent, different, open } verdict = Verdict::open;
    std::string proof;                 ///< equivalent: that the formula has no solution (certificate/proof.hpp)
    std::vector<std::uint64_t> inputs; ///< different: a bit for each input
    std::vector<std::size_t> apart;    ///< open: results that were not shown to be the first one's
    std::size_t merged = 0,
                steps = 0; ///< gates found equal to earlier ones; steps before those that are not needed left
};

/// @param vectors  inputs to simulate with, 64 in each word; a word for every input
Swept sweep(const Miter& miter, const std::vector<std::vector<std::uint64_t>>& vectors, const SweepOptions& options);

} // namespace discern::certificate
