// Clock gate of NVIDIA's RTL (vlibs): nvcosim build reads this file before theirs, whose cell a tree may lack.
// clk_gated is clk in every clock with clk_en, and in reset.
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
  always_latch if (!clk) open_q = clk_en | ~reset_;
  assign clk_gated = clk & open_q;
`endif
endmodule
