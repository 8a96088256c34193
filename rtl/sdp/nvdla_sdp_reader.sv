// Read DMA of SDP_RDMA: the requests of a cube, line by line (nvdla_sdp_lines), and their atoms in order.
//
// run_i is high while a layer that reads is active. Each request fetches size_i + 1 atoms; with single_i one request
// fetches all. split_i and winograd_i (configurations with 16-bit precisions, single_i = 0): the size_i + 1 atoms of a
// line come in other orders than plain. split_i: in blocks of eight, each of two surfaces that follow each other,
// surface_count_i + 1 pairs of surfaces. winograd_i: in pairs of columns of 2^column_log_i atoms, each pair in four
// lines.
// stall_o counts the clocks with a request that waits while count_i is 1, clear_i sets it to 0.
// busy_o: a request, an atom or the stall counter moves.
// Latency from run_i to the request: 1 clock; from response to stream: none.
// RspAtoms: atoms of data_o, see nvdla_dma_read.
// Spec: 50-sdp sections 3.2 and 4.
module nvdla_sdp_reader
  import nvdla_pkg::*;
#(
    parameter int Depth = 8,  // atoms of the latency buffer
    parameter int RspAtoms = 1
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         run_i,
    input  logic [         AddrBits-1:0] base_i,
    input  logic [         AddrBits-1:0] line_stride_i,
    input  logic [         AddrBits-1:0] surface_stride_i,
    input  logic [                 12:0] line_count_i,     // minus 1
    input  logic [                 12:0] surface_count_i,  // minus 1
    input  logic                         single_i,
    input  logic [                 15:0] size_i,  // minus 1
    input  logic                         split_i,
    input  logic                         winograd_i,
    input  logic [                  1:0] column_log_i,
    input  logic                         ram_i,
    input  logic                         clear_i,
    input  logic                         count_i,
    output logic [                 31:0] stall_o,
    output logic                         valid_o,
    input  logic                         ready_i,
    output logic [RspAtoms*AtomBits-1:0] data_o,
    output logic                         busy_o,
    output mif_rd_req_t                  mif_o,
    input  mif_rd_rsp_t                  mif_i
);
  logic req_valid, req_ready, unused_last, dma_busy;
  assign busy_o = dma_busy || (req_valid && count_i);
  logic [AddrBits-1:0] req_addr;

  logic [15:0] req_size;
  if (LaneBytes == 2) begin : gen_requests
    nvdla_sdp_blocks u_lines (
        .clk_i,
        .rst_ni,
        .run_i,
        .base_i,
        .line_stride_i,
        .surface_stride_i(split_i ? surface_stride_i << 1 : surface_stride_i),
        .item_stride_i   (surface_stride_i),
        .line_count_i    (single_i ? 13'd0 : line_count_i),
        .surface_count_i (single_i ? 13'd0 : surface_count_i),
        .column_count_i  (14'(size_i >> column_log_i)),
        .item_count_i    ({4'd0, split_i}),
        .column_log_i,
        .whole_i         (!split_i && !winograd_i),
        .band_i          (winograd_i),
        .align_i         (1'b0),
        .block_i         (split_i ? 4'd8 : 4'd2),
        .clear_i,
        .count_i,
        .stall_o,
        .valid_o         (req_valid),
        .ready_i         (req_ready),
        .addr_o          (req_addr),
        .size_o          (req_size),
        .last_o          (unused_last)
    );
  end else begin : gen_requests
    nvdla_sdp_lines u_lines (
        .clk_i,
        .rst_ni,
        .run_i,
        .base_i,
        .line_stride_i,
        .surface_stride_i,
        .line_count_i,
        .surface_count_i,
        .single_i,
        .clear_i,
        .count_i,
        .stall_o,
        .valid_o(req_valid),
        .ready_i(req_ready),
        .addr_o (req_addr),
        .last_o (unused_last)
    );
    assign req_size = size_i;
    wire unused_order = &{1'b0, split_i, winograd_i, column_log_i};
  end

  nvdla_dma_read #(
      .Depth   (Depth),
      .RspAtoms(RspAtoms)
  ) u_dma (
      .clk_i,
      .rst_ni,
      .req_valid_i(req_valid),
      .req_ready_o(req_ready),
      .req_addr_i (req_addr),
      .req_size_i (req_size),
      .req_ram_i  (ram_i),
      .rsp_valid_o(valid_o),
      .rsp_ready_i(ready_i),
      .rsp_data_o (data_o),
      .busy_o     (dma_busy),
      .mif_o,
      .mif_i
  );
endmodule
