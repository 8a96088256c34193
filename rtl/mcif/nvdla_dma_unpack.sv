// Beats of a memory interface to atoms, for beats of several atoms.
//
// A request is req_size_i + 1 contiguous atoms; req_first_i: the place of the first one in its beat. Its beats,
// each line that it touches once, come in order on beat_*, requests one after the other. RspAtoms 1: atoms leave one by
// one, in the clock of their beat. RspAtoms 2, for beats of two atoms: atoms 2k and 2k + 1 of a request leave together
// whatever half it begins in; the upper half of the last word of an odd number is 0. Requests bounds the requests that
// wait.
// Spec: 70-memory-interface, sections 4 and 5.
`include "nvdla_check.svh"
module nvdla_dma_unpack
  import nvdla_pkg::*;
#(
    parameter int Requests = 8,
    parameter int RspAtoms = 1,
    localparam int PlaceBits = $clog2(MifAtoms)
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              req_valid_i,
    output logic                              req_ready_o,
    input  logic [             PlaceBits-1:0] req_first_i,
    input  logic [                      15:0] req_size_i,
    input  logic                              beat_valid_i,
    output logic                              beat_ready_o,
    input  logic [MifAtoms-1:0][AtomBits-1:0] beat_i,
    output logic                              rsp_valid_o,
    input  logic                              rsp_ready_i,
    output logic [RspAtoms-1:0][AtomBits-1:0] rsp_data_o,
    output logic [                       1:0] rsp_atoms_o  // that count
);
  // The oldest request, and the atoms of it that have left.
  logic valid, ends, step;
  logic [PlaceBits-1:0] first;
  logic [15:0] size, gone_q, left;

  nvdla_fifo #(
      .Width(16 + PlaceBits),
      .Depth(Requests)
  ) u_requests (
      .clk_i,
      .rst_ni,
      .in_valid_i (req_valid_i),
      .in_ready_o (req_ready_o),
      .in_data_i  ({req_first_i, req_size_i}),
      .out_valid_o(valid),
      .out_ready_i(step & ends),
      .out_data_o ({first, size})
  );

  assign left = size - gone_q;  // atoms - 1
  assign step = rsp_valid_o & rsp_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) gone_q <= '0;
    else if (step) gone_q <= ends ? '0 : gone_q + 16'(RspAtoms);

  if (RspAtoms == 1) begin : gen_single
    logic [PlaceBits-1:0] place;
    assign place = first + gone_q[PlaceBits-1:0];
    assign ends = left == '0;
    assign rsp_valid_o = valid & beat_valid_i;
    assign rsp_data_o = beat_i[place];
    assign beat_ready_o = step & (&place | ends);
    assign rsp_atoms_o = 2'd1;
  end else begin : gen_pairs
    // A request that begins in an upper half: that atom waits for the lower half of the next beat.
    logic [AtomBits-1:0] held_q;
    logic upper, holds_q, fetch, both;
    assign upper = first[0];
    assign ends = left <= 16'd1;
    assign both = left != '0;
    assign rsp_atoms_o = both ? 2'd2 : 2'd1;
    // Held and alone: the end of the request, no beat needed.
    assign rsp_valid_o = upper ? valid & holds_q & (beat_valid_i | ~both) : valid & beat_valid_i;
    assign rsp_data_o[1] = both ? (upper ? beat_i[0] : beat_i[1]) : '0;
    assign rsp_data_o[0] = upper ? held_q : beat_i[0];
    assign fetch = valid & upper & ~holds_q & beat_valid_i;
    assign beat_ready_o = fetch | (step & (~upper | both));
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) holds_q <= 1'b0;
      else if (fetch) holds_q <= 1'b1;
      else if (step && ends) holds_q <= 1'b0;
    always_ff @(posedge clk_i) if (beat_ready_o) held_q <= beat_i[1];
  end

  `NVDLA_PARAM(BeatsLegal, MifAtoms > 1 && (RspAtoms == 1 || (RspAtoms == 2 && MifAtoms == 2)))
  `NVDLA_CHECK(BeatOfARequest, !beat_valid_i || valid)

`ifdef NVDLA_CHECKS
  // Of the oldest request: beats that have come, answers that have left.
  int beats_q, answers_q, beats;
  logic last;
  assign beats = beats_q + 32'(beat_valid_i && beat_ready_o);
  assign last = answers_q + 1 == (32'(size) + RspAtoms) / RspAtoms;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      beats_q   <= 0;
      answers_q <= 0;
    end else begin
      beats_q <= (step && last) ? 0 : beats;
      if (step) answers_q <= last ? 0 : answers_q + 1;
    end
  `NVDLA_CHECK(BeatsOfTheRequest, !(step && last) || beats == (32'(first) + 32'(size) + MifAtoms) / MifAtoms)
  `NVDLA_CHECK(AnswersOfTheRequest, !step || ends == last)
`endif
endmodule
