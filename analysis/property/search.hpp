// Vectors that violate a claim, looked for at random and made simple; and the replay of whatever is found.
#pragma once

#include "claim.hpp"

#include "solver/backend/limit.hpp"

#include <cstddef>
#include <optional>

namespace discern::property {

struct Witness {
    Vector x;
    std::optional<Vector> y; ///< the second vector, if the claim has one
    std::size_t claim = 0;   ///< of Claims::all
};

/// Whether the vectors violate one of the claims.
bool violates(const Claims& claims, const Models& models, const Witness& w);

/// Random vectors of all families and probes, for one claim after the other. The same seed gives the same vectors.
/// @param tries  fewer if the limit is reached
std::optional<Witness> search(const Claims& claims, const Models& models, std::uint64_t seed, std::uint64_t tries,
                              const Limit& limit);

/// The same violation with as little in the vectors as possible. A witness is not trusted, whatever found it: before
/// and after, it has to hold on the evaluator and on the exact oracle, which must agree.
/// @param by  what found it, for messages
/// @throws std::logic_error with units and vectors if it does not
Witness shrunk(const Claims& claims, const Models& models, Witness w, const std::string& by);

} // namespace discern::property
