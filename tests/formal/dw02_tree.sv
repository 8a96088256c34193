// NV_DW02_tree (tb/nvidia) against its definition bit by bit: full adders in rounds, one column after the other.
module proof #(
    parameter int Inputs = 7,
    parameter int Width = 4
) (
    input  logic                    clk_i,
    input  logic [Inputs*Width-1:0] in_i
);
  wire [Width-1:0] out0, out1;
  NV_DW02_tree #(
      .num_inputs (Inputs),
      .input_width(Width)
  ) dut (
      .INPUT(in_i),
      .OUT0 (out0),
      .OUT1 (out1)
  );

  reg [Inputs*Width-1:0] now, next;
  integer round, three, column, rest;

  function automatic integer left(input integer rounds);  // words that are left
    integer i;
    begin
      left = Inputs;
      for (i = 0; i < rounds; i = i + 1) if (left > 2) left = left - left / 3;
    end
  endfunction

  always @* begin
    now = in_i;
    for (round = 0; round < Inputs; round = round + 1)
      if (left(round) > 2) begin
        next = 0;
        for (three = 0; three < left(round) / 3; three = three + 1)
          for (column = 0; column < Width; column = column + 1) begin
            next[2*three*Width+column] =
                now[3*three*Width+column] ^ now[(3*three+1)*Width+column] ^ now[(3*three+2)*Width+column];
            if (column + 1 < Width)
              next[(2*three+1)*Width+column+1] =
                  {1'b0, now[3*three*Width+column]} + now[(3*three+1)*Width+column] + now[(3*three+2)*Width+column] > 1;
          end
        for (rest = 0; rest < (left(round) % 3) * Width; rest = rest + 1) next[2*(left(round)/3)*Width+rest] =
            now[3*(left(round)/3)*Width+rest];
        now  = next;
      end
  end
`ifdef REACH
  always @(posedge clk_i) assert (!(out0 == now[Width-1:0] && out0 != 0 && out1 != 0));
`else
  always @(posedge clk_i) begin
    assert (out0 == now[Width-1:0]);
    assert (out1 == now[2*Width-1:Width]);
  end
`endif
endmodule
