// What an NVIDIA instruction of the catalogue is to the assembler: its mnemonic, the machine that has it, and the
// machine instruction that it should become.
//
// Sources: PTX ISA 9.0 (mma, wgmma.mma_async, tcgen05.mma); the opcodes were read from the code that ptxas 13.0 makes.
#pragma once

#include "hwrunner/matrix_target.hpp"
#include "models/catalogue.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace discern {

/// Compute capability 9.0 is {9, 0}.
struct Capability {
    int major = 0, minor = 0;
    std::strong_ordering operator<=>(const Capability&) const = default;
};

std::string to_string(Capability capability);

/// The catalogue's name of the architecture, or empty if it has none for that machine.
std::string_view architecture_of(Capability capability);

/// The machine as which a newer one, which is not in the catalogue, runs mma.sync: instructions in registers are
/// forward compatible. Nothing for a known machine, or one that is older than all.
std::optional<Capability> predecessor_of(Capability capability);

/// The instructions of an architecture that later machines run, too.
std::vector<std::string> portable_instructions(Capability capability);

/// The machines for which the text of an architecture's instructions can be assembled, the first one first.
std::vector<Capability> capabilities_of(std::string_view architecture);

/// How operands reach the instruction.
enum class CudaForm : std::uint8_t {
    registers,     ///< mma.sync: all of them in the registers of a warp
    shared_memory, ///< wgmma: A and B in shared memory, C and D in the registers of four warps
    tensor_memory, ///< tcgen05: A and B in shared memory, C, D and the scales in tensor memory
};

struct CudaInstruction {
    std::string unit; ///< as in the catalogue, with the M and N that were asked for
    CudaForm form = CudaForm::registers;
    MatrixShape shape;
    int tiles = 1; ///< independent matrices that one instruction computes
    Capability machine;
    bool machine_alone = false; ///< the code runs on this machine and no later one: sm_90a
    std::string mnemonic;
    int isa_major = 0, isa_minor = 0; ///< the oldest PTX ISA that has all of it

    bool scaled() const { return shape.dot.scale.has_value(); }
    /// "sm_90a".
    std::string target() const;
};

/// @param name     ARCHITECTURE/INSTRUCTION; wgmma and tcgen05 with any N (and M) that they have
/// @param machine  on which it shall run; its architecture must be that of the name
/// @throws Error if there is no such instruction, or it cannot be run by one thread block
CudaInstruction cuda_instruction(const std::string& name, Capability machine);

/// The CUDA, as 12040 for 12.4, whose driver is the first that assembles text of that PTX ISA, and this driver; empty
/// and 0 where it is not known.
struct DriverOfIsa {
    int isa_major = 0, isa_minor = 0, cuda = 0, driver = 0;
};
const DriverOfIsa* driver_of(const CudaInstruction& instruction);

/// The names of the instructions of an architecture, in the order of the catalogue.
std::vector<std::string> cuda_instructions(std::string_view architecture);

/// A machine instruction and how often it stands in the code: the low 12 bits of its word.
struct MachineCode {
    unsigned opcode = 0;
    int count = 0;
    bool operator==(const MachineCode&) const = default;
};

/// The machine instructions that compute matrix products.
struct MatrixOpcode {
    unsigned opcode;
    std::string_view name;
};
std::vector<MatrixOpcode> matrix_opcodes();

/// What the instruction becomes where the machine has it.
MachineCode native_code(const CudaInstruction& instruction);

/// What was found in the code, in words: "1 HMMA"; "emulated: 2 HMMA instead of 1 QMMA".
std::string describe_code(const CudaInstruction& instruction, const std::vector<MachineCode>& found);
/// Whether the assembler made something else of it than the machine's own instruction.
bool is_emulated(const CudaInstruction& instruction, const std::vector<MachineCode>& found);

} // namespace discern
