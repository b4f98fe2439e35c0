// Overrides: each key does what the table of keys says, on the trees it means something for.
#include "models/overrides.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/print_unit.hpp"

#include <gtest/gtest.h>

#include <map>

namespace discern::overrides_test {
namespace {

const std::string hopper = "hopper/wgmma.m64n8k16.f32.f16.f16";
const std::string cdna3 = "cdna3/v_mfma_f32_16x16x16_f16";
const std::string cdna3_fp8 = "cdna3/v_mfma_f32_16x16x32_fp8_fp8";
const std::string cdna2 = "cdna2/v_mfma_f32_16x16x16f16";
const std::string nvfp4 = "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3";

std::string tree(const std::string& unit) { return to_string(resolve_unit(unit).tree); }

std::string error_of(const std::string& unit) {
    try {
        resolve_unit(unit);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

std::string value(const std::string& unit, const std::string& key) {
    for (const auto& [name, text] : parameters(resolve_unit(unit)))
        if (name == key) return text;
    return "-";
}

TEST(Overrides, EachKeyChangesWhatItSays) {
    const std::string rho = "round[f32 rz overflow=inf zsign=pos usign=pos]";
    struct Case {
        std::string unit, tree;
    };
    const Case cases[] = {
        {hopper + "{F=24}", rho + "(fuse[F=24 rz floor=-133](p*, c))"},
        {hopper + "{F=exact,floor=none}", rho + "(fuse[exact](p*, c))"},
        {hopper + "{align=rd}", rho + "(fuse[F=25 rd floor=-133](p*, c))"},
        {hopper + "{zero=-126,floor=none}", rho + "(fuse[F=25 rz zero=-126](p*, c))"},
        {hopper + "{zero=emin}", rho + "(fuse[F=25 rz zero=emin floor=-133](p*, c))"},
        {hopper + "{carry=3}", rho + "(fuse[F=25 rz floor=-133 carry=3](p*, c))"},
        {hopper + "{sticky=yes,floor=none}", rho + "(fuse[F=25 rz sticky](p*, c))"},
        {hopper + "{sticky=no}", rho + "(fuse[F=25 rz floor=-133](p*, c))"},
        {hopper + "{frame=nonzero_c,opposed=nonzero,floor=none}",
         rho + "(fuse[F=25 rz frame=nonzero_c opposed=nonzero](p*, c))"},
        {hopper + "{step=8,phase=3,floor=none}", rho + "(fuse[F=25 rz step=8 phase=3](p*, c))"},
        {hopper + "{infnan=yes,infzero=yes,floor=none}", rho + "(fuse[F=25 rz](p*[infnan infzero], c))"},
        {hopper + "{nanzero=yes,floor=none}", rho + "(fuse[F=25 rz](p*[nanzero], c))"},
        {hopper + "{plus=yes}", rho + "(fuse[F=25 rz floor=-133 plus](p*, c))"},
        {hopper + "{product=carry}", rho + "(fuse[F=25 rz floor=-133](p*[carry], c))"},
        {hopper + "{limit=128}", rho + "(fuse[F=25 rz floor=-133](p*[limit=128], c))"},
        {hopper + "{operands=f32}", rho + "(fuse[F=25 rz floor=-133](p*[as=f32], c))"},
        {hopper + "{less=2}", rho + "(fuse[F=25 rz floor=-133](p*, c @[less=2]))"},
        {hopper + "{drop=26}", rho + "(fuse[F=25 rz floor=-133](p*, c @[drop=26]))"},
        {hopper + "{round=rne}", "round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=25 rz floor=-133](p*, c))"},
        {hopper + "{round=e8m13:rz}",
         "round[e8m13 rz overflow=inf zsign=pos usign=pos](fuse[F=25 rz floor=-133](p*, c))"},
        {hopper + "{overflow=max,zsign=ieee,usign=keep}",
         "round[f32 rz overflow=max](fuse[F=25 rz floor=-133](p*, c))"},
        {hopper + "{ftz=in+c+out}", "round[f32 rz overflow=inf ftz=result zsign=pos usign=pos](fuse[F=25 rz "
                                    "floor=-133](p*[ftz=pos], c[ftz=pos]))"},
        {hopper + "{ftz=in,fsign=in}", rho + "(fuse[F=25 rz floor=-133](p*[ftz], c))"},
        {hopper + "{c=late}", "round[f32 rne](fuse[exact](" + rho + "(fuse[F=25 rz floor=-133](p*)), c))"},
        {cdna3 + "{catalogue=paper,F=23}",
         "round[f32 rne overflow=inf zsign=pos](fuse[F=31 rd](fuse[F=23 rz](p*[limit=128]), c @[F=23]))"},
        {cdna3 + "{catalogue=paper,F2=30,sum=rz}",
         "round[f32 rne overflow=inf zsign=pos](fuse[F=30 rz](fuse[F=24 rz](p*[limit=128]), c @[F=24]))"},
        {cdna3 + "{limit=none,catalogue=paper}",
         "round[f32 rne overflow=inf zsign=pos](fuse[F=31 rd](fuse[F=24 rz](p*), c @[F=24]))"},
        {cdna3 + "{catalogue=paper,oinf=counts}",
         "round[f32 rne overflow=inf zsign=pos](fuse[F=31 rd](fuse[F=24 rz](p*[limit=128:counts]), c @[F=24]))"},
        // The special truncation of Algorithm 11 is at F + 1: it follows F unless it is given.
        {cdna3_fp8 + "{catalogue=paper,F=22}",
         "round[f32 rne overflow=inf zsign=pos](fuse[F=31 rd](fuse[F=22 rd](fuse[F=22 rz](p(0::2)[limit=128]), "
         "fuse[F=22 rz](p(1::2)[limit=128])), c @[F=22 drop=23]))"},
        {nvfp4 + "{catalogue=paper,G=8}", rho + "(fuse[F=35 rz zero=emin](g*[G=8], c @[zero=ignore]))"},
        // Since then F2 is the precision of the whole sum, and one place less than what the products' sum keeps.
        {cdna3 + "{F=23}", "round[f32 rne overflow=inf zsign=pos](round[e8m31 rd overflow=inf](fuse[F=32 rd zero=emin]("
                           "fuse[F=23 rz](p*[limit=128:counts]), c @[F=23])))"},
        {cdna3 + "{F2=30,sum=rz,zero=ignore}",
         "round[f32 rne overflow=inf zsign=pos](round[e8m30 rz overflow=inf](fuse[F=31 rz](fuse[F=24 rz](p*[limit=128:"
         "counts]), c @[F=24])))"},
        {cdna3 + "{round=rz,overflow=max}",
         "round[f32 rz overflow=max zsign=pos](round[e8m31 rd overflow=inf](fuse[F=32 "
         "rd zero=emin](fuse[F=24 rz](p*[limit=128:counts]), c @[F=24])))"},
        {cdna3_fp8 + "{drop=none}",
         "round[f32 rne overflow=inf zsign=pos](round[e8m31 rd overflow=inf](fuse[F=32 rd zero=emin](fuse[F=24 rd](fuse"
         "[F=24 rz](p(0::2)[limit=128:counts]), fuse[F=24 rz](p(1::2)[limit=128:counts])), c @[F=24])))"},
        {nvfp4 + "{G=8}", rho + "(fuse[F=35 rz zero=emin](g*[G=8 empty=-139], c @[zero=-139]))"},
        {nvfp4 + "{empty=emin,zero=ignore}", rho + "(fuse[F=35 rz](g*[G=16], c))"},
        {nvfp4 + "{empty=ignore}", rho + "(fuse[F=35 rz zero=emin](g*[G=16 empty=ignore], c @[zero=-139]))"},
        {"volta/mma.m8n8k4.f32.f16.f16.f16{as=f32}", rho + "(fuse[F=23 rz](p*, c[as=f32]))"},
    };
    for (const Case& c : cases) EXPECT_EQ(tree(c.unit), c.tree) << c.unit;
}

TEST(Overrides, ReadingsOfThePaper) {
    const Unit paper = resolve_unit(cdna2 + "{catalogue=paper}");
    EXPECT_EQ(value(cdna2, "zin"), "pos");
    EXPECT_EQ(value(cdna2 + "{catalogue=paper}", "zin"), "keep");
    EXPECT_EQ(resolve_unit(cdna2 + "{zin=keep}"), paper);
    EXPECT_EQ(resolve_unit(cdna2 + "{catalogue=paper,zin=pos}"), resolve_unit(cdna2));
    EXPECT_EQ(resolve_unit(cdna2 + "{catalogue=default}"), resolve_unit(cdna2));
    EXPECT_EQ(resolve_unit(cdna3 + "{catalogue=paper,K=32}").K, 32);
    EXPECT_EQ(resolve_unit(hopper + "{catalogue=paper}"), resolve_unit(hopper)); // the sources agree
    // A zero loses no sign that a flushed number keeps.
    EXPECT_EQ(resolve_unit(cdna2 + "{fsign=in+c+out}"), resolve_unit(cdna2 + "{catalogue=paper,fsign=in+c+out}"));
    EXPECT_NE(error_of(cdna3 + "{catalogue=book}").find("default or paper is right"), std::string::npos);
    EXPECT_NE(error_of("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p*, c)){catalogue=paper}").find("written out"),
              std::string::npos);
    EXPECT_NE(error_of(cdna3 + "{F2=exact}").find("whole number"), std::string::npos);
    EXPECT_NE(error_of(cdna3 + "{F2=53}").find("from 1 to 52"), std::string::npos);
    EXPECT_EQ(value(cdna3, "F2"), "31");
    EXPECT_EQ(value(cdna3 + "{F2=23}", "F2"), "23");
    EXPECT_NE(error_of(hopper + "{zin=pos}").find("flushes neither"), std::string::npos);
    EXPECT_NE(error_of(hopper + "{empty=-139}").find("no groups"), std::string::npos);
}

TEST(Overrides, BlocksAndChains) {
    const Unit longer = resolve_unit(hopper + "{K=64}");
    EXPECT_EQ(longer.K, 64);
    EXPECT_EQ(longer.L, 16);
    const Unit shorter = resolve_unit(hopper + "{K=8}");
    EXPECT_EQ(shorter.L, 8);
    const Unit both = resolve_unit(hopper + "{K=32,L=32}"); // in either order
    EXPECT_EQ(both.L, 32);
    EXPECT_EQ(both, resolve_unit(hopper + "{ L = 32 , K = 32 }"));
    EXPECT_EQ(resolve_unit(hopper + "{L=4}").blocks(), 4);
    const Unit last = resolve_unit(hopper + "{L=8,interleave=2,c=last}");
    EXPECT_EQ(last.place, AccumulatorPlace::last);
    EXPECT_EQ(last.interleave, 2);
    EXPECT_EQ(resolve_unit("hopper/mma.m16n8k32.f32.e4m3.e4m3.f32{c=early}").place, AccumulatorPlace::chained);
}

TEST(Overrides, LateAndBack) {
    for (const std::string& name : {hopper, cdna3, cdna3_fp8, nvfp4, std::string("cdna1/v_mfma_f32_16x16x16f16")}) {
        const Unit unit = resolve_unit(name);
        const Unit late = with_overrides(unit, "{c=late}");
        EXPECT_EQ(value(name + "{c=late}", "c"), "late") << name;
        EXPECT_EQ(with_overrides(late, "{c=late}"), late) << name;
        if (name == cdna3 || name == cdna3_fp8) continue; // early means the sum of the products there
        EXPECT_EQ(with_overrides(late, "{c=early}"), unit) << to_string(late);
    }
}

TEST(Overrides, PairsOfFtzAddMul) {
    const Unit two = resolve_unit(cdna2 + "{P=2}");
    EXPECT_EQ(two.L, 2);
    EXPECT_EQ(to_string(two.tree), tree("cdna2/v_mfma_f32_16x16x8bf16"));
    EXPECT_EQ(value(cdna2, "P"), "4");
    EXPECT_NE(error_of(hopper + "{P=2}").find("means nothing"), std::string::npos);
    EXPECT_NE(error_of(cdna2 + "{P=3}").find("power of two"), std::string::npos);
    // Groups, each rounded by itself: there are no products to add in pairs.
    const std::string of_groups =
        "e2m1*e2m1->f32 K=4 : round[f32 rne](fuse[exact](round[f32 rne](g0[G=2]), round[f32 rne](g1[G=2])))";
    EXPECT_NE(error_of(of_groups + "{P=2}").find("means nothing"), std::string::npos);
    EXPECT_EQ(value(of_groups, "P"), "-");
}

TEST(Overrides, BulkNormalisedUnitsFollowTheNumberOfProducts) {
    EXPECT_NE(tree("riscv/bna.f32.bf16.bf16{K=8}").find("F=26"), std::string::npos);
    EXPECT_NE(tree("riscv/bna.f32.bf16.bf16{K=5}").find("F=26"), std::string::npos);
    EXPECT_NE(tree("riscv/bna.f32.bf16.bf16{K=16}").find("F=27"), std::string::npos);
    EXPECT_NE(tree("riscv/bna.f32.bf16.bf16{K=1}").find("F=23"), std::string::npos);
    EXPECT_EQ(resolve_unit("riscv/bna.f32.bf16.bf16{K=16}").L, 16);
}

TEST(Overrides, ValuesReadBackAsOverrides) {
    // Giving a unit the values it has changes nothing.
    for (const CatalogueEntry& entry : catalogue()) {
        for (const auto& [key, text] : parameters(entry.unit)) {
            if (text.find(',') != std::string::npos) continue; // "emin, c ignore": no one value says it
            if (key == "K" && entry.architecture == "riscv") continue;
            const std::string braces = "{" + std::string(key) + "=" + text + "}";
            EXPECT_EQ(with_overrides(entry.unit, braces), entry.unit) << entry.name << braces;
        }
    }
}

TEST(Overrides, WrongOnesAreExplained) {
    struct Case {
        std::string unit, says;
    };
    const Case cases[] = {
        {hopper + "{f=24}", "did you mean F"},
        {hopper + "{flor=none}", "floor"},
        {hopper + "{F}", "key=value"},
        {hopper + "{F=}", "a whole number or exact"},
        {hopper + "{F=abc}", "override F=abc: a whole number or exact"},
        {hopper + "{F=24", "{key=value,…}"},
        {hopper + "{F=24}x", "{key=value,…}"},
        {hopper + "{F=24,F=25}", "given twice"},
        {hopper + "{F=99}", "0 to 64"},
        {hopper + "{L=5}", "does not divide"},
        {hopper + "{K=0}", "K=0 is out of range"},
        {hopper + "{F2=31}", "no two-level sum"},
        {hopper + "{G=8}", "no groups"},
        {hopper + "{align=up}", "rz, rd, ru, rne, rna, odd, ra, rnu, rnd, rnz or rno"},
        {hopper + "{round=f16:rz}", "not stored in d's format"},
        {hopper + "{round=f33:rz}", "there is no format 'f33'"},
        {hopper + "{ftz=in+}", "joined by +"},
        {hopper + "{fsign=in}", "flushes nothing"},
        {hopper + "{oinf=counts}", "no limit"},
        {hopper + "{nan=7f}", "NaN pattern"},
        {hopper + "{nan=3f800000}", "not a NaN"},
        {hopper + "{zero=low}", "ignore, emin or a whole number"},
        {hopper + "{F=exact,carry=3}", "carry needs every child"},
        {hopper + "{F=exact,sticky=yes}", "sticky needs every child"},
        {hopper + "{carry=3,sticky=yes}", "do not go together"},
        {hopper + "{frame=c,c=late}", "frame needs c"},
        {hopper + "{step=3}", "no power of two"},
        {hopper + "{step=4,phase=five}", "a whole number is right"},
        {hopper + "{sticky=1}", "no or yes is right"},
        {cdna2 + "{F=24}", "rounded one by one"},
        {nvfp4 + "{product=carry}", "sums groups"},
        {"x86/dpps{c=late}", "no accumulator"},
        {"x86/dpps{K=8}", "chained through c"},
    };
    for (const Case& c : cases)
        EXPECT_NE(error_of(c.unit).find(c.says), std::string::npos) << c.unit << "\n" << error_of(c.unit);
}

} // namespace
} // namespace discern::overrides_test
