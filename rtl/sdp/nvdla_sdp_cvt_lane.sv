// One lane of the output convertor (nvdla_sdp_cvt).
//
// Three registers, moved by take_i, multiply_i and round_i; fp_clk_i is the clock of what is FP16, clk_i of the rest.
// int8_i, fp_out_i: OUT_PRECISION is INT8, FP16.
// Spec: 50-sdp sections 5.3, 6.4, 9 and 10.
module nvdla_sdp_cvt_lane
  import nvdla_pkg::*;
  import nvdla_sdp_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   fp_clk_i,
    input  logic                   take_i,
    input  logic                   multiply_i,
    input  logic                   round_i,
    input  logic                   compare_i,
    input  logic                   fp_i,
    input  logic                   int8_i,
    input  logic                   fp_out_i,
    input  logic [           31:0] offset_i,
    input  logic [           15:0] scale_i,
    input  logic [            5:0] shift_i,
    input  logic [           31:0] data_i,
    output logic [8*LaneBytes-1:0] data_o,
    output logic                   saturated_o
);
  // Integers. pass: of INT8 alone d goes through the same registers in compare mode.
  logic signed [32:0] difference_q;
  logic signed [48:0] product_q;
  logic [8*LaneBytes-1:0] result_q;
  logic pass, fp, flag_q;
  assign pass = LaneBytes == 1 && compare_i;
  assign fp = Fp16 != 0 && fp_i;

  always_ff @(posedge clk_i) begin
    if (take_i && !fp) difference_q <= difference($signed(data_i), pass ? 32'sd0 : $signed(offset_i));
    if (multiply_i && !fp) begin
      if (pass) product_q <= $signed({{16{difference_q[32]}}, difference_q});
      else product_q <= product(difference_q, $signed(scale_i));
    end
    if (round_i && !fp)
      {flag_q, result_q} <= pass ? {1'b0, product_q[8*LaneBytes-1:0]} : cvt_element(product_q, shift_i, int8_i);
  end

  if (LaneBytes == 1) begin : gen_int8
    assign data_o = result_q;
    assign saturated_o = flag_q;
    wire unused_modes = &{1'b0, fp_clk_i, fp_i, fp_out_i};
  end else begin : gen_wide
    logic [15:0] low1_q, low2_q, low_q;  // of d, in compare mode
    always_ff @(posedge clk_i)
      if (compare_i) begin
        if (take_i) low1_q <= data_i[15:0];
        if (multiply_i) low2_q <= low1_q;
        if (round_i) low_q <= low2_q;
      end

    if (Fp16 == 0) begin : gen_integers
      assign data_o = compare_i ? low_q : result_q;
      assign saturated_o = flag_q;
      wire unused_modes = &{1'b0, fp_clk_i, fp_i, fp_out_i};
    end else begin : gen_fp16  // in or out
      logic [16:0] t_q;
      logic [31:0] fp_q;
      logic [15:0] half, half_q, fp_result_q, integer_of_half, half_of_integer, fp_result;
      nvdla_fp_narrow u_narrow (
          .a_i(fp_q),
          .z_o(half)
      );
      nvdla_fp16_to_int16 u_to_int16 (
          .a_i(half_q),
          .z_o(integer_of_half)
      );
      always_ff @(posedge fp_clk_i) begin
        if (take_i && fp_i) fp_q <= data_i;
        if (multiply_i && fp_i) half_q <= half;
        if (round_i && fp_i) fp_result_q <= fp_out_i ? half_q : integer_of_half;
        if (round_i && !fp_i && fp_out_i) t_q <= 17'(cvt_round_17(product_q, shift_i));
      end
      assign half_of_integer = nvdla_fp16_pkg::fp16_from_int17(t_q);
      assign fp_result = fp_i ? fp_result_q : half_of_integer;
      assign data_o = compare_i ? low_q : (fp_i || fp_out_i) ? fp_result : result_q;
      assign saturated_o = fp_out_i ? fp_result[14:0] == 15'h7bff : !fp_i && flag_q;
    end
  end
endmodule
