// The matrix instructions of AMD's CDNA GPUs, as machines and compilers know them: shape, blocks, operand registers,
// the compiler's builtin and the opcode. What they compute is the catalogue's.
//
// Sources: AMD's instruction set manuals of MI100, MI200 and MI300; the opcodes are those that clang 19 writes, which a
// test repeats where clang 19 is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace discern {

enum class Cdna : std::uint8_t { gfx908, gfx90a, gfx942 };

inline constexpr std::array<Cdna, 3> cdna_architectures = {Cdna::gfx908, Cdna::gfx90a, Cdna::gfx942};

/// As compilers know it: "gfx90a".
std::string_view gfx_name(Cdna architecture);
/// As the catalogue knows it: "cdna2".
std::string_view catalogue_name(Cdna architecture);
/// The architecture of a GPU that calls itself that, as "gfx90a:sramecc+:xnack-"; nothing if it is none of ours.
std::optional<Cdna> cdna_from_gfx(std::string_view gfx);

/// What one lane of a wave of 64 gives of A, and of B: `items` consecutive elements of k.
struct MfmaOperand {
    std::string_view element; ///< C type
    int items;                ///< elements of a lane
    int vector; ///< elements of the C vector type; 1: the element type alone (8 bytes of fp8 are one long)
    int bits;   ///< of one element
};

/// D = A·B + C for `blocks` independent M×K by K×N products.
struct MfmaInstruction {
    std::string_view builtin;    ///< what follows __builtin_amdgcn_mfma_
    std::string_view cdna3_name; ///< the instruction on CDNA3; on CDNA1 and 2 it is v_mfma_BUILTIN
    int M, N, K;
    const MfmaOperand* operand;
    std::array<std::uint8_t, 3> opcodes; ///< by Cdna; 0: the architecture does not have it

    bool is_f64() const { return builtin.starts_with("f64"); }
    int blocks() const { return 64 * operand->items / (M * K); }
    /// Elements of C, and of D, of a lane.
    int result_items() const { return M * N * blocks() / 64; }
    std::uint8_t opcode(Cdna architecture) const { return opcodes[static_cast<std::size_t>(architecture)]; }
    bool is_of(Cdna architecture) const { return opcode(architecture) != 0; }
    std::string name(Cdna architecture) const;
};

std::span<const MfmaInstruction> mfma_instructions();

/// The instruction of that name, "v_mfma_f32_16x16x16_f16", or nullptr.
const MfmaInstruction* find_mfma(Cdna architecture, std::string_view name);

} // namespace discern
