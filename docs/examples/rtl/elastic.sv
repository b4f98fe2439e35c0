// tfdpa_f16 in a pipeline with a handshake on both sides: operands are taken at an edge at which in_valid and in_ready are
// 1, and a result at one at which out_valid and out_ready are. Two edges lie between them; a stage that is empty takes what
// comes, also while the result waits.
//
//     discern prove volta/mma.m8n8k4.f16.f16.f16.f16 rtl:docs/examples/rtl/elastic.sv,docs/examples/rtl/tfdpa_f16.sv \
//         --top elastic --clock clk --reset rst_n=0 --cycles 2 --valid in_valid,out_valid --ready in_ready,out_ready
//
// With WRONG it has one of three mistakes, none of which shows as long as nothing waits.
//   1: the result is overwritten by the next one while it waits.
//   2: the operands' stage takes new ones whenever they are valid.
//   3: a result that waited is there once more.
module elastic #(
    parameter WRONG = 0
) (
    input  wire        clk,
    input  wire        rst_n,
    input  wire        in_valid,
    output wire        in_ready,
    input  wire [63:0] a,
    input  wire [63:0] b,
    input  wire [15:0] c,
    output wire        out_valid,
    input  wire        out_ready,
    output reg  [15:0] d
);
  reg full1, full2, waited;
  reg [63:0] a1, b1;
  reg [15:0] c1;
  wire [15:0] sum;

  wire move2 = !full2 || out_ready;
  wire move1 = !full1 || move2;
  assign in_ready = move1;
  assign out_valid = full2;

  tfdpa_f16 unit (
      .a(a1),
      .b(b1),
      .c(c1),
      .d(sum)
  );

  always @(posedge clk) begin
    if (move1 || (WRONG == 2 && in_valid)) begin
      a1 <= a;
      b1 <= b;
      c1 <= c;
    end
    if (move2 || (WRONG == 1 && full1)) d <= sum;
  end

  always @(posedge clk or negedge rst_n)
    if (!rst_n) {full1, full2, waited} <= 3'b000;
    else begin
      if (move1) full1 <= in_valid;
      if (move2) full2 <= full1 || (WRONG == 3 && waited);
      waited <= full2 && !out_ready;
    end
endmodule
