// An exact sum with registers: d = c + a0·b0 + a1·b1, bf16 and f32, rounded once, to nearest even. It is
// cdna1/v_mfma_f32_4x4x2bf16, and takes three edges of the clock:
//
//     discern prove cdna1/v_mfma_f32_4x4x2bf16 rtl:docs/examples/rtl/exact_bf16.sv --top exact_bf16 \
//         --clock clk --reset rst_n=0 --cycles 3 --map 'a=a0+a1,b=b0+b1'
//
// The register of the sum is relative to the largest exponent E and has 522 places below it: bf16 products reach that
// far. A unit of silicon would cut them; this one is a reference.
module exact_bf16 (
    input  wire        clk,
    input  wire        rst_n,
    input  wire [15:0] a0,
    input  wire [15:0] a1,
    input  wire [15:0] b0,
    input  wire [15:0] b1,
    input  wire [31:0] c,
    output reg  [31:0] d
);
  // ---- 1. Products, and the largest exponent. Exponents count from -256; magnitudes have 14 places
  // below that, c has 23.
  wire [15:0] x[0:1], y[0:1];
  assign x[0] = a0;
  assign x[1] = a1;
  assign y[0] = b0;
  assign y[1] = b1;

  wire [15:0] magnitude[0:1];
  wire [9:0] exponent[0:2];
  wire [2:0] negative, nan, infinite, zero;
  genvar k;
  generate
    for (k = 0; k < 2; k = k + 1) begin : product
      wire normal_x = x[k][14:7] != 0;
      wire normal_y = y[k][14:7] != 0;
      wire special_x = x[k][14:7] == 8'hff;
      wire special_y = y[k][14:7] == 8'hff;
      assign magnitude[k] = {8'd0, normal_x, x[k][6:0]} * {8'd0, normal_y, y[k][6:0]};
      assign exponent[k] = {2'b0, x[k][14:8], x[k][7] | ~normal_x} + {2'b0, y[k][14:8], y[k][7] | ~normal_y} + 10'd2;
      assign negative[k] = x[k][15] ^ y[k][15];
      assign zero[k] = magnitude[k] == 0;
      assign nan[k] = (special_x && x[k][6:0] != 0) || (special_y && y[k][6:0] != 0) ||
                      ((special_x || special_y) && (x[k][14:0] == 0 || y[k][14:0] == 0));
      assign infinite[k] = special_x || special_y;
    end
  endgenerate
  wire normal_c = c[30:23] != 0;
  assign exponent[2] = {2'b0, c[30:24], c[23] | ~normal_c} + 10'd129;
  assign negative[2] = c[31];
  assign zero[2] = c[30:0] == 0;
  assign nan[2] = c[30:23] == 8'hff && c[22:0] != 0;
  assign infinite[2] = c[30:23] == 8'hff;

  wire [9:0] rank_0 = zero[0] ? 10'd0 : exponent[0];
  wire [9:0] rank_1 = zero[1] ? 10'd0 : exponent[1];
  wire [9:0] rank_c = zero[2] ? 10'd0 : exponent[2];
  wire [9:0] rank_01 = rank_0 < rank_1 ? rank_1 : rank_0;
  wire [9:0] largest = rank_01 < rank_c ? rank_c : rank_01;

  reg [15:0] magnitude_0, magnitude_1;
  reg [23:0] magnitude_c;
  reg [9:0] E_1;
  reg [8:0] shift_0, shift_1, shift_c;
  reg [2:0] negative_1;
  reg is_nan_1, plus_1, minus_1;
  always @(posedge clk) begin
    magnitude_0 <= magnitude[0];
    magnitude_1 <= magnitude[1];
    magnitude_c <= {normal_c, c[22:0]};
    E_1 <= largest;
    shift_0 <= largest[8:0] - exponent[0][8:0];
    shift_1 <= largest[8:0] - exponent[1][8:0];
    shift_c <= largest[8:0] - exponent[2][8:0];
    negative_1 <= negative;
    is_nan_1 <= nan != 0 || (|(infinite & ~negative) && |(infinite & negative));
    plus_1 <= |(infinite & ~negative);
    minus_1 <= |(infinite & negative);
  end

  // ---- 2. Alignment, without loss, and the sum.
  wire [523:0] aligned_0 = {magnitude_0, 508'd0} >> shift_0;
  wire [523:0] aligned_1 = {magnitude_1, 508'd0} >> shift_1;
  wire [405:0] aligned_c = {magnitude_c, 382'd0} >> shift_c; // c has 405 places at most
  wire [524:0] term_0 = negative_1[0] ? -{1'd0, aligned_0} : {1'd0, aligned_0};
  wire [524:0] term_1 = negative_1[1] ? -{1'd0, aligned_1} : {1'd0, aligned_1};
  wire [406:0] term_c = negative_1[2] ? -{1'd0, aligned_c} : {1'd0, aligned_c};
  wire [526:0] sum = {{2{term_0[524]}}, term_0} + {{2{term_1[524]}}, term_1} + {{3{term_c[406]}}, term_c, 117'd0};

  reg [526:0] total_2;
  reg [9:0] E_2;
  reg minus_total_2, is_nan_2, plus_2, minus_2;
  always @(posedge clk) begin
    total_2 <= sum[526] ? -sum : sum;
    minus_total_2 <= sum[526];
    E_2 <= E_1;
    is_nan_2 <= is_nan_1;
    plus_2 <= plus_1;
    minus_2 <= minus_1;
  end

  // ---- 3. Normalisation, stage by stage, and rounding.
  wire [526:0] top[0:10];
  wire [9:0] zeros;
  assign top[10] = total_2;
  generate
    for (k = 9; k >= 0; k = k - 1) begin : normalisation
      assign zeros[k] = top[k+1][526-:(k == 9 ? 512 : 2 ** k)] == 0;
      assign top[k] = zeros[k] ? top[k+1] << 2 ** k : top[k+1];
    end
  endgenerate
  // Exponents count from -266, that of the last place of the smallest product; the smallest normal number has -126. They
  // are of no importance where the sum is zero.
  wire [9:0] exponent_of_top = E_2 + 10'd14 - zeros;
  wire subnormal = exponent_of_top < 10'd140;
  wire [9:0] place = subnormal ? 10'd140 : exponent_of_top;
  wire [9:0] down = place - exponent_of_top;
  wire [24:0] limited = top[0][526:502] >> down;
  wire sticky = top[0][501:0] != 0 || (top[0][526:502] & ~(25'h1ffffff << down)) != 0;
  wire [24:0] rounded = {1'b0, limited[24:1]} + {24'd0, limited[0] && (sticky || limited[1])};
  wire [9:0] exponent_of_d = place + {9'd0, rounded[24]};
  wire [7:0] field = rounded[24:23] != 0 ? exponent_of_d[7:0] - 8'd139 : 8'd0;

  always @(posedge clk or negedge rst_n)
    if (!rst_n) d <= 0;
    else
      d <= is_nan_2 ? 32'h7fc00000
         : plus_2 ? 32'h7f800000
         : minus_2 ? 32'hff800000
         : total_2 == 0 ? 32'h00000000
         : exponent_of_d > 10'd393 ? {minus_total_2, 31'h7f800000}
         : {minus_total_2, field, rounded[22:0]};
endmodule
