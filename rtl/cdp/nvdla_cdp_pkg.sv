// CDP arithmetic as pure functions of INT8 and INT16, and the records that travel with its data.
//
// A beat is CdpThroughput bytes of one atom, an atom takes CdpBeats (at least 2) beats, lane 0 first. A lane is a byte
// in INT8; where there are precisions of 16 bits (CdpWide), theirs are two bytes, and take the room of two of INT8
// inside. A block is up to CdpColumns columns of one line and one surface: what one read request fetches and one write
// command stores.
// Spec: 62-cdp, sections 3 (order), 4 (input convertor), 5 (square sum), 8 (output convertor), 9 (requests).
// Configurations without CDP use none of it.
/* verilator lint_off UNUSEDPARAM */
package nvdla_cdp_pkg;
  import nvdla_pkg::*;
  import nvdla_arith_pkg::*;

  localparam int CdpColumns = 8;
  localparam int CdpBeats = MemAtom / CdpThroughput;
  localparam int CdpBeatBits = $clog2(CdpBeats);
  localparam int CdpAtomShift = $clog2(MemAtom);
  localparam int CdpHalo = 4;  // neighbour lanes of a sum on either side
  localparam int CdpWide = (Int16 != 0 || Fp16 != 0) ? 1 : 0;
  // INT8
  localparam int CdpValueBits = 9;  // converted element
  localparam int CdpSquareBits = 17;
  localparam int CdpSumBits = 22;                             // LUT input, signed
  localparam int CdpSeenLanes = CdpThroughput + 2 * CdpHalo;  // what a beat sees
  // INT16, FP16
  localparam int CdpWideLanes = CdpThroughput / 2;
  localparam int CdpWideValueBits = 17;                 // converted element: integer, or FP17
  localparam int CdpWidePlaceBits = 2 * CdpValueBits;   // the room that it has
  localparam int CdpWideSumBits = 38;                   // LUT input of INT16, signed
  localparam int CdpSelectBits = CdpWide != 0 ? 7 : 6;  // of SELECT, that count in integers
  localparam int CdpWideSeenLanes = CdpWideLanes + 2 * CdpHalo;
  // Stages that beats have left when the factors of the LUT are there.
  localparam int CdpLutStages = Fp16 != 0 ? 6 : 4;
  localparam int CdpFactor = 2 + CdpLutStages;
  localparam int CdpFp16Factor = 6 + CdpLutStages;
  // A beat and its neighbours: as many on either side as the widest precision needs.
  localparam int CdpBeatWidth = CdpThroughput * CdpValueBits;
  localparam int CdpHaloWidth = CdpHalo * (CdpWide != 0 ? CdpWidePlaceBits : CdpValueBits);
  localparam int CdpViewWidth = CdpBeatWidth + 2 * CdpHaloWidth;

  // One block. The order is line, column, surface: surface_last ends a group of columns, line_last is set with all
  // blocks of a line's last group of columns, layer_last with the last block alone.
  typedef struct packed {
    logic [2:0] columns;  // less one
    logic surface_last;
    logic line_last;
    logic layer_last;
  } cdp_block_t;
  localparam int CdpBlockBits = 6;

  // Input convertor: signed 8 bits to signed 9. offset: the low 8 bits of the register.
  function automatic logic [CdpValueBits-1:0] cdp_input(
      input logic [7:0] x, input logic [7:0] offset, input logic [15:0] scale, input logic [4:0] shift);
    logic signed [31:0] value, half;
    value = (32'($signed(x)) - 32'($signed(offset))) * 32'($signed(scale));  // 25 bits
    half = $signed((value[31] ? ~({32{1'b1}} << shift) : 32'd1 << shift) >> 1);
    value = (value + half) >>> shift;
    if (value > 32'sd255) return 9'h0ff;
    if (value < -32'sd256) return 9'h100;
    return value[CdpValueBits-1:0];
  endfunction

  // From products of half the width, which take look-up tables and no multiplier: only -256 has bit 8.
  function automatic logic [CdpSquareBits-1:0] cdp_square(input logic [CdpValueBits-1:0] value);
    logic [CdpValueBits-1:0] magnitude;
    logic [7:0] upper, lower, mixed;
    magnitude = value[CdpValueBits-1] ? -value : value;
    upper = 8'(magnitude[7:4]) * 8'(magnitude[7:4]);
    lower = 8'(magnitude[3:0]) * 8'(magnitude[3:0]);
    mixed = 8'(magnitude[7:4]) * 8'(magnitude[3:0]);
    return {magnitude[8], {upper, lower} + {3'd0, mixed, 5'd0}};
  endfunction

  // ... of 16 bits: to signed 17.
  function automatic logic [CdpWideValueBits-1:0] cdp_input16(
      input logic [15:0] x, input logic [15:0] offset, input logic [15:0] scale, input logic [4:0] shift);
    logic signed [63:0] value;
    value = (64'($signed(x)) - 64'($signed(offset))) * 64'($signed(scale));  // 33 bits
    return sat17(round_shift(value, 6'(shift)));
  endfunction

  // Output convertor behind the subtraction of the offset: difference (26 bits) * scale / 2^shift, 8 bits; above them,
  // where there are precisions of 16 bits, whether it was clipped: is further from the quotient than rounding can bring
  // it.
  function automatic logic [8:0] cdp_output(input logic signed [25:0] difference, input logic [15:0] scale,
      input logic [5:0] shift);
    logic signed [63:0] product, cut;
    product = 64'(difference) * 64'($signed(scale));
    cut = '0;
    if (CdpWide != 0) cut = product >>> shift;
    return {cut > 64'sd128 || cut < -64'sd129, sat8(round_shift(product, shift))};
  endfunction

  // ... of 34 bits to 16.
  function automatic logic [16:0] cdp_output16(input logic signed [33:0] difference, input logic [15:0] scale,
      input logic [5:0] shift);
    logic signed [63:0] product, cut;
    product = 64'(difference) * 64'($signed(scale));
    cut = product >>> shift;
    return {cut > 64'sd32768 || cut < -64'sd32769, sat16(round_shift(product, shift))};
  endfunction

endpackage
/* verilator lint_on UNUSEDPARAM */
