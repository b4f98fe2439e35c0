// Suites: classes, vectors, bounds, covers, and the store.
#include "analysis/suite/suite.hpp"

#include "analysis/suite/climb.hpp"
#include "analysis/suite/open_points.hpp"
#include "analysis/suite/partition.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/space.hpp"
#include "models/stimulus/probes/probes.hpp"
#include "solver/backend/backend.hpp"
#include "solver/decide/joint.hpp"
#include "solver/question/replay.hpp"

#include "analysis/store/temporary_store.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <map>

using namespace discern;

namespace {

std::vector<Member> units(const std::vector<std::string>& texts) {
    std::vector<Member> list;
    for (const std::string& text : texts) list.push_back({text, resolve_unit(text)});
    return list;
}

Suite suite_of(const std::vector<Member>& list, SuiteOptions options = {}) {
    const auto suites = make_suites(list, options);
    EXPECT_EQ(suites.size(), 1U);
    return suites.front();
}

} // namespace

// Of the units of a cell that wrong terms merge, each is challenged.
TEST(Suite, RefusesWrongTerms) {
    std::vector<Unit> list;
    for (const char* change : {"{carry=3}", "", "{F=22}", "{carry=4}"}) list.push_back(resolve_unit(volta + change));
    CellOptions options;
    options.reports = ::testing::TempDir();
    options.ask = [](std::size_t, std::span<const std::size_t>) { return Answer{}; };
    options.folded = [](const UnitList& some) { return FoldedTerms{std::vector<std::size_t>(some.size), "terms"}; };
    EXPECT_THROW(settled_cell(listed(list), {0, 1, 2, 3}, options), std::logic_error);
    const CellOutcome outcome = settled_cell(listed(list), {0, 1, 3}, options);
    EXPECT_EQ(outcome.classes, (std::vector<Cell>{{0, 1, 3}}));
    EXPECT_GT(outcome.challenged, 1000u);
}

namespace {

/// Whether the suite separates every two classes that it says are different, by evaluating the first unit of each.
void expect_separates(const Suite& suite) {
    for (const Vector& v : suite.vectors) ASSERT_EQ(v.d.size(), suite.classes.size());
    for (std::size_t c = 0; c < suite.classes.size(); ++c)
        for (const std::size_t at : suite.classes[c]) {
            const Unit& unit = suite.units[at].unit;
            const Evaluator evaluate(unit);
            for (const Vector& v : suite.vectors)
                EXPECT_TRUE(same_result(unit, evaluate(v.inputs()), v.d[c])) << suite.units[at].text;
        }
    for (std::size_t i = 0; i < suite.units.size(); ++i)
        for (std::size_t j = i + 1; j < suite.units.size(); ++j) {
            const bool separated = suite.class_of[i] != suite.class_of[j] &&
                                   suite.separating(suite.class_of[i], suite.class_of[j]).has_value();
            EXPECT_EQ(suite.relation(i, j) == Relation::different, separated)
                << suite.units[i].text << " " << suite.units[j].text;
        }
}

} // namespace

TEST(Suite, RelationsOfEveryKind) {
    if (backends().empty()) GTEST_SKIP() << "this build has no solver";
    const Suite suite =
        suite_of(units({volta, volta + "{F=23}", volta + "{carry=3}", volta + "{F=24}", volta + "{floor=-130}"}));
    EXPECT_EQ(suite.relation(0, 1), Relation::same_tree);
    EXPECT_EQ(suite.relation(0, 2), Relation::proved);
    EXPECT_EQ(suite.relation(0, 3), Relation::different);
    EXPECT_EQ(suite.relation(0, 4), Relation::proved);
    EXPECT_EQ(suite.classes, (std::vector<std::vector<std::size_t>>{{0, 1, 2, 4}, {3}}));
    EXPECT_EQ(suite.trees, 4U);
    EXPECT_EQ(suite.vectors.size(), 1U);
    EXPECT_EQ(suite.bound.vectors, 1U);
    EXPECT_TRUE(suite.settled());
    expect_separates(suite);
}

TEST(Suite, TheCatalogueIsSettled) {
    if (backends().empty()) GTEST_SKIP() << "this build has no solver";
    std::vector<Member> all; // of every second shape, or in a sweep of each
    std::map<std::string, std::size_t> shapes;
    for (const CatalogueEntry& entry : catalogue()) {
        const std::size_t shape = shapes.emplace(to_string(shape_of(entry.unit)), shapes.size()).first->second;
        if (tests::takes_part(shape, 2)) all.push_back({entry.name, entry.unit});
    }
    std::size_t units = 0;
    for (const Suite& suite : make_suites(all, {})) {
        units += suite.units.size();
        EXPECT_TRUE(suite.settled()) << to_string(suite.shape);
        EXPECT_LE(suite.vectors.size(), 12U) << to_string(suite.shape);
        expect_separates(suite);
    }
    EXPECT_EQ(units, all.size());
    EXPECT_GT(units, catalogue().size() / 4);
}

/// Products are at least 2^-2 and their exponents at most 4: F=6 or more truncates nothing; with a register that
/// wraps, a solver has to prove it.
const std::string short_sum = "e2m1*e2m1->f32 K=2 : round[f32 rne](fuse[F=8 carry=0](p*))";

TEST(Suite, WhatIsUnknownStaysApart) {
    SuiteOptions options;
    options.solving.solver = "random"; // which proves nothing
    const Suite suite =
        suite_of(units({short_sum, short_sum + " {F=7}", short_sum + " {F=6}", short_sum + " {F=4}"}), options);
    EXPECT_EQ(suite.classes.size(), 4U);
    EXPECT_EQ(suite.open, (std::vector<ClassPair>{{0, 1}, {0, 2}, {1, 2}}));
    EXPECT_EQ(suite.relation(0, 1), Relation::unknown);
    EXPECT_EQ(suite.relation(0, 3), Relation::different);
    EXPECT_FALSE(suite.settled());
    expect_separates(suite);
}

TEST(Suite, EqualUnitsTakeOneQuestion) {
    if (backends().empty()) GTEST_SKIP() << "this build has no solver";
    const Suite suite = suite_of(members(read_spaces(short_sum + " {F={5..16}}")));
    EXPECT_EQ(suite.classes.size(), 2U);
    EXPECT_EQ(suite.questions, 1U); // 12 units of two classes, one of which is F=5; the others are one space
    EXPECT_EQ(suite.proofs, 1U);
}

TEST(Suite, AnyNanEqualsSeveral) { // and is no reason to say that those are equal
    const std::string one = "f32*f32+f32->f32 K=1 nan=7fc00000 : round[f32 rne](fuse[exact](p*, c))",
                      other = "f32*f32+f32->f32 K=1 nan=7fffffff : round[f32 rne](fuse[exact](p*, c))",
                      any = "f32*f32+f32->f32 K=1 : round[f32 rne](fuse[exact](p*, c))";
    if (backends().empty()) GTEST_SKIP() << "this build has no solver";
    const Suite pair = suite_of(units({one, any}));
    EXPECT_EQ(pair.classes.size(), 1U);
    EXPECT_TRUE(pair.settled());
    const Suite three = suite_of(units({one, any, other}));
    EXPECT_EQ(three.classes.size(), 3U);
    EXPECT_EQ(three.relation(0, 1), Relation::proved);
    EXPECT_EQ(three.relation(1, 2), Relation::proved);
    EXPECT_EQ(three.relation(0, 2), Relation::different);
    EXPECT_EQ(three.equal.size(), 2U);
    expect_separates(three);
}

TEST(Suite, LimitsOfInputsHold) {
    SuiteOptions options;
    options.solving.limits.ranges = parse_ranges("c:0..10");
    const Suite suite = suite_of(units({volta, volta + "{F=22}", volta + "{F=21}"}), options);
    for (const Vector& v : suite.vectors)
        EXPECT_TRUE(allows(options.solving.limits, suite.units.front().unit, v.inputs()));
    expect_separates(suite);
}

TEST(Suite, OneUnitOrOtherShapes) {
    EXPECT_THROW(make_suites({}, {}), Error);
    const auto suites = make_suites(units({volta, "x86/dpps", volta + "{F=22}"}), {});
    ASSERT_EQ(suites.size(), 2U); // by shape
    EXPECT_EQ(suites[0].units.size(), 2U);
    EXPECT_EQ(suites[1].classes.size(), 1U);
    EXPECT_TRUE(suites[1].vectors.empty());
}

TEST(Cover,
     FindsTheOptimum) { // rows {0|12}, {1|02}, {2|01}, {01|2 3|…}: two rows separate four classes, greedy needs no more
    ResultMatrix matrix{&format(FormatId::f32), std::vector<bool>(4, false), {}, {}};
    matrix.rows = {{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {0, 0, 1, 1}, {0, 1, 0, 1}};
    const Cover cover = smallest_cover(matrix, {});
    EXPECT_EQ(cover.rows, (std::vector<std::size_t>{3, 4}));
    EXPECT_TRUE(cover.smallest);
    EXPECT_EQ(matrix.unseparated(cover.rows), 0U);
    EXPECT_EQ(matrix.unseparated({3}), 2U);
}

TEST(Cover, ManyClasses) { // 1,000 classes by the bits of their numbers: no fewer than ten rows of two results can do
    ResultMatrix matrix{&format(FormatId::f32), std::vector<bool>(1000, false), {}, {}};
    for (std::size_t bit = 0; bit < 10; ++bit) {
        std::vector<std::uint64_t> row;
        for (std::size_t i = 0; i < 1000; ++i) row.push_back((i >> bit) & 1);
        matrix.rows.push_back(row);
    }
    for (std::size_t i = 0; i < 40; ++i) { // and rows that separate one class only
        std::vector<std::uint64_t> row(1000);
        row[i] = 1;
        matrix.rows.push_back(row);
    }
    const Cover cover = smallest_cover(matrix, {});
    EXPECT_EQ(cover.rows.size(), 10U);
    EXPECT_EQ(matrix.unseparated(cover.rows), 0U);
}

TEST(Joint, FindsASetAndProvesThatThereIsNone) {
    if (backends().empty()) GTEST_SKIP() << "this build has no solver";
    JointQuestion question;
    for (const char* F : {"{F=21}", "{F=22}", "{F=23}"}) question.units.push_back(resolve_unit(volta + F));
    const JointAnswer one = separate_jointly(question, backends().front(), 0, Limit::after(60));
    ASSERT_EQ(one.outcome, Outcome::sat);
    std::set<std::uint64_t> results;
    for (const Unit& unit : question.units) results.insert(Evaluator(unit)(one.vectors.front().inputs()));
    EXPECT_EQ(results.size(), 3U);
    question.units[1] = question.units[0];
    EXPECT_EQ(separate_jointly(question, backends().front(), 0, Limit::after(60)).outcome, Outcome::unsat);
    question.excused = {{0, 1}};
    question.count = 2;
    EXPECT_EQ(separate_jointly(question, backends().front(), 0, Limit::after(60)).outcome, Outcome::sat);
}

TEST(Probes, FindFloorsThatRandomVectorsSeldomSee) {
    const std::string base = "hopper/wgmma.m64n8k16.f16.f16.f16";
    const Evaluator one(resolve_unit(base + "{floor=-21}")), other(resolve_unit(base + "{floor=-20}"));
    ProbeMaker probes(shape_of(one.unit()), 1);
    int different = 0;
    for (std::size_t i = 0; i < 20000; ++i) {
        const InputBuffer v = probes.make(static_cast<Probe>(i % probe_kinds), one.unit());
        different += one(v.inputs()) == other(v.inputs()) ? 0 : 1;
    }
    EXPECT_GT(different, 0);
}

TEST(Probes, AreValidForEveryUnitOfTheCatalogue) {
    for (const CatalogueEntry& entry : catalogue()) {
        const Evaluator evaluate(entry.unit);
        ProbeMaker probes(shape_of(entry.unit), 3);
        for (std::size_t i = 0; i < 2 * probe_kinds; ++i) {
            const InputBuffer v = probes.make(static_cast<Probe>(i % probe_kinds), entry.unit);
            ASSERT_TRUE(same_result(entry.unit, evaluate(v.inputs()), evaluate_exactly(entry.unit, v.inputs())))
                << entry.name << " " << to_json(shape_of(entry.unit), vector_of(shape_of(entry.unit), v.inputs()));
        }
    }
}

TEST(OpenPoints, AreUnitsOfOneShapeThatSayWhatTheyMean) {
    std::set<std::string_view> names;
    for (const OpenPoint& point : open_points()) {
        EXPECT_TRUE(names.insert(point.name).second) << point.name;
        EXPECT_GE(point.readings.size(), 2U);
        const Unit base = resolve_unit(point.unit);
        for (const Reading& reading : point.readings) {
            const bool whole = !reading.unit.empty() && reading.unit.front() != '{';
            const Unit unit = resolve_unit((whole ? "" : std::string(point.unit)) + std::string(reading.unit));
            EXPECT_EQ(incomparable(base, unit), "") << point.name;
            EXPECT_FALSE(reading.meaning.empty());
        }
    }
}

TEST(Suite, ASecondRunWithAStoreAsksNothing) {
    if (!Store::available() || backends().empty()) GTEST_SKIP() << "this build has no SQLite, or no solver";
    const TemporaryStore file;
    Store store(file.path);
    SuiteOptions options;
    options.store = &store;
    const auto space = members(read_spaces(short_sum + " {F={5..14}}"));
    const Suite first = suite_of(space, options), second = suite_of(space, options);
    EXPECT_EQ(first.stored, 0U);
    EXPECT_GT(second.stored, 0U);
    EXPECT_EQ(second.questions, 0U); // what became of each cell is known
    EXPECT_EQ(first.classes, second.classes);
    ASSERT_EQ(first.vectors.size(), second.vectors.size());
    for (std::size_t i = 0; i < first.vectors.size(); ++i) EXPECT_TRUE(first.vectors[i].same_inputs(second.vectors[i]));
}
