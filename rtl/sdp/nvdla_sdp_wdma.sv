// WDMA: packs the results of a layer into atoms and writes them to the output cube, all lanes of all atoms.
//
// run_i is high while a layer that writes memory is active. One DMA command per line; a 1x1 cube is packed and written
// by one command. done_intr_o: one clock when the layer of group_i is in memory.
// Stream in: SdpBsThroughput bytes a transfer, MemAtom / SdpBsThroughput transfers make an atom, which leaves with the
// last one. done_o rises when the last atom and the last command have been handed over, and stays high until run_i
// falls.
// stall_o: an atom waits (D_PERF_WDMA_WRITE_STALL).
// Configurations with 16-bit precisions: a lane has 16 bits. wide_i: so has an element in memory, and one transfer is
// an atom; else the lower bytes of the lanes are the elements. split_i: of a column the first transfer goes to the even
// surface of a pair and the second to the odd one (INT8 to INT16). winograd_i: pairs of columns, each in four lines;
// batches_i: pairs of columns, each in all batches batch_stride_i apart, and cubes of 1x1 are not packed.
// Spec: 50-sdp sections 8 and 11.
`include "nvdla_check.svh"
module nvdla_sdp_wdma
  import nvdla_pkg::*;
(
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    input  logic                                   run_i,
    input  logic                                   group_i,
    input  logic [                           12:0] width_i,          // minus 1
    input  logic [                           12:0] height_i,         // minus 1
    input  logic [                           12:0] surface_count_i,  // minus 1
    input  logic [                   AddrBits-1:0] base_i,
    input  logic [                   AddrBits-1:0] line_stride_i,
    input  logic [                   AddrBits-1:0] surface_stride_i,
    input  logic                                   ram_i,
    input  logic                                   wide_i,
    input  logic                                   split_i,
    input  logic                                   winograd_i,
    input  logic [                            4:0] batches_i,  // minus 1
    input  logic [                   AddrBits-1:0] batch_stride_i,
    output logic                                   done_o,
    output logic                                   stall_o,
    output logic [                            1:0] done_intr_o,
    output logic                                   busy_o,
    input  logic                                   valid_i,
    output logic                                   ready_o,
    input  logic [SdpBsThroughput*8*LaneBytes-1:0] data_i,
    input  logic                                   last_i,
    output mif_wr_req_t                            mif_o,
    input  mif_wr_rsp_t                            mif_i
);
  localparam int BeatBits = SdpBsThroughput * 8;
  localparam int Beats = MemAtom / SdpBsThroughput;
  localparam int CountBits = $clog2(Beats);

  logic single, cmd_valid, cmd_ready, cmd_last, dat_valid, dat_ready, last_beat;
  logic [31:0] unused_stall;
  logic [AddrBits-1:0] cmd_addr;
  logic [CountBits-1:0] beat_q;

  assign single = width_i == 13'd0 && height_i == 13'd0;
  assign last_beat = (LaneBytes == 2 && wide_i) || beat_q == CountBits'(Beats - 1);
  assign dat_valid = valid_i && last_beat;
  assign ready_o = !last_beat || dat_ready;
  assign stall_o = dat_valid && !dat_ready;

  logic [15:0] cmd_size;
  if (LaneBytes == 2) begin : gen_requests
    logic packed_cube;
    assign packed_cube = single && batches_i == 5'd0;
    nvdla_sdp_blocks u_lines (
        .clk_i,
        .rst_ni,
        .run_i,
        .base_i,
        .line_stride_i,
        .surface_stride_i((split_i && !packed_cube) ? surface_stride_i << 1 : surface_stride_i),
        .item_stride_i   (split_i ? surface_stride_i : batch_stride_i),
        .line_count_i    (packed_cube ? 13'd0 : height_i),
        .surface_count_i (packed_cube ? 13'd0 : surface_count_i),
        .column_count_i  (!packed_cube ? {1'b0, width_i} : split_i ? {surface_count_i, 1'b1} : {1'b0, surface_count_i}),
        .item_count_i    (packed_cube ? 5'd0 : split_i ? 5'd1 : batches_i),
        .column_log_i    (2'd0),
        .whole_i         (packed_cube || !(split_i || winograd_i || batches_i != 5'd0)),
        .band_i          (winograd_i),
        .align_i         (batches_i != 5'd0),
        .block_i         (split_i ? 4'd1 : 4'd2),
        .clear_i         (1'b0),
        .count_i         (1'b0),
        .stall_o         (unused_stall),
        .valid_o         (cmd_valid),
        .ready_i         (cmd_ready),
        .addr_o          (cmd_addr),
        .size_o          (cmd_size),
        .last_o          (cmd_last)
    );
  end else begin : gen_requests
    nvdla_sdp_lines u_lines (
        .clk_i           (clk_i),
        .rst_ni          (rst_ni),
        .run_i           (run_i),
        .base_i          (base_i),
        .line_stride_i   (line_stride_i),
        .surface_stride_i(surface_stride_i),
        .line_count_i    (height_i),
        .surface_count_i (surface_count_i),
        .single_i        (single),
        .clear_i         (1'b0),
        .count_i         (1'b0),
        .stall_o         (unused_stall),
        .valid_o         (cmd_valid),
        .ready_i         (cmd_ready),
        .addr_o          (cmd_addr),
        .last_o          (cmd_last)
    );
    assign cmd_size = {3'd0, single ? surface_count_i : width_i};
    wire unused_order = &{1'b0, split_i, winograd_i, batches_i, batch_stride_i};
  end

  // The last beat of an atom goes straight to the write client, the others wait here.
  logic [AtomBits-BeatBits-1:0] atom_q;
  logic [AtomBits-1:0] atom;
  logic [BeatBits-1:0] bytes;
  if (LaneBytes == 2) begin : gen_wide
    for (genvar g = 0; g < SdpBsThroughput; g++) begin : gen_lane
      assign bytes[g*8+:8] = data_i[g*16+:8];
    end
    assign atom = wide_i ? data_i : {bytes, atom_q};
  end else begin : gen_int8
    assign bytes = data_i;
    assign atom = {bytes, atom_q};
    wire unused_wide = wide_i;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && !last_beat) atom_q[32'(beat_q)*BeatBits+:BeatBits] <= bytes;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (valid_i && ready_o) beat_q <= last_beat ? '0 : beat_q + CountBits'(1);
  end

  nvdla_engine_output u_output (
      .clk_i,
      .rst_ni,
      .run_i,
      .group_i,
      .cmd_valid_i (cmd_valid),
      .cmd_ready_o (cmd_ready),
      .cmd_addr_i  (cmd_addr),
      .cmd_size_i  (cmd_size),
      .cmd_ram_i   (ram_i),
      .cmd_last_i  (cmd_last),
      .atom_valid_i(dat_valid),
      .atom_ready_o(dat_ready),
      .atom_last_i (last_i),
      .atom_data_i (atom),
      .done_o,
      .done_intr_o,
      .busy_o,
      .mif_o,
      .mif_i
  );

  `NVDLA_STABLE(InputStable, valid_i, ready_o, {data_i, last_i})
  `NVDLA_CHECK(LayerEndsWithAnAtom, !(valid_i && last_i) || last_beat)

`ifdef NVDLA_CHECKS
  // Atoms as they come in, beat by beat.
  logic [AtomBits-1:0] atom_seen;
  logic [AtomBits-1:BeatBits] atom_seen_q;
  int beats_seen_q;
  logic all_seen;
  assign all_seen = (LaneBytes == 2 && wide_i) || beats_seen_q == Beats - 1;
  assign atom_seen = (LaneBytes == 2 && wide_i) ? AtomBits'(data_i) : {bytes, atom_seen_q};
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) beats_seen_q <= 0;
    else if (valid_i && ready_o) beats_seen_q <= all_seen ? 0 : beats_seen_q + 1;
  always_ff @(posedge clk_i) if (valid_i && ready_o) atom_seen_q <= atom_seen[AtomBits-1:BeatBits];
  `NVDLA_CHECK(AtomOfAllItsBeats, !dat_valid || (all_seen && atom == atom_seen))
  `NVDLA_CHECK(AtomWithItsLastBeat, !(valid_i && ready_o) || (dat_valid && dat_ready) == all_seen)
`endif
endmodule
