// The smallest set of vectors that separates all classes: rows of a matrix that together cover all pairs of columns.
//
// It is the test collection problem, a set cover whose elements are pairs of classes. With few classes the pool's
// optimum is found by branch and bound; with many, a greedy set is improved by leaving vectors out.
#pragma once

#include "result_row.hpp"
#include "solver/backend/limit.hpp"

#include "models/format.hpp"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace discern {

/// The result of every class on every vector of a pool.
struct ResultMatrix {
    const Format* d = nullptr;
    std::vector<bool> any;       ///< of each class: its NaN count as one, and equal those of others
    std::vector<ResultRow> rows; ///< of each vector, the result of each class
    /// Pairs of classes, smaller index first, that need not be separated.
    std::set<std::pair<std::size_t, std::size_t>> excused;

    std::size_t classes() const { return any.size(); }
    /// Whether a vector separates two classes.
    bool separates(std::size_t row, std::size_t one, std::size_t other) const;
    /// Pairs, not excused, that none of these rows separates.
    std::size_t unseparated(const std::vector<std::size_t>& rows) const;
};

struct Cover {
    std::vector<std::size_t> rows; ///< ascending
    bool smallest = false;         ///< no smaller set of the pool's rows separates as much
};

/// A small set of rows that separates as many pairs as all rows together.
Cover smallest_cover(const ResultMatrix& matrix, const Limit& limit);

} // namespace discern
