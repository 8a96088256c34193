// Input convertor: one atom of MemAtom bytes per clock, two clocks of latency, no back-pressure.
//
// A lane becomes sat(round((x - offset) * scale / 2^truncate)) with enable_i, else it passes. x is zero- or
// sign-extended (signed_i). kind_i has three bits per lane: channel 0..3 of the pixel, past the end of the line
// (LaneTail) or pad (LanePad, which passes). The offset is CVT_OFFSET; with mean_i the mean of the lane's channel, 0
// past its end. int8_i 0: saturation to 16 bits, of which the low byte is stored. The configuration inputs stay during
// a layer. Spec: 30-cdma-cbuf, section 6 and 5.4 (padding, tail fill).
`include "nvdla_check.svh"
module nvdla_cdma_cvt
  import nvdla_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    enable_i,
    input  logic                    int8_i,
    input  logic                    signed_i,
    input  logic                    mean_i,
    input  logic [            63:0] means_i,  // four signed halfwords, channel 0 in the low bits
    input  logic [            15:0] offset_i,
    input  logic [            15:0] scale_i,
    input  logic [             5:0] truncate_i,
    input  logic                    valid_i,
    input  logic [MemAtom-1:0][7:0] data_i,
    input  logic [MemAtom-1:0][2:0] kind_i,
    input  logic                    next_valid_i,  // valid_i of the clock before
    output logic [    AtomBits-1:0] data_o
);
  logic [AtomBits-1:0] raw_q, data_q;

  always_ff @(posedge clk_i) if (valid_i) raw_q <= data_i;

  function automatic logic [7:0] ending(input logic signed [16:0] q, input logic int8);
    return int8 ? cvt_int8(q) : 8'(cvt_int16(q));
  endfunction

  for (genvar l = 0; l < MemAtom; l++) begin : gen_lane
    logic signed [33:0] product_q;
    logic pass_q;

    always_ff @(posedge clk_i) begin
      if (valid_i && enable_i) begin
        product_q <= cvt_product($signed({{9{signed_i & data_i[l][7]}}, data_i[l]}),
                                 cvt_offset(mean_i, kind_i[l], means_i, offset_i), $signed(scale_i));
        pass_q <= kind_i[l] == LanePad;
      end
      if (next_valid_i)
        data_q[l*8+:8] <= (enable_i && !pass_q) ? ending(cvt_shift(product_q, truncate_i), int8_i) : raw_q[l*8+:8];
    end
  end

  assign data_o = data_q;

`ifdef NVDLA_CHECKS
  // There is no reset here: the checks begin with the first clock in which nothing comes.
  logic begun_q, valid_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begin
    valid_q <= valid_i;
    if (!valid_i && !next_valid_i) begun_q <= 1'b1;
  end
  `NVDLA_CHECK_AT(AtomFollowsItsProduct, clk_i, begun_q, next_valid_i == valid_q)
`endif
endmodule
