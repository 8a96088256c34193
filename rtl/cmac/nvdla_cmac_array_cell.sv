// A cell of nvdla_cmac_array: its lanes, the largest of their exponents, the sums of their products as values of a
// tile.
//
// Weights: load_i writes the shadow set, swap_i activates it; without a load before it the set in use is all 0.
// valid_i[s]: there is an atom in stage s + 1 of the array; data_i belong to stage 1, sum_o to the one after stage 4.
// tile_i: lane 4e + channel of 64 is position e of a Winograd tile, the values are the outputs of the tile (POA); else
// only value 0 counts, and the others are 0.
//
// The two halves of the lanes' products are added apart: in INT8 they are those of two kernels; else the high half gets
// the carries of the low one at the end.
// Spec: 40-convolution-core, sections 3.3, 4.3, 9.1 and 9.2.
`include "nvdla_check.svh"
module nvdla_cmac_array_cell
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
#(
    parameter int Bits = 18  // of an operand
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         fp16_i,
    input  logic                         int8_i,
    input  logic                         tile_i,
    input  logic                         load_i,
    input  logic [AtomicC-1:0][Bits-1:0] weight_i,
    input  logic [                 11:0] weight_nan_i,  // {there is one, sign, mantissa (10)}
    input  logic                         swap_i,
    input  logic [                  3:0] valid_i,
    input  logic [AtomicC-1:0][Bits-1:0] data_i,
    input  logic [                 11:0] data_nan_i,
    output logic [      ConvSumBits-1:0] sum_o
);
  /*verilator no_inline_module*/
  localparam int Low = ConvInt8Bits + 1;  // a sum of low halves, signed
  localparam int High = ConvInt8Bits;
  localparam int Part = AtomicC / 16;             // lanes of a position of a tile
  localparam int Columns = (ConvValues + 1) / 2;  // of a tile's outputs

  logic shadow_loaded_q, loaded_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      shadow_loaded_q <= 1'b0;
      loaded_q        <= 1'b0;
    end else begin
      if (load_i || swap_i) shadow_loaded_q <= load_i;
      if (swap_i) loaded_q <= shadow_loaded_q;
    end

  logic fp16, tile;
  assign fp16 = Fp16 != 0 && fp16_i;
  assign tile = Winograd != 0 && tile_i;

  logic [11:0] shadow_nan_q, weight_nan_q;
  always_ff @(posedge clk_i) begin
    if (load_i) shadow_nan_q <= weight_nan_i;
    if (swap_i) weight_nan_q <= shadow_nan_q;
  end

  logic [3:0] exponent[0:AtomicC-1];  // stage 1
  logic [31:0] term[0:AtomicC-1];     // stage 3
  logic [3:0] most_q[2:4];            // largest exponent, of stages 2 to 4
  logic [11:0] nan_q[2:4];
  for (genvar l = 0; l < AtomicC; l++) begin : gen_lane
    nvdla_cmac_lane #(
        .Bits(Bits)
    ) u_lane (
        .clk_i,
        .fp16_i,
        .int8_i,
        .load_i,
        .weight_i  (weight_i[l]),
        .swap_i,
        .loaded_i  (shadow_loaded_q),
        .valid_i   (valid_i[1:0]),
        .data_i    (data_i[l]),
        .exponent_o(exponent[l]),
        .most_i    (most_q[2]),
        .term_o    (term[l])
    );
  end

  // The largest exponent, as a tree: node n is above nodes 2n + 1 and 2n + 2, the lanes are its leaves.
  logic [3:0] largest[0:2*AtomicC-2];
  always_comb begin
    for (int l = 0; l < AtomicC; l++) largest[AtomicC-1+l] = (Fp16 != 0) ? exponent[l] : '0;
    for (int n = AtomicC - 2; n >= 0; n = n - 1)
      largest[n] = (largest[2*n+1] > largest[2*n+2]) ? largest[2*n+1] : largest[2*n+2];
  end

  always_ff @(posedge clk_i) begin
    if (valid_i[0]) begin
      most_q[2] <= largest[0];
      nan_q[2]  <= (Fp16 == 0 || !loaded_q) ? '0 : weight_nan_q[11] ? weight_nan_q : data_nan_i;
    end
    for (int s = 2; s < 4; s++)
      if (valid_i[s-1]) begin
        most_q[s+1] <= most_q[s];
        nan_q[s+1]  <= nan_q[s];
      end
  end

  // Stage 4: row r of the terms to column x of the output is row_q[Columns * r + x].
  logic signed [Low-1:0] low_row_q[0:4*Columns-1];
  logic signed [High-1:0] high_row_q[0:4*Columns-1];
  always_ff @(posedge clk_i)
    if (valid_i[2])
      for (int r = 0; r < 4; r++) begin
        logic signed [Low-1:0] low[0:3];
        logic signed [High-1:0] high[0:3];
        for (int x = 0; x < 4; x++) begin
          low[x]  = '0;
          high[x] = '0;
          for (int i = 0; i < Part; i++) begin
            low[x]  = low[x] + Low'($signed({int8_i && term[(4*r+x)*Part+i][15], term[(4*r+x)*Part+i][15:0]}));
            high[x] = high[x] + High'($signed(term[(4*r+x)*Part+i][31:16]));
          end
        end
        low_row_q[Columns*r]  <= low[0] + low[1] + low[2] + (tile ? '0 : low[3]);
        high_row_q[Columns*r] <= high[0] + high[1] + high[2] + (tile ? '0 : high[3]);
        for (int x = 1; x < Columns; x++) begin
          low_row_q[Columns*r+x]  <= low[1] - low[2] - low[3];
          high_row_q[Columns*r+x] <= high[1] - high[2] - high[3];
        end
      end

  // Stage 5: a value.
  function automatic logic [ConvValueBits-1:0] value_of(input logic [Low-1:0] low, input logic [High-1:0] high,
      input logic float, input logic int8, input logic [3:0] most, input logic [11:0] nan);
    logic [High-1:0] upper;
    upper = high + High'($signed(low[Low-1:16]));
    if (nan[11]) return {6'd63, nan[10:0], 27'd0};
    if (int8) return {high, low[ConvInt8Bits-1:0]};
    return {float ? {most, 2'b00} : {6{upper[High-1]}}, upper, low[15:0]};
  endfunction

  logic [ConvSumBits-1:0] sum_q;
  always_ff @(posedge clk_i)
    if (valid_i[3])
      for (int x = 0; x < Columns; x++) begin
        logic signed [Low-1:0] low;
        logic signed [High-1:0] high;
        low = low_row_q[x] + low_row_q[Columns+x] + low_row_q[2*Columns+x] + (tile ? '0 : low_row_q[3*Columns+x]);
        high = high_row_q[x] + high_row_q[Columns+x] + high_row_q[2*Columns+x] +
            (tile ? '0 : high_row_q[3*Columns+x]);
        sum_q[x*ConvValueBits+:ConvValueBits] <= (x == 0 || tile) ?
            value_of(low, high, fp16, int8_i, most_q[4], nan_q[4]) : '0;
        if (Columns > 1) begin
          low = low_row_q[Columns+x] - low_row_q[2*Columns+x] - low_row_q[3*Columns+x];
          high = high_row_q[Columns+x] - high_row_q[2*Columns+x] - high_row_q[3*Columns+x];
          sum_q[(ConvValues/2+x)*ConvValueBits+:ConvValueBits] <= tile ?
              value_of(low, high, fp16, int8_i, most_q[4], nan_q[4]) : '0;
        end
      end
  assign sum_o = sum_q;

`ifdef NVDLA_CHECKS
  // Without weights a cell gives nothing, not even a NaN of the data; without a tile it gives one value. The exponents
  // of the lanes in use are not above the largest one.
  logic [3:0] there_q;
  logic ended_q, above;
  always_comb begin
    above = 1'b0;
    for (int l = 0; l < AtomicC; l++) above = above | (exponent[l] > largest[0]);
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      there_q <= '0;
      ended_q <= 1'b0;
    end else begin
      there_q <= {there_q[2:0], loaded_q};
      ended_q <= valid_i[3];
    end
  `NVDLA_CHECK(NothingWithoutWeights, !ended_q || there_q[3] || sum_q == '0)
  `NVDLA_CHECK(OneValueWithoutTile, !ended_q || tile_i || sum_q == ConvSumBits'(sum_q[ConvValueBits-1:0]))
  `NVDLA_CHECK(LargestExponent, !valid_i[0] || !above)
`endif

  `NVDLA_PARAM(LanesLegal, AtomicC % 16 == 0 && AtomicC <= 64 && (ConvValues == 1 || AtomicC == 64))
endmodule
