// Source of the SDP pipe: takes one layer's elements from MRDMA (INT8 atoms) or from CACC (32-bit lanes).
//
// run_i is high while a layer is active. Exactly the transfers of the layer's cube are taken, as SDP's own size
// registers count them; what comes after waits for the next layer. An atom of MRDMA gives MemAtom / SdpBsThroughput
// beats.
// Stream out: SdpBsThroughput lanes of 32 bits a transfer, last_o with the layer's last one. Latency: 1 clock.
// Spec: 50-sdp section 3.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
module nvdla_sdp_source
  import nvdla_pkg::*;
(
    input  logic                          clk_i, rst_ni, run_i, flying_i,
    input  logic [                  12:0] width_i,          // minus 1
    input  logic [                  12:0] height_i,         // minus 1
    input  logic [                  12:0] surface_count_i,  // minus 1
    input  logic                          main_valid_i,
    output logic                          main_ready_o,
    input  logic [          AtomBits-1:0] main_data_i,
    input  logic                          cacc_valid_i,
    output logic                          cacc_ready_o,
    input  logic [SdpBsThroughput*32-1:0] cacc_data_i,
    output logic                          valid_o,
    input  logic                          ready_i,
    output logic [SdpBsThroughput*32-1:0] data_o,
    output logic                          last_o
);
  localparam int AtomShift = $clog2(MemAtom);

  logic [AtomShift-1:0] first;  // element of lane 0
  logic open, take, last_beat, layer_end, last_q, unused_second, unused_turn_end, unused_round_end, unused_surface_end,
      unused_done;

  assign main_ready_o = open && !flying_i && last_beat;
  assign cacc_ready_o = open && flying_i;
  assign last_o = last_q;

  nvdla_sdp_beats u_beats (
      .clk_i,
      .rst_ni,
      .run_i,
      .width_i,
      .height_i,
      .surface_count_i,
      .batches_i    (5'd0),
      .wide_i       (1'b0),
      .open_o       (open),
      .available_i  (flying_i ? cacc_valid_i : main_valid_i),
      .step_o       (take),
      .element_o    (first),
      .atom_end_o   (last_beat),
      .second_o     (unused_second),
      .turn_end_o   (unused_turn_end),
      .round_end_o  (unused_round_end),
      .surface_end_o(unused_surface_end),
      .layer_end_o  (layer_end),
      .done_o       (unused_done),
      .valid_o,
      .ready_i
  );

  always_ff @(posedge clk_i) begin
    if (take) last_q <= layer_end;
  end

  for (genvar g = 0; g < SdpBsThroughput; g++) begin : gen_lane
    logic [31:0] d_q;
    logic [AtomShift-1:0] element;
    logic [7:0] int8;
    assign element = first + AtomShift'(g);
    assign int8 = main_data_i[{element, 3'd0}+:8];
    assign data_o[g*32+:32] = d_q;
    always_ff @(posedge clk_i) begin
      if (take) d_q <= flying_i ? cacc_data_i[g*32+:32] : {{24{int8[7]}}, int8};
    end
  end

  `NVDLA_STABLE(MainStable, main_valid_i, main_ready_o, main_data_i)
  `NVDLA_STABLE(CaccStable, cacc_valid_i, cacc_ready_o, cacc_data_i)
  `NVDLA_STABLE(OutputStable, valid_o, ready_i, {data_o, last_o})
  `NVDLA_CHECK(OneSource, !(main_ready_o && cacc_ready_o))

`ifdef NVDLA_CHECKS
  // What is taken comes out.
  logic [SdpBsThroughput*32-1:0] beat;
  logic [AtomBits-1:0] rest;
  assign rest = main_data_i >> {first, 3'd0};
  always_comb
    for (int g = 0; g < SdpBsThroughput; g++) beat[g*32+:32] = flying_i ? cacc_data_i[g*32+:32] :
        {{24{rest[g*8+7]}}, rest[g*8+:8]};
  `NVDLA_QUEUE(Beats, SdpBsThroughput * 32 + 1, 2, take, {beat, layer_end}, valid_o, valid_o && ready_i,
               {data_o, last_o})
  `NVDLA_CHECK(TakesWhatIsOffered, !take || (flying_i ? cacc_valid_i : main_valid_i))
`endif
endmodule
