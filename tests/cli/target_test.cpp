// targets, run and check: real units from the command line.
#include "folder.hpp"
#include "hwrunner/process/run_process.hpp"
#include "program.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace discern::testing::target_test {
namespace {

const std::string sample = std::string(DISCERN_TEST_DATA) + "/golden/Volta__mma.m8n8k4.f32.f16.f16.f32.jsonl";

/// The sample's vectors in the canonical form.
std::string vectors_of_sample() { return discern({"import", "golden", sample}).out; }

/// Answers a unit's d to each vector, by this program.
std::string exec_eval(const std::string& unit) {
    // eval reads the header and answers a line a vector, after a header of its own that is no answer.
    return "exec:'" + std::string(DISCERN_PROGRAM) + "' eval '" + unit + "' - | { read h; cat; }";
}

bool python_is_here() { return std::system("python3 -c pass >/dev/null 2>&1") == 0; }

void expect_starts(const std::string& text, const std::string& start) {
    EXPECT_EQ(text.substr(0, start.size()), start) << text;
}

TEST(Targets, ListsAllWithReasons) {
    const Outcome outcome = discern({"targets"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("\nx86/dpps "), std::string::npos);
    EXPECT_NE(outcome.out.find("\ncuda:N/INSTRUCTION  unavailable: "), std::string::npos);
    EXPECT_NE(outcome.out.find("\nexec:COMMAND LINE"), std::string::npos);
    const auto list = nlohmann::json::parse(discern({"targets", "--json"}).out);
    ASSERT_EQ(list.size(), lines(outcome.out).size());
    for (const auto& row : list) EXPECT_EQ(row["available"].get<bool>(), row["reason"].is_null()) << row;
}

TEST(Run, ObservationsOfAModelAreThoseOfTheUnit) {
    Folder folder;
    const std::string vectors = folder.file("vectors", vectors_of_sample()), observed = folder.path("observed");
    const Outcome run = discern({"run", "model:" + volta, vectors, "-o", observed});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    const auto header = nlohmann::json::parse(lines(read_file(observed)).front());
    EXPECT_EQ(header["target"], "model:" + volta);
    EXPECT_EQ(header["vendor"], "discern");
    EXPECT_EQ(header["K"], 4);
    EXPECT_EQ(header["date"].get<std::string>().size(), std::string("2000-01-01T00:00:00Z").size());
    EXPECT_EQ(header["command"], "discern run model:" + volta + " " + vectors + " -o " + observed);
    const Outcome check = discern({"eval", volta, observed, "--check"});
    EXPECT_EQ(check.status, 0) << check.out << check.err;
    EXPECT_EQ(last_line(check.out), "checked 9, mismatches 0");
}

TEST(Run, ReadsStandardInputAndTakesTheShapeFromIt) {
    const Outcome outcome = discern({"run", exec_eval(volta), "-"}, vectors_of_sample());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(discern({"eval", volta, "-", "--check"}, outcome.out).status, 0);
}

TEST(Run, ReplayGivesWhatWasSeen) {
    Folder folder;
    const std::string vectors = vectors_of_sample();
    const std::string seen = folder.file("seen", discern({"run", "model:" + volta + "{F=20}", "-"}, vectors).out);
    const Outcome again = discern({"run", "replay:" + seen, "-"}, vectors);
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(discern({"eval", volta + "{F=20}", "-", "--check"}, again.out).status, 0);
    EXPECT_EQ(discern({"eval", volta + "{F=20}", seen, "--check"}).status, 0);
    // A vector without an observation is reported and left out.
    const Outcome other = discern({"run", "replay:" + seen, "-"},
                                  vectors + "{\"a\":[\"0001\",\"0002\",\"0003\",\"0004\"],\"b\":[\"3c00\",\"3c00\","
                                            "\"3c00\",\"3c00\"],\"c\":\"00000000\"}\n");
    EXPECT_EQ(other.status, 0);
    EXPECT_EQ(other.err, "standard input:11: skipped: the target could not answer: the vector is not in " + seen +
                             "\nobserved 9, skipped 1\n");
    EXPECT_EQ(lines(other.out).size(), 11u);
    const std::string reason = "the vector is not in " + seen;
    EXPECT_NE(last_line(other.out).find(R"(,"error":")" + reason + R"("})"), std::string::npos) << other.out;
    // It was not observed, so it is no mismatch and no difference; a replay says the same again.
    const Outcome check = discern({"eval", volta + "{F=20}", "-", "--check"}, other.out);
    EXPECT_EQ(check.status, 0) << check.err;
    EXPECT_EQ(check.out, "left out 1 that the target could not answer, the first because: " + reason +
                             "\nchecked 9, mismatches 0\n");
    const std::string with_error = folder.file("with-error", other.out);
    const std::string predicted = folder.file("predicted", discern({"eval", volta + "{F=20}", with_error}).out);
    EXPECT_EQ(predicted.find("error"), std::string::npos);
    const Outcome diff = discern({"diff", with_error, predicted});
    EXPECT_EQ(diff.status, 0) << diff.err;
    EXPECT_EQ(last_line(diff.out), "compared 9, different 0");
    EXPECT_EQ(lines(diff.out).size(), 2u);
    EXPECT_EQ(last_line(discern({"run", "replay:" + with_error, with_error}).out), last_line(other.out));
    // Other vectors than those of the file: what compares it is said.
    const std::string refused = discern({"check", "replay:" + seen, volta}).err;
    expect_starts(refused, "discern: " + seen + " could not answer 10 vectors");
    EXPECT_NE(refused.find("eval " + volta + " " + seen + " --check compares those"), std::string::npos) << refused;
}

TEST(Run, WhatWasObservedBeforeADeathIsKept) {
    Folder folder;
    const std::string observed = folder.path("observed");
    const Outcome outcome = discern({"run",
                                     "exec:read h; for i in 1 2 3; do read l; echo '{\"d\":\"3f800000\"}'; done; "
                                     "echo out of memory >&2; exit 9",
                                     sample, "-o", observed});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("exit status 9 after 3 answers"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("it said 'out of memory'"), std::string::npos) << outcome.err;
    EXPECT_EQ(lines(read_file(observed)).size(), 4u) << "a header and three observations";
}

TEST(Run, Trouble) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> all = {
        {{"run", "x86/dpp", sample}, "there is no target 'x86/dpp'"},
        {{"run", "cuda:0/mma.m16n8k8.f32.f16.f16.f32", sample}, "unavailable: cuda:0/mma.m16n8k8.f32.f16.f16.f32: "},
        {{"run", "model:" + volta, "/no/such/file"}, "/no/such/file cannot be read"},
        {{"run", "model:" + volta + "{K=8}", sample}, sample + ":1: "},
        {{"run", "exec:cat", sample, "--formats", "f16,f16,f32,f32"}, "--formats and --K belong together"},
        {{"run", "model:" + volta, sample, "--K", "4"}, "--formats, --K and --scale are for exec targets"},
        {{"run", "exec:cat", sample, "--formats", "f16,f16,f32,f32", "--K", "8"}, sample + ":1: "},
        {{"check", "model:" + volta, volta, "-n", "0"},
         "check: -n: '0' is not right; it must be a whole number of 1 or more"},
        {{"check", "model:" + volta, "x86/dpps"}, "target (f16*f16+f32->f32 K=4) and unit (f32*f32->f32 K=4) differ"},
    };
    for (const auto& [arguments, complaint] : all) {
        const Outcome outcome = discern(arguments);
        EXPECT_EQ(outcome.status, 2) << complaint;
        expect_starts(outcome.err, "discern: " + complaint);
        EXPECT_EQ(lines(outcome.err).size(), 1u);
        EXPECT_EQ(outcome.out, "");
    }
}

TEST(Check, SameUnit) {
    const Outcome outcome = discern({"check", "model:" + volta, volta, "-n", "5000"});
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    EXPECT_EQ(outcome.out, "checked 5000, mismatches 0\n");
    EXPECT_EQ(discern({"check", "model:" + volta, volta, "-n", "50", "--json"}).out,
              R"({"checked":50,"mismatches":0,"skipped":0,"first":[],"apart":{"numbers":0,"zero_sign":0,"special":0,)"
              R"("ulp":{"max":0,"mean":0,"histogram":{}},"relative":{"max":0,"mean":0},"families":{}}})"
              "\n");
}

TEST(Check, MismatchesAreWhatTheUnitsGive) {
    const std::string wrong = volta + "{F=20}";
    const Outcome text = discern({"check", "model:" + wrong, volta, "-n", "1000", "--show", "3"});
    EXPECT_EQ(text.status, 1);
    const Outcome outcome = discern({"check", "model:" + wrong, volta, "-n", "1000", "--show", "3", "--json"});
    EXPECT_EQ(outcome.status, 1);
    const auto result = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(result["checked"], 1000);
    EXPECT_EQ(last_line(text.out), "checked 1000, mismatches " + std::to_string(result["mismatches"].get<int>()));
    ASSERT_EQ(result["first"].size(), 3u);
    // d is what the target gave, expected what the unit gives: the evaluator says so too.
    std::string observed = "{\"discern\":1}\n", expected = observed;
    for (auto vector : result["first"]) {
        observed += vector.dump() + "\n";
        vector["d"] = vector["expected"];
        expected += vector.dump() + "\n";
    }
    EXPECT_EQ(discern({"eval", wrong, "-", "--check"}, observed).status, 0) << observed;
    EXPECT_EQ(discern({"eval", volta, "-", "--check"}, expected).status, 0) << expected;
    EXPECT_EQ(last_line(discern({"eval", volta, "-", "--check"}, observed).out), "checked 3, mismatches 3");
    // The simple vector differs as well, and has at most the products that a lost bit needs.
    const auto& simple = result["simplest"];
    EXPECT_NE(simple["d"], simple["expected"]);
    EXPECT_EQ(discern({"eval", wrong, "-", "--check"}, "{\"discern\":1}\n" + simple.dump() + "\n").status, 0);
    EXPECT_LE(std::ranges::count_if(simple["a"], [](const auto& a) { return a != "0000"; }), 2) << simple;
    EXPECT_NE(text.out.find("the first, made as simple as it can be"), std::string::npos);
}

// The simple vector is within the limits that were given, and there is none where a target does not repeat itself.
TEST(Check, TheSimpleVectorKeepsTheLimits) {
    const auto checked = [&](const std::string& target) {
        return nlohmann::json::parse(
            discern({"check", target, volta, "-n", "1000", "--values", "a:1.5..2,c:-2..-1", "--json"}).out);
    };
    const auto result = checked("model:" + volta + "{F=20}");
    ASSERT_TRUE(result.contains("simplest")) << result;
    for (const std::string a : result["simplest"]["a"]) {
        EXPECT_GE(a, "3e00");
        EXPECT_LE(a, "4000");
    }
    EXPECT_GE(result["simplest"]["c"].get<std::string>(), "bf800000");
}

TEST(Check, SeedsGiveOtherVectorsAndTheSameAgain) {
    const auto run = [](const std::string& seed) {
        return discern({"check", "model:" + volta + "{F=20}", volta, "-n", "500", "--seed", seed}).out;
    };
    EXPECT_EQ(run("1"), run("1"));
    EXPECT_NE(run("1"), run("2"));
}

TEST(Check, ExamplesOfTargets) {
    const std::string examples = std::string(DISCERN_TEST_DATA) + "/../../docs/examples/exec_target";
    const Outcome cpp =
        discern({"check", "exec:'" + std::string(DISCERN_EXEC_TARGET) + "' " + volta, volta, "-n", "5000"});
    EXPECT_EQ(cpp.out, "checked 5000, mismatches 0\n") << cpp.err;
    if (!python_is_here()) GTEST_SKIP() << "python3 is not installed";
    const std::string target = "exec:python3 '" + examples + "/target.py'",
                      hopper = "hopper/wgmma.m64n8k16.f32.f16.f16";
    const Outcome python = discern({"check", target, hopper, "-n", "5000"});
    EXPECT_EQ(python.out, "checked 5000, mismatches 0\n") << python.err;
    EXPECT_EQ(discern({"check", target + " -F 24", hopper, "-n", "1000"}).status, 1);
    EXPECT_EQ(discern({"check", target + " -F 24 --floor=-132", hopper + "{F=24,floor=-132}", "-n", "2000"}).status, 0);
    EXPECT_NE(discern({"check", target, "x86/vdpbf16ps"}).err.find("computes f16*f16+f32->f32 only"),
              std::string::npos);
}

/// A program built for a test, or the reason why it was not.
bool builds(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

const std::string example_folder = std::string(DISCERN_TEST_DATA) + "/../../docs/examples";

TEST(Check, TheHeaderForC) {
    const Folder folder;
    if (!is_program("cc")) GTEST_SKIP() << "there is no C compiler (cc)";
    ASSERT_TRUE(builds("cc -std=c99 -pedantic -Wall -Wextra -Werror -O2 -o " + folder.path("fma") + " " +
                       example_folder + "/exec_target/fma.c -lm"));
    const std::string target = "exec:" + folder.path("fma");
    EXPECT_EQ(discern({"check", target, "x86/fma.f32", "--nan", "any", "-n", "5000"}).out,
              "checked 5000, mismatches 0\n");
    EXPECT_EQ(discern({"check", target, "x86/fma.f32{round=rz}", "-n", "1000"}).status, 1);
    EXPECT_NE(discern({"check", target, volta}).err.find("a is f16, but this target was made for f32,f32,f32,f32"),
              std::string::npos);
    EXPECT_NE(discern({"check", target, "x86/fma.f32{K=2}"}).err.find("K is 1, and not that of the header"),
              std::string::npos);
}

TEST(Check, TheHeaderForCpp) {
    const Folder folder;
    if (!is_program("c++")) GTEST_SKIP() << "there is no C++ compiler (c++)";
    // The exact sum of integers, which refuses one pattern in words that have to be quoted.
    const std::string program = folder.file(
        "unit.cpp", "#include \"discern_target.hpp\"\n#include <stdexcept>\n"
                    "static std::int64_t number(std::uint64_t x) { return static_cast<std::int8_t>(x); }\n"
                    "int main() {\n"
                    "    return discern_target::serve(\"fix8.0,fix8.0,-,fix32.0\", 0, [](const discern_vector& v) {\n"
                    "        std::int64_t sum = 0;\n"
                    "        for (int k = 0; k < v.K; ++k) sum += number(v.a[k]) * number(v.b[k]);\n"
                    "        if (v.a[0] == 0x01) throw std::runtime_error(\"not \\\"1\\\"\");\n"
                    "        if (discern_target::packed(v.a, v.K, 8).at(0) >> 8 != v.a[1]) sum += 1;\n"
                    "        return static_cast<std::uint64_t>(sum) & 0xffffffff;\n"
                    "    });\n}\n");
    ASSERT_TRUE(builds("c++ -std=c++11 -pedantic -Wall -Wextra -Werror -I" + example_folder + "/exec_target -o " +
                       folder.path("unit") + " " + program));
    const Outcome outcome = discern({"check", "exec:" + folder.path("unit"),
                                     "fix8.0*fix8.0->fix32.0 K=2 : round[fix32.0 rz](fuse[exact](p*))", "-n", "3000"});
    EXPECT_NE(last_line(outcome.out).find("mismatches 0"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("the first because: not \"1\""), std::string::npos) << outcome.out;
}

TEST(Check, ADesignUnderVerilator) {
    const Folder folder;
    if (!is_program("verilator")) GTEST_SKIP() << "verilator is not installed (Debian: verilator)";
    const std::string rtl = example_folder + "/rtl/";
    ASSERT_TRUE(builds("verilator --cc --exe --build -CFLAGS \"-O1 -I" + example_folder + "/exec_target\" -Mdir " +
                       folder.path("made") + " -o tfdpa --top-module tfdpa -Wno-fatal " + rtl + "tfdpa.sv " + rtl +
                       "verilator_target.cpp"));
    const std::string target = "exec:" + folder.path("made/tfdpa"), unit = "hopper/wgmma.m64n8k16.f32.f16.f16";
    EXPECT_EQ(discern({"check", target, unit, "-n", "20000"}).out, "checked 20000, mismatches 0\n");
    EXPECT_EQ(discern({"check", target, unit + "{F=24}", "-n", "2000"}).status, 1);
}

TEST(Check, ADesignUnderCocotb) {
    if (!python_is_here() || !builds("python3 -c 'import cocotb'") || !is_program("iverilog"))
        GTEST_SKIP() << "cocotb or iverilog is not installed (pip install cocotb; Debian: iverilog)";
    const std::string target = "exec:python3 '" + example_folder + "/rtl/cocotb_target.py'";
    const std::string unit = "hopper/wgmma.m64n8k16.f32.f16.f16"; // a busy machine takes long to start all of it
    EXPECT_EQ(discern({"check", target, unit, "-n", "500", "--answer-timeout", "120"}).out,
              "checked 500, mismatches 0\n");
    EXPECT_EQ(discern({"check", target, unit + "{F=24}", "-n", "2000", "--answer-timeout", "120"}).status, 1);
}

} // namespace
} // namespace discern::testing::target_test
