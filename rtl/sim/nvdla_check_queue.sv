// Shadow of a queue, for checks only: what goes in comes out, once, in order, never more than fits, and all of it
// before the end of the run, unless Stays says that words may stay.
//
// push_i, in_i: a word goes in; valid_i, out_i: the queue offers a word; pop_i: that word leaves. The queue holds at
// most Depth words, and a word is offered in a later clock than it came in. It does not depend on the implementation of
// the checked queue: it counts and stores on its own.
`include "nvdla_check.svh"
module nvdla_check_queue #(
    parameter int Width = 1,
    parameter int Depth = 1,
    parameter int Stays = 0
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             push_i,
    input  logic [Width-1:0] in_i,
    input  logic             valid_i,
    input  logic             pop_i,
    input  logic [Width-1:0] out_i
);
  logic [Width-1:0] mem_q[0:Depth-1];
  int wr_q, rd_q, level_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      wr_q    <= 0;
      rd_q    <= 0;
      level_q <= 0;
    end else begin
      if (push_i) wr_q <= (wr_q + 1) % Depth;
      if (pop_i) rd_q <= (rd_q + 1) % Depth;
      level_q <= level_q + 32'(push_i) - 32'(pop_i);
    end

  always_ff @(posedge clk_i) if (push_i) mem_q[wr_q] <= in_i;

  `NVDLA_PARAM(DepthLegal, Depth >= 1 && Width >= 1)
  `NVDLA_CHECK(NeverPushedFull, !push_i || level_q < Depth)
  `NVDLA_CHECK(NeverPoppedEmpty, !pop_i || level_q > 0)
  `NVDLA_CHECK(OffersOnlyWhatIsThere, !valid_i || level_q > 0)
  `NVDLA_CHECK(InOrder, !valid_i || level_q <= 0 || out_i == mem_q[rd_q])
  `NVDLA_FINAL(EmptyAtTheEnd, level_q == 0 || Stays != 0)
endmodule
