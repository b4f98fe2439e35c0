// Point 4 of a good first hour: one checked number for all options, a time that holds, and no child left behind.
#include "cli/options/manual.hpp"
#include "cli/options/number.hpp"
#include "cli/program.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <set>

namespace discern::testing {
namespace {

TEST(Number, WholeNumbersAreExact) {
    const std::vector<std::pair<std::string, std::uint64_t>> right = {
        {"0", 0},           {"7", 7},           {"+7", 7},           {"007", 7},
        {"1e6", 1'000'000}, {"1E6", 1'000'000}, {"1e+6", 1'000'000}, {"2.5e3", 2500},
        {"3.0", 3},         {"120e-1", 12},     {"0e99", 0},         {"18446744073709551615", 18446744073709551615u}};
    for (const auto& [text, value] : right) EXPECT_EQ(cli::whole_number(text), value) << text;
    for (const std::string text : {"", "-5", "-0", "0.5", "1e-1", "18446744073709551616", "1e20", "1e999999999999",
                                   "5x", " 5", "5 ", "0x10", "1_000", "e6", ".", "1e", "1e+-6", "nan", "inf"})
        EXPECT_EQ(cli::whole_number(text), std::nullopt) << text;
}

TEST(Number, RealNumbersAreFinite) {
    const std::vector<std::pair<std::string, double>> right = {
        {"0", 0}, {"-0.5", -0.5}, {"+2", 2}, {".25", 0.25}, {"3.", 3}, {"1e3", 1000}, {"-1e-3", -0.001}};
    for (const auto& [text, value] : right) EXPECT_EQ(cli::real_number(text), value) << text;
    for (const std::string text : {"", "-", "1e999", "inf", "-inf", "nan", "0x1p3", "1,5", "--1", "+-1", "-+1"})
        EXPECT_EQ(cli::real_number(text), std::nullopt) << text;
}

const std::string unit = "volta/mma.m8n8k4.f32.f16.f16.f32";

/// What is wrong in a command, as a person reads it.
std::string refusal(const std::vector<std::string>& arguments) {
    const Outcome outcome = discern(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments.front();
    EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
}

TEST(Number, EveryOptionRefusesWhatItCannotTake) {
    struct Case {
        std::vector<std::string> arguments;
        std::string name;
        bool whole;
    };
    const std::string target = "model:" + unit;
    const std::vector<Case> cases = {
        {{"check", target, unit}, "-n", true},
        {{"check", target, unit}, "--seed", true},
        {{"check", target, unit}, "--show", true},
        {{"check", target, unit}, "--timeout", false},
        {{"check", "exec:true", unit}, "--answer-timeout", false},
        {{"check", "exec:true", unit}, "--K", true},
        {{"synth", unit, unit}, "-n", true},
        {{"synth", unit, unit}, "--seed", true},
        {{"synth", unit, unit}, "--timeout", false},
        {{"prove", unit, unit}, "--timeout", false},
        {{"suite", unit, unit}, "--timeout", false},
        {{"suite", unit, unit}, "--question", false},
        {{"suite", unit, unit}, "--seed", true},
        {{"audit", "-", "--space", unit}, "--timeout", false},
        {{"audit", "-", "--space", unit}, "--most", true},
        {{"identify", target}, "--timeout", false},
        {{"identify", target}, "--validate", true},
        {{"probe", target}, "--timeout", false},
        {{"run", target, "-"}, "--timeout", false},
        {{"diff", "a", "b"}, "--show", true},
        {{"eval", unit, "-"}, "--show", true},
        {{"gemm", unit, "a", "b"}, "--threads", true},
    };
    for (const Case& one : cases) {
        std::vector<std::string> wrong = {"-5", "abc", "", "1e999", "nan", "inf", "5x", "--"};
        if (one.whole) wrong.insert(wrong.end(), {"0.5", "1e30", "99999999999999999999"});
        for (const std::string& text : wrong) {
            std::vector<std::string> arguments = one.arguments;
            arguments.insert(arguments.end(), {one.name, text});
            const std::string said = refusal(arguments);
            const std::string begin = "discern: " + one.arguments.front() + ": ";
            EXPECT_TRUE(said.starts_with(begin)) << said;
            EXPECT_NE(said.find(one.name), std::string::npos) << said;
        }
    }
    EXPECT_EQ(refusal({"check", target, unit, "-n", "-5"}),
              "discern: check: -n: '-5' is not right; it must be a whole number of 1 or more, such as 1000 or 1e6; "
              "'discern check --help' shows the usage\n");
    EXPECT_NE(refusal({"gemm", unit, "a", "b", "--threads", "2000"}).find("from 1 to 1024"), std::string::npos);
    EXPECT_NE(refusal({"gemm", unit, "a", "b", "--alpha", "x"}).find("a finite number"), std::string::npos);
}

TEST(Number, ExponentsAreRead) {
    const Outcome outcome = discern({"check", "model:" + unit, unit, "-n", "1e3", "--seed", "0"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "checked 1000, mismatches 0\n");
}

/// Below the 79 seconds of what never answers, and far above the limits asked for: a busy machine is no mistake.
constexpr double held = 60;
double seconds_of(const std::vector<std::string>& arguments, Outcome& outcome) {
    const auto start = std::chrono::steady_clock::now();
    outcome = discern(arguments);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A target that takes a tenth of a second for each answer.
const std::string slow_peer = R"(exec:read h; while read l; do sleep 0.1; echo "{\"d\":\"00000000\"}"; done)";
/// A target that never answers.
const std::string silent_peer = "exec:sleep 79";

TEST(Timeout, HoldsWithTargetsThatAreSlow) {
    const std::string vectors = discern({"eval", unit, "-"}, "0000 0000 0000 0000 0000 0000 0000 0000 00000000\n").out;
    const Folder folder;
    const std::string file = folder.file("vectors", vectors);
    for (const std::string& target : {slow_peer, silent_peer}) {
        const std::vector<std::string> shape = {"--formats", "f16,f16,f32,f32", "--K", "4", "--timeout", "0.4"};
        for (std::vector<std::string> command :
             {std::vector<std::string>{"check", target, unit}, {"probe", target}, {"identify", target}}) {
            command.insert(command.end(), shape.begin(), shape.end());
            Outcome outcome;
            EXPECT_LT(seconds_of(command, outcome), held) << command[0] << " " << target;
            // Zeros for everything are no unit's answers, which may be clear before the end.
            const bool may_be_refuted = target == slow_peer && command[0] != "probe";
            EXPECT_TRUE(outcome.status == 3 || (outcome.status == 1 && may_be_refuted))
                << command[0] << " " << target << "\n"
                << outcome.out << outcome.err;
            EXPECT_NE(outcome.err.find("the time is over"), std::string::npos) << outcome.err;
        }
    }
    std::vector<std::string> run = {"run", silent_peer, file, "--timeout", "0.4"};
    Outcome outcome;
    EXPECT_LT(seconds_of(run, outcome), held);
    EXPECT_EQ(outcome.status, 3) << outcome.err;
}

/// Each command with that option, with the slowest that it can be given: a target that is silent, a solver that is.
TEST(Timeout, HoldsForEveryCommandThatHasOne) {
    const Folder folder;
    const std::string vectors = folder.file("vectors", discern({"generate", unit, "-n", "3"}).out);
    // A product normalised by a rounding, or as it is multiplied: the same on all inputs that are tried, and a question
    // that solvers leave open.
    const std::string rounded = "f16*f16+f32->f32 K=1 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos]"
                                "(fuse[F=23 rz](round[f32 rz zsign=pos](p0)@[zero=ignore], c))",
                      full = "f16*f16+f32->f32 K=1 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos]"
                             "(fuse[F=23 rz](p*[full], c))";
    const std::string both = folder.file("both", rounded + "\n" + full + "\n"),
                      of_both = folder.file("of_both", discern({"generate", full, "-n", "3"}).out);
    const std::string mfma = "cdna3/v_mfma_f32_16x16x16_f16",
                      of_mfma = folder.file("of_mfma", discern({"generate", mfma, "-n", "1"}).out);
    const std::string solver = "sleep 79", other = "turing/mma.m16n8k8.f32.f16.f16.f32{K=4}";
    const std::map<std::string, std::vector<std::string>> slow = {
        {"which", {silent_peer, "--formats", "f16,f16,f32,f32", "--K", "4"}},
        {"probe", {silent_peer, "--formats", "f16,f16,f32,f32", "--K", "4"}},
        {"identify", {silent_peer, "--formats", "f16,f16,f32,f32", "--K", "4"}},
        {"check", {silent_peer, unit}},
        {"run", {silent_peer, vectors}},
        {"synth", {unit, other, "--solver", solver}},
        {"prove", {unit, other, "--solver", solver}},
        {"suite", {rounded, full, "--solver", solver}},
        {"property", {"blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue8m0", "no-false-overflow"}},
        {"compare", {"mma(word(a), word(b), c)", "mma(word(a), word(b), c + 0)", "--on", other}},
        {"same-bits", {rounded, full}},
        {"tell", {silent_peer, "--about", unit, "--report", folder.path("report")}},
        {"coverage", {mfma, of_mfma, "--missing"}},
        {"audit", {of_both, "--space", "@" + both, "--solver", solver}}};
    for (const cli::Command& command : cli::commands()) {
        if (command.run == nullptr) continue;
        bool has = false;
        for (const cli::DescribedOption& option : cli::options_of(command))
            has = has || option.names == std::vector<std::string>{"--timeout"};
        // These take as long as their input or their number of vectors has them take (small_things_test.cpp).
        static const std::set<std::string_view> as_long_as_asked = {"measure", "gemm", "eval",  "explain", "generate",
                                                                    "export",  "smt2", "store", "rtl"};
        if (as_long_as_asked.contains(command.name)) {
            EXPECT_TRUE(has) << command.name;
            continue;
        }
        const auto found = slow.find(std::string(command.name));
        ASSERT_EQ(found != slow.end(), has) << command.name << ": the table above must have all that have --timeout";
        if (!has) continue;
        std::vector<std::string> arguments = {found->first};
        arguments.insert(arguments.end(), found->second.begin(), found->second.end());
        arguments.insert(arguments.end(), {"--timeout", "0.3"});
        Outcome outcome;
        EXPECT_LT(seconds_of(arguments, outcome), held) << command.name;
        EXPECT_EQ(outcome.status, 3) << command.name << "\n" << outcome.out << outcome.err;
    }
}

TEST(Timeout, HoldsForQuestions) {
    const Folder folder;
    Outcome outcome;
    EXPECT_LT(seconds_of({"suite", "--questions", "--timeout", "0.5", "--json"}, outcome), held);
    EXPECT_EQ(outcome.status, 3) << outcome.err;
}

TEST(Signals, LeaveNoChildBehind) {
    const Folder folder;
    for (const std::string command : {"probe", "identify", "check"})
        for (const std::string signal : {"INT", "TERM"}) {
            // The target is a shell with a child of its own; both say which process they are.
            const std::string peer = folder.file("peer", "echo $$ >" + folder.path("pids") + "; sleep 79 & echo $! >>" +
                                                             folder.path("pids") + "; wait\n");
            std::filesystem::remove(folder.path("pids"));
            const std::string script = folder.file(
                "script", std::string(DISCERN_PROGRAM) + " " + command + " 'exec:sh " + peer + "' " +
                              (command == "check" ? unit : "") +
                              " --formats f16,f16,f32,f32 --K 4 >/dev/null 2>&1 & child=$!\n"
                              "for i in $(seq 100); do test \"$(cat " +
                              folder.path("pids") + " 2>/dev/null | wc -l)\" = 2 && break; sleep 0.05; done\nkill -" +
                              signal + " $child; wait $child\nsleep 0.1\nfor p in $(cat " + folder.path("pids") +
                              "); do test -d /proc/$p && ! grep -q 'State:.Z' /proc/$p/status && exit 9; done; true\n");
            EXPECT_EQ(std::system(("bash " + script).c_str()), 0) << command << " " << signal;
            EXPECT_EQ(lines(read_file(folder.path("pids"))).size(), 2u) << "the target was not started";
        }
}

} // namespace
} // namespace discern::testing
