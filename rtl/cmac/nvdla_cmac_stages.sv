// Atoms in a CMAC unit: delays valid and flags until their sums are there.
//
// Flags: {stripe start, stripe end, channel end, layer end}. valid_i and flags_i come one clock after the atom, valid_o
// and flags_o with the sums (ConvSumClocks after the atom), what begins with last_ a clock before them. stage_o[s]:
// there is an atom in stage s + 1 of the sums. work_o: an atom is in here.
// Spec: 40-convolution-core, section 8.2.
module nvdla_cmac_stages
  import nvdla_conv_pkg::*;
(
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     valid_i,
    input  logic [              3:0] flags_i,
    output logic                     work_o,
    output logic [ConvSumClocks-2:0] stage_o,
    output logic                     last_valid_o,
    output logic                     last_stripe_end_o,
    output logic                     last_layer_end_o,
    output logic                     valid_o,
    output logic [              3:0] flags_o
);
  localparam int Stages = ConvSumClocks - 1;

  // Stages 0, which comes in, to Stages.
  logic [Stages:0] valid;
  logic [4*Stages+3:0] flags;
  logic [Stages-1:0] valid_q;
  logic [4*Stages-1:0] flags_q;
  assign valid = {valid_q, valid_i};
  assign flags = {flags_q, flags_i};
  assign stage_o = valid[Stages-1:0];

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) valid_q <= '0;
    else valid_q <= stage_o;
  always_ff @(posedge clk_i) flags_q <= flags[4*Stages-1:0];

  assign work_o = valid != '0;
  assign last_valid_o = valid[Stages-1];
  assign last_stripe_end_o = flags[4*Stages-2];
  assign last_layer_end_o = flags[4*Stages-4];
  assign valid_o = valid[Stages];
  assign flags_o = flags[4*Stages+:4];
endmodule
