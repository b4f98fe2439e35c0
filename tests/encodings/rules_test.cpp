// What the encoder leaves out because the ranges of numbers say so: every rule at the number where it must stop.
//
// Two units of a rule are one term at its threshold and two terms one step beyond. There, and one step to the other
// side, the terms give what the models give: on all inputs where those are few. At real widths a solver says that the
// term of the unit is that of a space in which the number is a choice, so that no rule about it applies.
#include "rules.hpp"
#include "written_units.hpp"

#include "models/differential.hpp"
#include "models/parametric/family.hpp"

#include "solver/backend/backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace discern {
namespace {

using namespace tests;

/// What a rule says of a pair of units at one number.
class Pair {
  public:
    Pair(const Rule& rule, int number, std::string_view mode)
        : one_(rule.unit(rule.one, number, mode)), other_(rule.unit(rule.other, number, mode)),
          inputs_(input_variables(terms_, one_)), d1_(encode(terms_, one_, inputs_)),
          d2_(encode(terms_, other_, inputs_)), circuits_(terms_, {d1_, d2_}, TermEvaluator::most_lanes), model_(one_),
          other_model_(other_) {}

    const Unit& unit() const { return one_; }
    bool one_term() const { return d1_ == d2_; }
    /// Whether the two units have been seen to differ.
    bool differ() const { return differ_; }

    /// What is wrong on these inputs, if anything. Inputs are collected until one run of the circuits takes them all.
    template <typename Draw>
    std::optional<std::string> check(std::uint64_t count, bool exactly, Draw draw) {
        for (std::uint64_t begin = 0; begin < count; begin += some_.size()) {
            const auto lanes = static_cast<std::size_t>(std::min<std::uint64_t>(some_.size(), count - begin));
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                draw(begin + lane, some_[lane]);
                set_inputs(circuits_, inputs_, some_[lane].inputs(), lane);
            }
            circuits_.run();
            for (std::size_t lane = 0; lane < lanes; ++lane)
                if (auto wrong = compare(some_[lane], lane, exactly)) return wrong;
        }
        return std::nullopt;
    }

  private:
    std::optional<std::string> compare(const InputBuffer& x, std::size_t lane, bool exactly) {
        const Inputs inputs = x.inputs();
        const std::uint64_t first = model_(inputs), second = other_model_(inputs), d1 = circuits_.low(d1_, lane),
                            d2 = circuits_.low(d2_, lane);
        differ_ = differ_ || !same_result(one_, first, second);
        if (!same_result(one_, d1, first)) return describe(one_, x, d1, first);
        if (!same_result(other_, d2, second)) return describe(other_, x, d2, second);
        if (exactly && !same_result(one_, first, evaluate_exactly(one_, inputs)))
            return describe(one_, x, first, evaluate_exactly(one_, inputs));
        return std::nullopt;
    }

    Unit one_, other_;
    Terms terms_;
    InputTerms inputs_;
    Term d1_, d2_;
    TermEvaluator circuits_;
    std::array<InputBuffer, TermEvaluator::most_lanes> some_;
    Evaluator model_, other_model_;
    bool differ_ = false;
};

/// Bits of inputs of which all values are tried.
int few() { return sweep(0) > 0 ? 20 : 16; }

/// All inputs, or vectors of every family and of the ends of the formats.
std::optional<std::string> check(Pair& pair, int vectors) {
    const InputBits bits(pair.unit());
    if (bits.count() <= few())
        return pair.check(1ull << bits.count(), false, [&](std::uint64_t i, InputBuffer& x) { bits.at(i, x); });
    const auto count = static_cast<std::uint64_t>(vectors);
    for (const Family family : families) {
        InputGenerator generator(pair.unit(), family, 1);
        if (auto wrong = pair.check(count, true, [&](std::uint64_t, InputBuffer& x) { generator.next(x); }))
            return wrong;
    }
    Random random(1);
    return pair.check(count, true, [&](std::uint64_t, InputBuffer& x) { bits.edges(random, x); });
}

class Rules : public testing::TestWithParam<Rule> {};

TEST_P(Rules, GoAsFarAsTheyMay) {
    const Rule& rule = GetParam();
    const int before = 2 * rule.same - rule.beyond;
    const std::vector<std::string_view> modes = rule.modes_that_matter();
    bool seen = false;
    for (const std::string_view mode : modes) {
        for (const int number : {rule.same, rule.beyond, before}) {
            if (number == before && mode != modes.front() && !sweeping()) continue;
            SCOPED_TRACE(std::string(mode) + " " + std::to_string(number));
            Pair pair(rule, number, mode);
            if (number != before) {
                EXPECT_EQ(pair.one_term(), number == rule.same);
            }
            const auto wrong = check(pair, sweep(number == rule.same ? 1500 : 500));
            EXPECT_FALSE(wrong) << *wrong;
            if (number == rule.same) {
                EXPECT_FALSE(pair.differ());
            }
            seen = seen || (number == rule.beyond && pair.differ());
        }
    }
    if (InputBits(rule.unit(rule.one, rule.same, "rz")).count() > few()) return;
    EXPECT_EQ(seen, rule.sharp) << "whether the units differ one step beyond";
}

/// A condition that holds where the space's term under a member's parameters is not the term of the member.
Term wrong_member(Terms& t, const parametric::Family& family, std::span<const Unit> members, const InputTerms& inputs) {
    std::vector<parametric::Box> boxes;
    for (const parametric::Assignment& member : family.members) {
        boxes.emplace_back();
        for (const std::size_t value : member) boxes.back().sets.push_back(parametric::ValueSet::single(value));
    }
    const ParameterTerms parameters(t, family.structure, boxes, "x");
    const Term d = encode(t, family.structure, parameters, inputs);
    std::vector<Term> wrong;
    for (std::size_t i = 0; i < members.size(); ++i) {
        std::vector<Term> all = {results_differ(t, members[i], members[i], d, encode(t, members[i], inputs))};
        for (std::size_t slot = 0; slot < family.members[i].size(); ++slot) {
            const auto& variable = parameters.variables()[slot];
            if (variable) all.push_back(t.eq(*variable, t.constant(t.width(*variable), family.members[i][slot])));
        }
        wrong.push_back(t.all_of(all));
    }
    return t.any_of(wrong);
}

/// Rules at real widths that a solver gets through in seconds.
const std::set<std::string_view> provable = {"RealLimit", "RealLimitOfScaled"};

// No rule knows the number of a space that has two, so this holds every fold to a term without it.
TEST_P(Rules, ChangeNothingThatASolverFinds) {
    if (backends().empty()) GTEST_SKIP() << "this build has no solver";
    const Rule& rule = GetParam();
    const std::string_view mode = rule.modes_that_matter().front();
    for (const char* text : {rule.one, rule.other}) {
        const Unit units[] = {rule.unit(text, rule.same, mode), rule.unit(text, rule.beyond, mode)};
        const auto family = parametric::family_of(units);
        if (!family || units[0] == units[1]) continue;
        if (InputBits(units[0]).count() > few() && provable.count(rule.name) == 0) continue;
        Terms terms(Terms::Order::as_written);
        const Term wrong = wrong_member(terms, *family, units, input_variables(terms, units[0]));
        const auto solver = backends().front().make(terms, 1);
        solver->require(wrong);
        EXPECT_EQ(name(solver->check(Limit::after(60))), name(Outcome::unsat)) << to_string(units[0]);
    }
}

std::string name_of(const testing::TestParamInfo<Rule>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Encode, Rules, testing::ValuesIn(rules), name_of);

} // namespace
} // namespace discern
