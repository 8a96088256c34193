// A floating-point number in a format with more exponent bits and no fewer mantissa bits, exactly: FP16 to FP17 or
// FP32, FP17 to FP32. Combinational.
//
// Denormals: exponent 0 of the input has no hidden 1 and becomes a normal number, infinity becomes the largest number
// (FP16). Without it, exponent 0 with a mantissa is the number 1.m * 2^-bias, and an exponent of all ones without one a
// number too (FP17). A NaN keeps its sign and its mantissa bits, in the low bits of the wider mantissa.
// Spec: 50-sdp, section 6; 40-convolution-core, section 9.6.
module nvdla_fp_widen #(
    parameter int ExpIn     = 5,
    parameter int ManIn     = 10,
    parameter int ExpOut    = 6,
    parameter int ManOut    = 10,
    parameter int Denormals = 1
) (
    input  logic [  ExpIn+ManIn : 0] a_i,
    output logic [ExpOut+ManOut : 0] z_o
);
  localparam int Rebias = (1 << (ExpOut - 1)) - (1 << (ExpIn - 1));
  localparam int Steps = $clog2(ManIn + 1);
  localparam logic [ExpIn-1:0] Ones = '1;

  logic sign;
  logic [ExpIn-1:0] exponent;
  logic [ManIn-1:0] mantissa;
  assign {sign, exponent, mantissa} = a_i;

  logic [ExpOut-1:0] left;  // places that the leading 1 of a denormal goes up
  logic [ManIn:0] leading;
  always_comb begin
    left = '0;
    leading = {1'b0, mantissa};
    for (int s = Steps - 1; s >= 0; s--)
      if ((leading >> (ManIn + 1 - (1 << s))) == '0) begin
        leading = leading << (1 << s);
        left = left + ExpOut'(1 << s);
      end
  end

  always_comb begin
    if (exponent == Ones && mantissa != '0) z_o = {sign, {ExpOut{1'b1}}, ManOut'(mantissa)};
    else if (exponent == '0 && mantissa == '0) z_o = {sign, (ExpOut + ManOut)'(0)};
    else if (Denormals != 0 && exponent == Ones) z_o = {sign, {(ExpOut - 1) {1'b1}}, 1'b0, {ManOut{1'b1}}};
    else if (Denormals != 0 && exponent == '0)
      z_o = {sign, ExpOut'(Rebias + 1) - left, ManOut'(leading[ManIn-1:0]) << (ManOut - ManIn)};
    else z_o = {sign, ExpOut'(exponent) + ExpOut'(Rebias), ManOut'(mantissa) << (ManOut - ManIn)};
  end
endmodule
