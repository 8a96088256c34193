// A value of CDP's table in FP16: between two samples, or on a line beyond them.
//
// hit_i: y0_i + (y1_i - y0_i) * fraction_i / 2^16, the difference formed in FP32; else (x_i - from_i) * slope_i + y0_i.
// y0_i, y1_i and slope_i are FP16, x_i and from_i FP32 patterns; all else is FP17, and value_o too. It follows the
// inputs by three clocks with en_i.
// Spec: 55-lut, section 7.3.
module nvdla_fp17_interpolate (
    input  logic        clk_i,
    input  logic        en_i,
    input  logic        hit_i,
    input  logic [15:0] y0_i,
    input  logic [15:0] y1_i,
    input  logic [15:0] fraction_i,
    input  logic [31:0] x_i,
    input  logic [31:0] from_i,
    input  logic [15:0] slope_i,
    output logic [16:0] value_o
);
  logic [31:0] y0_wide, y1_wide, difference;
  logic [16:0] y0, fraction, slope, factor_q, difference17, product, y0_q[0:1];

  nvdla_fp_widen #(
      .ExpOut(8),
      .ManOut(23)
  ) u_y0_wide (
      .a_i(y0_i),
      .z_o(y0_wide)
  );
  nvdla_fp_widen #(
      .ExpOut(8),
      .ManOut(23)
  ) u_y1_wide (
      .a_i(y1_i),
      .z_o(y1_wide)
  );
  nvdla_fp_widen u_y0 (
      .a_i(y0_i),
      .z_o(y0)
  );
  nvdla_fp_widen u_slope (
      .a_i(slope_i),
      .z_o(slope)
  );
  nvdla_fp17_from_fraction #(
      .Bits(16)
  ) u_fraction (
      .a_i(fraction_i),
      .z_o(fraction)
  );

  nvdla_fp_add u_difference (
      .clk_i,
      .en_i,
      .a_i  (hit_i ? y1_wide : x_i),
      .b_i  ((hit_i ? y0_wide : from_i) ^ 32'h80000000),
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
  ) u_product (
      .clk_i,
      .en_i,
      .a_i      (difference17),
      .b_i      (factor_q),
      .product_o(product)
  );
  nvdla_fp_add #(
      .ExpBits(6),
      .ManBits(10)
  ) u_value (
      .clk_i,
      .en_i,
      .a_i  (product),
      .b_i  (y0_q[1]),
      .sum_o(value_o)
  );
  always_ff @(posedge clk_i)
    if (en_i) begin
      factor_q <= hit_i ? fraction : slope;
      y0_q[0]  <= y0;
      y0_q[1]  <= y0_q[0];
    end
endmodule
