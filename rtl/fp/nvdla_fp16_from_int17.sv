// A signed 17-bit integer to FP16, rounded to nearest even; magnitudes above 65504 become +-65504. Combinational.
//
// Spec: 50-sdp, section 5.3.
module nvdla_fp16_from_int17 (
    input  logic [16:0] a_i,
    output logic [15:0] z_o
);
  logic up;
  logic [16:0] leading;
  logic [4:0] exponent;  // of the leading 1 at bit 16: 31 is too large
  logic [11:0] rounded;
  logic [5:0] biased;
  always_comb begin
    leading = a_i[16] ? -a_i : a_i;
    exponent = 5'd31;
    for (int s = 4; s >= 0; s--)
      if ((leading >> (17 - (1 << s))) == '0) begin
        leading = leading << (1 << s);
        exponent = exponent - 5'(1 << s);
      end
  end
  assign up = leading[5] & (leading[6] | (leading[4:0] != '0));
  assign rounded = {1'b0, leading[16:6]} + 12'(up);
  assign biased = 6'(exponent) + 6'(rounded[11]);
  always_comb begin
    if (a_i == '0) z_o = '0;
    else if (biased >= 6'd31) z_o = {a_i[16], 15'h7bff};
    else z_o = {a_i[16], biased[4:0], rounded[9:0]};
  end
  wire unused = &{1'b0, rounded[10]};  // the hidden 1
endmodule
