// What has to be known before any cell is settled: the members of the spaces, their trees, and the first cells.
//
// Of a million members that takes minutes, and it is the same for each shard of a suite and for each run of it that
// goes on. So it is kept in the store, as far as it is, and a shard can take it from another's.
//
// What is taken from a store is not believed: units of one cell are settled as any, and units of different cells have
// to differ on a vector (suite.cpp).
#pragma once

#include "partition.hpp"
#include "tree_questions.hpp"

namespace discern {

struct FirstPhase {
    std::vector<UnitsOfShape> groups;
    std::vector<FirstCells> cells; ///< of each group
    std::size_t units = 0;         ///< of all
    bool found = false;            ///< all of it was in a store
    double seconds = 0;

    bool interrupted() const;
};

/// @param options  with the stores in which it may be, and kept
/// @throws Error if there is no unit, the options are wrong for one, or a store has something else
FirstPhase first_phase(const Asked& asked, const SuiteOptions& options, const Limit& limit);

/// Whether units that are said to have one tree do, and units of one group one shape, of what a store had.
/// @throws Error that names the store
void require_as_said(const FirstPhase& phase, const SuiteOptions& options);

} // namespace discern
