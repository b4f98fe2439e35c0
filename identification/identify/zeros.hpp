// The vector with which those begin that put a few terms where they show something.
#pragma once

#include "models/vectors.hpp"

namespace discern::identify {

/// All products and c are +0, all scales 1.
inline Vector zeros_of(const Shape& shape) {
    Vector v;
    v.a.assign(static_cast<std::size_t>(shape.K), 0);
    v.b = v.a;
    if (shape.c) v.c = 0;
    if (!shape.scale) return v;
    v.sa.assign(static_cast<std::size_t>(shape.scales()), one(format(shape.scale->format)));
    v.sb = v.sa;
    return v;
}

} // namespace discern::identify
