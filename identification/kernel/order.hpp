// The order over k: which schedules have the tree that probes show.
//
// A schedule is divided from the outside in: blocks of k, contiguous parts, slices, lanes, accumulators, pieces that
// are promoted, and the chain of instructions at last. Product 0 is in the first part of each level, so the nodes
// in which it meets the others show every level: all products of another part meet it in the same node. Each level is
// tried with all its sizes and orders against one row of K − 1 probes; what is left is checked on random pairs. O(K)
// probes in all.
#pragma once

#include "swamping.hpp"

#include "models/kernel.hpp"

#include <vector>

namespace discern::kernels {

/// A schedule that has the tree. Formats and roundings are not known yet: those of sums are d's, RNE.
struct Candidate {
    Schedule schedule;
    int instruction = 1; ///< products that the schedule deals out together
    int block = 1;       ///< of these, products that join the chain together
    bool exact = false;  ///< without losing one another: their sum is exact
    /// The products of the first chain, in order; of a promoted one those of its first piece.
    std::vector<int> chain;
    bool begins_from_c = false; ///< that chain
};

struct Order {
    std::vector<Candidate> candidates; ///< of small instructions first, then the plainest
    std::size_t probes = 0;
    std::string trouble;  ///< why there are none
    bool has_room = true; ///< the formats have room for probes
};

/// @param shape  of at least two terms. Its d is that of the sums
/// @param then   what follows the sums; nullptr: nothing
Order find_order(const Shape& shape, const Ask& ask, std::uint64_t seed, const Epilogue* then = nullptr);

} // namespace discern::kernels
