// The first phase of a suite from a store, whole and cut short, is the one that is found without it; what a store has
// that is not so is an Error.
#include "analysis/suite/first_phase.hpp"

#include "analysis/store/database.hpp"
#include "analysis/store/temporary_store.hpp"
#include "analysis/suite/shard.hpp"
#include "models/error.hpp"
#include "models/random.hpp"
#include "models/runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace discern::testing {
namespace {

// An exact sum has no register, so some of its combinations are no units; and it has no mode of alignment, so that
// several are one tree.
const std::string text =
    "volta/mma.m8n8k4.f32.f16.f16.f32{F={exact|20..24},align={rz|rne},floor={none|-200|-133},carry={2|wide}}";

Asked asked() {
    Asked asked;
    asked.spaces = {Space::parse(text), Space::parse("cdna1/v_mfma_f32_4x4x4f16{F={22..24},round={f32:rz|f32:rne}}")};
    return asked;
}

std::string text_of(const FirstPhase& phase) {
    std::string all;
    for (std::size_t g = 0; g < phase.groups.size(); ++g) {
        const UnitsOfShape& group = phase.groups[g];
        for (std::size_t i = 0; i < group.units.size(); ++i)
            all += group.units.text(i) + " " + std::to_string(group.tree_of[i]) + "\n";
        all += runs_text(phase.cells[g].cells) + "\n";
        for (const Vector& v : phase.cells[g].pool) all += to_json(group.shape, v) + "\n";
        for (const bool any : phase.cells[g].any) all += any ? "a" : "-";
    }
    return all;
}

FirstPhase phase_with(Store* store, Store* from = nullptr) {
    SuiteOptions options;
    options.store = store;
    options.cells_from = from;
    return first_phase(asked(), options, Limit::after(600, {}));
}

struct FirstPhases : ::testing::Test {
    TemporaryStore file;
    void SetUp() override {
        if (!Store::available()) GTEST_SKIP() << "this build has no SQLite";
    }
};

TEST_F(FirstPhases, AreTheSameFromAStore) {
    const FirstPhase alone = phase_with(nullptr);
    EXPECT_LT(alone.units, 6U * 2 * 3 * 2 + 6);
    EXPECT_LT(alone.cells[0].cells.size(), alone.groups[0].first.size());
    EXPECT_LT(alone.groups[0].first.size(), alone.groups[0].units.size());
    {
        Store store(file.path);
        EXPECT_FALSE(phase_with(&store).found);
        const FirstPhase again = phase_with(&store);
        EXPECT_TRUE(again.found);
        EXPECT_EQ(text_of(again), text_of(alone));
    }
    Store from = Store::reading(file.path);
    EXPECT_TRUE(from.is_only_read());
    const FirstPhase read = phase_with(nullptr, &from);
    EXPECT_TRUE(read.found);
    EXPECT_EQ(text_of(read), text_of(alone));
    SuiteOptions options;
    options.store = &from;
    require_as_said(read, options);
    options.solving.seed = 5; // another question
    EXPECT_FALSE(first_phase(asked(), options, Limit::after(600, {})).found);
}

TEST_F(FirstPhases, AreTheSameFromAnyMomentAtWhichTheyWereCutShort) {
    const Space space = Space::parse(text);
    std::vector<Unit> units;
    for (Member& member : members({&space, 1})) units.push_back(std::move(member.unit));
    PartitionOptions options;
    const FirstCells whole = first_cells(listed(units), options);
    ASSERT_TRUE(whole.complete);
    std::size_t moments = 0;
    for (const std::uint64_t moment : {16U, 48U, 112U, 200U}) { // as batches end
        FirstCells some;
        std::stop_source stop;
        PartitionOptions cut;
        cut.cells.limit = Limit::after(600, stop.get_token());
        cut.progress = [&, batches = std::uint64_t{0}](const std::string&) mutable {
            if ((batches += batches == 0 ? 16 : batches + 16) > moment) stop.request_stop();
        };
        cut.keep_first = [&](const FirstCells& known) { some = known; };
        const FirstCells short_one = first_cells(listed(units), cut);
        if (!short_one.interrupted) continue;
        ++moments;
        EXPECT_FALSE(some.complete);
        some.interrupted = false;
        const FirstCells rest = first_cells(listed(units), options, some);
        EXPECT_EQ(rest.cells, whole.cells);
        EXPECT_EQ(rest.made, whole.made);
        ASSERT_EQ(rest.pool.size(), whole.pool.size());
        for (std::size_t i = 0; i < rest.pool.size(); ++i) EXPECT_EQ(rest.pool[i].a, whole.pool[i].a);
    }
    EXPECT_GT(moments, 1U);
}

/// Changes a text in all rows, with a checksum that is right: as a mistake of a program would, not as a disk.
void change(const std::string& file, std::size_t part, const std::string& set) {
    const store::Database database(file, store::Database::Open::existing);
    database.run("UPDATE first_cells SET content = " + set + " WHERE part = " + std::to_string(part) +
                     "; UPDATE first_cells SET checksum = row_check('first_cells', request, limits, part, made, "
                     "complete, content)",
                 "written");
}

TEST_F(FirstPhases, ThatAreWrongAreRefused) {
    struct Change {
        std::size_t part;
        std::string set, said;
    };
    for (const Change& one : {
             Change{0, "replace(content, '0-', '1-')", "wrong first cells"},
             Change{0, "'x'", "lines are missing"},
             Change{0, "content || ' 100000000'", "damaged"},
             Change{0, "content || ';0'", "other trees than units"},
             Change{1, "substr(content, 1, 4)", "wrong first cells"},
             Change{1, "replace(content, '0-2;', '0-1 1;')", "a unit is in two cells"},
         }) {
        const TemporaryStore other;
        {
            Store store(other.path);
            phase_with(&store);
        }
        change(other.path, one.part, one.set);
        Store store(other.path);
        try {
            const FirstPhase phase = phase_with(&store);
            SuiteOptions options;
            options.store = &store;
            require_as_said(phase, options);
            FAIL() << one.set;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(one.said), std::string::npos) << error.what();
        }
    }
}

TEST_F(FirstPhases, CellsThatNoVectorTellsApartAreRefused) {
    Asked few;
    few.spaces = {Space::parse("volta/mma.m8n8k4.f32.f16.f16.f32{floor={none|-200|-201},F={22|23}}")};
    SuiteOptions options;
    Store store(file.path);
    options.store = &store;
    const std::vector<Suite> right = make_suites(few, options);
    EXPECT_EQ(right.front().classes.size(), 2U);
    change(file.path, 1, "replace(content, '0 2 4;1 3 5', '0 2;1 3 5;4')");
    EXPECT_THROW(make_suites(few, options), Error);
    change(file.path, 1, "replace(content, '0 2;1 3 5;4', '0-5')"); // which only costs questions
    EXPECT_EQ(make_suites(few, options).front().classes, right.front().classes);
}

TEST(Shares, AreAllOfTheWorkAndAboutEqual) {
    Random random(66);
    for (int i = 0; i < 200; ++i) {
        std::vector<std::size_t> weights(static_cast<std::size_t>(random.below(60)));
        for (std::size_t& weight : weights) weight = static_cast<std::size_t>(random.below(i % 2 == 0 ? 1000 : 5)) + 1;
        const auto count = static_cast<std::size_t>(random.below(12)) + 1;
        std::multiset<std::size_t> all;
        const std::size_t total = std::accumulate(weights.begin(), weights.end(), std::size_t{0});
        const std::size_t heaviest = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
        for (std::size_t index = 1; index <= count; ++index) {
            const std::vector<std::size_t> mine = share({index, count}, weights);
            all.insert(mine.begin(), mine.end());
            std::size_t load = 0;
            for (const std::size_t piece : mine) load += weights[piece];
            EXPECT_LE(load, total / count + heaviest); // Graham's bound of any list
            EXPECT_LE(3 * load, 4 * std::max(total / count + 1, heaviest) + 3 * heaviest);
        }
        std::vector<std::size_t> each(weights.size());
        std::iota(each.begin(), each.end(), std::size_t{0});
        EXPECT_TRUE(std::equal(all.begin(), all.end(), each.begin(), each.end()));
    }
}

TEST(Runs, AreReadAsTheyWereWritten) {
    Random random(1);
    for (int i = 0; i < 200; ++i) {
        std::vector<std::vector<std::size_t>> lists(static_cast<std::size_t>(random.below(5)));
        for (auto& list : lists) {
            list.resize(static_cast<std::size_t>(random.below(9)) + (lists.size() == 1 ? 1 : 0));
            for (std::size_t at = 0; at < list.size(); ++at)
                list[at] = at > 0 && random.one_in(2) ? list[at - 1] + 1 : static_cast<std::size_t>(random.below(50));
        }
        EXPECT_EQ(runs_from(runs_text(lists), 100), lists) << runs_text(lists);
    }
    EXPECT_EQ(runs_text(std::vector<std::vector<std::size_t>>{{0, 1, 2, 9}, {}, {7}}), "0-2 9;;7");
    for (const char* wrong : {" ", "1 ;2", "1; 2", " 1", "1 ", "1  2", "1-", "-1", "3-1", "1--2", "x", "101",
                              "0-1000000000000", "1,2", "18446744073709551616", "0-100 0-100"})
        EXPECT_THROW(runs_from(wrong, 100), Error) << wrong;
}

} // namespace
} // namespace discern::testing
