// A part of the work of a suite, for one of many machines: some of the cells, so that all shards have about as many
// units.
//
// Which cells there are is found once and read by every shard, or found by every shard itself, from the same vectors.
// What it settles is in its store; once the stores are merged, the suite is made without a question.
#pragma once

#include "suite.hpp"

#include <optional>
#include <span>

namespace discern {

/// The index-th of count, from 1.
struct Shard {
    std::size_t index = 1, count = 1;
};

/// Reads "3/8". @throws Error with a sentence
Shard parse_shard(const std::string& text);

struct ShardReport {
    std::size_t units = 0;     ///< all
    std::size_t cells = 0;     ///< of more than one tree
    std::size_t mine = 0;      ///< of these, cells of this shard
    std::size_t trees = 0;     ///< in these
    std::size_t classes = 0;   ///< of these
    std::size_t known = 0;     ///< cells that the store had
    std::size_t questions = 0; ///< that were asked
    std::size_t open = 0;      ///< pairs of classes
    bool interrupted = false;
    bool found = false;       ///< the cells were in a store
    double cells_seconds = 0; ///< for the cells, of all
    double seconds = 0;

    bool settled() const { return open == 0 && !interrupted; }
};

/// Of the weights of all pieces of work those that belong to a shard: the heaviest first, each to the shard that has
/// least (R. L. Graham, "Bounds on multiprocessing timing anomalies", 1969: the largest share is at most 4/3 of the
/// best).
/// @return their numbers, ascending
std::vector<std::size_t> share(const Shard& shard, std::span<const std::size_t> weights);

/// @param shard    none: the cells are found, and no more
/// @param options  with a store
/// @throws Error if there is no unit, or the options are wrong for one
ShardReport work_on(const std::optional<Shard>& shard, const Asked& asked, const SuiteOptions& options);

} // namespace discern
