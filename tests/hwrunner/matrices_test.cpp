// Programs that multiply whole matrices behind a pipe: those that keep to the protocol, and those that do not.
#include "hwrunner/kinds.hpp"
#include "hwrunner/products.hpp"
#include "models/error.hpp"
#include "models/pattern_words.hpp"
#include "peers.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace discern::testing::matrices_test {
namespace {

/// Of vectors of two products of f16 and c in f32: what comes before C in a product of 64 × 64, and C, which it
/// answers.
const std::string echo_c = "read h; while [ $(head -c 524 | wc -c) = 524 ]; do head -c 16384; done";

std::string error_of(const std::string& script, double timeout = 300) {
    const Questions questions(3);
    const auto target = make_target("matrices:" + script, {.shape = questions.shape(), .answer_timeout = timeout});
    std::vector<TargetAnswer> answers;
    try {
        target->run(questions.batch(), answers);
    } catch (const Error& error) {
        EXPECT_TRUE(answers.empty());
        std::string again;
        try {
            target->run(questions.batch(), answers);
        } catch (const Error& second) {
            again = second.what();
        }
        EXPECT_EQ(again, error.what()) << "after a failure nothing is asked";
        return error.what();
    }
    return "";
}

void expect_contains(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
}

TEST(Matrices, EachVectorHasAnElementOfItsOwn) {
    const Questions questions(200);
    const auto target = make_target("matrices:" + echo_c, {.shape = questions.shape()});
    for (int turn = 0; turn < 2; ++turn) { // at other places
        std::vector<TargetAnswer> answers;
        target->run(questions.batch(), answers);
        ASSERT_EQ(answers.size(), 200u);
        for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i].d, i);
    }
}

/// echo_c with another word, 3f000001, at one place of each product.
std::string echo_but_at(int row, int column) {
    const int before = 4 * (64 * row + column);
    return "read h; while [ $(head -c 524 | wc -c) = 524 ]; do head -c " + std::to_string(before) +
           "; head -c 4 >/dev/null; printf '\\001\\000\\000\\077'; head -c " + std::to_string(16380 - before) +
           "; done";
}

// A result that depends on its place is seen before anything is counted, wherever the place is.
TEST(Matrices, TheFirstVectorsAreAskedAtEveryPlace) {
    for (const auto& [row, column] : {std::pair(0, 0), {5, 5}, {63, 63}, {0, 63}, {17, 40}}) {
        const std::string said = error_of(echo_but_at(row, column));
        expect_contains(said, "gives different results for one vector in different places of a product");
        if (row + column > 0)
            expect_contains(said, "3f000001 at (" + std::to_string(row) + ", " + std::to_string(column) + ")");
    }
    // All of the diagonal.
    expect_contains(
        error_of("read h; head -c 524 >/dev/null; i=0; while [ $i -lt 63 ]; do printf '\\001\\000\\000\\077'; "
                 "head -c 4 >/dev/null; head -c 256; i=$((i+1)); done; printf '\\001\\000\\000\\077'; "
                 "head -c 4 >/dev/null; cat"),
        "at (0, 0), 00000000 at (0, 1)");
}

// And of vectors that follow, each place has one in every 64 products.
TEST(Matrices, EachPlaceHasAVectorInSixtyFourProducts) {
    const Questions questions(64 * 64);
    for (const auto& [row, column] : {std::pair(0, 0), {5, 5}, {63, 63}, {17, 40}}) {
        const auto target = make_target("matrices:" + echo_but_at(row, column),
                                        {.shape = questions.shape(), .at_every_place_first = false});
        std::vector<TargetAnswer> answers;
        target->run(questions.batch(), answers);
        int wrong = 0;
        for (std::size_t i = 0; i < answers.size(); ++i) wrong += answers[i].d != i ? 1 : 0;
        EXPECT_EQ(wrong, 1) << row << " " << column;
    }
}

TEST(Matrices, TheHeaderSaysFormatsAndK) {
    expect_contains(error_of("read h; echo \"$h\" >&2; exit 1"),
                    R"({"discern":1,"a":"f16","b":"f16","c":"f32","d":"f32","K":2,"matrices":1})");
}

TEST(Matrices, ADeadTargetIsQuoted) {
    const std::string said = error_of("read h; head -c 524 >/dev/null; echo 'no memory' >&2; exit 3");
    expect_contains(said, "ended with exit status 3 after 0 answers, when product 1 was to be answered");
    expect_contains(said, "it said 'no memory'");
    // Half of an answer is none, and its bytes are not quoted.
    expect_contains(error_of("read h; head -c 524 >/dev/null; head -c 100 /dev/zero"),
                    "when product 1 was to be answered; it said nothing else");
}

TEST(Matrices, ATargetThatHangsIsGivenUp) {
    const auto start = std::chrono::steady_clock::now();
    expect_contains(error_of("read h; sleep 120", 0.3), "gave no answer to product 1 within 0.3 s (--answer-timeout)");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Matrices, ATargetOfAnotherShapeIsRefused) {
    expect_contains(error_of("read h; head -c 100 /dev/zero; sleep 0.2; dd if=/dev/zero bs=20000 count=1 2>/dev/null"),
                    "16384 are right, the M·N words of D");
}

TEST(Matrices, WordsHaveNoBitsAboveTheirFormat) {
    Shape shape;
    shape.a = shape.b = shape.d = FormatId::e3m2;
    shape.K = 1;
    const auto target = make_target("matrices:read h; head -c 14 >/dev/null; printf '\\377'", {.shape = shape});
    PatternWords a(shape.a, 1), b(shape.b, 1), d(shape.d, 1);
    try {
        dynamic_cast<ProductTarget&>(*target).multiply({1, 1, 1}, a.patterns(), b.patterns(), {}, d.out());
        FAIL();
    } catch (const Error& error) {
        expect_contains(error.what(), "bits above the 6 of e3m2 (element 0 of D); zeros there are right");
    }
}

TEST(Matrices, HaveNoScales) {
    Shape shape;
    shape.scale = Scale{};
    EXPECT_THROW(make_target("matrices:cat", {.shape = shape}), Error);
}

} // namespace
} // namespace discern::testing::matrices_test
