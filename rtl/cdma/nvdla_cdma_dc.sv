// Feature fetch of direct convolution: requests of a layer, and the place in CBUF of every atom that comes back.
//
// Lines go in grains of FETCH_GRAIN + 1 (packed lines) or 1; all but the last one have the same sizes. A grain is
// requested batch by batch, surface by surface, `lines * W` consecutive atoms each, once its need_o = lines * EPS *
// batches entries are free (space_i); reserve_o takes them, in the clock of the grain's first accepted request. A 1x1
// cube with packed surfaces is one request a batch. Line y of batch b begins (y * batches + b) * EPS entries after
// ptr_i. The low address bits of base and strides have no effect.
// start_i, one clock with the layer's registers valid, begins a layer; they, eps_i and ring_i stay, ptr_i is the ring
// entry of the first line. An answer (rsp_valid_i) has CbufWrAtoms atoms; the last answer to a request of an odd number
// of atoms has one. It is taken in one clock, or in two if its atoms end a line and begin the next one in the same slot
// of two even or two odd entries: then the second atom is written a clock later. place_o follows one clock after
// rsp_valid_i; an update ends a grain. next_ptr_o, valid at the
// end of the layer, is the ring entry after the last grain. start_i to first request: 2 clocks.
// Spec: 30-cdma-cbuf, sections 5.1 to 5.3; 20-data-formats, sections 2 and 9.
`include "nvdla_check.svh"
module nvdla_cdma_dc
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      start_i,
    input  logic                      wide_i,  // elements of 16 bits
    input  logic [              12:0] datain_width_i,
    input  logic [              12:0] datain_height_i,
    input  logic [              12:0] datain_channel_i,
    input  logic [      AddrBits-1:0] datain_addr_0_i,
    input  logic [              31:0] line_stride_i,
    input  logic [              31:0] surf_stride_i,
    input  logic [              31:0] batch_stride_i,
    input  logic [               4:0] batches_i,
    input  logic                      line_packed_i,
    input  logic                      surf_packed_i,
    input  logic [              11:0] grains_i,
    input  logic [EntryCountBits-1:0] eps_i,
    input  logic [EntryCountBits-1:0] ring_i,
    input  logic [EntryCountBits-1:0] ptr_i,
    output logic [              31:0] need_o,
    input  logic                      space_i,
    output logic                      reserve_o,
    output logic                      req_valid_o,
    input  logic                      req_ready_i,
    output logic [      AddrBits-1:0] req_addr_o,
    output logic [              15:0] req_size_o,  // atoms - 1
    input  logic                      rsp_valid_i,
    output logic                      rsp_ready_o,
    output place_t                    place_o,
    output logic [EntryCountBits-1:0] next_ptr_o
);
  localparam int WideShift = AtomShift - 1;
  localparam logic [AddrBits-1:0] AtomMask = ~(AddrBits'(MemAtom) - 1'b1);
  localparam logic [MemberBits-1:0] LastMember = MemberBits'(Slots - 1);

  // Sizes of the layer.
  logic [12:0] width, surfaces;  // minus 1
  logic [SizeBits-1:0] height, grain;
  logic single;
  logic [EntryCountBits+4:0] batch_entries_q;  // of a line of all batches
  logic [EntryCountBits-1:0] step;             // the same, from line to line
  logic [4:0] batches;                         // minus 1
  logic [AddrBits-1:0] base, line_stride, surf_stride;
  assign width         = datain_width_i;
  assign height        = SizeBits'(datain_height_i) + 1'b1;
  assign surfaces      = wide_i ? datain_channel_i >> WideShift : datain_channel_i >> AtomShift;
  assign grain         = line_packed_i ? SizeBits'(grains_i) + 1'b1 : SizeBits'(1);
  assign single        = surf_packed_i && width == 13'd0 && height == SizeBits'(1);
  assign batches       = (BatchMax > 1) ? batches_i : 5'd0;
  assign step          = batch_entries_q[EntryCountBits-1:0];
  assign base          = datain_addr_0_i & AtomMask;
  assign line_stride   = AddrBits'(line_stride_i) & AtomMask;
  assign surf_stride   = AddrBits'(surf_stride_i) & AtomMask;

  // ---- requests: one grain prepared ahead of the one whose surfaces are asked for -----------------------------------
  logic [SizeBits-1:0] todo_q;  // lines not prepared yet
  logic prep_valid_q, prep_free, prepare, fire, last_surface, last_request;
  logic [AddrBits-1:0] prep_addr_q, batch_addr_q, surf_addr_q, batch_addr;
  logic prep_first_q;  // the next grain to be prepared is the layer's first one
  // From grain to grain: line stride times lines, shifted and added bit by bit of the lines, which ends before the
  // atoms of the first grain have been asked for.
  logic [AddrBits-1:0] grain_stride_q, shifted_stride_q;
  logic [SizeBits-1:0] grain_bits_q;  // of the lines, still to be added
  logic [15:0] prep_size_q;
  logic [31:0] prep_need_q;                 // entries of the grain
  logic [EntryCountBits-1:0] grain_need_q;  // those of a grain that is not the last
  logic [12:0] surface_q;                   // surface asked for
  logic [4:0] batch, batch_q;               // of this batch
  logic first_request;
  logic [SizeBits-1:0] prep_lines;

  assign batch         = (BatchMax > 1) ? batch_q : 5'd0;
  assign first_request = surface_q == 13'd0 && batch == 5'd0;
  assign req_valid_o   = prep_valid_q & (space_i | ~first_request);
  assign batch_addr    = (batch == 5'd0) ? prep_addr_q : batch_addr_q;
  assign req_addr_o    = (surface_q == 13'd0) ? batch_addr : surf_addr_q;
  assign req_size_o    = single ? 16'(surfaces) : prep_size_q;
  assign need_o        = prep_need_q;
  assign fire          = req_valid_o & req_ready_i;
  assign last_surface  = single | (surface_q == surfaces);
  assign last_request  = last_surface & (batch == batches);
  assign reserve_o     = fire & first_request;
  assign prep_free     = ~prep_valid_q | (fire & last_request);
  assign prepare       = prep_free && todo_q != '0 && (prep_first_q || grain_bits_q == '0);
  assign prep_lines    = grain_lines(todo_q, grain);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      todo_q       <= '0;
      prep_valid_q <= 1'b0;
      surface_q    <= '0;
      batch_q      <= '0;
    end else if (start_i) begin
      todo_q       <= height;
      prep_valid_q <= 1'b0;
      surface_q    <= '0;
      batch_q      <= '0;
    end else begin
      if (prep_free) prep_valid_q <= prepare;
      if (prepare) todo_q <= todo_q - prep_lines;
      if (fire) begin
        surface_q <= last_surface ? '0 : surface_q + 1'b1;
        if (last_surface) batch_q <= last_request ? '0 : batch + 1'b1;
      end
    end

  always_ff @(posedge clk_i) begin
    logic [31:0] need;
    if (start_i) begin
      prep_first_q     <= 1'b1;
      prep_addr_q      <= base;
      batch_entries_q  <= (EntryCountBits + 5)'(eps_i) * ((EntryCountBits + 5)'(batches) + 1'b1);
      grain_bits_q     <= grain >> 1;
      grain_stride_q   <= grain[0] ? line_stride : '0;
      shifted_stride_q <= line_stride << 1;
    end else begin
      grain_bits_q     <= grain_bits_q >> 1;
      shifted_stride_q <= shifted_stride_q << 1;
      if (grain_bits_q[0]) grain_stride_q <= grain_stride_q + shifted_stride_q;
    end
    if (prepare) begin
      need = 32'(prep_lines) * 32'(batch_entries_q);
      prep_first_q <= 1'b0;
      prep_need_q  <= need;
      prep_size_q  <= 16'(prep_lines) * (16'(width) + 16'd1) - 16'd1;
      if (prep_first_q) grain_need_q <= need[EntryCountBits-1:0];
      else prep_addr_q <= prep_addr_q + grain_stride_q;
    end
    if (fire) begin
      surf_addr_q <= req_addr_o + surf_stride;
      if (last_surface) batch_addr_q <= batch_addr + (AddrBits'(batch_stride_i) & AtomMask);
    end
  end

  // ---- placement: column, line of the grain, surface, batch, grain --------------------------------------------------
  logic [12:0] column_q, surf_left_q;                 // surf_left_q: surfaces after this one
  logic [4:0] batch_left, batch_left_q;               // batches after this one
  logic [SizeBits-1:0] lines_q, line_left_q, rest_q;  // lines of the grain, those after this one, lines after the grain
  logic [MemberBits-1:0] member_q, tail_q;            // surface in its group, tail of the group
  // of this atom, the line's first, the group's first in the grain
  logic [EntryCountBits-1:0] entry_q, line_q, group_q;
  logic [EntryCountBits-1:0] first_q, start_q;  // first entry of the batch in the grain, of the grain
  logic [EntryCountBits-1:0] entries, behind;   // of the grain; first entry after it

  // The first atom of the answer (suffix 0), the second one, and the last one of the two that exists (no suffix).
  logic last_column0, last_line0, two, last_column1, last_column, last_line, surf_end, grain_end, group_end;
  logic [12:0] column1, column, surf_left;
  logic [MemberBits-1:0] member1, member;
  logic [SizeBits-1:0] line_left1, line_left;
  logic [EntryCountBits-1:0] line1, line, entry1, entry, next_line, next_group, next_batch;
  logic [MemberBits:0] spot0, spot1;
  logic full;  // the entry of the last atom has no place left

  assign last_column0 = column_q == width;
  assign last_line0   = line_left_q == '0;
  assign two          = CbufWrAtoms == 2 && (single ? surf_left_q != 13'd0 : ~(last_column0 & last_line0));
  assign spot0        = place(tail_q, member_q, column_q[MemberBits-1:0]);

  always_comb begin
    column1    = column_q + 13'd1;
    member1    = member_q;
    line1      = line_q;
    line_left1 = line_left_q;
    entry1     = spot0[MemberBits] ? ring_add(entry_q, EntryCountBits'(1), ring_i) : entry_q;
    if (single) begin
      column1 = column_q;
      member1 = member_q + 1'b1;
      entry1  = entry_q;
    end else if (last_column0) begin
      column1    = '0;
      line1      = ring_add(line_q, step, ring_i);
      line_left1 = line_left_q - 1'b1;
      entry1     = line1;
    end
  end
  assign last_column1 = column1 == width;
  assign spot1        = place(tail_q, member1, column1[MemberBits-1:0]);

  // A memory of CBUF takes one of the two atoms a clock.
  logic clear0, clear1, overlap, clash, split_q;
  assign clear0      = place_clear(tail_q, member_q, last_column0);
  assign clear1      = place_clear(tail_q, member1, last_column1);
  assign overlap     = (clear0 && clear1) || spot0[SlotBits-1:0] == spot1[SlotBits-1:0] ||
      (clear0 && spot1[SlotBits-1:0] > spot0[SlotBits-1:0]) || (clear1 && spot0[SlotBits-1:0] > spot1[SlotBits-1:0]);
  assign clash       = two && overlap && entry_q != entry1 && entry_q[0] == entry1[0];
  assign rsp_ready_o = ~clash | split_q;

  assign batch_left  = (BatchMax > 1) ? batch_left_q : 5'd0;
  assign column      = two ? column1 : column_q;
  assign member      = two ? member1 : member_q;
  assign line        = two ? line1 : line_q;
  assign line_left   = two ? line_left1 : line_left_q;
  assign entry       = two ? entry1 : entry_q;
  assign full        = two ? spot1[MemberBits] : spot0[MemberBits];
  assign last_column = two ? last_column1 : last_column0;
  assign surf_left   = (two & single) ? surf_left_q - 13'd1 : surf_left_q;
  assign last_line   = line_left == '0;
  assign surf_end    = last_column & last_line;
  assign group_end   = member == LastMember;
  assign grain_end   = surf_end & (surf_left == 13'd0) & (batch_left == 5'd0);
  assign next_line   = ring_add(line, step, ring_i);
  assign next_group  = ring_add(group_q, EntryCountBits'(width) + 1'b1, ring_i);
  // While atoms of the last grain come, it is the one prepared last.
  assign entries     = (rest_q == '0) ? prep_need_q[EntryCountBits-1:0] : grain_need_q;
  assign behind      = ring_add(start_q, entries, ring_i);
  assign next_batch  = (batch_left == 5'd0) ? behind : ring_add(first_q, eps_i, ring_i);
  assign next_ptr_o  = start_q;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      column_q     <= '0;
      surf_left_q  <= surfaces;
      batch_left_q <= batches;
      lines_q      <= grain_lines(height, grain);
      line_left_q  <= grain_lines(height, grain) - 1'b1;
      rest_q       <= height - grain_lines(height, grain);
      member_q     <= '0;
      tail_q       <= group_tail(SizeBits'(surfaces) + 1'b1);
      entry_q      <= ptr_i;
      line_q       <= ptr_i;
      group_q      <= ptr_i;
      first_q      <= ptr_i;
      start_q      <= ptr_i;
    end else if (rsp_valid_i && rsp_ready_o) begin
      column_q <= last_column ? '0 : column + 13'd1;
      if (!last_column) begin
        entry_q     <= full ? ring_add(entry, EntryCountBits'(1), ring_i) : entry;
        line_q      <= line;
        line_left_q <= line_left;
      end else if (!last_line) begin
        line_left_q <= line_left - 1'b1;
        entry_q     <= next_line;
        line_q      <= next_line;
      end else if (surf_left != 13'd0) begin
        line_left_q <= lines_q - 1'b1;
        surf_left_q <= surf_left - 13'd1;
        member_q    <= group_end ? '0 : member + 1'b1;
        entry_q     <= group_end ? next_group : group_q;
        line_q      <= group_end ? next_group : group_q;
        if (group_end) begin
          tail_q  <= group_tail(SizeBits'(surf_left));
          group_q <= next_group;
        end
      end else begin
        line_left_q <= lines_q - 1'b1;
        surf_left_q <= surfaces;
        member_q    <= '0;
        tail_q      <= group_tail(SizeBits'(surfaces) + 1'b1);
        entry_q     <= next_batch;
        line_q      <= next_batch;
        group_q     <= next_batch;
        first_q     <= next_batch;
        if (!grain_end) batch_left_q <= batch_left - 5'd1;
        else begin
          batch_left_q <= batches;
          lines_q      <= grain_lines(rest_q, grain);
          line_left_q  <= grain_lines(rest_q, grain) - 1'b1;
          rest_q       <= rest_q - grain_lines(rest_q, grain);
          start_q      <= behind;
        end
      end
    end
    if (rsp_valid_i)
      place_o <= {
        CbufWrAtoms'({two & rsp_ready_o, ~split_q}),
        (CbufWrAtoms * EntryCountBits)'({entry1, entry_q}),
        (CbufWrAtoms * SlotBits)'({spot1[SlotBits-1:0], spot0[SlotBits-1:0]}),
        CbufWrAtoms'({clear1, clear0}),
        grain_end & rsp_ready_o, grain_end & (rest_q == '0) & rsp_ready_o, entries, lines_q
      };
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) split_q <= 1'b0;
    else if (rsp_valid_i) split_q <= ~rsp_ready_o;
  wire unused_spot = &{1'b0, spot0, spot1};

  `NVDLA_PARAM(ShapeLegal, CbufWrAtoms == 1 || (CbufWrAtoms == 2 && Slots % 2 == 0))
  `NVDLA_STABLE(RequestStable, req_valid_o, req_ready_i, {req_addr_o, req_size_o})
  `NVDLA_CHECK(RequestsOfWholeAtoms, !req_valid_o || req_addr_o[$clog2(MemAtom)-1:0] == '0)
  `NVDLA_CHECK(AnswerStays, !split_q || rsp_valid_i)
  `NVDLA_CHECK(ReservesOnlyFreeRoom, !reserve_o || space_i)
  `NVDLA_CHECK(PlaceInsideRing, !rsp_valid_i || (entry_q < ring_i && (!two || entry1 < ring_i)))

`ifdef NVDLA_CHECKS
  // Atoms of the layer: asked for and come, against its size.
  logic [63:0] asked_q, come_q, atoms;
  logic [31:0] lines_up_q;
  logic up_q;
  assign atoms = (64'(datain_width_i) + 64'd1) * (64'(datain_height_i) + 64'd1) * (64'(surfaces) + 64'd1) *
      (64'(batches) + 64'd1);
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      asked_q    <= '0;
      come_q     <= '0;
      lines_up_q <= '0;
      up_q       <= 1'b0;
    end else if (start_i) begin
      asked_q    <= '0;
      come_q     <= '0;
      lines_up_q <= '0;
      up_q       <= 1'b0;
    end else begin
      if (fire) asked_q <= asked_q + 64'(req_size_o) + 64'd1;
      if (rsp_valid_i && rsp_ready_o) come_q <= come_q + 64'd1 + 64'(two);
      up_q <= rsp_valid_i;
      if (up_q && place_o.update) lines_up_q <= lines_up_q + 32'(place_o.slices);
    end
  `NVDLA_CHECK(AsksForItsAtomsOnly, !fire || asked_q + 64'(req_size_o) + 64'd1 <= atoms)
  `NVDLA_CHECK(AtomsOnlyAskedFor, !rsp_valid_i || come_q + 64'(two) < asked_q)
  `NVDLA_CHECK(LayerEndsWithItsLastAtom, !up_q || place_o.last == (come_q == atoms))
  `NVDLA_CHECK(NoMoreThanAGrain, !(up_q && place_o.update) ||
               32'(place_o.slices) <= (line_packed_i ? 32'(grains_i) : 32'd0) + 32'd1)
  `NVDLA_CHECK(AllLinesAreReported, !(up_q && place_o.last) || lines_up_q + 32'(place_o.slices) == 32'(height))
`endif
endmodule
