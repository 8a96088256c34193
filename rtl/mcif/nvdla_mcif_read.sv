// Read half of a memory interface: pieces of the clients to AR, R back to the clients.
//
// Client i offers a piece (addr_i, len_i = beats - 1); it is accepted (ready_o[i]) when it wins the arbitration, the AR register can take it and
// its beats fit the outstanding limit: beats in flight + beats <= limit_i + 1, which also bounds them by 256. An accepted piece is on AR in
// the next clock; araddr is aligned to the bus. Beats come back in the clock of the R transfer: rsp_valid_o[i] with the data on
// the R pins, never refused (the clients reserved their room). Beats of an id without client are dropped.
// Spec: 70-memory-interface, sections 2 and 3.
module nvdla_mcif_read
  import nvdla_pkg::*;
#(
    parameter int Clients = 2,
    parameter int IndexBits = 1,
    parameter logic [Clients*4-1:0] Ids = '0
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic [         Clients-1:0] valid_i,
    output logic [         Clients-1:0] ready_o,
    input  logic [Clients*AddrBits-1:0] addr_i,
    input  logic [       Clients*4-1:0] len_i,
    output logic [         Clients-1:0] rsp_valid_o,
    input  logic [       Clients*8-1:0] weight_i,
    input  logic [                 7:0] limit_i,
    output logic                        arvalid_o,
    input  logic                        arready_i,
    output logic [                 7:0] arid_o,
    output logic [                 3:0] arlen_o,
    output logic [        AddrBits-1:0] araddr_o,
    input  logic                        rvalid_i,
    input  logic [                 3:0] rid_i
);
  localparam int AtomShift = $clog2(MemAtom);

  logic [Clients-1:0] grant;
  logic [IndexBits-1:0] index;
  logic [3:0] len, arlen_q, arid_q;
  logic arvalid_q, fits, accept, beat;
  logic [AddrBits-1:AtomShift] araddr_q;
  logic [8:0] flight_q;  // beats in flight, at most 256
  logic [8:0] issued;

  nvdla_wrr_arbiter #(
      .Clients  (Clients),
      .IndexBits(IndexBits)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .req_i    (valid_i),
      .weight_i,
      .advance_i(accept),
      .grant_o  (grant),
      .index_o  (index)
  );

  assign len = len_i[32'(index)*4+:4];
  assign fits = 10'(flight_q) + 10'(len) <= 10'(limit_i);
  assign accept = (grant != '0) & fits & (~arvalid_q | arready_i);
  assign ready_o = accept ? grant : '0;
  assign issued = accept ? 9'(len) + 9'd1 : 9'd0;
  assign beat = (rsp_valid_o != '0) & (flight_q != '0);

  always_comb begin
    rsp_valid_o = '0;
    if (rvalid_i) for (int i = 0; i < Clients; i++) rsp_valid_o[i] = rid_i == Ids[i*4+:4];
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      arvalid_q <= 1'b0;
      flight_q  <= '0;
    end else begin
      if (accept) arvalid_q <= 1'b1;
      else if (arready_i) arvalid_q <= 1'b0;
      flight_q <= flight_q + issued - 9'(beat);
    end

  always_ff @(posedge clk_i)
    if (accept) begin
      arid_q   <= Ids[32'(index)*4+:4];
      arlen_q  <= len;
      araddr_q <= addr_i[32'(index)*AddrBits+AtomShift+:AddrBits-AtomShift];
    end

  assign arvalid_o = arvalid_q;
  assign arid_o    = {4'b0, arid_q};
  assign arlen_o   = arlen_q;
  assign araddr_o  = {araddr_q, AtomShift'(0)};
endmodule
