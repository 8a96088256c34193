// Of a look-up, for checks only: the result of a hit lies between its two entries. entries_i: they are used, hit_i,
// first_i and second_i belong to them; result_i: their result leaves, in the step after. value_i is that result from
// the next clock on, until another one leaves.
`include "nvdla_check.svh"
module nvdla_lut_between #(
    parameter int Bits = 16
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
  logic late_hit_q, hit_q;
  logic signed [15:0] first_q, second_q, least_q, most_q;

  always_ff @(posedge clk_i)
    if (entries_i) begin
      late_hit_q <= hit_i;
      first_q    <= first_i;
      second_q   <= second_i;
    end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) hit_q <= 1'b0;
    else if (result_i) hit_q <= late_hit_q;
  always_ff @(posedge clk_i)
    if (result_i) begin
      least_q <= first_q < second_q ? first_q : second_q;
      most_q  <= first_q < second_q ? second_q : first_q;
    end
  `NVDLA_CHECK(BetweenItsEntries, !hit_q || (value_i >= Bits'(least_q) && value_i <= Bits'(most_q)))
endmodule
