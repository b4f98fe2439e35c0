// Identification of an unknown unit: vectors that distinguish the possible units are computed by the target, until one
// class of equivalent units is left.
//
// The loop is the version-space method of machine learning (Mitchell 1982) with membership queries. Candidates that no
// vector of the pool distinguishes are proved equivalent by a solver, or distinguished by its witness.
#pragma once

#include "candidates.hpp"

#include "models/shape.hpp"
#include "models/vectors.hpp"
#include "solver/question/ground.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern::identify {

/// Runs vectors on the target. Nothing: it could not answer that one. @throws Error if the target fails
using Ask = std::function<std::vector<std::optional<std::uint64_t>>(std::span<const Inputs>)>;

struct Options {
    std::uint64_t seed = 1;
    double timeout = 60;                     ///< seconds for choosing vectors and for proofs
    bool list_same = false;                  ///< Result::same is wanted
    std::uint64_t validate = 1'000'000;      ///< random vectors at the end, at most
    double validate_seconds = 20;            ///< and at most as long
    std::optional<std::vector<Vector>> only; ///< the only vectors that can be asked
    /// Units by their names, besides those of the catalogue: the names of units that are equivalent to the one found
    /// are reported.
    std::vector<std::pair<std::string, Unit>> known;
    bool finite = false; ///< only inputs without infinity and NaN; the answer says nothing about others
    unsigned threads =
        1; ///< that filter candidates and predict results; the outcome is the same unless a limit of time is reached
    std::stop_token stop;
    std::function<void(const std::string& stage)> progress;
};

enum class Conclusion : std::uint8_t {
    unique,      ///< one unit is left
    several,     ///< a class of units that were proved equivalent
    open,        ///< candidates remain that were neither distinguished nor proved equivalent in time
    unexplained, ///< no unit of the space gives what was observed
};
inline constexpr std::array<std::string_view, 4> conclusion_names = {"unique", "class", "open", "unexplained"};
constexpr std::string_view name(Conclusion conclusion) {
    return conclusion_names[static_cast<std::size_t>(conclusion)];
}

struct Observation {
    Vector vector; ///< with d
    std::string purpose;
};

/// A vector for which the target gave two answers.
struct Unsteady {
    Vector vector;
    std::uint64_t first, second;
};

/// In which way two results differ. Two NaN do not.
enum class Difference : std::uint8_t {
    zero_sign, ///< of one zero
    one_ulp,   ///< neighbours
    special,   ///< one of them is infinite or NaN
    other,
};
inline constexpr std::array<std::string_view, 4> difference_names = {"zero sign", "one ulp", "special", "other"};

/// A unit that explains many observations, but not all.
struct Near {
    Unit unit;
    std::vector<std::size_t> fails; ///< numbers of observations, from 0
    /// Of random vectors of all families: how many it does not give, how many were asked, and in which ways (in the
    /// order of Difference).
    std::uint64_t mismatches = 0, of = 0;
    std::array<std::uint64_t, difference_names.size()> kinds{};
    std::optional<std::size_t> lane; ///< the one product without which it agrees, on all of some failing vectors
};

/// Whether a remaining candidate differs from the unit.
struct LastWord {
    std::vector<std::string> proved; ///< candidates that were proved equivalent to the unit
    std::vector<Ground> grounds;     ///< of each of these
    std::set<std::string> by;        ///< by what, as Decision::by
    /// If listed: classes of units that the answer rests on being the same, and in words what is too much to list.
    std::vector<std::vector<Unit>> same;
    std::vector<std::string> same_unlisted;
    std::vector<std::string> open; ///< pairs of candidates that are neither proved equivalent nor distinguished
    /// Vectors, without d, that would distinguish the remaining candidates, where the target cannot answer them.
    std::vector<Observation> wanted;
};

struct Result : LastWord {
    Conclusion conclusion = Conclusion::open;
    std::optional<Unit> unit;       ///< with the NaN rule that was seen
    std::vector<std::string> names; ///< of the catalogue, of units that were proved to be the same
    std::vector<Ground> grounds_of_names;
    std::string structure;
    std::vector<Finding> findings;
    std::vector<Observation> observations;
    std::uint64_t validated = 0;
    std::vector<Near> near;               ///< when unexplained: the one that fails least comes first
    std::string order;                    ///< when unexplained: of summation, as summation_order() has it; may be empty
    std::optional<Unsteady> unsteady;     ///< the target is no function
    std::optional<Unsteady> unsteady_nan; ///< it is none, but only in the bits of a NaN; the unit has nan=any then
    std::size_t unanswered = 0;           ///< vectors that the target could not answer
    double seconds = 0;
};

/// @param candidates  of the target's shape
Result identify_target(const Shape& shape, Candidates candidates, const Ask& ask, const Options& options);

} // namespace discern::identify
