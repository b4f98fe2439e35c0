// Kernels of AMD's GPUs that a compiler wrote are what they were found to be by another program; which are one
// computation; and what is fused is what their assembly says.
#include "amd_files.hpp"

#include "models/error.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "programs/compare/compare.hpp"
#include "programs/fold/listing.hpp"

#include <gtest/gtest.h>

using namespace discern;
using namespace discern::programs;

namespace {

std::string schedule(const std::string& name) {
    Terms terms;
    const KernelReading reading = read_llir_file(name, terms);
    return reading.results[0].schedule ? reading.results[0].schedule->text : "";
}

/// Loads of both operands of a lane: %x, %y and %z, numbers.
const std::string numbers = "  %pa = getelementptr [8 x float], ptr addrspace(1) %a, i32 %l\n"
                            "  %pb = getelementptr [8 x float], ptr addrspace(1) %b, i32 %l\n"
                            "  %x = load float, ptr addrspace(1) %pa\n"
                            "  %y = load float, ptr addrspace(1) %pb\n"
                            "  %pz = getelementptr inbounds i8, ptr addrspace(1) %pa, i64 4\n"
                            "  %z = load float, ptr addrspace(1) %pz\n";

std::string term(const std::string& body, const std::string& assembly = "k:\n.Lfunc_end0:\n") {
    Terms terms;
    const KernelReading reading = read_llir(llir_kernel(numbers + body, "float"), terms, llir_launch, assembly);
    return listing_of(terms, reading.results[0].folded.classes[0].term).back().text;
}

std::uint64_t contractible(const std::string& body, const std::string& assembly) {
    Terms terms;
    return read_llir(llir_kernel(numbers + body, "float"), terms, llir_launch, assembly).results[0].contractible;
}

const std::string product_and_sum = "  %p = fmul float %x, %y\n  %r = fadd float %p, %z\n";

} // namespace

TEST(Llir, KernelsAreWhatTheyAre) {
    EXPECT_EQ(schedule("mm_f16_gfx942"), "cdna3/v_mfma_f32_32x32x8_f16@[K=128 d=f16:rne]");
    EXPECT_EQ(schedule("mm_f16_kpack1_gfx942"), "cdna3/v_mfma_f32_16x16x16_f16@[K=128]");
    EXPECT_EQ(schedule("mm_f16_kpack2_gfx942"), ""); // its k are 0-3, 8-11, 16-19, 24-27, 4-7 …
    EXPECT_EQ(schedule("mm_e4m3_gfx1201"), "rdna4/v_wmma_f32_16x16x16_fp8_fp8@[K=128]");
}

TEST(Llir, TwoRowsOfRegistersDealOutKOtherwise) {
    Terms terms;
    terms.merges_equal_units = true;
    const KernelReading one = read_llir_file("mm_f16_kpack1_gfx942", terms),
                        other = read_llir_file("mm_f16_kpack2_gfx942", terms);
    const auto pairs = pairs_of(one.results[0].folded, other.results[0].folded);
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_NE(pairs[0].one, pairs[0].other);
    LeafFormats formats;
    add_formats(one.kernel.launch, terms, formats);
    std::uint64_t tried = 0;
    const auto found = find_difference(terms, formats, pairs[0].one, pairs[0].other,
                                       {.vectors = 1000, .seed = 1, .stop = {}, .any_nan = FormatId::f32}, tried);
    ASSERT_TRUE(found);
    EXPECT_NE(replayed(one.kernel, one.kernel.results[0], 17, terms, found->values),
              replayed(other.kernel, other.kernel.results[0], 17, terms, found->values));
    // Tiles of 16 and of 32 rows are one chain of products in groups of eight.
    EXPECT_TRUE(
        same_structure(one.results[0].schedule->kernel, resolve_kernel("cdna3/v_mfma_f32_32x32x8_f16@[K=128]")));
}

TEST(Llir, TheAssemblySaysWhatIsFused) {
    EXPECT_EQ(term(product_and_sum, "k:\n\tv_fmac_f32_e32 v1, v2, v3\n.Lfunc_end0:\n"),
              "t0 = fma.rn.f32(A[m,0], B[m,0], A[m,1])");
    EXPECT_EQ(term(product_and_sum, "k:\n\tv_mul_f32_e32 v1, v2, v3\n.Lfunc_end0:\n"),
              "t0 = add.f32(A[m,1], mul.f32(A[m,0], B[m,0]))");
    EXPECT_EQ(contractible(product_and_sum, "k:\n\tv_fma_f32 v1, v2, v3, v4\n.Lfunc_end0:\n"), 0u);
    EXPECT_EQ(contractible(product_and_sum, "k:\n.Lfunc_end0:\n"), 0u);
    EXPECT_NE(contractible(product_and_sum, ""), 0u); // nothing says it
    EXPECT_NE(contractible(product_and_sum, "k:\n\tv_pk_fma_f32 v1, v2, v3, v4\n.Lfunc_end0:\n"),
              0u); // two, and there is one
    // Of two products either may be fused, and the count does not say which.
    const std::string two = "  %p = fmul float %x, %y\n  %q = fmul float %z, %y\n  %r = fadd float %p, %q\n";
    EXPECT_NE(contractible(two, "k:\n\tv_fma_f32 v1, v2, v3, v4\n.Lfunc_end0:\n"), 0u);
    EXPECT_EQ(contractible(two, "k:\n.Lfunc_end0:\n"), 0u);
    EXPECT_THROW(term(product_and_sum, "other:\n"), Error);
}

TEST(Llir, WhatIsFusedIsAProductOfTheSameBlock) {
    const auto fused = [](const std::string& count) { return "k:\n" + count + ".Lfunc_end0:\n"; };
    const std::string one = "\tv_fma_f32 v1, v2, v3, v4\n", packed = "\tv_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]\n";
    EXPECT_EQ(term("  %p = fmul float %x, %y\n  %r = fsub float %z, %p\n", fused(one)),
              "t0 = fma.rn.f32(B[m,0], neg.f32(A[m,0]), A[m,1])");
    EXPECT_EQ(term("  %p = fmul float %x, %y\n  %r = fsub float %p, %z\n", fused(one)),
              "t0 = fma.rn.f32(A[m,0], B[m,0], neg.f32(A[m,1]))");
    // Another block: no instruction is chosen for both.
    EXPECT_EQ(term("  %p = fmul float %x, %y\n  br label %next\nnext:\n  %r = fadd float %p, %z\n", fused("")),
              "t0 = add.f32(A[m,1], mul.f32(A[m,0], B[m,0]))");
    // A pair of one product, and a pair of which only one half is a product.
    const std::string pair = "  %v0 = insertelement <2 x float> poison, float %x, i64 0\n"
                             "  %v = insertelement <2 x float> %v0, float %y, i64 1\n"
                             "  %p = fmul <2 x float> %v, %v\n";
    EXPECT_EQ(
        term(pair + "  %s = fadd <2 x float> %p, %v\n  %r = extractelement <2 x float> %s, i64 1\n", fused(packed)),
        "t0 = fma.rn.f32(B[m,0], B[m,0], B[m,0])");
    EXPECT_EQ(term(pair + "  %h = shufflevector <2 x float> %p, <2 x float> %v, <2 x i32> <i32 0, i32 3>\n"
                          "  %s = fadd <2 x float> %h, %v\n  %r = extractelement <2 x float> %s, i64 0\n",
                   fused("")),
              "t0 = add.f32(A[m,0], mul.f32(A[m,0], A[m,0]))");
}

TEST(Llir, OneTextIsTwoKernelsByTheirAssembly) {
    Terms terms;
    const std::string fused = contents(kernel_path("squares_gfx942.amdgcn")),
                      apart = contents(kernel_path("squares_nofuse_gfx942.amdgcn"));
    EXPECT_EQ(contents(kernel_path("squares_gfx942.llir")), contents(kernel_path("squares_nofuse_gfx942.llir")));
    const auto one = read_llir_file("squares_gfx942", terms, fused),
               again = read_llir_file("squares_gfx942", terms, fused),
               other = read_llir_file("squares_gfx942", terms, apart), open = read_llir_file("squares_gfx942", terms);
    EXPECT_EQ(one.results[0].contractible + other.results[0].contractible, 0u);
    EXPECT_EQ(one.results[0].folded.classes[0].term, again.results[0].folded.classes[0].term);
    EXPECT_NE(one.results[0].folded.classes[0].term, other.results[0].folded.classes[0].term);
    EXPECT_GT(open.results[0].contractible, 0u);
    EXPECT_GT(open.results[0].contractible_line, 0);
}

TEST(Llir, FunctionsOfTheMachineHaveItsName) {
    const std::string body = "  %r = call float @llvm.amdgcn.exp2.f32(float %x)\n";
    EXPECT_EQ(term(body), "t0 = v_exp_f32.cdna3(A[m,0])");
    Terms terms;
    const auto one = read_llir(llir_kernel(numbers + body, "float"), terms, llir_launch),
               other = read_llir(llir_kernel(numbers + body, "float", "9.50"), terms, llir_launch);
    EXPECT_NE(one.results[0].folded.classes[0].term, other.results[0].folded.classes[0].term);
    EXPECT_EQ(one.results[0].uninterpreted, std::vector<std::string>{"v_exp_f32.cdna3"});
}

TEST(Llir, ConstantsAreReadAsTheirType) {
    for (const char* text : {"2.500000e-01", "0x3FD0000000000000", "f0x3E800000", "0.25"})
        EXPECT_EQ(term("  %r = fadd float %x, " + std::string(text) + "\n"), "t0 = add.f32(A[m,0], 0x3e800000)")
            << text;
    EXPECT_EQ(term("  %r = fadd float %x, -1.702\n"), "t0 = add.f32(A[m,0], 0xbfd9db23)");
    EXPECT_EQ(term("  %r = fadd float %x, -inf\n"), "t0 = add.f32(A[m,0], 0xff800000)");
    EXPECT_EQ(term("  %r = fadd float %x, 0xFFF0000000000000\n"), "t0 = add.f32(A[m,0], 0xff800000)");
    EXPECT_EQ(term("  %r = fadd float %x, +nan(0x3F)\n"), "t0 = add.f32(A[m,0], 0x7fc0003f)");
    EXPECT_EQ(term("  %h = fptrunc float %x to half\n  %s = fadd half %h, 0xH3C00\n  %r = fpext half %s to float\n"),
              "t0 = cvt.f32.f16(add.f16(cvt.rn.f16.f32(A[m,0]), 0x3c00))");
}
