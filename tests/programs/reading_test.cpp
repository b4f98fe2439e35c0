// Kernels that a compiler wrote are what they were found to be by another program.
#include "kernel_files.hpp"

#include "models/error.hpp"
#include "programs/fold/listing.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

using namespace discern;
using namespace discern::programs;

std::vector<std::string> lines_of(Terms& terms, NodeId term) {
    std::vector<std::string> lines;
    for (const ListedTerm& line : listing_of(terms, term)) lines.push_back(line.text);
    return lines;
}

TEST(KernelReading, TenKernelsAreWhatTheyAre) {
    std::istringstream lines(contents(kernel_path("expected.jsonl")));
    std::string line;
    int count = 0;
    while (std::getline(lines, line)) {
        const auto expected = nlohmann::json::parse(line);
        const std::string file = expected["file"];
        SCOPED_TRACE(file);
        Terms terms;
        const KernelReading reading = read_file(file.substr(0, file.size() - 4), terms);
        ASSERT_EQ(reading.results.size(), 1u);
        const ReadResult& result = reading.results[0];
        EXPECT_EQ(result.schedule ? nlohmann::json(result.schedule->text) : nlohmann::json(nullptr),
                  expected["kernel"]);
        EXPECT_EQ(result.folded.classes.size(), expected["trees"]);
        EXPECT_EQ(result.folded.elements.size(), expected["elements"]);
        EXPECT_EQ(nlohmann::json(result.uninterpreted), expected["uninterpreted"]);
        EXPECT_EQ(result.contractible, expected["contractible"]);
        EXPECT_EQ(reading.kernel.graph.unwritten_reads(), expected["reads_uninitialised"]);
        ++count;
    }
    EXPECT_EQ(count, 10);
}

TEST(KernelReading, TermsOfScaledBlocks) {
    Terms terms;
    const KernelReading reading = read_file("blockscale_e4m3_sm90", terms);
    EXPECT_EQ(lines_of(terms, reading.results[0].folded.classes[0].term),
              (std::vector<std::string>{"t0 = hopper/wgmma.m64n8k32.f32.e4m3.e4m3@[k=128..255](A[m,k], B[n,k], +0)",
                                        "t1 = hopper/wgmma.m64n8k32.f32.e4m3.e4m3@[K=128](A[m,k], B[n,k], +0)",
                                        "t2 = cvt.rn.bf16.f32(fma.rn.f32(sb[0,1], mul.f32(sa[m,1], t0), "
                                        "fma.rn.f32(sb[0,0], mul.f32(sa[m,0], t1), +0)))"}));
}

TEST(KernelReading, FamiliesKeepAttentionOnAPage) {
    Terms terms;
    const KernelReading reading = read_file("attention_sm80", terms);
    const auto lines = lines_of(terms, reading.results[0].folded.classes[0].term);
    EXPECT_LE(lines.size(), 40u);
    EXPECT_EQ(lines[0], "t0[s] = ampere/mma.m16n8k16.f32.f16.f16.f32@[d=0..31](Q[m,d], K[s,d], +0)");
    EXPECT_EQ(lines[1], "t1[s] = mul.f32(0x3e38aa3b, t0[s])");
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "t2 = max.f32[s=0..63](t1[s], 0xff800000)"), 1);
}
