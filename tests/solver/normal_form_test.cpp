// The normal form computes what the unit does: on random units and vectors by the evaluators, and for a few by proof.
#include "solver/theorems/normal_form.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/random_tree.hpp"
#include "models/space.hpp"
#include "solver/decide/discriminate.hpp"

#include <gtest/gtest.h>

using namespace discern;

namespace {

std::string form(const std::string& unit) { return canonical_text(normal_form(resolve_unit(unit))); }

bool same_form(const std::string& base, const std::string& one, const std::string& other) {
    return form(base + one) == form(base + other);
}

/// How many of the vectors, of all families and both points of view, give different results; prints the first.
int differences(const Unit& unit, const Unit& other, std::uint64_t seed, int vectors) {
    const Evaluator first(unit), second(other);
    int different = 0;
    InputBuffer buffer;
    for (const Family family : families)
        for (const Unit* view : {&unit, &other}) {
            InputGenerator generator(*view, family, seed);
            for (int i = 0; i < vectors; ++i) {
                generator.next(buffer);
                const std::uint64_t d1 = first(buffer.inputs()), d2 = second(buffer.inputs());
                if (same_result(unit, d1, d2)) continue;
                if (different++ == 0)
                    ADD_FAILURE() << to_string(unit) << "\n"
                                  << to_string(other) << "\nseed " << seed << ", " << name(family) << " vector " << i
                                  << std::hex << ": " << d1 << " " << d2;
            }
        }
    return different;
}

const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32", hopper = "hopper/wgmma.m64n8k16.f32.f16.f16",
                  bf16 = "hopper/wgmma.m64n8k16.f32.bf16.bf16";

} // namespace

TEST(NormalForm, FloorsThatNothingReachesGo) { // bf16 products are at least 2^-252; with carry bits E itself counts
    EXPECT_TRUE(same_form(bf16, "{carry=4,floor=none}", "{carry=4,floor=-252}"));
    EXPECT_FALSE(same_form(bf16, "{carry=4,floor=none}", "{carry=4,floor=-251}"));
    EXPECT_TRUE(
        same_form(bf16, "{carry=4,product=full,floor=none}", "{carry=4,product=full,floor=-266}")); // 2^-133 squared
    EXPECT_FALSE(same_form(bf16, "{carry=4,product=full,floor=none}", "{carry=4,product=full,floor=-265}"));
    EXPECT_FALSE(same_form(bf16, "{floor=none}", "{floor=-133}"));
    EXPECT_TRUE(same_form(hopper, "{floor=none}", "{floor=-133}")); // c has no exponent below -126
}

TEST(NormalForm, AZeroThatAlwaysCountsIsAFloor) { // c is zero, or has an exponent of at least -126
    EXPECT_TRUE(same_form(bf16, "{floor=-133,zero=ignore}", "{floor=none,zero=-133}"));
    EXPECT_TRUE(same_form(bf16, "{floor=-126,zero=ignore}", "{floor=none,zero=-126}"));
    EXPECT_FALSE(same_form(bf16, "{floor=-125,zero=ignore}", "{floor=none,zero=-125}"));
}

TEST(NormalForm, FloorsAtWhichNothingIsCutGo) {
    EXPECT_TRUE(same_form(hopper, "{floor=none}", "{floor=-124}")); // c is a multiple of 2^-149, and F is 25
    EXPECT_FALSE(same_form(hopper, "{floor=none}", "{floor=-123}"));
    // e5m2 products are multiples of 2^-32: with F=13 nothing is cut up to an exponent of -19, and with F=25 up to -7,
    // but c in f32 is a multiple of 2^-149.
    const std::string e5m2 = "hopper/wgmma.m64n8k32.f16.e5m2.e5m2", wide = "hopper/wgmma.m64n8k32.f32.e5m2.e5m2";
    EXPECT_TRUE(same_form(e5m2, "{floor=none}", "{floor=-19}"));
    EXPECT_FALSE(same_form(e5m2, "{floor=none}", "{floor=-18}"));
    EXPECT_FALSE(same_form(e5m2, "{floor=none,carry=1}", "{floor=-19,carry=1}")); // whose register is at E
    EXPECT_FALSE(same_form(wide, "{floor=none}", "{floor=-100}"));
}

TEST(NormalForm, ConstantsOfZerosThatNothingReachesGo) {
    EXPECT_TRUE(same_form(volta, "{zero=ignore}", "{zero=-126}"));
    EXPECT_TRUE(same_form(volta, "{zero=ignore}", "{zero=-126}"));
    EXPECT_FALSE(same_form(volta, "{zero=ignore}", "{zero=-125}")); // F is 23
    EXPECT_FALSE(same_form(volta, "{zero=ignore}", "{zero=emin}")); // 0·2^15 has exponent 1
    EXPECT_TRUE(same_form(bf16, "{zero=ignore,floor=-100}", "{zero=-100,floor=-100}"));
    EXPECT_FALSE(same_form(bf16, "{zero=ignore,floor=-100}", "{zero=-99,floor=-100}"));
}

TEST(NormalForm, SumsBelowSumsToo) { // fp8 products are above 2^-126, and c is not below
    const std::string cdna3 = "cdna3/v_mfma_f32_16x16x32_fp8_fp8";
    EXPECT_TRUE(same_form(cdna3, "{zero=ignore}", "{zero=-126}"));
    EXPECT_FALSE(same_form(cdna3, "{zero=ignore}", "{zero=-125}"));
    EXPECT_TRUE(same_form(cdna3, "{floor=none}", "{floor=-126}"));
    EXPECT_FALSE(same_form(cdna3, "{floor=none}", "{floor=-125}"));
}

TEST(NormalForm, AnExactSumHasNeither) {
    EXPECT_TRUE(same_form(hopper, "{F=exact,floor=none}", "{F=exact,floor=5,zero=emin,product=full}"));
}

TEST(NormalForm, SumsThatFitAreNotRounded) { // 4·4 + 2 < 2^5: up to 19 bits and 5 are the 24 of f32
    EXPECT_TRUE(same_form(volta, "{F=19,round=f32:rz}", "{F=19,round=f32:rne}"));
    EXPECT_FALSE(same_form(volta, "{F=20,round=f32:rz}", "{F=20,round=f32:rne}"));
    EXPECT_TRUE(same_form(volta, "{F=20,c=late,round=f32:rz}", "{F=20,c=late,round=f32:ru}"));
    EXPECT_FALSE(same_form(volta, "{F=21,c=late,round=f32:rz}", "{F=21,c=late,round=f32:ru}"));
    EXPECT_FALSE(same_form(volta, "{F=19,round=f32:rz,zsign=ieee}", "{F=19,round=f32:rd,zsign=ieee}"));
    EXPECT_FALSE(same_form(volta, "{F=19,round=f32:rz,overflow=ieee}", "{F=19,round=f32:rne,overflow=ieee}"));
    EXPECT_FALSE(same_form(bf16, "{L=4,F=19,round=f32:rz,floor=none}", "{L=4,F=19,round=f32:rne,floor=none}"));
}

TEST(NormalForm, ComputesTheSameOnRandomUnits) {
    const std::uint64_t seed = 20;
    tests::UnitGenerator generator(seed);
    int changed = 0;
    for (int i = 0; i < 4000; ++i) {
        const Unit unit = generator.next(), simple = normal_form(unit);
        if (simple == unit) continue;
        ++changed;
        ASSERT_NO_THROW(validate(simple));
        ASSERT_EQ(differences(unit, simple, seed + static_cast<std::uint64_t>(i), 12), 0) << "unit " << i;
        ASSERT_EQ(normal_form(simple), simple) << "unit " << i;
    }
    EXPECT_GT(changed, 500);
}

TEST(NormalForm, ComputesTheSameInASpace) {
    const auto all = members(
        read_spaces("ampere/mma.m16n8k8.f32.f16.f16.f32{F={16|18|19|20},align={rz|ru|rne},round={f32:rz|f32:rd},"
                    "L={4|8},c={early|late},zero={ignore|emin|-126},floor={none|-132|-20},"
                    "product={raw|carry|full}}"));
    int changed = 0;
    for (const Member& member : all) {
        const Unit simple = normal_form(member.unit);
        if (simple == member.unit) continue;
        ++changed;
        ASSERT_EQ(differences(member.unit, simple, 7, 10), 0) << member.text;
    }
    EXPECT_GT(changed, 300);
}

TEST(NormalForm, IsProvedByASolver) {
    for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
             {volta + "{floor=none}", volta + "{floor=-126,zero=-126}"},
             {volta + "{F=19,round=f32:rz}", volta + "{F=19,round=f32:rne}"},
         }) {
        const Unit first = resolve_unit(one), second = resolve_unit(other);
        ASSERT_EQ(canonical_text(normal_form(first)), canonical_text(normal_form(second)));
        const Answer answer = discriminate(first, second, {});
        EXPECT_NE(answer.verdict, Verdict::different) << one << " " << other;
        std::printf("%s %s: %s by %s in %.2f s\n", one.c_str(), other.c_str(),
                    std::string(name(answer.verdict)).c_str(), answer.by.c_str(), answer.seconds);
    }
}
