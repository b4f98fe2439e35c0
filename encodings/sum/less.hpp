// Summands that take part in E with their exponent less some number (`less=n`): the encoder has no such thing in its
// sums. They become summands with lower exponents, or others are aligned to more bits.
#pragma once

#include "encodings/number/nodes.hpp"

#include <span>

namespace discern {

/// Replaces `less` by what has the same effect in the sum.
/// @param unread  whether the sum's own E has no effect: a rounding is its only consumer
void replace_less(Terms& t, std::span<Summand> summands, const FuseRule& rule, bool unread);

} // namespace discern
