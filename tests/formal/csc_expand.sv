// nvdla_csc_expand, the hardware, of any mask and any bytes of one bit (bytes move as they are): a lane has the byte
// whose number is how many mask bits are set before it, or 0 if its own is not set. The lane is any one. Registers are
// wires here: the mask stays.
module proof #(
    parameter int Lanes    = 16,
    parameter int LaneBits = $clog2(Lanes)
) (
    input  logic             clk_i,
    input  logic [Lanes-1:0] mask_i,
    input  logic [Lanes-1:0] bits_i
);
  (* anyconst *) logic [LaneBits-1:0] lane;
  logic [8*Lanes-1:0] bytes, data;
  always_comb begin
    bytes = '0;
    for (int i = 0; i < Lanes; i++) bytes[8*i] = bits_i[i];
  end

  nvdla_csc_expand #(
      .Lanes(Lanes)
  ) dut (
      .clk_i   (clk_i),
      .load_i  (1'b1),
      .mask_i  (mask_i),
      .use_i   (1'b1),
      .packed_i(bytes),
      .data_o  (data)
  );

  logic [LaneBits-1:0] place;
  logic expected, found;
  always_comb begin
    place    = '0;
    expected = 1'b0;
    found    = 1'b0;
    for (int i = 0; i < Lanes; i++) if (i < 32'(lane) && mask_i[i]) place = place + 1'b1;
    for (int i = 0; i < Lanes; i++) begin
      if (i == 32'(place)) expected = bits_i[i];
      if (i == 32'(lane)) found = data[8*i];
    end
  end

  always @(posedge clk_i) begin
    `HOLDS(found == (mask_i[lane] ? expected : 1'b0))
    `REACHED(place == LaneBits'(Lanes / 2 - 1) && 32'(lane) == Lanes - 2)
  end
endmodule
