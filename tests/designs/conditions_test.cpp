// Vectors that take conditions both ways: those that a random vector does not, and others around them.
#include "made.hpp"

#include "designs/conditions.hpp"
#include "designs/same_reading.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"

namespace discern::rtl::testing {
namespace {

/// c has 16 bits, so that no random vector has it right.
constexpr const char* wide = "fix4.0*fix4.0+fix16.0->fix18.0 K=1 : round[fix18.0 rne](fuse[exact](p*, c))";

class Conditions : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has("yosys") || !has("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
    }
    /// With a bit that is wrong where `when` is 1.
    MadeDesign wrong_where(const std::string& when) const {
        return MadeDesign("module unit(input [3:0] a, b, input [15:0] c, output [17:0] d); wire [17:0] y;\n"
                          "discern_unit u(.a(a), .b(b), .c(c), .d(y)); assign d = y ^ " +
                              when + ";\nendmodule\n" + to_systemverilog({unit_, "a unit", "a test", false}),
                          "unit", "yosys");
    }
    const Unit unit_ = resolve_unit(wide);
};

TEST_F(Conditions, AreTakenBothWays) {
    const DesignQuestion question = wrong_where("((c == 16'hbeef) & a[0] & ~b[3])").question(unit_);
    const ConditionVectors made = vectors_for_conditions(question, 1, Limit::after(60));
    EXPECT_GT(made.conditions, 4u);
    EXPECT_EQ(made.taken + made.impossible, made.conditions) << made.text();
    const auto has_it = [](const Vector& v) { return v.c == 0xbeefu && (v.a[0] & 1u) != 0 && (v.b[0] & 8u) == 0; };
    // And not one alone: what is wrong there may depend on the rest.
    EXPECT_GE(std::ranges::count_if(made.vectors, has_it), 3);
}

TEST_F(Conditions, ThatCannotBeAreCounted) {
    const DesignQuestion question = wrong_where("((c == 16'hbeef) & (c[3:0] == 4'h0))").question(unit_);
    const ConditionVectors made = vectors_for_conditions(question, 1, Limit::after(60));
    EXPECT_GE(made.impossible, 1u) << made.text();
    EXPECT_EQ(made.taken + made.impossible, made.conditions) << made.text();
    EXPECT_NE(made.text().find(" cannot be"), std::string::npos) << made.text();
    const ConditionVectors none = vectors_for_conditions(question, 1, Limit::after(0));
    EXPECT_NE(none.text().find(" not in time"), std::string::npos) << none.text();
}

/// Of a test that was written into the text both ways are taken, too, though the design as it is read has no such net.
TEST_F(Conditions, OfIndicesAreTakenBothWays) {
    const MadeDesign design("module unit(input [3:0] a, b, input [15:0] c, output [17:0] d); reg [3:0] m[0:3];\n"
                            "always_comb begin m[0] = 0; m[1] = 0; m[2] = 0; m[3] = 0; if (a < 4) m[a] = b; end\n"
                            "discern_unit u(.a(a), .b(b), .c(c), .d(d)); wire unused = m[0] == 0;\nendmodule\n" +
                                to_systemverilog({unit_, "a unit", "a test", false}),
                            "unit", "yosys");
    const DesignQuestion question = design.question(unit_);
    const ConditionVectors made = vectors_for_conditions(question, 1, Limit::after(60));
    EXPECT_EQ(made.taken + made.impossible, made.conditions) << made.text();
    const Answer answer = design.answer(unit_);
    EXPECT_EQ(answer.verdict, Verdict::equivalent);
    EXPECT_TRUE(std::ranges::any_of(answer.stages, [](const Stage& stage) {
        return stage.name.find("on vectors with ") != std::string::npos && stage.outcome == "as it was read";
    }));
}

/// What is wrong in the reading itself: the simulator is given another text than the one that is asked about.
TEST_F(Conditions, ShowAReadingThatIsWrongSeldom) {
    const MadeDesign right = wrong_where("18'd0"), seldom = wrong_where("(c == 16'hbeef)");
    DiscriminateOptions options;
    options.timeout = 60;
    const auto said = [&](const DesignQuestion& question, const Sources& sources) {
        try {
            return std::string(name(decide({{question, sources}}, options).verdict));
        } catch (const Error& error) {
            return std::string(error.what());
        }
    };
    // The netlist has a test of c that changes nothing, and the simulator's text has one that does.
    const MadeDesign same = wrong_where("((c == 16'hbeef) & (y[0] ^ y[0]))");
    EXPECT_EQ(said(same.question(unit_), same.sources), "equivalent");
    EXPECT_EQ(said(same.question(unit_), right.sources), "equivalent");
    EXPECT_NE(said(same.question(unit_), seldom.sources).find("simulation and synthesis make different things"),
              std::string::npos);
}

TEST_F(Conditions, ReadingsAreTheSameOrNot) {
    Terms t;
    const InputTerms inputs = input_variables(t, unit_);
    const Term a = inputs.a.front(), b = inputs.b.front(), c = *inputs.c;
    const auto outcome = [&](Term x, Term y) {
        return readings_differ(t, unit_, inputs, {x}, {y}, Limit::after(20)).outcome;
    };
    const Term sum = t.bvsub(t.bvadd(a, b), b);
    EXPECT_EQ(outcome(sum, a), Outcome::unsat);
    EXPECT_EQ(outcome(t.eq(c, t.constant(16, 0xbeef)), t.truth(false)), Outcome::sat);
    EXPECT_EQ(outcome(a, c), Outcome::sat); // of other widths
    const ReadingsDiffer differ =
        readings_differ(t, unit_, inputs, {t.eq(c, t.constant(16, 0xbeef))}, {t.truth(false)}, Limit::after(20));
    EXPECT_EQ(differ.vector.c, 0xbeefu);
}

} // namespace
} // namespace discern::rtl::testing
