// Properties of units of real formats, one on each side.
#include "ask.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "property/theorems.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern::property {
namespace {

TEST(Property, NamesAreThoseThatAreDocumented) {
    std::set<std::string> names;
    for (const Property& p : properties()) names.insert(std::string(p.name));
    EXPECT_EQ(names, (std::set<std::string>{"negation", "swap", "order-in-block", "order-across-blocks", "monotonic",
                                            "faithful", "exact-region", "no-false-overflow", "specials", "zero-neutral",
                                            "split", "max-error"}));
    EXPECT_THROW(require_property("monotone"), Error);
}

TEST(Property, OfOneFusedMultiplyAdd) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const Unit fma = resolve_unit("x86/fma.f32");
    for (const std::string_view name : {"swap", "monotonic", "faithful", "no-false-overflow"})
        EXPECT_EQ(ask(fma, name).verdict, Verdict::proved) << name;
    EXPECT_EQ(ask(fma, "max-error").value, 0.5);
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
        EXPECT_EQ(ask(saturating, name, 0).by, by_rounded_once) << name;
        const Finding f = ask(nan, name, 0);
        EXPECT_NE(f.verdict, Verdict::proved) << name;
        EXPECT_NE(f.by, by_rounded_once) << name;
        EXPECT_EQ(ask(nan, name).verdict, Verdict::refuted) << name;
    }
}

// What each theorem needs, one by one; that it holds then is tested on all inputs of small units.
TEST(Theorems, NeedWhatTheySay) {
    const auto tree = [](const std::string& text) { return parse_unit("f16*f16+f32->f32 K=4 : " + text); };
    const Unit plain = tree("round[f32 rz](fuse[F=24 rz](p*, c))");
    EXPECT_TRUE(treats_signs_alike(plain));
    EXPECT_TRUE(forgets_zeros(plain));
    for (const char* other :
         {"round[f32 rd](fuse[F=24 rz](p*, c))", "round[f32 rz](fuse[F=24 ru](p*, c))",
          "round[f32 rz](fuse[F=24 rz](p*, c @ [rd]))", "round[f32 rz](fuse[F=24 rz sticky](p*, c))",
          "round[f32 rz](fuse[F=24 rz carry=2](p*, c))", "round[f32 rz](fuse[F=24 rz frame=c](p*, c))"})
        EXPECT_FALSE(treats_signs_alike(tree(other))) << other;
    for (const char* alike : {"round[f32 rne](fuse[exact](p*, c))", "round[f32 rna](fuse[F=9 odd](p*, c))",
                              "round[f32 rz](fuse[F=24 rz zero=emin floor=-9](p*, c))"})
        EXPECT_TRUE(treats_signs_alike(tree(alike))) << alike;
    EXPECT_FALSE(forgets_zeros(tree("round[f32 rz](fuse[F=24 rz zero=emin](p*, c))")));
    EXPECT_FALSE(forgets_zeros(tree("round[f32 rz](fuse[F=24 rz frame=c](p*, c))")));
    EXPECT_TRUE(forgets_zeros(tree("round[f32 rz](fuse[F=24 rz](p*, c @ [zero=emin]))")));
    EXPECT_TRUE(forgets_zeros(tree("round[f32 rz](fuse[F=24 rz zero=-99](p*, c))")));
}

} // namespace
} // namespace discern::property
