// Two-table look-up of CDP: the LE and LO tables, their access port, and Lanes look-ups per clock. INT8; INT16 and FP16
// if InputBits and Fp16 say so.
//
// cfg_req_i .. rdata_o: see nvdla_lut_tables.
//
// Look-ups: data_i holds Lanes inputs, lane 0 lowest, signed integers or FP32 patterns (precision_i = LutFp16, in the
// low 32 bits); in INT16 and FP16 only the WideLanes lower ones are looked up. A beat advances one stage in every clock
// with step_i. Four stages: places in both tables and selection, entries, the product, its rounding; with Fp16 six, in
// all precisions.
// result_o: a lane has 16 bits signed, with Fp16 17: sign-extended, or an FP17 pattern. flags_o (a lane: {only LO hits,
// only LE hits, both over, both under}) belongs to the beat that has left the first stage.
//
// Integers: START counts with its low InputBits in comparisons, SELECT with its low SelectBits; with InputBits above
// LutNarrowBits only the low LutNarrowBits and LutNarrowSelectBits of them if precision_i = LutInt8. Slopes take all of
// START and END. A SELECT of -2^(bits-1) shifts LE left by that amount and LO not at all. cfg_i and precision_i must
// not change while beats are in flight.
// Spec: 55-lut, sections 2, 3.2, 4.3, 7; 62-cdp, section 6.
`include "nvdla_check.svh"
module nvdla_lut
  import nvdla_lut_pkg::*;
#(
    parameter int Lanes = 1,
    parameter int WideLanes = Lanes,  // of INT16 and FP16, the lower ones
    parameter int InputBits = 22,     // 2 .. 38; with Fp16 at least 32
    parameter int SelectBits = 6,     // 6 or 7
    parameter int Fp16 = 0
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    input  logic                                    clk_on_i,
    // access port
    input  logic                                    cfg_req_i,
    input  logic                                    data_req_i,
    input  logic                                    write_i,
    input  logic [                            31:0] wdata_i,
    output logic [                            31:0] rdata_o,
    // look-ups
    input  lut_cfg_t                                cfg_i,
    input  logic [                             1:0] precision_i,
    input  logic                                    step_i,
    input  logic                                    valid_i,
    input  logic [        Lanes-1:0][InputBits-1:0] data_i,
    output logic [Lanes-1:0][LutEntryBits+Fp16-1:0] result_o,
    output logic [      Lanes-1:0][LutFlagBits-1:0] flags_o
);
  logic [Lanes*9-1:0] words;
  logic [Lanes*2*LutEntryBits-1:0] entries;
  logic read_now;

  nvdla_lut_tables #(
      .Lanes(Lanes)
  ) u_tables (
      .clk_i,
      .rst_ni,
      .cfg_req_i,
      .data_req_i,
      .write_i,
      .wdata_i,
      .rdata_o,
      .read_i   (read_now),
      .word_i   (words),
      .entries_o(entries)
  );

  // ---- configuration as wires (members of a packed struct are unsigned) ---------------------------------------------
  logic le_linear, uflow_lo, oflow_lo, hybrid_lo;
  logic [7:0] le_offset;
  logic [SelectBits-1:0] le_select, lo_select;
  logic [LutPlaceBits-1:0] le_start, lo_start, le_end, lo_end;
  logic [15:0] le_uflow_scale, le_oflow_scale, lo_uflow_scale, lo_oflow_scale;
  logic [4:0] le_uflow_shift, le_oflow_shift, lo_uflow_shift, lo_oflow_shift;

  assign le_linear = cfg_i.le_linear;
  assign uflow_lo = cfg_i.uflow_lo;
  assign oflow_lo = cfg_i.oflow_lo;
  assign hybrid_lo = cfg_i.hybrid_lo;
  assign le_offset = cfg_i.le_offset;
  assign le_select = cfg_i.le_select[SelectBits-1:0];
  assign lo_select = cfg_i.lo_select[SelectBits-1:0];
  assign le_start = cfg_i.le_start;
  assign lo_start = cfg_i.lo_start;
  assign le_end = cfg_i.le_end;
  assign lo_end = cfg_i.lo_end;
  assign le_uflow_scale = cfg_i.le_uflow_scale;
  assign le_oflow_scale = cfg_i.le_oflow_scale;
  assign lo_uflow_scale = cfg_i.lo_uflow_scale;
  assign lo_oflow_scale = cfg_i.lo_oflow_scale;
  assign le_uflow_shift = cfg_i.le_uflow_shift;
  assign le_oflow_shift = cfg_i.le_oflow_shift;
  assign lo_uflow_shift = cfg_i.lo_uflow_shift;
  assign lo_oflow_shift = cfg_i.lo_oflow_shift;

  wire unused_bits = &{1'b0, cfg_i.le_select, cfg_i.lo_select, precision_i};  // upper bits of the SELECTs

  // What counts of them in comparisons.
  logic narrow, floating;
  logic [InputBits-1:0] le_origin, lo_origin;
  logic [SelectBits-1:0] le_step, lo_step;
  assign floating = Fp16 != 0 && precision_i == LutFp16;
  if (InputBits > LutNarrowBits) begin : gen_origin
    assign narrow = precision_i == LutInt8;
    assign le_origin = narrow ? InputBits'($signed(le_start[LutNarrowBits-1:0])) : le_start[InputBits-1:0];
    assign lo_origin = narrow ? InputBits'($signed(lo_start[LutNarrowBits-1:0])) : lo_start[InputBits-1:0];
    assign le_step = narrow ? SelectBits'($signed(le_select[LutNarrowSelectBits-1:0])) : le_select;
    assign lo_step = narrow ? SelectBits'($signed(lo_select[LutNarrowSelectBits-1:0])) : lo_select;
  end else begin : gen_origin
    assign narrow = 1'b0;
    assign le_origin = le_start[InputBits-1:0];
    assign lo_origin = lo_start[InputBits-1:0];
    assign le_step = le_select;
    assign lo_step = lo_select;
  end

  // ---- stage 1: both tables, selection ------------------------------------------------------------------------------
  function automatic lut_found_t find(input logic signed [InputBits-1:0] q);
    lut_place_t le, lo;
    logic signed [InputBits:0] u;
    logic [SelectBits-1:0] left;  // two's complement of a SELECT
    u = (InputBits+1)'(q) - (InputBits+1)'($signed(le_origin));
    left = -le_step;
    if (!le_linear) le = lut_exponential(u > 0, LutInsideBits'($unsigned(u)), le_offset);
    else if (!le_step[SelectBits-1]) le = lut_linear(u > 0, LutInsideBits'($unsigned(u)), 1'b1, 7'(le_step), LutLeLast);
    else le = lut_linear(u > 0, LutInsideBits'($unsigned(u)), 1'b0, 7'(left), LutLeLast);
    u = (InputBits+1)'(q) - (InputBits+1)'($signed(lo_origin));
    left = -lo_step;
    if (narrow) left[SelectBits-1:LutNarrowSelectBits-1] = '0;
    if (!lo_step[SelectBits-1]) lo = lut_linear(u > 0, LutInsideBits'($unsigned(u)), 1'b1, 7'(lo_step), LutLoLast);
    else lo = lut_linear(u > 0, LutInsideBits'($unsigned(u)), 1'b0, 7'(left[SelectBits-2:0]), LutLoLast);
    return lut_select(le, lo, uflow_lo, oflow_lo, hybrid_lo);
  endfunction

  // ---- stage 2: entries, or distance and slope ----------------------------------------------------------------------
  // Where the slope of a miss starts.
  function automatic logic signed [LutDeltaBits-1:0] slope_base(input logic lo, input logic under);
    logic signed [LutPlaceBits:0] base;
    if (under && lo) base = $signed({lo_start[LutPlaceBits-1], lo_start});
    else if (under && le_linear) base = $signed({le_start[LutPlaceBits-1], le_start});
    else if (under) base = lut_exponential_base(le_start, le_offset);
    else if (lo) base = $signed({lo_end[LutPlaceBits-1], lo_end});
    else base = $signed({le_end[LutPlaceBits-1], le_end});
    return LutDeltaBits'(base);
  endfunction

  function automatic logic [15:0] slope_scale(input logic lo, input logic under);
    if (under) return lo ? lo_uflow_scale : le_uflow_scale;
    return lo ? lo_oflow_scale : le_oflow_scale;
  endfunction

  function automatic logic [4:0] slope_shift(input logic lo, input logic under);
    if (under) return lo ? lo_uflow_shift : le_uflow_shift;
    return lo ? lo_oflow_shift : le_oflow_shift;
  endfunction

  logic found_valid_q, entry_valid_q, product_valid_q;
  logic find_now, product_now, result_now;

  assign find_now = step_i && valid_i && !floating;
  assign read_now = step_i && found_valid_q;
  assign product_now = step_i && entry_valid_q && !floating;
  assign result_now = step_i && product_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      found_valid_q   <= 1'b0;
      entry_valid_q   <= 1'b0;
      product_valid_q <= 1'b0;
    end else if (step_i) begin
      found_valid_q   <= valid_i;
      entry_valid_q   <= found_valid_q;
      product_valid_q <= product_now;
    end
  end

  logic [Lanes*9-1:0] integer_words;
  logic [Lanes*LutEntryBits-1:0] integer_results;
  logic [Lanes*LutFlagBits-1:0] integer_flags;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    lut_found_t found_q;
    logic hit_q, used;
    assign used = l < WideLanes || precision_i == LutInt8;
    logic signed [InputBits-1:0] input_q;
    logic signed [15:0] result_q;
    logic signed [LutDeltaBits-1:0] distance_q;  // from the slope's base
    logic signed [16:0] gain_q;                  // fraction, or slope
    logic signed [5:0] shift_q;
    logic signed [LutDeltaBits-1:0] factor;
    logic signed [LutProductBits-1:0] product_q;
    logic signed [15:0] first, second, entry_q;
    logic signed [5:0] late_q;
    assign {second, first} = entries[l*2*LutEntryBits+:2*LutEntryBits];
    assign integer_words[l*9+:9] = lut_word(found_q.lo, found_q.hit, found_q.under, found_q.index);
    assign integer_flags[l*LutFlagBits+:LutFlagBits] =
        {found_q.lo_only, found_q.le_only, found_q.both_over, found_q.both_under};
    assign integer_results[l*LutEntryBits+:LutEntryBits] = result_q;

    always_ff @(posedge clk_i) begin
      if (find_now && used) begin
        found_q <= find($signed(data_i[l]));
        input_q <= $signed(data_i[l]);
      end
      if (read_now && !floating && used) begin
        hit_q <= found_q.hit;
        if (found_q.hit) begin
          gain_q <= $signed({1'b0, found_q.frac});
          shift_q <= 6'(LutFracBits);
        end else begin
          distance_q <= LutDeltaBits'(input_q) - slope_base(found_q.lo, found_q.under);
          gain_q <= 17'($signed(slope_scale(found_q.lo, found_q.under)));
          shift_q <= 6'($signed(slope_shift(found_q.lo, found_q.under)));
        end
      end
      if (product_now && used) begin
        product_q <= LutProductBits'(factor) * LutProductBits'(gain_q);
        entry_q   <= first;
        late_q    <= shift_q;
      end
      if (result_now && used) result_q <= lut_result(entry_q, product_q, late_q);
    end
    assign factor = hit_q ? LutDeltaBits'(second) - LutDeltaBits'(first) : distance_q;

`ifdef NVDLA_CHECKS
    nvdla_lut_between #(
        .Bits(16)
    ) u_between (
        .clk_i,
        .rst_ni,
        .entries_i(product_now && used),
        .hit_i    (hit_q),
        .first_i  (first),
        .second_i (second),
        .result_i (result_now && used),
        .value_i  ($signed(result_q))
    );
    `NVDLA_CHECK(OneAnswer, !found_valid_q || floating || !used ||
                 !(found_q.hit && (found_q.under || found_q.both_under || found_q.both_over)))
`endif
  end

  // ---- FP16 ---------------------------------------------------------------------------------------------------------
  if (Fp16 == 0) begin : gen_integers
    assign words = integer_words;
    assign result_o = integer_results;
    assign flags_o = integer_flags;
    wire unused_clk_on = clk_on_i;
  end else begin : gen_fp16
    localparam int Wait = 2;  // stages that integers wait for FP16
    logic [WideLanes*32-1:0] patterns;
    logic [WideLanes*9-1:0] floating_words;
    logic [WideLanes*LutFlagBits-1:0] floating_flags;
    logic [WideLanes*17-1:0] floating_results;
    logic [Lanes*LutEntryBits-1:0] results_q[1:Wait];
    logic [Wait:1] valid_q;  // [1]: an integer result has left its fourth stage
    logic [WideLanes*LutFoundBits-1:0] unused_found;

    nvdla_lut_fp16 #(
        .Lanes(WideLanes)
    ) u_fp16 (
        .clk_i,
        .rst_ni,
        .clk_on_i,
        .on_i     (floating),
        .cfg_i,
        .step_i,
        .valid_i,
        .data_i   (patterns),
        .word_o   (floating_words),
        .entries_i(entries[WideLanes*2*LutEntryBits-1:0]),
        .result_o (floating_results),
        .flags_o  (floating_flags),
        .found_o  (unused_found)
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else if (step_i) valid_q <= {valid_q[Wait-1:1], product_valid_q};
    end
    always_ff @(posedge clk_i) begin
      if (step_i && valid_q[1]) results_q[1] <= integer_results;
      if (step_i && valid_q[2]) results_q[2] <= results_q[1];
    end
    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      logic [16:0] result;
      assign result = 17'($signed(results_q[Wait][l*LutEntryBits+:LutEntryBits]));
      if (l < WideLanes) begin : gen_wide
        assign patterns[l*32+:32] = data_i[l][31:0];
        assign words[l*9+:9] = floating ? floating_words[l*9+:9] : integer_words[l*9+:9];
        assign flags_o[l] = floating ? floating_flags[l*LutFlagBits+:LutFlagBits] :
            integer_flags[l*LutFlagBits+:LutFlagBits];
        assign result_o[l] = floating ? floating_results[l*17+:17] : result;
      end else begin : gen_narrow
        assign words[l*9+:9] = integer_words[l*9+:9];
        assign flags_o[l] = integer_flags[l*LutFlagBits+:LutFlagBits];
        assign result_o[l] = result;
      end
    end
  end

  `NVDLA_PARAM(WideLanesLegal, WideLanes >= 1 && WideLanes <= Lanes)
  `NVDLA_PARAM(BitsLegal, InputBits >= 2 && InputBits <= LutPlaceBits && SelectBits >= 6 && SelectBits <= 7 &&
               Lanes >= 1)
  `NVDLA_PARAM(NarrowIsNarrower, InputBits <= LutNarrowBits || (SelectBits > LutNarrowSelectBits && InputBits >= 32))
endmodule
