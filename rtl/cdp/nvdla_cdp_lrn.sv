// Local response normalisation of beats: square sum, table look-up, multiply, output convertor, packing to atoms.
//
// view_i: see nvdla_cdp_window. step_o: the beat offered is taken, and every beat in the pipeline moves on. Seven stages: squares; sums;
// three of the LUT; multiply and output offset; output convertor, which packs. atom_last_o: last atom of the layer. cfg_req_i .. rdata_o:
// the LUT's access port. Counts: D_PERF_LUT_* of the current layer, 0 while run_i is 0.
// Spec: 62-cdp, sections 5 to 9.
module nvdla_cdp_lrn
  import nvdla_pkg::*;
  import nvdla_cdp_pkg::*;
  import nvdla_lut_pkg::*;
(
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  logic                                 run_i,
    input  logic                                 sqsum_bypass_i,
    input  logic                                 mul_bypass_i,
    input  logic [                          1:0] normalz_len_i,
    input  logic [                         24:0] datout_offset_i,
    input  logic [                         15:0] datout_scale_i,
    input  logic [                          5:0] datout_shifter_i,
  // tables
    input  lut_cfg_t                             lut_cfg_i,
    input  logic                                 cfg_req_i,
    input  logic                                 data_req_i,
    input  logic                                 write_i,
    input  logic [                         31:0] wdata_i,
    output logic [                         31:0] rdata_o,
  // beats in, atoms out
    input  logic                                 beat_valid_i,
    output logic                                 step_o,
    input  logic                                 beat_last_i,
    input  logic [CdpViewLanes*CdpValueBits-1:0] view_i,
    output logic                                 atom_valid_o,
    input  logic                                 atom_ready_i,
    output logic                                 atom_last_o,
    output logic [                 AtomBits-1:0] atom_data_o,
  // counts
    output logic [                         31:0] uflow_o,
    output logic [                         31:0] oflow_o,
    output logic [                         31:0] hybrid_o,
    output logic [                         31:0] le_hit_o,
    output logic [                         31:0] lo_hit_o
);
  localparam int Stages = 6;                   // before the packing one
  localparam int BeatWidth = CdpThroughput * 8;
  localparam int Top = AtomBits - BeatWidth;   // where a beat enters the atom

  logic [Stages:1] valid_q, last_q;            // valid_q[n]: a beat has left stage n
  logic [CdpBeatBits-1:0] beat_q;
  logic atom_valid_q, atom_last_q;
  logic [AtomBits-1:0] atom_q;
  logic step, bypass_sum, bypass_multiply;
  logic [CdpThroughput*LutFlagBits-1:0] flags;
  logic [CdpThroughput-1:0] both_under, both_over, le_only, lo_only;
  logic [CdpThroughput*CdpSumBits-1:0] sums;
  logic [CdpThroughput*LutEntryBits-1:0] factors;
  logic [CdpThroughput*26-1:0] products;
  logic [1:0] reach;
  logic [24:0] offset;
  logic [15:0] scale;
  logic [5:0] shift;

  assign step = !atom_valid_q || atom_ready_i;
  assign reach = normalz_len_i;  // neighbours on either side, less one
  assign bypass_sum = sqsum_bypass_i;
  assign bypass_multiply = mul_bypass_i;
  assign offset = datout_offset_i;
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
      valid_q <= {valid_q[Stages-1:1], beat_valid_i};
      last_q <= {last_q[Stages-1:1], beat_last_i};
      atom_valid_q <= valid_q[Stages] && beat_q == CdpBeatBits'(CdpBeats - 1);
      atom_last_q <= last_q[Stages];
      if (valid_q[Stages]) beat_q <= beat_q + CdpBeatBits'(1);
    end
  end

  // ---- tables -------------------------------------------------------------------------------------------------------------------
  nvdla_lut #(
      .Lanes    (CdpThroughput),
      .InputBits(CdpSumBits)
  ) u_lut (
      .clk_i,
      .rst_ni,
      .cfg_req_i,
      .data_req_i,
      .write_i,
      .wdata_i,
      .rdata_o,
      .cfg_i       (lut_cfg_i),
      .precision_i (2'd0),
      .step_i      (step),
      .valid_i     (valid_q[2]),
      .data_i      (sums),
      .result_o    (factors),
      .flags_o     (flags)
  );

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
    end else if (step && valid_q[3]) begin
      uflow_o <= uflow_o + 32'($countones(both_under));
      oflow_o <= oflow_o + 32'($countones(both_over));
      hybrid_o <= hybrid_o + 32'($countones(~(both_under | both_over | le_only | lo_only)));
      le_hit_o <= le_hit_o + 32'($countones(le_only));
      lo_hit_o <= lo_hit_o + 32'($countones(lo_only));
    end
  end

  for (genvar l = 0; l < CdpThroughput; l++) begin : gen_flags
    assign {lo_only[l], le_only[l], both_over[l], both_under[l]} = flags[l*LutFlagBits+:LutFlagBits];
  end

  // ---- squares of all lanes a beat sees -----------------------------------------------------------------------------------------
  for (genvar k = 0; k < CdpViewLanes; k++) begin : gen_square
    logic [CdpSquareBits-1:0] square_q;
    always_ff @(posedge clk_i)
      if (step && beat_valid_i) square_q <= cdp_square(view_i[k*CdpValueBits+:CdpValueBits]);
  end

  // ---- lanes --------------------------------------------------------------------------------------------------------------------
  for (genvar l = 0; l < CdpThroughput; l++) begin : gen_lane
    logic signed [CdpValueBits-1:0] value_1_q, value_2_q, value_3_q, value_4_q, value_5_q;
    logic [CdpSumBits-1:0] sum_q;
    logic signed [25:0] difference_q;
    logic signed [LutEntryBits-1:0] factor;
    assign factor = $signed(factors[l*LutEntryBits+:LutEntryBits]);

    assign sums[l*CdpSumBits+:CdpSumBits] = sum_q;
    assign products[l*26+:26] = bypass_multiply ? 26'(factor) : 26'(factor) * 26'(value_5_q);

    always_ff @(posedge clk_i) begin
      if (step) begin
        value_1_q <= $signed(view_i[(l+CdpHalo)*CdpValueBits+:CdpValueBits]);
        value_2_q <= value_1_q;
        value_3_q <= value_2_q;
        value_4_q <= value_3_q;
        value_5_q <= value_4_q;
      end
      if (step && valid_q[1]) begin
        if (bypass_sum) sum_q <= CdpSumBits'(value_1_q);
        else
          sum_q <= CdpSumBits'(gen_square[l+4].square_q) + CdpSumBits'(gen_square[l+3].square_q) + CdpSumBits'(gen_square[l+5].square_q) +
              (reach > 2'd0 ? CdpSumBits'(gen_square[l+2].square_q) + CdpSumBits'(gen_square[l+6].square_q) : '0) +
              (reach > 2'd1 ? CdpSumBits'(gen_square[l+1].square_q) + CdpSumBits'(gen_square[l+7].square_q) : '0) +
              (reach > 2'd2 ? CdpSumBits'(gen_square[l].square_q) + CdpSumBits'(gen_square[l+8].square_q) : '0);
      end
      if (step && valid_q[5])
        difference_q <= $signed(products[l*26+:26]) - 26'($signed(offset));
      if (step && valid_q[6]) atom_q[Top + l*8+:8] <= cdp_output(difference_q, scale, shift);
    end
  end

  always_ff @(posedge clk_i) if (step && valid_q[6]) atom_q[Top-1:0] <= atom_q[AtomBits-1:BeatWidth];

  `NVDLA_STABLE(OutputStable, atom_valid_o, atom_ready_i, {atom_last_o, atom_data_o})

`ifdef NVDLA_CHECKS
  // Atoms inside, by their last beats.
  localparam int AtomBeats = CdpBeats;
  int beats_seen_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) beats_seen_q <= 0;
    else if (beat_valid_i && step_o) beats_seen_q <= (beats_seen_q + 1) % AtomBeats;
  `NVDLA_QUEUE(Atoms, 1, Stages + 2, beat_valid_i && step_o && beats_seen_q == AtomBeats - 1, beat_last_i, atom_valid_o,
               atom_valid_o && atom_ready_i, atom_last_o)
  `NVDLA_BALANCE(Beats, Stages + 2 * AtomBeats, beat_valid_i && step_o, 1, atom_valid_o && atom_ready_i, 32'(AtomBeats))
`endif
endmodule
