// Traits of SystemVerilog on which readers part: widths, signs, orders, names. Each is a small design of which all
// inputs are simulated, with holes for expressions and numbers, so that one trait is many designs.
#pragma once

#include "models/random.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace discern::rtl::testing {

/// @p are the ports, @1 to @3 expressions over a, b and c of 4 bits each, @n a number from 1 to 3, @k one from 0 to 15,
/// @h one as a hexadecimal digit, @s one from 0 to 5.
struct Trait {
    const char* name;
    const char* text;        ///< with a module `unit`; d has 12 bits
    const char* plain = "";  ///< the same in words that Icarus Verilog 11 takes, where it does not take the text
    bool is_clocked = false; ///< one edge lies between operands and result
};

inline const std::vector<Trait>& traits() {
    static const std::vector<Trait> table = {
        // ---- parameters and names
        {"parameters",
         "module sub #(parameter W = 4, parameter [W-1:0] K = 3)(input [W-1:0] x, output [W:0] y);\n"
         "  assign y = x + K; endmodule\n"
         "module unit(@p); wire [@n+4:0] y; sub #(.W(@n+4), .K(@k)) s(.x(@1), .y(y)); assign d = y; endmodule"},
        {"defparam", "module sub(input [3:0] x, output [7:0] y); parameter K = 3; parameter W = K + 1;\n"
                     "  wire [W-1:0] t = x * K; assign y = t; endmodule\n"
                     "module unit(@p); sub s(.x(@1), .y(d[7:0])); sub t(.x(@2), .y()); defparam s.K = @n;\n"
                     "  assign d[11:8] = t.t; endmodule"},
        {"signed parameters",
         "module unit(@p); localparam signed [3:0] K = @k; localparam J = 4'd@k; localparam integer I = -@n;\n"
         "  assign d = c[0] ? $signed(a) + K : c[1] ? $signed(a) * I : $signed(b) + J; endmodule"},
        {"text as a parameter",
         "module sub #(parameter MODE = \"ADD\")(input [3:0] x, y, output [11:0] z);\n"
         "  generate if (MODE == \"ADD\") assign z = x + y; else assign z = x - y; endgenerate endmodule\n"
         "module unit(@p); wire [11:0] y, z; sub s(a, @1, y); sub #(.MODE(\"SUB\")) t(b, @2, z);\n"
         "  assign d = c[@n] ? y : z; endmodule"},
        {"bits of a parameter", "module unit(@p); localparam [0:15] K = 16'h@h3a5; localparam [7:0] J = 8'h@h5 >> 1;\n"
                                "  assign d = {K[a], K[@n +: 3], J[b[2:0]], K[b]}; endmodule"},
        {"types as parameters",
         "module sub #(parameter type T = logic [3:0])(input T x, output [11:0] y); assign y = x; endmodule\n"
         "module unit(@p); sub #(.T(logic signed [@n+1:0])) s(.x(@1), .y(d)); endmodule",
         "module unit(@p); wire signed [@n+1:0] x = @1; assign d = x; endmodule"},
        {"$clog2 and $bits",
         "module unit(@p); localparam W = $clog2(@k + 2); wire [W-1:0] t = @1; wire [2*W+1:0] u = @2;\n"
         "  assign d = {u[0], t} + $bits(u) + $clog2(@k + 1); endmodule"},
        {"constant functions",
         "module unit(@p); function integer f(input integer n); integer i; begin f = 1; for (i = 0; i < n; i = i + 1)\n"
         "  f = f * 3 - i; end endfunction localparam K = f(@n); wire [f(2):0] t = @1; assign d = t + K; endmodule"},
        {"packages", "package p; localparam K = @k; typedef logic signed [4:0] t; function automatic t f(input t x); "
                     "return x - K; endfunction endpackage\n"
                     "module unit(@p); import p::*; p::t x; assign x = @1; wire [3:0] k = K; assign d = f(x) + {1'b0, "
                     "k} + p::K; endmodule"},
        {"names hidden by inner ones",
         "module unit(@p); localparam K = @k; reg [11:0] t; function [11:0] f(input [3:0] a); reg [3:0] b; begin b = a "
         "+ K; f = b; end endfunction\n"
         "  always @* begin : one reg [3:0] c; c = f(b); t = f(c) + a; end assign d = t; endmodule"},
        {"macros",
         "`define ADD(x, y) x + y\n`define W @n\n`ifdef W\n`define D(x) ((x) << `W)\n`else\n`define D(x) (x)\n`endif\n"
         "module unit(@p); assign d = `D(`ADD(a, b)) * `ADD(c, 1); endmodule"},
        {"implicit nets", "module sub(input [3:0] x, output [3:0] y); assign y = x + @k; endmodule\n"
                          "module unit(@p); sub s(.x(@1), .y(t)); assign d = t; endmodule"},
        {"ports by order and unconnected",
         "module sub(input [3:0] x, y, output [4:0] s, output [3:0] z); assign s = x - y; assign z = x & y; endmodule\n"
         "module unit(@p); wire [2:0] s; wire [5:0] z; sub one(@1, @2, s, z); assign d = {z, 3'd@n, s}; endmodule"},
        // ---- cases and conditions
        {"casez", "module unit(@p); reg [11:0] t; always @* casez ({a, b[1:0]}) 6'b1?0?1?: t = @1; 6'b?1???1: t = @2; "
                  "6'b00????: t = c;\n"
                  "  default: t = @k; endcase assign d = t; endmodule"},
        {"casex", "module unit(@p); reg [11:0] t; always @* casex (@1) 4'b1x0x: t = b; 4'bx1x1: t = @2; default: t = "
                  "{a, c}; endcase\n"
                  "  assign d = t; endmodule"},
        {"widths of labels", "module unit(@p); reg [3:0] t; always @* case (a + b) 16: t = 1; 5'd17: t = 2; 4'd3: t = "
                             "3; 'h14: t = c; @k: t = 5;\n"
                             "  default: t = @1; endcase assign d = t; endmodule"},
        {"signs of labels", "module unit(@p); wire signed [3:0] s = a; reg [3:0] t, u; always @* begin case (s) -1: t "
                            "= 1; 4'sd7: t = 2; -4'sd8: t = 3;\n"
                            "  default: t = b; endcase case (s) 4'hf: u = 1; -1: u = 2; 15: u = 3; default: u = c; "
                            "endcase end assign d = {t, u}; endmodule"},
        {"labels that are computed", "module unit(@p); localparam [3:0] K = @k; reg [3:0] t; always @* case (@1 + "
                                     "8'd0) b + c: t = 1; K + 4'd@n: t = 2; c << 1: t = 3;\n"
                                     "  ~K: t = 4; default: t = a; endcase assign d = t; endmodule"},
        {"case of a constant", "module unit(@p); reg [3:0] t; always @* begin t = c; case (1'b1) a[0]: t = @1; b[@n]: "
                               "t = @2; a[3] & c[0]: t = @k; endcase end\n"
                               "  assign d = t; endmodule"},
        {"unique case", "module unit(@p); reg [3:0] t; always_comb begin unique case (a[1:0]) 0: t = @1; 1: t = @2; 2: "
                        "t = c; 3: t = @k; endcase end\n"
                        "  assign d = t; endmodule"},
        {"unique case that overlaps",
         "module unit(@p); reg [3:0] t; always_comb begin t = c; unique casez (a) 4'b1???: t = @1; 4'b??1?: t = @2;\n"
         "  4'b0000: t = @k; endcase end assign d = t; endmodule"},
        {"priority if",
         "module unit(@p); reg [3:0] t; always_comb begin t = 1; priority if (a > b) t = @1; else if "
         "(a[0]) t = @2; else t = c; end\n"
         "  assign d = t; endmodule",
         "module unit(@p); reg [3:0] t; always @* if (a > b) t = @1; else if (a[0]) t = @2; else t = c; assign d = t; "
         "endmodule"},
        {"inside", "module unit(@p); assign d = {a inside {[@n:@n+4], @k, 4'b1?0?}, b inside {c, [12:15]}}; endmodule",
         "module unit(@p); assign d = {(a >= @n && a <= @n+4) || a == @k || (a[3] && !a[1]), b == c || b >= 12}; "
         "endmodule"},
        {"case inside",
         "module unit(@p); logic [3:0] t; always_comb case (a) inside [@n:@n+3]: t = @1; 4'b1??0, @k: t = @2; default: "
         "t = c; endcase\n"
         "  assign d = t; endmodule",
         "module unit(@p); reg [3:0] t; always @* if (a >= @n && a <= @n+3) t = @1; else if ((a[3] && !a[0]) || a == "
         "@k) t = @2; else t = c;\n"
         "  assign d = t; endmodule"},
        {"equality with wildcards",
         "module unit(@p); assign d = {a ==? 4'b1?0?, c ==? {2'b1x, b[1:0]}, @1 ==? 4'bx1x0}; endmodule",
         "module unit(@p); wire [3:0] t = @1; assign d = {a[3] & ~a[1], c[3] & c[1:0] == b[1:0], t[2] & ~t[0]}; "
         "endmodule"},
        {"=== of what is known", "module unit(@p); assign d = {a === b, @1 !== @2, a === c}; endmodule"},
        {"conditions of several bits", "module unit(@p); reg [3:0] t; always @* if (@1) t = !b; else if (!(a & c)) t = "
                                       "~b; else t = a && b; assign d = {t, !@2, ~(!c)}; endmodule"},
        {"x in a ternary",
         "module unit(@p); wire [3:0] t = (a == @k) ? 4'bxx10 : @1; assign d = t[@n] ? b : c; endmodule"},
        {"x as a default", "module unit(@p); reg [3:0] t; always @* case (a[1:0]) 0: t = @1; 1: t = b; 2: t = c; 3: t "
                           "= @2; default: t = 4'bx; endcase\n"
                           "  assign d = t; endmodule"},
        // ---- widths and signs
        {"widths of a sum",
         "module unit(@p); wire [3:0] s = a + b; assign d = {(a + b) >> 1, 4'd0} + ((a + b + 0) >> 1) + s; endmodule"},
        {"context of an assignment", "module unit(@p); assign d = ~(@1) + (@2 << @s) - (a * b); endmodule"},
        {"what decides its own width",
         "module unit(@p); assign d = {@1 + a, (a << b[1:0])} + (c >> (a + b)) + {2{a - b}}; endmodule"},
        {"unary minus", "module unit(@p); wire [4:0] t = -a; assign d = -b + t + -(@1) - -4'd@k; endmodule"},
        {"compared with signs", "module unit(@p); assign d = {$signed(a) < b, $signed(a) < $signed(b), a < -1, "
                                "$signed(c) > -@n, $signed(@1) >= 4'sd3,\n"
                                "  $signed(a) == b + 0, -a < 0}; endmodule"},
        {"ternary of two signs", "module unit(@p); wire signed [3:0] s = a, t = b; assign d = {{c[0] ? s : b}, 1'b1} + "
                                 "(c[1] ? s : t) + (c[2] ? s : a); endmodule"},
        {"signed shift", "module unit(@p); wire signed [3:0] s = a; wire [5:0] u = s >>> @n, v = (s >>> @n) + b; "
                         "assign d = {u, v} ^ ($signed(b) >>> c[1:0]); endmodule"},
        {"shift in an unsigned context",
         "module unit(@p); wire signed [3:0] s = @1; assign d = (s >>> @n) | 12'd0; endmodule"},
        {"shift by more than there is", "module unit(@p); assign d = {a << b, @1 >> c, $signed(a) >>> b}; endmodule"},
        {"shift by what is negative",
         "module unit(@p); wire signed [3:0] s = b; assign d = (a << s) ^ ({a, c} >> $signed(@1)); endmodule"},
        {"signed product", "module unit(@p); wire signed [3:0] s = a, t = b; wire signed [7:0] p = s * t; wire [7:0] q "
                           "= s * b; assign d = p + q + s * $signed({1'b0, c}); endmodule"},
        {"a part of what is signed", "module unit(@p); wire signed [7:0] s = {@1, b}; assign d = c[0] ? s[7:4] : c[1] "
                                     "? s[7:0] : $signed(s[@n+2:0]); endmodule"},
        {"what is joined has no sign",
         "module unit(@p); wire signed [3:0] s = a; assign d = {s} + $signed(b) + {2{s}}; endmodule"},
        {"negative numbers",
         "module unit(@p); assign d = (a + -1) ^ (b - 4'sb1000) ^ (c * -2'sd1) ^ 12'sh8@n; endmodule"},
        {"numbers without a width",
         "module unit(@p); assign d = (a + 'hf0 >> 4) + ((a + b) / 1 >> 0) + ('d@k << b[0]) + 'o1@n; endmodule"},
        {"fills", "module unit(@p); wire [6:0] t = '1; wire [3:0] u = a == '1 ? '0 : b ^ '1; assign d = {t, u} + (c + "
                  "'1); endmodule"},
        {"casts",
         "module unit(@p); typedef logic signed [2:0] t3; assign d = 5'(@1 + a) + signed'(b) + t3'(c) + 2'(a) "
         "+ unsigned'(t3'(b)); endmodule",
         "module unit(@p); assign d = 5'(@1 + a) + $signed(b) + $signed(c[2:0]) + 2'(a) + b[2:0]; endmodule"},
        {"integers", "module unit(@p); byte s; shortint t; int i; always_comb begin s = {@1, b}; t = s; i = t - 100; i "
                     "+= s >>> @n; end assign d = i; endmodule"},
        {"power", "module unit(@p); assign d = 2 ** a[1:0] + 3 ** @n + (b[1:0] ** 2); endmodule"},
        {"division", "module unit(@p); assign d = {a, b} / 4'd@n + c % 4; endmodule"},
        {"reductions", "module unit(@p); assign d = {&a, ~|b, ^@1, ~^{a, c}, |(@2 - 1), ~&c, &{a, b[@n]}}; endmodule"},
        {"replications", "module unit(@p); assign d = {@n{a[1:0], c[3]}} + {2{{b[0], @1}}} - {4{2'd@n}}; endmodule"},
        {"logical operators",
         "module unit(@p); assign d = {a && b || c, !a + !b, (a || b) & 2'd2, a & b && c, @1 | @2 && 1}; endmodule"},
        {"precedence",
         "module unit(@p); assign d = a + b << 1 & c | a ^ b == c - 1 ? a * b + c : ~a & b ~^ c; endmodule"},
        // ---- parts and memories
        {"a part at a place", "module unit(@p); wire [11:0] w = {@1, b, c}; assign d = {w[a[2:0] +: @n+1], w[(b & 7) + "
                              "4 -: 4], w[c % 8]}; endmodule"},
        {"a part that may lie outside",
         "module unit(@p); wire [7:0] w = {@1, b}; assign d = w[a[2:0] +: 3] & {3{a[2:0] < 6}}; endmodule"},
        {"a part that is written", "module unit(@p); reg [11:0] t; always @* begin t = {a, b, c}; t[(b & 7) +: @n] = "
                                   "@1; t[a[2:0] + 3] = 1; end assign d = t; endmodule"},
        {"ascending ranges", "module unit(@p); wire [0:7] w = {@1, b}; wire [2:9] v = w; reg [0:3] t; always @* begin "
                             "t = c; t[a[1:0]] = b[0]; t[1:2] = a[@n:@n-1]; end\n"
                             "  assign d = {w[0:3], v[4:7], t}; endmodule"},
        {"ranges that begin elsewhere", "module unit(@p); wire [7:4] w = @1; wire [-1:-4] v = b; assign d = {w[5], "
                                        "w[7:6], v[-2], v[-3 -: 2], w[4 + a[1:0]]}; endmodule"},
        {"packed arrays",
         "module unit(@p); logic [2:0][3:0] m; logic [1:0][1:0][2:0] n; assign m = {a, @1, c}; assign n = m;\n"
         "  assign d = {m[b[0]], m[2][@n], n[1][b[1]], n[0], m[1][3:2]}; endmodule"},
        {"a table as a memory",
         "module unit(@p); reg [5:0] m [0:3]; integer i; always @* for (i = 0; i < 4; i = i + 1) m[i] = i * @k + @1; "
         "assign d = m[a[1:0]] - m[3]; endmodule",
         "module unit(@p); reg [5:0] m0, m1, m2, m3; always @* begin m0 = @1; m1 = @k + @1; m2 = 2 "
         "* @k + @1; m3 = 3 * @k + @1; end\n"
         "  assign d = (a[1:0] == 0 ? m0 : a[1:0] == 1 ? m1 : a[1:0] == 2 ? m2 : m3) - m3; endmodule"},
        {"a memory with first values", "module unit(@p); reg [3:0] m [0:3]; initial begin m[0] = 5; m[1] = @k; m[2] = "
                                       "9; m[3] = @n; end assign d = m[a[1:0]] + m[b[1:0]] * c; endmodule"},
        {"a memory of two directions", "module unit(@p); wire [3:0] m [3:0]; assign m[0] = a; assign m[1] = @1; assign "
                                       "m[2] = c; assign m[3] = @2; assign d = {m[b[1:0]], m[~b[1:0]]}; endmodule"},
        {"an index without its words",
         "module unit(@p); reg [3:0] m [0:2]; always @* begin m[0] = a; m[1] = @1; m[2] = c; end assign d = b[1:0] == "
         "3 ? 12'd@k : m[b[1:0]]; endmodule",
         "module unit(@p); wire [3:0] e = @1; assign d = b[1:0] == 3 ? 12'd@k : b[1:0] == 2 ? c : b[1:0] == 1 ? e : a; "
         "endmodule"},
        // ---- types
        {"packed structs",
         "module unit(@p); typedef struct packed { logic [3:0] x; logic [2:0] y; logic z; } s_t; s_t s, t; "
         "assign s = {@1, b};\n"
         "  always_comb begin t = s; t.x = $signed(s.x) >>> @n; t.y[1] = c[0]; end assign d = t + s.x; endmodule"},
        {"packed unions", "module unit(@p); typedef union packed { logic [7:0] all; struct packed { logic [3:0] h, l; "
                          "} p; } u_t; u_t u; always_comb begin u.all = {@1, b};\n"
                          "  u.p.h = u.p.l + c; end assign d = u.all; endmodule"},
        {"enums", "module unit(@p); typedef enum logic [3:0] { A = @n, B, C = 9, D } e_t; e_t e; always_comb case "
                  "(a[1:0]) 0: e = A; 1: e = B; 2: e = C; default: e = D; endcase\n"
                  "  assign d = {e == B, e + b, D}; endmodule"},
        {"patterns",
         "module unit(@p); typedef struct packed { logic [3:0] x, y; } s_t; s_t s; logic [3:0] m [3]; assign s = '{x: "
         "@1, y: b}; assign m = '{a, c, default: @k};\n"
         "  assign d = {s, m[c[0]]}; endmodule",
         "module unit(@p); wire [3:0] e = @1; assign d = {e, b, c[0] ? c : a}; endmodule"},
        {"streams",
         "module unit(@p); wire [7:0] t = {<<{a, b}}; wire [11:0] u = {<<4{a, b, c}}; assign d = {t, 4'd@k} ^ u; "
         "endmodule",
         "module unit(@p); wire [7:0] t = {b[0], b[1], b[2], b[3], a[0], a[1], a[2], a[3]}; wire [11:0] u = {c, b, a}; "
         "assign d = {t, 4'd@k} ^ u; endmodule"},
        {"interfaces",
         "interface i_f; logic [3:0] x; logic [4:0] y; modport s(input x, output y); endinterface\n"
         "module sub(i_f.s i); assign i.y = i.x + @k; endmodule\nmodule unit(@p); i_f i(); assign i.x = @1; sub "
         "s(.i(i)); assign d = i.y; endmodule",
         "module unit(@p); wire [3:0] x = @1; wire [4:0] y = x + @k; assign d = y; endmodule"},
        {"arrays of instances",
         "module sub(input x, y, output z, w); assign z = x ^ y; assign w = x & y; endmodule\n"
         "module unit(@p); wire [3:0] z, w; wire [3:0] x = @1; sub s [3:0] (.x(x), .y(b[@n]), .z(z), "
         ".w(w)); assign d = {z, w}; endmodule"},
        // ---- orders
        {"order in always_comb", "module unit(@p); logic [3:0] t, u; always_comb begin t = @1; u = t + b; t = u ^ c; "
                                 "if (a[0]) u = t; end assign d = {t, u}; endmodule"},
        {"loops", "module unit(@p); reg [11:0] t; integer i; always @* begin t = c; for (i = 0; i < 4; i = i + 1) if "
                  "(a[i]) t = (t << 1) + @n; else t = t ^ b; end assign d = t; endmodule"},
        {"loops that end early",
         "module unit(@p); logic [3:0] t; always_comb begin t = @k; for (int i = 0; i < 4; i++) begin if (b[i]) "
         "continue; if (a[i]) begin t = i; break; end end end assign d = t; endmodule",
         "module unit(@p); wire [3:0] h = a & ~b; assign d = h[0] ? 0 : h[1] ? 1 : h[2] ? 2 : h[3] ? 3 : @k; "
         "endmodule"},
        {"repeat and while", "module unit(@p); reg [11:0] t; integer i; always @* begin t = @1; repeat (@n) t = t * 3; "
                             "i = 0; while (i < 3) begin t = t + a[i]; i = i + 1; end end assign d = t; endmodule"},
        {"a loop that counts down", "module unit(@p); reg [3:0] t; reg signed [3:0] i; always @* begin t = 0; for (i = "
                                    "3; i >= 0; i = i - 1) t = {t[2:0], a[i] ^ b[@n]}; end assign d = t; endmodule"},
        {"functions", "module unit(@p); function automatic [5:0] f(input signed [3:0] x, input [3:0] y); reg [5:0] t; "
                      "begin t = x; f = t + y; end endfunction assign d = f(@1, b) + f(c, @n); endmodule"},
        {"functions that return",
         "module unit(@p); function automatic logic [4:0] f(input logic [3:0] x); for (int i = 3; i >= 0; i--) if "
         "(x[i]) return i + @n; return 5'd@k; endfunction\n"
         "  assign d = f(a) * f(@1); endmodule",
         "module unit(@p); function [4:0] f(input [3:0] x); f = x[3] ? 3 + @n : x[2] ? 2 + @n : x[1] ? 1 + @n : x[0] ? "
         "@n : @k; endfunction assign d = f(a) * f(@1); endmodule"},
        {"functions without their own variables", "module unit(@p); function [7:0] f(input [3:0] x); f = x * x; "
                                                  "endfunction assign d = f(f(@1)) + f(b); endmodule"},
        {"tasks", "module unit(@p); reg [3:0] t, u; task swap(input [3:0] x, output [3:0] y, inout [3:0] z); begin y = "
                  "z; z = x + @n; end endtask always @* begin t = 0; u = @1; swap(b, t, u); swap(u, u, t); end\n"
                  "  assign d = {t, u}; endmodule"},
        {"generate for",
         "module unit(@p); genvar i; wire [4:0] k; assign k[0] = c[0]; wire [3:0] s; wire [3:0] x = @1; generate "
         "for (i = 0; i < 4; i = i + 1) begin : bit_\n"
         "  assign s[i] = x[i] ^ b[i] ^ k[i]; assign k[i+1] = (x[i] & b[i]) | (k[i] & (x[i] ^ b[i])); "
         "end endgenerate assign d = {k[4], s}; endmodule"},
        {"generate if and case", "module unit(@p); genvar i; wire [7:0] t; generate for (i = 0; i < 4; i = i + 1) "
                                 "begin : g if (i == @n) assign t[2*i +: 2] = a[1:0] + b[1:0];\n"
                                 "  else case (i) 0, 2: assign t[2*i+1:2*i] = {a[i], c[i]}; default: assign t[2*i +: "
                                 "2] = b[i:i-1]; endcase end endgenerate assign d = t; endmodule"},
        {"latches", "module unit(@p); reg [3:0] t; always @* if (a[0]) t = @1; assign d = t; endmodule"},
        {"every path gives a value", "module unit(@p); reg [3:0] t; always @* begin if (a[0]) t = @1; if (!a[0]) t = "
                                     "b; end assign d = t; endmodule"},
        {"continuous order",
         "module unit(@p); wire [3:0] x, y; assign d = {y, x}; assign y = x + b; assign x = @1; endmodule"},
        {"several drivers of parts", "module unit(@p); reg [11:0] t; always @* t[3:0] = @1; always @* t[@n+5:4] = b; "
                                     "assign d = t[@n+5:0]; endmodule"},
        // ---- clocks
        {"order of <=",
         "module unit(@p); reg [3:0] t, u; always @(posedge clk) begin t <= @1; u <= b; t[@n] <= c[0]; if (a[0]) u <= "
         "t & 0; end assign d = {t, u}; endmodule",
         "", true},
        {"<= and the new value",
         "module unit(@p); reg [3:0] t; reg [7:0] u; always @(posedge clk) begin : p reg [3:0] v; v = @1 + c; t <= v; "
         "v = v ^ b; u <= {v, a}; end assign d = {t, u}; endmodule",
         "", true},
        {"first values of registers",
         "module unit(@p); reg [3:0] t = @k; reg [3:0] u = @n; always @(posedge clk) t <= @1; assign d = {t, u}; "
         "endmodule",
         "", true},
        {"enables",
         "module unit(@p); reg [3:0] t; always @(posedge clk) if (a[0]) t <= @1; else t <= b - c; assign d = t; "
         "endmodule",
         "", true},
        {"part by part",
         "module unit(@p); reg [7:0] t; always @(posedge clk) t[3:0] <= @1; always @(posedge clk) t[7:4] <= t[3:0] & 0 "
         "| b; assign d = t; endmodule",
         "", true},
    };
    return table;
}

/// The trait's two texts, with everything that is open drawn. @param expression  draws one over a, b and c
struct Written {
    std::string text, plain;
};
inline Written written(const Trait& trait, Random& random, const std::function<std::string(Random&)>& expression) {
    std::map<char, std::string> holes;
    holes['p'] = std::string(trait.is_clocked ? "input wire clk, " : "") +
                 "input wire [3:0] a, input wire [3:0] b, input wire [3:0] c, output wire [11:0] d";
    for (const char hole : {'1', '2', '3'}) holes[hole] = expression(random);
    holes['n'] = std::to_string(random.between(1, 3));
    holes['k'] = std::to_string(random.below(16));
    holes['h'] = "0123456789abcdef"[random.below(16)];
    holes['s'] = std::to_string(random.below(6));
    const auto filled = [&](const std::string& text) {
        std::string all;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto hole = text[i] == '@' && i + 1 < text.size() ? holes.find(text[i + 1]) : holes.end();
            if (hole == holes.end())
                all += text[i];
            else {
                all += hole->second;
                ++i;
            }
        }
        return all + "\n";
    };
    return {filled(trait.text), *trait.plain == '\0' ? "" : filled(trait.plain)};
}

} // namespace discern::rtl::testing
