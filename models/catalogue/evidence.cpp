// Evidence: where each parameter of each unit comes from.
//
// The first row that fits decides. Sources: [X] Xie et al.; [M] revision 2.1.1 of their simulator; [K] Khattak and
// Mikaitis, and their toolbox's later revisions; [V] Valpey et al.; [S] the 240,000 measured vectors of [K]'s public
// data; [T] public issue threads with observations; [A] the assembler's output; [G] measured by this project. Where two
// sources disagree the row names both: the one that the catalogue follows first. docs/sources.md has dates and
// revisions.
#include "written.hpp"

#include <algorithm>

namespace discern::tables {

namespace {

using enum Arch;
using enum Input;

/// A set of architectures or inputs, as bits; 0: any.
template <typename... E>
constexpr unsigned any_of(E... members) {
    return (0u | ... | (1u << static_cast<unsigned>(members)));
}
template <typename E>
constexpr bool contains(unsigned set, E member) {
    return set == 0 || ((set >> static_cast<unsigned>(member)) & 1u) != 0;
}

constexpr unsigned amd = any_of(cdna1, cdna2, cdna3);
constexpr unsigned half_and_tf32 = any_of(f16, bf16, tf32);

bool is_named(std::string_view instruction, std::string_view pattern) {
    return pattern.starts_with('*') ? instruction.find(pattern.substr(1)) != std::string_view::npos
                                    : instruction.starts_with(pattern);
}

struct Row {
    std::string_view keys; ///< with a space around each; empty: any
    unsigned archs, inputs;
    std::optional<FormatId> d;
    std::string_view instructions; ///< what the name begins with, or behind a '*' what is in it; empty: any
    Evidence evidence;
    std::string_view source;
};

using enum Evidence;

constexpr std::string_view of_h200 = "[G]: H200, measured 2026-11-27";

// clang-format off
constexpr Row rows[] = {
    // Shapes of instructions are what they are.
    {" K ", 0, 0, {}, "", paper, "the instruction's shape"},

    {"", any_of(x86), any_of(vdpbf16ps), {}, "", silicon,
     "120 million vectors on a Zen 5 class CPU; other CPUs may differ, NaN above all"},
    {"", any_of(x86), any_of(dpps), {}, "", silicon, "16 million vectors; NaN only for NaN-ness"},
    {"", any_of(x86), any_of(fma), {}, "", paper,
     "IEEE 754; of several NaN operands a, b, c the first, as VFMADD231SS has it (VFMADD213SS takes b before a)"},
    {"", any_of(riscv), 0, {}, "", paper, "the ISA manual's rvbna section and Spike"},

    {" F L round align product c floor ", any_of(turing), any_of(f16_as_volta), {}, "", toolbox,
     "simulator 2.1.1 [M]: Turing runs this instruction as Volta does"},

    // Where the paper and the later revision of its simulator disagree.
    {" zero empty ", 0, any_of(mxf4), {}, "", toolbox,
     "simulator 2.1.1 [M]: an empty group and a zero c have the exponent -139, a group that cancels has its scales'; paper [X]: a zero group has its scales', a zero c does not count"},
    {" floor ", 0, any_of(mx), {}, "", toolbox,
     "simulator 2.1.1 [M]: zero products and a zero c have the exponent -133, which is the same; paper [X]: none"},
    {" zero ", any_of(cdna3), 0, {}, "", toolbox,
     "simulator 2.1.1 [M]: a zero c has the exponent -126, zero products do not count; paper [X]: neither counts"},
    {" oinf ", any_of(cdna3), 0, {}, "", open,
     "simulator 2.1.1 [M]: NaN, but its tests cannot see it; paper [X]: an infinite input wins"},
    {" F2 ", any_of(cdna3), any_of(fp8), {}, "", silicon,
     "silicon [N] and simulator 2.1.1 [M]: the total is truncated, normalised; paper [X]: the products' sum is. That the sum has one bit more before is [M]'s alone"},
    {" F2 ", any_of(cdna3), 0, {}, "", toolbox,
     "simulator 2.1.1 [M]: the total is truncated, normalised, after one bit more; paper [X]: the products' sum is truncated"},
    {" zin ", any_of(cdna2), 0, {}, "", toolbox,
     "simulator 2.1.1 [M]: -0 in a, b or c is read as +0; paper [X]: it keeps its sign"},

    // What an H200 answered.
    {" operands ", any_of(hopper), any_of(fp8_via_f16), {}, "*e4m3.e5m2", silicon, of_h200},
    {" operands ", any_of(hopper), any_of(fp8_via_f16), {}, "*e5m2.e4m3", silicon, of_h200},
    {" zero ", any_of(hopper), any_of(f16), FormatId::f32, "", silicon,
     "[G]: H200, measured 2026-11-27; a zero term with the exponent -126 would be the same"},
    {" zero ", any_of(hopper), any_of(bf16), FormatId::f32, "", silicon, of_h200},
    {" zero ", any_of(hopper), any_of(fp8), FormatId::f32, "wgmma.m64n8k32.f32.e4m3.e4m3", silicon,
     "[G]: H200, measured 2026-11-27; a zero term with the exponent -126 would be the same"},
    {" zsign ", any_of(hopper), any_of(f16), FormatId::f32, "", silicon, of_h200},
    {" usign ", any_of(hopper), any_of(f16), FormatId::f16, "", silicon, of_h200},
    {" floor ", any_of(hopper), any_of(f16), FormatId::f16, "", silicon, of_h200},
    {" floor ", any_of(hopper), any_of(tf32), {}, "", silicon, of_h200},
    {" floor ", any_of(hopper), any_of(bf16), FormatId::f32, "", silicon,
     "[G]: H200, measured 2026-11-27, and [T]: one H100 vector; none, and a zero term with exponent -133, would be the same"},
    {" L ", any_of(hopper), any_of(tf32), {}, "*n8k8.", silicon, of_h200},

    // Open points.
    {" zero ", 0, 0, {}, "", open, "random vectors do not reach it"},
    {" as ", any_of(volta, turing), any_of(f16, f16_as_volta), FormatId::f32, "", open,
     "fp16 c with fp32 d: simulators disagree; nothing changes for fp32 c"},
    {" floor ", any_of(volta, ampere, ada, hopper, blackwell), half_and_tf32, {}, "", toolbox,
     "[K], later revision; simulator 2.1.1 [M] has the same where it can be seen"},
    {" floor ", any_of(turing, rtxblackwell), half_and_tf32, {}, "", toolbox, "simulator 2.1.1 [M]"},
    {" floor ", 0, any_of(fp8_via_f16), {}, "", open, "the fp16 instructions that it expands to have one"},
    {" floor ", 0, any_of(fp8, f8f6f4), {}, "", open, "none seen; simulator 2.1.1 [M] has one, which no input shows"},
    {" floor ", 0, 0, {}, "", open, "none seen; not tested"},
    {" fsign ", any_of(cdna2), 0, {}, "", open,
     "simulators flush inputs and c to +0; results keep their sign ([X], Algorithm 1)"},
    {" zsign ", any_of(volta, turing, ampere), half_and_tf32, {}, "", silicon, "[V] §4.4: -0 was never seen"},
    {" zsign ", amd, any_of(f32, f64), {}, "", paper, "[X]: standard FMA"},
    {" zsign ", any_of(cdna2), 0, {}, "", paper, "[X], Algorithm 1"},
    {" zsign ", 0, any_of(f64), {}, "", paper, "[X]: standard FMA"},
    {" zsign ", 0, 0, {}, "", open, "simulators agree on +0"},
    {" usign ", 0, 0, FormatId::f16, "", open, "simulators disagree on negative underflow with fp16 output"},
    {" nan ", amd, 0, {}, "", open, "canonical or quieted input"},
    {" nan ", 0, any_of(f64), {}, "", open, "not checked"},
    {" nan ", 0, 0, {}, "", paper, "[X] §4.2: bits checked ([V] saw another quiet NaN)"},
    {" carry ", 0, 0, {}, "", paper, "[X]: an exact sum"},

    // The emulated fp8 path.
    {" interleave c ", 0, any_of(fp8_via_f16), {}, "", assembler,
     "[A] and [S]: pairs of elements alternate between two calls, c is added last"},
    {" L ", 0, any_of(fp8_via_f16), {}, "", assembler, "[A]: two calls of half of K"},
    {" operands ", 0, any_of(fp8_via_f16), {}, "", assembler,
     "[A]: the instructions that it expands to have fp16 operands; of two operands of one format nothing shows it"},

    // What the measured vectors decide: some result refutes every other value (a test looks). With fp16 output, and of
    // small products, they say little.
    {" F align product ", 0, 0, FormatId::f16, "", paper,
     "[X], Tables 4 and 5; [S]'s fp16 results say little about it"},
    {" round ", any_of(volta, ampere, ada, hopper, blackwell), any_of(f16), FormatId::f16, "", paper,
     "[X], Tables 4 and 5; [S] refutes every mode but ties away from zero"},
    {" F round align product ", any_of(blackwell), any_of(fp8_via_f16), FormatId::f32, "", paper,
     "[X], Table 4, of the fp16 instructions that it expands to; [S]'s results do not depend on it"},
    {" F L round align product c ", any_of(volta), any_of(f16), {}, "", silicon, "[S]: V100"},
    {" L ", any_of(hopper, blackwell), any_of(tf32), {}, "", paper, "[X], Table 4; wmma shows two of 4"},
    {" L ", any_of(ampere), half_and_tf32, {}, "", paper,
     "[X], Table 4; [S] refutes shorter blocks, and has no longer ones"},
    {" L ", any_of(ada), half_and_tf32, {}, "", paper,
     "[X], Table 4; [S] refutes shorter blocks, and has no longer ones"},
    {" F L round align product c ", any_of(ampere), half_and_tf32, {}, "", silicon, "[S]: A100, A2"},
    {" F L round align product c ", any_of(ada), any_of(f16, bf16, tf32, fp8), {}, "", silicon,
     "[S]: RTX 1000 Ada, L40S"},
    {" F L round align product c ", any_of(hopper), half_and_tf32, {}, "mma", silicon, "[S]: H100, H200"},
    {" F L round align product ", any_of(hopper), any_of(fp8), FormatId::f32, "wgmma", silicon,
     "[S]: H100, H200, with c = 0"},
    {" F round align product ", any_of(hopper), any_of(fp8_via_f16), FormatId::f16, "", silicon, "[S]: H100, H200"},
    {" F L round align product c ", any_of(blackwell), half_and_tf32, {}, "mma", silicon, "[S]: B200"},
    {" F round align product ", any_of(blackwell), any_of(fp8_via_f16), {}, "", silicon, "[S]: B200"},

    {"", any_of(cdna1), any_of(f16, bf16), {}, "", paper,
     "[X], Table 6: exact sums (an older simulator sums in pairs)"},
    {" F L round G ", 0, any_of(mxf4), {}, "", paper, "[X], Table 5"},
    {" F L round ", amd, 0, {}, "", paper, "[X], Tables 6 and 7"},
    {" F2 sum drop ", any_of(cdna3), 0, {}, "", paper, "[X], Table 7 and Algorithms 10 and 11"},
    {" limit ", any_of(cdna3), 0, {}, "", paper, "[X] §4.2"},
    {" P ftz ", any_of(cdna2), 0, {}, "", paper, "[X], Table 6 and Algorithm 2"},
    {" F L round ", 0, any_of(f64), {}, "", paper, "[X], Algorithm 4"},
    {" F L round ", 0, 0, {}, "", paper, "[X], Table 4"},
    {" overflow ", 0, 0, {}, "", paper, "[X] §4.2; the simulators give infinity under rz too"},
    {" product c align ", 0, 0, {}, "", paper, "[X], Algorithms 2 to 11"},
    {"", 0, 0, {}, "", paper, "[X], §4: not seen"},
};
// clang-format on

} // namespace

ParameterEvidence evidence_for(const Identity& identity, std::string_view key, const std::string& value) {
    const std::string padded = " " + std::string(key) + " ";
    for (const WrittenUnit& unit : written_units()) {
        if (unit.arch != identity.arch || unit.instruction != identity.instruction) continue;
        for (const Said& said : unit.but)
            if (said.keys.find(padded) != std::string_view::npos)
                return {std::string(key), value, said.evidence, std::string(said.source)};
        return {std::string(key), value, unit.evidence, std::string(unit.source)};
    }
    const auto row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) {
        return (r.keys.empty() || r.keys.find(padded) != std::string_view::npos) && contains(r.archs, identity.arch) &&
               contains(r.inputs, identity.input) && (!r.d || *r.d == identity.d) &&
               is_named(identity.instruction, r.instructions);
    });
    return {std::string(key), value, row->evidence, std::string(row->source)};
}

} // namespace discern::tables
