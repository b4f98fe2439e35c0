// Reading the code that was made: which matrix instructions stand in a kernel of a cubin.
//
// A cubin is an ELF file of 64 bits, little-endian; the code of kernel k is its section ".text.k", and an instruction
// is 16 bytes whose low 12 bits are the opcode (sm_70 and later).
#pragma once

#include "cuda_instruction.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace discern {

/// The bytes of the kernel's code. @throws Error if it is no such file, or has no such kernel
std::span<const std::uint8_t> kernel_code(std::span<const std::uint8_t> cubin, std::string_view kernel);

/// The matrix instructions in it, in the order of matrix_opcodes(), those that do not occur left out.
std::vector<MachineCode> count_matrix_code(std::span<const std::uint8_t> code);

} // namespace discern
