// Ring arithmetic, placement of atoms in entries, the input convertor and the watch on NaN and infinity of CDMA, as
// pure functions.
//
// Spec: 30-cdma-cbuf, sections 4.2 (rings), 5.1 (placement), 6 (convertor); 20-data-formats, section 4 (pixel formats).
package nvdla_cdma_pkg;
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;

  localparam int AtomShift = $clog2(MemAtom);
  localparam int SlotShift = $clog2(Slots);
  localparam int MemberBits = (Slots > 4) ? 3 : 2;  // a surface in its group
  localparam int BankShift = $clog2(BankEntries);

  // Atoms that may be in flight for a read client: one for every clock of the memory latency that the configuration is
  // made for.
  localparam int ReadDepth = (DbbLatency > CvsramLatency) ? DbbLatency : CvsramLatency;
  localparam int ReadBeats = (AtomBits > MifBits) ? ReadDepth * (AtomBits / MifBits) : ReadDepth;

  // A chunk of an image: the elements that fill the atoms of a clock.
  localparam int ChunkLanes = CbufWrAtoms * MemAtom;
  localparam int ElementBits = 8 * LaneBytes;

  // Where the atoms of a clock go, the first one in the low bits: an entry of the ring, a slot, and whether the slots
  // above become 0. An update ends `slices` lines that take `entries` entries, `last` the layer.
  typedef struct packed {
    logic [CbufWrAtoms-1:0]                valid;
    logic [CbufWrAtoms*EntryCountBits-1:0] entry;
    logic [CbufWrAtoms*SlotBits-1:0]       slot;
    logic [CbufWrAtoms-1:0]                clear;
    logic                                  update;
    logic                                  last;
    logic [EntryCountBits-1:0]             entries;
    logic [SizeBits-1:0]                   slices;
  } place_t;

  // Kinds of the lanes (bytes) of an atom at the convertor; 0..3 are the channels of a pixel.
  localparam logic [2:0] LaneTail = 3'd4;  // after the end of a line
  localparam logic [2:0] LanePad = 3'd5;   // pad pixel, not converted

  // Entry index a + b in a ring; a < ring, b <= ring.
  function automatic logic [EntryCountBits-1:0] ring_add(
      input logic [EntryCountBits-1:0] a, input logic [EntryCountBits-1:0] b, input logic [EntryCountBits-1:0] ring);
    logic [EntryCountBits:0] sum;
    sum = {1'b0, a} + {1'b0, b};
    if (sum >= {1'b0, ring}) sum = sum - {1'b0, ring};
    return sum[EntryCountBits-1:0];
  endfunction

  // Entries of `banks_m1` + 1 banks.
  function automatic logic [EntryCountBits-1:0] ring_size(input logic [4:0] banks_m1);
    return (EntryCountBits'(banks_m1) + 1'b1) << BankShift;
  endfunction

  // Lines of the next grain: at most `grain` of the `left` that are left.
  function automatic logic [SizeBits-1:0] grain_lines(input logic [SizeBits-1:0] left,
      input logic [SizeBits-1:0] grain);
    return (left < grain) ? left : grain;
  endfunction

  // A group of surfaces shares an entry. Its tail is the number of surfaces when that is less than Slots, else 0; left:
  // surfaces from the group's first one on.
  function automatic logic [MemberBits-1:0] group_tail(input logic [SizeBits-1:0] left);
    return (32'(left) < Slots) ? left[MemberBits-1:0] : '0;
  endfunction

  // Where the atom of surface `member` of a group and pixel `column` goes: {last atom of its entry along the line,
  // slot}.
  // Tails of one surface put Slots pixels into an entry, tails of two out of four or eight half as many.
  function automatic logic [MemberBits:0] place(input logic [MemberBits-1:0] tail, input logic [MemberBits-1:0] member,
      input logic [MemberBits-1:0] column);
    if (Slots == 2 && tail == MemberBits'(1)) return {column[0], MemberBits'(column[0])};
    if (Slots >= 4 && tail == MemberBits'(1)) return {&column, column};
    if (Slots >= 4 && tail == MemberBits'(2)) return {&column[MemberBits-2:0], column[MemberBits-2:0], member[0]};
    return {1'b1, member};
  endfunction

  // The slots above this atom have no source: last pixel of a line where pixels share an entry, last surface of a tail.
  function automatic logic place_clear(input logic [MemberBits-1:0] tail, input logic [MemberBits-1:0] member,
      input logic last_column);
    if (tail == '0) return 1'b0;
    return member == tail - 1'b1 && (last_column || tail > MemberBits'(2));
  endfunction

  // n / 3 for n < 128 (43 / 128 is close enough to a third), and n modulo 3 for n < 6: pixels and components of
  // formats with three channels.
  function automatic logic [6:0] div3(input logic [6:0] n);
    return 7'((13'(n) + (13'(n) << 1) + (13'(n) << 3) + (13'(n) << 5)) >> 7);
  endfunction
  function automatic logic [1:0] mod3(input logic [2:0] n);
    return (n >= 3'd3) ? 2'(n - 3'd3) : n[1:0];
  endfunction

  // Offset of a lane: CVT_OFFSET, or with mean the mean of its channel (means: channel 0 in the low halfword) and 0
  // behind the line.
  function automatic logic signed [15:0] cvt_offset(input logic mean, input logic [2:0] kind, input logic [63:0] means,
                                                    input logic [15:0] offset);
    if (!mean) return $signed(offset);
    if (kind[2]) return 16'sd0;
    return $signed(means[{26'd0, kind[1:0], 4'd0}+:16]);
  endfunction

  // Product of the convertor: (x - offset) * scale, exact.
  function automatic logic signed [33:0] cvt_product(input logic signed [16:0] x, input logic signed [15:0] offset,
                                                     input logic signed [15:0] scale);
    logic signed [17:0] d;
    d = $signed({x[16], x}) - $signed({{2{offset[15]}}, offset});
    return $signed({{16{d[17]}}, d}) * $signed({{18{scale[15]}}, scale});
  endfunction

  // Its shift, rounded half away from zero, and saturation to 17 bits.
  function automatic logic signed [16:0] cvt_shift(input logic signed [33:0] p, input logic [5:0] shift);
    logic signed [34:0] parts;  // the result before rounding and the highest bit that is shifted out
    logic [34:0] below;         // the bits below that one
    logic signed [33:0] sum;
    parts = $signed({p, 1'b0}) >>> shift;
    below = {p[33], p} & (~({35{1'b1}} << shift) >> 1);
    sum = parts[34:1] + $signed({33'd0, parts[0] && (!p[33] || below != '0)});
    return (sum[33:16] == '0 || sum[33:16] == '1) ? sum[16:0] : $signed({sum[33], {16{~sum[33]}}});
  endfunction

  // End of the convertor: saturation to INT8 or INT16.
  function automatic logic [7:0] cvt_int8(input logic signed [16:0] q);
    return nvdla_arith_pkg::sat8($signed({{47{q[16]}}, q}));
  endfunction
  function automatic logic [15:0] cvt_int16(input logic signed [16:0] q);
    return (q[16] != q[15]) ? {q[16], {15{~q[16]}}} : q[15:0];
  endfunction

  // FP16 lanes of what comes in a clock: NaN, infinity, and the same with the NaN lanes `nans` 0.
  localparam int Halves = CbufWrAtoms * AtomBits / 16;
  function automatic logic [Halves-1:0] nan_lanes(input logic [CbufWrAtoms*AtomBits-1:0] data);
    for (int l = 0; l < Halves; l++) nan_lanes[l] = data[l*16+:15] > 15'h7c00;
  endfunction
  function automatic logic [Halves-1:0] infinity_lanes(input logic [CbufWrAtoms*AtomBits-1:0] data);
    for (int l = 0; l < Halves; l++) infinity_lanes[l] = data[l*16+:15] == 15'h7c00;
  endfunction
  function automatic logic [CbufWrAtoms*AtomBits-1:0] without_nans(input logic [CbufWrAtoms*AtomBits-1:0] data,
      input logic [Halves-1:0] nans);
    for (int l = 0; l < Halves; l++) without_nans[l*16+:16] = nans[l] ? 16'd0 : data[l*16+:16];
  endfunction

  // A count that stops at its largest value.
  function automatic logic [31:0] count_up(input logic [31:0] count, input logic [31:0] by);
    logic [32:0] sum;
    sum = {1'b0, count} + {1'b0, by};
    return sum[32] ? '1 : sum[31:0];
  endfunction
endpackage
