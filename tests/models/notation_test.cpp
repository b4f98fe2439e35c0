// The notation: what is printed reads back, what is wrong is pointed at.
#include "models/notation.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/print_unit.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace discern {
namespace {

std::string error_of(const std::string& text) {
    try {
        parse_unit(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(Notation, EveryCatalogueUnitReadsBack) {
    for (const CatalogueEntry& entry : catalogue()) {
        const std::string line = to_string(entry.unit);
        EXPECT_EQ(parse_unit(line), entry.unit) << entry.name << "\n" << line;
        EXPECT_EQ(to_string(parse_unit(line)), line);
    }
}

TEST(Notation, DocumentedExample) {
    const Unit unit =
        parse_unit("f16*f16+f32->f32 K=16 L=16 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos]"
                   "(fuse[F=25 rz floor=-133](p*, c))");
    EXPECT_EQ(unit, resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16"));
    EXPECT_EQ(unit.K, 16);
    EXPECT_EQ(unit.nan.bits, 0x7fffffffu);
}

TEST(Notation, DefaultsAndWhiteSpace) {
    const Unit terse = parse_unit("f16*f16+f32->f32 K=4:round[f32 rne](fuse[exact](p*,c))");
    const Unit wide = parse_unit(
        "  fp16 * fp16 + fp32 -> fp32  K=4 L=4 nan=any :\n round [f32 rne overflow=ieee zsign=ieee usign=keep ftz=none]"
        " ( fuse [ exact rz ] ( p * , c ) ) ");
    EXPECT_EQ(terse, wide);
}

/// The grammar of the page and the reader of the formal definition are given the same lines (tests/docs/grammar.py,
/// script/formal).
TEST(Notation, SpellingsAreReadAsThePageSays) {
    std::ifstream lines(DISCERN_TEST_DATA "/spellings.txt");
    std::size_t read = 0, refused = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) continue;
        const std::size_t arrow = line.find("  =>  ");
        ASSERT_NE(arrow, std::string::npos) << line;
        const std::string spelling = line.substr(0, arrow), expected = line.substr(arrow + 6);
        if (expected == "refused" || expected == "not allowed") {
            EXPECT_NE(error_of(spelling), "no error") << spelling;
            ++refused;
        } else {
            EXPECT_EQ(to_string(parse_unit(spelling)), expected) << spelling;
            ++read;
        }
    }
    EXPECT_GT(read, 40u);
    EXPECT_GT(refused, 20u);
}

TEST(Notation, EveryConstructReadsBack) {
    const char* lines[] = {
        "f16*f16+f32->f32 K=4 L=4 nan=any : round[f32 rne](fuse[F=24 rd zero=-126 floor=-133 carry=3](p*[full], c))",
        "f16*f16+f32->f32 K=8 L=4 nan=any : round[f32 rne](fuse[F=24 rz](p(0::2)[limit=128:counts], p(1::2)[carry], c "
        "@[exact drop=7 less=2]))",
        "e4m3*e5m2+f16->f16 K=32 L=16 interleave=2 c=last nan=7fff : round[f16 rne](fuse[F=25 rz zero=emin](p*, c "
        "@[zero=ignore]))",
        "e2m1*e2m1+f32->f32 K=2 L=2 scale=e8m0/2 nan=any : round[f32 rne](fuse[exact](round[f32 rz](fuse[F=25 rz](p*)) "
        "@[scaled], c))",
        "e2m1*e2m1+f32->f32 K=2 L=2 scale=e8m0/2 nan=any : round[f32 rne](fuse[exact](round[f32 rz](fuse[exact]("
        "round[f32 rz](fuse[F=25 rz](p*)) @[scaled=b])) @[scaled=a], c))",
        "e2m1*e2m1+f32->f32 K=64 L=64 scale=ue4m3/16 nan=any : round[f32 rz](fuse[F=35 rz zero=emin](g*[G=16], c "
        "@[zero=ignore]))",
        "f16*f16+f16->f32 K=4 L=4 nan=x86 : round[f32 rne ftz=after:pos](fuse[exact](c[as=f32 ftz=pos], round[f16 "
        "odd](p0[ftz]), p1, p2, p3))",
        "bf16*bf16+f32->f32 K=2 L=2 nan=any : round[e8m13 ru overflow=max](fuse[F=31 rd](fuse[F=24 rz](p*) @[zero=-5], "
        "c @[F=24 rna]))",
        "f16*f16+f32->f32 K=4 L=4 nan=any : round[f32 rne ftz=result](fuse[F=25 rz floor=-126 sticky](p*, c))",
        "f32*f32->f32 K=4 L=4 nan=7f800001 : round[f32 rne](fuse[F=23 rz](fuse[F=25 rz plus](p*)))",
        "f16*f16+f32->f32 K=2 L=2 nan=any : round[f32 rne](fuse[F=24 rz frame=c opposed=kept](p*, c))",
        "f16*f16+f32->f32 K=2 L=2 nan=any : round[f32 rne](fuse[F=24 rz carry=2 frame=c_or_plus](p*, c[ftz]))",
        "f16*f16+f32->f32 K=2 L=2 nan=any : round[f32 rne](fuse[F=24 rz step=4 phase=2](p*, c))",
        "e5m2*e5m2->f32 K=2 L=2 nan=any : round[f32 rne](fuse[exact](p*[limit=128 ftz infnan nanzero infzero]))",
        "e4m3*e5m2+f32->f32 K=2 L=2 nan=any : round[f32 rne](fuse[F=25 rz](p*[carry as=f16 ftz=pos infnan], c))",
        "f16*f16->f32 K=8 L=1 nan=any : round[f32 rne](fuse[exact](p*, c))",
        "f32*f32->f32 K=2 L=2 nan=any : round[f32 rne](fuse[exact](round[f32 rne](p0), round[f32 rne](p1)))",
    };
    for (const char* line : lines) EXPECT_EQ(to_string(parse_unit(line)), line);
}

TEST(Notation, OverridesMayFollow) {
    EXPECT_EQ(to_string(parse_unit("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=23 rz](p*, c)) {F=24,round=rne}")),
              "f16*f16+f32->f32 K=4 L=4 nan=any : round[f32 rne](fuse[F=24 rz](p*, c))");
}

TEST(Notation, ErrorsPointAtThePlace) {
    struct Case {
        const char* text;
        const char* column; ///< where
        const char* says;   ///< what was expected, or found
    };
    const Case cases[] = {
        {"f17*f16+f32->f32 K=4 : p0", "column 1:", "format of a"},
        {"f16 f16+f32->f32 K=4 : p0", "column 5:", "'*'"},
        {"f16*f16+f32=>f32 K=4 : p0", "column 12:", "'->'"},
        {"f16*f16+f32->f32 K=x : p0", "column 20:", "whole number for K"},
        {"f16*f16+f32->f32 J=4 : p0", "column 18:", "K="},
        {"f16*f16+f32->f32 : p0", "column 18:", "K="},
        {"f16*f16+f32->f32 K=4 nan=7fff : p0", "column 26:", "NaN pattern"},
        {"f16*f16+f32->f32 K=4 : rnd[f32 rz](p0)", "column 24:", "a node"},
        {"f16*f16+f32->f32 K=4 : round(p0)", "column 29:", "[FORMAT MODE]"},
        {"f16*f16+f32->f32 K=4 : round[f32 rx](p0)",
         "column 34:", "rz, rd, ru, rne, rna, odd, ra, rnu, rnd, rnz or rno"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz sign=pos](p0)", "column 37:", "zsign="},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[G=4](p*, c))", "column 43:", "floor=n"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse(p*, c))", "column 45:", "'@[F=n]'"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p*, c)", "the end of the line", "')'"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p*, c)) x", "column 57:", "the end of the line"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p(0:2), c))", "column 53:", "'::'"},
        {"", "column 1:", "format of a"},
    };
    for (const Case& c : cases) {
        const std::string message = error_of(c.text);
        EXPECT_NE(message.find(c.column), std::string::npos) << c.text << "\n" << message;
        EXPECT_NE(message.find(c.says), std::string::npos) << c.text << "\n" << message;
    }
}

TEST(Notation, WordsThatPeopleExpectAreRefusedWithWhatThereIs) {
    for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
             {"fix8.0*fix8.0->fix32.0 K=1 : round[fix32.0 rz overflow=wrap](p*)", "wraps by carry= of its fuse"},
             {"f16*f16->f16 K=1 : round[f16 sr](p*)", "its random bits would be an operand"}}) {
        try {
            parse_unit(text);
            ADD_FAILURE() << text << " was accepted";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    }
}

TEST(Notation, ImpossibleUnitsAreRefusedWithAReason) {
    struct Case {
        const char* text;
        const char* says;
    };
    const Case cases[] = {
        {"f16*f16+f32->f32 K=6 L=4 : round[f32 rz](fuse[F=24](p*, c))", "L=4 does not divide K=6"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=65](p*, c))", "F=65 is out of range: 0 to 64"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p0, p1, p2, c))", "element 3 of the block is nowhere"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p*, p0, c))", "element 0 of the block is in the tree twice"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p*, p7, c))", "p0 to p3"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p*))", "the formats have c"},
        {"f16*f16->f32 K=8 L=4 : round[f32 rz](fuse[F=24](p*))", "chained through c"},
        {"f16*f16+f32->f32 K=4 : fuse[F=24](p*, c)", "must be a round"},
        {"f16*f16+f32->f32 K=4 : round[f16 rz](fuse[F=24](p*, c))", "ends in f16"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[exact carry=3](p*, c))", "carry needs every child"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[exact sticky](p*, c))", "sticky needs every child"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=25 sticky carry=2](p*, c))",
         "sticky and carry do not go together"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=25 sticky=no](p*, c))", "yes for sticky is expected"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=25 frame=c](p*, c @[drop=3]))", "none with drop"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=25 frame=c sticky](p*, c))", "no sticky"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[exact](fuse[F=25 frame=c](p*), c))", "needs c and products"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=25 opposed=kept](p*, c))", "frame=c is missing"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=25 step=6](p*, c))", "no power of two"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=25 step=4 phase=4](p*, c))", "not below the step"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=25 phase=1](p*, c))", "step, which is missing"},
        {"f16*f16->f32 K=4 L=2 : round[f32 rz](fuse[exact](p*))", "+0 in the first block"},
        {"f16*f16+f32->f32 K=4 : round[f32 rz](p*)", "round takes one child"},
        {"f16*f16+f32->f32 K=4 nan=3f800000 : round[f32 rz](fuse[F=24](p*, c))", "not a NaN of f32"},
        {"e2m1*e2m1+f32->f32 K=64 scale=ue4m3/16 : round[f32 rz](fuse[F=24](g*[G=32], c))",
         "does not divide the scale block"},
        {"e2m1*e2m1+f32->f32 K=4 : round[f32 rz](fuse[F=24](g*[G=2 empty=2501], c))",
         "empty=2501 is out of range: -2500 to 2500"},
        {"e2m1*e2m1+f32->f32 K=4 : round[f32 rz](fuse[F=24](g*[G=2 empty=-2501], c))", "-2500 to 2500"},
        {"e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[exact](round[f32 rz](fuse[exact](p*)) @[scaled]))",
         "the unit has none; scale=FORMAT/n is missing"},
        {"e2m1*e2m1->f32 K=2 scale=e8m0/2 : round[f32 rz](fuse[exact](p* @[scaled]))", "a child that is a round"},
        {"e2m1*e2m1->f32 K=2 scale=e8m0/1 : round[f32 rz](fuse[exact](round[f32 rz](fuse[exact](p*)) @[scaled]))",
         "elements 0 and 1 are in one sum that is scaled"},
        {"e2m1*e2m1->f32 K=4 L=2 scale=e8m0/3 : round[f32 rz](fuse[exact](round[f32 rz](fuse[exact](p*)) @[scaled], "
         "c))",
         "elements 2 and 3 are in one sum that is scaled"},
        {"e2m1*e2m1->f32 K=2 scale=e8m0/2 : round[f32 rz](fuse[exact](round[f32 rz](p0) @[scaled], p1))",
         "some products are below scaled"},
        {"e2m1*e2m1+f32->f32 K=2 scale=e8m0/2 : round[f32 rz](fuse[exact](round[f32 rz](fuse[exact](p*, c)) "
         "@[scaled]))",
         "c is below scaled"},
        {"e2m1*e2m1->f32 K=1 scale=e8m0/1 : round[f32 rz](fuse[exact](round[f32 rz](fuse[exact](round[f32 rz](p*) "
         "@[scaled])) @[scaled]))",
         "scaled is within scaled"},
        {"e2m1*e2m1->f32 K=1 scale=e8m0/1 : round[f32 rz](fuse[exact](round[f32 rz](fuse[exact](round[f32 rz](p*) "
         "@[scaled=a])) @[scaled=a]))",
         "scaled is within scaled"},
        {"e2m1*e2m1->f32 K=1 scale=e8m0/1 : round[f32 rz](fuse[exact](round[f32 rz](fuse[exact](round[f32 rz](p*) "
         "@[scaled=b])) @[scaled]))",
         "scaled is within scaled"},
        {"e2m1*e2m1->f32 K=1 scale=e8m0/1 : round[f32 rz](fuse[exact](round[f32 rz](p*) @[scaled=a]))",
         "below scaled=a and not below scaled=b"},
        {"e2m1*e2m1->f32 K=2 scale=e8m0/2 : round[f32 rz](fuse[exact](round[f32 rz](p0) @[scaled=a], round[f32 rz](p1) "
         "@[scaled=b]))",
         "below scaled=a and not below scaled=b"},
        {"e2m1*e2m1->f32 K=2 scale=e8m0/2 : round[f32 rz](fuse[exact](round[f32 rz](fuse[exact](round[f32 rz](p0) "
         "@[scaled=a])) @[scaled=b], p1))",
         "some products are below scaled"},
        {"f16*f16->f32 K=1 scale=e8m0/1 nan=rdna : round[f32 rz](fuse[exact](round[f32 rz](p*) @[scaled]))",
         "nan=rdna does not say"},
        {"e8m0*e2m1+f32->f32 K=4 : round[f32 rz](fuse[F=24](p*, c))", "a cannot be e8m0"},
        {"f16*f16+e2m1->e2m1 K=4 : round[e2m1 rz](fuse[F=24](p*, c))", "which has no NaN"},
        {"f16*f16+f32->f32 K=24 L=8 interleave=2 : round[f32 rz](fuse[F=24](p*, c))", "K must be a multiple of 2L"},
    };
    for (const Case& c : cases)
        EXPECT_NE(error_of(c.text).find(c.says), std::string::npos) << c.text << "\n" << error_of(c.text);
}

TEST(Notation, HostileTextIsRefusedQuickly) {
    EXPECT_NE(error_of(std::string(100000, 'x')).find("too long"), std::string::npos);
    std::string deep = "f16*f16+f32->f32 K=4 : ";
    for (int i = 0; i < 2000; ++i) deep += "round[f32 rz](";
    EXPECT_NE(error_of(deep).find("levels"), std::string::npos);
    EXPECT_NE(error_of("f16*f16+f32->f32 K=99999999999 : p0").find("whole number"), std::string::npos);
    EXPECT_NE(error_of(std::string("f16\0*", 5)).find("column 4"), std::string::npos);
}

TEST(Hash, SameArithmeticSameHash) {
    const auto hash = [](const char* text) { return arithmetic_hash(resolve_unit(text)); };
    EXPECT_EQ(hash("hopper/wgmma.m64n8k16.f32.f16.f16"), hash("blackwell/tcgen05.mma.m64n8k16.f32.f16.f16"));
    EXPECT_EQ(hash("hopper/wgmma.m64n8k16.f32.f16.f16"), hash("hopper/mma.m16n8k16.f32.f16.f16.f32"));
    EXPECT_NE(hash("hopper/wgmma.m64n8k16.f32.f16.f16"), hash("ampere/mma.m16n8k16.f32.f16.f16.f32"));
    EXPECT_NE(hash("hopper/wgmma.m64n8k16.f32.f16.f16"), hash("hopper/wgmma.m64n8k16.f32.f16.f16{floor=none}"));
    // The order of children of a fuse, and how leaves are written, do not matter …
    EXPECT_EQ(hash("f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=24](p*, c))"),
              hash("f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=24](c, p1, p0))"));
    // … except where NaN payloads tell it.
    EXPECT_NE(hash("f32*f32+f32->f32 K=1 nan=x86 : round[f32 rz](fuse[F=24](p*, c))"),
              hash("f32*f32+f32->f32 K=1 nan=x86 : round[f32 rz](fuse[F=24](c, p*))"));
    // A shape is not arithmetic, K is.
    EXPECT_NE(hash("hopper/mma.m16n8k16.f32.f16.f16.f32"), hash("hopper/mma.m16n8k8.f32.f16.f16.f32"));
}

TEST(Hash, IsStable) {
    // The same on every platform and in every version with the same notation: stores of answers are keyed by it.
    EXPECT_EQ(canonical_text(parse_unit("f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=24 floor=-133](p*, c))")),
              "f16*f16+f32->f32 K=2 L=2 nan=any : round[f32 rz](fuse[floor=-133](c @[F=24 rz], p0 @[F=24 rz], p1 "
              "@[F=24 rz]))");
    EXPECT_EQ(arithmetic_hash(parse_unit("f16*f16+f32->f32 K=2 : round[f32 rz](fuse[F=24 floor=-133](p*, c))")),
              2914522991720694294u);
}

} // namespace
} // namespace discern
