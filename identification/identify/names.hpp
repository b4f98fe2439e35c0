// The catalogue's names of the unit that was found, and the units that are equivalent to it. The target is not asked
// for this.
#pragma once

#include "candidates.hpp"
#include "identify.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace discern::identify {

struct NamedUnit {
    std::string name;
    Unit unit;
    Ground ground = {}; ///< of the equivalence
};

/// All of that shape: the catalogue's units, and those of options.known.
std::vector<NamedUnit> units_with_names(const Shape& shape, const Options& options);

/// The catalogue's units, and those of options.known, that explain all observations and are proved to be the same unit.
/// @param options     also the seed and the token that stops proofs are used
/// @param limit       of the proofs, each of which has a second at least
std::vector<NamedUnit> catalogue_names(const Unit& found, std::span<const Observation> observations,
                                       const Options& options, const Limit& limit);

/// All members that remain, as units; nothing if there are more than can be listed (512).
std::optional<std::vector<Unit>> members_of(const Remaining& rest);

} // namespace discern::identify
