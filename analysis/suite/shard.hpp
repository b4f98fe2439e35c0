// A part of the work of a suite, for one of many machines: the cells whose units hash to its number.
//
// Which cells there are, every shard finds by itself, from the same vectors. What it settles is in its store; once the
// stores are merged, the suite is made without a question.
#pragma once

#include "suite.hpp"

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
    double seconds = 0;

    bool settled() const { return open == 0 && !interrupted; }
};

/// @param options  with a store
/// @throws Error if there is no unit, or the options are wrong for one
ShardReport work_on(const Shard& shard, const Members& units, const SuiteOptions& options);

} // namespace discern
