// A truncated dot product of four bf16 products and c, in f32, in three stages, as a hardware team would write it: it
// shares no text with the exports of discern nor with docs/examples/rtl. It is
// ampere/mma.m16n8k8.f32.bf16.bf16.f32{K=4}, two edges of the clock after its operands.
//
// With LOST_CARRY=1 the sum has two bits too few, which large terms of one sign show.
module dot4_bf16 #(
    parameter LOST_CARRY = 0
) (
    input  wire        clock,
    input  wire [15:0] x0, x1, x2, x3,
    input  wire [15:0] y0, y1, y2, y3,
    input  wire [31:0] acc,
    output reg  [31:0] out
);
  localparam F = 24;            // places kept below the largest exponent
  localparam BIAS = 10'd300;    // exponents count from -300
  localparam FLOOR = 10'd168;   // -132

  // ---- First stage: products, and the largest exponent.
  // A product has 14 places below its exponent, c has 23.
  wire [63:0] x = {x3, x2, x1, x0};
  wire [63:0] y = {y3, y2, y1, y0};
  reg [23:0] m_q[0:4];
  reg [9:0] e_q[0:4], largest_q;
  reg [4:0] minus_q;
  reg nan_q, plus_q, less_q;

  wire [15:0] product[0:3];
  wire [9:0] e[0:4];
  wire [4:0] minus, quiet, inf, zero;
  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : lane
      wire [7:0] ex = x[16*i+7+:8];
      wire [7:0] ey = y[16*i+7+:8];
      wire [6:0] fx = x[16*i+:7];
      wire [6:0] fy = y[16*i+:7];
      assign product[i] = {8'b0, |ex, fx} * {8'b0, |ey, fy};
      assign e[i] = {2'b0, ex | {7'b0, ~|ex}} + {2'b0, ey | {7'b0, ~|ey}} + BIAS - 10'd254;
      assign minus[i] = x[16*i+15] ^ y[16*i+15];
      assign zero[i] = ~|product[i];
      assign inf[i] = &ex | &ey;
      assign quiet[i] = (&ex & |fx) | (&ey & |fy) | (&ex & ~|{ey, fy}) | (&ey & ~|{ex, fx});
    end
  endgenerate
  assign e[4] = {2'b0, acc[30:23] | {7'b0, ~|acc[30:23]}} + BIAS - 10'd127;
  assign minus[4] = acc[31];
  assign zero[4] = ~|acc[30:0];
  assign inf[4] = &acc[30:23];
  assign quiet[4] = &acc[30:23] & |acc[22:0];

  function [9:0] larger(input [9:0] one, input [9:0] other);
    larger = one > other ? one : other;
  endfunction
  wire [9:0] pair0 = larger(zero[0] ? FLOOR : e[0], zero[1] ? FLOOR : e[1]);
  wire [9:0] pair1 = larger(zero[2] ? FLOOR : e[2], zero[3] ? FLOOR : e[3]);
  wire [9:0] of_products = larger(pair0, pair1);
  wire [9:0] of_all = larger(of_products, zero[4] ? FLOOR : e[4]);

  integer n;
  always @(posedge clock) begin
    for (n = 0; n < 4; n = n + 1) m_q[n] <= {product[n], 8'b0};
    m_q[4] <= {~|acc[30:23] ? 1'b0 : 1'b1, acc[22:0]};
    for (n = 0; n < 5; n = n + 1) e_q[n] <= e[n];
    largest_q <= larger(of_all, FLOOR);
    minus_q <= minus;
    nan_q <= |quiet | (|(inf & minus) & |(inf & ~minus));
    plus_q <= |(inf & ~minus);
    less_q <= |(inf & minus);
  end

  // ---- Second stage: alignment toward zero, and the sum in two's complement, as a tree.
  // Lane i has 22 places below its exponent, c 23; the sum has F.
  wire signed [29:0] term[0:4];
  generate
    for (i = 0; i < 5; i = i + 1) begin : align
      wire [9:0] down = largest_q - e_q[i];
      wire [25:0] wide = i < 4 ? {m_q[i], 2'b0} : {1'b0, m_q[i], 1'b0};
      wire [25:0] kept = down > 10'd26 ? 26'b0 : wide >> down;
      assign term[i] = minus_q[i] ? -$signed({4'b0, kept}) : $signed({4'b0, kept});
    end
  endgenerate
  wire signed [29:0] half0 = term[0] + term[1];
  wire signed [29:0] half1 = term[2] + term[3];
  wire signed [29:0] whole = half0 + half1 + term[4];
  wire signed [29:0] kept_sum = LOST_CARRY ? {{2{whole[27]}}, whole[27:0]} : whole;
  wire [28:0] magnitude = kept_sum[29] ? -kept_sum : kept_sum;
  wire below = kept_sum[29];

  // ---- Third stage: normalisation, toward zero.
  reg [4:0] top;
  always @* begin
    top = 0;
    for (n = 0; n < 29; n = n + 1) if (magnitude[n]) top = n;
  end
  // The exponent of the leading bit, biased as f32 does: at least 1, where a result is subnormal.
  wire signed [11:0] biased = $signed({2'b0, largest_q}) + $signed({7'b0, top}) - 12'sd197;
  wire signed [11:0] limited = biased < 1 ? 12'sd1 : biased;
  wire signed [11:0] shift = limited - $signed({2'b0, largest_q}) + 12'sd174; // to the right, or left if negative
  wire [28:0] moved = shift < 0 ? magnitude << -shift : magnitude >> shift;
  always @(posedge clock)
    if (nan_q) out <= 32'h7fffffff;
    else if (plus_q | less_q) out <= {less_q, 8'hff, 23'b0};
    else if (~|moved) out <= 32'b0;
    else if (limited > 254) out <= {below, 8'hff, 23'b0};
    else out <= {below, moved[23] ? limited[7:0] : 8'b0, moved[22:0]};
endmodule
