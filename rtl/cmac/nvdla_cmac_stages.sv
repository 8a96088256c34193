// Atoms in the multiplier array of a CMAC unit, configurations with 16-bit precisions: delays valid and flags until
// their sums are there.
//
// Flags: {stripe start, stripe end, channel end, layer end}. valid_i and flags_i come two clocks after the atom,
// valid_o and flags_o with the sums (ConvSumClocks after the atom), what begins with last_ a clock before them. work_o:
// an atom is in here.
// Spec: 40-convolution-core, section 8.2.
module nvdla_cmac_stages
  import nvdla_conv_pkg::*;
(
    input  logic       clk_i, rst_ni,
    input  logic       valid_i,
    input  logic [3:0] flags_i,
    output logic       work_o,
    output logic       last_valid_o,
    output logic       last_stripe_end_o,
    output logic       last_layer_end_o,
    output logic       valid_o,
    output logic [3:0] flags_o
);
  localparam int Stages = (ConvSumClocks > 3) ? ConvSumClocks - 2 : 2;

  logic [Stages:1] valid_q;
  logic [3:0] flags_q[1:Stages];

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-1:1], valid_i};

  always_ff @(posedge clk_i) begin
    flags_q[1] <= flags_i;
    for (int stage = 2; stage <= Stages; stage++) flags_q[stage] <= flags_q[stage-1];
  end

  assign work_o = valid_i || valid_q != '0;
  assign last_valid_o = valid_q[Stages-1];
  assign last_stripe_end_o = flags_q[Stages-1][2];
  assign last_layer_end_o = flags_q[Stages-1][0];
  assign valid_o = valid_q[Stages];
  assign flags_o = flags_q[Stages];
endmodule
