// Operations back to back with random stalls: what only a stall shows is found, made short and replayed, and what is
// right has no mismatch.
#include "handshakes.hpp"

#include "designs/handshake/stream.hpp"
#include "designs/target.hpp"
#include "hwrunner/validate.hpp"
#include "models/error.hpp"

namespace discern::rtl::testing {
namespace {

/// What a check with stalls comes to.
struct Checked {
    Validation result;
    std::optional<Answer> shown;
};

Checked checked(const MadeDesign& design, const Unit& unit, const ConnectionText& connection, std::uint64_t seed,
                std::uint64_t vectors = 10'000) {
    const DesignQuestion question = design.question(unit, connection);
    StreamTarget target(question, design.sources, seed, never);
    Checked checked;
    std::optional<HandshakeRun> wrong;
    const auto report = [&](const Mismatch& mismatch) {
        if (!wrong) wrong = target.run_to(mismatch.index);
    };
    ValidateOptions options;
    options.vectors = vectors;
    options.seed = seed;
    try {
        validate_target(target, unit, options, report, checked.result);
    } catch (const HandshakeFault&) {
        ++checked.result.mismatches;
    }
    if (target.faulty()) wrong = target.faulty();
    if (wrong) checked.shown = target.shown(*wrong, Limit::after(20));
    return checked;
}

class StreamOf : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has("yosys") || !has("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
    }
    const Unit unit_ = resolve_unit(smallest);
};

TEST_F(StreamOf, WhatIsRightHasNoMismatch) {
    for (const RightHandshake& row : right_handshakes()) {
        const Checked found = checked(with_handshake(row.body), unit_, row.connection, 3);
        EXPECT_EQ(found.result.mismatches, 0u) << row.body;
        EXPECT_EQ(found.result.checked, 10'000u) << row.body;
    }
}

/// A result that takes longer than most is no reason to say that no operands are taken any more.
TEST_F(StreamOf, AResultMayTakeHundredsOfEdges) {
    const std::string body = "reg [9:0] n; reg [3:0] p, q; reg [7:0] r; assign x = p, w = q, z = r, d = y;\n"
                             "assign ir = n == 0, ov = n == 700; always @(posedge clk) if (rst) n <= 0; else begin\n"
                             "if (iv && ir) begin p <= a; q <= b; r <= c; end\n"
                             "n <= ir ? iv : ov ? (orr ? 0 : n) : n + 1; end";
    const Checked found = checked(with_handshake(body), unit_, handshake(701), 3, 200);
    EXPECT_EQ(found.result.mismatches, 0u);
    EXPECT_EQ(found.result.checked, 200u);
}

/// Of these bugs no operation by itself shows any.
TEST_F(StreamOf, WhatOnlyAStallShowsIsFound) {
    for (const LosingHandshake& row : losing_handshakes()) {
        const std::string wrong = row.wrong;
        if (wrong.empty()) continue;
        const MadeDesign design = with_handshake(row.body);
        const Checked found = checked(design, unit_, handshake(row.cycles), 3);
        ASSERT_TRUE(found.shown && found.result.mismatches > 0) << row.body;
        EXPECT_NE(found.shown->by.find("replayed by Icarus Verilog"), std::string::npos) << found.shown->by;
        const Answer::Stalls& stalls = *found.shown->stalls;
        EXPECT_EQ(stalls.valid.size(), stalls.ready.size());
        EXPECT_LE(found.shown->sequence.size(), 5u) << row.body << stalls.valid << ' ' << stalls.ready;
        const Checked again = checked(design, unit_, handshake(row.cycles), 3);
        ASSERT_TRUE(again.shown);
        EXPECT_EQ(again.shown->stalls->valid, stalls.valid) << "a seed is a run";
        EXPECT_EQ(again.shown->stalls->ready, stalls.ready);
    }
}

/// It shows after so many operations only, and where two results wait: runs go on through batches.
TEST_F(StreamOf, WhatComesLateIsFound) {
    const std::string body =
        "reg v; reg [7:0] s; reg [7:0] n; assign x = a, w = b, z = c, ir = !v || orr, ov = v, d = s;\n"
        "always @(posedge clk) if (rst) begin v <= 0; n <= 0; end else begin if (iv && ir) n <= n + 1;\n"
        "if (ir) begin v <= iv; if (iv) s <= y; end else if (n == 200) s <= ~s; end";
    const Checked found = checked(with_handshake(body), unit_, handshake(1), 1, 20'000);
    ASSERT_TRUE(found.shown);
    EXPECT_EQ(found.shown->sequence.size(), 200u) << "it takes 200 operations, and no more are shown";
}

/// x that a stall lets out is said, and is no mismatch of the unit.
TEST_F(StreamOf, WhatLetsXOutIsSaid) {
    const Checked found = checked(with_handshake(with_x("8'h55", " else f <= 0;")), unit_, handshake(2), 5, 200'000);
    EXPECT_GT(found.result.skipped, 0u);
    EXPECT_NE(found.result.first_error.find("not defined by the operands"), std::string::npos);
}

/// A reader that has another stall logic than the simulator is found before anything is answered.
TEST_F(StreamOf, ASimulatorIsAskedFirst) {
    const MadeDesign right = with_handshake(two_stages("go", "go")), wrong = with_handshake(two_stages("go", "1"));
    const DesignQuestion question = right.question(unit_, handshake(2));
    StreamTarget target(question, wrong.sources, 1, never);
    Validation result;
    ValidateOptions options;
    options.vectors = 1000;
    EXPECT_THROW(validate_target(
                     target, unit_, options, [](const Mismatch&) {}, result),
                 Error);
}

} // namespace
} // namespace discern::rtl::testing
