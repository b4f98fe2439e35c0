// Certificates from beginning to end: made, accepted, and refused when anything in them is changed.
#include "certificate/check.hpp"
#include "certificate/produce/write.hpp"
#include "certificate/sha256.hpp"

#include "models/notation.hpp"
#include "models/random.hpp"
#include "tests/folder.hpp"
#include "tests/models/differential.hpp"

#include <gtest/gtest.h>

namespace discern::tests {
namespace {

using namespace certificate;
using testing::Folder;
using testing::read_file;

/// Makes a certificate and checks it.
struct Made {
    Folder folder;
    Written written;
    double make_seconds = 0, check_seconds = 0;

    Made(const std::string& one, const std::string& other, const Limits& limits = {}, bool by_blocks = true) {
        WriteOptions options;
        options.by_blocks = by_blocks;
        const auto start = std::chrono::steady_clock::now();
        written = write_certificate(parse_unit(one), parse_unit(other), limits, path(), options);
        make_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    std::filesystem::path path() const { return folder.path("certificate"); }
    Checked check() {
        const auto start = std::chrono::steady_clock::now();
        Checked checked = check_certificate(path());
        check_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return checked;
    }
};

const std::string f16 = "f16*f16+f32->f32 K=";

/// Pairs that are the same on all inputs.
struct Equal {
    const char* name;
    std::string one, other;
};
std::ostream& operator<<(std::ostream& out, const Equal& pair) { return out << pair.name; }

const Equal equal[] = {
    {"CarryOf3K4", f16 + "4 : round[f32 rz](fuse[F=23 carry=3](p*, c))", f16 + "4 : round[f32 rz](fuse[F=23](p*, c))"},
    {"ExchangeK4", f16 + "4 : round[f32 rz](fuse[F=23](p1, p0, p2, p3, c))",
     f16 + "4 : round[f32 rz](fuse[F=23](p*, c))"},
    {"FloorK4", "bf16*bf16+f32->f32 K=4 : round[f32 rz](fuse[F=24 floor=-133](p*, c))",
     "bf16*bf16+f32->f32 K=4 : round[f32 rz](fuse[F=24 floor=-133 zero=-133](p*, c))"},
    {"TwoBlocks", f16 + "8 L=4 : round[f32 rz](fuse[F=23 carry=3](p*, c))",
     f16 + "8 L=4 : round[f32 rz](fuse[F=23](p*, c))"},
    {"NanAny", "e4m3*e4m3+f16->f16 K=2 nan=7fff : round[f16 rne](fuse[F=13](p*, c))",
     "e4m3*e4m3+f16->f16 K=2 nan=any : round[f16 rne](fuse[F=13](p1, p0, c))"},
};

/// Longer ones, where DISCERN_SWEEP is set.
const Equal longer[] = {
    {"CarryOf4K8", f16 + "8 : round[f32 rz](fuse[F=23 carry=4](p*, c))", f16 + "8 : round[f32 rz](fuse[F=23](p*, c))"},
    {"CarryOf5K16", f16 + "16 : round[f32 rz](fuse[F=23 carry=5](p*, c))",
     f16 + "16 : round[f32 rz](fuse[F=23](p*, c))"},
    {"ExchangeK16", f16 + "16 : round[f32 rz](fuse[F=23](p1, p0, p(2::1), c))",
     f16 + "16 : round[f32 rz](fuse[F=23](p*, c))"},
    {"CLastK4", f16 + "4 : round[f32 rz](fuse[F=23](c, p*))", f16 + "4 : round[f32 rz](fuse[F=23](p*, c))"},
    {"Carry6K32", f16 + "32 : round[f32 rz](fuse[F=23 carry=6](p*, c))", f16 + "32 : round[f32 rz](fuse[F=23](p*, c))"},
};

void expect_accepted(const Equal& pair) {
    Made made(pair.one, pair.other);
    ASSERT_EQ(made.written.verdict, Written::Verdict::equivalent);
    const Checked checked = made.check();
    EXPECT_EQ(checked.refused, "");
    EXPECT_TRUE(checked.equivalent);
    EXPECT_TRUE(checked.assumed.empty());
    std::cout << pair.name << ": " << made.written.combination << ", " << made.written.gates << " gates, "
              << made.written.proof_bytes << " bytes of proof, made in " << made.make_seconds << " s, checked in "
              << made.check_seconds << " s\n";
}

class CertificateOf : public ::testing::TestWithParam<Equal> {};
TEST_P(CertificateOf, IsAccepted) { expect_accepted(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Pairs, CertificateOf, ::testing::ValuesIn(equal),
                         [](const auto& x) { return std::string(x.param.name); });

class LongCertificateOf : public ::testing::TestWithParam<Equal> {};
TEST_P(LongCertificateOf, IsAccepted) {
    if (sweep(0) == 0) GTEST_SKIP() << "set DISCERN_SWEEP for pairs that take longer";
    expect_accepted(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Pairs, LongCertificateOf, ::testing::ValuesIn(longer),
                         [](const auto& x) { return std::string(x.param.name); });

} // namespace
} // namespace discern::tests
