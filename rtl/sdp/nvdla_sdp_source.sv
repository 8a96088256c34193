// Source of the SDP pipe: takes one layer's elements from MRDMA (atoms) or from CACC (32-bit lanes).
//
// run_i is high while a layer is active. Exactly the transfers of the layer's cube are taken, of all its batches, as
// SDP's own size registers count them; what comes after waits for the next layer. in_i: precision of MRDMA's elements.
// Where there is INT8 alone an atom gives MemAtom / SdpBsThroughput beats; else one of INT8 gives two, others one.
// wide_i: PROC has 16 bits, a column is one beat; else two. fp_i: PROC is FP16; with nan_to_zero_i what is NaN becomes
// +0.
// Stream out: SdpBsThroughput lanes of 32 bits a transfer, last_o with the layer's last one. Latency: 1 clock.
// Spec: 50-sdp sections 3 and 6.1.
`include "nvdla_check.svh"
module nvdla_sdp_source
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
(
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             clk_on_i,
    input  logic                             run_i,
    input  logic                             flying_i,
    input  logic [                      1:0] in_i,
    input  logic                             wide_i,
    input  logic                             fp_i,
    input  logic                             nan_to_zero_i,
    input  logic [                     12:0] width_i,          // minus 1
    input  logic [                     12:0] height_i,         // minus 1
    input  logic [                     12:0] surface_count_i,  // minus 1
    input  logic [                      4:0] batches_i,        // minus 1
    input  logic                             main_valid_i,
    output logic                             main_ready_o,
    input  logic [             AtomBits-1:0] main_data_i,
    input  logic                             cacc_valid_i,
    output logic                             cacc_ready_o,
    input  logic [SdpBsThroughput-1:0][31:0] cacc_data_i,
    output logic                             valid_o,
    input  logic                             ready_i,
    output logic [SdpBsThroughput-1:0][31:0] data_o,
    output logic                             last_o
);
  localparam int AtomShift = $clog2(MemAtom);

  logic [AtomShift-1:0] first;  // element of lane 0
  logic open, take, bytes, halves, upper, half, last_beat, main_last, layer_end, last_q;
  logic unused_second, unused_turn_end, unused_round_end, unused_surface_end, unused_done;

  assign bytes = LaneBytes == 1 || in_i == PrecisionInt8;
  assign halves = Fp16 != 0 && in_i == PrecisionFp16;
  assign main_ready_o = open && !flying_i && main_last;
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

  if (LaneBytes == 1) begin : gen_atoms
    assign main_last = last_beat;
    assign upper = 1'b0;
    wire unused_upper = &{1'b0, upper, bytes, in_i};
  end else begin : gen_halves
    logic upper_q;  // of INT8 atoms the lower half goes first
    assign main_last = !bytes || upper_q;
    assign upper = upper_q;
    always_ff @(posedge clk_i) begin
      if (!run_i) upper_q <= 1'b0;
      else if (take && !flying_i) upper_q <= bytes && !upper_q;
    end
    wire unused_beats = &{1'b0, first, last_beat};
  end

  always_ff @(posedge clk_i) if (take) last_q <= layer_end;

  logic [SdpBsThroughput*32-1:0] integers;
  for (genvar g = 0; g < SdpBsThroughput; g++) begin : gen_lane
    logic [31:0] d_q;
    logic [15:0] word;
    logic [7:0] int8;
    assign word = main_data_i[g*16+:16];
    if (LaneBytes == 1) begin : gen_int8
      assign int8 = main_data_i[{first | AtomShift'(g), 3'd0}+:8];
    end else begin : gen_wide
      assign int8 = upper ? main_data_i[(SdpBsThroughput+g)*8+:8] : main_data_i[g*8+:8];
    end
    assign integers[g*32+:32] = d_q;
    always_ff @(posedge clk_i)
      if (take && !(Fp16 != 0 && fp_i))
        d_q <= flying_i ? cacc_data_i[g] : bytes ? {{24{int8[7]}}, int8} : {{16{word[15]}}, word};
  end

  if (Fp16 == 0) begin : gen_integers
    assign data_o = integers;
    assign half   = 1'b0;
    wire unused_fp = &{1'b0, half, halves, clk_on_i, fp_i, nan_to_zero_i};
  end else begin : gen_fp16
    logic half_q, fp_clk;  // half_q: what has been taken are FP16 elements; they are widened behind a register
    assign half = half_q;
    always_ff @(posedge clk_i) if (take) half_q <= !flying_i && halves;
    nvdla_clock_gate #(
        .After(0)
    ) u_fp_clock (
        .clk_i,
        .rst_ni(1'b1),  // nothing behind it is reset
        .on_i  (clk_on_i),
        .work_i(take && (fp_i || halves)),
        .clk_o (fp_clk)
    );

    for (genvar g = 0; g < SdpBsThroughput; g++) begin : gen_lane
      logic [31:0] fp_q, widened, number;
      logic [15:0] word, half_in_q;
      assign word = main_data_i[g*16+:16];
      always_ff @(posedge fp_clk) begin
        if (take && !flying_i && halves) half_in_q <= word;
        if (take && fp_i) fp_q <= flying_i ? cacc_data_i[g] : {{16{word[15]}}, word};
      end
      nvdla_fp_widen #(
          .ExpOut(8),
          .ManOut(23)
      ) u_widen (
          .a_i(half_in_q),
          .z_o(widened)
      );
      assign number = half ? widened : fp_i ? fp_q : integers[g*32+:32];
      assign data_o[g] = (fp_i && nan_to_zero_i && number[30:0] > 31'h7f80_0000) ? 32'd0 : number;
    end
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
  `NVDLA_CHECK(HalvesInTurn, LaneBytes == 1 || !run_i || upper == second_q)

  // What is taken of integers comes out.
  logic [SdpBsThroughput*32-1:0] beat;
  logic [AtomBits-1:0] rest;
  assign rest = main_data_i >> (LaneBytes == 1 ? {first, 3'd0} : {second_q && bytes, (AtomShift + 2)'(0)});
  always_comb
    for (int g = 0; g < SdpBsThroughput; g++)
      beat[g*32+:32] = flying_i ? cacc_data_i[g] :
          bytes ? {{24{rest[g*8+7]}}, rest[g*8+:8]} : {{16{rest[g*16+15]}}, rest[g*16+:16]};
  `NVDLA_QUEUE(Beats, SdpBsThroughput * 32 + 1, 2, take && !fp_i && !(halves && !flying_i),
               {beat, layer_end}, valid_o && !fp_i && !half, valid_o && !fp_i && !half && ready_i, {data_o, last_o})
`endif
endmodule
