// The reference circuit against the evaluators, which share the notation with it and no arithmetic, on random inputs of
// random units, of every node and parameter, and of the catalogue.
//
// DISCERN_SWEEP=n compares n vectors per family and unit instead of the quick default.
#include "reference_unit.hpp"
#include "scaled_units.hpp"
#include "values_seen.hpp"

#include "models/catalogue.hpp"
#include "tests/encodings/written_units.hpp"
#include "tests/models/random_tree.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern::tests {
namespace {

std::optional<std::string> difference(const Unit& unit, std::span<const InputBuffer> vectors) {
    const Evaluator evaluator(unit);
    return reference_difference(
        ReferenceUnit(unit), unit, [&](const Inputs& x) { return evaluator(x); }, vectors);
}

TEST(Reference, ZerosAndEndsOfTheFormats) {
    Random random(1);
    int groups = 0;
    for (const Unit& unit : units_of("{e2m1*e2m1|e3m2*e3m2|e4m3*e2m3}+f32->f32 K=32 scale={ue4m3|ue5m3|e8m0}/16 : "
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
        ASSERT_FALSE(found) << "reference circuit and evaluator differ, " << *found;
    }
    EXPECT_EQ(groups, 72);
}

/// Eight products below the last bit, inverted against the sum's sign, are minus one each: in three bits that is
/// nothing, and yet terms have cancelled, so that it is +0.
TEST(Reference, InvertedTermsThatWrapToZero) {
    const Unit unit =
        parse_unit("e2m1*e2m1+e2m1->e4m3 K=8 : round[e4m3 rne](fuse[F=0 rz carry=0 frame=c_or_plus floor=5](p*, c))");
    InputBuffer x; // 1/2 · −1/2, and −0: nothing but minus is seen
    x.a.assign(8, 1);
    x.b.assign(8, 9);
    x.c = 8;
    EXPECT_EQ(Evaluator(unit)(x.inputs()), 0u);
    EXPECT_EQ(evaluate_exactly(unit, x.inputs()), 0u);
    const auto found = difference(unit, std::span(&x, 1));
    EXPECT_FALSE(found) << "reference circuit and evaluator differ, " << *found;
}

/// NaN of factors, of invalid operations and kept ones, in sums, in sums of sums and between rounds. Operands are wide
/// enough for two patterns.
TEST(Reference, NanOfRdna) {
    Random random(3);
    for (const char* text :
         {"f16*f16+f32->f32 K=2 nan=rdna : round[f32 rne](fuse[F=24 rd](fuse[F=24 rd](p0), fuse[F=24 rd](p1), c))",
          "bf16*bf16+bf16->bf16 K=2 nan=rdna : round[bf16 rz](round[f32 rne](fuse[F=24 rz frame=c](p*, c)))",
          "f16*f16+f16->f16 K=2 nan=rdna : round[f16 rne](fuse[exact](p1, round[f32 rz](round[f16 rne](fuse[exact](p0, "
          "c)))))",
          "f16*f16+f32->f32 K=4 L=2 c=last nan=rdna : round[f32 rne](fuse[exact](p*, c))"}) {
        const Unit unit = parse_unit(text);
        std::vector<InputBuffer> vectors(640);
        const auto special = [&](FormatId id) {
            const Format& f = format(id);
            const std::uint64_t sign = random.one_in(2) ? 1ull << (f.width - 1) : 0;
            if (random.one_in(3)) return sign | (random.one_in(2) ? 0 : quiet_nan(f) >> 3);
            const std::uint64_t infinity = ((1ull << f.exponent_bits) - 1) << f.mantissa_bits;
            return sign | infinity | (random.one_in(3) ? 1 + random.bits() % 7 : 0);
        };
        for (InputBuffer& x : vectors) {
            for (int k = 0; k < unit.K; ++k) {
                x.a.push_back(special(unit.a));
                x.b.push_back(special(unit.b));
            }
            x.c = special(*unit.c);
        }
        const auto found = difference(unit, vectors);
        ASSERT_FALSE(found) << "reference circuit and evaluator differ, " << *found;
        for (const InputBuffer& x : vectors) ASSERT_EQ(Evaluator(unit)(x.inputs()), evaluate_exactly(unit, x.inputs()));
    }
}

/// Scales that multiply what is rounded: all of them, of small operands.
TEST(Reference, ScaledSums) {
    for (const char* text : scaled_units) {
        const Unit unit = parse_unit(text);
        const std::vector<InputBuffer> vectors = scaled_vectors(unit);
        const auto found = difference(unit, vectors);
        EXPECT_FALSE(found) << text << ": reference circuit and evaluator differ, " << *found;
    }
}

/// Nothing of a number is above the last bit that is kept.
TEST(Reference, TermsBelowTheRegister) {
    for (const char* text : {"fix2.2*fix2.2+e2m1->e3m2ieee K=1 : round[e3m2ieee rne](fuse[F=0 rne](p*, c))",
                             "fix2.2*fix2.2+e2m1->e3m2ieee K=1 : round[e3m2ieee rne](fuse[F=0](g*[G=1], c))",
                             "fix2.2*fix2.2->e3m2ieee K=2 : round[e3m2ieee rne](fuse[F=0 odd](p*))",
                             "fix3.3*fix2.2+fix4.4->e3m2ieee K=1 : round[e3m2ieee rne](fuse[F=0 ru sticky](p*, c))",
                             "fix2.2*e2m1->fix4.1 K=1 scale=e8m0/1 : round[fix4.1 rna](fuse[F=1 rna](p*))"}) {
        const Unit unit = parse_unit(text);
        const auto found = difference(unit, vectors_of_families(unit, 1, 200));
        EXPECT_FALSE(found) << text << ": reference circuit and evaluator differ, " << *found;
    }
}

TEST(Reference, RandomUnits) {
    int failures = 0;
    const int count = sweep(12);
    for (std::uint64_t seed = 1; seed <= (count > 12 ? 4000u : 300u) && failures < 5; ++seed) {
        const Unit unit = UnitGenerator(seed, true).next();
        const auto found = difference(unit, vectors_of_families(unit, seed, count));
        EXPECT_FALSE(found) << "unit seed " << seed << ": reference circuit and evaluator differ, " << *found;
        failures += found ? 1 : 0;
    }
}

TEST(Reference, EveryValueIsInARandomUnit) {
    ValuesSeen seen;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) seen.add(UnitGenerator(seed, true).next()); // those above
    EXPECT_EQ(seen.missing(2), std::vector<std::string>());
}

/// The oracle is slow: only units that have something that was seen at most twice before.
TEST(Reference, RandomUnitsAgainstTheOracle) {
    ValuesSeen seen;
    int units = 0;
    for (std::uint64_t seed = 5001; seed <= 9000; ++seed) {
        const Unit unit = UnitGenerator(seed, true).next();
        ValuesSeen with_this = seen;
        if (with_this.add(unit) > 3) continue;
        seen = with_this;
        ++units;
        const auto found = reference_difference(
            ReferenceUnit(unit), unit, [&](const Inputs& x) { return evaluate_exactly(unit, x); },
            vectors_of_families(unit, seed, 8));
        EXPECT_FALSE(found) << "unit seed " << seed << ": reference circuit and oracle differ, " << *found;
    }
    EXPECT_EQ(seen.missing(3), std::vector<std::string>());
    EXPECT_LT(units, 150);
}

TEST(Reference, Catalogue) {
    std::set<std::uint64_t> seen;
    for (const CatalogueEntry& entry : catalogue()) {
        const Unit& unit = entry.unit;
        if (!seen.insert(arithmetic_hash(unit)).second || (unit.K > 32 && sweep(0) == 0)) continue;
        const auto found = difference(unit, vectors_of_families(unit, 1, sweep(13)));
        EXPECT_FALSE(found) << entry.name << ": reference circuit and evaluator differ, " << *found;
    }
    EXPECT_GT(seen.size(), 40u);
}

TEST(Reference, IsTheSameEveryTime) {
    const Unit unit = UnitGenerator(7, true).next();
    const ReferenceUnit one(unit), other(unit);
    EXPECT_EQ(one.netlist().nodes(), other.netlist().nodes());
    EXPECT_EQ(one.d(), other.d());
}

} // namespace
} // namespace discern::tests
