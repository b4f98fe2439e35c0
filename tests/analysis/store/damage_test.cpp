// A store in which a bit has changed: no answer is another one for it. And stores of versions in which that is not
// noticed.
#include "analysis/store/database.hpp"
#include "analysis/store/merge.hpp"
#include "analysis/store/store.hpp"
#include "analysis/store/text.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "solver/decide/discriminate.hpp"

#include "sweep.hpp"
#include "temporary_store.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace discern;

namespace {

/// What a small store is asked, and what is right.
struct Asked {
    std::vector<Unit> units;
    std::vector<const Unit*> cell;
    Question same, apart;
    JointQuestion joint;
    InputLimits limits;
    Vector telling;

    Asked() {
        for (const char* variant : {"", "{carry=3}", "{F=22}"}) units.push_back(resolve_unit(volta + variant));
        for (const Unit& unit : units) cell.push_back(&unit);
        limits.ranges = parse_ranges("a:-10..5,b:-10..5,c:-10..5");
        same = {units[0], units[1], limits};
        apart = {units[0], resolve_unit(volta + "{F=21}"), {}};
        telling = discriminate(apart.first, apart.second, {}).witnesses.front();
        joint.units = {apart.first, apart.second};
    }
    void keep(const std::string& file) const {
        Store store(file);
        Answer answer;
        answer.verdict = Verdict::equivalent;
        answer.by = "sat";
        answer.ground = by_a_solver;
        store.keep(same, answer);
        answer.verdict = Verdict::different;
        answer.witnesses = {telling};
        store.keep(apart, answer);
        store.keep(cell, {}, {{{0, 1}, {2}}, {by_a_solver, {}}, {vector_of_cell()}, 3, {"sat", "terms"}});
        store.keep(joint, {Outcome::sat, {telling}}, 5);
    }
    Vector vector_of_cell() const { return discriminate(units[0], units[2], {}).witnesses.front(); }

    /// What the store says, and "" for each question that it does not know.
    std::vector<std::string> said(Store& store) const {
        std::vector<std::string> all;
        const auto answer = [&](const Question& question) {
            const auto found = store.find(question);
            all.push_back(!found ? ""
                                 : std::string(name(found->verdict)) + found->by + text_of(found->ground) +
                                       store::vectors_text(units[0], found->witnesses));
        };
        answer(same);
        answer(apart);
        const auto found = store.find(cell, {});
        std::string text;
        if (found) {
            text = store::lists_text(found->classes) + store::vectors_text(units[0], found->vectors);
            for (const std::string& by : found->by) text += by;
            for (const Ground& ground : found->grounds) text += text_of(ground) + ";";
        }
        all.push_back(text);
        const auto together = store.find(joint, 5);
        all.push_back(together ? std::string(name(together->outcome)) + store::vectors_text(units[0], together->vectors)
                               : "");
        return all;
    }
};

std::string content(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

void write(const TemporaryStore& store, const std::string& bytes) {
    store.remove();
    std::ofstream(store.path, std::ios::binary) << bytes;
}

/// The error as one line, or what `work` gives.
template <class Work>
std::string complaint_of(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
        return error.what();
    }
    return "";
}

struct Damage : testing::Test {
    void SetUp() override {
        if (!Store::available()) GTEST_SKIP() << "this build has no SQLite";
    }
};

TEST_F(Damage, NoFlippedBitGivesAnotherAnswer) {
    const Asked asked;
    const TemporaryStore good("good"), bad("bad");
    asked.keep(good.path);
    const std::string bytes = content(good.path);
    std::vector<std::string> right;
    {
        Store store(good.path);
        right = asked.said(store);
    }
    for (const std::string& one : right) ASSERT_NE(one, "");
    // A bit of each sixteenth byte that is written, and some of what is empty; in a sweep two of each byte.
    const std::size_t step = tests::sweep(0) > 0 ? 4 : 127;
    std::size_t tried = 0, refused = 0;
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        const std::size_t at = bit / 8;
        if (bytes[at] == 0 ? bit % 1597 != 0 : (bit + at) % step != 0) continue;
        std::string flipped = bytes;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit % 8));
        write(bad, flipped);
        ++tried;
        std::vector<std::string> said;
        if (!complaint_of([&] {
                 Store store(bad.path);
                 said = asked.said(store);
             }).empty()) {
            ++refused;
            continue;
        }
        for (std::size_t i = 0; i < right.size(); ++i)
            ASSERT_TRUE(said[i].empty() || said[i] == right[i]) << "byte " << at << ": " << said[i];
    }
    EXPECT_GT(tried, 200U);
    EXPECT_GT(refused, tried / 4);
}

// Wherever the limits are written: in the row, and in the index that leads to it.
TEST_F(Damage, AnAnswerForOtherLimitsIsNotFoundByAFlippedBit) {
    Asked asked;
    const TemporaryStore good("good"), bad("bad");
    {
        Store store(good.path);
        store.keep(asked.cell, asked.limits, {{{0, 1, 2}}, {by_a_solver}, {}, 3, {"sat"}}); // as if it was so
        Answer answer;
        answer.verdict = Verdict::equivalent;
        store.keep({asked.units[0], asked.units[2], asked.limits}, answer);
    }
    const std::string bytes = content(good.path), text = store::limits_text(asked.limits);
    std::size_t places = 0, others = 0;
    for (std::size_t place = bytes.find(text); place != std::string::npos; place = bytes.find(text, place + 1)) {
        ++places;
        for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
            std::string other = text, flipped = bytes;
            other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
            InputLimits limits;
            if (!complaint_of([&] { limits = store::limits_from(other); }).empty()) continue;
            if (store::limits_text(limits) != other) continue;
            ++others;
            flipped.replace(place, text.size(), other);
            write(bad, flipped);
            Store store(bad.path);
            const auto cell = [&] { EXPECT_FALSE(store.find(asked.cell, limits)) << other; };
            const auto pair = [&] { EXPECT_FALSE(store.find({asked.units[0], asked.units[2], limits})) << other; };
            for (const std::string& said : {complaint_of(cell), complaint_of(pair)})
                EXPECT_TRUE(said.empty() || said.find("is damaged") != std::string::npos) << said;
            // In the index alone it is the index that SQLite finds wrong.
            EXPECT_NE(check_store(bad.path, 0).wrong, std::vector<std::string>{});
        }
    }
    EXPECT_GE(places, 3U) << "two in rows, and one in an index";
    EXPECT_GT(others, 20U);
}

TEST_F(Damage, ADamagedRowIsNotMerged) {
    const Asked asked;
    const TemporaryStore good("good"), bad("bad"), out("out");
    asked.keep(good.path);
    std::string bytes = content(good.path);
    const std::size_t at = bytes.find("equivalentsat");
    ASSERT_NE(at, std::string::npos) << "the verdict, and by whom";
    // Not in a sample of bits: another name of who answered.
    bytes.replace(at + 10, 3, "cvc");
    write(bad, bytes);
    EXPECT_NE(complaint_of([&] { merge_stores(out.path, std::vector{bad.path}); }).find("is damaged"),
              std::string::npos);
    EXPECT_NE(complaint_of([&] { merge_stores(bad.path, std::vector{good.path}); }).find("is damaged"),
              std::string::npos);
    EXPECT_EQ(check_store(bad.path, 0).wrong.size(), 1U);
    EXPECT_EQ(check_store(good.path, 10).wrong, std::vector<std::string>{});
}

TEST_F(Damage, AnEqualityThatVectorsRefuteIsNotBelieved) {
    const TemporaryStore file;
    Store store(file.path);
    const Question question{resolve_unit(volta), resolve_unit(volta + "{F=20}"), {}};
    Answer wrong;
    wrong.verdict = Verdict::equivalent;
    store.keep(question, wrong);
    EXPECT_NE(complaint_of([&] { store.find(question); }).find("they differ on"), std::string::npos);
    const std::vector<const Unit*> cell = {&question.first, &question.second};
    store.keep(cell, {}, {{{0, 1}}, {by_a_solver}, {}, 1, {"sat"}});
    EXPECT_NE(complaint_of([&] { store.find(cell, {}); }).find("units of one class differ on"), std::string::npos);
}

// Of stores without checksums, what can be computed again is taken over.
TEST_F(Damage, EarlierVersionsAreRefusedAndMerged) {
    for (const int version : {1, 2, 3}) {
        const Asked asked;
        const TemporaryStore old("old"), fresh("fresh");
        asked.keep(old.path);
        const std::vector<const Unit*> split = {asked.cell[0], asked.cell[2]};
        Store(old.path).keep(split, {}, {{{0}, {1}}, {{}, {}}, {asked.vector_of_cell()}, 2, {}});
        std::string sql;
        for (const char* table : {"units", "answers", "joint", "cells"})
            sql += "ALTER TABLE " + std::string(table) + " DROP COLUMN checksum; ";
        if (version < 3) sql += "ALTER TABLE answers DROP COLUMN ground; ALTER TABLE cells DROP COLUMN grounds; ";
        if (version < 2) sql += "DROP TABLE units; DROP TABLE cells; ";
        store::Database(old.path, store::Database::Open::existing)
            .run(sql + "PRAGMA user_version=" + std::to_string(version), "written");
        const std::string before = content(old.path);
        const std::string said = complaint_of([&] { Store store(old.path); });
        EXPECT_NE(said.find("is of version " + std::to_string(version)), std::string::npos) << said;
        EXPECT_NE(said.find("discern store merge NEW FILE"), std::string::npos) << said;
        const MergeReport report = merge_stores(fresh.path, std::vector{old.path});
        EXPECT_EQ(report.contradictions, std::vector<std::string>{});
        EXPECT_EQ(content(old.path), before) << "it stays as it was";
        Store store(fresh.path);
        EXPECT_FALSE(store.find(asked.same)) << "it is proved again";
        EXPECT_FALSE(store.find(asked.cell, {}));
        EXPECT_FALSE(store.find(asked.joint, 5));
        EXPECT_EQ(store.find(asked.apart)->witnesses.front().a, asked.telling.a);
        EXPECT_EQ(store.find(split, {}).has_value(), version > 1);
        EXPECT_EQ(check_store(fresh.path, 10).wrong, std::vector<std::string>{});
    }
}

} // namespace
