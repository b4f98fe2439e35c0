// Designs with valid and ready: right ones are proved whatever waits, and wrong ones are shown with what waited.
#include "handshakes.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"

namespace discern::rtl::testing {
namespace {

class HandshakeOf : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has("yosys") || !has("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
    }
    const Unit unit_ = resolve_unit(smallest);
};

TEST_F(HandshakeOf, WhatWaitsIsProved) {
    for (const RightHandshake& row : right_handshakes()) {
        const Answer answer = with_handshake(row.body).answer(unit_, row.connection);
        EXPECT_EQ(answer.verdict, Verdict::equivalent) << row.body << answer.missing;
        EXPECT_NE(answer.by.find("of the handshake, each of which takes operands again)"), std::string::npos)
            << answer.by;
    }
}

TEST_F(HandshakeOf, WhatLosesAResultIsShown) {
    for (const LosingHandshake& row : losing_handshakes()) {
        const Answer answer = with_handshake(row.body).answer(unit_, handshake(row.cycles));
        if (*row.wrong == '\0') {
            EXPECT_EQ(answer.verdict, Verdict::equivalent) << row.body << answer.missing;
            continue;
        }
        if (std::string(row.wrong) == "unknown") {
            EXPECT_NE(answer.verdict, Verdict::equivalent) << row.body;
            continue;
        }
        ASSERT_EQ(answer.verdict, Verdict::different) << row.body << answer.by << answer.missing;
        EXPECT_NE(answer.by.find("replayed by Icarus Verilog"), std::string::npos) << answer.by;
        ASSERT_TRUE(answer.stalls) << row.body << answer.by;
        EXPECT_NE(answer.stalls->wrong.find(row.wrong), std::string::npos) << row.body << answer.stalls->wrong;
        EXPECT_EQ(answer.stalls->valid.size(), answer.stalls->ready.size());
        EXPECT_FALSE(answer.sequence.empty());
        EXPECT_LE(answer.sequence.size(), 5u) << row.body << "the shortest run has no operation too many";
    }
}

/// What depends on operands is split by them.
TEST_F(HandshakeOf, WhatTakesAsLongAsOperandsSayIsProved) {
    std::size_t i = 0;
    for (const RightHandshake& row : iterative_handshakes()) {
        if (!tests::takes_part(i++, 4)) continue;
        const Answer answer = with_handshake(row.body).answer(unit_, row.connection);
        EXPECT_EQ(answer.verdict, Verdict::equivalent) << row.body << answer.missing;
        EXPECT_NE(answer.by.find("of different latencies or stalls, whatever waits"), std::string::npos) << answer.by;
        EXPECT_GT(answer.challenged, 0u);
    }
}

/// Limits of the operands hold of those that are taken, and not of what else is on the ports.
TEST_F(HandshakeOf, OperandsThatAreTakenAreWithinTheLimits) {
    const auto verdict = [&](const std::string& body, int cycles, const InputLimits& limits) {
        const MadeDesign design = with_handshake(body);
        DesignQuestion question = design.question(unit_, handshake(cycles));
        question.limits = limits;
        DiscriminateOptions options;
        options.timeout = 60;
        return decide({{question, design.sources}}, options).verdict;
    };
    const InputLimits from_zero{.numbers = {{Operand::b, 0, 6}}}; // and b is not -0.5, which is 9
    const std::string never = waiting("n == 0 && q != 9");
    EXPECT_NE(verdict(never, 5, {}), Verdict::equivalent);
    EXPECT_EQ(verdict(never, 5, from_zero), Verdict::equivalent);
    EXPECT_NE(verdict("reg busy, bad; reg [1:0] n; reg [3:0] p, q; reg [7:0] r; assign ov = busy && n == 0 && !bad,\n"
                      "ir = !busy || (ov && orr), d = y, x = p, w = q, z = r; always @(posedge clk) if (rst) begin\n"
                      "busy <= 0; bad <= 0; end else begin if (!iv && b == 9) bad <= 1; if (ir) begin busy <= iv;\n"
                      "n <= c[1:0]; p <= a; q <= b; r <= c; end else if (n != 0) n <= n - 1; end",
                      4, from_zero),
              Verdict::equivalent);
}

/// A latency that bits of the result decide has thousands of conditions, and the time is over between two of them.
TEST_F(HandshakeOf, TheTimeIsKeptWhileOperandsAreSplit) {
    const auto start = Limit::Clock::now();
    const Answer answer =
        with_handshake("reg busy, full; reg [1:0] n; reg [7:0] s; assign x = a, w = b, z = c, d = s;\n"
                       "assign ir = !busy && !full, ov = full;\n"
                       "always @(posedge clk) begin if (iv && ir) s <= y;\n"
                       "if (rst) begin busy <= 0; full <= 0; n <= 0; end else begin if (orr) full <= 0;\n"
                       "if (iv && ir) begin busy <= 1; n <= y[1:0]; end else if (busy && n != 0) n <= n - 1;\n"
                       "else if (busy) begin busy <= 0; full <= 1; end end end")
            .answer(unit_, handshake(5), 5);
    EXPECT_NE(answer.verdict, Verdict::different);
    EXPECT_LT(seconds_since(start), 100) << "of five";
}

TEST_F(HandshakeOf, WhatIsWrongForSomeLatencyIsShown) {
    for (const LosingHandshake& row : losing_iterative_handshakes()) {
        const MadeDesign design = with_handshake(row.body);
        if (*row.wrong == '\0') { // it may stop for ever, or depend on what a register held
            try {
                EXPECT_NE(design.answer(unit_, handshake(row.cycles)).verdict, Verdict::equivalent);
            } catch (const Error& error) {
                EXPECT_NE(std::string(error.what()).find("is not defined"), std::string::npos) << error.what();
            }
            continue;
        }
        const Answer answer = design.answer(unit_, handshake(row.cycles));
        ASSERT_EQ(answer.verdict, Verdict::different) << row.body << answer.by << answer.missing;
        EXPECT_NE(answer.by.find("replayed by Icarus Verilog"), std::string::npos) << answer.by;
        ASSERT_TRUE(answer.stalls);
        EXPECT_NE(answer.stalls->wrong.find(row.wrong), std::string::npos) << row.body << answer.stalls->wrong;
        EXPECT_LE(answer.sequence.size(), 3u) << row.body;
    }
}

/// A flag that is lost while a result waits lets x out: whatever is said of that, it is not that the design is right.
TEST_F(HandshakeOf, WhatLetsXOutIsNotProved) {
    const MadeDesign design = with_handshake(with_x("8'h55", " else f <= 0;"));
    try {
        EXPECT_NE(design.answer(unit_, handshake(2)).verdict, Verdict::equivalent);
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("is x"), std::string::npos) << error.what();
    }
}

/// A wrong value without stalls is found as of a pipeline.
TEST_F(HandshakeOf, AWrongValueIsShown) {
    const Answer answer =
        with_handshake(two_stages("go", "go") + " wire unused = 0;")
            .answer(resolve_unit("e2m1fn*e2m1fn+e4m3fn->e4m3fn K=1 : round[e4m3fn rz](fuse[exact](p*, c))"),
                    handshake(2));
    EXPECT_EQ(answer.verdict, Verdict::different);
    EXPECT_NE(answer.by.find("replayed by Icarus Verilog"), std::string::npos) << answer.by;
    EXPECT_EQ(with_handshake(with_x("8'h54")).answer(unit_, handshake(2)).verdict, Verdict::different);
}

TEST_F(HandshakeOf, WhatHasTooManyStatesIsProvedWithinEdges) {
    // In one of 2^20 states no result is there.
    const Answer answer = with_handshake(two_stages("go", "go", "v && n != 20'hffff0") +
                                         " reg [19:0] n; always @(posedge clk) n <= rst ? 0 : n + 1;")
                              .answer(unit_, handshake(2), 10);
    EXPECT_EQ(answer.verdict, Verdict::equivalent) << answer.missing;
    EXPECT_NE(answer.by.find("edges from the reset; that operands are taken is claimed of the first edge alone"),
              std::string::npos)
        << answer.by;
}

/// Where operands decide when a result comes, some of them have none within the edges that were looked at.
TEST_F(HandshakeOf, WhatHasTooManyStatesAndOtherLatenciesIsUnknown) {
    const Answer answer = with_handshake(waiting("n == 0 && k != 20'hffff0") +
                                         " reg [19:0] k; always @(posedge clk) k <= rst ? 0 : k + 1;")
                              .answer(unit_, handshake(5), 10);
    EXPECT_EQ(answer.verdict, Verdict::unknown) << answer.by;
    EXPECT_NE(answer.missing.find("its latency depends on operands, and within the time only "), std::string::npos)
        << answer.missing;
}

/// What synthesis and simulation read differently counts, too, where only what waits shows it.
TEST_F(HandshakeOf, OtherReadingsAreComparedAtEveryEdge) {
    for (const auto& [other, differs] : {std::pair("1", true), {"go", false}}) {
        const MadeDesign design = with_handshake(
            "wire last;\n" + two_stages("go", "last") +
            "\n`ifdef SYNTHESIS\nassign last = go;\n`else\nassign last = " + std::string(other) + ";\n`endif\n");
        std::string refusal;
        try {
            EXPECT_EQ(design.answer(unit_, handshake(2)).verdict, Verdict::equivalent);
        } catch (const Error& error) {
            refusal = error.what();
        }
        EXPECT_EQ(refusal.find("simulation and synthesis read different designs") != std::string::npos, differs)
            << refusal;
    }
}

TEST_F(HandshakeOf, WhatIsMissingIsSaid) {
    const MadeDesign design = with_handshake(two_stages("go", "go"));
    const auto refusal = [&](const ConnectionText& connection) {
        try {
            design.answer(unit_, connection);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    ConnectionText no_reset = handshake(2), hold = handshake(2), one = handshake(2), output = handshake(2),
                   word = handshake(2), alone = handshake(2);
    no_reset.reset.clear();
    hold.hold = true;
    one.valid = "iv";
    output.valid = "ov,iv";
    word.valid = "a,ov";
    alone.valid.clear();
    const std::vector<std::pair<ConnectionText, const char*>> table = {
        {no_reset, "the port named by --reset"}, {hold, "--hold is of designs without a handshake"},
        {one, "must be written IN,OUT"},         {output, "is an output; it must be an input"},
        {word, "has more than one bit"},         {alone, "--ready: which ports say what is valid"},
    };
    for (const auto& [connection, says] : table)
        EXPECT_NE(refusal(connection).find(says), std::string::npos) << refusal(connection);
}

} // namespace
} // namespace discern::rtl::testing
