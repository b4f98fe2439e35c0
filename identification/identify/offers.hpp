// Which vectors to ask next: probes made around the remaining candidates, or recorded vectors, ordered by how much
// their answers are expected to tell. It depends on samples of the candidates only, not on the loop that asks.
//
// The measure is that of decision trees (Quinlan 1986): the expected information of the answer.
#pragma once

#include "candidates.hpp"
#include "models/stimulus/probes/probes.hpp"

#include "models/vectors.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace discern::identify {

enum class Aim : std::uint8_t {
    simple,    ///< features that few terms show in every structure
    structure, ///< the order of additions
    details    ///< everything else
};

/// A vector that could be asked.
struct Offer {
    Vector vector;
    std::string purpose;
    double score = 0; ///< expected information of the answer
};

inline constexpr std::size_t pool_size = 480; ///< probes to choose from

/// Vectors on which samples give other results than each other or, if there are likely units, than those; the best
/// first, which excludes the most samples.
/// @param likely  units with names that give all observations, one of which the target is taken for; empty: none
/// @param only    the only vectors that can be asked, if given
std::vector<Offer> offers(const Shape& shape, const std::vector<Sample>& samples, const std::vector<Sample>& likely,
                          Aim aim, const std::optional<std::vector<Vector>>& only, ProbeMaker& probes, Random& random);

/// The first of the offers that mixes few features: for all structures if there is such a one, else for the structure
/// whose turn it is, if one is given, else for most. @return its number
std::optional<std::size_t> first_clear(const std::vector<Offer>& offers, const Candidates& candidates,
                                       std::optional<std::size_t> focus, const Limit& limit);

/// Looks among probes made around a unit and around random members of what remains for one on which they differ.
/// @param limit   after it, no further member is looked at
/// @param wanted  whether a vector may be asked
std::optional<Offer> offer_between(const Shape& shape, const Unit& named, const Remaining& rest, ProbeMaker& probes,
                                   Random& random, const Limit& limit, const std::function<bool(const Offer&)>& wanted);

} // namespace discern::identify
