// The unit of tfdpa.sv behind a pipe, as docs/targets.md describes it: a header line, then a vector a line, each
// answered at once. Nothing but the simulator is needed.
//
//     iverilog -g2012 -o bench docs/examples/rtl/bench.sv docs/examples/rtl/tfdpa.sv
//     discern check 'exec:vvp -n bench' hopper/wgmma.m64n8k16.f32.f16.f16 -n 2000
module bench;
  parameter int K = 16;
  parameter int F = 25;
  parameter int FLOOR = -133;
  localparam int STDIN = 32'h80000000;

  logic [16*K-1:0] a, b;
  logic [31:0] c;
  wire [31:0] d;
  tfdpa #(.K(K), .F(F), .FLOOR(FLOOR)) unit (.a(a), .b(b), .c(c), .d(d));

  // A line is read letter by letter. All that matters in it are the strings: one of a single letter is the name of an
  // operand, any other a pattern of the operand that was named last.
  integer letter, length, index, patterns;
  logic [31:0] pattern;
  logic [7:0] operand, last;
  logic in_string;

  task automatic end_of_string;
    if (length == 1) begin
      operand = last;
      index = 0;
    end else begin
      if (operand == "a") a[16*index+:16] = pattern[15:0];
      if (operand == "b") b[16*index+:16] = pattern[15:0];
      if (operand == "c") c = pattern;
      index = index + 1;
      patterns = patterns + 1;
    end
  endtask

  initial begin
    letter = $fgetc(STDIN);
    while (letter != "\n" && letter != -1) letter = $fgetc(STDIN);  // the header: formats and K are our own
    in_string = 0;
    patterns = 0;
    letter = $fgetc(STDIN);
    while (letter != -1) begin
      if (letter == "\n") begin
        #1;
        if (patterns == 2 * K + 1) $display("{\"d\":\"%08x\"}", d);
        else $display("{\"error\":\"this bench was built for K = %0d\"}", K);
        $fflush;
        patterns = 0;
      end else if (letter == "\"") begin
        if (in_string) end_of_string;
        in_string = !in_string;
        length = 0;
        pattern = 0;
      end else if (in_string) begin
        length = length + 1;
        last = letter[7:0];
        pattern = {pattern[27:0], 4'(letter >= "a" ? letter - "a" + 10 : letter - "0")};
      end
      letter = $fgetc(STDIN);
    end
    $finish;
  end
endmodule
