// Products on a GPU that the tests pretend to have.
#include "hwrunner/gpu/fake_gpu.hpp"
#include "program.hpp"

namespace discern::testing::gpu_test {
namespace {

class GpuCommands : public OnAFakeGpu {
  protected:
    /// Two rows of ten halves, and ten rows of three.
    Outcome gemm(std::vector<std::string> more) const {
        std::string a, b;
        for (int i = 0; i < 20; ++i) a += std::string{static_cast<char>(17 * i), static_cast<char>(0x38 + i % 9)};
        for (int i = 0; i < 30; ++i) b += std::string{static_cast<char>(29 * i), static_cast<char>(0xb8 + i % 7)};
        std::vector<std::string> command = {
            "gemm",  "volta/mma.m8n8k4.f32.f16.f16.f32", folder_.file("a.bin", a), folder_.file("b.bin", b), "--size",
            "2,3,10"};
        command.insert(command.end(), more.begin(), more.end());
        return discern(command);
    }
    Folder folder_;
};

TEST_F(GpuCommands, GemmGivesTheSameBits) {
    const Outcome here = gemm({}), there = gemm({"--kernels", "gpu", "--verbose"});
    EXPECT_EQ(there.status, 0) << there.err;
    EXPECT_EQ(there.err, "kernels: GPU (Fake GPU)\n");
    EXPECT_EQ(there.out, here.out);
    EXPECT_EQ(lines(here.out).size(), 2u);
    EXPECT_EQ(gemm({"--kernels", "gpu", "--alpha", "0.5", "--threads", "2"}).out, gemm({"--alpha", "0.5"}).out);
}

TEST_F(GpuCommands, WithoutOneThereIsASentence) {
    setenv("DISCERN_CUDA_LIBRARY", "/nonexistent/libcuda.so.1", 1);
    const Outcome none = gemm({"--kernels", "gpu"});
    EXPECT_EQ(none.status, 2);
    EXPECT_EQ(none.err.find("discern: unavailable: the kernels of a GPU: the NVIDIA driver cannot be loaded: "), 0u)
        << none.err;
    EXPECT_EQ(none.out, "");
    const Outcome unknown = gemm({"--kernels", "fast"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_EQ(unknown.err, "discern: kernels 'fast' are not known; they must be best, avx512fp16, avx512, avx2, "
                           "portable, general or gpu\n");
}

TEST_F(GpuCommands, ASchedulesOrderIsRefused) {
    const Outcome refused =
        discern({"gemm", "volta/mma.m8n8k4.f32.f16.f16.f32@[split=2]", folder_.file("a", "12341234"),
                 folder_.file("b", "12341234"), "--size", "1,1,4", "--kernels", "gpu"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("and no schedule; best computes this"), std::string::npos) << refused.err;
}

} // namespace
} // namespace discern::testing::gpu_test
