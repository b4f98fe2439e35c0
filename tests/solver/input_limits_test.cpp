// Limits of the inputs: the check of a vector and the term agree, and answers keep within them.
#include "solver/decide/discriminate.hpp"

#include "models/error.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "solver/backend/backend.hpp"

#include <gtest/gtest.h>

namespace discern {
namespace {

InputLimits limits(bool finite, const std::string& ranges) {
    return {finite, ranges.empty() ? std::vector<ExponentRange>{} : parse_ranges(ranges)};
}

TEST(InputLimits, TheCheckAndTheTermAgree) {
    static constexpr const char* units[] = {
        "f16*bf16+f32->f32 K=3 : round[f32 rz](fuse[F=24 rz](p*, c))",
        "e4m3*e5m2+f32->f32 K=4 scale=e8m0/2 : round[f32 rz](fuse[F=24 rz](p*, c))",
        "e2m1*e4m3fnuz->f32 K=4 scale=ue4m3/2 : round[f32 rz](fuse[F=24 rz](p*))",
    };
    int inside = 0, outside = 0;
    for (const char* text : units)
        for (const InputLimits& l : {limits(true, ""), limits(false, "a:-3..4"), limits(true, "b:-20..2,c:-126..0"),
                                     limits(false, "sa:-100..100,sb:-5..5"), limits(false, "")}) {
            const Unit unit = parse_unit(text);
            Terms terms;
            const InputTerms inputs = input_variables(terms, unit);
            const Term condition = allowed(terms, l, unit, inputs);
            TermEvaluator evaluator(terms, {condition});
            for (const Family family : families) {
                InputGenerator generator(unit, family, 5);
                InputBuffer buffer;
                for (int i = 0; i < 200; ++i) {
                    generator.next(buffer);
                    set_inputs(evaluator, inputs, buffer.inputs());
                    evaluator.run();
                    const bool good = allows(l, unit, buffer.inputs());
                    ASSERT_EQ(evaluator.low(condition) == 1, good) << text << ", " << name(family) << ", vector " << i;
                    (good ? inside : outside) += 1;
                }
            }
        }
    EXPECT_GT(inside, 1000);
    EXPECT_GT(outside, 1000);
}

// The units differ in what a NaN becomes and in nothing else.
TEST(InputLimits, AQuestionAboutFiniteInputsHasAnAnswerOfItsOwn) {
    DiscriminateOptions options;
    const Unit one = parse_unit("e4m3*e4m3->f32 K=2 nan=7fffffff : round[f32 rz](fuse[F=13 rz](p*))");
    const Unit two = parse_unit("e4m3*e4m3->f32 K=2 nan=7fc00000 : round[f32 rz](fuse[F=13 rz](p*))");
    EXPECT_EQ(discriminate(one, two, options).verdict, Verdict::different);
    options.limits.finite = true;
    for (const BackendKind& kind : backends()) {
        options.solver = kind.name;
        EXPECT_EQ(discriminate(one, two, options).verdict, Verdict::equivalent) << kind.name;
    }
}

TEST(InputLimits, WitnessesKeepWithinThem) {
    DiscriminateOptions options;
    options.limits = limits(true, "a:0..3,b:-2..2,c:1..9");
    options.count = 5;
    const Unit one = parse_unit("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=23 rz](p*, c))");
    const Unit two = parse_unit("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24 rz](p*, c))");
    for (const char* solver : {"random", "portfolio"}) {
        options.solver = solver;
        const Answer answer = discriminate(one, two, options);
        for (const Vector& v : answer.witnesses) EXPECT_TRUE(allows(options.limits, one, v.inputs()));
        const bool must_find = options.solver == "portfolio";
        EXPECT_TRUE(answer.verdict == Verdict::different || !must_find);
    }
}

TEST(InputLimits, ARangeOfAnOperandThatIsNotThereIsASentence) {
    DiscriminateOptions options;
    options.limits = limits(false, "sa:0..3");
    const Unit unit = parse_unit("f16*f16->f32 K=4 : round[f32 rz](fuse[F=23 rz](p*))");
    EXPECT_THROW(discriminate(unit, unit, options), Error);
    options.limits = limits(false, "c:0..3");
    EXPECT_THROW(discriminate(unit, unit, options), Error);
}

TEST(InputLimits, AWrongRangeIsASentence) {
    for (const char* text : {"", "a", "a:1", "a:3..1", "x:1..2", "a:1..2,", "a:1...2", "a:1..99999999999"})
        EXPECT_THROW(parse_ranges(text), Error) << text;
    EXPECT_EQ(parse_ranges("a:-14..15,c:-30..30").size(), 2u);
}

} // namespace
} // namespace discern
