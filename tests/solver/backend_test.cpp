// Every back-end of this build: answers to small questions that can be checked by trying all values.
#include "solver/backend.hpp"

#include "encodings/term_eval.hpp"
#include "models/error.hpp"

#include <gtest/gtest.h>

#include <random>

namespace discern {
namespace {

using Random = std::mt19937_64;

// A random condition over three variables of 4 bits, using every operation.
Term random_condition(Terms& t, Random& random) {
    std::vector<Term> words = {t.variable("x", 4), t.variable("y", 4), t.variable("z", 4),
                               t.constant(4, random() % 16)};
    const auto word = [&] { return words[random() % words.size()]; };
    const auto bit = [&] { return t.bit(word(), static_cast<int>(random() % 4)); };
    for (int i = 0; i < 14; ++i) {
        const Term a = word(), b = word();
        const Term three[] = {a, b, word()};
        const Term made[] = {t.bvnot(a),
                             t.bvand(a, b),
                             t.bvxor(a, b),
                             t.bvneg(a),
                             t.bvumax(three),
                             t.bvadd(t.bvadd(a, b), word()),
                             t.bvmul(a, b),
                             t.bvshl(a, b),
                             t.bvlshr(a, t.extract(b, 0, 2)),
                             t.bvashr(a, b),
                             t.zero_extend(t.bvult(a, b), 4),
                             t.sign_extend(t.eq(a, b), 4),
                             t.ite(bit(), a, b),
                             t.concat(t.extract(a, 0, 1), t.extract(b, 1, 3)),
                             t.extract(t.mul_wide(a, b), 3, 4)};
        words.push_back(made[random() % std::size(made)]);
    }
    return t.bvand(t.eq(words.back(), word()), t.bvult(words[words.size() - 2], word()));
}

TEST(Backends, AgreeWithTryingAllValues) {
    ASSERT_FALSE(backends().empty()) << "this build has no solver";
    int satisfiable = 0, total = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Random random(seed);
        Terms terms;
        const Term condition = random_condition(terms, random);
        const Term variables[] = {terms.variable("x", 4), terms.variable("y", 4), terms.variable("z", 4)};
        TermEvaluator evaluator(terms, {condition});
        bool possible = false;
        for (unsigned i = 0; i < 4096 && !possible; ++i) {
            for (unsigned v = 0; v < 3; ++v) evaluator.set(variables[v], (i >> (4 * v)) & 15);
            evaluator.run();
            possible = evaluator.low(condition) == 1;
        }
        ++total;
        satisfiable += possible ? 1 : 0;
        for (const BackendKind& kind : backends()) {
            const auto backend = kind.make(terms, seed);
            backend->require(condition);
            const Outcome outcome = backend->check({});
            ASSERT_EQ(outcome, possible ? Outcome::sat : Outcome::unsat) << kind.name << ", seed " << seed;
            if (!possible) continue;
            for (const Term v : variables) evaluator.set(v, backend->value(v));
            evaluator.run();
            ASSERT_EQ(evaluator.low(condition), 1u) << kind.name << ": the values are no solution, seed " << seed;
        }
    }
    EXPECT_GT(satisfiable, 5);
    EXPECT_LT(satisfiable, total - 5);
}

TEST(Backends, StopAtTheirLimit) {
    // The product of the primes 2^30 − 35 and 2^29 − 3, to be factored: far beyond a second.
    Terms t;
    const Term x = t.variable("x", 30), y = t.variable("y", 30);
    const Term product = t.eq(t.mul_wide(x, y), t.constant(60, 1073741789ull * 536870909ull));
    const Term proper = t.bvand(t.bvult(t.constant(30, 1), x), t.bvult(t.constant(30, 1), y));
    for (const BackendKind& kind : backends()) {
        const auto backend = kind.make(t, 1);
        backend->require(product);
        backend->require(proper);
        const auto start = Limit::Clock::now();
        EXPECT_EQ(backend->check(Limit::after(0.3)), Outcome::unknown) << kind.name;
        EXPECT_LT(seconds_since(start), 3.0) << kind.name;
        std::stop_source stop;
        stop.request_stop();
        EXPECT_EQ(backend->check(Limit::after(100, stop.get_token())), Outcome::unknown) << kind.name;
    }
}

TEST(Backends, AnUnknownNameIsASentence) {
    try {
        require_backend("z4");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("there is no solver 'z4'"), std::string::npos) << error.what();
    }
}

} // namespace
} // namespace discern
