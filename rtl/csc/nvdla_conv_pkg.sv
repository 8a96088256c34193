// Constants of the convolution core (CSC, CMAC, CACC) and the arithmetic of CACC. INT8.
//
// A kernel group is AtomicK kernels, a channel block AtomicC channels. Sums are exact, so the length of the stripes is free: stripes of
// AtomicK to StripeMax positions hide the loading of the next weights (one kernel a clock) behind the atoms of the running operation.
// Spec: 40-convolution-core, sections 4.2, 8.3, 9.4.
package nvdla_conv_pkg;
  import nvdla_pkg::*;

  localparam int ConvCells = AtomicK / 2;               // MAC cells of one CMAC unit
  localparam int ConvSumBits = 16 + $clog2(AtomicC);    // sum of AtomicC products of 8 by 8 bits
  localparam int ConvStripeMax = 2 * AtomicK;           // positions of a stripe, results CACC accumulates at a time
  localparam int ConvStripeBits = $clog2(ConvStripeMax);
  localparam int ConvRows = 2 * ConvStripeMax;          // rows of the delivery buffer, credits CSC starts with
  localparam int ConvRowBits = $clog2(ConvRows);
  localparam int ConvLaneBits = $clog2(AtomicC);        // lane number, byte number in a CBUF entry
  localparam int ConvKernelBits = $clog2(AtomicK);      // kernel number in a group
  localparam int ConvAccBits = 34;

  // Positions of the next stripe when `left` positions are not covered yet: none of a layer's stripes but a single one is shorter
  // than AtomicK.
  function automatic logic [ConvStripeBits:0] conv_stripe(input logic [26:0] left);
    if (left <= 27'(ConvStripeMax)) return left[ConvStripeBits:0];
    if (left >= 27'(ConvStripeMax + AtomicK)) return (ConvStripeBits + 1)'(ConvStripeMax);
    return (ConvStripeBits + 1)'(AtomicK);
  endfunction

  // Entry number of a ring of `ring` entries, entry < 2 * ring.
  function automatic logic [EntryCountBits-1:0] conv_ring(input logic [EntryCountBits:0] entry, input logic [EntryCountBits-1:0] ring);
    if (entry >= {1'b0, ring}) return EntryCountBits'(entry - {1'b0, ring});
    return entry[EntryCountBits-1:0];
  endfunction

  // acc + sum, saturated to ConvAccBits bits.
  function automatic logic signed [ConvAccBits-1:0] conv_accumulate(input logic signed [ConvAccBits-1:0] acc,
                                                                    input logic signed [ConvSumBits-1:0] sum);
    logic signed [ConvAccBits:0] wide;
    wide = $signed({acc[ConvAccBits-1], acc}) + $signed({{(ConvAccBits + 1 - ConvSumBits) {sum[ConvSumBits-1]}}, sum});
    if (wide[ConvAccBits] != wide[ConvAccBits-1])
      return $signed({wide[ConvAccBits], {(ConvAccBits - 1) {~wide[ConvAccBits]}}});
    return $signed(wide[ConvAccBits-1:0]);
  endfunction

  // acc / 2^truncate rounded half away from zero. Of a negative value at most 15 bits below the guard bit tell whether it is more than half.
  function automatic logic signed [ConvAccBits-1:0] conv_round(input logic signed [ConvAccBits-1:0] acc, input logic [4:0] truncate);
    logic [14:0] below;
    logic guard;
    // Bit truncate-1 of acc is the guard bit; bits truncate-2 .. truncate-16 move to the top.
    guard = truncate != '0 && (({acc, 1'b0} >> truncate) & (ConvAccBits + 1)'(1)) != '0;
    below = 15'((ConvAccBits'(acc) << (6'(ConvAccBits + 1) - {1'b0, truncate})) >> (ConvAccBits - 15));
    return (acc >>> truncate) + $signed({{(ConvAccBits - 1) {1'b0}}, guard && (!acc[ConvAccBits-1] || below != '0)});
  endfunction

  // Final result of an accumulator, clamped to 32 bits.
  function automatic logic [31:0] conv_deliver(input logic signed [ConvAccBits-1:0] acc, input logic [4:0] truncate);
    logic signed [ConvAccBits-1:0] value;
    value = conv_round(acc, truncate);
    if (value[ConvAccBits-1:31] != '0 && value[ConvAccBits-1:31] != '1) return {value[ConvAccBits-1], {31{~value[ConvAccBits-1]}}};
    return value[31:0];
  endfunction

  // That result counts as saturated: above the range when rounded, below the range when rounded down.
  function automatic logic conv_saturates(input logic signed [ConvAccBits-1:0] acc, input logic [4:0] truncate);
    if (acc[ConvAccBits-1]) return (acc >>> truncate) < -(34'sd1 <<< 31);
    return conv_round(acc, truncate) > (34'sd1 <<< 31) - 34'sd1;
  endfunction
endpackage
