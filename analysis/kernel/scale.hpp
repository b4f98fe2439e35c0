// What a target does to its sums before they are seen: products with one scale a tensor multiply them by a number.
//
// A power of two changes no bits but the exponent, so a kernel behind it is found like one without, of answers that are
// divided by it again. Any other number rounds, and the order of a sum cannot be read through it.
#pragma once

#include "identify_kernel.hpp"

namespace discern::kernels {

/// What one product of 1·1 among zeros gives. 1 where the target does not answer, or cannot be asked (a and b have no
/// 1).
double scale_of(const Shape& shape, const Ask& ask);

/// The pattern times 2^by; nothing, if the format has no such number.
std::optional<std::uint64_t> times_power_of_two(const Format& format, std::uint64_t bits, int by);

/// The questions whose answers are divided by 2^exponent.
Ask without_scale(const Shape& shape, Ask ask, int exponent);
AskProduct without_scale(const Shape& shape, AskProduct product, int exponent);

} // namespace discern::kernels
