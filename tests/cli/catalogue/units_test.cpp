// discern units and discern show.
#include "cli/program.hpp"
#include "models/catalogue.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

using nlohmann::json;

std::vector<std::string> names(const std::string& pattern) {
    const Outcome outcome = discern({"units", pattern, "--json"});
    std::vector<std::string> all;
    for (const json& entry : json::parse(outcome.out)) all.push_back(entry["unit"]);
    return all;
}

TEST(Units, ListsTheCatalogue) {
    const Outcome outcome = discern({"units"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(lines(outcome.out).size(), catalogue().size() + 1);
    for (const CatalogueEntry& entry : catalogue())
        EXPECT_NE(outcome.out.find("\n" + entry.name + " "), std::string::npos) << entry.name;
}

TEST(Units, SelectsByPartOfTheNameOrByPattern) {
    EXPECT_EQ(names("volta/"),
              (std::vector<std::string>{"volta/mma.m8n8k4.f16.f16.f16.f16", "volta/mma.m8n8k4.f32.f16.f16.f16",
                                        "volta/mma.m8n8k4.f32.f16.f16.f32"}));
    EXPECT_EQ(names("volta/*.f32"), std::vector<std::string>{"volta/mma.m8n8k4.f32.f16.f16.f32"});
    EXPECT_EQ(names("x86/fma.f??"), std::vector<std::string>{"x86/fma.f32"});
    EXPECT_EQ(discern({"units", "volta/*.f3"}).status, 2) << "a pattern matches the whole name";
}

TEST(Units, JsonReadsBack) {
    const Outcome outcome = discern({"units", "--json"});
    const json all = json::parse(outcome.out);
    ASSERT_EQ(all.size(), catalogue().size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i]["unit"], catalogue()[i].name);
        EXPECT_EQ(parse_unit(all[i]["tree"].get<std::string>()), catalogue()[i].unit) << all[i]["unit"];
        EXPECT_EQ(all[i]["K"], catalogue()[i].unit.K);
        EXPECT_EQ(all[i].contains("c"), catalogue()[i].unit.c.has_value());
        EXPECT_EQ(all[i].contains("scale"), catalogue()[i].unit.scale.has_value());
    }
}

json show(const std::string& unit) {
    const Outcome outcome = discern({"show", unit, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out);
}

json parameter(const json& about, const std::string& key) {
    for (const json& item : about["parameters"])
        if (item["key"] == key) return item;
    return nullptr;
}

TEST(Show, EveryUnitHasEvidenceForEachParameter) {
    for (const CatalogueEntry& entry : catalogue()) {
        const json about = show(entry.name);
        EXPECT_EQ(parse_unit(about["tree"].get<std::string>()), entry.unit) << entry.name;
        EXPECT_FALSE(about["parameters"].empty()) << entry.name;
        for (const json& item : about["parameters"]) {
            EXPECT_NE(item["evidence"], "given") << entry.name << " " << item;
            EXPECT_NE(item["source"], "") << entry.name << " " << item;
        }
    }
}

TEST(Show, AnOverrideIsGivenNotKnown) {
    const json about = show("hopper/wgmma.m64n8k16.f32.f16.f16{F=24}");
    EXPECT_EQ(parameter(about, "F")["value"], "24");
    EXPECT_EQ(parameter(about, "F")["evidence"], "given");
    EXPECT_EQ(parameter(about, "F")["source"], "hopper/wgmma.m64n8k16.f32.f16.f16 has 25");
    EXPECT_NE(parameter(about, "align")["evidence"], "given");
}

TEST(Show, KnowsItsEquals) {
    const json about = show("ampere/mma.m16n8k16.f32.f16.f16.f32");
    EXPECT_NE(std::find(about["same"].begin(), about["same"].end(), "ada/mma.m16n8k16.f32.f16.f16.f32"),
              about["same"].end());
    EXPECT_EQ(std::find(about["same"].begin(), about["same"].end(), "hopper/mma.m16n8k16.f32.f16.f16.f32"),
              about["same"].end());
}

TEST(Show, AWholeUnitIsRecognised) {
    const std::string name = "volta/mma.m8n8k4.f32.f16.f16.f32";
    const json about = show(show(name)["tree"]);
    EXPECT_EQ(about["evidence_for"], name);
    EXPECT_EQ(about["same"], json::array({name, "turing/mma.m8n8k4.f32.f16.f16.f32"}));
    const json unknown = show("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=9 rz](p*, c))");
    EXPECT_FALSE(unknown.contains("evidence_for"));
    EXPECT_EQ(parameter(unknown, "F")["evidence"], "given");
}

/// docs/evidence.md is what the catalogue says: made again with `discern units --evidence > docs/evidence.md`.
TEST(Units, ThePageOfEvidenceIsInStep) {
    const Outcome outcome = discern({"units", "--evidence"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, read_file(std::string(DISCERN_TEST_DATA) + "/../../docs/evidence.md"));
    EXPECT_EQ(discern({"units", "--evidence", "--json"}).status, 2);
    const std::string one = discern({"units", "cdna3/v_mfma_f32_16x16x16_bf16", "--evidence"}).out;
    EXPECT_NE(one.find("| open | "), std::string::npos) << one;
    EXPECT_NE(one.find("`oinf` counts"), std::string::npos) << one;
    EXPECT_NE(one.find("`oinf`: an output with an infinite c"), std::string::npos) << one;
}

TEST(Show, TextHasTheNotationAndTheEvidence) {
    const Outcome outcome = discern({"show", "hopper/mma.m16n8k32.f32.e4m3.e4m3.f32"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("\nnotation    e4m3*e4m3+f32->f32 K=32"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("\nremark      emulated"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("\nsame as     blackwell/mma.m16n8k32.f32.e4m3.e4m3.f32"), std::string::npos)
        << outcome.out;
}

} // namespace
} // namespace discern::testing
