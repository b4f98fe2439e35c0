// The side conditions of the laws that are proved in Rocq: a unit just inside each is called an instance, one just
// outside is not; and where one is, the answer names the theorem.
#include "ask.hpp"
#include "truth.hpp"

#include "analysis/property/formal.hpp"

#include "models/catalogue.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>

#include <string>

namespace discern::property {
namespace {

Unit of_carry(const std::string& formats, const std::string& fuse) {
    return parse_unit(formats + " : round[f32 rz](fuse[" + fuse + ")");
}

TEST(FormalLaws, CarryBits) {
    using formal::has_enough_carry_bits;
    const std::string four = "f16*f16+f32->f32 K=8 L=4";
    EXPECT_TRUE(has_enough_carry_bits(of_carry(four, "F=23 rz carry=3](p*, c)")));
    EXPECT_FALSE(has_enough_carry_bits(of_carry(four, "F=23 rz carry=2](p*, c)"))) << "9 > 2^3";
    EXPECT_TRUE(has_enough_carry_bits(of_carry("f16*f16+f32->f32 K=3", "F=23 rz carry=2](p*, c)"))) << "7 <= 2^3";
    EXPECT_TRUE(
        has_enough_carry_bits(of_carry(four, "F=23 ru carry=3 floor=-133 zero=emin](p*[full], c[ftz] @[rne])")));
    EXPECT_TRUE(has_enough_carry_bits(of_carry("f16*f16->f32 K=4", "F=23 rz carry=3](p*, c)")));
    for (const char* outside :
         {"F=23 rz](p*, c)", "F=23 rz carry=3 frame=c](p*, c)", "F=23 rz carry=3](p* @[F=22], c)",
          "F=23 rz carry=3](p* @[drop=24], c)", "F=23 rz carry=3](p*, c @[less=1])", "F=23 rz carry=3](c, p*)",
          "F=23 rz carry=3](p0, p1, p2, p3, c)", "F=23 rz carry=3](p(0::2), p(1::2), c)"})
        EXPECT_FALSE(has_enough_carry_bits(of_carry(four, outside))) << outside;
    EXPECT_FALSE(has_enough_carry_bits(of_carry("f16*f16+f32->f32 K=4 scale=e8m0/4", "F=23 rz carry=3](p*, c)")));
    EXPECT_FALSE(has_enough_carry_bits(of_carry("fix8.6*fix8.6+f32->f32 K=4", "F=23 rz carry=3](p*, c)")));
    EXPECT_FALSE(has_enough_carry_bits(
        parse_unit("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[exact](round[f32 rz](fuse[F=23 rz carry=3](p*)), c))")));
}

TEST(FormalLaws, Order) {
    const auto is_without = [](const std::string& text) { return formal::is_sum_without_order(parse_unit(text)); };
    const std::string shape = "f16*f16+f32->f32 K=4 ", tree = ": round[f32 rz](fuse[F=23 rz](p*, c))";
    EXPECT_TRUE(is_without(shape + tree));
    EXPECT_TRUE(is_without(shape + "nan=7fffffff " + tree));
    EXPECT_TRUE(is_without(shape + ": round[f32 rz](fuse[F=23 rne sticky](p*[full limit=9], c[ftz] @[F=9 drop=3]))"));
    EXPECT_TRUE(is_without("e4m3fnuz*f16+f32->fix8.6 K=4 : round[fix8.6 rz](fuse[F=23 rz](p*, c))"));
    for (const std::string& outside :
         {shape + "nan=x86 " + tree, shape + "nan=rdna " + tree, shape + "L=2 " + tree, shape + "c=last " + tree,
          shape + "scale=e8m0/4 " + tree, shape + ": round[f32 rz](fuse[F=23 rz frame=c](p*, c))",
          shape + ": round[f32 rz](fuse[F=23 rz](c, p*))", shape + ": round[f32 rz](fuse[F=23 rz](p0, p1, p2, p3, c))",
          std::string("f16*f16->f32 K=4 : round[f32 rz](fuse[F=23 rz](p*, c))"),
          std::string("fix8.6*f16+f32->f32 K=4 : round[f32 rz](fuse[F=23 rz](p*, c))"),
          std::string("f16*f16+fix8.6->f32 K=4 : round[f32 rz](fuse[F=23 rz](p*, c))")})
        EXPECT_FALSE(is_without(outside)) << outside;
}

TEST(FormalLaws, ExactDotProducts) {
    const auto is_exact = [](const std::string& text) { return formal::is_exact_dot_product(parse_unit(text)); };
    const std::string shape = "f16*bf16+f32->f32 K=4 ";
    for (const char* inside : {"rne", "rna", "rz", "rd", "ru"})
        EXPECT_TRUE(is_exact(shape + ": round[f32 " + inside + "](fuse[exact](p*, c))")) << inside;
    EXPECT_TRUE(is_exact("e5m2*e4m3ieee+e11m31->f16 K=1 nan=x86 : round[f16 rne](fuse[exact](p*, c))"));
    for (const std::string& outside :
         {shape + ": round[f32 odd](fuse[exact](p*, c))",
          shape + ": round[f32 ra](fuse[exact](p*, c))",
          shape + ": round[f32 rnz](fuse[exact](p*, c))",
          shape + ": round[f32 rne overflow=inf](fuse[exact](p*, c))",
          shape + ": round[f32 rne ftz=result](fuse[exact](p*, c))",
          shape + ": round[f32 rne zsign=pos](fuse[exact](p*, c))",
          shape + ": round[f32 rne usign=pos](fuse[exact](p*, c))",
          shape + ": round[f32 rne](fuse[F=23 rz](p*, c))",
          shape + ": round[f32 rne](fuse[exact plus](p*, c))",
          shape + ": round[f32 rne](fuse[exact floor=3](p*, c))",
          shape + ": round[f32 rne](fuse[exact](p*[ftz], c))",
          shape + ": round[f32 rne](fuse[exact](p*, c[ftz]))",
          shape + ": round[f32 rne](fuse[exact](p*, c @[F=64]))",
          shape + ": round[f32 rne](fuse[exact](p*[limit=9], c))",
          shape + "L=2 : round[f32 rne](fuse[exact](p*, c))",
          shape + "c=last : round[f32 rne](fuse[exact](p*, c))",
          std::string("f16*f16->f32 K=4 : round[f32 rne](fuse[exact](p*, c))"),
          std::string("f16*e4m3+f32->f32 K=4 : round[f32 rne](fuse[exact](p*, c))"),
          std::string("f16*tf32+f32->f32 K=4 : round[f32 rne](fuse[exact](p*, c))"),
          std::string("f16*f16+f32->f32 K=4 : round[f32 rne](round[f32 rne](fuse[exact](p*, c)))"),
          std::string("f16*f16+f32->e4m3 K=4 : round[e4m3 rne](fuse[exact](p*, c))")})
        EXPECT_FALSE(is_exact(outside)) << outside;
}

TEST(FormalLaws, AreNamedInTheAnswer) {
    const Unit volta = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32"),
               enough = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32{carry=3}"),
               wraps = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32{carry=2}"), fma = resolve_unit("x86/fma.f32");
    const auto ground = [](const Unit& unit, std::string_view name) { return text_of(ask(unit, name, 200).ground); };
    EXPECT_EQ(ground(enough, "carry-bits"), "theorem carry_enough_unit");
    EXPECT_EQ(ground(volta, "order-in-block"), "theorem order_on_all_inputs");
    EXPECT_EQ(ask(wraps, "carry-bits").verdict, Verdict::refuted);
    EXPECT_NE(require_property("carry-bits").why_not(volta), "");
    for (const char* name : {"faithful", "no-false-overflow", "max-error", "exact-region"})
        EXPECT_EQ(ground(fma, name), "theorem dot_unit_correct") << name;
}

/// A unit with enough carry bits is that with more of them, and not that with fewer: the sentence says no more.
TEST(FormalLaws, EnoughCarryBitsAreAnyLargerNumber) {
    EXPECT_NE(require_property("carry-bits").sentence.find("any larger number of carry bits"), std::string_view::npos);
    const auto carry = [](int n) {
        return Evaluator(parse_unit("e2m1*e2m1+e5m6->e5m6 K=2 : round[e5m6 rz](fuse[F=2 rz carry=" + std::to_string(n) +
                                    "](p*, c))"));
    };
    const Evaluator enough = carry(2), more = carry(3), most = carry(64), fewer = carry(0);
    EXPECT_TRUE(formal::has_enough_carry_bits(enough.unit()));
    bool fewer_differs = false;
    for (std::uint64_t ab = 0; ab < 1u << 16; ++ab)
        for (const std::uint64_t c : {0x0u, 0x400u, 0xc7fu, 0x3ffu}) {
            const std::uint64_t a[] = {ab & 15, ab >> 4 & 15}, b[] = {ab >> 8 & 15, ab >> 12};
            const Inputs x{.a = a, .b = b, .sa = {}, .sb = {}, .c = c};
            ASSERT_EQ(enough(x), more(x));
            ASSERT_EQ(enough(x), most(x));
            fewer_differs = fewer_differs || enough(x) != fewer(x);
        }
    EXPECT_TRUE(fewer_differs);
}

/// What the theorems say is so on all inputs of units that are small enough.
TEST(FormalLaws, AreTrueOfAllInputs) {
    const auto truth = [](const std::string& text) { return Truth(parse_unit("e2m1ieee*e2m1ieee+" + text)); };
    EXPECT_TRUE(truth("e3m1ieee->e3m1ieee K=2 : round[e3m1ieee rz](fuse[F=2 rz carry=2](p*, c))").carry_bits());
    EXPECT_FALSE(truth("e3m1ieee->e3m1ieee K=2 : round[e3m1ieee rz](fuse[F=2 rz carry=0](p*, c))").carry_bits());
    EXPECT_TRUE(truth("e3m1ieee->e3m1ieee K=2 : round[e3m1ieee rz](fuse[F=1 rna floor=1](p*, c))").order_in_block());
    EXPECT_TRUE(truth("e3m1ieee->e3m1ieee K=2 : round[e3m1ieee ru](fuse[exact](p*, c))").faithful());
}

} // namespace
} // namespace discern::property
