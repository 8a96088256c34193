// nvdla_async_fifo with two clocks that tick as the solver likes: never more words than it has room for, words come out
// in order, and the writer's level is never below what is inside.
module proof (
    input  logic wr_clk,
    input  logic rd_clk,
    input  logic wr_valid,
    input  logic rd_ready,
    input  logic wr_data,
    input  logic mark
);
  logic wr_ready, rd_valid, rd_data;
  logic [1:0] level;
  (* gclk *) logic clk;

  logic [1:0] age = 2'd0;
  logic rst_n = 1'b0;

  nvdla_async_fifo #(
      .Width    (1),
      .DepthLog2(1)
  ) dut (
      .wr_clk_i  (wr_clk),
      .wr_rst_ni (rst_n),
      .wr_valid_i(wr_valid),
      .wr_ready_o(wr_ready),
      .wr_data_i (wr_data),
      .wr_level_o(level),
      .rd_clk_i  (rd_clk),
      .rd_rst_ni (rst_n),
      .rd_valid_o(rd_valid),
      .rd_ready_i(rd_ready),
      .rd_data_o (rd_data)
  );

  logic wr_clk_q, rd_clk_q, wr_valid_q, rd_ready_q, wr_data_q, mark_q;
  logic wr_ready_q, rd_valid_q, rd_data_q;
  logic [3:0] inside_q = 4'd0, before_q;
  logic marked_q = 1'b0, over_q = 1'b0, word_q;
  wire wr_edge = wr_clk && !wr_clk_q;
  wire rd_edge = rd_clk && !rd_clk_q;
  wire push = rst_n && wr_edge && wr_valid_q && wr_ready_q;
  wire pop = rst_n && rd_edge && rd_ready_q && rd_valid_q;

  // Inputs change away from their clock's edge: an edge samples the value before it.
  always @(posedge clk) begin
    if (age != 2'd3) age <= age + 2'd1;
    rst_n <= age >= 2'd1;
    wr_clk_q <= wr_clk;
    rd_clk_q <= rd_clk;
    {wr_valid_q, wr_data_q, mark_q, wr_ready_q} <= {wr_valid, wr_data, mark, wr_ready};
    {rd_ready_q, rd_valid_q, rd_data_q} <= {rd_ready, rd_valid, rd_data};
    if (age == 2'd0) assume (!wr_clk && !rd_clk);
    if (age != 2'd0 && wr_edge) assume (wr_valid == wr_valid_q && wr_data == wr_data_q && mark == mark_q);
    if (age != 2'd0 && rd_edge) assume (rd_ready == rd_ready_q);
    if (age == 2'd3) begin
      inside_q <= inside_q + push - pop;
      if (push && mark_q && !marked_q) begin
        marked_q <= 1'b1;
        word_q   <= wr_data_q;
        before_q <= inside_q - pop;
      end else if (pop && marked_q && !over_q) begin
        before_q <= before_q - 4'd1;
        over_q   <= before_q == 4'd0;
      end
      `HOLDS(inside_q <= 4'd2)
      if (pop) begin `HOLDS(inside_q != 4'd0) end
      if (pop && marked_q && !over_q && before_q == 4'd0) begin `HOLDS(rd_data_q == word_q) end
      `REACHED(over_q && inside_q == 4'd2)
    end else assume (!wr_clk && !rd_clk);
  end
endmodule
