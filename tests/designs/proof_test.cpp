// Certificates of two units whose proof is divided into cases, which the checker accepts; and of units that differ.
#include "folder.hpp"

#include "certificate/check.hpp"
#include "designs/cases/proof.hpp"
#include "models/evaluate.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>

namespace discern::rtl::testing {
namespace {

/// A product and c, rounded up twice: the two sums differ in their last bit, and so in their leading zeros.
constexpr const char *once = "e3m2*e3m2+e5m3ieee->e5m3ieee K=1 : round[e5m3ieee ru](fuse[exact](p*, c))",
                     *twice = "e3m2*e3m2+e5m3ieee->e5m3ieee K=1 : round[e5m3ieee ru](fuse[F=12 ru](p*, c))",
                     *too_soon = "e3m2*e3m2+e5m3ieee->e5m3ieee K=1 : round[e5m3ieee ru](fuse[F=12 rd](p*, c))";

class SplitProofOf : public ::testing::Test {
  protected:
    certificate::Written write(const char* one, const char* other, const certificate::Limits& limits = {}) {
        certificate::Certified what{{parse_unit(one), parse_unit(other)}};
        what.by_cases = split_proof(what.units.front(), what.units.front(), {}, {.seed = 1, .threads = 2});
        return certificate::write_certificate(what, limits, path(), {});
    }
    std::filesystem::path path() const { return folder_.path("certificate"); }
    discern::testing::Folder folder_;
};

TEST_F(SplitProofOf, UnitsOfFewNumbersIsAccepted) {
    const certificate::Written written = write(twice, once);
    ASSERT_EQ(written.verdict, certificate::Written::Verdict::equivalent);
    EXPECT_EQ(written.combination, "cases");
    EXPECT_GT(written.cases, 5u);
    const certificate::Checked checked = certificate::check_certificate(path());
    EXPECT_EQ(checked.verdict(), std::string("accepted")) << checked.refused;
    EXPECT_EQ(checked.obligations, written.cases + 1); // and that the cases are all inputs
}

TEST_F(SplitProofOf, UnitsThatDifferIsAVector) {
    EXPECT_EQ(write(too_soon, once).verdict, certificate::Written::Verdict::different);
    const certificate::Checked checked = certificate::check_certificate(path());
    EXPECT_EQ(checked.verdict(), std::string("accepted")) << checked.refused;
}

/// Many terms are not split: the proof is of the whole, or there is none.
TEST_F(SplitProofOf, UnitsOfManyNumbersThereIsNone) {
    const Unit unit = parse_unit("e3m2*e3m2+f32->f32 K=4 : round[f32 ru](fuse[exact](p*, c))");
    EXPECT_FALSE(split_proof(unit, unit, {}, {}));
}

} // namespace
} // namespace discern::rtl::testing
