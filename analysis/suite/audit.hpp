// Which units a suite of vectors cannot distinguish.
//
// A suite sorts the units of a space into classes by the results it sees. A class of several units is harmless if they
// are equivalent, which is proved; otherwise the suite misses a difference, which a further vector shows.
#pragma once

#include "models/printed.hpp"
#include "models/space.hpp"
#include "models/vectors.hpp"
#include "solver/backend/limit.hpp"
#include "solver/question/ground.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace discern {

struct AuditOptions {
    std::string solver = "portfolio"; ///< as of DiscriminateOptions
    double timeout = 60;              ///< seconds for everything
    double timeout_each = 20;         ///< … and for one pair of units
    std::uint64_t seed = 0;
    std::stop_token stop;
    std::function<void(const std::string& what)> progress;
    const PrintedRanges* ranges = nullptr; ///< of c and d of the observations, where they are not known exactly
};

/// Units of a class that are equivalent: the same computation, or proved so. Indices into the members.
using EquivalentUnits = std::vector<std::size_t>;

/// A difference that the suite does not show, between the first units of two groups.
struct MissedDifference {
    std::size_t first, second; ///< members
    Vector witness;            ///< d holds both results
};

struct AuditClass {
    std::vector<EquivalentUnits> groups;
    std::vector<Ground> grounds;          ///< of each group: why its units are equivalent
    std::vector<MissedDifference> missed; ///< of the first group and each other that surely differs from it
    /// First units of groups of which neither a difference nor a proof was found in time.
    std::vector<std::pair<std::size_t, std::size_t>> open;
    std::size_t size() const;
};

struct AuditReport {
    std::vector<AuditClass> classes; ///< in the order of their first members
    /// If there are observations: how many of them each member contradicts.
    std::vector<std::size_t> contradictions;
    std::size_t missed() const;
    std::size_t open() const;
};

/// @param suite     inputs; if every one has a d, they are observations
/// @param nan_any   any NaN in the observations stands for any NaN
/// @throws Error if the members have different shapes
AuditReport audit(std::span<const Vector> suite, bool nan_any, std::span<const Member> members,
                  const AuditOptions& options);

/// The members that explain all observations although they differ from the unit that gave them: with each, a vector
/// that shows it. Members for which that is not settled in time are left out.
std::vector<std::pair<std::size_t, Vector>> misreadings(const AuditReport& report, const Unit& truth,
                                                        std::span<const Member> members, const AuditOptions& options);

} // namespace discern
