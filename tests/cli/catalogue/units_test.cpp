// discern units and discern show.
#include "cli/program.hpp"
#include "models/catalogue.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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

/// The sections of a page, each from its "## " on, without empty lines at its end.
std::vector<std::string> sections_of(const std::string& page) {
    std::vector<std::string> sections;
    for (std::size_t at = page.find("\n## "); at != std::string::npos;) {
        const std::size_t end = page.find("\n## ", at + 1);
        sections.push_back(page.substr(at + 1, end == std::string::npos ? end : end - at - 1));
        while (sections.back().ends_with('\n')) sections.back().pop_back();
        at = end;
    }
    return sections;
}

/// docs/evidence.md and its parts are what the catalogue says: made again with script/evidence.
TEST(Units, ThePagesOfEvidenceAreInStep) {
    const Outcome outcome = discern({"units", "--evidence"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::string docs = std::string(DISCERN_TEST_DATA) + "/../../docs/";
    const std::string opening = outcome.out.substr(0, outcome.out.find("\n## "));
    EXPECT_TRUE(read_file(docs + "evidence.md").starts_with(opening));
    std::vector<std::string> in_pages, said = sections_of(outcome.out);
    for (const std::string part : {"volta-to-ada", "hopper", "blackwell", "amd", "others"}) {
        EXPECT_NE(read_file(docs + "evidence.md").find("(evidence-" + part + ".md)"), std::string::npos);
        for (std::string& section : sections_of(read_file(docs + "evidence-" + part + ".md")))
            in_pages.push_back(std::move(section));
    }
    EXPECT_GT(said.size(), 20u);
    std::ranges::sort(said);
    std::ranges::sort(in_pages);
    EXPECT_EQ(said, in_pages);
    EXPECT_EQ(discern({"units", "--evidence", "--json"}).status, 2);
    const std::string one = discern({"units", "cdna3/v_mfma_f32_16x16x16_bf16", "--evidence"}).out;
    EXPECT_NE(one.find("\n**open**\n\n- "), std::string::npos) << one;
    EXPECT_NE(one.find("`oinf` counts"), std::string::npos) << one;
    EXPECT_NE(one.find("| `oinf` | an output with an infinite c"), std::string::npos) << one;
}

/// The names that one with braces stands for: x.{a,b} is x.a and x.b.
std::vector<std::string> spelled_out(const std::string& name) {
    const std::size_t open = name.find('{');
    if (open == std::string::npos) return {name};
    const std::size_t close = name.find('}', open);
    std::vector<std::string> all;
    std::istringstream words(name.substr(open + 1, close - open - 1));
    for (std::string word; std::getline(words, word, ',');)
        for (std::string& one : spelled_out(name.substr(0, open) + word + name.substr(close + 1)))
            all.push_back(std::move(one));
    return all;
}

TEST(Units, TheEvidenceNamesEachUnitOnce) {
    std::multiset<std::string> named, there;
    std::size_t lines_of_units = 0;
    for (const std::string& section : sections_of(discern({"units", "--evidence"}).out)) {
        const std::string architecture = section.substr(3, section.find('\n') - 3);
        for (const std::string& line : lines(section)) {
            if (line.find(": `") == std::string::npos || line.front() == '-') continue;
            ++lines_of_units;
            std::size_t at = line.find('`');
            for (std::size_t end = 0; at != std::string::npos; at = line.find('`', end + 1)) {
                end = line.find('`', at + 1);
                for (const std::string& name : spelled_out(line.substr(at + 1, end - at - 1)))
                    named.insert(architecture + "/" + name);
            }
        }
    }
    for (const CatalogueEntry& entry : catalogue()) there.insert(entry.name);
    EXPECT_EQ(named, there);
    EXPECT_LT(lines_of_units * 3, there.size());
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
