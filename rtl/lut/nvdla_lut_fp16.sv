// Look-ups of FP16 layers, Lanes per clock, beside the tables (nvdla_lut_tables): CDP's, and with Weighted = 1 SDP's.
//
// data_i holds Lanes FP32 patterns, lane 0 lowest, start_i .. end_i FP32 patterns; a beat with valid_i enters, and all
// beats advance, in a clock with step_i. Six stages: places in both tables; entries (word_o goes to the tables,
// entries_i comes back a stage later); the selected slope; three of the interpolation. result_o: FP17 patterns. flags_o
// and found_o (a lane: {LO hits, LE hits, selected answer hits, is over, is under}) belong to the beat that has left
// the first stage. Shifts of the slopes do not count. cfg_i must not change while beats are in flight. on_i: a layer in
// FP16 runs; without beats, and without on_i, nothing here is clocked.
// Spec: 55-lut, sections 4.2, 4.3, 6, 7.3.
`include "nvdla_check.svh"
module nvdla_lut_fp16
  import nvdla_lut_pkg::*;
#(
    parameter int Lanes = 1,
    parameter int Weighted = 0
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  logic                                 clk_on_i,  // keeps the clock running
    input  logic                                 on_i,
    input  lut_cfg_t                             cfg_i,
    input  logic                                 step_i,
    input  logic                                 valid_i,
    input  logic [              Lanes-1:0][31:0] data_i,
    output logic [               Lanes-1:0][8:0] word_o,
    input  logic [Lanes-1:0][2*LutEntryBits-1:0] entries_i,
    output logic [              Lanes-1:0][16:0] result_o,
    output logic [   Lanes-1:0][LutFlagBits-1:0] flags_o,
    output logic [  Lanes-1:0][LutFoundBits-1:0] found_o
);
  localparam int Stages = 5;  // before the last one
  localparam int Dropped = (Weighted != 0) ? 0 : 35 - LutFracBits;

  logic [Stages:1] valid_q;  // a beat has left the stage
  logic clk, find_now, select_now, slope_now, value_now;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (step_i) valid_q <= {valid_q[Stages-1:1], valid_i && on_i};
  end

  nvdla_clock_gate #(
      .After(0)
  ) u_clock (
      .clk_i,
      .rst_ni(1'b1),  // nothing behind it is reset
      .on_i  (clk_on_i),
      .work_i(step_i && on_i && (valid_i || valid_q != '0)),
      .clk_o (clk)
  );

  assign find_now = step_i && valid_i && on_i;
  assign select_now = step_i && valid_q[1];
  assign slope_now = step_i && valid_q[2];
  assign value_now = step_i && valid_q[5:3] != '0;

  // The settings, registered here so that what depends on them alone sleeps with the clock.
  logic le_exponential_q, uflow_lo_q, oflow_lo_q, hybrid_lo_q;
  logic [7:0] le_offset_q, le_select_q, lo_select_q;
  always_ff @(posedge clk)
    if (find_now) begin
      le_exponential_q <= !cfg_i.le_linear;
      uflow_lo_q <= cfg_i.uflow_lo;
      oflow_lo_q <= cfg_i.oflow_lo;
      hybrid_lo_q <= cfg_i.hybrid_lo;
      le_offset_q <= cfg_i.le_offset;
      le_select_q <= cfg_i.le_select;
      lo_select_q <= cfg_i.lo_select;
    end

  // Entry 0 of a logarithmic index, where its underflow line starts: with the first beat of a train.
  logic [7:0] power;
  logic [31:0] le_base;
  assign power = (Weighted == 0 && cfg_i.le_offset == 8'h80) ? 8'd0 : cfg_i.le_offset + 8'd127;
  nvdla_fp_add u_le_base (
      .clk_i(clk),
      .en_i (find_now && !valid_q[1]),
      .a_i  (cfg_i.le_start[31:0]),
      .b_i  ({1'b0, power, 23'd0}),
      .sum_o(le_base)
  );

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [31:0] x_1_q, x_2_q, x_3_q, from_q;
    logic [15:0] first, second, first_q, second_q, slope_q;
    logic [34-Dropped:0] frac_2_q, frac_3_q;
    logic lo_q, under_q, hit_2_q, hit_3_q;

    // Stage 1: places in both tables.
    lut_place_t le, lo;
    lut_found_t found;
    logic [8:0] le_index, lo_index;
    logic [34:0] le_frac, lo_frac;
    nvdla_fp_lut_locate #(
        .Last(64)
    ) u_le (
        .clk_i        (clk),
        .en_i         (find_now),
        .x_i          (data_i[l]),
        .start_i      (cfg_i.le_start[31:0]),
        .exponential_i(le_exponential_q),
        .offset_i     (le_offset_q),
        .select_i     (le_select_q),
        .under_o      (le.under),
        .over_o       (le.over),
        .index_o      (le_index),
        .fraction_o   (le_frac)
    );
    nvdla_fp_lut_locate #(
        .Last(256)
    ) u_lo (
        .clk_i        (clk),
        .en_i         (find_now),
        .x_i          (data_i[l]),
        .start_i      (cfg_i.lo_start[31:0]),
        .exponential_i(1'b0),
        .offset_i     (8'd0),
        .select_i     (lo_select_q),
        .under_o      (lo.under),
        .over_o       (lo.over),
        .index_o      (lo_index),
        .fraction_o   (lo_frac)
    );
    assign le.index = le_index[7:0];
    assign lo.index = lo_index[7:0];
    assign le.frac = '0;  // the wider fractions are selected here
    assign lo.frac = '0;
    assign found = lut_select(le, lo, uflow_lo_q, oflow_lo_q, hybrid_lo_q);
    assign word_o[l] = lut_word(found.lo, found.hit, found.under, found.index);
    assign flags_o[l] = {found.lo_only, found.le_only, found.both_over, found.both_under};
    assign found_o[l] = {
        !lo.under && !lo.over, !le.under && !le.over, found.hit, !found.hit && !found.under, found.under
    };
    `NVDLA_CHECK(OneAnswer, !valid_q[1] || !(found.hit && (found.under || found.both_under || found.both_over)))
    `NVDLA_CHECK(IndexOfTheTable, !valid_q[1] || !found.hit || found.lo || found.index < 8'(LutLeLast))
    wire unused = &{1'b0, le_index[8], lo_index[8], found.frac, le_frac, lo_frac};  // CDP: low bits of the fractions

    // Stages 2 and 3: what the tables are asked for; the slope of a miss.
    assign {second, first} = entries_i[l];
    always_ff @(posedge clk) begin
      if (find_now) x_1_q <= data_i[l];
      if (select_now) begin
        x_2_q <= x_1_q;
        lo_q <= found.lo;
        hit_2_q <= found.hit;
        under_q <= found.under;
        frac_2_q <= found.lo ? lo_frac[34:Dropped] : le_frac[34:Dropped];
      end
      if (slope_now) begin
        first_q <= first;
        second_q <= second;
        x_3_q <= x_2_q;
        hit_3_q <= hit_2_q;
        frac_3_q <= frac_2_q;
        if (under_q) from_q <= lo_q ? cfg_i.lo_start[31:0] : le_exponential_q ? le_base : cfg_i.le_start[31:0];
        else from_q <= lo_q ? cfg_i.lo_end[31:0] : cfg_i.le_end[31:0];
        if (under_q) slope_q <= lo_q ? cfg_i.lo_uflow_scale : cfg_i.le_uflow_scale;
        else slope_q <= lo_q ? cfg_i.lo_oflow_scale : cfg_i.le_oflow_scale;
      end
    end

    // Stages 4 to 6.
    if (Weighted != 0) begin : gen_weighted
      nvdla_fp17_weighted u_value (
          .clk_i     (clk),
          .en_i      (value_now),
          .hit_i     (hit_3_q),
          .y0_i      (first_q),
          .y1_i      (second_q),
          .fraction_i(frac_3_q),
          .x_i       (x_3_q),
          .from_i    (from_q),
          .slope_i   (slope_q),
          .value_o   (result_o[l])
      );
    end else begin : gen_interpolate
      nvdla_fp17_interpolate u_value (
          .clk_i     (clk),
          .en_i      (value_now),
          .hit_i     (hit_3_q),
          .y0_i      (first_q),
          .y1_i      (second_q),
          .fraction_i(frac_3_q),
          .x_i       (x_3_q),
          .from_i    (from_q),
          .slope_i   (slope_q),
          .value_o   (result_o[l])
      );
    end
  end

  wire unused_cfg = &{1'b0, cfg_i};  // START and END beyond 32 bits, shifts
endmodule
