// The designs of docs/examples/rtl are the units that they say they are, and the mistake in one of them is found.
#include "made.hpp"

#include "models/catalogue.hpp"

namespace discern::rtl::testing {
namespace {

Sources sources_of(const std::string& name) {
    return {.files = {std::string(DISCERN_RTL) + "/" + name + ".sv"}, .top = name, .parameters = {}};
}

Answer answer(const char* unit, const Sources& sources, const ConnectionText& connection, double timeout) {
    DiscriminateOptions options;
    options.timeout = timeout;
    return decide({{read_question(resolve_unit(unit), sources, connection, {}, Limit{}), sources}}, options);
}

class Examples : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has("yosys") || !has("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
    }
};

TEST_F(Examples, TheMistakeIsFound) {
    Sources sources = sources_of("tfdpa_f16");
    sources.parameters = {{"WHOLE_STICKY", "0"}};
    EXPECT_EQ(answer("volta/mma.m8n8k4.f16.f16.f16.f16", sources, {}, 60).verdict, Verdict::different);
}

TEST_F(Examples, WithoutItIsTheUnit) {
    const Answer found = answer("volta/mma.m8n8k4.f16.f16.f16.f16", sources_of("tfdpa_f16"), {}, 300);
    EXPECT_EQ(found.verdict, Verdict::equivalent);
}

TEST_F(Examples, ThePipelineIsItsUnit) {
    ConnectionText connection;
    connection.map = "a=a0+a1,b=b0+b1";
    connection.clock = "clk";
    connection.reset = "rst_n=0";
    connection.cycles = 3;
    EXPECT_EQ(answer("cdna1/v_mfma_f32_4x4x2bf16", sources_of("exact_bf16"), connection, 300).verdict,
              Verdict::equivalent);
}

} // namespace
} // namespace discern::rtl::testing
