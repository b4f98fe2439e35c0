// HardFloat: its multiply-add between its own format of numbers and that of IEEE 754, rounding to nearest even.
module hardfloat_fma #(
    parameter integer E = 5,
    parameter integer S = 11
) (
    input wire [E+S-1:0] a,
    input wire [E+S-1:0] b,
    input wire [E+S-1:0] c,
    output wire [E+S-1:0] d
);
    wire [E+S:0] recoded_a, recoded_b, recoded_c, recoded_d;
    fNToRecFN #(E, S) read_a (a, recoded_a);
    fNToRecFN #(E, S) read_b (b, recoded_b);
    fNToRecFN #(E, S) read_c (c, recoded_c);
    mulAddRecFN #(.expWidth(E), .sigWidth(S)) unit (
        .clock(1'b0), .control(1'b0), .op(3'b0), .a(recoded_a), .b(recoded_b), .c(recoded_c), .roundingMode(3'b0),
        .out(recoded_d), .exceptionFlags(), .out_imul()
    );
    recFNToFN #(E, S) write_d (recoded_d, d);
endmodule

// In the place of BaseJump STL's chain of registers, which is not part of HardFloat: of no stage, it is a wire.
module bsg_dff_chain #(
    parameter width_p = 1,
    parameter num_stages_p = 0
) (
    input wire clk_i,
    input wire [width_p-1:0] data_i,
    output wire [width_p-1:0] data_o
);
    assign data_o = data_i;
endmodule

// The same of its counter of leading zeros.
module bsg_counting_leading_zeros #(
    parameter width_p = 8,
    parameter num_zero_width_lp = $clog2(width_p + 1)
) (
    input wire [width_p-1:0] a_i,
    output reg [num_zero_width_lp-1:0] num_zero_o
);
    integer i;
    always @* begin
        num_zero_o = width_p;
        for (i = 0; i < width_p; i = i + 1) if (a_i[i]) num_zero_o = width_p - 1 - i;
    end
endmodule

// The same of its multiply-add of integers, without its registers.
module bsg_mul_add_unsigned #(
    parameter width_a_p = 1,
    parameter width_b_p = 1,
    parameter width_c_p = 1,
    parameter width_o_p = 1,
    parameter pipeline_p = 0
) (
    input wire clk_i,
    input wire [width_a_p-1:0] a_i,
    input wire [width_b_p-1:0] b_i,
    input wire [width_c_p-1:0] c_i,
    output wire [width_o_p-1:0] o
);
    assign o = a_i * b_i + c_i;
endmodule
