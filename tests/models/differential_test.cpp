// The machine-integer evaluator against the exact oracle: every arithmetic of the catalogue, and random units, on all
// families of inputs. They share the tree and no arithmetic, so where they agree both are probably right.
//
// DISCERN_SWEEP=n compares n vectors per family and unit instead of the quick default.
#include "differential.hpp"
#include "random_tree.hpp"
#include "trees.hpp"

#include "models/catalogue.hpp"
#include "models/unit/tree_shape.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern::tests {
namespace {

std::optional<std::string> disagreement(const Unit& unit, std::uint64_t seed, int count) {
    const Evaluator evaluator(unit);
    const auto fast = [&](const Inputs& inputs) { return evaluator(inputs); };
    const auto slow = [&](const Inputs& inputs) { return evaluate_exactly(unit, inputs); };
    for (const Family family : families)
        if (auto difference = first_difference(unit, fast, slow, family, seed, count)) return difference;
    return std::nullopt;
}

TEST(Differential, Catalogue) {
    std::set<std::uint64_t> seen;
    int units = 0;
    for (const CatalogueEntry& entry : catalogue()) {
        if (!seen.insert(arithmetic_hash(entry.unit)).second) continue;
        ++units;
        const auto difference = disagreement(entry.unit, 1, sweep(60));
        EXPECT_FALSE(difference) << entry.name << ": evaluator and oracle differ, " << *difference;
    }
    EXPECT_GT(units, 40);
}

TEST(Differential, RandomUnits) {
    const int units = sweeping() ? 3000 : 1000;
    int failures = 0;
    for (int i = 1; i <= units && failures < 5; ++i) {
        const auto seed = static_cast<std::uint64_t>(i);
        const Unit unit = UnitGenerator(seed).next();
        const auto difference = disagreement(unit, seed, sweep(20));
        EXPECT_FALSE(difference) << "unit seed " << i << ": evaluator and oracle differ, " << *difference;
        failures += difference ? 1 : 0;
    }
}

/// Units that have a parameter which few have, other than as usual.
void expect_no_differences(parametric::OwnerKind kind, const char* word) {
    int units = 0;
    for (std::uint64_t seed = 1; units < (sweeping() ? 1000 : 300); ++seed) {
        const Unit unit = UnitGenerator(seed, true).next();
        if (!has_unusual(unit.tree, kind, word)) continue;
        ++units;
        const auto difference = disagreement(unit, seed, sweep(20));
        ASSERT_FALSE(difference) << "unit seed " << seed << ": evaluator and oracle differ, " << *difference;
        ASSERT_EQ(parse_unit(to_string(unit)), unit);
    }
}

TEST(Differential, RandomStickyUnits) { expect_no_differences(parametric::OwnerKind::fuse, "sticky"); }
TEST(Differential, RandomUnitsWhoseZeroSumsArePlus) { expect_no_differences(parametric::OwnerKind::fuse, "plus"); }
TEST(Differential, RandomUnitsWithASignFrame) { expect_no_differences(parametric::OwnerKind::fuse, "frame"); }
TEST(Differential, RandomUnitsThatAlignInSteps) { expect_no_differences(parametric::OwnerKind::fuse, "step"); }
TEST(Differential, RandomUnitsWithScaledSums) { expect_no_differences(parametric::OwnerKind::child, "scaled"); }
TEST(Differential, RandomUnitsWithOtherSpecialProducts) {
    for (const char* word : {"infnan", "nanzero", "infzero"})
        expect_no_differences(parametric::OwnerKind::product, word);
}

TEST(Differential, FindsAndShrinksADifference) {
    // F = 24 against F = 23, given as two evaluations of one unit. What is left after shrinking still differs and has
    // at most three non-zero terms: one that sets E, one with the bit that only F = 24 keeps, one that makes it show in
    // d.
    const Unit unit =
        unit_of(FormatId::f16, FormatId::f32, FormatId::f32, 8, t_fdpa(24, rho(FormatId::f32, Rounding::rz)));
    const Unit other =
        unit_of(FormatId::f16, FormatId::f32, FormatId::f32, 8, t_fdpa(23, rho(FormatId::f32, Rounding::rz)));
    const auto differs = [&](const InputBuffer& x) {
        return evaluate_exactly(unit, x.inputs()) != evaluate_exactly(other, x.inputs());
    };
    for (const Family family : {Family::normal, Family::cancelling, Family::uniform_bits}) {
        InputGenerator generator(unit, family, 5);
        InputBuffer inputs;
        for (int i = 0; i < 1000; ++i) {
            generator.next(inputs);
            if (differs(inputs)) break;
        }
        ASSERT_TRUE(differs(inputs)) << name(family);
        const InputBuffer least = Shrinker(unit, differs)(inputs);
        EXPECT_TRUE(differs(least));
        int terms = (least.c & 0x7fffffff) != 0 ? 1 : 0;
        for (std::size_t k = 0; k < 8; ++k) terms += (least.a[k] & least.b[k]) != 0 ? 1 : 0;
        EXPECT_LE(terms, 3) << describe(unit, least, 0, 0);
    }
    const auto report = first_difference(
        unit, [&](const Inputs& x) { return evaluate_exactly(unit, x); },
        [&](const Inputs& x) { return evaluate_exactly(other, x); }, Family::uniform_bits, 1, 1000);
    ASSERT_TRUE(report);
    EXPECT_NE(report->find("f16*f16+f32->f32 K=8"), std::string::npos) << *report;
    EXPECT_NE(report->find("family uniform_bits, seed 1, vector"), std::string::npos) << *report;
}

TEST(RandomUnits, ReadBackFromTheirNotation) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        const Unit unit = UnitGenerator(seed).next();
        const std::string line = to_string(unit);
        const Unit again = parse_unit(line);
        EXPECT_EQ(to_string(again), line) << "unit seed " << seed;
        EXPECT_EQ(arithmetic_hash(again), arithmetic_hash(unit)) << line;
    }
}

TEST(RandomUnits, UseEveryKindAndParameter) {
    std::string all;
    UnitGenerator generator(1);
    for (int i = 0; i < 2000; ++i) all += to_string(generator.next()) + "\n";
    for (const char* part :
         {"p*",           "p0",           "(0::2)",     "(1::2)",      "(3::4)",       "g*",           "g(0::2)",
          "G=",           "carry",        "full",       "limit=",      ":counts",      "ftz",          "ftz=pos",
          "as=f32",       "floor=",       "carry=",     "zero=emin",   "drop=",        "exact",        "F=0",
          "F=64",         " rz",          " rd",        " ru",         " rne",         " rna",         " odd",
          "overflow=inf", "overflow=max", "ftz=result", "ftz=after",   "ftz=before",   ":pos",         "zsign=pos",
          "usign=pos",    "interleave=",  "c=last",     "scale=e8m0/", "scale=ue4m3/", "scale=ue5m3/", "nan=x86",
          "e4m3fnuz",     "e5m2fnuz",     "e8m13",      "tf32",        "f64",          "e2m1",         "->"})
        EXPECT_NE(all.find(part), std::string::npos) << part;
}

} // namespace
} // namespace discern::tests
