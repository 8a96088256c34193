// Output convertor: (d - offset) * scale, rounding shift, clamp to 17 and then to 8 bits, on SdpBsThroughput lanes.
//
// With compare_i (EW compare mode) the low 8 bits of d come out and nothing is flagged. saturated_o has one flag per
// lane.
// Latency: 3 clocks (difference, product, shift); the three registers move together. Settings are stable while data is
// inside.
// Spec: 50-sdp sections 5.3, 9 and 10.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
module nvdla_sdp_cvt
  import nvdla_pkg::*;
  import nvdla_sdp_pkg::*;
(
    input  logic                          clk_i, rst_ni, compare_i,
    input  logic [                  31:0] offset_i,
    input  logic [                  15:0] scale_i,
    input  logic [                   5:0] shift_i,
    output logic                          busy_o,  // results inside
    input  logic                          valid_i,
    output logic                          ready_o,
    input  logic [SdpBsThroughput*32-1:0] data_i,
    input  logic                          last_i,
    output logic                          valid_o,
    input  logic                          ready_i,
    output logic [ SdpBsThroughput*8-1:0] data_o,
    output logic [   SdpBsThroughput-1:0] saturated_o,
    output logic                          last_o
);
  logic move, first, second;
  assign ready_o = move;

  nvdla_sdp_stages u_stages (
      .clk_i,
      .rst_ni,
      .move_o  (move),
      .take_i  (valid_i),
      .last_i,
      .first_o (first),
      .second_o(second),
      .busy_o,
      .valid_o,
      .ready_i,
      .last_o
  );

  for (genvar g = 0; g < SdpBsThroughput; g++) begin : gen_lane
    nvdla_sdp_cvt_lane u_lane (
        .clk_i,
        .take_i     (move && valid_i),
        .multiply_i (move && first),
        .round_i    (move && second),
        .compare_i,
        .offset_i,
        .scale_i,
        .shift_i,
        .data_i     (data_i[g*32+:32]),
        .data_o     (data_o[g*8+:8]),
        .saturated_o(saturated_o[g])
    );
  end

  `NVDLA_STABLE(InputStable, valid_i, ready_o, {data_i, last_i})
  `NVDLA_STABLE(OutputStable, valid_o, ready_i, {data_o, saturated_o, last_o})

`ifdef NVDLA_CHECKS
  // What goes in comes out: the results of the beats inside.
  logic [SdpBsThroughput*8-1:0] result;
  logic [SdpBsThroughput-1:0] clipped;
  always_comb begin
    logic signed [32:0] distance;
    logic [8:0] rounded;
    result   = '0;
    clipped  = '0;
    distance = '0;
    rounded  = '0;
    if (valid_i)
      for (int g = 0; g < SdpBsThroughput; g++) begin
        distance = difference($signed(data_i[g*32+:32]), compare_i ? 32'sd0 : $signed(offset_i));
        rounded  = cvt_round(product(distance, $signed(scale_i)), shift_i);
        result[g*8+:8] = compare_i ? distance[7:0] : rounded[7:0];
        clipped[g] = !compare_i && rounded[8];
      end
  end
  `NVDLA_QUEUE(Results, SdpBsThroughput * 9 + 1, 4, valid_i && ready_o, {result, clipped, last_i}, valid_o,
               valid_o && ready_i,
               {data_o, saturated_o, last_o})
`endif
endmodule
