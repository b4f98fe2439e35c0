// A wrong claim made as small as it can be: simpler units, fewer options, as long as the answer stays wrong.
#pragma once

#include "claim.hpp"

namespace discern::claims {

/// The smallest case that was found, and what is wrong with it.
struct Shrunk {
    Case smallest;
    Compared compared;
};

/// @param wrong  a case of that kind whose answer is wrong, and how
/// @param seconds  how long to try
Shrunk shrink(const Kind& kind, const Case& wrong, const Compared& how, double seconds);

} // namespace discern::claims
