// Designs from the command line: beside a unit, as members of a suite, with cut points; and exports of units.
#include "cli/program.hpp"
#include "folder.hpp"
#include "hwrunner/process/run_process.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace discern::testing {
namespace {

const std::string tiny = "e4m3*e4m3+f16->f16 K=2 : round[f16 rz zsign=pos](fuse[F=8 rz](p*, c))";
const std::string of_other_F = "e4m3*e4m3+f16->f16 K=2 : round[f16 rz zsign=pos](fuse[F=7 rz](p*, c))";
const std::string of_third_F = "e4m3*e4m3+f16->f16 K=2 : round[f16 rz zsign=pos](fuse[F=6 rz](p*, c))";

class DesignCommands : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!is_program("yosys") || !is_program("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
    }
    /// A unit, exported to a file.
    std::string exported(const std::string& name, const std::string& unit) const {
        const Outcome written = discern({"export", "--as", "sv", unit, "-o", folder_.path(name)});
        EXPECT_EQ(written.status, 0) << written.err;
        return "rtl:" + folder_.path(name);
    }
    /// What z3 says of the file question.smt2.
    std::string asked_of_z3() const {
        return run_process("z3 " + folder_.path("question.smt2"), "", [] { return false; }).output;
    }
    Folder folder_;
};

TEST_F(DesignCommands, AnExportIsProvedAndAnotherIsTold) {
    const std::string design = exported("unit.sv", tiny);
    const Outcome same = discern({"prove", tiny, design});
    EXPECT_EQ(same.status, 0) << same.out << same.err;
    EXPECT_TRUE(same.out.starts_with("equivalent")) << same.out;
    const Outcome other = discern({"synth", of_other_F, design, "--json"});
    EXPECT_EQ(other.status, 1) << other.err;
    const auto answer = nlohmann::json::parse(other.out);
    EXPECT_EQ(answer["verdict"], "different");
    EXPECT_EQ(answer["vectors"].size(), 1u);
}

TEST_F(DesignCommands, TheQuestionIsWrittenForOtherSolvers) {
    if (!is_program("z3")) GTEST_SKIP() << "no z3 program to be found";
    const std::string unit = "e2m1*e2m1->f16 K=2 : round[f16 rz](fuse[F=8 rz](p*))",
                      cut = "e2m1*e2m1->f16 K=2 : round[f16 rz](fuse[F=2 rz](p*))", design = exported("unit.sv", unit);
    const std::string open =
        "rtl:" + folder_.file("open.sv", "module discern_unit(input logic [7:0] a, b, output logic "
                                         "[15:0] d);\n  assign d = {12'h3c0, 4'bx};\nendmodule\n");
    const struct {
        std::string one, other, answer;
    } questions[] = {
        {unit, design, "unsat\n"}, {design, unit, "unsat\n"}, {cut, design, "sat\n"}, {unit, open, "sat\n"}};
    for (const auto& q : questions) {
        const Outcome written = discern({"smt2", q.one, q.other, "-o", folder_.path("question.smt2")});
        ASSERT_EQ(written.status, 0) << written.err;
        EXPECT_EQ(asked_of_z3(), q.answer) << q.one << q.other;
    }
    EXPECT_NE(discern({"smt2", unit, open}).out.find("which the operands do not define"), std::string::npos);
    // Of the inputs within the limits, these two give the same for all.
    discern({"smt2", cut, design, "--range", "a:1..1,b:1..1", "-o", folder_.path("question.smt2")});
    EXPECT_EQ(asked_of_z3(), "unsat\n");
}

TEST_F(DesignCommands, WhatIsNoQuestionForOtherSolversIsRefused) {
    const std::string design = exported("unit.sv", tiny);
    const struct {
        std::vector<std::string> words;
        std::string says;
    } refused[] = {{{design, design}, "here are two designs; a unit and a design, or two units, are right"},
                   {{tiny, of_other_F, "--top", "x"}, "are of designs, rtl:FILE.sv"},
                   {{tiny, design, "--valid", "in,out"}, "a design with a handshake"},
                   {{tiny, design, "--d", "f16:rne"}, "--d is of two units"}};
    for (const auto& r : refused) {
        std::vector<std::string> words = {"smt2"};
        words.insert(words.end(), r.words.begin(), r.words.end());
        const Outcome outcome = discern(words);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_NE(outcome.err.find(r.says), std::string::npos) << outcome.err;
    }
}

TEST_F(DesignCommands, AreMembersOfASuite) {
    const std::string first = exported("first.sv", tiny), third = exported("third.sv", of_third_F);
    const Outcome outcome = discern({"suite", tiny, of_other_F, first, third, "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    const auto suite = nlohmann::json::parse(outcome.out);
    const nlohmann::json classes = {{tiny, first}, {of_other_F}, {third}};
    EXPECT_EQ(suite["classes"], classes);
    ASSERT_FALSE(suite["vectors"].empty());
    // What tells all classes apart is in the vectors, with the results that the units have.
    std::string file = "{\"discern\":1}\n";
    for (auto vector : suite["vectors"]) {
        ASSERT_EQ(vector["d"].size(), 3u);
        vector["d"] = vector["d"][2];
        file += vector.dump() + "\n";
    }
    EXPECT_EQ(discern({"eval", of_third_F, "-", "--check"}, file).status, 0) << file;
    EXPECT_EQ(discern({"eval", tiny, "-", "--check"}, file).status, 1) << file;
}

TEST_F(DesignCommands, OneUnitAndADesignAreASuite) {
    const std::string same = exported("same.sv", tiny), other = exported("other.sv", of_other_F);
    const auto classes = [](const Outcome& outcome) { return nlohmann::json::parse(outcome.out)["classes"].size(); };
    EXPECT_EQ(classes(discern({"suite", tiny, same, "--json"})), 1u);
    EXPECT_EQ(classes(discern({"suite", tiny, other, "--json"})), 2u);
    // Designs alone have no unit to be compared with.
    EXPECT_EQ(discern({"suite", same, other}).err,
              "discern: suite: designs are compared with units: discern suite UNIT "
              "rtl:FILE.sv\n");
    EXPECT_NE(discern({"suite", tiny, of_other_F, "--top", "x"}).err.find("and there is none"), std::string::npos);
    EXPECT_NE(discern({"suite", tiny, same, "--certificate", folder_.path("c")}).err.find("not of designs"),
              std::string::npos);
}

TEST_F(DesignCommands, ParametersOfADesignAloneStandInBraces) {
    const std::string file = folder_.file(
        "unit.sv",
        "module unit #(parameter ODD = 0) (input [15:0] a, input [15:0] b, input [15:0] c, output [15:0] d);\n"
        "  wire [15:0] y; discern_unit u(.a(a), .b(b), .c(c), .d(y));\n"
        "  assign d = ODD != 0 && a == 16'h3838 && b == 16'h3838 ? y ^ 16'd1 : y;\nendmodule\n");
    const std::string both = exported("inner.sv", tiny) + "," + file;
    const Outcome outcome = discern({"suite", tiny, both, both + "{ODD=1}", "--top", "unit", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    const nlohmann::json classes = {{tiny, both}, {both + "{ODD=1}"}};
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["classes"], classes);
}

TEST_F(DesignCommands, CutPointsAreProvedAndNeverAssumed) {
    const std::string design = exported("unit.sv", tiny);
    const auto asked = [&](const std::string& cut) {
        return discern({"prove", tiny, design, "--json", "--equal", cut});
    };
    const Outcome right = asked("f0_sum=f0_sum");
    ASSERT_EQ(right.status, 0) << right.err;
    // A word that is no wire of the design, or of the unit; of another width; and two wires that are not the same.
    EXPECT_NE(asked("f0_sun=f0_sum").err.find("the design has no net 'f0_sun' (did you mean f0_sum"),
              std::string::npos);
    EXPECT_NE(asked("f0_sum=f0_sun").err.find("the unit has no wire 'f0_sun' (did you mean f0_sum"), std::string::npos);
    EXPECT_NE(asked("f0_sum=f0_negative").err.find("NET[HIGH:LOW] is a part of a net"), std::string::npos);
    EXPECT_NE(asked("f0_sum").err.find("must be written NET=WIRE"), std::string::npos);
    EXPECT_NE(asked("f0_sum[99]=f0_negative").err.find("and not those of"), std::string::npos);
    // The sign of the sum is not whether a product was NaN.
    const Outcome wrong = discern({"prove", tiny, design, "--equal", "p0_nan=f0_negative"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_NE(wrong.err.find("--equal p0_nan=f0_negative does not hold: for {"), std::string::npos) << wrong.err;
}

/// Wrong from the second operation after the reset on: all operations are shown; --once asks about the first alone.
TEST_F(DesignCommands, EveryOperationAfterAResetCounts) {
    const std::string file = folder_.file(
        "unit.sv",
        "module unit(input clk, input rst, input [15:0] a, input [15:0] b, input [15:0] c, output reg [15:0] d);\n"
        "  wire [15:0] y; reg n; discern_unit inner(.a(a), .b(b), .c(c), .d(y));\n"
        "  always @(posedge clk) if (rst) n <= 0; else begin n <= 1; d <= n ? y ^ 16'd1 : y; end\nendmodule\n");
    std::vector<std::string> words = {
        "prove",    tiny, exported("inner.sv", tiny) + "," + file, "--top", "unit", "--clock", "clk", "--reset", "rst",
        "--cycles", "1"};
    const Outcome text = discern(words);
    EXPECT_EQ(text.status, 1) << text.err;
    EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 3) << text.out; // a header and two vectors
    words.push_back("--json");
    const auto answer = nlohmann::json::parse(discern(words).out);
    EXPECT_EQ(answer["sequence"].size(), 2u);
    EXPECT_EQ(answer["vectors"].size(), 1u);
    EXPECT_NE(answer["sequence"][1]["d"][0], answer["sequence"][1]["d"][1]);
    words.back() = "--once";
    const Outcome once = discern(words);
    EXPECT_EQ(once.status, 0) << once.err;
    EXPECT_TRUE(once.out.starts_with("equivalent in the first operation after each reset: ")) << once.out;
}

/// The certificate of a clocked design says after how many edges its result is taken, and who counted them.
TEST_F(DesignCommands, ACertificateSaysTheEdges) {
    const std::string file = folder_.file(
        "unit.sv", "module unit(input clk, input [15:0] a, input [15:0] b, input [15:0] c, output reg [15:0] d);\n"
                   "  reg [47:0] taken; wire [15:0] y;\n"
                   "  discern_unit inner(.a(taken[15:0]), .b(taken[31:16]), .c(taken[47:32]), .d(y));\n"
                   "  always @(posedge clk) begin taken <= {c, b, a}; d <= y; end\nendmodule\n");
    const std::string design = exported("inner.sv", tiny) + "," + file;
    const auto said = [&](const std::string& cycles) {
        const std::string path = folder_.path("of" + cycles);
        const Outcome made = discern(
            {"prove", tiny, design, "--top", "unit", "--clock", "clk", "--cycles", cycles, "--certificate", path});
        EXPECT_EQ(made.status, 0) << made.err;
        return nlohmann::json::parse(read_file(path + "/claim.json"))["designs"][0];
    };
    const std::string edges = "edges from the operands to their result";
    const auto given = said("2"), found = said("auto");
    EXPECT_EQ(given[edges], nlohmann::json({"2"}));
    EXPECT_EQ(found[edges], nlohmann::json({"2, found by --cycles auto"}));
}

/// A stage whose result may wait.
TEST_F(DesignCommands, ACertificateOfAHandshakeIsAccepted) {
    const std::string file = folder_.file(
        "unit.sv",
        "module unit #(parameter WRONG = 0) (input clk, input rst, input iv, output ir, output reg ov, input orr,\n"
        "  input [15:0] a, input [15:0] b, input [15:0] c, output reg [15:0] d);\n"
        "  wire [15:0] y; discern_unit inner(.a(a), .b(b), .c(c), .d(y)); assign ir = !ov || orr;\n"
        "  always @(posedge clk) begin if (rst) ov <= 0; else if (ir) ov <= iv;\n"
        "  if (ir || WRONG) d <= y; end\nendmodule\n");
    const std::string design = exported("inner.sv", tiny) + "," + file, path = folder_.path("certificate");
    const std::vector<std::string> words = {"prove",   tiny,      design,    "--top",   "unit",
                                            "--clock", "clk",     "--reset", "rst",     "--cycles",
                                            "1",       "--valid", "iv,ov",   "--ready", "ir,orr"};
    std::vector<std::string> right = words, wrong = words;
    right.insert(right.end(), {"--checked", "--certificate", path, "--json"});
    const Outcome checked = discern(right);
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    EXPECT_EQ(nlohmann::json::parse(checked.out)["ground"], "certificate");
    const auto claim = nlohmann::json::parse(read_file(path + "/claim.json"));
    EXPECT_EQ(claim["combination"], "handshake");
    EXPECT_EQ(claim["designs"][0]["ports that say that they are taken (--ready)"], nlohmann::json({"ir,orr"}));
    wrong.insert(wrong.end(), {"--parameter", "WRONG=1", "--certificate", folder_.path("none")});
    const Outcome different = discern(wrong);
    EXPECT_EQ(different.status, 3);
    EXPECT_NE(different.err.find("a run that is wrong is shown by itself"), std::string::npos) << different.err;
}

} // namespace
} // namespace discern::testing
