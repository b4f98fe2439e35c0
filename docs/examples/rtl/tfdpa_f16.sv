// A truncated fused dot product as a hardware team writes it: four products of f16 numbers and c, d in f16.
//
// All five terms are aligned at the largest exponent E, at least -19, cut toward zero to 23 places below it and added
// exactly; the sum is rounded to nearest even. It is volta/mma.m8n8k4.f16.f16.f16.f16:
//
//     discern prove volta/mma.m8n8k4.f16.f16.f16.f16 rtl:docs/examples/rtl/tfdpa_f16.sv --top tfdpa_f16
//
// With WHOLE_STICKY = 0 it has a mistake that random vectors do not meet: where the result is subnormal the significand is
// shifted right once more, by up to 31 places, and the mask of what that shift loses is made of three bits of the amount
// only. From eight places on, bits are missing in the sticky bit, so that a little more than half a last place is taken
// for a tie.
module tfdpa_f16 #(
    parameter WHOLE_STICKY = 1
) (
    input  wire [63:0] a,
    input  wire [63:0] b,
    input  wire [15:0] c,
    output wire [15:0] d
);
  // 1. The terms. A subnormal has the exponent of the smallest normal number and no hidden bit. Exponents count from -30,
  // the smallest that a product has. Magnitudes have 20 places below the exponent's; c, with 10, is moved up.
  wire [21:0] magnitude[0:4];
  wire [5:0] exponent[0:4];
  wire [4:0] negative, nan, infinite;

  genvar k;
  generate
    for (k = 0; k < 4; k = k + 1) begin : product
      wire [15:0] x = a[16*k+:16];
      wire [15:0] y = b[16*k+:16];
      wire normal_x = x[14:10] != 0;
      wire normal_y = y[14:10] != 0;
      wire [10:0] significand_x = {normal_x, x[9:0]};
      wire [10:0] significand_y = {normal_y, y[9:0]};
      wire special_x = x[14:10] == 31;
      wire special_y = y[14:10] == 31;
      wire zero = x[14:0] == 0 || y[14:0] == 0;
      assign magnitude[k] = {11'd0, significand_x} * {11'd0, significand_y};
      assign exponent[k] = {1'b0, x[14:11], x[10] | ~normal_x} + {1'b0, y[14:11], y[10] | ~normal_y};
      assign negative[k] = x[15] ^ y[15];
      assign nan[k] = (special_x && x[9:0] != 0) || (special_y && y[9:0] != 0) || ((special_x || special_y) && zero);
      assign infinite[k] = special_x || special_y;
    end
  endgenerate
  wire normal_c = c[14:10] != 0;
  assign magnitude[4] = {1'b0, normal_c, c[9:0], 10'd0};
  assign exponent[4] = {1'b0, c[14:11], c[10] | ~normal_c} + 6'd15;
  assign negative[4] = c[15];
  assign nan[4] = c[14:10] == 31 && c[9:0] != 0;
  assign infinite[4] = c[14:10] == 31;

  // 2. The largest exponent of those that are not zero, and -19.
  wire [5:0] rank[0:4];
  generate
    for (k = 0; k < 5; k = k + 1) begin : ranked
      assign rank[k] = magnitude[k] == 0 ? 6'd0 : exponent[k];
    end
  endgenerate
  wire [5:0] largest_01 = rank[0] < rank[1] ? rank[1] : rank[0];
  wire [5:0] largest_23 = rank[2] < rank[3] ? rank[3] : rank[2];
  wire [5:0] largest_4 = rank[4] < 6'd11 ? 6'd11 : rank[4];
  wire [5:0] largest_0123 = largest_01 < largest_23 ? largest_23 : largest_01;
  wire [5:0] E = largest_0123 < largest_4 ? largest_4 : largest_0123;

  // 3. Alignment: cut toward zero at 23 places.  4. The sum.
  wire [28:0] aligned[0:4];
  generate
    for (k = 0; k < 5; k = k + 1) begin : alignment
      wire [5:0] shift = E - exponent[k];
      wire [24:0] shifted = {magnitude[k], 3'd0} >> shift;
      assign aligned[k] = negative[k] ? -{4'd0, shifted} : {4'd0, shifted};
    end
  endgenerate
  wire [28:0] sum = aligned[0] + aligned[1] + aligned[2] + aligned[3] + aligned[4];
  wire minus = sum[28];
  wire [28:0] total = minus ? -sum : sum;

  // 5. Normalisation: the highest bit to the top.
  wire [28:0] by_16 = total[28:13] == 0 ? {total[12:0], 16'd0} : total;
  wire [28:0] by_8 = by_16[28:21] == 0 ? {by_16[20:0], 8'd0} : by_16;
  wire [28:0] by_4 = by_8[28:25] == 0 ? {by_8[24:0], 4'd0} : by_8;
  wire [28:0] by_2 = by_4[28:27] == 0 ? {by_4[26:0], 2'd0} : by_4;
  wire [28:0] top = by_2[28] ? by_2 : {by_2[27:0], 1'b0};
  wire [4:0] zeros = {total[28:13] == 0, by_16[28:21] == 0, by_8[28:25] == 0, by_4[28:27] == 0, ~by_2[28]};

  // 6. Where the result is subnormal, its last place stays where it is. Exponents count from -48 here.
  wire [6:0] exponent_of_top = {1'b0, E} - {2'd0, zeros} + 7'd23;
  wire subnormal = exponent_of_top < 7'd34;
  wire [6:0] place = subnormal ? 7'd34 : exponent_of_top;
  wire [6:0] down = place - exponent_of_top;
  wire [11:0] limited = top[28:17] >> down;
  wire below = top[16:0] != 0;
  wire [11:0] kept = 12'hfff << (WHOLE_STICKY != 0 ? down : {4'd0, down[2:0]});
  wire sticky = below || (top[28:17] & ~kept) != 0;

  // 7. Rounding to nearest even, and the pattern.
  wire [11:0] rounded = {1'b0, limited[11:1]} + {11'd0, limited[0] && (sticky || limited[1])};
  wire [6:0] exponent_of_d = place + {6'd0, rounded[11]};
  wire normal_d = rounded[11:10] != 0;
  wire [4:0] field = normal_d ? exponent_of_d[4:0] - 5'd1 : 5'd0; // from -15
  wire plus_infinity = |(infinite & ~negative);
  wire minus_infinity = |(infinite & negative);
  assign d = (nan != 0 || (plus_infinity && minus_infinity)) ? 16'h7fff
           : plus_infinity ? 16'h7c00
           : minus_infinity ? 16'hfc00
           : rounded == 0 ? 16'h0000
           : exponent_of_d > 7'd63 ? {minus, 15'h7c00}
           : {minus, field, rounded[9:0]};
endmodule
