// What the catalogue calls `silicon` is what measured results decide: of a unit with another value of the parameter,
// some measured result is another one. Where results that are published elsewhere decide, the row says so.
//
// The results lie beside the repository (shared/hardware, shared/hardware-amd); those few that stand in this file, and
// those that this project measured itself (tests/data/h200), are looked at everywhere.
#include "cli/program.hpp"

#include "folder.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/format.hpp"
#include "models/measured_sets.hpp"
#include "models/overrides.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace discern::testing {
namespace {

/// Results of a card, and the unit that made them.
struct Results {
    std::string unit, file;
};

/// The unit with one parameter changed. @param unit  with overrides or without
std::string changed(const std::string& unit, const std::string& key, const std::string& value) {
    const std::string setting = key + "=" + value;
    return unit.back() == '}' ? unit.substr(0, unit.size() - 1) + "," + setting + "}" : unit + "{" + setting + "}";
}

std::string formats_of(const Unit& unit) {
    std::string text;
    for (const FormatId id : {unit.a, unit.b, unit.d}) text += std::string(format(id).name) + " ";
    return text;
}

using Values = std::vector<std::string>;
const Values modes = {"rz", "rd", "ru", "rne", "rna", "odd"};

/// The values nearest to a number, or every other word.
Values others(const std::string& key, const std::string& value) {
    static const std::map<std::string, Values> words = {
        {"align", modes},
        {"sum", modes},
        {"zero", {"ignore", "emin", "-126"}},
        {"operands", {"none"}},
        {"frame", {"none", "c", "c_or_plus", "nonzero_c"}},
        {"opposed", {"all", "nonzero", "kept"}},
        {"product", {"raw", "carry", "full"}},
        {"overflow", {"inf", "max", "ieee"}},
        {"ftz", {"none", "in", "c", "out", "in+c", "c+out", "in+out", "in+c+out"}},
        {"zin", {"keep", "pos"}},
        {"zsign", {"pos", "ieee"}},
        {"usign", {"pos", "keep"}},
        {"c", {"early", "late", "last"}},
        {"interleave", {"0", "1", "2", "4"}},
        {"nan", {"x86", "rdna"}},
        {"limit", {"none", "128"}},
        {"carry", {"wide", "0", "1", "2", "3"}}};
    Values list;
    if (const auto found = words.find(key); found != words.end()) {
        list = found->second;
    } else if (key == "round") {
        for (const std::string& mode : modes) list.push_back(value.substr(0, value.find(':') + 1) + mode);
    } else if (value.find_first_not_of("-0123456789") == std::string::npos) {
        const int n = std::stoi(value);
        list = key == "L" ? Values{std::to_string(n / 2), std::to_string(2 * n)}
                          : Values{std::to_string(n - 1), std::to_string(n + 1)};
        if (key == "drop" || key == "floor") list.emplace_back("none");
    }
    std::erase(list, value);
    return list;
}

enum class Answer { differs, agrees, is_no_unit };

/// Whether a unit gives the results of a file.
Answer compare(const std::string& unit, const std::string& file) {
    const int status = discern({"eval", unit, file, "--check"}).status;
    return status == 1 ? Answer::differs : status == 0 ? Answer::agrees : Answer::is_no_unit;
}

/// Whether the row says what else decides: results that are published and not here, or ones of our own.
bool names_other_results(const std::string& source) {
    for (const char* words :
         {"[V]", "[T]", "[L]", "[G]", "million vectors", "of all 2,592 results", "seen with bf16 operands"})
        if (source.find(words) != std::string::npos) return true;
    return false;
}

bool is_unit(const std::string& text) {
    try {
        resolve_unit(text);
        return true;
    } catch (const Error&) {
        return false;
    }
}

/// The value that a parameter has in a unit; empty if it has none.
std::string value_of(const std::string& unit, const std::string& key) {
    for (const auto& [parameter, value] : parameters(resolve_unit(unit)))
        if (parameter == key) return value;
    return "";
}

/// Whether nothing tells the unit from the one with the other value.
bool is_the_same(const std::string& unit, const std::string& other) {
    return discern({"prove", unit, other, "--timeout", "20"}).status == 0;
}

/// Looks at everything that is called silicon, of the units that the card's results say something of.
/// @param own  at what is so by results of this project alone, all of which are here
void check_claims(const CatalogueEntry& entry, const std::vector<Results>& results, bool own = false) {
    for (const ParameterEvidence& row : evidence_of(entry)) {
        if (row.evidence != Evidence::silicon || (own && !row.source.starts_with("[G]"))) continue;
        for (const std::string& value : others(row.parameter, row.value)) {
            bool refuted = false, tried = false;
            if (!is_unit(changed(entry.name, row.parameter, value))) continue;
            for (const Results& one : results) {
                if (value_of(one.unit, row.parameter) != row.value) continue; // it says nothing of this value
                const Answer answer = compare(changed(one.unit, row.parameter, value), one.file);
                tried = tried || answer != Answer::is_no_unit;
                refuted = refuted || answer == Answer::differs;
                if (refuted) break;
            }
            if (refuted || (!own && (!tried || names_other_results(row.source)))) continue;
            EXPECT_TRUE(is_the_same(entry.name, changed(entry.name, row.parameter, value)))
                << entry.name << ": no measured result refutes " << row.parameter << "=" << value << ", and "
                << row.parameter << "=" << row.value << " is said to be of silicon: " << row.source;
        }
    }
}

/// Units of these cards, whose rows are for all units of the card alike.
const std::map<std::string, std::vector<Results>> amd_files = {
    {"rdna3",
     {{"rdna3/v_dot2_f32_f16", "rdna3-w7900-dot2-f16"},
      {"rdna3/v_dot2_f32_bf16", "rdna3-w7900-dot2-bf16"},
      {"rdna3/v_wmma_f32_16x16x16_f16", "rdna3-w7900-wmma-f16"},
      {"rdna3/v_wmma_f32_16x16x16_bf16", "rdna3-w7900-wmma-bf16"},
      {"rdna3/v_wmma_f16_16x16x16_f16", "rdna3-w7900-wmma-f16-packed"},
      {"rdna3/v_wmma_bf16_16x16x16_bf16", "rdna3-w7900-wmma-bf16-packed"}}},
    {"rdna4",
     {{"rdna4/v_dot2_f32_f16", "rdna4-r9700-dot2-f16"},
      {"rdna4/v_dot2_f32_bf16", "rdna4-r9700-dot2-bf16"},
      {"rdna4/v_wmma_f32_16x16x16_f16.wave32", "rdna4-r9700-wmma-f16-wave32"},
      {"rdna4/v_wmma_f32_16x16x16_f16.wave64", "rdna4-r9700-wmma-f16-wave64"},
      {"rdna4/v_wmma_f32_16x16x16_bf16.wave32", "rdna4-r9700-wmma-bf16-wave32"},
      {"rdna4/v_wmma_f32_16x16x16_bf16.wave64", "rdna4-r9700-wmma-bf16-wave64"},
      {"rdna4/v_wmma_f16_16x16x16_f16.wave32", "rdna4-r9700-wmma-f16-packed-wave32"},
      {"rdna4/v_wmma_f16_16x16x16_f16.wave64", "rdna4-r9700-wmma-f16-packed-wave64"},
      {"rdna4/v_wmma_bf16_16x16x16_bf16.wave32", "rdna4-r9700-wmma-bf16-packed-wave32"},
      {"rdna4/v_wmma_bf16_16x16x16_bf16.wave64", "rdna4-r9700-wmma-bf16-packed-wave64"}}},
    {"cdna3", {{"cdna3/v_mfma_f32_16x16x32_fp8_fp8", "cdna3-mi300x"}}}};

/// Those of the files that are there.
std::vector<Results> amd_results(const std::string& architecture, const std::string& folder) {
    std::vector<Results> all;
    for (const auto& [unit, name] : amd_files.at(architecture)) {
        const std::string file = folder + "/" + name + ".jsonl";
        if (std::filesystem::exists(file)) all.push_back({unit, file});
    }
    return all;
}

TEST(Evidence, ResultsOfAmdCardsAreThoseOfTheirUnits) {
    const std::string folder = shared_folder("hardware-amd");
    if (folder.empty()) GTEST_SKIP() << "the results of AMD's cards are not beside the repository";
    for (const auto& [architecture, files] : amd_files)
        for (const Results& one : amd_results(architecture, folder)) {
            const Outcome outcome = discern({"eval", one.unit, one.file, "--check"});
            EXPECT_EQ(outcome.status, 0) << one.file << ": " << outcome.out << outcome.err;
        }
}

TEST(Evidence, OfAmdCardsIsPinnedByTheirResults) {
    const std::string folder = shared_folder("hardware-amd");
    if (folder.empty()) GTEST_SKIP() << "the results of AMD's cards are not beside the repository";
    for (const CatalogueEntry& entry : catalogue())
        if (amd_files.count(entry.architecture) != 0) check_claims(entry, amd_results(entry.architecture, folder));
}

TEST(Evidence, OfNvidiaGpusIsPinnedByTheMeasuredSets) {
    const std::string shared = shared_folder("hardware");
    if (shared.empty()) GTEST_SKIP() << "the measured sets are not beside the repository";
    const Folder folder;
    ASSERT_EQ(discern({"import", "matlab-tensor-core", shared, "-o", folder.path("sets")}).status, 0);
    // One H100 result, of a public issue thread.
    const std::string thread =
        folder.file("thread.jsonl", R"({"discern":1,"a":"bf16","b":"bf16","c":"f32","d":"f32","K":16}
{"a":["9b94","19f3","9a2e","1a67","9a25","9b4e","9b29","9a33","99e0","1a14","9914","99d1","9ae9","1b1a","9a9c","1b3a"],"b":["9aaf","99f3","9acc","1b7c","19ed","1b25","9a1b","9a20","9af7","9a48","1ae1","1b32","1b12","1b0e","9a68","1735"],"c":"00000000","d":"0000000b"}
)");
    using Group = std::tuple<std::string, FormatId, FormatId, FormatId>;
    std::map<Group, std::vector<Results>> groups;
    const auto group_of = [](const std::string& name, const Unit& unit) {
        return Group(name.substr(0, name.find('/')), unit.a, unit.b, unit.d);
    };
    for (const MeasuredSet& set : measured_sets())
        groups[group_of(std::string(set.unit), resolve_unit(set.unit))].push_back(
            {std::string(set.unit), folder.path("sets/" + set.name() + ".jsonl")});
    const std::string hopper = "hopper/mma.m16n8k16.f32.bf16.bf16.f32";
    groups[group_of(hopper, resolve_unit(hopper))].push_back({hopper, thread});
    EXPECT_EQ(compare(hopper, thread), Answer::agrees);
    EXPECT_EQ(compare(hopper + "{floor=none}", thread), Answer::differs);
    for (const CatalogueEntry& entry : catalogue())
        if (const auto found = groups.find(group_of(entry.name, entry.unit)); found != groups.end())
            check_claims(entry, found->second);
}

/// The results of the H200, by the formats of operands and results: each question's answers, and the vectors of checks.
std::map<std::string, std::vector<Results>> h200_results(const Folder& folder) {
    std::map<std::string, std::vector<Results>> all;
    const auto add = [&](const std::string& file) {
        std::ifstream in(file);
        std::string line;
        std::getline(in, line);
        const std::string unit = nlohmann::json::parse(line)["instruction"];
        const Unit of = resolve_unit(unit);
        all[formats_of(of)].push_back({unit, file});
    };
    const std::string data = std::string(DISCERN_TEST_DATA) + "/h200";
    for (const auto& file : std::filesystem::directory_iterator(data))
        if (file.path().filename().string().starts_with("mma.")) add(file.path());
    std::ifstream report(data + "/discern-report.jsonl");
    std::string line;
    for (int n = 0; std::getline(report, line); ++n) {
        const nlohmann::json answer = nlohmann::json::parse(line);
        if (!answer.contains("vectors") || answer["vectors"].empty()) continue;
        std::string text = answer["header"].dump() + "\n";
        for (const nlohmann::json& v : answer["vectors"]) text += v.dump() + "\n";
        add(folder.file("question-" + std::to_string(n) + ".jsonl", text));
    }
    return all;
}

TEST(Evidence, OfHopperIsPinnedByTheH200) {
    const Folder folder;
    const auto results = h200_results(folder);
    std::size_t claims = 0;
    for (const CatalogueEntry& entry : catalogue()) {
        if (entry.architecture != "hopper") continue;
        for (const ParameterEvidence& row : evidence_of(entry)) claims += row.source.starts_with("[G]") ? 1 : 0;
        if (const auto found = results.find(formats_of(entry.unit)); found != results.end())
            check_claims(entry, found->second, true);
    }
    EXPECT_GT(claims, 20U);
    for (const auto& [formats, files] : results)
        for (const Results& one : files) EXPECT_EQ(compare(one.unit, one.file), Answer::agrees) << one.file;
}

/// The vectors that told the emulated instructions with fp8 operands of both formats from the units that they once had.
TEST(H200, SubnormalOperandsOfBothFp8FormatsHaveTheExponentsOfF16) {
    const Folder folder;
    int files = 0;
    for (const auto& [formats, all] : h200_results(folder))
        for (const Results& one : all) {
            const Unit unit = resolve_unit(one.unit);
            if (unit.a == unit.b) continue;
            ++files;
            EXPECT_EQ(compare(one.unit, one.file), Answer::agrees) << one.file;
            const Outcome outcome = discern({"eval", one.unit + "{operands=none}", one.file, "--check"});
            EXPECT_EQ(outcome.status, 1) << one.file;
            const bool ten = outcome.out.find("checked 10, mismatches 10") != std::string::npos;
            EXPECT_TRUE(ten || outcome.out.find("checked 9, mismatches 9") != std::string::npos) << outcome.out;
        }
    EXPECT_EQ(files, 8);
}

/// What `tell` settled is what its answers say of each reading, and nothing in the file contradicts the program's
/// questions, whose vectors may be others by now.
TEST(H200, AnswersSettleWhatTheReportSays) {
    const Folder folder;
    std::ifstream report(std::string(DISCERN_TEST_DATA) + "/h200/discern-report.jsonl");
    std::string line;
    int settled = 0, again = 0;
    while (std::getline(report, line)) {
        const nlohmann::json answer = nlohmann::json::parse(line);
        if (!answer.contains("name") || answer["state"] != "settled") continue;
        ++settled;
        std::string text = answer["header"].dump() + "\n";
        for (const nlohmann::json& v : answer["vectors"]) text += v.dump() + "\n";
        const std::string file = folder.file("answers.jsonl", text), name = answer["name"];
        std::vector<std::size_t> fits;
        for (std::size_t i = 0; i < answer["readings"].size(); ++i)
            if (compare(answer["readings"][i]["unit"], file) == Answer::agrees) fits.push_back(i + 1);
        EXPECT_EQ(nlohmann::json(fits), answer["fits"]) << name;
        const Outcome outcome =
            discern({"tell", "replay:" + file, "--point", name, "--json", "--report", folder.path("report.jsonl")});
        ASSERT_TRUE(outcome.status == 0 || outcome.status == 3) << name << outcome.out << outcome.err;
        const nlohmann::json question = nlohmann::json::parse(outcome.out)["questions"][0];
        const std::vector<std::size_t> still = question["fits"];
        for (const std::size_t fit : fits) EXPECT_EQ(std::count(still.begin(), still.end(), fit), 1) << name;
        again += question["state"] == "settled" ? 1 : 0;
    }
    EXPECT_EQ(settled, 17);
    EXPECT_GT(again, 0);
}

/// What is called silicon elsewhere says what results these are.
TEST(Evidence, IsNamedWhereItIsNotHere) {
    std::map<std::string, bool> has_results = {{"rdna3", true}, {"rdna4", true}, {"cdna3", true}};
    for (const MeasuredSet& set : measured_sets())
        has_results[std::string(set.unit.substr(0, set.unit.find('/')))] = true;
    for (const CatalogueEntry& entry : catalogue())
        for (const ParameterEvidence& row : evidence_of(entry)) {
            if (row.evidence != Evidence::silicon || has_results[entry.architecture]) continue;
            EXPECT_TRUE(names_other_results(row.source)) << entry.name << " " << row.parameter << ": " << row.source;
        }
}

/// A result that one value explains and others do not, for those who have no data.
TEST(Evidence, OneResultOfAnMi300xRefutesAnEarlierReading) {
    const Folder folder;
    std::string line = R"({"a":["5a","08")";
    for (int i = 2; i < 32; ++i) line += R"(,"00")";
    line += R"(],"b":["40","40")";
    for (int i = 2; i < 32; ++i) line += R"(,"00")";
    line += R"(],"c":"4bfffffc","d":"4c000000"})";
    const std::string file = folder.file(
        "notebook.jsonl",
        "{\"discern\":1,\"a\":\"e4m3fnuz\",\"b\":\"e4m3fnuz\",\"c\":\"f32\",\"d\":\"f32\",\"K\":32}\n" + line + "\n");
    const std::string unit = "cdna3/v_mfma_f32_16x16x32_fp8_fp8";
    EXPECT_EQ(compare(unit, file), Answer::agrees);
    EXPECT_EQ(compare(unit + "{catalogue=paper}", file), Answer::differs);
}

} // namespace
} // namespace discern::testing
