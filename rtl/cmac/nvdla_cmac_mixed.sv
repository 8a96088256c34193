// The cells of a CMAC unit, configurations with 16-bit precisions, in one of two forms: the hardware
// (nvdla_cmac_array), or with NVDLA_FAST_FORMS a form that simulates faster (nvdla_cmac_fast). With NVDLA_BOTH_FORMS
// the hardware works and the fast form is compared with it in every clock.
//
// load_i, one-hot, loads a cell's next weights; swap_i (with the first atom of a stripe) activates the loaded ones; a
// load in the same clock belongs to the next set. A cell that was not loaded gives 0. valid_i and data_i come one clock
// after the atom's swap_i. Latency: sum_o comes ConvSumClocks - 1 clocks after data_i.
// Spec: 40-convolution-core, sections 4.3, 7.2, 9.1 and 9.2.
`include "nvdla_check.svh"
module nvdla_cmac_mixed
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    input  logic [(CmacAWords-CmacAFirstD)*32-1:0] d_i,  // registers of the running layer
    input  logic [                  ConvCells-1:0] load_i,
    input  logic [               ConvAtomBits-1:0] weight_i,
    input  logic                                   swap_i,
    input  logic                                   valid_i,
    input  logic [               ConvAtomBits-1:0] data_i,
    output logic [      ConvCells*ConvSumBits-1:0] sum_o
);
`ifdef NVDLA_BOTH_FORMS
  `define NVDLA_CMAC_HARDWARE
  `define NVDLA_CMAC_FAST
`elsif NVDLA_FAST_FORMS
  `define NVDLA_CMAC_FAST
`else
  `define NVDLA_CMAC_HARDWARE
`endif

`ifdef NVDLA_CMAC_HARDWARE
  nvdla_cmac_array u_array (
      .clk_i,
      .rst_ni,
      .d_i,
      .load_i,
      .weight_i,
      .swap_i,
      .valid_i,
      .data_i,
      .sum_o
  );
`endif

`ifdef NVDLA_CMAC_FAST
  logic [ConvCells*ConvSumBits-1:0] fast_sum;
  nvdla_cmac_fast u_fast (
      .clk_i,
      .rst_ni,
      .d_i,
      .load_i,
      .weight_i,
      .swap_i,
      .valid_i,
      .data_i,
      .sum_o(fast_sum)
  );
`ifdef NVDLA_CMAC_HARDWARE
  logic [ConvSumClocks-2:0] valid_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) valid_q <= '0;
    else valid_q <= (ConvSumClocks - 1)'({valid_q, valid_i});
  `NVDLA_CHECK(FormsAgree, !valid_q[ConvSumClocks-2] || sum_o == fast_sum)
`ifndef NVDLA_CHECKS
  wire unused_forms = &{1'b0, valid_q[ConvSumClocks-2], fast_sum};
`endif
`else
  assign sum_o = fast_sum;
`endif
`endif

`undef NVDLA_CMAC_HARDWARE
`undef NVDLA_CMAC_FAST
endmodule
