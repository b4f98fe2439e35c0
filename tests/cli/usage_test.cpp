// The commands, their help, and what happens to words that mean nothing.
#include "program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

TEST(Usage, EveryCommandHasHelpWithAnExample) {
    for (const cli::Command& command : cli::commands()) {
        if (command.run == nullptr) continue;
        const std::string name(command.name);
        for (const auto& ask : {std::vector<std::string>{name, "--help"}, {name, "-h"}, {"help", name}}) {
            const Outcome outcome = discern(ask);
            EXPECT_EQ(outcome.status, 0) << name << outcome.err;
            EXPECT_NE(outcome.out.find("example:\n  discern " + name), std::string::npos) << outcome.out;
            EXPECT_EQ(outcome.err, "");
        }
        EXPECT_NE(discern({"--help"}).out.find("\n  " + name), std::string::npos);
    }
}

TEST(Usage, Version) {
    const Outcome outcome = discern({"--version"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(lines(outcome.out).at(0).starts_with("discern ")) << outcome.out;
}

TEST(Usage, AnOtherNameIsTheCommand) {
    EXPECT_EQ(discern({"questions", "--help"}).out, discern({"tell", "--help"}).out);
    EXPECT_EQ(discern({"--complete", "questions", "-"}).out, discern({"--complete", "tell", "-"}).out);
    EXPECT_EQ(cli::find_command("questions"), cli::find_command("tell"));
    EXPECT_EQ(cli::find_command(""), nullptr);
}

TEST(Usage, CommandsSayWhatTheyAre) {
    const auto described = lines(discern({"--describe-commands"}).out);
    std::size_t i = 0;
    for (const cli::Command& command : cli::commands()) {
        if (command.run == nullptr) continue;
        const auto record = nlohmann::json::parse(described.at(i++));
        EXPECT_EQ(record.at("name"), command.name);
        EXPECT_EQ(record.at("page"), command.docs.page);
        EXPECT_FALSE(command.docs.group.empty() || command.docs.page.empty()) << command.name;
    }
    EXPECT_EQ(described.size(), i);
}

TEST(Usage, CommandsThatAreNotThereSaySo) {
    std::size_t absent = 0;
    for (const cli::Command& command : cli::commands()) {
        if (command.run != nullptr) continue;
        ++absent;
        const std::string name(command.name);
        for (const auto& words : {std::vector<std::string>{name}, {name, "x", "--y"}, {"help", name}}) {
            const Outcome outcome = discern(words);
            EXPECT_EQ(outcome.status, 2);
            EXPECT_EQ(outcome.err, "discern: 'discern " + name + "' is not part of this version\n");
            EXPECT_EQ(outcome.out, "");
        }
        EXPECT_EQ(discern({"--help"}).out.find("\n  " + name + " "), std::string::npos);
    }
    RecordProperty("absent", static_cast<int>(absent));
}

TEST(Usage, UnknownWordsAreTrouble) {
    struct Wrong {
        std::vector<std::string> arguments;
        std::string complaint;
    };
    const std::vector<Wrong> all = {
        {{"evla"}, "there is no command 'evla' (did you mean eval?)"},
        {{""}, "there is no command ''"},
        {{"--what"}, "there is no option '--what' before a command"},
        {{"\x1b[31m"}, "there is no command '\\x1b[31m'"},
        {{"units", "--what"}, "units: "},
        {{"units", "nothing-like-this"}, "no unit's name matches 'nothing-like-this'"},
        {{"show"}, "show: UNIT is required"},
        {{"show", "hopper/wgma.m64n8k16.f32.f16.f16"},
         "there is no unit 'hopper/wgma.m64n8k16.f32.f16.f16' (did you mean hopper/wgmma"},
        {{"diff", "a"}, "diff: "},
        {{"diff", "-", "-"}, "diff: only one of the files can be standard input"},
        {{"import"}, "import: KIND is required"},
        {{"import", "gold", "-"}, "import: there is no kind 'gold' (did you mean golden?)"},
        {{"import", "csv", "-"}, "import csv: --unit is missing"},
    };
    for (const Wrong& entry : all) {
        const Outcome outcome = discern(entry.arguments);
        EXPECT_EQ(outcome.status, 2) << entry.complaint;
        EXPECT_TRUE(outcome.err.starts_with("discern: " + entry.complaint)) << outcome.err;
        EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
}

} // namespace
} // namespace discern::testing
