// Limits of the inputs: the check of a vector and the term agree, and answers keep within them.
#include "solver/decide/discriminate.hpp"

#include "models/error.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"
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
              limits(false, "sa:-100..100,sb:-5..5"), limits(false, "b:-2..2147483647,a:-2147483648..2"),
              limits(false, ""), numbers({{Operand::a, -1, 1}}, false), numbers({}, true),
              numbers({{Operand::a, 0, 0.1}, {Operand::b, -1e9, -0.0}}, true),
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

// Within a square of small numbers the sums stay below what is truncated; beyond it they do not.
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

std::string complaint(const InputLimits& limits, const Unit& unit) {
    try {
        require_operands(limits, unit);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// No pattern passes exactly where the question is refused, by all patterns of each operand.
TEST(InputLimits, LimitsThatLeaveNoInputAreRefused) {
    Random random(7);
    int refused = 0, left = 0;
    for (const char* const text : {
             "e3m2*e2m3+e4m1ieee->f32 K=1 scale=e8m0/1 : round[f32 rz](fuse[F=24 rz](p*, c))",
             "e2m1*e3m1fnuz+fix5.2->f32 K=1 scale=ue4m3/1 : round[f32 rz](fuse[F=24 rz](p*, c))",
             "e2m2f*fix4.4+e3m2fn->f32 K=1 : round[f32 rz](fuse[F=24 rz](p*, c))",
         }) {
        const Unit unit = parse_unit(text);
        const std::vector<Operand> operands =
            unit.scale ? std::vector{Operand::a, Operand::b, Operand::sa, Operand::sb, Operand::c}
                       : std::vector{Operand::a, Operand::b, Operand::c};
        const auto any_operand = [&] { return operands[random.below(static_cast<int>(operands.size()))]; };
        for (int i = 0; i < 300; ++i) {
            InputLimits l{.finite = random.one_in(2), .no_subnormals = random.one_in(2)};
            for (int n = random.below(4); n > 0; --n) {
                const Operand operand = any_operand();
                const int low = random.between(-9, 9);
                l.ranges.push_back({operand, low, low + random.below(4)});
            }
            for (int n = random.below(3); n > 0; --n) {
                const Operand operand = any_operand();
                const double low = std::ldexp(random.between(-8, 8), random.between(-6, 3));
                l.numbers.push_back({operand, low, low + std::ldexp(random.below(4), random.between(-6, 3))});
            }
            // Inputs that are within all limits, operand by operand; what is 0 of the others does not matter.
            std::string empty;
            for (const Operand operand : operands) {
                InputLimits own = l;
                std::erase_if(own.ranges, [&](const ExponentRange& r) { return r.operand != operand; });
                std::erase_if(own.numbers, [&](const NumberRange& r) { return r.operand != operand; });
                const Format& f = format(operand == Operand::a   ? unit.a
                                         : operand == Operand::b ? unit.b
                                         : operand == Operand::c ? *unit.c
                                                                 : unit.scale->format);
                bool some = false;
                const std::uint64_t none = 0;
                for (std::uint64_t bits = 0; bits <= f.mask() && !some; ++bits) {
                    Inputs in{.a = {&none, 1}, .b = {&none, 1}, .sa = {}, .sb = {}, .c = 0};
                    if (unit.scale) in.sa = in.sb = {&none, 1};
                    if (operand == Operand::a) in.a = {&bits, 1};
                    if (operand == Operand::b) in.b = {&bits, 1};
                    if (operand == Operand::sa) in.sa = {&bits, 1};
                    if (operand == Operand::sb) in.sb = {&bits, 1};
                    if (operand == Operand::c) in.c = bits;
                    some = allows(own, unit, in);
                }
                if (!some && empty.empty()) empty = name(operand);
            }
            const std::string why = complaint(l, unit);
            EXPECT_EQ(why.empty(), empty.empty()) << text << ": " << why << ", " << empty;
            if (!empty.empty()) {
                EXPECT_NE(why.find("no input is left"), std::string::npos) << why;
                EXPECT_NE(why.find("format of " + empty + ","), std::string::npos) << why << ", not " << empty;
            }
            (empty.empty() ? left : refused) += 1;
        }
    }
    EXPECT_GT(refused, 200);
    EXPECT_GT(left, 200);
}

// As many as are needed to leave nothing, and no others.
TEST(InputLimits, TheSentenceNamesTheLimitsThatExcludeOneAnother) {
    const Unit unit = parse_unit("e4m3*e4m3+f32->f32 K=1 scale=e8m0/1 : round[f32 rz](fuse[F=24 rz](p*, c))");
    const auto left = [](const std::string& limits) { return "no input is left: no number of " + limits + "; wider"; };
    InputLimits l{.finite = true, .numbers = {{Operand::a, 0x1p-8, 0x1p-8}}, .no_subnormals = true};
    l.ranges = parse_ranges("a:-20..20,c:3..4");
    EXPECT_NE(complaint(l, unit).find(
                  left("e4m3, the format of a, is within --values a:0.00390625..0.00390625 and --no-subnormals")),
              std::string::npos)
        << complaint(l, unit);
    l = {.ranges = parse_ranges("a:3..4"), .numbers = {{Operand::a, 1, 2}}};
    EXPECT_NE(complaint(l, unit).find(left("e4m3, the format of a, is within --range a:3..4 and --values a:1..2")),
              std::string::npos)
        << complaint(l, unit);
    l.numbers.front().low = 0; // which has no exponent
    EXPECT_EQ(complaint(l, unit), "");
    l = {.ranges = parse_ranges("sa:1..2,sa:3..4")};
    EXPECT_NE(complaint(l, unit).find(left("e8m0, the format of sa, is within --range sa:1..2 and --range sa:3..4")),
              std::string::npos)
        << complaint(l, unit);
    l = {.ranges = parse_ranges("a:1..2,a:3..4,c:2147483647..2147483647")}; // zeros
    EXPECT_EQ(complaint(l, unit), "");
}

// Ends that are next to no other int. The units differ on all but zeros, by every solver.
TEST(InputLimits, EndsOfRangesMayBeAnyInteger) {
    const Unit one = parse_unit("e2m1*e2m1->f32 K=1 : round[f32 rz](fuse[exact](p*))");
    const Unit two = parse_unit("e2m1*e2m1->f32 K=1 : round[f32 rz](fuse[F=0 rz floor=9](p*))");
    for (const char* const ranges : {"b:-9..2147483647", "b:-2147483648..2147483647", "b:-2147483648..9"}) {
        DiscriminateOptions options;
        options.limits = limits(false, ranges);
        for (const BackendKind& kind : backends()) {
            options.solver = kind.name;
            EXPECT_EQ(discriminate(one, two, options).verdict, Verdict::different) << ranges << ", " << kind.name;
        }
    }
    DiscriminateOptions options;
    for (const char* const ranges : {"b:2147483647..2147483647", "b:-2147483648..-2147483648"}) {
        options.limits = limits(false, ranges); // zeros alone
        EXPECT_EQ(discriminate(one, two, options).verdict, Verdict::equivalent) << ranges;
    }
}

TEST(InputLimits, AWrongRangeIsASentence) {
    for (const char* text : {"", "a", "a:1", "a:3..1", "x:1..2", "a:1..2,", "a:1...2", "a:1..99999999999"})
        EXPECT_THROW(parse_ranges(text), Error) << text;
    EXPECT_EQ(parse_ranges("a:-14..15,c:-30..30").size(), 2u);
}

} // namespace
} // namespace discern
