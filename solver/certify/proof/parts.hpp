// Which gates of a miter belong to which of its units: a sweep begins with those of one.
#pragma once

#include "certificate/miter.hpp"

#include <cstddef>
#include <vector>

namespace discern::certificate {

/// The end of the first unit's gates: without unused ones, its result depends on the last of them.
std::size_t end_of_first(const Miter& miter);

/// By node of the miter's formula, which has so many: whether it is an input or one of the first unit's gates.
std::vector<bool> gates_of_first(const Miter& miter, std::size_t nodes);

/// By node, of the first so many: whether one of the roots depends on it.
std::vector<bool> gates_of(const Bits& roots, const Netlist& netlist, std::size_t nodes);

/// Marks of a netlist's nodes as those of what is left of it without unused gates.
std::vector<bool> marks_without_unused(const std::vector<bool>& marks, const Bits& roots, const Netlist& netlist);

} // namespace discern::certificate
