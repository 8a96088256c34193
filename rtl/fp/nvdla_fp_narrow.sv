// A floating-point number in a format with fewer exponent bits, rounded to nearest even: FP17 or FP32 to FP16, FP32 to
// FP17. Combinational.
//
// Too large becomes the largest number; a NaN keeps its sign and its low mantissa bits. Denormals: the output has them
// (FP16); without them (FP17) what rounds below the smallest normal number is zero with its sign. Exponent 0 of the
// input with a mantissa is the number 1.m * 2^-bias, an exponent of all ones without one a number too.
// Spec: 50-sdp, section 6; 40-convolution-core, section 9.6.
module nvdla_fp_narrow #(
    parameter int ExpIn     = 8,
    parameter int ManIn     = 23,
    parameter int ExpOut    = 5,
    parameter int ManOut    = 10,
    parameter int Denormals = 1
) (
    input  logic [  ExpIn+ManIn : 0] a_i,
    output logic [ExpOut+ManOut : 0] z_o
);
  localparam int Rebias = (1 << (ExpIn - 1)) - (1 << (ExpOut - 1));
  // the significand and room below it for all that a shift can move out and still matter
  localparam int Bits = 2 * ManIn + 3;
  localparam int Drop = Bits - 1 - ManOut;
  localparam int FarthestShift = ManOut + 2;  // beyond it nothing rounds up

  logic sign;
  logic [ExpIn-1:0] exponent;
  logic [ManIn-1:0] mantissa;
  assign {sign, exponent, mantissa} = a_i;

  // Below the smallest normal number the hidden 1 stands as many places lower as the exponent is too small.
  logic normal, up;
  logic [ExpIn-1:0] low, shift;
  logic [Bits-1:0] aligned;
  logic [ManOut+1:0] rounded;  // carry, hidden 1, mantissa
  logic [ExpIn:0] biased;
  assign normal = 32'(exponent) > Rebias;
  assign low = ExpIn'(Rebias + 1) - exponent;
  assign shift = normal ? '0 : (32'(low) > FarthestShift) ? ExpIn'(FarthestShift) : low;
  assign aligned = {1'b1, mantissa, (Bits - 1 - ManIn)'(0)} >> shift;
  assign up = aligned[Drop-1] & (aligned[Drop] | (aligned[Drop-2:0] != '0));
  assign rounded = {1'b0, aligned[Bits-1:Drop]} + (ManOut + 2)'(up);
  assign biased = (ExpIn + 1)'(exponent) - (ExpIn + 1)'(Rebias) + (ExpIn + 1)'(rounded[ManOut+1]);

  always_comb begin
    if (exponent == '1 && mantissa != '0) z_o = {sign, {ExpOut{1'b1}}, mantissa[ManOut-1:0]};
    else if (exponent == '0 && mantissa == '0) z_o = {sign, (ExpOut + ManOut)'(0)};
    else if (!normal)
      z_o = {sign, ExpOut'(rounded[ManOut]), (Denormals != 0) ? rounded[ManOut-1:0] : ManOut'(0)};
    else if (32'(biased) >= (1 << ExpOut) - 1) z_o = {sign, {(ExpOut - 1) {1'b1}}, 1'b0, {ManOut{1'b1}}};
    else z_o = {sign, biased[ExpOut-1:0], rounded[ManOut-1:0]};
  end
endmodule
