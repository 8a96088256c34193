// Cuts the requests of a DMA client into pieces: a piece never crosses an aligned line of the port, DbbPieceBeats or
// CvsramPieceBeats beats. It counts in units: atoms, or the parts of an atom that are a beat.
//
// A request is req_size_i + 1 contiguous atoms from byte address req_addr_i of memory req_ram_i (1 primary, 0
// secondary); req_tag_i comes back with the last piece. piece_addr_o is the byte address of the piece's first atom (low
// bits as requested), piece_len_o the beats that it touches - 1, piece_last_o marks the last piece of its request.
// Accepted request to first piece: one clock; one piece per clock, also from one request to the next. req_ready_o comes
// from a register.
// Spec: 70-memory-interface, sections 1 and 4.
`include "nvdla_check.svh"
module nvdla_dma_pieces
  import nvdla_pkg::*;
#(
    parameter int TagBits = 1
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                req_valid_i,
    output logic                req_ready_o,
    input  logic [AddrBits-1:0] req_addr_i,
    input  logic [        15:0] req_size_i,
    input  logic                req_ram_i,
    input  logic [ TagBits-1:0] req_tag_i,
    output logic                piece_valid_o,
    input  logic                piece_ready_i,
    output logic [AddrBits-1:0] piece_addr_o,
    output logic [         3:0] piece_len_o,
    output logic                piece_ram_o,
    output logic [ TagBits-1:0] piece_tag_o,
    output logic                piece_last_o
);
  localparam int UnitBits = (AtomBits < MifBits) ? AtomBits : MifBits;
  localparam int UnitShift = $clog2(UnitBits / 8);
  localparam int Parts = AtomBits / UnitBits;  // units of an atom
  localparam int CountBits = 16 + $clog2(Parts);
  localparam int BeatShift = $clog2(MifAtoms);
  localparam logic [4:0] PrimaryRoom = 5'(DbbPieceBeats * MifAtoms - 1);
  localparam logic [4:0] SecondaryRoom = 5'(CvsramPieceBeats * MifAtoms - 1);

  // The request being cut, and one more behind it.
  logic cur_valid_q, next_valid_q;
  logic cur_ram_q, next_ram_q;
  logic [TagBits-1:0] cur_tag_q, next_tag_q;
  logic [AddrBits-1:0] cur_addr_q, next_addr_q;
  logic [CountBits-1:0] cur_left_q, next_left_q, req_units;  // units - 1

  logic [4:0] room, units;  // - 1: up to the end of the line, of the piece
  logic [4:0] first_unit;   // of the piece, in its first beat
  logic accept, step, cur_free;

  assign room = ~cur_addr_q[UnitShift+:5] & (cur_ram_q ? PrimaryRoom : SecondaryRoom);
  assign units = (cur_left_q > CountBits'(room)) ? room : cur_left_q[4:0];
  assign first_unit = cur_addr_q[UnitShift+:5] & 5'(MifAtoms - 1);
  assign piece_len_o = 4'((first_unit + units) >> BeatShift);
  assign piece_last_o = cur_left_q == CountBits'(units);
  assign piece_valid_o = cur_valid_q;
  assign piece_addr_o = cur_addr_q;
  assign piece_ram_o = cur_ram_q;
  assign piece_tag_o = cur_tag_q;

  if (Parts == 1) begin : gen_atoms
    assign req_units = req_size_i;
  end else begin : gen_parts
    assign req_units = {req_size_i, {$clog2(Parts) {1'b1}}};
  end
  assign req_ready_o = ~next_valid_q;
  assign accept = req_valid_i & req_ready_o;
  assign step = cur_valid_q & piece_ready_i;
  always_comb begin
    cur_free = 1'b1;
    if (cur_valid_q) cur_free = piece_ready_i & piece_last_o;
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      cur_valid_q  <= 1'b0;
      next_valid_q <= 1'b0;
    end else begin
      if (cur_free) begin
        cur_valid_q  <= next_valid_q | accept;
        next_valid_q <= 1'b0;
      end else if (accept) next_valid_q <= 1'b1;
    end

  always_ff @(posedge clk_i) begin
    if (cur_free) begin
      if (next_valid_q) begin
        cur_addr_q <= next_addr_q;
        cur_left_q <= next_left_q;
        cur_ram_q  <= next_ram_q;
        cur_tag_q  <= next_tag_q;
      end else if (accept) begin
        cur_addr_q <= req_addr_i;
        cur_left_q <= req_units;
        cur_ram_q  <= req_ram_i;
        cur_tag_q  <= req_tag_i;
      end
    end else if (step) begin
      cur_addr_q <= cur_addr_q + ((AddrBits'(units) + 1'b1) << UnitShift);
      cur_left_q <= cur_left_q - CountBits'(units) - 1'b1;
    end
    if (accept) begin
      next_addr_q <= req_addr_i;
      next_left_q <= req_units;
      next_ram_q  <= req_ram_i;
      next_tag_q  <= req_tag_i;
    end
  end

  `NVDLA_PARAM(PiecesLegal, DbbPieceBeats >= 1 && DbbPieceBeats <= 16 && DbbPieceBeats * MifAtoms <= 32 &&
               (DbbPieceBeats & (DbbPieceBeats - 1)) == 0)
  `NVDLA_PARAM(SecondaryPiecesLegal,
               CvsramPieceBeats >= 1 && CvsramPieceBeats <= 16 && CvsramPieceBeats * MifAtoms <= 32 &&
               (CvsramPieceBeats & (CvsramPieceBeats - 1)) == 0)
  `NVDLA_STABLE(RequestStable, req_valid_i, req_ready_o, {req_addr_i, req_size_i, req_ram_i, req_tag_i})
  `NVDLA_STABLE(PieceStable, piece_valid_o, piece_ready_i,
                {piece_addr_o, piece_len_o, piece_ram_o, piece_tag_o, piece_last_o})

`ifdef NVDLA_CHECKS
  // The requests that are held, and the units of the oldest one that its pieces have covered.
  localparam int RequestBits = AddrBits + 17 + TagBits;
  logic [RequestBits-1:0] oldest;
  logic [AddrBits-1:0] oldest_addr;
  logic [15:0] oldest_size;
  logic [31:0] oldest_units;  // - 1
  logic [TagBits-1:0] oldest_tag;
  logic oldest_ram, ends;
  int covered_q;
  logic [31:0] line_beats, first_beat, last_covered, last_beat_unit;
  `NVDLA_QUEUE(Requests, RequestBits, 2, req_valid_i && req_ready_o, {req_addr_i, req_size_i, req_ram_i, req_tag_i},
               1'b0,
               piece_valid_o && piece_ready_i && ends, RequestBits'(0))
  assign oldest = Requests.mem_q[Requests.rd_q];
  assign {oldest_addr, oldest_size, oldest_ram, oldest_tag} = oldest;
  // The last unit of the piece: the end of its last beat, unless the request ends before.
  assign last_beat_unit = covered_q + ((32'(piece_len_o) + 32'd1) << BeatShift) - 32'(first_unit) - 32'd1;
  assign oldest_units = (32'(oldest_size) + 32'd1) * Parts - 32'd1;
  assign last_covered = last_beat_unit < oldest_units ? last_beat_unit : oldest_units;
  assign ends = last_covered == oldest_units;
  assign line_beats = oldest_ram ? DbbPieceBeats : CvsramPieceBeats;
  assign first_beat = 32'(piece_addr_o >> (UnitShift + BeatShift)) & (line_beats - 32'd1);
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) covered_q <= 0;
    else if (piece_valid_o && piece_ready_i) covered_q <= ends ? 0 : last_covered + 1;
  `NVDLA_CHECK(PieceOfARequest, piece_valid_o == (Requests.level_q > 0))
  `NVDLA_CHECK(PiecesFollowEachOther, !piece_valid_o || Requests.level_q <= 0 ||
               {piece_addr_o, piece_ram_o, piece_tag_o} ==
               {oldest_addr + (AddrBits'(covered_q) << UnitShift), oldest_ram, oldest_tag})
  `NVDLA_CHECK(PiecesCoverTheRequest, !piece_valid_o || last_beat_unit < oldest_units + MifAtoms)
  `NVDLA_CHECK(LastPieceEndsTheRequest, !piece_valid_o || piece_last_o == ends)
  `NVDLA_CHECK(PieceStaysInItsLine, !piece_valid_o || first_beat + 32'(piece_len_o) < line_beats)
`endif
endmodule
