// Instructions as assemblers write them: what people paste from PTX, SASS, AMD's or Arm's listings names a unit too.
//
// A mnemonic says more than a unit does (layouts, kinds, scopes) and in another order. It is written here as the name
// that the catalogue's instruction has. Sources: NVIDIA's PTX ISA and CUDA Binary Utilities; AMD's ISA manuals and
// LLVM's AMDGPU backend; the Arm manual.
#pragma once

#include "models/catalogue.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace discern {

/// What a text means that is MNEMONIC, ARCHITECTURE/MNEMONIC or PRODUCT/MNEMONIC, without operands.
/// An instruction's own name without an architecture is a mnemonic, too.
/// @return nothing if the text is no such thing
/// @throws Error if no unit is that instruction, or several are, which it names
const CatalogueEntry* entry_of_mnemonic(std::string_view text);

/// The text without the operands that follow a mnemonic, if it begins as one of an assembler does; of Arm's the
/// name of the catalogue, since the operands say which elements are multiplied. Nothing: it is none.
std::optional<std::string_view> mnemonic_alone(std::string_view text);

} // namespace discern
