// Questions with known answers, from every stage; all witnesses are replayed by the oracle here once more.
#include "solver/decide/discriminate.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "solver/backend/backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace discern {
namespace {

Answer ask(const std::string& first, const std::string& second, const std::string& solver = "portfolio",
           double timeout = 60) {
    DiscriminateOptions options;
    options.solver = solver;
    options.timeout = timeout;
    return discriminate(resolve_unit(first), resolve_unit(second), options);
}

void expect_witness(const std::string& first, const std::string& second, const Answer& answer) {
    ASSERT_EQ(answer.verdict, Verdict::different) << first << " and " << second;
    ASSERT_FALSE(answer.witnesses.empty());
    for (const Vector& v : answer.witnesses) {
        ASSERT_EQ(v.d.size(), 2u);
        EXPECT_EQ(evaluate_exactly(resolve_unit(first), v.inputs()), v.d[0]);
        EXPECT_EQ(evaluate_exactly(resolve_unit(second), v.inputs()), v.d[1]);
        EXPECT_NE(v.d[0], v.d[1]);
    }
}

const char* const volta = "volta/mma.m8n8k4.f32.f16.f16.f32";
const char* const turing = "turing/mma.m16n8k8.f32.f16.f16.f32{K=4}";

TEST(Discriminate, RandomVectorsTellVoltaFromTuring) {
    const Answer answer = ask(volta, turing);
    expect_witness(volta, turing, answer);
    EXPECT_EQ(answer.stages.back().name, "random");
}

TEST(Discriminate, EverySolverTellsVoltaFromTuring) {
    for (const BackendKind& kind : backends()) {
        const Answer answer = ask(volta, turing, std::string(kind.name));
        expect_witness(volta, turing, answer);
        EXPECT_EQ(answer.stages.back().name, kind.name);
    }
}

std::size_t zeros(const Vector& v) {
    return static_cast<std::size_t>(std::count(v.a.begin(), v.a.end(), 0u) + std::count(v.b.begin(), v.b.end(), 0u));
}

// Two terms are enough to see the 24th fraction bit: one that sets the exponent, and one that is truncated.
TEST(Discriminate, WitnessesAreSimplified) {
    DiscriminateOptions options;
    options.count = 4;
    const Answer simple = discriminate(resolve_unit(volta), resolve_unit(turing), options);
    expect_witness(volta, turing, simple);
    EXPECT_GT(simple.witnesses.size(), 1u);
    for (const Vector& v : simple.witnesses) EXPECT_GE(zeros(v), 4u); // of 8 operands
    for (std::size_t i = 1; i < simple.witnesses.size(); ++i)
        EXPECT_FALSE(simple.witnesses[i].same_inputs(simple.witnesses[0]));
    options.shrink = false;
    const Answer raw = discriminate(resolve_unit(volta), resolve_unit(turing), options);
    expect_witness(volta, turing, raw);
    EXPECT_GT(zeros(simple.witnesses[0]), zeros(raw.witnesses[0]));
}

TEST(Discriminate, TheSameArithmeticNeedsNoSolver) {
    const Answer answer = ask(volta, std::string(volta) + "{carry=5}");
    EXPECT_EQ(answer.verdict, Verdict::equivalent);
    EXPECT_TRUE(answer.same_tree);
    EXPECT_TRUE(answer.witnesses.empty());
}

// e2m1 products are multiples of 1/4 below 64, so 2^-10 of the largest exponent truncates nothing: F is irrelevant, and
// the terms differ. K is small, so that every solver proves it.
TEST(Discriminate, EverySolverProvesThatFDoesNotMatterForSmallFormats) {
    const std::string one = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=10 rz carry=0](p*))";
    const std::string two = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=12 rz carry=0](p*))";
    for (const BackendKind& kind : backends()) {
        const Answer answer = ask(one, two, std::string(kind.name));
        EXPECT_EQ(answer.verdict, Verdict::equivalent) << kind.name;
        EXPECT_FALSE(answer.same_tree);
    }
    const Answer random = ask(one, two, "random");
    EXPECT_EQ(random.verdict, Verdict::unknown); // not finding is not proving
}

TEST(Discriminate, NoTimeMeansUnknown) {
    const std::string one = "f16*f16->f32 K=4 : round[f32 rz](fuse[F=24 rz](p*))";
    const std::string swapped = "f16*f16->f32 K=4 : round[f32 rz](fuse[F=24 rz carry=4](p*))";
    EXPECT_EQ(ask(one, swapped, "sat").verdict, Verdict::equivalent); // before the limit matters
    const std::string other = "f16*f16->f32 K=4 : round[f32 rz](fuse[F=25 rz](p*))";
    EXPECT_EQ(ask(one, other, "sat", 0).verdict, Verdict::unknown);
}

TEST(Discriminate, UnitsThatCannotBeComparedAreASentence) {
    for (const char* other : {"turing/mma.m16n8k8.f32.f16.f16.f32", "volta/mma.m8n8k4.f32.f16.f16.f16"}) {
        try {
            ask(volta, other);
            FAIL() << other;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("differ"), std::string::npos) << error.what();
        }
    }
    EXPECT_THROW(ask(volta, turing, "nosuch"), Error);
}

} // namespace
} // namespace discern
