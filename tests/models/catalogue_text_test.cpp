// The catalogue's text: what a line means, a GPU that is added by lines alone, and what is said of wrong ones.
#include "models/catalogue/text.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/products.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern::catalogue_text {
namespace {

TEST(CatalogueText, ANewGpuIsLinesAlone) {
    const File file = read("new.units", R"(# A GPU of tomorrow.
let fp8 = e4m3|e5m2
let sum = round[f32 rz](fuse[F=25 rz](p*, c))

on tomorrow overmorrow
family T-FDPA
mma.m16n8k16.f32.{A=$fp8}.{B=$fp8} : $A*$B+f32->f32 K=16 L=16 nan=any : $sum
  paper : $A*$B+f32->f32 K=16 L=8 nan=any : $sum
remark slower
dot.{A=h:f16|b:bf16} : $A*$A+f32->f32 K=4 nan=any : $sum
on overmorrow
remark
bulk : f16*f16+f32->f32 K=8 nan=any : round[f32 odd](fuse[F=26 odd](p*, c))
  any K : f16*f16+f32->f32 K=# L=# nan=any : round[f32 odd](fuse[F=23+log2# odd](p*, c))
products T1, T2 Max : tomorrow : 13.0 : its maker
evidence F L : tomorrow/mma.*.{e4m3.e5m2|e5m2.e4m3} : silicon : measured: on a T1
evidence * : * : open : not seen
)");
    ASSERT_EQ(file.units.size(), 13U);
    const std::vector<std::string> names = {"mma.m16n8k16.f32.e4m3.e4m3",
                                            "mma.m16n8k16.f32.e4m3.e5m2",
                                            "mma.m16n8k16.f32.e5m2.e4m3",
                                            "mma.m16n8k16.f32.e5m2.e5m2",
                                            "dot.h",
                                            "dot.b"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(file.units[i].architecture, "tomorrow");
        EXPECT_EQ(file.units[i].instruction, names[i]);
        EXPECT_EQ(file.units[i + names.size()].architecture, "overmorrow");
        EXPECT_EQ(file.units[i + names.size()].instruction, names[i]);
    }
    const UnitLine& mixed = file.units[1];
    EXPECT_EQ(mixed.unit, parse_unit("e4m3*e5m2+f32->f32 K=16 nan=any : round[f32 rz](fuse[F=25 rz](p*, c))"));
    EXPECT_EQ(parse_unit(mixed.paper),
              parse_unit("e4m3*e5m2+f32->f32 K=16 L=8 nan=any : round[f32 rz](fuse[F=25 rz](p*, c))"));
    EXPECT_EQ(mixed.remark, "");
    EXPECT_EQ(file.units[5].remark, "slower");
    EXPECT_EQ(file.units[5].unit.a, FormatId::bf16);
    const UnitLine& bulk = file.units[12];
    EXPECT_EQ(unit_for(bulk, 8), bulk.unit);
    EXPECT_EQ(unit_for(bulk, 5), parse_unit("f16*f16+f32->f32 K=5 nan=any : round[f32 odd](fuse[F=26 odd](p*, c))"));
    EXPECT_EQ(unit_for(bulk, 1), parse_unit("f16*f16+f32->f32 K=1 nan=any : round[f32 odd](fuse[F=23 odd](p*, c))"));
    EXPECT_THROW(unit_for(mixed, 4), Error);
    ASSERT_EQ(file.products.size(), 2U);
    EXPECT_EQ(file.products[1].name, "T2 Max");
    EXPECT_EQ(file.products[1].capability, "13.0");
    ASSERT_EQ(file.evidence.size(), 2U);
    EXPECT_EQ(file.evidence[0].keys, " F L ");
    EXPECT_EQ(file.evidence[0].source, "measured: on a T1");
    EXPECT_TRUE(fits(file.evidence[0].names[1], "tomorrow/mma.m16n8k16.f32.e5m2.e4m3"));
    EXPECT_FALSE(fits(file.evidence[0].names[1], "tomorrow/mma.m16n8k16.f32.e4m3.e4m3"));
    EXPECT_FALSE(fits(file.evidence[0].names[1], "overmorrow/mma.m16n8k16.f32.e5m2.e4m3"));
}

TEST(CatalogueText, AWrongLineIsNamed) {
    const std::string good = "on x\nfamily FMA\n", unit = "f16*f16+f32->f32 K=1 : round[f32 rne](fuse[exact](p*, c))\n";
    const struct {
        std::string text, said;
    } cases[] = {
        {"i : " + unit, "t:1: a unit before the first architecture; on NAME … comes first"},
        {"on x\ni : " + unit, "t:2: a unit before the first family; family TEXT comes first"},
        {"on\n", "t:1: an architecture is missing; on NAME … is right"},
        {good + "i is f16\n", "t:3: 'i is f16' is no line of a catalogue; INSTRUCTION : NOTATION is right"},
        {good + "i : f16*f16 K=1\n", "t:3: i: "},
        {good + "i.{a|b : " + unit, "t:3: '{' is not closed"},
        {good + "i : $nix*f16 K=1\n", "t:3: there is no '$nix' above; let nix = … is right"},
        {good + "i : $A*f16 K=1\n", "t:3: there is no '$A' above"},
        {"let x\n", "t:1: let NAME = TEXT is right"},
        {good + "  paper : " + unit, "t:3: there is no unit above of which paper could be said"},
        {good + "i : " + unit + "  papers : " + unit,
         "says nothing of the unit above; paper : NOTATION or any K : NOTATION is right"},
        {good + "i : " + unit + "  paper : f16\n", "t:4: i: "},
        {"evidence F : * : paper\n", "t:1: evidence KEY … : NAME … : KIND : SOURCE is right"},
        {"evidence F : * : silicone : s\n", "t:1: 'silicone' is no kind of evidence (did you mean silicon?)"},
        {"products X : x : 1\n", "t:1: products NAME, … : ARCHITECTURE : CAPABILITY : SOURCE is right"},
        {good + "{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b} : " + unit,
         "t:3: the braces have too many choices"},
    };
    for (const auto& c : cases) {
        std::string said;
        try {
            read("t", c.text);
        } catch (const Error& error) {
            said = error.what();
        }
        EXPECT_NE(said.find(c.said), std::string::npos) << c.text << said;
    }
}

/// No line speaks of nothing.
TEST(CatalogueText, EveryLineOfEvidenceAndEveryProductHasAUnit) {
    std::set<std::string> architectures;
    for (const CatalogueEntry& entry : catalogue()) architectures.insert(entry.architecture);
    for (const File& file : files()) {
        for (const EvidenceLine& line : file.evidence) {
            bool any = false;
            for (const UnitLine& unit : file.units)
                for (const std::string& name : line.names)
                    any = any || fits(name, unit.architecture + "/" + unit.instruction);
            EXPECT_TRUE(any) << line.keys << ": " << line.names.front() << ": " << line.source;
        }
        for (const SoldProduct& product : file.products)
            EXPECT_TRUE(architectures.contains(product.architecture)) << product.name;
    }
}

} // namespace
} // namespace discern::catalogue_text
