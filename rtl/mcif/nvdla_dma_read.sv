// DMA read client: requests of an engine to burst pieces of the memory interface, answers into a latency buffer.
//
// A request is req_size_i + 1 contiguous atoms from byte address req_addr_i of memory req_ram_i (1 primary, 0 secondary). The atoms
// come out in request order. A piece is requested only when the buffer of Depth atoms has room for all of it, so answers never wait:
// Depth bounds the atoms in flight and must not be less than the longest burst. Atoms of one memory are awaited before the other memory is
// asked. Accepted request to mif_o: one clock; mif_i to rsp_valid_o: one clock; one atom per clock.
// Answers without a request are dropped. busy_o: in this clock something is accepted, offered, comes or goes; else no register changes.
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
    output logic [AtomBits-1:0] rsp_data_o,
    output logic                busy_o,
    output mif_rd_req_t         mif_o,
    input  mif_rd_rsp_t         mif_i
);
  localparam int CountBits = $clog2(Depth + 1);

  logic piece_valid, offer, ram, issue, ram_ok, response;
  logic [3:0] len;                  // beats of the piece - 1
  logic [CountBits-1:0] free_q;     // buffer places not promised to any answer
  logic [CountBits-1:0] flight_q;   // atoms requested and not yet answered
  logic last_ram_q;                 // memory of the atoms in flight
  logic unused_tag, unused_last, unused_ready;

  nvdla_dma_pieces u_pieces (
      .clk_i,
      .rst_ni,
      .req_valid_i,
      .req_ready_o,
      .req_addr_i,
      .req_size_i,
      .req_ram_i,
      .req_tag_i(1'b0),
      .piece_valid_o(piece_valid),
      .piece_ready_i(issue),
      .piece_addr_o(mif_o.addr),
      .piece_len_o(len),
      .piece_ram_o(ram),
      .piece_tag_o(unused_tag),
      .piece_last_o(unused_last)
  );

  assign ram_ok = (SecondaryMemory == 0) || (flight_q == '0) || (ram == last_ram_q);
  assign offer = piece_valid & ram_ok & (32'(free_q) > 32'(len));
  assign mif_o.valid = offer;
  assign mif_o.ram = ram;
  assign mif_o.len = len;
  assign issue = offer & mif_i.ready;
  assign response = mif_i.valid & (flight_q != '0);
  assign busy_o = offer | mif_i.valid | (rsp_valid_o & rsp_ready_i) | (req_valid_i & req_ready_o);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    logic [CountBits-1:0] issued;  // atoms of the piece issued in this clock
    issued = issue ? CountBits'(len) + 1'b1 : '0;
    if (!rst_ni) begin
      free_q     <= CountBits'(Depth);
      flight_q   <= '0;
      last_ram_q <= 1'b0;
    end else begin
      free_q   <= free_q - issued + CountBits'(rsp_valid_o && rsp_ready_i);
      flight_q <= flight_q + issued - CountBits'(response);
      if (issue) last_ram_q <= ram;
    end
  end

  nvdla_fifo #(
      .Width(AtomBits),
      .Depth(Depth)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .in_valid_i (response),
      .in_ready_o (unused_ready),
      .in_data_i  (mif_i.data),
      .out_valid_o(rsp_valid_o),
      .out_ready_i(rsp_ready_i),
      .out_data_o (rsp_data_o)
  );

  `NVDLA_PARAM(DepthHoldsABurst, Depth >= DbbBurstBeats && (SecondaryMemory == 0 || Depth >= CvsramBurstBeats))
  `NVDLA_STABLE(PieceStable, mif_o.valid, mif_i.ready, {mif_o.ram, mif_o.addr, mif_o.len})
  `NVDLA_STABLE(AnswerStable, rsp_valid_o, rsp_ready_i, rsp_data_o)
  // Atoms in flight; atoms in flight or in the buffer; atoms that the engine has asked for and not taken.
  `NVDLA_BALANCE(Flight, Depth, mif_o.valid && mif_i.ready, 32'(mif_o.len) + 32'd1, mif_i.valid, 1)
  `NVDLA_BALANCE(Promised, Depth, mif_o.valid && mif_i.ready, 32'(mif_o.len) + 32'd1, rsp_valid_o && rsp_ready_i, 1)
  `NVDLA_BALANCE(Owed, 2 * 65536 + Depth, req_valid_i && req_ready_o, 32'(req_size_i) + 32'd1, rsp_valid_o && rsp_ready_i, 1)
  `NVDLA_QUEUE(Atoms, AtomBits, Depth, mif_i.valid, mif_i.data, rsp_valid_o, rsp_valid_o && rsp_ready_i, rsp_data_o)
  `NVDLA_CHECK(RoomForTheAnswer, !mif_i.valid || unused_ready)

`ifdef NVDLA_CHECKS
  logic asked_ram_q;
  always_ff @(posedge clk_i) if (mif_o.valid && mif_i.ready) asked_ram_q <= mif_o.ram;
  `NVDLA_CHECK(AnswersOnlyToRequests, !mif_i.valid || Flight.level_q > 0)
  `NVDLA_CHECK(PlacesAddUp, 32'(free_q) + Promised.level_q == Depth)
  `NVDLA_CHECK(FlightAddsUp, 32'(flight_q) == Flight.level_q)
  `NVDLA_CHECK(OneMemoryAtATime, !(mif_o.valid && mif_i.ready) || Flight.level_q == 0 || mif_o.ram == asked_ram_q)
  `NVDLA_CHECK(NothingIsLost, Promised.level_q != 0 || piece_valid || Owed.level_q == 0)
`endif
endmodule
