// What a program that was killed leaves: nothing, or what the next one removes.
#include "cli/files/unfinished.hpp"
#include "program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <sys/wait.h>

namespace discern::testing {
namespace {

using Names = std::vector<std::string>;

Names names_in(const Folder& folder) {
    Names names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path(".")))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

TEST(Unfinished, AKilledCommandLeavesNothingBesideTheOldFile) {
    const Folder folder;
    folder.file("old", "as it was\n");
    std::string command = "cd " + folder.path(".") + " && timeout -s KILL 1 ";
    command += DISCERN_PROGRAM;
    const int status = std::system((command + " generate x86/fma.f32 -n 1e12 -o old 2>/dev/null").c_str());
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 137) << status;
    const cli::UnfinishedFile next(folder.path("old")); // which removes what a file system without such files keeps
    EXPECT_EQ(names_in(folder), Names{"old"});
    EXPECT_EQ(read_file(folder.path("old")), "as it was\n");
}

TEST(Unfinished, AFileIsPutInItsPlaceWithAndWithoutAName) {
    for (const bool named : {false, true}) {
        const Folder folder;
        const std::string place = folder.file("place", "old");
        cli::UnfinishedFile unfinished(place, named);
        ASSERT_TRUE(unfinished.is_open());
        std::ofstream out(unfinished.path());
        out << "new" << std::flush;
        EXPECT_EQ(read_file(place), "old");
        EXPECT_EQ(unfinished.put_in_place(), 0);
        EXPECT_EQ(read_file(place), "new");
        EXPECT_EQ(names_in(folder), Names{"place"});
        out << "er" << std::flush;
        EXPECT_EQ(read_file(place), "newer");
    }
}

TEST(Unfinished, WhatIsNotPutInItsPlaceGoes) {
    for (const bool named : {false, true}) {
        const Folder folder;
        std::optional<cli::UnfinishedFile> unfinished(std::in_place, folder.path("place"), named);
        unfinished.reset();
        EXPECT_EQ(names_in(folder), Names{});
    }
}

TEST(Unfinished, TheNextOneRemovesWhatHasNoLock) {
    const Folder folder;
    const std::string place = folder.path("place");
    // Left by a program that was killed; not of this place; of the user.
    const std::string left = folder.file(".place.discern-AbCd12", "half");
    const Names others = {".place.discern-longer-than-that", ".placebo.discern-AbCd12", "place.backup"};
    for (const std::string& other : others) folder.file(other, "");
    const cli::UnfinishedFile written(place, true); // by a program that is running
    const cli::UnfinishedFile next(place, true);
    Names expected = others;
    for (const cli::UnfinishedFile* one : {&written, &next})
        expected.push_back(std::filesystem::path(one->path()).filename().string());
    std::ranges::sort(expected);
    EXPECT_EQ(names_in(folder), expected);
}

TEST(Unfinished, AFolderThatIsNotThereIsNoFile) {
    errno = 0;
    EXPECT_FALSE(cli::UnfinishedFile("/no/such/folder/file").is_open());
    EXPECT_EQ(errno, ENOENT);
}

} // namespace
} // namespace discern::testing
