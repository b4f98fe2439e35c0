// Probes are drawn: a seed has to mean the same vectors whatever compiles them, or answers would depend on that.
#include "models/stimulus/probes/probes.hpp"

#include "digest.hpp"
#include "models/catalogue.hpp"

#include <gtest/gtest.h>

#include <array>

namespace discern {
namespace {

/// Of some vectors of a kind for units that have c first, last or not at all, scales, several blocks, few bits.
std::uint64_t digest(Probe probe) {
    static constexpr const char* units[] = {"volta/mma.m8n8k4.f32.f16.f16.f32",
                                            "hopper/wgmma.m64n8k32.f32.e4m3.e4m3",
                                            "cdna3/v_mfma_f32_16x16x16_bf16",
                                            "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3",
                                            "x86/vdpbf16ps",
                                            "x86/dpps"};
    tests::Digest all;
    for (const char* text : units) {
        const Unit unit = resolve_unit(text);
        ProbeMaker maker(shape_of(unit), 1);
        for (int i = 0; i < 50; ++i) all.add(maker.make(probe, unit));
    }
    return all.value();
}

// As g++ had them when this was written. What changes a probe on purpose changes its number.
TEST(Probes, AreTheSameWhateverCompilesThem) {
    constexpr std::array<std::uint64_t, probe_kinds> expected = {
        0xbce66465971b520full, 0x4707c68d4222076full, 0xa1423e2ed8e73d50ull, 0x9c4aa25ff7a66390ull,
        0x1417fe272a453beull,  0x8b635132c8d70ff3ull, 0xf2b0ca6a66aa88a7ull, 0xf70dce8f2d3cb2f2ull,
        0xdfc96ab981d85292ull, 0x54f8b4ea73e106e8ull, 0x2cc5d293c0639739ull, 0x74c603f32ca8ff8dull,
        0xf439c027cee5d4d9ull, 0x7bfc250647957a11ull, 0x3f36be7c6ed2215cull};
    for (std::size_t i = 0; i < probe_kinds; ++i) {
        const auto probe = static_cast<Probe>(i);
        EXPECT_EQ(digest(probe), expected[i]) << name(probe);
    }
}

} // namespace
} // namespace discern
