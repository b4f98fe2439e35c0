// Suites on many machines: a shard's work, and scripts that start all of them.
#pragma once

#include "analysis/suite/shard.hpp"

#include <string>
#include <vector>

namespace discern::cli {

/// What a shard did, or what was found for all of them, as text or JSON.
void print_shard(std::ostream& out, const std::optional<Shard>& shard, const ShardReport& report, bool json);

/// The programs that can start the shards.
std::vector<std::string> schedulers();

/// A script for a scheduler that works on all shards, each with a store of its own, and says how they are merged.
/// @param work       the suite's command line, quoted, without --store
/// @param store      the file that the stores are merged into
/// @param scheduler  one of schedulers()
std::string shard_script(const std::string& work, const std::string& store, std::size_t shards,
                         const std::string& scheduler);

} // namespace discern::cli
