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
    TreeQuestions(std::span<const Unit> trees, const SuiteOptions& options, const Limit& limit)
        : trees_(trees), options_(options), limit_(limit) {}

    /// How the trees are to be partitioned, with answers from here.
    PartitionOptions partition_options(std::function<void(const std::string&)> progress);
    /// How many questions the store answered.
    std::size_t stored() const { return stored_; }

  private:
    Answer ask(std::size_t one, std::span<const std::size_t> others);
    std::optional<CellOutcome> known(const Cell& cell);
    void keep(const Cell& cell, const CellOutcome& outcome);
    std::vector<const Unit*> units_of(std::span<const std::size_t> cell) const;

    std::span<const Unit> trees_;
    const SuiteOptions& options_;
    const Limit& limit_;
    std::atomic<std::size_t> stored_ = 0;
};

/// Units of one shape, those with one tree together.
struct Trees {
    std::vector<Unit> trees;
    std::vector<std::size_t> tree_of; ///< of each unit
};
Trees trees_of(std::span<const Member> units);

/// Units by their shapes, in the order in which these come up.
/// @throws Error if the limits are of operands that a unit does not have
std::vector<std::vector<Member>> by_shape(std::span<const Member> units, const InputLimits& limits);

} // namespace discern
