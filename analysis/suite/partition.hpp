// Many units at once: which of them compute the same, with as few questions as possible.
//
// A pool of vectors splits the units into cells by their results; that costs microseconds a unit and separates almost
// all that differ. Cells are then settled one by one, on as many threads as there may be (cell.hpp). Only what a cell
// holds together is asked about: a proved equality is transitive, so n equal units take n − 1 questions, and a
// difference comes with a vector. What stays unknown stays apart.
#pragma once

#include "cell.hpp"

#include <optional>

namespace discern {

/// Cells of units that random vectors do not distinguish, in the order of their first units. Those with many units are
/// also divided by vectors that are aimed at them.
struct FirstCells {
    std::vector<Cell> cells;
    std::vector<bool> any;      ///< of each unit: whether it has nan=any
    std::vector<Vector> pool;   ///< that split them
    std::uint64_t made = 0;     ///< vectors that were run on all units,
    std::uint64_t in_vain = 0;  ///< of these the last that split nothing,
    std::uint64_t together = 0; ///< and how many would be next
    bool complete = false;      ///< no more are to be run
    bool interrupted = false;
};

struct PartitionOptions {
    CellOptions cells;
    unsigned threads = 1; ///< that work on cells; the outcome is the same
    /// Of how many cells these are a part, which share the vectors that challenge all; 0: they are all.
    std::size_t part_of = 0;
    /// The outcome of a cell that is known already, which so many vectors at most challenge; and where a new one,
    /// without `interrupted`, is kept. Called from the threads that work on cells; there may be none.
    std::function<std::optional<CellOutcome>(const Cell&, std::uint64_t)> known;
    std::function<void(const Cell&, const CellOutcome&)> keep;
    /// Called with the first cells as far as they are, now and then and at the end, if there is one.
    std::function<void(const FirstCells&)> keep_first;
    /// Called with what is being done, if there is one; by one thread at a time.
    std::function<void(const std::string&)> progress;
};

struct Partition : Settling {
    std::vector<std::size_t> class_of;       ///< of each unit
    std::vector<std::size_t> representative; ///< of each class, a unit
    std::vector<Ground> grounds;             ///< of each class: why its units are the same
    /// Classes that are equivalent and yet apart, because units with `nan=any` equal several units whose NaN differ.
    std::vector<ClassPair> equal;
    std::vector<Ground> grounds_of_equal; ///< of these
    std::vector<Vector> pool;             ///< vectors that separated something; d is empty
    std::size_t known = 0;                ///< cells whose outcome was known already

    std::size_t classes() const { return representative.size(); }
};

/// @param units  of one shape. Each pair is compared as Pair::differ does.
/// Deterministic as far as `ask` is and the limit is not reached, whatever the number of threads.
/// @throws Error if two units are of different shapes
Partition partition(const UnitList& units, const PartitionOptions& options);
/// The same from its first half.
Partition partition(const UnitList& units, const PartitionOptions& options, FirstCells first);

/// The first half of it. Few units exist at any time: each is made anew for some hundred vectors, and its results on
/// these are kept only as which row of results it shares with others.
/// @param from  those of the same units and options as far as they were known before; the outcome is the same
/// @throws Error if two units are of different shapes
FirstCells first_cells(const UnitList& units, const PartitionOptions& options, FirstCells from = {});

/// The second half: the outcome of each cell.
/// @param found  called for each cell that was known already, if there is one
std::vector<CellOutcome> settled_cells(const UnitList& units, std::span<const Cell> cells,
                                       const PartitionOptions& options, std::size_t* known = nullptr);

} // namespace discern
