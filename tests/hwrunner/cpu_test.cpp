// CPUs that this one is not: AMX by the layout of its tiles, and what the manuals say of CPUs as units. Arm's
// instructions run in arm_test.cpp.
#include "hwrunner/cpu/amx.hpp"
#include "hwrunner/cpu_units.hpp"
#include "hwrunner/kinds.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace discern::testing {
namespace {

/// d of a unit.
std::uint64_t d_of(const std::string& unit, const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b,
                   std::uint64_t c) {
    return Evaluator(resolve_unit(unit))({.a = a, .b = b, .sa = {}, .sb = {}, .c = c});
}

std::uint64_t f32(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(CpuUnits, AmxAddsEvenAndOddElementsInChainsOfTheirOwn) {
    // All ones: 32. 2^12·2^12 in element 0 swallows the ones of the even chain (2^24 + 1 is no f32), not the odd ones'.
    std::vector<std::uint64_t> a(32, 0x3f80), b(32, 0x3f80);
    EXPECT_EQ(d_of(tdpbf16ps_unit(), a, b, f32(0)), f32(32));
    a[0] = b[0] = 0x4580;
    EXPECT_EQ(d_of(tdpbf16ps_unit(), a, b, f32(0)), f32(16777216.0f + 16.0f));
    // Subnormal operands are zero: 2^-133 in bf16; but those of f16 count: 2^-24.
    std::vector<std::uint64_t> tiny(32, 0), ones(32, 0x3f80);
    tiny[0] = 1;
    EXPECT_EQ(d_of(tdpbf16ps_unit(), tiny, ones, f32(0)), 0u);
    EXPECT_EQ(d_of(tdpbf16ps_unit(), tiny, ones, 0x80000001u), 0u) << "a subnormal c is -0, and +0 - 0 is +0";
    EXPECT_EQ(d_of(tdpfp16ps_unit(), tiny, std::vector<std::uint64_t>(32, 0x3c00), f32(0)), f32(0x1p-24f));
}

TEST(CpuUnits, BfdotRoundsEveryStepToOdd) {
    // 2^24 + 1 and then nothing: the sum of products is inexact, its last bit becomes 1.
    EXPECT_EQ(d_of(bfdot_unit(), {0x4580, 0x3f80}, {0x4580, 0x3f80}, f32(0)), f32(0x1p24f) | 1);
    EXPECT_EQ(d_of(bfdot_unit(), {0x7f00, 0}, {0x7f00, 0}, f32(0)), 0x7f800000u) << "overflow is infinity";
}

TEST(CpuUnits, AllAreUnits) {
    for (const TargetKind& kind : target_kinds()) {
        if (kind.unit == nullptr) continue;
        EXPECT_NO_THROW(resolve_unit(kind.unit())) << kind.name;
    }
}

// The manual: C[m][n] += A[m][2k]·B[k][2n] + A[m][2k+1]·B[k][2n+1], the rows of B being pairs of rows of the matrix.
TEST(Amx, TilesAreReadByTheInstructionAsTheyAreWritten) {
    MatrixTile tile;
    for (int i = 0; i < 16; ++i)
        for (int k = 0; k < 32; ++k) {
            tile.a.push_back(static_cast<std::uint64_t>(1000 * i + k));
            tile.b.push_back(static_cast<std::uint64_t>(20000 + 1000 * i + k));
        }
    for (std::uint64_t element = 0; element < 256; ++element) tile.c.push_back(element);
    const AmxTile a = amx_a(tile), b = amx_b(tile), c = amx_c(tile);
    const auto half = [](const AmxTile& image, int row, int element) {
        return (image[static_cast<std::size_t>(16 * row + element / 2)] >> (16 * (element % 2))) & 0xffffu;
    };
    for (int m = 0; m < 16; ++m)
        for (int n = 0; n < 16; ++n) {
            EXPECT_EQ(c[static_cast<std::size_t>(16 * m + n)], static_cast<unsigned>(16 * m + n));
            for (int k = 0; k < 16; ++k)
                for (int side = 0; side < 2; ++side) {
                    ASSERT_EQ(half(a, m, 2 * k + side), static_cast<unsigned>(1000 * m + 2 * k + side));
                    ASSERT_EQ(half(b, k, 2 * n + side), static_cast<unsigned>(20000 + 1000 * n + 2 * k + side));
                }
        }
}

} // namespace
} // namespace discern::testing
