// Addresses of a cube's lines, one per DMA request: lines of a surface, then surfaces; or one request for the whole
// cube.
//
// While run_i is high the requests come out on a valid/ready stream: line_count_i+1 lines in each of surface_count_i+1
// surfaces, at base + surface * surface stride + line * line stride; with single_i one request at base. The request
// after run_i rises one clock later. last_o marks the last one. stall_o, clear_i, count_i: nvdla_rdma_walk.
// Bases and strides must be aligned by the caller.
// Spec: 50-sdp sections 3.2, 4 and 8.1.
`include "nvdla_check.svh"
module nvdla_sdp_lines
  import nvdla_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                run_i,
    input  logic [AddrBits-1:0] base_i,
    input  logic [AddrBits-1:0] line_stride_i,
    input  logic [AddrBits-1:0] surface_stride_i,
    input  logic [        12:0] line_count_i,     // minus 1
    input  logic [        12:0] surface_count_i,  // minus 1
    input  logic                single_i,
    input  logic                clear_i,
    input  logic                count_i,
    output logic [        31:0] stall_o,
    output logic                valid_o,
    input  logic                ready_i,
    output logic [AddrBits-1:0] addr_o,
    output logic                last_o
);
  logic issue, unused_start, unused_drain;
  logic [AddrBits-1:0] surface_q, addr_q;
  logic [12:0] line_q, surface_left_q;
  logic last_line;

  assign addr_o = addr_q;
  assign last_line = line_q == 13'd0;
  assign last_o = last_line && surface_left_q == 13'd0;

  nvdla_rdma_walk u_walk (
      .clk_i,
      .rst_ni,
      .run_i,
      .done_i     (!run_i),
      .start_o    (unused_start),
      .drain_o    (unused_drain),
      .offer_i    (1'b1),
      .req_valid_o(valid_o),
      .req_ready_i(ready_i),
      .req_last_i (last_o),
      .issue_o    (issue),
      .clear_i,
      .count_i,
      .stall_o
  );

  always_ff @(posedge clk_i) begin
    if (!valid_o) begin
      addr_q <= base_i;
      surface_q <= base_i;
      line_q <= single_i ? 13'd0 : line_count_i;
      surface_left_q <= single_i ? 13'd0 : surface_count_i;
    end else if (issue) begin
      if (last_line) begin
        addr_q <= surface_q + surface_stride_i;
        surface_q <= surface_q + surface_stride_i;
        line_q <= line_count_i;
        surface_left_q <= surface_left_q - 13'd1;
      end else begin
        addr_q <= addr_q + line_stride_i;
        line_q <= line_q - 13'd1;
      end
    end
  end

  `NVDLA_STABLE(RequestStable, valid_o, ready_i, {addr_o, last_o})
`ifdef NVDLA_CHECKS
  // Requests of the layer.
  logic [31:0] lines_q, lines;
  assign lines = single_i ? 32'd1 : (32'(line_count_i) + 32'd1) * (32'(surface_count_i) + 32'd1);
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) lines_q <= '0;
    else if (!run_i) lines_q <= '0;
    else if (valid_o && ready_i) lines_q <= lines_q + 32'd1;
  `NVDLA_CHECK(RequestsOfWholeAtoms, !valid_o || addr_o[$clog2(MemAtom)-1:0] == '0)
  `NVDLA_CHECK(LayerEndsWithItsLastLine, !valid_o || last_o == (lines_q + 32'd1 == lines))
`endif
endmodule
