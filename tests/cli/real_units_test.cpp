// Real code and hardware outside the papers, as programs behind `exec:` (real_units/): identify names what each does,
// and what it names gives the same on fresh vectors. The unit of the catalogue, where there is one, is that program
// too.
#include "program.hpp"

#include "models/notation.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

namespace discern::testing {
namespace {

struct Row {
    const char* program;
    std::vector<std::string> shape; ///< arguments
    const char* structure;          ///< a part of the name
    std::string unit = {};          ///< that it is: of the catalogue, or written out
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.program; }

const std::vector<std::string> f32_8 = {"--formats", "f32,f32,-,f32", "--K", "8"},
                               f32_16 = {"--formats", "f32,f32,-,f32", "--K", "16"},
                               dot2 = {"--formats", "f16,f16,f32,f32", "--K", "2"};

/// The first model of the issue thread about a gfx1151 (docs/sources.md, [I]). @param frame  attributes of its sum
std::string first_model(const std::string& frame) {
    return "f16*f16+f32->f32 K=2 nan=any : round[f32 rne ftz=after](fuse[F=24 rz " + frame + "](p*, c[ftz]))";
}

const Row rows[] = {
    {"torch-matmul-f32", f32_8, "additions of products from +0"},
    {"numpy-dot-f16", {"--formats", "f16,f16,-,f16", "--K", "16"}, "wider accumulator"},
    {"numpy-dot-f32", f32_16, "in f64"},
    {"torch-dot-f32", f32_16, "folded in halves, the last four in neighbours"},
    {"numpy-einsum-f32", f32_8, "4 lanes of rounded products folded in neighbours"},
    {"bf16-loop", {"--formats", "bf16,bf16,-,f32", "--K", "8"}, "rounded products, added one by one from +0"},
    {"fedp-f16", {"--formats", "f16,f16,f32,f32", "--K", "8"}, "c last", "vortex/fedp.f32.f16"},
    {"fedp-e4m3", {"--formats", "e4m3,e4m3,f32,f32", "--K", "16"}, "c last", "vortex/fedp.f32.e4m3"},
    {"fedp-f16-to-f16",
     {"--formats", "f16,f16,f16,f16", "--K", "8"},
     "rounded to f32 and then to d",
     "vortex/fedp.f16.f16"},
    {"ventus-f32",
     {"--formats", "f32,f32,f32,f32", "--K", "4"},
     "folded in halves",
     "ventus/tc_dot_product.f32.f32{nanzero=no,infzero=no}"},
    {"ventus-f16", {"--formats", "f16,f16,f16,f16", "--K", "8"}, "folded in halves"},
    {"psp-vdot", {"--formats", "f32,f32,-,f32", "--K", "4"}, "truncated once more", "psp/vdot"},
    {"vortex-tfr", {"--formats", "f16,f16,f32,f32", "--K", "4"}, "sticky", "vortex/tfr.f32.f16"},
    {"rdna35-c-all", dot2, "sign of c", first_model("frame=c")},
    {"rdna35-c-nonzero", dot2, "sign of c", first_model("frame=c opposed=nonzero")},
    {"rdna35-c-kept", dot2, "sign of c", first_model("frame=c opposed=kept")},
    {"rdna35-c_or_plus-all", dot2, "sign of c", first_model("frame=c_or_plus")},
    {"rdna35-nonzero_c-all", dot2, "sign of c", first_model("frame=nonzero_c")},
};

class RealUnits : public ::testing::TestWithParam<Row> {
  protected:
    static std::string target() { return std::string("exec:") + DISCERN_REAL_UNIT + " " + GetParam().program; }
    static std::vector<std::string> with_shape(std::vector<std::string> words) {
        words.insert(words.end(), GetParam().shape.begin(), GetParam().shape.end());
        return words;
    }
};

using RealUnitsOfTheCatalogue = RealUnits;

TEST_P(RealUnitsOfTheCatalogue, AreThose) {
    const Outcome outcome = discern({"check", target(), GetParam().unit, "-n", tests::sweeping() ? "100000" : "2000"});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

/// Only in a sweep: each takes up to a minute.
TEST_P(RealUnits, AreIdentified) {
    const Outcome outcome = discern(with_shape({"identify", target(), "--json"}));
    ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    const auto found = nlohmann::json::parse(outcome.out);
    EXPECT_TRUE(found["verdict"] == "unique" || found["verdict"] == "class") << outcome.out;
    EXPECT_LE(found["seconds"].get<double>(), 60);
    EXPECT_NE(found["structure"].get<std::string>().find(GetParam().structure), std::string::npos) << outcome.out;
    const Outcome fresh =
        discern({"check", target(), found["tree"].get<std::string>(), "-n", "100000", "--seed", "4711"});
    EXPECT_EQ(fresh.status, 0) << fresh.out << fresh.err;
}

std::string name_of(const ::testing::TestParamInfo<Row>& row) {
    std::string name = row.param.program;
    for (char& letter : name)
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
    return name;
}

std::vector<Row> rows_of_the_catalogue() {
    std::vector<Row> list;
    std::copy_if(std::begin(rows), std::end(rows), std::back_inserter(list),
                 [](const Row& row) { return !row.unit.empty(); });
    return list;
}

INSTANTIATE_TEST_SUITE_P(Programs, RealUnitsOfTheCatalogue, ::testing::ValuesIn(rows_of_the_catalogue()), name_of);
INSTANTIATE_TEST_SUITE_P(Programs, RealUnits, ::testing::ValuesIn(rows), name_of);

} // namespace
} // namespace discern::testing
