// nvdla_fifo: never more than Depth words, ready and valid tell the level, words come out in the order they went in.
//
// One word is marked when it goes in, at any time that the solver likes; it must come out unchanged behind exactly
// those before it.
module proof #(
    parameter int Depth = 3,
    parameter int Registered = 0
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       in_valid_i,
    input  logic       out_ready_i,
    input  logic [1:0] in_data_i,
    input  logic       mark_i
);
  logic in_ready, out_valid;
  logic [1:0] out_data;

  nvdla_fifo #(
      .Width     (2),
      .Depth     (Depth),
      .Registered(Registered)
  ) dut (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .in_valid_i (in_valid_i),
      .in_ready_o (in_ready),
      .in_data_i  (in_data_i),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready_i),
      .out_data_o (out_data)
  );

  logic started = 1'b0;
  logic [7:0] level_q, before_q;
  logic marked_q, over_q;
  logic [1:0] word_q;
  wire push = in_valid_i && in_ready;
  wire pop = out_valid && out_ready_i;

  always @(posedge clk_i) begin
    started <= 1'b1;
    assume (rst_ni == started);
    if (!rst_ni) begin
      level_q  <= 8'd0;
      marked_q <= 1'b0;
      over_q   <= 1'b0;
    end else begin
      level_q <= level_q + push - pop;
      if (push && mark_i && !marked_q) begin
        marked_q <= 1'b1;
        word_q   <= in_data_i;
        before_q <= level_q - pop;
      end else if (pop && marked_q && !over_q) begin
        before_q <= before_q - 8'd1;
        over_q   <= before_q == 8'd0;
      end
      `HOLDS(level_q <= Depth)
      `HOLDS(in_ready == (level_q != Depth))
      `HOLDS(out_valid == (level_q != 0))
      if (marked_q && !over_q) begin `HOLDS(before_q < level_q) end
      if (marked_q && !over_q && before_q == 0) begin `HOLDS(out_valid && out_data == word_q) end
      `REACHED(over_q && level_q == Depth)
    end
  end
endmodule
