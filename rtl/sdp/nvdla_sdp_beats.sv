// The beats of a layer: which element of which atom comes next, and when the last one is through.
//
// run_i is high while a layer is active. A beat of SdpBsThroughput elements is made (step_o) when its data are there
// (available_i) and the output register after it is free or emptied (open_o, valid_o, ready_i). element_o: element of
// lane 0 in its atom; atom_end_o with the last beat of an atom, surface_end_o with that of a surface, layer_end_o with
// that of the cube. done_o from the clock after the last beat on until run_i falls. wide_i: elements of 16 bits, an
// atom is MemAtom / 2 of them. batches_i, second_o, turn_end_o, round_end_o: nvdla_sdp_walk; the ends are set with the
// last beat of their atom.
// Spec: 50-sdp sections 8.1, "Processing order", and 8.3.
`include "nvdla_check.svh"
module nvdla_sdp_beats
  import nvdla_pkg::*;
(
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       run_i,
    input  logic [               12:0] width_i,          // minus 1
    input  logic [               12:0] height_i,         // minus 1
    input  logic [               12:0] surface_count_i,  // minus 1
    input  logic [                4:0] batches_i,        // minus 1
    input  logic                       wide_i,
    output logic                       open_o,
    input  logic                       available_i,
    output logic                       step_o,
    output logic [$clog2(MemAtom)-1:0] element_o,
    output logic                       atom_end_o,
    output logic                       second_o,
    output logic                       turn_end_o,
    output logic                       round_end_o,
    output logic                       surface_end_o,
    output logic                       layer_end_o,
    output logic                       done_o,
    output logic                       valid_o,
    input  logic                       ready_i
);
  localparam int AtomShift = $clog2(MemAtom);

  logic [AtomShift-1:0] element_q;
  logic done_q, valid_q, turn_end, last_of_surface, last_atom;

  assign open_o = run_i && !done_q && (!valid_q || ready_i);
  assign step_o = open_o && available_i;
  assign element_o = element_q;
  assign atom_end_o = (LaneBytes == 2 && wide_i && element_q == AtomShift'(MemAtom / 2 - SdpBsThroughput)) ||
                      element_q == AtomShift'(MemAtom - SdpBsThroughput);
  assign turn_end_o = atom_end_o && turn_end;
  assign surface_end_o = atom_end_o && last_of_surface;
  assign layer_end_o = atom_end_o && last_atom;
  assign done_o = done_q;
  assign valid_o = valid_q;

  nvdla_sdp_walk u_walk (
      .clk_i,
      .clear_i          (!run_i),
      .step_i           (step_o && atom_end_o),
      .width_i,
      .height_i,
      .surface_count_i,
      .batches_i,
      .second_o,
      .turn_end_o       (turn_end),
      .round_end_o,
      .last_of_surface_o(last_of_surface),
      .last_o           (last_atom)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      element_q <= '0;
      done_q <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      if (step_o) element_q <= atom_end_o ? '0 : element_q + AtomShift'(SdpBsThroughput);
      if (!run_i) done_q <= 1'b0;
      else if (step_o && layer_end_o) done_q <= 1'b1;
      if (step_o) valid_q <= 1'b1;
      else if (ready_i) valid_q <= 1'b0;
    end
  end

  if (LaneBytes == 1) begin : gen_int8
    wire unused_wide = &{1'b0, wide_i};
  end

  `NVDLA_PARAM(BeatsLegal, MemAtom % SdpBsThroughput == 0 && MemAtom > SdpBsThroughput)
  `NVDLA_STABLE(OutputStable, valid_o, ready_i, 1'b1)
  `NVDLA_CHECK(NothingAfterTheLastBeat, !(step_o && done_o))
  `NVDLA_CHECK(NeverOverwritesTheOutput, !step_o || !valid_o || ready_i)

`ifdef NVDLA_CHECKS
  // Beats of the layer, and of those made the ones not taken.
  localparam int AtomBeats = MemAtom / SdpBsThroughput;
  logic [63:0] beats_q, beats, elements;
  assign elements = 64'(MemAtom) >> (LaneBytes == 2 && wide_i);
  assign beats = (64'(width_i) + 64'd1) * (64'(height_i) + 64'd1) * (64'(surface_count_i) + 64'd1) *
      (64'(batches_i) + 64'd1) *
                 (64'(AtomBeats) >> (LaneBytes == 2 && wide_i));
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) beats_q <= '0;
    else if (!run_i) beats_q <= '0;
    else if (step_o) beats_q <= beats_q + 64'd1;
  `NVDLA_BALANCE(Inside, 1, step_o, 1, valid_o && ready_i, 1)
  `NVDLA_CHECK(NothingIsLost, Inside.level_q == 32'(valid_o))
  `NVDLA_CHECK(LayerEndsWithItsLastBeat, !step_o || layer_end_o == (beats_q + 64'd1 == beats))
  `NVDLA_CHECK(ElementsInOrder, !run_i || 64'(element_o) == (beats_q * 64'(SdpBsThroughput)) % elements)
`endif
endmodule
