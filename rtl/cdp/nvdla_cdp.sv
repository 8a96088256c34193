// CDP and CDP_RDMA: local response normalisation across channels, by a table of the sum of the neighbours' squares.
//
//   CDP_RDMA -> window (input convertor, neighbours) -> lrn (square sum, LUT, multiply, output convertor) -> write DMA
//
// csb_*: accesses to the two register windows, answered one clock later with 0 from the one not addressed. r_*, w_*:
// read and write client of the memory interfaces. done_intr_o: one clock per layer whose last write has been
// acknowledged, by register group. The CDP_RDMA group is released when its last atom has been delivered, the CDP group
// when the last output has gone to the write DMA. The S_LUT_* registers take effect at once. D_NAN_INPUT_NUM and
// D_INF_INPUT_NUM are 0; D_NAN_OUTPUT_NUM and D_OUT_SATURATION count what is written, where there are precisions of 16
// bits.
// Spec: 62-cdp; 55-lut; 10-system sections 6 (groups) and 9 (LUT access).
`include "nvdla_check.svh"
`ifndef NVDLA_CDP_S_UNUSED
`include "nvdla_unused.svh"
`endif
module nvdla_cdp
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_cdp_pkg::*;
  import nvdla_lut_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   clk_on_i,  // keeps the clock running
    input  logic                   rst_ni,
    input  logic                   csb_rdma_req_i,
    input  logic                   csb_req_i,
    input  logic                   csb_write_i,
    input  logic [CsbAddrBits-1:0] csb_addr_i,
    input  logic [           31:0] csb_wdata_i,
    output logic [           31:0] csb_rdma_rdata_o,
    output logic [           31:0] csb_rdata_o,
    output mif_rd_req_t            r_mif_o,
    input  mif_rd_rsp_t            r_mif_i,
    output mif_wr_req_t            w_mif_o,
    input  mif_wr_rsp_t            w_mif_i,
    output logic [            1:0] done_intr_o
);
  logic clk, rdma_armed, armed, write_busy;  // the clock of everything below

  // Atoms in flight: the design latency of the memory at full throughput, and at least the two blocks that the first
  // output waits for.
  localparam int FullDepth = DbbLatency * CdpThroughput / MemAtom;
  localparam int ReadDepth = FullDepth > 2 * CdpColumns ? FullDepth : 2 * CdpColumns;
  localparam int RdmaBits = (CdpRdmaWords - CdpRdmaFirstD) * 32;
  localparam int CdpBits = (CdpWords - CdpFirstD) * 32;
  localparam int SharedBits = CdpFirstD * 32;
  // The shared words: S_STATUS and S_POINTER are with the groups, the access port with the tables, the others in a file
  // of their own.
  localparam int OtherBits = CdpSLutCfg * 32;
  localparam logic [CdpWords*32-1:0] GroupMask = CdpWriteMask & {{CdpBits{1'b1}}, {SharedBits{1'b0}}};
  localparam logic [SharedBits-1:0] SharedMask =
      CdpWriteMask[SharedBits-1:0] & {{(SharedBits-OtherBits){1'b1}}, {OtherBits{1'b0}}};

  // ---- registers ----------------------------------------------------------------------------------------------------
  logic rdma_run, rdma_done, run, done;
  logic unused_rdma_group, group;
  logic [RdmaBits-1:0] rdma_flat, rdma_stat;
  logic [CdpBits-1:0] flat, stat;
  logic [SharedBits-1:0] shared_flat;
  cdp_rdma_d_t rdma_d;
  cdp_d_t d;
  cdp_s_t s;
  lut_cfg_t lut_cfg;
  logic [31:0] read_stall, write_stall, uflow, oflow, hybrid, le_hit, lo_hit, nans, saturated, group_rdata,
      shared_rdata, lut_rdata;

  assign rdma_d = rdma_flat;
  assign d = flat;
  assign s = shared_flat;
  assign rdma_stat = RdmaBits'(read_stall) << ((CdpRdmaDPerfReadStall - CdpRdmaFirstD) * 32);
  assign stat = CdpBits'({lo_hit, le_hit, hybrid, oflow, uflow, write_stall}) <<
      ((CdpDPerfWriteStall - CdpFirstD) * 32) |
                CdpBits'({saturated, nans}) << ((CdpDNanOutputNum - CdpFirstD) * 32);
  assign csb_rdata_o = group_rdata | shared_rdata | lut_rdata;

  nvdla_reg_group #(
      .Words    (CdpRdmaWords),
      .FirstD   (CdpRdmaFirstD),
      .WriteMask(CdpRdmaWriteMask),
      .Reset    (CdpRdmaReset),
      .StatMask (CdpRdmaStatMask)
  ) u_rdma_registers (
      .clk_i  (clk),
      .rst_ni,
      .req_i  (csb_rdma_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(csb_rdma_rdata_o),
      .run_o  (rdma_run),
      .group_o(unused_rdma_group),
      .armed_o(rdma_armed),
      .d_o    (rdma_flat),
      .done_i (rdma_done),
      .stat_i (rdma_stat)
  );

  nvdla_reg_group #(
      .Words    (CdpWords),
      .FirstD   (CdpFirstD),
      .WriteMask(GroupMask),
      .Reset    (CdpReset),
      .StatMask (CdpStatMask)
  ) u_registers (
      .clk_i  (clk),
      .rst_ni,
      .req_i  (csb_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(group_rdata),
      .run_o  (run),
      .group_o(group),
      .armed_o(armed),
      .d_o    (flat),
      .done_i (done),
      .stat_i (stat)
  );

  nvdla_reg_file #(
      .Words    (CdpFirstD),
      .WriteMask(SharedMask),
      .Reset    (SharedBits'(0))
  ) u_shared (
      .clk_i  (clk),
      .rst_ni,
      .req_i  (csb_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(shared_rdata),
      .q_o    (shared_flat)
  );

  // Names and reasons: rtl/unused_fields.csv; and what other precisions than INT8 use.
  wire unused_s = &{1'b0, `NVDLA_CDP_S_UNUSED(s)};
  wire unused_d = &{1'b0, `NVDLA_CDP_D_UNUSED(d), d.input_data_type, d.datin_offset[15:8], d.datout_offset[31:25],
      rdma_d.input_data};
  wire unused_rdma_d = &{1'b0, `NVDLA_CDP_RDMA_D_UNUSED(rdma_d)};

  assign lut_cfg.le_linear = s.lut_le_function;
  assign lut_cfg.uflow_lo = s.lut_uflow_priority;
  assign lut_cfg.oflow_lo = s.lut_oflow_priority;
  assign lut_cfg.hybrid_lo = s.lut_hybrid_priority;
  assign lut_cfg.le_offset = s.lut_le_index_offset;
  assign lut_cfg.le_select = s.lut_le_index_select;
  assign lut_cfg.lo_select = s.lut_lo_index_select;
  assign lut_cfg.le_start = {s.lut_le_start_high, s.lut_le_start_low};
  assign lut_cfg.le_end = {s.lut_le_end_high, s.lut_le_end_low};
  assign lut_cfg.lo_start = {s.lut_lo_start_high, s.lut_lo_start_low};
  assign lut_cfg.lo_end = {s.lut_lo_end_high, s.lut_lo_end_low};
  assign lut_cfg.le_uflow_scale = s.lut_le_slope_uflow_scale;
  assign lut_cfg.le_oflow_scale = s.lut_le_slope_oflow_scale;
  assign lut_cfg.lo_uflow_scale = s.lut_lo_slope_uflow_scale;
  assign lut_cfg.lo_oflow_scale = s.lut_lo_slope_oflow_scale;
  assign lut_cfg.le_uflow_shift = s.lut_le_slope_uflow_shift;
  assign lut_cfg.le_oflow_shift = s.lut_le_slope_oflow_shift;
  assign lut_cfg.lo_uflow_shift = s.lut_lo_slope_uflow_shift;
  assign lut_cfg.lo_oflow_shift = s.lut_lo_slope_oflow_shift;

  // Clock: an access, a group that is armed, writes under way.
  nvdla_clock_gate u_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(csb_rdma_req_i || csb_req_i || rdma_armed || armed || write_busy),
      .clk_o (clk)
  );

  logic [1:0] precision;  // INT8 where it has no other
  logic wide, rdma_wide;
  assign precision = built_precision(d.input_data_type);
  assign wide = (Int16 != 0 && precision == PrecisionInt16) || (Fp16 != 0 && precision == PrecisionFp16);
  assign rdma_wide = (Int16 != 0 && rdma_d.input_data == PrecisionInt16) ||
      (Fp16 != 0 && rdma_d.input_data == PrecisionFp16);

  // ---- input --------------------------------------------------------------------------------------------------------
  logic mem_valid, mem_ready, mem_last;
  logic [AtomBits-1:0] mem_data;
  logic [CdpAtomShift-1:0] mem_lanes;
  cdp_block_t mem_block;

  nvdla_cdp_rdma #(
      .Depth(ReadDepth)
  ) u_rdma (
      .clk_i               (clk),
      .rst_ni,
      .run_i               (rdma_run),
      .width_i             (rdma_d.width),
      .height_i            (rdma_d.height),
      .channel_i           (rdma_d.channel),
      .src_base_addr_i     (AddrBits'({rdma_d.src_base_addr_high, rdma_d.src_base_addr_low})),
      .src_line_stride_i   (rdma_d.src_line_stride),
      .src_surface_stride_i(rdma_d.src_surface_stride),
      .src_ram_type_i      (rdma_d.src_ram_type),
      .wide_i              (rdma_wide),
      .dma_en_i            (rdma_d.dma_en),
      .done_o              (rdma_done),
      .stall_o             (read_stall),
      .atom_valid_o        (mem_valid),
      .atom_ready_i        (mem_ready),
      .atom_data_o         (mem_data),
      .atom_last_o         (mem_last),
      .block_o             (mem_block),
      .lanes_o             (mem_lanes),
      .mif_o               (r_mif_o),
      .mif_i               (r_mif_i)
  );

  // ---- normalisation ------------------------------------------------------------------------------------------------
  logic block_valid, block_ready, beat_valid, step, beat_last, out_valid, out_ready, out_last;
  logic [CdpViewWidth-1:0] view;
  logic [AtomBits-1:0] out_data;
  cdp_block_t block;

  nvdla_cdp_window u_window (
      .clk_i          (clk),
      .rst_ni,
      .run_i          (run),
      .wide_i         (wide),
      .fp16_i         (wide && precision == 2'd2),
      .nan_to_zero_i  (d.nan_to_zero),
      .datin_offset_i (d.datin_offset),
      .datin_scale_i  (d.datin_scale),
      .datin_shifter_i(d.datin_shifter),
      .atom_valid_i   (mem_valid),
      .atom_ready_o   (mem_ready),
      .atom_data_i    (mem_data),
      .atom_last_i    (mem_last),
      .block_i        (mem_block),
      .lanes_i        (mem_lanes),
      .block_valid_o  (block_valid),
      .block_ready_i  (block_ready),
      .block_o        (block),
      .beat_valid_o   (beat_valid),
      .step_i         (step),
      .beat_last_o    (beat_last),
      .view_o         (view)
  );

  nvdla_cdp_lrn u_lrn (
      .clk_i           (clk),
      .rst_ni,
      .clk_on_i,
      .run_i           (run),
      .precision_i     (precision),
      .sqsum_bypass_i  (d.sqsum_bypass),
      .mul_bypass_i    (d.mul_bypass),
      .normalz_len_i   (d.normalz_len),
      .datout_offset_i (d.datout_offset),
      .datout_scale_i  (d.datout_scale),
      .datout_shifter_i(d.datout_shifter),
      .lut_cfg_i       (lut_cfg),
      .cfg_req_i       (csb_req_i && csb_addr_i == CsbAddrBits'(CdpSLutAccessCfg)),
      .data_req_i      (csb_req_i && csb_addr_i == CsbAddrBits'(CdpSLutAccessData)),
      .write_i         (csb_write_i),
      .wdata_i         (csb_wdata_i),
      .rdata_o         (lut_rdata),
      .beat_valid_i    (beat_valid),
      .step_o          (step),
      .beat_last_i     (beat_last),
      .view_i          (view),
      .atom_valid_o    (out_valid),
      .atom_ready_i    (out_ready),
      .atom_last_o     (out_last),
      .atom_data_o     (out_data),
      .uflow_o         (uflow),
      .oflow_o         (oflow),
      .hybrid_o        (hybrid),
      .le_hit_o        (le_hit),
      .lo_hit_o        (lo_hit),
      .nans_o          (nans),
      .saturated_o     (saturated)
  );

  // ---- output -------------------------------------------------------------------------------------------------------
  logic output_done;

  nvdla_cdp_wdma u_wdma (
      .clk_i               (clk),
      .rst_ni,
      .run_i               (run),
      .group_i             (group),
      .dst_base_addr_i     (AddrBits'({d.dst_base_addr_high, d.dst_base_addr_low})),
      .dst_line_stride_i   (d.dst_line_stride),
      .dst_surface_stride_i(d.dst_surface_stride),
      .dst_ram_type_i      (d.dst_ram_type),
      .dma_en_i            (d.dma_en),
      .done_o              (output_done),
      .stall_o             (write_stall),
      .block_valid_i       (block_valid),
      .block_ready_o       (block_ready),
      .block_i             (block),
      .atom_valid_i        (out_valid),
      .atom_ready_o        (out_ready),
      .atom_last_i         (out_last),
      .atom_data_i         (out_data),
      .done_intr_o,
      .busy_o              (write_busy),
      .mif_o               (w_mif_o),
      .mif_i               (w_mif_i)
  );

  assign done = run && output_done;

  `NVDLA_CHECK(InterruptOfOneGroup, `NVDLA_ONEHOT0(done_intr_o))
  `NVDLA_CHECK(EmptyAtEndOfLayer, !done || !(beat_valid || out_valid || block_valid))
endmodule
