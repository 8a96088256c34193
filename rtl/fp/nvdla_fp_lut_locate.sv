// Where an FP32 number lies in a table of FP16 samples, SDP's or CDP's.
//
// x_i less start_i, FP32 patterns, decides: a NaN, zero or a negative number is under_o. exponential_i: entry n is at
// 2^(n + offset_i); else at n * 2^select_i; both signed. From entry Last on it is over_o. Otherwise index_o is the
// entry before it and fraction_o the part of the way to the next one, in 2^-35, rounded down; CDP takes its upper 16
// bits. An exponent of all ones is a number. The outputs follow the inputs by one clock with en_i; exponential_i,
// offset_i and select_i do not change meanwhile.
// Spec: 55-lut, sections 4.2 and 7.3.
`include "nvdla_check.svh"
module nvdla_fp_lut_locate #(
    parameter int Last = 64  // 64 or 256
) (
    input  logic        clk_i,
    input  logic        en_i,
    input  logic [31:0] x_i,
    input  logic [31:0] start_i,
    input  logic        exponential_i,
    input  logic [ 7:0] offset_i,
    input  logic [ 7:0] select_i,
    output logic        under_o,
    output logic        over_o,
    output logic [ 8:0] index_o,
    output logic [34:0] fraction_o
);
  localparam int Bits = 24 + 35;

  logic [31:0] distance;
  nvdla_fp_add u_distance (
      .clk_i,
      .en_i,
      .a_i  (x_i),
      .b_i  ({~start_i[31], start_i[30:0]}),
      .sum_o(distance)
  );

  // Power of two of the distance in steps; the place is the distance in steps, 35 bits of it behind the point.
  logic signed [9:0] power;
  logic [9:0] down;
  logic [Bits-1:0] place;
  assign power = $signed({2'b00, distance[30:23]}) - 10'sd127 - (exponential_i ? $signed({{2{offset_i[7]}}, offset_i})
                                                                              : $signed({{2{select_i[7]}}, select_i}));
  assign down = 10'd23 - power;  // 15 and more where it counts
  assign place = {1'b1, distance[22:0], 35'd0} >> down;

  logic beyond;
  always_comb begin
    if (exponential_i) begin
      beyond = power >= 10'(Last);
      index_o = power[8:0];
      fraction_o = {distance[22:0], 12'd0};
    end else begin
      beyond = power > 10'sd8 || place[Bits-1:35] >= 24'(Last);
      index_o = place[43:35];
      fraction_o = place[34:0];
    end
  end
  assign under_o = distance[31] || distance == '0 || distance > 32'h7f800000 || (exponential_i && power < 0);
  assign over_o = beyond & ~under_o;

  `NVDLA_PARAM(TableOfSdpOrCdp, Last == 64 || Last == 256)

`ifdef NVDLA_CHECKS
`ifndef SYNTHESIS
  logic there_q;
  initial there_q = 1'b0;
  always @(posedge clk_i) if (en_i) there_q <= 1'b1;
  `NVDLA_CHECK_ON(PlaceOfTheNumber, clk_i, !there_q || nvdla_check_fp_pkg::in_table(
                  distance, exponential_i, exponential_i ? offset_i : select_i, Last, under_o, over_o, index_o,
                  fraction_o))
`endif
`endif
endmodule
