// The status flags of a design: proved right, and each of them found wrong.
#include "made.hpp"

#include "designs/target.hpp"
#include "solver/backend/backend.hpp"

#include <gtest/gtest.h>

#include <string>

namespace discern::rtl::testing {
namespace {

const Unit small =
    parse_unit("e2m2ieee*e2m2ieee+e2m2ieee->e2m2ieee K=1 nan=any : round[e2m2ieee rne](fuse[exact](p*, c))");

/// A multiply-add with flags that are what `wrong` makes of the right ones, f; d and the flags come from exports.
MadeDesign with_flags(const std::string& wrong, Tininess tininess = Tininess::after) {
    UnitToWrite what{small, "a unit", "a test"};
    what.symbol = "multiply_add";
    std::string text = to_systemverilog(what);
    what.symbol = "flags_of_it";
    what.flags = tininess;
    text += to_systemverilog(what);
    return MadeDesign(text +
                      "module unit(input [4:0] a, b, c, output [4:0] d, fflags); wire [4:0] f;\n"
                      "multiply_add m(.a(a), .b(b), .c(c), .d(d)); flags_of_it n(.a(a), .b(b), .c(c), .d(f));\n"
                      "assign fflags = " +
                      wrong + ";\nendmodule\n");
}

Answer asked(const MadeDesign& design, const Unit& unit = small, Tininess tininess = Tininess::after) {
    Shape shape = shape_of(unit);
    shape.d = fixed_point(5, 0).value();
    ConnectionText connection;
    connection.map = "d=fflags";
    DesignQuestion question = design.question(any_unit_of(shape), connection);
    question.flags = FlagsAsked{unit, tininess};
    DiscriminateOptions options;
    options.timeout = 60;
    return decide({{question, design.sources}}, options);
}

class FlagsPort : public ::testing::Test {
    void SetUp() override {
        if (backends().empty()) GTEST_SKIP() << "this build has no solver";
        if (!has("yosys")) GTEST_SKIP() << "yosys is not installed";
        if (!has("iverilog")) GTEST_SKIP() << "Icarus Verilog is not installed";
    }
};

TEST_F(FlagsPort, RightOnesAreProved) {
    EXPECT_EQ(asked(with_flags("f")).verdict, Verdict::equivalent);
    // Written in another way: inexact is what rounding changed, or an overflow.
    EXPECT_EQ(asked(with_flags("{f[4], 1'b0, f[2], f[1] & f[0], f[0] | f[2]}")).verdict, Verdict::equivalent);
}

TEST_F(FlagsPort, AWrongOneIsShown) {
    for (const std::string wrong : {"f & 5'h0f",                                        // never invalid
                                    "f | ((a == 5'h0e && b == 5'h00) ? 5'h02 : 5'h00)", // for one NaN and one zero
                                    "{f[4:2], f[0] & (d[3:2] == 0), f[0]}", // tiny by the rounded result alone
                                    "{f[4:1], f[0] & ~f[2]}",               // an overflow that is not inexact
                                    "5'h00"}) {
        const Answer answer = asked(with_flags(wrong));
        ASSERT_EQ(answer.verdict, Verdict::different) << wrong;
        const Vector& vector = answer.witnesses.front();
        EXPECT_EQ(vector.d.at(0), flags_exactly(small, vector.inputs(), Tininess::after)) << wrong;
        EXPECT_NE(vector.d.at(1), vector.d.at(0)) << wrong;
    }
}

TEST_F(FlagsPort, TheOtherTininessIsAnother) {
    EXPECT_EQ(asked(with_flags("f", Tininess::before)).verdict, Verdict::different);
    EXPECT_EQ(asked(with_flags("f", Tininess::before), small, Tininess::before).verdict, Verdict::equivalent);
}

} // namespace
} // namespace discern::rtl::testing
