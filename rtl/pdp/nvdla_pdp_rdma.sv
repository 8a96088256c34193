// PDP_RDMA: reads the input cube from memory, one request per line of a strip, in the order strip, surface, line.
//
// run_i: a layer of the PDP_RDMA register group is active, its registers are at the ports of the same names; the first
// request goes out one clock after run_i rises. done_o pulses while the last atom is delivered. atom_*: atoms of the
// requests in order, directly from the latency buffer.
// stall_o: running count of clocks with a request that waits (D_PERF_READ_STALL), never cleared.
// Byte sums of base and strides are passed on as they are (20-data-formats section 9).
// Spec: 60-pdp, sections 2.2, 3, 7, 10.
`include "nvdla_check.svh"
module nvdla_pdp_rdma
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;
#(
    parameter int Depth = 8  // atoms of the latency buffer
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                run_i,
    input  logic [        12:0] cube_in_width_i,
    input  logic [        12:0] cube_in_height_i,
    input  logic [        12:0] cube_in_channel_i,
    input  logic [         1:0] input_data_i,
    input  logic [AddrBits-1:0] src_base_addr_i,
    input  logic [        31:0] src_line_stride_i,
    input  logic [        31:0] src_surface_stride_i,
    input  logic                src_ram_type_i,
    input  logic [         7:0] split_num_i,
    input  logic [         3:0] kernel_width_i,
    input  logic [         3:0] kernel_stride_width_i,
    input  logic [         9:0] partial_width_in_first_i,
    input  logic [         9:0] partial_width_in_last_i,
    input  logic [         9:0] partial_width_in_mid_i,
    input  logic                dma_en_i,
    output logic                done_o,
    output logic [        31:0] stall_o,
    output logic                atom_valid_o,
    input  logic                atom_ready_i,
    output logic [AtomBits-1:0] atom_data_o,
    output mif_rd_req_t         mif_o,
    input  mif_rd_rsp_t         mif_i
);
  logic start, drain, req_valid, req_ready, issue;
  logic [7:0] strip_q;
  logic [12:0] surface_q, line_q;
  logic [13:0] width_q;
  logic [AddrBits-1:0] strip_addr_q, surface_addr_q, line_addr_q;
  logic [17:0] pending_q;  // atoms requested and not delivered
  logic [12:0] surface_last;
  logic deliver, line_last, strip_end;
  logic [7:0] strip_next;
  logic [13:0] step;
  logic [AddrBits-1:0] strip_addr_next, surface_addr_next;

  assign surface_last = pdp_surface_last(cube_in_channel_i, input_data_i);
  assign deliver = atom_valid_o && atom_ready_i;
  assign line_last = line_q == cube_in_height_i;
  assign strip_end = line_last && surface_q == surface_last;
  assign strip_next = strip_q + 8'd1;
  assign step = pdp_strip_step_in(strip_q, partial_width_in_first_i, partial_width_in_mid_i,
                                  kernel_width_i, kernel_stride_width_i);
  assign strip_addr_next = strip_addr_q + (AddrBits'($signed(step)) << PdpChannelShift);
  assign surface_addr_next = surface_addr_q + AddrBits'(src_surface_stride_i);

  assign done_o = drain && deliver && pending_q == 18'd1;

  nvdla_rdma_walk u_walk (
      .clk_i,
      .rst_ni,
      .run_i,
      .done_i     (done_o),
      .start_o    (start),
      .drain_o    (drain),
      .offer_i    (1'b1),
      .req_valid_o(req_valid),
      .req_ready_i(req_ready),
      .req_last_i (strip_end && strip_q == split_num_i),
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
      .req_addr_i (line_addr_q),
      .req_size_i (16'(width_q) - 16'd1),
      .req_ram_i  (src_ram_type_i),
      .rsp_valid_o(atom_valid_o),
      .rsp_ready_i(atom_ready_i),
      .rsp_data_o (atom_data_o),
      .busy_o     (unused_busy),
      .mif_o,
      .mif_i
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= 18'd0;
    end else begin
      if (issue || deliver) pending_q <= pending_q + (issue ? 18'(width_q) : 18'd0) - 18'(deliver);
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      strip_q <= 8'd0;
      surface_q <= 13'd0;
      line_q <= 13'd0;
      strip_addr_q <= src_base_addr_i;
      surface_addr_q <= src_base_addr_i;
      line_addr_q <= src_base_addr_i;
      width_q <= pdp_strip_width_in(split_num_i, 8'd0, cube_in_width_i, partial_width_in_first_i,
          partial_width_in_mid_i,
                                    partial_width_in_last_i, kernel_width_i, kernel_stride_width_i);
    end else if (issue) begin
      if (!line_last) begin
        line_q <= line_q + 13'd1;
        line_addr_q <= line_addr_q + AddrBits'(src_line_stride_i);
      end else begin
        line_q <= 13'd0;
        if (!strip_end) begin
          surface_q <= surface_q + 13'd1;
          surface_addr_q <= surface_addr_next;
          line_addr_q <= surface_addr_next;
        end else begin
          surface_q <= 13'd0;
          strip_q <= strip_next;
          strip_addr_q <= strip_addr_next;
          surface_addr_q <= strip_addr_next;
          line_addr_q <= strip_addr_next;
          width_q <= pdp_strip_width_in(split_num_i, strip_next, cube_in_width_i, partial_width_in_first_i,
                                        partial_width_in_mid_i, partial_width_in_last_i, kernel_width_i,
                                        kernel_stride_width_i);
        end
      end
    end
  end

  `NVDLA_STABLE(AtomStable, atom_valid_o, atom_ready_i, atom_data_o)
  `NVDLA_CHECK(AtomsOnlyInLayer, !atom_valid_o || run_i)
  // Without its line and its surface an address is whole atoms from the base: where the strip begins.
  `NVDLA_CHECK(AddressOfItsLine,
               !req_valid || (line_addr_q - src_base_addr_i - AddrBits'(line_q) * AddrBits'(src_line_stride_i) -
                            AddrBits'(surface_q) * AddrBits'(src_surface_stride_i)) % AddrBits'(MemAtom) == '0)
  // Atoms requested and not delivered.
  `NVDLA_BALANCE(Pending, 2 * 8192 + 2 * 65536, req_valid && req_ready, 32'(width_q), atom_valid_o && atom_ready_i, 1)
`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(PendingAddsUp, 32'(pending_q) == Pending.level_q)
  `NVDLA_CHECK(DoneWithTheLastAtom, !done_o || Pending.level_q == 1)
`endif
endmodule
