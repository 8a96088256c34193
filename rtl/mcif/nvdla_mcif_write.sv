// Write half of a memory interface: pieces and data of the clients to AW and W, B back to the clients.
//
// A client of slot i offers a piece for memory Ram (word i of req_i) whose beats it holds ready. A piece is accepted
// (ready of word i of rsp_o) when it wins the arbitration, the AW register and the W register can take it and its beats
// fit the outstanding limit (beats in flight + beats <= limit_i + 1, in flight until their B). AW and the first beat
// are on the pins in the next clock, both in the same; the other beats follow one per clock. Pieces are sent one after
// another, so W follows AW order. done of word i is the B that ends the oldest piece of its client, in the clock of its
// transfer. MaxBurst is the longest burst in beats. Where pieces are longer, it is 1, and each beat of a piece is a
// burst, on AW and W in the same clock, each counted separately against the limit, its awaddr aligned to the bus. B of
// an id without client or without a burst in flight are dropped. busy_o: something moves or waits to move.
// Spec: 70-memory-interface, sections 2 and 3.
`include "nvdla_check.svh"
module nvdla_mcif_write
  import nvdla_pkg::*;
#(
    parameter logic Ram = 1'b1,  // 1 primary, 0 secondary
    parameter int MaxBurst = 1
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    input  logic [WrClients-1:0][MifWrReqBits-1:0] req_i,
    output logic [WrClients-1:0][MifWrRspBits-1:0] rsp_o,
    input  logic [                WrClients*8-1:0] weight_i,
    input  logic [                            7:0] limit_i,
    output logic                                   busy_o,
    output logic                                   awvalid_o,
    input  logic                                   awready_i,
    output logic [                            7:0] awid_o,
    output logic [                            3:0] awlen_o,
    output logic [                   AddrBits-1:0] awaddr_o,
    output logic                                   wvalid_o,
    input  logic                                   wready_i,
    output logic [                    MifBits-1:0] wdata_o,
    output logic [                   MifAtoms-1:0] wmask_o,
    output logic                                   wlast_o,
    input  logic                                   bvalid_i,
    input  logic [                   WrIdBits-1:0] bid_i
);
  localparam int BeatShift = $clog2(MifBits / 8);
  localparam int PieceBeats = Ram ? DbbPieceBeats : CvsramPieceBeats;
  localparam logic Split = PieceBeats > MaxBurst;

  logic [WrClients-1:0] valid, dat_valid, dat_ready, grant, sender_q, b_hit, in_flight, done;
  logic [WrIndexBits-1:0] index, sender_index_q, dat_index;
  logic [3:0] len, awlen_q, left_q;  // left_q: beats of the accepted piece still at the client
  logic [WrIdBits-1:0] awid_q;
  logic [AddrBits-1:0] awaddr_q;
  logic [MifBits-1:0] wdata_q;
  logic [MifAtoms-1:0] wmask_q;
  logic awvalid_q, wvalid_q, wlast_q, aw_free, w_free, fits, accept, follow;
  logic [8:0] flight_q, issued, ended;  // beats in flight, at most 256
  logic [AddrBits-1:0] addr[0:WrClients-1];
  logic [3:0] piece_len[0:WrClients-1];
  logic [MifBits-1:0] dat_data[0:WrClients-1];
  logic [MifAtoms-1:0] dat_mask[0:WrClients-1];

  for (genvar i = 0; i < WrClients; i++) begin : gen_client
    mif_wr_req_t req;
    mif_wr_rsp_t rsp;
    assign req = req_i[i];
    assign valid[i] = req.valid & (req.ram == Ram);
    assign addr[i] = req.addr;
    assign piece_len[i] = req.len;
    assign dat_valid[i] = req.dat_valid;
    assign dat_data[i] = req.dat_data;
    assign dat_mask[i] = req.dat_mask;
    assign rsp.ready = accept & grant[i];
    assign rsp.dat_ready = dat_ready[i];
    assign rsp.done = done[i];
    assign rsp_o[i] = rsp;
  end

  nvdla_wrr_arbiter #(
      .Clients  (WrClients),
      .IndexBits(WrIndexBits)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .req_i    (valid & dat_valid),
      .weight_i,
      .advance_i(accept),
      .grant_o  (grant),
      .index_o  (index)
  );

  // dat_index: the client whose beat moves.
  assign len = piece_len[index];
  assign fits = 10'(flight_q) + (Split ? 10'd0 : 10'(len)) <= 10'(limit_i);
  assign aw_free = ~awvalid_q | awready_i;
  assign w_free = ~wvalid_q | wready_i;
  always_comb begin
    accept = 1'b0;
    if (grant != '0) accept = fits & (left_q == '0) & w_free & aw_free;
  end
  assign follow = (left_q != '0) & w_free & ((dat_valid & sender_q) != '0) & (~Split | (fits & aw_free));
  assign dat_ready = accept ? grant : follow ? sender_q : '0;
  assign dat_index = accept ? index : sender_index_q;
  assign issued = Split ? 9'(accept) | 9'(follow) : accept ? 9'(len) + 9'd1 : 9'd0;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      awvalid_q <= 1'b0;
      wvalid_q  <= 1'b0;
      left_q    <= '0;
      flight_q  <= '0;
    end else begin
      if (accept || (Split && follow)) awvalid_q <= 1'b1;
      else if (awready_i) awvalid_q <= 1'b0;
      if (accept || follow) wvalid_q <= 1'b1;
      else if (wready_i) wvalid_q <= 1'b0;
      if (accept) left_q <= len;
      else if (follow) left_q <= left_q - 4'd1;
      flight_q <= flight_q + issued - ended;
    end

  always_ff @(posedge clk_i) begin
    if (accept) begin
      awid_q         <= WrIds[32'(index)*WrIdBits+:WrIdBits];
      awlen_q        <= Split ? 4'd0 : len;
      awaddr_q       <= Split ? {addr[index][AddrBits-1:BeatShift], BeatShift'(0)} : addr[index];
      sender_q       <= grant;
      sender_index_q <= index;
    end else if (Split && follow) awaddr_q[AddrBits-1:BeatShift] <= awaddr_q[AddrBits-1:BeatShift] + 1'b1;
    if (accept || follow) begin
      wdata_q <= dat_data[dat_index];
      wmask_q <= dat_mask[dat_index];
      wlast_q <= Split || (accept ? len == 4'd0 : left_q == 4'd1);
    end
  end

  assign busy_o    = valid != '0 || left_q != '0 || awvalid_q || wvalid_q || bvalid_i;
  assign awvalid_o = awvalid_q;
  assign awid_o    = 8'(awid_q);
  assign awlen_o   = awlen_q;
  assign awaddr_o  = awaddr_q;
  assign wvalid_o  = wvalid_q;
  assign wdata_o   = wdata_q;
  assign wmask_o   = wmask_q;
  assign wlast_o   = wlast_q;

  // Responses: the beats of a client's oldest burst end with its B, those of its oldest piece with the last B of it.
  logic [WrClients-1:0] length_ready;
  wire unused_ready = &{1'b0, length_ready};
  always_comb begin
    b_hit = '0;
    if (bvalid_i) for (int i = 0; i < WrClients; i++) b_hit[i] = bid_i == WrIds[i*WrIdBits+:WrIdBits];
  end

  if (PieceBeats > 1) begin : gen_bursts
    logic [WrClients*4-1:0] oldest_len;
    for (genvar c = 0; c < WrClients; c++) begin : gen_lengths
      nvdla_fifo #(
          .Width(4),
          .Depth(256)
      ) u_lengths (
          .clk_i,
          .rst_ni,
          .in_valid_i (accept & grant[c]),
          .in_ready_o (length_ready[c]),
          .in_data_i  (len),
          .out_valid_o(in_flight[c]),
          .out_ready_i(done[c]),
          .out_data_o (oldest_len[c*4+:4])
      );
      if (Split) begin : gen_count
        logic [3:0] ended_q;  // bursts of the oldest piece that have ended
        assign done[c] = b_hit[c] & in_flight[c] & (ended_q == oldest_len[c*4+:4]);
        always_ff @(posedge clk_i or negedge rst_ni)
          if (!rst_ni) ended_q <= '0;
          else if (b_hit[c] && in_flight[c]) ended_q <= done[c] ? '0 : ended_q + 4'd1;
      end else begin : gen_whole
        assign done[c] = b_hit[c] & in_flight[c];
      end
    end
    always_comb begin
      ended = '0;
      if (Split) ended = 9'((b_hit & in_flight) != '0);
      else if (done != '0)
        for (int i = 0; i < WrClients; i++) if (done[i]) ended = 9'(oldest_len[i*4+:4]) + 9'd1;
    end
  end else begin : gen_beats
    assign length_ready = '0;
    assign in_flight = {WrClients{flight_q != '0}};
    assign done = b_hit & in_flight;
    assign ended = 9'(done != '0);
  end

  `NVDLA_PARAM(BurstLegal, MaxBurst == 1 || MaxBurst == PieceBeats)
  `NVDLA_STABLE(AddressStable, awvalid_o, awready_i, {awid_o, awlen_o, awaddr_o})
  `NVDLA_STABLE(BeatStable, wvalid_o, wready_i, {wdata_o, wmask_o, wlast_o})
  `NVDLA_CHECK(OneClientAccepted, !accept || `NVDLA_ONEHOT(grant))
  `NVDLA_CHECK(OneClientSends, `NVDLA_ONEHOT0(dat_ready))
  `NVDLA_CHECK(BeatsOnlyWhenOffered, (dat_ready & ~dat_valid) == '0)
  `NVDLA_CHECK(ResponseHasAClient, !bvalid_i || `NVDLA_ONEHOT(b_hit))
  `NVDLA_CHECK(PieceFits, !accept || 32'(len) < PieceBeats)
  `NVDLA_CHECK(RoomForTheLength, PieceBeats == 1 || !accept || (grant & ~length_ready) == '0)
  `NVDLA_QUEUE(Addresses, WrIdBits + 4 + AddrBits, 2, accept && !Split,
               {WrIds[32'(index)*WrIdBits+:WrIdBits], len, addr[index]},
               awvalid_o && !Split, awvalid_o && awready_i && !Split, {awid_o[WrIdBits-1:0], awlen_o, awaddr_o})

`ifdef NVDLA_CHECKS
  // The burst that is being sent: its client and its beats that the client still holds.
  logic [WrClients-1:0] sends_q;
  int beats_left_q, bursts_flight_q;
  logic last_beat;
  logic [MifAtoms+MifBits-1:0] moved;
  assign last_beat = Split || (accept ? len == 4'd0 : beats_left_q == 1);
  always_comb begin
    moved = '0;
    // dat_mask and dat_data are the lowest fields
    for (int i = 0; i < WrClients; i++) if (dat_ready[i]) moved = (MifAtoms + MifBits)'(req_i[i]);
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      sends_q         <= '0;
      beats_left_q    <= 0;
      bursts_flight_q <= 0;
    end else begin
      if (accept) sends_q <= grant;
      if (accept) beats_left_q <= 32'(len);
      else if (dat_ready != '0) beats_left_q <= beats_left_q - 1;
      bursts_flight_q <= bursts_flight_q + 32'(accept || (Split && follow)) - 32'(bvalid_i);
    end
  `NVDLA_QUEUE(Beats, MifAtoms + MifBits + 1, 2, dat_ready != '0, {moved, last_beat}, wvalid_o, wvalid_o && wready_i,
               {wmask_o, wdata_o, wlast_o})
  `NVDLA_FINAL(NothingOwedAtTheEnd, beats_left_q == 0 && bursts_flight_q == 0)
  `NVDLA_CHECK(NoAddressIsLost, Split || Addresses.level_q == 32'(awvalid_o))
  `NVDLA_CHECK(NoBeatIsLost, Beats.level_q == 32'(wvalid_o))
  `NVDLA_CHECK(BurstsOneAfterAnother, !accept || beats_left_q == 0)
  `NVDLA_CHECK(BeatsOfTheBurst, dat_ready == '0 || dat_ready == (accept ? grant : sends_q))
  `NVDLA_CHECK(NoBeatWithoutBurst, dat_ready == '0 || accept || beats_left_q > 0)
  `NVDLA_CHECK(LimitIsKept, issued == '0 || 32'(flight_q) + 32'(issued) <= 32'(limit_i) + 32'd1)
  `NVDLA_CHECK(FlightCoversTheBursts, 32'(flight_q) >= bursts_flight_q && (flight_q == '0) == (bursts_flight_q == 0))
  for (genvar i = 0; i < WrClients; i++) begin : gen_checks
    logic [AddrBits+4:0] piece;
    assign piece = {gen_client[i].req.ram, gen_client[i].req.addr, gen_client[i].req.len};
    `NVDLA_STABLE(PieceStable, gen_client[i].req.valid && gen_client[i].req.ram == Ram, gen_client[i].rsp.ready, piece)
    `NVDLA_BALANCE(Bursts, 256, (accept && grant[i]) || (Split && follow && sender_q[i]), 1, b_hit[i], 1)
    `NVDLA_CHECK(AcceptsOnlyOffers, !gen_client[i].rsp.ready ||
                 (gen_client[i].req.valid && gen_client[i].req.ram == Ram))
    `NVDLA_CHECK(DoneForEachResponse, Split ? !gen_client[i].rsp.done || b_hit[i] : gen_client[i].rsp.done == b_hit[i])
  end
`endif
endmodule
