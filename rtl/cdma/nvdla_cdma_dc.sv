// Feature fetch of direct convolution: requests of a layer, and the place in CBUF of every atom that comes back.
//
// Lines go in grains of FETCH_GRAIN + 1 (packed lines) or 1. A grain is requested surface by surface, `lines * W` consecutive atoms
// each, once its need_o = lines * EPS entries are free (space_i); reserve_o takes them, in the clock of the grain's first accepted
// request. A 1x1 cube with packed surfaces is one request. The low address bits of base and strides have no effect.
// start_i, one clock with the layer's registers valid, begins a layer; they, eps_i and ring_i stay, ptr_i is the ring entry of the first line.
// Every clock takes an atom (rsp_valid_i). Its place comes in the clock behind it: entry index place_entry_o in the ring, slot, clear
// (slots above become 0); with place_update_o it ends a grain of place_slices_o lines and place_entries_o entries, with place_last_o the
// layer. next_ptr_o is the ring entry behind the last finished grain. start_i to first request: 2 clocks.
// Spec: 30-cdma-cbuf, sections 5.1 to 5.3; 20-data-formats, sections 2 and 9.
module nvdla_cdma_dc
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      start_i,
    input  logic [              12:0] datain_width_i,
    input  logic [              12:0] datain_height_i,
    input  logic [              12:0] datain_channel_i,
    input  logic [      AddrBits-1:0] datain_addr_0_i,
    input  logic [              31:0] line_stride_i,
    input  logic [              31:0] surf_stride_i,
    input  logic                      line_packed_i,
    input  logic                      surf_packed_i,
    input  logic [              11:0] grains_i,
    input  logic [EntryCountBits-1:0] eps_i,
    input  logic [EntryCountBits-1:0] ring_i,
    input  logic [EntryCountBits-1:0] ptr_i,
    output logic [              28:0] need_o,
    input  logic                      space_i,
    output logic                      reserve_o,
    output logic                      req_valid_o,
    input  logic                      req_ready_i,
    output logic [      AddrBits-1:0] req_addr_o,
    output logic [              15:0] req_size_o,  // atoms - 1
    input  logic                      rsp_valid_i,
    output logic [EntryCountBits-1:0] place_entry_o,
    output logic [      SlotBits-1:0] place_slot_o,
    output logic                      place_clear_o,
    output logic                      place_update_o,
    output logic [EntryCountBits-1:0] place_entries_o,
    output logic [      SizeBits-1:0] place_slices_o,
    output logic                      place_last_o,
    output logic [EntryCountBits-1:0] next_ptr_o
);
  localparam logic [AddrBits-1:0] AtomMask = ~(AddrBits'(MemAtom) - 1'b1);
  localparam logic [1:0] LastMember = 2'(Slots - 1);

  // Sizes of the layer.
  logic [12:0] width, surfaces;  // minus 1
  logic [SizeBits-1:0] height, grain;
  logic single;
  logic [AddrBits-1:0] base, line_stride, surf_stride;
  assign width       = datain_width_i;
  assign height      = SizeBits'(datain_height_i) + 1'b1;
  assign surfaces    = datain_channel_i >> AtomShift;
  assign grain       = line_packed_i ? SizeBits'(grains_i) + 1'b1 : SizeBits'(1);
  assign single      = surf_packed_i && width == 13'd0 && height == SizeBits'(1);
  assign base        = datain_addr_0_i & AtomMask;
  assign line_stride = AddrBits'(line_stride_i) & AtomMask;
  assign surf_stride = AddrBits'(surf_stride_i) & AtomMask;

  // ---- requests: one grain prepared ahead of the one whose surfaces are asked for ---------------------------------------------
  logic [SizeBits-1:0] todo_q;  // lines not prepared yet
  logic prep_valid_q, prep_free, fire, last_surface;
  logic [AddrBits-1:0] line_addr_q, prep_addr_q, surf_addr_q;
  logic [15:0] prep_size_q;
  logic [28:0] prep_need_q;
  logic [12:0] surface_q;       // surface asked for
  logic [SizeBits-1:0] prep_lines;

  assign req_valid_o  = prep_valid_q & (space_i | (surface_q != 13'd0));
  assign req_addr_o   = (surface_q == 13'd0) ? prep_addr_q : surf_addr_q;
  assign req_size_o   = single ? 16'(surfaces) : prep_size_q;
  assign need_o       = prep_need_q;
  assign fire         = req_valid_o & req_ready_i;
  assign last_surface = single | (surface_q == surfaces);
  assign reserve_o    = fire & (surface_q == 13'd0);
  assign prep_free    = ~prep_valid_q | (fire & last_surface);
  assign prep_lines   = grain_lines(todo_q, grain);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      todo_q       <= '0;
      prep_valid_q <= 1'b0;
      surface_q    <= '0;
    end else if (start_i) begin
      todo_q       <= height;
      prep_valid_q <= 1'b0;
      surface_q    <= '0;
    end else begin
      if (prep_free) prep_valid_q <= todo_q != '0;
      if (prep_free && todo_q != '0) todo_q <= todo_q - prep_lines;
      if (fire) surface_q <= last_surface ? '0 : surface_q + 1'b1;
    end

  always_ff @(posedge clk_i) begin
    if (start_i) line_addr_q <= base;
    else if (prep_free && todo_q != '0) begin
      line_addr_q <= line_addr_q + AddrBits'(prep_lines) * line_stride;
      prep_addr_q <= line_addr_q;
      prep_size_q <= 16'(prep_lines) * (16'(width) + 16'd1) - 16'd1;
      prep_need_q <= 29'(prep_lines) * 29'(eps_i);
    end
    if (fire) surf_addr_q <= req_addr_o + surf_stride;
  end

  // ---- placement: column, line of the grain, surface, grain ------------------------------------------------------------------
  logic [12:0] column_q, surf_left_q;                   // surf_left_q: surfaces behind this one
  logic [SizeBits-1:0] lines_q, line_left_q, rest_q;    // lines of the grain, those behind this one, lines behind the grain
  logic [1:0] member_q, tail_q;                         // surface in its group, tail of the group
  logic [EntryCountBits-1:0] entry_q, line_q, group_q;  // of this atom, the line's first, the group's first in the grain
  logic [EntryCountBits-1:0] entries_q, behind_q;       // entries of the finished lines of the grain; first entry behind the grain

  logic last_column, first_surface, grain_end, last_line;
  logic [EntryCountBits-1:0] next_line;
  logic [2:0] spot;
  assign last_column   = column_q == width;
  assign last_line     = line_left_q == '0;
  assign first_surface = surf_left_q == surfaces;
  assign grain_end     = last_column & last_line & (surf_left_q == 13'd0);
  assign next_line     = ring_add(line_q, eps_i, ring_i);
  assign spot          = place(tail_q, member_q, column_q[1:0]);
  assign next_ptr_o    = behind_q;
  wire unused_spot = &{1'b0, spot};

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      column_q    <= '0;
      surf_left_q <= surfaces;
      lines_q     <= grain_lines(height, grain);
      line_left_q <= grain_lines(height, grain) - 1'b1;
      rest_q      <= height - grain_lines(height, grain);
      member_q    <= '0;
      tail_q      <= group_tail(SizeBits'(surfaces) + 1'b1);
      entry_q     <= ptr_i;
      line_q      <= ptr_i;
      group_q     <= ptr_i;
      behind_q    <= ptr_i;
      entries_q   <= '0;
    end else if (rsp_valid_i) begin
      column_q <= last_column ? '0 : column_q + 13'd1;
      if (!last_column) begin
        if (spot[2]) entry_q <= ring_add(entry_q, EntryCountBits'(1), ring_i);
      end else begin
        if (first_surface) entries_q <= entries_q + eps_i;
        if (!last_line) begin
          line_left_q <= line_left_q - 1'b1;
          entry_q     <= next_line;
          line_q      <= next_line;
        end else if (!grain_end) begin
          surf_left_q <= surf_left_q - 13'd1;
          line_left_q <= lines_q - 1'b1;
          if (first_surface) behind_q <= next_line;
          if (member_q == LastMember) begin
            member_q <= '0;
            tail_q   <= group_tail(SizeBits'(surf_left_q));
            group_q  <= ring_add(group_q, EntryCountBits'(width) + 1'b1, ring_i);
            entry_q  <= ring_add(group_q, EntryCountBits'(width) + 1'b1, ring_i);
            line_q   <= ring_add(group_q, EntryCountBits'(width) + 1'b1, ring_i);
          end else begin
            member_q <= member_q + 2'd1;
            entry_q  <= group_q;
            line_q   <= group_q;
          end
        end else begin
          surf_left_q <= surfaces;
          lines_q     <= grain_lines(rest_q, grain);
          line_left_q <= grain_lines(rest_q, grain) - 1'b1;
          rest_q      <= rest_q - grain_lines(rest_q, grain);
          member_q    <= '0;
          tail_q      <= group_tail(SizeBits'(surfaces) + 1'b1);
          entry_q     <= first_surface ? next_line : behind_q;
          line_q      <= first_surface ? next_line : behind_q;
          group_q     <= first_surface ? next_line : behind_q;
          behind_q    <= first_surface ? next_line : behind_q;
          entries_q   <= '0;
        end
      end
      place_entry_o   <= entry_q;
      place_slot_o    <= spot[SlotBits-1:0];
      place_clear_o   <= place_clear(tail_q, member_q, last_column);
      place_update_o  <= grain_end;
      place_entries_o <= first_surface ? entries_q + eps_i : entries_q;
      place_slices_o  <= lines_q;
      place_last_o    <= grain_end & (rest_q == '0);
    end
  end

  `NVDLA_STABLE(RequestStable, req_valid_o, req_ready_i, {req_addr_o, req_size_o})
  `NVDLA_CHECK(ReservesOnlyFreeRoom, !reserve_o || space_i)
  `NVDLA_CHECK(PlaceInsideRing, !rsp_valid_i || entry_q < ring_i)

`ifdef NVDLA_CHECKS
  // Atoms of the layer: asked for and come, against its size.
  logic [63:0] asked_q, come_q, atoms;
  logic [31:0] lines_up_q;
  logic up_q;
  assign atoms = (64'(datain_width_i) + 64'd1) * (64'(datain_height_i) + 64'd1) * (64'(surfaces) + 64'd1);
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
      if (rsp_valid_i) come_q <= come_q + 64'd1;
      up_q <= rsp_valid_i;
      if (up_q && place_update_o) lines_up_q <= lines_up_q + 32'(place_slices_o);
    end
  `NVDLA_CHECK(AsksForItsAtomsOnly, !fire || asked_q + 64'(req_size_o) + 64'd1 <= atoms)
  `NVDLA_CHECK(AtomsOnlyAskedFor, !rsp_valid_i || come_q < asked_q)
  `NVDLA_CHECK(LayerEndsWithItsLastAtom, !up_q || place_last_o == (come_q == atoms))
  `NVDLA_CHECK(AllLinesAreReported, !(up_q && place_last_o) || lines_up_q + 32'(place_slices_o) == 32'(height))
`endif
endmodule
