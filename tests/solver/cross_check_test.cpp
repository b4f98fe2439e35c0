// A second solver that agrees, that does not know, and that lies.
#include "solver/decide/discriminate.hpp"
#include "solver/decide/portfolio.hpp"
#include "solver/decide/sweep/sweep.hpp"
#include "solver/question/cross_check.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <unistd.h>

namespace discern {
namespace {

const std::string says_sat = "sh -c 'cat >/dev/null; echo sat'";
const std::string says_unsat = "sh -c 'cat >/dev/null; echo unsat'";
const std::string says_unknown = "sh -c 'cat >/dev/null; echo unknown'";
const std::string says_nothing = "sh -c 'sleep 120'";

// Equivalent, but not the same term; see discriminate_test.cpp.
const std::string ten = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=10 rz carry=0](p*))";
const std::string twelve = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=12 rz carry=0](p*))";
// Different.
const std::string six = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=3 rz](p*))";

class CrossCheckTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (backends().size() < 2) GTEST_SKIP() << "this build has no two solvers";
        std::string pattern = (std::filesystem::temp_directory_path() / "discern-cross-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    void TearDown() override {
        std::error_code ignored;
        if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
    }

    Answer ask(const std::string& first, const std::string& second, const std::string& solver, const std::string& cross,
               double timeout = 60) const {
        DiscriminateOptions options;
        options.solver = solver;
        options.cross_check = cross;
        options.timeout = timeout;
        options.reports = folder_;
        return discriminate(parse_unit(first), parse_unit(second), options);
    }

    // The one report that was written.
    std::string report() const {
        std::string text;
        int files = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
            std::ostringstream content;
            content << std::ifstream(entry.path()).rdbuf();
            text = content.str();
            ++files;
        }
        EXPECT_GE(files, 1);
        return text;
    }

    void expect_contradiction(const std::string& first, const std::string& second, const std::string& solver,
                              const std::string& cross, const std::string& says) const {
        try {
            ask(first, second, solver, cross);
            ADD_FAILURE() << solver << " was not contradicted by " << cross;
        } catch (const std::logic_error& error) {
            EXPECT_NE(std::string(error.what()).find("contradict each other"), std::string::npos) << error.what();
        }
        EXPECT_NE(report().find(says), std::string::npos) << report();
        EXPECT_NE(report().find("(check-sat)"), std::string::npos);
    }

    std::filesystem::path folder_;
};

TEST_F(CrossCheckTest, AProofIsConfirmedByAnyOtherSolver) {
    for (const BackendKind& first : backends())
        for (const BackendKind& second : backends()) {
            if (first.name == second.name) continue;
            const Answer answer = ask(ten, twelve, first.name, second.name);
            EXPECT_EQ(answer.verdict, Verdict::equivalent);
            ASSERT_TRUE(answer.cross_check);
            EXPECT_EQ(answer.cross_check->solver, second.name);
            EXPECT_EQ(answer.cross_check->confirmed, 1u);
            EXPECT_EQ(answer.cross_check->unconfirmed, 0u);
            EXPECT_EQ(answer.stages.back().name, first.name + ", confirmed by " + second.name);
            EXPECT_EQ(answer.stages.back().outcome, "unsat");
        }
    const Answer portfolio = ask(ten, twelve, "portfolio", "auto");
    EXPECT_EQ(portfolio.verdict, Verdict::equivalent);
    EXPECT_EQ(portfolio.cross_check->solver, backends()[1].name);
    EXPECT_GE(portfolio.cross_check->confirmed, 1u);
}

TEST_F(CrossCheckTest, ADifferenceIsFoundByTheOtherSolverToo) {
    const Answer answer = ask(ten, six, backends()[0].name, backends()[1].name);
    EXPECT_EQ(answer.verdict, Verdict::different);
    EXPECT_EQ(answer.cross_check->confirmed, 1u);
    EXPECT_EQ(answer.stages.back().outcome, "sat");
}

TEST_F(CrossCheckTest, WithoutASecondSolverNothingIsSaid) {
    EXPECT_FALSE(ask(ten, twelve, "portfolio", "").cross_check);
}

TEST_F(CrossCheckTest, AnUnconfirmedProofIsNone) {
    for (const std::string& second : {says_unknown, says_nothing})
        for (const std::string& solver : {backends()[0].name, std::string("portfolio")}) {
            const Answer answer = ask(ten, twelve, solver, second, 3);
            EXPECT_EQ(answer.verdict, Verdict::unknown) << solver << ", " << second;
            EXPECT_EQ(answer.cross_check->confirmed, 0u);
            EXPECT_GE(answer.cross_check->unconfirmed, 1u) << solver << ", " << second;
            EXPECT_EQ(answer.by, "");
            EXPECT_LT(answer.seconds, 60.0);
        }
}

// A witness was replayed, and holds without a second solver.
TEST_F(CrossCheckTest, AnUnconfirmedWitnessIsOne) {
    const Answer answer = ask(ten, six, backends()[0].name, says_unknown);
    EXPECT_EQ(answer.verdict, Verdict::different);
    EXPECT_EQ(answer.witnesses.size(), 1u);
    EXPECT_EQ(answer.cross_check->unconfirmed, 1u);
}

TEST_F(CrossCheckTest, AContradictedProofIsAnInternalErrorWithAReport) {
    expect_contradiction(ten, twelve, backends()[0].name, says_sat, "are no solution");
}

TEST_F(CrossCheckTest, AContradictedProofOfThePortfolioIsOneToo) {
    expect_contradiction(ten, twelve, "portfolio", says_sat, "says unsat to this");
}

TEST_F(CrossCheckTest, AContradictedWitnessIsOneToo) {
    expect_contradiction(ten, six, backends()[0].name, says_unsat, "says sat to this");
}

// The first solver may be the one that is wrong; the report says so.
TEST_F(CrossCheckTest, AFalseProofIsCaught) {
    expect_contradiction(ten, six, says_unsat, backends()[0].name, "are a solution");
}

TEST_F(CrossCheckTest, TheSecondSolverMustBeAnother) {
    for (const std::string& solver : {backends()[0].name, std::string("portfolio")})
        EXPECT_THROW(ask(ten, twelve, solver, backends()[0].name), Error);
    EXPECT_THROW(ask(ten, twelve, "portfolio", "no-such-solver"), Error);
}

// ---- lemmas: the order within a block does not matter, which takes some of them

SweepResult sweep_order(const CrossCheck* cross, double seconds) {
    const std::string unit = "f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24 rz]";
    return prove_by_sweeping({parse_unit(unit + "(p*, c))"), parse_unit(unit + "(c, p3, p2, p1, p0))"), {}},
                             backends().front(), 0, Limit::after(seconds),
                             {.order = Terms::Order::as_written, .cross = cross});
}

TEST_F(CrossCheckTest, LemmasAreConfirmed) {
    const CrossCheck cross{backends()[1], folder_};
    const SweepResult result = sweep_order(&cross, 60);
    EXPECT_EQ(result.outcome, Outcome::unsat);
    EXPECT_GE(result.lemmas, 1u);
    EXPECT_GE(result.cross.confirmed, 1u);
}

TEST_F(CrossCheckTest, LemmasThatAreNotConfirmedAreNotUsed) {
    const CrossCheck cross{require_backend(says_unknown), folder_};
    const SweepResult result = sweep_order(&cross, 3);
    EXPECT_EQ(result.outcome, Outcome::unknown);
    EXPECT_EQ(result.cross.confirmed, 0u);
    EXPECT_GE(result.cross.unconfirmed, 1u);
    EXPECT_LT(result.lemmas, sweep_order(nullptr, 60).lemmas);
}

TEST_F(CrossCheckTest, ALemmaThatIsContradictedIsAnInternalError) {
    const CrossCheck cross{require_backend(says_sat), folder_};
    EXPECT_THROW(sweep_order(&cross, 60), std::logic_error);
    EXPECT_NE(report().find("says unsat to this"), std::string::npos);
}

} // namespace
} // namespace discern
