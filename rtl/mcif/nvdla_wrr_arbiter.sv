// Weighted round robin over Clients requests.
//
// grant_o is one-hot (0: no one may win), index_o its position; both are combinational in req_i and weight_i. advance_i
// says that the grant was used. The last winner keeps winning while it requests, up to its weight in grants; then the
// next requesting client in ascending order after it wins (wrapping, itself last), with its own weight. Weight 0 takes
// a client out. A client that yields to another one loses the rest of its grants. The search starts at client 0 after
// reset. weight_i: 8 bits per client, client 0 lowest.
// Spec: 70-memory-interface, section 3.1.
`include "nvdla_check.svh"
module nvdla_wrr_arbiter #(
    parameter int Clients = 2,
    parameter int IndexBits = 1
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic [  Clients-1:0] req_i,
    input  logic [Clients*8-1:0] weight_i,
    input  logic                 advance_i,
    output logic [  Clients-1:0] grant_o,
    output logic [IndexBits-1:0] index_o
);
  logic [Clients-1:0] last_q;  // one-hot: last winner
  logic [7:0] left_q;          // grants it may still take without a new search
  logic [Clients-1:0] enabled, after_last, candidates;
  logic keep;

  // `after_last`: the clients after the last winner; with last_q = 0 (after reset) all clients.
  assign after_last = ~(last_q | (last_q - 1'b1)) | {Clients{last_q == '0}};

  always_comb begin
    enabled = '0;
    grant_o = '0;
    index_o = '0;
    candidates = '0;
    keep = 1'b0;
    if (req_i != '0) begin
      for (int i = 0; i < Clients; i++) enabled[i] = req_i[i] & (weight_i[i*8+:8] != 8'd0);
      keep = (left_q != 8'd0) & ((enabled & last_q) != '0);
      candidates = ((enabled & after_last) != '0) ? enabled & after_last : enabled;
      grant_o = keep ? last_q : candidates & (~candidates + 1'b1);
      for (int i = 1; i < Clients; i++) if (grant_o[i]) index_o = IndexBits'(i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      last_q <= '0;
      left_q <= '0;
    end else if (advance_i) begin
      last_q <= grant_o;
      left_q <= keep ? left_q - 8'd1 : weight_i[32'(index_o)*8+:8] - 8'd1;
    end

  `NVDLA_PARAM(IndexLegal, Clients >= 1 && 2 ** IndexBits >= Clients)
  `NVDLA_CHECK(OneWinner, `NVDLA_ONEHOT0(grant_o))
  `NVDLA_CHECK(WinnerRequests, (grant_o & ~req_i) == '0)
  `NVDLA_CHECK(IndexIsTheWinner, grant_o == '0 || grant_o == Clients'(1) << index_o)
  `NVDLA_CHECK(AdvancesWithAWinner, !advance_i || grant_o != '0)

`ifdef NVDLA_CHECKS
  // No client waits for more grants than all weights together.
  int waits_q[0:Clients-1];
  logic [31:0] weights;
  logic [Clients-1:0] may_win, starves;
  always_comb begin
    weights = '0;
    for (int i = 0; i < Clients; i++) begin
      weights = weights + 32'(weight_i[i*8+:8]);
      may_win[i] = req_i[i] && weight_i[i*8+:8] != 8'd0;
    end
    for (int i = 0; i < Clients; i++) starves[i] = waits_q[i] > 32'($signed(weights));
  end
  for (genvar i = 0; i < Clients; i++) begin : gen_waits
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) waits_q[i] <= 0;
      else if (!may_win[i] || (advance_i && grant_o[i])) waits_q[i] <= 0;
      else if (advance_i) waits_q[i] <= waits_q[i] + 1;
  end
  // The grants that the last winner may still take in a row.
  logic [Clients-1:0] winner_q;
  int row_q;
  logic goes_on;
  assign goes_on = row_q > 0 && (winner_q & may_win) != '0;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      winner_q <= '0;
      row_q    <= 0;
    end else if (advance_i) begin
      winner_q <= grant_o;
      row_q    <= (goes_on ? row_q : 32'(weight_i[32'(index_o)*8+:8])) - 1;
    end
  `NVDLA_CHECK(WinnerHasItsWeight, goes_on ? grant_o == winner_q :
               grant_o != winner_q || (may_win & ~winner_q) == '0)
  `NVDLA_CHECK(WeightlessNeverWin, (grant_o & ~may_win) == '0)
  `NVDLA_CHECK(SomebodyWins, may_win == '0 || grant_o != '0)
  `NVDLA_CHECK(NobodyStarves, starves == '0)
`endif
endmodule
