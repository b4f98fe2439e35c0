// Laws that are proved in Rocq (formal/, docs/formal.md), and of which units they are: the side conditions of each
// theorem, read off the tree. A unit that is an instance needs no term, no solver and no argument on paper.
//
// Every condition of a theorem stands here once, and nothing weaker: a tree that computes the same but is written
// otherwise is not called an instance. (The test formal.names asks that each name is one of a theorem.)
#pragma once

#include "basis.hpp"

#include "models/unit.hpp"

namespace discern::property::formal {

/// carry_enough_unit of Units.v: `fuse[F=F carry=w …](p*, c)` without scales, of formats that are not fixed point, both
/// children with the same F and without drop and less, no sticky bit, no frame, and 2L + 1 ≤ 2^(w+1): the register
/// never wraps.
bool has_enough_carry_bits(const Unit& unit);
inline constexpr Argument by_carry_enough{"the tree: carry_enough_unit, proved in Rocq",
                                          of_formal("carry_enough_unit")};

/// order_on_all_inputs of Order.v: one block `fuse[…](p*, c)` under a round, without frame and scales, of operands that
/// are not fixed point, with nan=any or a pattern: products have no order.
bool is_sum_without_order(const Unit& unit);
inline constexpr Argument by_order{"the tree: order_on_all_inputs, proved in Rocq", of_formal("order_on_all_inputs")};

/// dot_unit_correct of Dot.v: one block `round[d MODE](fuse[exact](p*, c))` of IEEE formats without padding, without
/// any other attribute and in a mode of IEEE 754: d is the exact sum, rounded once.
bool is_exact_dot_product(const Unit& unit);
inline constexpr Argument by_dot_unit{"the tree: dot_unit_correct, proved in Rocq", of_formal("dot_unit_correct")};

} // namespace discern::property::formal
