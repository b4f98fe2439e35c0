// Point 1 of a good first hour: which units fit what was observed.
#include "identification/which/which.hpp"

#include "models/batch.hpp"
#include "models/catalogue.hpp"
#include "models/families.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern {
namespace {

std::vector<Vector> observations_of(const Unit& unit, std::size_t count, Family family = Family::normal) {
    InputGenerator generator(unit, family, 5);
    const Evaluator evaluate(unit);
    std::vector<Vector> all;
    InputBuffer buffer;
    for (std::size_t i = 0; i < count; ++i) {
        generator.next(buffer);
        all.push_back(vector_of(shape_of(unit), buffer.inputs()));
        all.back().d = {evaluate(buffer.inputs())};
    }
    return all;
}

std::vector<std::string> texts(std::span<const Member> units, const std::vector<std::size_t>& list) {
    std::vector<std::string> names;
    for (const std::size_t unit : list) names.push_back(units[unit].text);
    return names;
}

TEST(Which, TheUnitItselfIsInTheOneClassThatIsLeft) {
    for (const std::string name : {"volta/mma.m8n8k4.f32.f16.f16.f32", "cdna3/v_mfma_f32_16x16x16_f16",
                                   "hopper/wgmma.m64n8k16.f32.f16.f16", "x86/vdpbf16ps"}) {
        const Unit unit = resolve_unit(name);
        const auto units = units_of_shape(shape_of(unit));
        std::vector<Vector> all;
        for (const Family family : families)
            for (Vector& v : observations_of(unit, 400, family)) all.push_back(std::move(v));
        const WhichAnswer answer = which(all, false, units, {});
        ASSERT_EQ(answer.consistent.size(), 1u) << name;
        std::set<std::uint64_t> hashes;
        for (const std::size_t u : answer.consistent[0]) hashes.insert(arithmetic_hash(units[u].unit));
        EXPECT_EQ(hashes, std::set<std::uint64_t>{arithmetic_hash(unit)});
        const auto names = texts(units, answer.consistent[0]);
        EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
        EXPECT_TRUE(answer.near.empty());
    }
}

TEST(Which, UnitsOfAnotherKComeAfterThoseOfTheShape) {
    Shape shape = shape_of(resolve_unit("ampere/mma.m16n8k16.f32.f16.f16.f32"));
    shape.K = 8;
    const auto units = units_of_shape(shape);
    bool changed = false;
    std::set<std::string> names;
    for (const Member& member : units) {
        EXPECT_EQ(shape_of(member.unit), shape) << member.text;
        EXPECT_TRUE(names.insert(member.text).second) << member.text;
        const bool other_k = member.text.find("{K=8}") != std::string::npos;
        EXPECT_FALSE(changed && !other_k) << member.text;
        changed = changed || other_k;
    }
    EXPECT_TRUE(names.contains("ampere/mma.m16n8k8.f32.f16.f16.f32"));
    EXPECT_TRUE(names.contains("hopper/wgmma.m64n8k16.f32.f16.f16{K=8}"));
}

TEST(Which, TheNearestAreShownWithWhatRefutesThem) {
    const Unit unit = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32");
    auto all = observations_of(unit, 300);
    all[17].d[0] ^= 1; // one result is wrong
    const auto units = units_of_shape(shape_of(unit));
    const WhichAnswer answer = which(all, false, units, {});
    EXPECT_TRUE(answer.consistent.empty());
    ASSERT_GE(answer.near.size(), 2u);
    EXPECT_EQ(arithmetic_hash(units[answer.near[0].unit].unit), arithmetic_hash(unit));
    EXPECT_EQ(answer.near[0].mismatches, 1u);
    ASSERT_EQ(answer.near[0].first.size(), 1u);
    EXPECT_EQ(answer.near[0].first[0].observation, 17u);
    EXPECT_EQ(answer.near[0].first[0].expected, all[17].d[0] ^ 1);
    EXPECT_GT(answer.near[1].mismatches, 1u);
    EXPECT_EQ(answer.near[1].first.size(), 3u);
    EXPECT_EQ(which(all, false, units, {.near = 1, .refutations = 0}).near.size(), 1u);
}

TEST(Which, AnyNanIsAnyNanOnlyWhereItIsSaid) {
    const Unit unit = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32");
    auto all = observations_of(unit, 2000, Family::uniform_bits);
    std::size_t changed = 0;
    for (Vector& v : all)
        if (v.d[0] == 0x7fffffff) {
            v.d[0] = 0xffc00001;
            ++changed;
        }
    ASSERT_GT(changed, 0u);
    const auto units = units_of_shape(shape_of(unit));
    EXPECT_TRUE(which(all, false, units, {}).consistent.empty());
    EXPECT_EQ(which(all, true, units, {}).consistent.size(), 1u);
}

TEST(Which, AsksWhatTellsUnitsApart) {
    // Two bits of the register are all that differs, which random vectors hardly show.
    const Unit unit = resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16{F=24}");
    std::vector<Member> units = units_of_shape(shape_of(unit));
    units.push_back({"the one", unit});
    const Evaluator evaluate(unit);
    std::size_t asked = 0;
    const AskWhich ask = [&](std::span<const Inputs> batch) {
        std::vector<std::optional<std::uint64_t>> results;
        for (const Inputs& inputs : batch) results.push_back(evaluate(inputs));
        asked += batch.size();
        return results;
    };
    const auto all = observe(shape_of(unit), units, ask, {.most = 300, .seconds = 60});
    EXPECT_EQ(all.size(), asked);
    EXPECT_GE(asked, 300u);
    const WhichAnswer answer = which(all, false, units, {});
    ASSERT_EQ(answer.consistent.size(), 1u);
    const auto names = texts(units, answer.consistent[0]);
    EXPECT_NE(std::find(names.begin(), names.end(), "the one"), names.end());
}

TEST(Which, WhatIsStoppedSaysSo) {
    const Unit unit = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32");
    std::stop_source stop;
    stop.request_stop();
    const WhichAnswer answer =
        which(observations_of(unit, 10), false, units_of_shape(shape_of(unit)), {.stop = stop.get_token()});
    EXPECT_FALSE(answer.complete);
    EXPECT_TRUE(answer.consistent.empty());
}

} // namespace
} // namespace discern
