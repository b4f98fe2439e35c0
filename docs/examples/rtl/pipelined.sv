// tfdpa_f16 with registers around it, as a part of a larger chip has it: operands are taken at every edge at which `valid`
// is 1, and two edges later their result stands at d, with `done`.
//
// With KEEP_C = 0 it has a mistake that no bench sees which waits for each result before it sends the next operands: c has
// no register of its own, so that the sum takes the c of the operands after.
module pipelined #(
    parameter KEEP_C = 1
) (
    input  wire        clk,
    input  wire        rst_n,
    input  wire        valid,
    input  wire [63:0] a,
    input  wire [63:0] b,
    input  wire [15:0] c,
    output reg         done,
    output reg  [15:0] d
);
  reg taken;
  reg [63:0] a1, b1;
  reg [15:0] c1;
  wire [15:0] sum;

  tfdpa_f16 unit (
      .a(a1),
      .b(b1),
      .c(KEEP_C ? c1 : c),
      .d(sum)
  );

  always @(posedge clk) begin
    a1 <= a;
    b1 <= b;
    c1 <= c;
    d  <= sum;
  end

  always @(posedge clk or negedge rst_n)
    if (!rst_n) {done, taken} <= 2'b00;
    else {done, taken} <= {taken, valid};
endmodule
