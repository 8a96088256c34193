// The first NaN, lane 0 first, of the FP16 operands of an atomic operation: {there is one, sign, mantissa (10)}. Combinational.
//
// Spec: 40-convolution-core, section 9.2, step 6.
module nvdla_fp16_first_nan #(
    parameter int Lanes = 64
) (
    input  logic [16*Lanes-1:0] a_i,
    output logic [        11:0] nan_o
);
  always_comb begin
    nan_o = '0;
    for (int l = Lanes - 1; l >= 0; l--)
      if (a_i[16*l+:15] > 15'h7c00) nan_o = {1'b1, a_i[16*l+15], a_i[16*l+:10]};
  end
endmodule
