// The two reciprocal multiplies of an average (for max and min the value passes), and packing to atoms.
//
// tot_i: beats of PdpThroughput lanes of PdpSumBits, lane 0 of the atom first, tot_last_i with the last beat of the
// layer. First multiply and second multiply with packing take one clock each. atom_begun_o: at least one beat of an
// atom is there, or a whole one.
// Spec: 60-pdp, section 5.3.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
module nvdla_pdp_average
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;
(
    input  logic                                clk_i, rst_ni, average_i,
    input  logic [                        16:0] recip_width_i, recip_height_i,
    input  logic                                tot_valid_i,
    output logic                                tot_ready_o,
    input  logic                                tot_last_i,
    input  logic [PdpThroughput*PdpSumBits-1:0] tot_i,
    output logic                                atom_begun_o, atom_valid_o,
    input  logic                                atom_ready_i,
    output logic                                atom_last_o,
    output logic [                AtomBits-1:0] atom_data_o
);
  localparam int BeatWidth = PdpThroughput * PdpLaneBits;
  localparam int Top = AtomBits - BeatWidth;  // where a beat enters the atom

  logic width_valid_q, width_last_q, atom_valid_q, atom_last_q;
  logic [PdpBeatBits-1:0] beat_q;
  logic [AtomBits-1:0] atom_q;
  logic width_take, height_ready, height_take, beat_final;

  assign width_take = tot_valid_i && tot_ready_o;
  assign height_ready = !atom_valid_q || atom_ready_i;
  assign height_take = width_valid_q && height_ready;
  assign beat_final = beat_q == PdpBeatBits'(PdpBeatLast);

  assign tot_ready_o = !width_valid_q || height_ready;
  assign atom_begun_o = atom_valid_q || beat_q != '0;
  assign atom_valid_o = atom_valid_q;
  assign atom_last_o = atom_last_q;
  assign atom_data_o = atom_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      width_valid_q <= 1'b0;
      atom_valid_q <= 1'b0;
      beat_q <= '0;
    end else begin
      if (tot_ready_o) width_valid_q <= tot_valid_i;
      if (height_ready) atom_valid_q <= height_take && beat_final;
      if (height_take) beat_q <= beat_final ? '0 : beat_q + PdpBeatBits'(1);
    end
  end
  always_ff @(posedge clk_i) begin
    if (width_take) width_last_q <= tot_last_i;
    if (height_take) atom_last_q <= width_last_q;
  end

  for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
    logic [10:0] width_q;
    always_ff @(posedge clk_i) begin
      if (width_take) begin
        if (average_i) width_q <= pdp_scale_width(tot_i[p*PdpSumBits+:PdpSumBits], recip_width_i);
        else width_q <= tot_i[p*PdpSumBits+:11];
      end
      if (height_take) begin
        if (average_i) atom_q[Top + p*PdpLaneBits+:PdpLaneBits] <= pdp_scale_height(width_q, recip_height_i);
        else atom_q[Top + p*PdpLaneBits+:PdpLaneBits] <= width_q[7:0];
      end
    end
  end
  if (PdpBeats > 1) begin : gen_shift
    always_ff @(posedge clk_i) if (height_take) atom_q[Top-1:0] <= atom_q[AtomBits-1:BeatWidth];
  end

  `NVDLA_STABLE(InputStable, tot_valid_i, tot_ready_o, {tot_last_i, tot_i})
  `NVDLA_STABLE(OutputStable, atom_valid_o, atom_ready_i, {atom_last_o, atom_data_o})

`ifdef NVDLA_CHECKS
  // Atoms as their beats come in.
  localparam int AtomBeats = PdpBeats;
  logic [BeatWidth-1:0] beat;
  logic [AtomBits-1:0] atom_seen_q, atom_seen;
  int beats_seen_q;
  always_comb begin
    beat = '0;
    if (tot_valid_i)
      for (int p = 0; p < PdpThroughput; p++)
        beat[p*PdpLaneBits+:PdpLaneBits] = average_i ?
            pdp_scale_height(pdp_scale_width(tot_i[p*PdpSumBits+:PdpSumBits], recip_width_i), recip_height_i) :
                tot_i[p*PdpSumBits+:8];
    atom_seen = atom_seen_q;
    atom_seen[32'(beats_seen_q)*BeatWidth+:BeatWidth] = beat;
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) beats_seen_q <= 0;
    else if (tot_valid_i && tot_ready_o) beats_seen_q <= (beats_seen_q + 1) % AtomBeats;
  always_ff @(posedge clk_i) if (tot_valid_i && tot_ready_o) atom_seen_q <= atom_seen;
  `NVDLA_QUEUE(Atoms, AtomBits + 1, 4, tot_valid_i && tot_ready_o && beats_seen_q == AtomBeats - 1,
               {atom_seen, tot_last_i}, atom_valid_o,
               atom_valid_o && atom_ready_i, {atom_data_o, atom_last_o})
  `NVDLA_CHECK(NothingIsLost, width_valid_q || Atoms.level_q == 32'(atom_valid_o))
`endif
endmodule
