// Atoms to beats of a memory interface, for beats of several atoms.
//
// A command is cmd_size_i + 1 contiguous atoms; cmd_first_i: the place of the first one in its beat. Its atoms follow
// in order on dat_*: one by one with DatAtoms 1; with DatAtoms 2, for beats of two atoms, atoms 2k and 2k + 1 together,
// the last of an odd number alone in the lower half. A beat leaves for each line that the command touches, with the
// mask of the atoms that count, as soon as it is complete: in the clock of its last atom, but the end of a command that
// the upper half of its last word overhangs leaves in the clock after it. busy_o: a command has atoms to come.
// Spec: 70-memory-interface, sections 4 and 5.
`include "nvdla_check.svh"
module nvdla_dma_pack
  import nvdla_pkg::*;
#(
    parameter int DatAtoms = 1,
    localparam int PlaceBits = $clog2(MifAtoms)
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              cmd_valid_i,
    output logic                              cmd_ready_o,
    input  logic [             PlaceBits-1:0] cmd_first_i,
    input  logic [                      15:0] cmd_size_i,
    input  logic                              dat_valid_i,
    output logic                              dat_ready_o,
    input  logic [DatAtoms-1:0][AtomBits-1:0] dat_data_i,
    output logic [                       1:0] dat_atoms_o,  // that count
    output logic                              beat_valid_o,
    input  logic                              beat_ready_i,
    output logic [               MifBits-1:0] beat_o,
    output logic [              MifAtoms-1:0] beat_mask_o,
    output logic                              busy_o
);
  // The oldest command, and the atoms of it that have left in beats or are held.
  logic valid, ends;
  logic [PlaceBits-1:0] first;
  logic [15:0] size, gone_q;
  logic take, done;

  nvdla_fifo #(
      .Width(16 + PlaceBits),
      .Depth(4)
  ) u_commands (
      .clk_i,
      .rst_ni,
      .in_valid_i (cmd_valid_i),
      .in_ready_o (cmd_ready_o),
      .in_data_i  ({cmd_first_i, cmd_size_i}),
      .out_valid_o(valid),
      .out_ready_i(done),
      .out_data_o ({first, size})
  );

  assign busy_o = valid;
  assign take = dat_valid_i & dat_ready_o;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) gone_q <= '0;
    else if (done) gone_q <= '0;
    else if (take) gone_q <= gone_q + 16'(DatAtoms);

  if (DatAtoms == 1) begin : gen_single
    logic [PlaceBits-1:0] place;
    logic full;
    logic [MifBits-AtomBits-1:0] held_q;  // atoms that wait for the others of their beat
    logic [MifAtoms-2:0] holds_q;
    assign place = first + gone_q[PlaceBits-1:0];
    assign ends = gone_q == size;
    assign full = &place | ends;
    assign beat_valid_o = valid & dat_valid_i & full;
    assign beat_o = (MifBits'(dat_data_i) << (32'(place) * AtomBits)) | MifBits'(held_q);
    assign beat_mask_o = (MifAtoms'(1) << place) | MifAtoms'(holds_q);
    assign dat_ready_o = valid & (beat_ready_i | ~full);
    assign done = take & ends;
    assign dat_atoms_o = 2'd1;
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) begin
        held_q  <= '0;
        holds_q <= '0;
      end else if (take) begin
        held_q  <= full ? '0 : beat_o[MifBits-AtomBits-1:0];
        holds_q <= full ? '0 : beat_mask_o[MifAtoms-2:0];
      end
  end else begin : gen_pairs
    // Words that begin in an upper half: the upper half of each waits for the next. What is held when no atom is left
    // is the last beat.
    logic upper, rest, holds_q;
    logic [AtomBits-1:0] held_q;  // an atom that waits for the other half of its beat
    logic [15:0] left;
    assign upper = first[0];
    assign left = size - gone_q;  // atoms - 1
    assign rest = holds_q & gone_q > size;
    assign dat_atoms_o = (left != '0) ? 2'd2 : 2'd1;
    assign ends = upper ? left == '0 : left <= 16'd1;
    assign beat_valid_o = valid & (rest | dat_valid_i);
    assign beat_o = rest ? {AtomBits'(0), held_q} : upper ? {dat_data_i[0], held_q} : dat_data_i;
    assign beat_mask_o = rest ? 2'b01 : upper ? {1'b1, holds_q} : {left != '0, 1'b1};
    assign dat_ready_o = valid & ~rest & beat_ready_i;
    assign done = beat_valid_o & beat_ready_i & (rest | ends);
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) holds_q <= 1'b0;
      else if (done) holds_q <= 1'b0;
      else if (take) holds_q <= upper;
    always_ff @(posedge clk_i) if (take) held_q <= dat_data_i[1];
  end

  `NVDLA_PARAM(BeatsLegal, MifAtoms > 1 && (DatAtoms == 1 || (DatAtoms == 2 && MifAtoms == 2)))
  `NVDLA_STABLE(BeatStable, beat_valid_o, beat_ready_i, {beat_o, beat_mask_o})

`ifdef NVDLA_CHECKS
  // Of the oldest command: words that have come, atoms and beats that have left.
  int words_q, atoms_q, beats_q, words, atoms, beats;
  logic leaves;
  assign leaves = beat_valid_o && beat_ready_i;
  assign words = words_q + 32'(take);
  assign beats = beats_q + 32'(leaves);
  always_comb begin
    atoms = atoms_q;
    for (int a = 0; a < MifAtoms; a++) atoms = atoms + 32'(leaves && beat_mask_o[a]);
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      words_q <= 0;
      atoms_q <= 0;
      beats_q <= 0;
    end else begin
      words_q <= done ? 0 : words;
      atoms_q <= done ? 0 : atoms;
      beats_q <= done ? 0 : beats;
    end
  `NVDLA_CHECK(WordsOfTheCommand, words_q <= (32'(size) + DatAtoms) / DatAtoms || !valid)
  `NVDLA_CHECK(CommandIsWhole, !done || (words == (32'(size) + DatAtoms) / DatAtoms && atoms == 32'(size) + 1 &&
               beats == (32'(first) + 32'(size) + MifAtoms) / MifAtoms))
`endif
endmodule
