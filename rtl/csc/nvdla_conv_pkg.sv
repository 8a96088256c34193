// Constants of the convolution core (CSC, CMAC, CACC). INT8.
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
endpackage
