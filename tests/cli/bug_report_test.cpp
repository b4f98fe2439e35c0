// bug-report: a command run again in a process of its own, and all that is needed to reproduce it.
#include "cli/bug_report/command_line.hpp"
#include "cli/bug_report/private_names.hpp"
#include "program.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include <unistd.h>

namespace discern::testing {
namespace {

const std::string volta_by_22 = volta + "{F=22}";

/// What stands below a heading, up to the next one of its level.
std::string section(const std::string& report, const std::string& heading) {
    const std::size_t begin = report.find("\n## " + heading + "\n");
    if (begin == std::string::npos) return "";
    const std::size_t end = report.find("\n## ", begin + 1);
    return report.substr(begin, end == std::string::npos ? end : end - begin);
}

TEST(BugReport, OfAQuestionHasAllThatItTakesToAskAgain) {
    const Outcome outcome = discern({"bug-report", "--", "prove", volta, volta_by_22, "--seed", "7"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const std::string& report = outcome.out;
    for (const std::string line : {"| seed | 7 |", "| ended | exit status 1, after ", "| version | ", "| solvers | ",
                                   "| CPU | ", "| system | ", "| build | ", "| command | `discern prove volta/"})
        EXPECT_NE(report.find(line), std::string::npos) << line << report.substr(0, 2000);
    // Both lines of the notation, whole.
    const std::string units = section(report, "Units");
    EXPECT_NE(units.find("(fuse[F=23 rz](p*, c))"), std::string::npos) << units;
    EXPECT_NE(units.find("(fuse[F=22 rz](p*, c))"), std::string::npos) << units;
    // The question is that of `discern smt2`, and what was printed is a file of vectors that the units part on.
    const std::string question = section(report, "The question as SMT-LIB 2");
    EXPECT_NE(question.find("(set-logic QF_BV)"), std::string::npos) << question.substr(0, 500);
    EXPECT_NE(question.find("(check-sat)"), std::string::npos);
    EXPECT_NE(section(report, "Standard output").find("\"d\":["), std::string::npos);
    const std::string steps = section(report, "Vector 1, step by step");
    EXPECT_NE(steps.find("A  sum:"), std::string::npos) << steps;
    EXPECT_NE(steps.find("B  sum:"), std::string::npos) << steps;
}

TEST(BugReport, FindsVectorsInJsonToo) {
    const Outcome outcome = discern({"bug-report", "--", "discern", "synth", volta, volta_by_22, "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(section(outcome.out, "Vector 1, step by step").find("A  sum:"), std::string::npos) << outcome.out.size();
}

TEST(BugReport, KeepsLimitsOfTheQuestion) {
    const Outcome outcome = discern({"bug-report", "--", "prove", volta, volta_by_22, "--finite", "--range=c:0..3"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(section(outcome.out, "The question as SMT-LIB 2").find("--finite --range c:0..3"), std::string::npos);
}

TEST(BugReport, HasTheFilesThatTheCommandReads) {
    const Folder folder;
    const std::string file = folder.file("seen.jsonl", discern({"generate", volta, "-n", "3", "--results"}).out);
    const Outcome outcome = discern({"bug-report", "--", "eval", volta, file, "--check"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const std::string input = section(outcome.out, "Input");
    EXPECT_NE(input.find("seen.jsonl"), std::string::npos) << input;
    EXPECT_NE(input.find(lines(read_file(file)).at(2)), std::string::npos) << input;
    EXPECT_NE(section(outcome.out, "Standard output").find("checked 3, mismatches 0"), std::string::npos);

    const Outcome piped = discern({"bug-report", "--", "eval", volta, "-", "--check"}, read_file(file));
    EXPECT_NE(section(piped.out, "Input").find("standard input"), std::string::npos);
    EXPECT_NE(section(piped.out, "Standard output").find("checked 3, mismatches 0"), std::string::npos) << piped.out;

    // Bytes that are no text are written in hexadecimal.
    const std::string binary = folder.file("a.bin", std::string("\0\x3c\0\x40", 4));
    const Outcome product = discern({"bug-report", "--", "gemm", volta, binary, binary, "--size", "1,1,2"});
    EXPECT_NE(section(product.out, "Input").find("003c0040"), std::string::npos) << product.out;
}

TEST(BugReport, OfACommandThatFails) {
    const Outcome outcome = discern({"bug-report", "--", "prove", volta, "volta/nothing"});
    EXPECT_EQ(outcome.status, 0) << "the report is written";
    EXPECT_NE(outcome.out.find("| ended | exit status 2"), std::string::npos);
    EXPECT_NE(section(outcome.out, "Standard error").find("there is no unit 'volta/nothing'"), std::string::npos);
}

TEST(BugReport, OfACommandThatCrashes) {
    const Folder folder;
    // A target's end is the target's; discern itself is killed from outside, as it would be for want of memory.
    const Outcome outcome = discern({"bug-report", "--", "check", "exec:kill -9 $PPID; sleep 5", volta});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("| ended | signal 9"), std::string::npos) << outcome.out;
}

TEST(BugReport, GoesToAFile) {
    const Folder folder;
    const Outcome outcome = discern({"bug-report", "-o", folder.path("report.md"), "--", "show", volta});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(read_file(folder.path("report.md")).starts_with("# A report about discern\n"));
}

TEST(BugReport, SaysWhatIsMissing) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> all = {
        {{"bug-report"}, "the command stands behind --"},
        {{"bug-report", "prove", volta, volta_by_22}, "the command stands behind --"},
        {{"bug-report", "--"}, "the command is missing"},
        {{"bug-report", "--", "prov", volta}, "there is no command 'prov' (did you mean prove"},
        {{"bug-report", "--", "bug-report", "--", "units"}, "would report itself"},
        {{"bug-report", "-o", "/nonexistent/report.md", "--", "units"}, "/nonexistent/report.md cannot be written"},
    };
    for (const auto& [arguments, complaint] : all) {
        const Outcome outcome = discern(arguments);
        EXPECT_EQ(outcome.status, 2) << complaint;
        EXPECT_NE(outcome.err.find(complaint), std::string::npos) << outcome.err;
        EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
}

TEST(BugReport, NamesNoPersonAndNoMachine) {
    const cli::PrivateNames names({{"/home/ada", "~"}, {"ada", "USER"}, {"engine.example", "HOST"}, {"root", "USER"}});
    EXPECT_EQ(names.without("reads /home/ada/x.sv on engine.example"), "reads ~/x.sv on HOST");
    EXPECT_EQ(names.without("rtl:/home/ada/x.sv,/home/ada"), "rtl:~/x.sv,~");
    EXPECT_EQ(names.without("ada/mma.m16n8k32 of adam and /home/adam/x"), "USER/mma.m16n8k32 of adam and /home/USER/x");
    EXPECT_EQ(names.without("/home/charles.b/y, /home/"), "/home/USER/y, /home/");
    EXPECT_EQ(names.without("the root of a tree"), "the root of a tree");

    const Folder folder;
    const std::string place = folder.path("somebody");
    std::filesystem::create_directory(place);
    std::ofstream(place + "/v.jsonl") << discern({"generate", volta, "-n", "2", "--results"}).out;
    const char* const before = std::getenv("HOME");
    const std::string home = before == nullptr ? "" : before;
    setenv("HOME", place.c_str(), 1);
    const Outcome outcome = discern({"bug-report", "--", "eval", volta, place + "/v.jsonl", "--check"});
    if (before == nullptr)
        unsetenv("HOME");
    else
        setenv("HOME", home.c_str(), 1);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find(place), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("### ~/v.jsonl"), std::string::npos) << outcome.out;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (std::string(host) != "localhost") {
        EXPECT_EQ(outcome.out.find(std::string(" ") + host + " "), std::string::npos);
    }
}

TEST(BugReport, ReadsACommandLine) {
    const std::vector<std::string> words = {"prove", volta,   "model:" + volta_by_22, "--K=8", "--values", "a:-1..1",
                                            "-o",    __FILE__};
    const cli::ReportedCommand command(words);
    EXPECT_EQ(command.value_of("--K"), "8");
    EXPECT_EQ(command.value_of("--values"), "a:-1..1");
    EXPECT_EQ(command.value_of("--seed"), "");
    EXPECT_EQ(command.seed(), "0, not given");
    EXPECT_EQ(command.units().size(), 2u);
    EXPECT_TRUE(command.files().empty()) << "what is written is not read";
    EXPECT_EQ(command.limits(), (std::vector<std::string>{"--values", "a:-1..1"}));
}

} // namespace
} // namespace discern::testing
