// NVDLA: a multiplier of its convolution core (cmac), which gives a product as two words that are added later. The low
// one of two products of 8 bits; 5500 is what later stages take off.
module nvdla_mul8 (
    input wire clk,
    input wire [7:0] a,
    input wire [7:0] b,
    output wire [15:0] d
);
    wire [31:0] x, y;
    NV_NVDLA_CMAC_CORE_MAC_mul unit (
        .nvdla_core_clk(clk), .nvdla_core_rstn(1'b1), .cfg_is_fp16(1'b0), .cfg_is_int8(1'b1), .cfg_reg_en(1'b1),
        .exp_sft(4'b0), .op_a_dat({8'b0, a}), .op_a_nz(2'b11), .op_a_pvld(1'b1), .op_b_dat({8'b0, b}),
        .op_b_nz(2'b11), .op_b_pvld(1'b1), .res_a(x), .res_b(y), .res_tag()
    );
    assign d = x[15:0] + y[15:0] - 16'h5500;
endmodule

// The sum of the words of a product of f16's significands, each of which was shifted by 4 times SHIFT bits. With SWAP,
// of b times a.
module nvdla_mul_f16 #(
    parameter [3:0] SHIFT = 0,
    parameter SWAP = 0
) (
    input wire clk,
    input wire [15:0] a,
    input wire [15:0] b,
    output wire [31:0] d
);
    wire [31:0] x, y;
    wire [15:0] a_significand = {6'b1, a[9:0]}, b_significand = {6'b1, b[9:0]};
    NV_NVDLA_CMAC_CORE_MAC_mul unit (
        .nvdla_core_clk(clk), .nvdla_core_rstn(1'b1), .cfg_is_fp16(1'b1), .cfg_is_int8(1'b0), .cfg_reg_en(1'b1),
        .exp_sft(SHIFT), .op_a_dat(SWAP ? b_significand : a_significand), .op_a_nz(2'b11), .op_a_pvld(1'b1),
        .op_b_dat(SWAP ? a_significand : b_significand), .op_b_nz(2'b11), .op_b_pvld(1'b1), .res_a(x), .res_b(y),
        .res_tag()
    );
    assign d = x + y;
endmodule
