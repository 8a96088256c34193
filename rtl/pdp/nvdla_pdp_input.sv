// Input of PDP: takes exactly the cube of the active layer from PDP_RDMA or from SDP.
//
// mem_*: atoms from PDP_RDMA (FLYING_MODE = 1); of FP16 with +0 for every NaN if NAN_TO_ZERO is set. sdp_*: beats of
// SdpBsThroughput elements, lane 0 of an atom first (FLYING_MODE = 0). Where there are elements of 16 bits all have
// room for them, INT8 in the low byte; a beat of 16-bit elements is an atom.
// Nothing is accepted before the layer runs, nothing of the other source, nothing after the last atom of the cube.
// in_*: the same in the order strip, surface, line, column, no clock of latency: whole atoms (in_atom_o; data in
// in_atom_data_o), or beats in_beat_o of an atom (data in in_beat_data_o), the last of them with in_last_o, as is every
// whole atom. done_o: the whole cube has been taken.
// Spec: 60-pdp, sections 7, 8, 10.
`include "nvdla_check.svh"
module nvdla_pdp_input
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_pdp_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        run_i,
    input  logic [12:0] cube_in_width_i,
    input  logic [12:0] cube_in_height_i,
    input  logic [12:0] cube_in_channel_i,
    input  logic        flying_mode_i,
    input  logic [ 1:0] input_data_i,
    input  logic        nan_to_zero_i,
    input  logic [ 7:0] split_num_i,
    input  logic [ 9:0] partial_width_in_first_i,
    input  logic [ 9:0] partial_width_in_last_i,
    partial_width_in_mid_i,
    input  logic [                            3:0] kernel_width_i,
    input  logic [                            3:0] kernel_stride_width_i,
    output logic                                   done_o,
    input  logic                                   mem_valid_i,
    output logic                                   mem_ready_o,
    input  logic [                   AtomBits-1:0] mem_data_i,
    input  logic                                   sdp_valid_i,
    output logic                                   sdp_ready_o,
    input  logic [SdpBsThroughput*8*LaneBytes-1:0] sdp_data_i,
    output logic                                   in_valid_o,
    input  logic                                   in_ready_i,
    output logic                                   in_atom_o,
    output logic                                   in_last_o,
    output logic [             PdpSdpBeatBits-1:0] in_beat_o,
    output logic [                   AtomBits-1:0] in_atom_data_o,
    output logic [          SdpBsThroughput*8-1:0] in_beat_data_o
);
  logic loaded_q, done_q;
  logic [7:0] strip_q;
  logic [12:0] surface_q, line_q;
  logic [13:0] width_q, column_q;  // columns of the strip; column of the line that comes next, from 1
  logic [12:0] surface_last;
  logic active, from_memory, take, line_end, surface_end, strip_end, load;
  logic [7:0] strip_next;

  assign surface_last = pdp_surface_last(cube_in_channel_i, input_data_i);
  assign active = loaded_q && !done_q;
  assign from_memory = flying_mode_i;
  assign take = in_valid_o && in_ready_i && in_last_o;  // of an atom
  assign line_end = column_q == width_q;
  assign surface_end = line_end && line_q == cube_in_height_i;
  assign strip_end = surface_end && surface_q == surface_last;
  assign strip_next = loaded_q ? strip_q + 8'd1 : 8'd0;
  assign load = run_i && !loaded_q;

  logic [PdpSdpBeatBits-1:0] beat_q;
  logic beat_final, wide;

  assign wide = pdp_is_wide(input_data_i);
  assign beat_final = wide || beat_q == PdpSdpBeatBits'(MemAtom / SdpBsThroughput - 1);

  assign done_o = done_q;
  assign mem_ready_o = active && from_memory && in_ready_i;
  assign sdp_ready_o = active && !from_memory && in_ready_i;
  assign in_valid_o = active && (from_memory ? mem_valid_i : sdp_valid_i);
  assign in_atom_o = from_memory || wide;
  assign in_last_o = from_memory || beat_final;
  assign in_beat_o = beat_q;
  if (LaneBytes == 1) begin : gen_narrow
    assign in_atom_data_o = mem_data_i;
    assign in_beat_data_o = sdp_data_i;
    wire unused_nan_to_zero = nan_to_zero_i;
  end else begin : gen_wide
    logic flush;
    for (genvar e = 0; e < SdpBsThroughput; e++) begin : gen_element
      assign in_beat_data_o[e*8+:8] = sdp_data_i[e*16+:8];
    end
    assign flush = Fp16 != 0 && input_data_i == PrecisionFp16 && nan_to_zero_i;
    always_comb begin
      in_atom_data_o = mem_data_i;
      if (!from_memory) in_atom_data_o = sdp_data_i;
      else if (flush) in_atom_data_o = pdp_flush_nans(mem_data_i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (sdp_valid_i && sdp_ready_o) beat_q <= beat_final ? '0 : beat_q + PdpSdpBeatBits'(1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      loaded_q <= run_i;
      if (!run_i) done_q <= 1'b0;
      else if (take && strip_end && strip_q == split_num_i) done_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load || (take && strip_end)) begin
      strip_q <= strip_next;
      surface_q <= 13'd0;
      line_q <= 13'd0;
      width_q <= pdp_strip_width_in(split_num_i, strip_next, cube_in_width_i, partial_width_in_first_i,
          partial_width_in_mid_i,
                                    partial_width_in_last_i, kernel_width_i, kernel_stride_width_i);
      column_q <= 14'd1;
    end else if (take) begin
      column_q <= line_end ? 14'd1 : column_q + 14'd1;
      if (line_end) line_q <= surface_end ? 13'd0 : line_q + 13'd1;
      if (surface_end) surface_q <= surface_q + 13'd1;
    end
  end

  `NVDLA_STABLE(MemoryStable, mem_valid_i, mem_ready_o, mem_data_i)
  `NVDLA_STABLE(SdpStable, sdp_valid_i, sdp_ready_o, sdp_data_i)
  `NVDLA_STABLE(OutputStable, in_valid_o, in_ready_i, {in_atom_o, in_last_o, in_beat_o, in_atom_o ? in_atom_data_o : '0,
                in_atom_o ? '0 : in_beat_data_o})
  `NVDLA_CHECK(NothingAfterTheLastAtom, !(in_valid_o && done_o))
  `NVDLA_PARAM(BeatOf16BitsIsAnAtom, LaneBytes == 1 || 2 * SdpBsThroughput == MemAtom)
  `NVDLA_CHECK(OneSource, !(mem_ready_o && sdp_ready_o))
  `NVDLA_CHECK(AtomsAreWhole, !(flying_mode_i && run_i) || beat_q == '0)

`ifdef NVDLA_CHECKS
  // Atoms of the layer; strips that overlap count their columns twice.
  logic [63:0] atoms_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) atoms_q <= '0;
    else if (!run_i) atoms_q <= '0;
    else if (in_valid_o && in_ready_i && in_last_o) atoms_q <= atoms_q + 64'd1;
  `NVDLA_CHECK(WholeCube, !(run_i && done_o) || split_num_i != '0 || atoms_q ==
               (64'(cube_in_width_i) + 64'd1) * (64'(cube_in_height_i) + 64'd1) * (64'(surface_last) + 64'd1))
`endif
endmodule
