// The first cells of a space: the same as if each vector were run on all units, one after the other.
#include "analysis/suite/partition.hpp"

#include "analysis/suite/result_row.hpp"
#include "models/evaluate.hpp"
#include "models/random.hpp"
#include "models/shape.hpp"
#include "models/vectors/mixture.hpp"

#include <gtest/gtest.h>

#include <map>

namespace discern::testing {
namespace {

/// Vector by vector, with an evaluator of each unit, until 200 in succession split nothing.
FirstCells one_by_one(const std::vector<Unit>& units, std::uint64_t seed) {
    FirstCells first;
    std::map<std::vector<std::uint64_t>, Cell> cells; // by the results so far, the NaN rule before them
    std::vector<Evaluator> evaluators;
    for (std::size_t i = 0; i < units.size(); ++i) {
        evaluators.emplace_back(units[i]);
        first.any.push_back(units[i].nan.kind == NanRule::Kind::any);
        cells[{first.any.back() ? 1U : 0U}].push_back(i);
    }
    std::vector<const Unit*> views;
    for (std::size_t i = 0, n = std::min<std::size_t>(64, units.size()); i < n; ++i)
        views.push_back(&units[i * units.size() / n]);
    InputMixture mixture(views, seed);
    InputBuffer buffer;
    for (int in_vain = 0; in_vain < 200; ++in_vain) {
        mixture.next(buffer);
        std::map<std::vector<std::uint64_t>, Cell> parts;
        for (const auto& [row, cell] : cells)
            for (const std::size_t unit : cell) {
                std::vector<std::uint64_t> longer = row;
                longer.push_back(
                    counted_result(format(units[unit].d), first.any[unit], evaluators[unit](buffer.inputs())));
                parts[longer].push_back(unit);
            }
        if (parts.size() > cells.size()) {
            first.pool.push_back(vector_of(shape_of(units.front()), buffer.inputs()));
            in_vain = 0;
        }
        cells = std::move(parts);
    }
    for (auto& [row, cell] : cells) first.cells.push_back(std::move(cell));
    std::sort(first.cells.begin(), first.cells.end());
    return first;
}

TEST(FirstCells, AreThoseOfOneVectorAfterTheOther) {
    for (const char* text :
         {"f16*f16+f32->f32 K=4 nan=any : round[f32 rz](fuse[F=23 rz](p*, c)){F={20..30},align={rz|rne},c={early|late},"
          "floor={none|-133},nan={any|7fffffff}}",
          "e4m3*e4m3+f32->f32 K=2 : round[f32 rz](fuse[F=13 rz](p*, c)){F={8..40},round={f32:rz|f32:rne|f32:rd}}"}) {
        const Space space = Space::parse(text);
        std::vector<Unit> units;
        for (Member& member : members({&space, 1})) units.push_back(std::move(member.unit));
        const FirstCells expected = one_by_one(units, 3);
        for (const unsigned threads : {1U, 3U}) {
            PartitionOptions options;
            options.cells.seed = 3;
            options.threads = threads;
            const FirstCells first = first_cells(listed(units), options);
            EXPECT_EQ(first.cells, expected.cells);
            EXPECT_EQ(first.any, expected.any);
            EXPECT_FALSE(first.interrupted);
            ASSERT_EQ(first.pool.size(), expected.pool.size());
            for (std::size_t i = 0; i < first.pool.size(); ++i) {
                EXPECT_EQ(first.pool[i].a, expected.pool[i].a);
                EXPECT_EQ(first.pool[i].b, expected.pool[i].b);
                EXPECT_EQ(first.pool[i].c, expected.pool[i].c);
            }
        }
        EXPECT_GT(expected.cells.size(), 4U); // the space is worth it
        EXPECT_GE(expected.pool.size(), 2U);
    }
}

TEST(FirstCells, UnitsOfDifferentShapesAreRefused) {
    std::vector<Unit> units(2);
    const Space space = Space::parse("volta/mma.m8n8k4.f32.f16.f16.f32{F={22..24}}");
    units[0] = members({&space, 1}).front().unit;
    units[1] = units[0];
    units[1].K = 8;
    EXPECT_THROW(first_cells(listed(units), {}), std::exception);
}

TEST(ResultRow, KeepsWhatWasPutIn) { // one byte to 256 different results, two to 65,536, then four
    for (const std::uint64_t different : {1U, 256U, 257U, 65'536U, 65'537U}) {
        Random random(different);
        const auto drawn = static_cast<int>(different);
        std::vector<std::uint64_t> values, row;
        for (std::uint64_t i = 0; i < different; ++i) values.push_back(i * 0x9e3779b97f4a7c15U); // odd: all different
        ResultRow packed;
        for (std::uint64_t i = 0; i < different + 1000; ++i) {
            row.push_back(values[i < different ? i : static_cast<std::size_t>(random.below(drawn))]);
            packed.push_back(row.back());
        }
        ASSERT_EQ(packed.size(), row.size());
        EXPECT_EQ(packed.different(), different);
        for (std::size_t c = 0; c < row.size(); ++c) {
            ASSERT_EQ(packed[c], row[c]) << c << " of " << different;
            ASSERT_LT(packed.number(c), different);
        }
    }
}

} // namespace
} // namespace discern::testing
