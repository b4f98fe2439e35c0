// Verilog read by yosys' own reader.
#pragma once

#include "reader.hpp"

namespace discern::rtl {

/// Commands of yosys that read the design and find its top.
std::string reading_script(const Sources& sources);

/// @throws CannotRead if yosys cannot read the text, Error for what it can read and has no clear meaning
Netlists read_by_yosys(const Sources& sources, const std::function<bool()>& must_stop);

} // namespace discern::rtl
