// The questions that the program has within, and what is made of answers.
#include "analysis/suite/questions.hpp"

#include "folder.hpp"
#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/hex.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace discern::testing {
namespace {

using Answers = std::vector<std::optional<std::uint64_t>>;

const std::string folder_of_questions = std::string(DISCERN_TEST_DATA) + "/../../generated/questions/";

const OpenPoint& point_of(std::string_view name) {
    const auto points = open_points();
    return *std::ranges::find(points, name, &OpenPoint::name);
}

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

TEST(Judge, ReadingsThatFitAreLeftWhereAnswersAreMissing) {
    const OpenQuestion question = question_of(point_of("floor-hopper-bf16"));
    ASSERT_EQ(question.vectors.size(), 4U);
    const Judgement nothing = judge(question, Answers(4));
    EXPECT_EQ(nothing.state, State::unasked);
    EXPECT_EQ(nothing.fitting.size(), 6U);
    // The table of generated/questions: 00000001 on the last vector is what all but -132 and -126 give.
    const Judgement one = judge(question, Answers{std::nullopt, std::nullopt, std::nullopt, 1});
    EXPECT_EQ(one.state, State::open);
    EXPECT_EQ(one.fitting, (std::vector<std::size_t>{0, 1, 2, 4}));
    EXPECT_EQ(one.refuted_by[3], 3U);
    EXPECT_EQ(one.refuted_by[0], std::nullopt);
    // 80000006 on the second is given by the reading "none" alone.
    const Judgement alone = judge(question, Answers{std::nullopt, 0x80000006, std::nullopt, std::nullopt});
    EXPECT_EQ(alone.state, State::settled);
    EXPECT_EQ(alone.fitting, std::vector<std::size_t>{2});
    const Judgement other = judge(question, Answers{0x12345678, std::nullopt, std::nullopt, std::nullopt});
    EXPECT_EQ(other.state, State::none);
}

TEST(Judge, AnyNanIsAnotherWhereTheReadingLeavesItOpen) {
    const OpenPoint point{.name = "overflow-cdna3-bf16",
                          .point = "",
                          .unit = "cdna3/v_mfma_f32_32x32x8_bf16",
                          .readings = {{"{nan=any}", "any"}, {"{nan=7fc00000}", "one"}}};
    OpenQuestion question = question_of(point);
    ASSERT_EQ(question.vectors.size(), 1U); // an infinite c against an opposite overflow: NaN
    const Judgement judgement = judge(question, Answers{0xffc00001});
    EXPECT_EQ(judgement.fitting, std::vector<std::size_t>{0});
}

} // namespace
} // namespace discern::testing
