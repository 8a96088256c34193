// nvdla_funnel, in the form that the defines choose: any lane of the window is that of both words side by side.
module proof #(
    parameter int Lanes = 16
) (
    input  logic             clk_i,
    input  logic             high_valid_i,
    input  logic [      4:0] at_i,
    input  logic [Lanes-1:0] low_i,
    input  logic [Lanes-1:0] high_i
);
  logic [4*Lanes-1:0] low, high, data;
  logic [3*Lanes-1:0] words;
  (* anyconst *) logic [3:0] lane;
  logic expected, found;
  always_comb begin
    low      = '0;
    high     = '0;
    words    = {{Lanes{1'b0}}, high_i & {Lanes{high_valid_i}}, low_i};
    expected = 1'b0;
    found    = 1'b0;
    for (int i = 0; i < Lanes; i++) begin  // the highest bit of each lane
      low[4*i+3]  = low_i[i];
      high[4*i+3] = high_i[i];
      if (i == 32'(lane)) found = data[4*i+3];
    end
    for (int i = 0; i < 3 * Lanes; i++) if (i == 32'(lane) + 32'(at_i)) expected = words[i];
  end

  nvdla_funnel #(
      .Lanes   (Lanes),
      .LaneBits(4)
  ) dut (
      .low_i       (low),
      .high_i      (high),
      .high_valid_i(high_valid_i),
      .at_i        (at_i),
      .data_o      (data)
  );

  always @(posedge clk_i)
    if (32'(at_i) <= Lanes) begin
      `HOLDS(found == expected)
      `REACHED(found && 32'(lane) >= Lanes - 32'(at_i))
    end
endmodule
