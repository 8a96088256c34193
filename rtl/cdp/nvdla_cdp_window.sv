// Input convertor and neighbourhood: atoms in, beats with their channel neighbours out.
//
// Atoms are converted as they come (one a clock, lanes above lanes_i become 0) into a ring, which holds the blocks
// before and after the current one. An atom is taken out when the atom of the next surface, same column, has arrived;
// beats then leave one a clock. view_o: the beat's converted lanes, lowest first, with CdpHaloWidth bits of lanes below
// and above; channels outside the cube's surfaces are 0. A lane has CdpValueBits in INT8, CdpWidePlaceBits in INT16
// (wide_i) and FP16 (wide_i and fp16_i: FP17 below a 0; NaN is 0 with nan_to_zero_i). beat_last_o: last beat of the
// layer. Atoms after the layer's last one (atom_last_i) wait until run_i has fallen and risen. block_*_o: each block,
// when its first atom is taken out. Accepted atom to first beat of a single atom: two clocks.
// Spec: 62-cdp, sections 3, 4, 5.
`include "nvdla_check.svh"
module nvdla_cdp_window
  import nvdla_pkg::*;
  import nvdla_cdp_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    run_i,
    input  logic                    wide_i,
    input  logic                    fp16_i,
    input  logic                    nan_to_zero_i,
    input  logic [            15:0] datin_offset_i,
    input  logic [            15:0] datin_scale_i,
    input  logic [             4:0] datin_shifter_i,
    input  logic                    atom_valid_i,
    output logic                    atom_ready_o,
    input  logic [    AtomBits-1:0] atom_data_i,
    input  logic                    atom_last_i,
    input  cdp_block_t              block_i,
    input  logic [CdpAtomShift-1:0] lanes_i,
    output logic                    block_valid_o,
    input  logic                    block_ready_i,
    output cdp_block_t              block_o,
    output logic                    beat_valid_o,
    input  logic                    step_i,
    output logic                    beat_last_o,
    output logic [CdpViewWidth-1:0] view_o
);
  localparam int PlaceBits = 5;  // ring of 4 blocks: one behind, one ahead, two to fill
  localparam int Words = 1 << PlaceBits;
  localparam int Ahead = Words - CdpColumns;  // atoms from the current one on
  localparam int AtomWidth = MemAtom * CdpValueBits;

  // ---- conversion into the ring -------------------------------------------------------------------------------------
  logic [AtomWidth-1:0] ring_q[0:Words-1];
  logic [CdpBlockBits-1:0] ring_block_q[0:Words-1];
  logic [PlaceBits-1:0] write_q, read_q;
  logic [PlaceBits:0] count_q;  // atoms from the current one on
  logic ended_q;                // the layer's last atom has come
  logic [2:0] column_q;         // of the current atom
  logic push;
  logic [15:0] offset;
  logic [15:0] scale;
  logic [4:0] shift;

  assign push = atom_valid_i && atom_ready_o;
  assign offset = datin_offset_i;
  assign scale = datin_scale_i;
  assign shift = datin_shifter_i;

  // FP16 as FP17. Nothing moves here in other precisions.
  localparam int WideLanes = MemAtom / 2;
  logic [WideLanes*CdpWideValueBits-1:0] floats;
  if (Fp16 != 0) begin : gen_fp16
    for (genvar l = 0; l < WideLanes; l++) begin : gen_lane
      logic [15:0] element;
      assign element = fp16_i ? atom_data_i[l*16+:16] : 16'd0;
      nvdla_fp_widen u_widen (
          .a_i(nan_to_zero_i && element[14:0] > 15'h7c00 ? 16'd0 : element),
          .z_o(floats[l*CdpWideValueBits+:CdpWideValueBits])
      );
    end
  end else begin : gen_integers
    wire unused_fp16 = &{1'b0, fp16_i, nan_to_zero_i};
    assign floats = '0;
  end

  // ---- the current atom ---------------------------------------------------------------------------------------------
  cdp_block_t here;
  logic valid_q, last_q, first_q;  // first: the current atom belongs to surface 0
  logic [CdpBeatBits-1:0] beat_q;
  logic [AtomWidth+2*CdpHaloWidth-1:0] view_q;
  logic [PlaceBits-1:0] above, below;
  logic there, beat_end, open, block_begin, block_end, load;

  assign above = read_q - PlaceBits'(here.columns) - PlaceBits'(1);
  assign below = read_q + PlaceBits'(here.columns) + PlaceBits'(1);
  assign there = count_q > (here.surface_last ? (PlaceBits+1)'(0) : (PlaceBits+1)'(here.columns) + (PlaceBits+1)'(1));
  assign beat_end = step_i && beat_q == CdpBeatBits'(CdpBeats - 1);
  assign open = !valid_q || beat_end;
  assign block_begin = column_q == 3'd0;
  assign block_end = column_q == here.columns;
  assign load = open && there && count_q != '0 && (!block_begin || block_ready_i);

  assign here = ring_block_q[read_q];
  assign block_valid_o = open && there && count_q != '0 && block_begin;
  assign block_o = here;
  assign beat_valid_o = valid_q;
  assign beat_last_o = last_q && beat_q == CdpBeatBits'(CdpBeats - 1);
  assign view_o = view_q[CdpViewWidth-1:0];
  assign atom_ready_o = run_i && !ended_q && count_q < (PlaceBits+1)'(Ahead);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q <= '0;
      count_q <= '0;
      ended_q <= 1'b0;
      column_q <= 3'd0;
      first_q <= 1'b1;
      valid_q <= 1'b0;
      beat_q <= '0;
    end else begin
      if (push) write_q <= write_q + PlaceBits'(1);
      if (push != load) count_q <= push ? count_q + (PlaceBits+1)'(1) : count_q - (PlaceBits+1)'(1);
      if (!run_i) ended_q <= 1'b0;
      else if (push && atom_last_i) ended_q <= 1'b1;
      if (load) begin
        read_q <= read_q + PlaceBits'(1);
        column_q <= block_end ? 3'd0 : column_q + 3'd1;
        if (block_end) first_q <= here.surface_last;
      end
      if (open) valid_q <= load;
      if (open) beat_q <= '0;
      else if (step_i) beat_q <= beat_q + CdpBeatBits'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    logic [AtomWidth-1:0] atom;
    if (push) begin
      atom = '0;
      if (CdpWide != 0 && wide_i) begin
        for (int l = 0; l < WideLanes; l++)
          if (CdpAtomShift'(l) <= lanes_i)
            atom[l*CdpWidePlaceBits+:CdpWidePlaceBits] =
                fp16_i ? CdpWidePlaceBits'(floats[l*CdpWideValueBits+:CdpWideValueBits])
                : CdpWidePlaceBits'($signed(cdp_input16(atom_data_i[l*16+:16], offset, scale, shift)));
      end else begin
        for (int l = 0; l < MemAtom; l++)
          if (CdpAtomShift'(l) <= lanes_i)
            atom[l*CdpValueBits+:CdpValueBits] = cdp_input(atom_data_i[l*8+:8], offset[7:0], scale, shift);
      end
      ring_q[write_q]       <= atom;
      ring_block_q[write_q] <= block_i;
    end
    if (load) begin
      last_q <= here.layer_last && block_end;
      view_q[CdpHaloWidth-1:0] <= first_q ? '0 : ring_q[above][AtomWidth-1-:CdpHaloWidth];
      view_q[CdpHaloWidth+:AtomWidth] <= ring_q[read_q];
      view_q[CdpHaloWidth+AtomWidth+:CdpHaloWidth] <= here.surface_last ? '0 : ring_q[below][CdpHaloWidth-1:0];
    end else if (step_i && valid_q) begin
      view_q <= view_q >> CdpBeatWidth;
    end
  end

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_STABLE(AtomStable, atom_valid_i, atom_ready_o, {atom_data_i, atom_last_i, block_i, lanes_i})
  `NVDLA_STABLE(BlockStable, block_valid_o, block_ready_i, block_o)
  `NVDLA_STABLE(BeatStable, beat_valid_o, step_i, {beat_last_o, view_o})
  // Atoms from the current one on.
  `NVDLA_BALANCE(Ring, Ahead, atom_valid_i && atom_ready_o, 1, load, 1)
`ifdef NVDLA_CHECKS
  int come_q, gone_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      come_q <= 0;
      gone_q <= 0;
    end else begin
      if (atom_valid_i && atom_ready_o) come_q <= come_q + 1;
      if (load) gone_q <= gone_q + 1;
    end
  `NVDLA_CHECK(CountAddsUp, 32'(count_q) == Ring.level_q)
  `NVDLA_CHECK(RingPlaces, write_q == PlaceBits'(come_q) && read_q == PlaceBits'(gone_q))
  `NVDLA_CHECK(NeighbourIsThere, !load || here.surface_last || Ring.level_q > 32'(here.columns) + 1)
  `NVDLA_CHECK(BeatsAreAllTaken, !load || !valid_q || step_i)
  // Beats of the atom in view_q.
  `NVDLA_BALANCE(Beats, CdpBeats, load, 32'(CdpBeats), beat_valid_o && step_i, 1)
  `NVDLA_CHECK(NothingIsLost, (Beats.level_q != 0) == beat_valid_o)
`endif
endmodule
