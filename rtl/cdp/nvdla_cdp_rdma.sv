// CDP_RDMA: reads the cube, one request per block, and delivers its atoms with the size information that the data path
// needs.
//
// run_i: a layer of the CDP_RDMA register group is active, its registers are at the ports of the same names; the first
// request goes out one clock after run_i rises. atom_*: atoms of the requests in order, directly from the latency
// buffer, atom_last_o with the layer's last one; block_o: the block they belong to; lanes_o: index of the atom's last
// lane below C. wide_i: elements of two bytes. done_o pulses while the last atom is delivered. stall_o: running count
// of clocks with a request that waits (D_PERF_READ_STALL), never cleared.
// Spec: 62-cdp, sections 2.3, 3, 9.
`include "nvdla_check.svh"
module nvdla_cdp_rdma
  import nvdla_pkg::*;
  import nvdla_cdp_pkg::*;
#(
    parameter int Depth = 16  // atoms of the latency buffer
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    run_i,
    input  logic [            12:0] width_i,
    input  logic [            12:0] height_i,
    input  logic [            12:0] channel_i,
    input  logic [    AddrBits-1:0] src_base_addr_i,
    input  logic [            31:0] src_line_stride_i,
    input  logic [            31:0] src_surface_stride_i,
    input  logic                    src_ram_type_i,
    input  logic                    wide_i,
    input  logic                    dma_en_i,
    output logic                    done_o,
    output logic [            31:0] stall_o,
    output logic                    atom_valid_o,
    input  logic                    atom_ready_i,
    output logic [    AtomBits-1:0] atom_data_o,
    output logic                    atom_last_o,
    output cdp_block_t              block_o,
    output logic [CdpAtomShift-1:0] lanes_o,
    output mif_rd_req_t             mif_o,
    input  mif_rd_rsp_t             mif_i
);
  // ---- requests -----------------------------------------------------------------------------------------------------
  localparam int Blocks = Depth + 2;  // requests that may be under way

  logic start, unused_drain, req_valid, req_ready, issue, rsp_valid;
  logic [AddrBits-1:0] req_addr;
  logic [12:0] line_q, surface_q, left_q;  // left: columns of the line after the first one of the block
  logic room, block_valid;
  cdp_block_t ask, block;
  logic [CdpBlockBits-1:0] block_flat;
  logic [12:0] surface_end;           // last surface
  logic [CdpAtomShift-1:0] lane_end;  // last lane of it

  assign surface_end = wide_i ? channel_i >> (CdpAtomShift - 1) : channel_i >> CdpAtomShift;
  assign lane_end = wide_i ? {1'b0, channel_i[CdpAtomShift-2:0]} : channel_i[CdpAtomShift-1:0];

  always_comb begin
    ask.columns = left_q < 13'(CdpColumns) ? left_q[2:0] : 3'(CdpColumns - 1);
    ask.surface_last = surface_q == surface_end;
    ask.line_last = left_q < 13'(CdpColumns);
    ask.layer_last = ask.surface_last && ask.line_last && line_q == height_i;
  end

  nvdla_rdma_walk u_walk (
      .clk_i,
      .rst_ni,
      .run_i,
      .done_i     (done_o),
      .start_o    (start),
      .drain_o    (unused_drain),
      .offer_i    (room),
      .req_valid_o(req_valid),
      .req_ready_i(req_ready),
      .req_last_i (ask.layer_last),
      .issue_o    (issue),
      .clear_i    (1'b0),
      .count_i    (dma_en_i),
      .stall_o
  );

  logic unused_busy;
  nvdla_dma_read #(
      .Depth(Depth)
  ) u_dma (
      .clk_i,
      .rst_ni,
      .req_valid_i(req_valid),
      .req_ready_o(req_ready),
      .req_addr_i (req_addr),
      .req_size_i (16'(ask.columns)),
      .req_ram_i  (src_ram_type_i),
      .rsp_valid_o(rsp_valid),
      .rsp_ready_i(atom_ready_i && block_valid),
      .rsp_data_o (atom_data_o),
      .busy_o     (unused_busy),
      .mif_o,
      .mif_i
  );

  nvdla_cdp_address u_address (
      .clk_i,
      .load_i          (start),
      .base_i          (src_base_addr_i),
      .line_stride_i   (src_line_stride_i),
      .surface_stride_i(src_surface_stride_i),
      .step_i          (issue),
      .surface_last_i  (ask.surface_last),
      .line_last_i     (ask.line_last),
      .addr_o          (req_addr)
  );

  always_ff @(posedge clk_i) begin
    if (start) begin
      line_q <= 13'd0;
      surface_q <= 13'd0;
      left_q <= width_i;
    end else if (issue) begin
      surface_q <= ask.surface_last ? 13'd0 : surface_q + 13'd1;
      if (ask.surface_last) left_q <= ask.line_last ? width_i : left_q - 13'(CdpColumns);
      if (ask.surface_last && ask.line_last) line_q <= line_q + 13'd1;
    end
  end

  // ---- deliveries ---------------------------------------------------------------------------------------------------
  logic [2:0] column_q;
  logic deliver, block_last, block_end;

  assign deliver = atom_valid_o && atom_ready_i;
  assign block_last = column_q == block.columns;
  assign block_end = deliver && block_last;

  nvdla_fifo #(
      .Width(CdpBlockBits),
      .Depth(Blocks)
  ) u_blocks (
      .clk_i,
      .rst_ni,
      .in_valid_i (issue),
      .in_ready_o (room),
      .in_data_i  (ask),
      .out_valid_o(block_valid),
      .out_ready_i(block_end),
      .out_data_o (block_flat)
  );

  assign block = block_flat;
  assign block_o = block;
  assign lanes_o = block.surface_last ? lane_end : '1;
  assign atom_valid_o = rsp_valid && block_valid;
  assign atom_last_o = block_last && block.layer_last;
  assign done_o = deliver && atom_last_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) column_q <= 3'd0;
    else if (deliver) column_q <= block_end ? 3'd0 : column_q + 3'd1;
  end

  `NVDLA_STABLE(AtomStable, atom_valid_o, atom_ready_i, {atom_data_o, atom_last_o, block_o, lanes_o})
  `NVDLA_CHECK(AtomsOnlyInLayer, !atom_valid_o || run_i)
  `NVDLA_CHECK(RoomForTheBlock, !issue || room)
`ifdef NVDLA_CHECKS
  // Atoms requested and not delivered, and those of the layer.
  logic [63:0] delivered_q;
  int pending_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      pending_q   <= 0;
      delivered_q <= '0;
    end else begin
      pending_q   <= pending_q + ((req_valid && req_ready) ? 32'(ask.columns) + 1 : 0) -
          32'(atom_valid_o && atom_ready_i);
      delivered_q <= !run_i ? '0 : delivered_q + 64'(atom_valid_o && atom_ready_i);
    end
  `NVDLA_CHECK(AtomsOnlyAskedFor, !atom_valid_o || pending_q > 0)
  `NVDLA_CHECK(DoneWithTheLastAtom, !done_o || (pending_q == 1 && delivered_q + 64'd1 ==
               (64'(width_i) + 64'd1) * (64'(height_i) + 64'd1) * (64'(surface_end) + 64'd1)))
`endif
endmodule
