// Pixel fetch: requests of an image layer, assembly of the byte string of every line, and its place in CBUF.
//
// A line is one slice. Its whole atoms of memory are requested once EPS entries are free (space_i); reserve_o takes them, in the clock of
// the line's first accepted request. One plane: one request per line. Two planes: one atom of Y, then up to two of UV, in turn, which keeps
// the two windows level. Addresses are the byte sums of base and strides.
// The string of a line is [left pad][pixels][right pad], 1, 3 or 4 bytes per pixel in the order R,G,B,A or Y,U,V. It leaves as atoms of
// MemAtom bytes with their lane kinds (for the convertor), one per clock while memory delivers.
// start_i, one clock with the layer's registers valid, begins a layer; they, eps_i and ring_i stay, ptr_i is the ring entry of the first line.
// The place of an atom comes in the clock behind atom_valid_o: entry index place_entry_o in the ring, slot, clear (slots above become
// 0); with place_update_o it ends a line, with place_last_o the layer. next_ptr_o is the ring entry behind the last placed line.
// start_i to first request: 1 clock; accepted response to atom_valid_o: 2 clocks.
// Spec: 30-cdma-cbuf, section 5.4; 20-data-formats, sections 4 and 9.
module nvdla_cdma_image
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      start_i,
    input  logic [               5:0] pixel_format_i,
    input  logic [              12:0] datain_width_i,
    input  logic [              12:0] datain_height_i,
    input  logic [               4:0] pixel_x_offset_i,
    input  logic [      AddrBits-1:0] datain_addr_0_i,
    input  logic [      AddrBits-1:0] datain_addr_1_i,
    input  logic [              31:0] line_stride_i,
    input  logic [              31:0] uv_line_stride_i,
    input  logic                      cvt_en_i,
    input  logic [               4:0] pad_left_i,
    input  logic [               5:0] pad_right_i,
    input  logic [               7:0] pad_value_i,
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
    input  logic [      AtomBits-1:0] rsp_data_i,
    output logic                      atom_valid_o,
    output logic [      AtomBits-1:0] atom_data_o,
    output logic [     MemAtom*3-1:0] atom_kind_o,
    output logic [EntryCountBits-1:0] place_entry_o,
    output logic [      SlotBits-1:0] place_slot_o,
    output logic                      place_clear_o,
    output logic                      place_update_o,
    output logic                      place_last_o,
    output logic [EntryCountBits-1:0] next_ptr_o
);
  localparam int CountBits = AtomShift + 2;  // bytes of a window: 0 .. 2 atoms
  localparam int LaneBits = AtomShift + 1;   // 0 .. MemAtom
  localparam logic [LaneBits-1:0] Lanes = LaneBits'(MemAtom);

  // Pixel formats by class and component order; the formats with four components are all that is neither of these.
  localparam logic [5:0] FormatR8 = 6'h00;
  localparam logic [5:0] FormatYUv = 6'h1c;  // pair in memory: V, U
  localparam logic [5:0] FormatYVu = 6'h1d;  // pair in memory: U, V

  // ---- geometry of the layer, from its start on ------------------------------------------------------------------------------
  logic planar, single_channel, u_first;
  logic [1:0] order;  // memory byte of components 0..3: 0 0123, 1 2103, 2 1230, 3 3210
  assign planar         = pixel_format_i == FormatYUv || pixel_format_i == FormatYVu;
  assign u_first        = pixel_format_i == FormatYVu;
  assign single_channel = pixel_format_i == FormatR8;

  always_comb
    case (pixel_format_i)
      6'h0d, 6'h11, 6'h1a: order = 2'd1;
      6'h0e, 6'h12, 6'h1b: order = 2'd2;
      6'h0f, 6'h13:        order = 2'd3;
      default:             order = 2'd0;
    endcase

  logic [15:0] left_q, pixels_q, string_q;  // bytes of the left pad, of the pixels, of the whole line
  logic [AtomShift-1:0] skip0_q, skip1_q;   // bytes in front of the first pixel in the first atom of planes 0 and 1
  logic [SizeBits-1:0] atoms0_q, atoms1_q;  // atoms of a line in planes 0 and 1
  logic planar_q, single_q;

  logic [AtomShift-1:0] skip0, skip1;
  logic [15:0] width, padded;
  assign width  = 16'(datain_width_i) + 16'd1;
  assign padded = 16'(pad_left_i) + width + 16'(pad_right_i);
  assign skip0  = (planar | single_channel) ? AtomShift'(pixel_x_offset_i) : AtomShift'({pixel_x_offset_i, 2'b00});
  assign skip1  = AtomShift'({pixel_x_offset_i, 1'b0});

  // Bytes of n pixels in CBUF; atoms that hold n bytes.
  function automatic logic [15:0] string_bytes(input logic [15:0] n, input logic one, input logic three);
    if (one) return n;
    return three ? n + (n << 1) : n << 2;
  endfunction
  function automatic logic [SizeBits-1:0] atoms(input logic [15:0] n);
    return SizeBits'((n + 16'(MemAtom - 1)) >> AtomShift);
  endfunction

  always_ff @(posedge clk_i)
    if (start_i) begin
      planar_q <= planar;
      single_q <= single_channel;
      left_q   <= string_bytes(16'(pad_left_i), single_channel, planar);
      pixels_q <= string_bytes(width, single_channel, planar);
      string_q <= string_bytes(padded, single_channel, planar);
      skip0_q  <= skip0;
      skip1_q  <= skip1;
      atoms0_q <= atoms(16'(skip0) + string_bytes(width, planar | single_channel, 1'b0));
      atoms1_q <= planar ? atoms(16'(skip1) + (width << 1)) : '0;
    end

  // ---- requests --------------------------------------------------------------------------------------------------------------
  logic [SizeBits-1:0] rq_lines_q;  // lines not completely requested
  logic rq_first_q, rq_uv_q;        // nothing requested of the line; next is UV
  logic [SizeBits-1:0] rq_left0_q, rq_left1_q;
  logic rq_load_q;                  // the line's counts must be taken (first clock of a layer)
  logic [AddrBits-1:0] line0_q, line1_q, addr0_q, addr1_q;
  logic fire, line_end;
  logic [AddrBits-1:0] next_line0, next_line1;
  logic [SizeBits-1:0] left0, left1;

  assign left0 = rq_load_q ? atoms0_q : rq_left0_q;
  assign left1 = rq_load_q ? atoms1_q : rq_left1_q;
  assign req_valid_o = (rq_lines_q != '0) & (~rq_first_q | space_i);
  assign req_addr_o  = rq_uv_q ? addr1_q : addr0_q;
  assign req_size_o  = rq_uv_q ? 16'(left1 != SizeBits'(1)) : planar_q ? 16'd0 : 16'(atoms0_q) - 16'd1;
  assign fire        = req_valid_o & req_ready_i;
  assign reserve_o   = fire & rq_first_q;
  assign line_end    = ~planar_q | (rq_uv_q ? left0 == '0 : left0 == SizeBits'(1) && left1 == '0);
  assign next_line0  = line0_q + AddrBits'(line_stride_i);
  assign next_line1  = line1_q + AddrBits'(uv_line_stride_i);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) rq_lines_q <= '0;
    else if (start_i) rq_lines_q <= SizeBits'(datain_height_i) + 1'b1;
    else if (fire && line_end) rq_lines_q <= rq_lines_q - 1'b1;

  always_ff @(posedge clk_i)
    if (start_i) begin
      rq_first_q <= 1'b1;
      rq_uv_q    <= 1'b0;
      rq_load_q  <= 1'b1;
      line0_q    <= datain_addr_0_i;
      line1_q    <= datain_addr_1_i;
      addr0_q    <= datain_addr_0_i;
      addr1_q    <= datain_addr_1_i;
    end else if (fire) begin
      rq_first_q <= line_end;
      rq_load_q  <= line_end;
      if (line_end) begin
        line0_q <= next_line0;
        line1_q <= next_line1;
        addr0_q <= next_line0;
        addr1_q <= next_line1;
        rq_uv_q <= 1'b0;
      end else if (rq_uv_q) begin
        addr1_q    <= addr1_q + AddrBits'(2 * MemAtom);
        rq_left0_q <= left0;
        rq_left1_q <= left1 - ((left1 == SizeBits'(1)) ? SizeBits'(1) : SizeBits'(2));
        rq_uv_q    <= 1'b0;
      end else begin
        addr0_q    <= addr0_q + AddrBits'(MemAtom);
        rq_left0_q <= left0 - 1'b1;
        rq_left1_q <= left1;
        rq_uv_q    <= left1 != '0;
      end
    end

  // ---- windows: the bytes at hand of each plane, oldest lowest, zero above ---------------------------------------------------
  logic [2*AtomBits-1:0] win0_q, win1_q;
  logic [CountBits-1:0] count0_q, count1_q;
  logic [SizeBits-1:0] in_left0_q, in_left1_q;  // atoms of the line that are still to come
  logic [1:0] in_turn_q;                        // 0 plane 0, 1 and 2 plane 1
  logic in_first0_q, in_first1_q;               // next atom is the first one of its plane's line

  // The next atom of the string: lanes [0, pad_lanes) left pad, then `bytes` lanes of pixels, then right pad up to string_left.
  logic [SizeBits-1:0] lines_q;        // lines not finished
  logic [SizeBits-1:0] granted_q;      // of those, the ones with room in CBUF: only they may leave, their left pad too
  logic load_q;                        // the line's counts must be taken (first clock of a layer)
  logic [15:0] pad_left_q, bytes_left_q, string_left_q;
  logic [1:0] phase_q, pixel_phase_q;  // modulo 3: first byte of the atom in the string, next byte of the pixels in theirs

  logic [15:0] pad_left, bytes_left, string_left;
  logic [LaneBits-1:0] pad_lanes, rest, bytes;
  logic [LaneBits:0] three_sum, three_full, three_touched;
  logic emit, drained, accept0, accept1, first0, in_uv, in_over, line_over;
  logic [CountBits-1:0] use0, use1, base0, base1;

  assign pad_left    = load_q ? left_q : pad_left_q;
  assign bytes_left  = load_q ? pixels_q : bytes_left_q;
  assign string_left = load_q ? string_q : string_left_q;
  assign line_over   = string_left <= 16'(MemAtom);

  assign pad_lanes = (pad_left > 16'(MemAtom)) ? Lanes : LaneBits'(pad_left);
  assign rest      = Lanes - pad_lanes;
  assign bytes     = (bytes_left > 16'(rest)) ? rest : LaneBits'(bytes_left);

  // Two planes: pixels that `bytes` bytes complete, pixels that they touch.
  assign three_sum     = (LaneBits + 1)'(bytes) + (LaneBits + 1)'(pixel_phase_q);
  assign three_full    = (LaneBits + 1)'(div3(16'(three_sum)));
  assign three_touched = (LaneBits + 1)'(div3(16'(three_sum) + 16'd2));

  assign use0 = planar_q ? CountBits'(three_full) : CountBits'(bytes);
  assign use1 = planar_q ? CountBits'({three_full, 1'b0}) : '0;
  assign emit = (granted_q != '0) &
      (planar_q ? count0_q >= CountBits'(three_touched) && count1_q >= CountBits'({three_touched, 1'b0}) : count0_q >= CountBits'(bytes));
  assign drained = emit & (bytes_left != 16'd0) & (bytes_left == 16'(bytes));

  assign base0   = drained ? '0 : emit ? count0_q - use0 : count0_q;
  assign base1   = drained ? '0 : emit ? count1_q - use1 : count1_q;
  assign in_uv   = in_turn_q != 2'd0;
  assign in_over = in_left0_q == '0 && in_left1_q == '0;
  assign rsp_ready_o = in_over ? drained : (in_uv ? base1 : base0) <= CountBits'(MemAtom);
  assign accept0 = rsp_valid_i & rsp_ready_o & (~in_uv | drained);
  assign accept1 = rsp_valid_i & rsp_ready_o & in_uv & ~drained;
  assign first0  = in_first0_q | drained;

  // An atom of memory with the components of its pixels in channel order.
  function automatic logic [AtomBits-1:0] reorder(input logic [AtomBits-1:0] a, input logic [1:0] o);
    for (int i = 0; i < MemAtom; i += 4)
      case (o)
        2'd0: reorder[i*8+:32] = a[i*8+:32];
        2'd1: reorder[i*8+:32] = {a[i*8+24+:8], a[i*8+:8], a[i*8+8+:8], a[i*8+16+:8]};
        2'd2: reorder[i*8+:32] = {a[i*8+:8], a[i*8+24+:8], a[i*8+16+:8], a[i*8+8+:8]};
        default: reorder[i*8+:32] = {a[i*8+:8], a[i*8+8+:8], a[i*8+16+:8], a[i*8+24+:8]};
      endcase
  endfunction

  always_ff @(posedge clk_i)
    if (start_i) begin
      win0_q      <= '0;
      win1_q      <= '0;
      count0_q    <= '0;
      count1_q    <= '0;
      in_first0_q <= 1'b1;
      in_first1_q <= 1'b1;
      in_turn_q   <= 2'd0;
      in_left0_q  <= atoms(16'(skip0) + string_bytes(width, planar | single_channel, 1'b0));
      in_left1_q  <= planar ? atoms(16'(skip1) + (width << 1)) : '0;
    end else begin
      // What has been used leaves at the bottom (everything at the end of a line's pixels), an atom is added on top.
      if (emit || accept0) begin
        win0_q <= (drained ? '0 : emit ? win0_q >> {use0, 3'd0} : win0_q) |
            (accept0 ? {{AtomBits{1'b0}}, reorder(rsp_data_i, order) >> (first0 ? {skip0_q, 3'd0} : '0)} << {base0, 3'd0} : '0);
        count0_q <= base0 + (accept0 ? CountBits'(MemAtom) - (first0 ? CountBits'(skip0_q) : '0) : '0);
      end
      if (planar_q && (emit || accept1)) begin
        win1_q <= (drained ? '0 : emit ? win1_q >> {use1, 3'd0} : win1_q) |
            (accept1 ? {{AtomBits{1'b0}}, rsp_data_i >> (in_first1_q ? {skip1_q, 3'd0} : '0)} << {base1, 3'd0} : '0);
        count1_q <= base1 + (accept1 ? CountBits'(MemAtom) - (in_first1_q ? CountBits'(skip1_q) : '0) : '0);
      end
      if (accept0) begin
        in_first0_q <= 1'b0;
        in_left0_q  <= (drained ? atoms0_q : in_left0_q) - 1'b1;
        in_turn_q   <= ((drained ? atoms1_q : in_left1_q) != '0) ? 2'd1 : 2'd0;
      end else if (accept1) begin
        in_first1_q <= 1'b0;
        in_left1_q  <= in_left1_q - 1'b1;
        in_turn_q   <= (in_turn_q == 2'd1 && in_left1_q != SizeBits'(1)) ? 2'd2 : 2'd0;
      end else if (drained) begin
        in_first0_q <= 1'b1;
        in_left0_q  <= atoms0_q;
        in_turn_q   <= 2'd0;
      end
      if (drained) begin
        in_first1_q <= 1'b1;
        in_left1_q  <= atoms1_q;
      end
    end

  // ---- the string, atom by atom ----------------------------------------------------------------------------------------------
  // Lanes of Y, U, V from the windows when the first lane is component `first` of the pixel at their head.
  function automatic logic [AtomBits-1:0] interleave(input logic [1:0] first);
    for (int l = 0; l < MemAtom; l++)
      case (first)
        2'd0:    interleave[l*8+:8] = (l % 3 == 0) ? win0_q[(l/3)*8+:8] : win1_q[((l/3)*2+32'((l%3==1)!=u_first))*8+:8];
        2'd1:    interleave[l*8+:8] = (l % 3 == 2) ? win0_q[((l+1)/3)*8+:8] : win1_q[(((l+1)/3)*2+32'((l%3==0)!=u_first))*8+:8];
        default: interleave[l*8+:8] = (l % 3 == 1) ? win0_q[((l+2)/3)*8+:8] : win1_q[(((l+2)/3)*2+32'((l%3==2)!=u_first))*8+:8];
      endcase
  endfunction

  // Pixels from lane `from` on, pads around them, zero behind the line.
  function automatic logic [AtomBits-1:0] compose(input logic [AtomBits-1:0] pixels, input logic [LaneBits-1:0] from,
                                                  input logic [LaneBits-1:0] n, input logic [15:0] left, input logic [7:0] pad);
    logic [MemAtom-1:0] data_lanes;
    logic [MemAtom-1:0] line_lanes;
    logic [AtomBits-1:0] shifted;
    data_lanes = ~({MemAtom{1'b1}} << n) << from;
    line_lanes = (left >= 16'(MemAtom)) ? '1 : ~({MemAtom{1'b1}} << left);
    shifted = pixels << {from, 3'd0};
    for (int l = 0; l < MemAtom; l++) compose[l*8+:8] = data_lanes[l] ? shifted[l*8+:8] : line_lanes[l] ? pad : 8'd0;
  endfunction

  // Lane kinds of the same atom; phase: component of lane 0 with three channels.
  function automatic logic [MemAtom*3-1:0] kinds(input logic [LaneBits-1:0] from, input logic [LaneBits-1:0] n, input logic [15:0] left,
                                                 input logic one, input logic three, input logic [1:0] phase);
    logic [MemAtom-1:0] data_lanes;
    logic [MemAtom-1:0] line_lanes;
    logic [1:0] channel;
    data_lanes = ~({MemAtom{1'b1}} << n) << from;
    line_lanes = (left >= 16'(MemAtom)) ? '1 : ~({MemAtom{1'b1}} << left);
    for (int l = 0; l < MemAtom; l++) begin
      channel = one ? 2'd0 : three ? mod3(16'(l) + 16'(phase)) : 2'(l);
      kinds[l*3+:3] = data_lanes[l] ? {1'b0, channel} : line_lanes[l] ? LanePad : LaneTail;
    end
  endfunction

  logic [AtomBits-1:0] atom_q;
  logic [MemAtom*3-1:0] kind_q;
  logic atom_valid_q, atom_end_q, atom_last_q;
  assign atom_valid_o = atom_valid_q;
  assign atom_data_o  = atom_q;
  assign atom_kind_o  = kind_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      lines_q      <= '0;
      granted_q    <= '0;
      atom_valid_q <= 1'b0;
    end else begin
      atom_valid_q <= emit;
      granted_q    <= granted_q + SizeBits'(reserve_o) - SizeBits'(emit && line_over);
      if (start_i) lines_q <= SizeBits'(datain_height_i) + 1'b1;
      else if (emit && line_over) lines_q <= lines_q - 1'b1;
    end

  always_ff @(posedge clk_i)
    if (start_i) begin
      load_q        <= 1'b1;
      phase_q       <= 2'd0;
      pixel_phase_q <= 2'd0;
    end else if (emit) begin
      load_q        <= line_over;
      pad_left_q    <= pad_left - 16'(pad_lanes);
      bytes_left_q  <= bytes_left - 16'(bytes);
      string_left_q <= string_left - 16'(MemAtom);
      phase_q       <= line_over ? 2'd0 : mod3(16'(phase_q) + 16'(MemAtom));
      pixel_phase_q <= drained ? 2'd0 : 2'(three_sum - (LaneBits + 1)'(3) * three_full);
      atom_q <= compose(planar_q ? interleave(pixel_phase_q) : win0_q[AtomBits-1:0], pad_lanes, bytes, string_left,
                        pad_value_i);
      if (cvt_en_i) kind_q <= kinds(pad_lanes, bytes, string_left, single_q, planar_q, phase_q);
      atom_end_q  <= line_over;
      atom_last_q <= line_over & (lines_q == SizeBits'(1));
    end

  // ---- placement -------------------------------------------------------------------------------------------------------------
  logic [EntryCountBits-1:0] line_ptr_q, entry_q;
  logic [SlotBits-1:0] slot_q;
  logic last_slot;
  assign last_slot  = 32'(slot_q) == Slots - 1;
  assign next_ptr_o = line_ptr_q;

  always_ff @(posedge clk_i)
    if (start_i) begin
      line_ptr_q <= ptr_i;
      entry_q    <= ptr_i;
      slot_q     <= '0;
    end else if (atom_valid_q) begin
      if (atom_end_q) begin
        line_ptr_q <= ring_add(line_ptr_q, eps_i, ring_i);
        entry_q    <= ring_add(line_ptr_q, eps_i, ring_i);
        slot_q     <= '0;
      end else begin
        if (last_slot) entry_q <= ring_add(entry_q, EntryCountBits'(1), ring_i);
        slot_q <= last_slot ? '0 : slot_q + 1'b1;
      end
      place_entry_o  <= entry_q;
      place_slot_o   <= slot_q;
      place_clear_o  <= atom_end_q;
      place_update_o <= atom_end_q;
      place_last_o   <= atom_last_q;
    end

  // ---- checks ----------------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(AtomLegal, MemAtom % 4 == 0 && 2 ** AtomShift == MemAtom)
  `NVDLA_STABLE(RequestStable, req_valid_o, req_ready_i, {req_addr_o, req_size_o})
  `NVDLA_STABLE(AtomTaken, rsp_valid_i, rsp_ready_o, rsp_data_i)
  `NVDLA_CHECK(ReservesOnlyFreeRoom, !reserve_o || space_i)
  `NVDLA_CHECK(WindowsNeverOverflow, 32'(count0_q) <= 2 * MemAtom && 32'(count1_q) <= 2 * MemAtom)
  `NVDLA_CHECK(UsesOnlyWhatIsThere, !emit || (use0 <= count0_q && use1 <= count1_q))
  `NVDLA_CHECK(TurnLegal, in_turn_q != 2'd3)
  `NVDLA_CHECK(GrantedLinesAreOfTheLayer, granted_q <= lines_q)
  `NVDLA_CHECK(LineLeavesOnlyGranted, !emit || granted_q != '0)
  `NVDLA_CHECK(PlaceInsideRing, !atom_valid_q || entry_q < ring_i)

`ifdef NVDLA_CHECKS
  // Atoms asked for and come; lines reserved and finished; atoms of the string of each line.
  int asked_q, open_lines_q, string_atoms_q, lines_done_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      asked_q        <= 0;
      open_lines_q   <= 0;
      string_atoms_q <= 0;
      lines_done_q   <= 0;
    end else if (start_i) begin
      asked_q        <= 0;
      open_lines_q   <= 0;
      string_atoms_q <= 0;
      lines_done_q   <= 0;
    end else begin
      asked_q      <= asked_q + (fire ? 32'(req_size_o) + 1 : 0) - 32'(rsp_valid_i && rsp_ready_o);
      open_lines_q <= open_lines_q + 32'(reserve_o) - 32'(emit && line_over);
      if (atom_valid_o) string_atoms_q <= atom_end_q ? 0 : string_atoms_q + 1;
      if (atom_valid_o && atom_end_q) lines_done_q <= lines_done_q + 1;
    end
  `NVDLA_CHECK(AtomsOnlyAskedFor, !(rsp_valid_i && rsp_ready_o) || asked_q > 0)
  `NVDLA_CHECK(GrantsAddUp, 32'(granted_q) == open_lines_q)
  `NVDLA_CHECK(LineHasItsLength, !(atom_valid_o && atom_end_q) || string_atoms_q == (32'(string_q) + MemAtom - 1) / MemAtom - 1)
  `NVDLA_CHECK(LayerEndsWithItsLastLine, !(atom_valid_o && atom_end_q) || atom_last_q == (lines_done_q == 32'(datain_height_i)))
  `NVDLA_CHECK(NothingIsLeftOver, !(atom_valid_o && atom_last_q && atom_end_q) || asked_q == 0)
`endif
endmodule
