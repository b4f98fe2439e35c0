// A fused multiply-add, d = a·b + c rounded once to nearest even, in an IEEE format of E exponent and M fraction bits,
// with subnormal numbers. It is written as hardware teams write it, and not as discern's reference circuit is: c is
// aligned to the product, not both to the larger exponent, what falls out at the right is one bit, and the sum is one
// addition of sign and magnitude.
//
// With STICKY = 0 it has a mistake: of a subtrahend that is shifted out, nothing is left.
module fma #(
    parameter integer E = 5,
    parameter integer M = 10,
    parameter integer STICKY = 1
) (
    input wire [E+M:0] a,
    input wire [E+M:0] b,
    input wire [E+M:0] c,
    output wire [E+M:0] d
);
    localparam P = M + 1;              // bits of a significand
    localparam BELOW = P + 2;          // of the window, below the product's last bit
    localparam HIGHEST = BELOW + 2 * P + 2; // where c's last bit can be at most
    localparam W = HIGHEST + P + 1;    // of the window
    localparam BIAS = (1 << (E - 1)) - 1;
    localparam [E+M:0] NAN = {1'b0, {E{1'b1}}, 1'b1, {(M - 1) {1'b0}}};
    localparam [E+M-1:0] INFINITY = {{E{1'b1}}, {M{1'b0}}};

    // Operands. The exponent field of subnormal numbers counts as 1.
    wire a_normal = |a[E+M-1:M], b_normal = |b[E+M-1:M], c_normal = |c[E+M-1:M];
    wire [P-1:0] a_significand = {a_normal, a[M-1:0]}, b_significand = {b_normal, b[M-1:0]}, c_significand = {c_normal, c[M-1:0]};
    wire signed [15:0] a_exponent = $signed({1'b0, a[E+M-1:M]}) + $signed({1'b0, !a_normal});
    wire signed [15:0] b_exponent = $signed({1'b0, b[E+M-1:M]}) + $signed({1'b0, !b_normal});
    wire signed [15:0] c_exponent = $signed({1'b0, c[E+M-1:M]}) + $signed({1'b0, !c_normal});
    wire a_special = &a[E+M-1:M], b_special = &b[E+M-1:M], c_special = &c[E+M-1:M];
    wire a_nan = a_special && |a[M-1:0], b_nan = b_special && |b[M-1:0], c_nan = c_special && |c[M-1:0];
    wire a_zero = a_significand == 0, b_zero = b_significand == 0, c_zero = c_significand == 0;

    // The product, and c relative to it. Exponents are those of the last bits, plus the bias.
    wire product_sign = a[E+M] ^ b[E+M], c_sign = c[E+M];
    wire [2*P-1:0] product = a_significand * b_significand;
    wire signed [15:0] product_last = a_exponent + b_exponent - BIAS - 2 * M;
    wire signed [15:0] c_last = c_exponent - M;
    wire signed [15:0] distance = c_last - product_last;
    wire c_dominates = distance > 2 * P + 2; // the product is less than a quarter of c's last bit
    wire signed [15:0] place = c_dominates ? HIGHEST : distance + BELOW;
    wire [15:0] right = place < 0 ? -place : 0;
    wire [15:0] left = place < 0 ? 0 : place;
    wire [W-1:0] product_aligned = c_dominates ? {{(W - 1) {1'b0}}, 1'b1} : {{(W - BELOW - 2 * P) {1'b0}}, product, {BELOW{1'b0}}};
    wire [W-1:0] c_wide = {{(W - P) {1'b0}}, c_significand};
    wire [W-1:0] c_aligned = (c_wide << left) >> right;
    wire [W-1:0] c_kept = c_aligned << right;
    wire lost = right > 0 && c_kept != c_wide && STICKY != 0;
    wire signed [15:0] last = c_dominates ? c_last - HIGHEST : product_last - BELOW;

    // The sum.
    wire subtract = product_sign ^ c_sign;
    wire [W:0] sum = {1'b0, product_aligned} + (subtract ? ~{1'b0, c_aligned} + !lost : {1'b0, c_aligned});
    wire negative = sum[W];
    wire [W-1:0] magnitude = negative ? -sum[W-1:0] : sum[W-1:0];
    wire sign = negative ? c_sign : product_sign;

    // Rounding.
    reg [15:0] highest;
    integer i;
    always @* begin
        highest = 0;
        for (i = 0; i < W; i = i + 1) if (magnitude[i]) highest = i;
    end
    wire signed [15:0] wanted = last + $signed(highest) - M; // the result's last bit, if it is normal
    wire signed [15:0] result_last = wanted < 1 - M ? 1 - M : wanted;
    wire [15:0] shift = result_last - last + P;
    wire [W+P-1:0] extended = {magnitude, {P{1'b0}}};
    wire [W+P-1:0] shifted = extended >> shift;
    wire [W+P-1:0] half = extended >> (shift - 1'b1);
    wire rest = lost || ((half << (shift - 1'b1)) != extended);
    wire up = half[0] && (rest || shifted[0]);
    wire [E+M+1:0] packed_up = ((result_last - (1 - M)) << M) + shifted[P-1:0] + up;
    wire [E+M-1:0] rounded = packed_up >= INFINITY ? INFINITY : packed_up[E+M-1:0];

    wire product_infinite = a_special || b_special;
    wire invalid = a_nan || b_nan || c_nan || (a_special && b_zero) || (a_zero && b_special) ||
        (product_infinite && c_special && subtract);
    assign d = invalid ? NAN
        : product_infinite ? {product_sign, INFINITY}
        : c_special ? {c_sign, INFINITY}
        : a_zero || b_zero ? (c_zero ? {product_sign && c_sign, {(E + M) {1'b0}}} : c)
        : c_zero || magnitude != 0 ? {sign, rounded}
        : {(E + M + 1) {1'b0}};
endmodule
