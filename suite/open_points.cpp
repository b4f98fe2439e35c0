// See open_points.hpp. One row a point and a unit; what a row cannot say in overrides it says as a whole unit.
#include "open_points.hpp"

namespace discern {

namespace {

constexpr std::string_view floors = "floor of the largest exponent", zeros = "exponent of a zero product or c",
                           zero_sign = "sign of an exactly zero sum",
                           underflow = "sign of a negative result that underflows to zero",
                           flushed = "sign of flushed inputs and c", nan_bits = "bits of a NaN",
                           overflowing = "infinite c against an overflowing product of the other sign";

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

const std::vector<OpenPoint> points = {
    {"floor-hopper-bf16",
     floors,
     "hopper/wgmma.m64n8k16.f32.bf16.bf16",
     {{"{floor=-133}", "-133, as one measured vector of an H100 suggests"},
      {"{floor=none,zero=-133}", "none, and a zero term has the exponent -133: explains the same vector"},
      {"{floor=none}", "none"},
      {"{floor=-132}", "-132, as on Ampere"},
      {"{floor=-134}", "-134"},
      {"{floor=-126}", "-126, the smallest exponent of f32"}}},
    {"floor-ampere-bf16",
     floors,
     "ampere/mma.m16n8k16.f32.bf16.bf16.f32",
     {{"{floor=-132}", "-132"}, {"{floor=-133}", "-133, as on Hopper"}, {"{floor=none}", "none"}}},
    {"floor-hopper-tf32",
     floors,
     "hopper/mma.m16n8k8.f32.tf32.tf32.f32",
     {{"{floor=-133}", "-133"}, {"{floor=-132}", "-132, as on Ampere"}, {"{floor=none}", "none"}}},
    {"floor-hopper-f16",
     floors,
     "hopper/wgmma.m64n8k16.f32.f16.f16",
     {{"{floor=-133}", "-133"}, {"{floor=none}", "none"}}},
    {"floor-hopper-f16-to-f16",
     floors,
     "hopper/wgmma.m64n8k16.f16.f16.f16",
     {{"{floor=-21}", "-21"}, {"{floor=-20}", "-20, as on Ampere"}, {"{floor=none}", "none"}}},
    {"floor-volta-f16-to-f16",
     floors,
     "volta/mma.m8n8k4.f16.f16.f16.f16",
     {{"{floor=-19}", "-19"}, {"{floor=-20}", "-20, as on Ampere"}, {"{floor=none}", "none"}}},
    {"floor-turing-f16-to-f16",
     floors,
     "turing/mma.m16n8k8.f16.f16.f16.f16",
     {{"{floor=-20}", "-20, as on Ampere"}, {"{floor=-19}", "-19, as on Volta"}, {"{floor=none}", "none"}}},
    {"floor-hopper-e5m2-to-f16",
     floors,
     "hopper/wgmma.m64n8k32.f16.e5m2.e5m2",
     {{"{floor=none}", "none"}, {"{floor=-21}", "-21, as for fp16 inputs"}}},
    {"floor-blackwell-e5m2",
     floors,
     "blackwell/tcgen05.mma.m64n8k32.f32.e5m2.e5m2",
     {{"{floor=none}", "none"}, {"{floor=-133}", "-133, as for fp16 inputs"}}},
    {"floor-blackwell-mxfp8",
     floors,
     "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0",
     {{"{floor=-133}", "-133, as for fp16 inputs: simulator 2.1.1"}, {"{floor=none}", "none: the paper"}}},
    {"zero-volta-f16", zeros, "volta/mma.m8n8k4.f32.f16.f16.f32", zero_readings},
    {"zero-ampere-f16", zeros, "ampere/mma.m16n8k16.f32.f16.f16.f32", zero_readings},
    {"zero-hopper-f16", zeros, "hopper/wgmma.m64n8k16.f32.f16.f16", zero_readings},
    {"zero-hopper-bf16", zeros, "hopper/wgmma.m64n8k16.f32.bf16.bf16", zero_readings},
    {"zero-hopper-e4m3", zeros, "hopper/wgmma.m64n8k32.f32.e4m3.e4m3", zero_readings},
    {"zero-blackwell-mxfp8", zeros, "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0", zero_readings},
    {"zero-cdna3-f16", zeros, "cdna3/v_mfma_f32_16x16x16_f16", zero_readings_of_cdna3},
    {"zero-cdna3-fp8", "exponent of a zero product, and of an odd or even group of zeros",
     "cdna3/v_mfma_f32_16x16x32_fp8_fp8", zero_readings_of_cdna3},
    {"cut-cdna3-f16",
     "what is cut to 31 places below the largest exponent, or below the leading bit",
     "cdna3/v_mfma_f32_32x32x8_f16",
     {{"", "the sum with c, below its leading bit: simulator 2.1.1, and an MI300X for fp8"},
      {"f16*f16+f32->f32 K=8 L=8 nan=any : round[f32 rne overflow=inf zsign=pos](fuse[F=31 rd zero=emin](fuse[F=24 rz]("
       "p*[limit=128:counts]), c @[F=24]))",
       "the sum of the products, below the largest exponent: the paper"}}},
    {"zero-group-blackwell-nvfp4",
     "whether a zero group takes part in the largest exponent",
     "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3",
     {{"",
       "an empty group and a zero c do with -139, a group that cancels with its scales' exponents: simulator 2.1.1"},
      {"{catalogue=paper}", "a zero group does, with its scales' exponents; a zero c does not: the paper"},
      {"{catalogue=paper,zero=ignore}", "neither does"},
      {"{catalogue=paper,zero=emin}", "both do, with the exponents of their fields"}}},
    {"zero-sign-hopper-f16", zero_sign, "hopper/wgmma.m64n8k16.f32.f16.f16", zero_sign_readings},
    {"zero-sign-blackwell-e4m3", zero_sign, "blackwell/tcgen05.mma.m64n8k32.f32.e4m3.e4m3", zero_sign_readings},
    {"zero-sign-blackwell-nvfp4", zero_sign, "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3",
     zero_sign_readings},
    {"zero-sign-cdna1-f16", zero_sign, "cdna1/v_mfma_f32_16x16x16f16", zero_sign_readings},
    {"zero-sign-cdna3-f16", zero_sign, "cdna3/v_mfma_f32_16x16x16_f16", zero_sign_readings},
    {"underflow-ampere-f16", underflow, "ampere/mma.m16n8k16.f16.f16.f16.f16", underflow_readings},
    {"underflow-hopper-f16", underflow, "hopper/wgmma.m64n8k16.f16.f16.f16", underflow_readings},
    {"c-of-volta",
     "exponent of a subnormal fp16 c with fp32 d",
     "volta/mma.m8n8k4.f32.f16.f16.f16",
     {{"{as=none}", "that of fp16"}, {"{as=f32}", "that after conversion to fp32"}}},
    {"sum-of-cdna1",
     "exact sums, or sums in pairs",
     "cdna1/v_mfma_f32_4x4x4f16",
     {{"", "four products and c summed exactly, rounded once"},
      {"f16*f16+f32->f32 K=4 nan=any : round[f32 rne overflow=inf zsign=pos](fuse[exact](c, "
       "round[f32 rne overflow=inf zsign=pos](fuse[exact](round[f32 rne overflow=inf zsign=pos](fuse[exact](p0, p1)), "
       "round[f32 rne overflow=inf zsign=pos](fuse[exact](p2, p3))))))",
       "products summed in pairs, each sum rounded to fp32"}}},
    {"flush-cdna2-f16", flushed, "cdna2/v_mfma_f32_4x4x4f16", flush_readings},
    {"flush-cdna2-bf16", flushed, "cdna2/v_mfma_f32_4x4x4bf16_1k", flush_readings},
    {"overflow-cdna3-bf16", overflowing, "cdna3/v_mfma_f32_32x32x8_bf16", overflow_readings},
    {"overflow-cdna3-xf32", overflowing, "cdna3/v_mfma_f32_16x16x8_xf32", overflow_readings},
    {"nan-cdna1-f16", nan_bits, "cdna1/v_mfma_f32_16x16x16f16", nan_readings},
    {"nan-cdna2-f16", nan_bits, "cdna2/v_mfma_f32_4x4x4f16", nan_readings},
    {"nan-cdna3-f16", nan_bits, "cdna3/v_mfma_f32_16x16x16_f16", nan_readings},
    {"blocks-hopper-tf32",
     "products of one block",
     "hopper/mma.m16n8k8.f32.tf32.tf32.f32",
     {{"{L=8}", "8"}, {"{L=4}", "4, twice"}}},
};

} // namespace

std::span<const OpenPoint> open_points() { return points; }

} // namespace discern
