// Vectors as SystemVerilog that checks a unit: a bench that runs it, and assertions that a formal tool proves and a
// simulator watches.
//
// The unit has the ports that `export --as sv` and `rtl wrap` give it: a, b, sa, sb, c and d, clk if it has registers,
// and rst. Which module it is, and after how many edges its result is there, macros say, so that one file serves many
// designs. Assertions are immediate ones (IEEE 1800-2017, 16.3) at edges of the clock, which Icarus Verilog, Verilator
// and yosys all take; of concurrent ones two of the three do not.
#include "export.hpp"
#include "packed_word.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <ostream>

namespace discern {

namespace {

/// Whether what is on a wire is NaN: an expression.
std::string is_nan(const Format& f, const std::string& wire) {
    if (!f.has_nan()) return "1'b0";
    const int low = f.padding_bits, middle = low + f.mantissa_bits, high = middle + f.exponent_bits;
    const auto part = [&](int end, int begin) { return sentence(wire, "[", end - 1, ":", begin, "]"); };
    if (f.has_nan_for_minus_zero()) return sentence(wire, " == ", f.width, "'h1 << ", f.width - 1);
    if (f.specials == Specials::all_ones) return "&" + part(high, low);
    return "&" + part(high, middle) + " && |" + part(middle, low);
}

/// What both forms need of the vectors.
class BenchText {
  public:
    explicit BenchText(const Exported& what) : what_(what), fields_(exported_fields(what)) {
        for (const ExportedField& field : fields_)
            if (field.name != "d") operands_width_ += width(field);
        d_ = &format(what.shape.d);
    }

    int width(const ExportedField& field) const { return field.count * format(field.format).width; }
    int operands_width() const { return operands_width_; }
    const Format& d() const { return *d_; }

    /// A text for each port of operands, one after the other. @param form  with NAME and HIGH
    std::string of_operands(const std::string& form) const {
        std::string text;
        for (const ExportedField& field : fields_)
            if (field.name != "d")
                text += replaced(form, {{"NAME", std::string(field.name)}, {"HIGH", std::to_string(width(field) - 1)}});
        return text;
    }
    /// The operands as one word, a in the low bits.
    std::string word_of_operands() const {
        std::string text;
        for (const ExportedField& field : fields_)
            if (field.name != "d") text = std::string(field.name) + (text.empty() ? "" : ", ") + text;
        return "{" + text + "}";
    }
    /// All that a vector has, or its operands alone, as a literal.
    std::string literal(const Vector& vector, bool with_results) const {
        PackedWord word;
        int bits = 0;
        for (const ExportedField& field : fields_) {
            if (field.name == "d" && !with_results) continue;
            for (const std::uint64_t pattern : field.of(vector)) word.append(pattern, format(field.format).width);
            bits += width(field);
        }
        return sentence(bits, "'h", word.hex());
    }
    /// The text of a form with its names; the unit between them has the ports of the shape.
    std::string filled(std::string_view form, const std::string& suffix, Replacements words = {}) const {
        const Replacements of_all = {{"MACRO", in_capitals(what_.name + suffix)},
                                     {"BENCH", what_.name},
                                     {"COUNT", std::to_string(what_.vectors.size())},
                                     {"RESULTS", std::to_string(what_.results_each())},
                                     {"WORD", std::to_string(operands_width_)},
                                     {"TOP", std::to_string(d_->width - 1)},
                                     {"WIDTH", std::to_string(d_->width)},
                                     {"PINS", of_operands(".NAME(NAME), ")},
                                     {"OPERANDS", word_of_operands()}};
        words.insert(words.end(), of_all.begin(), of_all.end());
        return replaced(form, words);
    }

  private:
    const Exported& what_;
    std::vector<ExportedField> fields_;
    int operands_width_ = 0;
    const Format* d_;
};

void require_results(const Exported& what, std::string_view form) {
    if (!what.has_results())
        throw Error(sentence("--as ", form,
                             ": the vectors have no results to check; 'discern eval UNIT FILE' gives "
                             "them"));
}

/// How the unit is named, and the macros that say so.
constexpr std::string_view unit_named = R"(//
// The unit is a module `MACRO_UNIT (discern_unit) with the ports of 'discern export --as sv' and 'discern rtl wrap'.
// -DMACRO_LATENCY=N says that it has a clock, clk, and its result N edges after the operands; new ones come at every
// edge. -DMACRO_RESET says that it has a reset, rst, active high.

`timescale 1ns/1ns
`ifndef MACRO_UNIT
`define MACRO_UNIT discern_unit
`endif
)";

constexpr std::string_view unit_inside = R"(
  `MACRO_UNIT unit (
`ifdef MACRO_LATENCY
    .clk(clk),
`endif
`ifdef MACRO_RESET
    .rst(rst),
`endif
    PINS.d(d));
`ifdef MACRO_LATENCY
  localparam LATENCY = `MACRO_LATENCY;
`else
  localparam LATENCY = 0;
`endif
)";

constexpr std::string_view bench_runs = R"(
  function same(input [TOP:0] got, input [TOP:0] right);
    same = got === rightNAN;
  endfunction

  reg [ROW:0] row;
  reg [TOP:0] right;
  integer i, r, passes;
  initial begin
    BENCH_fill;
    for (r = 0; r < RESULTS; r = r + 1) mismatches[r] = 0;
    clk = 0;
    rst = 1;
    OPERANDS = 0;
    for (i = 0; i <= LATENCY; i = i + 1) begin
      #1 clk = 1;
      #1 clk = 0;
    end
    rst = 0;
    for (i = 0; i < COUNT + LATENCY; i = i + 1) begin
      row = i < COUNT ? vectors[i] : ~vectors[COUNT - 1];  // behind the last one something else
      OPERANDS = row[WORD - 1:0];
      #1;
      if (i >= LATENCY) begin
        row = vectors[i - LATENCY];
        for (r = 0; r < RESULTS; r = r + 1) begin
          right = row[WORD + r * WIDTH +: WIDTH];
          if (!same(d, right)) begin
            mismatches[r] = mismatches[r] + 1;
            if (RESULTS == 1 && mismatches[r] <= 10)
              $display("vector %0d: d is %h, and right is %h", i - LATENCY + 1, d, right);
          end
        end
      end
      #1 clk = 1;
      #1 clk = 0;
    end
    passes = 0;
    for (r = 0; r < RESULTS; r = r + 1) if (mismatches[r] == 0) passes = passes + 1;
SUMMARY    if (passes == 0) $fatal(1, "BENCH_tb: failed");
    $display("BENCH_tb: passed");
    $finish;
  end
endmodule
)";

constexpr std::string_view properties = R"(
module BENCH_properties #(parameter LATENCY = 0) (
    input clk, input rst, DECLAREDinput [TOP:0] d);
  // Operands of this edge in the low bits, those of edges before above them; and of how many edges they are.
  reg [WORD * (LATENCY + 1) - 1:0] earlier;
  reg [LATENCY:0] known = 0;
  wire [WORD - 1:0] now = OPERANDS;
  wire [WORD * (LATENCY + 2) - 1:0] line = {earlier, now};
  wire [LATENCY + 1:0] there = {known, 1'b1};
  wire [WORD - 1:0] operands = line[WORD * LATENCY +: WORD];
  always @(posedge clk) earlier <= line[WORD * (LATENCY + 1) - 1:0];
  always @(posedge clk) if (rst) known <= 0; else known <= there[LATENCY:0];

  always @(posedge clk) if (there[LATENCY] && !rst) begin
)";

std::string plain_letters(std::string text) {
    for (char& letter : text)
        if (static_cast<unsigned char>(letter) < 0x20 || letter == '"' || letter == '\\') letter = ' ';
    return replaced(text, {{"%", "%%"}});
}

} // namespace

void export_tb(std::ostream& out, const Exported& what) {
    require_results(what, "tb");
    const BenchText text(what);
    write_export_head(out, what, "//",
                      what.results_each() > 1 ? "; a unit passes that gives all results d[r] of one r"
                                              : ", with their results d");
    const int row = text.operands_width() + static_cast<int>(what.results_each()) * text.d().width;
    out << text.filled(unit_named, "_tb") << "module " << what.name << "_tb;\n  reg clk, rst;\n"
        << text.of_operands("  reg [HIGH:0] NAME;\n") << "  wire [" << text.d().width - 1 << ":0] d;\n"
        << text.filled(unit_inside, "_tb") << "  reg [" << row - 1 << ":0] vectors [0:" << what.vectors.size() - 1
        << "];  // as --as mem has them\n  integer mismatches [0:" << what.results_each() - 1 << "];\n\n  task "
        << what.name << "_fill;\n";
    std::uint64_t done = 0;
    for (const Vector& vector : what.vectors) {
        what.tell("vectors", done);
        out << "    vectors[" << done++ << "] = " << text.literal(vector, true) << ";\n";
    }
    out << "  endtask\n";
    std::string summary;
    for (std::size_t r = 0; r < what.results_each(); ++r)
        summary +=
            sentence("    $display(\"",
                     what.results_each() > 1 ? sentence("d[", r, "]") : sentence("checked ", what.vectors.size()),
                     what.results_each() > 1 && r < what.results.size() ? ", " + plain_letters(what.results[r]) : "",
                     ", mismatches %0d\", mismatches[", r, "]);\n");
    const bool any_nan = what.nan_any && text.d().has_nan();
    const std::string nan =
        any_nan ? " || ((" + is_nan(text.d(), "got") + ") && (" + is_nan(text.d(), "right") + "))" : "";
    out << text.filled(bench_runs, "_tb", {{"SUMMARY", summary}, {"NAN", nan}, {"ROW", std::to_string(row - 1)}});
}

void export_sva(std::ostream& out, const Exported& what) {
    require_results(what, "sva");
    if (what.results_each() > 1)
        throw Error(sentence("--as sva: the vectors have ", what.results_each(),
                             " results each, and a property has one; --class A says whose"));
    const BenchText text(what);
    write_export_head(out, what, "//", ", each a property, that of these operands d is its result");
    out << text.filled(unit_named, "_sva")
        << "\n// The unit with its properties, which stands where the unit does.\nmodule " << what.name
        << "_checked (\n    input clk,\n"
        << text.filled("`ifdef MACRO_RESET\n    input rst,\n`endif\n", "_sva")
        << text.of_operands("    input [HIGH:0] NAME,\n") << "    output [" << text.d().width - 1 << ":0] d);\n"
        << text.filled("`ifndef MACRO_RESET\n  wire rst = 0;\n`endif\n", "_sva") << text.filled(unit_inside, "_sva")
        << text.filled("  BENCH_properties #(.LATENCY(LATENCY)) properties (.clk(clk), .rst(rst), PINS.d(d));\n"
                       "endmodule\n",
                       "_sva")
        << text.filled(properties, "_sva", {{"DECLARED", text.of_operands("input [HIGH:0] NAME, ")}});
    const bool any_nan = what.nan_any && text.d().has_nan();
    std::uint64_t done = 0;
    for (const Vector& vector : what.vectors) {
        what.tell("vectors", done++);
        PackedWord d;
        d.append(vector.d.front(), text.d().width);
        const bool nan = any_nan && decode(text.d(), vector.d.front()).number_class == NumberClass::nan;
        out << "    if (operands == " << text.literal(vector, false) << ") begin : vector_" << done << " assert ("
            << (nan ? is_nan(text.d(), "d") : sentence("d == ", text.d().width, "'h", d.hex())) << "); end\n";
    }
    out << "  end\nendmodule\n";
}

} // namespace discern
