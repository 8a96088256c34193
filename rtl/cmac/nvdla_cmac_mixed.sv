// The cells of a CMAC unit, configurations with 16-bit precisions: those of the layer's precision work, the others are
// idle.
//
// load_i, one-hot, loads a cell's next weights; swap_i (with the first atom of a stripe) activates the loaded ones; a
// load in the same clock belongs to the next set. A cell that was not loaded gives 0. valid_i and data_i come one clock
// after the atom's swap_i. Latency: one clock.
// Spec: 40-convolution-core, sections 4.3, 7.2, 9.1 and 9.2.
`ifndef NVDLA_CMAC_A_D_UNUSED
`include "nvdla_unused.svh"
`endif
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
  cmac_a_d_t d;
  logic fp16;
  logic [ConvCells-1:0] shadow_loaded_q, loaded_q;
  logic [ConvCells*ConvSumBits-1:0] integer_sum, fp16_sum;
  assign d = d_i;
  assign fp16 = d.proc_precision == 2'd2;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      shadow_loaded_q <= '0;
      loaded_q        <= '0;
    end else begin
      if (swap_i || load_i != '0) shadow_loaded_q <= (swap_i ? '0 : shadow_loaded_q) | load_i;
      if (swap_i) loaded_q <= shadow_loaded_q;
    end

  nvdla_cmac_integer u_integer (
      .clk_i,
      .int16_i (d.proc_precision == 2'd1),
      .tile_i  (d.conv_mode[0]),
      .load_i  (fp16 ? '0 : load_i),
      .weight_i,
      .swap_i  (swap_i && !fp16),
      .valid_i (valid_i && !fp16),
      .loaded_i(loaded_q),
      .data_i,
      .sum_o   (integer_sum)
  );

  nvdla_cmac_fp16 u_fp16 (
      .clk_i,
      .tile_i  (d.conv_mode[0]),
      .load_i  (fp16 ? load_i : '0),
      .weight_i,
      .swap_i  (swap_i && fp16),
      .next_i  (shadow_loaded_q),
      .valid_i (valid_i && fp16),
      .loaded_i(loaded_q),
      .data_i,
      .sum_o   (fp16_sum)
  );

  assign sum_o = fp16 ? fp16_sum : integer_sum;

  wire unused_d = &{1'b0, `NVDLA_CMAC_A_D_UNUSED(d)};  // names and reasons: rtl/unused_fields.csv
endmodule
