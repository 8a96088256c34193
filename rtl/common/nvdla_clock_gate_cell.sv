// Cell of a clock gate: clk_o is clk_i in the clocks that begin while en_i or test_i is 1, else it stays low. Both may
// change up to the rising edge of clk_i: the latch, closed while clk_i is high, keeps clk_o free of glitches.
//
// The one clock gate of a cell library takes the place of this module, with test_i as its test enable.
module nvdla_clock_gate_cell (
    input  logic clk_i,
    input  logic en_i,
    input  logic test_i,
    output logic clk_o
);
  logic en_q;

  always_latch if (!clk_i) en_q = en_i | test_i;

  assign clk_o = clk_i & en_q;
endmodule
