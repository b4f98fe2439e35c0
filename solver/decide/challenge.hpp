// No "same" that was not challenged: whatever found that sides compute the same, some thousand vectors that aim at
// differences (challenge_vectors.hpp) are computed by both before it is said.
//
// A claim by terms, by a solver, by a certificate or from a store rests on code that can be wrong: rules of folding, a
// solver, the program that wrote the store. The evaluators of models/ share none of it, and a wrong rule seldom is
// wrong for one input in a million alone. This proves nothing; it finds most of what a proof may have wrong, for some
// milliseconds. All claims pass here but those by structure, where both sides are evaluated alike by definition.
#pragma once

#include "solver/question/input_limits.hpp"

#include "models/kernel.hpp"
#include "models/members.hpp"
#include "models/vectors.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace discern {

/// One side of a claim: what it computes, by evaluators on which the claim does not rest.
struct Side {
    using Results = std::vector<std::optional<std::uint64_t>>;

    std::string text; ///< for reports
    /// d of each, as a pattern; nothing: none is defined.
    std::function<Results(std::span<const Inputs>)> run;
    /// The same of one, in another way. Nothing: there is no result that could refute anything.
    std::function<std::optional<std::uint64_t>(const Inputs&)> exactly;
    bool any_nan = false; ///< any NaN is one NaN
};

Side side_of(const Unit& unit);
Side side_of(const Kernel& kernel);

/// Vectors of a claim that stands alone, which take 2 to 20 ms, and of one among very many.
inline constexpr std::uint64_t most_challenging = 4096, fewest_challenging = 48;

/// That all sides compute the same on all inputs within the limits.
struct Claim {
    Side first;
    std::size_t others = 1;
    std::function<Side(std::size_t)> other; ///< of each number below `others`; made when it is asked, one at a time
    FormatId d = FormatId::f32;
    std::vector<Unit> views; ///< of the sides' shape: for their parameters the vectors are made
    InputLimits limits;
    std::uint64_t most = most_challenging; ///< vectors
};

/// What shows that a claim is wrong.
struct Counterexample {
    std::string first, second; ///< the sides, in words
    Vector vector;             ///< d has both results
    bool confirmed = false;    ///< `exactly` gives the same results; if not, evaluators contradict each other
};

struct Challenged {
    std::uint64_t vectors = 0; ///< that were computed by both sides of each pair
    std::optional<Counterexample> refuted;
};

/// Computes the first side and each other on aimed vectors until two results differ. Of many others each gets fewer
/// vectors, down to some dozens. The same claim is always challenged with the same vectors.
Challenged challenge(const Claim& claim);

Claim claim_of(const Unit& first, const UnitList& others, const InputLimits& limits);
Claim claim_of(const Kernel& first, const Kernel& second, const InputLimits& limits);

/// How many vectors did not refute the claim.
/// @param by  what found it, for the report
/// @throws std::logic_error if one did, which names a report in `reports`
std::uint64_t require_unrefuted(const Claim& claim, const std::string& by, const std::filesystem::path& reports);

} // namespace discern
