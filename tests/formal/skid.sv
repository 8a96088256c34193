// nvdla_skid: ready and valid follow from the word that is kept, which is the last one that came while the output
// waited.
module proof (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       in_valid_i,
    input  logic       out_ready_i,
    input  logic [1:0] in_data_i
);
  logic in_ready, out_valid;
  logic [1:0] out_data;

  nvdla_skid #(
      .Width(2)
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
  logic [1:0] level_q, word_q;
  wire push = in_valid_i && in_ready;
  wire pop = out_valid && out_ready_i;

  always @(posedge clk_i) begin
    started <= 1'b1;
    assume (rst_ni == started);
    if (!rst_ni) level_q <= 2'd0;
    else begin
      level_q <= level_q + push - pop;
      if (push) word_q <= in_data_i;
      `HOLDS(level_q <= 1)
      `HOLDS(in_ready == (level_q == 0))
      `HOLDS(out_valid == (level_q != 0 || in_valid_i))
      `HOLDS(!out_valid || out_data == (level_q != 0 ? word_q : in_data_i))
      `REACHED(level_q == 1 && pop && word_q == 2'd3)
    end
  end
endmodule
