// Of a look-up, for checks only: the result of a hit lies between its two entries. entries_i: they are used, hit_i,
// first_i and second_i belong to them; result_i: their result leaves, in the same clock (Late = 0) or in the step after
// (Late = 1). value_i is that result from the next clock on, until another one leaves.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
module nvdla_lut_between #(
    parameter int Bits = 16,
    parameter int Late = 0
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic entries_i,
    input  logic hit_i,
    input logic signed [    15:0] first_i,
    input logic signed [    15:0] second_i,
    input  logic result_i,
    input logic signed [Bits-1:0] value_i
);
  logic hit, hit_q;
  logic signed [15:0] first, second, least_q, most_q;

  if (Late != 0) begin : gen_late
    logic late_hit_q;
    logic signed [15:0] first_q, second_q;
    always_ff @(posedge clk_i)
      if (entries_i) begin
        late_hit_q <= hit_i;
        first_q    <= first_i;
        second_q   <= second_i;
      end
    assign {hit, first, second} = {late_hit_q, first_q, second_q};
  end else begin : gen_at_once
    assign {hit, first, second} = {hit_i, first_i, second_i};
    wire unused_entries = entries_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) hit_q <= 1'b0;
    else if (result_i) hit_q <= hit;
  always_ff @(posedge clk_i)
    if (result_i) begin
      least_q <= first < second ? first : second;
      most_q  <= first < second ? second : first;
    end
  `NVDLA_CHECK(BetweenItsEntries, !hit_q || (value_i >= Bits'(least_q) && value_i <= Bits'(most_q)))
endmodule
