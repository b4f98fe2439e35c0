// The cvfpu of the OpenHW Group: its multiply-add as a combinational module of one format and rounding mode, with its
// status flags in the order of fflags.
module openhw_fma import fpnew_pkg::*; #(parameter int FMT = 0, MODE = 0, localparam int W = fpnew_pkg::fp_width(fp_format_e'(FMT)))
 (input logic [W-1:0] a, b, c, output logic [W-1:0] d, output logic [4:0] flags);
  status_t s;
  fpnew_fma #(.FpFormat(fp_format_e'(FMT)), .NumPipeRegs(0)) i (
    .clk_i(1'b0), .rst_ni(1'b1), .operands_i({c, b, a}), .is_boxed_i('1), .rnd_mode_i(roundmode_e'(MODE)), .op_i(FMADD), .op_mod_i(1'b0),
    .tag_i(1'b0), .mask_i(1'b1), .aux_i(1'b0), .in_valid_i(1'b1), .in_ready_o(), .flush_i(1'b0), .result_o(d), .status_o(s),
    .extension_bit_o(), .tag_o(), .mask_o(), .aux_o(), .out_valid_o(), .out_ready_i(1'b1), .busy_o(), .reg_ena_i(1'b0));
  assign flags = {s.NV, s.DZ, s.OF, s.UF, s.NX};
endmodule
