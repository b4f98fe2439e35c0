// The questions that the program has within, and what is made of answers.
#include "analysis/suite/questions.hpp"

#include "folder.hpp"
#include "models/catalogue.hpp"
#include "models/evaluate.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace discern::testing {
namespace {

using Answers = std::vector<std::optional<std::uint64_t>>;

const std::string folder_of_questions = std::string(DISCERN_TEST_DATA) + "/../../generated/questions/";

TEST(Questions, AreTheFilesOfTheRepository) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_of_questions))
        files += entry.path().extension() == ".jsonl" ? 1 : 0;
    EXPECT_EQ(question_files().size(), files);
    for (const QuestionFile& file : question_files())
        EXPECT_EQ(file.text, read_file(folder_of_questions + std::string(file.point) + ".jsonl")) << file.point;
}

// A point of the table that has changed since the files were written would be asked about vectors of other readings.
TEST(Questions, AreAboutTheReadingsOfTheTable) {
    for (const QuestionFile& file : question_files()) {
        const auto points = open_points();
        const auto point = std::ranges::find(points, file.point, &OpenPoint::name);
        ASSERT_NE(point, points.end()) << file.point << " is a file, and no point";
        std::istringstream text{std::string(file.text)};
        std::string line;
        std::getline(text, line);
        const auto header = nlohmann::json::parse(line);
        EXPECT_EQ(header["unit"], std::string(point->unit));
        ASSERT_EQ(header["readings"].size(), point->readings.size()) << file.point;
        for (std::size_t i = 0; i < point->readings.size(); ++i)
            EXPECT_EQ(header["readings"][i]["unit"], unit_text(*point, i)) << file.point;
    }
}

// The other evaluator plays the unit: each reading in turn is the truth.
TEST(Questions, EachReadingIsFoundWhereItIsTheTruth) {
    for (const OpenPoint& point : open_points()) {
        const OpenQuestion question = question_of(point);
        for (std::size_t reading = 0; reading < point.readings.size(); ++reading) {
            Answers answers;
            for (const Vector& vector : question.vectors)
                answers.emplace_back(evaluate_exactly(question.readings[reading], vector.inputs()));
            const Judgement judgement = judge(question, answers);
            EXPECT_EQ(judgement.state, question.vectors.empty() ? State::no_vector : State::settled)
                << point.name << " " << reading;
            EXPECT_TRUE(std::ranges::count(judgement.fitting, reading)) << point.name << " " << reading;
        }
    }
}

// Where there is no file, the page says that the readings were proved the same.
TEST(Questions, WithoutVectorsAreProvedToBeNone) {
    const std::string page = read_file(folder_of_questions + "README.md");
    for (const OpenPoint& point : open_points()) {
        if (!question_of(point).vectors.empty()) continue;
        std::string proved = "\nProved: no vector tells the readings";
        for (std::size_t i = 1; i <= point.readings.size(); ++i) proved += " " + std::to_string(i);
        const auto begin = page.find("## " + std::string(point.name) + "\n");
        ASSERT_NE(begin, std::string::npos) << point.name;
        const std::string section = page.substr(begin, page.find("\n## ", begin) - begin);
        EXPECT_NE(section.find(proved + " apart.\n"), std::string::npos) << point.name;
    }
}

/// Of three readings and two vectors, with these results.
OpenQuestion question_with(const std::vector<std::vector<std::uint64_t>>& results, const std::string& nan) {
    OpenQuestion question;
    question.point = &open_points().front();
    question.vectors.resize(2);
    question.results = results;
    for (std::size_t i = 0; i < results.size(); ++i)
        question.readings.push_back(resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32" + nan));
    return question;
}

TEST(Judge, ReadingsThatFitAreLeftWhereAnswersAreMissing) {
    using Readings = std::vector<std::size_t>;
    const OpenQuestion question = question_with({{1, 5}, {1, 6}, {2, 6}}, "");
    const Judgement nothing = judge(question, Answers(2));
    EXPECT_EQ(nothing.state, State::unasked);
    EXPECT_EQ(nothing.fitting, (Readings{0, 1, 2}));
    const Judgement half = judge(question, Answers{1, std::nullopt});
    EXPECT_EQ(half.state, State::open);
    EXPECT_EQ(half.fitting, (Readings{0, 1}));
    EXPECT_EQ(half.refuted_by[2], 0U);
    EXPECT_EQ(half.refuted_by[0], std::nullopt);
    const Judgement alone = judge(question, Answers{std::nullopt, 5});
    EXPECT_EQ(alone.state, State::settled);
    EXPECT_EQ(alone.fitting, Readings{0});
    EXPECT_EQ(alone.refuted_by[2], 1U);
    EXPECT_EQ(judge(question, Answers{2, 5}).state, State::none);
    EXPECT_EQ(judge(question, Answers{3, std::nullopt}).state, State::none);
    // Two that no vector tells apart are settled together.
    const Judgement together = judge(question_with({{1, 5}, {1, 5}, {2, 6}}, ""), Answers{1, 5});
    EXPECT_EQ(together.state, State::settled);
    EXPECT_EQ(together.fitting, (Readings{0, 1}));
}

TEST(Judge, AnyNanIsAnotherWhereTheReadingLeavesItOpen) {
    const std::vector<std::vector<std::uint64_t>> results = {{0x7fc00000, 5}, {0x7fc00000, 6}};
    EXPECT_EQ(judge(question_with(results, "{nan=any}"), Answers{0xffc00001, 5}).state, State::settled);
    EXPECT_EQ(judge(question_with(results, "{nan=7fc00000}"), Answers{0xffc00001, 5}).state, State::none);
}

} // namespace
} // namespace discern::testing
