// A truncated fused dot product (T-FDPA) in SystemVerilog: d = c + the sum of K products of f16 numbers, in f32.
//
// All products and c are aligned at the largest exponent, at least FLOOR, cut toward zero to F bits below it, added
// exactly, and the sum is cut toward zero to f32. With the defaults it is hopper/wgmma.m64n8k16.f32.f16.f16. One
// combinational block, written to be read: a unit of silicon has pipeline registers between its five steps.
module tfdpa #(
    parameter int K = 16,
    parameter int F = 25,
    parameter int FLOOR = -133
) (
    input  logic [16*K-1:0] a,
    input  logic [16*K-1:0] b,
    input  logic [31:0]     c,
    output logic [31:0]     d
);
  localparam logic [31:0] NAN = 32'h7fffffff;

  // One term each: the products, and c at index K. value = magnitude * 2^(exponent - 23), negative or not.
  logic [23:0] magnitude[0:K];
  integer exponent[0:K];
  logic negative[0:K];
  logic nan, plus_infinity, minus_infinity;

  logic [15:0] x, y;
  logic [10:0] significand_x, significand_y;
  logic infinite;
  integer largest, top, last_place, shift, k;
  logic [63:0] aligned, total_magnitude;
  logic signed [63:0] total;

  always @* begin
    nan = 0;
    plus_infinity = 0;
    minus_infinity = 0;

    // 1. The terms. A subnormal has the exponent of the smallest normal number and no hidden bit.
    for (k = 0; k <= K; k = k + 1) begin
      if (k < K) begin
        x = a[16*k+:16];
        y = b[16*k+:16];
        significand_x = {x[14:10] != 0, x[9:0]};
        significand_y = {y[14:10] != 0, y[9:0]};
        // The product of two significands has 20 fraction bits, not 23: its exponent is counted three higher.
        magnitude[k] = significand_x * significand_y;
        exponent[k] = (x[14:10] != 0 ? x[14:10] : 1) + (y[14:10] != 0 ? y[14:10] : 1) - 30 + 3;
        negative[k] = x[15] ^ y[15];
        infinite = x[14:10] == 31 || y[14:10] == 31;
        if ((x[14:10] == 31 && x[9:0] != 0) || (y[14:10] == 31 && y[9:0] != 0)) nan = 1;
        if (infinite && (x[14:0] == 0 || y[14:0] == 0)) nan = 1;
      end else begin
        magnitude[k] = {c[30:23] != 0, c[22:0]};
        exponent[k] = (c[30:23] != 0 ? c[30:23] : 1) - 127;
        negative[k] = c[31];
        infinite = c[30:23] == 255;
        if (infinite && c[22:0] != 0) nan = 1;
      end
      if (infinite && !negative[k]) plus_infinity = 1;
      if (infinite && negative[k]) minus_infinity = 1;
    end

    // 2. The largest exponent of those that are not zero, that of a product without the three.
    largest = FLOOR;
    for (k = 0; k <= K; k = k + 1)
      if (magnitude[k] != 0 && exponent[k] - (k < K ? 3 : 0) > largest) largest = exponent[k] - (k < K ? 3 : 0);
    last_place = largest - F;

    // 3. Alignment: cut toward zero at 2^last_place.  4. The sum.
    total = 0;
    for (k = 0; k <= K; k = k + 1) begin
      shift = exponent[k] - 23 - last_place;
      if (shift >= 0) aligned = {40'b0, magnitude[k]} << shift;
      else if (shift > -64) aligned = {40'b0, magnitude[k]} >> -shift;
      else aligned = 0;
      total = negative[k] ? total - $signed(aligned) : total + $signed(aligned);
    end

    // 5. Normalisation, cut toward zero to 24 bits, or fewer where the result is subnormal.
    total_magnitude = total < 0 ? -total : total;
    top = 0;
    for (k = 0; k < 63; k = k + 1) if (total_magnitude[k]) top = k;
    shift = top + last_place >= -126 ? top - 23 : -149 - last_place;
    if (shift >= 0) aligned = total_magnitude >> shift;
    else aligned = total_magnitude << -shift;
    if (aligned == 0) d = 0;
    else if (top + last_place > 127) d = {total < 0, 8'hff, 23'b0};
    else if (aligned[23]) d = {total < 0, 8'(top + last_place + 127), aligned[22:0]};
    else d = {total < 0, 8'h00, aligned[22:0]};

    if (plus_infinity || minus_infinity) d = {minus_infinity, 8'hff, 23'b0};
    if (nan || (plus_infinity && minus_infinity)) d = NAN;
  end
endmodule
