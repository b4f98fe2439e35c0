// Answers that are kept: found again, replayed, refused where they are wrong.
#include "analysis/store/store.hpp"

#include "analysis/store/database.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/members.hpp"
#include "solver/decide/discriminate.hpp"

#include "temporary_store.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

using namespace discern;

namespace {

Question question_about(const std::string& first, const std::string& second) {
    return {resolve_unit(first), resolve_unit(second), {}};
}

std::string complaint_of_store(const std::string& file, bool must_exist = false) {
    try {
        Store store(file, must_exist);
        store.find(question_about(volta, volta + "{F=22}"));
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

} // namespace

// A store that an earlier version filled, or another program.
TEST(Store, ChallengesWhatItSaysIsTheSame) {
    if (!Store::available()) GTEST_SKIP() << "this build has no SQLite";
    const TemporaryStore file;
    Store store(file.path);
    const Question wrong = question_about(volta, volta + "{F=22}"), right = question_about(volta, volta + "{carry=3}");
    Answer proved;
    proved.verdict = Verdict::equivalent;
    proved.by = "terms";
    proved.ground = by_terms;
    for (const Question* question : {&wrong, &right}) store.keep(*question, proved);
    EXPECT_GT(store.find(right)->challenged, 1000u);
    const auto complaint = [](const auto& find) -> std::string {
        try {
            find();
        } catch (const Error& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_NE(complaint([&] { store.find(wrong); }).find("they differ on {\"a\":["), std::string::npos)
        << complaint([&] { store.find(wrong); });
    const std::vector<Unit> units = {right.first, right.second, wrong.second};
    store.keep(each_of(std::span(units).first(2)), {}, {{{0, 1}}, {by_terms}, {}, 1, {"terms"}});
    store.keep(each_of(units), {}, {{{0, 1, 2}}, {by_terms}, {}, 1, {"terms"}});
    EXPECT_GT(store.find(each_of(std::span(units).first(2)), {})->challenged, 1000u);
    const std::string of_cell = complaint([&] { store.find(each_of(units), {}); });
    EXPECT_NE(of_cell.find("units of one class differ on {\"a\":["), std::string::npos) << of_cell;
    EXPECT_NE(of_cell.find("remove the store"), std::string::npos) << of_cell;
}

TEST(Store, KeepsAnswersAndReplaysWitnesses) {
    if (!Store::available()) GTEST_SKIP() << "this build has no SQLite";
    const TemporaryStore file;
    const Question different = question_about(volta, volta + "{F=22}"),
                   equal = question_about(volta, volta + "{carry=3}");
    const Answer answer = discriminate(different.first, different.second, {});
    ASSERT_EQ(answer.verdict, Verdict::different);
    {
        Store store(file.path);
        EXPECT_FALSE(store.find(different));
        store.keep(different, answer);
        Answer proved;
        proved.verdict = Verdict::equivalent;
        proved.by = "sat";
        store.keep(equal, proved);
        store.keep(question_about(volta, volta + "{F=21}"), Answer{}); // unknown: no answer
        EXPECT_EQ(store.size(), 2U);
    }
    Store store(file.path, true);
    Store same(file.path); // two runs at once
    ASSERT_TRUE(store.find(different));
    EXPECT_EQ(same.find(different)->witnesses.front().a, answer.witnesses.front().a);
    EXPECT_EQ(store.find(equal)->verdict, Verdict::equivalent);
    EXPECT_EQ(store.find(equal)->by, "sat");
    const Question turned{different.second, different.first, {}};
    ASSERT_TRUE(store.find(turned));
    EXPECT_EQ(store.find(turned)->witnesses.front().d[0], answer.witnesses.front().d[1]);
    Question limited = different;
    limited.limits.finite = true;
    EXPECT_FALSE(store.find(limited)); // another question
}

TEST(Store, JointAnswers) {
    if (!Store::available()) GTEST_SKIP() << "this build has no SQLite";
    const TemporaryStore file;
    Store store(file.path);
    JointQuestion question;
    for (const char* F : {"{F=22}", "{F=23}"}) question.units.push_back(resolve_unit(volta + F));
    EXPECT_FALSE(store.find(question, 1));
    store.keep(question, JointAnswer{}, 5);
    EXPECT_EQ(store.find(question, 5)->outcome, Outcome::unknown);
    EXPECT_FALSE(store.find(question, 6)); // there is more time now
    Vector v;
    v.a = v.b = {0x3c00, 0, 0, 0};
    v.c = 0;
    store.keep(question, {Outcome::sat, {v, v}}, 5);
    ASSERT_EQ(store.find(question, 60)->vectors.size(), 2U);
    EXPECT_EQ(store.find(question, 60)->vectors.back().a, v.a);
}

TEST(Store, SentencesForWhatIsWrong) {
    if (!Store::available()) {
        EXPECT_NE(complaint_of_store("any").find("has no SQLite"), std::string::npos);
        return;
    }
    const TemporaryStore file;
    const std::string path = file.path;
    EXPECT_NE(complaint_of_store(path, true).find("does not exist, so there is nothing to resume"), std::string::npos);
    std::ofstream(path) << std::string(5000, 'x');
    EXPECT_NE(complaint_of_store(path).find("is another kind of file"), std::string::npos) << complaint_of_store(path);
    std::filesystem::remove(path);
    EXPECT_NE(complaint_of_store("/does/not/exist/store").find("cannot be opened"), std::string::npos);
    { // a witness that is none
        Store store(path);
        Answer wrong;
        wrong.verdict = Verdict::different;
        Vector zeros;
        zeros.a = zeros.b = {0, 0, 0, 0};
        zeros.c = 0;
        wrong.witnesses = {zeros};
        store.keep(question_about(volta, volta + "{F=22}"), wrong);
    }
    EXPECT_NE(complaint_of_store(path).find("its witness does not tell them apart"), std::string::npos)
        << complaint_of_store(path);
    { // damaged in the middle
        Store store(path);
        Answer proved;
        proved.verdict = Verdict::equivalent;
        for (int F = 0; F < 60; ++F) store.keep(question_about(volta, volta + "{F=" + std::to_string(F) + "}"), proved);
    }
    const auto size = std::filesystem::file_size(path);
    ASSERT_GT(size, 4096U);
    std::fstream damaged(path, std::ios::in | std::ios::out | std::ios::binary);
    damaged.seekp(4096);
    damaged << std::string(size - 4096, '\xa5');
    damaged.close();
    EXPECT_NE(complaint_of_store(path).find("is damaged"), std::string::npos) << complaint_of_store(path);
}

TEST(Store, TwoRunsMakeTheSameFileAtOnce) {
    if (!Store::available()) GTEST_SKIP() << "this build has no SQLite";
    for (int round = 0; round < 30; ++round) {
        const TemporaryStore file;
        std::vector<std::string> said(4);
        std::vector<std::thread> runs;
        for (std::string& sentence : said)
            runs.emplace_back([&] {
                try {
                    EXPECT_EQ(Store(file.path).size(), 0U);
                } catch (const Error& error) {
                    sentence = error.what();
                }
            });
        for (std::thread& run : runs) run.join();
        for (const std::string& sentence : said) EXPECT_EQ(sentence, "");
    }
}
