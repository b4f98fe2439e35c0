// The recorded evaluation: it gives what the evaluators give, and what it says of its steps adds up.
#include "analysis/explain/parting.hpp"
#include "analysis/explain/trace.hpp"

#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "models/random_tree.hpp"
#include "models/vectors/mixture.hpp"
#include "sweep.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <gtest/gtest.h>

#include <set>

namespace discern::explain {
namespace {

using boost::multiprecision::cpp_int;

constexpr int lowest = -6000; ///< below every place

/// The number in units of 2^lowest.
cpp_int scaled(const Number& x) {
    cpp_int value = 0;
    for (const char digit : x.digits) value = 2 * value + (digit == '1' ? 1 : 0);
    if (!x.digits.empty()) value <<= x.lsb - lowest;
    return x.negative ? cpp_int(-value) : value;
}

/// What must hold of every sum: its terms are what is kept and what is truncated, and it is what is kept.
void expect_to_add_up(const Unit& unit, const Sum& sum) {
    if (!sum.E) return;
    cpp_int kept = 0;
    bool may_stick = false;
    for (const Term& term : sum.terms) {
        ASSERT_EQ(scaled(term.value), scaled(term.kept) + scaled(term.lost)) << to_string(unit) << " " << term.name;
        kept += scaled(term.kept);
        may_stick = may_stick || !term.lost.is_zero();
        if (term.exponent) {
            ASSERT_LE(*term.exponent, *sum.E) << to_string(unit);
        }
        if (term.lsb && !term.kept.digits.empty()) {
            ASSERT_GE(term.kept.lsb, *term.lsb) << to_string(unit);
        }
    }
    if (sum.ones.empty() && !may_stick) { // else inverted terms, or a sticky bit, are in it too
        ASSERT_EQ(kept, scaled(sum.value)) << to_string(unit);
    }
    ASSERT_FALSE(sum.E_from.empty());
    if (sum.E_from == "floor") return;
    const auto from =
        std::find_if(sum.terms.begin(), sum.terms.end(), [&](const Term& term) { return term.name == sum.E_from; });
    ASSERT_NE(from, sum.terms.end()) << to_string(unit);
    ASSERT_EQ(*from->exponent == *sum.E, !sum.E_raised) << to_string(unit);
}

void expect_consistent(const Unit& unit, const Inputs& inputs, const Evaluator& evaluate) {
    const Trace t = trace(unit, inputs);
    ASSERT_EQ(t.d, evaluate(inputs)) << to_string(unit);
    ASSERT_EQ(t.blocks.size(), static_cast<std::size_t>(unit.blocks()));
    std::set<std::size_t> elements;
    for (const Block& block : t.blocks) {
        elements.insert(block.elements.begin(), block.elements.end());
        ASSERT_EQ(std::get<RoundStep>(block.steps.back()).name, "d");
        for (const Step& step : block.steps)
            if (const auto* sum = std::get_if<Sum>(&step)) expect_to_add_up(unit, *sum);
    }
    ASSERT_EQ(elements.size(), static_cast<std::size_t>(unit.K));
}

TEST(Trace, IsTheEvaluationOfEveryUnitOfTheCatalogue) {
    std::set<std::uint64_t> seen;
    for (const CatalogueEntry& entry : catalogue()) {
        if (!seen.insert(arithmetic_hash(entry.unit)).second) continue;
        const Evaluator evaluate(entry.unit);
        InputMixture mixture(entry.unit, 5);
        InputBuffer x;
        for (int i = 0; i < tests::sweep(15); ++i) {
            mixture.next(x);
            expect_consistent(entry.unit, x.inputs(), evaluate);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(Trace, IsTheEvaluationOfRandomTrees) {
    tests::UnitGenerator units(20, true);
    for (int n = 0; n < tests::sweep(300); ++n) {
        const Unit unit = units.next();
        const Evaluator evaluate(unit);
        InputMixture mixture(unit, 5);
        InputBuffer x;
        for (int i = 0; i < 10; ++i) {
            mixture.next(x);
            expect_consistent(unit, x.inputs(), evaluate);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(Trace, NumbersAreWrittenExactly) {
    const Unit unit = parse_unit("f32*f32->f32 K=1 : round[f32 rne](p*)");
    const auto text = [&](std::uint64_t a) {
        const std::uint64_t b = 0x3f800000;
        const Trace t = trace(unit, {.a = {&a, 1}, .b = {&b, 1}, .sa = {}, .sb = {}, .c = 0});
        return t.result.text();
    };
    EXPECT_EQ(text(0x3f800000), "1");
    EXPECT_EQ(text(0xbe800000), "-0.25");
    EXPECT_EQ(text(0x80000000), "-0");
    EXPECT_EQ(text(0xff800000), "-inf");
    EXPECT_EQ(text(0x7fc00000), "NaN");
    EXPECT_EQ(text(0x00000001), "2^-149");
    EXPECT_EQ(text(0x3dcccccd), "0x1.99999ap-4"); // 0.1 is none of f32, and is not what it says
    EXPECT_EQ(text(0x4b800001), "16777218");
}

/// Where a unit and a variant of it part on a vector that shows it.
Parting between(const std::string& first, const std::string& second) {
    const Unit one = resolve_unit(first), other = resolve_unit(second);
    const Evaluator evaluate(one), evaluate_other(other);
    InputMixture mixture(one, 5);
    InputBuffer x;
    for (int i = 0; i < 200000; ++i) {
        mixture.next(x);
        const Trace t = trace(one, x.inputs());
        if (t.result.kind == Number::Kind::nan) continue;
        const auto found = parting(t, trace(other, x.inputs()), "A", "B");
        EXPECT_EQ(found.has_value(), evaluate(x.inputs()) != evaluate_other(x.inputs()));
        if (found) return *found;
    }
    ADD_FAILURE() << first << " and " << second << ": no vector tells them apart";
    return {};
}

TEST(Parting, IsAtTheFirstStepThatDiffers) {
    using enum Parting::What;
    const std::string unit = "turing/mma.m16n8k8.f32.f16.f16.f32";
    EXPECT_EQ(between(unit, unit + "{F=23}").what, alignment);
    EXPECT_EQ(between(unit, unit + "{round=f32:ru}").what, rounding);
    EXPECT_EQ(between(unit, unit + "{c=late}").what, shape);
    EXPECT_EQ(between("f16*f16+f32->f32 K=4 L=2 : round[f32 rz](fuse[F=24](p*, c))",
                      "f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p*, c))")
                  .what,
              shape);
    EXPECT_EQ(between("f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=24](p*, c))",
                      "f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=24](p*, c[ftz]))")
                  .what,
              reading);
    EXPECT_EQ(between("e4m3*e4m3->f32 K=8 : round[f32 rz](fuse[F=9](p*))",
                      "e4m3*e4m3->f32 K=8 : round[f32 rz](fuse[F=9 carry=0](p*))")
                  .what,
              sum);
    EXPECT_EQ(between("f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=24](p*, c))",
                      "f16*f16+f32->f32 K=2 L=2 c=last : round[f32 rz](fuse[F=24](p*, c))")
                  .what,
              shape);
    EXPECT_NE(between(unit, unit + "{F=23}").sentence.find("down to 2^"), std::string::npos);
}

} // namespace
} // namespace discern::explain
