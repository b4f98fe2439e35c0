// The plain circuit against the evaluators, which share the notation with it and no arithmetic: all inputs where there
// are few, and random ones of random units, of every node and parameter.
//
// DISCERN_SWEEP=n compares n vectors per family and unit instead of the quick default, and all inputs of more units.
#include "plain_unit.hpp"

#include "models/catalogue.hpp"
#include "tests/encodings/written_units.hpp"
#include "tests/models/random_tree.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern::tests {
namespace {

std::optional<std::string> difference(const Unit& unit, std::span<const InputBuffer> vectors) {
    const Evaluator evaluator(unit);
    return plain_difference(
        PlainUnit(unit), unit, [&](const Inputs& x) { return evaluator(x); }, vectors);
}

/// The units of a text with choices in braces, on all inputs.
/// @param most  bits of a vector
void expect_equal_on_all_inputs(const std::string& text, int most) {
    const std::vector<Unit> units = units_of(text);
    ASSERT_FALSE(units.empty()) << text;
    for (const Unit& unit : units) {
        const InputBits inputs(unit);
        ASSERT_LE(inputs.count(), most) << text;
        const PlainUnit plain(unit);
        const Evaluator evaluator(unit);
        std::vector<InputBuffer> batch(64);
        for (std::uint64_t first = 0; first < (1ull << inputs.count()); first += 64) {
            for (std::uint64_t v = 0; v < 64; ++v) inputs.at(first + v, batch[v]);
            const auto found = plain_difference(
                plain, unit, [&](const Inputs& x) { return evaluator(x); }, batch);
            ASSERT_FALSE(found) << "plain circuit and evaluator differ, " << *found;
        }
    }
}

TEST(Plain, AllInputsOfOneProductOfE2m1) {
    expect_equal_on_all_inputs("e2m1*e2m1+e2m1->e4m3 K=1 nan={7f|any} : round[e4m3 {rz|rd|ru|rne|rna|odd} "
                               "ftz={none|result|before:pos|after}](fuse[F=1](p*, c))",
                               12);
    expect_equal_on_all_inputs("e2m1*e2m1+e2m1->e5m2 K=1 : round[e5m2 {rz|rd|rne} zsign={pos|ieee} usign={pos|keep}]("
                               "fuse[F={0|2} {rd|rne|rna|odd} zero={ignore|emin|3} floor=-1](p*[full], c))",
                               12);
    expect_equal_on_all_inputs("e2m1*e2m1+e2m1->e4m3fnuz K=1 : round[e4m3fnuz {rne|rd}](fuse[F={0|3} {sticky|carry=0|"
                               "carry=1}](p*[{carry|limit=2|limit=3:counts|ftz|ftz=pos}], c[{ftz|ftz=pos}] "
                               "@[drop={0|1}]))",
                               12);
}

TEST(Plain, AllInputsOfFlushedOperandsAndEmptyGroups) {
    expect_equal_on_all_inputs("e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 {rne|rd}](fuse[F=1](p*[{ftz=pos|ftz=plus}], "
                               "c[{ftz|ftz=pos|ftz=plus}]))",
                               12);
    expect_equal_on_all_inputs("e2m1*e2m1+e3m2->e4m3 K=1 : round[e4m3 rz](fuse[F=0 zero={emin|3}]("
                               "g*[G=1 empty={ignore|3}], c))",
                               14);
}

TEST(Plain, AllInputsOfFramesAndSteps) {
    expect_equal_on_all_inputs("e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 {rne|rd}](fuse[F={0|2} {rz|rne} "
                               "frame={c|c_or_plus|nonzero_c} floor=1](p*, c))",
                               12);
    expect_equal_on_all_inputs("e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne](fuse[F=0 frame=c opposed={nonzero|kept} "
                               "zero={emin|3}](p*, c))",
                               12);
    expect_equal_on_all_inputs("e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse[carry=0 frame=c](p* @[F=2], c @[F=1]))",
                               12);
    expect_equal_on_all_inputs(
        "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse[F={1|3} step=4 {phase=1|phase=3}](p*, c))", 12);
    expect_equal_on_all_inputs("e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rz](fuse[F=2 step={2|8} floor=-1](p*, c))", 12);
}

TEST(Plain, AllInputsOfSpecialProducts) {
    expect_equal_on_all_inputs("e2m1ieee*e2m1ieee+e2m1->e4m3 K=1 : round[e4m3 rz](fuse[F=2 zero=emin]("
                               "p*[{infnan|nanzero|infzero|nanzero infzero|infnan nanzero|nanzero ftz=pos}], c))",
                               12);
    expect_equal_on_all_inputs("e2m1ieee*e2m1ieee->e4m3ieee K=1 nan=x86 : round[e4m3ieee rz](fuse[exact]("
                               "p*[{infnan|nanzero|infzero}]))",
                               8);
}

TEST(Plain, AllInputsOfTwoProductsOfE2m1) {
    expect_equal_on_all_inputs("e2m1*e2m1->e4m3 K=2 : round[e4m3 {rz|rd} zsign=ieee](fuse[{exact|F=2 ru|F=2 rna|"
                               "F=1 carry=0|F=1 sticky}]({p*|g*[G=2]}))",
                               16);
    expect_equal_on_all_inputs("e2m1*e2m1->e4m3 K=2 : round[e4m3 {rne|rd}](fuse[F=0 rz floor={-1|3}](fuse[F=1 plus]("
                               "p*)))",
                               16);
    expect_equal_on_all_inputs("e2m1*e2m1->e5m2 K=2 : round[e5m2 rne](fuse[exact](round[e4m3 {rz|rd|rne}](p0), "
                               "fuse[F={0|1} floor=1](p1) @[zero={ignore|emin|1}]))",
                               16);
    // A sum in which nobody took part has no exponent, and its parent's terms may be far below any that it could have.
    expect_equal_on_all_inputs("e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rz](fuse[F=1](fuse[F=2](p*) @[zero=emin], c))",
                               16);
    expect_equal_on_all_inputs("e2m1*e2m1+e2m1->e4m3 K=2 L=1 {c=last|interleave=1} : round[e4m3 rne]("
                               "fuse[F=2](p*, c))",
                               20);
}

TEST(Plain, AllInputsOfPairsOfE3m2AndE4m3) {
    expect_equal_on_all_inputs(
        "e3m2*e3m2->e4m3 K=1 : round[e4m3 {rz|rd|ru|rne|rna|odd} ftz={none|result|before|after}]("
        "fuse[{exact|F=3 rd|F=3 rna}](p*[{carry|full|limit=3}]))",
        12);
    expect_equal_on_all_inputs("e4m3*e4m3->{e4m3|e5m2|e4m3fnuz} K=1 nan=any : round[{e4m3|e5m2|e4m3fnuz} {rne|ru} "
                               "overflow={inf|ieee}](fuse[exact](p*[{ftz|limit=8|full}]))",
                               16);
    expect_equal_on_all_inputs("e4m3*e4m3->e4m3 K=1 : round[e4m3 {rne|ru} ftz={result|after|before:pos}](p0)", 16);
    expect_equal_on_all_inputs("e5m2*e4m3fnuz->e5m2 K=1 nan={x86|7d} : round[e5m2 {odd|rne}](p0)", 16);
}

TEST(Plain, AllInputsOfFixedPoint) {
    expect_equal_on_all_inputs("e2m1*e2m1->{fix4.1|fix2.0|fix3.3} K=1 nan=any : round[{fix4.1|fix2.0|fix3.3} "
                               "{rz|rd|ru|rne|rna|odd}](fuse[{exact|F=1 rd|F=0 carry=0}](p*))",
                               8);
    expect_equal_on_all_inputs("fix3.1*e2m1+fix4.2->fix4.2 K=1 : round[fix4.2 {rne|rd|odd}](fuse[{exact|F=1|F=2 sticky}"
                               "](p*[{|carry|full|ftz|limit=1|limit=2:counts}], c))",
                               11);
    expect_equal_on_all_inputs("fix2.0*fix3.1+fix3.3->fix3.1 K=1 : round[fix3.1 {rne|rd}](fuse[F={0|1|2} {|zero=emin|"
                               "frame=c|step=2|floor=1}](p*[{|full}], c[{|as=f16}]))",
                               8);
    expect_equal_on_all_inputs(
        "fix2.0*fix2.0+e3m2->fix5.3 K=2 L=1 {|c=last} : round[fix5.3 {rz|ru}](fuse[{exact|F=2}](p*, c))", 14);
    expect_equal_on_all_inputs("e2m1ieee*e2m1ieee+fix4.1->e3m2ieee K=1 : round[e3m2ieee {rz|rd}](fuse[exact]("
                               "round[{fix2.0|fix4.0|fix6.4} {rne|rd}](p0), c))",
                               12);
    expect_equal_on_all_inputs("e2m1ieee*fix2.0+e2m1ieee->fix4.0 K=1 : round[fix4.0 rne](fuse[exact](p*, c))", 10);
    expect_equal_on_all_inputs("fix3.1*fix2.2->fix4.1 K=2 : round[fix4.1 rne](fuse[F={1|3}](g*[G=2]))", 10);
}

TEST(Plain, ZerosAndEndsOfTheFormats) {
    Random random(1);
    int groups = 0;
    for (const Unit& unit : units_of("{e2m1*e2m1|e3m2*e3m2|e4m3*e2m3}+f32->f32 K=32 scale={ue4m3|e8m0}/16 : "
                                     "round[f32 rz](fuse[F=20 floor=-126 zero={ignore|emin}]({g*[G=16]|g*[G=16 "
                                     "empty=60] @[zero=emin]|p*[carry]|p*[full]|p*[limit=3]}, "
                                     "c[{ftz|as=f64}]))")) {
        const InputBits inputs(unit);
        std::vector<InputBuffer> vectors(192);
        for (InputBuffer& x : vectors) inputs.edges(random, x);
        // The largest sums that there are, of either sign; with scales of one, or zero if there is one.
        for (std::size_t i = 0; i < 4; ++i) {
            InputBuffer& x = vectors[i];
            const Format& f = format(unit.scale->format);
            for (std::size_t k = 0; k < 32; ++k) {
                x.a[k] = (format(unit.a).mask() >> 1) - (unit.a == FormatId::e4m3 ? 1 : 0);
                x.b[k] = format(unit.b).mask() >> (i % 2);
            }
            const auto one = static_cast<std::uint64_t>(f.bias) << f.mantissa_bits;
            for (auto* scales : {&x.sa, &x.sb}) std::fill(scales->begin(), scales->end(), i < 2 ? one : 0);
            x.c = i < 2 ? 0 : 0x80000000;
        }
        groups += to_string(unit).find("G=16") != std::string::npos ? 1 : 0;
        const auto found = difference(unit, vectors);
        ASSERT_FALSE(found) << "plain circuit and evaluator differ, " << *found;
    }
    EXPECT_EQ(groups, 48);
}

/// Sixteen million vectors each.
TEST(Plain, AllInputsOfLargerUnits) {
    if (sweep(0) == 0) GTEST_SKIP() << "set DISCERN_SWEEP to compare all inputs of units with 24 bits of input";
    expect_equal_on_all_inputs("e2m1*e2m1+e4m3->e4m3 K=2 : round[e4m3 rne](fuse[F=4 floor=-3](p*, c))", 24);
    expect_equal_on_all_inputs("e4m3*e4m3+e4m3->e4m3 K=1 : round[e4m3 {rne|rd}](fuse[{F=5|F=3 sticky|exact}](p*, c))",
                               24);
    expect_equal_on_all_inputs(
        "e4m3*e4m3+e5m2->e5m2 K=1 nan=x86 : round[e5m2 rz](fuse[F=4 rd zero=emin](p*, c[as=f16]))", 24);
    expect_equal_on_all_inputs(
        "e2m1*e2m1->e4m3 K=1 scale=ue4m3/1 : round[e4m3 rne](fuse[{exact|F=2}](p*[{carry|full}]))", 24);
    expect_equal_on_all_inputs("e3m2*e3m2+e3m2->e5m2fnuz K=1 : round[e5m2fnuz rne](fuse[exact](p*, c))", 24);
}

TEST(Plain, RandomUnits) {
    int failures = 0;
    const int count = sweep(12);
    for (std::uint64_t seed = 1; seed <= (count > 12 ? 4000u : 300u) && failures < 5; ++seed) {
        const Unit unit = UnitGenerator(seed, true).next();
        const auto found = difference(unit, vectors_of_families(unit, seed, count));
        EXPECT_FALSE(found) << "unit seed " << seed << ": plain circuit and evaluator differ, " << *found;
        failures += found ? 1 : 0;
    }
}

TEST(Plain, RandomUnitsAgainstTheOracle) {
    for (std::uint64_t seed = 5001; seed <= 5060; ++seed) {
        const Unit unit = UnitGenerator(seed, true).next();
        const auto found = plain_difference(
            PlainUnit(unit), unit, [&](const Inputs& x) { return evaluate_exactly(unit, x); },
            vectors_of_families(unit, seed, 8));
        EXPECT_FALSE(found) << "unit seed " << seed << ": plain circuit and oracle differ, " << *found;
    }
}

TEST(Plain, Catalogue) {
    std::set<std::uint64_t> seen;
    for (const CatalogueEntry& entry : catalogue()) {
        const Unit& unit = entry.unit;
        if (!seen.insert(arithmetic_hash(unit)).second || (unit.K > 32 && sweep(0) == 0)) continue;
        const auto found = difference(unit, vectors_of_families(unit, 1, sweep(13)));
        EXPECT_FALSE(found) << entry.name << ": plain circuit and evaluator differ, " << *found;
    }
    EXPECT_GT(seen.size(), 40u);
}

TEST(Plain, IsTheSameEveryTime) {
    const Unit unit = UnitGenerator(7, true).next();
    const PlainUnit one(unit), other(unit);
    EXPECT_EQ(one.netlist().nodes(), other.netlist().nodes());
    EXPECT_EQ(one.d(), other.d());
}

} // namespace
} // namespace discern::tests
