// What cannot be read or run is refused in one sentence with the file, the line and the instruction.
#include "amd_files.hpp"

#include "models/error.hpp"

#include <gtest/gtest.h>

using namespace discern;
using namespace discern::programs;

namespace {

struct BadLlirCase {
    std::string text, sentence;
};

std::string refusal_of_llir(const std::string& text, const std::string& launch = llir_launch,
                            const std::string& assembly = "") {
    Terms terms;
    try {
        read_llir(text, terms, launch, assembly);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

const std::string data = "  %x = load i32, ptr addrspace(1) %a\n";
const std::string mfma = "call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> zeroinitializer, <4 x half> "
                         "zeroinitializer, <4 x float> zeroinitializer, i32 0, i32 0, i32 ";

} // namespace

TEST(BadLlir, BodiesAreRefused) {
    const BadLlirCase cases[] = {
        {"  %r = frobnicate i32 %l\n", "k.llir:6: '%r = frobnicate i32 %l': this instruction is not read"},
        {"  %r = add i32 %l\n", "the line ends where ',' is expected"},
        {"  %r = add i32 %l, %nothing\n", "nothing makes the value '%nothing'"},
        {"  %r = add i64 %l, 1\n", "'%l' has one type here and another elsewhere"},
        {"  %r = add i32 %l, 1\n  %r = add i32 %l, 2\n", "'%r' is made twice"},
        {"  %r = add i9999 %l, 1\n", "integers of 9999 bits are not read"},
        {"  %r = add i32* %l, 1\n", "those of LLVM before 17"},
        {"  %r = add i8 0, 300\n", "'300' does not fit 8 bits"},
        {"  %r = add i32 %l, 1 !dbg\n", "something stands behind its end"},
        {"  %r = add i32 %l, 1, 2\n", "'2' stands behind its end"},
        {"  %r = udiv i32 1, %l\n", "it divides by zero"},
        {"  %r = call i32 @f(i32 %l)\n", "calls of functions are not read"},
        {"  %r = call i32 asm \"v_mov_b32 $0, $1\", \"=v,v\"(i32 %l)\n", "assembly within LLVM IR is not read"},
        {"  %r = call i32 @llvm.amdgcn.mystery(i32 %l)\n", "this intrinsic is not read"},
        {"  br label %entry\n  %r = add i32 %l, 1\n", "its block goes on behind it"},
        {"  br label %nowhere\nnext:\n  %r = add i32 %l, 1\n", "there is no block '%nowhere'"},
        {"  %r = add i32 %l, 1\n  br label %next\nnext:\n", "" /* good */},
        {"loop:\n  br label %loop\nend:\n  %r = add i32 %l, 1\n", "its block ends without a branch behind it"},
        {"  br label %loop\nloop:\n  br label %loop\nend:\n  %r = add i32 %l, 1\n", "takes more than 50000 steps"},
        {data + "  %c = icmp eq i32 %x, 0\n  br i1 %c, label %t, label %t\nt:\n  %r = add i32 %l, 1\n",
         "control depends on data"},
        {data + "  %p = getelementptr i32, ptr addrspace(1) %a, i32 %x\n  %r = load i32, ptr addrspace(1) %p\n",
         "the index depends on data"},
        {"  %p = getelementptr i32, ptr addrspace(1) %a, i64 99999\n  %r = load i32, ptr addrspace(1) %p\n",
         "the address is outside of every buffer"},
        {"  %p = getelementptr i32, ptr addrspace(3) @lds, i32 999\n  %r = load i32, ptr addrspace(3) %p\n",
         "lane 0 accesses 4 bytes at 3996 of LDS, of which there are 1024"},
        {"  %r = load i32, ptr addrspace(1) null\n", "the address is outside of every buffer"},
        {"  %r = load i32, ptr addrspace(3) @nothing\n", "nothing is called '@nothing'"},
        {"  %p = inttoptr i64 poison to ptr addrspace(1)\n  %r = load i32, ptr addrspace(1) %p\n",
         "the address depends on what nothing has written"},
        {"  %r = load i32, ptr addrspace(3) @lds\n",
         "element 0 (from 0) of D depends on memory or registers that nothing has written"},
        {"  %v = " + mfma + "1)\n  %r = add i32 %l, 1\n", "cbsz, abid and blgp that are not 0 are not read"},
        {"  %c = icmp ult i32 %l, 3\n  br i1 %c, label %t, label %e\nt:\n  %v = " + mfma +
             "0)\n  br label %e\ne:\n  %r = add i32 %l, 1\n",
         "only 3 of the 64 lanes that must run this together do"},
        {"  %v = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x99f16(<4 x half> zeroinitializer, <4 x half> "
         "zeroinitializer, "
         "<4 x float> zeroinitializer, i32 0, i32 0, i32 0)\n  %r = add i32 %l, 1\n",
         "this matrix instruction is not read"},
        {"  %v = call <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v8f16(<8 x half> zeroinitializer, <8 x "
         "half> "
         "zeroinitializer, <8 x float> zeroinitializer)\n  %r = add i32 %l, 1\n",
         "the catalogue has no unit cdna3/v_wmma_f32_16x16x16_f16"},
        {"  %f = uitofp i32 %l to float\n  %g = fadd fast float %f, %f\n  %r = bitcast float %g to i32\n",
         "fast-math flags let the compiler choose"},
        {"  %r = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %l, i32 400, i32 15, i32 15, i1 true)\n",
         "the control 400 of DPP is not read"},
        {"  %r = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %l, i32 %l, i32 15, i32 15, i1 true)\n",
         "a number stands elsewhere"},
        {"  %v = insertelement <2 x i32> zeroinitializer, i32 1, i32 7\n  %r = extractelement <2 x i32> %v, i32 0\n",
         "there is no element 7"},
        {"  %v = shufflevector <2 x i32> zeroinitializer, <2 x i32> poison, <2 x i32> <i32 0, i32 9>\n  %r = "
         "extractelement "
         "<2 x i32> %v, i32 0\n",
         "its mask names an element that is not there"},
        {"  %s = load { i8, i32 }, ptr addrspace(1) %a\n  %r = add i32 %l, 1\n",
         "values of this type are not read from memory"},
        {"  %r = bitcast i64 0 to i32\n", "this conversion is not read"},
        {"  %r = phi i32 [ 0, %entry ]\n", "it stands behind other instructions of its block"},
        {data + "  %y = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic\n  %r = add i32 %y, 1\n",
         "an atomic operation on data"},
        {"  %big = load [999999 x i32], ptr addrspace(1) %a\n  %r = add i32 %l, 1\n",
         "has a type of which there are no values"},
    };
    for (const BadLlirCase& one : cases) {
        const std::string said = refusal_of_llir(llir_kernel(one.text));
        EXPECT_NE(said.find(one.sentence), std::string::npos) << one.text << "\n  says: " << said;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
        EXPECT_EQ(said.empty(), one.sentence.empty()) << one.text;
    }
}

TEST(BadLlir, FilesAreRefused) {
    const std::string good = llir_kernel("  %r = add i32 %l, 1\n");
    const auto replaced = [&](const std::string& what, const std::string& with) {
        std::string text = good;
        return text.replace(text.find(what), what.size(), with);
    };
    const BadLlirCase cases[] = {
        {"", "k.llir: it has no kernel"},
        {std::string("BC\xc0\xde\0\0", 6), "this is no LLVM IR, which is text"},
        {".version 8.0\n.target sm_80\n", "k.llir:1: '.version 8.0': '.version' is not read here"},
        {replaced("amdgpu9.42-amd-amdhsa", "nvptx64-nvidia-cuda"),
         "is not AMD's; kernels of NVIDIA's are read from PTX"},
        {replaced("amdgpu9.42", "amdgpu8.03"), "kernels for 'gfx803' are not read"},
        {replaced("amdgpu9.42", "amdgcn"),
         "it does not say for which GPU it is; \"target\": \"gfx942\" of the launch does"},
        {good.substr(0, good.find("ret void")), "the kernel 'k' does not end"},
        {good + good, "it has several kernels; \"entry\" of the launch must be one of 'k', 'k'"},
        {replaced("amdgpu_kernel ", ""), "it has no kernel, no function that is amdgpu_kernel"},
        {replaced("ptr addrspace(1) %d", "i32 %d"), "'%d' has one type here and another elsewhere"},
        {replaced("\"amdgpu-flat-work-group-size\"",
                  "\"denormal-fp-math\"=\"dynamic\" \"amdgpu-flat-work-group-size\""),
         "is not read"},
        {replaced("[256 x i32]", "[9999999 x i32]"), "more LDS is asked for than any GPU has"},
    };
    for (const BadLlirCase& one : cases) {
        const std::string said = refusal_of_llir(one.text);
        EXPECT_NE(said.find(one.sentence), std::string::npos) << one.text << "\n  says: " << said;
    }
    const auto with = [](const std::string& more) {
        return R"({"launch":1,)" + more + std::string(llir_launch).substr(12);
    };
    EXPECT_NE(refusal_of_llir(good, with(R"("entry":"z",)")).find("it has no kernel 'z'; 'k' is there"),
              std::string::npos);
    EXPECT_NE(
        refusal_of_llir(
            good, R"({"launch":1,"block":[48],"arguments":[{"result":"D","format":"f32","shape":[64],"axes":"m"}]})")
            .find("workgroups of 48 lanes are not run; multiples of 64 up to 1024 are"),
        std::string::npos);
    EXPECT_NE(refusal_of_llir(good, with(R"("cluster":[2],)")).find("has no clusters of blocks"), std::string::npos);
    EXPECT_NE(refusal_of_llir(good, llir_launch, "other:\n").find("k.s: it has no kernel 'k'"), std::string::npos);
    EXPECT_EQ(refusal_of_llir(replaced("amdgpu9.42", "amdgcn"), with(R"("target":"gfx942",)")), "");
}
