// `discern tell`: what targets tell about open points, and the file that is sent in.
#include "analysis/suite/questions.hpp"
#include "cli/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace discern::testing::tell_test {
namespace {

using nlohmann::json;

const std::string hopper = "hopper/wgmma.m64n8k16.f32.bf16.bf16", floor_point = "floor-hopper-bf16";

/// With a report in the folder.
Outcome tell(const Folder& folder, std::vector<std::string> words) {
    words.insert(words.begin(), "tell");
    words.insert(words.end(), {"--report", folder.path("report.jsonl")});
    return discern(words);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Tell, AModelOfEachReadingSettlesThatReading) {
    const Folder folder;
    for (const OpenPoint& point : open_points())
        for (std::size_t i = 0; i < point.readings.size(); ++i) {
            const std::string unit = unit_text(point, i);
            const Outcome outcome = tell(folder, {"model:" + unit, "--point", std::string(point.name), "--json"});
            ASSERT_EQ(outcome.status, 0) << unit << outcome.err;
            const json answer = json::parse(outcome.out);
            ASSERT_EQ(answer["questions"].size(), 1U);
            const json& question = answer["questions"][0];
            EXPECT_TRUE(question["state"] == "settled" || question["state"] == "no vector") << unit;
            const std::vector<std::size_t> fits = question["fits"];
            EXPECT_TRUE(std::find(fits.begin(), fits.end(), i + 1) != fits.end()) << unit << " " << question["fits"];
            for (const json& vector : question["vectors"]) EXPECT_TRUE(vector["d"].is_string());
        }
}

TEST(Tell, SaysTheAnswersInWords) {
    const Folder folder;
    const Outcome outcome = tell(folder, {"model:" + hopper + "{floor=-134}", "--point", floor_point});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* const part :
         {"floor-hopper-bf16: floor of the largest exponent, of hopper/wgmma.m64n8k16.f32.bf16.bf16\n",
          "  5. -134  {floor=-134}\n", ", and not reading", "  settled: floor of the largest exponent: -134\n",
          "\n1 question: 1 settled; written to "})
        EXPECT_TRUE(has(outcome.out, part)) << part << outcome.out;
}

TEST(Tell, ATargetThatMatchesNoReadingIsSaid) {
    const Folder folder;
    const Outcome outcome =
        tell(folder, {"exec:read h; while read v; do echo '{\"d\":\"12345678\"}'; done", "--point", floor_point});
    EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
    EXPECT_TRUE(has(outcome.out, "    12345678 is what no reading gives\n")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "  none of these readings gives all the answers: the unit is another one\n"));
    EXPECT_TRUE(has(outcome.out, "1 question: 0 settled, 1 fits none of the known readings;")) << outcome.out;
}

TEST(Tell, AUnitIsAskedWhatIsOpenAboutItAndNothingElse) {
    const Folder folder;
    const auto names = [&](const std::vector<std::string>& words) {
        std::vector<std::string> asked = words;
        asked.emplace_back("--json");
        const Outcome outcome = tell(folder, asked);
        EXPECT_TRUE(outcome.err.empty()) << outcome.err;
        std::vector<std::string> all;
        const json answer = json::parse(outcome.out);
        for (const json& question : answer["questions"]) all.push_back(question["name"]);
        return all;
    };
    const std::vector<std::string> both = {floor_point, "zero-hopper-bf16"};
    EXPECT_EQ(names({"model:" + hopper}), both);
    EXPECT_EQ(names({"model:" + hopper + "{F=20}"}), both);
    // The same arithmetic by another name, and by what the user says of a program.
    EXPECT_EQ(names({"model:hopper/mma.m16n8k16.f32.bf16.bf16.f32"}), both);
    EXPECT_EQ(names({"exec:'" + std::string(DISCERN_EXEC_TARGET) + "' " + hopper, "--about", hopper}), both);
    // Nothing is known of a whole line: all questions of its shape.
    const auto of_shape = names({"model:bf16*bf16+f32->f32 K=16 : round[f32 rne](fuse[exact](p*, c))"});
    EXPECT_TRUE(std::find(of_shape.begin(), of_shape.end(), "floor-ampere-bf16") != of_shape.end());
    EXPECT_EQ(names({"model:x86/fma.f32"}), std::vector<std::string>{});
    EXPECT_EQ(discern({"questions", "model:x86/fma.f32"}).out, "no question is open about model:x86/fma.f32\n");
}

/// The report's lines.
std::vector<json> report_in(const Folder& folder) {
    std::vector<json> all;
    for (const std::string& line : lines(read_file(folder.path("report.jsonl")))) all.push_back(json::parse(line));
    return all;
}

TEST(Tell, TheReportHasAllThatIsNeededToJudgeAgain) {
    const Folder folder;
    const std::string target = "model:" + hopper + "{floor=-132}";
    ASSERT_EQ(tell(folder, {target}).status, 0);
    const std::vector<json> report = report_in(folder);
    ASSERT_EQ(report.size(), 4U);
    EXPECT_EQ(report[0]["report"], "discern tell");
    EXPECT_EQ(report[0]["target"], target);
    EXPECT_FALSE(report[0]["version"].get<std::string>().empty());
    EXPECT_EQ(report[1]["header"]["target"], target);
    EXPECT_EQ(report[1]["header"]["date"].get<std::string>().size(), 20U); // 2026-01-31T12:34:56Z
    // Header and vectors are a file of observations, which any command reads.
    std::string observed = report[1]["header"].dump() + "\n";
    for (const json& vector : report[1]["vectors"]) observed += vector.dump() + "\n";
    const std::string file = folder.file("observed.jsonl", observed);
    const Outcome again = tell(folder, {"replay:" + file, "--point", floor_point});
    EXPECT_EQ(again.status, 0) << again.out << again.err;
    EXPECT_TRUE(has(again.out, "  settled: floor of the largest exponent: -132, as on Ampere\n")) << again.out;
    EXPECT_EQ(last_line(discern({"eval", hopper + "{floor=-132}", file, "--check"}).out),
              "checked " + std::to_string(report[1]["vectors"].size()) + ", mismatches 0");
}

// A unit with F = 20 may give the answers of some reading by chance.
TEST(Tell, AControlShowsThatTheUnitIsAnotherOne) {
    const Folder folder;
    const auto control = [&](const std::string& target) {
        const Outcome outcome = tell(folder, {target, "--point", floor_point});
        EXPECT_EQ(outcome.err, "");
        const json last = report_in(folder).back();
        EXPECT_TRUE(has(outcome.out, "\ncontrol: "));
        return last["control"];
    };
    const json right = control("model:" + hopper + "{floor=-132}"), wrong = control("model:" + hopper + "{F=20}");
    EXPECT_EQ(right["checked"], 200);
    EXPECT_EQ(right["mismatches"], 0);
    EXPECT_EQ(right["unit"], hopper);
    EXPECT_GT(wrong["mismatches"], 100);
    EXPECT_TRUE(has(tell(folder, {"model:" + hopper + "{F=20}"}).out, " of them not as " + hopper + " gives them"));
}

OpenQuestion question_about_the_floor() {
    const auto points = open_points();
    return question_of(*std::ranges::find(points, floor_point, &OpenPoint::name));
}

/// "reading 1", "readings 1, 2 and 4"
std::string numbered(const std::vector<std::size_t>& readings) {
    std::string text = readings.size() == 1 ? "reading " : "readings ";
    for (std::size_t i = 0; i < readings.size(); ++i)
        text += std::string(i == 0 ? "" : i + 1 == readings.size() ? " and " : ", ") + std::to_string(readings[i] + 1);
    return text;
}

TEST(Tell, WhatIsNotAnsweredStaysOpen) {
    const Folder folder;
    const OpenQuestion question = question_about_the_floor();
    Vector last = question.vectors.back();
    last.d = {question.results[0].back()};
    std::vector<std::size_t> left, others;
    for (std::size_t i = 0; i < question.readings.size(); ++i)
        (question.results[i].back() == last.d[0] ? left : others).push_back(i);
    const std::string recorded =
        folder.file("seen.jsonl", R"({"discern":1,"unit":")" + hopper + "\"}\n" + to_json(question.shape, last) + "\n");
    const Outcome outcome = tell(folder, {"replay:" + recorded, "--about", hopper});
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "    not answered: the vector is not in " + recorded)) << outcome.out;
    EXPECT_TRUE(has(outcome.out, " is what " + numbered(left))) << outcome.out;
    EXPECT_TRUE(has(outcome.out, ", and not " + numbered(others) + "\n")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "  open: what is left is " + numbered(left) + "\n")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "\n2 questions: 0 settled, 2 open;")) << outcome.out;
    EXPECT_FALSE(has(outcome.out, "control")) << outcome.out; // a recording has no answers to other vectors
}

/// A program that answers the first vector as the reading "none" does, and reads another.
std::string one_answer() {
    const OpenQuestion question = question_about_the_floor();
    char d[9];
    std::snprintf(d, sizeof d, "%08x", static_cast<unsigned>(question.results[2][0]));
    return std::string("exec:read h; read v; echo '{\"d\":\"") + d + "\"}'; read v; ";
}

/// What that answer leaves.
void expect_one_answer(const json& question) {
    const OpenQuestion asked = question_about_the_floor();
    std::vector<std::optional<std::uint64_t>> answers(asked.vectors.size());
    answers[0] = asked.results[2][0];
    const Judgement judgement = judge(asked, answers);
    EXPECT_EQ(question["state"], name(judgement.state));
    EXPECT_NE(question["state"], "unasked");
    EXPECT_EQ(question["fits"].size(), judgement.fitting.size());
    EXPECT_TRUE(question["vectors"][0].contains("d"));
    EXPECT_FALSE(question["vectors"][1].contains("d"));
    EXPECT_TRUE(question["header"].contains("date"));
}

TEST(Tell, AnInterruptedRunKeepsWhatIsKnown) {
    const Folder folder;
    const Outcome slow = tell(folder, {one_answer() + "sleep 120", "--about", hopper, "--timeout", "1.5"});
    EXPECT_EQ(slow.status, 3) << slow.out;
    EXPECT_TRUE(has(slow.err, "discern: the time is over; what was answered is kept\n")) << slow.err;
    const std::vector<json> report = report_in(folder);
    ASSERT_EQ(report.size(), 3U);
    expect_one_answer(report[1]);
    EXPECT_EQ(report[2]["state"], "unasked");
}

TEST(Tell, ATargetThatFailsKeepsWhatIsKnown) {
    const Folder folder;
    const Outcome outcome = tell(folder, {one_answer(), "--point", floor_point});
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_TRUE(outcome.err.starts_with("discern: tell: what was answered is kept, but ")) << outcome.err;
    expect_one_answer(report_in(folder).at(1));
}

TEST(Tell, WrongInputIsOneSentence) {
    const Folder folder;
    const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
        {{"exec:cat"},
         "tell: it is not known what exec:cat computes; --about UNIT, --point NAME, or --formats and --K say"},
        {{"model:" + hopper, "--point", "floor-hoper"},
         "tell: there is no question 'floor-hoper' (did you mean floor-hopper-"},
        {{"model:" + hopper, "--about", "x86/fma.f32"},
         "computes bf16*bf16+f32->f32 K=16, and x86/fma.f32 is f32*f32+f32->f32"},
        {{"model:x86/fma.f32", "--about", "x86/fma.f32"}, "tell: no question is open about x86/fma.f32; "},
        {{"model:" + hopper, "--point", floor_point, "--point", "nan-cdna1-f16"},
         "not every question of --point is about that"},
        {{"replay:/nowhere.jsonl"}, "/nowhere.jsonl cannot be read"},
        {{"nothing"}, "there is no target 'nothing'"},
        {{}, "TARGET"},
    };
    for (const auto& [words, sentence] : wrong) {
        const Outcome outcome = tell(folder, words);
        EXPECT_EQ(outcome.status, 2) << sentence;
        EXPECT_TRUE(has(outcome.err, sentence)) << outcome.err;
        EXPECT_EQ(lines(outcome.err).size(), 1U) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
}

} // namespace
} // namespace discern::testing::tell_test
