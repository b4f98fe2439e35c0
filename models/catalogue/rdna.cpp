// AMD's RDNA: dot products and WMMA of RDNA3 (gfx1100), RDNA3.5 (gfx1151) and RDNA4 (gfx1201).
//
// Sources: [J] AMD's emulator rocjitsu (ROCm/rocm-systems, emulation/rocjitsu): raw results of a Radeon Pro W7900 and
// of a Radeon AI Pro R9700 in its tests, which it reproduces, and its code; [I] ROCm/rocm-systems issue 12056. A
// parameter is `silicon` if some measured result refutes every other value of it; what only the emulator's code says is
// `emulator`. docs/sources.md has dates.
#include "written.hpp"

namespace discern::tables {

namespace {

using enum Arch;
using enum Evidence;

// One unit's arithmetic is that of all units of its card: a result of any of them is evidence.
constexpr std::string_view w7900 = "[J]: results of a Radeon Pro W7900 (gfx1100)",
                           r9700 = "[J]: results of a Radeon AI Pro R9700 (gfx1201)",
                           code = "[J]: the emulator's code; no measured result depends on it",
                           formats = "the instruction's shape";

constexpr Said of_rdna3[] = {
    {" K ", paper, formats},
    {" less ", emulator,
     "[J]: results of a W7900 refute 0 and 1; that it is 2, and no more, is in the emulator's code"},
    {" zero zsign usign limit carry floor drop as fsign ", emulator, code},
};
// With f16 operands no published result has a subnormal f32 number that would show it.
constexpr Said of_rdna3_f16_to_f32[] = {
    {" ftz ", silicon, "[J]: results of a W7900; that c and results are flushed is seen with bf16 operands"},
    {" K ", paper, formats},
    {" less ", emulator,
     "[J]: results of a W7900 refute 0 and 1; that it is 2, and no more, is in the emulator's code"},
    {" zero zsign usign limit carry floor drop as fsign ", emulator, code},
};
// The modes that [J]'s packed f16 results leave.
constexpr std::string_view ties =
    "[J]: measured results refute every mode but ties away from zero; the emulator's code "
    "rounds ties to even";
constexpr Said of_rdna3_f16[] = {
    {" round ", emulator, ties},
    {" K ", paper, formats},
    {" less ", emulator,
     "[J]: results of a W7900 refute 0 and 1; that it is 2, and no more, is in the emulator's code"},
    {" zero zsign usign limit carry floor drop as fsign ", emulator, code},
};
constexpr Said of_rdna4_f16[] = {
    {" round ", emulator, ties},
    {" K ", paper, formats},
    {" less ", silicon, "[J]: results of an R9700; of all 2,592 results one refutes 3"},
    {" drop ", silicon, "[J]: results of an R9700; of all 2,592 results two refute 25"},
    {" zero zsign usign limit carry floor as fsign ", emulator, code},
};
constexpr Said of_rdna35[] = {
    {" K ", paper, formats},
    {" less ", open, "[J]'s emulator, which takes gfx1100's function without a measurement; [I]: 0"},
    {" frame opposed zero zsign usign overflow round ", emulator,
     "[J]'s emulator, which takes gfx1100's function without a measurement; the model of [I] is not said, or was not "
     "seen, in this"},
};
constexpr Said of_rdna4[] = {
    {" K ", paper, formats},
    {" less ", silicon, "[J]: results of an R9700; of all 2,592 results one refutes 3"},
    {" drop ", silicon, "[J]: results of an R9700; of all 2,592 results two refute 25"},
    {" zero zsign usign limit carry floor as fsign ", emulator, code},
};
constexpr Said of_rdna4_fp8[] = {{" K ", paper, formats}};
constexpr std::string_view rdna4_fp8 = "[J]: the emulator's code (gfx12_dot.h); no result of a card was published";

constexpr std::string_view opposed_sum = "fused in the sign of c", pairs = "sums of pairs, then fused with c",
                           four = "fused sum of four, then with c";
constexpr std::string_view in_wave32 = "of a wave of 32: k in the order 0-3, 8-11, 4-7, 12-15",
                           in_wave64 = "of a wave of 64: k in order";

// clang-format off
constexpr WrittenUnit of_rdna_cards[] = {
    {rdna3, "v_dot2_f32_f16",
     "f16*f16+f32->f32 K=2 nan=rdna : round[f32 rne overflow=inf ftz=after:pos zsign=pos usign=pos](fuse[F=24 rz frame=c](p*, c[ftz] @[less=2]))",
     opposed_sum, silicon, w7900, of_rdna3_f16_to_f32},
    {rdna3, "v_dot2_f32_bf16",
     "bf16*bf16+f32->f32 K=2 nan=rdna : round[f32 rne overflow=inf ftz=after:pos zsign=pos usign=pos](fuse[F=24 rz frame=c](p*[ftz], c[ftz] @[less=2]))",
     opposed_sum, silicon, w7900, of_rdna3},
    {rdna3, "v_wmma_f32_16x16x16_f16",
     "f16*f16+f32->f32 K=16 L=2 nan=rdna : round[f32 rne overflow=inf ftz=after:pos zsign=pos usign=pos](fuse[F=24 rz frame=c](p*, c[ftz] @[less=2]))",
     opposed_sum, silicon, w7900, of_rdna3_f16_to_f32},
    {rdna3, "v_wmma_f32_16x16x16_bf16",
     "bf16*bf16+f32->f32 K=16 L=2 nan=rdna : round[f32 rne overflow=inf ftz=after:pos zsign=pos usign=pos](fuse[F=24 rz frame=c](p*[ftz], c[ftz] @[less=2]))",
     opposed_sum, silicon, w7900, of_rdna3},
    {rdna3, "v_wmma_f16_16x16x16_f16",
     "f16*f16+f16->f16 K=16 L=2 nan=rdna : round[f16 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rz frame=c](p*, c @[zero=emin less=2]))",
     opposed_sum, silicon, w7900, of_rdna3_f16},
    {rdna3, "v_wmma_bf16_16x16x16_bf16",
     "bf16*bf16+bf16->bf16 K=16 L=2 nan=rdna : round[bf16 rz](round[f32 rne overflow=inf ftz=after:pos zsign=pos usign=pos](fuse[F=24 rz frame=c](p*[ftz], c[ftz] @[less=2])))",
     opposed_sum, silicon, w7900, of_rdna3},

    {rdna35, "v_dot2_f32_f16",
     "f16*f16+f32->f32 K=2 nan=rdna : round[f32 rne overflow=inf ftz=after:pos zsign=pos usign=pos](fuse[F=24 rz frame=c](p*, c[ftz] @[less=2]))",
     opposed_sum, emulator, "[J]'s emulator, which takes gfx1100's function without a measurement; [I] agrees", of_rdna35},
    {rdna35, "v_dot2_f32_bf16",
     "bf16*bf16+f32->f32 K=2 nan=rdna : round[f32 rne overflow=inf ftz=after:pos zsign=pos usign=pos](fuse[F=24 rz frame=c](p*[ftz], c[ftz] @[less=2]))",
     opposed_sum, emulator, "[J]'s emulator, which takes gfx1100's function without a measurement; [I] agrees", of_rdna35},

    {rdna4, "v_dot2_f32_f16",
     "f16*f16+f32->f32 K=2 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p*), c @[zero=emin drop=24 less=2]))",
     pairs, silicon, r9700, of_rdna4},
    {rdna4, "v_dot2_f32_bf16",
     "bf16*bf16+f32->f32 K=2 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p*), c @[zero=emin drop=24 less=2]))",
     pairs, silicon, r9700, of_rdna4},
    {rdna4, "v_wmma_f32_16x16x16_f16.wave32",
     "f16*f16+f32->f32 K=16 L=8 interleave=4 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p4, p5), fuse[F=24 rd](p6, p7), "
     "round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p0, p1), fuse[F=24 rd](p2, p3), c @[zero=emin drop=24 less=2])) @[zero=emin drop=24 less=2]))",
     pairs, silicon, r9700, of_rdna4, in_wave32},
    {rdna4, "v_wmma_f32_16x16x16_f16.wave64",
     "f16*f16+f32->f32 K=16 L=4 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p0, p1), fuse[F=24 rd](p2, p3), c @[zero=emin drop=24 less=2]))",
     pairs, silicon, r9700, of_rdna4, in_wave64},
    {rdna4, "v_wmma_f32_16x16x16_bf16.wave32",
     "bf16*bf16+f32->f32 K=16 L=8 interleave=4 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p4, p5), fuse[F=24 rd](p6, p7), "
     "round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p0, p1), fuse[F=24 rd](p2, p3), c @[zero=emin drop=24 less=2])) @[zero=emin drop=24 less=2]))",
     pairs, silicon, r9700, of_rdna4, in_wave32},
    {rdna4, "v_wmma_f32_16x16x16_bf16.wave64",
     "bf16*bf16+f32->f32 K=16 L=4 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p0, p1), fuse[F=24 rd](p2, p3), c @[zero=emin drop=24 less=2]))",
     pairs, silicon, r9700, of_rdna4, in_wave64},
    {rdna4, "v_wmma_f16_16x16x16_f16.wave32",
     "f16*f16+f16->f16 K=16 L=8 interleave=4 nan=rdna : round[f16 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p4, p5), fuse[F=24 rd](p6, p7), "
     "round[f16 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p0, p1), fuse[F=24 rd](p2, p3), c @[zero=emin drop=24 less=2])) @[zero=emin drop=24 less=2]))",
     pairs, silicon, r9700, of_rdna4_f16, in_wave32},
    {rdna4, "v_wmma_f16_16x16x16_f16.wave64",
     "f16*f16+f16->f16 K=16 L=4 nan=rdna : round[f16 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p0, p1), fuse[F=24 rd](p2, p3), c @[zero=emin drop=24 less=2]))",
     pairs, silicon, r9700, of_rdna4_f16, in_wave64},
    {rdna4, "v_wmma_bf16_16x16x16_bf16.wave32",
     "bf16*bf16+bf16->bf16 K=16 L=8 interleave=4 nan=rdna : round[bf16 rz](round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p4, p5), fuse[F=24 rd](p6, p7), "
     "round[bf16 rz](round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p0, p1), fuse[F=24 rd](p2, p3), c @[zero=emin drop=24 less=2]))) @[zero=emin drop=24 less=2])))",
     pairs, silicon, r9700, of_rdna4, in_wave32},
    {rdna4, "v_wmma_bf16_16x16x16_bf16.wave64",
     "bf16*bf16+bf16->bf16 K=16 L=4 nan=rdna : round[bf16 rz](round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p0, p1), fuse[F=24 rd](p2, p3), c @[zero=emin drop=24 less=2])))",
     pairs, silicon, r9700, of_rdna4, in_wave64},

    {rdna4, "v_dot4_f32_fp8_fp8",
     "e4m3*e4m3+f32->f32 K=4 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p*), c @[zero=emin drop=24 less=2]))",
     four, emulator, rdna4_fp8, of_rdna4_fp8},
    {rdna4, "v_dot4_f32_fp8_bf8",
     "e4m3*e5m2+f32->f32 K=4 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p*), c @[zero=emin drop=24 less=2]))",
     four, emulator, rdna4_fp8, of_rdna4_fp8},
    {rdna4, "v_dot4_f32_bf8_fp8",
     "e5m2*e4m3+f32->f32 K=4 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p*), c @[zero=emin drop=24 less=2]))",
     four, emulator, rdna4_fp8, of_rdna4_fp8},
    {rdna4, "v_dot4_f32_bf8_bf8",
     "e5m2*e5m2+f32->f32 K=4 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd](fuse[F=24 rd](p*), c @[zero=emin drop=24 less=2]))",
     four, emulator, rdna4_fp8, of_rdna4_fp8},
};
// clang-format on

} // namespace

std::span<const WrittenUnit> rdna_units() { return of_rdna_cards; }

} // namespace discern::tables
