// The kernels of a GPU through ptxas, where there is one, for every machine that it knows.
#include "hwrunner/ptxas.hpp"

#include "hwrunner/gpu/kernel.hpp"
#include "models/catalogue.hpp"
#include "models/gemm_inputs.hpp"
#include "sweep.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace discern::testing {
namespace {

const std::vector<std::string> machines = {"sm_70", "sm_72", "sm_75",  "sm_80",  "sm_86",  "sm_87",  "sm_88",
                                           "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"};

/// A unit of each kind of tree.
const std::vector<std::string> kinds = {
    "hopper/wgmma.m64n8k16.f32.f16.f16",                           // T
    "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0", // ST
    "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3", // GST
    "cdna3/v_mfma_f32_16x16x16_f16",                               // TR
    "cdna3/v_mfma_f32_16x16x32_fp8_fp8",                           // GTR
    "cdna1/v_mfma_f32_16x16x16f16",                                // E
    "cdna2/v_mfma_f32_16x16x16f16",                                // FTZ-AddMul
    "riscv/bna.f32.bf16.bf16",                                     // BNA
    "ampere/mma.m8n8k4.f64.f64.f64.f64",                           // FMA, in words of several registers
    "volta/mma.m8n8k4.f32.f16.f16.f16",                            // c in another format than d
    "x86/vdpbf16ps",                                               // NaN that propagate
};

class GpuAssembly : public ::testing::Test {
  protected:
    void SetUp() override {
        if (ptxas().empty()) GTEST_SKIP() << "there is no ptxas in PATH, CUDA_HOME or /usr/local/cuda";
    }
    /// Machines that this ptxas makes code for.
    static std::vector<std::string> known() {
        const std::string trivial =
            ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry discern()\n{\n    ret;\n}\n";
        std::vector<std::string> some;
        for (const std::string& machine : machines)
            if (run_ptxas(trivial, machine).errors.empty()) some.push_back(machine);
        return some;
    }
};

/// One kind on all machines, all kinds on the first and the last one; with DISCERN_SWEEP all arithmetics of the
/// catalogue too, on these two, and all kinds on all machines.
TEST_F(GpuAssembly, TakesEveryKernel) {
    const std::vector<std::string> here = known();
    ASSERT_FALSE(here.empty());
    int taken = 0;
    const auto assemble = [&](const std::string& unit, const std::string& machine) {
        const PtxasResult made = run_ptxas(gpu::kernel_text(resolve_unit(unit)), machine);
        EXPECT_EQ(made.errors, "") << unit << " for " << machine;
        taken += made.errors.empty() ? 1 : 0;
    };
    const bool all = tests::sweeping();
    for (const std::string& machine : here)
        for (const std::string& unit : kinds)
            if (all || machine == here.back() || unit == kinds.front()) assemble(unit, machine);
    if (all)
        for (const std::string& machine : {here.front(), here.back()})
            for (const CatalogueEntry* entry : tests::arithmetics()) assemble(entry->name, machine);
    std::printf("%d kernels, for %zu machines\n", taken, here.size());
    EXPECT_GE(taken, 20);
}

} // namespace
} // namespace discern::testing
