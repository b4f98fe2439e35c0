// Formula, proof and circuit of a certificate as other people's programs see them, where these are installed.
#include "certificate/aiger.hpp"
#include "made.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace discern::tests {
namespace {

using namespace certificate;

/// What a program prints, on both streams.
std::string output_of(const std::string& command, const testing::Folder& folder) {
    const std::string out = folder.path("output");
    [[maybe_unused]] const int status = std::system(("(" + command + ") >'" + out + "' 2>&1").c_str());
    return testing::read_file(out);
}

bool is_installed(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

struct ProofChecker {
    const char* program;
    const char* form;  ///< of the proof, for lrat.awk
    const char* right; ///< it prints that of a proof, and not of anything else
};
std::ostream& operator<<(std::ostream& out, const ProofChecker& checker) { return out << checker.program; }

constexpr ProofChecker proof_checkers[] = {{"drat-trim", "drat", "s VERIFIED"},
                                           {"lrat-check", "lrat", "c VERIFIED"},
                                           {"cake_lpr", "lrat", "s VERIFIED UNSAT"}};

/// Pairs whose proofs differ in kind: an empty clause in the formula, no definitions, and some of every gate.
struct Same {
    const char *one, *other;
};
constexpr Same same[] = {
    {"e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne](fuse[F=1](p*, c))",
     "e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne](fuse[F=1 carry=3](c, p*))"},
    {"bf16*bf16+f32->f32 K=2 : round[f32 rz](fuse[F=24 floor=-133](p*, c))",
     "bf16*bf16+f32->f32 K=2 : round[f32 rz](fuse[F=24 floor=-133 zero=-133](p*, c))"},
    {"e3m2*e3m2+f16->f16 K=3 : round[f16 rz](fuse[F=9](p*, c))",
     "e3m2*e3m2+f16->f16 K=3 : round[f16 rz](fuse[F=9](c, p2, p1, p0))"},
};

class OtherChecker : public ::testing::TestWithParam<ProofChecker> {};

TEST_P(OtherChecker, AcceptsTheProofAndNoOther) {
    const ProofChecker& checker = GetParam();
    if (!is_installed(checker.program)) GTEST_SKIP() << checker.program << " is not installed";
    std::string other_proof;
    for (const Same& pair : same) {
        Made made(pair.one, pair.other);
        ASSERT_EQ(made.written.verdict, Written::Verdict::equivalent);
        const auto verdict = [&](const std::string& proof) {
            const std::string script = std::string(DISCERN_SOURCES) + "/certificate/lrat.awk",
                              converted = made.folder.path("converted");
            std::string text = output_of("awk -v form=" + std::string(checker.form) + " -f '" + script + "' '" + proof +
                                             "' >'" + converted + "' && " + checker.program + " '" +
                                             made.path().string() + "/whole.cnf' '" + converted + "'",
                                         made.folder);
            return text;
        };
        const std::string proof = made.path() / "whole.proof", text = testing::read_file(proof);
        const std::string answer = verdict(proof);
        EXPECT_NE(answer.find(checker.right), std::string::npos) << pair.other << '\n' << answer;
        // The first half of it, and what it ends with, show nothing.
        const std::size_t half = text.find('\n', text.size() / 2) + 1, last = text.rfind('\n', text.size() - 2) + 1;
        const std::string wrong = made.folder.file("wrong", text.substr(0, half) + text.substr(last));
        if (std::string(checker.form) == "lrat") {
            const std::string refusal = verdict(wrong);
            EXPECT_EQ(refusal.find(checker.right), std::string::npos) << pair.other << '\n' << refusal;
        }
        // The proof of another formula.
        if (!other_proof.empty()) {
            const std::string refusal = verdict(made.folder.file("other", other_proof));
            EXPECT_EQ(refusal.find(checker.right), std::string::npos) << pair.other << '\n' << refusal;
        }
        other_proof = text;
    }
}
INSTANTIATE_TEST_SUITE_P(Certificate, OtherChecker, ::testing::ValuesIn(proof_checkers), [](const auto& x) {
    std::string name = x.param.program;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

/// A program that shows that an output of an AIGER file is always false.
struct CircuitProver {
    const char* program;
    const char *before, *after; ///< of the file's name, on the command line
    const char *right, *wrong;  ///< it prints one if the output is, and the other if not
};
std::ostream& operator<<(std::ostream& out, const CircuitProver& prover) { return out << prover.program; }

constexpr CircuitProver circuit_provers[] = {
    {"berkeley-abc", "berkeley-abc -q 'read_aiger ", "; sat'", "UNSATISFIABLE", "SATISFIABLE"},
    {"yosys", "yosys -p 'read_aiger ", "; hierarchy -auto-top; sat -verify -prove different 0'", "SUCCESS!",
     "proof did fail"}};

class OtherCircuitProver : public ::testing::TestWithParam<CircuitProver> {};

TEST_P(OtherCircuitProver, ReadsTheCircuit) {
    const CircuitProver& prover = GetParam();
    if (!is_installed(prover.program))
        GTEST_SKIP() << "there is no " << prover.program << " (Debian: " << prover.program << ")";
    const auto answer_to = [&](const std::string& circuit) {
        const testing::Folder folder;
        return output_of(prover.before + folder.file("circuit.aig", circuit) + prover.after, folder);
    };
    const Unit one = parse_unit(same[0].one), other = parse_unit(same[0].other),
               far = parse_unit("e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne](fuse[F=0](p*, c))");
    const std::string equal = answer_to(to_aiger(make_miter({one, other}, {}), one)),
                      different = answer_to(to_aiger(make_miter({one, far}, {}), one));
    EXPECT_NE(equal.find(prover.right), std::string::npos) << equal;
    EXPECT_EQ(different.find(prover.right), std::string::npos) << different;
    EXPECT_NE(different.find(prover.wrong), std::string::npos) << different;
}
INSTANTIATE_TEST_SUITE_P(Certificate, OtherCircuitProver, ::testing::ValuesIn(circuit_provers), [](const auto& x) {
    std::string name = x.param.program;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

} // namespace
} // namespace discern::tests
