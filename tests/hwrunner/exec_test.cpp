// Programs behind a pipe: those that keep to the protocol at whatever pace, and those that do not.
#include "hwrunner/kinds.hpp"
#include "models/error.hpp"
#include "peers.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace discern::testing {
namespace {

/// What a target gave for a batch, and how it failed, if it did.
struct Outcome {
    std::vector<TargetAnswer> answers;
    std::string error;
};

Outcome ask(Target& target, const Questions& questions) {
    Outcome outcome;
    try {
        target.run(questions.batch(), outcome.answers);
    } catch (const Error& error) {
        outcome.error = error.what();
    }
    return outcome;
}

Outcome ask(const std::string& script, std::size_t vectors, double timeout = 300, int K = 2) {
    const Questions questions(vectors, K);
    const auto target = make_target("exec:" + script, {.shape = questions.shape(), .answer_timeout = timeout});
    return ask(*target, questions);
}

/// Every answer is the c of its vector, which all differ.
void expect_echo(const Outcome& outcome, std::size_t vectors, std::size_t first = 0) {
    EXPECT_EQ(outcome.error, "");
    ASSERT_EQ(outcome.answers.size(), vectors);
    for (std::size_t i = 0; i < vectors; ++i) {
        EXPECT_TRUE(outcome.answers[i].ok()) << outcome.answers[i].error;
        EXPECT_EQ(outcome.answers[i].d, first + i);
    }
}

void expect_contains(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
}

TEST(Exec, LockStepPeer) { expect_echo(ask(echo_peer, 300), 300); }

TEST(Exec, BatchesShareOneProcess) {
    // It counts the lines that it reads; the header comes once.
    const Questions questions(3);
    const auto target =
        make_target("exec:read h; n=0; while read l; do printf '{\"d\":\"%08x\"}\\n' $n; n=$((n+1)); done",
                    {.shape = questions.shape()});
    expect_echo(ask(*target, questions), 3);
    expect_echo(ask(*target, questions), 3, 3);
    expect_echo(ask(*target, Questions(0)), 0);
    expect_echo(ask(*target, questions), 3, 6);
}

TEST(Exec, ProgramsSideBySideAnswerInOrder) {
    const Questions questions(301);
    const auto target = make_target("exec:" + echo_peer, {.shape = questions.shape(), .programs = 3});
    expect_echo(ask(*target, questions), 301);
    expect_echo(ask(*target, Questions(1)), 1);
    expect_echo(ask(*target, questions), 301);
}

TEST(Exec, ProgramsSideBySideAreOfOneBatchEach) {
    // Each counts the lines that it reads: three programs answer a third each, a small batch goes to the first.
    const Questions questions(48), one(1);
    const auto target =
        make_target("exec:read h; n=0; while read l; do printf '{\"d\":\"%08x\"}\\n' $n; n=$((n+1)); done",
                    {.shape = questions.shape(), .programs = 3});
    const Outcome first = ask(*target, questions), second = ask(*target, one);
    ASSERT_EQ(first.answers.size(), 48U);
    for (std::size_t i = 0; i < 48; ++i) EXPECT_EQ(first.answers[i].d, i % 16);
    ASSERT_EQ(second.answers.size(), 1U);
    EXPECT_EQ(second.answers[0].d, 16U);
}

TEST(Exec, OfProgramsSideBySideOneFails) {
    // It ends at the vector whose c is 100, the first of those that the third of three is asked.
    const Questions questions(150);
    const auto target = make_target("exec:read h; while read l; do c=${l##*\\\"c\\\":\\\"}; c=${c%%\\\"*}; "
                                    "[ $c = 00000064 ] && exit; echo \"{\\\"d\\\":\\\"$c\\\"}\"; done",
                                    {.shape = questions.shape(), .programs = 3});
    Outcome outcome = ask(*target, questions);
    expect_contains(outcome.error, "ended");
    outcome.error.clear();
    ASSERT_LE(outcome.answers.size(), 100U);
    expect_echo(outcome, outcome.answers.size());
    EXPECT_NE(ask(*target, questions).error, ""); // it cannot be used again
}

TEST(Exec, LinesAndAnswersLargerThanAPipe) {
    // 64 lines of 14 kB on the way there, and answers of 2 kB on the way back: either side would wait for ever if we
    // did.
    const std::string note(2000, 'x');
    expect_echo(ask("read h; while read l; do c=${l##*\\\"c\\\":\\\"}; echo "
                    "\"{\\\"d\\\":\\\"${c%%\\\"*}\\\",\\\"note\\\":\\\"" +
                        note + "\\\"}\"; done",
                    100, 30, 1000),
                100);
}

TEST(Exec, SixtyFourVectorsAhead) {
    // A pipelined peer that answers nothing until it has read 64.
    const std::string pipelined = "read h; for i in $(seq 64); do read l; done; "
                                  "for i in $(seq 0 63); do printf '{\"d\":\"%08x\"}\\n' $i; done; cat >/dev/null";
    expect_echo(ask(pipelined, 64), 64);
}

TEST(Exec, TheHeaderSaysFormatsAndK) {
    const Outcome outcome = ask("read h; echo \"$h\" >&2; exit 1", 1);
    expect_contains(outcome.error, R"({"discern":1,"a":"f16","b":"f16","c":"f32","d":"f32","K":2})");
}

TEST(Exec, SlowPeer) {
    // Slower in all than the timeout, which holds for each answer.
    expect_echo(ask("read h; while read l; do sleep 0.1; c=${l##*\\\"c\\\":\\\"}; echo "
                    "\"{\\\"d\\\":\\\"${c%%\\\"*}\\\"}\"; done",
                    24, 2.0),
                24);
}

TEST(Exec, SilentPeer) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome =
        ask("read h; read l; echo '{\"d\":\"00000000\"}'; echo waiting >&2; sleep 120; sleep 120", 5, 0.3);
    expect_contains(outcome.error, "gave no answer to vector 2 within 0.3 s (--answer-timeout); it said 'waiting'");
    EXPECT_EQ(outcome.answers.size(), 1u);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60))
        << "what it started must be killed too";
}

TEST(Exec, APeerThatDoesNotEvenRead) {
    const Outcome outcome = ask("sleep 60", 200, 0.3, 1000);
    expect_contains(outcome.error, "gave no answer to vector 1 within 0.3 s");
}

TEST(Exec, DyingPeer) {
    const Outcome exits = ask("read h; for i in 0 1 2; do read l; printf '{\"d\":\"%08x\"}\\n' $i; done; "
                              "echo 'stage 2 is on fire' >&2; exit 3",
                              50);
    expect_contains(exits.error, "ended with exit status 3 after 3 answers, when vector 4 was to be answered; it said "
                                 "'stage 2 is on fire'");
    ASSERT_EQ(exits.answers.size(), 3u) << "what was answered before is kept";
    EXPECT_EQ(exits.answers[2].d, 2u);
    expect_contains(ask("kill -9 $$", 5).error, "ended with signal 9 after 0 answers");
    expect_contains(ask("/no/such/program", 5).error, "exit status 127");
    expect_contains(ask("/no/such/program", 5).error, "not found");
}

TEST(Exec, AfterAFailureNothingIsAsked) {
    const Questions questions(2);
    const auto target = make_target("exec:exit 3", {.shape = questions.shape()});
    const std::string error = ask(*target, questions).error;
    expect_contains(error, "exit status 3");
    EXPECT_EQ(ask(*target, questions).error, error);
}

TEST(Exec, GarbagePeers) {
    struct Wrong {
        std::string line, complaint;
    };
    const std::vector<Wrong> all = {
        {"hello", "answered 'hello' (vector 1); an answer is a line"},
        {"", "answered '' (vector 1)"},
        {"[1]", "answered '[1]'"},
        {"{}", "answered '{}'"},
        {"{\"d\":5}", "answered '{\"d\":5}'"},
        {"{\"d\":\"3f80\"}", "whose d "},
        {"{\"d\":\"3f80000g\"}", "whose d "},
        {"{\"d\":\"3f800000\",\"d\":\"3f800000\"}", ", which has 'd' twice (vector 1)"},
        {"{\"error\":\"one\",\"error\":\"two\"}", ", which has 'error' twice (vector 1)"},
        {"{\"d\":\"3f800000\",\"error\":\"both\"}", "answered '{\"d\":\"3f800000\",\"error\":\"both\"}'"},
        {"{\"d\":\"3f800000\"", "answered '{\"d\":\"3f800000\"'"},
    };
    for (const Wrong& wrong : all) {
        const Outcome outcome = ask("read h; while read l; do echo '" + wrong.line + "'; done", 3);
        expect_contains(outcome.error, wrong.complaint);
        EXPECT_EQ(outcome.answers.size(), 0u);
    }
}

TEST(Exec, AnswersWithoutAQuestion) {
    const Questions one(1);
    const auto target =
        make_target("exec:read h; read l; printf '{\"d\":\"00000000\"}\\n{\"d\":\"00000001\"}\\n'; cat >/dev/null",
                    {.shape = one.shape()});
    expect_echo(ask(*target, one), 1);
    expect_contains(ask(*target, one).error, "answered '{\"d\":\"00000001\"}' before it was asked");
}

TEST(Exec, AnAnswerWithoutEnd) {
    expect_contains(ask("tr '\\0' x </dev/zero", 1).error, "which goes on without a line end");
}

TEST(Exec, ErrorAnswersAreSkipped) {
    const std::string picky = "read h; n=0; while read l; do n=$((n+1)); if [ $((n % 3)) = 0 ]; then "
                              "echo '{\"error\":\"no threes\"}'; else echo '{\"d\":\"00000007\"}'; fi; done";
    const Outcome outcome = ask(picky, 30);
    EXPECT_EQ(outcome.error, "");
    ASSERT_EQ(outcome.answers.size(), 30u);
    for (std::size_t i = 0; i < 30; ++i) {
        EXPECT_EQ(outcome.answers[i].ok(), (i + 1) % 3 != 0) << i;
        EXPECT_EQ(outcome.answers[i].error, (i + 1) % 3 != 0 ? "" : "no threes");
    }
}

TEST(Exec, TenErrorsInARowEndTheRun) {
    const std::string refuses = "read h; for i in 1 2 3; do read l; echo '{\"d\":\"00000007\"}'; done; "
                                "while read l; do echo '{\"error\":\"warming up\"}'; done";
    const Questions questions(6);
    const auto target = make_target("exec:" + refuses, {.shape = questions.shape()});
    EXPECT_EQ(ask(*target, questions).error, "");
    EXPECT_EQ(ask(*target, questions).error, "") << "nine in a row";
    const Outcome outcome = ask(*target, questions);
    expect_contains(outcome.error, "could not answer 10 vectors in a row, the last for this reason: warming up");
    EXPECT_EQ(outcome.answers.size(), 1u);
}

TEST(Exec, ShapesMustBeGiven) {
    try {
        make_target("exec:cat");
        FAIL();
    } catch (const Error& error) {
        expect_contains(error.what(), "its formats and K must be given, as in --formats f16,f16,f32,f32 --K 16");
    }
    EXPECT_THROW(make_target("exec:", {.shape = Shape{}}), Error);
    EXPECT_THROW(make_target("exec:cat", {.shape = Shape{}, .answer_timeout = 0}), Error);
}

} // namespace
} // namespace discern::testing
