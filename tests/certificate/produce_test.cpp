// Certificates from beginning to end: made, accepted, and refused when anything in them is changed.
#include "made.hpp"
#include "solver/certify/classes.hpp"

#include "models/error.hpp"
#include "tests/models/differential.hpp"

#include <gtest/gtest.h>

namespace discern::tests {
namespace {

using namespace certificate;

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
    // Below the floor only c is other than zero, and the two sums stand in different places.
    {"FloorBelowProducts", "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rz](fuse[F=4 floor=-12](p*, c))",
     "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rz](fuse[F=4](p*, c))"},
    // The exponents of the sums differ by one if the product is 2 or more.
    {"ExponentOneMore", "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[exact](p*, c))",
     "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[exact](p*[carry], c))"},
    {"ExponentOneLess", "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[exact](p*[carry], c))",
     "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[exact](p*, c))"},
    // Two sums, whose exponents differ in two cases: the gates that one sweep defines are not those of the next one.
    {"ExponentsOfTwoSums",
     "e2m1ieee*e2m1ieee->e3m2fnuz K=2 nan=any : round[e3m2fnuz rne](fuse[exact](p0, fuse[exact](p1) @[zero=ignore]))",
     "e2m1ieee*e2m1ieee->e3m2fnuz K=2 nan=any : round[e3m2fnuz rne](fuse[exact](p0, fuse[exact](p1[carry]) "
     "@[zero=ignore]))"},
    {"Extended", "e2m1inuz*e2m1inuz+e3m2inuz->e3m2inuz K=2 : round[e3m2inuz rne](fuse[F=9](p*, c))",
     "e2m1inuz*e2m1inuz+e3m2inuz->e3m2inuz K=2 : round[e3m2inuz rne](fuse[F=9](c, p1, p0))"},
    {"ReversedK3", "e3m2*e3m2+f16->f16 K=3 : round[f16 rz](fuse[F=9](p*, c))",
     "e3m2*e3m2+f16->f16 K=3 : round[f16 rz](fuse[F=9](c, p2, p1, p0))"},
    // An aligned c is zero only if it was flushed or zero before: a lemma about the shifter.
    {"FlushedExchange", "f16*f16+f32->f32 K=1 nan=any : round[f32 rne](fuse[exact](c[ftz=plus], round[f32 rne](p0)))",
     "f16*f16+f32->f32 K=1 nan=any : round[f32 rne](fuse[exact](round[f32 rne](p0), c[ftz=plus]))"},
};

/// Longer ones, where DISCERN_SWEEP is set.
const Equal longer[] = {
    {"ExchangeK4", f16 + "4 : round[f32 rz](fuse[F=23](p1, p0, p2, p3, c))",
     f16 + "4 : round[f32 rz](fuse[F=23](p*, c))"},
    {"ReversedK4", f16 + "4 : round[f32 rz](fuse[F=23](c, p3, p2, p1, p0))",
     f16 + "4 : round[f32 rz](fuse[F=23](p*, c))"},
    {"FloorBelowProductsK2", "e2m1*e2m1+f16->f16 K=2 : round[f16 rz](fuse[F=12 floor=-12](p*, c))",
     "e2m1*e2m1+f16->f16 K=2 : round[f16 rz](fuse[F=12](p*, c))"},
    {"FloorBelowProductsK8", f16 + "8 : round[f32 rz](fuse[F=24 floor=-125](p*, c))",
     f16 + "8 : round[f32 rz](fuse[F=24](p*, c))"},
    {"ExponentOneMoreOfF32", "bf16*bf16+f32->f32 K=1 : round[f32 rne](fuse[exact](p*, c))",
     "bf16*bf16+f32->f32 K=1 : round[f32 rne](fuse[exact](p*[carry], c))"},
    {"TwoBlocks", f16 + "8 L=4 : round[f32 rz](fuse[F=23 carry=3](p*, c))",
     f16 + "8 L=4 : round[f32 rz](fuse[F=23](p*, c))"},
    {"CarryOf4K8", f16 + "8 : round[f32 rz](fuse[F=23 carry=4](p*, c))", f16 + "8 : round[f32 rz](fuse[F=23](p*, c))"},
    {"CarryOf5K16", f16 + "16 : round[f32 rz](fuse[F=23 carry=5](p*, c))",
     f16 + "16 : round[f32 rz](fuse[F=23](p*, c))"},
    {"ExchangeK16", f16 + "16 : round[f32 rz](fuse[F=23](p1, p0, p(2::1), c))",
     f16 + "16 : round[f32 rz](fuse[F=23](p*, c))"},
    // Zeros take part below the floor, or below all products.
    {"ZeroBelowAFloorK32", "e2m1*e3m2+f32->f32 K=32 scale=e8m0/32 : round[f32 rz](fuse[F=25 floor=-133](p*, c))",
     "e2m1*e3m2+f32->f32 K=32 scale=e8m0/32 : round[f32 rz](fuse[F=25 zero=-149 floor=-133](p*, c))"},
    {"ZeroBelowProductsK32", "e5m2*e5m2+f16->f16 K=32 : round[f16 rne](fuse[F=25 rz](p*, c))",
     "e5m2*e5m2+f16->f16 K=32 : round[f16 rne](fuse[F=25 rz zero=-133](p*, c))"},
    {"FlushedExchangeOfASum",
     "e4m3f*e4m3f+f32->f32 K=4 scale=e8m0/4 nan=any : "
     "round[f32 rne ftz=after](fuse[exact](c[ftz], round[f32 rne ftz=after zsign=pos](fuse[exact](p*))))",
     "e4m3f*e4m3f+f32->f32 K=4 scale=e8m0/4 nan=any : "
     "round[f32 rne ftz=after](fuse[exact](round[f32 rne ftz=after zsign=pos](fuse[exact](p*)), c[ftz]))"},
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
    // With c zero, the last bit of F does not matter to products of e2m1.
    const std::string one = "e2m1*e2m1+f16->f16 K=2 : round[f16 rz](fuse[F=4](p*, c))",
                      other = "e2m1*e2m1+f16->f16 K=2 : round[f16 rz](fuse[F=9](p*, c))";
    EXPECT_EQ(Made(one, other).written.verdict, Written::Verdict::different);
    Made limited(one, other, {.finite = true, .ranges = {{"a", 1, 2}, {"b", 1, 2}, {"c", 20, 20}}});
    ASSERT_EQ(limited.written.verdict, Written::Verdict::equivalent);
    EXPECT_EQ(limited.check().refused, "");
    reseal(limited.path(), [](auto& claim) { claim["limits"]["ranges"].erase(2); });
    EXPECT_EQ(limited.check().refused, "a vector shows that the units differ");
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

TEST(Certificate, OfClasses) {
    const auto unit = [](const char* nan, const char* tree) {
        return parse_unit("e2m1*e2m1+e5m2->e5m2 K=1 nan=" + std::string(nan) + " : round[e5m2 rne]" + tree);
    };
    const Unit any = unit("any", "(fuse[F=4](p*, c))"), first = unit("7f", "(fuse[F=4](p*, c))"),
               second = unit("7f", "(fuse[F=4](c, p*))"), third = unit("7e", "(fuse[F=4](p*, c))"),
               far = unit("7f", "(fuse[F=2](p*, c))");
    testing::Folder folder;
    const auto write = [&](const std::string& name, const std::vector<std::vector<Unit>>& classes,
                           const WriteOptions& options = {}) {
        return write_classes(classes, {}, {}, folder.path(name), options, {});
    };
    const auto refusal = [&](const std::string& name) { return check_certificate(folder.path(name)).refused; };
    const auto with_claim = [&](const std::function<void(nlohmann::ordered_json&)>& change) {
        const std::filesystem::path copy = folder.path("copy");
        std::filesystem::remove_all(copy);
        std::filesystem::copy(folder.path("all"), copy, std::filesystem::copy_options::recursive);
        reseal(copy, change);
        return refusal("copy");
    };
    EXPECT_EQ(write("all", {{first, second}, {any, first, second, first}, {far}, {far, far}}).merges, 1u);
    const Checked checked = check_certificate(folder.path("all"));
    EXPECT_EQ(checked.refused, "");
    EXPECT_EQ(checked.claimed, Checked::Claim::classes);
    EXPECT_EQ(checked.classes.size(), 1u);
    EXPECT_EQ(checked.merges, 1u);
    EXPECT_STREQ(checked.verdict(), "accepted");

    EXPECT_EQ(with_claim([](auto& claim) { claim["merges"].erase(0); }),
              "no merge shows that a unit is of its class: " + to_string(second));
    EXPECT_EQ(with_claim([&](auto& claim) { claim["merges"][0]["units"].erase(1); }),
              "the certificate in 0001 is about something else than the merge");
    EXPECT_EQ(with_claim([&](auto& claim) { claim["classes"][0].push_back(to_string(far)); }),
              "no merge shows that a unit is of its class: " + to_string(far));
    EXPECT_EQ(with_claim([&](auto& claim) { claim["merges"][0]["units"][1] = to_string(far); }),
              "the certificate in 0001 is about something else than the merge");
    EXPECT_EQ(with_claim([](auto& claim) { claim["merges"][0]["folder"] = "0002"; }),
              "0002: claim.json cannot be read");
    EXPECT_EQ(with_claim([](auto& claim) { claim["merges"][0]["sha256"] = "0"; }),
              "the certificate in 0001 is not the one whose digest is in the claim");
    EXPECT_EQ(with_claim([](auto& claim) { claim["merges"][0]["folder"] = "../all"; }),
              "claim.json: a file has the name '../all', which is no plain name");
    // A certificate of three is none of four, and the gates that they share are none of theirs alone.
    const auto of_three = [&](const std::function<void(nlohmann::ordered_json&)>& change) {
        const std::filesystem::path copy = folder.path("three");
        std::filesystem::remove_all(copy);
        std::filesystem::copy(folder.path("all") + "/0001", copy);
        reseal(copy, change);
        return refusal("three");
    };
    EXPECT_EQ(of_three({}), "");
    EXPECT_EQ(of_three([](auto& claim) { claim["shared"] = false; }),
              "whole.cnf is not the formula of the units of obligation whole");
    EXPECT_EQ(of_three([&](auto& claim) {
                  claim["units"].push_back(to_string(far));
                  claim["obligations"][0]["units"].push_back(to_string(far));
              }).substr(0, 12),
              "the vectors,");
    EXPECT_EQ(of_three([&](auto& claim) { claim["obligations"][0]["units"].erase(1); }),
              "obligation whole is about other units than the claim needs");
    EXPECT_EQ(of_three([&](auto& claim) { claim["units"] = {to_string(far)}; }),
              "claim.json: a claim is about two units or more, a unit and a design, or two designs");
    // Two that differ in NaN only, each the same as a third with nan=any.
    EXPECT_EQ(write("nan", {{any, first}, {any, third}}).merges, 2u);
    EXPECT_EQ(refusal("nan"), "");
    reseal(folder.path("nan"), [&](auto& claim) {
        claim["classes"] = {{to_string(first), to_string(any), to_string(third)}};
    });
    EXPECT_EQ(refusal("nan"), "only a unit with nan=any joins a unit to its class: " + to_string(third));
    // What is not proved in time is assumed, and the claim says so.
    WriteOptions late;
    late.limit.end = std::chrono::steady_clock::now();
    EXPECT_EQ(write("late", {{first, second}}, late).assumed, 1u);
    const Checked assumed = check_certificate(folder.path("late"));
    EXPECT_STREQ(assumed.verdict(), "assumed");
    ASSERT_EQ(assumed.assumed.size(), 1u);
    EXPECT_EQ(assumed.assumed[0], to_string(first) + "  is the same as  " + to_string(second));
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
