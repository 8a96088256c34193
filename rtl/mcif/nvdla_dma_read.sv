// DMA read client: requests of an engine to burst pieces of the memory interface, answers into a latency buffer.
//
// A request is req_size_i + 1 contiguous atoms from byte address req_addr_i of memory req_ram_i (1 primary, 0
// secondary). The atoms come out in request order. A piece is requested only when the buffer has room for all of it,
// so answers never wait. The buffer holds Depth beats, or atoms where an atom is several beats, and at least the
// longest piece; that bounds the beats in flight.
// Beats of one memory are awaited before the other memory is asked. Accepted request to mif_o: one clock; mif_i to
// rsp_valid_o: one clock; RspAtoms atoms per clock.
// RspAtoms is 1, or MifAtoms: then the answer holds a request's atoms 2k and 2k + 1 together whatever its address, as
// chapter 70 section 5 has it, and the upper half of the last answer of an odd number is 0.
// Answers without a request are dropped. busy_o: in this clock something is accepted, offered, arrives or leaves; else
// no register changes.
// Spec: 70-memory-interface, sections 3.2, 4 and 5.
`include "nvdla_check.svh"
module nvdla_dma_read
  import nvdla_pkg::*;
#(
    parameter int Depth = 8,
    parameter int RspAtoms = 1
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         req_valid_i,
    output logic                         req_ready_o,
    input  logic [         AddrBits-1:0] req_addr_i,
    input  logic [                 15:0] req_size_i,
    input  logic                         req_ram_i,
    output logic                         rsp_valid_o,
    input  logic                         rsp_ready_i,
    output logic [RspAtoms*AtomBits-1:0] rsp_data_o,
    output logic                         busy_o,
    output mif_rd_req_t                  mif_o,
    input  mif_rd_rsp_t                  mif_i
);
  localparam int Parts = (AtomBits > MifBits) ? AtomBits / MifBits : 1;  // beats of an atom
  localparam int LongestPiece = (CvsramPieceBeats > DbbPieceBeats) ? CvsramPieceBeats : DbbPieceBeats;
  localparam int Places = (Depth * Parts > LongestPiece) ? Depth * Parts : LongestPiece;
  localparam int CountBits = $clog2(Places + 1);

  logic piece_valid, offer, ram, issue, ram_ok, response, taken, beat_valid, beat_ready;
  logic req_ready, walk_ready;
  logic [MifBits-1:0] beat;
  logic [3:0] len;                 // beats of the piece - 1
  logic [CountBits-1:0] free_q;    // beats of the buffer not promised to any answer
  logic [CountBits-1:0] flight_q;  // beats requested and not yet answered
  logic [CountBits-1:0] issued;    // beats of the piece issued in this clock
  logic last_ram_q;                // memory of the beats in flight
  logic unused_tag, unused_last;
  logic buffer_ready;      // always, by the beats that are promised
  logic [1:0] rsp_atoms;   // of an answer, for rtl/waits.csv
  logic [19:0] req_beats;  // that a request makes due, for rtl/waits.csv
  assign req_beats = ((20'(req_addr_i >> $clog2(MemAtom)) & 20'(MifAtoms - 1)) + 20'(req_size_i) + 20'(MifAtoms)) /
      20'(MifAtoms) * 20'(Parts);
  wire unused_signals = &{1'b0, buffer_ready, rsp_atoms, req_beats};

  nvdla_dma_pieces u_pieces (
      .clk_i,
      .rst_ni,
      .req_valid_i  (req_valid_i & walk_ready),
      .req_ready_o  (req_ready),
      .req_addr_i,
      .req_size_i,
      .req_ram_i,
      .req_tag_i    (1'b0),
      .piece_valid_o(piece_valid),
      .piece_ready_i(issue),
      .piece_addr_o (mif_o.addr),
      .piece_len_o  (len),
      .piece_ram_o  (ram),
      .piece_tag_o  (unused_tag),
      .piece_last_o (unused_last)
  );

  assign req_ready_o = req_ready & walk_ready;
  assign ram_ok = (SecondaryMemory == 0) || (flight_q == '0) || (ram == last_ram_q);
  assign offer = piece_valid & ram_ok & (32'(free_q) > 32'(len));
  assign mif_o.valid = offer;
  assign mif_o.ram = ram;
  assign mif_o.len = len;
  assign issue = offer & mif_i.ready;
  assign issued = issue ? CountBits'(len) + 1'b1 : '0;
  assign response = mif_i.valid & (flight_q != '0);
  assign taken = beat_valid & beat_ready;
  assign busy_o = offer | mif_i.valid | taken | (req_valid_i & req_ready_o) |
      (rsp_valid_o & (rsp_ready_i | MifAtoms > 1));

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      free_q     <= CountBits'(Places);
      flight_q   <= '0;
      last_ram_q <= 1'b0;
    end else begin
      free_q   <= free_q - issued + CountBits'(taken);
      flight_q <= flight_q + issued - CountBits'(response);
      if (issue) last_ram_q <= ram;
    end

  nvdla_fifo #(
      .Width(MifBits),
      .Depth(Places)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .in_valid_i (response),
      .in_ready_o (buffer_ready),
      .in_data_i  (mif_i.data),
      .out_valid_o(beat_valid),
      .out_ready_i(beat_ready),
      .out_data_o (beat)
  );

  if (Parts > 1) begin : gen_parts
    // The parts of an atom gather; its last one is passed on with them.
    logic [$clog2(Parts)-1:0] part_q;
    logic [AtomBits-MifBits-1:0] parts_q;
    assign walk_ready = 1'b1;
    assign rsp_valid_o = beat_valid & (&part_q);
    assign beat_ready = rsp_ready_i | ~(&part_q);
    assign rsp_data_o = {beat, parts_q};
    assign rsp_atoms = 2'd1;
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) part_q <= '0;
      else if (taken) part_q <= part_q + 1'b1;
    always_ff @(posedge clk_i) if (taken) parts_q <= rsp_data_o[AtomBits-1:MifBits];
  end else if (MifAtoms == 1) begin : gen_atoms
    assign walk_ready = 1'b1;
    assign beat_ready = rsp_ready_i;
    assign rsp_valid_o = beat_valid;
    assign rsp_data_o = beat;
    assign rsp_atoms = 2'd1;
  end else begin : gen_beats
    nvdla_dma_unpack #(
        .Requests(Places),
        .RspAtoms(RspAtoms)
    ) u_unpack (
        .clk_i,
        .rst_ni,
        .req_valid_i (req_valid_i & req_ready),
        .req_ready_o (walk_ready),
        .req_first_i (req_addr_i[$clog2(MemAtom)+:$clog2(MifAtoms)]),
        .req_size_i,
        .beat_valid_i(beat_valid),
        .beat_ready_o(beat_ready),
        .beat_i      (beat),
        .rsp_valid_o,
        .rsp_ready_i,
        .rsp_data_o,
        .rsp_atoms_o (rsp_atoms)
    );
  end

  `NVDLA_PARAM(RspAtomsLegal, RspAtoms == 1 || RspAtoms == MifAtoms)
  `NVDLA_CHECK(BusyWhileItWorks, busy_o || !((req_valid_i && req_ready_o) || mif_o.valid || mif_i.valid || taken ||
               (rsp_valid_o && rsp_ready_i)))
  `NVDLA_STABLE(PieceStable, mif_o.valid, mif_i.ready, {mif_o.ram, mif_o.addr, mif_o.len})
  `NVDLA_STABLE(AnswerStable, rsp_valid_o, rsp_ready_i, rsp_data_o)
  // Beats in flight; beats in flight or in the buffer; answers that the engine has asked for and not taken.
  `NVDLA_BALANCE(Flight, Places, mif_o.valid && mif_i.ready, 32'(mif_o.len) + 32'd1, mif_i.valid, 1)
  `NVDLA_BALANCE(Promised, Places, mif_o.valid && mif_i.ready, 32'(mif_o.len) + 32'd1, beat_valid && beat_ready, 1)
  `NVDLA_BALANCE(Owed, 2 * 65536 + MifAtoms * Places, req_valid_i && req_ready_o,
                 (32'(req_size_i) + RspAtoms) / RspAtoms,
                 rsp_valid_o && rsp_ready_i, 1)
  `NVDLA_QUEUE(Beats, MifBits, Places, mif_i.valid, mif_i.data, beat_valid, beat_valid && beat_ready, beat)
  `NVDLA_CHECK(RoomForTheAnswer, !mif_i.valid || buffer_ready)

`ifdef NVDLA_CHECKS
  logic asked_ram_q;
  always_ff @(posedge clk_i) if (mif_o.valid && mif_i.ready) asked_ram_q <= mif_o.ram;
  `NVDLA_CHECK(AnswersOnlyToRequests, !mif_i.valid || Flight.level_q > 0)
  `NVDLA_CHECK(PlacesAddUp, 32'(free_q) + Promised.level_q == Places)
  `NVDLA_CHECK(FlightAddsUp, 32'(flight_q) == Flight.level_q)
  `NVDLA_CHECK(OneMemoryAtATime, !(mif_o.valid && mif_i.ready) || Flight.level_q == 0 || mif_o.ram == asked_ram_q)
  `NVDLA_CHECK(NothingIsLost, Promised.level_q != 0 || piece_valid || rsp_valid_o || Owed.level_q == 0)
`endif
endmodule
