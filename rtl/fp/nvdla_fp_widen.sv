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
  localparam int Groups = (ManIn + 4) / 4;  // of four bits
  localparam logic [ExpIn-1:0] Ones = '1;

  logic sign;
  logic [ExpIn-1:0] exponent;
  logic [ManIn-1:0] mantissa;
  assign {sign, exponent, mantissa} = a_i;

  logic [ExpOut-1:0] left;  // places that the leading 1 of a denormal goes up
  logic [4*Groups-1:0] leading;
  always_comb begin
    leading = (4 * Groups)'(mantissa) << (4 * Groups - 1 - ManIn);
    left = ExpOut'(4 * (Groups - 1));
    for (int i = 1; i < Groups; i++) if (leading[4*i+:4] != '0) left = ExpOut'(4 * (Groups - 1 - i));
    leading = leading << left;
    if (leading[4*Groups-1-:2] == '0) begin
      left[1] = 1'b1;
      leading = leading << 2;
    end
    if (!leading[4*Groups-1]) begin
      left[0] = 1'b1;
      leading = leading << 1;
    end
  end

  always_comb begin
    if (exponent == Ones && mantissa != '0) z_o = {sign, {ExpOut{1'b1}}, ManOut'(mantissa)};
    else if (exponent == '0 && mantissa == '0) z_o = {sign, (ExpOut + ManOut)'(0)};
    else if (Denormals != 0 && exponent == Ones) z_o = {sign, {(ExpOut - 1) {1'b1}}, 1'b0, {ManOut{1'b1}}};
    else if (Denormals != 0 && exponent == '0)
      z_o = {sign, ExpOut'(Rebias + 1) - left, ManOut'(leading[4*Groups-2-:ManIn]) << (ManOut - ManIn)};
    else z_o = {sign, ExpOut'(exponent) + ExpOut'(Rebias), ManOut'(mantissa) << (ManOut - ManIn)};
  end
endmodule
