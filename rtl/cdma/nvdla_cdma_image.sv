// Pixel fetch: requests of an image layer, assembly of the string of elements of every line, and its place in CBUF.
//
// A line is one slice. Its whole atoms of memory are requested once EPS entries are free (space_i); reserve_o takes
// them, in the clock of the line's first accepted request. One plane: one request per line. Two planes: Y and UV in
// turn, which keeps the two windows level: CbufWrAtoms atoms of Y, then up to twice as many of UV. Addresses are the
// byte sums of base and strides.
// The string of a line is [left pad][pixels][right pad], 1, 3 or 4 elements per pixel in the order R,G,B,A or Y,U,V. It
// leaves in chunks that fill CbufWrAtoms atoms of CBUF, one per clock while memory delivers, each element in a lane of
// LaneBytes bytes (a byte in the low one) with its lane kind for the convertor. A chunk has Lanes elements, with 16-bit
// processing (wide_i) half of them. The last chunks of a line end with Lanes elements, or with a smaller entry; the
// rest of the entry becomes 0.
// Formats of 10 and 16 bits exist where LaneBytes is 2.
// start_i, one clock with the layer's registers valid, begins a layer; they, eps_i and ring_i stay, ptr_i is the ring
// entry of the first line. place_o comes in the clock after chunk_valid_o; an update ends a line. next_ptr_o is the
// ring entry after the last placed line. start_i to first request: 1 clock; accepted response to chunk_valid_o: 2
// clocks.
// Spec: 30-cdma-cbuf, section 5.4; 20-data-formats, sections 4 and 9.
`include "nvdla_check.svh"
module nvdla_cdma_image
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              start_i,
    input  logic                              wide_i,
    input  logic [                       5:0] pixel_format_i,
    input  logic [                      12:0] datain_width_i,
    input  logic [                      12:0] datain_height_i,
    input  logic [                       4:0] pixel_x_offset_i,
    input  logic [              AddrBits-1:0] datain_addr_0_i,
    input  logic [              AddrBits-1:0] datain_addr_1_i,
    input  logic [                      31:0] line_stride_i,
    input  logic [                      31:0] uv_line_stride_i,
    input  logic                              kinds_i,  // lane kinds are used
    input  logic [                       4:0] pad_left_i,
    input  logic [                       5:0] pad_right_i,
    input  logic [           ElementBits-1:0] pad_value_i,
    input  logic [        EntryCountBits-1:0] eps_i,
    input  logic [        EntryCountBits-1:0] ring_i,
    input  logic [        EntryCountBits-1:0] ptr_i,
    input  logic                              space_i,
    output logic                              reserve_o,
    output logic                              req_valid_o,
    input  logic                              req_ready_i,
    output logic [              AddrBits-1:0] req_addr_o,
    output logic [                      15:0] req_size_o,  // atoms - 1
    input  logic                              rsp_valid_i,
    output logic                              rsp_ready_o,
    input  logic [  CbufWrAtoms*AtomBits-1:0] rsp_data_i,
    output logic                              chunk_valid_o,
    output logic [ChunkLanes*ElementBits-1:0] chunk_element_o,
    output logic [          ChunkLanes*3-1:0] chunk_kind_o,
    output place_t                            place_o,
    output logic [        EntryCountBits-1:0] next_ptr_o
);
  localparam int Lanes = ChunkLanes;
  localparam int LaneShift = $clog2(Lanes);
  localparam int LaneBits = LaneShift + 1;                        // 0 .. Lanes
  localparam int CountBits = LaneShift + 2;                       // elements of a window: 0 .. 2 * Lanes
  localparam int WideFill = (AtomicC < Lanes) ? AtomicC : Lanes;  // elements of 16 bits with which a line ends
  localparam int ChunkBits = Lanes * ElementBits;
  localparam int ElementShift = $clog2(ElementBits);
  localparam logic [ElementShift-1:0] Bit0 = '0;  // bit number of an element: {element, Bit0}

  // Pixel formats by class: one component, four components, two planes.
  localparam logic [5:0] FormatR8 = 6'h00;
  localparam logic [5:0] FormatFour = 6'h06;    // and above
  localparam logic [5:0] FormatFour8 = 6'h0c;   // and above
  localparam logic [5:0] FormatPacked = 6'h14;  // 10 bits, to FormatPackedLast
  localparam logic [5:0] FormatPackedLast = 6'h19;
  localparam logic [5:0] FormatPlanes = 6'h1c;    // and above; even ones: V, U in memory, odd ones U, V
  localparam logic [5:0] FormatPlanes16 = 6'h1e;  // and above

  // ---- geometry of the layer, from its start on ---------------------------------------------------------------------
  logic wide, planar, single_channel, u_first, packed10, source16;
  logic [1:0] order;  // element of components 0..3 in memory: 0 0123, 1 2103, 2 1230, 3 3210
  assign wide    = LaneBytes == 2 && wide_i;
  assign u_first = pixel_format_i[0];

  always_comb
    case (pixel_format_i)
      6'h0d, 6'h11, 6'h1a:               order = 2'd1;
      6'h0e, 6'h12, 6'h1b:               order = 2'd2;
      6'h0f, 6'h13:                      order = 2'd3;
      6'h09, 6'h0b, 6'h15, 6'h18:        order = (LaneBytes == 2) ? 2'd1 : 2'd0;
      6'h0a, 6'h16, 6'h19:               order = (LaneBytes == 2) ? 2'd2 : 2'd0;
      6'h17:                             order = (LaneBytes == 2) ? 2'd3 : 2'd0;
      default:                           order = 2'd0;
    endcase

  if (LaneBytes == 2) begin : gen_formats
    assign planar         = pixel_format_i >= FormatPlanes;
    assign single_channel = pixel_format_i < FormatFour;
    assign packed10       = pixel_format_i >= FormatPacked && pixel_format_i <= FormatPackedLast;
    assign source16       = !packed10 &&
        (planar ? pixel_format_i >= FormatPlanes16 : pixel_format_i != FormatR8 && pixel_format_i < FormatFour8);
  end else begin : gen_formats8
    assign planar         = pixel_format_i >= FormatPlanes && pixel_format_i < FormatPlanes16;
    assign single_channel = pixel_format_i == FormatR8;
    assign packed10       = 1'b0;
    assign source16       = 1'b0;
  end

  logic [15:0] left_q, pixels_q, string_q;  // elements of the left pad, of the pixels, of the whole line
  logic [LaneShift-1:0] skip0_q, skip1_q;   // elements in front of the first pixel in the first atom of planes 0 and 1
  logic [SizeBits-1:0] atoms0_q, atoms1_q;  // atoms of a line in planes 0 and 1
  logic planar_q, single_q;

  // Elements of n pixels in CBUF.
  function automatic logic [15:0] string_elements(input logic [15:0] n, input logic one, input logic three);
    if (one) return n;
    return three ? n + (n << 1) : n << 2;
  endfunction
  // Atoms that hold n elements of memory, bytes or halfwords; pixels of 10 bits take four bytes.
  function automatic logic [SizeBits-1:0] atoms(input logic [15:0] n, input logic halfwords);
    if (halfwords) return SizeBits'((n + 16'(MemAtom / 2 - 1)) >> (AtomShift - 1));
    return SizeBits'((n + 16'(MemAtom - 1)) >> AtomShift);
  endfunction

  logic [LaneShift-1:0] skip0, skip1;
  logic [15:0] width, padded;
  logic [SizeBits-1:0] atoms0, atoms1;
  assign width  = 16'(datain_width_i) + 16'd1;
  assign padded = 16'(pad_left_i) + width + 16'(pad_right_i);
  assign skip0  = (planar | single_channel) ? LaneShift'(pixel_x_offset_i) : LaneShift'({pixel_x_offset_i, 2'b00});
  // The offset in the second plane begins again with each of its atoms, which holds half as many pairs as elements.
  assign skip1  = source16 ? LaneShift'((AtomShift - 1)'({pixel_x_offset_i, 1'b0})) :
      LaneShift'(AtomShift'({pixel_x_offset_i, 1'b0}));
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

  // ---- requests -----------------------------------------------------------------------------------------------------
  // Atoms of the planes in turn.
  localparam logic [SizeBits-1:0] Run0 = SizeBits'(CbufWrAtoms), Run1 = SizeBits'(2 * CbufWrAtoms);
  logic [SizeBits-1:0] rq_lines_q;  // lines not completely requested
  logic rq_first_q, rq_uv_q;        // nothing requested of the line; next is UV
  logic [SizeBits-1:0] rq_left0_q, rq_left1_q;
  logic rq_load_q;  // the line's counts must be taken (first clock of a layer)
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

  // ---- windows: the elements at hand of each plane, oldest lowest, zero above ---------------------------------------
  logic [2*ChunkBits-1:0] win0_q, win1_q;
  logic [CountBits-1:0] count0_q, count1_q;
  logic [SizeBits-1:0] in_left0_q, in_left1_q;  // atoms of the line that are still to come
  logic [1:0] in_turn_q;                        // 0 plane 0; 1 and 2 plane 1: first and second answer of a run
  logic in_first0_q, in_first1_q;               // next answer is the first one of its plane's line

  // A chunk of the string: lanes [0, pad_lanes) left pad, then `count` lanes of pixels, then right pad up to
  // string_left. It is planned when the one before it leaves: registers say what the next chunk has and needs.
  logic [SizeBits-1:0] lines_q;    // lines not finished
  logic [SizeBits-1:0] granted_q;  // of those, the ones with room in CBUF: only they may leave, their left pad too
  logic started_q;                 // start_i of the clock before
  // Of the line, after the planned chunk.
  logic [15:0] pad_left_q, pixels_left_q, string_left_q, fill_left_q;
  logic [1:0] pixel_phase_q;  // next element of the pixels modulo 3

  logic [15:0] pad_left, pixels_left, string_left, fill_left, fill;  // fill: minus 1
  logic [LaneBits-1:0] chunk, pad_lanes, rest, count;
  logic [LaneBits:0] three_sum, three_full, three_touched;
  logic plan, load, drains, line_over;  // load: a line begins; drains: it has the last pixels of the line

  // The planned chunk.
  logic [LaneBits-1:0] pad_lanes_q, count_q;
  logic [LaneBits:0] three_full_q, three_touched_q;
  logic [15:0] chunk_left_q;  // string_left
  logic [1:0] chunk_phase_q;  // pixel_phase_q
  logic drains_q, line_over_q;
  logic [1:0] phase_q;  // first element of the chunk in the string modulo 3

  logic emit, drained, accept0, accept1, first0, in_uv, in_over;
  logic [CountBits-1:0] use0, use1, base0, base1, come, come0, come1;

  assign plan        = started_q | emit;
  assign load        = started_q | line_over_q;
  assign chunk       = wide ? LaneBits'(Lanes / 2) : LaneBits'(Lanes);
  assign pad_left    = load ? left_q : pad_left_q;
  assign pixels_left = load ? pixels_q : pixels_left_q;
  assign string_left = load ? string_q : string_left_q;
  assign fill        = wide ? 16'(WideFill - 1) : 16'(Lanes - 1);
  assign fill_left   = load ? (string_q + fill) & ~fill : fill_left_q;
  assign line_over   = (LaneBytes == 2 ? fill_left : string_left) <= 16'(chunk);

  assign pad_lanes = (pad_left > 16'(chunk)) ? chunk : LaneBits'(pad_left);
  assign rest      = chunk - pad_lanes;
  assign count     = (pixels_left > 16'(rest)) ? rest : LaneBits'(pixels_left);

  // Two planes: pixels that `count` elements complete, pixels that they touch.
  assign three_sum     = (LaneBits + 1)'(count) + (LaneBits + 1)'(pixel_phase_q);
  assign three_full    = (LaneBits + 1)'(div3(7'(three_sum)));
  assign three_touched = (LaneBits + 1)'(div3(7'(three_sum) + 7'd2));
  assign drains        = (pixels_left != 16'd0) & (pixels_left == 16'(count));

  always_ff @(posedge clk_i)
    if (start_i) pixel_phase_q <= 2'd0;
    else if (plan) begin
      pad_left_q      <= pad_left - 16'(pad_lanes);
      pixels_left_q   <= pixels_left - 16'(count);
      string_left_q   <= (string_left > 16'(chunk)) ? string_left - 16'(chunk) : '0;
      fill_left_q     <= fill_left - 16'(chunk);
      pixel_phase_q   <= drains ? 2'd0 : 2'(three_sum - three_full - (three_full << 1));
      pad_lanes_q     <= pad_lanes;
      count_q         <= count;
      three_full_q    <= three_full;
      three_touched_q <= three_touched;
      chunk_left_q    <= string_left;
      chunk_phase_q   <= pixel_phase_q;
      drains_q        <= drains;
      line_over_q     <= line_over;
    end

  assign use0 = planar_q ? CountBits'(three_full_q) : CountBits'(count_q);
  assign use1 = planar_q ? CountBits'({three_full_q, 1'b0}) : '0;
  assign emit = (granted_q != '0) &
      (planar_q ? count0_q >= CountBits'(three_touched_q) && count1_q >= CountBits'({three_touched_q, 1'b0}) :
          count0_q >= CountBits'(count_q));
  assign drained = emit & drains_q;

  assign base0   = drained ? '0 : emit ? count0_q - use0 : count0_q;
  assign base1   = drained ? '0 : emit ? count1_q - use1 : count1_q;
  assign in_uv   = in_turn_q != 2'd0;
  assign in_over = in_left0_q == '0 && in_left1_q == '0;
  assign rsp_ready_o = in_over ? drained : (in_uv ? base1 : base0) <= CountBits'(Lanes);
  assign accept0 = rsp_valid_i & rsp_ready_o & (~in_uv | drained);
  assign accept1 = rsp_valid_i & rsp_ready_o & in_uv & ~drained;
  assign first0  = in_first0_q | drained;
  // Elements of an answer, and what is after a line's last atom too: that is never used.
  assign come    = source16 ? CountBits'(Lanes / 2) : CountBits'(Lanes);
  assign come0   = come - (first0 ? CountBits'(skip0_q) : '0);
  assign come1   = come - (in_first1_q ? CountBits'(skip1_q) : '0);

  // The elements of an answer in the order of memory.
  logic [ChunkBits-1:0] elements;
  if (LaneBytes == 2) begin : gen_spread
    always_comb begin
      logic [31:0] word;
      elements = '0;
      word = '0;
      if (rsp_valid_i) begin
        if (source16) elements[CbufWrAtoms*AtomBits-1:0] = rsp_data_i;
        else if (packed10)
          for (int i = 0; i < Lanes / 4; i++) begin
            word = rsp_data_i[i*32+:32];
            elements[i*64+:64] = order[1] ? {word[31:22], 6'd0, word[21:12], 6'd0, word[11:2], 6'd0, word[1:0], 14'd0} :
                {word[31:30], 14'd0, word[29:20], 6'd0, word[19:10], 6'd0, word[9:0], 6'd0};
          end
        else for (int i = 0; i < Lanes; i++) elements[i*16+:16] = {8'd0, rsp_data_i[i*8+:8]};
      end
    end
  end else begin : gen_bytes
    assign elements = rsp_data_i;
    wire unused_packed = &{1'b0, packed10};
  end

  // The same with the components of each pixel in channel order.
  function automatic logic [ChunkBits-1:0] reorder(input logic [ChunkBits-1:0] a, input logic [1:0] o);
    for (int i = 0; i < Lanes; i += 4)
      case (o)
        2'd0: reorder[i*ElementBits+:4*ElementBits] = a[i*ElementBits+:4*ElementBits];
        2'd1:
        reorder[i*ElementBits+:4*ElementBits] = {a[(i+3)*ElementBits+:ElementBits], a[i*ElementBits+:ElementBits],
                                                 a[(i+1)*ElementBits+:ElementBits], a[(i+2)*ElementBits+:ElementBits]};
        2'd2:
        reorder[i*ElementBits+:4*ElementBits] = {a[i*ElementBits+:ElementBits], a[(i+3)*ElementBits+:ElementBits],
                                                 a[(i+2)*ElementBits+:ElementBits], a[(i+1)*ElementBits+:ElementBits]};
        default:
        reorder[i*ElementBits+:4*ElementBits] = {a[i*ElementBits+:ElementBits], a[(i+1)*ElementBits+:ElementBits],
                                                 a[(i+2)*ElementBits+:ElementBits], a[(i+3)*ElementBits+:ElementBits]};
      endcase
  endfunction
  // What comes without its first elements, `skip` of them, at its place on top of those of its window.
  logic [2*ChunkBits-1:0] added;
  logic [LaneShift-1:0] skip;
  logic [CountBits-1:0] at;
  assign skip = accept1 ? (in_first1_q ? skip1_q : '0) : first0 ? skip0_q : '0;
  assign at   = accept1 ? base1 : base0;
  always_comb begin
    added = '0;
    if (rsp_valid_i) added = {{ChunkBits{1'b0}}, reorder(elements, order) >> {skip, Bit0}} << {at, Bit0};
  end

  // Atoms of plane 0 and 1 that are left after this answer.
  logic in_two;  // the answer has two atoms
  logic [SizeBits-1:0] in_next0, in_next1;
  assign in_two   = CbufWrAtoms == 2 &&
      (in_uv && !drained ? in_left1_q : drained ? atoms0_q : in_left0_q) != SizeBits'(1);
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
        win0_q   <= (drained ? '0 : emit ? win0_q >> {use0, Bit0} : win0_q) | (accept0 ? added : '0);
        count0_q <= base0 + (accept0 ? come0 : '0);
      end
      if (planar_q && (emit || accept1)) begin
        win1_q   <= (drained ? '0 : emit ? win1_q >> {use1, Bit0} : win1_q) | (accept1 ? added : '0);
        count1_q <= base1 + (accept1 ? come1 : '0);
      end
      if (accept0) begin
        in_first0_q <= 1'b0;
        in_left0_q  <= in_next0;
        in_turn_q   <= ((drained ? atoms1_q : in_left1_q) != '0) ? 2'd1 : 2'd0;
      end else if (accept1) begin
        in_first1_q <= 1'b0;
        in_left1_q  <= in_next1;
        in_turn_q   <= (in_next1 != '0 && (in_turn_q == 2'd1 || in_left0_q == '0)) ? (in_turn_q == 2'd1 ? 2'd2 : 2'd1) :
            2'd0;
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

  // ---- the string, chunk by chunk -----------------------------------------------------------------------------------
  // Element i of a window.
  function automatic logic [ElementBits-1:0] element(input logic [2*ChunkBits-1:0] window, input int i);
    return window[i*ElementBits+:ElementBits];
  endfunction
  // Lanes of Y, U, V from the windows when the first lane is component `first` of the pixel at their head.
  function automatic logic [ChunkBits-1:0] interleave(input logic [1:0] first, input logic [2*ChunkBits-1:0] y,
                                                      input logic [2*ChunkBits-1:0] uv, input logic u_low);
    for (int l = 0; l < Lanes; l++)
      case (first)
        2'd0:    interleave[l*ElementBits+:ElementBits] = (l % 3 == 0) ? element(y, l / 3) :
            element(uv, (l / 3) * 2 + 32'((l % 3 == 1) != u_low));
        2'd1:
        interleave[l*ElementBits+:ElementBits] = (l % 3 == 2) ? element(y, (l + 1) / 3) :
            element(uv, ((l + 1) / 3) * 2 + 32'((l % 3 == 0) != u_low));
        default:
        interleave[l*ElementBits+:ElementBits] = (l % 3 == 1) ? element(y, (l + 2) / 3) :
            element(uv, ((l + 2) / 3) * 2 + 32'((l % 3 == 2) != u_low));
      endcase
  endfunction

  // The first n lanes.
  function automatic logic [Lanes-1:0] below(input logic [15:0] n);
    return (n >= 16'(Lanes)) ? '1 : ~({Lanes{1'b1}} << n[LaneShift-1:0]);
  endfunction

  // Pixels from lane `from` on, pads around them, zero after the line.
  function automatic logic [ChunkBits-1:0] compose(input logic [ChunkBits-1:0] pixels, input logic [LaneBits-1:0] from,
                                                   input logic [LaneBits-1:0] n, input logic [15:0] left,
                                                   input logic [ElementBits-1:0] pad);
    logic [Lanes-1:0] data_lanes;
    logic [Lanes-1:0] line_lanes;
    logic [ChunkBits-1:0] shifted;
    data_lanes = below(16'(n)) << from;
    line_lanes = below(left);
    shifted = pixels << {from, Bit0};
    for (int l = 0; l < Lanes; l++)
      compose[l*ElementBits+:ElementBits] = data_lanes[l] ? shifted[l*ElementBits+:ElementBits] : line_lanes[l] ? pad :
          '0;
  endfunction

  // Lane kinds of the same chunk; phase: component of lane 0 with three channels.
  function automatic logic [Lanes*3-1:0] kinds(
      input logic [LaneBits-1:0] from, input logic [LaneBits-1:0] n, input logic [15:0] left,
      input logic one, input logic three, input logic [1:0] phase);
    logic [Lanes-1:0] data_lanes;
    logic [Lanes-1:0] line_lanes;
    logic [1:0] channel;
    data_lanes = below(16'(n)) << from;
    line_lanes = below(left);
    for (int l = 0; l < Lanes; l++) begin
      channel = one ? 2'd0 : three ? mod3(3'(l % 3) + 3'(phase)) : 2'(l);
      kinds[l*3+:3] = data_lanes[l] ? {1'b0, channel} : line_lanes[l] ? LanePad : LaneTail;
    end
  endfunction

  logic [ChunkBits-1:0] chunk_q;
  logic [Lanes*3-1:0] kind_q;
  logic chunk_valid_q, chunk_end_q, chunk_last_q;
  assign chunk_valid_o   = chunk_valid_q;
  assign chunk_element_o = chunk_q;
  assign chunk_kind_o    = kind_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      started_q     <= 1'b0;
      lines_q       <= '0;
      granted_q     <= '0;
      chunk_valid_q <= 1'b0;
    end else begin
      started_q     <= start_i;
      chunk_valid_q <= emit;
      granted_q     <= granted_q + SizeBits'(reserve_o) - SizeBits'(emit && line_over_q);
      if (start_i) lines_q <= SizeBits'(datain_height_i) + 1'b1;
      else if (emit && line_over_q) lines_q <= lines_q - 1'b1;
    end

  always_ff @(posedge clk_i)
    if (start_i) phase_q <= 2'd0;
    else if (emit) begin
      phase_q      <= line_over_q ? 2'd0 : mod3(3'(phase_q) + (wide ? 3'(Lanes / 2 % 3) : 3'(Lanes % 3)));
      chunk_q      <= compose(planar_q ? interleave(chunk_phase_q, win0_q, win1_q, u_first) : win0_q[ChunkBits-1:0],
          pad_lanes_q, count_q, chunk_left_q, pad_value_i);
      chunk_end_q  <= line_over_q;
      chunk_last_q <= line_over_q & (lines_q == SizeBits'(1));
      if (kinds_i) kind_q <= kinds(pad_lanes_q, count_q, chunk_left_q, single_q, planar_q, phase_q);
    end

  // ---- placement ----------------------------------------------------------------------------------------------------
  logic [EntryCountBits-1:0] line_ptr_q, entry_q, next_line_ptr, placed_entry_q;
  logic [SlotBits-1:0] slot_q, placed_slot_q;  // of the chunk's first atom
  logic last_slot, placed_end_q, placed_last_q;
  assign last_slot     = 32'(slot_q) == Slots - CbufWrAtoms;
  assign next_line_ptr = ring_add(line_ptr_q, eps_i, ring_i);
  assign next_ptr_o    = line_ptr_q;

  always_ff @(posedge clk_i)
    if (start_i) begin
      line_ptr_q <= ptr_i;
      entry_q    <= ptr_i;
      slot_q     <= '0;
    end else if (chunk_valid_q) begin
      if (chunk_end_q) begin
        line_ptr_q <= next_line_ptr;
        entry_q    <= next_line_ptr;
        slot_q     <= '0;
      end else begin
        if (last_slot) entry_q <= ring_add(entry_q, EntryCountBits'(1), ring_i);
        slot_q <= last_slot ? '0 : slot_q + SlotBits'(CbufWrAtoms);
      end
      placed_entry_q <= entry_q;
      placed_slot_q  <= slot_q;
      placed_end_q   <= chunk_end_q;
      placed_last_q  <= chunk_last_q;
    end

  assign place_o = {
    {CbufWrAtoms{1'b1}},
    {CbufWrAtoms{placed_entry_q}},
    (CbufWrAtoms * SlotBits)'({placed_slot_q + SlotBits'(1), placed_slot_q}),
    CbufWrAtoms'(placed_end_q) << (CbufWrAtoms - 1),
    placed_end_q, placed_last_q, eps_i, SizeBits'(1)
  };

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(ShapeLegal, Lanes % 4 == 0 && 2 ** LaneShift == Lanes && LaneBytes == CbufWrAtoms &&
               Slots % CbufWrAtoms == 0)
  `NVDLA_STABLE(RequestStable, req_valid_o, req_ready_i, {req_addr_o, req_size_o})
  `NVDLA_STABLE(AnswerTaken, rsp_valid_i, rsp_ready_o, rsp_data_i)
  `NVDLA_CHECK(ReservesOnlyFreeRoom, !reserve_o || space_i)
  `NVDLA_CHECK(WindowsNeverOverflow, !(rsp_valid_i || emit) ||
               (32'(count0_q) <= 2 * Lanes && 32'(count1_q) <= 2 * Lanes))
  `NVDLA_CHECK(UsesOnlyWhatIsThere, !emit || (use0 <= count0_q && use1 <= count1_q))
  `NVDLA_CHECK(TurnLegal, !rsp_valid_i || in_turn_q != 2'd3)
  `NVDLA_CHECK(GrantedLinesAreOfTheLayer, granted_q <= lines_q)
  `NVDLA_CHECK(LineLeavesOnlyGranted, !emit || granted_q != '0)
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
      open_lines_q <= open_lines_q + 32'(reserve_o) - 32'(emit && line_over_q);
      if (chunk_valid_q) string_chunks_q <= chunk_end_q ? 0 : string_chunks_q + 1;
      if (chunk_valid_q && chunk_end_q) lines_done_q <= lines_done_q + 1;
    end
  `NVDLA_CHECK(AtomsOnlyAskedFor, !(rsp_valid_i && rsp_ready_o) || asked_q > 32'(in_two))
  `NVDLA_CHECK(GrantsAddUp, 32'(granted_q) == open_lines_q)
  `NVDLA_CHECK(LineHasItsLength, !(chunk_valid_q && chunk_end_q) ||
               string_chunks_q == (32'(string_q) + 32'(fill)) / (32'(fill) + 1) * (wide ? 2 * WideFill / Lanes : 1) - 1)
  `NVDLA_CHECK(LayerEndsWithItsLastLine,
               !(chunk_valid_q && chunk_end_q) || chunk_last_q == (lines_done_q == 32'(datain_height_i)))
  `NVDLA_CHECK(NothingIsLeftOver, !(chunk_valid_q && chunk_last_q && chunk_end_q) || asked_q == 0)
`endif
endmodule
