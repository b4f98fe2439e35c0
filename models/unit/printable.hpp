// Text of others on a terminal, which would obey the control characters in it.
#pragma once

#include <string>
#include <string_view>

namespace discern {

/// The text on one line, with control characters as \xNN.
std::string printable(std::string_view text);

} // namespace discern
