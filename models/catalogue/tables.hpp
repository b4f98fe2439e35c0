// The key that the three tables of the catalogue share.
#pragma once

#include "models/catalogue.hpp"

#include <array>
#include <optional>

namespace discern::tables {

enum class Arch : std::uint8_t {
    volta,
    turing,
    ampere,
    ada,
    hopper,
    blackwell,
    rtxblackwell,
    cdna1,
    cdna2,
    cdna3,
    x86,
    riscv,
    rdna3,
    rdna35,
    rdna4,
    cdna4,
    psp,
    pulp,
    vortex,
    ventus,
    mxfpga,
    arm,
    apple,
};

/// In their order.
inline constexpr std::array<std::string_view, 23> arch_names = {
    "volta", "turing", "ampere", "ada",    "hopper", "blackwell", "rtxblackwell", "cdna1",
    "cdna2", "cdna3",  "x86",    "riscv",  "rdna3",  "rdna35",    "rdna4",        "cdna4",
    "psp",   "pulp",   "vortex", "ventus", "mxfpga", "arm",       "apple"};

/// What a row speaks of: one architecture, or all from one to another in the order above.
struct Architectures {
    Arch first, last;

    constexpr Architectures(Arch only) : first(only), last(only) {} // NOLINT(google-explicit-constructor)
    constexpr Architectures(Arch from, Arch to) : first(from), last(to) {}
    constexpr bool contains(Arch arch) const { return first <= arch && arch <= last; }
};

/// The operand types that a row speaks of, and the unit inside of the chip that takes them.
enum class Input : std::uint8_t {
    f64,
    f32,
    tf32,
    bf16,
    bf16_1k, ///< CDNA2: the bf16 instructions with the suffix _1k
    f16,
    f16_as_volta, ///< Turing: the instruction of Volta, which it runs as Volta does
    fp8,          ///< e4m3 and e5m2 in all pairs; CDNA3: their FNUZ forms
    fp8_via_f16,  ///< fp8 that the assembler expands to fp16 instructions
    f8f6f4,       ///< e4m3, e5m2, e3m2, e2m3, e2m1 in all pairs
    mx,           ///< f8f6f4 with e8m0 scales
    mxf4,         ///< e2m1 with block scales, summed in groups
    vdpbf16ps,
    dpps,
    fma,
    bna,
    written, ///< a unit of its own (written.hpp)
};

/// One instruction with fixed operand types.
struct Identity {
    Arch arch;
    std::string instruction;
    Input input;
    FormatId a, b;
    std::optional<FormatId> c;
    FormatId d;
    int K;
    std::optional<Scale> scale;
    std::string remark;
    std::string_view notation = ""; ///< of a unit that is written out
};

/// All instructions (identity.cpp).
std::vector<Identity> identities();

/// A name as the catalogue spells it: the N of wgmma and the M and N of tcgen05 replaced by the shown ones if they are
/// legal.
std::string spelled(std::string_view instruction);

/// Whose readings a unit follows where the sources differ.
enum class Readings : std::uint8_t {
    newest, ///< those with the best evidence: the catalogue's
    paper,  ///< those of the revision that the paper describes
};

/// Unit and family of an instruction for K products (numerics.cpp). @throws std::logic_error if the tables
/// have no row.
Unit build_unit(const Identity& identity, int K, Readings readings = Readings::newest);
std::string family_of(const Identity& identity);

/// The evidence for one parameter of an instruction (evidence.cpp).
ParameterEvidence evidence_for(const Identity& identity, std::string_view key, const std::string& value);

} // namespace discern::tables
