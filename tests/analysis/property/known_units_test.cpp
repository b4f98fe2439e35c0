// Properties of units of real formats, one on each side.
#include "ask.hpp"
#include "truth.hpp"

#include "analysis/property/theorems.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern::property {
namespace {

TEST(Property, NamesAreThoseThatAreDocumented) {
    std::set<std::string> names;
    for (const Property& p : properties()) names.insert(std::string(p.name));
    EXPECT_EQ(names, (std::set<std::string>{"negation", "swap", "order-in-block", "order-across-blocks", "monotonic",
                                            "faithful", "exact-region", "no-false-overflow", "specials", "zero-neutral",
                                            "split", "carry-bits", "max-error", "error-of-terms"}));
    EXPECT_THROW(require_property("monotone"), Error);
}

TEST(Property, OfOneFusedMultiplyAdd) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const Unit fma = resolve_unit("x86/fma.f32");
    for (const std::string_view name : {"swap", "monotonic", "faithful", "no-false-overflow"})
        EXPECT_EQ(ask(fma, name).verdict, Verdict::proved) << name;
    EXPECT_EQ(ask(fma, "max-error").value, 0.5);
}

// Exact sums of tf32 are hundreds of bits wide: to build them takes seconds, and the limit holds there too.
TEST(Property, ALimitTakesEffectWhileTermsAreBuilt) {
    const Unit unit = resolve_unit("hopper/mma.m16n8k8.f32.tf32.tf32.f32");
    for (const std::string_view name : {"max-error", "faithful", "zero-neutral", "exact-region", "no-false-overflow"}) {
        const auto start = Limit::Clock::now();
        const Finding f = ask(unit, name, 20, 0.5); // so few vectors that most are left to terms
        EXPECT_LT(seconds_since(start), 5) << name;
    }
}

TEST(Property, TruncationIsNotMonotonic) {
    const Finding f = ask(resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32"), "monotonic");
    ASSERT_EQ(f.verdict, Verdict::refuted);
    ASSERT_TRUE(f.vector && f.other);
    const Format& d = format(FormatId::f32);
    EXPECT_LT(to_double(d, f.other->d[0]), to_double(d, f.vector->d[0]));
    std::size_t changed = 0;
    for (std::size_t k = 0; k < f.vector->a.size(); ++k) {
        const Format& a = format(FormatId::f16);
        const double before = to_double(a, f.vector->a[k]) * to_double(a, f.vector->b[k]),
                     after = to_double(a, f.other->a[k]) * to_double(a, f.other->b[k]);
        changed += before != after ? 1 : 0;
        EXPECT_LE(before, after);
    }
    EXPECT_EQ(changed, 1u);
    EXPECT_EQ(f.vector->c, f.other->c);
}

// A unit that gives NaN where the largest number would be right: only the solver or a vector may answer.
TEST(Property, WithoutInfinityWhatIsBeyondTheLargestNumberIsNoNeighbour) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const auto unit = [](const std::string& rounding) {
        return parse_unit("e5m2*e4m3->e4m3 K=1 : round[e4m3 " + rounding + "](fuse[exact](p*))");
    };
    const Unit saturating = unit("rne overflow=max"), nan = unit("rne");
    for (const std::string_view name : {"faithful", "no-false-overflow", "max-error"}) {
        EXPECT_EQ(ask(saturating, name, 0).verdict, Verdict::proved) << name;
        const Finding f = ask(nan, name, 0);
        EXPECT_NE(f.verdict, Verdict::proved) << name;
        EXPECT_NE(f.by, by_rounded_once.by) << name;
        EXPECT_EQ(ask(nan, name).verdict, Verdict::refuted) << name;
    }
}

// Nothing is truncated, however far exponents are apart: no vector needs to say so, and none does.
TEST(Property, ExactWhateverTheExponents) {
    for (const char* text : {"e2m1*e2m1->e4m6fnuz K=2 : round[e4m6fnuz rne](fuse[exact](p*))",
                             "e2m1*e2m1->e4m6ieee K=2 : round[e4m6ieee rne](fuse[exact](p*))"}) {
        const Finding f = ask(parse_unit(text), "exact-region", 2000, 60);
        EXPECT_EQ(f.verdict, Verdict::proved) << text;
        EXPECT_EQ(f.value, 4) << "exponents of products are 0 to 4: " << text;
        EXPECT_FALSE(f.limit) << text;
    }
}

// A vector that was made simpler may show more than the one it was made of.
TEST(Property, WhatAVectorShowsOfAnErrorIsSaid) {
    const Unit unit = parse_unit("e2m1*e2m1fn->f16 K=2 scale=e8m0/1 : "
                                 "round[f16 rne ftz=result](fuse[exact floor=-23](p*[nanzero]))");
    for (Options options; options.seed < 6; ++options.seed) {
        options.timeout = 0.7;
        const Property& p = require_property("max-error");
        const Finding f = p.ask(p, unit, options);
        ASSERT_TRUE(f.vector);
        const std::vector<Vector> shown = {*f.vector};
        EXPECT_EQ(Truth(unit, shown).max_error(), f.verdict == Verdict::refuted ? f.value : f.limit) << options.seed;
    }
}

} // namespace
} // namespace discern::property
