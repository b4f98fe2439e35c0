// Instructions as assemblers write them, and formats and cards as people call them.
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/format.hpp"
#include "models/notation.hpp"
#include "models/products.hpp"
#include "models/unit/sentence.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace discern {
namespace {

std::string refusal_of_name(const std::string& text) {
    try {
        resolve_unit(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "no refusal_of_name about " + text;
}

void expect_part(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Mnemonic, NamesItsUnit) {
    for (const auto& [text, name] : std::vector<std::pair<std::string, std::string>>{
             {"A100/mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "ampere/mma.m16n8k16.f32.f16.f16.f32"},
             {"ampere/mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1}, {%r0}, {%r1}, {%f2};",
              "ampere/mma.m16n8k16.f32.bf16.bf16.f32"},
             {"sm_89/mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", "ada/mma.m16n8k32.f32.e4m3.e5m2.f32"},
             {"rtxblackwell/"
              "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0",
              "rtxblackwell/mma.m16n8k32.block32.f32.e4m3.e4m3.f32.ue8m0"},
             {"mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3",
              "rtxblackwell/mma.m16n8k64.block16.f32.e2m1.e2m1.ue4m3"},
             {"mma.sync.aligned.kind::mxf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0",
              "rtxblackwell/mma.m16n8k64.block32.f32.e2m1.e2m1.ue8m0"},
             {"wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", "hopper/wgmma.m64n8k16.f32.f16.f16"},
             {"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3", "hopper/wgmma.m64n8k32.f32.e4m3.e4m3"},
             {"B200/tcgen05.mma.cta_group::1.kind::tf32", "blackwell/tcgen05.mma.m64n8k8.f32.tf32.tf32"},
             {"A100/HMMA.16816.F32", "ampere/mma.m16n8k16.f32.f16.f16.f32"},
             {"A100/HMMA.16816.F32.BF16 R4, R8, R12, R4 ;", "ampere/mma.m16n8k16.f32.bf16.bf16.f32"},
             {"A100/HMMA.16816.F16", "ampere/mma.m16n8k16.f16.f16.f16.f16"},
             {"ampere/HMMA.1688.F32.TF32", "ampere/mma.m16n8k8.f32.tf32.tf32.f32"},
             {"A100/HMMA.1684.F32.TF32", "ampere/mma.m16n8k4.f32.tf32.tf32.f32"},
             {"V100/HMMA.884.F32.F32.STEP0", "volta/mma.m8n8k4.f32.f16.f16.f32"},
             {"A100/DMMA.884", "ampere/mma.m8n8k4.f64.f64.f64.f64"},
             {"A100/DMMA.884.RZ", "ampere/mma.m8n8k4.rz.f64.f64.f64.f64"},
             {"H100/DMMA.16x8x8.RP", "hopper/mma.m16n8k8.rp.f64.f64.f64.f64"},
             {"sm_80/mma.sync.aligned.m8n8k4.row.col.rn.f64.f64.f64.f64", "ampere/mma.m8n8k4.f64.f64.f64.f64"},
             {"sm_80/mma.sync.aligned.m8n8k4.row.col.rm.f64.f64.f64.f64", "ampere/mma.m8n8k4.rm.f64.f64.f64.f64"},
             {"RTX 4090/QMMA.16832.F32.E4M3.E5M2", "ada/mma.m16n8k32.f32.e4m3.e5m2.f32"},
             {"OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X R4, R8, R12, R4",
              "rtxblackwell/mma.m16n8k64.block16.f32.e2m1.e2m1.ue4m3"},
             {"QMMA.SF.16832.F32.E4M3.E4M3.E8", "rtxblackwell/mma.m16n8k32.block32.f32.e4m3.e4m3.f32.ue8m0"},
             {"vdpbf16ps zmm0{k1}{z}, zmm1, zmm2", "x86/vdpbf16ps"},
             {"TDPBF16PS tmm0, tmm1, tmm2", "x86/tdpbf16ps"},
             {"HGMMA.64x128x16.F32", "hopper/wgmma.m64n8k16.f32.f16.f16"},
             {"H100/HGMMA.64x8x8.F32.TF32", "hopper/wgmma.m64n8k8.f32.tf32.tf32"},
             {"H100/QGMMA.64x16x32.F32.E5M2.E4M3", "hopper/wgmma.m64n8k32.f32.e5m2.e4m3"},
             {"MI300X/v_mfma_f32_16x16x16_f16", "cdna3/v_mfma_f32_16x16x16_f16"},
             {"MI300X/V_MFMA_F32_16X16X16_F16 v[0:3], v[4:5], v[6:7], v[0:3]", "cdna3/v_mfma_f32_16x16x16_f16"},
             {"gfx942/__builtin_amdgcn_mfma_f32_16x16x16f16", "cdna3/v_mfma_f32_16x16x16_f16"},
             {"rdna3/V_WMMA_F32_16X16X16_F16", "rdna3/v_wmma_f32_16x16x16_f16"},
             {"gfx1200/__builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12", "rdna4/v_wmma_f32_16x16x16_f16.wave32"},
             {"BFDOT", "arm/bfdot"},
             {"bfdot v0.4s, v1.8h, v2.2h[1]", "arm/bfdot"},
             {"BFMMLA V0.4S, V1.8H, V2.8H", "arm/bfmmla"},
             {"BFMOPA ZA0.S, P0/M, P1/M, Z0.H, Z1.H", "arm/bfmopa"},
             {"bfmopa za0.h, p0/m, p1/m, z0.h, z1.h", "arm/bfmopa.bf16.bf16"},
             {"FMOPA ZA0.S, P0/M, P1/M, Z0.H, Z1.H", "arm/fmopa.f32.f16"},
             {"arm/fmopa za3.s, p0/m, p1/m, z0.s, z1.s;", "arm/fmopa.f32.f32"},
             {"fmopa\tza7.d, p0/m, p1/m, z0.d, z1.d", "arm/fmopa.f64.f64"},
             {"fmopa za1.h, p0/m, p1/m, z0.h, z1.h", "arm/fmopa.f16.f16"},
             {"fdot za.s[w8, 0, vgx2], {z0.h-z1.h}, z2.h", "arm/fdot.f32.f16"},
             {"FDOT Z0.S, Z1.H, Z2.H[1]", "arm/fdot.f32.f16"},
             {"fmlalb z0.s, z1.h, z2.h", "arm/fmlalb"},
             {"fmmla z0.d, z1.d, z2.d", "arm/fmmla.f64"},
             {"bfmlalt v0.4s, v1.8h, v2.8h", "arm/bfmlalt"},
             {"vdpbf16ps", "x86/vdpbf16ps"},
         }) {
        const CatalogueEntry* const entry = find_entry(name);
        ASSERT_NE(entry, nullptr) << name;
        try {
            EXPECT_EQ(resolve_unit(text), entry->unit) << text;
        } catch (const Error& error) {
            ADD_FAILURE() << text << ": " << error.what();
        }
    }
}

TEST(Mnemonic, OfSeveralSaysWhich) {
    expect_part(refusal_of_name("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), "may be ");
    expect_part(refusal_of_name("HMMA.16816.F32"), "ampere/mma.m16n8k16.f32.f16.f16.f32");
    expect_part(refusal_of_name("tcgen05.mma.cta_group::1.kind::f16"), "f32.bf16.bf16");
    expect_part(refusal_of_name("V100/HMMA.16816.F32"), "it is no instruction of volta");
    expect_part(refusal_of_name("mma.sync.aligned.m16n8k16.row.col"), "it is no instruction of the catalogue");
    // What is not known may mean other values, as what is behind the operands does.
    for (const char* text :
         {"MI300X/v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], a[0:7] neg:[1,0,0]",
          "rdna3/v_dot2_f32_f16 v0, v1, v2, v3 clamp",
          "MI300X/v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], a[0:3] cbsz:1 abid:2",
          "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, -1, 1, 0, 0;"})
        expect_part(refusal_of_name(text), "behind a mnemonic changes what it computes");
    expect_part(refusal_of_name("fmopa"), "may be 12 units: arm/fmopa.f32.f16, ");
    expect_part(refusal_of_name("fmopa za0.s, p0/m, p0/m, z0.b, z1.b"), "may be 4 units: arm/fmopa.f32.e4m3.e4m3, ");
    expect_part(refusal_of_name("fmopa za0.d, p0/m, p0/m, z0.b, z1.b"), "no fmopa of such elements");
    expect_part(refusal_of_name("BFMOPS"), "with a negated");
    EXPECT_EQ(resolve_unit("arm/bfdot {nan=any}"), resolve_unit("arm/bfdot{nan=any}"));
    EXPECT_NO_THROW(resolve_unit("rdna3/v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] neg_lo:[0,0,0]"));
    expect_part(refusal_of_name("sm_80/mma.sync.aligned.m16n8k16.row.col.frob.f32.f16.f16.f32"),
                "it is no instruction");
    expect_part(refusal_of_name("sm_80/mma.sync.aligned.m16n8k16.row.col.rz.f32.f16.f16.f32"), "it is no instruction");
    expect_part(refusal_of_name("H100/QGMMA.SP.64x16x32.F32.E5M2.E4M3"), "it is no instruction");
}

TEST(Names, OfFormats) {
    const auto is = [](const char* text, const char* name) {
        EXPECT_EQ(resolve_unit(text), resolve_unit(name)) << text;
    };
    is("A100/float16", "A100/f16");
    is("H100/float8_e4m3fn", "H100/e4m3");
    is("A100/half.half", "A100/f16.f16");
    is("B200/nvfp4", "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3");
    is("B200/MXFP4", "blackwell/tcgen05.mma.m128n8k64.block32.f32.e2m1.e2m1.ue8m0");
    is("RTX PRO 6000/mxfp8_e4m3", "rtxblackwell/mma.m16n8k32.block32.f32.e4m3.e4m3.f32.ue8m0");
    expect_part(refusal_of_name("H100/fp8"), "fp8 is e4m3 or e5m2");
    expect_part(refusal_of_name("B200/mxfp8"), "mxfp8_e4m3 or mxfp8_e5m2");
    expect_part(refusal_of_name("A100/nvfp4"), "A100 has no unit of 'nvfp4'");
    EXPECT_EQ(require_format("bfloat16", "a test"), FormatId::bf16);
    for (const char* text : {"fp8", "nvfp4", "mxfp8"}) EXPECT_THROW(require_format(text, "a test"), Error) << text;
}

/// Signed ones with K bits and a precision of P are e(K−P)m(P−1)fnuz if they are finite, and …inuz if they are
/// extended; python/tests/test_p3109.py has their numbers.
TEST(Names, OfFormatsOfP3109) {
    const auto is = [](const char* text, const char* name) {
        EXPECT_EQ(format(require_format(text, "a test")).name, name) << text;
    };
    is("binary8p3sf", "e5m2fnuz");
    is("Binary8P4SF", "e4m3fnuz");
    is("p3109_k8p5sf", "e3m4fnuz");
    is("binary16p11sf", "e5m10fnuz");
    is("binary16", "f16");
    is("binary8p3se", "e5m2inuz");
    is("BINARY8P4SE", "e4m3inuz");
    is("p3109_k6p3se", "e3m2inuz");
    is("binary8p3", "e5m2inuz"); // as the first report had it
    const auto refused = [](const std::string& text, const std::string& part) {
        expect_part(refusal_of_name(text + "*f16->f32 K=1 : round[f32 rne](p*)"), part);
    };
    refused("p3109_k8p3uf", "binary8p3uf of P3109 has no sign");
    refused("p3109_k8p3uf", "binary8p3sf, which is e5m2fnuz");
    refused("binary8p3ue", "binary8p3se, which is e5m2inuz");
    refused("binary8p1sf", "7 exponent and 0 fraction bits");
    refused("binary8p1", "binary8p1se of P3109 has 7 exponent and 0 fraction bits");
    refused("binary8p7se", "1 exponent and 6 fraction bits");
    refused("binary8p8sf", "does not exist");
    refused("binary8p3sx", "the format of a");
    refused("binary8p", "the format of a");
    refused("fp8", "fp8 is e4m3 or e5m2");
    EXPECT_EQ(to_string(parse_unit("float16*Half+FP32->binary32 K=1 : round[single rne](fuse[exact](p*, c))")),
              "f16*f16+f32->f32 K=1 L=1 nan=any : round[f32 rne](fuse[exact](p*, c))");
}

TEST(Names, OfCardsAndArchitectures) {
    for (const auto& [text, architecture] : std::vector<std::pair<std::string, std::string>>{
             {"RTX 4060", "ada"},
             {"3060", "ampere"},
             {"RTX 5060", "rtxblackwell"},
             {"rtx2060", "turing"},
             {"1000 Ada", "ada"},
             {"PRO 6000", "rtxblackwell"},
             {"L2", "ada"},
             {"L20", "ada"},
             {"H20", "hopper"},
             {"H800", "hopper"},
             {"A800-SXM4-80GB", "ampere"},
             {"A10G", "ampere"},
             {"A4000", "ampere"},
             {"B300", "blackwell"},
             {"GB300", "blackwell"},
             {"GB10", "rtxblackwell"},
             {"DGX Spark", "rtxblackwell"},
             {"Jetson AGX Orin", "ampere"},
             {"Thor", "blackwell"},
             {"W7900", "rdna3"},
             {"Radeon AI PRO R9700", "rdna4"},
             {"AMD Radeon PRO W7900", "rdna3"},
             {"RX 7600", "rdna3"},
             {"RX 7800", "rdna3"},
             {"RX 9060", "rdna4"},
             {"MI308X", "cdna3"},
             {"3090", "ampere"},
             {"4090", "ada"},
             {"A6000", "ampere"},
             {"Apple M4", "apple"},
             {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtxblackwell"},
             {"NVIDIA RTX 6000 Ada Generation", "ada"},
             {"NVIDIA GeForce RTX 4060 Laptop GPU", "ada"},
             {"sm_70", "volta"},
             {"sm_72", "volta"},
             {"sm_75", "turing"},
             {"sm_80", "ampere"},
             {"sm_86", "ampere"},
             {"sm_87", "ampere"},
             {"sm_89", "ada"},
             {"sm_90", "hopper"},
             {"sm_90a", "hopper"},
             {"sm_100a", "blackwell"},
             {"sm_103", "blackwell"},
             {"sm_110", "blackwell"},
             {"sm_120", "rtxblackwell"},
             {"sm_121a", "rtxblackwell"},
             {"compute_90", "hopper"},
             {"gfx908", "cdna1"},
             {"gfx90a", "cdna2"},
             {"gfx942", "cdna3"},
             {"gfx950", "cdna4"},
             {"gfx1100", "rdna3"},
             {"gfx1101", "rdna3"},
             {"gfx1102", "rdna3"},
             {"gfx1103", "rdna3"},
             {"gfx1150", "rdna35"},
             {"gfx1151", "rdna35"},
             {"gfx1200", "rdna4"},
             {"gfx1201", "rdna4"},
             {"gfx1250", "cdna5"},
             {"Strix Halo", "rdna35"},
             {"AMD Ryzen AI Max+ 395", "rdna35"},
             {"NVIDIA GH200 480GB", "hopper"},
             {"NVIDIA GH200 144G HBM3e", "hopper"},
         }) {
        const SoldProduct* const product = find_product(text);
        ASSERT_NE(product, nullptr) << text;
        EXPECT_EQ(product->architecture, architecture) << text;
    }
    for (const char* text : {"sm_60", "sm_101", "gfx906", "4091", "RTX", "rtx", "pro", "128GB"})
        EXPECT_EQ(find_product(text), nullptr) << text;
    expect_part(refusal_of_name("Xeon/bf16"), "x86/tdpbf16ps (AMX)");
    expect_part(refusal_of_name("AWS Graviton/bf16"), "arm/bfdot");
    expect_part(refusal_of_name("GTX 1080/f16"), "it has no matrix units");
    expect_part(refusal_of_name("v_wmma_scale16_f32_16x16x128_f8f6f4"), "may be 14 units: cdna5/");
    expect_part(refusal_of_name("gfx1250/V_WMMA_SCALE_F32_32X16X128_F4"),
                "may be 2 units: cdna5/v_wmma_scale_f32_32x16x128_f4.e8, cdna5/v_wmma_scale_f32_32x16x128_f4.e5m3; ");
    expect_part(refusal_of_name("v_mfma_f32_32x32x64_f8f6f4"), "may be 4 units: cdna4/");
    EXPECT_EQ(to_string(resolve_unit("V_MFMA_SCALE_F32_16X16X128_F8F6F4")),
              to_string(resolve_unit("cdna4/v_mfma_scale_f32_16x16x128_f8f6f4.fp8.fp8")));
    expect_part(refusal_of_name("Jetson"), "one of them is right");
    expect_part(refusal_of_name("sm_101a"), "sm_110");
    expect_part(refusal_of_name("sm_61"), "it has no matrix units");
    expect_part(refusal_of_name("RX 6800 XT"), "RX 7000");
    expect_part(refusal_of_name("DPAS"), "Intel's DPAS");
    expect_part(refusal_of_name("UTCHMMA.2CTA"), "may be 4 units: blackwell/tcgen05.mma.m64n8k16.f16.f16.f16, ");
    expect_part(refusal_of_name("UTCOMMA.4X"), "units: blackwell/tcgen05.mma.m128n8k64.block");
    expect_part(refusal_of_name("dpas.8x8"), "Intel's DPAS");
    expect_part(refusal_of_name("Arc B580/f16"), "Intel's DPAS");
    expect_part(refusal_of_name("Wormhole"), "no source says how a pass adds");
    expect_part(refusal_of_name("Apple M5/f16"), "the matrix units of its GPU");
    expect_part(refusal_of_name("NVIDIA T1000/f16"), "it has no matrix units");
    expect_part(refusal_of_name("AMD Steam Deck/f16"), "it has no matrix units");
    expect_part(refusal_of_name("vfmadd213ps ymm0, ymm1, ymm2"), "its unit is x86/fma.f32");
    for (const char* name : {"NumKong", "VFMADD231SD"}) { // what the sentence says is right is read
        const std::string why = refusal_of_name(name);
        EXPECT_NO_THROW(parse_unit(why.substr(why.rfind(' ', why.find('*'))))) << why;
    }
    expect_part(refusal_of_name("x86/fma.f16"), "its unit is x86/vfmadd231ph");
    for (const char* instruction : {"f32", "f16"}) // what the sentence says is right is read
        EXPECT_NO_THROW(
            resolve_unit(refusal_of_name(sentence("arm/fmla.", instruction))
                             .substr(refusal_of_name(sentence("arm/fmla.", instruction)).find("the line ") + 9)));
    EXPECT_EQ(why_no_product("A100"), "");
}

} // namespace
} // namespace discern
