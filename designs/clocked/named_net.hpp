// A net of a design by the name that an option gives.
#pragma once

#include "designs/read/design.hpp"

#include <string>
#include <vector>

namespace discern::rtl {

/// The bits of "sum", "unit.sum" or "sum[7:0]", lowest first.
/// @param option  that has the name, for messages: "--equal"
/// @throws Error if there is no such net, or it has no such bits
std::vector<Net> bits_of_net(const Design& design, const std::string& text, const char* option);

} // namespace discern::rtl
