// The instructions of the machine, a table for each file.
#pragma once

#include "step.hpp"

#include <span>

namespace discern::programs {

std::span<const Opcode> control_opcodes();   ///< branches, barriers, mbarriers, and what does nothing here
std::span<const Opcode> integer_opcodes();   ///< on integers and bits; those on numbers too, where the name is the same
std::span<const Opcode> number_opcodes();    ///< on floating-point numbers alone
std::span<const Opcode> move_opcodes();      ///< between registers and threads
std::span<const Opcode> predicate_opcodes(); ///< comparisons, choices, votes
std::span<const Opcode> memory_opcodes();    ///< loads, stores, copies
std::span<const Opcode> tensor_map_opcodes(); ///< cp: asynchronous copies
std::span<const Opcode> atomic_opcodes();
std::span<const Opcode> redux_opcodes();

inline void nothing(Block& /*block*/, const Step& /*step*/) {}

/// @throws Error if there are fewer operands
void require_operands(const Step& step, std::size_t count);
/// @throws Error if an operand is a list or an address
void require_plain_operands(const Step& step);

/// Of an instruction that says no more than its operands, of which there are so many at least.
template <Run Does, std::size_t Operands>
void decode_plain(Decoder& /*decoder*/, const Instruction& /*at*/, Step& step) {
    require_operands(step, Operands);
    step.run = Does;
}

/// cp.async.bulk, and st.async; fill in `step`.
void decode_bulk_copy(const Instruction& at, Step& step);
void decode_async_store(Decoder& decoder, const Instruction& at, Step& step);

/// A floating-point instruction whose name other types have too, such as add.f32; fills in `step`.
void decode_number(Decoder& decoder, const Instruction& at, Step& step);

} // namespace discern::programs
