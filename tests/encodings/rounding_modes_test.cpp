// Every rounding mode, read four times: evaluator, exact oracle, reference circuit and terms share no arithmetic, and
// give the same bits on random trees all of whose modes are drawn.
//
// Xie et al. (§3.1.3) tell five modes apart that few units have, so that few other tests draw them: away from zero, and
// to nearest with ties up, down, toward zero or to odd. Here each tree has at least one of these.
#include "encodings/encode.hpp"

#include "certificate/reference_unit.hpp"
#include "encodings/graph/term_eval.hpp"
#include "models/random_tree.hpp"
#include "models/unit/tree_shape.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern {
namespace {

using namespace tests;

constexpr std::array rare_modes = {Rounding::ra, Rounding::rnu, Rounding::rnd, Rounding::rnz, Rounding::rno};

/// The unit with other modes in all its roundings and alignments.
/// @param used  gets them
Unit with_rare_modes(Unit unit, Random& random, std::set<std::pair<bool, Rounding>>& used) {
    const auto drawn = [&](bool of_round) {
        const Rounding mode = rare_modes[static_cast<std::size_t>(random.below(static_cast<int>(rare_modes.size())))];
        used.insert({of_round, mode});
        return mode;
    };
    for_each_node(unit.tree, [&](Node& node, Child* child) {
        if (child != nullptr && child->F) child->rounding = drawn(false);
        if (auto* const round = std::get_if<Round>(&node.kind)) round->mode = drawn(true);
    });
    return unit;
}

TEST(RoundingModes, FourReadersAgreeOnRandomTrees) {
    constexpr int per_family = 10, per_unit = per_family * static_cast<int>(families.size());
    const int count = sweep(10'000);
    std::set<std::pair<bool, Rounding>> used;
    Random random(1);
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(count / per_unit) && failures < 5; ++seed) {
        const Unit unit = with_rare_modes(UnitGenerator(seed, true).next(), random, used);
        const auto vectors = vectors_of_families(unit, seed, per_family);
        const Evaluator model(unit);
        const ReferenceUnit circuit(unit);
        Terms terms;
        const InputTerms inputs = input_variables(terms, unit);
        const Term d = encode(terms, unit, inputs);
        TermEvaluator term(terms, {d});
        const auto of_term = [&](const Inputs& x) {
            set_inputs(term, inputs, x);
            term.run();
            return term.low(d);
        };
        for (const InputBuffer& x : vectors) {
            const std::uint64_t exact = evaluate_exactly(unit, x.inputs()), by_model = model(x.inputs()),
                                by_term = of_term(x.inputs());
            EXPECT_EQ(by_model, exact) << "evaluator: " << describe(unit, x, by_model, exact);
            EXPECT_EQ(by_term, exact) << "terms: " << describe(unit, x, by_term, exact);
            if (by_model != exact || by_term != exact) {
                ++failures;
                break;
            }
        }
        const auto found = reference_difference(
            circuit, unit, [&](const Inputs& x) { return model(x); }, vectors);
        EXPECT_FALSE(found) << "unit seed " << seed << ": reference circuit and evaluator differ, " << *found;
        failures += found ? 1 : 0;
    }
    EXPECT_EQ(used.size(), 2 * rare_modes.size());
}

} // namespace
} // namespace discern
