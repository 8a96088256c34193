// Constants of the convolution core (CSC, CMAC, CACC).
//
// A kernel group is AtomicK kernels (16-bit precisions: half of them), a channel block AtomicC channels. The terms of a
// result come in the order of the chapter for any length of stripes, so that is free: stripes of ConvLoads to
// ConvStripeMax atoms hide the loading of the next weights (one cell a clock) behind the atoms of the running
// operation.
// Spec: 40-convolution-core, sections 4.2, 8.3, 9.4.
package nvdla_conv_pkg;
  import nvdla_pkg::*;

  localparam int ConvAtomBits = AtomicC * LaneBytes * 8;  // an atom of data or weights: a CBUF entry
  // MAC cells of one CMAC unit; with LaneBytes 2 a cell computes two INT8 kernels
  localparam int ConvCells = AtomicK / LaneBytes / 2;
  // What a cell gives for an atom. INT8 only: the sum of AtomicC products. With 16-bit precisions ConvValues values of
  // ConvValueBits (the others but value 0 are 0 without Winograd), as wide as 64 lanes need: INT8 {high kernel, low
  // kernel} of ConvInt8Bits each, INT16 a sum of 38 bits, FP16 {exponent of 6 bits, mantissa of 38}.
  localparam int ConvInt8Bits = (LaneBytes == 2) ? 22 : 16 + $clog2(AtomicC);
  localparam int ConvValueBits = 44;
  localparam int ConvValues = (Winograd != 0) ? 4 : 1;
  localparam int ConvSumBits = (LaneBytes == 2) ? ConvValues * ConvValueBits : ConvInt8Bits;
  // Clocks from an atom to its sums: an input register, and the stages of nvdla_cmac_array or, with one precision, of
  // nvdla_cmac_sum; eight products are added in one clock.
  localparam int ConvSumClocks = (LaneBytes == 2) ? 6 : (AtomicC > 8) ? 4 : 2;
  // cells of both units: clocks in which they load the weights of an operation
  localparam int ConvLoads = 2 * ConvCells;
  localparam int ConvStripeMax = 2 * AtomicK;  // atoms of a stripe, results CACC accumulates at a time
  localparam int ConvStripeBits = $clog2(ConvStripeMax);
  // Rows of the delivery buffer, credits CSC starts with: two stripes. With batches, three positions of INT8 need 6
  // rows for each cube: one that waits for its neighbour, the neighbour, and places that stay free.
  localparam int ConvStripeRows = 2 * LaneBytes * ConvStripeMax;
  localparam int ConvRows = (BatchMax > 1 && 8 * BatchMax > ConvStripeRows) ? 8 * BatchMax : ConvStripeRows;
  localparam int ConvRowBits = $clog2(ConvRows);
  localparam int ConvLaneBits = $clog2(AtomicC);     // lane number
  localparam int ConvByteBits = $clog2(EntryBytes);  // byte number in a CBUF entry
  localparam int ConvKernelBits = $clog2(AtomicK);   // kernel number in a group

  // What a layer does to the streams of weights and mask bits in CBUF (nvdla_csc_stream).
  typedef struct packed {
    logic                      start;
    logic                      finish;
    logic                      keep;
    logic                      clear;
    logic                      advance;
    logic [EntryCountBits-1:0] advance_entries;
  } conv_stream_t;

  // An operation of a stripe, for the data reader,
  typedef struct packed {
    logic [ConvStripeBits:0]   positions;
    logic [ConvLaneBits:0]     channels;
    logic [2:0]                rows;   // kernel rows that exist
    logic [EntryCountBits-1:0] block;  // entries, with those of tap_y lines
    logic                      odd;    // second block of a pair
    logic                      last;   // last block of the line
    logic [10:0]               tap_x;
    logic [10:0]               tap_y;
    logic                      channel_end;
    logic                      group_end;
    logic                      layer_end;
  } conv_data_op_t;

  // for the reader of mask bits,
  typedef struct packed {
    logic [ConvKernelBits-1:0] cells;          // minus 1
    logic [ConvByteBits:0]     elements;       // of a cell
    logic [ConvByteBits:0]     elements_last;  // of the last cell
    logic                      stripe_first;
    logic                      group_first;
    logic                      group_end;
  } conv_mask_op_t;

  // and for that of weights.
  typedef struct packed {
    logic [ConvLaneBits:0]     channels;
    logic [ConvLaneBits:0]     block;  // elements of one kernel
    logic [ConvKernelBits-1:0] cells;  // from here on as for mask bits
    logic [ConvByteBits:0]     elements;
    logic [ConvByteBits:0]     elements_last;
    logic                      stripe_first;
    logic                      group_first;
    logic                      group_end;
  } conv_weight_op_t;

  // Positions of the next stripe when `left` positions are not covered yet and a stripe has at most `most` of them:
  // none of a layer's stripes but a single one is shorter than `least`.
  function automatic logic [ConvStripeBits:0] conv_stripe(input logic [26:0] left, input logic [ConvStripeBits:0] most,
                                                          input logic [ConvStripeBits:0] least);
    if (left <= 27'(most)) return left[ConvStripeBits:0];
    if (left >= 27'(most) + 27'(least)) return most;
    return least;
  endfunction

  // Positions that fit in `atoms` atoms, each of them with `more` + 1 batches: a table, not a division.
  function automatic logic [ConvStripeBits:0] conv_positions(input int atoms, input logic [4:0] more);
    conv_positions = '0;
    for (int b = 0; b < BatchMax; b++) if (more == 5'(b)) conv_positions = (ConvStripeBits + 1)'(atoms / (b + 1));
  endfunction

  // Entry number of a ring of `ring` entries, entry < 2 * ring.
  function automatic logic [EntryCountBits-1:0] conv_ring(input logic [EntryCountBits:0] entry,
      input logic [EntryCountBits-1:0] ring);
    if (entry >= {1'b0, ring}) return EntryCountBits'(entry - {1'b0, ring});
    return entry[EntryCountBits-1:0];
  endfunction
endpackage
