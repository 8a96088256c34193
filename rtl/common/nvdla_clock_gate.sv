// Clock gate: clk_o is clk_i in every clock with work_i, in reset, and always while on_i; with After also in the clock
// after the last work_i. Else it stays low.
//
// work_i and on_i may change up to the rising edge of clk_i that they gate, so a stage loses no clock when its work
// begins: the logic clocked by clk_o sets work_i in every clock in which one of its registers has to change. The clock
// that After adds takes pulses and answers back. Latches that are closed while clk_i is high keep clk_o free of
// glitches. The clock gate of a cell library is en_q and the AND gate; its enable is what en_q takes, with work_i for
// work_q, and on_i is its test enable.
// Registers may pass values between clk_i and clk_o in both directions: their rising edges are the same.
// Spec: 10-system, section 2 (global_clk_ovr_on, tmc2slcg_disable_clock_gating).
`ifndef NVDLA_CHECK_SVH
`include "nvdla_check.svh"
`endif
module nvdla_clock_gate #(
    parameter int After = 1,
    parameter bit Inner = 0  // clk_i is gated, too: while it stands still, work_i may be 1
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic on_i,
    input  logic work_i,
    output logic clk_o
);
  // work_q is work_i as it is at the rising edge; a latch like en_q, so that a simulator looks at work_i while clk_i is
  // low only.
  logic work_q, worked_q, en_q;

  if (After != 0) begin : gen_after
    always_ff @(posedge clk_i) worked_q <= work_q;
  end else begin : gen_at_once
    assign worked_q = 1'b0;
  end

  always_latch
    if (!clk_i) begin
      work_q = work_i;
      en_q   = work_q | worked_q | on_i | ~rst_ni;
    end

  assign clk_o = clk_i & en_q;

  wire unused_inner = &{1'b0, Inner};  // only the check looks at it
  `NVDLA_FINAL(NoWorkAtTheEnd, !work_i || Inner)
endmodule
