// The encoder agrees with the executable models on concrete inputs: for every arithmetic of the catalogue, and for
// random trees that use every field of the notation.
#include "encodings/encode.hpp"

#include "models/catalogue.hpp"
#include "models/differential.hpp"
#include "models/notation.hpp"
#include "models/random_tree.hpp"
#include "models/vectors/mixture.hpp"
#include "term_circuit.hpp"
#include "written_units.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <set>
#include <span>

namespace discern {
namespace {

using namespace tests;

/// The first vector of any family on which the circuit differs from the evaluator or from the oracle.
std::optional<std::string> circuit_difference(const Unit& unit, std::uint64_t seed, int vectors) {
    TermCircuit circuit = circuit_of(unit);
    const Evaluator model(unit);
    const auto by_circuit = [&](const Inputs& x) { return circuit(x); };
    for (const Family family : families) {
        if (auto report = first_difference(
                unit, by_circuit, [&](const Inputs& x) { return model(x); }, family, seed, vectors))
            return "circuit and evaluator: " + *report;
        if (auto report = first_difference(
                unit, by_circuit, [&](const Inputs& x) { return evaluate_exactly(unit, x); }, family, seed + 1,
                vectors))
            return "circuit and oracle: " + *report;
    }
    return std::nullopt;
}

/// The first instruction of each arithmetic of the catalogue, by family (T-FDPA, …).
std::map<std::string, std::vector<const CatalogueEntry*>> arithmetics_by_family() {
    std::map<std::string, std::vector<const CatalogueEntry*>> result;
    std::set<std::uint64_t> seen;
    for (const CatalogueEntry& entry : catalogue())
        if (seen.insert(arithmetic_hash(entry.unit)).second) result[entry.family].push_back(&entry);
    return result;
}

// In a sweep, DISCERN_SWEEP vectors or more in each family of the catalogue, shared by its arithmetics.
TEST(Encode, AgreesWithTheModelsOnEveryArithmeticOfTheCatalogue) {
    constexpr int runs = 2 * static_cast<int>(std::size(families)); // of one circuit_difference
    const auto by_family = arithmetics_by_family();
    EXPECT_GT(by_family.size(), 8u);
    for (const auto& [family, entries] : by_family) {
        const int each = sweep(0) / (runs * static_cast<int>(entries.size())) + 1;
        for (const CatalogueEntry* entry : entries) {
            const int quick = entry->unit.a == FormatId::f64 ? 3 : 20;
            const auto difference = circuit_difference(entry->unit, 1, std::max(each, quick));
            EXPECT_FALSE(difference) << entry->name << ": " << *difference;
        }
    }
}

// In a sweep, DISCERN_SWEEP trees.
TEST(Encode, AgreesWithTheModelsOnRandomTrees) {
    int failures = 0;
    const auto units = static_cast<std::uint64_t>(sweep(800));
    for (std::uint64_t seed = 1; seed <= units && failures < 5; ++seed) {
        const Unit unit = UnitGenerator(seed, true).next();
        const auto difference = circuit_difference(unit, seed, 8);
        EXPECT_FALSE(difference) << "unit seed " << seed << ": " << *difference;
        failures += difference ? 1 : 0;
    }
}

TEST(Encode, AgreesWithTheModelsOnRandomTreesWithScaledSums) {
    int units = 0;
    for (std::uint64_t seed = 1; units < 150; ++seed) {
        const Unit unit = UnitGenerator(seed, true).next();
        if (!has_scaled_sums(unit.tree)) continue;
        ++units;
        const auto difference = circuit_difference(unit, seed, 8);
        ASSERT_FALSE(difference) << "unit seed " << seed << ": " << *difference;
    }
}

/// The first vector of zeros, edges or any family whose term, of constants, is not what the evaluator gives.
std::optional<std::string> constants_difference(const Unit& unit, std::uint64_t seed, int vectors) {
    Terms terms;
    const InputTerms variables = input_variables(terms, unit);
    const Evaluator model(unit);
    const InputBits bits(unit);
    InputMixture mixture(unit, seed);
    Random random(seed);
    InputBuffer x;
    for (int i = 0; i < vectors; ++i) {
        if (i == 0) bits.at(0, x);
        if (i == 1) bits.zeros(random, x);
        if (i >= 2) i % 2 == 0 ? static_cast<void>(bits.edges(random, x)) : mixture.next(x);
        const Term d = encode(terms, unit, constant_inputs(terms, variables, x.inputs()));
        TermEvaluator evaluator(terms, {d});
        evaluator.run();
        const std::uint64_t expected = model(x.inputs()), found = evaluator.low(d);
        if (!same_result(unit, found, expected)) return describe(unit, x, found, expected);
    }
    return std::nullopt;
}

/// A space asks which of its members explain a vector that was seen: its inputs are constants then.
TEST(Encode, OfConstants) {
    int failures = 0;
    const auto units = static_cast<std::uint64_t>(sweep(400));
    for (std::uint64_t seed = 1; seed <= units && failures < 5; ++seed) {
        const Unit unit = UnitGenerator(seed, true).next();
        const auto difference = constants_difference(unit, seed, 8);
        EXPECT_FALSE(difference) << "unit seed " << seed << ": " << *difference;
        failures += difference ? 1 : 0;
    }
}

/// A dropped term shows in the sticky bit alone, whose weight is given by the largest exponent, whichever term has it.
TEST(Encode, TheStickyBitOfWhatWasDropped) {
    for (const char* text :
         {"e4m3*e4m3+f16->f16 K=5 : round[f16 rna](fuse[F=30 rz floor=-1 sticky](fuse[F=14 rna](p*), c @[drop=4]))",
          "e4m3*e4m3+f16->f16 K=2 : round[f16 ru](fuse[F=20 sticky](p*, c @[drop=9]))"}) {
        const auto difference = circuit_difference(parse_unit(text), 374, 300);
        EXPECT_FALSE(difference) << *difference;
    }
}

/// nan=rdna: beside a NaN of c, an infinity of an inner sum makes no invalid operation with one of the outer sum.
TEST(Encode, AStepRaisesNoExponentWhereNoTermBringsOne) {
    // All products are zero, so that the inner sums have no exponent, and c keeps all of its digits.
    const Unit unit = parse_unit("e4m3fnuz*e4m3fnuz+f32->f32 K=3 : round[f32 rne](fuse[exact](fuse[exact step=16]("
                                 "fuse[exact](p(0::2)), p1), c@[F=24]))");
    const std::vector<std::uint64_t> a = {0x04, 0x85, 0x86}, b = {0, 0, 0};
    const Inputs x{a, b, {}, {}, 0x813fffff};
    EXPECT_EQ(evaluate_exactly(unit, x), 0x813fffffu);
    EXPECT_EQ(circuit_of(unit)(x), 0x813fffffu);
}

TEST(Encode, AnInfinityBesideAKeptNanIsNone) {
    for (const char* text : {"(fuse[F=9](fuse[F=9](c, p0), p1))", "(fuse[exact](fuse[exact](c, p0), p1))",
                             "(fuse[exact](p1, fuse[exact](p0, c)))"}) {
        const Unit unit = parse_unit(std::string("e5m2*e5m2+f16->f16 K=2 nan=rdna : round[f16 rne]") + text);
        const std::vector<std::uint64_t> infinities = {0x7c, 0xfc}, ones = {0x3c, 0x3c};
        const Inputs inputs{infinities, ones, {}, {}, 0x7d01};
        EXPECT_EQ(circuit_of(unit)(inputs), 0x7f01u) << text;
        EXPECT_EQ(Evaluator(unit)(inputs), 0x7f01u) << text;
        EXPECT_EQ(evaluate_exactly(unit, inputs), 0x7f01u) << text;
    }
}

/// Circuit, evaluator and oracle on all inputs of the units, or on some where they have more bits than that.
/// @return how many units
std::size_t expect_agreement_on_all_inputs(std::span<const char* const> texts, int bits_of_all, std::uint64_t some) {
    std::size_t units = 0;
    for (const char* const text : texts) {
        const std::vector<Unit> written = units_of(text);
        EXPECT_FALSE(written.empty()) << text;
        for (const Unit& unit : written) {
            ++units;
            TermCircuit circuit = circuit_of(unit);
            const Evaluator model(unit);
            const InputBits bits(unit);
            InputBuffer x;
            Random random(7);
            const bool all = bits.count() <= bits_of_all;
            for (std::uint64_t i = 0; i < (all ? 1ull << bits.count() : some); ++i) {
                const Inputs inputs = bits.at(all ? i : random.bits(), x).inputs();
                const std::uint64_t one = circuit(inputs), other = model(inputs);
                EXPECT_TRUE(same_result(unit, one, other)) << describe(unit, x, one, other);
                EXPECT_TRUE(same_result(unit, other, evaluate_exactly(unit, inputs))) << to_string(unit);
                if (testing::Test::HasFailure()) return units;
            }
        }
    }
    return units;
}

/// What E is at most is said by all children of a sum: by the floor and the zeros of an inner sum, too, whose terms are
/// added to the others as they are.
TEST(Encode, ExponentsThatComeFromInnerSums) {
    const char* const texts[] = {
        "e2m1*e2m1->{f16|e4m3} K=2 : round[{f16|e4m3} {ru|rne}](fuse[F=30 rz](fuse[exact {floor=23|floor=9|zero=23|"
        "step=32 phase=23}](p0), p1 @[F={4|9} ru]))",
        "e2m1*e2m1+e2m1->f16 K=1 : round[f16 {ru|rz}](fuse[F=30 {rz|ru}](fuse[{exact|F=24} {floor=23|floor=9|zero=23|"
        "zero=emin|step=32 phase=23}](p0), c @[F={4|9} {ru|rz}]))",
        "e2m1*e2m1+e2m1->f16 K=1 : round[f16 {ru|rz}](fuse[F=30 rz](fuse[exact {floor=9|zero=23}](c), p0 @[F={4|9} "
        "{ru|rz}]))",
        "e2m1*e2m1->f16 K=2 L=1 : round[f16 {rz|rne}](fuse[F={3|9}](fuse[exact {|floor=3}](p*, c "
        "@[zero={10|2|emin}])))",
        "e2m1*e2m1+e2m1->f16 K=2 : round[f16 rd](fuse[F=46 rd](fuse[F=52 odd](c, fuse[F=15 rz](round[e2m1ieee "
        "{rz|rd}](p0) "
        "@[zero={ignore|emin}]) @[F=0 ru zero={8|2|-1}]), fuse[F=28 rna floor={19|3}](p1)))",
        // summands that cancel: their sum is a zero, which may not take part
        "e2m1*fix2.0+e2m1->f16 K=2 : round[f16 rz](fuse[F=30 floor={-6|-1}](fuse[{exact|F=9} "
        "{|floor=-1}](p*[{|carry}]) "
        "@[zero={emin|ignore|-5|1}], c @[F={1|2} {rz|rd}]))",
    };
    EXPECT_GT(expect_agreement_on_all_inputs(texts, 8, 800), 80u);
}

/// Zeros whose sign has no effect, patterns that are not changed, flushes that cannot happen, c that is never −0: each
/// depends on another part of the tree.
TEST(Encode, SignsOfZerosWhereverTheyComeFrom) {
    const char* const texts[] = {
        "e2m1*e2m1->e2m1ieee K=1 : round[e2m1ieee {rne|rd|ru} {|zsign=pos}](round[e2m1ieee rne "
        "{zsign=pos|}](round[e2m1ieee {rz|rd} "
        "{ |zsign=pos} {|usign=pos}](p*)))",
        "e2m1*e2m1+e2m1->e2m1ieee K=1 : round[e2m1ieee {rne|rd|rz} {|zsign=pos} "
        "{|usign=pos}](fuse[{exact|F=1}](round[e2m1ieee rz "
        "{ |zsign=pos}](p*), {c|c[ftz]|c[ftz=plus]}))",
        "e2m1*e2m1+e2m1->e2m1ieee K=1 : round[e2m1ieee rne {|zsign=pos}](fuse[exact](p*, round[e2m1ieee {rz|rd} { "
        "|zsign=pos}](c)))",
        "e2m1*e2m1+e2m1->e2m1ieee K=2 L=1 {|c=last} : round[e2m1ieee {rne|rd} {|zsign=pos} {|usign=pos} "
        "{|ftz=result}](fuse[{exact|"
        "F=1}](round[e2m1ieee rz { |zsign=pos}](p*), {c|c[ftz]|c[ftz=plus]}))",
        "e2m1*e2m1->e2m1ieee K=2 L=1 : round[e2m1ieee {rne|rd} {|zsign=pos} {|usign=pos}](fuse[exact](round[e2m1ieee "
        "{rz|ru} "
        "{ |zsign=pos} {usign=pos|}](p*), c))",
        "e2m1*e2m1+e2m1->e2m1ieee K=2 L=1 : round[e2m1ieee rne {|zsign=pos}](round[e2m1ieee {rz|rd} { "
        "|zsign=pos}](fuse[F=2 "
        "rz frame=c](p*, c)))",
        "e3m2*e3m2->e4m3 K=1 : round[e4m3 rne](round[e4m3 rne zsign=pos](round[e4m3 {rne|rd}](p*)))",
        // no result is −0 but one that was flushed after it was read
        "e2m1*e3m2->e2m3ieee K=2 L=1 : round[e2m3ieee {rz|odd} usign=pos](fuse[exact]({c[ftz]|c[ftz=pos]}, p*))",
    };
    const std::size_t units = expect_agreement_on_all_inputs(texts, 12, 1000);
    EXPECT_GT(units, 150u);
}

/// The largest pattern is infinite, and what has infinities has no −0, which roundings that change nothing have to
/// make.
TEST(Encode, InfinitiesWithoutMinusZero) {
    const char* const texts[] = {
        "e2m1inuz*e2m1inuz+e2m1inuz->e2m2inuz K=1 : round[e2m2inuz {rz|rd|ru|rne|rna|odd|ra|rnu|rnd|rnz|rno} "
        "{|overflow=inf|overflow=max}](fuse[exact](p*[{|infzero}], c))",
        "e2m2inuz*e2m1inuz->e3m2inuz K=1 : round[e3m2inuz {rne|rd|odd} "
        "{|ftz=result|ftz=before}](fuse[{exact|F=1}](p*))",
        "e2m1inuz*e2m1f+e2m1->e4m3ieee K=1 : round[e4m3ieee {rne|rd}](fuse[exact](round[{e3m3inuz|e2m1inuz} "
        "{rne|odd overflow=inf}](p*), c))",
        "e2m1f*e2m1f->e2m1inuz K=2 L=1 : round[e2m1inuz {rne|rd}](fuse[exact](c[{|ftz|ftz=plus}], p*))",
    };
    const std::size_t units = expect_agreement_on_all_inputs(texts, 12, 1000);
    EXPECT_GT(units, 60u);
}

/// Saturation of both signs, NaN as 0, and the one magnitude that only the smallest number has.
TEST(Encode, FixedPointInEveryPlace) {
    const char* const texts[] = {
        "e2m1*e2m1->{fix4.1|fix2.0|fix3.3} K=1 : round[{fix4.1|fix2.0|fix3.3} "
        "{rz|rd|ru|rne|rna|odd|ra|rnu|rnd|rnz|rno}]("
        "fuse[{exact|F=1 rd|F=0 carry=0}](p*))",
        "e2m1*e2m1->fix4.1 K=2 : round[fix4.1 {rz|rd|ru|rne|rna|odd|ra|rnu|rnd|rnz|rno}](fuse[{exact|F=2 rz}](p*))",
        "fix3.1*e2m1+fix4.2->fix4.2 K=1 : round[fix4.2 {rne|rd|odd}](fuse[{exact|F=1|F=2 sticky|F=0 carry=0}]("
        "p*[{|carry|full|limit=1|limit=2:counts}], c))",
        "fix2.0*fix3.1+fix3.3->{fix3.1|e2m1ieee} K=1 : round[{fix3.1|e2m1ieee} {rne|rd}](fuse[F={0|1|2} {|zero=emin|"
        "frame=c|step=2|floor=1}](p*[{|full}], c))",
        "fix2.0*fix2.0+e3m2->fix5.3 K=2 L=1 {|c=last} : round[fix5.3 {rz|ru}](fuse[{exact|F=2}](p*, c))",
        "e2m1ieee*fix3.0+fix3.0->fix4.0 K=1 : round[fix4.0 {rne|ru} {|overflow=inf}](fuse[exact](p*, c))",
        "e2m1ieee*e2m1ieee+fix4.1->e3m2ieee K=1 : round[e3m2ieee {rz|rd}](fuse[{exact|F=1}](round[{fix2.0|fix4.0|"
        "fix6.4} {rne|rd}](p0), c))",
        "e2m1ieee*e2m1ieee+fix4.4->e3m2ieee K=1 : round[e3m2ieee {rz|rd}](fuse[{exact|F=1}](p0[{|limit=1}], "
        "c[{|as=f16}]))",
    };
    for (const char* const text : texts)
        for (const std::string& line : written_out(text)) {
            const Unit unit = parse_unit(line);
            TermCircuit circuit = circuit_of(unit);
            const Evaluator model(unit);
            const InputBits bits(unit);
            InputBuffer x;
            Random random(3);
            const bool all = bits.count() <= 11 || sweeping();
            for (std::uint64_t i = 0; i < (all ? 1ull << bits.count() : 1000); ++i) {
                const Inputs inputs = bits.at(all ? i : random.bits(), x).inputs();
                const std::uint64_t one = circuit(inputs), other = model(inputs);
                ASSERT_TRUE(same_result(unit, one, other)) << describe(unit, x, one, other);
            }
        }
    for (const char* text :
         {"f16*f16+fix32.16->fix32.16 K=4 L=2 : round[fix32.16 rne](fuse[exact](p*, c))",
          "f16*f16+fix32.16->fix32.16 K=4 L=2 : round[fix32.16 rz](fuse[F=24 floor=3](p*, c))",
          "fix8.0*fix8.0+fix32.0->fix32.0 K=4 : round[fix32.0 rz](fuse[exact](p*, c))",
          "fix8.6*fix8.6+f32->f32 K=4 scale=ue4m3/2 : round[f32 rne](fuse[F=24](g*[G=2], c))",
          "fix54.54*fix32.0+fix54.20->fix54.30 K=2 : round[fix54.30 rna](fuse[{exact|F=40 rd}](p*, c))"})
        for (const std::string& line : written_out(text)) {
            const auto difference = circuit_difference(parse_unit(line), 11, sweep(15));
            EXPECT_FALSE(difference) << *difference;
        }
}

TEST(Encode, TheSameArithmeticIsTheSameTerm) {
    const Unit one = parse_unit("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p*, c))");
    Terms terms;
    const InputTerms inputs = input_variables(terms, one);
    const Term d1 = encode(terms, one, inputs);
    const Unit reordered = parse_unit("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](c, p(1::2), p(0::2)))");
    const Term d2 = encode(terms, reordered, inputs);
    EXPECT_EQ(d1, d2);
    const Unit wider = parse_unit("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24 carry=5](p*, c))");
    EXPECT_EQ(encode(terms, wider, inputs), d1); // the register never wraps
    const Unit another = parse_unit("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=23](p*, c))");
    EXPECT_NE(encode(terms, another, inputs), d1);
}

} // namespace
} // namespace discern
