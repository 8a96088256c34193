// PDP_RDMA: reads the input cube from memory, one request per line of a strip, in the order strip, surface, line.
//
// run_i, d_i: the active layer of the PDP_RDMA register group; the first request goes out one clock after run_i rises. done_o
// pulses while the last atom is delivered. atom_*: atoms of the requests in order, straight from the latency buffer.
// stall_o: running count of clocks with a request that waits (D_PERF_READ_STALL), never cleared.
// Byte sums of base and strides are passed on as they are (20-data-formats section 9).
// Spec: 60-pdp, sections 2.2, 3, 7, 10.
module nvdla_pdp_rdma
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                run_i,
  input  pdp_rdma_d_t         d_i,
  output logic                done_o,
  output logic [31:0]         stall_o,
  output logic                req_valid_o,
  input  logic                req_ready_i,
  output logic [AddrBits-1:0] req_addr_o,
  output logic [15:0]         req_size_o,
  output logic                req_ram_o,
  input  logic                rsp_valid_i,
  output logic                rsp_ready_o,
  input  logic [AtomBits-1:0] rsp_data_i,
  output logic                atom_valid_o,
  input  logic                atom_ready_i,
  output logic [AtomBits-1:0] atom_data_o
);
  localparam logic [1:0] Idle = 2'd0;
  localparam logic [1:0] Issue = 2'd1;
  localparam logic [1:0] Drain = 2'd2;

  wire unused_d = &{1'b0, d_i};

  logic [1:0] state_q;
  logic [7:0] strip_q;
  logic [12:0] surface_q, line_q;
  logic [13:0] width_q;
  logic [AddrBits-1:0] strip_addr_q, surface_addr_q, line_addr_q;
  logic [17:0] pending_q;                      // atoms requested and not delivered
  logic [31:0] stall_q;

  wire [12:0] surface_last = d_i.cube_in_channel >> PdpChannelShift;
  wire issue = req_valid_o && req_ready_i;
  wire deliver = atom_valid_o && atom_ready_i;
  wire line_last = line_q == d_i.cube_in_height;
  wire strip_end = line_last && surface_q == surface_last;
  wire [7:0] strip_next = strip_q + 8'd1;
  wire [13:0] step = pdp_strip_step_in(strip_q, d_i.partial_width_in_first, d_i.partial_width_in_mid,
                                       d_i.kernel_width, d_i.kernel_stride_width);
  wire [AddrBits-1:0] strip_addr_next = strip_addr_q + (AddrBits'($signed(step)) << PdpChannelShift);
  wire [AddrBits-1:0] surface_addr_next = surface_addr_q + AddrBits'(d_i.src_surface_stride);
  wire [AddrBits-1:0] base = AddrBits'({d_i.src_base_addr_high, d_i.src_base_addr_low});

  assign req_valid_o = state_q == Issue;
  assign req_addr_o = line_addr_q;
  assign req_size_o = 16'(width_q) - 16'd1;
  assign req_ram_o = d_i.src_ram_type;
  assign atom_valid_o = rsp_valid_i;
  assign atom_data_o = rsp_data_i;
  assign rsp_ready_o = atom_ready_i;
  assign done_o = state_q == Drain && deliver && pending_q == 18'd1;
  assign stall_o = stall_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      pending_q <= 18'd0;
      stall_q <= 32'd0;
    end else begin
      case (state_q)
        Idle: if (run_i) state_q <= Issue;
        Issue: if (issue && strip_end && strip_q == d_i.split_num) state_q <= Drain;
        default: if (done_o) state_q <= Idle;
      endcase
      if (issue || deliver) pending_q <= pending_q + (issue ? 18'(width_q) : 18'd0) - 18'(deliver);
      if (req_valid_o && !req_ready_i && d_i.dma_en) stall_q <= stall_q + 32'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      strip_q <= 8'd0;
      surface_q <= 13'd0;
      line_q <= 13'd0;
      strip_addr_q <= base;
      surface_addr_q <= base;
      line_addr_q <= base;
      width_q <= pdp_strip_width_in(d_i.split_num, 8'd0, d_i.cube_in_width, d_i.partial_width_in_first, d_i.partial_width_in_mid,
                                    d_i.partial_width_in_last, d_i.kernel_width, d_i.kernel_stride_width);
    end else if (issue) begin
      if (!line_last) begin
        line_q <= line_q + 13'd1;
        line_addr_q <= line_addr_q + AddrBits'(d_i.src_line_stride);
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
          width_q <= pdp_strip_width_in(d_i.split_num, strip_next, d_i.cube_in_width, d_i.partial_width_in_first,
                                        d_i.partial_width_in_mid, d_i.partial_width_in_last, d_i.kernel_width,
                                        d_i.kernel_stride_width);
        end
      end
    end
  end
endmodule
