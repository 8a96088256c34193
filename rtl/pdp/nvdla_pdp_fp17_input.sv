// The input of averages of FP16 as FP17 numbers: one atom a clock, a clock later.
//
// in_*: atoms of FP16 elements. out_*: the same elements in FP17, element 0 lowest.
// Spec: 60-pdp, sections 5.4, 6.
`include "nvdla_check.svh"
module nvdla_pdp_fp17_input
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;
(
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     in_valid_i,
    output logic                     in_ready_o,
    input  logic [     AtomBits-1:0] in_data_i,
    output logic                     out_valid_o,
    input  logic                     out_ready_i,
    output logic [PdpColumnBits-1:0] out_data_o
);
  logic valid_q;
  logic [AtomBits-1:0] data_q;

  assign in_ready_o = !valid_q || out_ready_i;
  assign out_valid_o = valid_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) valid_q <= 1'b0;
    else if (in_ready_o) valid_q <= in_valid_i;
  always_ff @(posedge clk_i) if (in_valid_i && in_ready_o) data_q <= in_data_i;

  for (genvar e = 0; e < AtomBits / 16; e++) begin : gen_element
    nvdla_fp_widen u_widen (
        .a_i(data_q[e*16+:16]),
        .z_o(out_data_o[e*17+:17])
    );
  end

  `NVDLA_STABLE(InputStable, in_valid_i, in_ready_o, in_data_i)
  `NVDLA_STABLE(OutputStable, out_valid_o, out_ready_i, out_data_o)
endmodule
