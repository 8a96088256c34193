// Read half of a memory interface: pieces of the clients to AR, R back to the clients.
//
// A client of slot i offers a piece for memory Ram (word i of req_i); it is accepted (ready of word i of rsp_o) when it
// wins the arbitration, the AR register can take it and its beats fit the outstanding limit: beats in flight + beats <=
// limit_i + 1, which also bounds them by 256. An accepted piece is on AR in the next clock; araddr is aligned to the
// bus. Where pieces are longer than MaxBurst, which is 1 then, a piece is a burst per beat, one per clock, each counted
// separately against the limit. Beats come back in the clock of the R transfer, never refused (the clients reserved
// their room). Beats of an id without client are dropped. busy_o: something moves or waits to move.
// Spec: 70-memory-interface, sections 2 and 3.
`include "nvdla_check.svh"
module nvdla_mcif_read
  import nvdla_pkg::*;
#(
    parameter logic Ram = 1'b1,  // 1 primary, 0 secondary
    parameter int MaxBurst = 1   // longest burst in beats
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    input  logic [RdClients-1:0][MifRdReqBits-1:0] req_i,
    output logic [RdClients-1:0][MifRdRspBits-1:0] rsp_o,
    input  logic [                RdClients*8-1:0] weight_i,
    input  logic [                            7:0] limit_i,
    output logic                                   busy_o,
    output logic                                   arvalid_o,
    input  logic                                   arready_i,
    output logic [                            7:0] arid_o,
    output logic [                            3:0] arlen_o,
    output logic [                   AddrBits-1:0] araddr_o,
    input  logic                                   rvalid_i,
    input  logic [                   RdIdBits-1:0] rid_i,
    input  logic [                    MifBits-1:0] rdata_i
);
  localparam int BeatShift = $clog2(MifBits / 8);
  localparam int PieceBeats = Ram ? DbbPieceBeats : CvsramPieceBeats;
  localparam logic Split = PieceBeats > MaxBurst;

  logic [RdClients-1:0] valid, grant, rsp_valid;
  logic [RdIndexBits-1:0] index;
  logic [RdIdBits-1:0] arid_q;
  logic [3:0] arlen_q;
  logic arvalid_q, fits, accept, beat, free, follow;
  logic [AddrBits-1:BeatShift] araddr_q;
  logic [3:0] left_q;    // bursts of the accepted piece that have not been on AR
  logic [8:0] flight_q;  // beats in flight, at most 256
  logic [8:0] issued;
  logic [AddrBits-1:0] addr[0:RdClients-1];
  logic [3:0] len[0:RdClients-1];
  logic [3:0] winner_len;

  for (genvar i = 0; i < RdClients; i++) begin : gen_client
    mif_rd_req_t req;
    mif_rd_rsp_t rsp;
    assign req = req_i[i];
    assign valid[i] = req.valid & (req.ram == Ram);
    assign addr[i] = req.addr;
    assign len[i] = req.len;
    assign rsp.ready = accept & grant[i];
    assign rsp.valid = rsp_valid[i];
    assign rsp.data = rdata_i;
    assign rsp_o[i] = rsp;
  end

  nvdla_wrr_arbiter #(
      .Clients  (RdClients),
      .IndexBits(RdIndexBits)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .req_i    (valid),
      .weight_i,
      .advance_i(accept),
      .grant_o  (grant),
      .index_o  (index)
  );

  always_comb begin
    rsp_valid = '0;
    if (rvalid_i) for (int i = 0; i < RdClients; i++) rsp_valid[i] = rid_i == RdIds[i*RdIdBits+:RdIdBits];
  end
  assign winner_len = len[index];
  assign fits = 10'(flight_q) + (Split ? 10'd0 : 10'(winner_len)) <= 10'(limit_i);
  assign free = ~arvalid_q | arready_i;
  assign follow = Split & (left_q != '0) & fits & free;
  always_comb begin
    accept = 1'b0;
    if (grant != '0) accept = fits & free & (left_q == '0);
  end
  assign issued = (accept | follow) ? (Split ? 9'd1 : 9'(winner_len) + 9'd1) : 9'd0;
  assign beat = (rsp_valid != '0) & (flight_q != '0);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      arvalid_q <= 1'b0;
      flight_q  <= '0;
      left_q    <= '0;
    end else begin
      if (accept || follow) arvalid_q <= 1'b1;
      else if (arready_i) arvalid_q <= 1'b0;
      if (Split && accept) left_q <= winner_len;
      else if (follow) left_q <= left_q - 4'd1;
      flight_q <= flight_q + issued - 9'(beat);
    end

  always_ff @(posedge clk_i)
    if (accept) begin
      arid_q   <= RdIds[32'(index)*RdIdBits+:RdIdBits];
      arlen_q  <= Split ? 4'd0 : winner_len;
      araddr_q <= addr[index][AddrBits-1:BeatShift];
    end else if (follow) araddr_q <= araddr_q + 1'b1;

  assign busy_o    = valid != '0 || arvalid_q || left_q != '0 || rvalid_i;
  assign arvalid_o = arvalid_q;
  assign arid_o    = 8'(arid_q);
  assign arlen_o   = arlen_q;
  assign araddr_o  = {araddr_q, BeatShift'(0)};

  `NVDLA_STABLE(AddressStable, arvalid_o, arready_i, {arid_o, arlen_o, araddr_o})
  `NVDLA_CHECK(OneClientAccepted, !accept || `NVDLA_ONEHOT(grant))
  `NVDLA_CHECK(BeatHasAClient, !rvalid_i || `NVDLA_ONEHOT(rsp_valid))
  `NVDLA_PARAM(BurstLegal, MaxBurst == 1 || MaxBurst == PieceBeats)
  `NVDLA_QUEUE(Addresses, RdIdBits + 4 + AddrBits - BeatShift, 2, accept && !Split,
               {RdIds[32'(index)*RdIdBits+:RdIdBits], winner_len, addr[index][AddrBits-1:BeatShift]},
               arvalid_o && !Split,
               arvalid_o && arready_i && !Split, {arid_o[RdIdBits-1:0], arlen_o, araddr_o[AddrBits-1:BeatShift]})
  `NVDLA_BALANCE(Flight, 256, accept || follow, 32'(issued), rvalid_i, 1)

`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(FlightAddsUp, 32'(flight_q) == Flight.level_q)
  `NVDLA_CHECK(NoAddressIsLost, Split || Addresses.level_q == 32'(arvalid_o))
  `NVDLA_CHECK(LimitIsKept, issued == '0 || Flight.level_q + 32'(issued) <= 32'(limit_i) + 32'd1)
  for (genvar i = 0; i < RdClients; i++) begin : gen_checks
    mif_rd_req_t req;
    assign req = gen_client[i].req;
    `NVDLA_STABLE(PieceStable, req.valid && req.ram == Ram, gen_client[i].rsp.ready, req)
    `NVDLA_BALANCE(Answers, 256 + (Split ? PieceBeats - 1 : 0), gen_client[i].rsp.ready, 32'(req.len) + 32'd1,
                   gen_client[i].rsp.valid, 1)
    `NVDLA_CHECK(AcceptsOnlyOffers, !gen_client[i].rsp.ready || (req.valid && req.ram == Ram))
  end
`endif
endmodule
