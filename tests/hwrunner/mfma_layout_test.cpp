// Lane layouts of mfma: against what AMD's matrix instruction calculator prints, and against a simulation that reads
// registers instead of writing them.
#include "hwrunner/amd/mfma_layout.hpp"

#include "fake_hip/simulated_wave.hpp"
#include "models/catalogue.hpp"
#include "models/random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern::testing {
namespace {

const MfmaInstruction& cdna2(const std::string& name) { return *find_mfma(Cdna::gfx90a, name); }

TEST(MfmaLayout, IsWhatTheCalculatorPrints) {
    // README of the calculator: A[1][2].B4 of v_mfma_f32_4x4x4f16 is v1{17}.[15:0]; D[3][2].B1 is v3{6}; v2{33} of D is
    // D[2][1].B8.
    const MfmaInstruction& f16 = cdna2("v_mfma_f32_4x4x4f16");
    EXPECT_EQ(operand_place(f16, 4, 1, 2), (LanePlace{.lane = 17, .item = 2}));
    EXPECT_EQ(result_place(f16, 1, 3, 2), (LanePlace{.lane = 6, .item = 3}));
    EXPECT_EQ(result_place(f16, 8, 2, 1), (LanePlace{.lane = 33, .item = 2}));
    // The same: D[2][3] of block 0 of v_mfma_f64_4x4x4f64 is in lane 35.
    EXPECT_EQ(result_place(cdna2("v_mfma_f64_4x4x4f64"), 0, 2, 3), (LanePlace{.lane = 35, .item = 0}));
    // Its formulas for v_mfma_f32_32x32x1f32: register 16·block + 4·⌊i/8⌋ + i mod 4, lane (32·⌊i/4⌋) mod 64 + j.
    EXPECT_EQ(result_place(cdna2("v_mfma_f32_32x32x1f32"), 1, 13, 5), (LanePlace{.lane = 37, .item = 21}));
}

/// One instruction of each kind, with the first architecture that has it.
class EveryMfma : public ::testing::TestWithParam<const MfmaInstruction*> {};

TEST_P(EveryMfma, PlacesAreAllDifferentAndFillTheWave) {
    const MfmaInstruction& mfma = *GetParam();
    std::set<std::pair<int, int>> operands, results;
    for (int block = 0; block < mfma.blocks(); ++block)
        for (int i = 0; i < mfma.M; ++i) {
            for (int k = 0; k < mfma.K; ++k) {
                const LanePlace place = operand_place(mfma, block, i, k);
                operands.emplace(place.lane, place.item);
            }
            for (int j = 0; j < mfma.N; ++j) {
                const LanePlace place = result_place(mfma, block, i, j);
                results.emplace(place.lane, place.item);
            }
        }
    EXPECT_EQ(operands.size(), static_cast<std::size_t>(64 * mfma.operand->items));
    EXPECT_EQ(results.size(), static_cast<std::size_t>(64 * mfma.result_items()));
    EXPECT_EQ(*operands.begin(), std::pair(0, 0));
    EXPECT_EQ(*operands.rbegin(), std::pair(63, mfma.operand->items - 1));
    EXPECT_EQ(*results.rbegin(), std::pair(63, mfma.result_items() - 1));
}

TEST_P(EveryMfma, ASimulatedWaveSeesTheRowsAndColumnsOfTheTiles) {
    const MfmaInstruction& mfma = *GetParam();
    const SimulatedMfma simulated{std::string(mfma.builtin)};
    ASSERT_EQ(simulated.blocks, mfma.blocks());
    ASSERT_EQ(simulated.items, mfma.operand->items);
    ASSERT_EQ(simulated.result_items, mfma.result_items());
    Random random(5);
    const auto patterns = [&](int count, int bits) {
        std::vector<std::uint64_t> list;
        for (int i = 0; i < count; ++i) list.push_back(random.bits() >> (64 - bits));
        return list;
    };
    std::vector<MatrixTile> tiles;
    for (int block = 0; block < mfma.blocks(); ++block)
        tiles.push_back({.a = patterns(mfma.M * mfma.K, mfma.operand->bits),
                         .b = patterns(mfma.N * mfma.K, mfma.operand->bits),
                         .c = patterns(mfma.M * mfma.N, simulated.result_bits),
                         .sa = {},
                         .sb = {}});
    WaveImages images;
    append_wave(mfma, tiles, images); // twice: the second wave begins where the first ends
    append_wave(mfma, tiles, images);
    ASSERT_EQ(images.a.size(), 2 * operand_bytes(mfma));
    ASSERT_EQ(images.c.size(), 2 * result_bytes(mfma));
    const std::vector<Dot> dots =
        dots_of_wave(simulated, images.a.data() + operand_bytes(mfma), images.b.data() + operand_bytes(mfma),
                     images.c.data() + result_bytes(mfma));
    for (int lane = 0; lane < 64; ++lane)
        for (int item = 0; item < mfma.result_items(); ++item) {
            const Element e = result_element(simulated, lane, item);
            const Dot& dot = dots[static_cast<std::size_t>(lane * mfma.result_items() + item)];
            const MatrixTile& tile = tiles[static_cast<std::size_t>(e.block)];
            const auto row = tile.a.begin() + e.row * mfma.K, column = tile.b.begin() + e.column * mfma.K;
            ASSERT_EQ(dot.a, std::vector(row, row + mfma.K)) << "lane " << lane << ", item " << item;
            ASSERT_EQ(dot.b, std::vector(column, column + mfma.K)) << "lane " << lane << ", item " << item;
            ASSERT_EQ(dot.c, tile.c[static_cast<std::size_t>(e.row * mfma.N + e.column)]);
            EXPECT_EQ(result_at(mfma, images.c, 1, e.block, e.row, e.column), dot.c);
        }
}

TEST_P(EveryMfma, AgreesWithTheCatalogue) {
    const MfmaInstruction& mfma = *GetParam();
    for (const Cdna architecture : cdna_architectures) {
        if (!mfma.is_of(architecture)) continue;
        const std::string name = std::string(catalogue_name(architecture)) + "/" + mfma.name(architecture);
        const CatalogueEntry* entry = find_entry(name);
        ASSERT_NE(entry, nullptr) << name;
        EXPECT_EQ(entry->unit.K, mfma.K) << name;
        EXPECT_EQ(format(entry->unit.a).width, mfma.operand->bits) << name;
        EXPECT_EQ(format(entry->unit.d).width, mfma.is_f64() ? 64 : 32) << name;
        EXPECT_NE(name.find(std::to_string(mfma.M) + "x" + std::to_string(mfma.N) + "x" + std::to_string(mfma.K)),
                  std::string::npos);
    }
}

std::vector<const MfmaInstruction*> all() {
    std::vector<const MfmaInstruction*> list;
    for (const MfmaInstruction& instruction : mfma_instructions()) list.push_back(&instruction);
    return list;
}
INSTANTIATE_TEST_SUITE_P(Instructions, EveryMfma, ::testing::ValuesIn(all()),
                         [](const auto& parameter) { return std::string(parameter.param->builtin); });

TEST(MfmaInstructions, AreThoseOfTheCatalogue) {
    for (const auto& [architecture, count] :
         {std::pair(Cdna::gfx908, 15), std::pair(Cdna::gfx90a, 22), std::pair(Cdna::gfx942, 27)}) {
        int in_catalogue = 0;
        for (const CatalogueEntry& entry : catalogue()) {
            if (entry.architecture != catalogue_name(architecture) || !entry.instruction.starts_with("v_mfma"))
                continue;
            ++in_catalogue;
            EXPECT_NE(find_mfma(architecture, entry.instruction), nullptr) << entry.name;
        }
        EXPECT_EQ(in_catalogue, count);
    }
}

} // namespace
} // namespace discern::testing
