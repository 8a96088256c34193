// Two-table look-up of SDP's EW stage: the LE and LO tables, their access port, and Lanes look-ups per clock. Integers,
// FP16 if Fp16 says so.
//
// cfg_req_i .. rdata_o: see nvdla_lut_tables.
//
// Look-ups: data_i holds Lanes inputs, lane 0 lowest, signed integers of 32 bits or FP32 patterns (precision_i =
// LutFp16); a beat advances one stage in every clock with step_i. Four stages: places in both tables and selection,
// entries, the product, its rounding; with Fp16 six, in all precisions. result_o: a lane has 32 bits, a signed integer
// or an FP32 pattern.
// found_o (a lane: {LO hits, LE hits, selected answer hits, is over, is under}) belongs to the beat that has left the
// first stage. START and END are sign-extended from 32 bits; cfg_i and precision_i must not change while beats are in
// flight.
// Spec: 55-lut, sections 2, 3.1, 4 to 6.
`include "nvdla_check.svh"
module nvdla_lut_sdp
  import nvdla_lut_pkg::*;
#(
    parameter int Lanes = 1,
    parameter int Fp16 = 0
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          clk_on_i,
    // access port
    input  logic                          cfg_req_i,
    input  logic                          data_req_i,
    input  logic                          write_i,
    input  logic [                  31:0] wdata_i,
    output logic [                  31:0] rdata_o,
    // look-ups
    input  lut_cfg_t                      cfg_i,
    input  logic [                   1:0] precision_i,
    input  logic                          step_i,
    input  logic                          valid_i,
    input  logic [       Lanes-1:0][31:0] data_i,
    output logic [       Lanes-1:0][31:0] result_o,
    output logic [Lanes*LutFoundBits-1:0] found_o
);
  logic [Lanes*9-1:0] words, integer_words;
  logic [Lanes*2*LutEntryBits-1:0] entries;
  logic [Lanes*32-1:0] integer_results;
  logic [Lanes*LutFoundBits-1:0] integer_found;
  logic found_valid_q, entry_valid_q, product_valid_q;
  logic find_now, read_now, select_now, product_now, result_now, floating;

  assign floating = Fp16 != 0 && precision_i == LutFp16;
  assign find_now = step_i && valid_i && !floating;
  assign read_now = step_i && found_valid_q;
  assign select_now = read_now && !floating;
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

  nvdla_lut_tables #(
      .Lanes(Lanes),
      .Wraps(1)
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

  // ---- integers -----------------------------------------------------------------------------------------------------
  // Members as wires (members of a packed struct are unsigned).
  logic le_linear, uflow_lo, oflow_lo, hybrid_lo;
  logic [7:0] le_offset, le_select, lo_select;
  logic [LutPlaceBits-1:0] le_start, lo_start, le_end, lo_end;
  assign le_linear = cfg_i.le_linear;
  assign uflow_lo = cfg_i.uflow_lo;
  assign oflow_lo = cfg_i.oflow_lo;
  assign hybrid_lo = cfg_i.hybrid_lo;
  assign le_offset = cfg_i.le_offset;
  assign le_select = cfg_i.le_select;
  assign lo_select = cfg_i.lo_select;
  assign le_start = cfg_i.le_start;
  assign lo_start = cfg_i.lo_start;
  assign le_end = cfg_i.le_end;
  assign lo_end = cfg_i.lo_end;

  // The selected answer, and its fraction.
  localparam int PlacedBits = 15 + LutFracBits + LutSdpFracBits;  // 15: lut_found_t without its fraction
  function automatic logic [PlacedBits-1:0] find(input logic signed [31:0] x);
    lut_sdp_place_t le, lo;
    lut_place_t le_answer, lo_answer;
    lut_found_t found;
    logic signed [32:0] u;
    u = 33'(x) - 33'($signed(le_start[31:0]));
    if (le_linear) le = lut_sdp_linear(u > 0, u[31:0], le_select, LutLeLast);
    else le = lut_sdp_exponential(u > 0, u[31:0], le_offset);
    u = 33'(x) - 33'($signed(lo_start[31:0]));
    lo = lut_sdp_linear(u > 0, u[31:0], lo_select, LutLoLast);
    le_answer.under = le.under;
    le_answer.over = le.over;
    le_answer.index = le.index;
    le_answer.frac = '0;
    lo_answer.under = lo.under;
    lo_answer.over = lo.over;
    lo_answer.index = lo.index;
    lo_answer.frac = '0;
    found = lut_select(le_answer, lo_answer, uflow_lo, oflow_lo, hybrid_lo);
    return {found, found.lo ? lo.frac : le.frac};
  endfunction

  // Where the slope of a miss starts.
  function automatic logic signed [LutDeltaBits-1:0] slope_base(input logic lo, input logic under);
    logic signed [LutPlaceBits:0] base;
    if (under && lo) base = $signed({lo_start[LutPlaceBits-1], lo_start});
    else if (under && (le_linear || le_offset[7:5] != 3'd0)) base = $signed({le_start[LutPlaceBits-1], le_start});
    else if (under) base = lut_exponential_base(le_start, le_offset);
    else if (lo) base = $signed({lo_end[LutPlaceBits-1], lo_end});
    else base = $signed({le_end[LutPlaceBits-1], le_end});
    return LutDeltaBits'(base);
  endfunction

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    lut_found_t found_q;
    logic [LutSdpFracBits-1:0] frac_q, weight_q;
    logic signed [31:0] input_q;
    logic hit_q;
    logic signed [LutDeltaBits-1:0] distance_q;  // from the slope's base
    logic signed [15:0] scale_q;
    logic signed [4:0] shift_q;
    logic [31:0] result_q;
    logic signed [LutProductBits-1:0] product_q;
    logic signed [15:0] first, second, entry_q;
    logic signed [4:0] late_q;
    logic late_hit_q;
    assign {second, first} = entries[l*2*LutEntryBits+:2*LutEntryBits];
    assign integer_words[l*9+:9] = lut_word(found_q.lo, found_q.hit, found_q.under, found_q.index);
    assign integer_found[l*LutFoundBits+:LutFoundBits] = {
        found_q.hit && !found_q.le_only, found_q.hit && !found_q.lo_only, found_q.hit, !found_q.hit && !found_q.under,
        !found_q.hit && found_q.under
    };
    assign integer_results[l*32+:32] = result_q;
    wire unused = &{1'b0, found_q};  // the fraction is beside it

    always_ff @(posedge clk_i) begin
      if (find_now) begin
        {found_q, frac_q} <= find($signed(data_i[l]));
        input_q <= $signed(data_i[l]);
      end
      if (select_now) begin
        hit_q <= found_q.hit;
        if (found_q.hit) begin
          weight_q <= frac_q;
        end else begin
          distance_q <= LutDeltaBits'(input_q) - slope_base(found_q.lo, found_q.under);
          if (found_q.under) begin
            scale_q <= $signed(found_q.lo ? cfg_i.lo_uflow_scale : cfg_i.le_uflow_scale);
            shift_q <= $signed(found_q.lo ? cfg_i.lo_uflow_shift : cfg_i.le_uflow_shift);
          end else begin
            scale_q <= $signed(found_q.lo ? cfg_i.lo_oflow_scale : cfg_i.le_oflow_scale);
            shift_q <= $signed(found_q.lo ? cfg_i.lo_oflow_shift : cfg_i.le_oflow_shift);
          end
        end
      end
      if (product_now) begin
        product_q <= hit_q ? (LutProductBits'(second) - LutProductBits'(first)) * $signed(LutProductBits'(weight_q)) :
            LutProductBits'(distance_q) * LutProductBits'(scale_q);
        entry_q    <= first;
        late_q     <= shift_q;
        late_hit_q <= hit_q;
      end
      if (result_now)
        result_q <= late_hit_q ? lut_sdp_hit(entry_q, product_q) : lut_sdp_miss(entry_q, product_q, late_q);
    end

`ifdef NVDLA_CHECKS
    nvdla_lut_between #(
        .Bits(32)
    ) u_between (
        .clk_i,
        .rst_ni,
        .entries_i(product_now),
        .hit_i    (hit_q),
        .first_i  (first),
        .second_i (second),
        .result_i (result_now),
        .value_i  ($signed(result_q))
    );
    `NVDLA_CHECK(OneAnswer, !found_valid_q || floating ||
                 !(found_q.hit && (found_q.under || found_q.both_under || found_q.both_over)))
`endif
  end

  // ---- FP16 ---------------------------------------------------------------------------------------------------------
  if (Fp16 == 0) begin : gen_integers
    assign words = integer_words;
    assign result_o = integer_results;
    assign found_o = integer_found;
    wire unused_fp16 = &{1'b0, clk_on_i, precision_i};
  end else begin : gen_fp16
    localparam int Wait = 2;  // stages that integers wait for FP16
    logic [Lanes*9-1:0] floating_words;
    logic [Lanes*LutFoundBits-1:0] floating_found;
    logic [Lanes*LutFlagBits-1:0] unused_flags;
    logic [Lanes*17-1:0] floating_results;
    logic [Lanes*32-1:0] results_q[1:Wait];
    logic [Wait:1] valid_q;  // [1]: an integer result has left its fourth stage

    nvdla_lut_fp16 #(
        .Lanes   (Lanes),
        .Weighted(1)
    ) u_fp16 (
        .clk_i,
        .rst_ni,
        .clk_on_i,
        .on_i     (floating),
        .cfg_i,
        .step_i,
        .valid_i,
        .data_i,
        .word_o   (floating_words),
        .entries_i(entries),
        .result_o (floating_results),
        .flags_o  (unused_flags),
        .found_o  (floating_found)
    );

    // Of what is inside; a register, so that what depends on it alone sleeps with the clock.
    logic floating_q;
    always_ff @(posedge clk_i) if (step_i && valid_i) floating_q <= floating;
    assign words = floating_q ? floating_words : integer_words;
    assign found_o = floating_q ? floating_found : integer_found;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else if (step_i) valid_q <= {valid_q[Wait-1:1], product_valid_q};
    end
    always_ff @(posedge clk_i) begin
      if (step_i && valid_q[1]) results_q[1] <= integer_results;
      if (step_i && valid_q[2]) results_q[2] <= results_q[1];
    end
    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      logic [31:0] pattern;
      nvdla_fp_widen #(
          .ExpIn    (6),
          .ExpOut   (8),
          .ManOut   (23),
          .Denormals(0)
      ) u_widen (
          .a_i(floating_results[l*17+:17]),
          .z_o(pattern)
      );
      assign result_o[l] = floating_q ? pattern : results_q[Wait][l*32+:32];
    end
  end
endmodule
