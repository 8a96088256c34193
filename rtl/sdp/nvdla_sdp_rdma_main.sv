// MRDMA: reads the input cube of a layer and delivers it atom by atom in plain order (surface, line, column).
//
// run_i is high while a layer with a memory source is active. One DMA request per line; a 1x1 cube is packed and read by one
// request. done_o rises when the last atom has been taken and stays high until run_i falls.
// stall_o tells that a request waits (D_PERF_MRDMA_READ_STALL).
// Stream out: one atom (AtomBits) a transfer. Latency from run_i to the request: 1 clock; from response to stream: none.
// Spec: 50-sdp section 3.2.
module nvdla_sdp_rdma_main
  import nvdla_pkg::*;
#(
    parameter int Depth = 8  // atoms of the latency buffer
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                run_i,
    input  logic [12:0]         width_i,          // minus 1
    input  logic [12:0]         height_i,         // minus 1
    input  logic [12:0]         surface_count_i,  // minus 1
    input  logic [AddrBits-1:0] base_i,
    input  logic [AddrBits-1:0] line_stride_i,
    input  logic [AddrBits-1:0] surface_stride_i,
    input  logic                ram_i,
    output logic                done_o,
    output logic                stall_o,
    output logic                valid_o,
    input  logic                ready_i,
    output logic [AtomBits-1:0] data_o,
    output mif_rd_req_t         mif_o,
    input  mif_rd_rsp_t         mif_i
);
  logic single, req_valid, req_ready, step, last, done_q;
  logic [AddrBits-1:0] req_addr;
  logic unused_lines_done, unused_last_request, unused_last_of_surface;

  assign single = width_i == 13'd0 && height_i == 13'd0;
  assign step = valid_o && ready_i;
  assign stall_o = req_valid && !req_ready;
  assign done_o = done_q;

  nvdla_sdp_lines i_lines (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .run_i           (run_i),
      .base_i          (base_i),
      .line_stride_i   (line_stride_i),
      .surface_stride_i(surface_stride_i),
      .line_count_i    (height_i),
      .surface_count_i (surface_count_i),
      .single_i        (single),
      .valid_o         (req_valid),
      .ready_i         (req_ready),
      .addr_o          (req_addr),
      .last_o          (unused_last_request),
      .done_o          (unused_lines_done)
  );

  nvdla_dma_read #(
      .Depth(Depth)
  ) i_dma (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .req_valid_i    (req_valid),
      .req_ready_o    (req_ready),
      .req_addr_i     (req_addr),
      .req_size_i     ({3'd0, single ? surface_count_i : width_i}),
      .req_ram_i      (ram_i),
      .rsp_valid_o    (valid_o),
      .rsp_ready_i    (ready_i),
      .rsp_data_o     (data_o),
      .mif_o          (mif_o),
      .mif_i          (mif_i)
  );

  nvdla_sdp_walk i_walk (
      .clk_i            (clk_i),
      .clear_i          (!run_i),
      .step_i           (step),
      .width_i          (width_i),
      .height_i         (height_i),
      .surface_count_i  (surface_count_i),
      .last_of_surface_o(unused_last_of_surface),
      .last_o           (last)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_q <= 1'b0;
    else if (!run_i) done_q <= 1'b0;
    else if (step && last) done_q <= 1'b1;
  end
endmodule
