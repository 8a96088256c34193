// An FP16 operand of a multiplier of CMAC: {sign, exponent (3), mantissa (14)} of value +-mantissa * 16^exponent * 2^-25. Combinational.
//
// Exact for normal numbers and denormals; infinity is the number 2^16, a NaN (nvdla_fp16_first_nan looks for it) gets something.
// Spec: 40-convolution-core, section 9.2.
module nvdla_fp16_decode (
    input  logic [15:0] a_i,
    output logic [17:0] z_o
);
  logic [10:0] significand;
  assign significand = (a_i[14:10] == '0) ? {a_i[9:0], 1'b0} : {1'b1, a_i[9:0]};
  assign z_o = {a_i[15], a_i[14:12], 14'(significand) << a_i[11:10]};
endmodule
