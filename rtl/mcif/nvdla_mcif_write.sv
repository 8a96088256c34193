// Write half of a memory interface: pieces and data of the clients to AW and W, B back to the clients.
//
// Client i offers a piece (addr_i, len_i = beats - 1) whose beats it holds ready on dat_*. A piece is accepted when it wins the arbitration,
// the AW register and the W register can take it and its beats fit the outstanding limit (beats in flight + beats <= limit_i + 1, in
// flight until their B). AW and the first beat are on the pins in the next clock, both in the same; the other beats follow one per
// clock. Pieces are sent one after another, so W follows AW order. rsp_o[i] is a B of client i, in the clock of its transfer.
// MaxBurst is the longest burst in beats. B of an id without client or without a burst in flight are dropped.
// Spec: 70-memory-interface, sections 2 and 3.
module nvdla_mcif_write
  import nvdla_pkg::*;
#(
    parameter int Clients = 2,
    parameter int IndexBits = 1,
    parameter logic [Clients*3-1:0] Ids = '0,
    parameter int MaxBurst = 1
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic [         Clients-1:0] valid_i,
    output logic [         Clients-1:0] ready_o,
    input  logic [Clients*AddrBits-1:0] addr_i,
    input  logic [       Clients*4-1:0] len_i,
    input  logic [         Clients-1:0] dat_valid_i,
    output logic [         Clients-1:0] dat_ready_o,
    input  logic [Clients*AtomBits-1:0] dat_data_i,
    output logic [         Clients-1:0] rsp_o,
    input  logic [       Clients*8-1:0] weight_i,
    input  logic [                 7:0] limit_i,
    output logic                        awvalid_o,
    input  logic                        awready_i,
    output logic [                 7:0] awid_o,
    output logic [                 3:0] awlen_o,
    output logic [        AddrBits-1:0] awaddr_o,
    output logic                        wvalid_o,
    input  logic                        wready_i,
    output logic [        AtomBits-1:0] wdata_o,
    output logic                        wlast_o,
    input  logic                        bvalid_i,
    input  logic [                 2:0] bid_i
);
  logic [Clients-1:0] grant, sender_q, b_hit;
  logic [IndexBits-1:0] index, sender_index_q, dat_index;
  logic [3:0] len, awlen_q, left_q;  // left_q: beats of the accepted piece still at the client
  logic [2:0] awid_q;
  logic [AddrBits-1:0] awaddr_q;
  logic [AtomBits-1:0] wdata_q;
  logic awvalid_q, wvalid_q, wlast_q, w_free, fits, accept, follow;
  logic [8:0] flight_q, issued, ended;  // beats in flight, at most 256

  nvdla_wrr_arbiter #(
      .Clients  (Clients),
      .IndexBits(IndexBits)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .req_i    (valid_i & dat_valid_i),
      .weight_i,
      .advance_i(accept),
      .grant_o  (grant),
      .index_o  (index)
  );

  assign len = len_i[32'(index)*4+:4];
  assign fits = 10'(flight_q) + 10'(len) <= 10'(limit_i);
  assign w_free = ~wvalid_q | wready_i;
  assign accept = (grant != '0) & fits & (left_q == '0) & w_free & (~awvalid_q | awready_i);
  assign follow = (left_q != '0) & w_free & ((dat_valid_i & sender_q) != '0);
  assign ready_o = accept ? grant : '0;
  assign dat_ready_o = accept ? grant : follow ? sender_q : '0;
  assign dat_index = accept ? index : sender_index_q;
  assign issued = accept ? 9'(len) + 9'd1 : 9'd0;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      awvalid_q <= 1'b0;
      wvalid_q  <= 1'b0;
      left_q    <= '0;
      flight_q  <= '0;
    end else begin
      if (accept) awvalid_q <= 1'b1;
      else if (awready_i) awvalid_q <= 1'b0;
      if (accept || follow) wvalid_q <= 1'b1;
      else if (wready_i) wvalid_q <= 1'b0;
      if (accept) left_q <= len;
      else if (follow) left_q <= left_q - 4'd1;
      flight_q <= flight_q + issued - ended;
    end

  always_ff @(posedge clk_i) begin
    if (accept) begin
      awid_q         <= Ids[32'(index)*3+:3];
      awlen_q        <= len;
      awaddr_q       <= addr_i[32'(index)*AddrBits+:AddrBits];
      sender_q       <= grant;
      sender_index_q <= index;
    end
    if (accept || follow) begin
      wdata_q <= dat_data_i[32'(dat_index)*AtomBits+:AtomBits];
      wlast_q <= accept ? len == 4'd0 : left_q == 4'd1;
    end
  end

  assign awvalid_o = awvalid_q;
  assign awid_o    = {5'b0, awid_q};
  assign awlen_o   = awlen_q;
  assign awaddr_o  = awaddr_q;
  assign wvalid_o  = wvalid_q;
  assign wdata_o   = wdata_q;
  assign wlast_o   = wlast_q;

  // Responses: the beats of a client's oldest burst end with its B.
  always_comb begin
    b_hit = '0;
    if (bvalid_i) for (int i = 0; i < Clients; i++) b_hit[i] = bid_i == Ids[i*3+:3];
  end

  logic [Clients-1:0] in_flight;
  logic [Clients*4-1:0] oldest_len;
  logic [Clients-1:0] unused_ready;
  assign rsp_o = b_hit & in_flight;

  always_comb begin
    ended = '0;
    if (rsp_o != '0)
      for (int i = 0; i < Clients; i++) if (rsp_o[i]) ended = 9'(oldest_len[i*4+:4]) + 9'd1;
  end

  if (MaxBurst > 1) begin : gen_bursts
    for (genvar c = 0; c < Clients; c++) begin : gen_client
      nvdla_fifo #(
          .Width(4),
          .Depth(256)
      ) u_lengths (
          .clk_i,
          .rst_ni,
          .in_valid_i (ready_o[c]),
          .in_ready_o (unused_ready[c]),
          .in_data_i  (len),
          .out_valid_o(in_flight[c]),
          .out_ready_i(b_hit[c]),
          .out_data_o (oldest_len[c*4+:4])
      );
    end
  end else begin : gen_beats
    assign unused_ready = '0;
    assign in_flight = {Clients{flight_q != '0}};
    assign oldest_len = '0;
  end
endmodule
