// Rows of cells: why units are the same, as text; and whether the vectors of a cell distinguish its classes, and no
// two units of one class, which is the part of a stored cell that can be checked. Units that are said to be the same
// can be tried.
#pragma once

#include "store.hpp"

namespace discern::store {

/// @throws Error with a sentence if an input is beyond the limits, units of one class differ, or two classes do not
void require_rows(std::span<const Unit* const> units, const InputLimits& limits, const CellAnswer& answer);

/// Runs random vectors on two units that are said to be the same; those beyond the limits do not count.
/// @throws Error with a sentence if one tells them apart
void try_vectors(const Question& question, std::size_t count);

/// @param challenging  vectors, which the classes share
/// @return by how many vectors it was challenged that the units of each class are the same
/// (solver/decide/challenge.hpp).
/// @throws Error with a sentence if one of them shows that they are not
std::uint64_t challenged(std::span<const Unit* const> units, const InputLimits& limits,
                         std::span<const std::vector<std::size_t>> classes, std::uint64_t challenging);

/// Grounds of classes, "terms;;solver".
std::string grounds_text(std::span<const Ground> grounds);
/// @param text  of the answer's classes; empty: there is none, since each is one unit
/// @throws Error if it is something else
std::vector<Ground> grounds_of(const CellAnswer& answer, const std::string& text);

} // namespace discern::store
