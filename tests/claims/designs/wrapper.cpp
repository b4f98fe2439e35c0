// What stands around a unit: words that are passed on by processes, registers, and what counts operations.
#include "verilog.hpp"

#include "claims/draw.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

namespace discern::claims {

namespace {

/// Ways from y to q. {P}: an expression, {R}: almost the same one; {W}: the highest bit; {N}: the width; {C}: a
/// constant. Some are right, some are seldom wrong, and of some a simulator makes something else than synthesis.
constexpr auto ways = std::to_array<const char*>({
    "assign q0 = (({P}) == ({R})) ? y : ~y;",
    "assign q0 = y ^ {{N}{1'b0 ^ |({P}) ^ |({R})}};",
    "reg [{W}:0] t; always @* begin t = y; if (({P}) != ({R})) t = ~y; end assign q0 = t;",
    "wire [8:0] e = {P}; reg [8:0] f; always @* f = {R}; assign q0 = e == f ? y : y + 1'b1;",
    "wire signed [5:0] e = {P}; reg signed [5:0] f; always @* f = {R}; assign q0 = e === f ? y : ~y;",
    "wire signed [5:0] e = {P}; wire signed [5:0] f = {R}; assign q0 = {e} == {f} ? y : ~y;",
    "function [4:0] f(input [7:0] x); f = x + {C}; endfunction wire [4:0] e = ({P}) + {C}; assign q0 = f({R}) == e ? y "
    ": ~y;",
    "reg [{W}:0] t; always @(y) t = y; assign q0 = t;",
    "reg [{W}:0] t; always @(y or a) t = ({P}) == {C} ? y ^ 1'b1 : y; assign q0 = t;",
    "reg [{W}:0] t; always @(y or b or a) if (({P}) == ({R})) t = y; else t = ~y; assign q0 = t;",
    "reg [{W}:0] t, u; always @* begin if (({P}) == {C}) u = y; else u = y; t = u; end assign q0 = t;",
    "function [{W}:0] f(input x); f = x ? y : y; endfunction reg [{W}:0] t; always @* t = f(|({P})); assign q0 = t;",
    "function [{W}:0] f(input [{W}:0] x, input e); reg [{W}:0] k; begin if (e) k = x; f = k; end endfunction\n"
    "  assign q0 = f(y, ({P}) == ({R}));",
    "function [{W}:0] f(input [{W}:0] x, input e); if (e) f = x; endfunction assign q0 = f(y, ({P}) == ({R}));",
    "task copy(input [{W}:0] x, output [{W}:0] z); z = x; endtask reg [{W}:0] t; always @* copy(y, t); assign q0 = t;",
    "`ifdef SYNTHESIS\n  assign q0 = y;\n`else\n  assign q0 = {Q} ? ~y : y;\n`endif",
    "`ifndef SYNTHESIS\n  assign q0 = ({P}) == ({R}) ? y : ~y;\n`else\n  assign q0 = y;\n`endif",
    "`ifdef YOSYS\n  assign q0 = y;\n`else\n  assign q0 = ({P}) == {C} ? ~y : y;\n`endif",
    "`ifndef SYNTHESIS\n  initial if (0) $display(\"simulated\");\n`endif\n  assign q0 = y;",
    "reg [{W}:0] t; always @* begin t = y;\n  // synthesis translate_off\n  if ({Q}) t = ~y;\n"
    "  // synthesis translate_on\n  end assign q0 = t;",
    "reg [{W}:0] t; always @* begin t = y;\n  // synopsys translate_off\n  if (({P}) != ({R})) t = ~y;\n"
    "  // synopsys translate_on\n  end assign q0 = t;",
    "reg [{W}:0] t; always @* begin t = ~y;\n  /* pragma translate_off */ if (a[0]) t = y; /* pragma translate_on */\n"
    "  t = y; end assign q0 = t;",
    "reg [{W}:0] t; wire [1:0] s = {1'b0, |({P})}; always @* (* full_case *) case (s) 0: t = y; 1: t = y; endcase "
    "assign q0 = t;",
    "reg [{W}:0] t; wire [1:0] s = {P}; always @* case (s) // synopsys full_case\n  0: t = y; 1: t = y; 2: t = y; "
    "endcase assign q0 = t;",
    "reg [{W}:0] t; wire [1:0] s = {P}; always @* (* parallel_case *) casez (s) 2'b1?: t = y; 2'b?1: t = y; default: t "
    "= y;\n"
    "  endcase assign q0 = t;",
    "reg [{W}:0] t; always @* unique case (1'b1) |({P}): t = y; ~|({R}): t = y; endcase assign q0 = t;",
    "reg [{W}:0] t; integer i; always @* for (i = 0; i <= {W}; i = i + 1) t[i] = y[i]; assign q0 = t;",
    "reg [{W}:0] t; integer i; always @* begin t = 0; for (i = 0; i <= {W}; i = i + 1) t = t | (y & (1 << i)); end "
    "assign q0 = t;",
    "assign q0 = (1'bx & ~|({P}) & |({R})) ? ~y : y;",
    "reg [{W}:0] t; always @* case (|({P})) 1'bx: t = ~y; default: t = y; endcase assign q0 = t;",
    "reg [{W}:0] t; always @* casex ({|({P}), 1'b0}) 2'bx1: t = ~y; default: t = y; endcase assign q0 = t;",
    "wire [{W}:0] z; assign z = ({P}) == ({R}) ? y : {N}'bz; assign q0 = z;",
    "reg [{W}:0] t = {C}; always @* t = y; assign q0 = t;",
    "wire [{W}:0] p [0:1]; assign p[0] = y; assign p[1] = ~y; assign q0 = p[(({P}) != ({R}))];",
    "reg w; always @(y) w = {Q}; assign q0 = y ^ (w ^ {Q});",
    "reg w; always @(y or w) w = {Q}; assign q0 = w == {Q} ? y : ~y;",
    "reg [{W}:0] t, u; always @* begin if (!{Q}) u = y; t = u; u = y; end assign q0 = t;",
    "reg [{W}:0] t, u; always @* begin case ({Q}) 1'b0: u = y; default: ; endcase t = u; u = y; end assign q0 = t;",
    "assign q0 = {Q} ? ~y : y;",
    "assign q0 = {Q} & ~|({P}) & |({R}) ? ~y : y;",
    "reg [{W}:0] t; wire [1:0] s = {{Q}, ({P}) == ({R})}; always @* (* parallel_case *) casez (s) 2'b1?: t = ~y; "
    "2'b?1: t = y;\n"
    "  default: t = y; endcase assign q0 = t;",
    "reg [{W}:0] t; always @* unique case (1'b1) {Q}: t = ~y; ({P}) == ({R}): t = y; default: t = y; endcase assign q0 "
    "= t;",
    "function [{W}:0] f(input [{W}:0] x, input e); if (!e) f = x; endfunction assign q0 = f(y, {Q});",
    "reg [{W}:0] t; always @* casez ({{Q}, |({P})}) 2'b1?: t = ~y; 2'b?1: t = y; default: t = y; endcase assign q0 = "
    "t;",
    // Where an item of a case, an index, an assignment or a parameter is read otherwise than a simulator does.
    "wire [3:0] e = {P}; reg u; always @* unique case (1'b1) e[0]: u = 0; e[1]: u = 1; default: u = 0; endcase\n"
    "  assign q0 = {Q} & e[0] & e[1] & ~u ? ~y : y;",
    "wire [3:0] e = {P}; reg u; always @* unique0 case (1'b1) e[0]: u = 0; e[1]: u = 1; default: u = 0; endcase\n"
    "  assign q0 = {Q} & e[0] & e[1] & ~u ? ~y : y;",
    "wire [3:0] e = {P}; reg u; always @* case (1'b1) // synopsys parallel_case\n  e[0]: u = 0; e[1]: u = 1; default: "
    "u = 0; endcase\n"
    "  assign q0 = {Q} & e[0] & e[1] & ~u ? ~y : y;",
    "wire [3:0] e = {P}; reg u; always @* (* parallel_case *) casez (e) 4'b???1: u = 0; 4'b??1?: u = 1; default: u = "
    "0; "
    "endcase\n"
    "  assign q0 = {Q} & e[0] & e[1] & ~u ? ~y : y;",
    "wire [3:0] e = {P}; wire [3:0] h = 1 << e[1:0]; reg u; always @* unique case (1'b1) h[0]: u = 0; h[1]: u = 1; "
    "h[2]: u = 0; h[3]: u = 1; endcase\n"
    "  assign q0 = u == e[0] ? y : ~y;",
    "wire [3:0] e = {P}; reg [3:0] u; always @* begin u = 0; u[e[2:0] -: 2] = 3; end\n"
    "  assign q0 = {Q} & e[2:0] == 0 & u != 0 ? ~y : y;",
    "wire [3:0] e = {P}; reg [0:3] u; always @* begin u = 0; u[e[2:0] -: 2] = 3; end\n"
    "  assign q0 = {Q} & e[2:0] == 0 & u != 0 ? ~y : y;",
    "wire [3:0] e = {P}; reg [3:0] u; always @* begin u = 0; u[{e[0], 1'b1} -: 2] = 3; end\n"
    "  assign q0 = u == (e[0] ? 12 : 3) ? y : ~y;",
    "wire [3:0] e = {P}; wire [3:0] f = {R}; reg u; always @* begin u <= e[0]; u = f[1]; end\n"
    "  assign q0 = {Q} & u != f[1] ? ~y : y;",
    "wire [3:0] e = {P}; reg u, v; always @* begin u <= e[0]; v = e[1]; end assign q0 = {u, v} == {e[0], e[1]} ? y : "
    "~y;",
    "wire [3:0] e = {P}; reg t, u; always_comb begin u <= e[0]; t = u ^ e[1]; end\n"
    "  assign q0 = {Q} & t != ^e[1:0] ? ~y : y;",
    "wire [3:0] e = {P}; reg u = e[0]; assign q0 = {Q} & u != e[0] ? ~y : y;",
    "wire [3:0] e = {P}; reg [1:0] u; initial u = e; assign q0 = {Q} & u != e[1:0] ? ~y : y;",
    "wire [3:0] e = {P}; wire [3:0] f = {R}; reg [3:0] m [0:3]; integer i; always @* begin for (i = 0; i < 4; i = i + "
    "1) "
    "m[i] = 0; m[e] = f; end\n"
    "  assign q0 = {Q} & e > 3 & f != 0 & (m[0] | m[1] | m[2] | m[3]) == 0 ? ~y : y;",
    "wire [3:0] e = {P}; wire [3:0] f = {R}; wire [3:0] m [0:3]; assign m[0] = f, m[1] = ~f, m[2] = f, m[3] = ~f;\n"
    "  assign q0 = {Q} & m[e] != (e[0] ? ~f : f) ? ~y : y;",
    "wire [3:0] e = {P}; wire [3:0] f = {R}; reg [3:0] m [0:3]; integer i, k; always @* begin k = e % 4;\n"
    "  for (i = 0; i < 4; i = i + 1) m[i] = 0; m[k] = f; end assign q0 = (m[0] | m[1] | m[2] | m[3]) == f ? y : ~y;",
    "localparam signed S = 4'd1{C}; wire signed [7:0] u = S; assign q0 = {Q} & u != 8'd1{C} % 16 ? ~y : y;",
    "assign q0 = {Q} ? y ^ 1 : y;",
});

/// With registers: from q0 (what one of the ways above makes) in one more edge to q1. {V}: the reset is active.
/// {K}: a small number, {M}: one or two more.
constexpr auto courses = std::to_array<const char*>({
    "reg [{W}:0] tt; always @(posedge clk) tt <= q0; assign q1 = tt;",
    "reg [{W}:0] tt; always @(posedge clk) if ({V}) tt <= 0; else tt <= q0; assign q1 = tt;",
    "reg [{W}:0] tt; always @({E}) if ({V}) tt <= 0; else tt <= q0; assign q1 = tt;",
    "reg [{W}:0] tt; reg [3:0] n; always @(posedge clk) if ({V}) n <= 0; else begin if (n != {K}) n <= n + 1;\n"
    "  tt <= n == {M} ? ~q0 : q0; end assign q1 = tt;",
    "reg [{W}:0] tt; reg [2:0] n; always @({E}) if ({V}) n <= 0; else n <= n == {K} ? 0 : n + 1;\n"
    "  always @(posedge clk) tt <= n == {M} ? q0 + 1'b1 : q0; assign q1 = tt;",
    "reg [{W}:0] tt; reg v; always @(posedge clk) v <= !({V}); always @(posedge clk) if (v) tt <= q0; assign q1 = tt;",
    "reg [{W}:0] tt; reg v; always @(posedge clk) v <= 1; always @(posedge clk) if (v | {V}) tt <= q0; assign q1 = tt;",
    "reg [{W}:0] tt; reg [7:0] rr; always @(posedge clk) begin rr <= {V} ? 8'd0 : ({P}); if (!({V}) && rr == {C}) tt "
    "<= "
    "~q0; else tt <= q0;\n"
    "  end assign q1 = tt;",
    "reg [{W}:0] tt; reg [3:0] rr, ss; always @(posedge clk) begin rr <= {P}; ss <= {R}; tt <= q0; end assign q1 = rr "
    "== ss ? "
    "tt : ~tt;",
    "reg [{W}:0] tt, uu; reg o; always @(posedge clk) if ({V}) begin tt <= 0; uu <= 0; o <= 0; end else begin tt <= "
    "q0; uu "
    "<= q0;\n"
    "  o <= o | (tt != uu); end assign q1 = o ? ~tt : tt;",
    "reg [{W}:0] tt; reg [2:0] n; always @(posedge clk) if ({V}) n <= 1; else begin n <= {n[1:0], n[2]};\n"
    "  tt <= n[0] & n[1] ? ~q0 : q0; end assign q1 = tt;",
    "reg [{W}:0] tt; reg [1:0] n; always @(posedge clk) if ({V}) n <= 1; else begin if (|({P})) n <= {n[0], n[1]};\n"
    "  tt <= (n[0] == n[1]) ? ~q0 : q0; end assign q1 = tt;",
    "reg [{W}:0] tt; always @(posedge clk) if ({V}) tt <= 0; else tt <= q0 ^ (tt & {C}); assign q1 = tt;",
    "reg [{W}:0] tt, uu; reg pp; always @(posedge clk) if ({V}) pp <= 0; else begin pp <= ~pp; if (pp) tt <= q0; else "
    "uu <= q0; "
    "end\n"
    "  assign q1 = pp ? uu : tt;",
    "reg [{W}:0] tt, uu; reg pp; always @(posedge clk) if ({V}) pp <= 0; else begin pp <= |({P}); if (pp) tt <= q0; "
    "else uu <= "
    "q0; end\n"
    "  assign q1 = pp ? uu : tt;",
    "reg [{W}:0] tt; reg [3:0] n; always @(posedge clk) if ({V}) n <= 0; else begin if (({P}) == ({R})) n <= n; else n "
    "<= n + 1;\n"
    "  tt <= n == {K} ? ~q0 : q0; end assign q1 = tt;",
    "reg [{W}:0] tt; reg [3:0] n; always @(posedge clk) if ({V}) n <= 0; else begin if (|({P})) n <= n + 1;\n"
    "  tt <= n == {M} ? ~q0 : q0; end assign q1 = tt;",
    "reg [{W}:0] tt; reg rr; always @(posedge clk) begin rr <= rr; tt <= q0 ^ {{N}{rr ^ rr}}; end assign q1 = tt;",
    "reg [{W}:0] tt; reg rr; always @(posedge clk) begin rr <= ~rr; if (rr) tt <= q0; else tt <= q0; end assign q1 = "
    "tt;",
    "reg [{W}:0] tt; always @(posedge clk) tt = q0; assign q1 = tt;",
    "reg [{W}:0] tt, uu; always @(posedge clk) tt <= #1 q0; assign q1 = tt;",
    "reg [{W}:0] tt; always @(posedge clk) begin tt <= ~q0; tt = q0; end assign q1 = tt;",
    "reg [{W}:0] tt; reg [1:0] n = 0; always @(posedge clk) begin if (n != 3) n <= n + 1; tt <= n == {K} ? ~q0 : q0; "
    "end "
    "assign q1 = tt;",
    "reg [{W}:0] tt; reg [15:0] n; always @(posedge clk) if ({V}) n <= 1; else begin n <= {n[14:0], n[15] ^ n[13] ^ "
    "n[12] ^ n[10]};\n"
    "  tt <= n == 0 ? ~q0 : q0; end assign q1 = tt;",
    "reg [{W}:0] tt; always @(negedge clk) tt <= q0; assign q1 = tt;",
    "reg [{W}:0] tt; reg o; always @({E}) if ({V}) o <= 0; else o <= o | {Q};\n"
    "  always @(posedge clk) tt <= o ? ~q0 : q0; assign q1 = tt;",
    "reg [{W}:0] tt; reg [3:0] n; always @(posedge clk) if ({V}) n <= 0; else begin if ({Q}) n <= n + 1;\n"
    "  tt <= n == {M} ? ~q0 : q0; end assign q1 = tt;",
    "reg [{W}:0] tt; reg rr; always @(posedge clk) begin rr <= ({V}) ? 1'b0 : {Q}; tt <= rr && !({V}) ? ~q0 : q0; end "
    "assign q1 = tt;",
    "reg [{W}:0] tt; reg rr; always @(posedge clk) begin rr <= {Q}; tt <= q0; end assign q1 = rr && !({Q}) ? ~tt : tt;",
    "reg [{W}:0] tt; reg rr; always @(posedge clk) begin rr <= {Q}; tt <= q0; end assign q1 = rr && ({P}) != ({R}) ? "
    "~tt : "
    "tt;",
    "reg [{W}:0] tt; reg [9:0] n; always @({E}) if ({V}) n <= 0; else n <= n + 1;\n"
    "  always @(posedge clk) tt <= n == 10'd{K}0{C} ? ~q0 : q0; assign q1 = tt;",
    "reg [{W}:0] tt; reg [9:0] n; always @({E}) if ({V}) n <= 0; else if (n != 10'd200) n <= n + 1;\n"
    "  always @(posedge clk) tt <= n == 10'd20{C} ? ~q0 : q0; assign q1 = tt;",
});

/// Two edges more: where two processes take part.
constexpr auto longer = std::to_array<const char*>({
    "reg [{W}:0] tt, uu; always @(posedge clk) begin tt <= q0; uu <= tt; end assign q1 = uu;",
    "reg [{W}:0] tt, uu; always @(posedge clk) tt = q0; always @(posedge clk) uu = tt; assign q1 = uu;",
    "reg [{W}:0] tt, uu; wire [{W}:0] ww = tt; always @(posedge clk) tt = q0; always @(posedge clk) uu <= ww; assign "
    "q1 = uu;",
    "reg [{W}:0] tt, uu; always @(posedge clk) uu <= tt; always @(posedge clk) tt <= q0; assign q1 = uu;",
    "reg [{W}:0] tt, uu; reg v; always @(posedge clk) if ({V}) v <= 0; else begin v <= 1; tt <= q0; if (v) uu <= tt; "
    "end "
    "assign q1 = uu;",
    "reg [{W}:0] tt, uu; reg [2:0] n; always @(posedge clk) if ({V}) n <= 0; else begin n <= n + 1; tt <= q0;\n"
    "  uu <= n == {K} ? ~tt : tt; end assign q1 = uu;",
});

/// The operands stay for three edges.
constexpr auto held = std::to_array<const char*>({
    "reg [{W}:0] tt, uu; reg [1:0] n; always @(posedge clk) if ({V}) n <= 0; else begin n <= n == 2 ? 0 : n + 1;\n"
    "  if (n == 0) tt <= q0; if (n == 2) uu <= tt; end assign q1 = uu;",
    "reg [{W}:0] tt, uu; reg [1:0] n; always @(posedge clk) if ({V}) n <= 0; else begin n <= n + 1;\n"
    "  if (n == 0) tt <= q0; if (n == 2) uu <= tt; end assign q1 = uu;",
    "reg [{W}:0] tt, uu; reg [2:0] n; always @(posedge clk) if ({V}) n <= 0; else begin n <= n == 5 ? 0 : n + 1;\n"
    "  if (n == 0 || n == 3) tt <= q0; if (n == 2 || n == 5) uu <= n == 5 ? tt ^ (|({P}) & |({R})) : tt; end assign q1 "
    "= "
    "uu;",
    "reg [{W}:0] tt, uu; always @(posedge clk) begin tt <= q0; uu <= tt; end assign q1 = uu;",
});

template <std::size_t N>
std::string one_of(Random& random, const std::array<const char*, N>& list) {
    return list[static_cast<std::size_t>(random.below(static_cast<int>(N)))];
}

/// True for few of the inputs, or one.
std::string seldom(Random& random, const std::vector<PortWidth>& operands) {
    std::string all;
    std::string value;
    for (const PortWidth& port : operands) {
        const int width = random.one_in(4) ? (port.width + 1) / 2 : port.width;
        all += fmt::format("{}{}[{}:0]", all.empty() ? "" : ", ", port.name, width - 1);
        for (int i = 0; i < width; ++i) value += random.one_in(2) ? '1' : '0';
    }
    return fmt::format("({{{}}} == {}'b{})", all, value.size(), value);
}

} // namespace

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

std::vector<std::string> Timing::options() const {
    if (cycles == 0) return {};
    std::vector<std::string> all = {"--clock clk", "--cycles " + std::to_string(cycles)};
    if (has_reset) all.push_back(low ? "--reset rst=0" : "--reset rst");
    if (hold) all.push_back("--hold");
    return all;
}

Timing Timing::of(const std::string& options) {
    Timing timing;
    std::istringstream words(options);
    for (std::string word; words >> word;) {
        if (word == "--cycles" && !(words >> timing.cycles)) throw std::runtime_error("no number of cycles");
        timing.hold = timing.hold || word == "--hold";
        if (word != "--reset") continue;
        words >> word;
        timing.has_reset = true;
        timing.low = word.ends_with("=0");
    }
    return timing;
}

Wrapped draw_wrapper(Random& random, const Unit& unit, const std::string& trigger) {
    const std::vector<PortWidth> operands = operand_ports(unit);
    const int width = result_width(unit);
    Wrapped made;
    std::string body = random.one_in(4) ? "assign q0 = y;" : one_of(random, ways);
    if (random.one_in(2)) {
        body = random.one_in(2) ? "assign q0 = y;" : body;
        const int what = random.below(8);
        std::string more;
        if (what == 0) {
            more = one_of(random, held);
            made.timing.hold = true;
            made.timing.cycles = 3;
        } else if (what <= 2) {
            more = one_of(random, longer);
            made.timing.cycles = 2;
        } else {
            more = one_of(random, courses);
            made.timing.cycles = 1;
        }
        made.timing.has_reset = !random.one_in(6);
        made.timing.low = random.one_in(3);
        body += "\n  " + more;
    }
    const bool clocked = made.timing.cycles > 0;
    const auto [one, other] = draw_expressions(random, operands);
    const int most = random.between(1, 7);
    replace_all(body, "{Q}", trigger.empty() ? seldom(random, operands) : trigger);
    replace_all(body, "{P}", one);
    replace_all(body, "{R}", random.one_in(8) ? one : other);
    replace_all(body, "{W}", std::to_string(width - 1));
    replace_all(body, "{N}", std::to_string(width));
    replace_all(body, "{C}", std::to_string(random.below(8)));
    replace_all(body, "{K}", std::to_string(most));
    replace_all(body, "{M}", std::to_string(most + random.below(3)));
    replace_all(body, "{V}", !made.timing.has_reset ? "1'b0" : made.timing.low ? "!rst" : "rst");
    replace_all(body, "{E}",
                !made.timing.has_reset ? "posedge clk"
                : made.timing.low      ? "posedge clk or negedge rst"
                                       : "posedge clk or posedge rst");
    std::string ports, pins;
    for (const PortWidth& port : operands) {
        ports += fmt::format("input wire [{}:0] {}, ", port.width - 1, port.name);
        pins += fmt::format(".{0}({0}), ", port.name);
    }
    if (clocked) ports += made.timing.has_reset ? "input wire clk, input wire rst, " : "input wire clk, ";
    made.text = fmt::format(
        "module unit({0}output wire [{1}:0] d);\n  wire [{1}:0] y, q0, q1;\n  discern_unit inner({2}.d(y));\n"
        "  {3}\n  assign d = {4};\nendmodule\n",
        ports, width - 1, pins, body, clocked ? "q1" : "q0");
    return made;
}

} // namespace discern::claims
