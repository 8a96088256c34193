// PDP in FP16: the mean of a window from the sum of its rows, (sum + pad) * width * height in FP17, as FP16.
//
// sum_i: FP17; pad_i: the contribution of the window's pad rows, FP17; width_i, height_i: reciprocals of the kernel's
// sizes, FP17. mean_o follows sum_i and pad_i by three clocks with en_i; width_i and height_i do not change meanwhile.
// Spec: 60-pdp, section 6.
module nvdla_fp16_mean (
    input  logic        clk_i,
    input  logic        en_i,
    input  logic [16:0] sum_i,
    input  logic [16:0] pad_i,
    input  logic [16:0] width_i,
    input  logic [16:0] height_i,
    output logic [15:0] mean_o
);
  logic [16:0] total, row, mean;
  nvdla_fp_add #(
      .ExpBits(6),
      .ManBits(10)
  ) u_total (
      .clk_i,
      .en_i,
      .a_i  (sum_i),
      .b_i  (pad_i),
      .sum_o(total)
  );
  nvdla_fp_mul #(
      .ExpBits(6),
      .ManBits(10)
  ) u_width (
      .clk_i,
      .en_i,
      .a_i      (total),
      .b_i      (width_i),
      .product_o(row)
  );
  nvdla_fp_mul #(
      .ExpBits(6),
      .ManBits(10)
  ) u_height (
      .clk_i,
      .en_i,
      .a_i      (row),
      .b_i      (height_i),
      .product_o(mean)
  );
  nvdla_fp_narrow #(
      .ExpIn(6),
      .ManIn(10)
  ) u_narrow (
      .a_i(mean),
      .z_o(mean_o)
  );
endmodule
