// Shadow of a balance, for checks only: credits, places, items in flight. Never below 0, never above Max, and at the
// end of the run what it was at its start.
//
// In a clock, up_i adds add_i and down_i subtracts sub_i; clear_i sets it to 0 instead. It starts with Start.
`include "nvdla_check.svh"
module nvdla_check_balance #(
    parameter int Start = 0,
    parameter int Max = 1
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        clear_i,
    input  logic        up_i,
    input  logic [31:0] add_i,
    input  logic        down_i,
    input  logic [31:0] sub_i
);
  int level_q, level_d;

  assign level_d = clear_i ? 0 : level_q + (up_i ? add_i : 0) - (down_i ? sub_i : 0);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) level_q <= Start;
    else level_q <= level_d;

  `NVDLA_CHECK(NeverNegative, level_d >= 0)
  `NVDLA_CHECK(NeverTooMany, level_d <= Max)
  `NVDLA_FINAL(HomeAtTheEnd, level_q == Start)
endmodule
