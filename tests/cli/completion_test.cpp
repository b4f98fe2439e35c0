// Completions: what the program offers, and that each shell takes it.
#include "cli/options/manual.hpp"
#include "program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace discern::testing {
namespace {

std::vector<std::string> offered(std::vector<std::string> words) {
    words.insert(words.begin(), "--complete");
    const Outcome outcome = discern(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return lines(outcome.out);
}

bool has(const std::vector<std::string>& words, const std::string& word) {
    return std::ranges::find(words, word) != words.end();
}

TEST(Completion, TheProgramOffersWhatCanFollow) {
    EXPECT_TRUE(has(offered({"wh"}), "which"));
    EXPECT_TRUE(has(offered({"show", ""}), "ampere/"));
    EXPECT_TRUE(has(offered({"show", "a"}), "A100/"));
    EXPECT_TRUE(has(offered({"show", "rtx4"}), "RTX4090/"));
    EXPECT_EQ(offered({"show", "A100/tf"}), std::vector<std::string>{"A100/tf32"});
    EXPECT_TRUE(has(offered({"synth", "A100/f16", "h100/"}), "H100/f16"));
    EXPECT_TRUE(has(offered({"synth", "A100/f16", "hopper/wgmma.m64n8k16"}), "hopper/wgmma.m64n8k16.f32.f16.f16"));
    EXPECT_TRUE(has(offered({"measure", "x86/fma.f32", "--family", "n"}), "normal"));
    EXPECT_TRUE(has(offered({"export", "--as", "s"}), "sv"));
    EXPECT_TRUE(has(offered({"import", "c"}), "csv"));
    EXPECT_TRUE(has(offered({"property", "A100/f16", "mono"}), "monotonic"));
    EXPECT_TRUE(has(offered({"which", ""}), ":files"));
    EXPECT_TRUE(has(offered({"eval", "A100/f16", ""}), ":files"));
    EXPECT_TRUE(has(offered({"explain", "A100/f16", ""}), ":files"));
    EXPECT_FALSE(has(offered({"show", ""}), ":files"));
    EXPECT_TRUE(has(offered({"run", "model:A100/f"}), "model:A100/f16"));
    EXPECT_TRUE(has(offered({"prove", "--tab"}), "--table"));
    // An option's value is no argument.
    EXPECT_TRUE(has(offered({"eval", "--show", "3", "v100/"}), "V100/f16"));
    for (const cli::Command& command : cli::commands())
        for (const cli::DescribedOption& option : cli::options_of(command))
            if (!option.is_argument()) {
                EXPECT_TRUE(has(offered({std::string(command.name), "-"}), option.names.back()))
                    << command.name << " " << option.names.back();
            }
}

TEST(Completion, AWrongOptionHasItsNearest) {
    const Outcome outcome = discern({"synth", "A100/f16", "H100/f16", "--tabel"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("--tabel (did you mean --table"), std::string::npos) << outcome.err;
    // A unit that is one too many is no option.
    EXPECT_EQ(discern({"show", "A100/f16", "H100/f16"}).err.find("did you mean"), std::string::npos);
}

/// What a command line prints.
std::string printed(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"), pclose);
    std::string text;
    char part[1024];
    while (pipe && std::fgets(part, sizeof part, pipe.get()) != nullptr) text += part;
    return text;
}

bool is_there(const std::string& shell) { return std::system(("command -v " + shell + " >/dev/null").c_str()) == 0; }

/// A folder with the program as `discern`, the completion script and a file.
struct Shell {
    explicit Shell(const std::string& name)
        : script(folder.file("script", discern({"--completions", name}).out)), file(folder.file("a100.csv", "")) {
        std::filesystem::create_symlink(DISCERN_PROGRAM, folder.path("discern"));
    }
    std::string in_folder(const std::string& command) const {
        return printed("cd " + folder.path(".") + " && PATH=" + folder.path(".") + ":$PATH " + command);
    }
    Folder folder;
    std::string script, file;
};

TEST(Completion, Bash) {
    if (!is_there("bash")) GTEST_SKIP() << "there is no bash";
    const Shell shell("bash");
    const auto replies = [&](const std::string& line, const std::string& words) {
        const std::string drive = shell.folder.file(
            "drive", "source " + shell.script + "\nCOMP_LINE='" + line + "' COMP_POINT=" + std::to_string(line.size()) +
                         " COMP_WORDS=(" + words + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_discern\n" +
                         "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
        return lines(shell.in_folder("bash --norc " + drive));
    };
    EXPECT_EQ(replies("discern show A100/tf", "discern show A100/tf"), std::vector<std::string>{"A100/tf32"});
    EXPECT_TRUE(has(replies("discern which a1", "discern which a1"), "a100.csv"));
    EXPECT_TRUE(has(replies("discern synth A100/f16 ", "discern synth A100/f16 ''"), "H100/"));
    EXPECT_TRUE(has(replies("discern prove --tab", "discern prove --tab"), "--table"));
    // bash takes model: for a word of its own, and what is offered stands for the rest.
    EXPECT_EQ(replies("discern run model:A100/tf", "discern run model : A100/tf"),
              std::vector<std::string>{"A100/tf32"});
    EXPECT_EQ(printed("bash -n " + shell.script), "");
}

TEST(Completion, Fish) {
    if (!is_there("fish")) GTEST_SKIP() << "there is no fish";
    const Shell shell("fish");
    const auto replies = [&](const std::string& line) {
        return lines(
            shell.in_folder("fish --no-config -c 'source " + shell.script + "; complete -C \"" + line + "\"'"));
    };
    EXPECT_EQ(replies("discern show A100/tf"), std::vector<std::string>{"A100/tf32"});
    EXPECT_TRUE(has(replies("discern synth A100/f16 h"), "H100/"));
    EXPECT_TRUE(has(replies("discern prove --tab"), "--table"));
    EXPECT_TRUE(has(replies("discern which a1"), "a100.csv"));
}

TEST(Completion, Zsh) {
    if (!is_there("zsh")) GTEST_SKIP() << "there is no zsh";
    const Shell shell("zsh");
    // In a terminal of its own: a word is typed, completed by a tab, and the line is run.
    const auto run = [&](const std::string& line) {
        const std::string drive = shell.folder.file(
            "drive", "zmodload zsh/zpty\nzpty z zsh -f -i\n"
                     "zpty -w z 'autoload -Uz compinit; compinit -u -D; source " +
                         shell.script + "; PS1=; print ready'\nzpty -r -m z text '*ready*ready*'\n" + "zpty -n -w z '" +
                         line + "'$'\\t'\nsleep 1\nzpty -n -w z $'\r'\n" +
                         "zpty -w z 'print over\\ed; exit'\nzpty -r -m z text '*overed*'\n" + "print -r -- $text\n");
        return shell.in_folder("timeout 30 zsh -f " + drive);
    };
    const std::string shown = run("discern show A100/tf"), file = run("discern diff a100.csv a10");
    EXPECT_NE(shown.find("ampere/mma.m16n8k8.f32.tf32.tf32.f32"), std::string::npos) << shown;
    EXPECT_NE(file.find("a100.csv a100.csv"), std::string::npos) << file;
    EXPECT_EQ(printed("zsh -n " + shell.script), "");
}

} // namespace
} // namespace discern::testing
