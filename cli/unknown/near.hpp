// How far units that do not explain a target are from it: how often they fail, and in which way.
#pragma once

#include "models/shape.hpp"
#include "models/space.hpp"
#include "models/vectors.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern::cli {

/// Ways to fail: 0 with the other sign; a neighbour of what was observed; infinity or NaN on either side; all else.
inline constexpr std::array<std::string_view, 4> kinds_of_failure = {"zero sign", "one ulp", "special", "other"};

struct NearUnitOf {
    std::string name;
    std::size_t mismatches = 0, of = 0; ///< observations
    std::array<std::size_t, kinds_of_failure.size()> kinds{};
    std::vector<std::size_t> first; ///< some of the observations that it fails, from 0
};

/// The kind of failure, an index of the table: two patterns of d that differ.
std::size_t kind_of_failure(const Format& d, std::uint64_t given, std::uint64_t observed);

/// Each of the units against all observations, the nearest first. All NaN count as the same. Units that compute the
/// same are named once.
std::vector<NearUnitOf> nearest_first(std::span<const Member> units, std::span<const Vector> observations,
                                      std::size_t most);

/// As in interfaces: [{"unit":…,"mismatches":n,"of":n,"kinds":{"zero sign":n,…}}], without the brackets.
std::string near_json(std::span<const NearUnitOf> units);

/// "12 of 2000: one ulp 10, other 2"
std::string described(const NearUnitOf& unit);

} // namespace discern::cli
