// Hypotheses about a kernel, to be tried on vectors: units as its leaves, and formats and roundings of its sums.
#pragma once

#include "order.hpp"

#include <string>
#include <utility>
#include <vector>

namespace discern::kernels {

/// A unit with a name, or without: its K is the instruction of the candidate.
using NamedUnit = std::pair<std::string, Unit>;

/// The unit with K limited to `products`; nothing if its blocks are longer.
std::optional<Unit> of_instruction(Unit unit, int products);

/// Units of the catalogue and of software that can be the leaves: those that are given first.
std::vector<NamedUnit> leaf_units(const Shape& shape, const Candidate& candidate, std::vector<NamedUnit> first);

/// All kernels of a candidate with that unit: formats and roundings of its sums, the plainest first.
std::vector<Kernel> kernels_of(const Shape& shape, const Candidate& candidate, const Unit& unit);

/// The schedules that libraries have, for formats in which no number absorbs another: their order can only be tried.
/// Each with all sizes of instructions that the catalogue has for the formats, the plainest first.
std::vector<Candidate> usual_schedules(const Shape& shape);

} // namespace discern::kernels
