// Point 6 of a good first hour: files as people have them.
#include "program.hpp"

#include <gtest/gtest.h>

namespace discern::testing {
namespace {

const std::vector<std::string> shape = {"--formats", "f16,f16,f32,f32", "--K", "2"};
const std::string data = DISCERN_TEST_DATA;

Outcome import_csv(const std::string& text, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"import", "csv", "-"};
    arguments.insert(arguments.end(), shape.begin(), shape.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return discern(arguments, text);
}

/// 1·0.5 + 2·(−3) + 0.25
const std::string wanted = R"({"a":["3c00","4000"],"b":["3800","c200"],"c":"3e800000","d":"c0a80000"})";

TEST(ImportTable, OneMeaningInManyForms) {
    const std::vector<std::pair<std::string, std::vector<std::string>>> forms = {
        {"a,b,c,d\n3c00 4000,3800 c200,3e800000,c0a80000\n", {}},
        {"a,b,c,d\n0x3c00 0x4000,0x3800 0xC200,0x3E800000,0xC0A80000\n", {}},
        {"a,b,c,d\n1 2,0.5 -3,0.25,-5.25\n", {}},
        {"\xef\xbb\xbf"
         "a;b;c;d\r\n1 2;0.5 -3;0.25;-5.25\r\n\r\n",
         {}},
        {"a,b,c,d\n\"1, 2\",\"[0.5, -3]\",\"0.25\",-5.25\n", {}},
        {"# made by hand\nd,c,b1,b0,a1,a0\n\n% more\n-5.25,0.25,-3,0.5,2,1\n", {}},
        {"a[0],a[1],B_0,B_1,C,D\n1e0,0x1p1,5e-1,-3.0,0x.4p0,-5.25\n", {}},
        {"a0,a1,b0,b1,c,d\n3c00,4000,0.5,-3,3e800000,-5.25\n", {}},
        {"cycle\tlhs\trhs\tacc\tout\n17\t1 2\t0.5 -3\t0.25\t-5.25\n", {"--columns", "a=lhs,b=rhs,c=acc,d=out"}},
        {"1,2,junk,0.5,-3,0.25,-5.25\n", {"--columns", "a0..a1,-,b0..b1,c,d"}},
        {"x,y,-,p,q,r,s\n1,2,junk,0.5,-3,0.25,-5.25\n", {"--columns", "a0..a1,-,b0..b1,c,d"}},
    };
    for (const auto& [text, more] : forms) {
        const Outcome outcome = import_csv(text, more);
        EXPECT_EQ(outcome.status, 0) << text << outcome.err;
        EXPECT_EQ(last_line(outcome.out), wanted) << text;
        EXPECT_EQ(lines(outcome.out).size(), 2u) << text;
        // Nothing is said that is not known.
        const std::string header = lines(outcome.out).at(0);
        EXPECT_TRUE(header.starts_with(R"({"discern":1,"a":"f16","b":"f16","c":"f32","d":"f32","K":2,"command":)"))
            << header;
    }
}

TEST(ImportTable, ErrorsNameFileLineAndField) {
    const std::vector<std::tuple<std::string, std::vector<std::string>, std::string>> wrong = {
        {"a,b,c\n1 2,3 4,x\n", {}, "standard input:2: field c: 'x' is not hexadecimal"},
        {"a,b,c\n1 2,3 4,5\n1 2,3 oops,6\n", {}, "standard input:3: field b: value 2: 'oops' is no number"},
        {"a,b,c\n1 2,3,5\n", {}, "standard input:2: field b: has 1 value; there must be 2 of f16"},
        {"a,b,c\n1 2,3 4\n", {}, "standard input:2: the line has 2 columns; there must be 3"},
        {"a,b,acc\n1 2,3 4,0\n", {}, "standard input:1: there is no column 'acc'; columns are"},
        {"a0,b0,b1,c\n1,2,3,4\n", {}, "standard input:1: field a: has 1 column; there must be 2"},
        {"a1,a2,b0,b1,c\n1,2,3,4,5\n", {}, "standard input:1: field a: the columns must be a, or a0 to a1"},
        {"a,b\n1 2,3 4\n", {}, "standard input:1: there is no column of c"},
        {"a,b,c\n1000 2,3 4,5\n", {}, "--numbers or --patterns must say what they are"},
        {"a,b,c\n70000 2,3 4,5\n",
         {},
         "standard input:2: field a: value 1: '70000' is beyond the largest number of f16"},
        {"a,b,c\n0.1 2,3 4,5\n", {"--round", "exact"}, "'0.1' is no number of f16, and must not be rounded"},
        {"a,b,c\n\"1 2,3 4,5\n", {}, "standard input:2: a quote is not closed"},
        {"a,b,c\n\"1 2\"x,3 4,5\n", {}, "standard input:2: a cell goes on after its closing quote"},
        {"", {}, "standard input has no lines"},
        {"a,b,c\n1 2,3 4,5\n", {"--columns", "a=x,b=b,c=c"}, "there is no column 'x', which --columns names"},
        {"a,b,c\n1 2,3 4,5\n", {"--round", "up"}, "--round: there is no rounding 'up'"},
        {"a,b,c\n1 2,3 4,5\n", {"--numbers", "--patterns"}, "contradict each other"},
    };
    for (const auto& [text, more, complaint] : wrong) {
        const Outcome outcome = import_csv(text, more);
        EXPECT_EQ(outcome.status, 2) << text;
        EXPECT_NE(outcome.err.find(complaint), std::string::npos) << text << outcome.err;
        EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
        EXPECT_EQ(outcome.out, "") << text;
    }
}

TEST(ImportTable, PatternsOrNumbersIsSaid) {
    const std::string text = "a,b,c\n1000 2000,0.5 4,5\n";
    EXPECT_EQ(last_line(import_csv("a,b,c\n0x1000 0x2000,0.5 4,5\n").out),
              R"({"a":["1000","2000"],"b":["3800","4400"],"c":"40a00000"})");
    EXPECT_EQ(import_csv(text).status, 2) << "1000 is a number too, and b has numbers";
    EXPECT_EQ(last_line(import_csv(text, {"--numbers"}).out),
              R"({"a":["63d0","67d0"],"b":["3800","4400"],"c":"40a00000"})");
    EXPECT_EQ(import_csv(text, {"--patterns"}).status, 2);
    // The bits of a NaN that was written as a number are not known.
    EXPECT_NE(import_csv("a,b,c,d\n1 2,3 4,5,nan\n").out.find(R"("nan":"any")"), std::string::npos);
    const Outcome rounded = import_csv("a,b,c\n0.1 2,3 4,5\n");
    EXPECT_NE(rounded.err.find("1 of 5 numbers is none of its format and was rounded (rne)"), std::string::npos);
    EXPECT_NE(rounded.out.find(R"("rounded":1)"), std::string::npos);
}

// 0 1 2 3 4 6 are numbers and patterns of e2m1, 10 of e4m3, 1000 of f16, 40000000 of f32: one table is read one way.
TEST(ImportTable, WhatCanBeBothIsReadAsTheRestOrAsked) {
    struct Case {
        std::string formats, text;
        std::string a; ///< of the last vector; empty: it is asked
    };
    const std::string asked, note = "could be numbers; --numbers or --patterns says";
    for (const Case& one : std::vector<Case>{
             {"e2m1,e2m1,f32,f32", "a,b,c,d\n4,2,1,2\n6,1,0,6\n", asked},
             {"e2m1,e2m1,f32,f32", "a,b,c,d\n4,2,3f800000,2\n6,1,00000000,6\n", asked},
             {"e2m1,e2m1,-,f32", "a,b,d\n4,2,2\n6,1,6\n", asked},
             {"e4m3,e4m3,f32,f32", "a,b,c,d\n10,20,0,200\n", asked},
             {"e4m3,e4m3,f16,f16", "a,b,c,d\n10,20,1.5,200\n", asked},
             {"f16,f16,f32,f32", "a,b,c,d\n1000,2000,0,2e6\n", asked},
             {"f16,f16,f32,f32", "a,b,c,d\n0.5,2,1,40000000\n", asked},
             {"f16,f16,f32,f32", "a,b,c,d\n1000,2,0,2e3\n", asked},
             {"e4m3,e4m3,f32,f32", "a,b,c,d\n10,2e,0,200\n", "10"},   // 2e is a pattern alone
             {"e4m3,e4m3,f32,f32", "a,b,c,d\n0x10,20,0,200\n", "10"}, // and so is 0x10
             {"f16,f16,f32,f32", "a,b,c,d\n3c00,4000,0,2\n", "3c00"},
             {"e2m1,e2m1,f32,f32", "a,b,c,d\n0.5,-3,1,-0.5\n4,2,0,8\n", "6"}, // a point or a sign leaves no doubt
             {"f16,f16,f32,f32", "a,b,c,d\n1.01953,1.5,1,2\n2046,2000,0,2\n", "67fe"},
             {"f16,f16,f32,f32", "a,b,c,d\n3c00,4000,0,40000000\n", "3c00"}}) {
        const Outcome outcome = discern({"import", "csv", "-", "--formats", one.formats, "--K", "1"}, one.text);
        EXPECT_EQ(outcome.status, one.a.empty() ? 2 : 0) << one.text << outcome.out << outcome.err;
        if (one.a.empty())
            EXPECT_NE(outcome.err.find("can be a number or a pattern of"), std::string::npos) << outcome.err;
        else
            EXPECT_NE(last_line(outcome.out).find("\"a\":[\"" + one.a + "\"]"), std::string::npos) << outcome.out;
        EXPECT_EQ(outcome.err.find(note), std::string::npos) << outcome.err;
        if (one.a.empty() && one.text.find("3f8") == std::string::npos) {
            EXPECT_EQ(
                discern({"import", "csv", "-", "--formats", one.formats, "--K", "1", "--numbers"}, one.text).status, 0)
                << one.text;
        }
    }
    // All of it can be both: patterns, and it is said.
    const Outcome all =
        discern({"import", "csv", "-", "--formats", "f16,f16,f16,f16", "--K", "1"}, "a,b,c,d\n1000,2000,3000,4000\n");
    EXPECT_EQ(last_line(all.out), R"({"a":["1000"],"b":["2000"],"c":"3000","d":"4000"})");
    EXPECT_NE(all.err.find(note), std::string::npos) << all.err;
}

TEST(ImportTable, EvalTakesNumbers) {
    const std::string unit = "volta/mma.m8n8k4.f32.f16.f16.f32";
    const Outcome one = discern({"eval", unit, "--numbers", "--a", "1,2,0,0", "--b", "0.5,-3,0,0", "--c", "0.25"});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(
        one.out,
        discern({"eval", unit, "--a", "3c00,4000,0000,0000", "--b", "3800,c200,0000,0000", "--c", "3e800000"}).out);
    const std::string table = "a;b;c;d\n1 2 0 0;0.5 -3 0 0;0.25;-5.25\n";
    const Outcome file = discern({"eval", unit, "-", "--numbers"}, table);
    EXPECT_NE(last_line(file.out).find(R"("d":"c0a80000")"), std::string::npos) << file.out << file.err;
    EXPECT_EQ(discern({"eval", unit, "-", "--numbers", "--check"}, table).out, "checked 1, mismatches 0\n");
    const Outcome wrong = discern({"eval", unit, "-", "--numbers", "--check"}, "a;b;c;d\n1 2 0 0;0.5 -3 0 0;0.25;-5\n");
    EXPECT_EQ(wrong.status, 1);
    EXPECT_TRUE(
        wrong.out.starts_with("standard input:2: the unit gives c0a80000 (-0x1.5p+2, -5.25), the file has c0a00000"))
        << wrong.out;
    EXPECT_EQ(discern({"eval", unit, "--numbers", "--a", "1,x,0,0", "--b", "0,0,0,0", "--c", "0"}).err,
              "discern: --a: number 2: 'x' is no number; numbers are written as in 0.5, 1e-3 or 0x1.8p+1\n");
}

TEST(ImportNpy, AnArchiveAndAFolder) {
    // tests/data/import/vectors.npz, made with Python's zipfile, deflated: the vector above, a in f8, b in Fortran's
    // order in f2, c in big-endian u4, and d in f4 under the name "out".
    const std::string archive = data + "/import/vectors.npz";
    std::vector<std::string> arguments = {"import", "npy", archive, "--columns", "d=out"};
    arguments.insert(arguments.end(), shape.begin(), shape.end());
    const Outcome outcome = discern(arguments);
    if (outcome.err.find("without libzip") != std::string::npos) GTEST_SKIP() << "this build has no libzip";
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(lines(outcome.out).at(1), wanted);
    EXPECT_EQ(lines(outcome.out).size(), 3u);
    const Folder folder;
    std::vector<std::string> broken = {"import", "npy", folder.file("x.npz", "PK no")};
    broken.insert(broken.end(), shape.begin(), shape.end());
    EXPECT_EQ(discern(broken).status, 2);
    broken[2] = folder.path(".");
    EXPECT_NE(discern(broken).err.find("has no .npy files"), std::string::npos);
}

} // namespace
} // namespace discern::testing
