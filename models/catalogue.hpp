// The catalogue: every matrix instruction whose arithmetic has been published or measured.
//
// Its text is models/catalogue/units/*.units, one file a vendor; models/catalogue/text.hpp says how it is written.
#pragma once

#include "unit.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace discern {

/// Where a parameter's value comes from.
enum class Evidence : std::uint8_t {
    silicon,   ///< measured results decide it
    paper,     ///< published model, checked by its authors against the hardware
    toolbox,   ///< published simulator
    assembler, ///< the assembler's expansion of the instruction
    emulator,  ///< an emulator of the instruction, its vendor's or one of the instruction's specification
    open,      ///< not settled; the catalogue follows one reading
};

std::string_view name(Evidence evidence);

struct ParameterEvidence {
    std::string parameter; ///< key of an override (overrides.hpp)
    std::string value;     ///< as an override would give it
    Evidence evidence;
    std::string source;
};

struct CatalogueEntry {
    std::string name; ///< architecture/instruction
    std::string architecture;
    std::string instruction;
    Unit unit;
    std::string family; ///< of the elementary operation: "T-FDPA", "FMA", …
    std::string remark; ///< what a user must know ("emulated: …"), or empty
};

/// Where each parameter of an entry of the catalogue comes from, in the order of parameters() of overrides.hpp.
std::vector<ParameterEvidence> evidence_of(const CatalogueEntry& entry);

/// All entries, in the order of architectures and instructions.
const std::vector<CatalogueEntry>& catalogue();

/// The entry of that name, or nullptr. The N of wgmma and the M and N of tcgen05 may be any that the instruction has;
/// they do not matter to the arithmetic.
const CatalogueEntry* find_entry(std::string_view name);

/// An entry with the same arithmetic, K included, or nullptr.
const CatalogueEntry* entry_of(const Unit& unit);

/// The unit that a user's text means: a catalogue name, or a whole-unit line, either with overrides in braces.
/// @throws Error that names the nearest right names.
Unit resolve_unit(std::string_view text);

} // namespace discern
