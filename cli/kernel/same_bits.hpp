// `same-bits`: whether two kernels give the same bits.
#pragma once

#include "cli/base/command.hpp"

namespace discern::cli {

int same_bits(Arguments arguments, const Streams& io);

} // namespace discern::cli
