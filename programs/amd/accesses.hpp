// What instructions on memory have in common.
#pragma once

#include "elements.hpp"

namespace discern::programs::amd {

/// Whether a value's bytes in memory are those that it has otherwise. @throws Error if not
void require_plain(const llir::Type& type);
/// The address space of an operand. @throws Error if it is no address
std::uint32_t space_of(const llir::Instruction& at, std::size_t operand);

/// Where a lane reads or writes in a buffer; nothing where that is behind its end.
struct Place {
    std::uint64_t address = 0;
    bool inside = false;
};
/// Of the lanes that run. @param descriptor, offsets  the operands that have them: offsets are two, added
std::vector<Place> buffer_places(Workgroup& group, const Step& step, std::size_t descriptor, std::size_t offsets,
                                 std::uint64_t size);

std::span<const Opcode> atomic_opcodes();
std::span<const Opcode> atomic_intrinsics();
std::span<const Opcode> buffer_intrinsics();

} // namespace discern::programs::amd
