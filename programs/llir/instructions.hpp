// The instructions of LLVM IR, as they are written.
#pragma once

#include "operands.hpp"

#include <functional>

namespace discern::programs::llir {

/// What an instruction is read with.
struct Reading {
    Line& line;
    Types& types;
    Operands& operands;
    std::function<std::uint32_t(std::string_view)> block; ///< the number of a label
    Instruction& made;
};

/// Reads the instruction behind its name. @throws Error without the place
void read_instruction(Reading& reading);

} // namespace discern::programs::llir
