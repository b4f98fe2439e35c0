// probe and audit as a person runs them.
#include "cli/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace discern::testing {
namespace {

const std::string custom = "volta/mma.m8n8k4.f32.f16.f16.f32{K=16,L=8,F=23,round=f32:rne}";
const std::string classic_folder = std::string(DISCERN_TEST_DATA) + "/classic/";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Without the first line.
std::string body(const std::string& text) { return text.substr(text.find('\n') + 1); }

TEST(ProbeCommand, PrintsTheTable) {
    const Outcome outcome = discern({"probe", "model:" + custom});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "  FMA unit width              8\n")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "  rounding mode               RTN-TE\n")) << outcome.out;
}

TEST(ProbeCommand, JsonHasEveryFeatureWithItsVectors) {
    const Outcome outcome = discern({"probe", "model:" + custom, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "\"features\":{\"subnormal_a\":{\"title\":\"subnormal a\",\"value\":\"kept\""))
        << outcome.out;
    EXPECT_TRUE(has(outcome.out, "\"block_width\":{\"title\":\"block width\",\"value\":\"8\"")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "\"overflow\":{\"title\":\"overflow\",\"value\":null")) << outcome.out;
}

TEST(ProbeCommand, ATargetWithoutFormatsIsAsked) {
    const Outcome outcome = discern({"probe", "exec:true"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(has(outcome.err, "--formats")) << outcome.err;
}

// The files are what the command writes; a change of the classic vectors must be made in both.
TEST(ProbeCommand, TheClassicVectorsInTheFilesAreThoseOfTheProgram) {
    const Folder folder;
    for (const auto& [file, unit] :
         {std::pair<std::string, std::string>("no_extra_bits_rne.jsonl", custom),
          {"one_extra_bit_ru.jsonl", "volta/mma.m8n8k4.f32.f16.f16.f32{K=16,L=8,F=24,round=f32:ru}"}}) {
        const Outcome outcome =
            discern({"probe", "model:" + unit, "--classic", "--vectors", folder.path("asked.jsonl")});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(body(read_file(folder.path("asked.jsonl"))), body(read_file(classic_folder + file)));
    }
}

// Khattak & Mikaitis (2025), §V-A: the classic vectors give the same answers for width 1 and truncation as for
// the custom unit.
TEST(AuditCommand, ShowsWhatTheClassicVectorsMisread) {
    const std::string space = "volta/mma.m8n8k4.f32.f16.f16.f32{K=16,L={1|8},F={23|24},round={f32:rz|f32:rne}}";
    const Outcome outcome = discern({"audit", classic_folder + "no_extra_bits_rne.jsonl", "--space", space});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    const std::size_t misread = outcome.out.find("misread: these are not " + custom);
    ASSERT_NE(misread, std::string::npos) << outcome.out;
    const std::string rest = outcome.out.substr(misread);
    EXPECT_TRUE(has(rest, "{K=16,L=1,F=23,round=f32:rz}\n")) << rest;
    EXPECT_FALSE(has(rest, "  " + custom + "\n")) << rest;
    EXPECT_FALSE(has(rest, "F=24")) << rest;
}

TEST(AuditCommand, EquivalentUnitsAreNoMiss) {
    // Four products and c never need eight carry bits.
    const std::string space = "volta/mma.m8n8k4.f32.f16.f16.f32{L=4,carry={wide|8}}";
    const Outcome witness = discern({"audit", "-", "--space", space},
                                    "{\"discern\":1,\"a\":\"f16\",\"b\":\"f16\",\"c\":\"f32\",\"d\":\"f32\",\"K\":4}\n"
                                    "{\"a\":[\"3c00\",\"3c00\",\"3c00\",\"3c00\"],\"b\":[\"3c00\",\"3c00\",\"3c00\","
                                    "\"3c00\"],\"c\":\"3f800000\"}\n");
    EXPECT_EQ(witness.status, 0) << witness.out << witness.err;
    EXPECT_TRUE(has(witness.out, "equivalent: ")) << witness.out;
    EXPECT_TRUE(has(witness.out, "units 2, classes 1, missed 0, unknown 0\n")) << witness.out;
}

TEST(AuditCommand, ObservationsThatNothingExplainAreTold) {
    const std::string space = "volta/mma.m8n8k4.f32.f16.f16.f32{K=16,L=8,F=24,round={f32:rz|f32:rne}}";
    const Outcome outcome = discern({"audit", classic_folder + "no_extra_bits_rne.jsonl", "--space", space});
    EXPECT_TRUE(has(outcome.out, "no unit of the space explains the observations")) << outcome.out << outcome.err;
}

TEST(AuditCommand, ASpaceOfSeveralShapesIsRefused) {
    const Outcome outcome = discern(
        {"audit", classic_folder + "no_extra_bits_rne.jsonl", "--space", "volta/mma.m8n8k4.f32.f16.f16.f32{K={16|8}}"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(has(outcome.err, "have different K")) << outcome.err;
}

} // namespace
} // namespace discern::testing
