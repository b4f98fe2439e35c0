// picorv32's multiplier of a row an edge (picorv32_pcpi_mul, YosysHQ) with valid and ready: its request is held until
// the product is there. HIGH = 1 gives the upper 32 bits (mulh), and 0 the lower ones (mul); factors of WIDTH bits are
// sign-extended.
module picorv32_mul #(
    parameter integer WIDTH = 32,
    parameter integer HIGH = 1,
    parameter integer STEPS_AT_ONCE = 1,
    parameter integer CARRY_CHAIN = 4
) (
    input  wire             clk,
    input  wire             rst_n,
    input  wire             in_valid,
    output wire             in_ready,
    input  wire [WIDTH-1:0] a,
    input  wire [WIDTH-1:0] b,
    output wire             out_valid,
    input  wire             out_ready,
    output reg  [31:0]      d
);
    localparam [1:0] IDLE = 0, BUSY = 1, DONE = 2;
    reg [1:0] state;
    reg [WIDTH-1:0] x, y;
    wire [31:0] product;
    wire there;
    assign in_ready  = state == IDLE;
    assign out_valid = state == DONE;

    always @(posedge clk)
        if (!rst_n) state <= IDLE;
        else if (state == IDLE && in_valid) begin
            {x, y} <= {a, b};
            state <= BUSY;
        end else if (state == BUSY && there) begin
            d <= product;
            state <= DONE;
        end else if (state == DONE && out_ready) state <= IDLE;

    picorv32_pcpi_mul #(
        .STEPS_AT_ONCE(STEPS_AT_ONCE),
        .CARRY_CHAIN(CARRY_CHAIN)
    ) multiplier (
        .clk(clk),
        .resetn(rst_n),
        .pcpi_valid(state == BUSY),
        .pcpi_insn({7'b0000001, 10'd0, HIGH ? 3'b001 : 3'b000, 5'd0, 7'b0110011}),
        .pcpi_rs1({{32 - WIDTH + 1{x[WIDTH-1]}}, x[WIDTH-2:0]}),
        .pcpi_rs2({{32 - WIDTH + 1{y[WIDTH-1]}}, y[WIDTH-2:0]}),
        .pcpi_wr(),
        .pcpi_rd(product),
        .pcpi_wait(),
        .pcpi_ready(there)
    );
endmodule
