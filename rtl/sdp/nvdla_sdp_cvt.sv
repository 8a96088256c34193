// Output convertor on SdpBsThroughput lanes.
//
// Integers: (d - offset) * scale, rounding shift, clamp to 17 bits; from there to INT8 (where lanes have 16 bits
// sign-extended), INT16, or FP16. FP16 layers: FP32 to FP16, and from there to INT16. With compare_i (EW compare mode)
// the low bits of d come out; nothing is flagged where there is INT8 alone, else the flags are those of the conversion
// all the same. saturated_o has one flag per lane. fp_i: PROC is FP16. Latency: 3 clocks (difference, product, shift;
// FP16: input, FP16, result); the three registers move together. Settings are stable while data is inside.
// Spec: 50-sdp sections 5.3, 6.4, 9 and 10.
`include "nvdla_check.svh"
module nvdla_sdp_cvt
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_sdp_pkg::*;
(
    input  logic                                        clk_i,
    input  logic                                        rst_ni,
    input  logic                                        clk_on_i,
    input  logic                                        compare_i,
    input  logic                                        fp_i,
    input  logic [                                 1:0] out_i,  // OUT_PRECISION
    input  logic [                                31:0] offset_i,
    input  logic [                                15:0] scale_i,
    input  logic [                                 5:0] shift_i,
    output logic                                        busy_o,  // results inside
    input  logic                                        valid_i,
    output logic                                        ready_o,
    input  logic [           SdpBsThroughput-1:0][31:0] data_i,
    input  logic                                        last_i,
    output logic                                        valid_o,
    input  logic                                        ready_i,
    output logic [SdpBsThroughput-1:0][8*LaneBytes-1:0] data_o,
    output logic [                 SdpBsThroughput-1:0] saturated_o,
    output logic                                        last_o
);
  logic move, first, second, int8, fp_out;
  assign ready_o = move;
  assign int8 = out_i == PrecisionInt8;
  assign fp_out = out_i == PrecisionFp16;

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

  // Clocks of the lanes, each while elements go through what it drives.
  logic moves, integer_clk, fp_clk;
  assign moves = move && (valid_i || first || second);
  if (LaneBytes == 1) begin : gen_one_clock
    assign integer_clk = clk_i;
    wire unused_moves = &{1'b0, moves, clk_on_i};
  end else begin : gen_integer_clock
    nvdla_clock_gate #(
        .After(0)
    ) u_integer_clock (
        .clk_i,
        .rst_ni(1'b1),  // nothing behind it is reset
        .on_i  (clk_on_i),
        .work_i(moves && (!fp_i || compare_i)),
        .clk_o (integer_clk)
    );
  end
  if (Fp16 == 0) begin : gen_no_fp
    assign fp_clk = 1'b0;
  end else begin : gen_fp_clock
    nvdla_clock_gate #(
        .After(0)
    ) u_fp_clock (
        .clk_i,
        .rst_ni(1'b1),
        .on_i  (clk_on_i),
        .work_i(moves && (fp_i || fp_out)),
        .clk_o (fp_clk)
    );
  end

  for (genvar g = 0; g < SdpBsThroughput; g++) begin : gen_lane
    nvdla_sdp_cvt_lane u_lane (
        .clk_i      (integer_clk),
        .fp_clk_i   (fp_clk),
        .take_i     (move && valid_i),
        .multiply_i (move && first),
        .round_i    (move && second),
        .compare_i,
        .fp_i,
        .int8_i     (int8),
        .fp_out_i   (fp_out),
        .offset_i,
        .scale_i,
        .shift_i,
        .data_i     (data_i[g]),
        .data_o     (data_o[g]),
        .saturated_o(saturated_o[g])
    );
  end

  `NVDLA_STABLE(InputStable, valid_i, ready_o, {data_i, last_i})
  `NVDLA_STABLE(OutputStable, valid_o, ready_i, {data_o, saturated_o, last_o})

`ifdef NVDLA_CHECKS
  // What goes in comes out: the results of the beats inside, of integers; patterns are the benches' matter.
  localparam int LaneBits = 8 * LaneBytes;
  logic [SdpBsThroughput*LaneBits-1:0] result;
  logic [SdpBsThroughput-1:0] flagged;
  logic plain;
  assign plain = !fp_i && !fp_out;
  always_comb begin
    logic [LaneBits:0] lane;
    result = '0;
    flagged = '0;
    lane = '0;
    if (valid_i && plain)
      for (int g = 0; g < SdpBsThroughput; g++) begin
        lane = cvt_element(product(difference($signed(data_i[g]), $signed(offset_i)), $signed(scale_i)),
            shift_i, int8);
        {flagged[g], result[g*LaneBits+:LaneBits]} = lane;
        if (compare_i) result[g*LaneBits+:LaneBits] = LaneBits'(data_i[g]);
        if (compare_i && LaneBytes == 1) flagged[g] = 1'b0;
      end
  end
  `NVDLA_QUEUE(Results, SdpBsThroughput * (LaneBits + 1) + 1, 4, plain && valid_i && ready_o,
               {flagged, result, last_i}, plain && valid_o, plain && valid_o && ready_i,
               {saturated_o, data_o, last_o})
`endif
endmodule
