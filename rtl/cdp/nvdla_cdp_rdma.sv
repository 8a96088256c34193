// CDP_RDMA: reads the cube, one request per block, and delivers its atoms with what the data path has to know of the cube's size.
//
// run_i, d_i: the active layer of the CDP_RDMA register group; the first request goes out one clock after run_i rises. atom_*: atoms of the
// requests in order, straight from the latency buffer, atom_last_o with the layer's last one; block_o: the block they belong to; lanes_o:
// index of the atom's last lane below C. done_o pulses while the last atom is delivered. stall_o: running count of clocks with a request
// that waits (D_PERF_READ_STALL), never cleared. Blocks: requests that may be under way.
// Spec: 62-cdp, sections 2.3, 3, 9.
module nvdla_cdp_rdma
  import nvdla_pkg::*;
  import nvdla_cdp_pkg::*;
#(
  parameter int Blocks = 8
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    run_i,
  input  cdp_rdma_d_t             d_i,
  output logic                    done_o,
  output logic [31:0]             stall_o,
  output logic                    req_valid_o,
  input  logic                    req_ready_i,
  output logic [AddrBits-1:0]     req_addr_o,
  output logic [15:0]             req_size_o,
  output logic                    req_ram_o,
  input  logic                    rsp_valid_i,
  output logic                    rsp_ready_o,
  input  logic [AtomBits-1:0]     rsp_data_i,
  output logic                    atom_valid_o,
  input  logic                    atom_ready_i,
  output logic [AtomBits-1:0]     atom_data_o,
  output logic                    atom_last_o,
  output cdp_block_t              block_o,
  output logic [CdpAtomShift-1:0] lanes_o
);
  wire unused_d = &{1'b0, d_i};

  // ---- requests -----------------------------------------------------------------------------------------------------------------
  localparam logic [1:0] Idle = 2'd0;
  localparam logic [1:0] Issue = 2'd1;
  localparam logic [1:0] Drain = 2'd2;

  logic [1:0] state_q;
  logic [12:0] line_q, surface_q, left_q;      // left: columns of the line behind the first one of the block
  logic [31:0] stall_q;
  logic room, block_valid;
  cdp_block_t ask, block;
  logic [CdpBlockBits-1:0] block_flat;

  wire [AddrBits-1:0] base = AddrBits'({d_i.src_base_addr_high, d_i.src_base_addr_low});
  wire issue = req_valid_o && req_ready_i;

  always_comb begin
    ask.columns = left_q < 13'(CdpColumns) ? left_q[2:0] : 3'(CdpColumns - 1);
    ask.surface_last = surface_q == d_i.channel >> CdpAtomShift;
    ask.line_last = left_q < 13'(CdpColumns);
    ask.layer_last = ask.surface_last && ask.line_last && line_q == d_i.height;
  end

  assign req_valid_o = state_q == Issue && room;
  assign req_size_o = 16'(ask.columns);
  assign req_ram_o = SecondaryMemory == 0 || d_i.src_ram_type;
  assign stall_o = stall_q;

  nvdla_cdp_address u_address (
    .clk_i, .load_i(state_q == Idle && run_i), .base_i(base), .line_stride_i(d_i.src_line_stride),
    .surface_stride_i(d_i.src_surface_stride), .step_i(issue), .surface_last_i(ask.surface_last), .line_last_i(ask.line_last),
    .addr_o(req_addr_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      stall_q <= 32'd0;
    end else begin
      case (state_q)
        Idle: if (run_i) state_q <= Issue;
        Issue: if (issue && ask.layer_last) state_q <= Drain;
        default: if (done_o) state_q <= Idle;
      endcase
      if (req_valid_o && !req_ready_i && d_i.dma_en) stall_q <= stall_q + 32'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle && run_i) begin
      line_q <= 13'd0;
      surface_q <= 13'd0;
      left_q <= d_i.width;
    end else if (issue) begin
      surface_q <= ask.surface_last ? 13'd0 : surface_q + 13'd1;
      if (ask.surface_last) left_q <= ask.line_last ? d_i.width : left_q - 13'(CdpColumns);
      if (ask.surface_last && ask.line_last) line_q <= line_q + 13'd1;
    end
  end

  // ---- deliveries ---------------------------------------------------------------------------------------------------------------
  logic [2:0] column_q;
  wire deliver = atom_valid_o && atom_ready_i;
  wire block_last = column_q == block.columns;
  wire block_end = deliver && block_last;

  nvdla_fifo #(.Width(CdpBlockBits), .Depth(Blocks)) u_blocks (
    .clk_i, .rst_ni,
    .in_valid_i(issue), .in_ready_o(room), .in_data_i(ask),
    .out_valid_o(block_valid), .out_ready_i(block_end), .out_data_o(block_flat)
  );

  assign block = block_flat;
  assign block_o = block;
  assign lanes_o = block.surface_last ? d_i.channel[CdpAtomShift-1:0] : '1;
  assign atom_valid_o = rsp_valid_i && block_valid;
  assign rsp_ready_o = atom_ready_i && block_valid;
  assign atom_data_o = rsp_data_i;
  assign atom_last_o = block_last && block.layer_last;
  assign done_o = deliver && atom_last_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) column_q <= 3'd0;
    else if (deliver) column_q <= block_end ? 3'd0 : column_q + 3'd1;
  end
endmodule
