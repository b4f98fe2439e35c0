// Pairs whose answer is known: what the solvers must find, and what they must prove.
//
// The parameters that are open or were measured at the edge of what can be seen (floors, zero terms, the direction of
// alignment, fraction bits, the place of c), chips of one maker, and the two kinds of theorem about a truncated sum:
// how wide its register must be, and that its order does not matter.
#pragma once

#include "expectation.hpp"

#include <array>

namespace discern::bench {

inline constexpr auto expected_pairs = std::to_array<Expectation>({
    // The floor of the largest exponent, which one measured vector of an H100 decides.
    {"floor", "-133, or -132", names::hopper_bf16, "", "{floor=-132}", Verdict::different},
    {"floor", "-133, or none", names::hopper_bf16, "", "{floor=none}", Verdict::different},

    // What exponent a zero term has. bf16 products reach far below 2^-126, so that each reading shows.
    {"zero policy", "bf16: ignored, or that of the fields", names::hopper_bf16, "{zero=ignore}", "{zero=emin}",
     Verdict::different},
    {"zero policy", "bf16: ignored, or -126", names::hopper_bf16, "{zero=ignore}", "{zero=-126}", Verdict::different},
    {"zero policy", "bf16: that of the fields, or -126", names::hopper_bf16, "{zero=emin}", "{zero=-126}",
     Verdict::different},
    // fp16 products are at least 2^-48 and c has no exponent below -126: only if all terms are zero does e_max differ.
    {"zero policy", "fp16, L=4: ignored, or -126", names::volta, "{floor=none,zero=ignore}", "{floor=none,zero=-126}",
     Verdict::equivalent},
    {"zero policy", "fp16, L=8: ignored, or -126", names::ampere, "{floor=none,zero=ignore}", "{floor=none,zero=-126}",
     Verdict::equivalent},
    {"zero policy", "fp16, L=16: ignored, or -126", names::hopper, "{floor=none,zero=ignore}", "{floor=none,zero=-126}",
     Verdict::equivalent},

    {"alignment", "fp16, L=4: by rz, or by rd", names::volta, "", "{align=rd}", Verdict::different},
    {"alignment", "fp16, L=8: by rz, or by rd", names::ampere, "", "{align=rd}", Verdict::different},
    {"alignment", "fp16, L=16: by rz, or by rd", names::hopper, "", "{align=rd}", Verdict::different},
    {"alignment", "bf16, L=16: by rz, or by rd", names::hopper_bf16, "", "{align=rd}", Verdict::different},

    {"place of c", "fp16, L=4: in the sum, or added to it", names::volta, "", "{c=late}", Verdict::different},
    {"place of c", "fp16, L=8: in the sum, or added to it", names::ampere, "", "{c=late}", Verdict::different},
    {"place of c", "fp16, L=16: in the sum, or added to it", names::hopper, "", "{c=late}", Verdict::different},
    {"place of c", "bf16, L=16: in the sum, or added to it", names::hopper_bf16, "", "{c=late}", Verdict::different},

    // fp8 that the assembler expands to two fp16 instructions, against the instruction for fp8.
    {"interleaved fp8", "e4m3 into f32: by way of fp16, or native", "hopper/mma.m16n8k32.f32.e4m3.e4m3.f32", "",
     "hopper/wgmma.m64n8k32.f32.e4m3.e4m3", Verdict::different},
    {"interleaved fp8", "e5m2 into f32: by way of fp16, or native", "hopper/mma.m16n8k32.f32.e5m2.e5m2.f32", "",
     "hopper/wgmma.m64n8k32.f32.e5m2.e5m2", Verdict::different},
    {"interleaved fp8", "e4m3 into f16: by way of fp16, or native", "hopper/mma.m16n8k32.f16.e4m3.e4m3.f16", "",
     "hopper/wgmma.m64n8k32.f16.e4m3.e4m3", Verdict::different},
    {"interleaved fp8", "e5m2 into f16: by way of fp16, or native", "hopper/mma.m16n8k32.f16.e5m2.e5m2.f16", "",
     "hopper/wgmma.m64n8k32.f16.e5m2.e5m2", Verdict::different},

    {"CDNA", "fp16: CDNA1, or CDNA2", "cdna1/v_mfma_f32_4x4x4f16", "", "cdna2/v_mfma_f32_4x4x4f16", Verdict::different},
    {"CDNA", "fp16: CDNA1, or CDNA3", "cdna1/v_mfma_f32_4x4x4f16", "", "cdna3/v_mfma_f32_4x4x4_16b_f16",
     Verdict::different},
    {"CDNA", "fp16: CDNA2, or CDNA3", "cdna2/v_mfma_f32_4x4x4f16", "", "cdna3/v_mfma_f32_4x4x4_16b_f16",
     Verdict::different},
    {"CDNA", "bf16: CDNA1, or CDNA2", "cdna1/v_mfma_f32_32x32x4bf16", "", "cdna2/v_mfma_f32_32x32x4bf16_1k",
     Verdict::different},
    {"CDNA", "bf16: CDNA1, or CDNA3", "cdna1/v_mfma_f32_32x32x4bf16", "", "cdna3/v_mfma_f32_32x32x4_2b_bf16",
     Verdict::different},
    {"CDNA", "bf16: CDNA2, or CDNA3", "cdna2/v_mfma_f32_32x32x4bf16_1k", "", "cdna3/v_mfma_f32_32x32x4_2b_bf16",
     Verdict::different},
    {"CDNA", "bf16: pairs, or fours", "cdna2/v_mfma_f32_32x32x4bf16", "", "cdna2/v_mfma_f32_32x32x4bf16_1k",
     Verdict::different},

    // L products below 4 and c below 2 stay below 2^(2+carry) if carry = log2 L + 1; fp8 products are at most 3.52
    // (e4m3).
    {"carry bits", "fp16, L=4: 3 are as good as any number", names::volta, "{carry=wide}", "{carry=3}",
     Verdict::equivalent},
    {"carry bits", "fp16, L=4: 2 are too few", names::volta, "{carry=wide}", "{carry=2}", Verdict::different},
    {"carry bits", "bf16, L=4: 3 are as good as any number", names::ampere_bf16, "{K=4,L=4,carry=wide}",
     "{K=4,L=4,carry=3}", Verdict::equivalent},
    {"carry bits", "bf16, L=4: 2 are too few", names::ampere_bf16, "{K=4,L=4,carry=wide}", "{K=4,L=4,carry=2}",
     Verdict::different},
    {"carry bits", "fp16, L=8: 4 are as good as any number", names::ampere, "{carry=wide}", "{carry=4}",
     Verdict::equivalent},
    {"carry bits", "fp16, L=8: 3 are too few", names::ampere, "{carry=wide}", "{carry=3}", Verdict::different},
    {"carry bits", "bf16, L=8: 4 are as good as any number", names::ampere_bf16, "{carry=wide}", "{carry=4}",
     Verdict::equivalent},
    {"carry bits", "bf16, L=8: 3 are too few", names::ampere_bf16, "{carry=wide}", "{carry=3}", Verdict::different},
    {"carry bits", "fp16, L=16: 5 are as good as any number", names::hopper, "{carry=wide}", "{carry=5}",
     Verdict::equivalent},
    {"carry bits", "fp16, L=16: 4 are too few", names::hopper, "{carry=wide}", "{carry=4}", Verdict::different},
    {"carry bits", "bf16, L=16: 5 are as good as any number", names::hopper_bf16, "{carry=wide}", "{carry=5}",
     Verdict::equivalent},
    {"carry bits", "bf16, L=16: 4 are too few", names::hopper_bf16, "{carry=wide}", "{carry=4}", Verdict::different},
    {"carry bits", "fp8, L=16: 4 are as good as any number", names::ada_fp8, "{K=16}", "{K=16,carry=4}",
     Verdict::equivalent},
    {"carry bits", "fp8, L=16: 3 are too few", names::ada_fp8, "{K=16}", "{K=16,carry=3}", Verdict::different},

    // The tree is that of one block: in a chain of two, what is exchanged or reversed is so in both.
    {"order", "two products exchanged, L=4, K=4", names::volta, "",
     "f16*f16+f32->f32 K=4 L=4 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz](p1, p0, p2, "
     "p3, c))",
     Verdict::equivalent},
    {"order", "reversed inside of each block, L=4, K=4", names::volta, "",
     "f16*f16+f32->f32 K=4 L=4 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz](p3, p2, p1, "
     "p0, c))",
     Verdict::equivalent},
    {"order", "two products exchanged, L=4, K=8", names::volta, "{K=8}",
     "f16*f16+f32->f32 K=8 L=4 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz](p1, p0, p2, "
     "p3, c))",
     Verdict::equivalent},
    {"order", "reversed inside of each block, L=4, K=8", names::volta, "{K=8}",
     "f16*f16+f32->f32 K=8 L=4 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz](p3, p2, p1, "
     "p0, c))",
     Verdict::equivalent},
    {"order", "dealt to two blocks in turn, L=4, K=8", names::volta, "{K=8}", "{K=8,interleave=1}", Verdict::different},
    {"order", "two products exchanged, L=8, K=8", names::ampere, "",
     "f16*f16+f32->f32 K=8 L=8 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=24 rz "
     "floor=-132](p1, p0, p2, p3, p4, p5, p6, p7, c))",
     Verdict::equivalent},
    {"order", "reversed inside of each block, L=8, K=8", names::ampere, "",
     "f16*f16+f32->f32 K=8 L=8 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=24 rz "
     "floor=-132](p7, p6, p5, p4, p3, p2, p1, p0, c))",
     Verdict::equivalent},
    {"order", "two products exchanged, L=8, K=16", names::ampere, "{K=16}",
     "f16*f16+f32->f32 K=16 L=8 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=24 rz "
     "floor=-132](p1, p0, p2, p3, p4, p5, p6, p7, c))",
     Verdict::equivalent},
    {"order", "reversed inside of each block, L=8, K=16", names::ampere, "{K=16}",
     "f16*f16+f32->f32 K=16 L=8 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=24 rz "
     "floor=-132](p7, p6, p5, p4, p3, p2, p1, p0, c))",
     Verdict::equivalent},
    {"order", "dealt to two blocks in turn, L=8, K=16", names::ampere, "{K=16}", "{K=16,interleave=1}",
     Verdict::different},
    {"order", "two products exchanged, L=16, K=16", names::hopper, "",
     "f16*f16+f32->f32 K=16 L=16 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=25 rz "
     "floor=-133](p1, p0, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, c))",
     Verdict::equivalent},
    {"order", "reversed inside of each block, L=16, K=16", names::hopper, "",
     "f16*f16+f32->f32 K=16 L=16 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=25 rz "
     "floor=-133](p15, p14, p13, p12, p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0, c))",
     Verdict::equivalent},
    {"order", "two products exchanged, L=16, K=32", names::hopper, "{K=32}",
     "f16*f16+f32->f32 K=32 L=16 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=25 rz "
     "floor=-133](p1, p0, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, c))",
     Verdict::equivalent},
    {"order", "reversed inside of each block, L=16, K=32", names::hopper, "{K=32}",
     "f16*f16+f32->f32 K=32 L=16 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=25 rz "
     "floor=-133](p15, p14, p13, p12, p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0, c))",
     Verdict::equivalent},
    {"order", "dealt to two blocks in turn, L=16, K=32", names::hopper, "{K=32}", "{K=32,interleave=1}",
     Verdict::different},
});

/// True, and hard to prove: what the rows above and the published queries do not need.
inline constexpr auto hard_pairs = std::to_array<Expectation>({
    {"hard", "one product normalised as it is multiplied, or by a rounding", names::volta, "{K=1,product=full}",
     "f16*f16+f32->f32 K=1 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz "
     "zero=ignore](round[f32 rz zsign=pos](p0)@[zero=ignore], c))",
     Verdict::equivalent},
    {"hard", "the same for four products", names::volta, "{product=full}",
     "f16*f16+f32->f32 K=4 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz](round[f32 "
     "rne](p0)@[zero=ignore], round[f32 rne](p1)@[zero=ignore], round[f32 rne](p2)@[zero=ignore], round[f32 "
     "rne](p3)@[zero=ignore], c))",
     Verdict::equivalent},
    {"hard", "a sticky bit for two terms, fp16 products and fp32 c", names::volta, "{K=1,product=full,F=exact}",
     "{K=1,product=full,F=25,align=odd}", Verdict::equivalent},
    {"hard", "a sticky bit for two fp16 numbers",
     "f16*f16+f16->f16 K=1 : round[f16 rz](fuse[exact](round[f16 rz](p0), c))", "",
     "f16*f16+f16->f16 K=1 : round[f16 rz](fuse[F=12 odd](round[f16 rz](p0), c))", Verdict::equivalent},
});

} // namespace discern::bench
