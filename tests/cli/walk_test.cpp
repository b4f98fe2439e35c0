// Points 9 and 10 of a good first hour: what is called the same is the same, everywhere, and the manual has all of it.
#include "cli/options/manual.hpp"
#include "cli/options/shared_options.hpp"
#include "program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace discern::testing {
namespace {

TEST(Options, TheSameNameIsTheSameOptionInAllCommands) {
    // Names that several commands have for things of their own.
    const std::map<std::string, std::string> own = {
        {"--sa", "scales: of one vector, or a matrix"},
        {"--sb", "as --sa"},
        {"--text", "a form of output"},
        {"--check", "what is compared: the results in the file, or a file"},
        {"--binary", "a form of output"},
        {"--help", ""},
        {"--top", "of a design: cli/options/design_options.cpp declares it for all commands"},
        {"--map", "of a design: cli/options/design_options.cpp declares it for all commands"},
        {"--set", "of a design: cli/options/design_options.cpp declares it for all commands"},
        {"--parameter", "of a design: cli/options/design_options.cpp declares it for all commands"},
        {"--cycles", "of a design: cli/options/design_options.cpp declares it for all commands"},
        {"--clock", "of a design: cli/options/design_options.cpp declares it for all commands"},
        {"--reset", "of a design: cli/options/design_options.cpp declares it for all commands"},
        {"--state", "of a design: cli/options/design_options.cpp declares it for all commands"},
        {"--valid", "of a design: cli/options/design_options.cpp declares it for all commands"},
        {"--ready", "likewise"},
        {"--equal", "of a design, by synth, prove and suite"},
        {"--by-cases", "likewise"},
        {"--param", "likewise"},
        {"-I", "likewise"},
        {"--include", "likewise"},
        {"-D", "likewise"},
        {"--define", "likewise"},
        {"-f", "likewise"},
        {"--file-list", "likewise"},
        {"--reader", "likewise"},
        {"--name", "of what is written: what names begin with, by export; a module, by rtl"},
        {"--as", "a form of what is exported, or who starts the shards of a suite: others call them so"},
        {"--hold", "of a design: cli/options/design_options.cpp declares it for all commands"},
        {"--once", "likewise"},
        {"--cross-check", "of synth and prove, which declare it together, and property"},
        {"--d", "of which and measure, which declare their matrices together"},
        {"-h", ""}};
    // Matrices, where other commands have the patterns of a vector.
    const std::set<std::string_view> with_matrices = {"which", "measure"};
    const std::set<std::string> matrices = {"--a", "--b", "--c"};
    std::map<std::string, std::string> seen, value_of; // name: command that has it
    std::size_t shared = 0;
    for (const cli::Command& command : cli::commands()) {
        if (command.run == nullptr) continue;
        for (const cli::DescribedOption& option : cli::options_of(command)) {
            EXPECT_FALSE(option.text.empty()) << command.name << " " << option.names.front();
            if (option.is_argument()) continue;
            for (const std::string& name : option.names) {
                const auto is_shared = std::ranges::any_of(
                    cli::shared_options(), [&](const cli::SharedOption& one) { return one.name == name; });
                if (with_matrices.contains(command.name) && matrices.contains(name)) continue;
                if (is_shared) {
                    ++shared;
                    EXPECT_TRUE(option.text.starts_with(cli::shared_option(name).text))
                        << command.name << " " << name << ": " << option.text;
                    EXPECT_EQ(option.value.empty(), cli::shared_option(name).takes == cli::Takes::nothing) << name;
                } else if (seen.contains(name) && !own.contains(name)) {
                    ADD_FAILURE() << name << " is an option of " << seen[name] << " and of " << command.name
                                  << ", and not in shared_options.cpp";
                }
                seen.emplace(name, command.name);
            }
        }
    }
    EXPECT_GT(shared, 60u);
}

TEST(Options, TheManualHasAllCommands) { // and the completions all options: completion_test.cpp
    const std::string manual = discern({"--manual"}).out;
    EXPECT_EQ(discern({"--completions", "tcsh"}).status, 2);
    EXPECT_EQ(discern({"--completions"}).status, 2);
    for (const cli::Command& command : cli::commands()) {
        if (command.run == nullptr) continue;
        const std::string name(command.name);
        EXPECT_NE(manual.find("\n.SS discern " + name + " "), std::string::npos) << name;
    }
}

TEST(Options, TheHelpHasColumnsThatFit) {
    for (const std::string& line : lines(discern({"--help"}).out))
        if (line.starts_with("  ") && line.size() > 14 && line[2] != ' ' && !line.starts_with("  discern")) {
            EXPECT_EQ(line[13], ' ') << line;
        }
    EXPECT_EQ(discern({"-V"}).out, discern({"--version"}).out);
}

TEST(Units, ProductsAndFiltersFindThem) {
    const Outcome h100 = discern({"units", "H100"}), hopper = discern({"units", "hopper/*"});
    EXPECT_EQ(h100.status, 0) << h100.err;
    EXPECT_EQ(h100.out, hopper.out);
    const Outcome fp8 = discern({"units", "RTX 4090", "--format", "e4m3", "--K", "32"});
    EXPECT_EQ(fp8.status, 0) << fp8.err;
    for (const std::string& line : lines(fp8.out)) {
        if (line.starts_with("name")) continue;
        EXPECT_TRUE(line.starts_with("ada/mma.m16n8k32") && line.find("e4m3") != std::string::npos) << line;
    }
    EXPECT_GT(lines(fp8.out).size(), 2u);
    EXPECT_EQ(discern({"units", "V100", "--format", "e4m3"}).status, 2);
    EXPECT_EQ(discern({"units", "--format", "f17"}).status, 2);
    EXPECT_NE(discern({"units", "--products"}).out.find("MI300X            cdna3"), std::string::npos);
    EXPECT_EQ(discern({"units", "--products", "--json"}).status, 0);
}

// Point 8: how far apart.
TEST(Distance, IsCountedInNumbersOfTheFormat) {
    const std::string unit = "volta/mma.m8n8k4.f32.f16.f16.f32";
    const auto file = [&](const std::vector<std::string>& results) {
        std::string text;
        for (std::size_t i = 0; i < results.size(); ++i)
            text += "0000 0000 0000 000" + std::to_string(i) + " 0000 0000 0000 0000 00000000 " + results[i] + "\n";
        return text;
    };
    const Folder folder;
    // One ulp up; across a power of two, 2; the sign of zero; across zero from the smallest to minus the smallest: 2;
    // infinity; equal.
    const std::string one = folder.file("one",
                                        file({"3f800000", "3fffffff", "00000000", "00000001", "7f800000", "40000000"})),
                      other = folder.file(
                          "other", file({"3f800001", "40000001", "80000000", "80000001", "7f7fffff", "40000000"}));
    const Outcome outcome = discern({"diff", one, other, "--unit", unit});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_NE(
        outcome.out.find("3 apart: at most 2 ulp, 1.67 on average; relative error at most 2, 0.667 on average; sign of "
                         "zero 1; infinite or NaN 1\n  ulp:  1: 1  2: 2\n"),
        std::string::npos)
        << outcome.out;
    EXPECT_EQ(last_line(outcome.out), "compared 6, different 5");
    const Outcome as_json = discern({"diff", one, other, "--unit", unit, "--json"});
    EXPECT_EQ(as_json.status, 1);
    EXPECT_NE(
        as_json.out.find(
            R"("apart":{"numbers":3,"zero_sign":1,"special":1,"ulp":{"max":2,"mean":1.66667,"histogram":{"1":1,"2":2}})"),
        std::string::npos)
        << as_json.out;
}

TEST(Distance, CheckSaysItByFamilyAndTakesAnyNan) {
    const std::string unit = "volta/mma.m8n8k4.f32.f16.f16.f32";
    const Outcome outcome = discern({"check", "model:" + unit, unit + "{F=22}", "-n", "2000", "--show", "0"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.out.find("\n  cancelling: "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(" ulp, "), std::string::npos) << outcome.out;
    const std::string other_nan = unit + "{nan=7fc00000}";
    EXPECT_EQ(discern({"check", "model:" + unit, other_nan, "-n", "2000", "--show", "0"}).status, 1);
    const Outcome any = discern({"check", "model:" + unit, other_nan, "-n", "2000", "--nan", "any"});
    EXPECT_EQ(any.out, "checked 2000, mismatches 0\n") << any.err;
    EXPECT_EQ(discern({"check", "model:" + unit, unit, "--nan", "some"}).status, 2);
}

TEST(Generate, WritesWhatIsAskedFor) {
    const std::string unit = "volta/mma.m8n8k4.f32.f16.f16.f32";
    const Folder folder;
    const std::string out = folder.path("out");
    EXPECT_EQ(discern({"generate", unit, "-n", "50", "--results", "-o", out}).status, 0);
    EXPECT_EQ(discern({"eval", unit, out, "--check"}).out, "checked 50, mismatches 0\n");
    EXPECT_EQ(discern({"generate", unit, "-n", "5", "--seed", "9"}).out,
              discern({"generate", unit, "-n", "5", "--seed", "9"}).out);
    EXPECT_NE(discern({"generate", unit, "-n", "5", "--seed", "9", "--text"}).out,
              discern({"generate", unit, "-n", "5", "--seed", "8", "--text"}).out);
    const Outcome formats =
        discern({"generate", "--formats", "e4m3,e4m3,f32,f32", "--K", "32", "--scale", "e8m0/32", "-n", "3"});
    EXPECT_EQ(formats.status, 0) << formats.err;
    EXPECT_EQ(lines(formats.out).size(), 4u);
    EXPECT_EQ(formats.out.find("unit"), std::string::npos) << "no unit is meant";
    for (const std::vector<std::string>& wrong : {std::vector<std::string>{"generate"},
                                                  {"generate", unit, "--formats", "f16,f16,f32,f32", "--K", "4"},
                                                  {"generate", "--formats", "f16,f16,f32,f32"},
                                                  {"generate", "--formats", "f16,f16,f32,f32", "--K", "4", "--results"},
                                                  {"generate", unit, "--binary"},
                                                  {"generate", unit, "--values", "a:2..1"},
                                                  {"generate", unit, "--family", "none"}}) {
        const Outcome outcome = discern(wrong);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
    }
}

} // namespace
} // namespace discern::testing
