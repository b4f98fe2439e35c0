// Kinds of witnesses: numbers against terms, and what -n promises.
#include "solver/decide/discriminate.hpp"
#include "solver/witness/kind_conditions.hpp"

#include "encodings/graph/term_eval.hpp"
#include "models/catalogue.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "solver/backend/backend.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern::kinds_test {
namespace {

const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32";
const std::string turing = "turing/mma.m16n8k8.f32.f16.f16.f32{K=4}";

Kind kind(const Unit& unit, const Vector& v) { return kind_of(unit, v.inputs()); }

TEST(Kinds, AreOfTermsSignsAndGapsAlone) {
    const Unit unit = resolve_unit(volta);
    const auto vector = [](std::vector<std::uint64_t> a, std::vector<std::uint64_t> b, std::uint64_t c) {
        Vector v;
        v.a = std::move(a);
        v.b = std::move(b);
        v.c = c;
        return v;
    };
    const Vector one = vector({0x3c00, 0, 0, 0xbc00}, {0x3c00, 0x3c00, 0, 0x4000}, 0x40800000);
    const Kind k = kind(unit, one); // 1, −2 and c = 4: exponents 0, 1, 2
    ASSERT_EQ(k.blocks.size(), 1u);
    EXPECT_EQ(k.blocks[0], (std::vector<KindTerm>{{false, false, 2}, {false, true, 1}}));
    EXPECT_EQ(k.c, (KindTerm{false, false, 0}));

    // Another place, other signs of the factors, other significands, all exponents moved: the same.
    EXPECT_EQ(kind(unit, vector({0xbc00, 0xc100, 0, 0}, {0x3c00, 0xbc00, 0, 0}, 0x40800000)).blocks[0].size(), 2u);
    EXPECT_EQ(kind(unit, vector({0, 0xbe00, 0xbc00, 0}, {0, 0x4400, 0xc000, 0}, 0x41000001)), k);
    // A sign, an exponent, a term more, no c: others.
    EXPECT_NE(kind(unit, vector({0xbc00, 0, 0, 0xbc00}, {0x3c00, 0, 0, 0x4000}, 0x40800000)), k);
    EXPECT_NE(kind(unit, vector({0x3c00, 0, 0, 0xbc00}, {0x4000, 0, 0, 0x4000}, 0x40800000)), k);
    EXPECT_NE(kind(unit, vector({0x3c00, 1, 0, 0xbc00}, {0x3c00, 0x3c00, 0, 0x4000}, 0x40800000)), k);
    EXPECT_NE(kind(unit, vector({0x3c00, 0, 0, 0xbc00}, {0x3c00, 0, 0, 0x4000}, 0)), k);
}

// For each of some random vectors, the conditions made from each other one, by the evaluator of terms.
TEST(Kinds, ConditionsOfSolversSayTheSame) {
    static constexpr const char* units[] = {
        "f16*f16+f32->f32 K=4 L=2 : round[f32 rz](fuse[F=24 rz](p*, c))",
        "e4m3*e5m2+f32->f32 K=4 L=2 interleave=1 : round[f32 rz](fuse[F=24 rz](p*, c))",
        "e4m3fnuz*e4m3fnuz->f32 K=2 : round[f32 rz](fuse[F=24 rz](p*))",
        "e2m1*e2m1+f32->f32 K=4 scale=ue4m3/2 : round[f32 rz](fuse[F=24 rz](p*, c))",
        "e2m1*e2m1->f32 K=4 scale=e8m0/4 : round[f32 rz](fuse[F=24 rz](p*))",
    };
    int same_profiles = 0, alike = 0, others = 0;
    for (const char* text : units) {
        const Unit unit = parse_unit(text);
        Circuit circuit(Question{unit, unit, {}});
        KindConditions conditions(circuit, unit);
        std::vector<InputBuffer> vectors;
        std::vector<InputGenerator> generators;
        for (const Family family : families) generators.emplace_back(unit, family, 5);
        for (std::size_t i = 0; i < 60; ++i) {
            InputBuffer buffer;
            generators[i % generators.size()].next(buffer);
            // Few terms, so that kinds meet.
            for (std::size_t k = i % 3; k < buffer.a.size(); ++k) buffer.a[k] = 0;
            if (i % 2 == 0) buffer.c = 0;
            vectors.push_back(buffer);
        }
        std::vector<Term> is, like;
        for (const InputBuffer& v : vectors) {
            is.push_back(conditions.is(profile_of(kind_of(unit, v.inputs()))));
            like.push_back(conditions.like(v.inputs()));
        }
        std::vector<Term> roots = is;
        roots.insert(roots.end(), like.begin(), like.end());
        TermEvaluator evaluator(circuit.terms, roots);
        for (std::size_t i = 0; i < vectors.size(); ++i) {
            set_inputs(evaluator, circuit.inputs, vectors[i].inputs());
            evaluator.run();
            const auto terms = kind_terms(unit, vectors[i].inputs());
            for (std::size_t j = 0; j < vectors.size(); ++j) {
                const bool same =
                    profile_of(kind_of(unit, vectors[i].inputs())) == profile_of(kind_of(unit, vectors[j].inputs()));
                ASSERT_EQ(evaluator.low(is[j]) == 1, same) << text << ", seed 5, vectors " << i << " and " << j;
                const bool equal = terms == kind_terms(unit, vectors[j].inputs());
                ASSERT_EQ(evaluator.low(like[j]) == 1, equal) << text << ", seed 5, vectors " << i << " and " << j;
                if (i == j) continue;
                same_profiles += same ? 1 : 0;
                alike += equal ? 1 : 0;
                others += same ? 0 : 1;
            }
        }
    }
    EXPECT_GT(same_profiles, 100);
    EXPECT_GT(alike, 10);
    EXPECT_GT(others, 100);
}

void expect_kinds(const Unit& first, const Answer& answer, std::size_t wanted, const std::string& by) {
    ASSERT_EQ(answer.verdict, Verdict::different) << by;
    EXPECT_EQ(answer.witnesses.size(), wanted) << by;
    std::set<Kind> kinds;
    for (const Vector& v : answer.witnesses) {
        EXPECT_TRUE(kinds.insert(kind(first, v)).second) << by << ": two witnesses are of one kind";
        EXPECT_NE(v.d.at(0), v.d.at(1));
    }
}

TEST(Kinds, WitnessesDifferInKindWithEverySearch) {
    const Unit first = resolve_unit(volta), second = resolve_unit(turing);
    std::vector<std::string> solvers = {"portfolio", "random"};
    if (!backends().empty()) solvers.push_back(backends().front().name);
    for (const std::string& solver : solvers)
        for (const bool shrink : {true, false}) {
            DiscriminateOptions options;
            options.solver = solver;
            options.count = 6;
            options.shrink = shrink;
            expect_kinds(first, discriminate(first, second, options), 6, solver);
        }
}

// With one product and no c there are few profiles; further witnesses have to differ in what else there is, which is
// nothing: e2m1 products below 2^0 differ by both signs.
TEST(Kinds, ThereMayBeFewerThanWanted) {
    const Unit first = parse_unit("e2m1*e2m1->f32 K=1 : round[f32 rz](fuse[F=0 rz](p*))");
    const Unit second = parse_unit("e2m1*e2m1->f32 K=1 : round[f32 rz](fuse[F=2 rz](p*))");
    std::vector<std::string> solvers = {"portfolio", "random"};
    for (const BackendKind& k : backends()) solvers.push_back(k.name);
    for (const std::string& solver : solvers) {
        DiscriminateOptions options;
        options.solver = solver;
        options.count = 5;
        expect_kinds(first, discriminate(first, second, options), 2, solver);
    }
}

// Two products that differ only in the distance between them: every profile that there is, and then gaps.
TEST(Kinds, SolversGoOnWithOtherExponents) {
    if (backends().empty()) GTEST_SKIP() << "this build has no solver";
    const Unit first = parse_unit("e3m2*e3m2->f32 K=2 : round[f32 rz](fuse[F=3 rz](p*))");
    const Unit second = parse_unit("e3m2*e3m2->f32 K=2 : round[f32 rz](fuse[F=4 rz](p*))");
    DiscriminateOptions options;
    options.solver = backends().front().name;
    options.count = 12;
    const Answer answer = discriminate(first, second, options);
    expect_kinds(first, answer, 12, options.solver);
    std::set<Profile> profiles;
    for (const Vector& v : answer.witnesses) profiles.insert(profile_of(kind(first, v)));
    EXPECT_LT(profiles.size(), 12u); // ++, +−, −−, + and − alone
}

} // namespace
} // namespace discern::kinds_test
