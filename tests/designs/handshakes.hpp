// Designs with a handshake for tests: registers of several kinds around a small unit, right ones and wrong ones.
#pragma once

#include "made.hpp"

#include <string>
#include <vector>

namespace discern::rtl::testing {

/// The unit y of x, w and z, with registers around it.
inline MadeDesign with_handshake(const std::string& body) {
    return MadeDesign(to_systemverilog({resolve_unit(smallest), "a unit", "a test", false}) +
                      "module unit(input wire clk, input wire rst, input wire iv, output wire ir, output wire ov,\n"
                      "  input wire orr, input wire [3:0] a, input wire [3:0] b, input wire [7:0] c,\n"
                      "  output wire [7:0] d);\n"
                      "  wire [7:0] y, z; wire [3:0] x, w; discern_unit of(.a(x), .b(w), .c(z), .d(y));\n" +
                      body + "\nendmodule\n");
}

inline ConnectionText handshake(int cycles, const char* ready = "ir,orr") {
    ConnectionText connection;
    connection.clock = "clk";
    connection.reset = "rst";
    connection.cycles = cycles;
    connection.valid = "iv,ov";
    connection.ready = ready;
    return connection;
}

/// Two stages that stand still together. @param stage  when the first one moves; @param result  … the second
inline std::string two_stages(const std::string& stage, const std::string& result, const std::string& valid = "v",
                              const std::string& at_reset = "u <= 0; v <= 0;") {
    return "reg u, v; reg [3:0] p, q; reg [7:0] r, s; wire go = !v || orr; assign ir = go, ov = " + valid +
           ", d = s, x = p, w = q, z = r;\nalways @(posedge clk) if (rst) begin " + at_reset +
           " end else begin if (go) begin u <= iv; v <= u; end\nif (" + stage +
           ") begin p <= a; q <= b; r <= c; end if (" + result + ") s <= y; end";
}

/// Two stages, the first of which holds x for one c, which a flag replaces. @param instead  by what
/// @param waits  what happens where the stages stand still
inline std::string with_x(const std::string& instead, const std::string& waits = "") {
    return "reg u, v, f; reg [3:0] p, q; reg [7:0] r, s; wire go = !v || orr; assign ir = go, ov = v, d = s,\n"
           "x = p, w = q, z = f ? " +
           instead +
           " : r;\nalways @(posedge clk) if (rst) begin u <= 0; v <= 0; end else if (go) begin\n"
           "u <= iv; v <= u; p <= a; q <= b; f <= c == 8'h55; r <= c == 8'h55 ? 8'bx : c; s <= y; end" +
           waits;
}

/// A register beside the result, for when it is taken too late to stop the operands. @param full  when it is filled
inline std::string with_skid(const std::string& full) {
    return "reg v, k; reg [7:0] s, t; assign x = a, w = b, z = c, ir = !k, ov = v, d = s;\n"
           "always @(posedge clk) if (rst) begin v <= 0; k <= 0; end else begin\n"
           "if (!v || orr) begin v <= k || (iv && ir); s <= k ? t : y; k <= 0; end\n"
           "else if (" +
           full + ") begin k <= 1; t <= y; end end";
}

/// Results in a memory of four.
inline std::string with_queue(const std::string& order, const std::string& full = "n == 4") {
    return "reg [7:0] m0, m1, m2, m3; reg [1:0] head, tail; reg [2:0] n; assign x = a, w = b, z = c;\n"
           "assign ir = !(" +
           full +
           "), ov = n != 0, d = tail == 0 ? m0 : tail == 1 ? m1 : tail == 2 ? m2 : m3;\n"
           "always @(posedge clk) if (rst) begin head <= 0; tail <= 0; n <= 0; end else begin\n"
           "n <= n + (iv && ir) - (ov && orr); if (ov && orr) tail <= " +
           order +
           "; if (iv && ir) begin head <= head + 1;\n"
           "if (head == 0) m0 <= y; if (head == 1) m1 <= y; if (head == 2) m2 <= y; if (head == 3) m3 <= y; end end";
}

struct RightHandshake {
    std::string body;
    ConnectionText connection;
};
/// Which give the results of their operands, whatever waits.
inline std::vector<RightHandshake> right_handshakes() {
    return {
        {two_stages("go", "go"), handshake(2)},
        {two_stages("go && iv", "go && u"), handshake(2)}, // only what is valid is kept
        {with_skid("iv && ir"), handshake(1)},
        {with_queue("tail + 1"), handshake(1)},
        {with_x("8'h55"), handshake(2)}, // x in a register is never seen
        // No registers.
        {"assign x = a, w = b, z = c, ir = orr, ov = iv, d = y; reg e; always @(posedge clk) e <= rst;", handshake(0)},
        // One operation at a time, of three edges.
        {"reg [1:0] n; reg [7:0] s; assign x = a, w = b, z = c, ir = n == 0, ov = n == 3, d = s;\n"
         "always @(posedge clk) if (rst) n <= 0; else if (n == 0) begin n <= iv; s <= y; end else if (n != 3 || orr)\n"
         "n <= n + 1;",
         handshake(3)},
        // Nothing can wait.
        {"reg v; reg [7:0] s; assign x = a, w = b, z = c, ir = 1, ov = v, d = s;\n"
         "always @(posedge clk) begin v <= iv && !rst; s <= y; end wire unused = orr;",
         [] {
             ConnectionText always = handshake(1, "");
             always.set = {"orr=1"};
             return always;
         }()},
    };
}

struct LosingHandshake {
    std::string body;
    int cycles;
    const char* wrong;
};
/// What is wrong of each; nothing: it is right; unknown: operands say what is valid.
inline std::vector<LosingHandshake> losing_handshakes() {
    return {
        {two_stages("1", "go"), 2, "is wrong"},      // a stage that does not stand still
        {two_stages("go", "1"), 2, "is wrong"},      // a result that is overwritten while it waits
        {two_stages("go", "go", "v && orr"), 2, ""}, // right: valid may wait for ready, and does not
        {two_stages("go", "go", "v && !(p == 3 && q == 3)"), 2, "unknown"}, // operands say what is valid
        {two_stages("go", "go", "v", "u <= 1; v <= 0;"), 2, "no operands"},
        {with_skid("iv && ir && !v"), 1, "lost"},
        {with_skid("iv"), 1, "is wrong"},
        {with_queue("tail + 1", "n == 5"), 1, "is wrong"}, // one too many
        {with_queue("tail ^ 1"), 1, "is wrong"},           // out of order
        {with_queue("n == 1 ? tail : tail + 1"), 1, "is wrong"},
        // It comes twice where it waited.
        {"reg v, k; reg [7:0] s; assign x = a, w = b, z = c, ir = !v || orr, ov = v, d = s;\n"
         "always @(posedge clk) if (rst) begin v <= 0; k <= 0; end else begin k <= v && !orr;\n"
         "if (ir) begin v <= iv || (k && !iv); if (iv) s <= y; end end",
         1, "no operands"},
        // It never comes where it waited.
        {"reg v; reg [7:0] s; assign x = a, w = b, z = c, ir = !v || orr, ov = v, d = s;\n"
         "always @(posedge clk) if (rst) v <= 0; else begin v <= iv && ir; if (ir) s <= y; end",
         1, "lost"},
        // One operation, and then never again.
        {"reg v, k; reg [7:0] s; assign x = a, w = b, z = c, ir = (!v || orr) && !k, ov = v, d = s;\n"
         "always @(posedge clk) if (rst) begin v <= 0; k <= 0; end else begin k <= k || (iv && ir);\n"
         "if (!v || orr) v <= iv && ir; if (ir) s <= y; end",
         1, "never taken again"},
        // … only where a result has waited for two edges.
        {"reg v, k, l; reg [7:0] s; assign x = a, w = b, z = c, ir = (!v || orr) && !l, ov = v, d = s;\n"
         "always @(posedge clk) if (rst) begin v <= 0; k <= 0; l <= 0; end else begin k <= v && !orr;\n"
         "l <= l || (k && v && !orr); if (!v || orr) v <= iv && ir; if (ir) s <= y; end",
         1, "never taken again"},
    };
}

/// One operation at a time, which waits for as many edges as a says. @param last  when it is done
/// @param at_reset, next  of a counter; @param ready  beside that nothing is on its way
inline std::string waiting(const std::string& last = "n == 0", const std::string& next = "n - 1",
                           const std::string& result = "s <= y;", const std::string& ready = "1") {
    return "reg busy, full, up; reg [1:0] n; reg [3:0] p, q; reg [7:0] r, s; assign ir = !busy && !full && (" + ready +
           "), ov = full, d = s, x = p, w = q, z = r;\n"
           "always @(posedge clk) if (rst) begin busy <= 0; full <= 0; up <= 0; end else begin up <= 1;\n"
           "if (iv && ir) begin busy <= 1; n <= a[1:0]; p <= a; q <= b; r <= c; end\n"
           "else if (busy) begin if (" +
           last + ") begin busy <= 0; full <= 1; " + result + " end else n <= " + next +
           "; end\nif (full && orr) full <= 0; end";
}

/// Whose latency depends on the operands, or which take the first ones only some edges after the reset.
inline std::vector<RightHandshake> iterative_handshakes() {
    return {
        {waiting(), handshake(5)},
        {waiting("n == 0", "n - 1", "s <= y;", "up"), handshake(5)},
        {waiting("1", "n", "s <= y;", "up"), handshake(2)},
        // The next operation is taken at the edge at which a result is.
        {"reg busy; reg [1:0] n; reg [3:0] p, q; reg [7:0] r; assign ov = busy && n == 0, ir = !busy || (ov && orr),\n"
         "d = y, x = p, w = q, z = r; always @(posedge clk) if (rst) busy <= 0; else if (ir) begin busy <= iv;\n"
         "n <= c[1:0]; p <= a; q <= b; r <= c; end else if (n != 0) n <= n - 1;",
         handshake(4)},
        // Zeros take a shorter way, and do not overtake.
        {"reg u, v, e; reg [3:0] p, q; reg [7:0] r, s; assign ir = (!u && !v) , ov = v, d = s, x = p, w = q, z = r;\n"
         "always @(posedge clk) if (rst) begin u <= 0; v <= 0; end else begin if (iv && ir) begin u <= 1; p <= a; q <= "
         "b;\n"
         "r <= c; e <= a[2:0] == 0 || b[2:0] == 0; end if (u) begin e <= 1; if (e) begin u <= 0; v <= 1; s <= y; end "
         "end\n"
         "if (v && orr) v <= 0; end",
         handshake(3)},
    };
}

/// The same with a mistake.
inline std::vector<LosingHandshake> losing_iterative_handshakes() {
    return {
        {waiting("n == 0", "n - 1", "s <= p == 7 ? y + 1 : y;"), 5, "is wrong"},
        {waiting("n == 0", "n - 1", "if (p != 7) s <= y;"), 5, "is wrong"},
        {waiting("n == 0", "n + 1 + (q != 9)"), 5, "late"},
        {waiting("n == 0 && q != 9"), 5, "late"},
        {waiting("n == 0", "n - 1", "s <= y;", "q != 9 || up && !(p == 3)"), 5, ""},
        {"reg busy; reg [1:0] n; reg [3:0] p, q; reg [7:0] r; assign ov = busy && n == 0, ir = !busy || ov,\n"
         "d = y, x = p, w = q, z = r; always @(posedge clk) if (rst) busy <= 0; else if (ir) begin busy <= iv;\n"
         "n <= c[1:0]; p <= a; q <= b; r <= c; end else if (n != 0) n <= n - 1;",
         4, "lost"},
    };
}

} // namespace discern::rtl::testing
