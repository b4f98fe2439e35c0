// One claim and the solvers: is there an input that violates it, or is there none?
#pragma once

#include "basis.hpp"
#include "search.hpp"

#include "solver/backend/backend.hpp"

#include <optional>
#include <string>

namespace discern::property {

struct Proving {
    std::uint64_t seed = 0;
    /// A second solver, without which no unsat is believed; nullptr: none.
    const BackendKind* second = nullptr;
};

struct Proved {
    Outcome outcome = Outcome::unknown; ///< unsat: the claim is proved
    std::optional<Witness> witness;     ///< of sat, not replayed; its claim is 0
    std::string by;
    Ground ground; ///< if it is proved: terms, or a solver
};

/// The terms first: what folds is proved. Then sums that are each other's, or each other's negative, are made one
/// (lemmas.hpp), and a SAT solver and a sweep over gates are asked side by side.
Proved prove(const Unit& unit, const Claim& claim, const Proving& how, const Limit& limit);

} // namespace discern::property
