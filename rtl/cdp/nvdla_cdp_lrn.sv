// Local response normalisation of beats: square sum, table look-up, multiply, output convertor, packing to atoms.
//
// view_i: see nvdla_cdp_window. step_o: the beat offered is taken, and every beat in the pipeline moves on. Stages:
// squares; sums (FP16: six in all); those of the LUT; multiply and output offset (FP16: multiply); output convertor,
// which packs (INT16, FP16: one more, which packs). atom_last_o: last atom of the layer. cfg_req_i .. rdata_o: the
// LUT's access port. Counts: D_PERF_LUT_*, D_NAN_OUTPUT_NUM and D_OUT_SATURATION of the current layer, 0 while run_i is
// 0. precision_i: D_DATA_FORMAT, INT8 if no other exists.
// Spec: 62-cdp, sections 5 to 9.
`include "nvdla_check.svh"
module nvdla_cdp_lrn
  import nvdla_pkg::*;
  import nvdla_cdp_pkg::*;
  import nvdla_lut_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    clk_on_i,
    input  logic                    run_i,
    input  logic [             1:0] precision_i,
    input  logic                    sqsum_bypass_i,
    input  logic                    mul_bypass_i,
    input  logic [             1:0] normalz_len_i,
    input  logic [            31:0] datout_offset_i,
    input  logic [            15:0] datout_scale_i,
    input  logic [             5:0] datout_shifter_i,
    // tables
    input  lut_cfg_t                lut_cfg_i,
    input  logic                    cfg_req_i,
    input  logic                    data_req_i,
    input  logic                    write_i,
    input  logic [            31:0] wdata_i,
    output logic [            31:0] rdata_o,
    // beats in, atoms out
    input  logic                    beat_valid_i,
    output logic                    step_o,
    input  logic                    beat_last_i,
    input  logic [CdpViewWidth-1:0] view_i,
    output logic                    atom_valid_o,
    input  logic                    atom_ready_i,
    output logic                    atom_last_o,
    output logic [    AtomBits-1:0] atom_data_o,
    // counts
    output logic [            31:0] uflow_o,
    output logic [            31:0] oflow_o,
    output logic [            31:0] hybrid_o,
    output logic [            31:0] le_hit_o,
    output logic [            31:0] lo_hit_o,
    output logic [            31:0] nans_o,
    output logic [            31:0] saturated_o
);
  // Stages before the packing one, by precision.
  localparam int Int8Stages = CdpFactor + 1;
  localparam int Int16Stages = Int16 != 0 ? CdpFactor + 2 : Int8Stages;
  localparam int Fp16Stages = Fp16 != 0 ? CdpFp16Factor + 1 : Int8Stages;
  localparam int Stages = Fp16Stages > Int16Stages ? Fp16Stages : Int16Stages;
  localparam int Fp16Sums = Fp16 != 0 ? 6 : 2;  // stages before the LUT
  localparam int DelayBits = 4;                 // of the elements' delay line
  localparam int BeatWidth = CdpThroughput * 8;
  localparam int Top = AtomBits - BeatWidth;  // where a beat enters the atom
  localparam int LutInputBits = CdpWide != 0 ? CdpWideSumBits : CdpSumBits;
  localparam int LutFactorBits = LutEntryBits + Fp16;

  logic [Stages:1] valid_q, last_q, reached;  // valid_q[n]: a beat has left stage n
  logic [CdpBeatBits-1:0] beat_q;
  logic atom_valid_q, atom_last_q;
  logic [AtomBits-1:0] atom_q;
  logic step, bypass_sum, bypass_multiply, fp16, int16, wide;
  logic sums_valid, flags_valid, factors_valid, products_valid, words_valid, words_last, packing;
  logic [CdpThroughput*LutFlagBits-1:0] flags;
  logic [CdpThroughput-1:0] both_under, both_over, le_only, lo_only;
  logic [CdpThroughput*LutInputBits-1:0] sums;
  logic [CdpThroughput*LutFactorBits-1:0] factors;
  logic [CdpThroughput*26-1:0] products;
  logic [1:0] reach;
  logic [24:0] offset;
  logic [15:0] scale;
  logic [5:0] shift;

  assign fp16 = Fp16 != 0 && precision_i == 2'd2;
  assign int16 = Int16 != 0 && precision_i == 2'd1;
  assign wide = fp16 || int16;

  // Beats go as far as their precision has stages.
  assign reached = fp16 ? {Stages{1'b1}} : int16 ? {Stages{1'b1}} >> (Stages - Int16Stages) :
      {Stages{1'b1}} >> (Stages - Int8Stages);
  assign sums_valid = fp16 ? valid_q[Fp16Sums] : valid_q[2];
  assign flags_valid = fp16 ? valid_q[Fp16Sums+1] : valid_q[3];
  assign factors_valid = fp16 ? valid_q[Fp16Stages-1] : valid_q[CdpFactor];
  assign products_valid = fp16 ? valid_q[Fp16Stages] : valid_q[CdpFactor];
  assign words_valid = fp16 ? valid_q[Fp16Stages] : int16 ? valid_q[Int16Stages] : valid_q[Int8Stages];
  assign words_last = fp16 ? last_q[Fp16Stages] : int16 ? last_q[Int16Stages] : last_q[Int8Stages];
  assign packing = step && words_valid;

  assign step = !atom_valid_q || atom_ready_i;
  assign reach = normalz_len_i;  // neighbours on either side, less one
  assign bypass_sum = sqsum_bypass_i;
  assign bypass_multiply = mul_bypass_i;
  assign offset = datout_offset_i[24:0];
  assign scale = datout_scale_i;
  assign shift = datout_shifter_i;

  assign step_o = step;
  assign atom_valid_o = atom_valid_q;
  assign atom_last_o = atom_last_q;
  assign atom_data_o = atom_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      last_q <= '0;
      beat_q <= '0;
      atom_valid_q <= 1'b0;
      atom_last_q <= 1'b0;
    end else if (step) begin
      valid_q <= {valid_q[Stages-1:1], beat_valid_i} & reached;
      last_q <= {last_q[Stages-1:1], beat_last_i};
      atom_valid_q <= words_valid && beat_q == CdpBeatBits'(CdpBeats - 1);
      atom_last_q <= words_last;
      if (words_valid) beat_q <= beat_q + CdpBeatBits'(1);
    end
  end

  // ---- tables -------------------------------------------------------------------------------------------------------
  nvdla_lut #(
      .Lanes     (CdpThroughput),
      .WideLanes (CdpWide != 0 ? CdpWideLanes : CdpThroughput),
      .InputBits (LutInputBits),
      .SelectBits(CdpSelectBits),
      .Fp16      (Fp16)
  ) u_lut (
      .clk_i,
      .rst_ni,
      .clk_on_i,
      .cfg_req_i,
      .data_req_i,
      .write_i,
      .wdata_i,
      .rdata_o,
      .cfg_i   (lut_cfg_i),
      .precision_i,
      .step_i  (step),
      .valid_i (sums_valid),
      .data_i  (sums),
      .result_o(factors),
      .flags_o (flags)
  );

  for (genvar l = 0; l < CdpThroughput; l++) begin : gen_flags
    wire unused_top = factors[(l+1)*LutFactorBits-1];  // INT8: the sign
    assign {lo_only[l], le_only[l], both_over[l], both_under[l]} = flags[l*LutFlagBits+:LutFlagBits];
  end

  // ---- counts -------------------------------------------------------------------------------------------------------
  // Lanes that count, by their answers. Where an element is two bytes every other unit of the table is idle and is
  // counted too: in FP16 as hybrid, in INT16 with its answer to the last beat of INT8.
  logic [CdpThroughput-1:0] count_under, count_over, count_le, count_lo;
  logic [CdpThroughput-1:0] clipped_q, nan_q;

  if (CdpWide != 0) begin : gen_idle
    logic [CdpWideLanes*LutFlagBits-1:0] idle_q;
    for (genvar l = 0; l < CdpWideLanes; l++) begin : gen_unit
      always_ff @(posedge clk_i or negedge rst_ni)
        if (!rst_ni) idle_q[l*LutFlagBits+:LutFlagBits] <= '0;
        else if (step && flags_valid && !wide) idle_q[l*LutFlagBits+:LutFlagBits] <=
            flags[(2*l+1)*LutFlagBits+:LutFlagBits];
      assign count_under[l] = both_under[l];
      assign count_over[l] = both_over[l];
      assign count_le[l] = le_only[l];
      assign count_lo[l] = lo_only[l];
      assign {count_lo[CdpWideLanes+l], count_le[CdpWideLanes+l], count_over[CdpWideLanes+l],
          count_under[CdpWideLanes+l]} =
        !wide ? {lo_only[CdpWideLanes+l], le_only[CdpWideLanes+l], both_over[CdpWideLanes+l],
            both_under[CdpWideLanes+l]}
        : fp16 ? LutFlagBits'(0) : idle_q[l*LutFlagBits+:LutFlagBits];
    end
  end else begin : gen_all
    assign count_under = both_under;
    assign count_over = both_over;
    assign count_le = le_only;
    assign count_lo = lo_only;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      uflow_o <= 32'd0;
      oflow_o <= 32'd0;
      hybrid_o <= 32'd0;
      le_hit_o <= 32'd0;
      lo_hit_o <= 32'd0;
    end else if (!run_i) begin
      uflow_o <= 32'd0;
      oflow_o <= 32'd0;
      hybrid_o <= 32'd0;
      le_hit_o <= 32'd0;
      lo_hit_o <= 32'd0;
    end else if (step && flags_valid) begin
      uflow_o <= uflow_o + 32'($countones(count_under));
      oflow_o <= oflow_o + 32'($countones(count_over));
      hybrid_o <= hybrid_o + 32'($countones(~(count_under | count_over | count_le | count_lo)));
      le_hit_o <= le_hit_o + 32'($countones(count_le));
      lo_hit_o <= lo_hit_o + 32'($countones(count_lo));
    end
  end

  if (CdpWide != 0) begin : gen_clipped
    logic packed_q;
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) begin
        packed_q <= 1'b0;
        nans_o <= 32'd0;
        saturated_o <= 32'd0;
      end else begin
        packed_q <= packing;
        if (!run_i) begin
          nans_o <= 32'd0;
          saturated_o <= 32'd0;
        end else if (packed_q) begin
          nans_o <= nans_o + 32'($countones(nan_q));
          saturated_o <= saturated_o + 32'($countones(clipped_q));
        end
      end
  end else begin : gen_not_counted
    wire unused_clipped = &{1'b0, clipped_q, nan_q};
    assign nans_o = 32'd0;
    assign saturated_o = 32'd0;
  end

  // ---- the elements, until their factors are there ------------------------------------------------------------------
  logic [CdpBeatWidth-1:0] elements_q[0:(1<<DelayBits)-1];
  logic [DelayBits-1:0] place_q;
  logic [CdpBeatWidth-1:0] values;  // whose factors are there

  // The place of the newest one, and of those whose factors are there in integers: counts of their own, so that no sum
  // is in front of the memory.
  logic [DelayBits-1:0] integer_place_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      place_q         <= '0;
      integer_place_q <= DelayBits'((1 << DelayBits) - CdpFactor);
    end else if (step) begin
      place_q         <= place_q + DelayBits'(1);
      integer_place_q <= integer_place_q + DelayBits'(1);
    end
  always_ff @(posedge clk_i) if (step && beat_valid_i) elements_q[place_q] <= view_i[CdpHaloWidth+:CdpBeatWidth];

  // ---- INT16 and FP16 -----------------------------------------------------------------------------------------------
  logic [CdpThroughput*LutInputBits-1:0] wide_sums;
  logic [BeatWidth-1:0] words;
  logic [CdpThroughput-1:0] words_clipped, words_nan;
  // of all precisions, for observers: an element of 16 bits has the places of two
  logic [CdpThroughput*26-1:0] seen_products;
  wire unused_seen = &{1'b0, products_valid, seen_products};

  if (CdpWide != 0) begin : gen_wide
    logic [CdpWideLanes*16-1:0] int16_words, fp16_words, int16_factors;
    logic [CdpWideLanes-1:0] int16_clipped;
    logic [CdpWideLanes*CdpWideSumBits-1:0] int16_sums;
    logic [CdpWideLanes*33-1:0] int16_products;
    logic [CdpWideLanes*32-1:0] fp16_sums;
    logic [CdpWideLanes*CdpWideValueBits-1:0] fp16_factors, fp16_products;

    // Places of FP16: whose factors are there, and of the beat that this step brings to the LUT.
    logic [DelayBits-1:0] fp16_place_q, sum_place_q;
    assign values = elements_q[fp16 ? fp16_place_q : integer_place_q];
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) begin
        fp16_place_q <= DelayBits'((1 << DelayBits) - CdpFp16Factor);
        sum_place_q  <= DelayBits'((1 << DelayBits) + 1 - Fp16Sums);
      end else if (step) begin
        fp16_place_q <= fp16_place_q + DelayBits'(1);
        sum_place_q  <= sum_place_q + DelayBits'(1);
      end

    // One of them moves at a time. Nothing behind their clock gates is reset.
    if (Int16 != 0) begin : gen_int16
      logic int16_clk;
      nvdla_clock_gate #(
          .After(0),
          .Inner(1'b1)
      ) u_int16_clock (
          .clk_i,
          .rst_ni(1'b1),
          .on_i  (clk_on_i),
          .work_i(step && int16),
          .clk_o (int16_clk)
      );
      nvdla_cdp_int16 u_int16 (
          .clk_i              (int16_clk),
          .sqsum_bypass_i,
          .mul_bypass_i,
          .normalz_len_i,
          .datout_offset_i,
          .datout_scale_i,
          .datout_shifter_i,
          .step_i             (step && int16),
          .beat_valid_i,
          .squares_valid_i    (valid_q[1]),
          .factors_valid_i    (factors_valid),
          .differences_valid_i(valid_q[CdpFactor+1]),
          .view_i,
          .sums_o             (int16_sums),
          .factors_i          (int16_factors),
          .values_i           (int16 ? values : '0),
          .products_o         (int16_products),
          .words_o            (int16_words),
          .clipped_o          (int16_clipped)
      );
    end else begin : gen_no_int16
      assign {int16_sums, int16_products, int16_words, int16_clipped} = '0;
      wire unused_int16 = &{1'b0, int16_factors, datout_offset_i[31:25]};
    end

    if (Fp16 != 0) begin : gen_fp16
      logic fp16_clk;
      nvdla_clock_gate #(
          .After(0),
          .Inner(1'b1)
      ) u_fp16_clock (
          .clk_i,
          .rst_ni(1'b1),
          .on_i  (clk_on_i),
          .work_i(step && fp16),
          .clk_o (fp16_clk)
      );
      nvdla_cdp_fp16 u_fp16 (
          .clk_i          (fp16_clk),
          .sqsum_bypass_i,
          .mul_bypass_i,
          .normalz_len_i,
          .step_i         (step && fp16),
          .beat_valid_i   (beat_valid_i && fp16),
          .summing_i      (beat_valid_i || valid_q[Fp16Sums-1:1] != '0),
          .factors_valid_i(factors_valid),
          .view_i,
          .values_i       (fp16 ? elements_q[sum_place_q] : '0),
          .sums_o         (fp16_sums),
          .factors_i      (fp16_factors),
          .late_values_i  (values),
          .products_o     (fp16_products),
          .words_o        (fp16_words)
      );
    end else begin : gen_no_fp16
      assign {fp16_sums, fp16_products, fp16_words} = '0;
      wire unused_fp16 = &{1'b0, fp16_factors};
    end

    for (genvar l = 0; l < CdpWideLanes; l++) begin : gen_lane
      assign int16_factors[l*16+:16] = int16 ? factors[l*LutFactorBits+:16] : 16'd0;
      assign fp16_factors[l*CdpWideValueBits+:CdpWideValueBits] = factors[l*LutFactorBits+:CdpWideValueBits];
      assign wide_sums[l*LutInputBits+:LutInputBits] =
        fp16 ? LutInputBits'(fp16_sums[l*32+:32]) : int16_sums[l*CdpWideSumBits+:CdpWideSumBits];
      assign seen_products[l*52+:52] = fp16 ? 52'(fp16_products[l*CdpWideValueBits+:CdpWideValueBits])
        : int16 ? 52'($signed(int16_products[l*33+:33])) : products[l*52+:52];
      assign words_clipped[l] = fp16 ? fp16_words[l*16+:15] == 15'h7bff : int16_clipped[l];
      assign words_nan[l] = fp16 && fp16_words[l*16+:15] > 15'h7c00;
    end
    assign wide_sums[CdpThroughput*LutInputBits-1:CdpWideLanes*LutInputBits] = '0;
    assign words_clipped[CdpThroughput-1:CdpWideLanes] = '0;
    assign words_nan[CdpThroughput-1:CdpWideLanes] = '0;
    assign words = fp16 ? fp16_words : int16_words;
  end else begin : gen_int8
    wire unused_offset = &{1'b0, datout_offset_i[31:25]};
    assign values = elements_q[integer_place_q];
    assign wide_sums = '0;
    assign words = '0;
    assign words_clipped = '0;
    assign words_nan = '0;
    assign seen_products = products;
  end

  // ---- INT8: squares of all lanes a beat sees -----------------------------------------------------------------------
  localparam int SeenAt = CdpHaloWidth - CdpHalo * CdpValueBits;
  for (genvar k = 0; k < CdpSeenLanes; k++) begin : gen_square
    logic [CdpSquareBits-1:0] square_q;
    always_ff @(posedge clk_i)
      if (step && beat_valid_i && !wide) square_q <= cdp_square(view_i[SeenAt+k*CdpValueBits+:CdpValueBits]);
  end

  // ---- lanes of INT8, and bytes of all ------------------------------------------------------------------------------
  for (genvar l = 0; l < CdpThroughput; l++) begin : gen_lane
    logic signed [CdpValueBits-1:0] value_1_q, value;
    logic [CdpSumBits-1:0] sum_q;
    logic signed [25:0] difference_q;
    logic signed [15:0] factor;
    assign factor = $signed(factors[l*LutFactorBits+:16]);
    assign value = $signed(values[l*CdpValueBits+:CdpValueBits]);

    assign sums[l*LutInputBits+:LutInputBits] =
      wide ? wide_sums[l*LutInputBits+:LutInputBits] : LutInputBits'($signed(sum_q));
    assign products[l*26+:26] = wide ? '0 : bypass_multiply ? 26'(factor) : 26'(factor) * 26'(value);

    always_ff @(posedge clk_i) begin
      if (step && beat_valid_i && !wide) value_1_q <= $signed(view_i[CdpHaloWidth+l*CdpValueBits+:CdpValueBits]);
      if (step && valid_q[1] && !wide) begin
        if (bypass_sum) sum_q <= CdpSumBits'(value_1_q);
        else
          sum_q <= CdpSumBits'(gen_square[l+4].square_q) + CdpSumBits'(gen_square[l+3].square_q) +
              CdpSumBits'(gen_square[l+5].square_q) +
              (reach > 2'd0 ? CdpSumBits'(gen_square[l+2].square_q) + CdpSumBits'(gen_square[l+6].square_q) : '0) +
              (reach > 2'd1 ? CdpSumBits'(gen_square[l+1].square_q) + CdpSumBits'(gen_square[l+7].square_q) : '0) +
              (reach > 2'd2 ? CdpSumBits'(gen_square[l].square_q) + CdpSumBits'(gen_square[l+8].square_q) : '0);
      end
      if (step && factors_valid && !wide)
        difference_q <= $signed(products[l*26+:26]) - 26'($signed(offset));
      if (packing) begin
        if (CdpWide != 0 && wide) atom_q[Top+l*8+:8] <= words[l*8+:8];
        else {clipped_q[l], atom_q[Top+l*8+:8]} <= cdp_output(difference_q, scale, shift);
        if (CdpWide != 0) begin
          if (wide) clipped_q[l] <= words_clipped[l];
          nan_q[l] <= words_nan[l];
        end
      end
    end
  end

  always_ff @(posedge clk_i) if (packing) atom_q[Top-1:0] <= atom_q[AtomBits-1:BeatWidth];

  `NVDLA_PARAM(ElementsAreThereLongEnough, CdpFp16Factor < (1 << DelayBits) && CdpFactor < (1 << DelayBits))
  `NVDLA_STABLE(OutputStable, atom_valid_o, atom_ready_i, {atom_last_o, atom_data_o})

`ifdef NVDLA_CHECKS
  // Atoms inside, by their last beats.
  localparam int AtomBeats = CdpBeats;
  int beats_seen_q, words_seen_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      beats_seen_q <= 0;
      words_seen_q <= 0;
    end else begin
      if (beat_valid_i && step_o) beats_seen_q <= (beats_seen_q + 1) % AtomBeats;
      if (step && words_valid) words_seen_q <= (words_seen_q + 1) % AtomBeats;
    end
  `NVDLA_CHECK(BeatsInTurn, 32'(beat_q) == words_seen_q)
  `NVDLA_QUEUE(Atoms, 1, Stages + 2, beat_valid_i && step_o && beats_seen_q == AtomBeats - 1, beat_last_i, atom_valid_o,
               atom_valid_o && atom_ready_i, atom_last_o)
  `NVDLA_BALANCE(Beats, Stages + 2 * AtomBeats, beat_valid_i && step_o, 1, atom_valid_o && atom_ready_i, 32'(AtomBeats))
  `NVDLA_CHECK(NothingIsLost, Beats.level_q == 32'($countones(valid_q)) + 32'(beat_q) + (atom_valid_o ? AtomBeats : 0))
`endif
endmodule
