// The multiplier of dawsonjon/fpu with valid and ready: it takes its operands one after the other, so
// the second is kept here. Operands of WIDTH bits are the upper bits of an f32: 32, or 16, which is bf16.
module dawson #(
    parameter integer WIDTH = 32
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             in_valid,
    output wire             in_ready,
    input  wire [WIDTH-1:0] a,
    input  wire [WIDTH-1:0] b,
    output wire             out_valid,
    input  wire             out_ready,
    output wire [31:0]      d
);
    reg [WIDTH-1:0] second;
    reg has_second;
    wire second_taken;
    always @(posedge clk)
        if (rst) has_second <= 0;
        else if (in_valid && in_ready) begin
            second <= b;
            has_second <= 1;
        end else if (second_taken) has_second <= 0;

    wire [31:0] x, y;
    generate
        if (WIDTH == 32) begin : whole
            assign x = a;
            assign y = second;
        end else begin : upper
            assign x = {a, {32 - WIDTH{1'b0}}};
            assign y = {second, {32 - WIDTH{1'b0}}};
        end
    endgenerate
    multiplier unit (
        .clk(clk), .rst(rst),
        .input_a(x), .input_a_stb(in_valid), .input_a_ack(in_ready),
        .input_b(y), .input_b_stb(has_second), .input_b_ack(second_taken),
        .output_z(d), .output_z_stb(out_valid), .output_z_ack(out_ready)
    );
endmodule
