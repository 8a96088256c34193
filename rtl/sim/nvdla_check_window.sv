// Shadow of a ring of CBUF on its reader's side, for checks only: nothing is read that the writer has not reported or
// that was given back, and nothing is given back that was not reported.
//
// The ring has ring_i entries from entry first_i on. up_*: the writer reports entries; rl_*: the reader gives the
// oldest ones back; clear_i empties the ring. rd_*: a read. Spec: 30-cdma-cbuf, section 9.
`include "nvdla_check.svh"
module nvdla_check_window (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        clear_i,
    input  logic [31:0] first_i,
    input  logic [31:0] ring_i,
    input  logic        up_valid_i,
    input  logic [31:0] up_entries_i,
    input  logic        rl_valid_i,
    input  logic [31:0] rl_entries_i,
    input  logic        rd_valid_i,
    input  logic [31:0] rd_addr_i
);
  logic [31:0] oldest_q, held_q;  // place in the ring, entries

  function automatic logic [31:0] wrap(input logic [31:0] place);
    return place >= ring_i ? place - ring_i : place;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      oldest_q <= '0;
      held_q   <= '0;
    end else if (clear_i) begin
      oldest_q <= '0;
      held_q   <= '0;
    end else begin
      held_q <= held_q + (up_valid_i ? up_entries_i : '0) - (rl_valid_i ? rl_entries_i : '0);
      if (rl_valid_i) oldest_q <= wrap(oldest_q + rl_entries_i);
    end

  `NVDLA_CHECK(ReleasesOnlyWhatIsThere, !rl_valid_i || clear_i || held_q >= rl_entries_i)
  `NVDLA_CHECK(ReportsFitTheRing, !up_valid_i || held_q + up_entries_i <= ring_i)
  `NVDLA_CHECK(ReadsInsideRing, !rd_valid_i || (rd_addr_i >= first_i && rd_addr_i - first_i < ring_i))
  `NVDLA_CHECK(ReadsOnlyWhatIsThere, !rd_valid_i || wrap(rd_addr_i - first_i + ring_i - oldest_q) < held_q)
endmodule
