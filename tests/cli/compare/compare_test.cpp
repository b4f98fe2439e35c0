// discern compare: the command.
#include "cli/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

TEST(CompareCommand, EachWinsSomewhere) {
    const Outcome outcome =
        discern({"compare", "markidis", "ootomo-yokota", "--on", volta, "-n", "1000", "--json", "--timeout", "20"});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    const auto answer = nlohmann::json::parse(outcome.out);
    ASSERT_EQ(answer["algorithms"].size(), 2u);
    for (std::size_t which = 0; which < 2; ++which) {
        const auto& one = answer["algorithms"][which]["never_farther"];
        EXPECT_EQ(one["verdict"], "refuted");
        EXPECT_EQ(one["vector"]["a"].size(), 4u);
        EXPECT_GT(one["errors"][which].get<double>(), one["errors"][1 - which].get<double>());
    }
    EXPECT_EQ(answer["families"][0]["algorithms"][0]["dots"], 1000);
    EXPECT_EQ(answer["families"][0]["nearer"].size(), 3u);
}

TEST(CompareCommand, ProvedAndListed) {
    const Outcome same = discern({"compare", "one-word", "x = word(a); mma(x, word(b), c)", "--on", volta, "--operands",
                                  "f16,f16,f32", "-n", "1000", "--timeout", "10"});
    EXPECT_EQ(same.status, 0) << same.out << same.err;
    EXPECT_NE(same.out.find("proved    A is never farther from the exact result than B; by terms, both are the same "
                            "computation"),
              std::string::npos)
        << same.out;
    const Outcome list = discern({"compare", "--list"});
    EXPECT_EQ(list.status, 0);
    for (const char* name : {"markidis: ", "ootomo-yokota: ", "kahan: ", "promote-128: ", "bf16x3: ", "two-words: "})
        EXPECT_NE(list.out.find(name), std::string::npos) << list.out;
}

TEST(CompareCommand, WhatIsWrong) {
    const std::pair<std::vector<std::string>, const char*> wrong[] = {
        {{"compare"}, "0 algorithms given; it takes two"},
        {{"compare", "markidis", "kahan"}, "--on UNIT is missing"},
        {{"compare", "markidis", "kahn", "--on", volta}, "did you mean kahan?"},
        {{"compare", "markidis", "kahan", "--on", "x86/dpps"}, "has no c"},
        {{"compare", "markidis", "kahan", "--on", volta, "--operands", "f16,f16"}, "is neither one format"},
        {{"compare", "bf16x3", "kahan", "--on", volta}, "the unit takes f16, and the first operand is bf16"},
        {{"compare", "markidis", "kahan", "--on", volta, "--spread", "a:2", "--family", "normal"}, "does not go with"},
        {{"compare", "c + (", "kahan", "--on", volta}, "a program, column 6: the end is there"},
    };
    for (const auto& [words, says] : wrong) {
        const Outcome outcome = discern(words);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
    }
}

} // namespace
} // namespace discern::testing
