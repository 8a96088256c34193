// X stage (BS or BN): ALU, MUL, rounding shift, ReLU on SdpBsThroughput lanes of 32-bit integers, with FP16 also of
// FP32 patterns.
//
// With bypass_i data passes combinationally and no operands are taken. Otherwise each transfer takes one beat of memory
// operands if one of its active units has its source in memory (*_mem_i), and waits for it; a component that the memory
// layout does not have never comes. Settings are stable while data is inside.
// fp_i: the layer is FP16 (configurations with FP16). Latency: 3 clocks (ALU, product, shift; FP16: operands, ALU,
// product), 0 in bypass. The three registers move together.
// Spec: 50-sdp sections 5.1 and 6.3.
`include "nvdla_check.svh"
module nvdla_sdp_x
  import nvdla_pkg::*;
  import nvdla_sdp_pkg::*;
(
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             clk_on_i,
    input  logic                             fp_i,
    input  logic                             nan_to_zero_i,
    // Settings of the layer: D_DP_BS_* or D_DP_BN_*.
    input  logic                             bypass_i,
    input  logic                             alu_bypass_i,
    input  logic [                      1:0] alu_algo_i,
    input  logic                             alu_mem_i,
    input  logic [                      5:0] alu_shift_i,
    input  logic [                     15:0] alu_operand_i,
    input  logic                             mul_bypass_i,
    input  logic                             mul_prelu_i,
    input  logic                             mul_mem_i,
    input  logic [                      5:0] mul_shift_i,
    input  logic [                     15:0] mul_operand_i,
    input  logic                             relu_bypass_i,
    // Operands from memory.
    input  logic                             op_valid_i,
    output logic                             op_ready_o,
    input  logic                             op_alu_present_i,
    input  logic                             op_mul_present_i,
    input  logic [SdpBsThroughput-1:0][15:0] op_alu_i,
    input  logic [SdpBsThroughput-1:0][15:0] op_mul_i,
    // Data.
    output logic                             busy_o,  // results inside
    input  logic                             valid_i,
    output logic                             ready_o,
    input  logic [SdpBsThroughput-1:0][31:0] data_i,
    input  logic                             last_i,
    output logic                             valid_o,
    input  logic                             ready_i,
    output logic [SdpBsThroughput-1:0][31:0] data_o,
    output logic                             last_o
);
  logic alu_from_mem, mul_from_mem, operands_here, move, take;
  logic first, second, stage_valid, stage_last;

  assign alu_from_mem = !alu_bypass_i && alu_mem_i;
  assign mul_from_mem = !mul_bypass_i && mul_mem_i;
  assign operands_here = (!alu_from_mem || (op_valid_i && op_alu_present_i)) &&
                         (!mul_from_mem || (op_valid_i && op_mul_present_i));
  assign take = valid_i && !bypass_i && move && operands_here;
  assign op_ready_o = take && (alu_from_mem || mul_from_mem);
  assign ready_o = bypass_i ? ready_i : move && operands_here;
  assign valid_o = bypass_i ? valid_i : stage_valid;
  assign last_o = bypass_i ? last_i : stage_last;

  nvdla_sdp_stages u_stages (
      .clk_i,
      .rst_ni,
      .move_o  (move),
      .take_i  (take),
      .last_i,
      .first_o (first),
      .second_o(second),
      .busy_o,
      .valid_o (stage_valid),
      .ready_i,
      .last_o  (stage_last)
  );

  // Clocks of the lanes, each while elements of its kind go through them.
  logic fp, moves, integer_clk, fp_clk;
  assign fp = Fp16 != 0 && fp_i;
  assign moves = take || (move && (first || second));
  if (SdpBsThroughput == 1) begin : gen_one_lane
    assign integer_clk = clk_i;
    wire unused_moves = &{1'b0, moves, clk_on_i};
  end else begin : gen_integer_clock
    nvdla_clock_gate #(
        .After(0)
    ) u_integer_clock (
        .clk_i,
        .rst_ni(1'b1),  // nothing behind it is reset
        .on_i  (clk_on_i),
        .work_i(moves && !fp),
        .clk_o (integer_clk)
    );
  end
  if (Fp16 == 0) begin : gen_no_fp
    assign fp_clk = 1'b0;
    wire unused_fp = &{1'b0, fp_clk, fp_i, nan_to_zero_i};
  end else begin : gen_fp_clock
    nvdla_clock_gate #(
        .After(0)
    ) u_fp_clock (
        .clk_i,
        .rst_ni(1'b1),
        .on_i  (clk_on_i),
        .work_i(moves && fp),
        .clk_o (fp_clk)
    );
  end

  for (genvar g = 0; g < SdpBsThroughput; g++) begin : gen_lane
    logic [31:0] result;
    nvdla_sdp_x_int u_int (
        .clk_i     (integer_clk),
        .take_i    (take && !fp),
        .multiply_i(move && first && !fp),
        .round_i   (move && second && !fp),
        .alu_bypass_i,
        .alu_algo_i,
        .alu_shift_i,
        .mul_bypass_i,
        .mul_prelu_i,
        .mul_shift_i,
        .relu_i    (!relu_bypass_i),
        .data_i    (data_i[g]),
        .op_alu_i  (alu_mem_i ? op_alu_i[g] : alu_operand_i),
        .op_mul_i  (mul_mem_i ? op_mul_i[g] : mul_operand_i),
        .data_o    (result)
    );
    if (Fp16 != 0) begin : gen_fp
      logic [31:0] fp_result;
      nvdla_sdp_x_fp u_fp (
          .clk_i   (fp_clk),
          .take_i  (take && fp_i),
          .alu_i   (move && first && fp_i),
          .mul_i   (move && second && fp_i),
          .alu_bypass_i,
          .alu_algo_i,
          .mul_bypass_i,
          .mul_prelu_i,
          .relu_i  (!relu_bypass_i),
          .nan_to_zero_i,
          .data_i  (data_i[g]),
          .op_alu_i(alu_mem_i ? op_alu_i[g] : alu_operand_i),
          .op_mul_i(mul_mem_i ? op_mul_i[g] : mul_operand_i),
          .data_o  (fp_result)
      );
      assign data_o[g] = bypass_i ? data_i[g] : fp_i ? fp_result : result;
    end else begin : gen_int
      assign data_o[g] = bypass_i ? data_i[g] : result;
    end
  end

  `NVDLA_STABLE(InputStable, valid_i, ready_o, {data_i, last_i})
  `NVDLA_STABLE(OperandsStable, op_valid_i, op_ready_o, {op_alu_present_i, op_mul_present_i, op_alu_i, op_mul_i})
  `NVDLA_STABLE(OutputStable, valid_o, ready_i, {data_o, last_o})
  `NVDLA_CHECK(OperandsOnlyWithData, !op_ready_o || (valid_i && op_valid_i))

`ifdef NVDLA_CHECKS
  // What goes in comes out: the results of the beats inside. FP16: by the arithmetic of nvdla_check_fp_pkg.
  logic known;
`ifdef SYNTHESIS
  assign known = !fp;
`else
  assign known = 1'b1;
  function automatic logic [31:0] floating_result(input logic [31:0] start, input logic [15:0] alu,
      input logic [15:0] mul);
    logic [31:0] value;
    value = start;
    if (!alu_bypass_i)
      value = nvdla_check_fp_pkg::alu(value, nvdla_check_fp_pkg::operand(alu, nan_to_zero_i), alu_algo_i);
    if (!mul_bypass_i && (!mul_prelu_i || value[31]))
      value = nvdla_check_fp_pkg::product(value, nvdla_check_fp_pkg::operand(mul, nan_to_zero_i), 8, 23);
    if (!relu_bypass_i && value[31] && !nvdla_check_fp_pkg::is_nan(value, 8, 23)) value = '0;
    return value;
  endfunction
`endif
  logic [SdpBsThroughput*32-1:0] result;
  always_comb begin
    logic signed [32:0] sum;
    logic signed [15:0] factor;
    logic signed [48:0] scaled;
    logic pass;
    result = '0;
    sum    = '0;
    factor = '0;
    scaled = '0;
    pass   = 1'b0;
    if (take && known)
      for (int g = 0; g < SdpBsThroughput; g++) begin
        sum = 33'($signed(data_i[g]));
        if (!alu_bypass_i)
          sum = x_alu($signed(data_i[g]), $signed(alu_mem_i ? op_alu_i[g] : alu_operand_i), alu_shift_i, alu_algo_i);
        factor = $signed(mul_mem_i ? op_mul_i[g] : mul_operand_i);
        pass   = !mul_bypass_i && mul_prelu_i && !sum[32];
        scaled = $signed({{16{sum[32]}}, sum});
        if (!mul_bypass_i && !pass) scaled = product(sum, factor);
        result[g*32+:32] = x_round(scaled, pass, mul_shift_i, !relu_bypass_i);
`ifndef SYNTHESIS
        if (fp)
          result[g*32+:32] = floating_result(data_i[g], alu_mem_i ? op_alu_i[g] : alu_operand_i,
                                             mul_mem_i ? op_mul_i[g] : mul_operand_i);
`endif
      end
  end
  `NVDLA_QUEUE(Results, SdpBsThroughput * 32 + 1, 4, take && known, {result, last_i}, !bypass_i && known && valid_o,
               !bypass_i && known && valid_o && ready_i,
               {data_o, last_o})
`endif
endmodule
