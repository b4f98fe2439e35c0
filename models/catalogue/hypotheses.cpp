// Units of which little or nothing was measured: what emulators and reverse engineering say of them, and hypotheses.
//
// Sources: [Q] x86 ACE v1, specification 1.16.2 (June 2026), as two emulators read it: Bochs (amx_top.cc) and a Rust
// library; [C] corsix/amx, Apple's AMX by reverse engineering, with its emulation compared on M1 to M4; [L] LLVM pull
// request 205101, results on gfx90a and gfx950; [J] AMD's emulator rocjitsu. docs/sources.md has dates.
#include "written.hpp"

namespace discern::tables {

namespace {

using enum Arch;
using enum Evidence;

constexpr std::string_view a_hypothesis = "a hypothesis", ace = "[Q]: the specification, as two emulators read it",
                           amx = "[C]: compared with M1 to M4", products_first = "exact sum of four, rounded, then c";

constexpr Said of_ace_bf16[] = {
    {" nan ", open, "[Q]: Bochs keeps the NaN of an operand, the other emulator gives ffc00000"},
    {" ftz ", emulator,
     "[Q]: Bochs flushes the products too, the other emulator the sum alone; operands and c are flushed in both"}};
constexpr Said of_ace_mx[] = {{" nan ", open,
                               "[Q]: for a NaN scale Bochs gives 7fc00000, which it says that Intel's emulator "
                               "confirms, the other one ffc00000"}};
constexpr Said of_amx[] = {{" nan ", toolbox, "[C]: its emulation sets the bit for default NaN, 7fc00000 in f32"}};
constexpr Said of_amx_bf16[] = {{" nan zsign usign overflow ", open, "not said"}};
constexpr Said of_gfx90a[] = {{" ftz fsign ", silicon, "[L]: a subnormal f16 operand counts as zero, six results"}};
constexpr Said of_gfx950[] = {{" ftz ", silicon, "[L]: a subnormal f16 operand keeps its value, six results"}};

// clang-format off
constexpr WrittenUnit hypotheses[] = {
    {rdna4, "v_wmma_f32_16x16x16_fp8_fp8",
     "e4m3*e4m3+f32->f32 K=16 L=4 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p*), c @[zero=emin drop=24 less=2]))",
     "fused sum of four, then with c", open, "if it is a chain of V_DOT4 in the order of k: [J] has DOT4 alone", {}, a_hypothesis},
    {rdna4, "v_wmma_f32_16x16x16_bf8_bf8",
     "e5m2*e5m2+f32->f32 K=16 L=4 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p*), c @[zero=emin drop=24 less=2]))",
     "fused sum of four, then with c", open, "if it is a chain of V_DOT4 in the order of k: [J] has DOT4 alone", {}, a_hypothesis},
    {cdna2, "v_dot2_f32_f16",
     "f16*f16+f32->f32 K=2 nan=any : round[f32 rne](fuse[exact](p*[ftz=pos], c))",
     "exact sum", open, "of gfx90a nothing else is known", of_gfx90a, a_hypothesis},
    {cdna4, "v_dot2_f32_f16",
     "f16*f16+f32->f32 K=2 nan=any : round[f32 rne](fuse[exact](p*, c))",
     "exact sum", open, "of gfx950 nothing else is known", of_gfx950, a_hypothesis},
    {cdna4, "v_mfma_f32_16x16x32_f16",
     "f16*f16+f32->f32 K=32 L=8 nan=any : round[f32 rne overflow=inf zsign=pos](round[e8m31 rd overflow=inf](fuse[F=32 rd]("
     "fuse[F=24 rz](p*[limit=128:counts]), c @[F=24 zero=emin])))",
     "TR-FDPA", open, "if it is CDNA3's arithmetic", {}, a_hypothesis},
    {cdna4, "v_mfma_scale_f32_16x16x128_f8f6f4.fp8.fp8",
     "e4m3*e4m3+f32->f32 K=128 L=32 scale=e8m0/32 nan=any : round[f32 rne overflow=inf zsign=pos](fuse[F=24 rz](p*, c))",
     "ST-FDPA", open, "nothing is known", {}, a_hypothesis},

    {x86, "top2bf16ps",
     "bf16*bf16+f32->f32 K=2 nan=any : round[f32 rne ftz=after](fuse[exact](c[ftz], round[f32 rne ftz=after](fuse[exact]("
     "round[f32 rne ftz=after](p0[ftz]), round[f32 rne ftz=after](p1[ftz])))))",
     "rounded products, their rounded sum, then c", emulator, ace, of_ace_bf16, "ACE"},
    {x86, "top4mxbf8ps",
     "e5m2f*e5m2f+f32->f32 K=4 scale=e8m0/4 nan=any : round[f32 rne ftz=after](fuse[exact](c[ftz], round[f32 rne ftz=after zsign=pos](fuse[exact](p*))))",
     products_first, emulator, ace, of_ace_mx, "ACE; every pattern of its 8-bit formats is a number"},
    {x86, "top4mxbhf8ps",
     "e5m2f*e4m3f+f32->f32 K=4 scale=e8m0/4 nan=any : round[f32 rne ftz=after](fuse[exact](c[ftz], round[f32 rne ftz=after zsign=pos](fuse[exact](p*))))",
     products_first, emulator, ace, of_ace_mx, "ACE; every pattern of its 8-bit formats is a number"},
    {x86, "top4mxhbf8ps",
     "e4m3f*e5m2f+f32->f32 K=4 scale=e8m0/4 nan=any : round[f32 rne ftz=after](fuse[exact](c[ftz], round[f32 rne ftz=after zsign=pos](fuse[exact](p*))))",
     products_first, emulator, ace, of_ace_mx, "ACE; every pattern of its 8-bit formats is a number"},
    {x86, "top4mxhf8ps",
     "e4m3f*e4m3f+f32->f32 K=4 scale=e8m0/4 nan=any : round[f32 rne ftz=after](fuse[exact](c[ftz], round[f32 rne ftz=after zsign=pos](fuse[exact](p*))))",
     products_first, emulator, ace, of_ace_mx, "ACE; every pattern of its 8-bit formats is a number"},
    {x86, "top4mxbssps",
     "fix8.6*fix8.6+f32->f32 K=4 scale=e8m0/4 nan=any : round[f32 rne ftz=after](fuse[exact](c[ftz], round[f32 rne ftz=after zsign=pos](fuse[exact](p*))))",
     products_first, emulator, ace, of_ace_mx, "ACE"},

    {apple, "amx.fma16", "f16*f16+f16->f16 K=1 nan=any : round[f16 rne](fuse[exact](p*, c))", "FMA", toolbox, amx, of_amx},
    {apple, "amx.fma16.f32", "f16*f16+f32->f32 K=1 nan=any : round[f32 rne](fuse[exact](p*, c))", "FMA", toolbox, amx, of_amx},
    {apple, "amx.fma32", "f32*f32+f32->f32 K=1 nan=any : round[f32 rne](fuse[exact](p*, c))", "FMA", toolbox, amx, of_amx},
    {apple, "amx.fma64", "f64*f64+f64->f64 K=1 nan=any : round[f64 rne](fuse[exact](p*, c))", "FMA", toolbox, amx, of_amx},
    {apple, "amx.matfp.f32.bf16", "bf16*bf16+f32->f32 K=1 nan=any : round[f32 rne](fuse[exact](p*, c))", "FMA", toolbox,
     "[C]: from the M2 on", of_amx_bf16},
};
// clang-format on

} // namespace

std::span<const WrittenUnit> hypothetical_units() { return hypotheses; }

} // namespace discern::tables
