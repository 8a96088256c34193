// FP16 to a signed 16-bit integer: halves away from zero, saturated; infinities saturate, a NaN gives -32768.
// Combinational.
//
// Spec: 50-sdp, section 6.4.
module nvdla_fp16_to_int16 (
    input  logic [15:0] a_i,
    output logic [15:0] z_o
);
  // The magnitude in units of 2^-1, below which only the half counts: 1.m * 2^(e - 15) is 1m * 2^(e - 24) halves.
  logic [4:0] exponent;
  logic [27:0] significand;
  logic [17:0] halves;
  logic [16:0] magnitude;
  assign exponent = a_i[14:10];
  assign significand = {17'd1, a_i[9:0], 1'b0};
  always_comb begin
    if (exponent >= 5'd31) halves = 18'h20000;
    else if (exponent >= 5'd14) halves = 18'((significand << (exponent - 5'd14)) >> 11);
    else halves = '0;  // less than a half; denormals
  end
  assign magnitude = 17'(halves[17:1]) + 17'(halves[0]);
  always_comb begin
    if (a_i[14:0] > 15'h7c00) z_o = 16'h8000;
    else if (a_i[15]) z_o = (magnitude > 17'd32768) ? 16'h8000 : 16'(-magnitude);
    else z_o = (magnitude > 17'd32767) ? 16'h7fff : magnitude[15:0];
  end
endmodule
