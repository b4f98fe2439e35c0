// Gates as they are folded, and words as they become gates, compute what they say for all values of their inputs.
#include "encodings/graph/gates.hpp"
#include "encodings/graph/term_eval.hpp"

#include <gtest/gtest.h>

namespace discern {
namespace {

/// The values of all gates for those of the inputs, which are asked for in the order in which they were made.
class Values {
  public:
    Values(const Netlist& netlist, std::uint64_t inputs) {
        std::vector<std::uint64_t> words;
        for (std::size_t i = 0; i < netlist.inputs(); ++i) words.push_back((inputs >> i) & 1u);
        values_ = simulate(netlist, words);
    }
    bool of(Literal literal) const { return (certificate::value_of(values_, literal) & 1u) != 0; }

  private:
    std::vector<std::uint64_t> values_;
};

TEST(Gates, AChoiceByADifferenceIsAMajority) {
    for (unsigned signs = 0; signs < 32; ++signs)
        for (const bool as_otherwise : {false, true})
            for (const bool is_first : {false, true}) {
                GateBuilder gates;
                const Literal p = gates.input(), q = gates.input(), r = gates.input();
                const auto signed_by = [&](Literal x, unsigned bit) { return x ^ (signs >> bit & 1u); };
                const Literal differ = signed_by(gates.make_xor(signed_by(p, 0), signed_by(q, 1)), 2);
                const Literal same = signed_by(is_first ? p : q, 3), other = signed_by(r, 4);
                const Literal yes = as_otherwise ? other : same, no = as_otherwise ? same : other;
                const Literal choice = gates.make_mux(differ, yes, no);
                EXPECT_NE(gates.netlist().nodes()[choice / 2].gate, Gate::mux);
                for (std::uint64_t inputs = 0; inputs < 8; ++inputs) {
                    const Values values(gates.netlist(), inputs);
                    EXPECT_EQ(values.of(choice), values.of(differ) ? values.of(yes) : values.of(no)) << signs;
                }
            }
}

TEST(Blaster, LayoutsOfSumsAndProductsAreTheSameFunctions) {
    Terms t(Terms::Order::as_written);
    const Term x = t.variable("x", 4), y = t.variable("y", 4), z = t.variable("z", 4), w = t.variable("w", 2);
    const Term operands[] = {x, y, t.bvmul(z, x), t.bvmul(y, t.zero_extend(w, 4)), t.bvmul(t.zero_extend(w, 4), z)};
    const Term sum = t.bvadd(operands);
    TermEvaluator evaluator(t, {sum});
    for (const Layout layout : {Layout::balanced, Layout::chained}) {
        Blaster blaster(t, layout);
        for (const Term v : {x, y, z, w}) blaster.bits(v);
        const std::vector<Literal> bits = blaster.bits(sum);
        for (std::uint64_t inputs = 0; inputs < 1u << 14; inputs += 3) {
            for (const auto& [v, low] : {std::pair(x, 0), std::pair(y, 4), std::pair(z, 8), std::pair(w, 12)})
                evaluator.set(v, inputs >> low & ((1u << t.width(v)) - 1));
            evaluator.run();
            const Values values(blaster.netlist(), inputs);
            std::uint64_t result = 0;
            for (std::size_t i = 0; i < bits.size(); ++i) result |= std::uint64_t{values.of(bits[i])} << i;
            ASSERT_EQ(result, evaluator.low(sum)) << inputs;
        }
    }
}

/// The words that a layout makes of a term, on all inputs.
void expect_meaning(const Terms& t, Term term, const std::vector<Term>& variables) {
    TermEvaluator evaluator(t, {term});
    int inputs_width = 0;
    for (const Term v : variables) inputs_width += t.width(v);
    for (const Layout layout : {Layout::balanced, Layout::chained}) {
        Blaster blaster(t, layout);
        for (const Term v : variables) blaster.bits(v);
        const std::vector<Literal> bits = blaster.bits(term);
        for (std::uint64_t inputs = 0; inputs < 1u << inputs_width; ++inputs) {
            int low = 0;
            for (const Term v : variables) {
                evaluator.set(v, inputs >> low & ((1u << t.width(v)) - 1));
                low += t.width(v);
            }
            evaluator.run();
            const Values values(blaster.netlist(), inputs);
            std::uint64_t result = 0;
            for (std::size_t i = 0; i < bits.size(); ++i) result |= std::uint64_t{values.of(bits[i])} << i;
            ASSERT_EQ(result, evaluator.low(term)) << inputs;
        }
    }
}

TEST(Blaster, WhatIsNegatedUnderAConditionIsTheSameInEachLayout) {
    Terms t(Terms::Order::as_written);
    const Term x = t.variable("x", 3), y = t.variable("y", 3), p = t.variable("p", 1), q = t.variable("q", 1);
    const std::vector<Term> variables = {x, y, p, q};
    const Term wide = t.zero_extend(x, 4);
    const Term signed_x = t.ite(p, t.bvneg(wide), wide); // fits: −7 … 7
    const Term wrapping = t.ite(p, t.bvneg(x), x);       // of three bits: −4 is 4
    const Term otherwise = t.ite(q, y, t.bvneg(y));
    const Term shifted = t.concat(otherwise, t.constant(2, 0));
    for (const Term one : {signed_x, wrapping, otherwise, t.sign_extend(signed_x, 7), t.sign_extend(wrapping, 7)})
        expect_meaning(t, one, variables);
    const auto wider = [&](Term z) { return t.sign_extend(z, 7); };
    const Term first[] = {wider(signed_x), wider(shifted), t.zero_extend(y, 7)};
    const Term second[] = {t.zero_extend(y, 7), wider(wrapping), t.bvneg(t.zero_extend(x, 7)), t.constant(7, 5)};
    const Term third[] = {t.bvneg(wider(shifted)), t.concat(wrapping, t.zero_extend(otherwise, 4))};
    expect_meaning(t, t.bvadd(first), variables);
    expect_meaning(t, t.bvadd(second), variables);
    expect_meaning(t, t.bvadd(third), variables);
}

} // namespace
} // namespace discern
