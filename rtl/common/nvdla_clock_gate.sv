// Clock gate: clk_o is clk_i in every clock with work_i, in the clock after the last of them, in reset, and always while on_i; else it
// stays low.
//
// work_i and on_i count up to the falling edge of clk_i and reach clk_o with the rising edge behind it, so a stage whose work begins in a
// clock loses none: whoever is clocked by clk_o gives work_i in every clock in which one of its registers has to change. The clock after the
// last one takes pulses and answers back. A latch that is closed while clk_i is high keeps clk_o free of spikes.
// Registers may pass values between clk_i and clk_o in both directions: their rising edges are the same.
// Spec: 10-system, section 2 (global_clk_ovr_on, tmc2slcg_disable_clock_gating).
module nvdla_clock_gate (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic on_i,
    input  logic work_i,
    output logic clk_o
);
  logic worked_q, en_q;

  always_ff @(posedge clk_i) worked_q <= work_i;

  always_latch if (!clk_i) en_q = work_i | worked_q | on_i | ~rst_ni;

  assign clk_o = clk_i & en_q;
endmodule
