// A value of SDP's table in FP16: between two samples, or on a line beyond them.
//
// hit_i: y0_i * (1 - f) + y1_i * f, f being fraction_i / 2^35; else y0_i + (x_i - from_i) * slope_i, the difference
// formed in FP32. y0_i, y1_i and slope_i are FP16, x_i and from_i FP32 patterns; all else is FP17, and value_o too. It
// follows the inputs by three clocks with en_i.
// Spec: 55-lut, section 6.
module nvdla_fp17_weighted (
    input  logic        clk_i,
    input  logic        en_i,
    input  logic        hit_i,
    input  logic [15:0] y0_i,
    input  logic [15:0] y1_i,
    input  logic [34:0] fraction_i,
    input  logic [31:0] x_i,
    input  logic [31:0] from_i,
    input  logic [15:0] slope_i,
    output logic [16:0] value_o
);
  localparam logic [16:0] One = 17'h07c00;

  logic hit_q[0:1];
  logic [31:0] difference;
  logic [16:0] y0, y1, slope, rest, share, difference17, first_q, second_q, factor_q, y0_q[0:1], product0, product1;

  nvdla_fp_widen u_y0 (
      .a_i(y0_i),
      .z_o(y0)
  );
  nvdla_fp_widen u_y1 (
      .a_i(y1_i),
      .z_o(y1)
  );
  nvdla_fp_widen u_slope (
      .a_i(slope_i),
      .z_o(slope)
  );
  nvdla_fp17_from_fraction u_rest (
      .a_i(-fraction_i),  // 1 less the fraction, unless that is 0
      .z_o(rest)
  );
  nvdla_fp17_from_fraction u_second (
      .a_i(fraction_i),
      .z_o(share)
  );

  nvdla_fp_add u_difference (
      .clk_i,
      .en_i,
      .a_i  (x_i),
      .b_i  ({~from_i[31], from_i[30:0]}),
      .sum_o(difference)
  );
  nvdla_fp_narrow #(
      .ExpOut   (6),
      .Denormals(0)
  ) u_difference17 (
      .a_i(difference),
      .z_o(difference17)
  );
  nvdla_fp_mul #(
      .ExpBits(6),
      .ManBits(10)
  ) u_product0 (
      .clk_i,
      .en_i,
      .a_i      (first_q),
      .b_i      (y0_q[0]),
      .product_o(product0)
  );
  nvdla_fp_mul #(
      .ExpBits(6),
      .ManBits(10)
  ) u_product1 (
      .clk_i,
      .en_i,
      .a_i      (hit_q[0] ? second_q : difference17),
      .b_i      (factor_q),
      .product_o(product1)
  );
  nvdla_fp_add #(
      .ExpBits(6),
      .ManBits(10)
  ) u_value (
      .clk_i,
      .en_i,
      .a_i  (hit_q[1] ? product0 : y0_q[1]),
      .b_i  (product1),
      .sum_o(value_o)
  );
  always_ff @(posedge clk_i)
    if (en_i) begin
      hit_q[0] <= hit_i;
      hit_q[1] <= hit_q[0];
      first_q  <= (fraction_i == '0) ? One : rest;
      second_q <= share;
      factor_q <= hit_i ? y1 : slope;
      y0_q[0]  <= y0;
      y0_q[1]  <= y0_q[0];
    end
endmodule
