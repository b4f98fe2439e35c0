// A multiply-accumulate unit that keeps its sum: tfdpa_f16 with registers for operands and for c. At every edge the
// operands of the edge before are added to what `acc` holds, unless `stall` was 1; `clear` begins a new sum.
//
//     discern prove volta/mma.m8n8k4.f16.f16.f16.f16 rtl:docs/examples/rtl/accumulator.sv,docs/examples/rtl/tfdpa_f16.sv \
//         --top accumulator --clock clk --reset rst_n=0 --cycles 2 --state acc=c --set clear=0 --set stall=0
//
// With WRONG it has one of three mistakes. No operation that is looked at by itself after a reset shows the second.
//   1: the sum is lost where operands are all zero, as if they were none.
//   2: what is fed back is one edge late: the sum of the operation before the last one.
//   3: the output is not the sum, but what it was before.
module accumulator #(
    parameter WRONG = 0
) (
    input  wire        clk,
    input  wire        rst_n,
    input  wire        clear,
    input  wire        stall,
    input  wire [63:0] a,
    input  wire [63:0] b,
    output wire [15:0] sum
);
  reg [63:0] a1, b1;
  reg taken, first;
  reg [15:0] acc, older;
  wire [15:0] next;

  tfdpa_f16 unit (
      .a(a1),
      .b(b1),
      .c(first ? 16'd0 : WRONG == 2 ? older : acc),
      .d(next)
  );

  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      acc <= 0;
      older <= 0;
      taken <= 0;
      first <= 1;
      a1 <= 0;
      b1 <= 0;
    end else begin
      a1 <= a;
      b1 <= b;
      taken <= !stall;
      first <= clear;
      older <= acc;
      if (taken) acc <= WRONG == 1 && a1 == 0 && b1 == 0 ? 16'd0 : next;
    end

  assign sum = WRONG == 3 ? older : acc;
endmodule
