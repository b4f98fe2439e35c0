// Limits of the inputs: the check of a vector and the term agree, and answers keep within them.
#include "solver/decide/discriminate.hpp"

#include "models/error.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "solver/backend/backend.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace discern {
namespace {

InputLimits limits(bool finite, const std::string& ranges) {
    return {.finite = finite, .ranges = ranges.empty() ? std::vector<ExponentRange>{} : parse_ranges(ranges)};
}

InputLimits numbers(const std::vector<NumberRange>& ranges, bool no_subnormals) {
    return {.numbers = ranges, .no_subnormals = no_subnormals};
}

TEST(InputLimits, TheCheckAndTheTermAgree) {
    static constexpr const char* units[] = {
        "f16*bf16+f32->f32 K=3 : round[f32 rz](fuse[F=24 rz](p*, c))",
        "e4m3*e5m2+f32->f32 K=4 scale=e8m0/2 : round[f32 rz](fuse[F=24 rz](p*, c))",
        "e2m1*e4m3fnuz->f32 K=4 scale=ue4m3/2 : round[f32 rz](fuse[F=24 rz](p*))",
        "fix8.6*fix8.1+fix32.16->fix32.16 K=2 : round[fix32.16 rz](fuse[exact](p*, c))",
    };
    int inside = 0, outside = 0;
    for (const char* text : units)
        for (const InputLimits& l :
             {limits(true, ""), limits(false, "a:-3..4"), limits(true, "b:-20..2,c:-126..0"),
              limits(false, "sa:-100..100,sb:-5..5"), limits(false, ""), numbers({{Operand::a, -1, 1}}, false),
              numbers({}, true), numbers({{Operand::a, 0, 0.1}, {Operand::b, -1e9, -0.0}}, true),
              numbers({{Operand::c, -HUGE_VAL, 1e-40}}, false), numbers({{Operand::sa, 0.3, 4}}, true)}) {
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

// Every pattern of formats with few, against their numbers.
TEST(InputLimits, NumbersAreLimitedExactly) {
    for (const char* const name :
         {"e4m3", "e5m2", "e4m3fnuz", "e3m2", "e2m1", "f16", "bf16", "fix8.3", "fix5.5", "fix12.0"}) {
        const Unit unit = parse_unit(std::string(name) + "*" + name + "->f32 K=1 : round[f32 rz](fuse[exact](p*))");
        const Format& f = format(unit.a);
        for (const auto& [low, high] : {std::pair(-1.0, 1.0),
                                        {0.0, 0.0},
                                        {0.1, 3.3},
                                        {-0.3, -0.0},
                                        {-1e300, 1e300},
                                        {-2.0, -0.7},
                                        {std::ldexp(1, f.emin() - 1), 5.0}})
            for (const bool no_subnormals : {false, true}) {
                const InputLimits l = numbers({{Operand::a, low, high}}, no_subnormals);
                Terms terms;
                const InputTerms inputs = input_variables(terms, unit);
                const Term condition = allowed(terms, l, unit, inputs);
                TermEvaluator evaluator(terms, {condition});
                const std::uint64_t one = 0;
                for (std::uint64_t bits = 0; bits <= f.mask(); bits += f.width > 8 ? 7 : 1) {
                    const Inputs v{.a = {&bits, 1}, .b = {&one, 1}, .sa = {}, .sb = {}, .c = 0};
                    const Decoded x = decode(f, bits);
                    const double value = to_double(f, bits), smallest = std::ldexp(1, f.emin());
                    const bool small = f.has_subnormals() && value != 0 && std::abs(value) < smallest;
                    const bool right = x.number_class == NumberClass::finite && low <= value && value <= high &&
                                       !(no_subnormals && small);
                    set_inputs(evaluator, inputs, v);
                    evaluator.run();
                    ASSERT_EQ(allows(l, unit, v), right) << name << " " << value << " in " << low << " " << high;
                    ASSERT_EQ(evaluator.low(condition) == 1, right) << name << " " << value;
                }
            }
    }
}

// Within a square of small numbers the sums stay below what is cut; beyond it they do not.
TEST(InputLimits, AnswersKeepWithinNumbers) {
    DiscriminateOptions options;
    const Unit one = parse_unit("e4m3*e4m3+f32->f32 K=2 : round[f32 rz](fuse[F=23 rz](p*, c))");
    const Unit two = parse_unit("e4m3*e4m3+f32->f32 K=2 : round[f32 rz](fuse[F=24 rz](p*, c))");
    options.limits = numbers({{Operand::a, -1, 1}, {Operand::b, 0.5, 2}, {Operand::c, 0, 0}}, true);
    EXPECT_EQ(discriminate(one, two, options).verdict, Verdict::equivalent);
    options.limits.numbers.back().high = 1e6;
    const Answer answer = discriminate(one, two, options);
    ASSERT_EQ(answer.verdict, Verdict::different);
    for (const Vector& v : answer.witnesses) EXPECT_TRUE(allows(options.limits, one, v.inputs()));
    options.limits = numbers({{Operand::a, 1.01, 1.02}}, false);
    EXPECT_THROW(discriminate(one, two, options), Error) << "e4m3 has no number there";
    options.limits = numbers({{Operand::sa, 0, 1}}, false);
    EXPECT_THROW(discriminate(one, two, options), Error);
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
