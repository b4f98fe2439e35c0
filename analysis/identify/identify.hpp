// What is it? A unit is identified by asking it vectors that tell the possible units apart, until one class is left.
//
// The loop is the version-space method of machine learning (Mitchell 1982) with an oracle that is asked, and a solver
// for the last word: candidates that no vector of the pool tells apart are proved equal, or told apart by the witness.
#pragma once

#include "candidates.hpp"

#include "models/shape.hpp"
#include "models/vectors.hpp"
#include "solver/decide/ground.hpp"

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
    /// Units by their names, besides those of the catalogue, by which one that is found is called if it is the same.
    std::vector<std::pair<std::string, Unit>> known;
    bool finite = false; ///< only inputs without infinity and NaN: of others nothing is said
    unsigned threads =
        1; ///< that sift candidates and predict; the outcome is the same unless a limit of time is reached
    std::stop_token stop;
    std::function<void(const std::string& stage)> progress;
};

enum class Conclusion : std::uint8_t {
    unique,      ///< one unit is left
    several,     ///< a class of units that were proved to be the same
    open,        ///< some that neither a vector nor a proof has separated in time
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

/// In which way two results differ. NaN are alike.
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
    std::optional<std::size_t> lane; ///< the one product without which it is right, on all of some failing vectors
};

/// Whether anything that remains differs from the unit.
struct LastWord {
    std::vector<std::string> proved; ///< what would be the same unit, proved
    std::vector<Ground> grounds;     ///< of each of these
    std::set<std::string> by;        ///< what said so, as Decision::by
    /// If listed: classes of units that the answer rests on being the same, and in words what is too much to list.
    std::vector<std::vector<Unit>> same;
    std::vector<std::string> same_unlisted;
    std::vector<std::string> open; ///< what is neither proved nor told apart
    /// Vectors that would tell the unit from others that are left, without d, where the target cannot answer them.
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
    std::vector<Near> near;           ///< when unexplained: the one that fails least comes first
    std::string order;                ///< when unexplained: of summation, as summation_order() has it; may be empty
    std::optional<Unsteady> unsteady; ///< the target is no function
    std::size_t unanswered = 0;       ///< vectors that the target could not answer
    double seconds = 0;
};

/// @param candidates  of the target's shape
Result identify_target(const Shape& shape, Candidates candidates, const Ask& ask, const Options& options);

} // namespace discern::identify
