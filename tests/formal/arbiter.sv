// nvdla_wrr_arbiter: whenever a client with a weight requests, one such client gets the grant, and each of
// them again before the others have taken more than the sum of their weights (70-memory-interface section 3.1).
module proof (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic [2:0] req_i,
    input  logic       take_i
);
  (* anyconst *) logic [5:0] weights;  // 0..3 each
  logic [23:0] weight;
  logic [2:0] grant, able;
  logic [1:0] index;

  assign weight = {6'd0, weights[5:4], 6'd0, weights[3:2], 6'd0, weights[1:0]};
  assign able = req_i & {weights[5:4] != 0, weights[3:2] != 0, weights[1:0] != 0};

  nvdla_wrr_arbiter #(
      .Clients  (3),
      .IndexBits(2)
  ) dut (
      .clk_i    (clk_i),
      .rst_ni   (rst_ni),
      .req_i    (req_i),
      .weight_i (weight),
      .advance_i(take_i && grant != 3'd0),
      .grant_o  (grant),
      .index_o  (index)
  );

  logic started = 1'b0;
  logic [4:0] waited_q;  // grants to others while client 0 requests
  wire  [4:0] others = {3'd0, weights[5:4]} + {3'd0, weights[3:2]};

  always @(posedge clk_i) begin
    started <= 1'b1;
    assume (rst_ni == started);
    if (!rst_ni) waited_q <= 5'd0;
    else begin
      `HOLDS((grant & ~able) == 3'd0)
      `HOLDS((grant & (grant - 3'd1)) == 3'd0)
      `HOLDS((grant != 3'd0) == (able != 3'd0))
      if (grant != 3'd0) begin `HOLDS(grant[index]) end
      if (!able[0] || (take_i && grant[0])) waited_q <= 5'd0;
      else if (take_i && grant != 3'd0) waited_q <= waited_q + 5'd1;
      `HOLDS(waited_q <= others)
      `REACHED(waited_q == 5'd6)
    end
  end
endmodule
