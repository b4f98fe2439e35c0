// One cell: units that the first vectors did not distinguish, split until every pair is distinguished or settled.
//
// A cell is worked on by itself. Its outcome depends on its units, the seed and the limits of the inputs alone, so
// cells can be divided among threads and machines, and outcomes kept.
#pragma once

#include "solver/backend/limit.hpp"
#include "solver/decide/challenge.hpp"
#include "solver/decide/decide.hpp"

#include "models/members.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace discern {

/// Indices of units, ascending.
using Cell = std::vector<std::size_t>;

struct CellOptions {
    std::uint64_t seed = 0;
    Limit limit;
    InputLimits inputs;
    /// Which units are one term. Empty: the encoder says so; tests have something else say it wrongly.
    std::function<FoldedTerms(const UnitList&)> folded;
    std::uint64_t challenging = most_challenging; ///< vectors that try to refute that units are one term
    std::filesystem::path reports = ".";          ///< where a report is written if an answer proves wrong
    /// Answers whether a unit is the same as all of some others, which are given by their indices; called from the
    /// threads that work on cells.
    std::function<Answer(std::size_t, std::span<const std::size_t>)> ask;
};

/// Two classes, the smaller number first.
using ClassPair = std::pair<std::size_t, std::size_t>;

/// What units are settled to, but for the classes themselves: what is open between them, and what it took.
struct Settling {
    std::vector<ClassPair> open; ///< classes that neither a vector nor a proof separates or joins
    std::vector<Cell> undecided; ///< many classes, of which each two are open, as one list each, ascending
    std::size_t questions = 0;   ///< that were asked
    std::size_t proofs = 0;      ///< of them answered "equivalent"
    std::size_t terms = 0;       ///< different ones: units where those that fold to one term are one
    std::uint64_t challenged =
        0;                    ///< vectors that tried to refute that units are the same (solver/decide/challenge.hpp)
    std::set<std::string> by; ///< what said that units of different trees are the same, as Decision::by
    bool interrupted = false; ///< the limit was reached before everything was asked

    bool settled() const { return open.empty() && undecided.empty(); }
    /// Pairs of classes that are open.
    std::size_t open_pairs() const;
    /// Adds what another took.
    void add_work(const Settling& other);
};

/// The outcome of a cell. Indices are those of all units, classes have their numbers here.
struct CellOutcome : Settling {
    std::vector<Cell> classes;   ///< each one's first unit stands for it
    std::vector<Ground> grounds; ///< of each class: why its units are the same
    std::vector<Vector> vectors; ///< each separated something; d is empty
};

/// @param units  all of them, of one shape
/// @param cell   of these, at least one; all or none with NanRule::any
CellOutcome settled_cell(const UnitList& units, const Cell& cell, const CellOptions& options);

/// Splits a cell by the results on one vector: parts in the order of their first units.
/// @param results  of each unit of the cell
std::vector<Cell> parts_of(const Cell& cell, const std::vector<std::uint64_t>& results);

/// A result as it counts: any NaN is one NaN if `any`.
std::uint64_t counted_result(const Format& d, bool any, std::uint64_t result);

} // namespace discern
