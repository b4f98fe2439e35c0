// Arithmetic of bounds: doubles of the widest kind, each step that is not exact going to the next larger one, so that
// they stay bounds.
#pragma once

#include "models/rounding.hpp"
#include "models/unit/tree_shape.hpp"

#include <cmath>
#include <limits>
#include <variant>

namespace discern::property {

using Real = long double;

inline constexpr int no_exponent = std::numeric_limits<int>::min() / 2; ///< below all there are

/// No less than the number that x was rounded from, of which that was lost.
inline Real up(Real x, Real lost) { return lost > 0 ? std::nextafter(x, std::numeric_limits<Real>::infinity()) : x; }
inline Real sum(Real x, Real y) {
    const Real s = x + y, of_y = s - x;
    return up(s, (x - (s - of_y)) + (y - of_y)); // Knuth's sum without error
}
inline Real product(Real x, Real y) { return up(x * y, std::fma(x, y, -(x * y))); }
inline Real power(int exponent) { return std::ldexp(Real{1}, exponent); }

/// How many terms a child of a fuse stands for, in a block of L elements.
inline int terms_of(const Node& child, int L) {
    if (const auto* p = std::get_if<Product>(&child.kind)) return count(p->which, L);
    if (const auto* g = std::get_if<Group>(&child.kind)) return count(g->which, L / g->size);
    return 1;
}

} // namespace discern::property
