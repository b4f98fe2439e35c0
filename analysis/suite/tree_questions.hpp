// The questions that the trees of a suite come to, with a store of answers beside: each is asked once.
#pragma once

#include "partition.hpp"
#include "suite.hpp"

#include <atomic>
#include <span>

namespace discern {

class TreeQuestions {
  public:
    /// @param trees  of one shape; they and the options must outlive the object
    TreeQuestions(const UnitList& trees, const SuiteOptions& options, const Limit& limit)
        : trees_(trees), options_(options), limit_(limit) {}

    /// How the trees are to be partitioned, with answers from here.
    PartitionOptions partition_options(std::function<void(const std::string&)> progress);
    /// How many questions the store answered.
    std::size_t stored() const { return stored_; }

  private:
    Answer ask(std::size_t one, std::span<const std::size_t> others);
    std::optional<CellOutcome> known(const Cell& cell, std::uint64_t challenging);
    void keep(const Cell& cell, const CellOutcome& outcome);
    std::vector<Unit> units_of(std::span<const std::size_t> cell) const;

    const UnitList& trees_;
    const SuiteOptions& options_;
    const Limit& limit_;
    std::atomic<std::size_t> stored_ = 0;
};

/// Units of one shape, those with one tree together.
struct UnitsOfShape {
    Shape shape;
    Members units;
    std::vector<std::size_t> tree_of; ///< of each unit
    std::vector<std::size_t> first;   ///< of each tree: a unit that has it

    /// Each once; the object must outlive the list.
    UnitList trees() const;
};

/// Units by their shapes, in the order in which these come up. Which trees are the same is compared text by text, where
/// hashes of the texts are equal.
/// @param which  of each shape, the numbers of its units, if wanted
/// @throws Error if the limits are of operands that a unit does not have
std::vector<UnitsOfShape> by_shape(const Members& units, const InputLimits& limits, unsigned threads,
                                   std::vector<std::vector<std::size_t>>* which = nullptr);

} // namespace discern
