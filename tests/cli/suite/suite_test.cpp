// `discern suite` as people and programs see it, the files of generated/, and what happens when it is killed.
#include "analysis/store/store.hpp"
#include "cli/program.hpp"
#include "cli/suite/report.hpp"
#include "models/catalogue.hpp"
#include "models/vectors.hpp"
#include "solver/backend/backend.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <map>
#include <sys/wait.h>
#include <thread>

namespace discern::testing {
namespace {

/// Nothing is truncated with F=6 or more, which only solvers know: products are at least 2^-2, their exponents at most
/// 4.
const std::string short_sum = "e2m1*e2m1->f32 K=2 : round[f32 rne](fuse[F=8 carry=0](p*))";
const std::filesystem::path generated = std::filesystem::path(DISCERN_TEST_DATA) / "../../generated";

nlohmann::json suite_object(std::vector<std::string> arguments, int expected = 0) {
    arguments.insert(arguments.begin(), "suite");
    arguments.emplace_back("--json");
    const Outcome outcome = discern(arguments);
    EXPECT_EQ(outcome.status, expected) << outcome.err;
    return nlohmann::json::parse(outcome.out);
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder, const std::string& suffix) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == suffix) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

nlohmann::json header_of(const std::filesystem::path& file) {
    return nlohmann::json::parse(lines(read_file(file.string())).front());
}

std::vector<Vector> vectors_of(const std::filesystem::path& file, Shape& shape) {
    std::ifstream in(file);
    VectorReader reader(in, file.string());
    shape = reader.shape();
    std::vector<Vector> vectors;
    for (Vector v; reader.next(v);) vectors.push_back(v);
    return vectors;
}

/// Whether they are one tree, and the NaN of one may be any: two classes if another unit equals one of them alone.
bool equal_but_for_nan(Unit one, Unit other) {
    const bool is_any = one.nan.kind == NanRule::Kind::any || other.nan.kind == NanRule::Kind::any;
    one.nan = other.nan = {};
    return is_any && arithmetic_hash(one) == arithmetic_hash(other);
}

/// Whether each unit of each class gives the class's d, and every two classes differ somewhere.
void expect_separates(const std::filesystem::path& file, const std::vector<std::vector<std::string>>& classes) {
    Shape shape;
    const std::vector<Vector> vectors = vectors_of(file, shape);
    ASSERT_FALSE(vectors.empty()) << file;
    for (std::size_t c = 0; c < classes.size(); ++c)
        for (const std::string& name : classes[c]) {
            const Unit unit = resolve_unit(name);
            const Evaluator evaluate(unit);
            for (const Vector& v : vectors) {
                ASSERT_EQ(v.d.size(), classes.size()) << file;
                EXPECT_TRUE(same_result(unit, evaluate(v.inputs()), v.d[c])) << file << " " << name;
            }
        }
    for (std::size_t i = 0; i < classes.size(); ++i)
        for (std::size_t j = i + 1; j < classes.size(); ++j) {
            const Unit one = resolve_unit(classes[i].front()), other = resolve_unit(classes[j].front());
            if (equal_but_for_nan(one, other)) continue;
            EXPECT_TRUE(std::any_of(vectors.begin(), vectors.end(),
                                    [&](const Vector& v) {
                                        return !same_result(one, v.d[i], v.d[j]) && !same_result(other, v.d[i], v.d[j]);
                                    }))
                << file << ": " << classes[i].front() << " and " << classes[j].front();
        }
}

TEST(SuiteCommand, Json) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const auto suite = suite_object({volta, volta + "{carry=3}", volta + "{F=24}"});
    EXPECT_EQ(suite["classes"],
              nlohmann::json::parse("[[\"" + volta + "\",\"" + volta + "{carry=3}\"],[\"" + volta + "{F=24}\"]]"));
    EXPECT_EQ(suite["vectors"].size(), 1U);
    EXPECT_EQ(suite["vectors"][0]["d"].size(), 2U);
    EXPECT_EQ(suite["open"].size(), 0U);
    std::map<std::string, int> relations;
    for (const auto& pair : suite["pairs"]) ++relations[pair["relation"].get<std::string>()];
    EXPECT_EQ(relations, (std::map<std::string, int>{{"different", 2}, {"proved", 1}}));
    EXPECT_EQ(suite["pairs"][1]["vector"], 0);
}

TEST(SuiteCommand, OpenPairsEndWith3) { // the two are equal, which random vectors do not prove
    const std::string equal = short_sum + "{F=7}";
    const auto suite = suite_object({short_sum, equal, short_sum + "{F=4}", "--solver", "random"}, 3);
    EXPECT_EQ(suite["open"], nlohmann::json::parse("[[\"" + short_sum + "\",\"" + equal + "\"]]"));
    const Outcome text = discern({"suite", short_sum, equal, "--solver", "random"});
    EXPECT_EQ(text.status, 3);
    EXPECT_NE(text.out.find("open: A (" + short_sum + ") and B (" + equal + ")"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("1 pair of classes open"), std::string::npos) << text.out;
}

TEST(SuiteCommand, FileOfVectorsAndPage) {
    const Folder folder;
    const std::string file = folder.path("suite.jsonl"), page = folder.path("page.html");
    const Outcome outcome = discern({"suite", volta, volta + "{F=22}", volta + "{F=21}", "-o", file, "--html", page});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    expect_separates(file, {{volta}, {volta + "{F=22}"}, {volta + "{F=21}"}});
    EXPECT_EQ(header_of(file)["classes"].size(), 3U);
    // Every cell that is a link leads to a witness of the page, which refers to nothing outside of it.
    const std::string html = read_file(page);
    EXPECT_NE(html.find("<a href=\"#s0v1\">1</a>"), std::string::npos);
    EXPECT_NE(html.find("id=\"s0v1\""), std::string::npos);
    for (const char* foreign : {"http:", "https:", "src=", "@import", "<script"})
        EXPECT_EQ(html.find(foreign), std::string::npos) << foreign;
    // The vectors are inputs of the other commands.
    EXPECT_EQ(discern({"eval", volta, file}).status, 0);
}

TEST(SuiteCommand, WrongUse) {
    struct Wrong {
        std::vector<std::string> arguments;
        std::string sentence;
    };
    const std::string bf16 = "hopper/wgmma.m64n8k16.f32.bf16.bf16";
    for (const auto& [arguments, sentence] : std::vector<Wrong>{
             {{}, "two units or more, or --space SPACE, or UNIT --around, or --all, or --questions is right"},
             {{volta}, "there is one unit only"},
             {{"--all", volta}, "two units or more, or"},
             {{volta, bf16}, "the units cannot be compared"},
             {{volta, "volta/mma"}, "there is no unit"},
             {{"--space", volta + "{F={22..}}"}, "a range is two integers"},
             {{"--space", "@/does/not/exist"}, "cannot read the file of spaces"},
             {{"--all", "-o", "x"}, "--write FOLDER is right"},
             {{volta, volta + "{F=22}", "--resume"}, "--resume needs --store"},
             {{volta, volta + "{F=22}", "--store", "/does/not/exist/s"}, "the store"},
             {{volta, volta + "{F=22}", "--solver", "magic"}, "magic"},
             {{volta, volta + "{F=22}", "--timeout", "-1"}, "--timeout: '-1' is not right"},
             {{volta, volta + "{F=22}", "--range", "q:1..2"}, "q"},
         }) {
        std::vector<std::string> all = {"suite"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const Outcome outcome = discern(all);
        EXPECT_EQ(outcome.status, 2) << sentence;
        EXPECT_EQ(outcome.out, "") << sentence;
        EXPECT_EQ(lines(outcome.err).size(), 1U) << outcome.err;
        EXPECT_NE(outcome.err.find(sentence), std::string::npos) << outcome.err;
    }
}

// ---- killed, three times

/// Runs the program until the store has so many answers, and kills it; false if it ended before.
bool kill_at(std::uint64_t answers, const std::vector<std::string>& arguments, const std::string& store) {
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        if (std::freopen("/dev/null", "w", stdout) == nullptr) std::_Exit(127);
        ::execv(DISCERN_PROGRAM, argv.data());
        std::_Exit(127);
    }
    bool killed = false;
    for (int status = 0; ::waitpid(child, &status, WNOHANG) == 0;) {
        std::error_code ignored;
        if (std::filesystem::exists(store, ignored) && std::filesystem::file_size(store, ignored) > 0 &&
            Store(store).size() >= answers) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
            killed = WIFSIGNALED(status);
            break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return killed;
}

TEST(SuiteCommand, KilledThreeTimesItGivesTheSameMatrix) {
    if (!Store::available() || !can_prove()) GTEST_SKIP() << "this build has no SQLite, or no solver";
    const Folder folder;
    // Each of the five limits is one question, whose answer holds for two units at once.
    const std::string store = folder.path("store"), space = short_sum + "{F={8..10},limit={none|0|1|2|3}}";
    const std::vector<std::string> program = {DISCERN_PROGRAM, "suite", "--space", space, "--store", store};
    int kills = 0;
    for (const std::uint64_t answers : {1, 3, 5}) kills += kill_at(answers, program, store) ? 1 : 0;
    EXPECT_EQ(kills, 3);
    const std::uint64_t before = Store(store).size();
    EXPECT_GE(before, 5U);
    const auto resumed = suite_object({"--space", space, "--store", store, "--resume"});
    const auto fresh = suite_object({"--space", space});
    EXPECT_GE(resumed["stored"].get<std::uint64_t>(), 1U);
    for (const char* what : {"classes", "pairs", "open", "vectors"}) EXPECT_EQ(resumed[what], fresh[what]) << what;
    EXPECT_EQ(fresh["classes"].size(), 5U);
    const Outcome text = discern({"suite", "--space", space, "--store", store, "--resume"});
    EXPECT_NE(text.err.find("the store has 15 answers"), std::string::npos) << text.err; // 10, and 5 cells
}

TEST(SuiteCommand, InterruptedItSaysWhatIsKnown) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const Folder folder;
    const std::string script = folder.file(
        "script", std::string(DISCERN_PROGRAM) + " suite --space '" + short_sum +
                      "{F={5..64},align={rz|rd|ru|rne|odd}}' --json >" + folder.path("out") + " 2>" +
                      folder.path("err") + " & child=$!\nsleep 0.7; kill -INT $child; wait $child; echo $? >" +
                      folder.path("status") + "\n");
    ASSERT_EQ(std::system(("sh " + script).c_str()), 0);
    EXPECT_EQ(read_file(folder.path("status")), "3\n");
    EXPECT_NE(read_file(folder.path("err")).find("interrupted"), std::string::npos);
    const auto suite = nlohmann::json::parse(read_file(folder.path("out")));
    EXPECT_TRUE(suite["interrupted"].get<bool>());
    EXPECT_GE(suite["classes"].size(), 1U);
}

// ---- generated/

TEST(Generated, EverySuiteSeparatesWhatItSays) {
    const auto files = files_of(generated, ".jsonl");
    ASSERT_GE(files.size(), 20U);
    std::map<std::string, int> seen;
    for (const auto& file : files) {
        const auto header = header_of(file);
        const auto classes = header["classes"].get<std::vector<std::vector<std::string>>>();
        EXPECT_EQ(header["command"], "discern suite --all --write generated") << file;
        for (const auto& units : classes)
            for (const std::string& unit : units) ++seen[unit];
        EXPECT_EQ(file.stem().string(), cli::file_stem(shape_of(resolve_unit(classes.front().front()))));
        expect_separates(file, classes);
    }
    // Units whose signature has no file are of one class with all others of that signature; README.md has them all.
    const std::string readme = read_file((generated / "README.md").string());
    for (const CatalogueEntry& entry : catalogue()) {
        EXPECT_NE(readme.find("`" + to_string(shape_of(entry.unit)) + "`"), std::string::npos) << entry.name;
        const bool has_file = std::filesystem::exists(generated / (cli::file_stem(shape_of(entry.unit)) + ".jsonl"));
        EXPECT_EQ(seen[entry.name], has_file ? 1 : 0) << entry.name;
    }
}

TEST(Generated, EveryQuestionSeparatesItsReadings) {
    const auto files = files_of(generated / "questions", ".jsonl");
    ASSERT_GE(files.size(), 20U);
    for (const auto& file : files) {
        const auto header = header_of(file);
        std::vector<std::vector<std::string>> classes;
        for (const auto& readings : header["classes"]) {
            classes.emplace_back();
            for (const std::size_t reading : readings)
                classes.back().push_back(header["readings"][reading]["unit"].get<std::string>());
        }
        expect_separates(file, classes);
    }
}

TEST(Generated, OneSignatureIsWrittenAgain) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const Folder folder;
    const std::filesystem::path kept = generated / "f16-f16-f32-f32-k16.jsonl";
    std::vector<std::string> arguments = {"suite"};
    for (const CatalogueEntry& entry : catalogue())
        if (cli::file_stem(shape_of(entry.unit)) == "f16-f16-f32-f32-k16") arguments.push_back(entry.name);
    arguments.insert(arguments.end(), {"-o", folder.path("again")});
    ASSERT_EQ(discern(arguments).status, 0);
    auto before = lines(read_file(kept.string())), after = lines(read_file(folder.path("again")));
    EXPECT_EQ(header_of(kept)["classes"], header_of(folder.path("again"))["classes"]);
    before.erase(before.begin());
    after.erase(after.begin());
    EXPECT_EQ(before, after);
}

} // namespace
} // namespace discern::testing
