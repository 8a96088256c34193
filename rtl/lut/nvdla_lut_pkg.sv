// Two-table look-up: configuration record and arithmetic as pure functions. CDP's integers; the choice between the
// tables for all.
//
// LE ("raw") has entries 0..64, LO ("density") 0..256, each signed 16 bits or an FP16 pattern.
// Spec: 55-lut, sections 2, 4.3 and 7; 62-cdp, section 6.
// Configurations without CDP and without SDP's table use none of it.
/* verilator lint_off UNUSEDPARAM */
package nvdla_lut_pkg;
  import nvdla_arith_pkg::*;

  localparam int LutEntryBits = 16;
  localparam int LutFracBits = 16;
  localparam int LutSdpFracBits = 35;  // of SDP's integers, and of FP16
  localparam int LutFlagBits = 4;      // how both tables answered an input
  localparam int LutFoundBits = 5;     // ... each of them, and the selected one
  localparam logic [8:0] LutLeLast = 9'd64;
  localparam logic [8:0] LutLoLast = 9'd256;
  localparam logic [8:0] LutLoBase = 9'd65;  // both tables in one memory, LE first
  localparam int LutWords = 322;
  localparam int LutPlaceBits = 38;        // START, END: signed
  localparam int LutDeltaBits = 40;        // distance from START + B or END: signed, exact
  localparam int LutInsideBits = 39;       // distance from START, unsigned, where it counts
  localparam int LutProductBits = 57;      // of an interpolation, signed
  localparam int LutNarrowBits = 22;       // CDP, INT8: bits of START that count in comparisons
  localparam int LutNarrowSelectBits = 6;  // ... and of SELECT

  // Precisions, as the registers of CDP and SDP tell them.
  localparam logic [1:0] LutInt8 = 2'd0;
  localparam logic [1:0] LutFp16 = 2'd2;

  // S_LUT_* registers but the access port.
  typedef struct packed {
    logic le_linear;
    logic uflow_lo;  // priorities: 1 selects LO
    logic oflow_lo;
    logic hybrid_lo;
    logic [7:0] le_offset;  // exponent of entry 0, signed
    logic [7:0] le_select;  // log2 of the step, signed
    logic [7:0] lo_select;
    logic [37:0] le_start;
    logic [37:0] le_end;
    logic [37:0] lo_start;
    logic [37:0] lo_end;
    logic [15:0] le_uflow_scale;
    logic [15:0] le_oflow_scale;
    logic [15:0] lo_uflow_scale;
    logic [15:0] lo_oflow_scale;
    logic [4:0] le_uflow_shift;
    logic [4:0] le_oflow_shift;
    logic [4:0] lo_uflow_shift;
    logic [4:0] lo_oflow_shift;
  } lut_cfg_t;

  // What one table says to an input.
  typedef struct packed {
    logic under;
    logic over;
    logic [7:0] index;             // hit: between entries index and index + 1
    logic [LutFracBits-1:0] frac;  // ... at this fraction, truncated
  } lut_place_t;

  // The same in SDP, whose fraction is exact.
  typedef struct packed {
    logic under;
    logic over;
    logic [7:0] index;
    logic [LutSdpFracBits-1:0] frac;
  } lut_sdp_place_t;

  // What the selected table says, and how the two answered (none of the four flags: double hit, or under and over).
  typedef struct packed {
    logic lo;  // LO is selected
    logic hit;
    logic under;  // neither hit nor under: over
    logic [7:0] index;
    logic [LutFracBits-1:0] frac;
    logic both_under;
    logic both_over;
    logic le_only;  // only LE hits
    logic lo_only;
  } lut_found_t;

  // Which table answers, LO or LE, and how both answered; index and fraction are the selected answer's.
  function automatic lut_found_t lut_select(
      input lut_place_t le, input lut_place_t lo, input logic uflow_lo, input logic oflow_lo, input logic hybrid_lo);
    lut_found_t found;
    logic le_hit, lo_hit;
    le_hit = !le.under && !le.over;
    lo_hit = !lo.under && !lo.over;
    found.both_under = le.under && lo.under;
    found.both_over = le.over && lo.over;
    found.le_only = le_hit && !lo_hit;
    found.lo_only = lo_hit && !le_hit;
    if (found.both_under) found.lo = uflow_lo;
    else if (found.both_over) found.lo = oflow_lo;
    else if (le_hit != lo_hit) found.lo = lo_hit;
    else found.lo = hybrid_lo;
    found.hit = found.lo ? lo_hit : le_hit;
    found.under = found.lo ? lo.under : le.under;
    found.index = found.lo ? lo.index : le.index;
    found.frac = found.lo ? lo.frac : le.frac;
    return found;
  endfunction

  // Word of the first entry that counts: the hit's, else entry 0 or the last one.
  function automatic logic [8:0] lut_word(input logic lo, input logic hit, input logic under, input logic [7:0] index);
    if (hit) return (lo ? LutLoBase : 9'd0) + 9'(index);
    if (under) return lo ? LutLoBase : 9'd0;
    return lo ? LutLoBase + LutLoLast : LutLeLast;
  endfunction

  // floor(log2 x) for x > 0.
  function automatic logic [5:0] lut_log2(input logic [LutInsideBits-1:0] x);
    logic [31:0] rest;
    logic [5:0] exponent;
    exponent = 6'd0;
    rest = x[31:0];
    if (x[LutInsideBits-1:32] != '0) begin exponent[5] = 1'b1; rest = 32'(x[LutInsideBits-1:32]); end
    if (rest[31:16] != 16'd0) begin exponent[4] = 1'b1; rest = rest >> 16; end
    if (rest[15:8] != 8'd0) begin exponent[3] = 1'b1; rest = rest >> 8; end
    if (rest[7:4] != 4'd0) begin exponent[2] = 1'b1; rest = rest >> 4; end
    if (rest[3:2] != 2'd0) begin exponent[1] = 1'b1; rest = rest >> 2; end
    if (rest[1]) exponent[0] = 1'b1;
    return exponent;
  endfunction

  // Place of u = q - START in a linear table of `last` intervals. positive: u > 0. right: index u >> amount, else u <<
  // amount.
  // Left shifts beyond 8 leave every table of up to 256 intervals, as 8 does.
  function automatic lut_place_t lut_linear(
      input logic positive, input logic [LutInsideBits-1:0] u, input logic right, input logic [6:0] amount,
      input logic [8:0] last);
    lut_place_t place;
    logic [62:0] scaled;  // index and 16 bits of fraction
    if (right) scaled = {8'd0, u, 16'd0} >> amount;
    else scaled = {8'd0, u, 16'd0} << (amount > 7'd8 ? 4'd8 : amount[3:0]);
    place.under = !positive;
    place.over = positive && scaled[62:16] >= 47'(last);
    place.index = scaled[23:16];
    place.frac = scaled[15:0];
    return place;
  endfunction

  // Place of u in the exponential LE table: entry k stands at u = 2^(offset + k).
  function automatic lut_place_t lut_exponential(input logic positive, input logic [LutInsideBits-1:0] u,
      input logic [7:0] offset);
    lut_place_t place;
    logic [5:0] exponent;
    logic signed [8:0] index;
    exponent = lut_log2(u);
    index = $signed({3'd0, exponent}) - $signed({offset[7], offset});
    place.under = !positive || index < 9'sd0;
    place.over = positive && index >= 9'sd64;
    place.index = index[7:0];
    place.frac = LutFracBits'({u, 16'd0} >> exponent);  // u / 2^exponent is 1.frac
    return place;
  endfunction

  // START + B, where B = 2^offset for 0 <= offset, as a signed 39-bit sum: 2^38 is negative, more vanishes.
  function automatic logic signed [LutPlaceBits:0] lut_exponential_base(input logic [LutPlaceBits-1:0] start,
      input logic [7:0] offset);
    logic [LutPlaceBits:0] first;
    first = offset[7] ? '0 : (LutPlaceBits + 1)'(1) << offset[6:0];
    return $signed({start[LutPlaceBits-1], start} + first);
  endfunction

  // entry + product * 2^-shift, rounded half away from zero, saturated to 16 bits. product: factor * gain. shift
  // -16..16. What is beyond 17 bits saturates the sum by its sign alone, before and after it is shifted left.
  function automatic logic signed [15:0] lut_result(
      input logic signed [15:0] entry, input logic signed [LutProductBits-1:0] product, input logic signed [5:0] shift);
    logic signed [17:0] part, sum;
    logic signed [LutProductBits-1:0] right;
    logic [LutProductBits:0] doubled, out;  // what is shifted out, and the bit above it, which rounds
    logic up;
    right = shift >= 6'sd0 ? product >>> $unsigned(shift) : product;
    part = 18'(sat17(64'(right)));
    if (shift < 6'sd0) part = 18'(sat17(64'(part) <<< $unsigned(-shift)));
    doubled = {product, 1'b0};
    out = doubled & ~({(LutProductBits + 1) {1'b1}} << $unsigned(shift));
    up = shift > 6'sd0 && ((doubled >> $unsigned(shift)) & (LutProductBits + 1)'(1)) != '0 &&
        (!product[LutProductBits-1] || out != '0);
    sum = part + 18'(entry) + 18'($signed({1'b0, up}));
    if (sum > 18'sd32767) return 16'sd32767;
    if (sum < -18'sd32768) return -16'sd32768;
    return $signed(sum[15:0]);
  endfunction

  // ---- SDP's integers: inputs and results of 32 bits ----

  // Place of u = x - START in a linear table of `last` intervals; select: log2 of the step, signed.
  function automatic lut_sdp_place_t lut_sdp_linear(
      input logic positive, input logic [31:0] u, input logic [7:0] select, input logic [8:0] last);
    lut_sdp_place_t place;
    logic [39:0] index;
    logic [7:0] left;
    left = -select;
    if (select[7]) begin
      index = {8'd0, u} << (left > 8'd8 ? 4'd8 : left[3:0]);  // 8 leaves every table, as more do
      place.frac = '0;
    end else begin
      index = {8'd0, u} >> select;
      if (select <= 8'd35) place.frac = LutSdpFracBits'(64'(u) << (6'd35 - select[5:0]));
      else place.frac = LutSdpFracBits'(64'(u) >> (select - 8'd35));
    end
    place.under = !positive;
    place.over = positive && index >= 40'(last);
    place.index = index[7:0];
    return place;
  endfunction

  // Place of u in the exponential LE table.
  function automatic lut_sdp_place_t lut_sdp_exponential(input logic positive, input logic [31:0] u,
      input logic [7:0] offset);
    lut_sdp_place_t place;
    logic [5:0] exponent;
    logic signed [8:0] index;
    exponent = lut_log2(LutInsideBits'(u));
    index = $signed({3'd0, exponent}) - $signed({offset[7], offset});
    place.under = !positive || index < 9'sd0;
    place.over = positive && index >= 9'sd64;
    place.index = index[7:0];
    place.frac = LutSdpFracBits'(64'(u) << (6'd35 - exponent));  // u / 2^exponent is 1.frac
    return place;
  endfunction

  // Between two entries: their weighted sum, rounded once, half away from zero. product: their difference times the
  // fraction.
  function automatic logic [31:0] lut_sdp_hit(
      input logic signed [15:0] first, input logic signed [LutProductBits-1:0] product);
    logic signed [17:0] whole;
    logic up;
    whole = 18'(first) + 18'(product >>> LutSdpFracBits);
    up = product[LutSdpFracBits-1] && (!whole[17] || product[LutSdpFracBits-2:0] != '0);
    return 32'(whole) + 32'(up);
  endfunction

  // On a line: entry + sat32(product * 2^-shift), rounded half away from zero, saturated to 32 bits. product: distance
  // * scale; beyond 47 bits and shifted left it saturates by its sign alone.
  function automatic logic [31:0] lut_sdp_miss(
      input logic signed [15:0] entry, input logic signed [LutProductBits-1:0] product,
      input logic signed [4:0] shift);
    logic signed [63:0] term;
    logic signed [31:0] right;
    term = 64'(product);
    // Not inside of if: Verilator 5.032 would reorder the statements of the inner function.
    right = round_sat32(term, 6'($unsigned(shift)));
    if (term > 64'sh0000_3fff_ffff_ffff) term = 64'sh0000_3fff_ffff_ffff;
    else if (term < -64'sh0000_4000_0000_0000) term = -64'sh0000_4000_0000_0000;
    term = shift >= 5'sd0 ? 64'(right) : 64'(sat32(term <<< (5'($unsigned(-shift)))));
    return sat32(64'(entry) + term);
  endfunction

endpackage
/* verilator lint_on UNUSEDPARAM */
