// A chain of blocks written as one tree computes the same, and meets the tree that somebody else would have written.
#include "solver/theorems/written_out.hpp"

#include "identify/known_same.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"
#include "solver/theorems/at_rest.hpp"

#include <gtest/gtest.h>

#include <string>

namespace discern {
namespace {

/// Mostly signed zeros, subnormal numbers and pairs that cancel.
void make_small(const Unit& unit, Random& random, InputBuffer& v) {
    const auto any = [&](FormatId id) {
        const Format& f = format(id);
        const std::uint64_t sign = random.one_in(2) ? 1ull << (f.width - 1) : 0;
        return sign | (random.one_in(2) ? 0 : random.bits() & ((4ull << f.mantissa_bits) - 1));
    };
    for (std::size_t k = 0; k < v.a.size(); ++k) {
        v.a[k] = any(unit.a);
        v.b[k] = any(unit.b);
        if (k > 0 && random.one_in(3)) {
            v.a[k] = v.a[k - 1] ^ (1ull << (format(unit.a).width - 1));
            v.b[k] = v.b[k - 1];
        }
    }
    v.c = any(*unit.c);
}

TEST(WrittenOut, ComputesTheSame) {
    const char* const units[] = {
        "f16*f16+f32->f32 K=4 L=1 c=last nan=any : round[f32 rne](fuse[exact](p*, c))",
        "f16*f16+f32->f32 K=4 L=1 c=last nan=any : round[f32 rz zsign=pos](fuse[F=20 rd](p*, c))",
        "f16*f16+f32->f32 K=8 L=2 c=last nan=any interleave=1 : round[f32 rz](fuse[F=24](p*[full], c))",
        ("f16*f16+f32->f32 K=8 L=4 c=last nan=any : round[f32 ru ftz=result](fuse[exact](round[f32 "
         "rna](fuse[F=9](p*)), "
         "c))"),
        "e5m2*e5m2+f16->f16 K=8 L=2 c=last nan=any : round[f16 rne usign=pos](fuse[F=13](p*, c))",
        "e4m3*e5m2+f32->f32 K=16 L=4 c=last nan=7fffffff : round[f32 rz overflow=inf](fuse[F=13](p*, c))",
        "bf16*bf16+f32->f32 K=6 L=2 c=last nan=any : round[f32 rne ftz=before](fuse[exact](fuse[F=22](p*), c))",
    };
    Random random(3);
    for (const char* text : units) {
        const Unit unit = parse_unit(text);
        const auto whole = written_out(unit);
        ASSERT_TRUE(whole) << text;
        EXPECT_EQ(whole->L, unit.K);
        const Evaluator one(unit), two(*whole);
        InputBuffer v;
        for (const Family family : families) {
            InputGenerator generator(unit, family, 17);
            for (int i = 0; i < 400; ++i) {
                generator.next(v);
                if (i % 2 == 0) make_small(unit, random, v);
                ASSERT_TRUE(same_result(unit, one(v.inputs()), two(v.inputs()))) << text << "\n" << to_string(*whole);
            }
        }
    }
}

TEST(WrittenOut, LeavesWhatATreeCannotSay) {
    const char* const units[] = {
        "f16*f16+f32->f32 K=4 L=1 nan=any : round[f32 rne](fuse[exact](p*, c))",                    // c is early
        "f16*f16+f32->f32 K=32 L=1 c=last nan=any : round[f32 rne](fuse[exact](p*, c))",            // long
        "f16*f16+f32->f32 K=4 L=1 c=last nan=x86 : round[f32 rne](fuse[exact](p*, c))",             // order of NaN
        "f16*f16+f32->f32 K=4 L=1 c=last nan=any : round[f32 rd](fuse[exact](p*, c))",              // −0
        "f16*f16+f32->f32 K=4 L=1 c=last nan=any : round[f32 rne](fuse[exact](p*, c[ftz]))",        // of results, too
        "f16*f16+f32->f32 K=4 L=1 c=last nan=any : round[f32 rne](fuse[exact](p*[limit=128], c))",  // its infinities
        "f16*f16+f32->f32 K=4 L=1 c=last nan=any : round[f32 rne](fuse[F=24 zero=-100](p*, c))",    // the first +0
        "f16*f16+f32->f32 K=4 L=2 c=last nan=any : round[f32 rne](fuse[exact](fuse[F=24](p*, c)))", // which zero is it?
        "f16*f16+f32->f32 K=4 L=1 c=last nan=any : round[e8m13 rz](fuse[F=13](p*, c))",             // other exponents
    };
    for (const char* text : units) EXPECT_FALSE(written_out(parse_unit(text))) << text;
}

TEST(WrittenOut, IsTheTreeOfSuccessiveSums) {
    const identify::KnownSame known;
    const std::string head = "f16*f16+f32->f32 K=4 ", sum = "round[f32 rne zsign=pos](fuse[exact](";
    const Unit tree = parse_unit(head + "L=4 nan=any : " + sum + "c, " + sum + sum + sum + "p0, p1)), p2)), p3))))");
    const std::string text = known.text(tree);
    for (const char* chain : {"fuse[exact](p*, c)", "fuse[F=36 odd](p*[carry], c)", "fuse[F=26 odd](p*[full], c)"})
        EXPECT_EQ(known.text(parse_unit(head + "L=1 c=last nan=any : round[f32 rne](" + chain + ")")), text) << chain;
    for (const char* other : {"fuse[F=24](p*, c)", "fuse[F=24 odd](p*, c)"})
        EXPECT_NE(known.text(parse_unit(head + "L=1 c=last nan=any : round[f32 rne](" + other + ")")), text) << other;
}

} // namespace
} // namespace discern
