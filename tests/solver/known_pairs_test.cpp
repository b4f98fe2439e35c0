// Pairs of units that nearly are, or nearly are not, the same. Each was once a counterexample to a rule that was too
// bold, or lies at the threshold of one that was right. The one decision procedure has to know all of them.
#include "solver/decide/discriminate.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace discern::known_pairs_test {
namespace {

/// Inputs on which the units differ, and the first one's result.
struct Shown {
    std::vector<std::uint64_t> a, b;
    std::uint64_t c = 0, d = 0;
    std::vector<std::uint64_t> sa = {}, sb = {};
};

struct Pair {
    std::string why, first, second;
    Verdict verdict;
    std::optional<Shown> shown = std::nullopt;
    bool slow = false; ///< not answered soon: asked only in sweeps, where unknown is an answer
};

constexpr Verdict same = Verdict::equivalent, differ = Verdict::different;

const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32", hopper = "hopper/wgmma.m64n8k16.f32.f16.f16",
                  bf16 = "hopper/wgmma.m64n8k16.f32.bf16.bf16", e5m2 = "hopper/wgmma.m64n8k32.f16.e5m2.e5m2",
                  wide = "hopper/wgmma.m64n8k32.f32.e5m2.e5m2", cdna3 = "cdna3/v_mfma_f32_16x16x32_fp8_fp8";

Pair variants(const std::string& why, const std::string& base, const std::string& one, const std::string& other,
              Verdict verdict) {
    return {why, base + one, base + other, verdict};
}

Pair slow(Pair pair) {
    pair.slow = true;
    return pair;
}

/// Floors, the exponents of zeros, and roundings without effect, of units of the catalogue.
const std::vector<Pair> of_the_catalogue = {
    variants("products are at least 2^-252", bf16, "{carry=4,floor=none}", "{carry=4,floor=-252}", same),
    slow(variants("… and E itself counts, with carry bits, but no sum fills them there", bf16, "{carry=4,floor=none}",
                  "{carry=4,floor=-251}", same)),
    variants("products of subnormal numbers have a bit of 2^-266", bf16, "{carry=4,product=full,floor=none}",
             "{carry=4,product=full,floor=-266}", same),
    variants("… but no place of d", bf16, "{carry=4,product=full,floor=none}", "{carry=4,product=full,floor=-265}",
             same),
    variants("… until a floor cuts what d would show", bf16, "{carry=4,product=full,floor=none}",
             "{carry=4,product=full,floor=-140}", differ),
    variants("products of bf16 are below c", bf16, "{floor=none}", "{floor=-133}", differ),
    variants("c has no exponent below -126", hopper, "{floor=none}", "{floor=-133}", same),
    variants("… nor have the blocks of a shorter unit", hopper, "{K=8}", "{K=8,floor=none}", same),
    variants("a zero c that always counts is a floor", bf16, "{floor=-133,zero=ignore}", "{floor=none,zero=-133}",
             same),
    variants("… up to the smallest exponent of c", bf16, "{floor=-126,zero=ignore}", "{floor=none,zero=-126}", same),
    variants("… and not above", bf16, "{floor=-125,zero=ignore}", "{floor=none,zero=-125}", differ),
    variants("c is a multiple of 2^-149, and F is 25", hopper, "{floor=none}", "{floor=-124}", same),
    variants("… and a floor that is one higher cuts it", hopper, "{floor=none}", "{floor=-123}", differ),
    variants("products of e5m2 are multiples of 2^-32, and F is 13", e5m2, "{floor=none}", "{floor=-19}", same),
    variants("… and a floor that is one higher cuts one", e5m2, "{floor=none}", "{floor=-18}", differ),
    variants("a register at E wraps", e5m2, "{floor=none,carry=1}", "{floor=-19,carry=1}", differ),
    variants("c in f32 is a multiple of 2^-149", wide, "{floor=none}", "{floor=-100}", differ),
    variants("the exponent of a zero that is not above c's", volta, "{zero=ignore}", "{zero=-126}", same),
    variants("… and of one that is, where F is 23", volta, "{zero=ignore}", "{zero=-125}", differ),
    variants("0·2^15 has exponent 1", volta, "{zero=ignore}", "{zero=emin}", differ),
    variants("a zero at the floor", bf16, "{zero=ignore,floor=-100}", "{zero=-100,floor=-100}", same),
    variants("a zero above the floor", bf16, "{zero=ignore,floor=-100}", "{zero=-99,floor=-100}", differ),
    variants("products of fp8 are above 2^-126, and c is not below", cdna3, "{zero=ignore}", "{zero=-126}", same),
    variants("… and F is 24", cdna3, "{zero=ignore}", "{zero=-125}", same),
    variants("… so that c shows the next", cdna3, "{zero=ignore}", "{zero=-124}", differ),
    variants("a floor below all products and c of fp8", cdna3, "{floor=none}", "{floor=-126}", same),
    variants("… or above, if F is 24", cdna3, "{floor=none}", "{floor=-125}", same),
    variants("… but c shows the next", cdna3, "{floor=none}", "{floor=-124}", differ),
    variants("an exact sum has neither", hopper, "{F=exact,floor=none}", "{F=exact,floor=5,zero=emin,product=full}",
             same),
    variants("4·4 + 2 < 2^5: 19 bits and 5 are the 24 of f32", volta, "{F=19,round=f32:rz}", "{F=19,round=f32:rne}",
             same),
    variants("… and 20 bits are too many", volta, "{F=20,round=f32:rz}", "{F=20,round=f32:rne}", differ),
    variants("… but not without c", volta, "{F=20,c=late,round=f32:rz}", "{F=20,c=late,round=f32:ru}", same),
    variants("… where 21 bits are too many", volta, "{F=21,c=late,round=f32:rz}", "{F=21,c=late,round=f32:ru}", differ),
    variants("a rounding that is idle says the sign of zeros", volta, "{F=19,round=f32:rz,zsign=ieee}",
             "{F=19,round=f32:rd,zsign=ieee}", differ),
    variants("… and not what overflows, where nothing does", volta, "{F=19,round=f32:rz,overflow=ieee}",
             "{F=19,round=f32:rne,overflow=ieee}", same),
    variants("small products of bf16 are not idle", bf16, "{L=4,F=19,round=f32:rz,floor=none}",
             "{L=4,F=19,round=f32:rne,floor=none}", differ),
    variants("a floor and a zero that do nothing", volta, "{floor=none}", "{floor=-126,zero=-126}", same),
};

/// Eight products of f16 in two blocks, each addition of which is rounded: how c and factors are read, and what each
/// rounding flushes.
std::string cdna2(const std::string& c, const std::string& factors, const std::string& rounded) {
    const auto round = [&](const std::string& x) { return "round[f32 rne " + rounded + "](" + x + ")"; };
    const auto sum = [&](const std::string& x, const std::string& y) {
        return round("fuse[exact](" + x + ", " + y + ")");
    };
    const auto pair = [&](int k) {
        return sum(round("p" + std::to_string(k) + factors), round("p" + std::to_string(k + 1) + factors));
    };
    return "f16*f16+f32->f32 K=8 L=4 : " + sum(c, sum(pair(0), pair(2)));
}

/// Units to which a rule nearly applies, and what it would make of them.
const std::vector<Pair> exceptions = {
    {"a drop that is too far for the exponents of inner sums, however they are replaced",
     "fix3.3*fix3.3+e3m1fn->e3m1fn K=2 L=2 nan=any : round[e3m1fn rne](fuse[F=9 rz](fuse[exact](p0, p1 @[F=9]) "
     "@[zero=ignore], c @[exact drop=3]))",
     "fix3.3*fix3.3+e3m1fn->e3m1fn K=2 L=2 nan=any : round[e3m1fn rne](fuse[F=9 rz](fuse[exact](p0, p1 @[F=9]) "
     "@[zero=ignore], c @[exact]))",
     same},
    {"rounded down twice, where the second sum keeps less below its own exponent than the first",
     "f16*f16+f32->f32 K=2 : round[f32 rne zsign=pos usign=pos](fuse[F=24 rd zero=emin](fuse[F=40 rd zero=emin](p0, "
     "p1) "
     "@[less=4], c))",
     "f16*f16+f32->f32 K=2 : round[f32 rne zsign=pos usign=pos](fuse[F=24 rd zero=emin](fuse[F=24 rd zero=emin](p0, "
     "p1) "
     "@[less=4], c))",
     differ},
    {"rounded down twice, where a sticky bit knows what the second sum loses",
     "f16*f16+f32->f32 K=2 : round[f32 rne zsign=pos usign=pos](fuse[F=24 rd zero=emin sticky](fuse[F=40 rd "
     "zero=emin](p0, "
     "p1), c))",
     "f16*f16+f32->f32 K=2 : round[f32 rne zsign=pos usign=pos](fuse[F=24 rd zero=emin sticky](fuse[F=24 rd "
     "zero=emin](p0, "
     "p1), c))",
     differ},
    {"a large subnormal c moves a result that is a power of two, below which the places are closer",
     "e2m1*e2m1+e4m3->e4m3 K=1 : round[e4m3 rne ftz=result:pos](fuse[exact](c, round[e4m3 rne ftz=result:pos](p0)))",
     "e2m1*e2m1+e4m3->e4m3 K=1 : round[e4m3 rne ftz=result:pos](fuse[exact](c[ftz=pos], "
     "round[e4m3 rne ftz=result:pos](p0)))",
     differ, Shown{{0x1}, {0x1}, 0x87, 0x27}},
    {"a subnormal c decides a tie of two products that are rounded and added exactly",
     "f16*f16+f32->f32 K=2 : round[f32 rne ftz=result:pos](fuse[exact](round[f32 rne ftz=result:pos](p0), "
     "round[f32 rne ftz=result:pos](p1), c))",
     "f16*f16+f32->f32 K=2 : round[f32 rne ftz=result:pos](fuse[exact](round[f32 rne ftz=result:pos](p0), "
     "round[f32 rne ftz=result:pos](p1), c[ftz=pos]))",
     differ, Shown{{0x6c00, 0x3c00}, {0x6c00, 0x3c00}, 0x00000001, 0x4b800001}},
    {"… and one of a product that has more bits than d",
     "f16*f16+bf16->bf16 K=1 : round[bf16 rne ftz=result:pos](fuse[exact](p0, c))",
     "f16*f16+bf16->bf16 K=1 : round[bf16 rne ftz=result:pos](fuse[exact](p0, c[ftz=pos]))", differ,
     Shown{{0x3c04}, {0x3c00}, 0x0001, 0x3f81}},
    {"a c that is read as zero takes part with another exponent, beside which the product is dropped",
     "f16*f16+f32->f32 K=1 : round[f32 rne ftz=result:pos](fuse[exact](round[f32 rne ftz=result:pos](p0) @[drop=5], "
     "c @[zero=100]))",
     "f16*f16+f32->f32 K=1 : round[f32 rne ftz=result:pos](fuse[exact](round[f32 rne ftz=result:pos](p0) @[drop=5], "
     "c[ftz=pos] @[zero=100]))",
     differ, Shown{{0x3c00}, {0x3c00}, 0x00000001, 0x3f800000}},
    {"a c of more bits than d overflows alone",
     "f16*f16+f32->bf16 K=1 : round[bf16 rne overflow=inf](fuse[exact](p0, c))",
     "f16*f16+f32->bf16 K=1 : round[bf16 rne overflow=max](fuse[exact](p0, c))", differ,
     Shown{{0}, {0}, 0x7f7fffff, 0x7f80}},
    {"c aligned to nearest at a floor above all numbers overflows",
     "f16*f16+f32->f32 K=1 : round[f32 rz overflow=inf](fuse[F=23 rne floor=128](p0, c))",
     "f16*f16+f32->f32 K=1 : round[f32 rz overflow=ieee](fuse[F=23 rne floor=128](p0, c))", differ,
     Shown{{0}, {0}, 0x7f7fffff, 0x7f800000}},
    {"… and at the constant of a zero",
     "f16*f16+f32->f32 K=1 : round[f32 rz overflow=inf](fuse[F=23 rne](p0 @[zero=128], c))",
     "f16*f16+f32->f32 K=1 : round[f32 rz overflow=ieee](fuse[F=23 rne](p0 @[zero=128], c))", differ,
     Shown{{0}, {0}, 0x7f7fffff, 0x7f800000}},
    {"a subnormal c that is read in a wider format has an exponent below its own format's",
     "e5m2*e5m2+f16->f16 K=1 : round[f16 rz](fuse[F=2](p0, c[as=f32] @[zero=-14]))",
     "e5m2*e5m2+f16->f16 K=1 : round[f16 rz](fuse[F=2 floor=-14](p0, c[as=f32]))", differ,
     Shown{{0}, {0}, 0x0001, 0x0001}},
    {"… and so has a result of the block before, whose format has smaller numbers than c's",
     "f16*f16+f16->f32 K=2 L=1 : round[f32 rz](fuse[F=2](p0, c @[zero=-14]))",
     "f16*f16+f16->f32 K=2 L=1 : round[f32 rz](fuse[F=2 floor=-14](p0, c))", differ,
     Shown{{0xbbff, 0x1800}, {0x0400, 0x1800}, 0x0400, 0x37a00000}},
    {"the exponent of a sum that can be dropped is its floor",
     "f16*f16+f16->f16 K=1 : round[f16 ru](fuse[exact](fuse[F=24 floor=-24](p*) @[exact drop=10], c))",
     "f16*f16+f16->f16 K=1 : round[f16 ru](fuse[exact](fuse[F=24](p*) @[exact drop=10], c))", differ,
     Shown{{0x0400}, {0x0400}, 0x0400, 0x0401}},
    {"what is odd beside a sum of more places may be even with it",
     "e2m1*e3m2+e5m2->e5m2 K=1 : round[e5m2 rd ftz=result](fuse[F=8 odd](p*[full], c @[F=4]))",
     "e2m1*e3m2+e5m2->e5m2 K=1 : round[e5m2 rd ftz=result](fuse[exact](p*, c))", differ,
     Shown{{0x3}, {0x7}, 0x2d, 0x3a}},
    {"a product of four significands has up to 16, and three bits more when it is normalised",
     "e4m3*e4m3->f32 K=1 scale=ue4m3/1 : round[f32 rz](fuse[F=64 rne](fuse[F=13 rz](p*[full])))",
     "e4m3*e4m3->f32 K=1 scale=ue4m3/1 : round[f32 rz](fuse[F=64 rne](fuse[exact](p*[full])))", differ,
     Shown{{0x3f}, {0x3f}, 0, 0x4145c000, {0x3f}, {0x3f}}},
    {"a product that is zero by its scale has any exponent",
     "bf16*bf16+e4m3->e4m3 K=1 scale=ue4m3/1 : round[e4m3 rne](fuse[F=63 rz zero=emin](p0, c @[zero=ignore]))",
     "bf16*bf16+e4m3->e4m3 K=1 scale=ue4m3/1 : round[e4m3 rne](fuse[exact](p0, c))", differ,
     Shown{{0x7f00}, {0x7f00}, 0x88, 0x00, {0x09}, {0x00}}},
    {"the zero of one of two products cuts the other",
     "f16*f16+f32->f32 K=2 : round[f32 rz](fuse[exact](p* @[F=24 zero=emin], c))",
     "f16*f16+f32->f32 K=2 : round[f32 rz](fuse[exact](p*, c))", differ,
     Shown{{0x0000, 0x0001}, {0x7800, 0x3c00}, 0, 0}},
    {"a zero of a format without −0 is +0, also in a sum of −0",
     "e2m1*e2m1+f32->f32 K=1 : round[f32 rne](fuse[exact](round[e4m3fnuz rne](p0), c))",
     "e2m1*e2m1+f32->f32 K=1 : round[f32 rne](fuse[exact](p0, c))", differ, Shown{{0x8}, {0x7}, 0x80000000, 0}},
    {"nor has one with infinities and the only NaN in the place of −0",
     "e2m1*e2m1+f32->f32 K=1 : round[f32 rne](fuse[exact](round[e4m3inuz rne](p0), c))",
     "e2m1*e2m1+f32->f32 K=1 : round[f32 rne](fuse[exact](p0, c))", differ, Shown{{0x8}, {0x7}, 0x80000000, 0}},
    {"rounded down, terms that cancel are −0, and a sum with +0 is not",
     "e4m3*e4m3+f32->f32 K=2 : round[f32 rd](fuse[exact](round[f64 rne](fuse[exact](p*)), c))",
     "e4m3*e4m3+f32->f32 K=2 : round[f32 rd](fuse[exact](p*, c))", differ, Shown{{0x38, 0xb8}, {0x38, 0x38}, 0, 0}},
    {"a NaN that is made within is the first one",
     "e5m2*e5m2+f32->f32 K=1 scale=ue4m3/1 nan=x86 : round[f32 rna zsign=pos](fuse[exact](round[f64 rna](p0), c))",
     "e5m2*e5m2+f32->f32 K=1 scale=ue4m3/1 nan=x86 : round[f32 rna zsign=pos](fuse[exact](p0, c))", differ,
     Shown{{0x65}, {0xba}, 0x7fe00000, 0xffc00000, {0x7f}, {0x38}}},
    {"a product that is cut to nothing beside the smallest normal number does not make it subnormal",
     "e5m2*e5m2+f16->f16 K=1 scale=e8m0/1 : round[f16 rne ftz=before](fuse[exact](p0 @[F=30], c))",
     "e5m2*e5m2+f16->f16 K=1 scale=e8m0/1 : round[f16 rne ftz=before](fuse[exact](p0, c))", differ,
     Shown{{0xbc}, {0x3c}, 0x0400, 0x0400, {0x00}, {0x7f}}},
    {"a product of more bits than the result is a tie by itself",
     "f16*f16->bf16 K=2 : round[bf16 rne](fuse[F=50 rz](p*))", "f16*f16->bf16 K=2 : round[bf16 rne](fuse[exact](p*))",
     differ, Shown{{0x6404, 0x0001}, {0x3c00, 0x0001}, 0, 0x4480}},
    {"… and one of half the smallest subnormal number",
     "e5m2*e5m2->f16 K=2 scale=e8m0/1 : round[f16 rne](fuse[F=40 rz](p*))",
     "e5m2*e5m2->f16 K=2 scale=e8m0/1 : round[f16 rne](fuse[exact](p*))", differ,
     Shown{{0x3c, 0x3c}, {0x3c, 0x3c}, 0, 0x0000, {102, 27}, {127, 127}}},
    {"a sum that begins at +0 is never subnormal in f32, nor -0: no flush makes it so",
     "f16*f16+f32->f32 K=8 L=2 c=last : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact](p*)), c))",
     "f16*f16+f32->f32 K=8 L=2 c=last : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact](p*)), c[ftz]))", same},
    {"… and one of products that may be subnormal is",
     "bf16*bf16+f32->f32 K=2 L=1 c=last : round[f32 rne](fuse[exact](p*, c))",
     "bf16*bf16+f32->f32 K=2 L=1 c=last : round[f32 rne](fuse[exact](p*, c[ftz]))", differ},
    {"where −0 is read as +0, −1 times it is −0 all the same", cdna2("c[ftz=plus]", "[ftz=plus]", "ftz=result"),
     cdna2("c[ftz]", "[ftz=plus]", "ftz=result"), differ,
     Shown{std::vector<std::uint64_t>(8, 0xbc00), std::vector<std::uint64_t>(8, 0), 0x80000000, 0}},
    {"what a block flushes to −0 is nothing to the next one, whose zeros are +0",
     cdna2("c[ftz=plus]", "[ftz=plus]", "ftz=result"), cdna2("c", "[ftz=pos]", "ftz=result zsign=pos"), same},
    {"… unless the sum is relative to its sign",
     "f16*f16+f32->f32 K=2 L=1 : round[f32 rz ftz=result zsign=pos](fuse[F=20 frame=c](p*, c))",
     "f16*f16+f32->f32 K=2 L=1 : round[f32 rz ftz=result:pos zsign=pos](fuse[F=20 frame=c](p*, c))", differ,
     Shown{{0x8000, 0xbc00}, {0x3c00, 0x3c00}, 0x80400000, 0xbf800000}},
    {"… or has zeros of their own",
     "e2m1*e2m1+e4m3ieee->e4m3ieee K=2 L=1 : round[e4m3ieee rz ftz=result](fuse[exact](p*, c))",
     "e2m1*e2m1+e4m3ieee->e4m3ieee K=2 L=1 : round[e4m3ieee rz ftz=result:pos](fuse[exact](p*, c))", differ,
     Shown{{0x0, 0x8}, {0x0, 0x0}, 0x81, 0x80}},
    {"a sticky bit below all the digits of d is rounded, however few the two terms have",
     "f16*f16+f16->f32 K=1 : round[f32 rne](fuse[F=22 rz sticky](p*, c))",
     "f16*f16+f16->f32 K=1 : round[f32 rz](fuse[F=22 rz sticky](p*, c))", differ,
     Shown{{0xf04b}, {0x43b3}, 0x1e6f, 0xc70435c4}},
    {"… beside terms of fp8", "e5m2*e5m2+e5m2->bf16 K=1 : round[bf16 rne](fuse[F=6 rz sticky](p*, c))",
     "e5m2*e5m2+e5m2->bf16 K=1 : round[bf16 rz](fuse[F=6 rz sticky](p*, c))", differ},
    {"a limit cuts the largest products, not the sums beside smaller scales",
     "e4m3*e4m3->bf16 K=2 scale=e8m0/2 : round[bf16 rne ftz=before overflow=inf](fuse[exact](p*[limit=127]))",
     "e4m3*e4m3->bf16 K=2 scale=e8m0/2 : round[bf16 rz ftz=before overflow=inf](fuse[exact](p*[limit=127]))", differ,
     Shown{{0x23, 0x28}, {0x31, 0x38}, 0, 0x3eb2, {0x7f}, {0x7f}}},
    {"… of a unit of the catalogue", "x86/top4mxhf8ps{limit=127}",
     "e4m3f*e4m3f+f32->f32 K=4 L=4 scale=e8m0/4 nan=any : round[f32 rne ftz=after](fuse[exact](c[ftz], round[f32 rz "
     "ftz=after zsign=pos overflow=inf](fuse[exact](p*[limit=127]))))",
     differ, Shown{{0x17, 0xc8, 0x85, 0xb0}, {0xff, 0x7a, 0x0a, 0x7b}, 0xbf800001, 0xd1398402, {0x98}, {0x7f}}},
    {"the significand of a scale of ue4m3 is larger below its largest exponent, where 1.75 is the most",
     "fix3.0*fix3.0->e7m13 K=5 scale=ue4m3/5 : round[e7m13 ru](fuse[exact](p*))",
     "fix3.0*fix3.0->e7m13 K=5 scale=ue4m3/5 : round[e7m13 rz](fuse[exact](p*))", differ,
     Shown{{4, 4, 4, 4, 5}, {4, 4, 4, 4, 5}, 0, 0x0aa015, {0x77}, {0x77}}},
    {"… and of nine products of e2m1, whose sum then passes a power of two",
     "e2m1*e2m1->e8m15 K=9 scale=ue4m3/9 : round[e8m15 ru](fuse[exact](p*))",
     "e2m1*e2m1->e8m15 K=9 scale=ue4m3/9 : round[e8m15 rz](fuse[exact](p*))", differ},
    {"products that are zero are inverted like others, and what that adds is not flushed",
     "e2m1*e2m1+e3m2ieee->e3m2ieee K=4 : round[e3m2ieee rne ftz=before:pos zsign=pos](fuse[F=1 rz frame=c](p* "
     "@[zero=-3], c))",
     "e2m1*e2m1+e3m2ieee->e3m2ieee K=4 : round[e3m2ieee rne ftz=before:pos zsign=pos](fuse[F=1 rz frame=c](p*, c))",
     differ, Shown{{8, 8, 8, 8}, {0, 0, 0, 0}, 0, 0x24}},
    {"… where a floor is above them",
     "e2m1*e2m1+e3m2ieee->e3m2ieee K=8 : round[e3m2ieee rne ftz=before:pos zsign=pos](fuse[F=1 rz frame=c "
     "floor=-3](p*, c))",
     "e2m1*e2m1+e3m2ieee->e3m2ieee K=8 : round[e3m2ieee rne ftz=before:pos zsign=pos](fuse[F=1 rz frame=c](p*, c))",
     differ},
    {"a product that is rounded up where E is its own exponent is larger than any product",
     "e4m3*e4m3+f16->e8m24 K=1 : round[e8m24 rne](fuse[F=0 ru](p*, c @[F=23 rz]))",
     "e4m3*e4m3+f16->e8m24 K=1 : round[e8m24 rz](fuse[F=0 ru](p*, c @[F=23 rz]))", differ,
     Shown{{0x3e}, {0x3e}, 0x0803, 0x081000202}},
    {"… to nearest, too", "e4m3*e4m3+f16->e8m25 K=1 : round[e8m25 rne](fuse[F=0 rna](p*, c @[F=24 rz]))",
     "e4m3*e4m3+f16->e8m25 K=1 : round[e8m25 rz](fuse[F=0 rna](p*, c @[F=24 rz]))", differ},
    {"c rounded down to the magnitude of a product below the results: a zero of another sign",
     "e3m2*e3m2+e5m2->e3m2ieee K=1 : round[e3m2ieee rd](fuse[exact](p*, c @[F=5 rd]))",
     "e3m2*e3m2+e5m2->e3m2ieee K=1 : round[e3m2ieee rd](fuse[exact](p*, c))", differ},
};

/// Fixed point: what saturates, and what does not.
const std::vector<Pair> of_fixed_point = {
    {"four products of int8 and an int24 fit in 32 bits",
     "fix8.0*fix8.0+fix24.0->fix32.0 K=4 : round[fix32.0 rz](fuse[exact](p*, c))",
     "fix8.0*fix8.0+fix24.0->fix32.0 K=4 : round[fix32.0 rz](round[fix40.0 rz](fuse[exact](p*, c)))", same},
    {"one product of −2^7 and itself is 2^14, and int15 ends below",
     "fix8.0*fix8.0->fix16.0 K=1 : round[fix16.0 rz](p0)",
     "fix8.0*fix8.0->fix16.0 K=1 : round[fix16.0 rz](round[fix15.0 rz](p0))", differ, Shown{{0x80}, {0x80}, 0, 0x4000}},
    {"… where int16 does not", "fix8.0*fix8.0+fix16.0->fix17.0 K=1 : round[fix17.0 rz](fuse[exact](p0, c))",
     "fix8.0*fix8.0+fix16.0->fix17.0 K=1 : round[fix17.0 rz](fuse[exact](round[fix16.0 rz](p0), c))", same},
    {"a sum that saturates on the way comes back from another place",
     "fix4.0*fix4.0+fix8.0->fix8.0 K=2 : round[fix8.0 rz](fuse[exact](p*, c))",
     "fix4.0*fix4.0+fix8.0->fix8.0 K=2 L=1 : round[fix8.0 rz](fuse[exact](p*, c))", differ,
     Shown{{0x8, 0x8}, {0x8, 0x7}, 0x7f, 0x7f}},
    {"to nearest and toward zero differ by a half", "e2m1*e2m1->fix6.1 K=1 : round[fix6.1 rne](p0)",
     "e2m1*e2m1->fix6.1 K=1 : round[fix6.1 rz](p0)", differ, Shown{{0x1}, {0x3}, 0, 0x02}},
    {"… and not where every product is a multiple of the last place", "e2m1*e2m1->fix8.2 K=1 : round[fix8.2 rne](p0)",
     "e2m1*e2m1->fix8.2 K=1 : round[fix8.2 rz](p0)", same},
    {"infinities and overflow are the same", "e2m1*e2m1->fix4.0 K=1 : round[fix4.0 rz overflow=inf](p0)",
     "e2m1*e2m1->fix4.0 K=1 : round[fix4.0 rz overflow=max](p0)", same},
    {"NaN that a number stands for is no NaN any more",
     "e5m2*e5m2+f32->f32 K=1 : round[f32 rz](fuse[exact](round[fix54.32 rz](p0), c))",
     "e5m2*e5m2+f32->f32 K=1 : round[f32 rz](fuse[exact](p0, c))", differ,
     Shown{{0x7d}, {0x3c}, 0x3f800000, 0x3f800000}},
};

/// A fused sum with that alignment, and an exact one.
Pair aligned(const std::string& why, const std::string& head, const std::string& alignment, Verdict verdict,
             const std::string& terms = "p*") {
    return {why, head + "(fuse[" + alignment + "](" + terms + "))", head + "(fuse[exact](" + terms + "))", verdict};
}

const std::string f16_and_c = "f16*f16+f32->f32 K=1 : round[f32 rne](fuse";

/// A truncation so far below the larger of two terms that it may or may not be observable.
const std::vector<Pair> two_terms = {
    aligned("a cut hides beside a tie", "e3m2*e2m1->e4m3 K=2 : round[e4m3 rne]", "F=10 rz", differ),
    aligned("… however it is broken", "e3m2*e2m1->e4m3 K=2 : round[e4m3 rna]", "F=10 rz", differ),
    aligned("… and one place lower there is nothing", "e3m2*e2m1->e4m3 K=2 : round[e4m3 rne]", "F=11 rz", same),
    aligned("… however it is broken", "e3m2*e2m1->e4m3 K=2 : round[e4m3 rna]", "F=11 rz", same),
    aligned("operands of bf16 reach far", "bf16*e2m3->tf32 K=2 : round[tf32 rne]", "F=30 rz", differ),
    aligned("the smallest products reach down to 2^-2", "e2m1*e2m1->f32 K=32 : round[f32 rne]", "F=30 rz", same),
    slow({"products of f16 come as near as that to a power of two", f16_and_c + "[exact](p*, c))",
          f16_and_c + "[F=43 rz](p*, c @[exact rz]))", differ,
          Shown{{0x7b2e}, {0x7875}, 0xdb800000, 0xdb7fffff}}), // 1838 · 1141 = 2^21 + 6
    {"… and no nearer", f16_and_c + "[exact](p*, c))", f16_and_c + "[F=44 rz](p*, c @[exact rz]))", same},
    {"… nor further down", f16_and_c + "[exact](p*, c))", f16_and_c + "[F=45 rz](p*, c @[exact rz]))", same},
    {"… cut to nearest", f16_and_c + "[exact](p*, c))", f16_and_c + "[F=44 rne](p*, c @[exact rz]))", same},
    {"… cut down", f16_and_c + "[exact](p*, c))", f16_and_c + "[F=44 rd](p*, c @[exact rz]))", same},
    {"… cut to odd, which marks what it cuts", f16_and_c + "[exact](p*, c))",
     f16_and_c + "[F=26 odd](p*, c @[exact rz]))", same},
};

/// Scales of products beside scales of what is rounded.
const std::vector<Pair> scaled_sums = {
    {"of one product, scales of powers of two give the same after its rounding as before it",
     "e4m3*e4m3->f32 K=1 scale=e8m0/1 : round[f32 rne](fuse[exact](round[f32 rne](p*) @[scaled]))",
     "e4m3*e4m3->f32 K=1 scale=e8m0/1 : round[f32 rne](p0)", same},
    {"… unless the rounding loses bits, and what is scaled is a subnormal number that is rounded again",
     "e4m3*e4m3->e5m2 K=1 scale=e8m0/1 : round[e5m2 rne](fuse[exact](round[e5m2 rne](p*) @[scaled]))",
     "e4m3*e4m3->e5m2 K=1 scale=e8m0/1 : round[e5m2 rne](p0)", differ},
    {"a scale of three bits makes other bits of what is lost",
     "e4m3*e4m3->e4m5 K=1 scale=ue4m3/1 : round[e4m5 rne](fuse[exact](round[e4m5 rne](p*) @[scaled]))",
     "e4m3*e4m3->e4m5 K=1 scale=ue4m3/1 : round[e4m5 rne](p0)", differ},
    {"infinity times a zero scale is NaN, before and after a rounding",
     "e5m2*e2m1->f32 K=1 scale=ue4m3/1 : round[f32 rne](fuse[exact](round[f32 rne](p*) @[scaled]))",
     "e5m2*e2m1->f32 K=1 scale=ue4m3/1 : round[f32 rne](p0)", same},
    {"a sum that overflows before its scale",
     "e5m2*e5m2->e5m2 K=1 scale=e8m0/1 : round[e5m2 rz](fuse[exact](round[e5m2 rne](p*) @[scaled]))",
     "e5m2*e5m2->e5m2 K=1 scale=e8m0/1 : round[e5m2 rz](fuse[exact](round[f32 rne](p*) @[scaled]))", differ},
    {"one scale after the other, with a rounding between them that overflows",
     "e2m1*e2m1->f32 K=1 scale=e8m0/1 : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact](round[f32 rne](p*) "
     "@[scaled=a])) @[scaled=b]))",
     "e2m1*e2m1->f32 K=1 scale=e8m0/1 : round[f32 rne](fuse[exact](round[f32 rne](p*) @[scaled]))", differ},
    {"… or that rounds nothing: three significands of at most four bits",
     "e2m1*e2m1->f32 K=1 scale=ue4m3/1 : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact](round[f32 rne](p*) "
     "@[scaled=a])) @[scaled=b]))",
     "e2m1*e2m1->f32 K=1 scale=ue4m3/1 : round[f32 rne](fuse[exact](round[f32 rne](p*) @[scaled]))", same},
    {"the two scales the other way round",
     "e2m1*e2m1->f32 K=1 scale=e8m0/1 : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact](round[f32 rne](p*) "
     "@[scaled=a])) @[scaled=b]))",
     "e2m1*e2m1->f32 K=1 scale=e8m0/1 : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact](round[f32 rne](p*) "
     "@[scaled=b])) @[scaled=a]))",
     differ}};

/// Floors that no result shows, alone or together with something else.
const std::vector<Pair> floors = {
    {"a floor above products with small scales",
     "e2m1*e2m1+f16->f16 K=1 scale=e8m0/1 : round[f16 rz zsign=pos usign=pos](fuse[F=17 rz floor=-14](p*, c[as=f32]))",
     "e2m1*e2m1+f16->f16 K=1 scale=e8m0/1 : round[f16 rz zsign=pos usign=pos](fuse[F=17 rz](p*, c[as=f32]))", differ},
    {"a zero c at the floor is one",
     "bf16*bf16+f32->f32 K=4 : round[f32 rz](fuse[F=25 rz floor=-133](p*, c @[zero=-133]))",
     "bf16*bf16+f32->f32 K=4 : round[f32 rz](fuse[F=25 rz](p*, c @[zero=-133]))", same},
    {"… and so is the floor", "bf16*bf16+f32->f32 K=4 : round[f32 rz](fuse[F=25 rz floor=-133](p*, c @[zero=-133]))",
     "bf16*bf16+f32->f32 K=4 : round[f32 rz](fuse[F=25 rz floor=-133](p*, c))", same},
    {"… but one of them is needed",
     "bf16*bf16+f32->f32 K=4 : round[f32 rz](fuse[F=25 rz floor=-133](p*, c @[zero=-133]))",
     "bf16*bf16+f32->f32 K=4 : round[f32 rz](fuse[F=25 rz](p*, c))", differ},
};

/// Those that are asked: slow ones only in a sweep.
std::vector<Pair> asked(std::vector<Pair> pairs) {
    if (!tests::sweeping()) std::erase_if(pairs, [](const Pair& pair) { return pair.slow; });
    return pairs;
}

class KnownPairs : public testing::TestWithParam<Pair> {};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.why; }

TEST_P(KnownPairs, AreDecided) {
    const Pair& pair = GetParam();
    const Unit first = resolve_unit(pair.first), second = resolve_unit(pair.second);
    if (pair.shown) {
        const Shown& v = *pair.shown;
        const Inputs inputs{.a = v.a, .b = v.b, .sa = v.sa, .sb = v.sb, .c = v.c};
        EXPECT_EQ(Evaluator(first)(inputs), v.d);
        EXPECT_NE(Evaluator(second)(inputs), v.d);
    }
    DiscriminateOptions options;
    options.timeout = pair.slow ? 100 : 20;
    const Answer answer = discriminate(first, second, options);
    std::printf("%s by %s in %.2f s\n", std::string(name(answer.verdict)).c_str(), answer.by.c_str(), answer.seconds);
    if (pair.slow && answer.verdict == Verdict::unknown) GTEST_SKIP() << "no answer in time";
    EXPECT_EQ(name(answer.verdict), name(pair.verdict))
        << pair.why << ": " << pair.first << " and " << pair.second << ", after " << answer.seconds << " s";
}

INSTANTIATE_TEST_SUITE_P(Catalogue, KnownPairs, testing::ValuesIn(asked(of_the_catalogue)));
INSTANTIATE_TEST_SUITE_P(Exceptions, KnownPairs, testing::ValuesIn(asked(exceptions)));
INSTANTIATE_TEST_SUITE_P(FixedPoint, KnownPairs, testing::ValuesIn(asked(of_fixed_point)));
INSTANTIATE_TEST_SUITE_P(TwoTerms, KnownPairs, testing::ValuesIn(asked(two_terms)));
INSTANTIATE_TEST_SUITE_P(ScaledSums, KnownPairs, testing::ValuesIn(asked(scaled_sums)));
INSTANTIATE_TEST_SUITE_P(Floors, KnownPairs, testing::ValuesIn(asked(floors)));

} // namespace
} // namespace discern::known_pairs_test
