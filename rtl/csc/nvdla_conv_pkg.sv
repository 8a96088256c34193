// Constants of the convolution core (CSC, CMAC, CACC).
//
// A kernel group is AtomicK kernels (16-bit precisions: half of them), a channel block AtomicC channels. What a result is the sum of comes in
// the order of the chapter whatever the stripes are, so their length is free: stripes of ConvLoads to ConvStripeMax atoms hide the loading
// of the next weights (one cell a clock) behind the atoms of the running operation.
// Spec: 40-convolution-core, sections 4.2, 8.3, 9.4.
package nvdla_conv_pkg;
  import nvdla_pkg::*;

  localparam int ConvAtomBits = AtomicC * LaneBytes * 8;  // an atom of data or weights: a CBUF entry
  localparam int ConvCells = AtomicK / LaneBytes / 2;   // MAC cells of one CMAC unit; with LaneBytes 2 a cell computes two INT8 kernels
  // What a cell gives for an atom. INT8 only: the sum of AtomicC products. With 16-bit precisions ConvValues values of ConvValueBits (the
  // others but value 0 are 0 without Winograd): INT8 {high kernel, low kernel} of ConvInt8Bits each, INT16 a sum of 38 bits, FP16
  // {exponent of 6 bits, mantissa of 38}.
  localparam int ConvInt8Bits = 16 + $clog2(AtomicC);
  localparam int ConvValueBits = 44;
  localparam int ConvValues = (Winograd != 0) ? 4 : 1;
  localparam int ConvSumBits = (LaneBytes == 2) ? ConvValues * ConvValueBits : ConvInt8Bits;
  localparam int ConvLoads = 2 * ConvCells;             // cells of both units: clocks in which they load the weights of an operation
  localparam int ConvStripeMax = 2 * AtomicK;           // atoms of a stripe, results CACC accumulates at a time
  localparam int ConvStripeBits = $clog2(ConvStripeMax);
  localparam int ConvRows = 2 * LaneBytes * ConvStripeMax;  // rows of the delivery buffer, credits CSC starts with
  localparam int ConvRowBits = $clog2(ConvRows);
  localparam int ConvLaneBits = $clog2(AtomicC);        // lane number
  localparam int ConvByteBits = $clog2(EntryBytes);     // byte number in a CBUF entry
  localparam int ConvKernelBits = $clog2(AtomicK);      // kernel number in a group

  // Positions of the next stripe when `left` positions are not covered yet and a stripe has at most `most` of them: none of a layer's
  // stripes but a single one is shorter than `least`.
  function automatic logic [ConvStripeBits:0] conv_stripe(input logic [26:0] left, input logic [ConvStripeBits:0] most,
                                                          input logic [ConvStripeBits:0] least);
    if (left <= 27'(most)) return left[ConvStripeBits:0];
    if (left >= 27'(most) + 27'(least)) return most;
    return least;
  endfunction

  // Entry number of a ring of `ring` entries, entry < 2 * ring.
  function automatic logic [EntryCountBits-1:0] conv_ring(input logic [EntryCountBits:0] entry, input logic [EntryCountBits-1:0] ring);
    if (entry >= {1'b0, ring}) return EntryCountBits'(entry - {1'b0, ring});
    return entry[EntryCountBits-1:0];
  endfunction
endpackage
