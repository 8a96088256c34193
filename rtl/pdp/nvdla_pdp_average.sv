// The two reciprocal multiplies of an average (for max and min the value passes), and packing to atoms.
//
// tot_i: beats of PdpThroughput lanes of PdpSumBits, lane 0 of the atom first, tot_last_i with the last beat of the
// layer. First multiply and second multiply with packing take one clock each; averages of FP16 go through
// nvdla_fp16_mean (three clocks) with the vertical pad term tot_pad_i, and packing. atom_begun_o: at least one beat of
// an atom is there, or a whole one. clk_mean_i is clk_i in layers of averages of FP16, else it may stand still.
// Spec: 60-pdp, sections 5.3, 5.4.
`include "nvdla_check.svh"
module nvdla_pdp_average
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;
(
    input  logic                                     clk_i,
    input  logic                                     clk_mean_i,
    input  logic                                     rst_ni,
    input  logic [                              1:0] precision_i,
    input  logic [                              1:0] method_i,
    input  logic [                             16:0] recip_width_i,
    input  logic [                             16:0] recip_height_i,
    input  logic                                     tot_valid_i,
    output logic                                     tot_ready_o,
    input  logic                                     tot_last_i,
    input  logic [PdpThroughput-1:0][PdpSumBits-1:0] tot_i,
    input  logic [                             16:0] tot_pad_i,
    output logic                                     atom_begun_o,
    output logic                                     atom_valid_o,
    input  logic                                     atom_ready_i,
    output logic                                     atom_last_o,
    output logic [                     AtomBits-1:0] atom_data_o
);
  localparam int WidthsBits = PdpThroughput * PdpWidthBits;
  localparam int BeatWidth = PdpThroughput * 8;  // of INT8
  localparam int WideWidth = PdpThroughput * PdpElementBits;

  logic wide, mean, average;
  logic width_valid_q, width_last_q, atom_valid_q, atom_last_q;
  logic [PdpBeatBits-1:0] beat_q;
  logic [AtomBits-1:0] atom_q;
  logic width_take, height_valid, height_last, height_ready, height_take, beat_final;
  logic [2:0] mean_valid_q, mean_last_q;  // stages of averages of FP16
  logic mean_ready;
  logic [WideWidth-1:0] means;

  assign wide = pdp_is_wide(precision_i);
  assign mean = pdp_is_mean(precision_i, method_i);
  assign average = method_i == PdpAverage && !mean;
  assign tot_ready_o = mean ? mean_ready : !width_valid_q || height_ready;
  assign width_take = tot_valid_i && tot_ready_o && !mean;
  assign mean_ready = !mean_valid_q[2] || height_ready;
  assign height_valid = mean ? mean_valid_q[2] : width_valid_q;
  assign height_last = mean ? mean_last_q[2] : width_last_q;
  assign height_ready = !atom_valid_q || atom_ready_i;
  assign height_take = height_valid && height_ready;
  assign beat_final = beat_q == (wide ? PdpBeatBits'(PdpWideBeats - 1) : PdpBeatBits'(PdpBeatLast));

  assign atom_begun_o = atom_valid_q || beat_q != '0;
  assign atom_valid_o = atom_valid_q;
  assign atom_last_o = atom_last_q;
  assign atom_data_o = atom_q;

  // ---- averages of FP16 ---------------------------------------------------------------------------------------------
  if (Fp16 != 0) begin : gen_mean
    logic mean_step;
    assign mean_step = mean && mean_ready && (tot_valid_i || mean_valid_q != 3'd0);
    always_ff @(posedge clk_mean_i or negedge rst_ni)
      if (!rst_ni) mean_valid_q <= 3'd0;
      else if (mean_step) mean_valid_q <= {mean_valid_q[1:0], tot_valid_i};
    always_ff @(posedge clk_mean_i) if (mean_step) mean_last_q <= {mean_last_q[1:0], tot_last_i};

    for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
      nvdla_fp16_mean u_mean (
          .clk_i   (clk_mean_i),
          .en_i    (mean_step),
          .sum_i   (tot_i[p][16:0]),
          .pad_i   (tot_pad_i),
          .width_i (recip_width_i),
          .height_i(recip_height_i),
          .mean_o  (means[p*16+:16])
      );
    end
  end else begin : gen_no_mean
    assign {mean_valid_q, mean_last_q, means} = '0;
    wire unused_mean = &{1'b0, clk_mean_i, tot_pad_i, mean_valid_q, mean_last_q};
  end

  // ---- integers, maxima and minima ----------------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      width_valid_q <= 1'b0;
      atom_valid_q <= 1'b0;
      beat_q <= '0;
    end else begin
      if (tot_ready_o) width_valid_q <= width_take;
      if (height_ready) atom_valid_q <= height_take && beat_final;
      if (height_take) beat_q <= beat_final ? '0 : beat_q + PdpBeatBits'(1);
    end
  end
  always_ff @(posedge clk_i) begin
    if (width_take) width_last_q <= tot_last_i;
    if (height_take) atom_last_q <= height_last;
  end

  logic [WidthsBits-1:0] widths;
  for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
    logic [PdpWidthBits-1:0] width_q;
    assign widths[p*PdpWidthBits+:PdpWidthBits] = width_q;
    always_ff @(posedge clk_i) begin
      if (width_take) begin
        if (average) width_q <= pdp_scale_width(precision_i, tot_i[p], recip_width_i);
        else width_q <= tot_i[p][PdpWidthBits-1:0];
      end
    end
  end

  // The elements of a beat, where they may have 16 bits those of INT8 in their low bytes.
  function automatic logic [WideWidth-1:0] elements(
      input logic multiply, input logic [1:0] precision, input logic [WidthsBits-1:0] values,
      input logic [16:0] recip);
    for (int p = 0; p < PdpThroughput; p++)
      elements[p*PdpElementBits+:PdpElementBits] = multiply ?
          pdp_scale_height(precision, values[p*PdpWidthBits+:PdpWidthBits], recip)
                                                            : values[p*PdpWidthBits+:PdpElementBits];
  endfunction

  // ---- packing ------------------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (height_take) begin
      if (mean) atom_q <= (atom_q >> WideWidth) | (AtomBits'(means) << (AtomBits - WideWidth));
      else if (wide) atom_q <= (atom_q >> WideWidth) |
          (AtomBits'(elements(average, precision_i, widths, recip_height_i)) << (AtomBits - WideWidth));
      else atom_q <= (atom_q >> BeatWidth) |
          (AtomBits'(pdp_narrow(elements(average, precision_i, widths, recip_height_i))) << (AtomBits - BeatWidth));
    end
  end

  `NVDLA_STABLE(InputStable, tot_valid_i, tot_ready_o, {tot_last_i, tot_i})
  `NVDLA_STABLE(OutputStable, atom_valid_o, atom_ready_i, {atom_last_o, atom_data_o})

`ifdef NVDLA_CHECKS
  // Atoms of integers as their beats come in.
  logic [WidthsBits-1:0] seen_widths;
  logic [WideWidth-1:0] seen;
  logic [AtomBits-1:0] atom_seen_q, atom_seen;
  int beats_seen_q, atom_beats;
  assign atom_beats = wide ? PdpWideBeats : PdpBeats;
  always_comb begin
    for (int p = 0; p < PdpThroughput; p++)
      seen_widths[p*PdpWidthBits+:PdpWidthBits] =
          average ? pdp_scale_width(precision_i, tot_i[p], recip_width_i) : PdpWidthBits'(tot_i[p]);
    seen = elements(average, precision_i, seen_widths, recip_height_i);
    atom_seen = atom_seen_q;
    for (int p = 0; p < PdpThroughput; p++)
      if (wide) atom_seen[(beats_seen_q*PdpThroughput+p)*PdpElementBits+:PdpElementBits] =
          seen[p*PdpElementBits+:PdpElementBits];
      else atom_seen[(beats_seen_q*PdpThroughput+p)*8+:8] = seen[p*PdpElementBits+:8];
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) beats_seen_q <= 0;
    else if (tot_valid_i && tot_ready_o) beats_seen_q <= (beats_seen_q + 1) % atom_beats;
  always_ff @(posedge clk_i) if (tot_valid_i && tot_ready_o) atom_seen_q <= atom_seen;
  `NVDLA_QUEUE(Atoms, AtomBits + 1, 4, tot_valid_i && tot_ready_o && !mean && beats_seen_q == atom_beats - 1,
               {atom_seen, tot_last_i}, atom_valid_o && !mean, atom_valid_o && atom_ready_i && !mean,
               {atom_data_o, atom_last_o})
  `NVDLA_QUEUE(Means, 1, 6, tot_valid_i && tot_ready_o && mean && beats_seen_q == atom_beats - 1, tot_last_i,
               atom_valid_o && mean,
               atom_valid_o && atom_ready_i && mean, atom_last_o)
  `NVDLA_CHECK(NothingIsLost, width_valid_q || mean_valid_q != '0 || Atoms.level_q + Means.level_q == 32'(atom_valid_o))
`endif
endmodule
