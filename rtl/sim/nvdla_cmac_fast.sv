// Fast form of nvdla_cmac_array, for simulators: the same ports, results and latency. Programs in one clocked block
// compute an atomic operation; those of the layer's precision work, the others are idle. Their sums wait for as long as
// the hardware takes.
// Spec: 40-convolution-core, sections 4.3, 7.2, 9.1 and 9.2.
`include "nvdla_check.svh"
`ifndef NVDLA_CMAC_A_D_UNUSED
`include "nvdla_unused.svh"
`endif
module nvdla_cmac_fast
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
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
  logic [1:0] precision;
  logic fp16, tile;
  logic [ConvCells-1:0] shadow_loaded_q, loaded_q;
  logic [ConvCells*ConvSumBits-1:0] integer_sum, fp16_sum;
  assign d = d_i;
  assign precision = built_precision(d.proc_precision);
  assign fp16 = precision == PrecisionFp16;
  assign tile = Winograd != 0 && d.conv_mode[0];

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      shadow_loaded_q <= '0;
      loaded_q        <= '0;
    end else begin
      if (swap_i || load_i != '0) shadow_loaded_q <= (swap_i ? '0 : shadow_loaded_q) | load_i;
      if (swap_i) loaded_q <= shadow_loaded_q;
    end

  nvdla_cmac_fast_integer u_integer (
      .clk_i,
      .int16_i (precision == nvdla_precision_pkg::PrecisionInt16),
      .tile_i  (tile),
      .load_i  (fp16 ? '0 : load_i),
      .weight_i,
      .swap_i  (swap_i && !fp16),
      .valid_i (valid_i && !fp16),
      .loaded_i(loaded_q),
      .data_i,
      .sum_o   (integer_sum)
  );

  nvdla_cmac_fast_fp16 u_fp16 (
      .clk_i,
      .tile_i  (tile),
      .load_i  (fp16 ? load_i : '0),
      .weight_i,
      .swap_i  (swap_i && fp16),
      .next_i  (shadow_loaded_q),
      .valid_i (valid_i && fp16),
      .loaded_i(loaded_q),
      .data_i,
      .sum_o   (fp16_sum)
  );

  // A ring whose places are read and filled again after Waits clocks. (2: where lanes have 8 bits, which have no such
  // array.)
  localparam int Waits = (ConvSumClocks > 4) ? ConvSumClocks - 3 : 2;
  logic [Waits:0] valid_q;  // bit 0: the programs' sums are there
  logic [ConvCells*ConvSumBits-1:0] waiting_q[0:Waits-1], sum_q;
  logic [$clog2(Waits)-1:0] at_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      valid_q <= '0;
      at_q    <= '0;
    end else begin
      valid_q <= {valid_q[Waits-1:0], valid_i};
      if (valid_q != '0) at_q <= (32'(at_q) == Waits - 1) ? '0 : at_q + 1'b1;
    end
  always_ff @(posedge clk_i) begin
    if (valid_q[0]) waiting_q[at_q] <= fp16 ? fp16_sum : integer_sum;
    if (valid_q[Waits]) sum_q <= waiting_q[at_q];
  end
  assign sum_o = sum_q;

  wire unused_d = &{1'b0, `NVDLA_CMAC_A_D_UNUSED(d)};  // names and reasons: rtl/unused_fields.csv

  `NVDLA_PARAM(SumsWait, ConvSumClocks > 4)
endmodule
