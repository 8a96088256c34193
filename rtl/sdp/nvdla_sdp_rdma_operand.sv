// Operand reader of one X stage (BRDMA for BS, NRDMA for BN): memory atoms in, operands of SdpBsThroughput lanes out.
//
// run_i is high while a layer that reads these operands is active. An operand atom holds MemAtom elements of one or two
// components of one or two bytes, so 1, 2 or 4 memory atoms. Per element: one request per line, each operand atom used
// once.
// Per kernel, and for 1x1 cubes: one request for the whole vector, each operand atom used for all columns and lines of
// its surface. Memory atoms wait in a ring of eight; a beat is cut out of the ring as soon as the atoms it needs are
// there.
// Stream out: one transfer per beat of SdpBsThroughput elements, per lane a 16-bit ALU and a 16-bit MUL operand,
// one-byte components sign-extended; alu_present_o / mul_present_o show which components the memory layout has.
// Latency from a response to the stream: 2 clocks. Sustains a beat per clock when memory delivers as fast.
// Configurations with 16-bit precisions: with wide_i processing is in one, so that MemAtom / 2 elements make a
// column; winograd_i: the cube is processed in Winograd order; with batches_i the operands of a pair of columns serve
// all batches (nvdla_sdp_operands). done_o rises when the last beat is in the output register and stays high until
// run_i falls.
// Spec: 50-sdp section 4.
`include "nvdla_check.svh"
module nvdla_sdp_rdma_operand
  import nvdla_pkg::*;
#(
    parameter int Depth = 16  // atoms of the latency buffer
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          run_i,
    input  logic [                   1:0] data_use_i,       // 0 MUL, 1 ALU, 2 both
    input  logic                          data_size_i,      // 1: two bytes
    input  logic                          data_mode_i,      // 1: per element
    input  logic [                  12:0] width_i,          // minus 1
    input  logic [                  12:0] height_i,         // minus 1
    input  logic [                  12:0] surface_count_i,  // minus 1
    input  logic [          AddrBits-1:0] base_i,
    input  logic [          AddrBits-1:0] line_stride_i,
    input  logic [          AddrBits-1:0] surface_stride_i,
    input  logic                          ram_i,
    input  logic                          wide_i,
    input  logic                          winograd_i,
    input  logic [                   4:0] batches_i,  // minus 1
    output logic                          done_o,
    input  logic                          clear_i,
    input  logic                          count_i,
    output logic [                  31:0] stall_o,
    output logic                          valid_o,
    input  logic                          ready_i,
    output logic                          alu_present_o,
    output logic                          mul_present_o,
    output logic [SdpBsThroughput*16-1:0] alu_o,
    output logic [SdpBsThroughput*16-1:0] mul_o,
    output logic                          busy_o,
    output mif_rd_req_t                   mif_o,
    input  mif_rd_rsp_t                   mif_i
);
  localparam int AtomShift = $clog2(MemAtom);
  localparam int OffsetBits = AtomShift + 2;  // byte offset in an operand atom
  localparam int RspAtoms = (LaneBytes == 2) ? MifAtoms : 1;
  localparam int BeatAtoms = (4 * SdpBsThroughput > MemAtom) ? 4 * SdpBsThroughput / MemAtom : 1;

  // Layout of the layer: an element has 2^size_log bytes, an operand atom 2^column_log memory atoms, as many or half of
  // it.
  logic per_element, both, has_alu, has_mul;
  logic [1:0] size_log, column_log;
  logic [3:0] atoms;
  logic [15:0] run_atoms, req_size;

  assign per_element = data_mode_i && (width_i != 13'd0 || height_i != 13'd0);
  assign both = data_use_i[1];
  assign has_alu = data_use_i != 2'd0;
  assign has_mul = data_use_i != 2'd1;
  assign size_log = {1'b0, both} + {1'b0, data_size_i};
  assign column_log = (LaneBytes == 2 && wide_i && size_log != 2'd0) ? size_log - 2'd1 : size_log;
  assign atoms = 4'd1 << column_log;
  assign run_atoms = {3'd0, per_element ? width_i : surface_count_i};
  assign req_size = (run_atoms << column_log) | {12'd0, atoms - 4'd1};

  // Requests and responses.
  logic rsp_valid, rsp_ready, reader_busy;
  logic [RspAtoms*AtomBits-1:0] rsp_data;
  logic step;

  nvdla_sdp_reader #(
      .Depth   (Depth),
      .RspAtoms(RspAtoms)
  ) u_reader (
      .clk_i,
      .rst_ni,
      .run_i,
      .base_i,
      .line_stride_i,
      .surface_stride_i,
      .line_count_i(height_i),
      .surface_count_i,
      .single_i    (!per_element),
      .size_i      (req_size),
      .split_i     (1'b0),
      .winograd_i  (winograd_i && per_element),
      .column_log_i(column_log),
      .ram_i,
      .clear_i,
      .count_i,
      .stall_o,
      .valid_o     (rsp_valid),
      .ready_i     (rsp_ready),
      .data_o      (rsp_data),
      .busy_o      (reader_busy),
      .mif_o,
      .mif_i
  );

  assign busy_o = reader_busy || step || (valid_o && ready_i);

  always_ff @(posedge clk_i) begin
    if (step) begin
      alu_present_o <= has_alu;
      mul_present_o <= has_mul;
    end
  end

  if (LaneBytes == 2) begin : gen_wide
    nvdla_sdp_operands u_operands (
        .clk_i,
        .rst_ni,
        .run_i,
        .per_element_i(per_element),
        .wide_i,
        .both_i       (both),
        .two_bytes_i  (data_size_i),
        .request_i    ((winograd_i && per_element) ? 16'({atoms, 1'b0}) - 16'd1 : req_size),
        .width_i,
        .height_i,
        .surface_count_i,
        .batches_i,
        .rsp_valid_i  (rsp_valid),
        .rsp_ready_o  (rsp_ready),
        .rsp_data_i   (rsp_data),
        .step_o       (step),
        .done_o,
        .valid_o,
        .ready_i,
        .alu_o,
        .mul_o
    );
  end else begin : gen_int8
    // Ring of memory atoms; head_q is the first one of the present operand atom.
    logic [AtomBits-1:0] ring_q[8];
    logic [2:0] head_q, tail_q;
    logic [3:0] level_q;
    logic fill, release_atoms;

    assign rsp_ready = !level_q[3];
    assign fill = rsp_valid && rsp_ready;

    always_ff @(posedge clk_i) begin
      if (fill) ring_q[tail_q] <= rsp_data;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        head_q <= 3'd0;
        tail_q <= 3'd0;
        level_q <= 4'd0;
      end else if (fill || release_atoms) begin
        if (fill) tail_q <= tail_q + 3'd1;
        if (release_atoms) head_q <= head_q + atoms[2:0];
        level_q <= level_q + {3'd0, fill} - (release_atoms ? atoms : 4'd0);
      end
    end

    // Beats: a beat may be cut when the memory atom of its last byte is in the ring.
    logic [AtomShift-1:0] first;
    logic [OffsetBits-1:0] last_byte;
    logic last_beat, last_of_surface, unused_open, unused_last, unused_second, unused_turn_end, unused_round_end;

    assign last_byte = ((OffsetBits'(first) + OffsetBits'(SdpBsThroughput)) << size_log) - OffsetBits'(1);
    assign release_atoms = step && (per_element ? last_beat : last_of_surface);

    nvdla_sdp_beats u_beats (
        .clk_i,
        .rst_ni,
        .run_i,
        .width_i,
        .height_i,
        .surface_count_i,
        .batches_i    (5'd0),
        .wide_i       (1'b0),
        .open_o       (unused_open),
        .available_i  (level_q > 4'(last_byte >> AtomShift)),
        .step_o       (step),
        .element_o    (first),
        .atom_end_o   (last_beat),
        .second_o     (unused_second),
        .turn_end_o   (unused_turn_end),
        .round_end_o  (unused_round_end),
        .surface_end_o(last_of_surface),
        .layer_end_o  (unused_last),
        .done_o,
        .valid_o,
        .ready_i
    );

    // A beat is SdpBsThroughput << size_log bytes and begins in the operand atom at a multiple of them, so it lies in
    // BeatAtoms memory atoms.
    logic [OffsetBits-1:0] begin_byte;
    logic [2:0] begin_place;
    assign begin_byte  = {2'd0, first} << size_log;
    assign begin_place = head_q + 3'(begin_byte >> AtomShift);

    always_ff @(posedge clk_i)
      if (step) begin
        logic [BeatAtoms*AtomBits-1:0] beat;
        for (int a = 0; a < BeatAtoms; a++) beat[a*AtomBits+:AtomBits] = ring_q[begin_place+3'(a)];
        beat = beat >> {begin_byte[AtomShift-1:0] & ~AtomShift'(SdpBsThroughput - 1), 3'd0};
        for (int g = 0; g < SdpBsThroughput; g++) begin
          if (has_alu)
            alu_o[g*16+:16] <= data_size_i ? (both ? beat[g*32+:16] : beat[g*16+:16])
              : 16'($signed(both ? beat[g*16+:8] : beat[g*8+:8]));
          if (has_mul)
            mul_o[g*16+:16] <= data_size_i ? (both ? beat[g*32+16+:16] : beat[g*16+:16])
              : 16'($signed(both ? beat[g*16+8+:8] : beat[g*8+:8]));
        end
      end
    wire unused_wide = &{1'b0, wide_i, batches_i};

    `NVDLA_CHECK(RingEmptyBetweenLayers, run_i || level_q == '0)
    // Memory atoms in the ring.
    `NVDLA_BALANCE(Ring, 8, rsp_valid && rsp_ready, 1, release_atoms, 32'(atoms))

`ifdef NVDLA_CHECKS
    logic [AtomBits-1:0] shadow_q[0:7];
    logic [31:0] come_q, gone_q;
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) begin
        come_q <= '0;
        gone_q <= '0;
      end else begin
        if (rsp_valid && rsp_ready) come_q <= come_q + 32'd1;
        if (release_atoms) gone_q <= gone_q + 32'(atoms);
      end
    always_ff @(posedge clk_i) if (rsp_valid && rsp_ready) shadow_q[come_q[2:0]] <= rsp_data;
    `NVDLA_CHECK(LevelAddsUp, 32'(level_q) == Ring.level_q)
    `NVDLA_CHECK(RingInOrder, level_q == '0 ||
                 (ring_q[head_q] == shadow_q[gone_q[2:0]] && head_q == gone_q[2:0] && tail_q == come_q[2:0]))
    `NVDLA_CHECK(BeatOnlyOfAtomsThatAreThere, !step || Ring.level_q > (32'(last_byte) >> AtomShift))
`endif
  end

  `NVDLA_STABLE(OperandsStable, valid_o, ready_i,
                {alu_present_o, mul_present_o, alu_present_o ? alu_o : '0, mul_present_o ? mul_o : '0})
endmodule
