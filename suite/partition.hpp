// Many units at once: which of them compute the same, with as few questions as possible.
//
// A pool of vectors splits the units into cells by their results; that costs microseconds a unit and separates almost
// all that differ. Only what a cell holds together is asked about, each unit against one representative of every class
// of its cell: a proved equality is transitive, so n equal units take n − 1 questions, and a difference comes with a
// vector that refines all cells. What stays unknown stays apart.
#pragma once

#include "solver/backend/limit.hpp"
#include "solver/decide/question.hpp"

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace discern {

struct PartitionOptions {
    std::uint64_t seed = 0;
    Limit limit;
    InputLimits inputs;
    /// Answers whether a unit is the same as all of some others, which are given by their indices.
    std::function<Answer(std::size_t, std::span<const std::size_t>)> ask;
    /// Called with what is being done, if there is one.
    std::function<void(const std::string&)> progress;
};

/// Two classes of a partition, the smaller index first.
using ClassPair = std::pair<std::size_t, std::size_t>;

struct Partition {
    std::vector<std::size_t> class_of;       ///< of each unit
    std::vector<std::size_t> representative; ///< of each class, a unit
    /// Classes that neither a vector nor a proof separates or joins.
    std::vector<ClassPair> open;
    /// Classes that are equivalent and yet apart, because units with `nan=any` equal several units whose NaN differ.
    std::vector<ClassPair> equal;
    std::vector<Vector> pool;  ///< vectors that separated something; d is empty
    std::size_t questions = 0; ///< that were asked
    std::size_t proofs = 0;    ///< of them answered "equivalent"
    std::set<std::string> by;  ///< what said that units are the same, as Decision::by
    std::size_t terms = 0;     ///< different ones that are left where units that fold to one term are one
    bool interrupted = false;  ///< the limit was reached before everything was asked

    std::size_t classes() const { return representative.size(); }
};

/// @param units  of one shape. Each pair is compared as Pair::differ does.
/// Deterministic as far as `ask` is and the limit is not reached.
Partition partition(std::span<const Unit> units, const PartitionOptions& options);

/// A result as it counts: any NaN is one NaN if `any`.
std::uint64_t counted_result(const Format& d, bool any, std::uint64_t result);

} // namespace discern
