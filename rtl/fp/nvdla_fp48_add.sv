// CACC in FP16: a sum of CMAC added to the accumulator (nvdla_fp48_pkg). sum_o: of the last clock with en_i. Latency: one clock.
//
// Spec: 40-convolution-core, section 9.5.
module nvdla_fp48_add
  import nvdla_fp48_pkg::*;
(
    input  logic        clk_i,
    input  logic        en_i,
    input  logic [47:0] acc_i,
    input  logic [43:0] in_i,
    output logic [47:0] sum_o
);
  logic [47:0] sum_q;
  always_ff @(posedge clk_i) if (en_i) sum_q <= fp48_add(acc_i, in_i);
  assign sum_o = sum_q;
endmodule
