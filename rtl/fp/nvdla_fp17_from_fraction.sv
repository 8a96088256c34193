// FP17 of a_i / 2^Bits, which is below 1, rounded to nearest even; values below 2^-30 become 0. Combinational.
//
// Spec: 55-lut, section 6 (F17).
module nvdla_fp17_from_fraction #(
    parameter int Bits = 35  // 12 .. 63
) (
    input  logic [Bits-1:0] a_i,
    output logic [    16:0] z_o
);
  localparam int Steps = $clog2(Bits);

  logic up;
  logic [Bits-1:0] leading;
  logic [6:0] exponent;  // of FP17, or below 1
  logic [11:0] rounded;
  logic signed [6:0] biased;
  always_comb begin
    leading = a_i;
    exponent = 7'd30;  // 2^-1
    for (int s = Steps - 1; s >= 0; s--)
      if ((leading >> (Bits - (1 << s))) == '0) begin
        leading = leading << (1 << s);
        exponent = exponent - 7'(1 << s);
      end
  end
  assign up = leading[Bits-12] & (leading[Bits-11] | (leading << 12 != '0));
  assign rounded = {1'b0, leading[Bits-1-:11]} + 12'(up);
  assign biased = $signed(exponent) + $signed(7'(rounded[11]));
  assign z_o = (a_i == '0 || biased <= 0) ? '0 : {1'b0, biased[5:0], rounded[9:0]};
  wire unused = &{1'b0, rounded[10]};  // the hidden 1
endmodule
