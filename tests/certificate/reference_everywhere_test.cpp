// The reference circuit on all inputs of small units that between them have every value of every parameter, against the
// evaluator and, on some of the inputs, the exact oracle. The three share the notation and no arithmetic.
#include "reference_unit.hpp"
#include "small_units.hpp"
#include "values_seen.hpp"

#include "tests/encodings/written_units.hpp"

#include <gtest/gtest.h>

namespace discern::tests::reference_everywhere_test {
namespace {

/// @param most    bits of a vector
/// @param one_in  of so many batches of vectors one is for the oracle too, which is slow; 0: none
void expect_agreement_on_all_inputs(const std::string& text, int most, std::uint64_t one_in) {
    const std::vector<Unit> units = units_of(text);
    EXPECT_FALSE(units.empty()) << text;
    std::uint64_t batches = 0;
    for (const Unit& unit : units) {
        const InputBits inputs(unit);
        ASSERT_LE(inputs.count(), most) << text;
        const ReferenceUnit plain(unit);
        const Evaluator evaluator(unit);
        const Evaluate quick = [&](const Inputs& x) { return evaluator(x); };
        const Evaluate exact = [&](const Inputs& x) { return evaluate_exactly(unit, x); };
        std::vector<InputBuffer> batch(64);
        for (std::uint64_t first = 0; first < (1ull << inputs.count()); first += 64) {
            for (std::uint64_t v = 0; v < 64; ++v) inputs.at(first + v, batch[v]);
            const auto found = reference_difference(plain, unit, quick, batch);
            ASSERT_FALSE(found) << "reference circuit and evaluator differ, " << *found;
            if (one_in == 0 || ++batches % one_in != 0) continue;
            const auto inexact = reference_difference(plain, unit, exact, batch);
            ASSERT_FALSE(inexact) << "reference circuit and oracle differ, " << *inexact;
        }
    }
}

class ReferenceEverywhere : public ::testing::TestWithParam<Small> {};
TEST_P(ReferenceEverywhere, AgreesOnAllInputs) {
    for (const std::string& text : GetParam().texts)
        expect_agreement_on_all_inputs(text, GetParam().bits, sweeping() ? 1 : 17);
}
INSTANTIATE_TEST_SUITE_P(Small, ReferenceEverywhere, ::testing::ValuesIn(small_units),
                         [](const auto& x) { return std::string(x.param.name); });

TEST(Reference, EveryValueIsInASmallUnit) {
    ValuesSeen seen;
    for (const Small& small : small_units)
        for (const std::string& text : small.texts)
            for (const Unit& unit : units_of(text)) seen.add(unit);
    // A unit with scales has 24 bits or more: below.
    EXPECT_EQ(seen.missing(1), (std::vector<std::string>{"child[scaled#18] yes", "child[scaled#18] a",
                                                         "child[scaled#18] b", "scaleyes"}));
}

/// Sixteen million vectors each.
TEST(Reference, AllInputsOfLargerUnits) {
    if (!sweeping()) GTEST_SKIP() << "set DISCERN_SWEEP to compare all inputs of units with 24 bits of input";
    for (const std::string text :
         {"e2m1*e2m1+e4m3->e4m3 K=2 : round[e4m3 rne](fuse[F=4 floor=-3](p*, c))",
          "e4m3*e4m3+e4m3->e4m3 K=1 : round[e4m3 {rne|rd}](fuse[{F=5|F=3 sticky|exact}](p*, c))",
          "e4m3*e4m3+e5m2->e5m2 K=1 nan=x86 : round[e5m2 rz](fuse[F=4 rd zero=emin](p*, c[as=f16]))",
          "e2m1*e2m1->e4m3 K=1 scale={ue4m3|ue5m3}/1 : round[e4m3 rne](fuse[{exact|F=2}](p*[{carry|full}]))",
          "e2m1*e2m1->e4m3 K=1 scale={ue4m3|ue5m3}/1 : round[e4m3 rne](fuse[exact](round[e4m3 rz](fuse[exact](p*)) "
          "@[scaled]))",
          "e2m1*e2m1->e4m3 K=1 scale={ue4m3|ue5m3}/1 : round[e4m3 rne](fuse[exact](round[e4m3 rz](fuse[exact]("
          "round[e4m3 rz](fuse[exact](p*)) @[scaled=a])) @[scaled=b]))",
          "e3m2*e3m2+e3m2->e5m2fnuz K=1 : round[e5m2fnuz rne](fuse[exact](p*, c))",
          "e2m1*e2m1+e2m1->e4m3 K=2 : round[e4m3 {rz|rd}](fuse[F={1|3} carry=1 frame={c|nonzero_c} opposed={all|kept}]("
          "p*, c))"})
        expect_agreement_on_all_inputs(text, 24, 0);
}

} // namespace
} // namespace discern::tests::reference_everywhere_test
