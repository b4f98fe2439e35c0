// Programs: what is read, what is refused, and that all ways to compute one agree.
#include "analysis/compare/evaluate.hpp"
#include "analysis/compare/nearer.hpp"
#include "analysis/compare/setting.hpp"

#include "analysis/property/numbers.hpp"
#include "encodings/graph/term_eval.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/families.hpp"
#include "models/stimulus/stimulus.hpp"
#include "models/vectors.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace discern::compare::program_test {
namespace {

using property::Models;

Setting on(const std::string& unit, FormatId inputs = FormatId::f32) {
    Setting setting;
    setting.unit = resolve_unit(unit);
    setting.a = setting.b = inputs;
    setting.length = static_cast<std::size_t>(setting.unit.K);
    return setting;
}

const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32";

TEST(Program, WhatIsWrongIsSaidWithItsColumn) {
    const auto complaint = [](const std::string& text) -> std::string {
        try {
            result_of(resolve_program(text), on(volta));
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const std::pair<const char*, const char*> wrong[] = {
        {"mma(word(a), word(b), c) +", "column 27: the end is there, where a number, a name or '(' is right"},
        {"mma(word(a), word(b))", "column 1: mma has 2 operands; 3 is right, as in mma(x, y, c)"},
        {"mma(word(a), word(b), c) c", "column 26: 'c' is there, where the end"},
        {"mma(a, word(b), c)", "column 1: the unit takes f16, and the first operand is f32; word(x) converts it"},
        {"mma(word(b), word(a), c)", "column 1: mma(x, y, c) takes elements of a, elements of b and a sum"},
        {"a + b", "column 3: elements of a, elements of b and sums do not go together"},
        {"word(a) * 2; c", "column 14: 'c' is there, where the end"},
        {"x = a; x", "column 8: the last expression is the result and has to be a sum"},
        {"a = c; a", "column 1: a is given, and cannot be changed"},
        {"x = c; x = a; c", "column 8: x was something else before"},
        {"f17(c)", "column 1: there is no 'f17' (did you mean"},
        {"f16.up(c)", "column 1: f16.up is no conversion"},
        {"c / 3", "column 3: a number is divided only by a constant that is a power of two"},
        {"c + 0.1", "column 3: a constant is no number of f32"},
        {"sum + c", "column 1: nothing is called 'sum' here"},
        {"word(c)", "column 1: word() is of elements of a or b"},
        {"each { each { s = c; } } c", "an each stands in another one"},
        {"each 0 { s = c; } c", "where a number of elements, or '{' is right"},
        {"each { } c", "where a statement NAME = … is right"},
        {"each { x = word(a); } mma(x, word(b), c)", "nothing is called 'x' here"},
        {"e2m1(c)", "e2m1 has no NaN, and nothing is converted to it here"},
        {"markidi", "there is no algorithm 'markidi' (did you mean markidis?)"},
    };
    for (const auto& [text, says] : wrong) EXPECT_NE(complaint(text).find(says), std::string::npos) << complaint(text);
    EXPECT_NE(complaint(std::string(500, '(')).find("less nesting"), std::string::npos);
    EXPECT_EQ(complaint(" x = -2^-3 * c + 0x; ").empty(), false);
}

TEST(Program, OperationsAreRoundedOnce) {
    const Setting setting = on(volta);
    const std::vector<std::uint64_t> zeros(4, 0);
    const auto of = [&](const std::string& text, std::uint64_t c) {
        return evaluator_of(parse_program(text), setting, Models::Which::evaluator)({zeros, zeros, {}, {}, c});
    };
    EXPECT_EQ(of("c + 1", 0x3f800001), 0x40000000u);     // 2 + 2^-23, a tie that goes to even
    EXPECT_EQ(of("1 - c", 0x3f800001), 0xb4000000u);     // −2^-23
    EXPECT_EQ(of("c - 1", 0x3f800001), 0x34000000u);     // 2^-23
    EXPECT_EQ(of("-c * 2^-1", 0x3f800000), 0xbf000000u); // −1/2
    EXPECT_EQ(of("c / base", 0x3f800000), 0x3a000000u);  // 2^-11: 10 fraction bits of f16
    EXPECT_EQ(of("f16(c)", 0x3f801000), 0x3c00u);        // 1 + 2^-11 is a tie
    EXPECT_EQ(of("f16.ru(c)", 0x3f801000), 0x3c01u);     // and is rounded up
    EXPECT_EQ(of("f32(bf16(c)) + (c - bf16(c))", 0x40490fdb), 0x40490fdbu);
    EXPECT_EQ(of("s = c; each 2 { s = s + 1; } s", 0), 0x40000000u); // two pieces of two elements
    EXPECT_EQ(of("s = c; each { s = s + 1; } s", 0), 0x3f800000u);   // one instruction
    EXPECT_EQ(of("s = c; each 3 { s = s + 1; } s", 0), 0x40000000u); // the last piece is shorter
}

// The evaluator, the oracle and the term of every named algorithm on units of each kind.
TEST(Program, AllWaysToComputeOneAgree) {
    for (const std::string& unit : {volta, std::string("ampere/mma.m16n8k8.f32.bf16.bf16.f32{K=4,L=4}"),
                                    std::string("cdna2/v_mfma_f32_32x32x8f16{K=4}")})
        for (const NamedProgram& named : named_programs()) {
            Setting setting = on(unit);
            setting.length = 8; // two instructions
            if (named.name == "bf16x3" && setting.unit.a != FormatId::bf16) continue;
            const Program program = resolve_program(named.name);
            const ProgramEvaluator evaluator = evaluator_of(program, setting, Models::Which::evaluator),
                                   oracle = evaluator_of(program, setting, Models::Which::oracle);
            const Shape shape = setting.shape(result_of(program, setting));
            const Unit reference = unit_of_shape(shape);
            Terms t;
            const InputTerms x = input_variables(t, reference);
            const Term term = encode(t, program, setting, x);
            TermEvaluator terms(t, {term});
            for (const Family family : {Family::normal, Family::uniform_bits, Family::subnormals_and_zeros}) {
                InputGenerator inputs(reference, family, 7);
                InputBuffer buffer;
                for (int i = 0; i < 10; ++i) {
                    inputs.next(buffer);
                    const std::uint64_t d = evaluator(buffer.inputs());
                    set_inputs(terms, x, buffer.inputs());
                    terms.run();
                    const Format& f = format(shape.d);
                    const std::string what = std::string(named.name) + " on " + unit + " " +
                                             to_json(shape, vector_of(shape, buffer.inputs()));
                    EXPECT_TRUE(property::alike(f, d, oracle(buffer.inputs()), property::Zeros::by_sign)) << what;
                    EXPECT_TRUE(property::alike(f, d, terms.low(term), property::Zeros::by_sign)) << what;
                }
            }
        }
}

// One product and c, so that the exact sum is a double where numbers are small integers.
TEST(Judge, AgreesWithDistancesOfSmallNumbers) {
    const Shape shape{
        .a = FormatId::f32, .b = FormatId::f32, .c = FormatId::f32, .d = FormatId::f16, .scale = {}, .K = 1};
    const Judge evaluator(shape, Models::Which::evaluator), oracle(shape, Models::Which::oracle);
    const Unit reference = unit_of_shape(shape);
    Terms t;
    const InputTerms x = input_variables(t, reference);
    const Term d1 = t.variable("d1", 16), d2 = t.variable("d2", 16);
    const Term nearer = second_is_nearer(t, shape, x, d1, d2);
    std::vector<Term> roots = {nearer};
    TermEvaluator terms(t, roots);
    Random random(3);
    const auto small = [&](const Format& f) {
        const int place = random.between(-3, 3);
        Decoded n{.negative = random.one_in(2), .significand = 0, .exponent = place};
        n.significand =
            (1ull << f.mantissa_bits) | (static_cast<std::uint64_t>(random.below(8)) << (f.mantissa_bits - 3));
        return random.one_in(8) ? 0 : pack(f, n);
    };
    const Format &f32 = format(FormatId::f32), &f16 = format(FormatId::f16);
    int counts[3] = {};
    for (int i = 0; i < 4000; ++i) {
        const std::uint64_t a = small(f32), b = small(f32), c = small(f32);
        std::uint64_t one = small(f16), other = small(f16);
        if (random.one_in(20)) one = 0x7c00;
        if (random.one_in(20)) other = 0x7e00;
        const double exact = to_double(f32, a) * to_double(f32, b) + to_double(f32, c);
        const auto distance = [&](std::uint64_t d) {
            const double result = to_double(f16, d);
            return std::isfinite(result) ? std::fabs(result - exact) : INFINITY;
        };
        const double e1 = distance(one), e2 = distance(other);
        const Nearer expected = e1 < e2 ? Nearer::first : e2 < e1 ? Nearer::second : Nearer::neither;
        const Inputs inputs{.a = {&a, 1}, .b = {&b, 1}, .sa = {}, .sb = {}, .c = c};
        ASSERT_EQ(evaluator(inputs, one, other), expected) << exact << " " << e1 << " " << e2;
        ASSERT_EQ(oracle(inputs, one, other), expected);
        set_inputs(terms, x, inputs);
        terms.set(d1, one);
        terms.set(d2, other);
        terms.run();
        ASSERT_EQ(terms.low(nearer) == 1, expected == Nearer::second) << exact << " " << e1 << " " << e2;
        ++counts[static_cast<int>(expected) + 1];
    }
    for (const int count : counts) EXPECT_GT(count, 50);
}

// Where the exact sum is beyond the largest number, nothing is said of a result that is infinite.
TEST(Judge, SaysNothingBeyondTheLargestNumber) {
    const Shape shape{
        .a = FormatId::f32, .b = FormatId::f32, .c = FormatId::f32, .d = FormatId::f16, .scale = {}, .K = 1};
    const Judge judge(shape, Models::Which::evaluator);
    const std::uint64_t one = 0x3f800000, beyond = 0x47800000, within = 0x477fe000; // 65536, and 65504
    const auto of = [&](const std::uint64_t& x) {
        return Inputs{.a = {&x, 1}, .b = {&one, 1}, .sa = {}, .sb = {}, .c = 0};
    };
    EXPECT_EQ(judge(of(beyond), 0x7c00, 0x7bff), Nearer::neither);
    EXPECT_EQ(judge(of(within), 0x7c00, 0x7bff), Nearer::second);
    EXPECT_EQ(judge(of(within), 0x7bff, 0x7c00), Nearer::first);
    EXPECT_EQ(judge(of(within), 0x7c00, 0x7e00), Nearer::neither);
}

} // namespace
} // namespace discern::compare::program_test
