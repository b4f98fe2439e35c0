// The points of a good first hour, each as a user meets it. What is long or has many cases is tested where it belongs;
// here stands one of each. Points 11 and 12 are also docs.site, docs.pages, package.deb and package.bare (slow), and
// docs.setup of ctest.
#include "cli/base/progress.hpp"
#include "cli/base/stages.hpp"
#include "cli/options/manual.hpp"
#include "hwrunner/export/export.hpp"
#include "models/catalogue.hpp"
#include "program.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <regex>
#include <set>

namespace discern::testing::first_hour_test {
namespace {

using nlohmann::json;

const std::string cut_at_24 = volta + "{K=8,L=8,F=24}"; // what Turing, Ampere and Ada have

/// A recording of a unit, without its name.
std::string recording(const Folder& folder, const std::string& unit, const std::string& formats, int K,
                      const std::string& n) {
    std::string file = "{\"discern\":1," + formats + ",\"K\":" + std::to_string(K) + "}\n";
    for (const std::string& line : lines(discern({"generate", unit, "-n", n, "--results"}).out))
        if (line.find("\"discern\"") == std::string::npos) file += line + "\n";
    return folder.file("recorded", file);
}
const std::string f16_to_f32 = R"("a":"f16","b":"f16","c":"f32","d":"f32")";

TEST(FirstHour, Point01IdentifySaysWhatARecordingIsConsistentWith) {
    const Folder folder;
    const std::string file = recording(folder, cut_at_24, f16_to_f32, 8, "500");
    const Outcome which = discern({"which", file, "--json"});
    EXPECT_EQ(which.status, 0) << which.out << which.err;
    const Outcome text = discern({"identify", "replay:" + file, "--timeout", "1"});
    EXPECT_EQ(text.status, 3) << text.err;
    // Within the time these may have been proved to be one unit.
    EXPECT_TRUE(text.out.starts_with("consistent with: turing/mma.m16n8k8.f32.f16.f16.f32, ampere/") ||
                text.out.starts_with("unit:      turing/mma.m16n8k8.f32.f16.f16.f32, ampere/"))
        << text.out;
    EXPECT_EQ(text.out.find("not in the catalogue"), std::string::npos) << text.out;
}

TEST(FirstHour, Point02NearUnitsSayHowTheyFail) {
    const Outcome outcome =
        discern({"identify", "model:" + volta + "{F=20}", "--space", volta + "{F={22..24}}", "--json"});
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    const json near = json::parse(outcome.out)["near"];
    ASSERT_GT(near.size(), 1u);
    for (std::size_t i = 0; i < near.size(); ++i) {
        int sum = 0;
        for (const char* const kind : {"zero sign", "one ulp", "special", "other"})
            sum += near[i]["kinds"][kind].get<int>();
        EXPECT_EQ(near[i]["mismatches"], sum);
        EXPECT_GE(near[i]["of"], 500);
        EXPECT_EQ(discern({"show", near[i]["unit"]}).status, 0) << near[i]["unit"];
        if (i > 0) {
            EXPECT_GE(near[i]["mismatches"].get<double>() / near[i]["of"].get<double>(),
                      near[i - 1]["mismatches"].get<double>() / near[i - 1]["of"].get<double>());
        }
    }
}

TEST(FirstHour, Point02ProbePrintsNoTableThatItsOwnTreesRefute) {
    // The units themselves are in tests/identification/probe.
    const std::string odd = "f16*f16+f32->f32 K=4 : round[f32 rne](fuse[exact](c, round[f32 rne](fuse[exact](p0, p1, "
                            "round[f32 rne](fuse[exact](p2, p3))))))";
    const Outcome refuted = discern({"probe", "model:" + odd});
    EXPECT_EQ(refuted.status, 0) << refuted.err;
    EXPECT_NE(refuted.out.find("none of the known readings gives all answers"), std::string::npos) << refuted.out;
    const Outcome fits = discern({"probe", "model:" + volta, "--json"});
    const json table = json::parse(fits.out);
    EXPECT_EQ(table["fresh"], 10'000);
    EXPECT_EQ(discern({"show", table["unit"]}).status, 0) << table["unit"];
}

TEST(FirstHour, Point03LoopsAreCalledByTheInstructionThatIsChained) {
    const std::string loop = "bf16*bf16+f32->f32 K=4 L=1 : round[f32 rne](fuse[exact](p*, c))";
    const Outcome outcome = discern({"which", "model:" + loop});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("consistent with x86/fma.f32, chained\n"), std::string::npos) << outcome.out;
    const json answer = json::parse(
        discern({"identify", "model:" + loop, "--timeout", std::to_string(10 * tests::slowness), "--json"}).out);
    ASSERT_FALSE(answer["names"].empty()) << answer;
    EXPECT_EQ(answer["names"][0], "x86/fma.f32, chained") << answer;
    EXPECT_EQ(discern({"show", answer["unit"]}).status, 0) << "the unit is one that every command takes";
    EXPECT_EQ(answer["consistent"][0][0], "x86/fma.f32, chained");
}

TEST(FirstHour, Point04WrongNumbersAreRefusedAndTimeHolds) {
    const std::string model = "model:" + volta;
    for (const std::vector<std::string>& wrong : {std::vector<std::string>{"check", model, volta, "-n", "-5"},
                                                  {"generate", volta, "--seed", "-1"},
                                                  {"identify", model, "--timeout", "-1"},
                                                  {"check", model, volta, "-n", "0.5"}}) {
        const Outcome outcome = discern(wrong);
        EXPECT_EQ(outcome.status, 2) << outcome.out;
        EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
    }
    EXPECT_EQ(discern({"check", model, volta, "-n", "1e3"}).out, "checked 1000, mismatches 0\n");
    // With a target that never answers, by each command that asks one; number_test.cpp has the others.
    for (const char* const command : {"which", "probe", "identify"}) {
        const auto start = std::chrono::steady_clock::now();
        discern({command, "exec:sleep 60", "--formats", "f16,f16,f32,f32", "--K", "4", "--timeout", "0.2"});
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30)) << command;
    }
}

TEST(FirstHour, Point05FilesAreReplacedWhenTheyAreWhole) {
    const Folder folder;
    const std::string kept = folder.file("kept", "old\n");
    EXPECT_EQ(discern({"eval", volta, folder.file("wrong", "{\"discern\":1}\nno vector\n"), "-o", kept}).status, 2);
    EXPECT_EQ(read_file(kept), "old\n");
    const std::string vectors = folder.file("vectors", discern({"generate", volta, "-n", "3"}).out);
    const std::string before = read_file(vectors);
    EXPECT_EQ(discern({"eval", volta, vectors, "-o", vectors}).status, 2) << "no command overwrites its own input";
    EXPECT_EQ(read_file(vectors), before);
}

TEST(FirstHour, Point06TablesAreImportedAsPeopleHaveThem) {
    const Outcome outcome = discern({"import", "csv", "-", "--formats", "f16,f16,f32,f32", "--K", "2"},
                                    "\xef\xbb\xbf# measured\na0;a1;b0;b1;c;d\n1.5;-0x1p-3;\"2\";1e0;0.25;3.125\n\n");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const json vector = json::parse(last_line(outcome.out));
    EXPECT_EQ(vector["a"][0], "3e00");
    EXPECT_EQ(vector["d"], "40480000");
    EXPECT_EQ(json::parse(lines(outcome.out).front()).contains("unit"), false);
}

TEST(FirstHour, Point08ItIsSaidHowFarApartResultsAre) {
    const json apart = json::parse(
        discern({"check", "model:" + volta, volta + "{F=22}", "-n", "1000", "--show", "0", "--json"}).out)["apart"];
    EXPECT_GT(apart["ulp"]["max"], 0);
    EXPECT_GT(apart["relative"]["max"], 0);
    EXPECT_FALSE(apart["ulp"]["histogram"].empty());
}

TEST(FirstHour, Point07ValuesAreLimitedEverywhere) {
    const std::string other = volta + "{F=24}";
    // Products of numbers of this size and c = 0 lose nothing at F = 23.
    const std::vector<std::string> limits = {"--values", "a:1..2,b:1..2,c:0..0", "--no-subnormals"};
    const auto with_limits = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), limits.begin(), limits.end());
        return discern(arguments);
    };
    EXPECT_EQ(discern({"prove", volta, other}).status, 1);
    const Outcome proved = with_limits({"prove", volta, other});
    EXPECT_EQ(proved.status, 0) << proved.out << proved.err;
    EXPECT_NE(proved.out.find("equivalent on these inputs"), std::string::npos) << proved.out;
    const Outcome found = discern({"synth", volta, other, "--values", "a:-1..1,b:-1..1,c:-1..1", "--no-subnormals"});
    EXPECT_EQ(found.status, 1) << found.err;
    const json vector = json::parse(last_line(found.out));
    for (const char* const field : {"a", "b"})
        for (const std::string word : vector[field]) {
            const auto magnitude = std::stoul(word, nullptr, 16) & 0x7fff;
            EXPECT_LE(magnitude, 0x3c00u) << word;
            EXPECT_TRUE(magnitude == 0 || magnitude >= 0x400) << word;
        }
    EXPECT_EQ(with_limits({"check", "model:" + volta, other, "-n", "2000", "--show", "0"}).status, 0);
    EXPECT_EQ(discern({"check", "model:" + volta, other, "-n", "2000", "--show", "0"}).status, 1);
    const Outcome suite = with_limits({"suite", volta, other, "--json"});
    EXPECT_EQ(suite.status, 0) << suite.err;
    EXPECT_EQ(json::parse(suite.out)["classes"].size(), 1u) << suite.out;
    const std::string script = with_limits({"smt2", volta, other}).out;
    EXPECT_GT(script.size(), discern({"smt2", volta, other}).out.size());
    for (const char* const command : {"synth", "prove", "suite", "smt2"})
        for (const char* const wrong : {"a:2..1", "a:1", "x:1..2", "a:one..two", "sa:0..1"}) {
            const Outcome outcome = discern({command, volta, other, "--values", wrong});
            EXPECT_EQ(outcome.status, 2) << command << " " << wrong << outcome.out;
            EXPECT_TRUE(outcome.err.starts_with("discern: --values: ")) << outcome.err;
        }
    for (const char* const command : {"synth", "prove", "suite", "smt2"}) { // between two numbers of f16
        const Outcome outcome = discern({command, volta, other, "--values", "a:1.0001..1.0002"});
        EXPECT_EQ(outcome.status, 2) << command << outcome.out;
        EXPECT_TRUE(outcome.err.starts_with("discern: no input is left: ")) << outcome.err;
    }
}

TEST(FirstHour, Point09SynthHasATableForPeople) {
    const std::string other = volta + "{F=24}";
    const Outcome table = discern({"synth", volta, other, "--table"});
    EXPECT_EQ(table.status, 1) << table.err;
    const json vector = json::parse(last_line(discern({"synth", volta, other}).out));
    // Which result is whose, in bits and in decimals.
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string name = i == 0 ? volta : other, bits = vector["d"][i];
        bool found = false;
        for (const std::string& row : lines(table.out))
            found = found || (row.starts_with("  " + name + " ") && row.find(bits) != std::string::npos);
        EXPECT_TRUE(found) << name << " " << bits << "\n" << table.out;
    }
    EXPECT_NE(table.out.find("a0 * b0"), std::string::npos) << table.out;
    EXPECT_EQ(table.out.find('\033'), std::string::npos) << "no colours where there is no terminal";
    EXPECT_EQ(discern({"synth", volta, other, "--table", "--json"}).status, 2);
    // What does not matter is left out: of sixteen products, the zeros.
    const std::string wide = "hopper/wgmma.m64n8k16.f32.f16.f16";
    const Outcome sixteen = discern({"synth", wide, wide + "{F=24}", "--table"});
    EXPECT_NE(sixteen.out.find("products do not matter"), std::string::npos) << sixteen.out;
    EXPECT_LT(lines(sixteen.out).size(), 12u);
}

TEST(FirstHour, Point09JsonIsEverywhere) {
    // All commands that print results, other than those whose output is a file of vectors, a script, a module or a
    // page.
    const std::set<std::string> others = {"import",  "generate",   "run",  "smt2", "export",
                                          "explain", "bug-report", "page", "rtl"};
    for (const cli::Command& command : cli::commands()) {
        if (command.run == nullptr || others.contains(std::string(command.name))) continue;
        bool has = false;
        for (const cli::DescribedOption& option : cli::options_of(command))
            has = has || option.names == std::vector<std::string>{"--json"};
        EXPECT_TRUE(has) << command.name;
    }
    const std::vector<std::string> one = {
        "eval", volta, "--a", "3c00,0000,0000,0000", "--b", "3c00,0000,0000,0000", "--c", "3f800000", "--json"};
    EXPECT_EQ(json::parse(discern(one).out)["d"], "40000000");
    const Folder folder;
    const std::string file = folder.file("v", discern({"generate", volta, "-n", "50", "--results"}).out);
    const json good = json::parse(discern({"eval", volta, file, "--check", "--json"}).out);
    EXPECT_EQ(good["checked"], 50);
    EXPECT_EQ(good["mismatches"], 0);
    const Outcome wrong = discern({"eval", volta + "{F=12}", file, "--check", "--json", "--show", "2"});
    EXPECT_EQ(wrong.status, 1);
    const json bad = json::parse(wrong.out);
    EXPECT_GT(bad["mismatches"], 2);
    ASSERT_EQ(bad["first"].size(), 2u);
    EXPECT_NE(bad["first"][0]["d"], bad["first"][0]["expected"]);
}

TEST(FirstHour, Point10ProgressHasCountsAndTheTimeLeft) {
    std::istringstream in;
    std::ostringstream out, err;
    const cli::Host host{.stop = {}, .target = nullptr, .progress = true};
    const cli::Streams io{.in = in, .out = out, .err = err, .host = &host};
    cli::Counter counter(io, "checking", 1000);
    EXPECT_EQ(counter.text(0, 3), "checking: 0 of 1000");
    EXPECT_EQ(counter.text(250, 3), "checking: 250 of 1000, 9 s left");
    counter.at(1); // within the first second nothing is shown
    EXPECT_EQ(err.str(), "");
    EXPECT_EQ(cli::Counter(io, "observed").text(7, 1), "observed: 7");
}

/// What the program prints on a terminal of its own; nothing if there is no script(1).
std::string on_a_terminal(const Folder& folder, const std::string& command) {
    const std::string out = folder.path("typescript");
    const std::string run = folder.file("run", std::string(DISCERN_PROGRAM) + " " + command + "\n");
    if (std::system(("script -qec 'sh " + run + "' " + out + " >/dev/null 2>&1 </dev/null").c_str()) == 127 * 256)
        return "";
    return read_file(out);
}

TEST(FirstHour, Point10TheTerminalHasProgressAndColours) {
    const Folder folder;
    const std::string unit = "hopper/wgmma.m64n8k16.f32.f16.f16";
    const std::string text = on_a_terminal(folder, "check model:" + unit + " " + unit + " -n 1e8 --timeout 2");
    if (text.empty()) GTEST_SKIP() << "script(1) is not installed";
    EXPECT_NE(text.find("checking: "), std::string::npos) << text;
    EXPECT_NE(text.find(" s left"), std::string::npos) << text;
    EXPECT_NE(text.find("\033[32mchecked "), std::string::npos) << text;
    EXPECT_NE(text.find(" of 100000000 vectors were checked"), std::string::npos) << "counts at the end: " << text;
    const std::string synth = "synth " + volta + " '" + volta + "{F=24}'";
    const std::string table = on_a_terminal(folder, synth);
    EXPECT_NE(table.find("a0 * b0"), std::string::npos) << table;
    EXPECT_NE(table.find("\033[31m"), std::string::npos) << table;
    ASSERT_EQ(setenv("NO_COLOR", "1", 1), 0);
    const std::string plain = on_a_terminal(folder, synth);
    unsetenv("NO_COLOR");
    EXPECT_EQ(plain.find("\033[31m"), std::string::npos) << plain;
    EXPECT_NE(plain.find("a0 * b0"), std::string::npos) << plain;
}

TEST(FirstHour, Point10EveryLongCommandSaysHowFarItIs) {
    const Folder folder;
    const std::string circuits =
        on_a_terminal(folder, "smt2 " + volta + " '" + volta + "{F=24}' -o " + folder.path("q"));
    if (circuits.empty()) GTEST_SKIP() << "script(1) is not installed";
    EXPECT_NE(circuits.find("making the circuits"), std::string::npos) << circuits;
    // A table that comes in two parts, the second one after the first second, in which nothing is shown.
    const std::string slow = folder.path("slow");
    ASSERT_EQ(std::system(("mkfifo " + slow).c_str()), 0);
    const std::string writer = "(printf 'a,b,c\n1.0,1.0,1.0\n'; sleep 1.3; printf '1.0,1.0,1.0\n') >" + slow + " &";
    ASSERT_EQ(std::system(writer.c_str()), 0);
    const std::string imported = on_a_terminal(folder, "import csv " + slow + " --unit x86/fma.f32");
    EXPECT_NE(imported.find("reading lines: 3"), std::string::npos) << imported;
    // Stages that follow each other, each with counts of its own.
    std::istringstream in;
    std::ostringstream out, err;
    const cli::Streams io{.in = in, .out = out, .err = err};
    cli::Stages stages(io);
    stages.at("reading", 3);
    stages.at("writing", 1, 7);
    EXPECT_EQ(stages.ended(), 3);
    EXPECT_EQ(err.str(), "discern: interrupted; writing: 1 of 7\n");
    // Every form of export tells how many vectors it has written.
    Exported what{.shape = shape_of(resolve_unit("x86/fma.f32")),
                  .unit = "x86/fma.f32",
                  .nan_any = false,
                  .name = "v",
                  .origin = "here",
                  .vectors = {}};
    for (int i = 0; i < 5; ++i) {
        Vector& vector = what.vectors.emplace_back();
        vector.a = {0};
        vector.b = {0};
        vector.c = 0;
        vector.d = {0};
    }
    for (const ExportForm& form : export_forms()) {
        if (form.name == "cuda" || form.name == "hip") continue; // these are for instructions of GPUs
        std::uint64_t last = 0;
        what.progress = [&](std::string_view, std::uint64_t done) { last = done; };
        form.write(out, what);
        EXPECT_EQ(last, 4u) << form.name;
    }
}

TEST(FirstHour, Point11TheFrontPageCountsTheCatalogue) {
    const std::string root = std::string(DISCERN_TEST_DATA) + "/../../";
    const std::string page = read_file(root + "README.md");
    std::set<std::string> trees;
    const json units = json::parse(discern({"units", "--json"}).out);
    for (const json& unit : units) trees.insert(unit["hash"]);
    // The table of generated/README.md: | signature | units | trees | classes | vectors | bound | open | file |
    int rows = 0;
    for (const std::string& line : lines(read_file(root + "generated/README.md"))) {
        if (!line.starts_with("| `")) continue;
        std::vector<std::string> cells;
        std::istringstream row(line);
        for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
        ASSERT_GT(cells.size(), 7u) << line;
        ++rows;
        EXPECT_EQ(std::stoi(cells[7]), 0) << "README.md says that no pair is open: " << line;
    }
    EXPECT_GT(rows, 100);
    EXPECT_NE(page.find("No pair of the catalogue's units is open."), std::string::npos);
    const std::regex counts("more than ([0-9]+) instructions with more than ([0-9]+) arithmetics");
    std::smatch said;
    ASSERT_TRUE(std::regex_search(page, said, counts));
    // A new GPU does not change the page, and the page does not fall far behind.
    const auto is_said_well = [](std::size_t count, std::size_t more_than) {
        return count > more_than && count < more_than + 100;
    };
    EXPECT_PRED2(is_said_well, units.size(), std::stoul(said[1]));
    EXPECT_PRED2(is_said_well, trees.size(), std::stoul(said[2]));
}

} // namespace
} // namespace discern::testing::first_hour_test
