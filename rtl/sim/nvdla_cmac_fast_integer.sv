// Fast form of the cells of a CMAC unit in INT8 (two kernels a cell) and INT16, for simulators: an atomic operation as
// a program in one clocked block. nvdla_cmac_array is the hardware.
//
// load_i, one-hot, writes weight_i to a cell's shadow set; swap_i (with the first atom of a stripe) activates the
// shadow sets; a load in the same clock belongs to the next sets. data_i is multiplied by the sets of the cells in
// loaded_i when valid_i; the other cells give 0. int16_i, tile_i: of the layer. Latency: one clock.
//
// INT8: byte l of the data is lane l; bytes 0 .. AtomicC-1 of the weights are the low kernel's, the others the high
// kernel's. One product of a lane is that of both kernels: the active weight is high * 2^32 + low; the sums are
// separated at the end.
// tile_i: lane 4e + channel is position e of a Winograd tile, the values are the outputs of the tile (POA); else only
// value 0 counts. A value: INT8 {high kernel's sum, low kernel's sum} of ConvInt8Bits each, INT16 the sum.
// Spec: 40-convolution-core, sections 3.3, 4.3 and 9.1.
`include "nvdla_check.svh"
module nvdla_cmac_fast_integer
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                             clk_i,
    input  logic                             int16_i,
    input  logic                             tile_i,
    input  logic [            ConvCells-1:0] load_i,
    input  logic [         ConvAtomBits-1:0] weight_i,
    input  logic                             swap_i,
    input  logic                             valid_i,
    input  logic [            ConvCells-1:0] loaded_i,
    input  logic [         ConvAtomBits-1:0] data_i,
    output logic [ConvCells*ConvSumBits-1:0] sum_o
);
  localparam int Positions = 16;  // of a Winograd tile

  logic [ConvValueBits-1:0] value_q[0:ConvCells*ConvValues-1];

  // A sum as CACC gets it. A low sum that is negative has borrowed from the high one.
  function automatic logic [ConvValueBits-1:0] value_of(input logic signed [53:0] sum, input logic int16);
    if (int16) return sum[ConvValueBits-1:0];
    return {sum[32+:ConvInt8Bits] + ConvInt8Bits'(sum[31]), sum[ConvInt8Bits-1:0]};
  endfunction

  always_ff @(posedge clk_i) begin : work
    logic [15:0] shadow[0:ConvCells-1][0:AtomicC-1];
    logic signed [63:0] weight[0:ConvCells-1][0:AtomicC-1];
    logic signed [63:0] data[0:AtomicC-1];
    logic signed [63:0] product[0:Positions-1];
    logic signed [63:0] row[0:7];  // of a tile: row r of the products to column x of the output is row[2r + x]
    logic [ConvValueBits-1:0] value[0:ConvCells*ConvValues-1];
    logic signed [63:0] sum;
    logic [15:0] low, high;

    if (valid_i) begin
      if (int16_i) for (int l = 0; l < AtomicC; l++) data[l] = 64'($signed(data_i[16*l+:16]));
      else for (int l = 0; l < AtomicC; l++) data[l] = 64'($signed(data_i[8*l+:8]));
      for (int c = 0; c < ConvCells; c++) begin
        for (int n = 0; n < ConvValues; n++) value[c*ConvValues+n] = '0;
        if (loaded_i[c] && tile_i) begin
          for (int p = 0; p < Positions; p++)
            product[p] = data[4*p] * weight[c][4*p] + data[4*p+1] * weight[c][4*p+1]
                + data[4*p+2] * weight[c][4*p+2] + data[4*p+3] * weight[c][4*p+3];
          for (int r = 0; r < 4; r++) begin
            row[2*r]   = product[4*r] + product[4*r+1] + product[4*r+2];
            row[2*r+1] = product[4*r+1] - product[4*r+2] - product[4*r+3];
          end
          for (int x = 0; x < ConvValues / 2; x++) begin
            value[c*ConvValues+x]   = value_of(54'(row[x] + row[2+x] + row[4+x]), int16_i);
            value[c*ConvValues+2+x] = value_of(54'(row[2+x] - row[4+x] - row[6+x]), int16_i);
          end
        end else if (loaded_i[c]) begin
          sum = '0;
          for (int g = 0; g < AtomicC / 16; g++)  // sixteen lanes whose data are 0 are skipped
            if ((int16_i && data_i[256*g+:256] != '0) || (!int16_i && data_i[128*g+:128] != '0)) begin
              for (int l = 0; l < 16; l += 8)
                sum = sum + data[16*g+l] * weight[c][16*g+l] + data[16*g+l+1] * weight[c][16*g+l+1]
                    + data[16*g+l+2] * weight[c][16*g+l+2] + data[16*g+l+3] * weight[c][16*g+l+3]
                    + data[16*g+l+4] * weight[c][16*g+l+4] + data[16*g+l+5] * weight[c][16*g+l+5]
                    + data[16*g+l+6] * weight[c][16*g+l+6] + data[16*g+l+7] * weight[c][16*g+l+7];
            end
          value[c*ConvValues] = value_of(sum[53:0], int16_i);
        end
      end
      for (int i = 0; i < ConvCells * ConvValues; i++) value_q[i] <= value[i];
    end

    if (swap_i)
      for (int c = 0; c < ConvCells; c++)
        if (int16_i) for (int l = 0; l < AtomicC; l++) weight[c][l] = 64'($signed(shadow[c][l]));
        else
          for (int l = 0; l < AtomicC; l += 2) begin  // two lanes: the bytes of a word
            low = shadow[c][l/2];
            high = shadow[c][AtomicC/2+l/2];
            weight[c][l]   = (64'($signed(high[7:0])) << 32) + 64'($signed(low[7:0]));
            weight[c][l+1] = (64'($signed(high[15:8])) << 32) + 64'($signed(low[15:8]));
          end

    for (int c = 0; c < ConvCells; c++) if (load_i[c]) for (int l = 0; l < AtomicC; l++) shadow[c][l] =
        weight_i[16*l+:16];
  end

  for (genvar i = 0; i < ConvCells * ConvValues; i++) begin : gen_value
    assign sum_o[i*ConvValueBits+:ConvValueBits] = value_q[i];
  end

  `NVDLA_PARAM(LanesLegal, AtomicC % 16 == 0 && (ConvValues == 1 || AtomicC == 4 * Positions))
endmodule
