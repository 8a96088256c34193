// Winograd fetch, two atoms a clock: requests of a layer, pads, channel extension by the strides, and the place in CBUF
// of 4x4 tiles.
//
// A superslice is 4 lines of the extended cube: 4 * stride_y lines of the padded input in all surfaces. It is requested
// surface by surface, line by line, once 4 * EPS entries are free (space_i); reserve_o takes them when its first line
// is passed. Lines of pad are not requested. The pixels of a padded line, from memory or pad_value_i, come in pairs.
// Pixel x belongs to phase x mod stride_x; four pixels of a phase side by side are a row of a tile: their pieces of 8
// bytes make four atoms, one for each piece, which go to the same slot of four entries, a row of tiles apart. Four
// banks of 4 * stride_x pixels, a tile each: some are filled while tile rows of others leave, two atoms a clock, one to
// an even and one to an odd entry. These are two pieces of a tile if a row has an odd number of tiles, else the same
// piece of two neighbours.
// start_i, one clock with the layer's registers valid, begins a layer; they, eps_i and ring_i stay, ptr_i is the ring
// entry of the first superslice. atoms_valid_o: two atoms for the convertor; place_o comes one clock later, an update
// ends a superslice. next_ptr_o is the ring entry after the last finished superslice.
// start_i to first request: 1 clock.
// Spec: 30-cdma-cbuf, section 5.5.
`include "nvdla_check.svh"
module nvdla_cdma_winograd
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      clk_on_i,
    input  logic                      start_i,
    input  logic                      wide_i,  // elements of 16 bits
    input  logic [              12:0] datain_width_i,
    input  logic [              12:0] datain_height_i,
    input  logic [              12:0] datain_channel_i,
    input  logic [              12:0] datain_width_ext_i,
    input  logic [              12:0] datain_height_ext_i,
    input  logic [               2:0] conv_x_stride_i,
    input  logic [               2:0] conv_y_stride_i,
    input  logic [               4:0] pad_left_i,
    input  logic [               4:0] pad_top_i,
    input  logic [              15:0] pad_value_i,
    input  logic [      AddrBits-1:0] datain_addr_0_i,
    input  logic [              31:0] line_stride_i,
    input  logic [              31:0] surf_stride_i,
    input  logic [EntryCountBits-1:0] eps_i,
    input  logic [EntryCountBits-1:0] ring_i,
    input  logic [EntryCountBits-1:0] ptr_i,
    input  logic                      space_i,
    output logic                      reserve_o,
    output logic                      req_valid_o,
    input  logic                      req_ready_i,
    output logic [      AddrBits-1:0] req_addr_o,
    output logic [              15:0] req_size_o,  // atoms - 1
    input  logic                      rsp_valid_i,
    output logic                      rsp_ready_o,
    input  logic [ 1:0][AtomBits-1:0] rsp_data_i,
    output logic                      atoms_valid_o,
    output logic [    2*AtomBits-1:0] atoms_data_o,
    output place_t                    place_o,
    output logic [EntryCountBits-1:0] next_ptr_o
);
  localparam int PixelBits = 17;  // of a padded line, lines of the padded input
  localparam int PieceBits = 64;
  localparam int WideShift = AtomShift - 1;

  logic clk;  // of all registers

  // ---- sizes of the layer; products from the clock after start_i on, row_entries_q one clock later ------------------
  logic [12:0] surfaces;  // minus 1
  // pixels of a padded line; data in it; the first pixel behind the data; first line below the data
  logic [PixelBits-1:0] padded, columns, columns_q, data_end_q, bottom;
  logic [SizeBits-1:0] superslices;
  logic [4:0] last_line;  // of a superslice in the padded input
  logic [EntryCountBits-1:0] tiles, surface_entries, phase_entries_q, superslice_entries;
  logic [EntryCountBits-1:0] row_entries_q;  // of the phases of a line
  logic started_q;                           // start_i of the clock before
  assign surfaces        = wide_i ? datain_channel_i >> WideShift : datain_channel_i >> AtomShift;
  assign padded          = (PixelBits'(datain_width_ext_i) + 1'b1) * (PixelBits'(conv_x_stride_i) + 1'b1);
  assign columns         = (PixelBits'(datain_width_i) + 1'b1 > padded - PixelBits'(pad_left_i)) ?
      padded - PixelBits'(pad_left_i) :
      PixelBits'(datain_width_i) + 1'b1;
  assign bottom          = PixelBits'(pad_top_i) + PixelBits'(datain_height_i) + 1'b1;
  assign superslices     = (SizeBits'(datain_height_ext_i) >> 2) + 1'b1;
  assign last_line       = {conv_y_stride_i, 2'b11};
  assign tiles           = (EntryCountBits'(datain_width_ext_i) >> 2) + 1'b1;
  assign surface_entries = tiles << 2;  // of a surface of a phase
  assign superslice_entries = eps_i << 2;

  always_ff @(posedge clk) begin
    started_q <= start_i;
    if (start_i) begin
      columns_q       <= columns;
      data_end_q      <= PixelBits'(pad_left_i) + columns;
      phase_entries_q <= surface_entries * (EntryCountBits'(surfaces) + 1'b1);
    end
    if (started_q) row_entries_q <= phase_entries_q * (EntryCountBits'(conv_x_stride_i) + 1'b1);
  end

  function automatic logic is_data(input logic [PixelBits-1:0] at, input logic [PixelBits-1:0] first,
      input logic [PixelBits-1:0] behind);
    return at >= first && at < behind;
  endfunction

  // ---- requests: lines of the padded input --------------------------------------------------------------------------
  logic [SizeBits-1:0] rq_left_q;  // superslices not completely requested
  logic [12:0] rq_surface_q;
  logic [4:0] rq_line_q;                  // line of the superslice
  logic [PixelBits-1:0] rq_first_q, row;  // first line of the superslice; this one
  // Addresses: of the next line of data; of the superslice's first one in this surface; of the one after its last in
  // the first surface.
  logic [AddrBits-1:0] line_addr_q, surface_addr_q, slice_addr_q, after_line, after_slice;
  logic rq_inside, rq_go, rq_step;
  assign row         = rq_first_q + PixelBits'(rq_line_q);
  assign rq_inside   = is_data(row, PixelBits'(pad_top_i), bottom);
  assign rq_go       = rq_left_q != '0 && (space_i || rq_surface_q != '0 || rq_line_q != '0);
  assign req_valid_o = rq_go & rq_inside;
  assign req_addr_o  = line_addr_q;
  assign after_line    = rq_inside ? line_addr_q + AddrBits'(line_stride_i) : line_addr_q;
  assign after_slice   = (rq_surface_q == '0) ? after_line : slice_addr_q;
  assign req_size_o  = 16'(columns_q) - 16'd1;
  assign rq_step     = rq_go & (~rq_inside | req_ready_i);
  assign reserve_o   = rq_step && rq_surface_q == '0 && rq_line_q == '0;

  always_ff @(posedge clk or negedge rst_ni)
    if (!rst_ni) rq_left_q <= '0;
    else if (start_i) rq_left_q <= superslices;
    else if (rq_step && rq_line_q == last_line && rq_surface_q == surfaces) rq_left_q <= rq_left_q - 1'b1;

  always_ff @(posedge clk)
    if (start_i) begin
      rq_surface_q <= '0;
      rq_line_q    <= '0;
      rq_first_q   <= '0;
    end else if (rq_step) begin
      rq_line_q <= (rq_line_q == last_line) ? '0 : rq_line_q + 1'b1;
      if (rq_line_q == last_line) rq_surface_q <= (rq_surface_q == surfaces) ? '0 : rq_surface_q + 1'b1;
      if (rq_line_q == last_line && rq_surface_q == surfaces) rq_first_q <= rq_first_q + PixelBits'(last_line) + 1'b1;
    end

  always_ff @(posedge clk)
    if (start_i) begin
      line_addr_q    <= datain_addr_0_i;
      surface_addr_q <= datain_addr_0_i;
    end else if (rq_step && rq_line_q != last_line) begin
      line_addr_q <= after_line;
    end else if (rq_step) begin
      slice_addr_q <= after_slice;
      if (rq_surface_q == surfaces) begin
        line_addr_q    <= after_slice;
        surface_addr_q <= after_slice;
      end else begin
        line_addr_q    <= surface_addr_q + AddrBits'(surf_stride_i);
        surface_addr_q <= surface_addr_q + AddrBits'(surf_stride_i);
      end
    end

  // ---- pairs of pixels ----------------------------------------------------------------------------------------------
  logic [SizeBits-1:0] left_q, granted_q;  // superslices not finished; of those with room in CBUF
  logic [12:0] surface_q;
  logic [4:0] line_q;
  logic [2:0] phase_y_q;               // line modulo stride_y
  logic [1:0] tile_y_q;                // and divided by it
  logic [PixelBits-1:0] first_q, x_q;  // first line of the superslice; pixel
  logic [2:0] phase_x_q;               // pixel modulo stride_x
  logic [1:0] tile_x_q;                // and divided by it, modulo 4
  logic [EntryCountBits-1:0] tile_q;   // and divided by 4
  logic [PixelBits-1:0] missing_q;     // atoms of the line that have not come
  logic [AtomBits-1:0] held_q;         // an atom that has come with the one before it
  logic held_valid_q;

  logic between, data0, data1, two, needs, have, step, line_end, surface_end, superslice_end, row_end;
  logic [PixelBits-1:0] missing;
  logic [AtomBits-1:0] pad, atom0, atom1, first, second;
  logic [2:0] phase_x1;
  logic [1:0] tile_x1;
  logic [3:0] full_q;  // banks that are filled
  logic [1:0] bank_q;  // to be filled
  logic line_load_q;   // the line's count must be taken
  // entries of the surfaces, of the lines of the tile before this one
  logic [EntryCountBits-1:0] surface_place_q, phase_place_q;

  assign between     = is_data(first_q + PixelBits'(line_q), PixelBits'(pad_top_i), bottom);
  assign data0       = between && is_data(x_q, PixelBits'(pad_left_i), data_end_q);
  assign data1       = between && is_data(x_q + 1'b1, PixelBits'(pad_left_i), data_end_q);
  assign missing     = line_load_q ? columns_q : missing_q;
  assign two         = missing != PixelBits'(1);
  assign needs       = (data0 & data1) | ((data0 | data1) & ~held_valid_q);  // an answer
  assign have        = rsp_valid_i | ~needs;
  assign step        = granted_q != '0 && !full_q[bank_q] && have;
  assign rsp_ready_o = granted_q != '0 && !full_q[bank_q] && needs;
  assign pad         = wide_i ? {AtomBits / 16{pad_value_i}} : {AtomBits / 8{pad_value_i[7:0]}};
  assign first       = held_valid_q ? held_q : rsp_data_i[0];
  assign second      = held_valid_q ? rsp_data_i[0] : rsp_data_i[1];
  assign atom0       = data0 ? first : pad;
  assign atom1       = !data1 ? pad : data0 ? second : first;
  assign row_end     = phase_x1 == conv_x_stride_i && tile_x1 == 2'd3;  // of the tiles of all phases
  assign line_end    = step && row_end && tile_q + 1'b1 == tiles;
  assign surface_end = line_end && line_q == last_line;
  assign superslice_end = surface_end && surface_q == surfaces;

  // The second pixel of the pair.
  assign phase_x1 = (phase_x_q == conv_x_stride_i) ? 3'd0 : phase_x_q + 3'd1;
  assign tile_x1  = (phase_x_q == conv_x_stride_i) ? tile_x_q + 2'd1 : tile_x_q;

  always_ff @(posedge clk or negedge rst_ni)
    if (!rst_ni) begin
      left_q    <= '0;
      granted_q <= '0;
    end else begin
      granted_q <= granted_q + SizeBits'(reserve_o) - SizeBits'(superslice_end);
      if (start_i) left_q <= superslices;
      else if (superslice_end) left_q <= left_q - 1'b1;
    end

  always_ff @(posedge clk)
    if (start_i) begin
      surface_q    <= '0;
      line_q       <= '0;
      phase_y_q    <= '0;
      tile_y_q     <= '0;
      first_q      <= '0;
      x_q          <= '0;
      phase_x_q    <= '0;
      tile_x_q     <= '0;
      tile_q       <= '0;
      held_valid_q <= 1'b0;
      line_load_q  <= 1'b1;
      surface_place_q <= '0;
      phase_place_q   <= '0;
    end else if (step) begin
      x_q       <= line_end ? '0 : x_q + PixelBits'(2);
      phase_x_q <= (phase_x1 == conv_x_stride_i) ? 3'd0 : phase_x1 + 3'd1;
      if (phase_x1 == conv_x_stride_i) tile_x_q <= tile_x1 + 2'd1;
      else tile_x_q <= tile_x1;
      if (row_end) tile_q <= line_end ? '0 : tile_q + 1'b1;
      line_load_q <= line_end;
      missing_q   <= !needs ? missing : two ? missing - PixelBits'(2) : missing - PixelBits'(1);
      // Held and both: the answer's second atom is held next; neither: what is held stays.
      if (needs) held_valid_q <= two && (held_valid_q || !(data0 && data1));
      else if (data0 || data1) held_valid_q <= 1'b0;
      if (needs) held_q <= rsp_data_i[1];
      if (line_end) begin
        line_q    <= surface_end ? '0 : line_q + 1'b1;
        phase_y_q <= (phase_y_q == conv_y_stride_i) ? '0 : phase_y_q + 1'b1;
        phase_place_q <= (phase_y_q == conv_y_stride_i) ? '0 : phase_place_q + row_entries_q;
        if (phase_y_q == conv_y_stride_i) tile_y_q <= tile_y_q + 1'b1;
        if (surface_end) surface_q <= superslice_end ? '0 : surface_q + 1'b1;
        if (surface_end) surface_place_q <= superslice_end ? '0 : surface_place_q + surface_entries;
        if (superslice_end) first_q <= first_q + PixelBits'(last_line) + 1'b1;
      end
    end

  // ---- banks: the pixels of a tile's row by phase, and where they go ------------------------------------------------
  logic [EntryCountBits-1:0] superslice_q;  // first entry of the superslice
  logic [EntryCountBits-1:0] to_q[0:3];     // entry of the first piece of phase 0
  logic [1:0] slot_q[0:3];
  logic [3:0] end_q, last_q;  // a superslice, the layer ends here
  logic [EntryCountBits-1:0] tile_place;
  assign tile_place = phase_place_q + surface_place_q + tile_q;

  // ---- tile rows: phase by phase, two atoms a clock -----------------------------------------------------------------
  logic paired;  // the tiles of two banks leave together
  logic [1:0] out_bank_q, other_bank;
  logic [1:0] piece_q, piece1;
  logic out, part_end, out_end;
  logic [2:0] out_phase_q;
  logic [EntryCountBits-1:0] out_entry_q, out_phase_entry_q, entry0, entry1, phase_entry;
  logic out_load_q;  // the bank's place must be taken
  assign paired      = ~tiles[0];
  assign other_bank  = paired ? out_bank_q + 2'd1 : out_bank_q;
  assign out         = full_q[out_bank_q] & full_q[other_bank];
  assign part_end    = paired ? piece_q == 2'd3 : piece_q[1];
  assign out_end     = out && part_end && out_phase_q == conv_x_stride_i;
  assign phase_entry = out_load_q ? to_q[out_bank_q] : out_phase_entry_q;
  assign entry0      = (piece_q != '0) ? out_entry_q : phase_entry;
  assign entry1      = ring_add(entry0, paired ? EntryCountBits'(1) : tiles, ring_i);
  assign piece1      = paired ? piece_q : piece_q + 2'd1;

  // A memory for each pixel of a tile, parity of the phase and of the bank: the two pixels of a clock go to different
  // ones, and two banks that leave together are even and odd.
  logic [2:0] from;  // {bank / 2, phase / 2}
  assign from = {out_bank_q[1], out_phase_q[2:1]};
  // They are read with the first piece of a row.
  logic out_odd_q, out_other_odd_q, out_phase_odd_q;  // parities of what was read
  logic [1:0] out_piece_q, out_piece1_q;
  for (genvar x = 0; x < 4; x++) begin : gen_pixel
    logic [AtomBits-1:0] pixels[0:3];  // {phase, bank}, of both the parity
    logic [AtomBits-1:0] pixel, other;
    for (genvar p = 0; p < 2; p++) begin : gen_phase
      logic first_here, second_here;
      assign first_here  = phase_x_q[0] == 1'(p) && tile_x_q == 2'(x);
      assign second_here = phase_x1[0] == 1'(p) && tile_x1 == 2'(x);
      for (genvar b = 0; b < 2; b++) begin : gen_bank
        nvdla_ram #(
            .Width(AtomBits),
            .Words(8)
        ) u_pixels (
            .clk_i    (clk),
            .wr_en_i  (step && (first_here || second_here) && bank_q[0] == 1'(b)),
            .wr_addr_i({bank_q[1], first_here ? phase_x_q[2:1] : phase_x1[2:1]}),
            .wr_data_i(first_here ? atom0 : atom1),
            .rd_en_i  (out && piece_q == '0 && out_phase_q[0] == 1'(p) && (paired || out_bank_q[0] == 1'(b))),
            .rd_addr_i(from),
            .rd_data_o(pixels[2*p+b])
        );
      end
      `NVDLA_CHECK(PixelsGoApart, !(step && first_here && second_here))
    end
    assign pixel = pixels[{out_phase_odd_q, out_odd_q}];
    assign other = pixels[{out_phase_odd_q, out_other_odd_q}];
    assign atoms_data_o[x*PieceBits+:PieceBits] = pixel[out_piece_q*PieceBits+:PieceBits];
    assign atoms_data_o[AtomBits+x*PieceBits+:PieceBits] = other[out_piece1_q*PieceBits+:PieceBits];
  end
  always_ff @(posedge clk)
    if (out) begin
      out_odd_q       <= out_bank_q[0];
      out_other_odd_q <= other_bank[0];
      out_phase_odd_q <= out_phase_q[0];
      out_piece_q     <= piece_q;
      out_piece1_q    <= piece1;
    end

  always_ff @(posedge clk or negedge rst_ni)
    if (!rst_ni) begin
      full_q        <= '0;
      atoms_valid_o <= 1'b0;
    end else begin
      if (step && row_end) full_q[bank_q] <= 1'b1;
      if (out_end) full_q[out_bank_q] <= 1'b0;
      if (out_end) full_q[other_bank] <= 1'b0;
      atoms_valid_o <= out;
    end

  logic [2*EntryCountBits-1:0] entry_q;
  logic [1:0] out_slot_q;
  logic out_update_q, out_last_q;
  always_ff @(posedge clk) begin
    if (start_i) begin
      bank_q       <= '0;
      out_bank_q   <= '0;
      piece_q      <= '0;
      out_phase_q  <= '0;
      out_load_q   <= 1'b1;
      superslice_q <= ptr_i;
    end else begin
      if (step && row_end) begin
        bank_q         <= bank_q + 2'd1;
        to_q[bank_q]   <= ring_add(superslice_q, tile_place, ring_i);
        slot_q[bank_q] <= tile_y_q;
        end_q[bank_q]  <= superslice_end;
        last_q[bank_q] <= superslice_end && left_q == SizeBits'(1);
        if (superslice_end) superslice_q <= ring_add(superslice_q, superslice_entries, ring_i);
      end
      if (out) begin
        piece_q           <= part_end ? '0 : piece1 + 2'd1;
        out_entry_q       <= ring_add(paired ? entry0 : entry1, tiles, ring_i);
        out_load_q        <= out_end;
        out_phase_entry_q <= part_end ? ring_add(phase_entry, phase_entries_q, ring_i) : phase_entry;
        if (part_end) out_phase_q <= out_end ? '0 : out_phase_q + 1'b1;
        if (out_end) out_bank_q <= other_bank + 2'd1;
      end
    end
    if (out) begin
      entry_q      <= {entry1, entry0};
      out_slot_q   <= slot_q[out_bank_q];
      out_update_q <= out_end && end_q[other_bank];
      out_last_q   <= out_end && last_q[other_bank];
    end
    if (atoms_valid_o)
      place_o <= {2'b11, entry_q, {2{out_slot_q}}, 2'b00, out_update_q, out_last_q, eps_i << 2, SizeBits'(4)};
  end
  assign next_ptr_o = superslice_q;

  // ---- clock: a layer begins, lines to be requested, tiles on their way ---------------------------------------------
  nvdla_clock_gate #(
      .After(0)
  ) u_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(start_i || started_q || rq_left_q != '0 || granted_q != '0 || full_q != '0 || atoms_valid_o),
      .clk_o (clk)
  );

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(ShapeLegal, Slots == 4 && CbufWrAtoms == 2 && SlotBits == 2 && MemAtom == 32)
  `NVDLA_STABLE(RequestStable, req_valid_o, req_ready_i, {req_addr_o, req_size_o})
  `NVDLA_STABLE(AnswerTaken, rsp_valid_i, rsp_ready_o, rsp_data_i)
  `NVDLA_CHECK(ReservesOnlyFreeRoom, !reserve_o || space_i)
  `NVDLA_CHECK(GrantedAreOfTheLayer, granted_q <= left_q)
  `NVDLA_CHECK(BankIsFree, !step || !full_q[bank_q])
  `NVDLA_CHECK(AnswerWhenNeeded, !(rsp_valid_i && rsp_ready_o) || (step && needs))
  `NVDLA_CHECK(PairsBegin, !(out && paired) || !out_bank_q[0])
  `NVDLA_CHECK(BothComeTogether, !(step && needs && data0 && data1 && !held_valid_q) || two)
  `NVDLA_CHECK(NothingIsHeldAcrossLines,
               !line_end || !between || (!needs ? (missing == '0) : missing == PixelBits'(two ? 2 : 1)))

`ifdef NVDLA_CHECKS
  int asked_q;  // atoms
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) asked_q <= 0;
    else asked_q <= asked_q + ((req_valid_o && req_ready_i) ? 32'(req_size_o) + 1 : 0) -
        ((rsp_valid_i && rsp_ready_o) ? 1 + 32'(two) : 0);
  `NVDLA_CHECK(AtomsOnlyAskedFor, !(rsp_valid_i && rsp_ready_o) || asked_q > 32'(two))
  `NVDLA_CHECK(NothingIsLeftOver, !(atoms_valid_o && out_last_q) || asked_q == 0)
  // Banks, which are filled and emptied in turn.
  `NVDLA_BALANCE(Banks, 4, step && row_end, 1, out_end, paired ? 2 : 1)
  `NVDLA_CHECK(BanksAddUp, 32'($countones(full_q)) == Banks.level_q)
  `NVDLA_FINAL(NothingIsOwedAtTheEnd, rq_left_q == '0 && left_q == '0 && granted_q == '0 && asked_q == 0)
`endif
endmodule
