// CDP's arithmetic on FP16, CdpWideLanes lanes a beat: square sum to the LUT; from the LUT multiply and output format.
//
// Beats advance one stage in every clock with step_i. view_i: see nvdla_cdp_window; FP17. beat_valid_i: a beat is
// offered; summing_i: one is offered or under way to sums_o (FP32), which it enters after six stages. values_i: the
// elements of the beat that this step brings to sums_o; factors_i and late_values_i (FP17) belong together when
// factors_valid_i says so; that beat is in words_o (FP16) one stage later.
// Spec: 62-cdp, sections 5, 7, 8.
module nvdla_cdp_fp16
  import nvdla_pkg::*;
  import nvdla_cdp_pkg::*;
(
    input  logic                                              clk_i,
    input  logic                                              sqsum_bypass_i,
    input  logic                                              mul_bypass_i,
    input  logic [                                       1:0] normalz_len_i,
    input  logic                                              step_i,
    input  logic                                              beat_valid_i,
    input  logic                                              summing_i,
    input  logic                                              factors_valid_i,
    input  logic [CdpWideSeenLanes-1:0][CdpWidePlaceBits-1:0] view_i,
    input  logic [    CdpWideLanes-1:0][CdpWidePlaceBits-1:0] values_i,
    output logic [                    CdpWideLanes-1:0][31:0] sums_o,
    input  logic [    CdpWideLanes-1:0][CdpWideValueBits-1:0] factors_i,
    input  logic [    CdpWideLanes-1:0][CdpWidePlaceBits-1:0] late_values_i,
    output logic [    CdpWideLanes-1:0][CdpWideValueBits-1:0] products_o,
    output logic [                    CdpWideLanes-1:0][15:0] words_o
);
  localparam logic [CdpWideValueBits-2:0] Infinity = {6'h3f, 10'd0};

  logic multiplying;
  assign multiplying = step_i && factors_valid_i;

  logic [CdpWideSeenLanes*CdpWideValueBits-1:0] seen;
  for (genvar k = 0; k < CdpWideSeenLanes; k++) begin : gen_seen
    wire unused_top = view_i[k][CdpWideValueBits];
    assign seen[k*CdpWideValueBits+:CdpWideValueBits] =
      beat_valid_i && !sqsum_bypass_i ? view_i[k][CdpWideValueBits-1:0] : '0;
  end

  logic [CdpWideLanes*32-1:0] sums;
  nvdla_fp_square_sum #(
      .Lanes(CdpWideLanes)
  ) u_sums (
      .clk_i,
      .en_i    (step_i && summing_i && !sqsum_bypass_i),
      .reach_i (normalz_len_i),
      .values_i(seen),
      .sum_o   (sums)
  );

  for (genvar l = 0; l < CdpWideLanes; l++) begin : gen_lane
    logic [CdpWideValueBits-1:0] value, factor, product, passed_q;
    logic [31:0] wide, wide_q;
    wire unused_top = &{1'b0, values_i[l][CdpWideValueBits], late_values_i[l][CdpWideValueBits]};
    nvdla_fp_widen #(
        .ExpIn    (6),
        .ExpOut   (8),
        .ManOut   (23),
        .Denormals(0)
    ) u_widen (
        .a_i(sqsum_bypass_i ? values_i[l][CdpWideValueBits-1:0] : CdpWideValueBits'(0)),
        .z_o(wide)
    );
    always_ff @(posedge clk_i) if (step_i && sqsum_bypass_i) wide_q <= wide;
    assign sums_o[l] = sqsum_bypass_i ? wide_q : sums[l*32+:32];

    assign value = late_values_i[l][CdpWideValueBits-1:0];
    assign factor = factors_i[l];
    nvdla_fp_mul #(
        .ExpBits(6),
        .ManBits(10)
    ) u_product (
        .clk_i,
        .en_i     (multiplying && !mul_bypass_i),
        .a_i      (value),
        .b_i      (factor),
        .product_o(product)
    );
    always_ff @(posedge clk_i)
      if (multiplying && mul_bypass_i) passed_q <= value[CdpWideValueBits-2:0] > Infinity ? value : factor;
    assign products_o[l] = mul_bypass_i ? passed_q : product;
    nvdla_fp_narrow #(
        .ExpIn(6),
        .ManIn(10)
    ) u_narrow (
        .a_i(products_o[l]),
        .z_o(words_o[l])
    );
  end
endmodule
