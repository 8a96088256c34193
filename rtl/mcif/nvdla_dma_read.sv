// DMA read client: requests of an engine to burst pieces of the memory interface, answers into a latency buffer.
//
// A request is req_size_i + 1 contiguous atoms from byte address req_addr_i of memory req_ram_i (1 primary, 0 secondary). The atoms
// come out in request order, MemBeatAtoms a beat; every request begins with a new beat. A piece is requested only when the buffer of Depth beats
// has room for all of it, so answers never wait: Depth bounds the beats in flight and must not be less than the longest burst. Beats of one
// memory are awaited before the other memory is asked. Accepted request to mif_o: one clock; mif_i to rsp_valid_o: one clock; one beat per
// clock (nvdla_dma_align has what two atoms a beat cost).
// Answers without a request are dropped.
// Spec: 70-memory-interface, sections 3.2, 4 and 5.
module nvdla_dma_read
  import nvdla_pkg::*;
#(
    parameter int Depth = 8
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                req_valid_i,
    output logic                req_ready_o,
    input  logic [AddrBits-1:0] req_addr_i,
    input  logic [        15:0] req_size_i,
    input  logic                req_ram_i,
    output logic                rsp_valid_o,
    input  logic                rsp_ready_i,
    output logic [MemBeatBits-1:0] rsp_data_o,
    output mif_rd_req_t         mif_o,
    input  mif_rd_rsp_t         mif_i
);
  localparam int CountBits = $clog2(Depth + 1);
  localparam int AtomShift = $clog2(MemAtom);

  logic piece_valid, offer, ram, issue, ram_ok, response, taken;
  logic [AddrBits-1:0] addr;
  logic [3:0] len, more;            // atoms of the piece - 1, beats - 1
  logic [CountBits-1:0] free_q;     // buffer places not promised to any answer
  logic [CountBits-1:0] flight_q;   // beats requested and not yet answered
  logic [CountBits-1:0] issued;     // beats of the piece issued in this clock
  logic last_ram_q;                 // memory of the beats in flight
  logic unused_tag, unused_last, unused_ready;
  logic req_valid, req_ready;       // at the pieces
  logic line_valid, line_ready;     // beats of memory
  logic [MemBeatBits-1:0] line_data;

  nvdla_dma_pieces u_pieces (
      .clk_i,
      .rst_ni,
      .req_valid_i(req_valid),
      .req_ready_o(req_ready),
      .req_addr_i,
      .req_size_i,
      .req_ram_i,
      .req_tag_i(1'b0),
      .piece_valid_o(piece_valid),
      .piece_ready_i(issue),
      .piece_addr_o(addr),
      .piece_len_o(len),
      .piece_ram_o(ram),
      .piece_tag_o(unused_tag),
      .piece_last_o(unused_last)
  );

  assign ram_ok = (SecondaryMemory == 0) || (flight_q == '0) || (ram == last_ram_q);
  assign more = (MemBeatAtoms == 1) ? len : 4'((5'(len) + 5'(addr[AtomShift])) >> 1);
  assign offer = piece_valid & ram_ok & (32'(free_q) > 32'(more));
  assign mif_o.valid = offer;
  assign mif_o.ram = ram;
  assign mif_o.addr = addr;
  assign mif_o.len = len;
  assign issue = offer & mif_i.ready;
  assign issued = issue ? CountBits'(more) + 1'b1 : '0;
  assign response = mif_i.valid & (flight_q != '0);
  assign taken = line_valid & line_ready;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      free_q     <= CountBits'(Depth);
      flight_q   <= '0;
      last_ram_q <= 1'b0;
    end else begin
      free_q   <= free_q - issued + CountBits'(taken);
      flight_q <= flight_q + issued - CountBits'(response);
      if (issue) last_ram_q <= ram;
    end

  nvdla_fifo #(
      .Width(MemBeatBits),
      .Depth(Depth)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .in_valid_i (response),
      .in_ready_o (unused_ready),
      .in_data_i  (mif_i.data),
      .out_valid_o(line_valid),
      .out_ready_i(line_ready),
      .out_data_o (line_data)
  );

  if (MemBeatAtoms == 1) begin : gen_atoms
    assign req_valid = req_valid_i;
    assign req_ready_o = req_ready;
    assign rsp_valid_o = line_valid;
    assign line_ready = rsp_ready_i;
    assign rsp_data_o = line_data;
  end else begin : gen_align
    logic order_ready;
    assign req_valid = req_valid_i & order_ready;
    assign req_ready_o = req_ready & order_ready;
    // Requests of one line each in the whole buffer, and those that wait to be cut.
    nvdla_dma_align #(
        .Depth(Depth + 4)
    ) u_align (
        .clk_i,
        .rst_ni,
        .req_valid_i(req_valid_i & req_ready),
        .req_ready_o(order_ready),
        .req_odd_i  (req_addr_i[AtomShift]),
        .req_size_i,
        .in_valid_i (line_valid),
        .in_ready_o (line_ready),
        .in_data_i  (line_data),
        .out_valid_o(rsp_valid_o),
        .out_ready_i(rsp_ready_i),
        .out_data_o (rsp_data_o)
    );
  end

  `NVDLA_PARAM(DepthHoldsABurst, Depth >= DbbBurstBeats && (SecondaryMemory == 0 || Depth >= CvsramBurstBeats))
  `NVDLA_STABLE(PieceStable, mif_o.valid, mif_i.ready, {mif_o.ram, mif_o.addr, mif_o.len})
  `NVDLA_STABLE(AnswerStable, rsp_valid_o, rsp_ready_i, rsp_data_o)
`ifdef NVDLA_CHECKS
  logic [31:0] req_beats;
  assign req_beats = (32'(req_size_i) + MemBeatAtoms) / MemBeatAtoms;
`endif
  // Beats in flight; beats in flight or in the buffer; dense beats that the engine has asked for and not taken.
  `NVDLA_BALANCE(Flight, Depth, mif_o.valid && mif_i.ready, 32'(more) + 32'd1, mif_i.valid, 1)
  `NVDLA_BALANCE(Promised, Depth, mif_o.valid && mif_i.ready, 32'(more) + 32'd1, line_valid && line_ready, 1)
  `NVDLA_BALANCE(Owed, (Depth + 4) * 65536, req_valid_i && req_ready_o, req_beats, rsp_valid_o && rsp_ready_i, 1)
  `NVDLA_QUEUE(Beats, MemBeatBits, Depth, mif_i.valid, mif_i.data, line_valid, line_valid && line_ready, line_data)
  `NVDLA_CHECK(RoomForTheAnswer, !mif_i.valid || unused_ready)

`ifdef NVDLA_CHECKS
  logic asked_ram_q;
  always_ff @(posedge clk_i) if (mif_o.valid && mif_i.ready) asked_ram_q <= mif_o.ram;
  `NVDLA_CHECK(AnswersOnlyToRequests, !mif_i.valid || Flight.level_q > 0)
  `NVDLA_CHECK(PlacesAddUp, 32'(free_q) + Promised.level_q == Depth)
  `NVDLA_CHECK(FlightAddsUp, 32'(flight_q) == Flight.level_q)
  `NVDLA_CHECK(OneMemoryAtATime, !(mif_o.valid && mif_i.ready) || Flight.level_q == 0 || mif_o.ram == asked_ram_q)
  `NVDLA_CHECK(NothingIsLost, Promised.level_q != 0 || piece_valid || rsp_valid_o || Owed.level_q == 0)
`endif
endmodule
