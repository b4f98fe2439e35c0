// The units around a unit: each differs from it, in one parameter.
#include "models/space.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/overrides.hpp"
#include "models/shape.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace discern {
namespace {

std::set<std::string> texts_around(const std::string& unit) {
    std::set<std::string> texts;
    for (const Member& member : members_around(unit)) texts.insert(member.text);
    return texts;
}

TEST(Around, EachDiffersInOneParameter) {
    for (const CatalogueEntry& entry : catalogue()) {
        const auto all = members_around(entry.name);
        EXPECT_EQ(all.front().text, entry.name);
        EXPECT_GT(all.size(), 5u) << entry.name;
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_EQ(difference(shape_of(all[i].unit), shape_of(entry.unit)), "") << all[i].text;
            EXPECT_EQ(resolve_unit(all[i].text), all[i].unit) << all[i].text;
            for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(all[i].unit == all[j].unit) << all[i].text;
        }
    }
}

TEST(Around, NumbersAreOneLessAndOneMoreAndWordsAllOthers) {
    const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32"; // F=23, rz, L=4 of K=4
    const auto texts = texts_around(volta);
    for (const char* setting : {"F=22", "F=24", "F=exact", "align=rne", "align=rd", "align=ru", "align=rna",
                                "align=odd", "L=2", "c=late", "round=f32:rne", "product=carry", "ftz=in", "ftz=c",
                                "ftz=out", "zsign=ieee", "floor=-126", "zero=emin", "nan=7fc00000"})
        EXPECT_TRUE(texts.contains(volta + "{" + setting + "}")) << setting;
    for (const char* setting : {"F=23", "F=21", "L=8", "K=8", "align=rz", "nan=any"})
        EXPECT_FALSE(texts.contains(volta + "{" + setting + "}")) << setting;
    // An override stays, unless it is the one that changes.
    const auto of_override = texts_around(volta + "{F=20,align=rne}");
    EXPECT_TRUE(of_override.contains(volta + "{align=rne,F=21}"));
    EXPECT_TRUE(of_override.contains(volta + "{F=20,align=rz}"));
    EXPECT_THROW(members_around("volta/none"), Error);
    // A product's unit, and one that is written out.
    EXPECT_TRUE(texts_around("V100/f16").contains("V100/f16{F=24}"));
    const std::string tree = "f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=23 rz](p*, c))";
    EXPECT_TRUE(texts_around(tree).contains(tree + "{F=24}"));
}

TEST(Space, AUnitWithAChoiceIsOne) {
    EXPECT_TRUE(has_choices("A100/f16{F={20..22}}"));
    EXPECT_TRUE(has_choices("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=23 rz](p*, c)){zero=emin,F={20|22}}"));
    EXPECT_FALSE(has_choices("A100/f16{F=20,align=rne}"));
    EXPECT_FALSE(has_choices("A100/f16"));
}

} // namespace
} // namespace discern
