// A counter of leading (MODE 1) or trailing (MODE 0) zeros with the ports of the one that PULP's designs and those made
// of them use, in words that yosys reads: public.sh puts it in the place of theirs. Of zero it counts WIDTH - 1.
module lzc #(
    parameter WIDTH = 2,
    parameter MODE = 0,
    parameter CNT_WIDTH = WIDTH > 1 ? $clog2(WIDTH) : 1
) (
    input  wire [WIDTH-1:0]     in_i,
    output reg  [CNT_WIDTH-1:0] cnt_o,
    output wire                 empty_o
);
  integer i;
  always @* begin
    cnt_o = WIDTH - 1;
    for (i = 0; i < WIDTH; i = i + 1)  // the last one counts: the nearest to the end from which zeros are counted
      if (in_i[MODE != 0 ? i : WIDTH-1-i]) cnt_o = WIDTH - 1 - i;
  end
  assign empty_o = in_i == 0;
endmodule
