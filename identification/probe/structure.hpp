// In which groups and order the terms are added.
//
// After Xie et al.'s and FPRev's (Xie et al., 2025) idea of a large number and its negative in two positions and a
// small one in a third: the small one survives only if it is added after the large ones have cancelled, or if the sum
// that holds all three loses nothing. Doing this for every pair of positions makes no assumption on the number of extra
// bits nor on any rounding, as "survives" means the very same value and everything else is lost.
#pragma once

#include "session.hpp"

namespace discern::probe {

enum class CPlace : std::uint8_t {
    none,   ///< there is no c
    early,  ///< summed with the products of the first block
    late,   ///< added to the rounded sum of the products of the first block, and so on
    last,   ///< added after all blocks
    single, ///< a block is one product: c and it are one addition
    unknown,
};

enum class Order : std::uint8_t {
    fused,      ///< one sum of all: no order
    exact,      ///< one sum of all that loses nothing
    single,     ///< a block is one product
    pairs,      ///< (p0 + p1) + (p2 + p3), rounded each time
    halves,     ///< (p0 + p2) + (p1 + p3), rounded each time: strides that halve, the largest first
    one_by_one, ///< ((p0 + p1) + p2) + …, rounded each time
    two_chains, ///< lanes 0, 2, 4, … one at a time to c, lanes 1, 3, 5, … to each other, and then both
    steps,      ///< in some other order, with rounding
    unknown,
};

struct Structure {
    std::vector<std::vector<int>> blocks; ///< lanes, in the order of the blocks; empty: not determined
    Order order = Order::unknown;
    CPlace c = CPlace::unknown;
    /// Two blocks share their lanes in runs of so many; 0: the lanes of a block are consecutive; nothing: neither.
    std::optional<int> runs;
    std::string why; ///< what is unknown, in words

    bool known() const { return !blocks.empty(); }
};

/// Finds the structure and reports the features block_width, block_lanes, c_place and order.
Structure probe_structure(Session& session);

} // namespace discern::probe
