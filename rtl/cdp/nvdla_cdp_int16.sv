// CDP's arithmetic on INT16, CdpWideLanes lanes a beat: square sum to the LUT; from the LUT multiply and output
// convertor.
//
// Beats advance one stage in every clock with step_i. view_i: see nvdla_cdp_window. beat_valid_i: a beat is offered;
// squares_valid_i: it has left the first stage, and its sums enter sums_o. factors_i and values_i (the converted
// elements) belong together when factors_valid_i says so; differences_valid_i: that beat has left the stage of multiply
// and output offset, and enters words_o after the output convertor; clipped_o: the lanes of it that were clipped. Spec:
// 62-cdp, sections 5, 7, 8.
module nvdla_cdp_int16
  import nvdla_pkg::*;
  import nvdla_cdp_pkg::*;
(
    input  logic                                              clk_i,
    input  logic                                              sqsum_bypass_i,
    input  logic                                              mul_bypass_i,
    input  logic [                                       1:0] normalz_len_i,
    input  logic [                                      31:0] datout_offset_i,
    input  logic [                                      15:0] datout_scale_i,
    input  logic [                                       5:0] datout_shifter_i,
    input  logic                                              step_i,
    input  logic                                              beat_valid_i,
    input  logic                                              squares_valid_i,
    input  logic                                              factors_valid_i,
    input  logic                                              differences_valid_i,
    input  logic [CdpWideSeenLanes-1:0][CdpWidePlaceBits-1:0] view_i,
    output logic [      CdpWideLanes-1:0][CdpWideSumBits-1:0] sums_o,
    input  logic [                    CdpWideLanes-1:0][15:0] factors_i,
    input  logic [    CdpWideLanes-1:0][CdpWidePlaceBits-1:0] values_i,
    output logic [                    CdpWideLanes-1:0][32:0] products_o,
    output logic [                    CdpWideLanes-1:0][15:0] words_o,
    output logic [                          CdpWideLanes-1:0] clipped_o
);
  logic [1:0] reach;
  logic bypass_multiply;
  logic [31:0] offset;
  logic [15:0] scale;
  logic [5:0] shift;
  assign reach = normalz_len_i;  // neighbours on either side, less one
  assign bypass_multiply = mul_bypass_i;
  assign offset = datout_offset_i;
  assign scale = datout_scale_i;
  assign shift = datout_shifter_i;

  // Squares of all lanes a beat sees.
  for (genvar k = 0; k < CdpWideSeenLanes; k++) begin : gen_square
    logic [CdpWideSumBits-1:0] square_q;
    logic signed [CdpWideSumBits-1:0] value;
    assign value = CdpWideSumBits'($signed(view_i[k]));
    always_ff @(posedge clk_i)
      if (step_i && beat_valid_i) square_q <= value * value;
  end

  for (genvar l = 0; l < CdpWideLanes; l++) begin : gen_lane
    logic signed [CdpWidePlaceBits-1:0] value_1_q;
    logic signed [32:0] factor, value;
    logic [CdpWideSumBits-1:0] sum_q;
    logic signed [33:0] difference_q;
    logic [16:0] word_q;
    assign factor = 33'($signed(factors_i[l]));
    assign value = 33'($signed(values_i[l]));

    assign sums_o[l] = sum_q;
    assign products_o[l] = bypass_multiply ? factor : factor * value;
    assign words_o[l] = word_q[15:0];
    assign clipped_o[l] = word_q[16];

    always_ff @(posedge clk_i) begin
      if (step_i && beat_valid_i) value_1_q <= $signed(view_i[l+CdpHalo]);
      if (step_i && squares_valid_i) begin
        if (sqsum_bypass_i) sum_q <= CdpWideSumBits'(value_1_q);
        else
          sum_q <= gen_square[l+4].square_q + gen_square[l+3].square_q + gen_square[l+5].square_q +
              (reach > 2'd0 ? gen_square[l+2].square_q + gen_square[l+6].square_q : '0) +
              (reach > 2'd1 ? gen_square[l+1].square_q + gen_square[l+7].square_q : '0) +
              (reach > 2'd2 ? gen_square[l].square_q + gen_square[l+8].square_q : '0);
      end
      if (step_i && factors_valid_i) difference_q <= 34'($signed(products_o[l])) - 34'($signed(offset));
      if (step_i && differences_valid_i) word_q <= cdp_output16(difference_q, scale, shift);
    end
  end
endmodule
