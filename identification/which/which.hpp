// Which units give what was observed: the first thing that one wants to know of results, and known in a second.
//
// Nothing is proved here and no solver is asked: every unit is evaluated on every vector, and what contradicts an
// observation is out. That is complete for the units that are looked at, and says nothing of others.
#pragma once

#include "models/printed.hpp"
#include "models/space.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace discern {

/// Units to look among: those of the catalogue with the formats and scale blocks of the shape. Units whose own K is
/// another are taken at the shape's, `{K=8}`, where that is a unit, and come after the others: hardware that is fed
/// zeros beyond the first 8 products of 16 computes that, or something near.
std::vector<Member> units_of_shape(const Shape& shape);

/// An observation that a unit does not give.
struct Refutation {
    std::size_t observation; ///< its number, from 0
    std::uint64_t expected;  ///< what the unit gives
};

struct NearUnit {
    std::size_t unit; ///< a member
    std::size_t mismatches;
    std::vector<Refutation> first; ///< some of them, from the first on
};

struct WhichOptions {
    std::size_t near = 5;                  ///< units that are described when none fits
    std::size_t refutations = 3;           ///< of each
    const PrintedRanges* ranges = nullptr; ///< of c and d of the observations, where they are not known exactly
    std::stop_token stop = {};
};

struct WhichAnswer {
    /// Members that give all observations. Those of one class have the same arithmetic (arithmetic_hash), NaN aside if
    /// none was observed. Classes and their members in the order of the members.
    std::vector<std::vector<std::size_t>> consistent;
    /// When there are none: the members with the fewest mismatches, one of each arithmetic, nearest first.
    std::vector<NearUnit> near;
    bool complete = true; ///< false: it was stopped before all members were looked at; those are in neither list
};

/// @param observations  each with one d, or with an error instead, which counts for nothing
/// @param nan_any       any NaN that was observed stands for any NaN
/// @throws Error if a member has another shape than the observations need
WhichAnswer which(std::span<const Vector> observations, bool nan_any, std::span<const Member> members,
                  const WhichOptions& options);

/// Answers a batch of vectors, in order: d, or nothing where there is no answer.
using AskWhich = std::function<std::vector<std::optional<std::uint64_t>>(std::span<const Inputs>)>;

struct ObserveOptions {
    std::size_t most = 2000; ///< vectors
    double seconds = 0.5;    ///< of asking, and of choosing what to ask
    std::uint64_t seed = 0;
    std::stop_token stop = {};
};

/// Asks vectors that distinguish the members, as long as some are found, and then random ones of all families.
/// @return what was observed, with d or without where there was no answer
std::vector<Vector> observe(const Shape& shape, std::span<const Member> members, const AskWhich& ask,
                            const ObserveOptions& options);

} // namespace discern
