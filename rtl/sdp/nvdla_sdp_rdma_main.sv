// MRDMA: reads the input cube of a layer and delivers it atom by atom in plain order (surface, line, column).
//
// run_i is high while a layer with a memory source is active. One DMA request per line; a 1x1 cube is packed and read by one
// request. done_o rises when the last atom has been taken and stays high until run_i falls.
// stall_o, clear_i, count_i: nvdla_sdp_reader (D_PERF_MRDMA_READ_STALL).
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
    input  logic [        12:0] width_i,          // minus 1
    input  logic [        12:0] height_i,         // minus 1
    input  logic [        12:0] surface_count_i,  // minus 1
    input  logic [AddrBits-1:0] base_i,
    input  logic [AddrBits-1:0] line_stride_i,
    input  logic [AddrBits-1:0] surface_stride_i,
    input  logic                ram_i,
    output logic                done_o,
    input  logic                clear_i,
    input  logic                count_i,
    output logic [        31:0] stall_o,
    output logic                valid_o,
    input  logic                ready_i,
    output logic [AtomBits-1:0] data_o,
    output logic                busy_o,
    output mif_rd_req_t         mif_o,
    input  mif_rd_rsp_t         mif_i
);
  logic single, step, last, done_q, unused_last_of_surface;

  assign single = width_i == 13'd0 && height_i == 13'd0;
  assign step = valid_o && ready_i;
  assign done_o = done_q;

  nvdla_sdp_reader #(
      .Depth(Depth)
  ) u_reader (
      .clk_i,
      .rst_ni,
      .run_i,
      .base_i,
      .line_stride_i,
      .surface_stride_i,
      .line_count_i(height_i),
      .surface_count_i,
      .single_i    (single),
      .size_i      ({3'd0, single ? surface_count_i : width_i}),
      .ram_i,
      .clear_i,
      .count_i,
      .stall_o,
      .valid_o,
      .ready_i,
      .data_o,
      .busy_o,
      .mif_o,
      .mif_i
  );

  nvdla_sdp_walk u_walk (
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

  `NVDLA_STABLE(AtomStable, valid_o, ready_i, data_o)
  `NVDLA_CHECK(NothingAfterTheLastAtom, !(step && done_o))
  `NVDLA_CHECK(AtomsOnlyInLayer, !valid_o || run_i)
endmodule
