// Benches and assertions, given to the simulators and the prover that they are for, with right units and wrong ones.
#include "cli/program.hpp"
#include "hwrunner/process/run_process.hpp"

#include <gtest/gtest.h>

namespace discern::testing {
namespace {

const std::string benched = "e4m3*e4m3+f16->f16 K=2 nan=any : round[f16 rz zsign=pos](fuse[F=8 rz](p*, c))";
const std::string benched_wrong = "e4m3*e4m3+f16->f16 K=2 nan=any : round[f16 rz zsign=pos](fuse[F=9 rz](p*, c))";
const std::string benched_third = "e4m3*e4m3+f16->f16 K=2 nan=any : round[f16 rz zsign=pos](fuse[F=4 rz](p*, c))";

class ExportBench : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!is_program("iverilog")) GTEST_SKIP() << "no Icarus Verilog (iverilog) to be found";
    }
    void hardware(const std::string& name, const std::string& of, bool pipeline = false) const {
        std::vector<std::string> words = {"export", "--as", "sv", of, "-o", folder_.path(name)};
        if (pipeline) words.emplace_back("--pipeline");
        ASSERT_EQ(discern(words).status, 0);
    }
    /// Two vectors on which F tells, one of whose results is NaN, and one in which nothing is lost.
    std::string vectors() const {
        const std::string found = discern({"synth", benched, benched_wrong, "-n", "3"}).out;
        std::string inputs = R"({"discern":1,"a":"e4m3","b":"e4m3","c":"f16","d":"f16","K":2})"
                             "\n";
        for (const std::string& line : lines(found))
            if (line.starts_with("{\"a\"")) inputs += line.substr(0, line.find(",\"d\"")) + "}\n";
        inputs += R"({"a":["7f","38"],"b":["38","38"],"c":"3c00"})"
                  "\n"
                  R"({"a":["38","38"],"b":["38","38"],"c":"3c00"})"
                  "\n";
        return folder_.file("vectors.jsonl", discern({"eval", benched, folder_.file("inputs.jsonl", inputs)}).out);
    }
    void write(const std::string& form, const std::string& file) const {
        const Outcome outcome = discern({"export", "--as", form, file, "-o", folder_.path(form + ".sv")});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    ProcessResult run(const std::string& command) const {
        return run_process("cd " + folder_.path("") + " && " + command, "", [] { return false; });
    }
    ProcessResult by_icarus(const std::string& files) const {
        return run("iverilog -g2012 -s vectors_tb -o bench " + files + " && vvp -n bench");
    }
    ProcessResult by_verilator(const std::string& files) const {
        return run("verilator --binary --assert -O0 --top-module vectors_tb --Mdir made " + files +
                   " >log 2>&1 && made/Vvectors_tb");
    }
    /// By induction on the edges of the clock.
    ProcessResult by_yosys(const std::string& files) const {
        return run("yosys -q -p 'read_verilog -sv -formal " + files +
                   "; hierarchy -top vectors_checked; proc; flatten; memory; async2sync; sat -verify -prove-asserts "
                   "-tempinduct -set-init-undef -maxsteps 8'");
    }
    static void expect_pass(const ProcessResult& result) {
        EXPECT_EQ(result.ended, "exit status 0") << result.output << result.errors;
        EXPECT_NE(result.output.find("vectors_tb: passed"), std::string::npos) << result.output;
    }
    static void expect_fail(const ProcessResult& result) {
        EXPECT_NE(result.ended, "exit status 0") << result.output;
        EXPECT_EQ(result.output.find("passed"), std::string::npos) << result.output;
    }
    Folder folder_;
};

TEST_F(ExportBench, PassesTheUnitAndFailsAnother) {
    hardware("right.sv", benched);
    hardware("wrong.sv", benched_wrong);
    write("tb", vectors());
    const ProcessResult right = by_icarus("tb.sv right.sv");
    expect_pass(right);
    EXPECT_NE(right.output.find("checked 5, mismatches 0"), std::string::npos) << right.output;
    const ProcessResult wrong = by_icarus("tb.sv wrong.sv");
    expect_fail(wrong);
    EXPECT_NE(wrong.output.find("vector 1: d is "), std::string::npos) << wrong.output;
    EXPECT_NE(wrong.output.find("checked 5, mismatches 3"), std::string::npos) << wrong.output;
}

TEST_F(ExportBench, AnUndefinedResultFails) {
    folder_.file("x.sv", "module discern_unit(input [15:0] a, b, input [15:0] c, output [15:0] d); endmodule\n");
    write("tb", vectors());
    expect_fail(by_icarus("tb.sv x.sv"));
    hardware("right.sv", benched);
    const std::string bits = "module discern_unit(input [15:0] a, b, input [15:0] c, output [15:0] d);\n"
                             "  wire [15:0] e; right r(a, b, c, e); assign d = {e[15:1], 1'bx};\nendmodule\n";
    folder_.file("x.sv", bits);
    run("sed -i 's/module discern_unit/module right/' right.sv");
    expect_fail(by_icarus("tb.sv x.sv right.sv"));
}

TEST_F(ExportBench, ANanIsAnyWhereTheUnitSaysSo) {
    // Another NaN, and infinity, for the vector that has NaN.
    hardware("right.sv", benched);
    run("sed -i 's/module discern_unit/module right/' right.sv");
    const std::string file = vectors();
    write("tb", file);
    write("sva", file);
    const auto with_nan = [&](const std::string& pattern) {
        folder_.file("nan.sv",
                     "module discern_unit(input [15:0] a, b, input [15:0] c, output [15:0] d);\n  wire [15:0] e; "
                     "right r(a, b, c, e);\n  assign d = &e[14:10] && |e[9:0] ? 16'h" +
                         pattern + " : e;\nendmodule\n");
    };
    with_nan("fe01");
    expect_pass(by_icarus("tb.sv nan.sv right.sv"));
    expect_pass(by_icarus("-DVECTORS_TB_LATENCY=0 -DVECTORS_TB_UNIT=vectors_checked tb.sv sva.sv nan.sv right.sv"));
    with_nan("7c00");
    expect_fail(by_icarus("tb.sv nan.sv right.sv"));
}

TEST_F(ExportBench, OfAPipelineTheLatencyIsGiven) {
    hardware("right.sv", benched, true);
    hardware("wrong.sv", benched_wrong, true);
    const std::string said = discern({"export", "--as", "sv", benched, "--pipeline"}).out;
    const auto at = said.find("--cycles ");
    ASSERT_NE(at, std::string::npos);
    const int cycles = said[at + 9] - '0';
    const auto latency = [](int n) { return " -DVECTORS_TB_LATENCY=" + std::to_string(n) + " "; };
    write("tb", vectors());
    expect_pass(by_icarus(latency(cycles) + "tb.sv right.sv"));
    expect_fail(by_icarus(latency(cycles) + "tb.sv wrong.sv"));
    expect_fail(by_icarus(latency(cycles - 1) + "tb.sv right.sv"));
    expect_fail(by_icarus(latency(cycles + 1) + "tb.sv right.sv"));
}

TEST_F(ExportBench, OfASuiteAUnitOfOneClassPasses) {
    hardware("first.sv", benched);
    hardware("second.sv", benched_wrong);
    hardware("third.sv", benched_third);
    write("tb", folder_.file("suite.jsonl", discern({"suite", benched, benched_wrong, "-o", "-"}).out));
    expect_pass(by_icarus("tb.sv first.sv"));
    const ProcessResult second = by_icarus("tb.sv second.sv");
    expect_pass(second);
    EXPECT_NE(second.output.find("d[1], class B: "), std::string::npos) << second.output;
    expect_fail(by_icarus("tb.sv third.sv"));
    const Outcome refused = discern({"export", "--as", "sva", folder_.path("suite.jsonl")});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("--class A says whose"), std::string::npos) << refused.err;
}

TEST_F(ExportBench, VerilatorReadsBoth) {
    if (!is_program("verilator")) GTEST_SKIP() << "no Verilator to be found";
    hardware("right.sv", benched);
    hardware("wrong.sv", benched_wrong);
    const std::string file = vectors();
    write("tb", file);
    write("sva", file);
    const std::string checked = "-DVECTORS_TB_LATENCY=0 -DVECTORS_TB_UNIT=vectors_checked tb.sv sva.sv ";
    expect_pass(by_verilator(checked + "right.sv"));
    expect_fail(by_verilator("tb.sv wrong.sv"));
    const ProcessResult wrong = by_verilator(checked + "wrong.sv");
    expect_fail(wrong);
    EXPECT_NE((wrong.output + wrong.errors).find("vector_1"), std::string::npos) << wrong.output << wrong.errors;
}

TEST_F(ExportBench, AssertionsHoldInASimulatorAndFailOnAnotherUnit) {
    hardware("right.sv", benched);
    hardware("wrong.sv", benched_wrong);
    const std::string file = vectors();
    write("tb", file);
    write("sva", file);
    const std::string checked = "-DVECTORS_TB_LATENCY=0 -DVECTORS_TB_UNIT=vectors_checked tb.sv sva.sv ";
    const ProcessResult right = by_icarus(checked + "right.sv"), wrong = by_icarus(checked + "wrong.sv");
    expect_pass(right);
    const auto failed = [](const ProcessResult& result) {
        return (result.output + result.errors).find("sva.sv:") != std::string::npos; // where an assertion stands
    };
    EXPECT_FALSE(failed(right)) << right.output << right.errors;
    EXPECT_TRUE(failed(wrong)) << wrong.output << wrong.errors;
}

TEST_F(ExportBench, AProverProvesTheAssertions) {
    if (!is_program("yosys")) GTEST_SKIP() << "no yosys to be found";
    hardware("right.sv", benched);
    hardware("wrong.sv", benched_wrong);
    write("sva", vectors());
    EXPECT_EQ(by_yosys("sva.sv right.sv").ended, "exit status 0");
    const ProcessResult wrong = by_yosys("sva.sv wrong.sv");
    EXPECT_NE(wrong.ended, "exit status 0");
    hardware("right.sv", benched, true);
    const std::string said = discern({"export", "--as", "sv", benched, "--pipeline"}).out;
    const std::string latency = "-DVECTORS_SVA_LATENCY=" + said.substr(said.find("--cycles ") + 9, 1) + " ";
    EXPECT_EQ(by_yosys(latency + "sva.sv right.sv").ended, "exit status 0");
    hardware("wrong.sv", benched_wrong, true);
    EXPECT_NE(by_yosys(latency + "sva.sv wrong.sv").ended, "exit status 0");
}

TEST_F(ExportBench, VectorsWithoutResultsAreRefused) {
    const std::string file = folder_.file("inputs.txt", "38 38 38 38 3c00\n");
    for (const char* form : {"tb", "sva"}) {
        const Outcome outcome = discern({"export", "--as", form, "--unit", benched, file});
        EXPECT_EQ(outcome.status, 2);
        EXPECT_NE(outcome.err.find("no results to check"), std::string::npos) << outcome.err;
    }
}

} // namespace
} // namespace discern::testing
