// SDP_RDMA: its register group and the read DMAs of a layer, MRDMA (input cube), BRDMA (BS operands), NRDMA (BN
// operands), and ERDMA (EW operands) where there is an EW unit.
//
// A layer starts when its group is armed and consumed; it is released when every enabled reader has delivered its last
// element, at once when none is enabled. MRDMA is enabled by FLYING_MODE = 0, the others by DISABLE = 0. There is no
// interrupt.
// The read stall counters count and are cleared only in layers with PERF_DMA_EN; other layers report the value left
// over.
// So do the counters of NaN and infinity with PERF_NAN_INF_COUNT_EN, in layers that read FP16.
// busy_o: an access, a layer that begins or ends, a reader with something that moves.
// Spec: 50-sdp sections 2.3, 3, 4, 10 and 11.
`ifndef NVDLA_SDP_RDMA_D_UNUSED
`include "nvdla_unused.svh"
`endif
module nvdla_sdp_rdma
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
(
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          csb_req_i,
    input  logic                          csb_write_i,
    input  logic [       CsbAddrBits-1:0] csb_addr_i,
    input  logic [                  31:0] csb_wdata_i,
    output logic [                  31:0] csb_rdata_o,
    output logic                          busy_o,
    // Input cube, one atom a transfer.
    output logic                          main_valid_o,
    input  logic                          main_ready_i,
    output logic [          AtomBits-1:0] main_data_o,
    output logic [                   1:0] main_in_o,  // precision of its elements
    // Operands, SdpBsThroughput elements a transfer.
    output logic                          bs_valid_o,
    input  logic                          bs_ready_i,
    output logic                          bs_alu_present_o,
    output logic                          bs_mul_present_o,
    output logic [SdpBsThroughput*16-1:0] bs_alu_o,
    output logic [SdpBsThroughput*16-1:0] bs_mul_o,
    output logic                          bn_valid_o,
    input  logic                          bn_ready_i,
    output logic                          bn_alu_present_o,
    output logic                          bn_mul_present_o,
    output logic [SdpBsThroughput*16-1:0] bn_alu_o,
    output logic [SdpBsThroughput*16-1:0] bn_mul_o,
    output logic                          ew_valid_o,
    input  logic                          ew_ready_i,
    output logic                          ew_alu_present_o,
    output logic                          ew_mul_present_o,
    output logic [SdpBsThroughput*16-1:0] ew_alu_o,
    output logic [SdpBsThroughput*16-1:0] ew_mul_o,
    // Read clients.
    output mif_rd_req_t                   m_mif_o,
    input  mif_rd_rsp_t                   m_mif_i,
    output mif_rd_req_t                   b_mif_o,
    input  mif_rd_rsp_t                   b_mif_i,
    output mif_rd_req_t                   n_mif_o,
    input  mif_rd_rsp_t                   n_mif_i,
    output mif_rd_req_t                   e_mif_o,
    input  mif_rd_rsp_t                   e_mif_i
);
  localparam int DataWords = SdpRdmaWords - SdpRdmaFirstD;
  // Latency buffers: what the pipe takes in the design latency of the memory; operands get twice that, for their atoms
  // of several memory atoms (chapter 70 section 3.2 lists 8 and 16 for small).
  localparam int MainDepth = DbbLatency * SdpBsThroughput / MemAtom;
  localparam int OperandDepth = 2 * MainDepth;
  localparam logic [63:0] AddrMask = ~(64'(MemAtom) - 64'd1);

  logic run, unused_group, armed, done;
  logic [DataWords*32-1:0] d_flat, stat;
  sdp_rdma_d_t d;
  assign d = d_flat;

  nvdla_reg_group #(
      .Words    (SdpRdmaWords),
      .FirstD   (SdpRdmaFirstD),
      .WriteMask(SdpRdmaWriteMask),
      .Reset    (SdpRdmaReset),
      .StatMask (SdpRdmaStatMask)
  ) u_regs (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .req_i  (csb_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(csb_rdata_o),
      .run_o  (run),
      .group_o(unused_group),
      .armed_o(armed),
      .d_o    (d_flat),
      .done_i (done),
      .stat_i (stat)
  );

  // What the readers share.
  logic m_enable, b_enable, n_enable, e_enable, m_done, b_done, n_done, e_done, m_busy, b_busy, n_busy, e_busy, run_q,
      clear, count;
  logic [31:0] m_stall, b_stall, n_stall, e_stall, nans, infinities;
  logic [12:0] surface_count;
  assign m_enable = !d.flying_mode;
  assign b_enable = (RdSlotSdpB >= 0) && !d.brdma_disable;
  assign n_enable = (RdSlotSdpN >= 0) && !d.nrdma_disable;
  assign e_enable = (SdpEwThroughput != 0) && !d.erdma_disable;
  // Precisions, Winograd order and batches, where the configuration has them.
  logic wide, split, winograd;
  logic [4:0] batches;
  if (LaneBytes == 2) begin : gen_modes
    assign wide = built_precision(d.proc_precision) != PrecisionInt8;
    assign split = !wide && main_in_o != PrecisionInt8;
    assign winograd = Winograd != 0 && d.winograd;
    assign batches = (BatchMax > 1) ? d.batch_number : '0;
    assign main_in_o = built_precision(d.in_precision);
  end else begin : gen_int8
    assign wide = 1'b0;
    assign split = 1'b0;
    assign winograd = 1'b0;
    assign batches = 5'd0;
    assign main_in_o = PrecisionInt8;
    wire unused_modes = &{1'b0, d.in_precision, d.proc_precision, d.winograd, d.batch_number};
  end
  assign surface_count = d.channel >> (wide ? $clog2(MemAtom / 2) : $clog2(MemAtom));
  assign busy_o = csb_req_i || (armed && !run) || done || m_busy || b_busy || n_busy || e_busy;
  assign done = run && (m_done || !m_enable) && (b_done || !b_enable) && (n_done || !n_enable) && (e_done || !e_enable);

  nvdla_sdp_rdma_main #(
      .Depth(MainDepth)
  ) u_main (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .run_i           (run && m_enable),
      .width_i         (d.width),
      .height_i        (d.height),
      .surface_count_i (surface_count),
      .base_i          (AddrBits'({d.src_base_addr_high, d.src_base_addr_low} & AddrMask)),
      .line_stride_i   (AddrBits'({32'd0, d.src_line_stride} & AddrMask)),
      .surface_stride_i(AddrBits'({32'd0, d.src_surface_stride} & AddrMask)),
      .ram_i           (d.src_ram_type),
      .split_i         (split),
      .specials_i      (main_in_o == nvdla_precision_pkg::PrecisionFp16 && d.perf_nan_inf_count_en),
      .nans_o          (nans),
      .infinities_o    (infinities),
      .done_o          (m_done),
      .clear_i         (clear),
      .count_i         (count),
      .stall_o         (m_stall),
      .valid_o         (main_valid_o),
      .ready_i         (main_ready_i),
      .data_o          (main_data_o),
      .busy_o          (m_busy),
      .mif_o           (m_mif_o),
      .mif_i           (m_mif_i)
  );

`ifndef NVDLA_NO_BS
  nvdla_sdp_rdma_operand #(
      .Depth(OperandDepth)
  ) u_bs (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .run_i           (run && b_enable),
      .data_use_i      (d.brdma_data_use),
      .data_size_i     (d.brdma_data_size),
      .data_mode_i     (d.brdma_data_mode),
      .width_i         (d.width),
      .height_i        (d.height),
      .surface_count_i (surface_count),
      .base_i          (AddrBits'({d.bs_base_addr_high, d.bs_base_addr_low} & AddrMask)),
      .line_stride_i   (AddrBits'({32'd0, d.bs_line_stride} & AddrMask)),
      .surface_stride_i(AddrBits'({32'd0, d.bs_surface_stride} & AddrMask)),
      .ram_i           (d.brdma_ram_type),
      .wide_i          (wide),
      .winograd_i      (winograd),
      .batches_i       (batches),
      .done_o          (b_done),
      .clear_i         (clear),
      .count_i         (count),
      .stall_o         (b_stall),
      .valid_o         (bs_valid_o),
      .ready_i         (bs_ready_i),
      .alu_present_o   (bs_alu_present_o),
      .mul_present_o   (bs_mul_present_o),
      .alu_o           (bs_alu_o),
      .mul_o           (bs_mul_o),
      .busy_o          (b_busy),
      .mif_o           (b_mif_o),
      .mif_i           (b_mif_i)
  );
`else
  assign {b_done, b_stall, bs_valid_o, bs_alu_present_o, bs_mul_present_o, bs_alu_o, bs_mul_o, b_busy} = '0;
  assign b_mif_o = '0;
  wire unused_bs = &{1'b0, winograd, batches, bs_ready_i, b_mif_i, d.brdma_disable, d.brdma_data_use,
      d.brdma_data_size, d.brdma_data_mode, d.brdma_ram_type, d.bs_base_addr_low, d.bs_base_addr_high, d.bs_line_stride,
      d.bs_surface_stride};
`endif

`ifndef NVDLA_NO_BN
  nvdla_sdp_rdma_operand #(
      .Depth(OperandDepth)
  ) u_bn (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .run_i           (run && n_enable),
      .data_use_i      (d.nrdma_data_use),
      .data_size_i     (d.nrdma_data_size),
      .data_mode_i     (d.nrdma_data_mode),
      .width_i         (d.width),
      .height_i        (d.height),
      .surface_count_i (surface_count),
      .base_i          (AddrBits'({d.bn_base_addr_high, d.bn_base_addr_low} & AddrMask)),
      .line_stride_i   (AddrBits'({32'd0, d.bn_line_stride} & AddrMask)),
      .surface_stride_i(AddrBits'({32'd0, d.bn_surface_stride} & AddrMask)),
      .ram_i           (d.nrdma_ram_type),
      .wide_i          (wide),
      .winograd_i      (winograd),
      .batches_i       (batches),
      .done_o          (n_done),
      .clear_i         (clear),
      .count_i         (count),
      .stall_o         (n_stall),
      .valid_o         (bn_valid_o),
      .ready_i         (bn_ready_i),
      .alu_present_o   (bn_alu_present_o),
      .mul_present_o   (bn_mul_present_o),
      .alu_o           (bn_alu_o),
      .mul_o           (bn_mul_o),
      .busy_o          (n_busy),
      .mif_o           (n_mif_o),
      .mif_i           (n_mif_i)
  );
`else
  assign {n_done, n_stall, bn_valid_o, bn_alu_present_o, bn_mul_present_o, bn_alu_o, bn_mul_o, n_busy} = '0;
  assign n_mif_o = '0;
  wire unused_bn = &{1'b0, winograd, batches, bn_ready_i, n_mif_i, d.nrdma_disable, d.nrdma_data_use,
      d.nrdma_data_size, d.nrdma_data_mode, d.nrdma_ram_type, d.bn_base_addr_low, d.bn_base_addr_high, d.bn_line_stride,
      d.bn_surface_stride};
`endif

  if (SdpEwThroughput != 0) begin : gen_ew
    nvdla_sdp_rdma_operand #(
        .Depth(OperandDepth)
    ) u_ew (
        .clk_i           (clk_i),
        .rst_ni          (rst_ni),
        .run_i           (run && e_enable),
        .data_use_i      (d.erdma_data_use),
        .data_size_i     (d.erdma_data_size),
        .data_mode_i     (d.erdma_data_mode),
        .width_i         (d.width),
        .height_i        (d.height),
        .surface_count_i (surface_count),
        .base_i          (AddrBits'({d.ew_base_addr_high, d.ew_base_addr_low} & AddrMask)),
        .line_stride_i   (AddrBits'({32'd0, d.ew_line_stride} & AddrMask)),
        .surface_stride_i(AddrBits'({32'd0, d.ew_surface_stride} & AddrMask)),
        .ram_i           (d.erdma_ram_type),
        .wide_i          (wide),
        .winograd_i      (winograd),
        .batches_i       (batches),
        .done_o          (e_done),
        .clear_i         (clear),
        .count_i         (count),
        .stall_o         (e_stall),
        .valid_o         (ew_valid_o),
        .ready_i         (ew_ready_i),
        .alu_present_o   (ew_alu_present_o),
        .mul_present_o   (ew_mul_present_o),
        .alu_o           (ew_alu_o),
        .mul_o           (ew_mul_o),
        .busy_o          (e_busy),
        .mif_o           (e_mif_o),
        .mif_i           (e_mif_i)
    );
  end else begin : gen_no_ew
    assign {e_done, e_stall, ew_valid_o, ew_alu_present_o, ew_mul_present_o, ew_alu_o, ew_mul_o, e_busy} = '0;
    assign e_mif_o = '0;
    wire unused_ew = &{1'b0, ew_ready_i, e_mif_i, d.erdma_disable, d.erdma_data_use, d.erdma_data_size,
        d.erdma_data_mode, d.erdma_ram_type,
                       d.ew_base_addr_low, d.ew_base_addr_high, d.ew_line_stride, d.ew_surface_stride};
  end

  // Stall counters.
  sdp_rdma_d_t stat_d;
  assign clear = count && !run_q;
  assign count = run && d.perf_dma_en;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) run_q <= 1'b0;
    else run_q <= run;
  end

  always_comb begin
    stat_d = '0;
    stat_d.status_nan_input_num = nans;
    stat_d.status_inf_input_num = infinities;
    stat_d.mrdma_stall = m_stall;
    stat_d.brdma_stall = b_stall;
    stat_d.nrdma_stall = n_stall;
    stat_d.erdma_stall = e_stall;
  end
  assign stat = stat_d;

  wire unused_d = &{1'b0, `NVDLA_SDP_RDMA_D_UNUSED(d)};  // names and reasons: rtl/unused_fields.csv
endmodule
