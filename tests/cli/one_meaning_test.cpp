// One meaning a word: what the commands print for people.
#include "program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

using nlohmann::json;

TEST(OneMeaning, WhatTheUnitGivesAndWhatTheFileHas) {
    // 1 · 1 + 0 is 1; the file has 2.
    const std::string file = "{\"discern\":1,\"unit\":\"x86/fma.f32\"}\n"
                             "{\"a\":[\"3f800000\"],\"b\":[\"3f800000\"],\"c\":\"00000000\",\"d\":\"40000000\"}\n";
    const Outcome text = discern({"eval", "x86/fma.f32", "-", "--check"}, file);
    EXPECT_NE(text.out.find("the unit gives 3f800000 (0x1p+0, 1), the file has 40000000 (0x1p+1, 2)"),
              std::string::npos)
        << text.out;
    EXPECT_EQ(text.out.find("expected"), std::string::npos);
    const json first = json::parse(discern({"eval", "x86/fma.f32", "-", "--check", "--json"}, file).out)["first"][0];
    EXPECT_EQ(first["unit_gives"], "3f800000");
    EXPECT_EQ(first["file_has"], "40000000");
}

TEST(OneMeaning, IdentifySaysFeaturesInWords) {
    const Outcome outcome =
        discern({"identify", "model:bf16*bf16+f32->f32 K=2 nan=any : round[f32 rne](fuse[exact](p*[ftz], c))",
                 "--validate", "200"});
    EXPECT_NE(outcome.out.find("flushed, sign kept"), std::string::npos) << outcome.out;
    for (const char* key : {"  ftz in ", "  yields ", "  zsign ", "  usign "})
        EXPECT_EQ(outcome.out.find(key), std::string::npos) << outcome.out;
}

TEST(OneMeaning, WhatIdentifyLeavesOpenIsSaidInWords) {
    const Outcome outcome =
        discern({"identify", "model:cdna2/v_mfma_f32_4x4x4f16", "--timeout", "3", "--validate", "100"});
    for (const char* key : {"yields=", "zsign=", "usign=", "ftz in=", "ftz c=", "ftz out="})
        EXPECT_EQ(outcome.out.find(key), std::string::npos) << outcome.out;
}

TEST(OneMeaning, AMultiplyAddOfAnotherNaNIsSaidToBeOne) {
    const Outcome outcome = discern({"identify", "model:x86/fma.f32{nan=7fc00001}", "--validate", "200"});
    EXPECT_NE(outcome.out.find("but for NaN: "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("x86/fma.f32 (nan=x86)"), std::string::npos) << outcome.out;
    EXPECT_EQ(discern({"identify", "model:x86/fma.f32", "--validate", "200"}).out.find("x86/fma.f32 (nan"),
              std::string::npos);
}

TEST(OneMeaning, TheClockIsNotTheTarget) {
    const Outcome outcome = discern({"identify", "exec:sleep 100", "--formats", "f16,f16,f32,f32", "--K", "4",
                                     "--timeout", "1", "--answer-timeout", "60"});
    EXPECT_EQ(outcome.out.find("could not answer"), std::string::npos) << outcome.out << outcome.err;
}

TEST(OneMeaning, ProbeSaysWhatItsTreeHas) {
    const Outcome outcome = discern({"probe", "model:x86/fma.f32"});
    if (outcome.out.find("a unit with these features") == std::string::npos) GTEST_SKIP() << outcome.out;
    for (const std::string& line : lines(outcome.out))
        for (const char* feature : {"  overflow ", "  rounding when aligned ", "  normalisation of products "})
            if (line.starts_with(feature)) {
                EXPECT_EQ(line.find("cannot tell"), std::string::npos) << line;
            }
}

} // namespace
} // namespace discern::testing
