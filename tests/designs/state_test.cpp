// Accumulators that keep c: right ones are proved from every state, and wrong ones are shown with c, or with operations
// from the reset on.
#include "made.hpp"

#include "designs/clocked/operations.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"

namespace discern::rtl::testing {
namespace {

/// The unit y of x, w and what is fed back, z, with registers around it.
MadeDesign accumulator(const std::string& body) {
    return MadeDesign(to_systemverilog({resolve_unit(smallest), "a unit", "a test", false}) +
                      "module unit(input wire clk, input wire rst, input wire [3:0] a, input wire [3:0] b,\n"
                      "  output wire [7:0] sum);\n  wire [7:0] y, z; reg [7:0] acc; wire [3:0] x, w;\n"
                      "  discern_unit u(.a(x), .b(w), .c(z), .d(y));\n" +
                      body + "\nendmodule\n");
}

const char* const at_once = "assign x = a; assign w = b; assign z = acc; assign sum = acc;\n"
                            "always @(posedge clk) if (rst) acc <= 0; else acc <= ";
const char* const later = "reg [3:0] p, q; always @(posedge clk) begin p <= a; q <= b; end assign x = p;\n"
                          "assign w = q; assign z = acc; assign sum = acc; reg taken;\n"
                          "always @(posedge clk) if (rst) begin acc <= 0; taken <= 0; end else begin taken <= 1;\n"
                          "if (taken) acc <= ";

ConnectionText keeping(int cycles, const std::string& d = "", const std::string& state = "acc=c") {
    ConnectionText connection;
    connection.clock = "clk";
    connection.reset = "rst";
    connection.cycles = cycles;
    connection.state = state;
    if (!d.empty()) connection.map = "d=" + d;
    return connection;
}

class State : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has("yosys") || !has("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
    }
    const Unit unit_ = resolve_unit(smallest);
};

TEST_F(State, WhatKeepsItsSumIsProved) {
    struct Row {
        std::string body;
        ConnectionText connection;
    };
    ConnectionText held = keeping(3);
    held.hold = true;
    ConnectionText never_reset = keeping(1);
    never_reset.reset.clear();
    never_reset.set = {"rst=0"};
    const std::vector<Row> table = {
        {std::string(at_once) + "y;", keeping(1)},
        {std::string(at_once) + "y;", keeping(1, "sum")}, // the same net
        {std::string(at_once) + "y;", keeping(1, "acc")},
        {std::string(at_once) + "y;", never_reset},
        {std::string(later) + "y; end", keeping(2)},
        // A port that is not the register: both are asked about.
        {"assign x = a; assign w = b; assign z = acc; assign sum = copy; reg [7:0] copy;\n"
         "always @(posedge clk) if (rst) begin acc <= 0; copy <= 0; end else begin acc <= y; copy <= y; end",
         keeping(1, "sum")},
        // In two registers.
        {"reg s; reg [6:0] m; wire [7:0] held = {s, m}; assign x = a; assign w = b; assign z = held; assign sum = z;\n"
         "always @(posedge clk) if (rst) begin s <= 0; m <= 0; end else begin s <= y[7]; m <= y[6:0]; end",
         keeping(1, "", "held=c")},
        // One step of three.
        {"reg [1:0] n; assign x = a; assign w = b; assign z = acc; assign sum = acc;\n"
         "always @(posedge clk) if (rst) begin n <= 0; acc <= 0; end else begin n <= n == 2 ? 0 : n + 1;\n"
         "if (n == 1) acc <= y; end",
         held},
    };
    for (const Row& row : table) {
        const Answer answer = accumulator(row.body).answer(unit_, row.connection);
        EXPECT_EQ(answer.verdict, Verdict::equivalent) << row.body << answer.missing;
        EXPECT_NE(answer.by.find("being c before"), std::string::npos) << answer.by;
    }
}

TEST_F(State, ARegisterOfAModuleWithinIsNamed) {
    const MadeDesign design("module keep(input clk, input [7:0] n, output [7:0] o); reg [7:0] kept; assign o = kept;\n"
                            "always @(posedge clk) kept <= n; endmodule\n" +
                            to_systemverilog({unit_, "a unit", "a test", false}) +
                            "module unit(input wire clk, input wire rst, input wire [3:0] a, input wire [3:0] b,\n"
                            "  output wire [7:0] sum); wire [7:0] y; keep inner(clk, y, sum);\n"
                            "discern_unit u(.a(a), .b(b), .c(sum), .d(y)); endmodule\n");
    for (const char* const state : {"inner.kept=c", "inner.o=c", "sum=c"}) // only the first can be assigned to
        EXPECT_EQ(design.answer(unit_, keeping(1, "", state)).verdict, Verdict::equivalent) << state;
}

TEST_F(State, WhatLosesItsSumIsShown) {
    struct Row {
        std::string body;
        int cycles;
        const char* d;
        bool in_sequence; ///< only operations one after the other show it
    };
    const std::vector<Row> table = {
        {std::string(at_once) + "a == 5 && b == 6 ? 0 : y;", 1, "", false}, // cleared
        {std::string(later) + "p == 5 && acc == 8'h31 ? 0 : y; end", 2, "", false},
        // Fed back an edge late.
        {"reg [7:0] late; assign x = a; assign w = b; assign z = late; assign sum = acc;\n"
         "always @(posedge clk) if (rst) begin acc <= 0; late <= 0; end else begin acc <= y; late <= acc; end",
         1, "", true},
        // The register is right, and the port is not.
        {"reg [7:0] copy; assign x = a; assign w = b; assign z = acc; assign sum = copy;\n"
         "always @(posedge clk) if (rst) begin acc <= 0; copy <= 0; end else begin acc <= y;\n"
         "copy <= acc == 8'h31 ? 8'h30 : y; end",
         1, "sum", false},
        // The port is right, and the register is not.
        {"reg [7:0] copy; assign x = a; assign w = b; assign z = acc; assign sum = copy;\n"
         "always @(posedge clk) if (rst) begin acc <= 0; copy <= 0; end else begin acc <= y & 8'hfe;\n"
         "copy <= y; end",
         1, "sum", false},
        // The third operation after the reset finds no sum.
        {"reg [1:0] n; assign x = a; assign w = b; assign z = n == 2 ? 8'd0 : acc; assign sum = acc;\n"
         "always @(posedge clk) if (rst) begin n <= 0; acc <= 0; end else begin if (n != 3) n <= n + 1; acc <= y; end",
         1, "", true},
    };
    for (const Row& row : table) {
        const Answer answer = accumulator(row.body).answer(unit_, keeping(row.cycles, row.d));
        ASSERT_EQ(answer.verdict, Verdict::different) << row.body << answer.missing;
        EXPECT_NE(answer.by.find("replayed by Icarus Verilog"), std::string::npos) << answer.by;
        const Vector& v = answer.witnesses.at(0);
        ASSERT_TRUE(v.c);
        EXPECT_NE(v.d.at(0), v.d.at(1));
        EXPECT_TRUE(!row.in_sequence || answer.sequence.size() >= 2) << row.body;
    }
}

/// The netlist, run operation after operation, holds what a simulator holds.
TEST_F(State, OperationsAreWhatASimulatorSays) {
    for (const bool hold : {false, true}) {
        const MadeDesign design = accumulator(std::string(later) + "y ^ {7'd0, p[0]}; end");
        ConnectionText connection = keeping(2);
        connection.hold = hold;
        const DesignQuestion question = design.question(unit_, connection);
        const std::vector<Vector> operations = some_vectors(unit_, 50);
        Operations::Values states;
        const auto results = Operations(question).results(operations, &states);
        std::string why_not;
        const auto simulated =
            simulate(design.sources, question.design, question.connection, operations, never, why_not, "", true);
        ASSERT_TRUE(simulated) << why_not;
        for (std::size_t i = 0; i < operations.size(); ++i) {
            EXPECT_EQ(known(simulated->d[i]), results[i]) << hold << i;
            EXPECT_TRUE(i == 0 || states[i] == results[i - 1]) << hold << i; // what the operation before left
        }
    }
}

TEST_F(State, TheLatencyIsFound) {
    ConnectionText connection = keeping(1);
    connection.cycles = {};
    connection.find_cycles = true;
    const Answer answer = accumulator(std::string(later) + "y; end").answer(unit_, connection);
    EXPECT_EQ(answer.verdict, Verdict::equivalent);
    EXPECT_NE(answer.by.find("after 2 edges"), std::string::npos) << answer.by;
}

TEST_F(State, WhatIsNoStateIsRefused) {
    const MadeDesign design = accumulator(std::string(at_once) + "y;");
    const auto refusal = [&](const ConnectionText& connection) {
        try {
            design.question(unit_, connection);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    ConnectionText no_clock = keeping(1);
    no_clock.clock.clear();
    no_clock.reset.clear();
    no_clock.cycles = {};
    ConnectionText mapped = keeping(1);
    mapped.map = "c=sum";
    const std::vector<std::pair<ConnectionText, const char*>> table = {
        {keeping(1, "", "ac=c"), "the design has no net 'ac'"},
        {keeping(1, "", "acc[6:0]=c"), "has 7 bits, but c has 8 bits"},
        {keeping(1, "", "y=c"), "is not that of a register"},
        {keeping(1, "", "acc=a"), "c is what a state can be"},
        {keeping(1, "", "acc"), "must be written NET=c"},
        {keeping(0), "after --cycles 0"},
        {no_clock, "which port is the clock"},
        {mapped, "one of the two is too much"},
    };
    for (const auto& [connection, says] : table)
        EXPECT_NE(refusal(connection).find(says), std::string::npos) << refusal(connection);
    // A sum in another format than c.
    const Unit wider = resolve_unit("e2m1fn*e2m1fn+e4m3fn->f16 K=1 : round[f16 rne](fuse[exact](p*, c))");
    EXPECT_THROW(design.question(wider, keeping(1)), Error);
}

} // namespace
} // namespace discern::rtl::testing
