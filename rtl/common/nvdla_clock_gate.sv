// Clock gate: clk_o is clk_i in every clock with work_i, in reset, and always while on_i; with After also in the clock
// after the last work_i. Else it stays low.
//
// work_i and on_i may change up to the rising edge of clk_i that they gate, so a stage loses no clock when its work
// begins: the logic clocked by clk_o sets work_i in every clock in which one of its registers has to change. The clock
// that After adds takes pulses and answers back. A cell library has a cell for nvdla_clock_gate_cell.
// Registers may pass values between clk_i and clk_o in both directions: their rising edges are the same.
// Spec: 10-system, section 2 (global_clk_ovr_on, tmc2slcg_disable_clock_gating).
`include "nvdla_check.svh"
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
  logic worked_q;

  if (After != 0) begin : gen_after
    always_ff @(posedge clk_i) worked_q <= work_i;
  end else begin : gen_at_once
    assign worked_q = 1'b0;
  end

  nvdla_clock_gate_cell u_cell (
      .clk_i,
      .en_i  (work_i | worked_q | ~rst_ni),
      .test_i(on_i),
      .clk_o
  );

  wire unused_inner = &{1'b0, Inner};  // only the check looks at it
  `NVDLA_FINAL(NoWorkAtTheEnd, !work_i || Inner)
endmodule
