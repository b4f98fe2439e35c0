// One question has one answer, whichever command it is put to: prove, synth, suite and audit agree on units of which it
// is known whether they are the same.
#include "program.hpp"

#include "models/catalogue.hpp"
#include "models/vectors.hpp"
#include "solver/backend/backend.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing::same_everywhere_test {
namespace {

struct Two {
    std::string first, second;
};

std::ostream& operator<<(std::ostream& out, const Two& units) { return out << units.first << " and " << units.second; }

/// A space of the two units, and a file with a vector of zeros, on which nothing differs.
class TwoUnits {
  public:
    explicit TwoUnits(const Two& units) : units_(units) {
        folder_.file("space.txt", units.first + "\n" + units.second + "\n");
        const Unit unit = resolve_unit(units.first);
        const Shape shape = shape_of(unit);
        const std::vector<std::uint64_t> zeros(static_cast<std::size_t>(unit.K), 0),
            scales(static_cast<std::size_t>(unit.scales()), 0);
        std::ofstream out(folder_.path("vectors.jsonl"));
        Header header;
        header.shape = shape;
        VectorWriter(out, shape, header).write(vector_of(shape, {zeros, zeros, scales, scales, 0}));
    }

    Outcome ask(const std::string& command) const { return discern({command, units_.first, units_.second}); }

    std::size_t classes_of_suite() const {
        const Outcome outcome = discern({"suite", units_.first, units_.second, "--json"});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        if (outcome.status != 0) return 0;
        const auto suite = nlohmann::json::parse(outcome.out);
        EXPECT_TRUE(suite["open"].empty());
        return suite["classes"].size();
    }

    Outcome audit() const {
        return discern({"audit", folder_.path("vectors.jsonl"), "--space", "@" + folder_.path("space.txt")});
    }

  private:
    Two units_;
    Folder folder_;
};

class UnitsThatDiffer : public ::testing::TestWithParam<Two> {};
class UnitsThatAreTheSame : public ::testing::TestWithParam<Two> {};

TEST_P(UnitsThatDiffer, Everywhere) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const TwoUnits units(GetParam());
    for (const char* command : {"prove", "synth"}) {
        const Outcome outcome = units.ask(command);
        EXPECT_EQ(outcome.status, 1) << command << ": " << outcome.out << outcome.err;
    }
    EXPECT_EQ(units.classes_of_suite(), 2U);
    const Outcome audit = units.audit();
    EXPECT_EQ(audit.status, 1) << audit.out << audit.err;
    EXPECT_EQ(last_line(audit.out), "units 2, classes 1, missed 1, unknown 0") << audit.out;
}

TEST_P(UnitsThatAreTheSame, Everywhere) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const TwoUnits units(GetParam());
    for (const char* command : {"prove", "synth"}) {
        const Outcome outcome = units.ask(command);
        EXPECT_EQ(outcome.status, 0) << command << ": " << outcome.out << outcome.err;
    }
    EXPECT_EQ(units.classes_of_suite(), 1U);
    const Outcome audit = units.audit();
    EXPECT_EQ(audit.status, 0) << audit.out << audit.err;
    EXPECT_EQ(last_line(audit.out), "units 2, classes 1, missed 0, unknown 0") << audit.out;
}

std::string name_of(const ::testing::TestParamInfo<Two>& info) { return std::to_string(info.index); }

// A product of e3m2 and e2m1 has an ulp of 2^-5 and an exponent up to 6, so that F=10 truncates the last bit of
// the smallest beside the largest, by which a sum may differ from a tie of e4m3. F=30 in the same way for
// bf16 and e2m3. In the third, a product below 2^-31 beside a c that is subnormal in f16.
const std::string e4m3_of = "e3m2*e2m1->e4m3 K=2 : round[e4m3 ", tf32_of = "bf16*e2m3->tf32 K=2 : round[tf32 ",
                  f16_of = "e2m1*e2m1+f16->f16 K=1 scale=e8m0/1 : round[f16 rz zsign=pos usign=pos](fuse[F=17 rz";

INSTANTIATE_TEST_SUITE_P(SameEverywhere, UnitsThatDiffer,
                         ::testing::Values(Two{e4m3_of + "rne](fuse[F=10 rz](p*))", e4m3_of + "rne](fuse[exact](p*))"},
                                           Two{e4m3_of + "rna](fuse[F=10 rz](p*))", e4m3_of + "rna](fuse[exact](p*))"},
                                           Two{tf32_of + "rne](fuse[F=30 rz](p*))", tf32_of + "rne](fuse[exact](p*))"},
                                           Two{tf32_of + "rna](fuse[F=30 rz](p*))", tf32_of + "rna](fuse[exact](p*))"},
                                           Two{f16_of + " floor=-14](p*, c[as=f32]))", f16_of + "](p*, c[as=f32]))"}),
                         name_of);

// Products of e2m1 have an ulp of 2^-2 and an exponent of at most 4. Hopper's floor is the exponent that zeros
// have.
const std::string f32_of = "e2m1*e2m1->f32 K=32 : round[f32 rne](fuse[", hopper = "hopper/wgmma.m64n8k16.f32.f16.f16";

INSTANTIATE_TEST_SUITE_P(SameEverywhere, UnitsThatAreTheSame,
                         ::testing::Values(Two{f32_of + "exact](p*))", f32_of + "F=30 rz](p*))"},
                                           Two{hopper + "{K=8}", hopper + "{K=8,floor=none}"}),
                         name_of);

} // namespace
} // namespace discern::testing::same_everywhere_test
