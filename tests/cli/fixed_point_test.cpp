// Units of integers and fixed point from end to end: asked about, generated for, certified, exported and identified.
#include "program.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/vectors.hpp"
#include "solver/backend/backend.hpp"

#include <gtest/gtest.h>

namespace discern::testing {
namespace {

const std::string int8 = "fix8.0*fix8.0+fix32.0->fix32.0 K=4 : round[fix32.0 rz](fuse[exact](p*, c))";
const std::string int8_by_one = "fix8.0*fix8.0+fix32.0->fix32.0 K=4 L=1 : round[fix32.0 rz](fuse[exact](p*, c))";

std::vector<Vector> vectors_of(const std::string& text, const std::string& unit) {
    std::istringstream in(text);
    VectorReader reader(in, "output", ReadAs{unit, shape_of(resolve_unit(unit))});
    std::vector<Vector> list;
    for (Vector v; reader.next(v);) list.push_back(v);
    return list;
}

TEST(FixedPointUnits, SaturationInEachStepIsNotThatOfTheSum) {
    const Outcome outcome = discern({"synth", int8, int8_by_one});
    ASSERT_EQ(outcome.status, 1) << outcome.err;
    const auto witnesses = vectors_of(outcome.out, int8);
    ASSERT_FALSE(witnesses.empty());
    for (const Vector& v : witnesses) {
        EXPECT_NE(v.d[0], v.d[1]);
        EXPECT_EQ(evaluate_exactly(resolve_unit(int8), v.inputs()), v.d[0]);
        EXPECT_EQ(evaluate_exactly(resolve_unit(int8_by_one), v.inputs()), v.d[1]);
    }
}

TEST(FixedPointUnits, RoundingsDifferWhereSomethingIsTruncated) {
    const auto unit = [](const std::string& to, const std::string& mode) {
        return "f16*f16+" + to + "->" + to + " K=1 : round[" + to + " " + mode + "](fuse[exact](p*, c))";
    };
    EXPECT_EQ(discern({"prove", unit("fix32.16", "rne"), unit("fix32.16", "rz")}).status, 1);
    // Products of f16 are multiples of 2^-48.
    EXPECT_EQ(discern({"prove", unit("fix54.48", "rne"), unit("fix54.48", "rz")}).status, 0);
}

TEST(FixedPointUnits, WithinLimitsNothingSaturates) {
    const std::string sum = "fix4.0*fix4.0+fix10.0->fix10.0 K=2 : round[fix10.0 rz](fuse[exact](p*, c))",
                      steps = "fix4.0*fix4.0+fix10.0->fix10.0 K=2 L=1 : round[fix10.0 rz](fuse[exact](p*, c))";
    const std::vector<std::string> question = {"prove", sum, steps, "--values"};
    const auto with = [&](const std::string& values) {
        std::vector<std::string> arguments = question;
        arguments.push_back(values);
        return discern(arguments).status;
    };
    EXPECT_EQ(with("c:-400..383"), 0); // two products are −112 to 128
    EXPECT_EQ(with("a:-1..1,c:-496..495"), 0);
    EXPECT_EQ(with("c:-512..0"), 1);
    EXPECT_EQ(with("c:0..450"), 1);
}

TEST(FixedPointUnits, ACertificateIsProvedAndChecked) {
    if (backends().empty()) GTEST_SKIP() << "this build has no solver";
    const Folder folder;
    const std::string one = "fix4.1*fix4.0+fix6.1->fix6.1 K=1 : round[fix6.1 rz](fuse[exact](p*, c))";
    const std::string other = "fix4.1*fix4.0+fix6.1->fix6.1 K=1 : round[fix6.1 rne](fuse[F=12](p*, c))";
    const std::string path = folder.path("certificate");
    const Outcome outcome = discern({"prove", one, other, "--certificate", path});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(std::filesystem::exists(path)) << outcome.err;
}

TEST(FixedPointUnits, VectorsAreGeneratedReadAndExported) {
    const Outcome generated = discern({"generate", int8, "-n", "50", "--results"});
    ASSERT_EQ(generated.status, 0) << generated.err;
    EXPECT_EQ(discern({"eval", int8, "-", "--check", "--oracle"}, generated.out).status, 0);
    for (const std::string form : {"text", "mem", "c"}) {
        const Outcome exported = discern({"export", "-", "--as", form}, generated.out);
        EXPECT_EQ(exported.status, 0) << form << ": " << exported.err;
        if (form != "text") {
            EXPECT_NE(exported.out.find("fix8.0: 8 bits in two's complement, the last of which is 2^0"),
                      std::string::npos)
                << exported.out.substr(0, 600);
        }
    }
    EXPECT_EQ(discern({"explain", int8, "-", "--at", "3"}, generated.out).status, 0);
}

TEST(FixedPointUnits, ResultsOneUlpApartAreOneApart) {
    const std::string one = "e2m1*e2m1->fix6.1 K=1 : round[fix6.1 rd](p0)",
                      other = "e2m1*e2m1->fix6.1 K=1 : round[fix6.1 ru](p0)";
    const Folder folder;
    const std::string vectors = discern({"generate", one, "-n", "100"}).out;
    const Outcome outcome = discern({"diff", folder.file("one", discern({"eval", one, "-"}, vectors).out),
                                     folder.file("other", discern({"eval", other, "-"}, vectors).out)});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE((outcome.out + outcome.err).find("at most 1 ulp"), std::string::npos) << outcome.out << outcome.err;
}

TEST(FixedPointUnits, IdentifyAnswersAndProbeSaysWhyNot) {
    const std::string target = "model:fix4.0*fix4.0+fix8.0->fix8.0 K=2 : round[fix8.0 rz](fuse[exact](p*, c))";
    const Outcome identified = discern({"identify", target, "--timeout", "1"});
    EXPECT_TRUE(identified.status == 0 || identified.status == 1 || identified.status == 3)
        << identified.status << ' ' << identified.err;
    // a and b have NaN and infinities, which c and d lack
    const Outcome mixed = discern({"identify",
                                   "model:e5m2*e5m2+fix16.4->fix16.4 K=1 : round[fix16.4 rne](fuse[exact]("
                                   "p*, c))",
                                   "--timeout", "1"});
    EXPECT_NE(mixed.status, 2) << mixed.err;
    const Outcome probed = discern({"probe", target});
    EXPECT_EQ(probed.status, 2);
    EXPECT_NE(probed.err.find("probe: fix4.0 is fixed point"), std::string::npos) << probed.err;
}

} // namespace
} // namespace discern::testing
