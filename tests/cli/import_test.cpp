// discern import, and the golden vectors that every catalogue unit must reproduce.
#include "models/catalogue.hpp"
#include "models/measured_sets.hpp"
#include "models/shape.hpp"
#include "program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace discern::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<std::string> golden_files(const std::string& folder) {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".jsonl") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

const std::string sample = std::string(DISCERN_TEST_DATA) + "/golden";

/// Imports a golden file and returns the unit that the result's header names.
std::string imported_unit(const std::string& file, const std::string& out) {
    const Outcome outcome = discern({"import", "golden", file, "-o", out});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(lines(read_file(out)).at(0))["unit"];
}

/// The unit with the readings of the paper's revision where its simulator, which made the vectors, is known to differ
/// from the catalogue on them: groups of zeros take part there with their scales' exponent.
std::string golden_unit(const std::string& name) {
    return find_entry(name)->family == "GST-FDPA" ? name + "{catalogue=paper}" : name;
}

TEST(Golden, TheSampleIsReproduced) {
    Folder folder;
    const auto files = golden_files(sample);
    EXPECT_EQ(files.size(), 111u);
    for (const std::string& file : files) {
        const std::string unit = imported_unit(file, folder.path("imported"));
        EXPECT_NE(find_entry(unit), nullptr) << unit;
        for (const std::string& form : {file, folder.path("imported")}) {
            const Outcome outcome = discern({"eval", golden_unit(unit), form, "--check"});
            EXPECT_EQ(outcome.status, 0) << unit << "\n" << outcome.out << outcome.err;
            EXPECT_EQ(outcome.out, "checked 9, mismatches 0\n") << unit;
        }
    }
}

TEST(Golden, TheOracleReproducesItToo) {
    Folder folder;
    for (const std::string& file : golden_files(sample)) {
        const std::string unit = imported_unit(file, folder.path("imported"));
        const Outcome outcome = discern({"eval", golden_unit(unit), file, "--check", "--oracle"});
        EXPECT_EQ(outcome.out, "checked 9, mismatches 0\n") << unit << outcome.err;
    }
}

TEST(Golden, WrongUnitsDoNotReproduceIt) {
    // Of each kind of model one whose sample a wrong parameter must fail.
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"Volta__mma.m8n8k4.f32.f16.f16.f32", "volta/mma.m8n8k4.f32.f16.f16.f32{F=22}"},
        {"Ampere__mma.m16n8k16.f32.f16.f16.f32", "hopper/mma.m16n8k16.f32.f16.f16.f32"},
        {"Hopper__wgmma.m64n8k16.f32.f16.f16", "hopper/wgmma.m64n8k16.f32.f16.f16{F=24}"},
        {"Hopper__wgmma.m64n8k16.f32.bf16.bf16", "hopper/wgmma.m64n8k16.f32.bf16.bf16{round=rne}"},
        {"CDNA1__v_mfma_f32_16x16x16f16", "cdna2/v_mfma_f32_16x16x16f16"},
        {"CDNA3__v_mfma_f32_16x16x16_f16", "cdna3/v_mfma_f32_16x16x16_f16{sum=rz}"},
    };
    for (const auto& [file, unit] : wrong) {
        const Outcome outcome = discern({"eval", unit, sample + "/" + file + ".jsonl", "--check"});
        EXPECT_EQ(outcome.status, 1) << unit << outcome.out << outcome.err;
    }
}

/// Which kinds the paper's revision is needed for, and that it is: shown on the whole set.
TEST(Golden, OnlyGroupsNeedTheReadingsOfThePaper) {
    const std::string shared = shared_folder("golden");
    if (shared.empty()) GTEST_SKIP() << "the whole golden set is not beside the repository";
    Folder folder;
    std::set<std::string> families;
    for (const std::string& file : golden_files(shared)) {
        const std::string unit = imported_unit(file, folder.path("imported"));
        if (discern({"eval", unit, file, "--check"}).status != 0) families.insert(find_entry(unit)->family);
    }
    EXPECT_EQ(families, std::set<std::string>{"GST-FDPA"});
}

TEST(Golden, TheWholeSetIsReproduced) {
    const std::string shared = shared_folder("golden");
    if (shared.empty()) GTEST_SKIP() << "the whole golden set is not beside the repository";
    Folder folder;
    std::size_t files = 0;
    for (const std::string& file : golden_files(shared)) {
        const std::string unit = golden_unit(imported_unit(file, folder.path("imported")));
        const Outcome outcome = discern({"eval", unit, file, "--check"});
        EXPECT_EQ(outcome.status, 0) << unit << "\n" << outcome.out << outcome.err;
        ++files;
    }
    EXPECT_GT(files, 0u);
}

const std::string newest = std::string(DISCERN_TEST_DATA) + "/golden-2.1.1";

/// Outputs of the later revision of the simulator, by the catalogue as it is; of the kinds in which the paper's
/// revision differs, the sample has vectors that show it.
TEST(Golden, TheLaterRevisionIsReproduced) {
    Folder folder;
    const auto files = golden_files(newest);
    EXPECT_EQ(files.size(), 19u);
    std::set<std::string> differ;
    for (const std::string& file : files) {
        const std::string unit = imported_unit(file, folder.path("imported"));
        for (const std::string& form : {file, folder.path("imported")})
            for (const std::vector<std::string>& how : {std::vector<std::string>{}, {"--oracle"}}) {
                std::vector<std::string> arguments = {"eval", unit, form, "--check"};
                arguments.insert(arguments.end(), how.begin(), how.end());
                const Outcome outcome = discern(arguments);
                EXPECT_EQ(outcome.status, 0) << unit << "\n" << outcome.out << outcome.err;
            }
        if (discern({"eval", unit + "{catalogue=paper}", file, "--check"}).status == 1)
            differ.insert(find_entry(unit)->architecture + " " + find_entry(unit)->family);
    }
    EXPECT_EQ(differ, (std::set<std::string>{"blackwell GST-FDPA", "cdna2 FTZ-AddMul", "cdna3 GTR-FDPA",
                                             "cdna3 TR-FDPA", "rtxblackwell GST-FDPA"}));
}

/// One vector for each difference between the two revisions, with what the one and the other give. The rest is zero.
TEST(Golden, VectorsThatTellTheRevisions) {
    struct Case {
        const char* unit;
        int digits;
        std::vector<const char*> a, b;
        const char *c, *newest, *paper;
        std::string sa = "", sb = "";
    };
    const Case cases[] = {
        {"blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0",
         2,
         {"68", "88"},
         {"38", "08"},
         "00000000",
         "00000008",
         "00000007",
         "3b",
         "2b"},
        {"blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3",
         1,
         {},
         {},
         "00000001",
         "00000001",
         "00000000",
         "38383838",
         "38383838"},
        {"cdna3/v_mfma_f32_32x32x8_bf16", 4, {"7f00"}, {"4000"}, "ff800000", "7fc00000", "ff800000"},
        {"cdna3/v_mfma_f32_32x32x8_bf16", 4, {"1a00", "1800"}, {"1a00", "1780"}, "00000000", "00000000", "00000001"},
        {"cdna3/v_mfma_f32_32x32x8_f16", 4, {"1000", "0400"}, {"1000", "0080"}, "3fffffff", "40000000", "40000001"},
        {"cdna3/v_mfma_f32_32x32x8_f16", 4, {"9600", "0400"}, {"0400", "0040"}, "3f800000", "3f7fffff", "3f7ffffe"},
        {"cdna2/v_mfma_f32_4x4x2bf16", 4, {"8000", "8000"}, {"3f80", "3f80"}, "80000000", "00000000", "80000000"},
        // On silicon too: an output of an MI300X.
        {"cdna3/v_mfma_f32_16x16x32_fp8_fp8", 2, {"5a", "08"}, {"40", "40"}, "4bfffffc", "4c000000", "4c000001"},
        // A defect of the later revision that the catalogue does not follow: it loses this c.
        {"cdna3/v_mfma_f32_32x32x16_bf8_bf8", 2, {"7c"}, {"68"}, "7f800000", "7f800000", "7f800000"},
    };
    for (const Case& c : cases) {
        const auto K = static_cast<std::size_t>(find_entry(c.unit)->unit.K) * static_cast<std::size_t>(c.digits);
        const auto joined = [&](const std::vector<const char*>& patterns) {
            std::string text;
            for (const char* pattern : patterns) text += pattern;
            return text + std::string(K - text.size(), '0');
        };
        const std::string scales = c.sa.empty() ? "" : R"(","sa":")" + c.sa + R"(","sb":")" + c.sb;
        const auto file = [&](const char* d) {
            return R"({"unit":")" + std::string(c.unit) +
                   R"(","by":"a test"})"
                   "\n" +
                   R"({"a":")" + joined(c.a) + R"(","b":")" + joined(c.b) + scales + R"(","c":")" + c.c + R"(","d":")" +
                   d +
                   R"("})"
                   "\n";
        };
        const std::string paper = std::string(c.unit) + "{catalogue=paper}", right = "checked 1, mismatches 0\n";
        EXPECT_EQ(discern({"eval", c.unit, "-", "--check"}, file(c.newest)).out, right) << c.unit << c.c;
        EXPECT_EQ(discern({"eval", paper, "-", "--check"}, file(c.paper)).out, right) << c.unit << c.c;
        EXPECT_EQ(discern({"eval", c.unit, "-", "--check", "--oracle"}, file(c.newest)).out, right) << c.unit << c.c;
        EXPECT_EQ(discern({"eval", paper, "-", "--check", "--oracle"}, file(c.paper)).out, right) << c.unit << c.c;
    }
}

TEST(Golden, TheWholeSetOfTheLaterRevisionIsReproduced) {
    const std::string shared = shared_folder("golden-2.1.1");
    if (shared.empty()) GTEST_SKIP() << "the whole set is not beside the repository";
    Folder folder;
    for (const std::string& file : golden_files(shared)) {
        const std::string unit = imported_unit(file, folder.path("imported"));
        const Outcome outcome = discern({"eval", unit, file, "--check"});
        EXPECT_EQ(outcome.status, 0) << unit << "\n" << outcome.out << outcome.err;
    }
}

/// 123 outputs of an MI300X: the readings of the paper fail one.
TEST(Golden, OutputsOfAnMi300x) {
    const std::string shared = shared_folder("hardware-amd");
    if (shared.empty()) GTEST_SKIP() << "the outputs are not beside the repository";
    const std::string file = shared + "/cdna3-mi300x.jsonl", unit = "cdna3/v_mfma_f32_16x16x32_fp8_fp8";
    EXPECT_EQ(discern({"eval", unit, file, "--check"}).out, "checked 123, mismatches 0\n");
    EXPECT_EQ(discern({"eval", unit + "{catalogue=paper}", file, "--check"}).status, 1);
}

/// A c beside A·B = 0 is not lost under scales of 1: semantics of an empty group.
TEST(Golden, NvFp4KeepsC) {
    const std::string unit = "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3", zeros(64, '0');
    const std::string file = R"({"unit":")" + unit +
                             R"(","by":"a test"})"
                             "\n" +
                             R"({"a":")" + zeros + R"(","b":")" + zeros +
                             R"(","sa":"38383838","sb":"38383838","c":"00000001","d":"00000001"})"
                             "\n";
    EXPECT_EQ(discern({"eval", unit, "-", "--check"}, file).out, "checked 1, mismatches 0\n");
    EXPECT_EQ(discern({"eval", unit + "{catalogue=paper}", "-", "--check"}, file).status, 1);
}

TEST(Golden, ImportKeepsTheHeader) {
    Folder folder;
    imported_unit(sample + "/Volta__mma.m8n8k4.f32.f16.f16.f32.jsonl", folder.path("out"));
    const auto all = lines(read_file(folder.path("out")));
    ASSERT_EQ(all.size(), 10u);
    const json header = json::parse(all[0]);
    EXPECT_EQ(header["discern"], 1);
    EXPECT_EQ(header["unit"], "volta/mma.m8n8k4.f32.f16.f16.f32");
    EXPECT_EQ(header["nan"], "exact");
    EXPECT_EQ(header["model"], "T");
    EXPECT_TRUE(header.contains("command"));
    EXPECT_EQ(json::parse(all[1])["a"].size(), 4u);
}

TEST(Golden, ImportRefusesOtherForms) {
    const Outcome outcome =
        discern({"import", "golden", "-"}, R"({"discern":1,"unit":"volta/mma.m8n8k4.f32.f16.f16.f32"})");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(outcome.err.starts_with("discern: standard input:1: the file is in discern JSON Lines, not in compact"))
        << outcome.err;
    const Outcome text = discern({"import", "csv", "-", "--unit", "volta/mma.m8n8k4.f32.f16.f16.f32"}, "0000 0000");
    EXPECT_EQ(text.status, 2);
    EXPECT_TRUE(text.err.starts_with("discern: standard input:1: there is no column '0000 0000'")) << text.err;
}

TEST(Golden, AHeaderThatContradictsItsUnitIsNamed) {
    const std::string header =
        R"({"arch":"Volta","instr":"mma.m8n8k4.f32.f16.f16.f32","K":8,"a":"f16","b":"f16","c":"f32","d":"f32"})";
    const Outcome outcome = discern({"import", "golden", "-"}, header);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "discern: standard input:1: field K: is 8, but volta/mma.m8n8k4.f32.f16.f16.f32 has 4 "
                           "(f16*f16+f32->f32 K=4)\n");
    const Outcome digits = discern({"eval", "volta/mma.m8n8k4.f32.f16.f16.f32", "-"},
                                   R"({"arch":"Volta","instr":"mma.m8n8k4.f32.f16.f16.f32"})"
                                   "\n"
                                   R"({"a":"000000000000000","b":"0000000000000000","c":"00000000"})");
    EXPECT_EQ(digits.err, "discern: standard input:2: field a: has 15 digits; there must be 4 patterns of 4 digits\n");
}

TEST(Csv, IsImported) {
    const Outcome outcome = discern({"import", "csv", "-", "--unit", "volta/mma.m8n8k4.f32.f16.f16.f32"},
                                    "a,b,c,d\n3C00 3c00 0000 0000,3c00 4000 0000 0000,3f800000,40800000\n");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(last_line(outcome.out),
              R"({"a":["3c00","3c00","0000","0000"],"b":["3c00","4000","0000","0000"],"c":"3f800000","d":"40800000"})");
    EXPECT_TRUE(outcome.out.starts_with(
        R"({"discern":1,"unit":"volta/mma.m8n8k4.f32.f16.f16.f32","command":"discern import )"));
}

TEST(MeasuredSets, HaveUnitsOfTheirFormats) {
    EXPECT_EQ(measured_sets().size(), 48u);
    std::set<std::string> names;
    for (const MeasuredSet& set : measured_sets()) {
        const Unit unit = resolve_unit(set.unit);
        EXPECT_EQ(format(unit.a).name, set.input) << set.name();
        EXPECT_EQ(format(unit.b).name, set.input) << set.name();
        EXPECT_EQ(format(unit.d).name, set.output) << set.name();
        EXPECT_TRUE(names.insert(set.name()).second) << set.name();
    }
}

TEST(MeasuredSets, AreImportedWithTheirOrigin) {
    Folder folder;
    fs::create_directory(folder.path("in"));
    folder.file("in/V100_f16_f32.csv", "a,b,c,d\n3c00 3c00 0000 0000,3c00 4000 0000 0000,3f800000,40800000\n");
    const Outcome outcome = discern({"import", "matlab-tensor-core", folder.path("in"), "-o", folder.path("out")});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(last_line(outcome.out), "imported 1 of 48 sets, 1 vectors");
    const auto all = lines(read_file(folder.path("out/V100_f16_f32.jsonl")));
    ASSERT_EQ(all.size(), 2u);
    const json header = json::parse(all[0]);
    EXPECT_EQ(header["unit"], "volta/mma.m8n8k4.f32.f16.f16.f32");
    EXPECT_EQ(header["target"], "V100");
    EXPECT_EQ(header["revision"], measured_revision);
    EXPECT_EQ(header["licence"], "BSD-2-Clause");
    EXPECT_EQ(discern({"import", "matlab-tensor-core", folder.path("out"), "-o", folder.path("more")}).status, 2)
        << "none there";
    EXPECT_EQ(discern({"import", "matlab-tensor-core", folder.path("in")}).status, 2) << "no -o";
    EXPECT_EQ(discern({"import", "matlab-tensor-core", folder.path("no"), "-o", folder.path("more")}).status, 2);
    EXPECT_EQ(
        discern({"import", "matlab-tensor-core", folder.path("in"), "-o", folder.path("in/V100_f16_f32.csv")}).status,
        2);
}

TEST(MeasuredSets, AreReadAsTheyArePublished) {
    Folder folder;
    const auto set = [&](const std::string& gpu, const std::string& input, const std::string& a, const std::string& c,
                         const std::string& output, const std::string& d) {
        fs::create_directories(folder.path("in/model_validation/" + gpu + "/" + input));
        const std::string base = "in/model_validation/" + gpu + "/" + input + "/";
        folder.file(base + "a_" + gpu + "_" + input + ".txt", a);
        folder.file(base + "b_" + gpu + "_" + input + ".txt", a);
        folder.file(base + "c_" + gpu + "_fp32.txt", c);
        folder.file(base + "d_" + gpu + "_" + output + ".txt", d);
    };
    // c = 1 + 2^-11 + 2^-23, which is 1 + 2^-10 in f16; words in binary and in hexadecimal.
    const std::string ones = "3f800000 00000000 80000000 3f800000 \n\n";
    set("V100", "fp16", ones, "00111111100000000001000000000001\n", "fp16", "01000000010000000010000000000000\n");
    std::string of_fp8;
    for (int k = 0; k < 32; ++k) of_fp8 += "3f800000 ";
    set("H100", "E4M3", of_fp8 + "\n", "3f800000\n", "fp32", "42000000\n");
    const Outcome outcome = discern({"import", "matlab-tensor-core", folder.path("in"), "-o", folder.path("out")});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(last_line(outcome.out), "imported 2 of 48 sets, 2 vectors");
    EXPECT_EQ(last_line(read_file(folder.path("out/V100_f16_f16.jsonl"))),
              R"({"a":["3c00","0000","8000","3c00"],"b":["3c00","0000","8000","3c00"],"c":"3c01","d":"4201"})");
    const json vector = json::parse(last_line(read_file(folder.path("out/H100_e4m3_f32.jsonl"))));
    EXPECT_EQ(vector["c"], "00000000") << "the sums of wgmma began with zero";
    EXPECT_EQ(vector["d"], "42000000");

    const auto refused = [&](const std::string& a, const std::string& d, const std::string& with) {
        set("V100", "fp16", a, "3f800000\n", "fp16", d);
        const Outcome outcome =
            discern({"import", "matlab-tensor-core", folder.path("in/model_validation"), "-o", folder.path("more")});
        EXPECT_EQ(outcome.status, 2);
        EXPECT_NE(outcome.err.find(with), std::string::npos) << outcome.err;
    };
    refused("3f800000 0 0 0\n", "3f800000\n", "a_V100_fp16.txt:1: '0' is no word of binary32");
    refused("3f800000 3f800000\n", "3f800000\n", "the line has 2 words; a vector of the set has 4 of a");
    refused("3f800001 3f800000 3f800000 3f800000\n", "3f800000\n", "a_V100_fp16.txt:1: '3f800001', 1.0000001");
    refused(ones, "", "d_V100_fp16.txt:1: the file ends before that of a, b or c");
    refused(ones, "3f800000\n3f800000\n", "d_V100_fp16.txt:2: the file has more lines than that of a, b or c");
}

TEST(MeasuredSets, AreReproducedByTheirUnits) {
    const std::string shared = shared_folder("hardware");
    if (shared.empty()) GTEST_SKIP() << "the measured sets are not beside the repository";
    Folder folder;
    const Outcome imported = discern({"import", "matlab-tensor-core", shared, "-o", folder.path("out")});
    ASSERT_EQ(imported.status, 0) << imported.err;
    EXPECT_TRUE(last_line(imported.out).starts_with("imported 48 of 48 sets")) << imported.out;
    for (const MeasuredSet& set : measured_sets()) {
        const Outcome outcome =
            discern({"eval", std::string(set.unit), folder.path("out/" + set.name() + ".jsonl"), "--check"});
        EXPECT_EQ(outcome.status, 0) << set.name() << " " << set.unit << "\n" << outcome.out << outcome.err;
    }
}

} // namespace
} // namespace discern::testing
