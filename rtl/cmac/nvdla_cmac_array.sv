// The multiplier array of a CMAC unit, configurations with 16-bit precisions: INT8 (two kernels a cell), INT16 and FP16
// in one pipeline.
//
// load_i, one-hot, loads a cell's next weights; swap_i (with the first atom of a stripe) activates the loaded ones; a
// load in the same clock belongs to the next set. A cell that was not loaded gives 0. valid_i and data_i come one clock
// after the atom's swap_i; one atom a clock.
//
// Stages, in clocks after valid_i: 1 operands are decoded, once for all cells, 2 products of the lanes in carry-save
// form and the largest exponent, 3 products aligned to it, 4 sums of rows of a tile, 5 sum_o.
// Spec: 40-convolution-core, sections 4.3, 7.2, 9.1 and 9.2.
`include "nvdla_check.svh"
`ifndef NVDLA_CMAC_A_D_UNUSED
`include "nvdla_unused.svh"
`endif
module nvdla_cmac_array
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_conv_pkg::*;
#(
    parameter int Cells = ConvCells
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    input  logic [(CmacAWords-CmacAFirstD)*32-1:0] d_i,  // registers of the running layer
    input  logic [                      Cells-1:0] load_i,
    input  logic [               ConvAtomBits-1:0] weight_i,
    input  logic                                   swap_i,
    input  logic                                   valid_i,
    input  logic [               ConvAtomBits-1:0] data_i,
    output logic [     Cells-1:0][ConvSumBits-1:0] sum_o
);
  localparam int Bits = 18;  // of an operand

  cmac_a_d_t d;
  logic [1:0] precision;
  logic fp16, int8, tile;
  assign d = d_i;
  assign precision = built_precision(d.proc_precision);
  assign fp16 = precision == PrecisionFp16;
  assign int8 = !fp16 && precision != PrecisionInt16;
  assign tile = Winograd != 0 && d.conv_mode[0];

  // An FP16 operand of a multiplier: {sign, exponent (3), mantissa (14)} of value +-mantissa * 16^exponent * 2^-25,
  // infinity included.
  function automatic logic [Bits-1:0] decode(input logic [15:0] a);
    logic [10:0] significand;
    significand = (a[14:10] == '0) ? {a[9:0], 1'b0} : {1'b1, a[9:0]};
    return {a[15], a[14:12], 14'(significand) << a[11:10]};
  endfunction

  // The first NaN of an atom, as a tree: {there is one, sign, mantissa (10)}.
  function automatic logic [11:0] first_nan(input logic [ConvAtomBits-1:0] atom);
    logic [AtomicC*12-1:0] nan;  // of lane l, then of the lanes from l * 2^step on
    for (int l = 0; l < AtomicC; l++)
      nan[12*l+:12] = (atom[16*l+:15] > 15'h7c00) ? {1'b1, atom[16*l+15], atom[16*l+:10]} : '0;
    for (int lanes = AtomicC / 2; lanes > 0; lanes = lanes / 2)
      for (int l = 0; l < lanes; l++) nan[12*l+:12] = nan[24*l+11] ? nan[24*l+:12] : nan[24*l+12+:12];
    return nan[11:0];
  endfunction

  logic swap_q;
  logic [Cells-1:0] load_q;
  logic [3:0] valid_q;  // of stages 1 to 4
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      swap_q  <= 1'b0;
      load_q  <= '0;
      valid_q <= '0;
    end else begin
      swap_q  <= swap_i;
      load_q  <= load_i;
      valid_q <= {valid_q[2:0], valid_i};
    end

  logic [AtomicC*Bits-1:0] weight_q, data_q;
  logic [11:0] weight_nan_q, data_nan_q;
  always_ff @(posedge clk_i) begin
    if (load_i != '0) begin
      for (int l = 0; l < AtomicC; l++)
        weight_q[Bits*l+:Bits] <= fp16 ? decode(weight_i[16*l+:16]) :
            int8 ? Bits'({weight_i[8*(AtomicC+l)+:8], weight_i[8*l+:8]}) : Bits'(weight_i[16*l+:16]);
      weight_nan_q <= fp16 ? first_nan(weight_i) : '0;
    end
    if (valid_i) begin
      for (int l = 0; l < AtomicC; l++)
        data_q[Bits*l+:Bits] <= fp16 ? decode(data_i[16*l+:16]) :
            int8 ? Bits'({{8{data_i[8*l+7]}}, data_i[8*l+:8]}) : Bits'(data_i[16*l+:16]);
      data_nan_q <= fp16 ? first_nan(data_i) : '0;
    end
  end

  for (genvar c = 0; c < Cells; c++) begin : gen_cell
    nvdla_cmac_array_cell #(
        .Bits(Bits)
    ) u_cell (
        .clk_i,
        .rst_ni,
        .fp16_i      (fp16),
        .int8_i      (int8),
        .tile_i      (tile),
        .load_i      (load_q[c]),
        .weight_i    (weight_q),
        .weight_nan_i(weight_nan_q),
        .swap_i      (swap_q),
        .valid_i     (valid_q),
        .data_i      (data_q),
        .data_nan_i  (data_nan_q),
        .sum_o       (sum_o[c])
    );
  end

  `NVDLA_PARAM(LatencyLegal, ConvSumClocks == 6)
  `NVDLA_CHECK(OneCellLoads, load_i == '0 || `NVDLA_ONEHOT(load_i))
  `NVDLA_CHECK(PrecisionLegal, !valid_i || precision != 2'd3)

  wire unused_d = &{1'b0, `NVDLA_CMAC_A_D_UNUSED(d)};  // names and reasons: rtl/unused_fields.csv
endmodule
