// The two descriptions of each bin, the recorded walk and the circuit, on random vectors of many units.
#include "analysis/coverage/bins.hpp"
#include "analysis/coverage/missing.hpp"

#include "encodings/graph/term_eval.hpp"
#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "models/vectors/mixture.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace discern::coverage {
namespace {

/// @return how many bins were seen to be hit
std::size_t compare(const std::string& text, int n, std::uint64_t seed) {
    const Unit unit = resolve_unit(text);
    const Conditions conditions(unit);
    TermEvaluator circuit(conditions.terms, conditions.hit);
    InputMixture mixture(unit, seed);
    InputBuffer buffer;
    std::set<Bin> seen;
    for (int i = 0; i < n; ++i) {
        mixture.next(buffer);
        set_inputs(circuit, conditions.inputs, buffer.inputs());
        circuit.run();
        std::set<std::string> of_circuit, of_walk;
        for (std::size_t b = 0; b < conditions.bins.size(); ++b)
            if (circuit.low(conditions.hit[b]) != 0) of_circuit.insert(name(conditions.bins[b], unit));
        for (const Bin& bin : hits(explain::trace(unit, buffer.inputs()))) {
            of_walk.insert(name(bin, unit));
            seen.insert(bin);
        }
        EXPECT_EQ(of_circuit, of_walk) << text << " seed " << seed << " vector " << i;
        if (of_circuit != of_walk) break;
    }
    return seen.size();
}

TEST(Bins, WalkAndCircuitAgree) {
    for (const char* unit : {
             "f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p*, c))",
             "volta/mma.m8n8k4.f32.f16.f16.f32",
             "hopper/wgmma.m64n8k16.f32.f16.f16",
             "cdna3/v_mfma_f32_16x16x16_f16",
             "x86/fma.f32",
         })
        EXPECT_GT(compare(unit, 400, 7), 20u) << unit;
}

TEST(Bins, WalkAndCircuitAgreeOnTheCatalogue) {
    std::size_t i = 0;
    for (const CatalogueEntry& entry : catalogue()) {
        const Unit unit = resolve_unit(std::string(entry.name));
        if (unit.K > 64 || !tests::takes_part(i++, 3)) continue;
        compare(std::string(entry.name), 60, 11);
    }
}

/// All inputs of a unit with K = 1 and one c.
template <typename Each>
void all_inputs(const Unit& unit, const Each& each) {
    const auto patterns = [](FormatId id) { return 1ull << format(id).width; };
    for (std::uint64_t a = 0; a < patterns(unit.a); ++a)
        for (std::uint64_t b = 0; b < patterns(unit.b); ++b)
            for (std::uint64_t c = 0; c < patterns(*unit.c); ++c)
                each(Inputs{.a = {&a, 1}, .b = {&b, 1}, .sa = {}, .sb = {}, .c = c});
}

TEST(Missing, IsImpossibleWhereNoInputsHit) {
    for (const char* text : {
             "e2m1ieee*e2m1ieee+e3m2ieee->e3m2ieee K=1 : round[e3m2ieee rne](fuse[F=3](p*, c))",
             "e2m1ieee*e2m2+e3m2ieee->e3m2ieee K=1 : round[e3m2ieee rz](fuse[exact](p*, c))",
             "e2m1*e2m1+e4m3->e4m3 K=1 : round[e4m3 rne](fuse[F=4 floor=-2](p*, c))",
             // A floor at the lowest exponent is E where no term takes part; and one where all exponents are the same.
             "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne](fuse[exact floor=0](p*, c))",
             "fix2.0*fix2.0+fix2.0->fix2.0 K=1 : round[fix2.0 rne](fuse[exact floor=0](p*, c))",
             "e2m1ieee*e2m1ieee+e3m2ieee->e3m2ieee K=1 : round[e3m2ieee rd ftz=result](fuse[F=2](p*, c))",
         }) {
        const Unit unit = resolve_unit(text);
        const Conditions conditions(unit);
        std::set<Bin> possible;
        all_inputs(unit, [&](const Inputs& inputs) {
            for (const Bin& bin : hits(explain::trace(unit, inputs))) possible.insert(bin);
        });
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < conditions.bins.size(); ++i) all.push_back(i);
        const std::vector<Filled> filled = fill(unit, conditions, all, {});
        for (const std::size_t i : all)
            EXPECT_EQ(filled[i].outcome, possible.contains(conditions.bins[i]) ? Outcome::sat : Outcome::unsat)
                << text << " " << name(conditions.bins[i], unit);
        for (const Bin& bin : possible)
            EXPECT_NE(std::ranges::find(conditions.bins, bin), conditions.bins.end()) << text << " " << name(bin, unit);
    }
}

} // namespace
} // namespace discern::coverage
