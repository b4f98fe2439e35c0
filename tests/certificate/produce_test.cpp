// Certificates from beginning to end: made, accepted, and refused when anything in them is changed.
#include "certificate/check.hpp"
#include "certificate/produce/write.hpp"
#include "certificate/sha256.hpp"

#include "models/notation.hpp"
#include "models/random.hpp"
#include "tests/folder.hpp"
#include "tests/models/differential.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

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
    {"FloorK4", "bf16*bf16+f32->f32 K=4 : round[f32 rz](fuse[F=24 floor=-133](p*, c))",
     "bf16*bf16+f32->f32 K=4 : round[f32 rz](fuse[F=24 floor=-133 zero=-133](p*, c))"},
    {"NanAny", "e4m3*e4m3+f16->f16 K=2 nan=7fff : round[f16 rne](fuse[F=13](p*, c))",
     "e4m3*e4m3+f16->f16 K=2 nan=any : round[f16 rne](fuse[F=13](p1, p0, c))"},
};

/// Longer ones, where DISCERN_SWEEP is set.
const Equal longer[] = {
    {"ExchangeK4", f16 + "4 : round[f32 rz](fuse[F=23](p1, p0, p2, p3, c))",
     f16 + "4 : round[f32 rz](fuse[F=23](p*, c))"},
    {"TwoBlocks", f16 + "8 L=4 : round[f32 rz](fuse[F=23 carry=3](p*, c))",
     f16 + "8 L=4 : round[f32 rz](fuse[F=23](p*, c))"},
    {"CarryOf4K8", f16 + "8 : round[f32 rz](fuse[F=23 carry=4](p*, c))", f16 + "8 : round[f32 rz](fuse[F=23](p*, c))"},
    {"CarryOf5K16", f16 + "16 : round[f32 rz](fuse[F=23 carry=5](p*, c))",
     f16 + "16 : round[f32 rz](fuse[F=23](p*, c))"},
    {"ExchangeK16", f16 + "16 : round[f32 rz](fuse[F=23](p1, p0, p(2::1), c))",
     f16 + "16 : round[f32 rz](fuse[F=23](p*, c))"},
    {"Carry6K32", f16 + "32 : round[f32 rz](fuse[F=23 carry=6](p*, c))", f16 + "32 : round[f32 rz](fuse[F=23](p*, c))"},
};

void expect_accepted(const Equal& pair) {
    Made made(pair.one, pair.other);
    ASSERT_EQ(made.written.verdict, Written::Verdict::equivalent);
    const Checked checked = made.check();
    EXPECT_EQ(checked.refused, "");
    EXPECT_EQ(checked.claimed, Checked::Claim::equivalent);
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

// ------------------------------------------------------------------------------------------- certificates that are
// none

const std::string small = "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne]";

void put_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

/// Changes the claim, and makes all digests match again.
void reseal(const std::filesystem::path& path, const std::function<void(nlohmann::ordered_json&)>& change = {}) {
    auto claim = nlohmann::ordered_json::parse(read_file(path / "claim.json"));
    if (change) change(claim);
    for (auto& [name, digest] : claim["files"].items()) digest = sha256(read_file(path / name));
    put_file(path / "claim.json", claim.dump(1) + "\n");
    put_file(path / "claim.sha256", sha256(read_file(path / "claim.json")) + "  claim.json\n");
}

TEST(Certificate, OfADifference) {
    Made made(f16 + "2 : round[f32 rz](fuse[F=23](p*, c))", f16 + "2 : round[f32 rz](fuse[F=24](p*, c))");
    ASSERT_EQ(made.written.verdict, Written::Verdict::different);
    const Checked checked = made.check();
    EXPECT_EQ(checked.refused, "");
    EXPECT_EQ(checked.claimed, Checked::Claim::different);
    reseal(made.path(), [](auto& claim) { claim["claim"] = "equivalent"; });
    EXPECT_EQ(made.check().refused, "a vector shows that the units differ");
}

TEST(Certificate, OfADifferenceWithinLimits) {
    // With c zero, the last place of F does not matter to products of e2m1.
    const std::string one = "e2m1*e2m1+f16->f16 K=2 : round[f16 rz](fuse[F=4](p*, c))",
                      other = "e2m1*e2m1+f16->f16 K=2 : round[f16 rz](fuse[F=9](p*, c))";
    EXPECT_EQ(Made(one, other).written.verdict, Written::Verdict::different);
    Made limited(one, other, {.finite = true, .ranges = {{"a", 1, 2}, {"b", 1, 2}, {"c", 20, 20}}});
    ASSERT_EQ(limited.written.verdict, Written::Verdict::equivalent);
    EXPECT_EQ(limited.check().refused, "");
    reseal(limited.path(), [](auto& claim) { claim["limits"]["ranges"].erase(2); });
    EXPECT_EQ(limited.check().refused, "a vector shows that the units differ");
}

TEST(Certificate, EveryChangedByteIsRefused) {
    Made made(small + "(fuse[F=1](p*, c))", small + "(fuse[F=1 carry=3](c, p*))");
    ASSERT_EQ(made.check().refused, "");
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(made.path())) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    EXPECT_EQ(files.size(), 7u);
    Random random(1);
    for (int i = 0; i < sweep(200); ++i) {
        const auto& file = files[static_cast<std::size_t>(random.below(static_cast<int>(files.size())))];
        const std::string right = read_file(file);
        std::string wrong = right;
        const auto at = static_cast<std::size_t>(random.below(static_cast<int>(wrong.size())));
        if (random.one_in(8))
            wrong.resize(at);
        else
            wrong[at] = static_cast<char>(wrong[at] ^ (1 << random.below(8)));
        put_file(file, wrong);
        EXPECT_NE(made.check().refused, "") << file << ", byte " << at;
        put_file(file, right);
    }
    EXPECT_EQ(made.check().refused, "");
}

TEST(Certificate, ChangedProofsWithMatchingDigests) {
    // A changed step may still be one; what is accepted is about these units all the same. Nothing crashes.
    Made made(small + "(fuse[F=1](p*, c))", small + "(fuse[F=1 carry=3](c, p*))");
    const std::string right = read_file(made.path() / "whole.proof");
    Random random(2);
    int refused = 0;
    for (int i = 0; i < sweep(100); ++i) {
        std::string wrong = right;
        wrong[static_cast<std::size_t>(random.below(static_cast<int>(wrong.size())))] =
            "0123456789 -\nde"[random.below(15)];
        put_file(made.path() / "whole.proof", wrong);
        reseal(made.path());
        refused += made.check().refused.empty() ? 0 : 1;
    }
    EXPECT_GT(refused, 50);
}

TEST(Certificate, OfSomethingElse) {
    const std::string one = small + "(fuse[F=1](p*, c))", other = small + "(fuse[F=1 carry=3](c, p*))";
    const auto refusal = [&](const std::function<void(const Made&)>& change) {
        Made made(one, other);
        change(made);
        return made.check().refused;
    };
    const auto with_claim = [&](const std::function<void(nlohmann::ordered_json&)>& change) {
        return refusal([&](const Made& made) { reseal(made.path(), change); });
    };
    EXPECT_EQ(refusal([](const Made&) {}), "");
    // Units that differ.
    EXPECT_EQ(with_claim([](auto& claim) {
                  claim["units"][1] = claim["obligations"][0]["units"][1] =
                      to_string(parse_unit(small + "(fuse[F=2](c, p*))"));
              }).substr(0, 12),
              "the vectors,");
    EXPECT_EQ(with_claim([](auto& claim) { claim["obligations"][0]["units"][1] = claim["units"][0]; }),
              "obligation whole is about other units than the claim needs");
    EXPECT_EQ(with_claim([](auto& claim) { claim["obligations"].clear(); }), "the claim needs 1 obligations and has 0");
    EXPECT_EQ(with_claim([](auto& claim) { claim["combination"] = "chain"; }),
              "the units cannot be compared block by block: they have one block, or blocks of different lengths");
    EXPECT_EQ(with_claim([](auto& claim) { claim["files"].erase("whole.proof"); }),
              "claim.json names whole.proof without its digest");
    EXPECT_EQ(with_claim([](auto& claim) { claim["discern-certificate"] = 2; }),
              "claim.json: only certificates of version 1 are known");
    EXPECT_EQ(with_claim([](auto& claim) { claim.erase("limits"); }),
              "claim.json: 'limits' is missing, or not of the right type");
    EXPECT_EQ(refusal([](const Made& made) { std::filesystem::remove(made.path() / "whole.aig"); }),
              "whole.aig cannot be read");
    // The proof of another pair.
    const Made another(one, one);
    EXPECT_EQ(refusal([&](const Made& made) {
                  std::filesystem::copy_file(another.path() / "whole.proof", made.path() / "whole.proof",
                                             std::filesystem::copy_options::overwrite_existing);
                  reseal(made.path());
              }).substr(0, 22),
              "obligation whole: proo");
    // The files of another pair.
    EXPECT_EQ(refusal([&](const Made& made) {
                  for (const char* file : {"whole.proof", "whole.cnf", "whole.aig"})
                      std::filesystem::copy_file(another.path() / file, made.path() / file,
                                                 std::filesystem::copy_options::overwrite_existing);
                  reseal(made.path());
              }),
              "whole.cnf is not the formula of the units of obligation whole");
    // A certificate may rest on something, and then says so.
    Made made(one, other);
    reseal(made.path(), [](auto& claim) { claim["assumed"] = {"that c is even"}; });
    EXPECT_STREQ(made.check().verdict(), "assumed");
}

TEST(Certificate, OfBlocksNeedsBoth) {
    const std::string rest = "->f16 K=4 L=2 nan=any : round[f16 rne](fuse[F=6](";
    Made made("e2m1*e2m1+e4m3" + rest + "p*, c))", "e2m1*e2m1+e4m3" + rest + "p1, p0, c))");
    ASSERT_EQ(made.written.combination, "chain");
    EXPECT_EQ(made.check().refused, "");
    EXPECT_EQ(made.check().obligations, 2u);
    reseal(made.path(), [](auto& claim) { claim["obligations"].erase(1); });
    EXPECT_EQ(made.check().refused, "the claim needs 2 obligations and has 1");
}

} // namespace
} // namespace discern::tests
