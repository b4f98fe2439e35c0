// prove --checked: the same only by a certificate that another program has accepted, and else a sentence of what is
// missing; also with a checker that refuses, hangs, says nonsense or is not there.
#include "program.hpp"
#include "sweep.hpp"

#include "certificate/check.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

namespace discern::testing {
namespace {

using Json = nlohmann::json;

const std::string direct = "e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](p*))",
                  by_f32 = "e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](round[f32 rne](fuse[exact](p*))))",
                  other = "e2m1*e2m1->f16 K=2 : round[f16 rz](fuse[F=0 rz](p*))",
                  // whose reference circuit takes long to write down, and has more gates than a certificate may have
    huge = "f64*f64+f64->f64 K=256 : round[f64 rne](fuse[exact](p*, c))";

TEST(ProveChecked, IsEquivalentOnlyByACertificateThatIsAccepted) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    for (const std::string& second : {direct, by_f32}) {
        const Outcome outcome = discern({"prove", direct, second, "--checked", "--json"});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        const Json answer = Json::parse(outcome.out);
        EXPECT_EQ(answer["verdict"], "equivalent");
        EXPECT_EQ(answer["ground"], "certificate");
        EXPECT_FALSE(answer.contains("missing"));
        EXPECT_EQ(answer["stages"].back()["name"], "discern-check");
    }
    const Outcome text = discern({"prove", direct, by_f32, "--checked"});
    EXPECT_NE(text.out.find("; discern-check accepts the certificate that was made\n"), std::string::npos) << text.out;
}

// A solver that is wrong, where no random vectors are before it: no proof of it becomes an answer, or a certificate.
TEST(ProveChecked, WrongProofsAreChallengedBeforeAnyCertificateIsMade) {
    for (const std::string& option : {std::string("--json"), std::string("--checked")}) {
        const Outcome outcome =
            discern({"prove", direct, other, option, "--solver", "sh -c 'cat >/dev/null; echo unsat'"});
        EXPECT_EQ(outcome.status, 2) << outcome.out;
        EXPECT_EQ(outcome.out, "");
        EXPECT_NE(outcome.err.find("internal error, please report it: 'sh -c"), std::string::npos) << outcome.err;
        EXPECT_NE(outcome.err.find("they differ on {\"a\":["), std::string::npos) << outcome.err;
        EXPECT_NE(outcome.err.find("discern bug-report -o report.md -- prove '"), std::string::npos) << outcome.err;
        const std::size_t at = outcome.err.find("see the report ") + 15;
        EXPECT_TRUE(std::filesystem::remove(outcome.err.substr(at, outcome.err.find('\n', at) - at))) << outcome.err;
    }
    EXPECT_GT(Json::parse(discern({"prove", direct, by_f32, "--json"}).out)["challenged"], 1000);
    EXPECT_EQ(Json::parse(discern({"prove", direct, direct, "--json"}).out)["challenged"], 0) << "by structure";
}

TEST(ProveChecked, LimitsAreInTheCertificate) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const Folder folder;
    const std::string one = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=12](p*))",
                      two = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=1](p*))";
    const std::vector<std::string> limited = {"prove", one, two, "--values", "a:1..1.2,b:-1.9..1.5", "--no-subnormals"};
    std::vector<std::string> command = limited;
    command.insert(command.end(), {"--checked", "--certificate", folder.path("kept")});
    const Outcome outcome = discern(command);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(outcome.out.starts_with("equivalent on these inputs: ")) << outcome.out;
    const auto kept = certificate::check_certificate(folder.path("kept"));
    EXPECT_STREQ(kept.verdict(), "accepted");
    EXPECT_EQ(kept.limits.numbers.size(), 2u);
    EXPECT_EQ(discern({"prove", one, two, "--checked"}).status, 1) << "a vector needs no certificate";
    EXPECT_EQ(discern({"prove", one, two, "--checked", "--certificate", folder.path("other")}).status, 1);
    EXPECT_STREQ(certificate::check_certificate(folder.path("other")).claim(), "different");
}

TEST(ProveChecked, WithoutACertificateInTimeItIsUnknownAndSaysWhatIsMissing) {
    // One term, whose certificate takes minutes.
    const std::string kept = "f16*bf16+f32->f32 K=1 : round[f32 ru](fuse[F=40 ru](p*, c))",
                      exact = "f16*bf16+f32->f32 K=1 : round[f32 ru](fuse[exact](p*, c))";
    const Outcome outcome = discern({"prove", kept, exact, "--checked", "--timeout", "1", "--json"});
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    const Json answer = Json::parse(outcome.out);
    EXPECT_EQ(answer["verdict"], "unknown");
    EXPECT_TRUE(answer["ground"].is_null());
    EXPECT_EQ(answer["missing"], "it was not ready within 1 s");
    const Outcome text = discern({"prove", kept, exact, "--checked", "--timeout", "1"});
    EXPECT_EQ(text.status, 3);
    EXPECT_EQ(text.out,
              "unknown: the units were found to be the same by terms, but there is no certificate of it that is "
              "accepted: it was not ready within 1 s\n");
    // Where nothing is known, that is said.
    const Outcome unknown =
        discern({"prove", "e2m1*e2m1->f16 K=3 : round[f16 rne](fuse[exact](p*))",
                 "e2m1*e2m1->f16 K=3 : round[f16 rne](fuse[exact](p0, round[f16 rne](fuse[exact](p1, p2))))",
                 "--checked", "--solver", "random"});
    EXPECT_EQ(unknown.status, 3);
    EXPECT_TRUE(unknown.out.starts_with("unknown: neither a difference nor a proof")) << unknown.out;
}

/// What the program says in a process of its own, which is ended where it does not stop.
Outcome program(const std::string& name, const std::string& arguments, const Folder& folder) {
    const int status = std::system(("TMPDIR=" + folder.path("") + " " + name + " " + arguments + " >" +
                                    folder.path("out") + " 2>" + folder.path("err"))
                                       .c_str());
    return {.status = WEXITSTATUS(status), .out = read_file(folder.path("out")), .err = read_file(folder.path("err"))};
}

TEST(ProveChecked, WhereTheTimeEndsAnAnswerThatIsKnownIsNotLost) {
    const Folder folder;
    const std::string units = "prove '" + huge + "' '" + huge + "' --timeout 0.3 ";
    const Outcome written = program(DISCERN_PROGRAM, units + "--certificate " + folder.path("certificate"), folder);
    EXPECT_EQ(written.status, 3);
    EXPECT_TRUE(written.out.starts_with("equivalent: ")) << written.out;
    EXPECT_NE(written.err.find("certificate"), std::string::npos) << written.err;
    EXPECT_EQ(written.err.find("nothing is known"), std::string::npos) << written.err;
    const Outcome checked = program(DISCERN_PROGRAM, units + "--checked", folder);
    EXPECT_EQ(checked.status, 3);
    EXPECT_NE((checked.out + checked.err).find("the same"), std::string::npos) << checked.out << checked.err;
    EXPECT_NE((checked.out + checked.err).find("but "), std::string::npos) << checked.out << checked.err;
    for (const auto& left : std::filesystem::directory_iterator(folder.path("")))
        EXPECT_FALSE(left.is_directory()) << left.path();
}

TEST(ProveChecked, UnitsThatAreTooLargeForACertificateAreNoInternalError) {
    const Folder folder;
    std::vector<std::string> ways = {"--checked"}; // which asks for a certificate as --certificate does
    if (tests::sweeping()) ways.push_back("--certificate " + folder.path("certificate"));
    for (const std::string& more : ways) {
        const Outcome outcome =
            program(DISCERN_PROGRAM, "prove '" + huge + "' '" + huge + "' --timeout 60 " + more, folder);
        EXPECT_EQ(outcome.status, 3);
        EXPECT_NE(
            (outcome.out + outcome.err).find("none can be made for circuits of this size: the circuit has more than"),
            std::string::npos)
            << outcome.out << outcome.err;
    }
    if (!tests::sweeping()) return; // the rest makes as large a circuit again
    const std::string reordered = "f64*f64+f64->f64 K=256 : round[f64 rne](fuse[exact](c, p*))";
    const Outcome classes = program(
        DISCERN_PROGRAM,
        "suite '" + huge + "' '" + reordered + "' --timeout 60 --certificate " + folder.path("classes"), folder);
    EXPECT_EQ(classes.status, 3) << classes.err;
    EXPECT_NE(classes.err.find("assumed: 1 equality"), std::string::npos) << classes.err;
}

/// A copy of the program, with another checker beside it: a script, or none.
Outcome with_checker(const std::string& script, const std::string& more = "") {
    const Folder folder;
    std::filesystem::create_directory(folder.path("bin"));
    const std::string copy = folder.path("bin/discern");
    std::filesystem::copy_file(DISCERN_PROGRAM, copy);
    if (!script.empty()) {
        const std::string checker = folder.file("bin/discern-check", "#!/bin/sh\n" + script + "\n");
        std::filesystem::permissions(checker, std::filesystem::perms::owner_all);
    }
    return program(copy, "prove '" + direct + "' '" + direct + "' --checked --timeout 3 " + more, folder);
}

TEST(ProveChecked, TheCheckerIsNotBelievedToBeThereNorToHaveAcceptedWhatWasMeant) {
    const Outcome none = with_checker("");
    EXPECT_EQ(none.status, 2);
    EXPECT_NE(none.err.find("there is no program discern-check beside "), std::string::npos) << none.err;
    EXPECT_EQ(lines(none.err).size(), 1u) << none.err;

    const Outcome refused = with_checker(R"(echo '{"verdict":"refused","reason":"no such step"}'; exit 1)");
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("internal error"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("no such step"), std::string::npos) << refused.err;

    const Outcome other_units =
        with_checker(R"(echo '{"verdict":"accepted","claim":"equivalent","units":["x","y"],"obligations":1}')");
    EXPECT_EQ(other_units.status, 2) << other_units.out;
    EXPECT_NE(other_units.err.find("it accepted something else"), std::string::npos) << other_units.err;

    const Outcome nonsense = with_checker("echo 0k; kill -9 $$");
    EXPECT_EQ(nonsense.status, 3);
    EXPECT_NE(nonsense.out.find("discern-check gave no answer ("), std::string::npos) << nonsense.out;

    const Outcome hangs = with_checker("exec sleep 97");
    EXPECT_EQ(hangs.status, 3);
    EXPECT_NE(hangs.out.find("it was made, but not checked in the time"), std::string::npos) << hangs.out;
}

} // namespace
} // namespace discern::testing
