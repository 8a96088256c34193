// One lane of an X stage (BS or BN) in FP16 layers: ALU, MUL and ReLU on FP32 patterns with FP16 operands.
//
// Three registers, moved by their enables, which are given in FP16 layers only: take_i brings the data and both
// operands in, alu_i moves them through the ALU, mul_i through the multiplier; data_o is the third one after ReLU.
// nan_to_zero_i: an operand that is NaN counts as +0. PReLU passes what has sign bit 0. Shifts do not count.
// Spec: 50-sdp sections 6.1 to 6.3.
module nvdla_sdp_x_fp
  import nvdla_sdp_pkg::*;
(
    input  logic        clk_i,
    input  logic        take_i,
    input  logic        alu_i,
    input  logic        mul_i,
    input  logic        alu_bypass_i,
    input  logic [ 1:0] alu_algo_i,
    input  logic        mul_bypass_i,
    input  logic        mul_prelu_i,
    input  logic        relu_i,
    input  logic        nan_to_zero_i,
    input  logic [31:0] data_i,
    input  logic [15:0] op_alu_i,
    input  logic [15:0] op_mul_i,
    output logic [31:0] data_o
);
  // Operands as they come; widened behind a register of this clock, so that integer layers do not pay for it.
  logic [31:0] data_q;
  logic [15:0] alu_q, mul_q;
  always_ff @(posedge clk_i) begin
    if (take_i) begin
      data_q <= data_i;
      alu_q <= (nan_to_zero_i && op_alu_i[14:0] > 15'h7c00) ? 16'd0 : op_alu_i;
      mul_q <= (nan_to_zero_i && op_mul_i[14:0] > 15'h7c00) ? 16'd0 : op_mul_i;
    end
  end

  // ALU.
  logic [31:0] alu, extreme, added, other_q, factor, factor_q;
  logic adds, adds_q, smaller;
  assign smaller = alu_algo_i == AlgoMin;
  nvdla_fp_widen #(
      .ExpOut(8),
      .ManOut(23)
  ) u_widen_alu (
      .a_i(alu_q),
      .z_o(alu)
  );
  nvdla_fp_widen #(
      .ExpOut(8),
      .ManOut(23)
  ) u_widen_mul (
      .a_i(mul_q),
      .z_o(factor)
  );
  nvdla_fp_extreme u_extreme (
      .a_i      (data_q),
      .b_i      (alu),
      .smaller_i(smaller),
      .z_o      (extreme)
  );
  assign adds = !alu_bypass_i && alu_algo_i == AlgoSum;
  nvdla_fp_add u_add (
      .clk_i,
      .en_i (alu_i && adds),
      .a_i  (data_q),
      .b_i  (alu),
      .sum_o(added)
  );
  always_ff @(posedge clk_i) begin
    if (alu_i) begin
      adds_q <= adds;
      factor_q <= factor;
      if (alu_bypass_i) other_q <= data_q;
      else if (alu_algo_i == AlgoEqual) other_q <= {31'd0, data_q != alu};
      else other_q <= extreme;
    end
  end

  // MUL.
  logic [31:0] behind_alu, scaled, pass_q;
  logic passes, passes_q;
  assign behind_alu = adds_q ? added : other_q;
  assign passes = mul_bypass_i || (mul_prelu_i && !behind_alu[31]);
  nvdla_fp_mul u_mul (
      .clk_i,
      .en_i     (mul_i && !passes),
      .a_i      (behind_alu),
      .b_i      (factor_q),
      .product_o(scaled)
  );
  always_ff @(posedge clk_i) begin
    if (mul_i) begin
      passes_q <= passes;
      pass_q <= behind_alu;
    end
  end

  // ReLU: what is negative becomes +0, but a NaN stays.
  logic [31:0] result;
  assign result = passes_q ? pass_q : scaled;
  assign data_o = (relu_i && result[31] && result[30:0] <= 31'h7f80_0000) ? 32'd0 : result;
endmodule
