// The parts of a tree that parameters speak of, found by shape.
//
//   product fuse    a fuse with a product or group among its children            (the fused sum of every FDPA)
//   sum fuse        a fuse with a fuse among its children                        (the two-level sums of TR- and
//   GTR-FDPA) final rounds    the rounds with a product fuse below and no round between; where there is no product fuse
//                   (FTZ-AddMul), every round, since they are all the same adder
#pragma once

#include "unit.hpp"

#include <vector>

namespace discern {

std::vector<Fuse*> product_fuses(Unit& unit);
std::vector<Fuse*> sum_fuses(Unit& unit);
std::vector<Round*> final_rounds(Unit& unit);
std::vector<Round*> all_rounds(Unit& unit);
std::vector<Product*> products(Unit& unit);
std::vector<Group*> groups(Unit& unit);
Accumulator* accumulator(Unit& unit);
/// The child that is the accumulator, or nullptr.
Child* accumulator_child(Unit& unit);

/// How many of n elements, or groups, a leaf stands for.
inline int count(const Selection& which, int n) {
    return which.step == 0 ? 1 : (n - which.first + which.step - 1) / which.step;
}

/// Visits them.
template <typename Visit>
void for_each(const Selection& which, int n, Visit visit) {
    for (int l = which.first; l < n; l += which.step) {
        visit(l);
        if (which.step == 0) break;
    }
}

bool is_fuse(const Node& node);
bool is_round(const Node& node);
bool is_accumulator(const Node& node);
bool is_product_or_group(const Node& node);

/// Whether c is added after the block's own rounding: root = round(fuse(round(…), c)).
bool has_late_accumulator(const Unit& unit);

/// The tree of FTZ-AddMul (Xie et al., Algorithm 2): P products, rounded each, summed pairwise, then added to c.
/// @param rounding   used at every node
/// @param with_c     false: without the last addition (x86 DPPS)
Node pairwise_tree(int P, const Round& rounding, const Product& product, bool with_c, const Accumulator& c);

} // namespace discern
