// Every back-end of this build: answers to small questions that can be checked by trying all values.
#include "solver/backend/backend.hpp"

#include "encodings/graph/term_eval.hpp"
#include "models/error.hpp"

#include <gtest/gtest.h>

#include <random>

namespace discern::backend_test {
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
    // The product of two primes of no particular pattern, to be factored: far beyond a second.
    Terms t;
    const Term x = t.variable("x", 30), y = t.variable("y", 30);
    const Term product = t.eq(t.mul_wide(x, y), t.constant(60, 982451653ull * 472882027ull));
    const Term proper = t.bvand(t.bvult(t.constant(30, 1), x), t.bvult(t.constant(30, 1), y));
    for (const BackendKind& kind : backends()) {
        const auto backend = kind.make(t, 1);
        backend->require(product);
        backend->require(proper);
        const auto start = Limit::Clock::now();
        EXPECT_EQ(backend->check(Limit::after(0.3)), Outcome::unknown) << kind.name;
        EXPECT_LT(seconds_since(start), 60.0) << kind.name;
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

// ---- programs ----

/// A question with the one solution x = 12, y = 30.
struct Small {
    Terms terms;
    Term x = terms.variable("x", 8), y = terms.variable("y", 8);
    Term condition =
        terms.bvand(terms.eq(terms.bvadd(x, y), terms.constant(8, 42)), terms.eq(x, terms.constant(8, 12)));

    Outcome ask(const std::string& command, double seconds = 20) {
        backend = require_backend(command).make(terms, 0);
        backend->require(condition);
        return backend->check(Limit::after(seconds));
    }
    std::unique_ptr<Backend> backend;
};

TEST(Programs, SolversThatAreInstalledAgree) {
    int found = 0;
    for (const std::string command : {"boolector", "z3 -in", "cvc5 --lang smt2 -"}) {
        Small small;
        try {
            ASSERT_EQ(small.ask(command), Outcome::sat) << command;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("there is no solver"), std::string::npos) << error.what();
            continue;
        }
        ++found;
        EXPECT_EQ(small.backend->value(small.x).low(), 12u) << command;
        EXPECT_EQ(small.backend->value(small.y).low(), 30u) << command;
        const Term impossible[] = {small.terms.eq(small.y, small.terms.constant(8, 31))};
        EXPECT_EQ(small.backend->check(Limit::after(20), impossible), Outcome::unsat) << command;
    }
    if (found == 0) GTEST_SKIP() << "none of boolector, z3 and cvc5 is installed as a program";
}

TEST(Programs, AnswersAreReadAsTheStandardWritesThem) {
    Small small;
    ASSERT_EQ(small.ask("sh -c 'cat >/dev/null; echo sat; echo \"((x #x0c)\"; echo \"(y #b00011110))\"'"),
              Outcome::sat);
    EXPECT_EQ(small.backend->value(small.x).low(), 12u);
    EXPECT_EQ(small.backend->value(small.y).low(), 30u);
    EXPECT_EQ(small.ask("sh -c 'cat >/dev/null; echo unsat; echo \"(error \\\"no model\\\")\"; exit 1'"),
              Outcome::unsat);
    EXPECT_EQ(small.ask("sh -c 'cat >/dev/null; printf unsat; exit 20'"), Outcome::unsat);
    EXPECT_EQ(small.ask("sh -c 'echo unknown'"), Outcome::unknown); // and does not read the question
}

TEST(Programs, ThoseThatDieOrTalkNonsenseAreErrors) {
    const struct {
        const char *command, *says;
    } cases[] = {{"sh -c 'echo oops >&2; exit 3'", "ended with exit status 3 and no answer"},
                 {"sh -c 'echo oops >&2; exit 3'", "it said: oops"},
                 {"sh -c 'kill -9 $$'", "exit status 137"}, // of the inner shell
                 {"true", "no answer"},
                 {"sh -c 'cat >/dev/null; echo sat; echo \"((x true))\"'", "#b… or #x… is right"}};
    for (const auto& c : cases) {
        Small small;
        try {
            small.ask(c.command);
            ADD_FAILURE() << c.command << " gave an answer";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(c.says), std::string::npos) << c.command << "\n" << error.what();
        }
    }
}

// "sat" is replayed; nothing replays "unsat".
TEST(Programs, UnsatCountsOnlyFromThoseThatReadTheQuestionAndEndWell) {
    const struct {
        const char *command, *says;
    } cases[] = {
        {"sh -c 'echo unsat'", "did not read the whole question"},
        {"sh -c 'head -c 20 >/dev/null; echo unsat'", "did not read the whole question"},
        {"sh -c 'cat >/dev/null; echo \"(error line 3)\"; echo unsat'", "said before: (error line 3)"},
        {"sh -c 'cat >/dev/null; echo unsat; exit 1'", "ended with exit status 1"},
        {"sh -c 'cat >/dev/null; echo unsat; echo oops >&2; exit 3'", "exit status 3, and said: oops"},
        {"sh -c 'cat >/dev/null; echo unsat; kill -11 $$'; exit $?", "ended with exit status 139"},
        {"cat >/dev/null; echo unsat; kill -11 $$", "ended with signal 11"},
        {"sh -c 'cat >/dev/null; echo unsat; echo sat'", "said sat, too"},
        {"sh -c 'cat >/dev/null; echo unknown; echo unsat'", ""}, // the first answer counts
    };
    for (const auto& c : cases) {
        Small small;
        try {
            EXPECT_NE(small.ask(c.command), Outcome::unsat) << c.command;
            EXPECT_STREQ(c.says, "") << c.command;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(c.says), std::string::npos) << c.command << "\n" << error.what();
        }
    }
}

TEST(Programs, AreStoppedWithAllTheyStarted) {
    Small small;
    const auto start = Limit::Clock::now();
    EXPECT_EQ(small.ask("sh -c 'sleep 120 & sleep 120'", 0.3), Outcome::unknown);
    EXPECT_LT(seconds_since(start), 60.0);
}

TEST(Programs, NamesThatAreNothingAreErrors) {
    EXPECT_THROW(require_backend("no-such-solver"), Error);
    EXPECT_THROW(require_backend("/no/such/solver -x"), Error);
    EXPECT_THROW(require_backend(""), Error);
}

} // namespace
} // namespace discern::backend_test
