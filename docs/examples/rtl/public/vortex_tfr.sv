// Vortex: the dot product of its tensor core unit as a module of one format of factors, c and d being f32; N words of
// 32 bits hold the factors.
module vortex_tfr import VX_tcu_pkg::*; #(parameter int FMT = 1, parameter int N = 2)
 (input logic clk, input logic [N-1:0][31:0] a, b, input logic [31:0] c, output logic [31:0] d);
  VX_tcu_fedp_tfr #(.LATENCY(0), .N(N)) i (
    .clk(clk), .reset(1'b0), .enable(1'b1), .vld_mask('1), .fmt_s(4'(FMT)), .fmt_d(4'd0), .a_row(a), .b_col(b), .c_val(c), .d_val(d));
endmodule
