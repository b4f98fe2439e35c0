// Several stores as one: nothing is lost, nothing is there twice, and what contradicts itself is refused and named.
#include "analysis/store/merge.hpp"
#include "analysis/store/store.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "solver/decide/discriminate.hpp"

#include "temporary_store.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace discern;

namespace {

Question about(const std::string& one, const std::string& other) {
    return {resolve_unit(volta + one), resolve_unit(volta + other), {}};
}

Answer same() {
    Answer answer;
    answer.verdict = Verdict::equivalent;
    answer.by = "sat";
    return answer;
}

/// Two units with other F on a vector that shows it.
Answer different(const Question& question) {
    const Unit* const other[] = {&question.second};
    Answer answer = discriminate(question.first, other, {});
    EXPECT_EQ(answer.verdict, Verdict::different);
    return answer;
}

struct Stores : testing::Test {
    TemporaryStore out{"out"}, first{"first"}, second{"second"};

    void SetUp() override {
        if (!Store::available()) GTEST_SKIP() << "this build has no SQLite";
    }
    MergeReport merge() const { return merge_stores(out.path, std::vector{first.path, second.path}); }
};

TEST_F(Stores, TogetherHaveWhatEachHas) {
    const Question apart = about("", "{F=22}"), equal = about("", "{carry=3}"), more = about("", "{carry=4}");
    Store(first.path).keep(apart, different(apart));
    Store(first.path).keep(equal, same());
    Store(second.path).keep(equal, same());
    Store(second.path).keep(more, same());
    const MergeReport report = merge();
    EXPECT_EQ(report.contradictions, std::vector<std::string>{});
    EXPECT_EQ(report.after, (StoreCounts{4, 3, 0, 0}));
    Store all(out.path);
    EXPECT_EQ(all.find(apart)->verdict, Verdict::different);
    EXPECT_EQ(all.find(equal)->verdict, Verdict::equivalent);
    EXPECT_EQ(all.find(more)->verdict, Verdict::equivalent);
    const MergeReport again = merge(); // as often as wanted
    EXPECT_EQ(again.before, report.after);
    EXPECT_EQ(again.after, report.after);
}

TEST_F(Stores, ThatContradictEachOtherAreNotMerged) {
    const Question question = about("", "{F=22}");
    Store(first.path).keep(question, different(question));
    Store(second.path).keep(question, same());
    const MergeReport report = merge();
    ASSERT_EQ(report.contradictions.size(), 1U);
    EXPECT_NE(report.contradictions.front().find("first.store' says that they differ"), std::string::npos)
        << report.contradictions.front();
    EXPECT_NE(report.contradictions.front().find("F=22"), std::string::npos) << report.contradictions.front();
    EXPECT_EQ(report.after, StoreCounts{});
    EXPECT_EQ(Store(out.path).size(), 0U);
}

TEST_F(Stores, ContradictEachOtherByThirdUnitsToo) { // 21 = 22, 22 = 23, 21 ≠ 23
    Store(first.path).keep(about("{F=21}", "{F=22}"), same());
    Store(second.path).keep(about("{F=22}", "{F=23}"), same());
    EXPECT_TRUE(merge().contradictions.empty());
    const Question ends = about("{F=21}", "{F=23}");
    Store(second.path).keep(ends, different(ends));
    EXPECT_EQ(merge().contradictions.size(), 1U);
    Question limited = ends; // of other inputs nothing was said
    limited.limits.finite = true;
    const TemporaryStore third("third");
    Store(third.path).keep(limited, same());
    EXPECT_TRUE(merge_stores(out.path, std::vector{first.path, third.path}).contradictions.empty());
}

TEST_F(Stores, CellsAreFoundInWhateverOrderAndContradictToo) {
    const Unit one = resolve_unit(volta), same_as_one = resolve_unit(volta + "{carry=3}"),
               other = resolve_unit(volta + "{F=22}");
    const Question apart{one, other, {}};
    CellAnswer answer;
    answer.classes = {{0, 1}, {2}};
    answer.vectors = {different(apart).witnesses.front()};
    answer.grounds = {by_a_solver, {}};
    answer.terms = 2;
    answer.by = {"terms", "sat"};
    const std::vector<const Unit*> units = {&one, &same_as_one, &other}, turned = {&other, &same_as_one, &one};
    {
        Store store(first.path);
        store.keep(units, {}, answer);
        const auto found = store.find(turned, {});
        ASSERT_TRUE(found);
        EXPECT_EQ(std::set(found->classes.begin(), found->classes.end()),
                  (std::set<std::vector<std::size_t>>{{1, 2}, {0}}));
        EXPECT_EQ(found->by, answer.by);
        EXPECT_FALSE(store.find(std::span(units).first(2), {}));
    }
    EXPECT_EQ(Store(second.path).size(), 0U);
    EXPECT_TRUE(merge().contradictions.empty());
    EXPECT_TRUE(Store(out.path).find(units, {}));
    Store(second.path).keep(apart, same());
    EXPECT_EQ(merge().contradictions.size(), 2U); // of the first store, and of what was merged
}

TEST_F(Stores, AreChecked) {
    const Question apart = about("", "{F=22}"), equal = about("", "{carry=3}");
    Store(first.path).keep(apart, different(apart));
    Store(first.path).keep(equal, same());
    const StoreCheck good = check_store(first.path, 100);
    EXPECT_EQ(good.wrong, std::vector<std::string>{});
    EXPECT_EQ(good.same, 1U);
    EXPECT_EQ(good.different, 1U);
    EXPECT_EQ(good.replayed, 1U);
    EXPECT_EQ(good.tried, 1U);
    Store(first.path).keep(about("", "{F=20}"), same()); // they are not
    const StoreCheck bad = check_store(first.path, 1000);
    ASSERT_EQ(bad.wrong.size(), 1U);
    EXPECT_NE(bad.wrong.front().find("said to be the same, and differ on"), std::string::npos) << bad.wrong.front();
    EXPECT_TRUE(check_store(first.path, 0).wrong.empty()); // with no time, nothing was checked
}

TEST_F(Stores, ACellThatItsVectorsDoNotSplitIsWrong) {
    const Unit one = resolve_unit(volta), other = resolve_unit(volta + "{F=22}");
    const std::vector<const Unit*> units = {&one, &other};
    CellAnswer answer;
    answer.classes = {{0}, {1}};
    Store(first.path).keep(units, {}, answer);
    EXPECT_THROW(Store(first.path).find(units, {}), Error);
    EXPECT_EQ(check_store(first.path, 1).wrong.size(), 1U);
}

TEST_F(Stores, OtherFilesAreRefused) {
    const auto complaint = [&] {
        try {
            merge();
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_NE(complaint().find("does not exist"), std::string::npos) << complaint();
    std::ofstream(first.path) << std::string(5000, 'x');
    EXPECT_NE(complaint().find("is another kind of file"), std::string::npos) << complaint();
}

/// What the files of a store hold, those beside it too.
std::string content_of_files(const std::string& path) {
    std::ostringstream out;
    for (const char* suffix : {"", "-wal", "-journal"}) out << std::ifstream(path + suffix, std::ios::binary).rdbuf();
    return out.str();
}

/// Whether `work`, done in a process of its own, which ends at once then, gives true.
template <class Work>
bool in_a_process(const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
        int status = 1;
        try {
            status = work() ? 0 : 1;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
        }
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The same without the rights of root, for whom nothing is read-only.
template <class Work>
bool without_rights(const Work& work) {
    constexpr uid_t without = 65534;
    return in_a_process([&] { return (getuid() != 0 || setuid(without) == 0) && work(); });
}

/// Some answers, so that a store has more than a page.
void keep_several(const std::string& path, int first, int last) {
    Store store(path);
    for (int f = first; f < last; ++f) store.keep(about("", "{F=" + std::to_string(f) + "}"), same());
}

TEST_F(Stores, AreMergedAllOrNone) {
    keep_several(out.path, 5, 8);
    keep_several(first.path, 8, 15);
    std::ofstream(second.path) << "no store at all, and long enough to look like a file of something";
    const std::string before = content_of_files(out.path);
    EXPECT_THROW(merge(), Error);
    EXPECT_EQ(Store(out.path).size(), 3U);
    std::filesystem::remove(second.path);
    keep_several(second.path, 15, 22);
    // Where no file may be longer than so many bytes, which is a full disk to SQLite.
    bool some_failed = false;
    for (rlim_t room = 4096; Store(out.path).size() == 3U; room += 4096) {
        ASSERT_LT(room, 1U << 20U);
        const bool merged = in_a_process([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{room, room};
            setrlimit(RLIMIT_FSIZE, &limit);
            try {
                merge();
            } catch (const Error& error) {
                EXPECT_EQ(std::string(error.what()).find("transaction"), std::string::npos) << error.what();
                _exit(std::string(error.what()).find("transaction") == std::string::npos ? 1 : 3);
            }
            return true;
        });
        some_failed = some_failed || !merged;
        const auto size = Store(out.path).size();
        EXPECT_TRUE(size == 3U || size == 17U) << "with " << room << " bytes: " << size;
        EXPECT_TRUE(!merged || size == 17U);
    }
    EXPECT_TRUE(some_failed);
    EXPECT_EQ(check_store(out.path, 0).wrong, std::vector<std::string>{});
}

TEST_F(Stores, AreWholeAloneWhereTheyAreMerged) {
    keep_several(first.path, 5, 9);
    const MergeReport report = merge_stores(out.path, std::vector{first.path});
    const TemporaryStore copy("copy");
    std::filesystem::copy_file(out.path, copy.path);
    EXPECT_EQ(check_store(copy.path, 0).counts, report.after);
}

TEST_F(Stores, ThatMayNotBeWrittenAreUsedCheckedAndMerged) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(testing::TempDir()) / "a store 100%#?";
    fs::remove_all(folder);
    fs::create_directory(folder);
    const std::string file = folder / "answers";
    keep_several(file, 5, 9);
    fs::permissions(file, fs::perms{0444});
    fs::permissions(folder, fs::perms{0555});
    const std::string before = content_of_files(file);
    EXPECT_TRUE(without_rights([&] {
        Store store(file);
        const Question known = about("", "{F=5}"), other = about("", "{F=30}");
        store.keep(other, same());
        return store.is_only_read() && store.size() == 4 && check_store(file, 0).counts.answers == 4;
    }));
    EXPECT_TRUE(without_rights([&] {
        try {
            merge_stores(file, std::vector{file});
        } catch (const Error& error) {
            return std::string(error.what()).find("cannot be written") != std::string::npos;
        }
        return false;
    }));
    EXPECT_TRUE(without_rights([&] {
        const fs::path mine = fs::path(testing::TempDir()) / "of another user";
        fs::remove_all(mine);
        return fs::create_directory(mine) && merge_stores(mine / "all", std::vector{file}).after.answers == 4;
    }));
    EXPECT_EQ(content_of_files(file), before);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1) << "nothing is put beside it";
    fs::permissions(folder, fs::perms{0755});
    fs::remove_all(folder);
    fs::remove_all(fs::path(testing::TempDir()) / "of another user");
}

// A run that was killed leaves what it wrote last in a log beside the file. It is read, and stays where it is.
TEST_F(Stores, ThatAreOnlyReadStayAsTheyAre) {
    ASSERT_TRUE(in_a_process([&] {
        auto* const left_open = new Store(first.path);
        for (const char* f : {"{F=5}", "{F=6}"}) left_open->keep(about("", f), same());
        return true;
    }));
    ASSERT_TRUE(std::filesystem::exists(first.path + "-wal"));
    const std::string before = content_of_files(first.path);
    EXPECT_EQ(check_store(first.path, 0).counts.answers, 2U);
    EXPECT_EQ(merge_stores(out.path, std::vector{first.path}).after.answers, 2U);
    EXPECT_EQ(content_of_files(first.path), before);
    Store(first.path).size(); // a run that may write goes on with it
    EXPECT_FALSE(std::filesystem::exists(first.path + "-wal"));
}

} // namespace
