// CDP arithmetic as pure functions, and the records that travel with its data. INT8.
//
// A beat is CdpThroughput lanes of one atom, an atom takes CdpBeats (at least 2) beats, lane 0 first. A block is up to CdpColumns columns
// of one line and one surface: what one read request fetches and one write command stores.
// Spec: 62-cdp, sections 3 (order), 4 (input convertor), 5 (square sum), 8 (output convertor), 9 (requests).
package nvdla_cdp_pkg;
  import nvdla_pkg::*;
  import nvdla_arith_pkg::*;

  localparam int CdpColumns = 8;
  localparam int CdpBeats = MemAtom / CdpThroughput;
  localparam int CdpBeatBits = $clog2(CdpBeats);
  localparam int CdpAtomShift = $clog2(MemAtom);
  localparam int CdpHalo = 4;                                            // neighbour lanes of a sum on either side
  localparam int CdpValueBits = 9;                                       // converted element
  localparam int CdpSquareBits = 17;
  localparam int CdpSumBits = 22;                                        // LUT input, signed
  localparam int CdpViewLanes = CdpThroughput + 2 * CdpHalo;             // what a beat sees

  // One block. The order is line, column, surface: surface_last ends a group of columns, line_last stands with all blocks
  // of a line's last group of columns, layer_last with the last block alone.
  typedef struct packed {
    logic [2:0] columns;                       // less one
    logic surface_last;
    logic line_last;
    logic layer_last;
  } cdp_block_t;
  localparam int CdpBlockBits = 6;

  // Input convertor: signed 8 bits to signed 9. offset: the low 8 bits of the register.
  function automatic logic [CdpValueBits-1:0] cdp_input(
      input logic [7:0] x, input logic [7:0] offset, input logic [15:0] scale, input logic [4:0] shift);
    logic signed [31:0] value, half;
    value = (32'($signed(x)) - 32'($signed(offset))) * 32'($signed(scale));     // 25 bits
    half = $signed(((32'd1 << shift) - {31'd0, value[31]}) >> 1);
    value = (value + half) >>> shift;
    if (value > 32'sd255) return 9'h0ff;
    if (value < -32'sd256) return 9'h100;
    return value[CdpValueBits-1:0];
  endfunction

  function automatic logic [CdpSquareBits-1:0] cdp_square(input logic [CdpValueBits-1:0] value);
    return CdpSquareBits'($signed(value)) * CdpSquareBits'($signed(value));
  endfunction

  // Output convertor behind the subtraction of the offset: difference (26 bits) * scale / 2^shift, 8 bits.
  function automatic logic [7:0] cdp_output(input logic signed [25:0] difference, input logic [15:0] scale, input logic [5:0] shift);
    return sat8(round_shift(64'(difference) * 64'($signed(scale)), shift));
  endfunction

endpackage
