// SystemVerilog that sv2v translates to Verilog, which yosys' own reader takes.
#pragma once

#include "reader.hpp"

namespace discern::rtl {

/// @throws CannotRead with what sv2v or yosys says, Error for hazards, and for a text that may be another one for
/// synthesis, since sv2v leaves out comments and defines no macros
Netlists read_by_sv2v(const Sources& sources, const std::function<bool()>& must_stop);

} // namespace discern::rtl
