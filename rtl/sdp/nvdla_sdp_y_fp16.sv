// MUL and ALU of SDP's EW stage in FP16 layers: SdpEwThroughput lanes of FP32 patterns.
//
// Five stages, as nvdla_sdp_y has for integers, which all move on with move_i: operands as they came; FP32 operands;
// product; the number that the ALU sees; result. valid_i: a beat enters with move_i. Operands from memory are FP16
// patterns, a NaN among them becomes 0 with nan_to_zero_i; operands of registers are FP32 patterns as they are. on_i: a
// layer in FP16 runs; without beats, and without on_i, nothing here is clocked. Settings are stable while beats are
// inside.
// Spec: 50-sdp, sections 6.1 to 6.3.
module nvdla_sdp_y_fp16
  import nvdla_pkg::*;
  import nvdla_sdp_pkg::*;
(
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             clk_on_i,
    input  logic                             on_i,
    input  logic                             nan_to_zero_i,
    input  logic                             alu_bypass_i,
    input  logic [                      1:0] alu_algo_i,
    input  logic                             alu_mem_i,
    input  logic [                     31:0] alu_operand_i,
    input  logic                             mul_bypass_i,
    input  logic                             mul_prelu_i,
    input  logic                             mul_mem_i,
    input  logic [                     31:0] mul_operand_i,
    input  logic                             move_i,
    input  logic                             valid_i,
    input  logic [SdpEwThroughput-1:0][31:0] data_i,
    input  logic [SdpEwThroughput-1:0][15:0] op_alu_i,
    input  logic [SdpEwThroughput-1:0][15:0] op_mul_i,
    output logic [SdpEwThroughput-1:0][31:0] data_o
);
  localparam int Stages = 5;

  logic [Stages-1:1] valid_q;  // a beat has left the stage
  logic [Stages:1] now;        // a beat goes through the stage
  logic clk;
  assign now = {valid_q, valid_i && on_i} & {Stages{move_i}};

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) valid_q <= '0;
    else if (move_i) valid_q <= {valid_q[Stages-2:1], valid_i && on_i};

  nvdla_clock_gate #(
      .After(0)
  ) u_clock (
      .clk_i,
      .rst_ni(1'b1),  // nothing behind it is reset
      .on_i  (clk_on_i),
      .work_i(now != '0),
      .clk_o (clk)
  );

  // The settings as stages see them, registered so that what depends on them alone sleeps with the clock.
  logic nan_to_zero_q, smaller_q, alu_bypass_q;
  logic [1:0] algo_q;
  always_ff @(posedge clk)
    if (now[1]) begin
      nan_to_zero_q <= nan_to_zero_i;
      smaller_q     <= alu_algo_i == AlgoMin;
      alu_bypass_q  <= alu_bypass_i;
      algo_q        <= alu_algo_i;
    end

  // A NaN of FP16.
  function automatic logic is_nan(input logic [14:0] x);
    return x > 15'h7c00;
  endfunction

  for (genvar g = 0; g < SdpEwThroughput; g++) begin : gen_lane
    logic [31:0] data_1_q, data_2_q, data_3_q, data_4_q, mul_2_q, alu_2_q, alu_3_q, alu_4_q, alu_wide, mul_wide, scaled,
        sum, extreme, other_q;
    logic [15:0] op_alu_q, op_mul_q;
    logic multiplied_q;

    nvdla_fp_widen #(
        .ExpOut(8),
        .ManOut(23)
    ) u_alu_wide (
        .a_i(nan_to_zero_q && is_nan(op_alu_q[14:0]) ? 16'd0 : op_alu_q),
        .z_o(alu_wide)
    );
    nvdla_fp_widen #(
        .ExpOut(8),
        .ManOut(23)
    ) u_mul_wide (
        .a_i(nan_to_zero_q && is_nan(op_mul_q[14:0]) ? 16'd0 : op_mul_q),
        .z_o(mul_wide)
    );
    nvdla_fp_mul u_product (
        .clk_i    (clk),
        .en_i     (now[3] && !mul_bypass_i),
        .a_i      (data_2_q),
        .b_i      (mul_2_q),
        .product_o(scaled)
    );
    logic sum_now;
    assign sum_now = now[5] && !alu_bypass_i && algo_q == AlgoSum;
    nvdla_fp_add u_sum (
        .clk_i(clk),
        .en_i (sum_now),
        .a_i  (data_4_q),
        .b_i  (alu_4_q),
        .sum_o(sum)
    );
    nvdla_fp_extreme u_extreme (
        .a_i      (data_4_q),
        .b_i      (alu_4_q),
        .smaller_i(smaller_q),
        .z_o      (extreme)
    );
    assign data_o[g] = !alu_bypass_q && algo_q == AlgoSum ? sum : other_q;

    always_ff @(posedge clk) begin
      if (now[1]) begin
        data_1_q <= data_i[g];
        op_alu_q <= op_alu_i[g];
        op_mul_q <= op_mul_i[g];
      end
      if (now[2]) begin
        data_2_q <= data_1_q;
        mul_2_q  <= mul_mem_i ? mul_wide : mul_operand_i;
        alu_2_q  <= alu_mem_i ? alu_wide : alu_operand_i;
      end
      if (now[3]) begin
        data_3_q     <= data_2_q;
        alu_3_q      <= alu_2_q;
        multiplied_q <= !mul_bypass_i && (!mul_prelu_i || data_2_q[31]);
      end
      if (now[4]) begin
        data_4_q <= multiplied_q ? scaled : data_3_q;
        alu_4_q  <= alu_3_q;
      end
      if (now[5]) begin
        if (alu_bypass_q) other_q <= data_4_q;
        else if (algo_q == AlgoEqual) other_q <= {31'd0, data_4_q != alu_4_q};
        else other_q <= extreme;
      end
    end
  end
endmodule
