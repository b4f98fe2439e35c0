// PULP's cvfpu: its multiply-add of several formats as a combinational module with factors of one and c and d of
// another, wider one, rounding to nearest even.
module pulp_fma_multi import fpnew_pkg::*; #(parameter int SRC = 2, parameter int DST = 0,
   localparam int S = fpnew_pkg::fp_width(fp_format_e'(SRC)), localparam int D = fpnew_pkg::fp_width(fp_format_e'(DST)))
 (input logic [S-1:0] a, b, input logic [D-1:0] c, output logic [D-1:0] d);
  function automatic fmt_logic_t both(int f, int g);
    fmt_logic_t r = '0; r[f] = 1'b1; r[g] = 1'b1; return r;
  endfunction
  fpnew_fma_multi #(.FpFmtConfig(both(SRC, DST)), .NumPipeRegs(0)) i (
    .clk_i(1'b0), .rst_ni(1'b1), .operands_i({c, {(D-S){1'b1}}, b, {(D-S){1'b1}}, a}), .is_boxed_i('1), .rnd_mode_i(RNE),
    .op_i(FMADD), .op_mod_i(1'b0), .src_fmt_i(fp_format_e'(SRC)), .dst_fmt_i(fp_format_e'(DST)), .tag_i(1'b0), .mask_i(1'b1),
    .aux_i(1'b0), .in_valid_i(1'b1), .in_ready_o(), .flush_i(1'b0), .result_o(d), .status_o(), .extension_bit_o(), .tag_o(),
    .mask_o(), .aux_o(), .out_valid_o(), .out_ready_i(1'b1), .busy_o());
endmodule
