// What normal_form and at_rest prove equal computes the same: thousands of random units at the theorems' thresholds, on
// random vectors of all families, at the edges of roundings and of formats; for small ones by a solver.
#include "solver/at_rest.hpp"
#include "solver/normal_form.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/notation.hpp"
#include "solver/discriminate.hpp"
#include "solver/edge_vectors.hpp"
#include "threshold_units.hpp"

#include <gtest/gtest.h>

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
};

TEST(RangeTheorems, ExceptionsAreKept) {
    for (const Exception& e : exceptions) {
        const Unit unit = resolve_unit(e.unit);
        const Inputs inputs{.a = e.a, .b = e.b, .sa = {}, .sb = {}, .c = e.c};
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

} // namespace
} // namespace discern
