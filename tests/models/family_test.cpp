// Units as members of a structure: what is read from them gives them back.
#include "models/parametric/family.hpp"

#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "models/print_unit.hpp"
#include "models/random_tree.hpp"
#include "models/space.hpp"

#include <gtest/gtest.h>

namespace discern::parametric {
namespace {

Unit only_member(const Structure& structure) { return structure.member(Structure::first_of(structure.box(0))); }

std::vector<Unit> units_of(const std::string& space) {
    std::vector<Unit> units;
    for (const Member& member : members({{Space::parse(space)}})) units.push_back(member.unit);
    return units;
}

TEST(Family, EveryCatalogueUnitIsTheMemberOfItsStructure) {
    for (const CatalogueEntry& entry : catalogue()) EXPECT_EQ(only_member(structure_of(entry.unit)), entry.unit);
}

TEST(Family, RandomUnitsAreTheMembersOfTheirStructures) {
    tests::UnitGenerator generator(1, true);
    for (int i = 0; i < 3000; ++i) {
        const Unit unit = generator.next();
        const Structure structure = structure_of(unit);
        for (const Variable& v : structure.variables) EXPECT_EQ(v.values.size(), 1u);
        EXPECT_EQ(only_member(structure), unit) << canonical_text(unit) << "\n"
                                                << canonical_text(only_member(structure));
    }
}

TEST(Family, MembersOfSpacesAreMembersOfOneStructure) {
    for (const std::string space :
         {"hopper/"
          "wgmma.m64n8k16.f32.f16.f16{F={22..26},floor={none|-133},round={f32:rz|f32:rne|e8m13:rz},carry={wide|3}}",
          "cdna3/v_mfma_f32_16x16x16_f16{catalogue=paper,F={20..26},F2={exact|29..32},drop={none|25..27},sum={rd|rz},"
          "limit={127|128},oinf={yields|counts}}",
          "cdna3/v_mfma_f32_16x16x16_f16{F={23..25},F2={22..24|29..32},sum={rd|rz},zero={ignore|emin}}",
          "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3{empty={-139|emin|ignore},F={34|35}}",
          "cdna2/v_mfma_f32_16x16x16f16{ftz={none|in|c|out|in+c+out},zsign={pos|ieee},usign={pos|keep}}",
          "cdna2/v_mfma_f32_16x16x16f16{zin={pos|keep},fsign={out|in+out|in+c+out}}",
          "turing/"
          "mma.m16n8k8.f32.f16.f16.f32{zero={ignore|emin|-140..-120},align={rz|rd|odd},product={raw|full},sticky={no|"
          "yes}}",
          "f16*f16+f16->f16 K=4 : round[f16 rne](fuse[exact](p*, c)){as={none|f32},overflow={inf|max|ieee}}"}) {
        const std::vector<Unit> units = units_of(space);
        ASSERT_GT(units.size(), 5u) << space;
        const auto family = family_of(units);
        ASSERT_TRUE(family) << space;
        ASSERT_EQ(family->members.size(), units.size());
        const Box all = family->structure.box(0);
        for (std::size_t i = 0; i < units.size(); ++i) {
            const Unit member = family->structure.member(family->members[i]);
            EXPECT_EQ(canonical_text(member), canonical_text(units[i]));
            EXPECT_TRUE(all.contains(family->members[i]));
        }
    }
}

TEST(Family, EqualColumnsShareAVariable) {
    const auto family = family_of(units_of("cdna3/v_mfma_f32_32x32x16_bf8_bf8{F={22..26}}"));
    ASSERT_TRUE(family);
    std::vector<std::string> varied;
    for (const Variable& v : family->structure.variables)
        if (v.values.size() > 1) varied.push_back(v.name + " of " + std::to_string(v.values.size()));
    EXPECT_EQ(varied, (std::vector<std::string>{"F of 5", "drop 2 of 5"})); // that of c, F + 1; the others are none
}

TEST(Family, PreferredValuesComeFirst) {
    const auto family = family_of(units_of("turing/mma.m16n8k8.f32.f16.f16.f32{zero={-130|ignore|emin}}"));
    ASSERT_TRUE(family);
    std::vector<std::vector<int>> varied;
    for (const Variable& v : family->structure.variables)
        if (v.values.size() > 1) varied.push_back(v.values);
    EXPECT_EQ(varied, (std::vector<std::vector<int>>{{ignore, -130, own}}));
}

TEST(Family, OtherFormsAndFramesAreNone) {
    const Unit volta = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32");
    for (const char* other : {"turing/mma.m16n8k8.f32.f16.f16.f32", "volta/mma.m8n8k4.f32.f16.f16.f32{c=late}",
                              "volta/mma.m8n8k4.f32.f16.f16.f32{c=last}", "volta/mma.m8n8k4.f32.f16.f16.f32{nan=any}",
                              "f16*f16+f32->f32 K=4 nan=7fffffff : round[f32 rz](fuse[F=23](c, p*))",
                              "f16*f16+f32->f32 K=4 nan=7fffffff : round[f32 rz](fuse[F=23](p(0::2), p(1::2), c))"}) {
        EXPECT_FALSE(same_skeleton(volta, resolve_unit(other))) << other;
        EXPECT_FALSE(family_of(std::vector{volta, resolve_unit(other)})) << other;
    }
    EXPECT_TRUE(same_skeleton(volta, resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32{F=30,round=rne,carry=2}")));
    EXPECT_FALSE(family_of({}));
    EXPECT_TRUE(family_of(units_of("volta/mma.m8n8k4.f32.f16.f16.f32{floor={-227..-100}}")));
    EXPECT_FALSE(family_of(units_of("volta/mma.m8n8k4.f32.f16.f16.f32{floor={-228..-100}}"))); // 129 values
}

} // namespace
} // namespace discern::parametric
