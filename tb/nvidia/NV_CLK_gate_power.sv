// Clock gate of NVIDIA's RTL (vlibs): nvcosim build reads this file before theirs, whose cell a tree may lack.
// clk_gated is clk in every clock with clk_en, and in reset. With NVCOSIM_GATES_OPEN it is clk in every clock, by a
// latch that is always open: in a single clock domain the CSB FIFOs of branch master do not work.
module NV_CLK_gate_power (
    input  logic clk,
    input  logic reset_,
    input  logic clk_en,
    output logic clk_gated
);
`ifdef VLIB_BYPASS_POWER_CG
  assign clk_gated = clk;
  wire unused = &{1'b0, reset_, clk_en};
`else
  logic open_q;  // a latch that is closed while clk is high: no glitches
`ifdef NVCOSIM_GATES_OPEN
  always_latch if (!clk) open_q = 1'b1;
  wire unused = &{1'b0, reset_, clk_en};
`else
  always_latch if (!clk) open_q = clk_en | ~reset_;
`endif
  assign clk_gated = clk & open_q;
`endif
endmodule
