// Source of the SDP pipe in configurations with 16-bit precisions: takes one layer's elements from MRDMA (atoms) or
// from CACC (32-bit lanes).
//
// run_i is high while a layer is active. Exactly the transfers of the layer's cube are taken, of all its batches, as
// SDP's own size registers count them; what comes after waits for the next layer. in_i: precision of MRDMA's elements;
// an atom of INT8 gives two beats, others one. wide_i: PROC has 16 bits, a column is one beat; else two. fp_i: PROC is
// FP16; with nan_to_zero_i what is NaN becomes +0.
// Stream out: SdpBsThroughput lanes of 32 bits a transfer, last_o with the layer's last one. Latency: 1 clock.
// Spec: 50-sdp sections 3 and 6.1.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
module nvdla_sdp_source_wide
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_sdp_pkg::*;
(
    input  logic                          clk_i, rst_ni, clk_on_i, run_i, flying_i,
    input  logic [                   1:0] in_i,
    input  logic                          wide_i, fp_i, nan_to_zero_i,
    input  logic [                  12:0] width_i,          // minus 1
    input  logic [                  12:0] height_i,         // minus 1
    input  logic [                  12:0] surface_count_i,  // minus 1
    input  logic [                   4:0] batches_i,        // minus 1
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
  logic [$clog2(MemAtom)-1:0] first;  // element of lane 0
  logic open, take, last_beat, layer_end, last_q, upper_q, bytes, half_q;
  logic unused_second, unused_turn_end, unused_round_end, unused_surface_end, unused_done;

  // Of INT8 atoms the lower half goes first.
  assign bytes = in_i == PrecisionInt8;
  assign main_ready_o = open && !flying_i && (!bytes || upper_q);
  assign cacc_ready_o = open && flying_i;
  assign last_o = last_q;

  nvdla_sdp_beats u_beats (
      .clk_i,
      .rst_ni,
      .run_i,
      .width_i,
      .height_i,
      .surface_count_i,
      .batches_i,
      .wide_i,
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
  wire unused_beats = &{1'b0, first, last_beat};

  // half_q: what has been taken are FP16 elements; they are widened behind a register of the FP clock.
  always_ff @(posedge clk_i) begin
    if (!run_i) upper_q <= 1'b0;
    else if (take && !flying_i) upper_q <= bytes && !upper_q;
    if (take) begin
      last_q <= layer_end;
      half_q <= !flying_i && in_i == PrecisionFp16;
    end
  end

  logic fp_clk;
  nvdla_clock_gate #(
      .After(0)
  ) u_fp_clock (
      .clk_i,
      .rst_ni(1'b1),  // nothing behind it is reset
      .on_i  (clk_on_i),
      .work_i(take && (fp_i || in_i == nvdla_precision_pkg::PrecisionFp16)),
      .clk_o (fp_clk)
  );

  for (genvar g = 0; g < SdpBsThroughput; g++) begin : gen_lane
    logic [31:0] d_q, fp_q, widened, number;
    logic [15:0] half, half_in_q;
    logic [7:0] int8;
    assign half = main_data_i[g*16+:16];
    assign int8 = upper_q ? main_data_i[(SdpBsThroughput+g)*8+:8] : main_data_i[g*8+:8];
    always_ff @(posedge clk_i) begin
      if (take && !fp_i) d_q <= flying_i ? cacc_data_i[g*32+:32] : bytes ? {{24{int8[7]}}, int8} :
          {{16{half[15]}}, half};
    end
    always_ff @(posedge fp_clk) begin
      if (take && !flying_i && in_i == PrecisionFp16) half_in_q <= half;
      if (take && fp_i) fp_q <= flying_i ? cacc_data_i[g*32+:32] : {{16{half[15]}}, half};
    end
    nvdla_fp_widen #(
        .ExpOut(8),
        .ManOut(23)
    ) u_widen (
        .a_i(half_in_q),
        .z_o(widened)
    );
    assign number = half_q ? widened : fp_i ? fp_q : d_q;
    assign data_o[g*32+:32] = (fp_i && nan_to_zero_i && number[30:0] > 31'h7f80_0000) ? 32'd0 : number;
  end

  `NVDLA_STABLE(MainStable, main_valid_i, main_ready_o, main_data_i)
  `NVDLA_STABLE(CaccStable, cacc_valid_i, cacc_ready_o, cacc_data_i)
  `NVDLA_STABLE(OutputStable, valid_o, ready_i, {data_o, last_o})
  `NVDLA_CHECK(OneSource, !(main_ready_o && cacc_ready_o))
  `NVDLA_CHECK(TakesWhatIsOffered, !take || (flying_i ? cacc_valid_i : main_valid_i))

`ifdef NVDLA_CHECKS
  logic second_q;  // the half of a word of bytes that comes next
  always_ff @(posedge clk_i) begin
    if (!run_i) second_q <= 1'b0;
    else if (take && !flying_i && bytes) second_q <= ~second_q;
  end
  `NVDLA_CHECK(HalvesInTurn, !run_i || upper_q == second_q)
`endif
endmodule
