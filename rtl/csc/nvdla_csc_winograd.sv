// Input transform of Winograd (PRA): takes a tile of 4 x 4 pixels by 4 channels out of four CBUF entries and computes
// B^T d B of each channel.
//
// entries_i: 2 x 2 entries of 4 x 4 pixels (place 2 * lower + right), stable as long as valid_i; a pixel (place 4 * row
// + column) has 8 bytes. tile_i: 0 upper left, 1 lower left, 2 upper right, 3 lower right tile; they are two pixels
// apart. 16 bits (wide_i): the four channels of a pixel. INT8: odd_i selects four of its eight channels.
// Out: lane (4 * row + column) * 4 + channel, at 16 bits or in the low half in bytes. Integers are exact up to the
// rounding shift by truncate_i (3 counts as 2) and the saturation; FP16 as in nvdla_fp16_winograd. flags_i go along.
// Latency 4 clocks, a tile a clock.
// Spec: 40-convolution-core, sections 3.3 and 9.6.
`include "nvdla_check.svh"
module nvdla_csc_winograd
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   clk_on_i,
    input  logic                   rst_ni,
    input  logic                   wide_i,
    input  logic                   fp16_i,
    input  logic [            1:0] truncate_i,
    input  logic                   valid_i,
    input  logic [4*EntryBits-1:0] entries_i,
    input  logic [            1:0] tile_i,
    input  logic                   odd_i,
    input  logic [            3:0] flags_i,
    output logic                   valid_o,
    output logic [            3:0] flags_o,
    output logic [  EntryBits-1:0] data_o
);
  localparam int Pixel = 64;  // bits
  localparam int Tile = 16;   // pixels
  localparam int Channels = 4;

  logic clk, fp_clk;
  logic [3:0] valid_q;
  logic [3:0] flags_q[0:3];

  nvdla_clock_gate #(
      .After(0)
  ) u_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(valid_i || valid_q != '0),
      .clk_o (clk)
  );
  // The floating-point transform: its inputs change with this clock only.
  nvdla_clock_gate #(
      .After(0)
  ) u_fp_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(fp16_i && (valid_i || valid_q != '0)),
      .clk_o (fp_clk)
  );

  always_ff @(posedge clk or negedge rst_ni)
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[2:0], valid_i};

  always_ff @(posedge clk) begin
    if (valid_i) flags_q[0] <= flags_i;
    for (int i = 1; i < 4; i++) flags_q[i] <= flags_q[i-1];
  end

  // ---- the tile: its pixels, then channel by channel, element 4 * row + column --------------------------------------
  logic [Tile*Pixel-1:0] pixels;
  always_comb begin
    pixels = '0;
    // Pixel (e / 4, e % 4) of the tile is two rows or columns further on in the window of 8 x 8 pixels.
    if (valid_i)
      for (int e = 0; e < Tile; e++)
        case (tile_i)
          2'd0: pixels[e*Pixel+:Pixel] = entries_i[e*Pixel+:Pixel];
          2'd1: pixels[e*Pixel+:Pixel] = entries_i[((e/4+2)/4*2)*EntryBits+((e/4+2)%4*4+e%4)*Pixel+:Pixel];
          2'd2: pixels[e*Pixel+:Pixel] = entries_i[((e%4+2)/4)*EntryBits+(e/4*4+(e%4+2)%4)*Pixel+:Pixel];
          default: pixels[e*Pixel+:Pixel] =
              entries_i[((e/4+2)/4*2+(e%4+2)/4)*EntryBits+((e/4+2)%4*4+(e%4+2)%4)*Pixel+:Pixel];
        endcase
  end

  logic [Channels*Tile*16-1:0] out_fp;
  logic [EntryBits-1:0] out_q;

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    logic [Tile*16-1:0] tile_q, fp_tile_q;
    logic [Tile*16-1:0] fp_out;
    logic signed [16:0] mid_q[0:Tile-1];
    logic signed [15:0] sum_q[0:Tile-1];

    logic [Tile*16-1:0] picked;
    always_comb begin
      picked = '0;
      if (valid_i)
        for (int e = 0; e < Tile; e++) begin
          if (wide_i) picked[e*16+:16] = pixels[e*Pixel+c*16+:16];
          else if (odd_i) picked[e*16+:16] = {{8{pixels[e*Pixel+32+c*8+7]}}, pixels[e*Pixel+32+c*8+:8]};
          else picked[e*16+:16] = {{8{pixels[e*Pixel+c*8+7]}}, pixels[e*Pixel+c*8+:8]};
        end
    end
    always_ff @(posedge clk)
      if (valid_i && !fp16_i)
        for (int e = 0; e < Tile; e++)
          tile_q[e*16+:16] <= (Int16 != 0) ? picked[e*16+:16] : 16'($signed(picked[e*16+:8]));
    always_ff @(posedge fp_clk) if (valid_i && fp16_i) fp_tile_q <= picked;

    // Integers: rows of every column, then columns of every row, rounding and saturation.
    always_ff @(posedge clk) begin
      logic signed [18:0] sum, rounded;  // a bit more than the sum has: rounding may pass its range
      if (valid_q[0] && !fp16_i)
        for (int j = 0; j < 4; j++) begin
          mid_q[j]    <= 17'($signed(tile_q[j*16+:16])) - 17'($signed(tile_q[(8+j)*16+:16]));
          mid_q[4+j]  <= 17'($signed(tile_q[(4+j)*16+:16])) + 17'($signed(tile_q[(8+j)*16+:16]));
          mid_q[8+j]  <= 17'($signed(tile_q[(8+j)*16+:16])) - 17'($signed(tile_q[(4+j)*16+:16]));
          mid_q[12+j] <= 17'($signed(tile_q[(4+j)*16+:16])) - 17'($signed(tile_q[(12+j)*16+:16]));
        end
      if (valid_q[1] && !fp16_i)
        for (int e = 0; e < Tile; e++) begin
          case (e % 4)
            0: sum = 19'(mid_q[e]) - 19'(mid_q[e+2]);
            1: sum = 19'(mid_q[e]) + 19'(mid_q[e+1]);
            2: sum = 19'(mid_q[e]) - 19'(mid_q[e-1]);
            default: sum = 19'(mid_q[e-2]) - 19'(mid_q[e]);
          endcase
          rounded = sum;
          // Half away from zero: a negative value at the half goes down.
          if (truncate_i == 2'd1) rounded = (sum + (sum < 0 ? 19'sd0 : 19'sd1)) >>> 1;
          if (truncate_i > 2'd1) rounded = (sum + (sum < 0 ? 19'sd1 : 19'sd2)) >>> 2;
          if (wide_i) sum_q[e] <= rounded > 19'sd32767 ? 16'sd32767 : rounded < -19'sd32768 ? -16'sd32768 :
              rounded[15:0];
          else sum_q[e] <= rounded > 19'sd127 ? 16'sd127 : rounded < -19'sd128 ? -16'sd128 : rounded[15:0];
        end
    end

    if (Fp16 != 0) begin : gen_fp16
      nvdla_fp16_winograd u_transform (
          .clk_i(fp_clk),
          .en_i (valid_q[0] || valid_q[1]),
          .a_i  (fp_tile_q),
          .z_o  (fp_out)
      );
    end else begin : gen_integer
      assign fp_out = '0;
      wire unused_fp16 = &{1'b0, fp_tile_q};
    end
    assign out_fp[c*Tile*16+:Tile*16] = fp_out;

    // ---- lanes ----
    for (genvar e = 0; e < Tile; e++) begin : gen_lane
      localparam int Lane = 4 * e + c;
      always_ff @(posedge clk)
        if (valid_q[2]) begin
          if (wide_i) out_q[Lane*16+:16] <= (Fp16 != 0 && fp16_i) ? out_fp[(c*Tile+e)*16+:16] : sum_q[e];
        end
    end
  end

  // INT8: bytes in the low half.
  logic [EntryBits/2-1:0] bytes_q;
  for (genvar c = 0; c < Channels; c++) begin : gen_bytes
    for (genvar e = 0; e < Tile; e++) begin : gen_byte
      always_ff @(posedge clk) if (valid_q[2] && !wide_i) bytes_q[(4*e+c)*8+:8] <= gen_channel[c].sum_q[e][7:0];
    end
  end

  assign data_o = wide_i ? out_q : EntryBits'(bytes_q);
  assign valid_o = valid_q[3];
  assign flags_o = flags_q[3];

  `NVDLA_PARAM(EntryLegal, EntryBits == Tile * Pixel)
  `NVDLA_QUEUE(Tiles, 4, 5, valid_i, flags_i, valid_o, valid_o, flags_o)
`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(NothingIsLost, Tiles.level_q == 32'($countones(valid_q)))
`endif
endmodule
