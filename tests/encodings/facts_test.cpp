// What the encoder claims of numbers holds: of the arithmetics of the catalogue, of random trees, and of spaces, in
// which a fact has to hold for every choice.
#include "fact_walker.hpp"
#include "written_units.hpp"

#include "models/catalogue.hpp"
#include "models/differential.hpp"
#include "models/notation.hpp"
#include "models/random_tree.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern {
namespace {

using namespace tests;

/// The first claim that is false of a member of a space of units, on inputs of every family and at the ends of formats.
std::optional<std::string> false_claim(const std::vector<Unit>& units, std::uint64_t seed, int vectors,
                                       std::uint64_t* compared = nullptr) {
    const auto family = parametric::family_of(units);
    if (!family) return "no units of one form";
    FactWalker walker(*family);
    Random random(seed);
    for (std::size_t i = 0; i < units.size(); ++i) {
        const InputBits bits(units[i]);
        InputBuffer x;
        const auto check = [&]() -> std::optional<std::string> {
            const auto wrong = walker(i, x.inputs());
            if (!wrong) return std::nullopt;
            return *wrong + ": " + describe(units[i], x, 0, 0);
        };
        for (const discern::Family kind : families) {
            InputGenerator generator(units[i], kind, seed);
            for (int n = 0; n < vectors; ++n) {
                generator.next(x);
                if (auto wrong = check()) return wrong;
            }
        }
        for (int n = 0; n < 4 * vectors; ++n) {
            if (n % 2 == 0) bits.edges(random, x);
            // The same in all elements: sums are as large as they can be.
            std::fill(x.a.begin(), x.a.end(), x.a.front());
            std::fill(x.b.begin(), x.b.end(), x.b.front());
            if (auto wrong = check()) return wrong;
        }
    }
    if (compared != nullptr) *compared += walker.compared();
    return std::nullopt;
}

TEST(Facts, HoldForTheCatalogue) {
    std::set<std::uint64_t> seen;
    std::uint64_t compared = 0;
    for (const CatalogueEntry& entry : catalogue()) {
        if (!seen.insert(arithmetic_hash(entry.unit)).second) continue;
        const auto wrong = false_claim({entry.unit}, 1, entry.unit.a == FormatId::f64 ? 1 : sweep(3), &compared);
        EXPECT_FALSE(wrong) << entry.name << ": " << *wrong;
    }
    EXPECT_GT(compared, 100000u);
}

TEST(Facts, HoldForRandomTrees) {
    for (int n = 0; n < sweep(400); ++n) {
        UnitGenerator generator(static_cast<std::uint64_t>(n), n % 2 == 0, n % 3 == 0);
        const auto wrong = false_claim({generator.next()}, static_cast<std::uint64_t>(n), 6);
        EXPECT_FALSE(wrong) << "seed " << n << ": " << *wrong;
    }
}

/// Spaces whose choices are what facts are made of: a fact has to hold for each of them.
const char* const spaces[] = {
    "e4m3*e4m3+f16->f32 K=2 : round[f32 rne](fuse[{F=0|F=3|F=12|F=25|exact}](p* @[{rz|ru|rna|odd}], c))",
    "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[rz sticky](p*@[F={2|9|20}], c@[F={3|8|24}]))",
    "e5m2*e5m2+f16->f16 K=2 L=1 : round[f16 rz](fuse[F={2|9|20} rd {sticky|carry=0|carry=1}](p*, c))",
    "e4m3*e4m3+f16->f16 K=3 : round[f16 rne](fuse[F={3|8} rz frame={none|c|nonzero_c}](p*, c @[less={0|1|2}]))",
    "e4m3*e5m2+f32->f32 K=2 : round[f32 rne](fuse[F=9 zero={emin|-3}](p*[{raw|carry|full} {|ftz|ftz=pos}], c))",
    "e4m3*e4m3+f16->f16 K=2 : round[f16 rne](fuse[F=7 zero={ignore|emin|-20}](p*[{|limit=3|limit=9}], "
    "c[{ftz|as=f32}]))",
    "e2m1*e2m1+f32->f32 K=4 scale=ue4m3/4 : round[f32 rne](fuse[{F=9|F=30|exact}](p*[{raw|full} {|limit=12}], c))",
    "e2m1*e2m1+f32->f32 K=4 scale=e8m0/4 : round[f32 rz](fuse[F={9|30} zero={ignore|emin}](g*[G=2 empty={-9|emin}], "
    "c))",
    "e4m3*e4m3+f32->f32 K=4 : round[f32 {rz|odd|ru} overflow={inf|max} "
    "{|ftz=before|ftz=after}](fuse[F=12](fuse[F={5|25} "
    "{rz|ru}](p*) @[{|drop=9}], c @[{|drop=24}]))",
    "e2m1*e2m1+f32->f32 K=4 scale=ue4m3/4 : round[f32 rne](fuse[F=30](p*[{raw|full}] @[less={0|3}], c))",
    "e2m1*e2m1+f32->f32 K=4 scale=ue4m3/4 : round[f32 rne](fuse[{F=9|F=30|exact}](round[{f32|tf32} "
    "{rne|rz}](fuse[F=7](p*)) @[scaled {zero=emin|drop=9}], c))",
    "e4m3*e4m3+f16->f32 K=4 : round[f32 rne](fuse[F=12](fuse[F={5|25}](p*) @[less={0|2}], c @[less={0|4}]))",
    "e5m2*e2m1+f32->f32 K=1 : round[f32 rz](fuse[exact](round[fix40.20 {rz|ru}](p0), c))",
    "e4m3*e5m2+f32->f32 K=2 : round[f32 rne](fuse[F=9 zero={emin|ignore}](p*[{raw|carry|full} {as=f16|as=bf16}], c))",
    "e4m3*e4m3+f16->f32 K=4 L=2 : round[{f32|tf32|e8m13} {rz|ru}](fuse[F=12 {|step=4} {|floor=-8}](p*, c))",
};

TEST(Facts, HoldForEveryMemberOfSpaces) {
    for (const char* const text : spaces) {
        std::vector<Unit> units;
        for (const std::string& one : written_out(text)) units.push_back(parse_unit(one));
        const auto wrong = false_claim(units, 7, sweep(4));
        EXPECT_FALSE(wrong) << text << ": " << *wrong;
    }
}

// A claim that is never made, or never of a number that it could be false of, compares nothing.
TEST(Facts, AreAllCompared) {
    std::set<std::string> names;
    for (const FactClaim& claim : fact_claims()) EXPECT_TRUE(names.insert(claim.field).second) << claim.field;
    EXPECT_EQ(names.size(), 23u);
}

} // namespace
} // namespace discern
