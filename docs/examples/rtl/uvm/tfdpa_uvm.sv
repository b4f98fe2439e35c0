// A UVM bench in which discern's unit is the reference: an agent drives tfdpa_f16.sv, and a scoreboard compares each
// result with the C function that `discern export --as dpi` writes. docs/rtl.md says how to run it, and with what it was.
//
//     +vectors=FILE     operands, as `discern export --as text --inputs` writes them, before the random ones
//     +random=N         how many random ones (1000)
//     +wrong            the design with the mistake: WHOLE_STICKY = 0
//
// For another unit: the import is the one that the C file's comment shows, and the widths of the item are its widths.
`include "uvm_macros.svh"

interface unit_if (
    input logic clock
);
  logic valid = 0;
  logic [63:0] a, b;
  logic [15:0] c, d;
endinterface

package tfdpa_uvm;
  import uvm_pkg::*;

  import "DPI-C" function void discern_unit_dpi(
    input  bit [63:0] a,
    input  bit [63:0] b,
    input  bit [15:0] c,
    output bit [15:0] d
  );

  class unit_item extends uvm_sequence_item;
    rand bit [63:0] a, b;
    rand bit [15:0] c;
    bit [15:0] d;

    `uvm_object_utils(unit_item)

    function new(string name = "unit_item");
      super.new(name);
    endfunction

    virtual function string convert2string();
      return $sformatf("a %h, b %h, c %h", a, b, c);
    endfunction
  endclass

  // What the unit gives for the operands of an item.
  class unit_reference extends uvm_object;
    `uvm_object_utils(unit_reference)

    function new(string name = "unit_reference");
      super.new(name);
    endfunction

    virtual function bit [15:0] predict(unit_item item);
      bit [15:0] d;
      discern_unit_dpi(item.a, item.b, item.c, d);
      return d;
    endfunction
  endclass

  class unit_scoreboard extends uvm_scoreboard;
    uvm_analysis_imp #(unit_item, unit_scoreboard) results;
    unit_reference model;
    int compared, mismatches;

    `uvm_component_utils(unit_scoreboard)

    function new(string name, uvm_component parent);
      super.new(name, parent);
    endfunction

    virtual function void build_phase(uvm_phase phase);
      super.build_phase(phase);
      results = new("results", this);
      model   = unit_reference::type_id::create("model");
    endfunction

    virtual function void write(unit_item item);
      bit [15:0] expected = model.predict(item);
      ++compared;
      if (item.d !== expected) begin
        ++mismatches;
        `uvm_error("MISMATCH", $sformatf("%s: the unit gives %h, the design %h", item.convert2string(), expected, item.d))
      end
    endfunction

    // A bench in which nothing was compared has not passed.
    virtual function void check_phase(uvm_phase phase);
      if (compared == 0) `uvm_error("NOTHING", "no result was compared")
    endfunction

    virtual function void report_phase(uvm_phase phase);
      `uvm_info("COMPARED", $sformatf("%0d compared, %0d mismatches", compared, mismatches), UVM_NONE)
    endfunction
  endclass

  class unit_sequence extends uvm_sequence #(unit_item);
    `uvm_object_utils(unit_sequence)

    function new(string name = "unit_sequence");
      super.new(name);
    endfunction

    virtual task body();
      string file;
      int random = 1000;
      void'($value$plusargs("random=%d", random));
      if ($value$plusargs("vectors=%s", file)) send_file(file);
      for (int i = 0; i < random; ++i) begin
        unit_item item = unit_item::type_id::create("item");
        start_item(item);
        item.a = {$urandom, $urandom};
        item.b = {$urandom, $urandom};
        item.c = 16'($urandom);
        finish_item(item);
      end
    endtask

    task send_file(string name);
      int file = $fopen(name, "r");
      logic [15:0] x[9];
      if (file == 0) `uvm_fatal("FILE", {"there is no file ", name})
      while ($fscanf(file, "%h %h %h %h %h %h %h %h %h", x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]) == 9) begin
        unit_item item = unit_item::type_id::create("item");
        start_item(item);
        item.a = {x[3], x[2], x[1], x[0]};
        item.b = {x[7], x[6], x[5], x[4]};
        item.c = x[8];
        finish_item(item);
      end
      $fclose(file);
    endtask
  endclass

  class unit_driver extends uvm_driver #(unit_item);
    virtual unit_if port;

    `uvm_component_utils(unit_driver)

    function new(string name, uvm_component parent);
      super.new(name, parent);
    endfunction

    virtual task run_phase(uvm_phase phase);
      forever begin
        seq_item_port.get_next_item(req);
        @(negedge port.clock);
        port.a = req.a;
        port.b = req.b;
        port.c = req.c;
        port.valid = 1;
        @(posedge port.clock);
        seq_item_port.item_done();
      end
    endtask
  endclass

  class unit_monitor extends uvm_monitor;
    virtual unit_if port;
    uvm_analysis_port #(unit_item) results;

    `uvm_component_utils(unit_monitor)

    function new(string name, uvm_component parent);
      super.new(name, parent);
    endfunction

    virtual function void build_phase(uvm_phase phase);
      super.build_phase(phase);
      results = new("results", this);
    endfunction

    virtual task run_phase(uvm_phase phase);
      forever begin
        @(posedge port.clock);
        if (port.valid) begin
          unit_item item = unit_item::type_id::create("item");
          item.a = port.a;
          item.b = port.b;
          item.c = port.c;
          item.d = port.d;
          results.write(item);
        end
      end
    endtask
  endclass

  class unit_test extends uvm_test;
    uvm_sequencer #(unit_item) sequencer;
    unit_driver driver;
    unit_monitor monitor;
    unit_scoreboard scoreboard;

    `uvm_component_utils(unit_test)

    function new(string name, uvm_component parent);
      super.new(name, parent);
    endfunction

    virtual function void build_phase(uvm_phase phase);
      super.build_phase(phase);
      sequencer  = new("sequencer", this);
      driver     = unit_driver::type_id::create("driver", this);
      monitor    = unit_monitor::type_id::create("monitor", this);
      scoreboard = unit_scoreboard::type_id::create("scoreboard", this);
      if (!uvm_config_db#(virtual unit_if)::get(this, "", "port", driver.port)) `uvm_fatal("PORT", "there is no interface")
      monitor.port = driver.port;
    endfunction

    virtual function void connect_phase(uvm_phase phase);
      driver.seq_item_port.connect(sequencer.seq_item_export);
      monitor.results.connect(scoreboard.results);
    endfunction

    virtual task run_phase(uvm_phase phase);
      unit_sequence operands = unit_sequence::type_id::create("operands");
      phase.raise_objection(this);
      operands.start(sequencer);
      #1 phase.drop_objection(this);
    endtask
  endclass
endpackage

module tfdpa_bench;
  import uvm_pkg::*;
  import tfdpa_uvm::*;

  logic clock = 0;
  always #5 clock = !clock;

  unit_if port (clock);
  logic wrong;
  wire [15:0] right_d, wrong_d;
  tfdpa_f16 design_under_test (
      .a(port.a),
      .b(port.b),
      .c(port.c),
      .d(right_d)
  );
  tfdpa_f16 #(
      .WHOLE_STICKY(0)
  ) design_with_mistake (
      .a(port.a),
      .b(port.b),
      .c(port.c),
      .d(wrong_d)
  );
  assign port.d = wrong ? wrong_d : right_d;

  initial begin
    wrong = $test$plusargs("wrong") != 0;
    uvm_config_db#(virtual unit_if)::set(null, "*", "port", port);
    run_test("unit_test");
  end
endmodule
