// How much is read: the table, its words in the environment, and readers that stop.
#include "models/bounds.hpp"

#include "models/error.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace discern {

struct Bounds : testing::Test {
    void TearDown() override { unsetenv("DISCERN_BOUNDS"); }
    static void set(const char* text) { setenv("DISCERN_BOUNDS", text, 1); }
    static std::vector<std::string> lines_of(const std::string& text) {
        std::istringstream in(text);
        std::vector<std::string> lines;
        for (std::string line; next_line(in, line, "x: ");) lines.push_back(line);
        return lines;
    }
    template <class Work>
    static std::string complaint(const Work& work) {
        try {
            work();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
};

TEST_F(Bounds, AreSetByTheEnvironment) {
    EXPECT_EQ(most_of(Bounded::line), 16U << 20U);
    set("line=3K,arrays=5,text=2G,output=7M");
    EXPECT_EQ(most_of(Bounded::line), 3072U);
    EXPECT_EQ(most_of(Bounded::arrays), 5U);
    EXPECT_EQ(most_of(Bounded::text), std::uint64_t{2} << 30U);
    EXPECT_EQ(most_of(Bounded::output), 7U << 20U);
    for (const char* wrong : {"line", "line=", "=3", "lines=3", "line=0", "line=-1", "line=3T", "line=3KK",
                              "line=99999999999G", "line=3 ", "x"}) {
        set(wrong);
        EXPECT_NE(complaint([] { most_of(Bounded::text); }).find("DISCERN_BOUNDS"), std::string::npos) << wrong;
    }
    for (const BoundRow& row : bounds()) EXPECT_EQ(&row - bounds().data(), static_cast<std::ptrdiff_t>(row.what));
}

TEST_F(Bounds, LinesAreThoseOfGetline) {
    const std::string piece((1U << 14U) - 1, 'a'), more = piece + "b";
    for (const std::string& text : {std::string(), std::string("\n"), std::string("a\n\nb"), piece, piece + "\n", more,
                                    more + "\n" + more, piece + piece, piece + "\n\n" + piece + piece + "\n"}) {
        std::istringstream in(text);
        std::vector<std::string> right;
        for (std::string line; std::getline(in, line);) right.push_back(line);
        EXPECT_EQ(lines_of(text), right) << text.size();
    }
}

TEST_F(Bounds, WhatIsTooMuchNamesTheBound) {
    const std::string line(100'000, 'a');
    EXPECT_EQ(lines_of(line).size(), 1U);
    set("line=64K");
    EXPECT_EQ(complaint([&] { lines_of(line); }),
              "x: more than 65536 bytes in a line are not read; DISCERN_BOUNDS=line=1M in the environment allows more");
    set("text=64K");
    std::istringstream in(line), short_one("abc");
    EXPECT_NE(complaint([&] { whole_text(in, "file"); }).find("file: more than 65536 bytes in a text are not read"),
              std::string::npos);
    EXPECT_EQ(whole_text(short_one, "file"), "abc");
    std::istringstream zero(std::string("a\0b\n", 4));
    EXPECT_NE(complaint([&] { whole_text(zero, "file"); }).find("zero byte"), std::string::npos);
    EXPECT_NE(complaint([&] { lines_of(std::string("a\0b\n", 4)); }).find("x: the line has a zero byte"),
              std::string::npos);
}

} // namespace discern
