// One surface of the weight fetch on its way into a ring of CBUF: weights, or the mask bits of compressed weights
// (WMB).
//
// bytes_i (rounded up to atoms) are read linearly from base_i on, at most 8 aligned atoms a request and never more than
// is free in the ring. They are stored in the ring without gaps, from the start of an entry; a partial last entry is
// filled with zeros.
// start_i begins a layer, enable_i says whether it has this surface; base_i, bytes_i, ring_i (entries) and first_i (the
// ring's first entry in CBUF) stay. clear_i empties the ring (handshake of changed banks); releases count at any time.
// req_* is a request while req_valid_o is 1; take_i accepts it. rsp_valid_i: an atom of this surface arrives, with
// rsp_two_i (where CbufWrAtoms is 2) two of them; their places are at wr_* in the same clock, the first atom's in the
// low bits. written_o: bytes of complete entries so far; complete_o: all are stored; stored_o: complete entries since
// the last report_i.
// Spec: 30-cdma-cbuf, sections 4.2, 8.1 and 8.2; 20-data-formats, section 9.
`include "nvdla_check.svh"
module nvdla_cdma_stream
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic                                start_i,
    input  logic                                clear_i,
    input  logic                                enable_i,
    input  logic [                AddrBits-1:0] base_i,
    input  logic [                        31:0] bytes_i,
    input  logic [          EntryCountBits-1:0] ring_i,
    input  logic [          EntryCountBits-1:0] first_i,
    output logic                                req_valid_o,
    input  logic                                take_i,
    output logic [                AddrBits-1:0] req_addr_o,
    output logic [                         3:0] req_atoms_o,
    input  logic                                rsp_valid_i,
    input  logic                                rsp_two_i,
    output logic [CbufWrAtoms*CbufAddrBits-1:0] wr_addr_o,
    output logic [    CbufWrAtoms*SlotBits-1:0] wr_slot_o,
    output logic [             CbufWrAtoms-1:0] wr_clear_o,
    output logic [                        32:0] written_o,
    output logic                                complete_o,
    output logic [          EntryCountBits-1:0] stored_o,
    input  logic                                report_i,
    input  logic                                rl_valid_i,
    input  logic [          EntryCountBits-1:0] rl_entries_i
);
  localparam int FillBits = 15 + SlotShift;  // atoms of the ring
  localparam int ChunkShift = 3;             // atoms of a request, and their alignment, as a power of two

  logic [32:0] bytes_up;
  logic [31:0] total;  // atoms
  assign bytes_up = {1'b0, bytes_i} + 33'(MemAtom - 1);
  assign total    = enable_i ? 32'(bytes_up >> AtomShift) : '0;

  // ---- requests -----------------------------------------------------------------------------------------------------
  logic [31:0] todo_q;          // atoms not requested
  logic [FillBits-1:0] used_q;  // atoms of the ring requested or stored, and not released
  logic [AddrBits-1:0] addr_q;
  logic [FillBits-1:0] free;
  logic [ChunkShift:0] chunk, aligned;
  logic [FillBits-1:0] taken, released, fill;

  assign free        = FillBits'(32'(ring_i) << SlotShift) - used_q;
  assign req_valid_o = (todo_q != 32'd0) & (free != '0);
  assign req_addr_o  = addr_q;
  assign req_atoms_o = chunk;
  assign aligned     = {1'b1, {ChunkShift{1'b0}}} - {1'b0, addr_q[AtomShift+:ChunkShift]};
  always_comb begin
    chunk = aligned;
    if (32'(chunk) > todo_q) chunk = todo_q[ChunkShift:0];
    if (32'(chunk) > 32'(free)) chunk = (ChunkShift + 1)'(free);
  end
  // The last request also takes the rest of the last entry.
  assign fill     = FillBits'(32'(0 - total) & (Slots - 1));
  assign taken    = FillBits'(chunk) + ((32'(chunk) == todo_q) ? fill : '0);
  assign released = FillBits'(32'(rl_entries_i) << SlotShift);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      todo_q <= '0;
      used_q <= '0;
    end else begin
      if (start_i) todo_q <= total;
      else if (take_i) todo_q <= todo_q - 32'(chunk);
      if (clear_i) used_q <= '0;
      else if (take_i || rl_valid_i) used_q <= used_q + (take_i ? taken : '0) - (rl_valid_i ? released : '0);
    end

  always_ff @(posedge clk_i)
    if (start_i) addr_q <= base_i;
    else if (take_i) addr_q <= addr_q + (AddrBits'(chunk) << AtomShift);

  // ---- places in CBUF -----------------------------------------------------------------------------------------------
  logic [31:0] missing_q;              // atoms not written
  logic [EntryCountBits-1:0] entry_q;  // ring entry of the next atom
  logic [SlotBits-1:0] slot_q;
  logic [EntryCountBits-1:0] stored_q;
  logic [32:0] written_q;
  // The first atom that comes, the last one of those that come; entries that they end.
  logic two, last_atom0, last_atom, entry_end0, entry_end, more_ends;
  logic [EntryCountBits-1:0] entry0, entry, next_entry0, ended;
  logic [SlotBits-1:0] next_slot0, slot;
  logic [EntryCountBits-1:0] ring_entry;  // ring entry of the last one

  assign two         = CbufWrAtoms > 1 && rsp_two_i;
  assign last_atom0  = missing_q == 32'd1;
  assign entry_end0  = last_atom0 | (32'(slot_q) == Slots - 1);
  assign next_entry0 = entry_end0 ? ring_add(entry_q, EntryCountBits'(1), ring_i) : entry_q;
  assign next_slot0  = entry_end0 ? '0 : slot_q + 1'b1;
  assign last_atom   = two ? missing_q == 32'd2 : last_atom0;
  assign slot        = two ? next_slot0 : slot_q;
  assign ring_entry  = two ? next_entry0 : entry_q;
  assign entry_end   = last_atom | (32'(slot) == Slots - 1);
  assign ended       = EntryCountBits'(entry_end) + EntryCountBits'(more_ends);
  assign more_ends   = two & entry_end0;
  assign entry0      = first_i + entry_q;
  assign entry       = first_i + ring_entry;
  assign wr_addr_o[0+:CbufAddrBits] = entry0[CbufAddrBits-1:0];
  assign wr_slot_o[0+:SlotBits]     = slot_q;
  assign wr_clear_o[0]              = last_atom0;
  if (CbufWrAtoms > 1) begin : gen_second
    assign wr_addr_o[CbufAddrBits+:CbufAddrBits] = entry[CbufAddrBits-1:0];
    assign wr_slot_o[SlotBits+:SlotBits]         = slot;
    assign wr_clear_o[1]                         = last_atom;
  end
  assign written_o  = written_q;
  assign complete_o = missing_q == 32'd0;
  assign stored_o   = stored_q;
  wire unused_entry = &{1'b0, entry0, entry, rsp_two_i};

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      entry_q <= '0;
      slot_q  <= '0;
    end else begin
      if (clear_i) entry_q <= '0;
      else if (rsp_valid_i) entry_q <= entry_end ? ring_add(ring_entry, EntryCountBits'(1), ring_i) : ring_entry;
      if (rsp_valid_i) slot_q <= entry_end ? '0 : slot + 1'b1;
    end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      missing_q <= total;
      written_q <= '0;
    end else if (rsp_valid_i) begin
      missing_q <= missing_q - 32'd1 - 32'(two);
      if (ended != '0) written_q <= written_q + 33'(ended) * 33'(EntryBytes);
    end
    if (start_i || report_i || rsp_valid_i)
      stored_q <= ((start_i || report_i) ? '0 : stored_q) + (rsp_valid_i ? ended : '0);
  end

  `NVDLA_CHECK(TakesOnlyOffers, !take_i || req_valid_o)
  `NVDLA_CHECK(RequestInRange, !req_valid_o || (req_atoms_o != '0 && 32'(req_atoms_o) <= 32'd8))
  `NVDLA_CHECK(RequestInsideAChunk,
               !req_valid_o || 32'(addr_q[AtomShift+:ChunkShift]) + 32'(req_atoms_o) <= 32'd1 << ChunkShift)
  `NVDLA_CHECK(AtomOnlyIfMissing, !rsp_valid_i || missing_q > 32'(two))
  `NVDLA_CHECK(PlaceInsideRing, !rsp_valid_i || (entry_q < ring_i && ring_entry < ring_i))
  `NVDLA_CHECK(RoomIsThere, !take_i || 32'(req_atoms_o) <= (32'(ring_i) << SlotShift) - 32'(used_q))

`ifdef NVDLA_CHECKS
  // Atoms on their way, atoms of the layer, atoms of the ring that are not given back (of an entry that has begun:
  // all).
  int way_q, asked_q, come_q, held_q;
  logic [31:0] held_ring;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      way_q      <= 0;
      asked_q    <= 0;
      come_q     <= 0;
      held_q     <= 0;
    end else begin
      way_q   <= way_q + (take_i ? 32'(req_atoms_o) : 0) - (rsp_valid_i ? 1 + 32'(two) : 0);
      asked_q <= (start_i ? 0 : asked_q) + (take_i ? 32'(req_atoms_o) : 0);
      come_q  <= (start_i ? 0 : come_q) + (rsp_valid_i ? 1 + 32'(two) : 0);
      if (clear_i) held_q <= 0;
      else
        held_q <= held_q + (take_i ? 32'(req_atoms_o) : 0) - (rl_valid_i ? 32'(rl_entries_i) * Slots : 0) +
            ((take_i && asked_q + 32'(req_atoms_o) == 32'($signed(total))) ?
                (Slots - 32'($signed(total)) % Slots) % Slots : 0);
    end
  assign held_ring = 32'(ring_i) << SlotShift;
  `NVDLA_CHECK(AtomsOnlyAskedFor, !rsp_valid_i || way_q > 32'(two))
  `NVDLA_CHECK(AsksForItsAtomsOnly, !take_i || asked_q + 32'(req_atoms_o) <= 32'($signed(total)))
  `NVDLA_CHECK(UsedAddsUp, 32'(used_q) == held_q)
  `NVDLA_CHECK(UsedFitsTheRing, !take_i || held_q <= 32'($signed(held_ring)))
  `NVDLA_CHECK(LastAtomClears, !rsp_valid_i || last_atom == (come_q + 1 + 32'(two) == 32'($signed(total))))
  `NVDLA_CHECK(CompleteWithTheLastAtom, start_i || !(way_q > 0 && complete_o))
`endif
endmodule
