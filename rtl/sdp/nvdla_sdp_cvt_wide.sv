// Output convertor of configurations with 16-bit precisions, on SdpBsThroughput lanes.
//
// Integers: (d - offset) * scale, rounding shift, clamp to 17 bits; from there to INT8 (sign-extended in its lane),
// INT16, or FP16. FP16 layers: FP32 to FP16, and from there to INT16. With compare_i (EW compare mode) the low 16 bits
// of d come out; the flags are those of the conversion all the same. saturated_o has one flag per lane. fp_i: PROC is
// FP16. Latency: 3 clocks (difference, product, shift; FP16: input, FP16, result); the three registers move together.
// Settings are stable while data is inside.
// Spec: 50-sdp sections 5.3, 6.4, 9 and 10.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
module nvdla_sdp_cvt_wide
  import nvdla_pkg::*;
  import nvdla_sdp_pkg::*;
(
    input  logic                          clk_i, rst_ni, compare_i, fp_i,
    input  logic [                   1:0] out_i,  // OUT_PRECISION
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
    output logic [SdpBsThroughput*16-1:0] data_o,
    output logic [   SdpBsThroughput-1:0] saturated_o,
    output logic                          last_o
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
  nvdla_clock_gate #(
      .After(0)
  ) u_integer_clock (
      .clk_i,
      .rst_ni(1'b1),  // nothing behind it is reset
      .on_i  (1'b0),
      .work_i(moves && (!fp_i || compare_i)),
      .clk_o (integer_clk)
  );
  nvdla_clock_gate #(
      .After(0)
  ) u_fp_clock (
      .clk_i,
      .rst_ni(1'b1),
      .on_i  (1'b0),
      .work_i(moves && (fp_i || fp_out)),
      .clk_o (fp_clk)
  );

  for (genvar g = 0; g < SdpBsThroughput; g++) begin : gen_lane
    // Integers.
    logic signed [32:0] difference_q;
    logic signed [48:0] product_q;
    logic [15:0] low1_q, low2_q, low_q;  // of d, in compare mode
    logic [15:0] result_q;
    logic flag_q;

    always_ff @(posedge integer_clk) begin
      if (move && valid_i && !fp_i) difference_q <= difference($signed(data_i[g*32+:32]), $signed(offset_i));
      if (move && first && !fp_i) product_q <= product(difference_q, $signed(scale_i));
      if (compare_i) begin
        if (move && valid_i) low1_q <= data_i[g*32+:16];
        if (move && first) low2_q <= low1_q;
        if (move && second) low_q <= low2_q;
      end
      if (move && second && !fp_i) {flag_q, result_q} <= cvt_round_lane(product_q, shift_i, int8);
    end

    // FP16 in or out.
    logic [16:0] t_q;
    logic [31:0] fp_q;
    logic [15:0] half, half_q, fp_result_q, integer_of_half, half_of_integer, fp_result;
    nvdla_fp_narrow u_narrow (
        .a_i(fp_q),
        .z_o(half)
    );
    nvdla_fp16_to_int16 u_to_int16 (
        .a_i(half_q),
        .z_o(integer_of_half)
    );
    nvdla_fp16_from_int17 u_from_int17 (
        .a_i(t_q),
        .z_o(half_of_integer)
    );
    always_ff @(posedge fp_clk) begin
      if (move && valid_i && fp_i) fp_q <= data_i[g*32+:32];
      if (move && first && fp_i) half_q <= half;
      if (move && second && fp_i) fp_result_q <= fp_out ? half_q : integer_of_half;
      if (move && second && !fp_i && fp_out) t_q <= 17'(cvt_round_17(product_q, shift_i));
    end
    assign fp_result = fp_i ? fp_result_q : half_of_integer;

    assign data_o[g*16+:16] = compare_i ? low_q : (fp_i || fp_out) ? fp_result : result_q;
    assign saturated_o[g] = fp_out ? fp_result[14:0] == 15'h7bff : !fp_i && flag_q;
  end

  `NVDLA_STABLE(InputStable, valid_i, ready_o, {data_i, last_i})
  `NVDLA_STABLE(OutputStable, valid_o, ready_i, {data_o, saturated_o, last_o})

`ifdef NVDLA_CHECKS
  // What goes in comes out: the results of the beats inside, of integers; patterns are the benches' matter.
  logic [SdpBsThroughput*16-1:0] result;
  logic [SdpBsThroughput-1:0] flagged;
  logic plain;
  assign plain = !fp_i && !fp_out && !compare_i;
  always_comb begin
    logic [16:0] lane;
    result = '0;
    flagged = '0;
    lane = '0;
    if (valid_i && plain)
      for (int g = 0; g < SdpBsThroughput; g++) begin
        lane = cvt_round_lane(product(difference($signed(data_i[g*32+:32]), $signed(offset_i)), $signed(scale_i)),
            shift_i, int8);
        {flagged[g], result[g*16+:16]} = lane;
      end
  end
  `NVDLA_QUEUE(Results, SdpBsThroughput * 17 + 1, 4, plain && valid_i && ready_o, {flagged, result, last_i},
               plain && valid_o, plain && valid_o && ready_i,
               {saturated_o, data_o, last_o})
`endif
endmodule
