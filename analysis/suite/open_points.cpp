// The table of open points: a row for each point and unit, with the readings as overrides or as whole units.
#include "open_points.hpp"

namespace discern {

namespace {

constexpr std::string_view floors = "floor of the largest exponent", zeros = "exponent of a zero product or c",
                           zero_sign = "sign of an exactly zero sum",
                           underflow = "sign of a negative result that underflows to zero",
                           flushed = "sign of flushed inputs and c", nan_bits = "bits of a NaN",
                           operands = "exponents of subnormal operands",
                           overflowing = "infinite c against an overflowing product of the other sign";

constexpr std::string_view first_by_h200 = "an H200, measured 2026-11-27: reading 1",
                           first_two_by_h200 = "an H200, measured 2026-11-27: readings 1 and 2, which are the same",
                           first_and_third_by_h200 =
                               "an H200, measured 2026-11-27: readings 1 and 3, which are the same";

const std::vector<Reading> zero_readings = {
    {"{zero=ignore}", "a zero term does not count"},
    {"{zero=emin}", "a zero term has the exponent of its fields (0·2^n counts as 2^(emin+n))"},
    {"{zero=-126}", "a zero term has the exponent -126"},
};
const std::vector<Reading> zero_sign_readings = {
    {"{zsign=pos}", "+0 always"},
    {"{zsign=ieee}", "-0 if all terms are -0, as in IEEE 754"},
};
const std::vector<Reading> underflow_readings = {
    {"{usign=pos}", "+0"},
    {"{usign=keep}", "-0"},
};
const std::vector<Reading> nan_readings = {
    {"{nan=7fc00000}", "the canonical quiet NaN"},
    {"{nan=7fffffff}", "all ones but the sign"},
    {"{nan=x86}", "the NaN of an operand, quieted; else the negative quiet NaN"},
};
const std::vector<Reading> operand_readings = {
    {"{operands=f16}", "those that they have in fp16, of whose instructions the assembler makes this one"},
    {"{operands=none}", "those of their own formats"},
};
const std::vector<Reading> zero_readings_of_cdna3 = {
    {"", "a zero c has the exponent -126, zero products do not count: simulator 2.1.1"},
    {"{zero=ignore}", "a zero term does not count: the paper"},
    {"{zero=emin}", "a zero term has the exponent of its fields (0·2^n counts as 2^(emin+n))"},
    {"{zero=-126}", "a zero term has the exponent -126"},
};
const std::vector<Reading> flush_readings = {
    {"{zin=pos}", "flushed inputs and c become +0, and so does -0: simulator 2.1.1"},
    {"{zin=keep}", "flushed inputs and c become +0, -0 keeps its sign: the paper"},
    {"{fsign=in+c+out}", "flushed inputs and c keep their sign"},
};
const std::vector<Reading> overflow_readings = {
    {"{oinf=counts}", "NaN: simulator 2.1.1"},
    {"{oinf=yields}", "c wins: the paper"},
};

const std::vector<Reading> dot2_readings = {
    {"", "products and c summed exactly, rounded once"},
    {"f16*f16+f32->f32 K=2 L=1 nan=any : round[f32 rne](fuse[exact](p*, c))", "fused multiply-adds"},
    {"f16*f16+f32->f32 K=2 nan=any : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact](p*)), c))",
     "the sum of the products rounded, then c"},
};
const std::vector<Reading> dot2_readings_of_gfx90a = {
    {"", "products and c summed exactly, rounded once"},
    {"f16*f16+f32->f32 K=2 L=1 nan=any : round[f32 rne](fuse[exact](p*[ftz=pos], c))", "fused multiply-adds"},
    {"f16*f16+f32->f32 K=2 nan=any : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact](p*[ftz=pos])), c))",
     "the sum of the products rounded, then c"},
};
const std::vector<Reading> nan_of_ace = {
    {"{nan=7fc00000}", "the positive quiet NaN: Bochs, which says that Intel's emulator gives it for a NaN scale"},
    {"{nan=ffc00000}", "the negative one, x86's default: the other emulator"},
};

// clang-format off
const std::vector<OpenPoint> points = {
    {"floor-hopper-bf16", floors, "hopper/wgmma.m64n8k16.f32.bf16.bf16",
     {{"{floor=-133}", "-133, as one measured vector of an H100 suggests"},
      {"{floor=none,zero=-133}", "none, and a zero term has the exponent -133: explains the same vector"},
      {"{floor=none}", "none"},
      {"{floor=-132}", "-132, as on Ampere"},
      {"{floor=-134}", "-134"},
      {"{floor=-126}", "-126, the smallest exponent of f32"}}, first_two_by_h200},
    {"operands-hopper-e4m3-e5m2", operands, "hopper/mma.m16n8k32.f32.e4m3.e5m2.f32", operand_readings, first_by_h200},
    {"operands-blackwell-e4m3-e5m2", operands, "blackwell/mma.m16n8k16.f32.e4m3.e5m2.f32", operand_readings},
    {"floor-ampere-bf16", floors, "ampere/mma.m16n8k16.f32.bf16.bf16.f32",
     {{"{floor=-132}", "-132"}, {"{floor=-133}", "-133, as on Hopper"}, {"{floor=none}", "none"}}},
    {"floor-hopper-tf32", floors, "hopper/mma.m16n8k8.f32.tf32.tf32.f32",
     {{"{floor=-133}", "-133"}, {"{floor=-132}", "-132, as on Ampere"}, {"{floor=none}", "none"}, {"{floor=-134}", "-134"}}, first_by_h200},
    {"floor-hopper-f16", floors, "hopper/wgmma.m64n8k16.f32.f16.f16",
     {{"{floor=-133}", "-133"}, {"{floor=none}", "none"}}},
    {"floor-hopper-f16-to-f16", floors, "hopper/wgmma.m64n8k16.f16.f16.f16",
     {{"{floor=-21}", "-21"}, {"{floor=-20}", "-20, as on Ampere"}, {"{floor=none}", "none"}, {"{floor=-22}", "-22"}}, first_by_h200},
    {"floor-volta-f16-to-f16", floors, "volta/mma.m8n8k4.f16.f16.f16.f16",
     {{"{floor=-19}", "-19"}, {"{floor=-20}", "-20, as on Ampere"}, {"{floor=none}", "none"}}},
    {"floor-turing-f16-to-f16", floors, "turing/mma.m16n8k8.f16.f16.f16.f16",
     {{"{floor=-20}", "-20, as on Ampere"}, {"{floor=-19}", "-19, as on Volta"}, {"{floor=none}", "none"}}},
    {"floor-hopper-e5m2-to-f16", floors, "hopper/wgmma.m64n8k32.f16.e5m2.e5m2",
     {{"{floor=none}", "none"}, {"{floor=-21}", "-21, as for fp16 inputs"}}},
    {"floor-blackwell-e5m2", floors, "blackwell/tcgen05.mma.m64n8k32.f32.e5m2.e5m2",
     {{"{floor=none}", "none"}, {"{floor=-133}", "-133, as for fp16 inputs"}}},
    {"floor-blackwell-mxfp8", floors, "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0",
     {{"{floor=-133}", "-133, as for fp16 inputs: simulator 2.1.1"}, {"{floor=none}", "none: the paper"}}},
    {"zero-volta-f16", zeros, "volta/mma.m8n8k4.f32.f16.f16.f32", zero_readings},
    {"zero-ampere-f16", zeros, "ampere/mma.m16n8k16.f32.f16.f16.f32", zero_readings},
    {"zero-hopper-f16", zeros, "hopper/wgmma.m64n8k16.f32.f16.f16", zero_readings, first_and_third_by_h200},
    {"zero-hopper-bf16", zeros, "hopper/wgmma.m64n8k16.f32.bf16.bf16", zero_readings, first_by_h200},
    {"zero-hopper-e4m3", zeros, "hopper/wgmma.m64n8k32.f32.e4m3.e4m3", zero_readings, first_and_third_by_h200},
    {"zero-blackwell-mxfp8", zeros, "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0", zero_readings},
    {"zero-cdna3-f16", zeros, "cdna3/v_mfma_f32_16x16x16_f16", zero_readings_of_cdna3},
    {"zero-cdna3-fp8", "exponent of a zero product, and of an odd or even group of zeros", "cdna3/v_mfma_f32_16x16x32_fp8_fp8",
     zero_readings_of_cdna3},
    {"cut-cdna3-f16", "what is truncated to 31 bits below the largest exponent, or below the leading bit", "cdna3/v_mfma_f32_32x32x8_f16",
     {{"", "the sum with c, below its leading bit: simulator 2.1.1, and an MI300X for fp8"},
      {"f16*f16+f32->f32 K=8 L=8 nan=any : round[f32 rne overflow=inf zsign=pos](fuse[F=31 rd zero=emin](fuse[F=24 rz](p*[limit=128:counts]), c @[F=24]))",
       "the sum of the products, below the largest exponent: the paper"}}},
    {"zero-group-blackwell-nvfp4", "whether a zero group takes part in the largest exponent", "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3",
     {{"", "an empty group and a zero c do with -139, a group that cancels with its scales' exponents: simulator 2.1.1"},
      {"{catalogue=paper}", "a zero group does, with its scales' exponents; a zero c does not: the paper"},
      {"{catalogue=paper,zero=ignore}", "neither does"},
      {"{catalogue=paper,zero=emin}", "both do, with the exponents of their fields"}}},
    {"zero-sign-hopper-f16", zero_sign, "hopper/wgmma.m64n8k16.f32.f16.f16", zero_sign_readings, first_by_h200},
    {"zero-sign-blackwell-e4m3", zero_sign, "blackwell/tcgen05.mma.m64n8k32.f32.e4m3.e4m3", zero_sign_readings},
    {"zero-sign-blackwell-nvfp4", zero_sign, "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3",
     zero_sign_readings},
    {"zero-sign-cdna1-f16", zero_sign, "cdna1/v_mfma_f32_16x16x16f16", zero_sign_readings},
    {"zero-sign-cdna3-f16", zero_sign, "cdna3/v_mfma_f32_16x16x16_f16", zero_sign_readings},
    {"underflow-ampere-f16", underflow, "ampere/mma.m16n8k16.f16.f16.f16.f16", underflow_readings},
    {"underflow-hopper-f16", underflow, "hopper/wgmma.m64n8k16.f16.f16.f16", underflow_readings, first_by_h200},
    {"c-of-volta", "exponent of a subnormal fp16 c with fp32 d", "volta/mma.m8n8k4.f32.f16.f16.f16",
     {{"{as=none}", "that of fp16"}, {"{as=f32}", "that after conversion to fp32"}}},
    {"sum-of-cdna1", "exact sums, or sums in pairs", "cdna1/v_mfma_f32_4x4x4f16",
     {{"", "four products and c summed exactly, rounded once"},
      {"f16*f16+f32->f32 K=4 nan=any : round[f32 rne overflow=inf zsign=pos](fuse[exact](c, round[f32 rne overflow=inf zsign=pos]"
       "(fuse[exact](round[f32 rne overflow=inf zsign=pos](fuse[exact](p0, p1)), round[f32 rne overflow=inf zsign=pos](fuse[exact](p2, p3))))))",
       "products summed in pairs, each sum rounded to fp32"}}},
    {"flush-cdna2-f16", flushed, "cdna2/v_mfma_f32_4x4x4f16", flush_readings},
    {"flush-cdna2-bf16", flushed, "cdna2/v_mfma_f32_4x4x4bf16_1k", flush_readings},
    {"overflow-cdna3-bf16", overflowing, "cdna3/v_mfma_f32_32x32x8_bf16", overflow_readings},
    {"overflow-cdna3-xf32", overflowing, "cdna3/v_mfma_f32_16x16x8_xf32", overflow_readings},
    {"nan-cdna1-f16", nan_bits, "cdna1/v_mfma_f32_16x16x16f16", nan_readings},
    {"nan-cdna2-f16", nan_bits, "cdna2/v_mfma_f32_4x4x4f16", nan_readings},
    {"nan-cdna3-f16", nan_bits, "cdna3/v_mfma_f32_16x16x16_f16", nan_readings},
    {"less-rdna3-f16", "how much lower than its own the exponent is with which c takes part in E", "rdna3/v_dot2_f32_f16",
     {{"{less=2}", "2: AMD's emulator"},
      {"{less=3}", "3, which every published result of a W7900 allows"},
      {"{less=24}", "24"}}},
    {"zero-rdna4-bf16", "whether a zero c takes part in E", "rdna4/v_dot2_f32_bf16",
     {{"", "it does, with the smallest exponent: AMD's emulator"},
      {"{zero=ignore}", "it does not, nor does a zero product"}}},
    {"zero-sign-rdna4-f16", zero_sign, "rdna4/v_dot2_f32_f16", zero_sign_readings},
    {"underflow-rdna4-f16", underflow, "rdna4/v_wmma_f16_16x16x16_f16.wave64", underflow_readings},
    {"wave-rdna4-f16", "the order of k", "rdna4/v_wmma_f32_16x16x16_f16.wave32",
     {{"", "0-3, 8-11, 4-7, 12-15, as a wave of 32"},
      {"rdna4/v_wmma_f32_16x16x16_f16.wave64", "0 to 15, as a wave of 64"}}},
    {"wmma-rdna4-fp8", "products of one step", "rdna4/v_wmma_f32_16x16x16_fp8_fp8",
     {{"", "4, as V_DOT4, in the order of k"}, {"{L=8}", "8"}, {"{L=16}", "16"}}},
    {"less-rdna35-f16", "the sum of products and c", "rdna35/v_dot2_f32_f16",
     {{"", "that of gfx1100: AMD's emulator"},
      {"f16*f16+f32->f32 K=2 nan=rdna : round[f32 rne ftz=after](fuse[F=24 rz frame=c](p*, c[ftz]))",
       "c takes part in E as products do: the first model of the issue thread"}}},
    {"frame-rdna35-f16", "the sign relative to which the sum is formed when S2 is zero", "rdna35/v_dot2_f32_f16",
     {{"{frame=c}", "that of S2's zero"},
      {"{frame=c_or_plus}", "+"},
      {"{frame=nonzero_c}", "none: no term is inverted"}}},
    {"opposed-rdna35-f16", "opposing terms that are zero or wholly shifted out", "rdna35/v_dot2_f32_f16",
     {{"{opposed=all}", "inverted, as all others"},
      {"{opposed=nonzero}", "a product that is zero is not"},
      {"{opposed=kept}", "nor is one of which the alignment leaves nothing"}}},
    {"round-rdna35-f16", "the final rounding", "rdna35/v_dot2_f32_f16",
     {{"{round=rne}", "to nearest, ties to even"},
      {"{round=rz}", "toward zero"},
      {"{round=rna}", "ties away from zero"}}},
    {"zero-rdna35-f16", zeros, "rdna35/v_dot2_f32_f16", zero_readings},
    {"sum-cdna2-dot2", "the sum of products and c", "cdna2/v_dot2_f32_f16", dot2_readings_of_gfx90a},
    {"sum-cdna4-dot2", "the sum of products and c", "cdna4/v_dot2_f32_f16", dot2_readings},
    {"flush-x86-ace-bf16", "whether products are flushed before they are added", "x86/top2bf16ps",
     {{"", "they are: Bochs"},
      {"bf16*bf16+f32->f32 K=2 nan=any : round[f32 rne ftz=after](fuse[exact](c[ftz], round[f32 rne ftz=after]"
       "(fuse[exact](round[f32 rne](p0[ftz]), round[f32 rne](p1[ftz])))))",
       "their sum alone is: the other emulator"}}},
    {"nan-x86-ace-mxfp8", nan_bits, "x86/top4mxhf8ps", nan_of_ace},
    {"sum-cdna4-f16", "the sum of products and c", "cdna4/v_mfma_f32_16x16x32_f16",
     {{"", "CDNA3's: blocks of 8, the sum with c truncated to 31 bits below its leading bit"},
      {"{L=16}", "the same in blocks of 16"},
      {"{L=32}", "the same in one block"},
      {"f16*f16+f32->f32 K=32 L=8 nan=any : round[f32 rne overflow=inf zsign=pos](fuse[exact](p*, c))", "exact sums of 8"}}},
    {"sum-cdna4-mxfp8", "the sum of products and c", "cdna4/v_mfma_scale_f32_16x16x128_f8f6f4.fp8.fp8",
     {{"", "fused sums of 32 with F=24, to nearest"},
      {"{F=25,round=rz}", "fused sums of 32 with F=25, toward zero, as Blackwell's"},
      {"{L=16}", "fused sums of 16 with F=24, to nearest"},
      {"{F=exact}", "exact sums of 32"}}},
    {"blocks-hopper-tf32", "products of one block", "hopper/mma.m16n8k8.f32.tf32.tf32.f32",
     {{"{L=8}", "8"}, {"{L=4}", "4, twice"}}, first_by_h200},
};
// clang-format on

} // namespace

std::span<const OpenPoint> open_points() { return points; }

std::string unit_text(const OpenPoint& point, std::size_t reading) {
    const std::string_view text = point.readings.at(reading).unit;
    return text.empty() || text.starts_with('{') ? std::string(point.unit) + std::string(text) : std::string(text);
}

} // namespace discern
