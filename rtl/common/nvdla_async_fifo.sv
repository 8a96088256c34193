// Queue between two clock domains: memory of 2**DepthLog2 words, Gray-coded pointers, two-flop synchronisers.
//
// A word accepted at write edge 0 is offered after the second read edge that follows. Both resets must be asserted
// together; they may be released at different times, words written meanwhile are kept. wr_level_o is the number of
// words that the write side must count as stored (never less than the truth). rd_data_o means nothing while rd_valid_o
// is 0. What crosses is the pointers, whose bits have to arrive within a clock of the receiving side, and mem_q, which
// is read directly and has been stable since before its pointer changed.
`include "nvdla_check.svh"
module nvdla_async_fifo #(
    parameter int Width = 8,
    parameter int DepthLog2 = 3
) (
    input  logic               wr_clk_i,
    input  logic               wr_rst_ni,
    input  logic               wr_valid_i,
    output logic               wr_ready_o,
    input  logic [  Width-1:0] wr_data_i,
    output logic [DepthLog2:0] wr_level_o,
    input  logic               rd_clk_i,
    input  logic               rd_rst_ni,
    output logic               rd_valid_o,
    input  logic               rd_ready_i,
    output logic [  Width-1:0] rd_data_o
);
  localparam int PtrBits = DepthLog2 + 1;  // one bit more than an address, so that full and empty differ

  logic [Width-1:0] mem_q[0:2**DepthLog2-1];
  logic [PtrBits-1:0] wr_ptr_q, wr_ptr_d, wr_gray_q, wr_gray_seen;
  logic [PtrBits-1:0] rd_ptr_q, rd_ptr_d, rd_gray_q, rd_gray_seen, rd_ptr_seen;
  logic push, pop;

  // Write side.
  assign wr_level_o = wr_ptr_q - rd_ptr_seen;
  assign wr_ready_o = ~wr_level_o[DepthLog2];
  assign push = wr_valid_i & wr_ready_o;
  assign wr_ptr_d = wr_ptr_q + 1'b1;

  always_comb begin
    rd_ptr_seen = rd_gray_seen;
    for (int i = 1; i < PtrBits; i++) rd_ptr_seen = rd_ptr_seen ^ (rd_gray_seen >> i);
  end

  always_ff @(posedge wr_clk_i or negedge wr_rst_ni)
    if (!wr_rst_ni) begin
      wr_ptr_q  <= '0;
      wr_gray_q <= '0;
    end else if (push) begin
      wr_ptr_q  <= wr_ptr_d;
      wr_gray_q <= wr_ptr_d ^ (wr_ptr_d >> 1);
    end

  always_ff @(posedge wr_clk_i) if (push) mem_q[wr_ptr_q[DepthLog2-1:0]] <= wr_data_i;

  nvdla_sync #(
      .Width(PtrBits)
  ) u_rd_to_wr (
      .clk_i (wr_clk_i),
      .rst_ni(wr_rst_ni),
      .data_i(rd_gray_q),
      .data_o(rd_gray_seen)
  );

  // Read side.
  assign rd_valid_o = rd_gray_q != wr_gray_seen;
  assign rd_data_o = mem_q[rd_ptr_q[DepthLog2-1:0]];
  assign pop = rd_valid_o & rd_ready_i;
  assign rd_ptr_d = rd_ptr_q + 1'b1;

  always_ff @(posedge rd_clk_i or negedge rd_rst_ni)
    if (!rd_rst_ni) begin
      rd_ptr_q  <= '0;
      rd_gray_q <= '0;
    end else if (pop) begin
      rd_ptr_q  <= rd_ptr_d;
      rd_gray_q <= rd_ptr_d ^ (rd_ptr_d >> 1);
    end

  nvdla_sync #(
      .Width(PtrBits)
  ) u_wr_to_rd (
      .clk_i (rd_clk_i),
      .rst_ni(rd_rst_ni),
      .data_i(wr_gray_q),
      .data_o(wr_gray_seen)
  );

  `NVDLA_PARAM(DepthLegal, DepthLog2 >= 1 && Width >= 1)
  `NVDLA_STABLE_AT(OutputStable, rd_clk_i, rd_rst_ni, rd_valid_o, rd_ready_i, rd_data_o)

`ifdef NVDLA_CHECKS
  localparam int Words = 2 ** DepthLog2;
  // Clocks of the read side after which a stored word must be offered: two of the synchroniser and one of the other
  // clock.
  localparam int OfferClocks = 8;
  logic [Width-1:0] shadow_q[0:Words-1];
  int pushes_q, pops_q, hidden_q;

  always_ff @(posedge wr_clk_i or negedge wr_rst_ni)
    if (!wr_rst_ni) pushes_q <= 0;
    else if (wr_valid_i && wr_ready_o) pushes_q <= pushes_q + 1;

  always_ff @(posedge wr_clk_i) if (wr_valid_i && wr_ready_o) shadow_q[pushes_q%Words] <= wr_data_i;

  always_ff @(posedge rd_clk_i or negedge rd_rst_ni)
    if (!rd_rst_ni) begin
      pops_q   <= 0;
      hidden_q <= 0;
    end else begin
      if (rd_valid_o && rd_ready_i) pops_q <= pops_q + 1;
      hidden_q <= (rd_valid_o || pushes_q == pops_q) ? 0 : hidden_q + 1;
    end

  `NVDLA_CHECK_AT(NeverPushedFull, wr_clk_i, wr_rst_ni, !(wr_valid_i && wr_ready_o) || pushes_q - pops_q < Words)
  `NVDLA_CHECK_AT(LevelNeverTooLow, wr_clk_i, wr_rst_ni,
                  32'(wr_level_o) >= pushes_q - pops_q && 32'(wr_level_o) <= Words)
  `NVDLA_CHECK_AT(ReadyFollowsLevel, wr_clk_i, wr_rst_ni, wr_ready_o == (32'(wr_level_o) < Words))
  `NVDLA_CHECK_AT(OffersOnlyWhatIsThere, rd_clk_i, rd_rst_ni, !rd_valid_o || pushes_q - pops_q > 0)
  `NVDLA_CHECK_AT(InOrder, rd_clk_i, rd_rst_ni,
                  !rd_valid_o || pushes_q == pops_q || rd_data_o == shadow_q[pops_q%Words])
  `NVDLA_FINAL(EmptyAtTheEnd, pushes_q == pops_q)
  `NVDLA_CHECK_AT(WordsAreOffered, rd_clk_i, rd_rst_ni, hidden_q < OfferClocks)
`endif
endmodule
