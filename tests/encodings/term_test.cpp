// The term graph: folding keeps the meaning of every operation, and equal terms are one node.
#include "encodings/graph/term.hpp"
#include "encodings/graph/term_eval.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace discern::term_test {
namespace {

using Random = std::mt19937_64;

int pick(Random& random, int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); }

Bits random_bits(Random& random, int width) {
    std::vector<std::uint64_t> words(static_cast<std::size_t>(width + 63) / 64);
    const int kind = pick(random, 0, 5);
    for (auto& w : words) w = kind == 0 ? 0 : kind == 1 ? ~0ull : kind == 2 ? random() & random() & random() : random();
    return Bits::from_words(width, words);
}

// A random graph, each node paired with its value under one random assignment, computed by apply() and not by folding.
struct Pair {
    Term term;
    Bits value;
};

class RandomGraph {
  public:
    RandomGraph(Random& random, Terms::Order order) : terms(order), random_(random) {
        for (int i = 0; i < 8; ++i) {
            const int width = pick(random, 1, i < 4 ? 12 : 150);
            const Bits value = random_bits(random, width);
            const bool constant = pick(random, 0, 3) == 0;
            const Term t = constant ? terms.constant(value) : terms.variable(std::to_string(i), width);
            pairs.push_back({t, value});
        }
        for (int i = 0; i < 60; ++i) grow();
    }

    Terms terms;
    std::vector<Pair> pairs;

  private:
    Pair any() { return pairs[static_cast<std::size_t>(pick(random_, 0, static_cast<int>(pairs.size()) - 1))]; }

    // A pair of that width, made from any by extension or extraction, or a constant.
    Pair of_width(int width) {
        if (pick(random_, 0, 5) == 0) {
            const Bits value = random_bits(random_, width);
            return {terms.constant(value), value};
        }
        const Pair p = any();
        const int w = terms.width(p.term);
        if (w == width) return p;
        if (w > width) {
            const int low = pick(random_, 0, w - width);
            return {terms.extract(p.term, low, width), extract(p.value, low, width)};
        }
        if (pick(random_, 0, 1) == 0) return {terms.zero_extend(p.term, width), zero_extend(p.value, width)};
        return {terms.sign_extend(p.term, width), sign_extend(p.value, width)};
    }

    void grow() {
        static constexpr Op ops[] = {Op::bvnot, Op::bvand,  Op::bvor,   Op::bvxor,  Op::bvneg,  Op::bvadd,
                                     Op::bvmul, Op::bvumax, Op::bvshl,  Op::bvlshr, Op::bvashr, Op::bvult,
                                     Op::eq,    Op::ite,    Op::concat, Op::extract};
        const Op op = ops[pick(random_, 0, static_cast<int>(std::size(ops)) - 1)];
        const Pair first = any();
        const int w = terms.width(first.term);
        std::vector<Pair> args = {first};
        int width = w, low = 0;
        if (op == Op::bvand || op == Op::bvor || op == Op::bvxor || op == Op::bvmul || op == Op::bvult || op == Op::eq)
            args.push_back(of_width(w));
        if (op == Op::bvadd || op == Op::bvumax)
            for (int n = pick(random_, 1, 4); n > 0; --n) args.push_back(of_width(w));
        if (op == Op::bvshl || op == Op::bvlshr || op == Op::bvashr) args.push_back(of_width(pick(random_, 1, 9)));
        if (op == Op::bvult || op == Op::eq) width = 1;
        if (op == Op::ite) args = {of_width(1), first, of_width(w)};
        if (op == Op::concat) {
            args.push_back(of_width(pick(random_, 1, 20)));
            width = w + terms.width(args[1].term);
            if (width > 200) return;
        }
        if (op == Op::extract) {
            low = pick(random_, 0, w - 1);
            width = pick(random_, 1, w - low);
        }
        std::vector<Term> operands;
        std::vector<const Bits*> values;
        for (const Pair& a : args) {
            operands.push_back(a.term);
            values.push_back(&a.value);
        }
        pairs.push_back({terms.rebuild(op, width, operands, low), apply(op, width, values, low)});
    }

    Random& random_;
};

TEST(Terms, FoldingAndEvaluationKeepTheMeaningOfEveryOperation) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        Random random(seed);
        RandomGraph graph(random, seed % 4 == 0 ? Terms::Order::as_written : Terms::Order::canonical);
        std::vector<Term> roots;
        for (const Pair& p : graph.pairs) roots.push_back(p.term);
        TermEvaluator evaluator(graph.terms, roots);
        for (std::size_t i = 0; i < 8; ++i)
            if (graph.terms.op(graph.pairs[i].term) == Op::variable)
                evaluator.set(graph.pairs[i].term, graph.pairs[i].value);
        evaluator.run();
        for (std::size_t i = 0; i < graph.pairs.size(); ++i)
            ASSERT_EQ(evaluator.value(graph.pairs[i].term).hex(), graph.pairs[i].value.hex())
                << "seed " << seed << ", node " << i;
    }
}

TEST(Terms, OfManyInputsAtOnceEachHasTheValueThatItHasAlone) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Random random(seed);
        RandomGraph graph(random, Terms::Order::canonical);
        std::vector<Term> roots;
        for (const Pair& p : graph.pairs) roots.push_back(p.term);
        TermEvaluator alone(graph.terms, roots), many(graph.terms, roots, TermEvaluator::most_lanes);
        std::vector<std::vector<Bits>> values(TermEvaluator::most_lanes);
        for (std::size_t lane = 0; lane < values.size(); ++lane)
            for (std::size_t i = 0; i < 8; ++i) {
                const Bits value = random_bits(random, graph.terms.width(roots[i]));
                if (graph.terms.op(roots[i]) == Op::variable) many.set(roots[i], value, lane);
                values[lane].push_back(value);
            }
        many.run();
        for (std::size_t lane = 0; lane < values.size(); ++lane) {
            for (std::size_t i = 0; i < 8; ++i)
                if (graph.terms.op(roots[i]) == Op::variable) alone.set(roots[i], values[lane][i]);
            alone.run();
            for (const Term root : roots) {
                ASSERT_EQ(many.value(root, lane).hex(), alone.value(root).hex()) << "seed " << seed;
                ASSERT_EQ(many.low(root, lane), alone.low(root)) << "seed " << seed;
            }
        }
    }
}

TEST(Terms, SubstitutingConstantsForAllVariablesFoldsToTheValue) {
    for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
        Random random(seed);
        RandomGraph graph(random, Terms::Order::canonical);
        std::unordered_map<std::uint32_t, Term> with;
        for (std::size_t i = 0; i < 8; ++i)
            with.emplace(graph.pairs[i].term.id, graph.terms.constant(graph.pairs[i].value));
        for (const Pair& p : graph.pairs) {
            const Term folded = graph.terms.substitute(p.term, with);
            ASSERT_TRUE(graph.terms.is_constant(folded)) << "seed " << seed;
            ASSERT_EQ(graph.terms.value(folded).hex(), p.value.hex()) << "seed " << seed;
        }
    }
}

TEST(Terms, EqualTermsAreOneNode) {
    Terms t;
    const Term x = t.variable("x", 8), y = t.variable("y", 8), z = t.variable("z", 8);
    EXPECT_EQ(t.bvadd(x, y), t.bvadd(y, x));
    EXPECT_EQ(t.bvadd(t.bvadd(x, y), z), t.bvadd(t.bvadd(z, x), y));
    EXPECT_EQ(t.bvmul(x, y), t.bvmul(y, x));
    EXPECT_EQ(t.bvsub(t.bvadd(x, y), y), x);
    EXPECT_EQ(t.bvand(x, t.bvnot(x)), t.constant(8, 0));
    EXPECT_EQ(t.bvor(x, y), t.bvnot(t.bvand(t.bvnot(y), t.bvnot(x))));
    EXPECT_EQ(t.concat(t.extract(x, 4, 4), t.extract(x, 0, 4)), x);
    EXPECT_EQ(t.variable("x", 8), x);
    EXPECT_THROW(t.variable("x", 9), std::logic_error);
    EXPECT_THROW(t.bvadd(x, t.constant(9, 0)), std::logic_error);
    EXPECT_THROW(t.extract(x, 4, 5), std::logic_error);

    Terms written(Terms::Order::as_written);
    const Term a = written.variable("a", 8), b = written.variable("b", 8);
    EXPECT_NE(written.bvadd(a, b), written.bvadd(b, a));
}

TEST(Terms, WideningOperationsDoNotOverflow) {
    Terms t;
    const Term ones = t.constant(Bits::ones(100)), small = t.constant(3, 7);
    EXPECT_EQ(t.value(t.add_wide(ones, ones)).hex(), "1ffffffffffffffffffffffffe");
    EXPECT_EQ(t.value(t.mul_wide(ones, small)).hex(), "6ffffffffffffffffffffffff9");
    EXPECT_EQ(t.width(t.mul_wide(ones, small)), 103);
}

TEST(Bits, AgreeWithMachineArithmetic) {
    Random random(7);
    for (int i = 0; i < 20000; ++i) {
        __extension__ using u128 = unsigned __int128;
        const u128 a = static_cast<u128>(random()) << 64 | random(), b = static_cast<u128>(random()) << 64 | random();
        const auto bits = [](u128 x) {
            const std::uint64_t words[] = {static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(x >> 64)};
            return Bits::from_words(128, words);
        };
        const auto n = static_cast<unsigned>(random() % 128);
        const Bits amount(9, n);
        EXPECT_EQ(bvadd(bits(a), bits(b)), bits(a + b));
        EXPECT_EQ(bvmul(bits(a), bits(b)), bits(a * b));
        EXPECT_EQ(bvneg(bits(a)), bits(-a));
        EXPECT_EQ(bvshl(bits(a), amount), bits(a << n));
        EXPECT_EQ(bvlshr(bits(a), amount), bits(a >> n));
        EXPECT_EQ(bvult(bits(a), bits(b)), a < b);
    }
}

} // namespace
} // namespace discern::term_test
