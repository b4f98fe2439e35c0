// Designs with registers: what is said of them holds for every operation, not for the first one after a reset.
#include "made.hpp"

#include "designs/clocked/operations.hpp"
#include "models/error.hpp"

namespace discern::rtl::testing {
namespace {

/// Registers around the unit's result y.
MadeDesign around(const std::string& body) {
    return MadeDesign(to_systemverilog({resolve_unit(smallest), "a unit", "a test", false}) +
                      "module unit(input wire clk, input wire rst, input wire [3:0] a, input wire [3:0] b,\n"
                      "  input wire [7:0] c, output wire [7:0] d);\n"
                      "  wire [7:0] y; reg [7:0] q; discern_unit u(.a(a), .b(b), .c(c), .d(y));\n" +
                      body + "\nendmodule\n");
}

ConnectionText after(int cycles, bool hold = false) {
    ConnectionText connection;
    connection.clock = "clk";
    connection.reset = "rst";
    connection.cycles = cycles;
    connection.hold = hold;
    return connection;
}

class Operation : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has("yosys") || !has("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
    }
    const Unit unit_ = resolve_unit(smallest);
};

TEST_F(Operation, TheNumberOfEdgesIsFound) {
    ConnectionText connection = after(0);
    connection.cycles = {};
    connection.find_cycles = true;
    const auto chain = [](int n, const std::string& last) {
        std::string text = "reg [7:0] s [0:9]; integer i; always @(posedge clk) begin s[0] <= y;\n"
                           "for (i = 1; i < 10; i = i + 1) s[i] <= s[i - 1]; end assign d = ";
        return text + (n == 0 ? "y" : "s[" + std::to_string(n - 1) + "]") + last + ";";
    };
    for (const int n : {0, 1, 4, 10}) {
        const Answer answer = around(chain(n, "")).answer(unit_, connection);
        EXPECT_EQ(answer.verdict, Verdict::equivalent) << n;
        EXPECT_NE(answer.by.find(", after " + std::to_string(n) + " edge"), std::string::npos) << answer.by;
    }
    // A mistake in one result is found at the right number.
    const Answer wrong = around(chain(3, " == 8'h31 ? 8'h30 : s[2]")).answer(unit_, connection);
    EXPECT_EQ(wrong.verdict, Verdict::different);
    EXPECT_NE(wrong.by.find("after 3 edges"), std::string::npos) << wrong.by;
    EXPECT_EQ(wrong.witnesses.at(0).d, (std::vector<std::uint64_t>{0x31, 0x30}));
    // Results for odd c come an edge later, and run into others; and none comes at all.
    const auto refusal = [&](const std::string& body) {
        try {
            around(body).question(unit_, connection);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(refusal("reg [7:0] r, s; reg late; always @(posedge clk) begin r <= y; s <= r; late <= c[0]; end\n"
                      "reg later; always @(posedge clk) later <= late; assign d = later ? s : r;")
                  .find("most of the unit's results"),
              std::string::npos);
    EXPECT_NE(refusal("assign d = y ^ 8'h01;").find("most of the unit's results"), std::string::npos);
}

TEST_F(Operation, OneThatIsWrongLaterIsFoundWrong) {
    struct Row {
        const char* body;
        std::size_t at_least; ///< operations that show it
    };
    const std::vector<Row> table = {
        {"reg [1:0] n; always @(posedge clk) if (rst) n <= 0; else begin if (n != 3) n <= n + 1;\n"
         "q <= n == 1 ? 0 : y; end assign d = q;",
         2}, // the second
        {"reg [2:0] n; always @(posedge clk) if (rst) n <= 0; else begin if (n != 7) n <= n + 1;\n"
         "q <= n == 5 ? 0 : y; end assign d = q;",
         6}, // the sixth
        {"always @(posedge clk) if (rst) q <= 0; else q <= y ^ (q & 8'd1); assign d = q;", 2},
        // After one vector of 2^16.
        {"reg [7:0] r, s; always @(posedge clk) begin r <= rst ? 0 : c; s <= r;\n"
         "q <= !rst && r == 8'h35 && s == 8'h47 ? 0 : y; end assign d = q;",
         3},
    };
    for (const Row& row : table) {
        const Answer answer = around(row.body).answer(unit_, after(1));
        ASSERT_EQ(answer.verdict, Verdict::different) << row.body;
        EXPECT_GE(answer.sequence.size(), row.at_least) << row.body;
        EXPECT_LE(answer.sequence.size(), row.at_least + 1) << row.body;
        EXPECT_NE(answer.by.find("replayed by Icarus Verilog"), std::string::npos) << answer.by;
        EXPECT_NE(answer.witnesses.front().d.at(0), answer.witnesses.front().d.at(1));
    }
}

TEST_F(Operation, WhatRegistersReachIsProved) {
    const std::vector<std::string> table = {
        // Counters and rings that never come where the result is wrong.
        "reg [2:0] n; always @(posedge clk) if (rst) n <= 0; else begin if (n != 5) n <= n + 1;\n"
        "q <= n == 6 ? 0 : y; end assign d = q;",
        "reg [3:0] n; always @(posedge clk) if (rst) n <= 1; else begin n <= {n[2:0], n[3]};\n"
        "q <= n[0] & n[1] ? 0 : y; end assign d = q;",
        // One of two bits, moved by the operands; copies that are compared; a bit that says what is valid.
        "reg [1:0] n; always @(posedge clk) if (rst) n <= 1; else begin if (c[0]) n <= {n[0], n[1]};\n"
        "q <= n[0] == n[1] ? 0 : y; end assign d = q;",
        "reg [7:0] r; reg bad; always @(posedge clk) if (rst) begin q <= 0; r <= 0; bad <= 0; end\n"
        "else begin q <= y; r <= y; bad <= bad | q != r; end assign d = bad ? 0 : q;",
        "reg v; always @(posedge clk) begin v <= 1; if (v) q <= y; end assign d = q;",
    };
    for (const std::string& body : table)
        EXPECT_EQ(around(body).answer(unit_, after(1)).verdict, Verdict::equivalent) << body;
}

/// What a reset does is a part of such a proof: a text of which a simulator reads another reset is refused.
TEST_F(Operation, OtherReadingsOfAResetAreRefused) {
    const auto refusal = [&](const std::string& simulated) {
        const MadeDesign design = around(
            "reg bad; always @(posedge clk) begin q <= bad ? 0 : y; if (rst)\n`ifdef SYNTHESIS\nbad <= 0;\n`else\n" +
            simulated + "\n`endif\nelse bad <= bad; end assign d = q;");
        try {
            EXPECT_EQ(design.answer(unit_, after(1)).verdict, Verdict::equivalent);
            return std::string();
        } catch (const Error& error) {
            return std::string(error.what());
        }
    };
    EXPECT_EQ(refusal("bad <= 1'b0;"), "");
    EXPECT_NE(refusal("bad <= c == 8'h31;").find("simulation and synthesis read different designs"), std::string::npos);
}

TEST_F(Operation, WhatIsNotKnownOfAllStaysOpen) {
    // Wrong after a million operations; and never, which is a theorem about 65535 states.
    for (const char* const body :
         {"reg [31:0] n; always @(posedge clk) if (rst) n <= 0; else begin n <= n + 1; q <= n == 1000000 ? 0 : y; end\n"
          "assign d = q;",
          "reg [15:0] n; always @(posedge clk) if (rst) n <= 1; else begin\n"
          "n <= {n[14:0], n[15] ^ n[13] ^ n[12] ^ n[10]}; q <= n == 0 ? 0 : y; end assign d = q;"}) {
        const Answer answer = around(body).answer(unit_, after(1), 3);
        EXPECT_EQ(answer.verdict, Verdict::unknown) << body;
        EXPECT_NE(answer.missing.find("too little is known"), std::string::npos) << answer.missing;
    }
}

/// Operands that stay: the next ones come when the result is there.
TEST_F(Operation, OperandsThatAreHeldFollowEachOther) {
    const auto counting = [](const char* next) {
        return around(std::string("reg [1:0] n; reg [7:0] r; always @(posedge clk) if (rst) n <= 0; else begin n <= ") +
                      next + "; if (n == 0) q <= y; if (n == 2) r <= q; end assign d = r;");
    };
    EXPECT_EQ(counting("n == 2 ? 0 : n + 1").answer(unit_, after(3, true)).verdict, Verdict::equivalent);
    // Four states for three edges: right once, and again only after a reset.
    ConnectionText once = after(3, true);
    EXPECT_EQ(counting("n + 1").answer(unit_, once).verdict, Verdict::different);
    once.once = true;
    EXPECT_EQ(counting("n + 1").answer(unit_, once).verdict, Verdict::equivalent);
}

TEST_F(Operation, AResultWithoutAnOutputIsRefused) {
    // What is not reset is not there for the first operation.
    const MadeDesign design = around("reg v; always @(posedge clk) begin v <= !rst; if (v) q <= y; end assign d = q;");
    EXPECT_THROW(design.answer(unit_, after(1)), Error);
}

/// The netlist, run operation after operation, is what a simulator says.
TEST_F(Operation, AreWhatASimulatorSays) {
    for (const bool hold : {false, true}) {
        const MadeDesign design =
            around("reg [2:0] n; reg [7:0] r; always @(posedge clk) if (rst) begin n <= 0; q <= 0;\n"
                   "r <= 0; end else begin n <= n + c[0]; q <= y ^ (q & 8'h81); r <= q + n; end\n"
                   "assign d = r + c;");
        const DesignQuestion question = design.question(unit_, after(2, hold));
        const std::vector<Vector> operations = some_vectors(unit_, 50);
        const auto results = Operations(question).results(operations);
        std::string why_not;
        const auto simulated =
            simulate(design.sources, question.design, question.connection, operations, never, why_not);
        ASSERT_TRUE(simulated) << why_not;
        for (std::size_t i = 0; i < operations.size(); ++i) EXPECT_EQ(known(simulated->d[i]), results[i]) << hold << i;
    }
}

} // namespace
} // namespace discern::rtl::testing
