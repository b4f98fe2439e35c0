// discern export of what is no file of one result a vector: suites, tables of decimals; and tables and arrays written.
#include "cli/program.hpp"
#include "models/vectors.hpp"

#include <gtest/gtest.h>

namespace discern::testing {
namespace {

const std::string suite_file =
    R"({"discern":1,"a":"f32","b":"f32","c":"f32","d":"f32","K":1,"classes":[["x86/fma.f32"],["u","v"]]}
{"a":["3f800000"],"b":["3f800000"],"c":"3f800000","d":["40000000","40000001"]}
{"a":["3f800000"],"b":["40000000"],"c":"3f800000","d":["40400000","40400002"]}
)";

std::string only_vectors(const std::string& text, char comment) {
    std::string rest;
    for (const std::string& line : lines(text))
        if (line.empty() || line.front() != comment) rest += line + '\n';
    return rest;
}

TEST(ExportTables, ASuiteWithTheResultsOfAllClasses) {
    const Folder folder;
    const std::string file = folder.file("suite.jsonl", suite_file);
    EXPECT_EQ(discern({"export", "--as", "text", file}).out, "3f800000 3f800000 3f800000 40000000 40000001\n"
                                                             "3f800000 40000000 3f800000 40400000 40400002\n");
    const Outcome csv = discern({"export", "--as", "csv", file});
    EXPECT_NE(csv.out.find("# d[1]: class B: u and 1 of the same results\n"), std::string::npos) << csv.out;
    EXPECT_EQ(only_vectors(csv.out, '#'), "a0,b0,c,d0,d1\n"
                                          "0x3f800000,0x3f800000,0x3f800000,0x40000000,0x40000001\n"
                                          "0x3f800000,0x40000000,0x3f800000,0x40400000,0x40400002\n");
    const Outcome c = discern({"export", "--as", "c", file});
    EXPECT_NE(c.out.find("vectors_results = 2,"), std::string::npos) << c.out;
    EXPECT_NE(c.out.find("vectors_d[vectors_count][vectors_results] = {\n    {0x40000000u, 0x40000001u},"),
              std::string::npos)
        << c.out;
    // From the least significant end: a, b, c, d[0], d[1].
    const Outcome mem = discern({"export", "--as", "mem", file});
    EXPECT_EQ(last_line(mem.out), "40400002404000003f800000400000003f800000") << mem.out;
    EXPECT_EQ(discern({"export", "--as", "smt2", file}).status, 2);
}

TEST(ExportTables, ASuiteWithTheResultsOfOneClass) {
    const Folder folder;
    const std::string file = folder.file("suite.jsonl", suite_file);
    for (const char* name : {"B", "u", "v"})
        EXPECT_EQ(last_line(discern({"export", "--as", "text", file, "--class", name}).out),
                  "3f800000 40000000 3f800000 40400002");
    const Outcome first = discern({"export", "--as", "smt2", file, "--class", "A"});
    EXPECT_EQ(first.status, 0) << first.err;
    for (const char* name : {"C", "w"}) {
        const Outcome none = discern({"export", "--as", "text", file, "--class", name});
        EXPECT_EQ(none.status, 2);
        EXPECT_NE(none.err.find("the classes are A to B"), std::string::npos) << none.err;
    }
}

TEST(ExportTables, DecimalsAreReadAndWritten) {
    const std::string table = "a0,a1,b0,b1,c,d\n0.5,2.5,2,0.125,1.5,2.8125\n-0.5,inf,2,0.125,1e-3,inf\n";
    const Outcome text = discern({"export", "--as", "text", "-", "--formats", "f16,f16,f32,f32"}, table);
    EXPECT_EQ(text.out, "3800 4100 4000 3000 3fc00000 40340000\nb800 7c00 4000 3000 3a83126f 7f800000\n") << text.err;
    const Outcome decimals =
        discern({"export", "--as", "csv", "--decimals", "-", "--formats", "f16,f16,f32,f32"}, table);
    EXPECT_EQ(only_vectors(decimals.out, '#'), "a0,a1,b0,b1,c,d\n0.5,2.5,2.0,0.125,1.5,2.8125\n"
                                               "-0.5,inf,2.0,0.125,0.0010000000474974513,inf\n");
    EXPECT_EQ(discern({"export", "--as", "text", "-", "--formats", "f16,f16,f32,f32"}, decimals.out).out, text.out);
    EXPECT_EQ(discern({"export", "--as", "c", "--decimals", "-", "--formats", "f16,f16,f32,f32"}, table).status, 2);
}

TEST(ExportTables, WhatIsWrittenIsReadAsTheSameVectors) {
    const Folder folder;
    for (const std::string unit : {"hopper/wgmma.m64n8k32.f32.e4m3.e4m3", "x86/vdpbf16ps", "x86/dpps", "V100/f16",
                                   "cdna4/v_mfma_scale_f32_16x16x128_f8f6f4.fp8.fp8"}) {
        const std::string file = folder.path("vectors.jsonl");
        // One NaN is not told from another in decimals.
        ASSERT_EQ(discern({"generate", unit, "-n", "40", "--finite", "--results", "-o", file}).status, 0);
        const std::string text = discern({"export", "--as", "text", "--unit", unit, file}).out;
        for (const std::vector<std::string>& form :
             std::vector<std::vector<std::string>>{{"csv"}, {"csv", "--decimals"}, {"npy"}}) {
            const std::string path = folder.path("vectors." + form.front());
            std::vector<std::string> words = {"export", "--unit", unit, file, "-o", path, "--as"};
            words.insert(words.end(), form.begin(), form.end());
            const Outcome written = discern(words);
            if (form.front() == "npy" && written.err.find("libzip") != std::string::npos) continue;
            ASSERT_EQ(written.status, 0) << written.err;
            const Outcome read = discern({"export", "--as", "text", "--unit", unit, path});
            EXPECT_EQ(read.out, text) << unit << " " << form.back() << read.err;
        }
    }
}

} // namespace
} // namespace discern::testing
