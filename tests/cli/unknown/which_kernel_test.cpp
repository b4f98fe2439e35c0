// `which` for whole products: the schedule over a long K, matrices as text, and what is said of files that others
// write.
#include "cli/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <random>
#include <sstream>

namespace discern::testing::which_kernel_test {
namespace {

using nlohmann::json;

const std::string hopper = "hopper/wgmma.m64n8k16.f32.f16.f16";

/// Numbers of f16 as text, a row a line; each the same for the same seed.
std::string matrix(int rows, int columns, unsigned seed) {
    std::mt19937 random(seed);
    std::string text;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            const int significand = static_cast<int>(random() % 2048) - 1024, exponent = static_cast<int>(random() % 6);
            char number[40];
            std::snprintf(number, sizeof number, "%.10g%s", significand / 1024.0 * (1 << exponent),
                          j + 1 < columns ? "," : "\n");
            text += number;
        }
    return text;
}

/// A, B and the product D of a kernel in a folder, as text and as .npy.
struct Product {
    Product(const std::string& kernel, int K) {
        a = folder.file("A.csv", matrix(16, K, 1));
        b = folder.file("B.csv", matrix(K, 16, 2));
        d = folder.file("D.npy", "");
        const Outcome made = discern({"gemm", kernel, a, b, "--numbers", "-o", d});
        EXPECT_EQ(made.status, 0) << made.err;
    }
    Outcome which(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments = {"which", "--a", a, "--b", b, "--d", d, "--formats", "f16,f16,-,f32"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return discern(arguments);
    }
    Folder folder;
    std::string a, b, d;
};

TEST(WhichKernel, TheScheduleOfALongKIsFound) {
    for (const std::string keys : {"split=4", "slice=2 run=32", "promote=128:f32:rne", "lanes=4 reduce=pairwise"}) {
        const Product product(hopper + "@[K=512 " + keys + "]", 512);
        const Outcome outcome = product.which({"--json"});
        ASSERT_NE(outcome.status, 2) << outcome.err;
        const json answer = json::parse(outcome.out);
        ASSERT_FALSE(answer["consistent"].empty()) << keys << outcome.out;
        bool is_there = false;
        for (const json& same : answer["consistent"]) {
            // A name that is printed is taken by other commands, and gives these results.
            const Outcome again = discern({"gemm", same[0], product.a, product.b, "--numbers", "--check", product.d});
            EXPECT_EQ(again.status, 0) << same[0] << again.out << again.err;
            for (const json& text : same)
                is_there = is_there || text.get<std::string>().starts_with(hopper + "@[K=512 " + keys.substr(0, 6));
        }
        EXPECT_TRUE(is_there) << keys << outcome.out;
        EXPECT_FALSE(answer["products"].empty()) << outcome.out;
    }
}

TEST(WhichKernel, AScheduleThatNoLibraryHasIsNotFound) {
    const Product product(hopper + "@[K=512 split=32+160+320:reverse]", 512);
    const Outcome outcome = product.which();
    EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find(" kernels\n"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("consistent with none of them"), std::string::npos) << outcome.out;
}

TEST(WhichKernel, ProductsThatAreRoundedMayHaveASchedule) {
    const Product product(hopper + "@[K=64 split=2 d=f16:rne]", 64);
    const Outcome outcome = discern(
        {"which", "--a", product.a, "--b", product.b, "--d", product.d, "--formats", "f16,f16,-,f16", "--json"});
    EXPECT_NE(outcome.out.find(hopper + "@[K=64 split=2 d=f16:rne]"), std::string::npos) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("d of units with a wider one is rounded to f16 (rne)"), std::string::npos);
}

// Results in f16 tell few kernels apart: a person gets the first classes and how many more there are.
TEST(WhichKernel, ManyClassesAreCounted) {
    const Product product(hopper + "@[K=32 d=f16:rne]", 32);
    const std::vector<std::string> words = {"which", "--a",     product.a,   "--b",          product.b,
                                            "--d",   product.d, "--formats", "f16,f16,-,f16"};
    std::vector<std::string> as_json = words;
    as_json.emplace_back("--json");
    const std::size_t classes = json::parse(discern(as_json).out)["consistent"].size();
    ASSERT_GT(classes, 20u);
    const Outcome outcome = discern(words);
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_NE(outcome.out.find("consistent 20:\n"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("consistent 21:\n"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("and " + std::to_string(classes - 20) + " more, which --json has"), std::string::npos)
        << outcome.out;
    EXPECT_NE(outcome.out.find("  products: H100, "), std::string::npos) << outcome.out;
}

TEST(WhichKernel, MatricesOfTextAreTheSame) {
    const Product product("H100/f16@[K=64]", 64);
    const Outcome binary = product.which();
    EXPECT_EQ(binary.status, 0) << binary.out;
    EXPECT_NE(binary.out.find("consistent with hopper/"), std::string::npos) << binary.out;
    EXPECT_NE(binary.err.find("all values are read as numbers"), std::string::npos) << binary.err;
    // D as hexadecimal text, and without formats.
    const Outcome hex = discern({"gemm", "H100/f16@[K=64]", product.a, product.b, "--numbers"});
    const std::string d = product.folder.file("D.txt", hex.out);
    const Outcome text = discern({"which", "--a", product.a, "--b", product.b, "--d", d, "--formats", "f16,f16,-,f32"});
    EXPECT_EQ(text.out, binary.out);
    EXPECT_NE(text.err.find("read as bit patterns: d; as numbers: a, b"), std::string::npos) << text.err;
    const Outcome silent = discern({"which", "--a", product.a, "--b", product.b, "--d", d});
    EXPECT_EQ(silent.status, 2);
    EXPECT_NE(silent.err.find("A.csv is text, which does not say its format"), std::string::npos) << silent.err;
}

TEST(WhichKernel, FilesOfOthersSayWhatReadsThem) {
    const Folder folder;
    for (const auto& [name, words] : {std::pair("x.mat", "scipy.io.loadmat("), std::pair("x.csv.gz", "gunzip -c "),
                                      std::pair("x.xlsx", "saved as .csv"), std::pair("x.zst", "zstd -dc ")}) {
        const std::string file = folder.file(name, "x");
        for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
                 {"which", file, "--formats", "f16,f16,f32,f32"}, {"eval", volta, file}, {"gemm", volta, file, file}}) {
            const Outcome outcome = discern(arguments);
            EXPECT_EQ(outcome.status, 2);
            EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
            EXPECT_NE(outcome.err.find(file), std::string::npos) << outcome.err;
        }
    }
}

TEST(WhichKernel, HowATableWasReadIsSaidOnce) {
    const auto said = [](const std::string& text, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments = {"which", "-", "--formats", "f16,f16,-,f32"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return discern(arguments, text).err;
    };
    const std::string numbers = "a,b,d\n0.5,2.5,1.25\n", patterns = "a,b,d\n3c00,3c00,3f800000\n";
    EXPECT_EQ(said(numbers), "discern: standard input: all values are read as numbers\n");
    EXPECT_EQ(said(patterns), "discern: standard input: all values are read as bit patterns\n");
    EXPECT_EQ(said(numbers, {"--numbers"}), "");
    EXPECT_EQ(said(patterns, {"--patterns"}), "");
}

TEST(WhichKernel, ChainsAreAlsoNamedAsAUnit) {
    const Outcome outcome = discern({"which", "model:bf16*bf16+f32->f32 K=8 L=1 : round[f32 rne](fuse[exact](p*, c))"});
    const std::string before = "as a UNIT: ";
    const std::size_t at = outcome.out.find(before);
    ASSERT_NE(at, std::string::npos) << outcome.out;
    const std::string unit = outcome.out.substr(at + before.size(), outcome.out.find('\n', at) - at - before.size());
    EXPECT_EQ(discern({"show", unit}).status, 0) << unit;
}

} // namespace
} // namespace discern::testing::which_kernel_test
