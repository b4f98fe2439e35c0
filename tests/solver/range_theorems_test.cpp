// What normal_form and at_rest prove equal computes the same: thousands of random units at the theorems' thresholds, on
// random vectors of all families, at the edges of roundings and of formats; for small ones by a solver.
#include "solver/theorems/at_rest.hpp"
#include "solver/theorems/normal_form.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"
#include "solver/decide/discriminate.hpp"
#include "solver/witness/edge_vectors.hpp"
#include "threshold_units.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <sstream>

namespace discern {
namespace {

int times(int fast) {
    const char* const sweep = std::getenv("DISCERN_SWEEP");
    return sweep != nullptr ? std::atoi(sweep) : fast;
}

/// Where a unit and what is said to equal it differ, as a sentence; empty if nowhere.
class Comparison {
  public:
    Comparison(const Unit& unit, const Unit& other) : unit_(unit), other_(other), one_(unit), two_(other) {}

    std::string difference(std::uint64_t seed) {
        for (const Family family : families) {
            InputGenerator generator(unit_, family, seed);
            for (int i = 0; i < 10 && found_.empty(); ++i) {
                generator.next(buffer_);
                compare(buffer_.inputs(), name(family));
            }
        }
        EdgeVectors edges(unit_, seed);
        for (int i = 0; i < 40 && found_.empty(); ++i) compare(edges.next().inputs(), "edges of roundings");
        tests::ExtremeInputs extremes(unit_, seed);
        for (int i = 0; i < 80 && found_.empty(); ++i) {
            extremes.next(buffer_);
            compare(buffer_.inputs(), "extremes of formats");
        }
        return found_;
    }

  private:
    void compare(const Inputs& v, std::string_view kind) {
        const std::uint64_t first = one_(v), second = two_(v);
        if (first == second) return;
        std::ostringstream text;
        text << kind << std::hex << ":";
        for (const auto& [label, patterns] : {std::pair{"a", v.a}, {"b", v.b}, {"sa", v.sa}, {"sb", v.sb}}) {
            if (!patterns.empty()) text << " " << label;
            for (const std::uint64_t pattern : patterns) text << " " << pattern;
        }
        text << " c " << v.c << " give " << first << " and " << second << "\n  " << to_string(unit_) << "\n  "
             << to_string(other_);
        found_ = text.str();
    }

    const Unit &unit_, &other_;
    Evaluator one_, two_;
    InputBuffer buffer_;
    std::string found_;
};

using Theorems = Unit (*)(const Unit&);

void expect_the_same_results(Theorems simplified, int at_least) {
    const std::uint64_t seed = 31;
    const int count = times(6000);
    tests::ThresholdUnits units(seed);
    int changed = 0, wrong = 0;
    for (int i = 0; i < count && wrong < 5; ++i) {
        const Unit unit = units.next(), simple = simplified(unit);
        if (simple == unit) continue;
        ++changed;
        ASSERT_NO_THROW(validate(simple)) << to_string(unit);
        const std::string difference = Comparison(unit, simple).difference(seed + static_cast<std::uint64_t>(i));
        if (difference.empty()) continue;
        ++wrong;
        ADD_FAILURE() << "seed " << seed << ", unit " << i << ", " << difference;
    }
    EXPECT_GT(changed, count * at_least / 100);
}

TEST(RangeTheorems, NormalFormsComputeTheSame) { expect_the_same_results(normal_form, 20); }

TEST(RangeTheorems, UnitsAtRestComputeTheSame) { expect_the_same_results(at_rest, 60); }

/// Units that a rule nearly applies to, each with the inputs on which applying it would show.
struct Exception {
    const char* why;
    const char* unit;
    std::vector<std::uint64_t> a, b;
    std::uint64_t c;
    std::uint64_t d;
    std::vector<std::uint64_t> sa = {}, sb = {};
};
const std::vector<Exception> exceptions = {
    {"a large subnormal c moves a result that is a power of two, below which the places are closer",
     "e2m1*e2m1+e4m3->e4m3 K=1 : round[e4m3 rne ftz=result:pos](fuse[exact](c, round[e4m3 rne ftz=result:pos](p0)))",
     {0x1},
     {0x1},
     0x87,
     0x27},
    {"a subnormal c decides a tie of two products that are rounded and added exactly",
     "f16*f16+f32->f32 K=2 : round[f32 rne ftz=result:pos](fuse[exact](round[f32 rne ftz=result:pos](p0), "
     "round[f32 rne ftz=result:pos](p1), c))",
     {0x6c00, 0x3c00},
     {0x6c00, 0x3c00},
     0x00000001,
     0x4b800001},
    {"… and one of a product that has more bits than d",
     "f16*f16+bf16->bf16 K=1 : round[bf16 rne ftz=result:pos](fuse[exact](p0, c))",
     {0x3c04},
     {0x3c00},
     0x0001,
     0x3f81},
    {"a c that is read as zero takes part with another exponent, beside which the product is dropped",
     "f16*f16+f32->f32 K=1 : round[f32 rne ftz=result:pos](fuse[exact](round[f32 rne ftz=result:pos](p0) @[drop=5], "
     "c @[zero=100]))",
     {0x3c00},
     {0x3c00},
     0x00000001,
     0x3f800000},
    {"a c of more bits than d overflows alone",
     "f16*f16+f32->bf16 K=1 : round[bf16 rne overflow=inf](fuse[exact](p0, c))",
     {0},
     {0},
     0x7f7fffff,
     0x7f80},
    {"c aligned to nearest at a floor above all numbers overflows",
     "f16*f16+f32->f32 K=1 : round[f32 rz overflow=inf](fuse[F=23 rne floor=128](p0, c))",
     {0},
     {0},
     0x7f7fffff,
     0x7f800000},
    {"… and at the constant of a zero",
     "f16*f16+f32->f32 K=1 : round[f32 rz overflow=inf](fuse[F=23 rne](p0 @[zero=128], c))",
     {0},
     {0},
     0x7f7fffff,
     0x7f800000},
    {"a subnormal c that is read in a wider format has an exponent below its own format's",
     "e5m2*e5m2+f16->f16 K=1 : round[f16 rz](fuse[F=2](p0, c[as=f32] @[zero=-14]))",
     {0},
     {0},
     0x0001,
     0x0001},
    {"… and so has a result of the block before, whose format has smaller numbers than c's",
     "f16*f16+f16->f32 K=2 L=1 : round[f32 rz](fuse[F=2](p0, c @[zero=-14]))",
     {0xbbff, 0x1800},
     {0x0400, 0x1800},
     0x0400,
     0x37a00000},
    {"the exponent of a sum that can be dropped is its floor",
     "f16*f16+f16->f16 K=1 : round[f16 ru](fuse[exact](fuse[F=24 floor=-24](p*) @[exact drop=10], c))",
     {0x0400},
     {0x0400},
     0x0400,
     0x0401},
    {"what is odd beside a sum of more places may be even with it",
     "e2m1*e3m2+e5m2->e5m2 K=1 : round[e5m2 rd ftz=result](fuse[F=8 odd](p*[full], c @[F=4]))",
     {0x3},
     {0x7},
     0x2d,
     0x3a},
    {"a subnormal c that is read with a larger exponent cuts the others, if it is not flushed",
     "e4m3fnuz*e4m3fnuz+e5m2fnuz->e5m2fnuz K=3 : round[e5m2fnuz ru zsign=pos usign=pos](fuse[F=0 rz floor=-21]("
     "round[e5m2fnuz ru zsign=pos usign=pos](fuse[F=35 rz carry=4](p*)) @[zero=ignore], c[as=f16 ftz=pos]))",
     {0x00, 0x04, 0x00},
     {0x00, 0x08, 0x00},
     0x01,
     0x04},
    {"a product of four significands has up to 16, and three bits more when it is normalised",
     "e4m3*e4m3->f32 K=1 scale=ue4m3/1 : round[f32 rz](fuse[F=64 rne](fuse[F=13 rz](p*[full])))",
     {0x3f},
     {0x3f},
     0,
     0x4145c000,
     {0x3f},
     {0x3f}},
    {"a product that is zero by its scale has any exponent",
     "bf16*bf16+e4m3->e4m3 K=1 scale=ue4m3/1 : round[e4m3 rne](fuse[F=63 rz zero=emin](p0, c @[zero=ignore]))",
     {0x7f00},
     {0x7f00},
     0x88,
     0x00,
     {0x09},
     {0x00}},
    {"the zero of one of two products cuts the other",
     "f16*f16+f32->f32 K=2 : round[f32 rz](fuse[exact](p* @[F=24 zero=emin], c))",
     {0x0000, 0x0001},
     {0x7800, 0x3c00},
     0,
     0},
    {"a zero of a format without −0 is +0, also in a sum of −0",
     "e2m1*e2m1+f32->f32 K=1 : round[f32 rne](fuse[exact](round[e4m3fnuz rne](p0), c))",
     {0x8},
     {0x7},
     0x80000000,
     0},
    {"rounded down, terms that cancel are −0, and a sum with +0 is not",
     "e4m3*e4m3+f32->f32 K=2 : round[f32 rd](fuse[exact](round[f64 rne](fuse[exact](p*)), c))",
     {0x38, 0xb8},
     {0x38, 0x38},
     0,
     0},
    {"a NaN that is made within is the first one",
     "e5m2*e5m2+f32->f32 K=1 scale=ue4m3/1 nan=x86 : round[f32 rna zsign=pos](fuse[exact](round[f64 rna](p0), c))",
     {0x65},
     {0xba},
     0x7fe00000,
     0xffc00000,
     {0x7f},
     {0x38}},
    {"a product that is cut to nothing beside the smallest normal number does not make it subnormal",
     "e5m2*e5m2+f16->f16 K=1 scale=e8m0/1 : round[f16 rne ftz=before](fuse[exact](p0 @[F=30], c))",
     {0xbc},
     {0x3c},
     0x0400,
     0x0400,
     {0x00},
     {0x7f}},
    {"a product of more bits than the result is a tie by itself",
     "f16*f16->bf16 K=2 : round[bf16 rne](fuse[F=50 rz](p*))",
     {0x6404, 0x0001},
     {0x3c00, 0x0001},
     0,
     0x4480},
    {"… and one of half the smallest subnormal number",
     "e5m2*e5m2->f16 K=2 scale=e8m0/1 : round[f16 rne](fuse[F=40 rz](p*))",
     {0x3c, 0x3c},
     {0x3c, 0x3c},
     0,
     0x0000,
     {102, 27},
     {127, 127}},
};

TEST(RangeTheorems, ExceptionsAreKept) {
    for (const Exception& e : exceptions) {
        const Unit unit = resolve_unit(e.unit);
        const Inputs inputs{.a = e.a, .b = e.b, .sa = e.sa, .sb = e.sb, .c = e.c};
        EXPECT_EQ(Evaluator(unit)(inputs), e.d) << e.why;
        EXPECT_EQ(Evaluator(at_rest(unit))(inputs), e.d) << e.why << "\n" << to_string(at_rest(unit));
    }
}

TEST(RangeTheorems, SolversFindNoDifference) {
    const std::uint64_t seed = 4;
    const int count = times(1);
    tests::ThresholdUnits units(seed);
    units.small();
    int asked = 0, proved = 0;
    while (asked < count) {
        const Unit unit = units.next(), rest = at_rest(unit);
        if (canonical_text(unit) == canonical_text(rest)) continue;
        ++asked;
        DiscriminateOptions options;
        options.timeout = 5;
        const Answer answer = discriminate(unit, rest, options);
        proved += answer.verdict == Verdict::equivalent ? 1 : 0;
        ASSERT_NE(answer.verdict, Verdict::different) << "seed " << seed << "\n"
                                                      << to_string(unit) << "\n"
                                                      << to_string(rest);
    }
    std::printf("%d of %d proved\n", proved, asked);
}

/// Calls with every input of the unit.
template <typename Visit>
void for_each_input(const Unit& unit, Visit visit) {
    InputBuffer v;
    v.a.resize(static_cast<std::size_t>(unit.K));
    v.b.resize(v.a.size());
    const int a = format(unit.a).width, b = format(unit.b).width, c = unit.c ? format(*unit.c).width : 0;
    for (std::uint64_t n = 0; n < 1ull << (unit.K * (a + b) + c); ++n) {
        std::uint64_t rest = n;
        const auto take = [&](int bits) {
            const std::uint64_t pattern = rest & ((1ull << bits) - 1);
            rest >>= bits;
            return pattern;
        };
        for (std::uint64_t& pattern : v.a) pattern = take(a);
        for (std::uint64_t& pattern : v.b) pattern = take(b);
        v.c = take(c);
        visit(v.inputs());
    }
}

/// Sums of two terms whose alignment is said not to show, on all inputs; and one F less, it shows for some of them.
TEST(RangeTheorems, AlignmentOfTwoTerms) {
    using enum FormatId;
    Random random(12);
    const int wanted = times(24);
    int compared = 0, sharp = 0;
    while (compared < wanted) {
        const auto pick = [&](auto... values) {
            const std::array list{values...};
            return list[static_cast<std::size_t>(random.below(static_cast<int>(list.size())))];
        };
        Unit unit;
        unit.a = e2m1;
        unit.b = pick(e2m1, e3m2, e3m2);
        unit.d = pick(e5m2, e4m3);
        unit.c.reset();
        if (random.one_in(2)) unit.c = unit.d;
        unit.K = unit.L = unit.c ? 1 : 2;
        Product product;
        product.normalisation = static_cast<Normalisation>(random.below(3));
        Fuse fuse;
        const Rounding mode = pick(Rounding::odd, Rounding::odd, Rounding::rd, Rounding::ru);
        fuse.children.push_back({{Node{product}}, random.between(3, 11), mode, {}, {}});
        if (unit.c) fuse.children.push_back({{Node{Accumulator{}}}, random.between(4, 11), mode, {}, {}});
        Round round;
        round.format = unit.d;
        round.mode = mode == Rounding::odd ? static_cast<Rounding>(random.below(6)) : mode;
        round.flush = static_cast<Flush>(random.below(4));
        round.zero_sign_ieee = random.one_in(2);
        round.child = {Node{fuse}};
        unit.tree = Node{round};
        const Unit rest = at_rest(unit);
        const auto Fs = [](const Unit& u) {
            int n = 0;
            for (const Child& child : std::get<Fuse>(std::get<Round>(u.tree.kind).get().kind).children)
                n += child.F ? 1 : 0;
            return n;
        };
        if (Fs(rest) > 0) continue;
        Unit less = unit;
        for (Child& child : std::get<Fuse>(std::get<Round>(less.tree.kind).get().kind).children) --*child.F;
        const bool at_threshold = Fs(at_rest(less)) > 0;
        if (!at_threshold && !random.one_in(8)) continue;
        ++compared;
        const Evaluator one(unit), two(rest), three(less);
        int differ = 0, shown = 0;
        for_each_input(unit, [&](const Inputs& v) {
            const std::uint64_t d = one(v);
            if (d != two(v) && ++differ == 1) ADD_FAILURE() << to_string(unit) << "\n" << to_string(rest);
            if (at_threshold && shown == 0 && d != three(v)) ++shown;
        });
        sharp += shown;
    }
    std::printf("%d compared, of which %d show something if F is one less\n", compared, sharp);
}

/// A sum of products within the sum with c, which reaches less far.
TEST(RangeTheorems, SumsWithinSums) {
    Random random(77);
    const auto mode = [&] { return static_cast<Rounding>(random.below(6)); };
    int joined = 0;
    for (int i = 0; i < times(400); ++i) {
        Unit unit;
        unit.a = FormatId::e5m2;
        unit.b = FormatId::e2m1;
        unit.c = unit.d = FormatId::e4m3;
        unit.K = unit.L = 2;
        const int F =
            format(unit.d).emax() - Ranges(unit).last_place_of_products(); // cuts nothing beside the largest c
        Fuse inner, outer;
        inner.children.push_back({{Node{Product{}}}, random.between(F - 3, F + 1), mode(), {}, {}});
        Child sum{{Node{inner}}, std::nullopt, Rounding::rz, {ZeroExponent::Kind::own, 0}, {}};
        Child c{{Node{Accumulator{}}}, random.between(0, F), mode(), {}, {}};
        if (random.one_in(2)) sum.F = random.between(F - 3, F + 1), sum.rounding = mode();
        if (random.one_in(3)) c.F.reset(), c.rounding = Rounding::rz;
        outer.children = {sum, c};
        Round round;
        round.format = unit.d;
        round.mode = mode();
        round.zero_sign_ieee = random.one_in(2);
        round.child = {Node{outer}};
        unit.tree = Node{round};
        const Unit rest = at_rest(unit);
        if (to_string(rest).find("fuse", to_string(rest).find("fuse") + 1) == std::string::npos) ++joined;
        const Evaluator one(unit), two(rest);
        tests::ExtremeInputs extremes(unit, random.bits());
        for (int n = 0; n < 3000; ++n) {
            InputBuffer v;
            extremes.next(v);
            ASSERT_EQ(one(v.inputs()), two(v.inputs())) << to_string(unit) << "\n" << to_string(rest);
        }
    }
    EXPECT_GT(joined, times(400) / 10);
}

} // namespace
} // namespace discern
