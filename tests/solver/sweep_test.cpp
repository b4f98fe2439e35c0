// Proofs by sweeping, of equivalences that are known for a reason, and never of units that differ.
#include "solver/decide/portfolio.hpp"
#include "solver/decide/sweep/sweep.hpp"

#include "models/notation.hpp"

#include <gtest/gtest.h>

namespace discern {
namespace {

SweepResult ask(const std::string& first, const std::string& second, Terms::Order order, double seconds = 60) {
    return prove_by_sweeping({parse_unit(first), parse_unit(second), {}}, backends().front(), 0, Limit::after(seconds),
                             {.order = order, .cross = nullptr});
}

// The sum is exact, so the order of its terms cannot matter; without canonical order the terms differ.
TEST(Sweep, ProvesThatTheOrderWithinABlockDoesNotMatter) {
    const std::string unit = "f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24 rz]";
    const SweepResult result = ask(unit + "(p*, c))", unit + "(c, p3, p2, p1, p0))", Terms::Order::as_written);
    EXPECT_EQ(result.outcome, Outcome::unsat);
    EXPECT_GT(result.lemmas, 10u);
}

TEST(Sweep, ProvesItInBothBlocksOfAChain) {
    const std::string unit = "bf16*bf16+f32->f32 K=4 L=2 : round[f32 rz](fuse[F=24 rz]";
    EXPECT_EQ(ask(unit + "(p*, c))", unit + "(p1, c, p0))", Terms::Order::as_written).outcome, Outcome::unsat);
}

// One fused multiply-add, by different nodes: normalising the product changes nothing where nothing is truncated.
TEST(Sweep, ProvesThatNormalisationDoesNotMatterInAnExactSum) {
    const std::string unit = "e2m1*e2m1+e4m3->f16 K=1 : round[f16 rne](fuse[exact]";
    EXPECT_EQ(ask(unit + "(p*, c))", unit + "(p*[full], c))", Terms::Order::canonical).outcome, Outcome::unsat);
}

TEST(Sweep, FindsTheDifferenceWhereThereIsOne) {
    const std::string one = "f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=24 rz](p*, c))";
    const std::string two = "f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=24 rz](p0, p1, c@[F=23]))";
    const SweepResult result = ask(one, two, Terms::Order::canonical);
    ASSERT_EQ(result.outcome, Outcome::sat);
    const Unit first = parse_unit(one), second = parse_unit(two);
    EXPECT_NE(evaluate_exactly(first, result.inputs->inputs()), evaluate_exactly(second, result.inputs->inputs()));
}

TEST(Sweep, WithoutTimeNothingIsProved) {
    const std::string unit = "f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24 rz]";
    EXPECT_EQ(ask(unit + "(p*, c))", unit + "(c, p3, p2, p1, p0))", Terms::Order::as_written, 0).outcome,
              Outcome::unknown);
}

// Small units that differ in one parameter, decided by every back-end, the portfolio and the sweep: all the same.
TEST(Solvers, AgreeOnSmallUnits) {
    static constexpr const char* trees[] = {
        "round[f16 rz](fuse[F=6 rz](p*))",
        "round[f16 rz](fuse[F=6 rz carry=0](p*))",
        "round[f16 rz](fuse[F=12 rz](p*))",
        "round[f16 rz](fuse[exact](p*))",
    };
    int equivalent = 0, different = 0;
    for (std::size_t i = 0; i < std::size(trees); ++i)
        for (std::size_t j = i + 1; j < std::size(trees); ++j) {
            const Unit first = parse_unit("e2m1*e2m1->f16 K=2 : " + std::string(trees[i]));
            const Unit second = parse_unit("e2m1*e2m1->f16 K=2 : " + std::string(trees[j]));
            // All inputs are 16 bits, so the truth can be had by trying them.
            bool differ = false;
            const Evaluator one(first), two(second);
            for (unsigned bits = 0; bits < 65536 && !differ; ++bits) {
                const std::uint64_t a[] = {bits & 15, (bits >> 4) & 15}, b[] = {(bits >> 8) & 15, bits >> 12};
                const Inputs inputs{a, b, {}, {}, 0};
                differ = one(inputs) != two(inputs);
            }
            const Outcome expected = differ ? Outcome::sat : Outcome::unsat;
            (differ ? different : equivalent) += 1;
            const Question question{first, second, {}};
            const Circuit circuit(question);
            for (const BackendKind& kind : backends())
                ASSERT_EQ(solve_with(as_spaces(question), circuit, kind, 1, Limit::after(60)).outcome, expected)
                    << kind.name << "\n"
                    << trees[i] << "\n"
                    << trees[j];
            ASSERT_EQ(prove_by_sweeping(question, backends().front(), 0, Limit::after(60)).outcome, expected)
                << "sweep\n"
                << trees[i] << "\n"
                << trees[j];
            ASSERT_EQ(solve_portfolio(as_spaces(question), 0, Limit::after(60), 2).outcome, expected)
                << "portfolio\n"
                << trees[i] << "\n"
                << trees[j];
        }
    EXPECT_GE(different, 2);
    EXPECT_GE(equivalent, 1);
}

} // namespace
} // namespace discern
