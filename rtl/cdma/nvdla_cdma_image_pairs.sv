// Pixel fetch of every format, two atoms a clock: requests of an image layer, assembly of the string of elements of every line, and its
// place in CBUF. The form of nvdla_cdma_image for entries of four slots and 16-bit elements.
//
// A line is one slice. Its whole atoms of memory are requested once EPS entries are free (space_i); reserve_o takes them, in the clock of
// the line's first accepted request. One plane: one request per line. Two planes: two atoms of Y, then up to four of UV, in turn, which keeps
// the two windows level.
// The string of a line is [left pad][pixels][right pad], 1, 3 or 4 elements per pixel in the order R,G,B,A or Y,U,V. It leaves in chunks that
// fill two atoms of CBUF: 64 elements, with 16-bit processing (wide_i) 32, each in a lane of 16 bits (bytes in the low half) with its lane
// kind for the convertor. The last chunks of a line end with 64 elements; the rest of the entry becomes 0.
// start_i, one clock with the layer's registers valid, begins a layer; they, eps_i and ring_i stay, ptr_i is the ring entry of the first line.
// The place of a chunk comes in the clock behind chunk_valid_o: entry index, slots and clear (slots above become 0) of its two atoms; with
// place_update_o it ends a line, with place_last_o the layer. next_ptr_o is the ring entry behind the last placed line.
// start_i to first request: 1 clock; accepted response to chunk_valid_o: 2 clocks.
// Spec: 30-cdma-cbuf, section 5.4; 20-data-formats, section 4.
module nvdla_cdma_image_pairs
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic                        start_i,
    input  logic                        wide_i,
    input  logic [                 5:0] pixel_format_i,
    input  logic [                12:0] datain_width_i,
    input  logic [                12:0] datain_height_i,
    input  logic [                 4:0] pixel_x_offset_i,
    input  logic [        AddrBits-1:0] datain_addr_0_i,
    input  logic [        AddrBits-1:0] datain_addr_1_i,
    input  logic [                31:0] line_stride_i,
    input  logic [                31:0] uv_line_stride_i,
    input  logic [                 4:0] pad_left_i,
    input  logic [                 5:0] pad_right_i,
    input  logic [                15:0] pad_value_i,
    input  logic [  EntryCountBits-1:0] eps_i,
    input  logic [  EntryCountBits-1:0] ring_i,
    input  logic [  EntryCountBits-1:0] ptr_i,
    input  logic                        space_i,
    output logic                        reserve_o,
    output logic                        req_valid_o,
    input  logic                        req_ready_i,
    output logic [        AddrBits-1:0] req_addr_o,
    output logic [                15:0] req_size_o,     // atoms - 1
    input  logic                        rsp_valid_i,
    output logic                        rsp_ready_o,
    input  logic [      2*AtomBits-1:0] rsp_data_i,
    output logic                        chunk_valid_o,
    output logic [      AtomicC*16-1:0] chunk_element_o,
    output logic [       AtomicC*3-1:0] chunk_kind_o,
    output logic [                 1:0] place_valid_o,
    output logic [2*EntryCountBits-1:0] place_entry_o,
    output logic [      2*SlotBits-1:0] place_slot_o,
    output logic [                 1:0] place_clear_o,
    output logic                        place_update_o,
    output logic                        place_last_o,
    output logic [  EntryCountBits-1:0] next_ptr_o
);
  localparam int Lanes = AtomicC;               // elements that come at most in a clock: 64
  localparam int LaneBits = 7;                  // 0 .. 64
  localparam int CountBits = 8;                 // elements of a window: 0 .. 128
  localparam int WindowBits = 2 * Lanes * 16;

  // Pixel formats by class: 0x00 to 0x05 one component, 0x1c to 0x23 two planes, the others four components.
  localparam logic [5:0] FormatPlanes = 6'h1c;      // and above
  localparam logic [5:0] FormatPlanes16 = 6'h1e;    // and above
  localparam logic [5:0] FormatFour = 6'h06;        // and above
  localparam logic [5:0] FormatFour8 = 6'h0c;       // and above
  localparam logic [5:0] FormatPacked = 6'h14;      // 10 bits, to FormatPackedLast
  localparam logic [5:0] FormatPackedLast = 6'h19;

  // ---- geometry of the layer, from its start on ------------------------------------------------------------------------------
  logic planar, single_channel, u_first, packed10, source16;
  logic [1:0] order;  // element of components 0..3 in memory: 0 0123, 1 2103, 2 1230, 3 3210
  assign planar         = pixel_format_i >= FormatPlanes;
  assign u_first        = pixel_format_i[0];
  assign single_channel = pixel_format_i < FormatFour;
  assign packed10       = pixel_format_i >= FormatPacked && pixel_format_i <= FormatPackedLast;
  assign source16       = !packed10 && (planar ? pixel_format_i >= FormatPlanes16 : pixel_format_i != 6'd0 && pixel_format_i < FormatFour8);

  always_comb
    case (pixel_format_i)
      6'h09, 6'h0b, 6'h0d, 6'h11, 6'h15, 6'h18, 6'h1a: order = 2'd1;
      6'h0a, 6'h0e, 6'h12, 6'h16, 6'h19, 6'h1b:        order = 2'd2;
      6'h0f, 6'h13, 6'h17:                             order = 2'd3;
      default:                                         order = 2'd0;
    endcase

  logic [15:0] left_q, pixels_q, string_q;  // elements of the left pad, of the pixels, of the whole line
  logic [5:0] skip0_q, skip1_q;             // elements in front of the first pixel in the first atom of planes 0 and 1
  logic [SizeBits-1:0] atoms0_q, atoms1_q;  // atoms of a line in planes 0 and 1
  logic planar_q, single_q;

  // Elements of n pixels in CBUF.
  function automatic logic [15:0] string_elements(input logic [15:0] n, input logic one, input logic three);
    if (one) return n;
    return three ? n + (n << 1) : n << 2;
  endfunction
  // Atoms that hold n elements of memory: 32, or 16 of two bytes; 8 pixels of 10 bits have 32.
  function automatic logic [SizeBits-1:0] atoms(input logic [15:0] n, input logic two_bytes);
    return two_bytes ? SizeBits'((n + 16'd15) >> 4) : SizeBits'((n + 16'd31) >> 5);
  endfunction

  logic [5:0] skip0, skip1;
  logic [15:0] width, padded;
  logic [SizeBits-1:0] atoms0, atoms1;
  assign width  = 16'(datain_width_i) + 16'd1;
  assign padded = 16'(pad_left_i) + width + 16'(pad_right_i);
  assign skip0  = (planar | single_channel) ? 6'(pixel_x_offset_i) : 6'({pixel_x_offset_i, 2'b00});
  // The offset in the second plane begins again with each of its atoms: 16 pairs of bytes, 8 of halfwords.
  assign skip1  = source16 ? 6'({pixel_x_offset_i[2:0], 1'b0}) : 6'({pixel_x_offset_i[3:0], 1'b0});
  assign atoms0 = atoms(16'(skip0) + string_elements(width, planar | single_channel, 1'b0), source16);
  assign atoms1 = planar ? atoms(16'(skip1) + (width << 1), source16) : '0;

  always_ff @(posedge clk_i)
    if (start_i) begin
      planar_q <= planar;
      single_q <= single_channel;
      left_q   <= string_elements(16'(pad_left_i), single_channel, planar);
      pixels_q <= string_elements(width, single_channel, planar);
      string_q <= string_elements(padded, single_channel, planar);
      skip0_q  <= skip0;
      skip1_q  <= skip1;
      atoms0_q <= atoms0;
      atoms1_q <= atoms1;
    end

  // ---- requests --------------------------------------------------------------------------------------------------------------
  localparam logic [SizeBits-1:0] Run0 = SizeBits'(2), Run1 = SizeBits'(4);  // atoms of the planes in turn
  logic [SizeBits-1:0] rq_lines_q;  // lines not completely requested
  logic rq_first_q, rq_uv_q;        // nothing requested of the line; next is UV
  logic [SizeBits-1:0] rq_left0_q, rq_left1_q;
  logic rq_load_q;                  // the line's counts must be taken (first clock of a layer)
  logic [AddrBits-1:0] line0_q, line1_q, addr0_q, addr1_q;
  logic fire, line_end;
  logic [AddrBits-1:0] next_line0, next_line1;
  logic [SizeBits-1:0] left0, left1, run0, run1;

  assign left0 = rq_load_q ? atoms0_q : rq_left0_q;
  assign left1 = rq_load_q ? atoms1_q : rq_left1_q;
  assign run0  = (planar_q && left0 > Run0) ? Run0 : left0;
  assign run1  = (left1 > Run1) ? Run1 : left1;
  assign req_valid_o = (rq_lines_q != '0) & (~rq_first_q | space_i);
  assign req_addr_o  = rq_uv_q ? addr1_q : addr0_q;
  assign req_size_o  = rq_uv_q ? 16'(run1) - 16'd1 : 16'(run0) - 16'd1;
  assign fire        = req_valid_o & req_ready_i;
  assign reserve_o   = fire & rq_first_q;
  assign line_end    = rq_uv_q ? left0 == '0 && left1 == run1 : left0 == run0 && left1 == '0;
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
      end else begin
        // A plane that is at its end is passed over.
        rq_uv_q    <= rq_uv_q ? left0 == '0 : left1 != '0;
        rq_left0_q <= rq_uv_q ? left0 : left0 - run0;
        rq_left1_q <= rq_uv_q ? left1 - run1 : left1;
        if (rq_uv_q) addr1_q <= addr1_q + (AddrBits'(run1) << AtomShift);
        else addr0_q <= addr0_q + (AddrBits'(run0) << AtomShift);
      end
    end

  // ---- windows: the elements at hand of each plane, oldest lowest, zero above ------------------------------------------------
  logic [WindowBits-1:0] win0_q, win1_q;
  logic [CountBits-1:0] count0_q, count1_q;
  logic [SizeBits-1:0] in_left0_q, in_left1_q;  // atoms of the line that are still to come
  logic [1:0] in_turn_q;                        // 0 plane 0; 1 and 2 plane 1: first and second answer of a run
  logic in_first0_q, in_first1_q;               // next answer is the first one of its plane's line

  // The next chunk of the string: lanes [0, pad_lanes) left pad, then `count` lanes of pixels, then right pad up to string_left.
  logic [SizeBits-1:0] lines_q;        // lines not finished
  logic [SizeBits-1:0] granted_q;      // of those, the ones with room in CBUF: only they may leave, their left pad too
  logic load_q;                        // the line's counts must be taken (first clock of a layer)
  logic [15:0] pad_left_q, pixels_left_q, string_left_q, fill_left_q;
  logic [1:0] phase_q, pixel_phase_q;  // modulo 3: first element of the chunk in the string, next element of the pixels in theirs

  logic [15:0] pad_left, pixels_left, string_left, fill_left;
  logic [LaneBits-1:0] chunk, pad_lanes, rest, count;
  logic [LaneBits:0] three_sum, three_full, three_touched;
  logic emit, drained, accept0, accept1, first0, in_uv, in_over, line_over;
  logic [CountBits-1:0] use0, use1, base0, base1, come0, come1;

  assign chunk       = wide_i ? LaneBits'(Lanes / 2) : LaneBits'(Lanes);
  assign pad_left    = load_q ? left_q : pad_left_q;
  assign pixels_left = load_q ? pixels_q : pixels_left_q;
  assign string_left = load_q ? string_q : string_left_q;
  assign fill_left   = load_q ? (string_q + 16'd63) & ~16'd63 : fill_left_q;  // up to the end of 64 elements
  assign line_over   = fill_left <= 16'(chunk);

  assign pad_lanes = (pad_left > 16'(chunk)) ? chunk : LaneBits'(pad_left);
  assign rest      = chunk - pad_lanes;
  assign count     = (pixels_left > 16'(rest)) ? rest : LaneBits'(pixels_left);

  // Two planes: pixels that `count` elements complete, pixels that they touch.
  assign three_sum     = (LaneBits + 1)'(count) + (LaneBits + 1)'(pixel_phase_q);
  assign three_full    = (LaneBits + 1)'(div3(16'(three_sum)));
  assign three_touched = (LaneBits + 1)'(div3(16'(three_sum) + 16'd2));

  assign use0 = planar_q ? CountBits'(three_full) : CountBits'(count);
  assign use1 = planar_q ? CountBits'({three_full, 1'b0}) : '0;
  assign emit = (granted_q != '0) &
      (planar_q ? count0_q >= CountBits'(three_touched) && count1_q >= CountBits'({three_touched, 1'b0}) : count0_q >= CountBits'(count));
  assign drained = emit & (pixels_left != 16'd0) & (pixels_left == 16'(count));

  assign base0   = drained ? '0 : emit ? count0_q - use0 : count0_q;
  assign base1   = drained ? '0 : emit ? count1_q - use1 : count1_q;
  assign in_uv   = in_turn_q != 2'd0;
  assign in_over = in_left0_q == '0 && in_left1_q == '0;
  assign rsp_ready_o = in_over ? drained : (in_uv ? base1 : base0) <= CountBits'(Lanes);
  assign accept0 = rsp_valid_i & rsp_ready_o & (~in_uv | drained);
  assign accept1 = rsp_valid_i & rsp_ready_o & in_uv & ~drained;
  assign first0  = in_first0_q | drained;
  // Elements of an answer, what stands behind a line's last atom too: that is never used.
  assign come0   = (source16 ? CountBits'(Lanes / 2) : CountBits'(Lanes)) - (first0 ? CountBits'(skip0_q) : '0);
  assign come1   = (source16 ? CountBits'(Lanes / 2) : CountBits'(Lanes)) - (in_first1_q ? CountBits'(skip1_q) : '0);

  // The elements of an answer, 16 bits each, as they stand in memory.
  function automatic logic [Lanes*16-1:0] spread(input logic [2*AtomBits-1:0] a, input logic two_bytes, input logic ten_bits, input logic top_first);
    logic [31:0] word;
    spread = '0;
    if (two_bytes) spread[2*AtomBits-1:0] = a;
    else if (ten_bits)
      for (int i = 0; i < Lanes / 4; i++) begin
        word = a[i*32+:32];
        spread[i*64+:64] = top_first ? {word[31:22], 6'd0, word[21:12], 6'd0, word[11:2], 6'd0, word[1:0], 14'd0} :
            {word[31:30], 14'd0, word[29:20], 6'd0, word[19:10], 6'd0, word[9:0], 6'd0};
      end
    else for (int i = 0; i < Lanes; i++) spread[i*16+:16] = {8'd0, a[i*8+:8]};
  endfunction
  // The same with the components of each pixel in channel order.
  function automatic logic [Lanes*16-1:0] reorder(input logic [Lanes*16-1:0] a, input logic [1:0] o);
    for (int i = 0; i < Lanes * 16; i += 64)
      case (o)
        2'd0: reorder[i+:64] = a[i+:64];
        2'd1: reorder[i+:64] = {a[i+48+:16], a[i+:16], a[i+16+:16], a[i+32+:16]};
        2'd2: reorder[i+:64] = {a[i+:16], a[i+48+:16], a[i+32+:16], a[i+16+:16]};
        default: reorder[i+:64] = {a[i+:16], a[i+16+:16], a[i+32+:16], a[i+48+:16]};
      endcase
  endfunction
  // Window with n elements less at the bottom and, on top of the first `at` ones, what comes without its first `skip` elements.
  function automatic logic [WindowBits-1:0] added(input logic [WindowBits-1:0] window, input logic [Lanes*16-1:0] a, input logic [5:0] skip,
                                                  input logic [CountBits-1:0] at);
    return window | ({{Lanes * 16{1'b0}}, a >> {skip, 4'd0}} << {at, 4'd0});
  endfunction

  logic [Lanes*16-1:0] come;
  logic in_two;  // the answer has two atoms
  assign in_two = (in_uv && !drained ? in_left1_q : drained ? atoms0_q : in_left0_q) != SizeBits'(1);
  always_comb begin
    come = '0;
    if (rsp_valid_i) come = reorder(spread(rsp_data_i, source16, packed10, order[1]), order);
  end

  // Atoms of plane 0 and 1 that are left behind this answer.
  logic [SizeBits-1:0] in_next0, in_next1;
  assign in_next0 = (drained ? atoms0_q : in_left0_q) - SizeBits'(in_two) - 1'b1;
  assign in_next1 = in_left1_q - SizeBits'(in_two) - 1'b1;

  always_ff @(posedge clk_i)
    if (start_i) begin
      win0_q      <= '0;
      win1_q      <= '0;
      count0_q    <= '0;
      count1_q    <= '0;
      in_first0_q <= 1'b1;
      in_first1_q <= 1'b1;
      in_turn_q   <= 2'd0;
      in_left0_q  <= atoms0;
      in_left1_q  <= atoms1;
    end else begin
      // What has been used leaves at the bottom (everything at the end of a line's pixels), an answer is added on top.
      if (emit || accept0) begin
        win0_q <= accept0 ? added(drained ? '0 : emit ? win0_q >> {use0, 4'd0} : win0_q, come, first0 ? skip0_q : '0, base0) :
            drained ? '0 : win0_q >> {use0, 4'd0};
        count0_q <= base0 + (accept0 ? come0 : '0);
      end
      if (planar_q && (emit || accept1)) begin
        win1_q <= accept1 ? added(drained ? '0 : emit ? win1_q >> {use1, 4'd0} : win1_q, come, in_first1_q ? skip1_q : '0, base1) :
            drained ? '0 : win1_q >> {use1, 4'd0};
        count1_q <= base1 + (accept1 ? come1 : '0);
      end
      if (accept0) begin
        in_first0_q <= 1'b0;
        in_left0_q  <= in_next0;
        in_turn_q   <= ((drained ? atoms1_q : in_left1_q) != '0) ? 2'd1 : 2'd0;
      end else if (accept1) begin
        in_first1_q <= 1'b0;
        in_left1_q  <= in_next1;
        in_turn_q   <= (in_next1 != '0 && (in_turn_q == 2'd1 || in_left0_q == '0)) ? (in_turn_q == 2'd1 ? 2'd2 : 2'd1) : 2'd0;
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

  // ---- the string, chunk by chunk --------------------------------------------------------------------------------------------
  // Lanes of Y, U, V from the windows when the first lane is component `first` of the pixel at their head.
  function automatic logic [Lanes*16-1:0] interleave(input logic [1:0] first, input logic [WindowBits-1:0] y, input logic [WindowBits-1:0] uv,
                                                     input logic u_low);
    for (int l = 0; l < Lanes; l++)
      case (first)
        2'd0:    interleave[l*16+:16] = (l % 3 == 0) ? y[(l/3)*16+:16] : uv[((l/3)*2+32'((l%3==1)!=u_low))*16+:16];
        2'd1:    interleave[l*16+:16] = (l % 3 == 2) ? y[((l+1)/3)*16+:16] : uv[(((l+1)/3)*2+32'((l%3==0)!=u_low))*16+:16];
        default: interleave[l*16+:16] = (l % 3 == 1) ? y[((l+2)/3)*16+:16] : uv[(((l+2)/3)*2+32'((l%3==2)!=u_low))*16+:16];
      endcase
  endfunction

  // Lanes with pixels; lanes of the line.
  function automatic logic [Lanes-1:0] below(input logic [15:0] n);
    return (n >= 16'(Lanes)) ? '1 : ~({Lanes{1'b1}} << n[5:0]);
  endfunction

  // Pixels from lane `from` on, pads around them, zero behind the line.
  function automatic logic [Lanes*16-1:0] compose(input logic [Lanes*16-1:0] pixels, input logic [LaneBits-1:0] from,
                                                  input logic [LaneBits-1:0] n, input logic [15:0] left, input logic [15:0] pad);
    logic [Lanes-1:0] data_lanes;
    logic [Lanes-1:0] line_lanes;
    logic [Lanes*16-1:0] shifted;
    data_lanes = below(16'(n)) << from;
    line_lanes = below(left);
    shifted = pixels << {from, 4'd0};
    for (int l = 0; l < Lanes; l++) compose[l*16+:16] = data_lanes[l] ? shifted[l*16+:16] : line_lanes[l] ? pad : 16'd0;
  endfunction

  // Lane kinds of the same chunk; phase: component of lane 0 with three channels.
  function automatic logic [Lanes*3-1:0] kinds(input logic [LaneBits-1:0] from, input logic [LaneBits-1:0] n, input logic [15:0] left,
                                               input logic one, input logic three, input logic [1:0] phase);
    logic [Lanes-1:0] data_lanes;
    logic [Lanes-1:0] line_lanes;
    logic [1:0] channel;
    data_lanes = below(16'(n)) << from;
    line_lanes = below(left);
    for (int l = 0; l < Lanes; l++) begin
      channel = one ? 2'd0 : three ? mod3(16'(l) + 16'(phase)) : 2'(l);
      kinds[l*3+:3] = data_lanes[l] ? {1'b0, channel} : line_lanes[l] ? LanePad : LaneTail;
    end
  endfunction

  logic [Lanes*16-1:0] chunk_q;
  logic [Lanes*3-1:0] kind_q;
  logic chunk_valid_q, chunk_end_q, chunk_last_q;
  assign chunk_valid_o   = chunk_valid_q;
  assign chunk_element_o = chunk_q;
  assign chunk_kind_o    = kind_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      lines_q       <= '0;
      granted_q     <= '0;
      chunk_valid_q <= 1'b0;
    end else begin
      chunk_valid_q <= emit;
      granted_q     <= granted_q + SizeBits'(reserve_o) - SizeBits'(emit && line_over);
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
      pixels_left_q <= pixels_left - 16'(count);
      string_left_q <= (string_left > 16'(chunk)) ? string_left - 16'(chunk) : '0;
      fill_left_q   <= fill_left - 16'(chunk);
      phase_q       <= line_over ? 2'd0 : mod3(16'(phase_q) + 16'(chunk));
      pixel_phase_q <= drained ? 2'd0 : 2'(three_sum - (LaneBits + 1)'(3) * three_full);
      chunk_q <= compose(planar_q ? interleave(pixel_phase_q, win0_q, win1_q, u_first) : win0_q[Lanes*16-1:0], pad_lanes, count, string_left,
                         pad_value_i);
      kind_q       <= kinds(pad_lanes, count, string_left, single_q, planar_q, phase_q);
      chunk_end_q  <= line_over;
      chunk_last_q <= line_over & (lines_q == SizeBits'(1));
    end

  // ---- placement: half an entry a chunk ----------------------------------------------------------------------------------------
  logic [EntryCountBits-1:0] line_ptr_q, entry_q, next_line_ptr;
  logic upper_q;
  assign next_ptr_o    = line_ptr_q;
  assign next_line_ptr = ring_add(line_ptr_q, eps_i, ring_i);
  assign place_valid_o = 2'b11;

  always_ff @(posedge clk_i)
    if (start_i) begin
      line_ptr_q <= ptr_i;
      entry_q    <= ptr_i;
      upper_q    <= 1'b0;
    end else if (chunk_valid_q) begin
      if (chunk_end_q) begin
        line_ptr_q <= next_line_ptr;
        entry_q    <= next_line_ptr;
        upper_q    <= 1'b0;
      end else begin
        if (upper_q) entry_q <= ring_add(entry_q, EntryCountBits'(1), ring_i);
        upper_q <= ~upper_q;
      end
      place_entry_o  <= {2{entry_q}};
      place_slot_o   <= {upper_q, 1'b1, upper_q, 1'b0};
      place_clear_o  <= {chunk_end_q, 1'b0};
      place_update_o <= chunk_end_q;
      place_last_o   <= chunk_last_q;
    end

  // ---- checks ----------------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(ShapeLegal, Slots == 4 && CbufWrAtoms == 2 && SlotBits == 2 && MemAtom == 32 && AtomicC == 64)
  `NVDLA_STABLE(RequestStable, req_valid_o, req_ready_i, {req_addr_o, req_size_o})
  `NVDLA_STABLE(AnswerTaken, rsp_valid_i, rsp_ready_o, rsp_data_i)
  `NVDLA_CHECK(ReservesOnlyFreeRoom, !reserve_o || space_i)
  `NVDLA_CHECK(WindowsNeverOverflow, 32'(count0_q) <= 2 * Lanes && 32'(count1_q) <= 2 * Lanes)
  `NVDLA_CHECK(UsesOnlyWhatIsThere, !emit || (use0 <= count0_q && use1 <= count1_q))
  `NVDLA_CHECK(TurnLegal, in_turn_q != 2'd3)
  `NVDLA_CHECK(GrantedLinesAreOfTheLayer, granted_q <= lines_q)
  `NVDLA_CHECK(PlaceInsideRing, !chunk_valid_q || entry_q < ring_i)

`ifdef NVDLA_CHECKS
  // Atoms asked for and come; lines reserved and finished; chunks of the string of each line.
  int asked_q, open_lines_q, string_chunks_q, lines_done_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      asked_q         <= 0;
      open_lines_q    <= 0;
      string_chunks_q <= 0;
      lines_done_q    <= 0;
    end else if (start_i) begin
      asked_q         <= 0;
      open_lines_q    <= 0;
      string_chunks_q <= 0;
      lines_done_q    <= 0;
    end else begin
      asked_q      <= asked_q + (fire ? 32'(req_size_o) + 1 : 0) - ((rsp_valid_i && rsp_ready_o) ? 1 + 32'(in_two) : 0);
      open_lines_q <= open_lines_q + 32'(reserve_o) - 32'(emit && line_over);
      if (chunk_valid_q) string_chunks_q <= chunk_end_q ? 0 : string_chunks_q + 1;
      if (chunk_valid_q && chunk_end_q) lines_done_q <= lines_done_q + 1;
    end
  `NVDLA_CHECK(AtomsOnlyAskedFor, !(rsp_valid_i && rsp_ready_o) || asked_q > 32'(in_two))
  `NVDLA_CHECK(GrantsAddUp, 32'(granted_q) == open_lines_q)
  `NVDLA_CHECK(LineHasItsLength, !(chunk_valid_q && chunk_end_q) || string_chunks_q == (32'(string_q) + Lanes - 1) / Lanes * (wide_i ? 2 : 1) - 1)
  `NVDLA_CHECK(LayerEndsWithItsLastLine, !(chunk_valid_q && chunk_end_q) || chunk_last_q == (lines_done_q == 32'(datain_height_i)))
  `NVDLA_CHECK(NothingIsLeftOver, !(chunk_valid_q && chunk_last_q && chunk_end_q) || asked_q == 0)
`endif
endmodule
