// PULP's cvfpu: its dot product of two (ExSdotp) as a combinational module, from one format to one of twice the width,
// rounding to nearest even.
module pulp_sdotp import fpnew_pkg::*; #(parameter int SRC = 2, parameter int DST = 0,
   localparam int S = fpnew_pkg::fp_width(fp_format_e'(SRC)), localparam int D = fpnew_pkg::fp_width(fp_format_e'(DST)))
 (input logic [S-1:0] a0, b0, a1, b1, input logic [D-1:0] c, output logic [D-1:0] d);
  function automatic fmt_logic_t only(int f);
    fmt_logic_t r = '0; r[f] = 1'b1; return r;
  endfunction
  fpnew_sdotp_multi #(.SrcDotpFpFmtConfig(only(SRC)), .DstDotpFpFmtConfig(only(DST)), .NumPipeRegs(0)) i (
    .clk_i(1'b0), .rst_ni(1'b1), .sdotp_hart_id_i('0), .operand_a_i({{(D-S){1'b1}}, a0}), .operand_b_i(b0),
    .operand_c_i({{(D-S){1'b1}}, a1}), .operand_d_i(b1), .dst_operands_i(c), .is_boxed_i('1), .rnd_mode_i(RNE), .op_i(SDOTP), .op_mod_i(1'b0),
    .src_fmt_i(fp_format_e'(SRC)), .dst_fmt_i(fp_format_e'(DST)), .tag_i(1'b0), .mask_i(1'b1), .aux_i(1'b0), .in_valid_i(1'b1), .in_ready_o(), .flush_i(1'b0), .result_o(d), .status_o(),
    .extension_bit_o(), .tag_o(), .mask_o(), .aux_o(), .out_valid_o(), .out_ready_i(1'b1), .busy_o());
endmodule
