// Skid buffer: a stream passes without latency, and ready comes from a register, so that no path leads from out_ready_i
// to in_ready_o. One word that has been taken while the output waits is kept.
`include "nvdla_check.svh"
module nvdla_skid #(
    parameter int Width = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);
  logic held_q;
  logic [Width-1:0] data_q;

  assign in_ready_o  = !held_q;
  assign out_valid_o = held_q || in_valid_i;
  assign out_data_o  = held_q ? data_q : in_data_i;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) held_q <= 1'b0;
    else held_q <= out_valid_o && !out_ready_i;
  always_ff @(posedge clk_i) if (in_valid_i && in_ready_o && !out_ready_i) data_q <= in_data_i;

  `NVDLA_PARAM(WidthLegal, Width >= 1)
  `NVDLA_STABLE(OutputStable, out_valid_o, out_ready_i, out_data_o)
  `NVDLA_BALANCE(Words, 1, in_valid_i && in_ready_o, 1, out_valid_o && out_ready_i, 1)
`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(WordIsHeld, 32'(held_q) == Words.level_q)
`endif
endmodule
