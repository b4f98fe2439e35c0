// --threads is a matter of time alone: the same JSON, whatever the number.
#include "program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

using nlohmann::json;

/// What a command says, but for how long it took.
json answer(std::vector<std::string> command, const char* threads) {
    command.insert(command.end(), {"--json", "--threads", threads});
    json said = json::parse(discern(command).out);
    said.erase("seconds");
    return said;
}

TEST(Threads, CheckSaysTheSame) {
    const std::vector<std::string> same = {"check", "model:" + volta, volta, "-n", "9000"},
                                   other = {"check", "model:" + volta + "{F=22}", volta, "-n", "9001", "--finite"};
    EXPECT_EQ(answer(same, "1")["checked"], 9000);
    const json one = answer(other, "1");
    EXPECT_GT(one["mismatches"], 10);
    for (const char* threads : {"2", "3", "8"}) {
        EXPECT_EQ(answer(same, threads), answer(same, "1")) << threads;
        EXPECT_EQ(answer(other, threads), one) << threads;
    }
}

TEST(Threads, IdentifySaysTheSame) {
    const std::vector<std::string> all = {"identify", "model:" + volta, "--validate", "3000", "--timeout", "600"};
    std::vector<std::string> some = all;
    some[1] += "{F=21}";
    some.insert(some.end(), {"--space", volta + "{F={19..26},carry={3..6|wide}}"});
    for (const auto& command : {all, some}) {
        const json one = answer(command, "1");
        EXPECT_EQ(one["verdict"], "class") << command[1];
        EXPECT_EQ(answer(command, "2"), one) << command[1];
    }
}

/// Which attempt is the first to answer is a matter of time; what it answers is not.
TEST(Threads, ProveHasTheSameVerdict) {
    const auto verdict = [](const std::string& other, const char* threads) {
        return answer({"prove", volta, other, "--finite"}, threads)["verdict"];
    };
    for (const char* threads : {"1", "3"}) {
        EXPECT_EQ(verdict(volta + "{F=24}", threads), "different");
        EXPECT_EQ(verdict(volta + "{carry=3}", threads), "equivalent");
    }
}

TEST(Threads, ADesignHasNone) {
    const Outcome refused = discern({"prove", volta, "rtl:none.sv", "--threads", "2"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("--threads: a design is not asked about by a portfolio"), std::string::npos)
        << refused.err;
}

} // namespace
} // namespace discern::testing
