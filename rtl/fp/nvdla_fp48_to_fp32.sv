// CACC in FP16: the accumulator of nvdla_fp48_add as FP32, rounded halves away from zero. Combinational.
//
// A NaN keeps its sign, its mantissa comes to the low ten bits. Legal sums neither overflow nor underflow.
// Spec: 40-convolution-core, section 9.5, "Delivery".
module nvdla_fp48_to_fp32 (
    input  logic [47:0] acc_i,
    output logic [31:0] z_o
);
  logic sign;
  logic [39:0] mantissa, magnitude;
  logic [7:0] power;
  logic [23:0] fraction;  // carry, mantissa of FP32
  assign sign = acc_i[39];
  assign mantissa = acc_i[39:0];
  assign magnitude = sign ? -mantissa : mantissa;
  // -2^39 alone has bit 39; its other bits are 0. The hidden 1 is bit 38.
  assign fraction = {1'b0, magnitude[37:15]} + 24'(magnitude[14]);
  assign power = acc_i[47:40] + 8'd64 + 8'(magnitude[39]);
  always_comb begin
    if (acc_i[47:40] == 8'hff) z_o = {sign, 8'hff, 13'd0, acc_i[38:29]};
    else if (mantissa == '0) z_o = '0;
    else z_o = {sign, power + 8'(fraction[23]), fraction[22:0]};
  end
  wire unused = &{1'b0, magnitude[38], magnitude[13:0]};
endmodule
