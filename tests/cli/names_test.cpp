// Units by the names under which people know them.
#include "program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

using nlohmann::json;

const std::string ampere_unit = "ampere/mma.m16n8k16.f32.f16.f16.f32";

TEST(Names, AProductIsAUnitWithAFormat) {
    const Outcome outcome = discern({"synth", "A100/f16", "H100/f16", "--json"});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_EQ(discern({"prove", "A100/f16", ampere_unit}).status, 0);
    EXPECT_EQ(discern({"show", "rtx 4090/BF16", "--json"}).status, 0);
    EXPECT_EQ(json::parse(discern({"show", "a100/f16", "--json"}).out)["unit"], ampere_unit);
    EXPECT_EQ(json::parse(discern({"show", "a100/f16", "--json"}).out)["products"][0], "A100");
    EXPECT_NE(discern({"show", "A100/f16{F=20}"}).out.find(ampere_unit + "{F=20}"), std::string::npos);
    const Outcome wrong = discern({"show", "A100"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_NE(wrong.err.find("its units are A100/f16.f16, A100/f16, A100/bf16, A100/tf32, A100/f64"),
              std::string::npos);
}

TEST(Names, WhatGoesWithAProductDecides) {
    const Folder folder;
    const std::string file = folder.path("v.jsonl");
    ASSERT_EQ(discern({"generate", "A100/f16", "-n", "50", "--family", "normal", "--results", "-o", file}).status, 0);
    EXPECT_EQ(discern({"synth", "a100", "H100/f16"}).status, 1);
    const Outcome neither = discern({"synth", "a100", "h100"});
    EXPECT_EQ(neither.status, 2);
    EXPECT_NE(neither.err.find("'a100' is a product, and its formats are not said"), std::string::npos) << neither.err;
    // The file decides.
    const Outcome explained = discern({"explain", "a100", "h100", file});
    EXPECT_EQ(explained.status, 0) << explained.err;
    EXPECT_NE(explained.out.find("A  " + ampere_unit), std::string::npos) << explained.out;
    EXPECT_EQ(last_line(discern({"eval", "A100", file, "--check"}).out), "checked 50, mismatches 0");
    const Outcome table = discern({"eval", "A100", folder.file("t.csv", "a,b,d\n1 2,3 4,11\n"), "--check"});
    EXPECT_EQ(table.status, 2);
    EXPECT_NE(table.err.find("its units are A100/f16.f16, A100/f16, "), std::string::npos) << table.err;
    // The target, and the other of several units.
    EXPECT_EQ(discern({"check", "model:A100/f16", "A100", "-n", "100"}).status, 0);
    EXPECT_EQ(discern({"measure", "A100", "H100/f16", "-n", "100"}).status, 0);
    EXPECT_EQ(discern({"suite", "A100", "H100/f16"}).status, 0);
    EXPECT_EQ(discern({"smt2", "A100/f16", "H100", "-o", folder.path("q.smt2")}).status, 0);
}

TEST(Names, ProductsAreSaidBehindUnits) {
    const Outcome which = discern({"which", "model:" + ampere_unit});
    EXPECT_NE(which.out.find("products: A100, A30, A40 and "), std::string::npos) << which.out;
    EXPECT_EQ(which.out.find("(turing)"), std::string::npos) << which.out; // whose instruction has another K
    const json answer = json::parse(discern({"which", "model:" + ampere_unit, "--json"}).out);
    EXPECT_EQ(answer["products"]["ampere"][0], "A100");
    EXPECT_FALSE(answer["products"].contains("turing"));
    EXPECT_NE(discern({"identify", "model:" + volta, "--validate", "500"})
                  .out.find("products:  V100, Titan V, Quadro GV100 and 2 more (volta)"),
              std::string::npos);
}

TEST(Names, AsADriverCallsTheProduct) {
    for (const auto& [called, product] :
         std::vector<std::pair<std::string, std::string>>{{"NVIDIA A100-SXM4-80GB", "A100"},
                                                          {"NVIDIA A100 80GB PCIe", "A100"},
                                                          {"NVIDIA H100 80GB HBM3", "H100"},
                                                          {"NVIDIA H100 PCIe", "H100"},
                                                          {"Tesla V100-SXM2-16GB", "V100"},
                                                          {"Tesla T4", "T4"},
                                                          {"NVIDIA GeForce RTX 4090 Laptop GPU", "RTX 4090"},
                                                          {"AMD Instinct MI300X", "MI300X"}}) {
        const Outcome one = discern({"show", called + "/f16", "--json"}),
                      other = discern({"show", product + "/f16", "--json"});
        EXPECT_EQ(one.status, 0) << called << one.err;
        EXPECT_EQ(json::parse(one.out)["tree"], json::parse(other.out)["tree"]) << called;
    }
    for (const char* none : {"80GB/f16", "PCIe/f16", "A100B 80GB/f16"})
        EXPECT_EQ(discern({"show", none}).status, 2) << none;
}

} // namespace
} // namespace discern::testing
