// One lane of the output convertor of INT8 (nvdla_sdp_cvt). Three registers, moved by take_i, multiply_i and round_i.
// Spec: 50-sdp sections 5.3, 9 and 10.
module nvdla_sdp_cvt_lane
  import nvdla_sdp_pkg::*;
(
    input  logic        clk_i, take_i, multiply_i, round_i, compare_i,
    input  logic [31:0] offset_i,
    input  logic [15:0] scale_i,
    input  logic [ 5:0] shift_i,
    input  logic [31:0] data_i,
    output logic [ 7:0] data_o,
    output logic        saturated_o
);
  logic signed [32:0] difference_q;
  logic signed [48:0] product_q;
  logic [8:0] result_q;
  assign {saturated_o, data_o} = result_q;

  always_ff @(posedge clk_i) begin
    if (take_i) difference_q <= difference($signed(data_i), compare_i ? 32'sd0 : $signed(offset_i));
    if (multiply_i) begin
      if (compare_i) product_q <= $signed({{16{difference_q[32]}}, difference_q});
      else product_q <= product(difference_q, $signed(scale_i));
    end
    if (round_i) result_q <= compare_i ? {1'b0, product_q[7:0]} : cvt_round(product_q, shift_i);
  end
endmodule
