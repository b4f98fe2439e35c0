// The RTL example under Icarus Verilog, as a target behind a pipe: it is the unit, and a wrong one is found.
#include "folder.hpp"
#include "hwrunner/process/run_process.hpp"

#include <gtest/gtest.h>

namespace discern::testing {
namespace {

class Rtl : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!is_program("iverilog")) GTEST_SKIP() << "no Icarus Verilog (iverilog) to be found";
    }

    static ProcessResult shell(const std::string& command) {
        return run_process(command, "", [] { return false; });
    }

    /// Builds the bench with those parameters and checks it against the unit.
    ProcessResult check(const std::string& parameters, const std::string& unit) const {
        const std::string bench = folder_.path("bench");
        const ProcessResult built = shell("iverilog -g2012 " + parameters + " -o " + bench +
                                          " " DISCERN_RTL "/bench.sv " DISCERN_RTL "/tfdpa.sv");
        EXPECT_EQ(built.ended, "exit status 0") << built.errors;
        return shell(DISCERN_PROGRAM " check 'exec:vvp -n " + bench + "' '" + unit + "' -n 1500 --show 1");
    }

  private:
    Folder folder_;
};

TEST_F(Rtl, IsItsUnit) {
    const ProcessResult result = check("", "hopper/wgmma.m64n8k16.f32.f16.f16");
    EXPECT_EQ(result.output, "checked 1500, mismatches 0\n") << result.errors;
    EXPECT_EQ(result.ended, "exit status 0");
}

TEST_F(Rtl, OtherParametersAreAnotherUnit) {
    const ProcessResult result = check("-Pbench.K=4 -Pbench.F=23", "hopper/wgmma.m64n8k16.f32.f16.f16{K=4,F=23}");
    EXPECT_EQ(result.output, "checked 1500, mismatches 0\n") << result.errors;
}

TEST_F(Rtl, AWrongUnitIsFound) {
    const ProcessResult result = check("-Pbench.F=24", "hopper/wgmma.m64n8k16.f32.f16.f16");
    EXPECT_EQ(result.ended, "exit status 1") << result.output << result.errors;
}

TEST_F(Rtl, AnotherKIsSaid) {
    const ProcessResult result = check("-Pbench.K=8", "hopper/wgmma.m64n8k16.f32.f16.f16");
    EXPECT_EQ(result.ended, "exit status 2");
    EXPECT_NE(result.errors.find("this bench was built for K = 8"), std::string::npos) << result.errors;
}

} // namespace
} // namespace discern::testing
