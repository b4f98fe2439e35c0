// A multiply-add of one adder, whose latency depends on its operands: each edge adds a row of the product, until nothing
// is left of b's significand. d = a·b + c, rounded once to nearest even, in e5m2; one operation at a time, which is taken
// from the second edge after a reset on.
//
//     discern prove 'e5m2*e5m2+e5m2->e5m2 K=1 : round[e5m2 rne](fuse[exact](p*, c))' rtl:docs/examples/rtl/serial.sv \
//         --top serial --clock clk --reset rst --cycles 4 --valid in_valid,out_valid --ready in_ready,out_ready
//
// With WRONG = 1 the row of b's highest bit is lost where its lowest is 0; with 2, a result is there for one edge only.
module serial #(
    parameter integer WRONG = 0
) (
    input  wire       clk,
    input  wire       rst,
    input  wire       in_valid,
    output wire       in_ready,
    input  wire [7:0] a,
    input  wire [7:0] b,
    input  wire [7:0] c,
    output wire       out_valid,
    input  wire       out_ready,
    output wire [7:0] d
);
    localparam [1:0] STARTING = 0, IDLE = 1, BUSY = 2, DONE = 3;
    reg [1:0] state;
    reg [7:0] x, y, z;            // the operands
    reg [5:0] product, row;       // so far, and a's significand in its place
    reg [2:0] left;               // of b's significand
    assign in_ready  = state == IDLE;
    assign out_valid = state == DONE;

    always @(posedge clk)
        if (rst) state <= STARTING;
        else
            case (state)
                STARTING: state <= IDLE;
                IDLE:
                    if (in_valid) begin
                        {x, y, z} <= {a, b, c};
                        product <= 0;
                        row     <= {3'b000, |a[6:2], a[1:0]};
                        left    <= {|b[6:2], b[1:0]};
                        state   <= BUSY;
                    end
                BUSY: begin
                    if (left[0]) product <= product + row;
                    row  <= row << 1;
                    left <= left >> 1;
                    if (left[2:1] == 0 || (WRONG == 1 && left == 3'b010)) state <= DONE;
                end
                DONE: if (out_ready || WRONG == 2) state <= IDLE;
            endcase

    // The product, and c in its place: the last bit of the window is 2^-32, the smallest product.
    wire [4:0] x_last = x[6:2] == 0 ? 1 : x[6:2], y_last = y[6:2] == 0 ? 1 : y[6:2], z_last = z[6:2] == 0 ? 1 : z[6:2];
    wire x_special = &x[6:2], y_special = &y[6:2], z_special = &z[6:2];
    wire product_sign = x[7] ^ y[7], subtract = product_sign ^ z[7];
    wire [69:0] product_wide = {64'd0, product} << (x_last + y_last - 6'd2);
    wire [69:0] c_wide = {67'd0, |z[6:2], z[1:0]} << (z_last + 6'd15);
    wire [70:0] sum = {1'b0, product_wide} + (subtract ? ~{1'b0, c_wide} + 71'd1 : {1'b0, c_wide});
    wire [69:0] magnitude = sum[70] ? -sum[69:0] : sum[69:0];
    wire sign = sum[70] ? z[7] : product_sign;

    reg [6:0] highest;
    integer i;
    always @* begin
        highest = 0;
        for (i = 0; i < 70; i = i + 1) if (magnitude[i]) highest = i;
    end
    wire [6:0] last = highest < 7'd18 ? 7'd16 : highest - 7'd2; // 2^-16 is the last bit of subnormal numbers
    wire [69:0] kept = magnitude >> last, cut = magnitude << (7'd70 - last);
    wire up = cut[69] && (kept[0] || cut[68:0] != 0);
    wire [8:0] rounded = {last - 7'd16, 2'b00} + kept[2:0] + up;
    wire invalid = (x_special && x[1:0] != 0) || (y_special && y[1:0] != 0) || (z_special && z[1:0] != 0) ||
        (x_special && y[6:0] == 0) || (y_special && x[6:0] == 0) || ((x_special || y_special) && z_special && subtract);
    assign d = invalid ? 8'h7f
        : x_special || y_special ? {product_sign, 7'h7c}
        : z_special ? {z[7], 7'h7c}
        : magnitude == 0 ? {product_sign && z[7], 7'd0}
        : rounded >= 9'h7c ? {sign, 7'h7c}
        : {sign, rounded[6:0]};
endmodule
