// What a code object for an AMD GPU really contains: a compiler may expand an instruction that the GPU does not have.
//
// Sources: the ELF format; the encoding VOP3P of AMD's instruction set manuals, whose bits 31-23 are 110100111 and
// whose bits 22-16 are the opcode.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace discern {

/// The opcodes of the matrix instructions in the code, in order; moves to and from accumulation registers left out.
/// @param object  an ELF file, or a bundle that contains one for an AMD GPU
/// @throws Error if there is none in it
std::vector<std::uint8_t> matrix_opcodes(std::string_view object);

} // namespace discern
