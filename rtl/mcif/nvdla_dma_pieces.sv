// Cuts the requests of a DMA client into burst pieces: a piece has at most the port's burst length in beats and never crosses an
// aligned line of that many atoms (one atom is one beat).
//
// A request is req_size_i + 1 contiguous atoms from byte address req_addr_i of memory req_ram_i (1 primary, 0 secondary); req_tag_i
// comes back with the last piece. piece_addr_o is the byte address of the piece's first atom (low bits as requested), piece_len_o its
// beats - 1, piece_last_o tells the last piece of its request. Accepted request to first piece: one clock; one piece per clock, also
// from one request to the next. req_ready_o comes from a register.
// Spec: 70-memory-interface, sections 1 and 4.
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
  localparam int AtomShift = $clog2(MemAtom);
  localparam logic [3:0] PrimaryRoom = 4'(DbbBurstBeats - 1);
  localparam logic [3:0] SecondaryRoom = (SecondaryMemory != 0) ? 4'(CvsramBurstBeats - 1) : 4'd0;

  // The request being cut, and one more behind it.
  logic cur_valid_q, next_valid_q;
  logic cur_ram_q, next_ram_q;
  logic [TagBits-1:0] cur_tag_q, next_tag_q;
  logic [AddrBits-1:0] cur_addr_q, next_addr_q;
  logic [15:0] cur_left_q, next_left_q;  // atoms - 1

  logic [3:0] room;  // beats - 1 up to the end of the line

  assign room = ~cur_addr_q[AtomShift+:4] & (cur_ram_q ? PrimaryRoom : SecondaryRoom);
  assign piece_len_o = (cur_left_q > 16'(room)) ? room : cur_left_q[3:0];
  assign piece_last_o = cur_left_q == 16'(piece_len_o);
  assign piece_valid_o = cur_valid_q;
  assign piece_addr_o = cur_addr_q;
  assign piece_ram_o = cur_ram_q;
  assign piece_tag_o = cur_tag_q;

  assign req_ready_o = ~next_valid_q;

  // cur_free: the place of the request being cut is free in the next clock.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    logic accept, cur_free;
    accept   = req_valid_i & req_ready_o;
    cur_free = !cur_valid_q || (piece_ready_i && piece_last_o);
    if (!rst_ni) begin
      cur_valid_q  <= 1'b0;
      next_valid_q <= 1'b0;
    end else begin
      if (cur_free) begin
        cur_valid_q  <= next_valid_q | accept;
        next_valid_q <= 1'b0;
      end else if (accept) next_valid_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    logic accept, cur_free;
    accept   = req_valid_i & req_ready_o;
    cur_free = !cur_valid_q || (piece_ready_i && piece_last_o);
    if (cur_free) begin
      if (next_valid_q) begin
        cur_addr_q <= next_addr_q;
        cur_left_q <= next_left_q;
        cur_ram_q  <= next_ram_q;
        cur_tag_q  <= next_tag_q;
      end else if (accept) begin
        cur_addr_q <= req_addr_i;
        cur_left_q <= req_size_i;
        cur_ram_q  <= req_ram_i;
        cur_tag_q  <= req_tag_i;
      end
    end else if (piece_ready_i) begin
      cur_addr_q <= cur_addr_q + ((AddrBits'(piece_len_o) + 1'b1) << AtomShift);
      cur_left_q <= cur_left_q - 16'(piece_len_o) - 16'd1;
    end
    if (accept) begin
      next_addr_q <= req_addr_i;
      next_left_q <= req_size_i;
      next_ram_q  <= req_ram_i;
      next_tag_q  <= req_tag_i;
    end
  end

  `NVDLA_PARAM(BurstsLegal, DbbBurstBeats >= 1 && DbbBurstBeats <= 16 && (DbbBurstBeats & (DbbBurstBeats - 1)) == 0)
  `NVDLA_PARAM(SecondaryBurstsLegal, SecondaryMemory == 0 || (CvsramBurstBeats >= 1 && CvsramBurstBeats <= 16 &&
               (CvsramBurstBeats & (CvsramBurstBeats - 1)) == 0))
  `NVDLA_STABLE(RequestStable, req_valid_i, req_ready_o, {req_addr_i, req_size_i, req_ram_i, req_tag_i})
  `NVDLA_STABLE(PieceStable, piece_valid_o, piece_ready_i, {piece_addr_o, piece_len_o, piece_ram_o, piece_tag_o, piece_last_o})

`ifdef NVDLA_CHECKS
  // The requests that are held, and the atoms of the oldest one that its pieces have covered.
  localparam int RequestBits = AddrBits + 17 + TagBits;
  logic [RequestBits-1:0] oldest;
  logic [AddrBits-1:0] oldest_addr;
  logic [15:0] oldest_size;
  logic [TagBits-1:0] oldest_tag;
  logic oldest_ram, ends;
  int covered_q;
  logic [31:0] line_beats, first_beat;
  `NVDLA_QUEUE(Requests, RequestBits, 2, req_valid_i && req_ready_o, {req_addr_i, req_size_i, req_ram_i, req_tag_i}, 1'b0,
               piece_valid_o && piece_ready_i && ends, RequestBits'(0))
  assign oldest = Requests.mem_q[Requests.rd_q];
  assign {oldest_addr, oldest_size, oldest_ram, oldest_tag} = oldest;
  assign ends = covered_q + 32'(piece_len_o) == 32'(oldest_size);
  assign line_beats = oldest_ram ? DbbBurstBeats : (SecondaryMemory != 0) ? CvsramBurstBeats : 1;
  assign first_beat = 32'(piece_addr_o >> AtomShift) & (line_beats - 32'd1);
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) covered_q <= 0;
    else if (piece_valid_o && piece_ready_i) covered_q <= ends ? 0 : covered_q + 32'(piece_len_o) + 1;
  `NVDLA_CHECK(PieceOfARequest, piece_valid_o == (Requests.level_q > 0))
  `NVDLA_CHECK(PiecesFollowEachOther, !piece_valid_o || Requests.level_q <= 0 ||
               {piece_addr_o, piece_ram_o, piece_tag_o} == {oldest_addr + (AddrBits'(covered_q) << AtomShift), oldest_ram, oldest_tag})
  `NVDLA_CHECK(PiecesCoverTheRequest, !piece_valid_o || covered_q + 32'(piece_len_o) <= 32'(oldest_size))
  `NVDLA_CHECK(LastPieceEndsTheRequest, !piece_valid_o || piece_last_o == ends)
  `NVDLA_CHECK(PieceStaysInItsLine, !piece_valid_o || first_beat + 32'(piece_len_o) < line_beats)
`endif
endmodule
