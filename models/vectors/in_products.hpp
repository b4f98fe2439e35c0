// Dot products by products of matrices: what a library computes for many elements at once may not be what it computes
// for one, so vectors are put into matrices.
#pragma once

#include "models/evaluate.hpp"
#include "models/gemm.hpp"
#include "models/shape.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace discern {

/// D = A·B + C: A is m × k, B k × n, C and D m × n, patterns in words as Gemm has them; c is empty if there is none.
using Multiply = std::function<void(GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d)>;

/// d of each vector, of products of m × n in which each vector has a row, a column and an element of its own; rows and
/// columns that are left have some vector, too.
/// @param shape  without scales
/// @param turn   with another number each vector has another row and column; calls that follow count on
std::vector<std::uint64_t> in_products(const Shape& shape, std::span<const Inputs> vectors, std::size_t m,
                                       std::size_t n, std::size_t turn, const Multiply& multiply);

} // namespace discern
