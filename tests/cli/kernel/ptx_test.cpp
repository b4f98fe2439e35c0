// Kernels of ptx:FILE on the command line: shown, compared, computed, and refused in a sentence.
#include "cli/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

using nlohmann::json;

std::string ptx(const std::string& name) {
    return "ptx:" + std::string(DISCERN_TEST_DATA) + "/kernels/" + name + ".ptx";
}

TEST(PtxCommands, ShowSaysTheSchedule) {
    const Outcome shown = discern({"show", ptx("mm_f16_sm80")});
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_EQ(last_line(shown.out), "kernel        ampere/mma.m16n8k16.f32.f16.f16.f32@[K=128 d=f16:rne]");
    const json object = json::parse(discern({"show", ptx("blockscale_e4m3_sm90"), "--json"}).out);
    EXPECT_TRUE(object["kernel"].is_null());
    EXPECT_EQ(object["trees"], 1);
    EXPECT_EQ(object["elements"], 2048);
    EXPECT_EQ(object["terms"].size(), 3u);
    EXPECT_EQ(object["reads_uninitialised"], 0);
}

TEST(PtxCommands, SameBitsAnswersAndExits) {
    struct Row {
        std::string one, other;
        int status;
        std::string verdict;
        json ground;
    };
    const std::string hopper = "hopper/wgmma.m64n8k16.f32.f16.f16";
    const Row rows[] = {
        {ptx("mm_f16_sm80"), ptx("mm_f16_sm80"), 0, "same", "structure"},
        {ptx("mm_f16_sm80"), ptx("mm_f16_sm90"), 1, "different", nullptr},
        {ptx("mm_f16_sm90"), hopper + "@[d=f16:rne]", 0, "same", "structure"},
        {hopper + "@[d=f16:rne split=2]", ptx("mm_f16_sm90"), 1, "different", nullptr},
        {ptx("mm_f16_sm80"), "ampere/mma.m16n8k8.f32.f16.f16.f32@[d=f16:rne]", 0, "same", "structure"},
        {ptx("mm_f16_sm80"), "ada/mma.m16n8k16.f32.f16.f16.f32@[d=f16:rne]", 0, "same", "structure"},
        {ptx("mm_bias_gelu_sm90"), ptx("mm_bias_gelu_sm90"), 0, "same", "structure"},
        {ptx("splitk_atomic_sm80"), ptx("splitk_atomic_sm80"), 0, "same", "structure"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.one + " " + row.other);
        const Outcome outcome = discern({"same-bits", row.one, row.other, "--json"});
        EXPECT_EQ(outcome.status, row.status) << outcome.err;
        const json object = json::parse(outcome.out);
        EXPECT_EQ(object["verdict"], row.verdict);
        EXPECT_EQ(object["ground"], row.ground);
        EXPECT_EQ(object["vector"].is_null(), row.status != 1);
    }
}

// One schedule of other operands is another computation.
TEST(PtxCommands, SameBitsAsksWhichOperands) {
    const Folder folder;
    std::string other = read_file(DISCERN_TEST_DATA "/kernels/mm_f16_sm80.launch.json");
    const std::string b = "\"matrix\": \"B\"";
    const std::size_t at = other.find(b);
    ASSERT_NE(at, std::string::npos);
    other.replace(at, b.size(), "\"matrix\": \"E\"");
    const Outcome outcome =
        discern({"same-bits", ptx("mm_f16_sm80"), ptx("mm_f16_sm80"), "--launch",
                 DISCERN_TEST_DATA "/kernels/mm_f16_sm80.launch.json", "--launch", folder.file("other.json", other)});
    EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
    // Of a kernel and a schedule vectors are computed, too, before they are the same.
    const json same = json::parse(
        discern({"same-bits", ptx("mm_f16_sm80"), "ampere/mma.m16n8k8.f32.f16.f16.f32@[d=f16:rne]", "--json"}).out);
    EXPECT_EQ(same["verdict"], "same");
    EXPECT_GT(same["challenged"], 0);
}

TEST(PtxCommands, GemmIsGemmOfTheSchedule) {
    const Folder folder;
    std::string a, b;
    for (int i = 0; i < 64 * 128; ++i)
        a += std::string{static_cast<char>(i * 37), static_cast<char>(0x38 + i % 9 + (i % 2) * 128)};
    for (int i = 0; i < 128 * 32; ++i)
        b += std::string{static_cast<char>(i * 91), static_cast<char>(0x39 + i % 7 + (i % 3 == 0) * 128)};
    const std::string file_a = folder.file("a.raw", a), file_b = folder.file("b.raw", b), d = folder.path("d.raw");
    for (const auto& [name, unit] : {std::pair("mm_f16_sm80", "ampere/mma.m16n8k16.f32.f16.f16.f32@[K=128 d=f16:rne]"),
                                     std::pair("mm_f16_sm100", "blackwell/tcgen05.mma.m64n8k16.f32.f16.f16@[K=128]")}) {
        EXPECT_EQ(discern({"gemm", ptx(name), file_a, file_b, "-o", d}).status, 0);
        const Outcome checked = discern({"gemm", unit, file_a, file_b, "--size", "64,32,128", "--check", d});
        EXPECT_EQ(checked.status, 0) << checked.err;
        EXPECT_EQ(last_line(checked.out), "compared 2048, different 0");
    }
    const Outcome few = discern({"gemm", ptx("mm_bias_gelu_sm90"), file_a, file_b});
    EXPECT_EQ(few.status, 2);
    EXPECT_NE(few.err.find("the kernel has 3 operands (A, B, bias), and 2 files are given"), std::string::npos)
        << few.err;
}

TEST(PtxCommands, RefusalsAreOneSentence) {
    const Folder folder;
    const std::string launch = folder.file("l.json", R"({"launch":1,"arguments":[{"i32":1}]})");
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"show", "ptx:nowhere.ptx"},
                                                      {"show", ptx("mm_f16_sm80"), "--launch", launch},
                                                      {"same-bits", ptx("mm_f16_sm80"), "x86/fma.f32", "--K", "4"},
                                                      {"same-bits", ptx("mm_f16_sm80"), "x86/fma.f32@[]"},
                                                      {"same-bits", ptx("mm_f16_sm80"), ptx("rowsum_sm80")},
                                                      {"same-bits", ptx("rowsum_sm80"), "x86/fma.f32@[]"}}) {
        const Outcome outcome = discern(arguments);
        EXPECT_EQ(outcome.status, 2) << arguments[1];
        EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
    }
}

// What stands for a unit in other commands is the schedule that the kernel is, and that is said.
TEST(PtxCommands, ScheduleStandsWhereAUnitDoes) {
    const Outcome measured = discern({"measure", ptx("mm_f16_sm80"), ptx("mm_f16_sm90"), "-n", "100", "--json"});
    EXPECT_EQ(measured.status, 0) << measured.err;
    EXPECT_NE(measured.err.find("mm_f16_sm80.ptx is ampere/mma.m16n8k16.f32.f16.f16.f32@[K=128 d=f16:rne]"),
              std::string::npos)
        << measured.err;
    const std::string vectors = discern({"generate", ptx("mm_f16_sm80"), "-n", "20", "--results"}).out;
    EXPECT_EQ(discern({"eval", ptx("mm_f16_sm80"), "-", "--check"}, vectors).status, 0);
    EXPECT_EQ(discern({"eval", ptx("mm_f16_sm90"), "-", "--check"}, vectors).status, 1);
    const Outcome proved = discern({"prove", ptx("mm_f16_sm80"), ptx("mm_f16_sm90"), "--json"});
    EXPECT_EQ(proved.status, 1) << proved.err;
    EXPECT_EQ(discern({"explain", ptx("mm_f16_sm80"), ptx("mm_f16_sm90"), "-"},
                      discern({"synth", ptx("mm_f16_sm80"), ptx("mm_f16_sm90")}).out)
                  .status,
              0);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"eval", ptx("attention_sm80"), "-"}, {"measure", ptx("blockscale_e4m3_sm90")}}) {
        const Outcome refused = discern(words, "");
        EXPECT_EQ(refused.status, 2);
        EXPECT_NE(refused.err.find("is no schedule, which this command needs"), std::string::npos) << refused.err;
    }
    const Outcome suite = discern({"suite", ptx("mm_f16_sm80"), ptx("mm_f16_sm90")});
    EXPECT_EQ(suite.status, 2);
    EXPECT_NE(suite.err.find("says which unit and schedule it is"), std::string::npos) << suite.err;
}

// The order in which the graph adds is found by asking it, which does not use what folding found.
TEST(PtxCommands, GraphIsATarget) {
    const json found =
        json::parse(discern({"identify", ptx("mm_f16_sm90"), "--kernel", "--validate", "1000", "--json"}).out);
    EXPECT_EQ(found["unit"], "hopper/mma.m16n8k16.f32.f16.f16.f32");
    EXPECT_EQ(found["schedule"], "");
    EXPECT_EQ(found["validated"], 1000);
    const Outcome own = discern({"check", ptx("mm_f16_sm100"), "-n", "2000"});
    EXPECT_EQ(own.status, 0) << own.err;
    const Outcome other = discern({"check", ptx("mm_f16_sm80"), ptx("mm_f16_sm90"), "-n", "2000"});
    EXPECT_EQ(other.status, 1) << other.err;
    const Outcome refused = discern({"check", ptx("mm_bias_gelu_sm90"), "hopper/wgmma.m64n8k16.f32.f16.f16@[K=128]"});
    EXPECT_EQ(refused.status, 2) << refused.out;
}

TEST(PtxCommands, ExplainGivesEachTermsValue) {
    const Folder folder;
    const std::string one = ptx("e4m3_rows64_sm90"), other = ptx("e4m3_rows16_sm90"), vector = folder.path("v.json");
    ASSERT_EQ(discern({"same-bits", one, other, "-o", vector}).status, 1);
    const json found = json::parse(read_file(vector));
    const json object = json::parse(discern({"explain", one, other, vector, "--json"}).out);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(object["kernels"][i]["d"], found["d"][i]);
    json wrong = found;
    wrong["operands"]["Z[m,1]"] = "00";
    folder.file("v.json", wrong.dump());
    const Outcome refused = discern({"explain", one, vector});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("the vector has Z[m,1], and no launch has such an operand"), std::string::npos)
        << refused.err;
}

} // namespace
} // namespace discern::testing
