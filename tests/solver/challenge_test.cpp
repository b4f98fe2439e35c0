// No "same" without a challenge: wrong proofs, planted where terms are compared and where a solver answers, are refuted
// before they become an answer; and the vectors that do it stay within the limits.
#include "solver/decide/challenge.hpp"
#include "solver/decide/challenge_vectors.hpp"

#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "solver/backend/backend.hpp"
#include "solver/decide/decide.hpp"
#include "solver/decide/discriminate.hpp"
#include "solver/decide/kernels.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace discern {
namespace {

bool everything_is_one_term(const SpaceQuestion&) { return true; }

Claim claim_about(const std::string& first, const std::string& second, const InputLimits& limits = {}) {
    const Unit other = resolve_unit(second);
    return claim_of(resolve_unit(first), {1, [other](std::size_t) { return other; }}, limits);
}

class ChallengeTest : public ::testing::Test {
  protected:
    static inline const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32", one_bit_less = volta + "{F=22}";
    static inline const std::string liar = "sh -c 'cat >/dev/null; echo unsat'";

    static DiscriminateOptions options() {
        DiscriminateOptions options;
        options.reports = ::testing::TempDir();
        return options;
    }

    /// That the answer is an internal error, which names a vector, who claimed it, and a report that has the units.
    template <typename Ask>
    static void expect_refuted(const std::string& by, Ask ask) {
        try {
            ask();
        } catch (const std::logic_error& error) {
            const std::string text = error.what();
            EXPECT_TRUE(text.starts_with("'" + by)) << text;
            EXPECT_NE(text.find("they differ on {\"a\":["), std::string::npos) << text;
            const std::size_t at = text.find("see the report ");
            ASSERT_NE(at, std::string::npos) << text;
            std::ostringstream report;
            report << std::ifstream(text.substr(at + 15)).rdbuf();
            EXPECT_NE(report.str().find("first:  "), std::string::npos) << report.str();
            EXPECT_NE(report.str().find("The exact oracle confirms both results."), std::string::npos) << report.str();
            return;
        }
        ADD_FAILURE() << "a wrong proof by " << by << " became an answer";
    }
};

TEST_F(ChallengeTest, WrongTermsAreRefuted) {
    DiscriminateOptions wrong = options();
    wrong.is_one_term = everything_is_one_term;
    const Unit first = resolve_unit(volta), second = resolve_unit(one_bit_less), third = resolve_unit(volta + "{F=21}");
    expect_refuted("terms", [&] { discriminate(first, second, wrong); });
    const Unit* const others[] = {&second, &third}; // asked about as one space
    expect_refuted("terms", [&] { discriminate(first, others, wrong); });
    // Of two blocks, which are asked about as one.
    const std::string ampere = "ampere/mma.m16n8k16.f32.f16.f16.f32";
    expect_refuted("terms", [&] { discriminate(resolve_unit(ampere), resolve_unit(ampere + "{F=22}"), wrong); });
}

TEST_F(ChallengeTest, WrongTermsOfSomeBoxesAreRefuted) {
    const Unit first = resolve_unit(volta), same = resolve_unit(volta + "{carry=3}"),
               other = resolve_unit(one_bit_less);
    const Unit* const both[] = {&same, &other};
    DecideOptions wrong;
    wrong.reports = ::testing::TempDir();
    wrong.solver = "none";
    wrong.is_one_term = [](const SpaceQuestion& q) {
        return q.second.boxes.size() == 1 && q.second.is_unit(); // of each member alone, but not of all
    };
    for (const auto& [space, members] : spaces_of(both))
        expect_refuted("terms", [&, &space = space] { decide({space_of(first), space, {}, {}}, wrong); });
}

TEST_F(ChallengeTest, WrongSolversAreRefuted) {
    DiscriminateOptions wrong = options();
    wrong.solver = liar;
    expect_refuted(liar, [&] { discriminate(resolve_unit(volta), resolve_unit(one_bit_less), wrong); });
}

TEST_F(ChallengeTest, WrongBlocksOfKernelsAreRefuted) {
    DiscriminateOptions wrong = options();
    wrong.is_one_term = everything_is_one_term;
    expect_refuted("terms", [&] {
        decide_kernels(resolve_kernel(volta + "@[split=2]", 4096), resolve_kernel(one_bit_less + "@[split=2]", 4096),
                       wrong);
    });
    // If the blocks were the same, but not what is made of them.
    const Challenged whole =
        challenge(claim_of(resolve_kernel(volta + "@[split=2]", 64), resolve_kernel(volta + "@[split=4]", 64), {}));
    ASSERT_TRUE(whole.refuted);
    EXPECT_TRUE(whole.refuted->confirmed);
}

// Proofs that were wrong, and others in which a bound could be: the most a sum can be, its last bit, which scales there
// are, what is flushed, where a term is truncated.
TEST_F(ChallengeTest, UnitsThatDifferRarelyAreToldApart) {
    struct Row {
        std::string first, one, other; ///< and the same with another word
    };
    const Row rows[] = {
        {"f16*f16+f16->f32 K=1 : round[f32 rne](fuse[F=22 rz sticky](p*, c))", "rne", "rz"},
        {"e5m2*e5m2+e5m2->bf16 K=1 : round[bf16 rne](fuse[F=6 rz sticky](p*, c))", "rne", "rz"},
        {"e4m3*e4m3+e5m2->f16 K=1 : round[f16 rne](fuse[F=9 rz sticky](p*, c))", "rne", "rz"},
        {"e4m3*e4m3->bf16 K=2 scale=e8m0/2 : round[bf16 rne ftz=before overflow=inf](fuse[exact](p*[limit=127]))",
         "rne", "rz"},
        {"e5m2*e5m2->f32 K=3 scale=e8m0/3 : round[f32 ru ftz=before overflow=inf](fuse[exact](p*[limit=126]))", "ru",
         "rz"},
        {"fix3.0*fix3.0->e7m13 K=5 scale=ue4m3/5 : round[e7m13 ru](fuse[exact](p*))", "ru", "rz"},
        {"e2m1*e2m1->e8m9 K=9 scale=ue4m3/9 : round[e8m9 ru](fuse[exact](p*))", "ru", "rz"},
        {"e2m1*e2m1+e3m2ieee->e3m2ieee K=4 : round[e3m2ieee rne ftz=before:pos zsign=pos](fuse[F=1 rz frame=c](p* "
         "@[zero=-3], c))",
         " @[zero=-3]", ""},
        {"e4m3*e4m3+f16->f16 K=8 : round[f16 rne](fuse[F=13 rz](p*, c))", "F=13", "F=14"},
        {"e4m3*e4m3+f16->f16 K=8 : round[f16 rne](fuse[F=13 rz floor=-6](p*, c))", "floor=-6", "floor=-7"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=23 rz carry=2](p*, c))", "carry=2", "carry=1"},
    };
    for (const Row& row : rows) {
        std::string second = row.first;
        second.replace(second.find(row.one), row.one.size(), row.other);
        const Challenged challenged = challenge(claim_about(row.first, second));
        ASSERT_TRUE(challenged.refuted) << row.first << " and " << row.other;
        EXPECT_TRUE(challenged.refuted->confirmed) << row.first;
    }
}

TEST_F(ChallengeTest, WhatIsTheSameStandsAndSaysByHowManyVectors) {
    const Answer answer = discriminate(resolve_unit(volta), resolve_unit(volta + "{carry=3}"), options());
    EXPECT_EQ(answer.verdict, Verdict::equivalent);
    EXPECT_EQ(answer.challenged, challenge(claim_about(volta, volta + "{carry=3}")).vectors);
    EXPECT_GE(answer.challenged, 1000u);
    EXPECT_EQ(discriminate(resolve_unit(volta), resolve_unit(volta), options()).challenged, 0u) << "by structure";
    EXPECT_EQ(discriminate(resolve_unit(volta), resolve_unit(one_bit_less), options()).challenged, 0u);
}

TEST_F(ChallengeTest, ManySidesShareTheVectors) {
    const Unit unit = resolve_unit(volta), other = resolve_unit(one_bit_less);
    const auto of = [&](std::size_t size, std::size_t wrong) {
        return challenge(claim_of(unit, {size, [&, wrong](std::size_t i) { return i == wrong ? other : unit; }}, {}));
    };
    const Challenged few = of(2, 2), many = of(2000, 2000);
    EXPECT_FALSE(few.refuted);
    EXPECT_FALSE(many.refuted);
    EXPECT_GT(few.vectors, many.vectors);
    EXPECT_GE(many.vectors, 40u);
    for (const std::size_t wrong : {0u, 500u, 1999u}) EXPECT_TRUE(of(2000, wrong).refuted) << wrong;
    EXPECT_EQ(of(0, 0).vectors, 0u) << "nothing is claimed";
}

TEST_F(ChallengeTest, VectorsStayWithinTheLimitsAndAreAlwaysTheSame) {
    const std::string mx = "blackwell/tcgen05.mma.m64n8k32.block32.f32.e4m3.e4m3.ue8m0";
    std::vector<InputLimits> all(5);
    all[1].ranges = {{Operand::a, -3, 2}, {Operand::c, -1, 1}};
    all[2].numbers = {{Operand::a, 0.5, 1.75}, {Operand::b, -2, -1}};
    all[3].no_subnormals = true;
    all[4].finite = true;
    all[4].ranges = {{Operand::sa, -2, 2}, {Operand::sb, 0, 0}};
    for (const std::string& name : {mx, std::string("fix4.1*fix5.2+f16->f16 K=3 : round[f16 rne](fuse[exact](p*, c))")})
        for (const InputLimits& limits : all) {
            const Unit unit = resolve_unit(name);
            if (!unit.scale && limits.finite) continue;
            const std::vector<Unit> views = {unit};
            ChallengeVectors one(views, limits), again(views, limits);
            std::size_t zeros = 0;
            for (int i = 0; i < 2000; ++i) {
                const Vector v = one.next();
                EXPECT_TRUE(allows(limits, unit, v.inputs())) << to_json(shape_of(unit), v);
                EXPECT_TRUE(v.same_inputs(again.next()));
                zeros += v.c == 0 ? 1 : 0;
            }
            EXPECT_LT(zeros, 1500u);
        }
}

// What is outside of the limits counts for nothing.
TEST_F(ChallengeTest, KnowsTheLimitsOfAClaim) {
    const std::string unit = "f16*f16+f32->f32 K=1 : round[f32 rne](fuse[F=24 rz](p*, c))",
                      exact = "f16*f16+f32->f32 K=1 : round[f32 rne](fuse[exact](p*, c))";
    InputLimits near;
    near.finite = true;
    near.numbers = {{Operand::a, 1, 1}, {Operand::b, 1, 1}, {Operand::c, 1, 1}};
    EXPECT_TRUE(challenge(claim_about(unit, exact)).refuted);
    EXPECT_FALSE(challenge(claim_about(unit, exact, near)).refuted);
}

} // namespace
} // namespace discern
