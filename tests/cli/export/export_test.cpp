// Exported vectors, read back by what they are for: a C compiler, a Verilog simulator, a solver.
#include "cli/program.hpp"
#include "hwrunner/process/run_process.hpp"

#include <gtest/gtest.h>

namespace discern::testing {
namespace {

// Scales, and a format whose width is no multiple of four: everything that a layout can get wrong.
const std::string scaled_unit = "e3m2*e2m3+f32->f32 K=4 L=4 scale=e8m0/2 nan=any : "
                                "round[f32 rz](fuse[F=25](p*, c))";
const std::string scaled = R"({"discern":1,"unit":")" + scaled_unit + R"("}
{"a":["01","3f","20","15"],"b":["2a","00","11","3e"],"sa":["7f","81"],"sb":["80","7e"],"c":"3f800001"}
{"a":["3f","3e","01","02"],"b":["04","08","10","20"],"sa":["01","ff"],"sb":["00","7f"],"c":"80000000"}
)";
const std::string plain = R"({"discern":1,"unit":"x86/dpps"}
{"a":["3f800000","40000000","00000000","80000000"],"b":["3f800000","3f800000","40400000","7f7fffff"]}
{"a":["3f800001","c0000000","00000001","80000000"],"b":["3f8fffff","3f800000","40400000","7f800000"]}
)";

struct ExportCase {
    std::string name, vectors;
};

/// With the results that the unit gives.
std::string with_results(const Folder& folder, const ExportCase& input) {
    const std::string file = folder.file("inputs.jsonl", input.vectors);
    const std::string unit = input.name == "scaled" ? scaled_unit : "x86/dpps";
    return folder.file("results.jsonl", discern({"eval", unit, file}).out);
}

std::string plain_text(const std::string& file) { return discern({"export", "--as", "text", file}).out; }

/// Standard output of a command that must succeed.
std::string output_of(const std::string& command) {
    const ProcessResult result = run_process(command, "", [] { return false; });
    EXPECT_EQ(result.ended, "exit status 0") << command << '\n' << result.errors;
    return result.output;
}

class Export : public ::testing::TestWithParam<ExportCase> {};

TEST_P(Export, TextIsReadBackAsTheSameVectors) {
    const Folder folder;
    const std::string file = with_results(folder, GetParam());
    const std::string text = folder.file("vectors.txt", plain_text(file));
    const std::string unit = GetParam().name == "scaled" ? scaled_unit : "x86/dpps";
    const Outcome outcome = discern({"eval", unit, text, "--check"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(last_line(outcome.out), "checked 2, mismatches 0");
}

/// A bench that prints what the header holds as plain text, to be compared with --as text.
constexpr std::string_view c_bench = R"(#include "vectors.h"
#include <inttypes.h>
#include <stdio.h>
#define SHOW(x) printf("%s%0*" PRIx64, first ? "" : " ", DIGITS(#x), (uint64_t)(x)), first = 0
#define DIGITS(name) (sizeof(name) > 8 && name[8] == 's' ? 2 : WIDE)
int main(void) {
    for (int n = 0; n < vectors_count; ++n) {
        int first = 1;
        for (int k = 0; k < vectors_K; ++k) SHOW(vectors_a[n][k]);
        for (int k = 0; k < vectors_K; ++k) SHOW(vectors_b[n][k]);
#ifdef SCALED
        for (int k = 0; k < vectors_scales; ++k) SHOW(vectors_sa[n][k]);
        for (int k = 0; k < vectors_scales; ++k) SHOW(vectors_sb[n][k]);
        printf(" %08" PRIx32, vectors_c[n]);
#endif
        printf(" %08" PRIx32 "\n", vectors_d[n]);
    }
    return 0;
}
)";

TEST_P(Export, ACompilerReadsTheHeader) {
    if (!is_program("cc") || !is_program("c++")) GTEST_SKIP() << "no C compiler (cc, c++) to be found";
    const Folder folder;
    const std::string file = with_results(folder, GetParam());
    ASSERT_EQ(discern({"export", "--as", "c", file, "-o", folder.path("vectors.h")}).status, 0);
    folder.file("bench.c", std::string(c_bench));
    const std::string defines = GetParam().name == "scaled" ? " -DSCALED -DWIDE=2" : " -DWIDE=8";
    const std::string bench = folder.path("bench");
    for (const std::string compiler : {"cc -std=c99", "c++ -x c++ -std=c++11"}) {
        output_of(compiler + " -Wall -Wextra -Wpedantic -Werror" + defines + " " + folder.path("bench.c") + " -o " +
                  bench);
        EXPECT_EQ(output_of(bench), plain_text(file)) << compiler;
    }
}

constexpr std::string_view scaled_verilog = R"(module bench;
  reg [111+32+32:0] memory [0:1], v;
  integer n, k;
  initial begin
    $readmemh("vectors.mem", memory);
    for (n = 0; n < 2; n = n + 1) begin
      v = memory[n];
      for (k = 0; k < 4; k = k + 1) $write("%h ", v[0 + 6*k +: 6]);
      for (k = 0; k < 4; k = k + 1) $write("%h ", v[24 + 6*k +: 6]);
      for (k = 0; k < 2; k = k + 1) $write("%h ", v[48 + 8*k +: 8]);
      for (k = 0; k < 2; k = k + 1) $write("%h ", v[64 + 8*k +: 8]);
      $display("%h %h", v[80 +: 32], v[112 +: 32]);
    end
  end
endmodule
)";
constexpr std::string_view plain_verilog = R"(module bench;
  reg [287:0] memory [0:1], v;
  integer n, k;
  initial begin
    $readmemh("vectors.mem", memory);
    for (n = 0; n < 2; n = n + 1) begin
      v = memory[n];
      for (k = 0; k < 4; k = k + 1) $write("%h ", v[0 + 32*k +: 32]);
      for (k = 0; k < 4; k = k + 1) $write("%h ", v[128 + 32*k +: 32]);
      $display("%h", v[256 +: 32]);
    end
  end
endmodule
)";

TEST_P(Export, AVerilogSimulatorReadsTheMemory) {
    if (!is_program("iverilog")) GTEST_SKIP() << "no Icarus Verilog (iverilog) to be found";
    const Folder folder;
    const std::string file = with_results(folder, GetParam());
    ASSERT_EQ(discern({"export", "--as", "mem", file, "-o", folder.path("vectors.mem")}).status, 0);
    folder.file("bench.v", std::string(GetParam().name == "scaled" ? scaled_verilog : plain_verilog));
    const std::string in_folder = "cd " + folder.path("") + " && ";
    output_of(in_folder + "iverilog -g2001 -o bench bench.v");
    EXPECT_EQ(output_of(in_folder + "vvp -n bench"), plain_text(file));
}

TEST_P(Export, TheCommentOfTheMemoryPlacesTheOperands) {
    const Folder folder;
    const std::string memory = discern({"export", "--as", "mem", with_results(folder, GetParam())}).out;
    const std::string last = GetParam().name == "scaled" ? "// d = v[112 +: 32]" : "// d = v[256 +: 32]";
    EXPECT_NE(memory.find(last), std::string::npos) << memory;
}

INSTANTIATE_TEST_SUITE_P(Vectors, Export, ::testing::Values(ExportCase{"scaled", scaled}, ExportCase{"plain", plain}),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(ExportSmt2, ASolverFindsTheWrongResult) {
    if (!is_program("z3")) GTEST_SKIP() << "no z3 program to be found";
    const Folder folder;
    const std::string right = with_results(folder, {"plain", plain});
    std::string wrong = read_file(right);
    // The last digit of the first d; the second is a NaN, all of which are equal.
    const std::size_t digit = wrong.find("\"}\n", wrong.find("\"d\":")) - 1;
    wrong[digit] = wrong[digit] == '1' ? '2' : '1';
    folder.file("wrong.jsonl", wrong);
    for (const auto& [file, answer] : {std::pair("results.jsonl", "unsat\n"), std::pair("wrong.jsonl", "sat\n")}) {
        ASSERT_EQ(discern({"export", "--as", "smt2", folder.path(file), "-o", folder.path("question.smt2")}).status, 0);
        EXPECT_EQ(output_of("z3 " + folder.path("question.smt2")), answer);
    }
}

TEST(ExportHead, NoNameEndsAComment) {
    const Folder folder;
    const std::string file = folder.file("int x;\nint y; \\", plain);
    const std::string header = discern({"export", "--as", "c", file}).out;
    for (const std::string& line : lines(header.substr(0, header.find("#ifndef")))) {
        EXPECT_EQ(line.substr(0, 2), "//") << header;
        EXPECT_NE(line.back(), '\\') << header;
    }
}

TEST(ExportErrors, AreSentences) {
    const Folder folder;
    const std::string file = folder.file("inputs.jsonl", plain);
    const auto error_of = [](const std::vector<std::string>& arguments) {
        const Outcome outcome = discern(arguments);
        EXPECT_EQ(outcome.status, 2);
        return outcome.err;
    };
    EXPECT_NE(error_of({"export", "--as", "mme", file}).find("there is no form 'mme'"), std::string::npos);
    EXPECT_NE(error_of({"export", "--as", "smt2", file}).find("have no d"), std::string::npos);
    EXPECT_NE(error_of({"export", "--as", "c", "--name", "2x", file}).find("not an identifier"), std::string::npos);
    const std::string mixed =
        folder.file("mixed.jsonl", plain + R"({"a":["3f800000","40000000","00000000","80000000"],)"
                                           R"("b":["3f800000","3f800000","40400000","7f7fffff"],)"
                                           R"("d":"3f800000"})");
    EXPECT_NE(error_of({"export", "--as", "c", mixed}).find("mixed.jsonl:4: field d:"), std::string::npos);
    EXPECT_EQ(discern({"export", "--as", "text", "--inputs", mixed}).status, 0);
    const std::string empty = folder.file("empty.jsonl", "{\"discern\":1,\"unit\":\"x86/dpps\"}\n");
    EXPECT_NE(error_of({"export", "--as", "c", empty}).find("has no vectors"), std::string::npos);
}

} // namespace
} // namespace discern::testing
