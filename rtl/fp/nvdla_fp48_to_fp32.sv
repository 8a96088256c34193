// CACC in FP16: the accumulator as FP32 (nvdla_fp48_pkg). Combinational.
//
// Spec: 40-convolution-core, section 9.5, "Delivery".
module nvdla_fp48_to_fp32
  import nvdla_fp48_pkg::*;
(
    input  logic [47:0] acc_i,
    output logic [31:0] z_o
);
  assign z_o = fp48_to_fp32(acc_i);
endmodule
