// One lane of an X stage (BS or BN) in layers of integers: ALU, MUL, rounding shift and ReLU.
//
// Three registers, moved by their enables, which are given in such layers only: take_i brings the data through the ALU,
// multiply_i the sum through the multiplier, round_i the product to data_o.
// Spec: 50-sdp section 5.1.
module nvdla_sdp_x_int
  import nvdla_sdp_pkg::*;
(
    input  logic        clk_i,
    input  logic        take_i,
    input  logic        multiply_i,
    input  logic        round_i,
    input  logic        alu_bypass_i,
    input  logic [ 1:0] alu_algo_i,
    input  logic [ 5:0] alu_shift_i,
    input  logic        mul_bypass_i,
    input  logic        mul_prelu_i,
    input  logic [ 5:0] mul_shift_i,
    input  logic        relu_i,
    input  logic [31:0] data_i,
    input  logic [15:0] op_alu_i,
    input  logic [15:0] op_mul_i,
    output logic [31:0] data_o
);
  logic signed [32:0] sum_q;
  logic signed [15:0] factor_q;
  logic signed [48:0] product_q;
  logic pass_q;
  logic [31:0] result_q;
  assign data_o = result_q;

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      if (alu_bypass_i) sum_q <= $signed({data_i[31], data_i});
      else sum_q <= x_alu($signed(data_i), $signed(op_alu_i), alu_shift_i, alu_algo_i);
      factor_q <= $signed(op_mul_i);
    end
    if (multiply_i) begin
      pass_q <= !mul_bypass_i && mul_prelu_i && !sum_q[32];
      if (mul_bypass_i || (mul_prelu_i && !sum_q[32])) product_q <= $signed({{16{sum_q[32]}}, sum_q});
      else product_q <= product(sum_q, factor_q);
    end
    if (round_i) result_q <= x_round(product_q, pass_q, mul_shift_i, relu_i);
  end
endmodule
