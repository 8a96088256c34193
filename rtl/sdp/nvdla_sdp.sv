// SDP with SDP_RDMA: source (memory or CACC) -> BS -> BN -> EW, where there is one -> output convertor -> memory or
// PDP.
//
// SdpBsThroughput lanes a clock; a column of a surface has E elements, MemAtom of them or in 16-bit processing half as
// many. Order surface, line, column, lane, or with Winograd and batches that of sections 8.2 and 8.3; pad lanes are
// computed and written like the others. Both register groups work independently. The pipe holds one layer at a time:
// the next one enters when the last result of the present one has been handed over.
// Layer end: the group is released when the last result was handed to the write client (or PDP, or dropped in compare
// mode); the interrupt pulse of its group comes with the memory's acknowledge, for PDP and compare mode with the
// release.
// Latency from an element to its result: 4 clocks, and 3 more for each X stage that is not bypassed.
// Spec: 50-sdp.
`include "nvdla_check.svh"
`ifndef NVDLA_SDP_D_UNUSED
`include "nvdla_unused.svh"
`endif
module nvdla_sdp
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
(
    input  logic                                   clk_i,
    input  logic                                   clk_on_i,  // keeps the clock running
    input  logic                                   rst_ni,
    input  logic                                   csb_rdma_req_i,
    input  logic                                   csb_req_i,
    input  logic                                   csb_write_i,
    input  logic [                CsbAddrBits-1:0] csb_addr_i,
    input  logic [                           31:0] csb_wdata_i,
    output logic [                           31:0] csb_rdma_rdata_o,
    output logic [                           31:0] csb_rdata_o,
    // From CACC: 32-bit lanes in plain order.
    input  logic                                   cacc_valid_i,
    output logic                                   cacc_ready_o,
    input  logic [         SdpBsThroughput*32-1:0] cacc_data_i,
    // Read clients: m_ MRDMA, b_ BRDMA, n_ NRDMA, e_ ERDMA (silent in configurations without EW).
    output mif_rd_req_t                            m_mif_o,
    input  mif_rd_rsp_t                            m_mif_i,
    output mif_rd_req_t                            b_mif_o,
    input  mif_rd_rsp_t                            b_mif_i,
    output mif_rd_req_t                            n_mif_o,
    input  mif_rd_rsp_t                            n_mif_i,
    output mif_rd_req_t                            e_mif_o,
    input  mif_rd_rsp_t                            e_mif_i,
    // Write client.
    output mif_wr_req_t                            w_mif_o,
    input  mif_wr_rsp_t                            w_mif_i,
    // To PDP: lanes in plain order; INT8 sign-extended where a lane has 16 bits.
    output logic                                   pdp_valid_o,
    input  logic                                   pdp_ready_i,
    output logic [SdpBsThroughput*8*LaneBytes-1:0] pdp_data_o,
    // One clock per finished layer, by group.
    output logic [                            1:0] done_intr_o
);
  logic clk, armed, rdma_busy, bs_busy, bn_busy, y_busy, cvt_busy, write_busy;  // clk: the clock of everything below

  localparam int DataWords = SdpWords - SdpFirstD;
  // The shared words are those of the table; where there is one, nvdla_sdp_y has them.
  localparam logic [SdpWords*32-1:0] GroupMask = (SdpLut != 0) ?
      SdpWriteMask & {{DataWords*32{1'b1}}, {SdpFirstD*32{1'b0}}} : SdpWriteMask;
  localparam int Lanes32 = SdpBsThroughput * 32;
  localparam int Lanes16 = SdpBsThroughput * 16;
  localparam int LanesOut = SdpBsThroughput * 8 * LaneBytes;
  localparam logic [63:0] AddrMask = ~(64'(MemAtom) - 64'd1);

  // Registers of the layer.
  logic run, group, done;
  logic [DataWords*32-1:0] d_flat, stat;
  logic [31:0] group_rdata, y_rdata;
  sdp_d_t d, stat_d;
  assign d = d_flat;
  assign stat = stat_d;
  assign csb_rdata_o = group_rdata | y_rdata;

  nvdla_reg_group #(
      .Words    (SdpWords),
      .FirstD   (SdpFirstD),
      .WriteMask(GroupMask),
      .Reset    (SdpReset),
      .StatMask (SdpStatMask)
  ) u_regs (
      .clk_i  (clk),
      .rst_ni (rst_ni),
      .req_i  (csb_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(group_rdata),
      .run_o  (run),
      .group_o(group),
      .armed_o(armed),
      .d_o    (d_flat),
      .done_i (done),
      .stat_i (stat)
  );

  // Destination. Compare mode needs no comparator here: it only keeps the results from memory.
  logic compare, to_pdp, to_memory;
  logic [12:0] surface_count;
  assign compare = !d.ew_bypass && !d.ew_alu_bypass && d.ew_alu_algo == nvdla_sdp_pkg::AlgoEqual;
  assign to_pdp = d.output_dst;
  assign to_memory = !to_pdp && !compare;
  // Precisions, Winograd order and batches, where the configuration has them.
  logic fp, nan_to_zero, wide, out_wide, out_split, winograd;
  logic [4:0] batches;
  logic [1:0] main_in, out_precision;
  if (LaneBytes == 2) begin : gen_modes
    logic [1:0] precision;
    assign precision = built_precision(d.proc_precision);
    assign out_precision = built_precision(d.out_precision);
    assign fp = precision == PrecisionFp16;
    assign nan_to_zero = d.nan_to_zero;
    assign wide = precision != PrecisionInt8;
    assign out_wide = out_precision != PrecisionInt8;
    assign out_split = !wide && out_wide;
    assign winograd = Winograd != 0 && d.winograd;
    assign batches = (BatchMax > 1) ? d.batch_number : '0;
  end else begin : gen_int8
    assign {fp, nan_to_zero, wide, out_wide, out_split, winograd, batches, out_precision} = '0;
    wire unused_modes = &{1'b0, main_in, d.proc_precision, d.out_precision, d.nan_to_zero, d.winograd,
        d.batch_number};
  end
  assign surface_count = d.channel >> (wide ? $clog2(MemAtom / 2) : $clog2(MemAtom));

  // Memory side of the inputs.
  logic main_valid, main_ready;
  logic [AtomBits-1:0] main_data;
  logic bs_op_valid, bs_op_ready, bs_alu_present, bs_mul_present;
  logic bn_op_valid, bn_op_ready, bn_alu_present, bn_mul_present;
  logic [Lanes16-1:0] bs_alu, bs_mul, bn_alu, bn_mul;
  logic ew_op_valid, ew_op_ready, ew_alu_present, ew_mul_present;
  logic [Lanes16-1:0] ew_alu, ew_mul;

  nvdla_sdp_rdma u_rdma (
      .clk_i           (clk),
      .rst_ni          (rst_ni),
      .csb_req_i       (csb_rdma_req_i),
      .csb_write_i     (csb_write_i),
      .csb_addr_i      (csb_addr_i),
      .csb_wdata_i     (csb_wdata_i),
      .csb_rdata_o     (csb_rdma_rdata_o),
      .busy_o          (rdma_busy),
      .main_valid_o    (main_valid),
      .main_ready_i    (main_ready),
      .main_data_o     (main_data),
      .main_in_o       (main_in),
      .bs_valid_o      (bs_op_valid),
      .bs_ready_i      (bs_op_ready),
      .bs_alu_present_o(bs_alu_present),
      .bs_mul_present_o(bs_mul_present),
      .bs_alu_o        (bs_alu),
      .bs_mul_o        (bs_mul),
      .bn_valid_o      (bn_op_valid),
      .bn_ready_i      (bn_op_ready),
      .bn_alu_present_o(bn_alu_present),
      .bn_mul_present_o(bn_mul_present),
      .bn_alu_o        (bn_alu),
      .bn_mul_o        (bn_mul),
      .ew_valid_o      (ew_op_valid),
      .ew_ready_i      (ew_op_ready),
      .ew_alu_present_o(ew_alu_present),
      .ew_mul_present_o(ew_mul_present),
      .ew_alu_o        (ew_alu),
      .ew_mul_o        (ew_mul),
      .m_mif_o         (m_mif_o),
      .m_mif_i         (m_mif_i),
      .b_mif_o         (b_mif_o),
      .b_mif_i         (b_mif_i),
      .n_mif_o         (n_mif_o),
      .n_mif_i         (n_mif_i),
      .e_mif_o         (e_mif_o),
      .e_mif_i         (e_mif_i)
  );

  // Pipe.
  logic src_valid, src_ready, src_last, bs_valid, bs_ready, bs_last, bn_valid, bn_ready, bn_last;
  logic y_valid, y_ready, y_last;
  logic out_valid, out_ready, out_last;
  logic [Lanes32-1:0] src_data, bs_data, bn_data, y_data;
  logic [5*32-1:0] table_counts;
  logic [LanesOut-1:0] out_data;
  logic [SdpBsThroughput-1:0] out_saturated;

  nvdla_sdp_source u_source (
      .clk_i          (clk),
      .rst_ni         (rst_ni),
      .clk_on_i       (clk_on_i),
      .run_i          (run),
      .flying_i       (d.flying_mode),
      .in_i           (main_in),
      .wide_i         (wide),
      .fp_i           (fp),
      .nan_to_zero_i  (nan_to_zero),
      .width_i        (d.width),
      .height_i       (d.height),
      .surface_count_i(surface_count),
      .batches_i      (batches),
      .main_valid_i   (main_valid),
      .main_ready_o   (main_ready),
      .main_data_i    (main_data),
      .cacc_valid_i   (cacc_valid_i),
      .cacc_ready_o   (cacc_ready_o),
      .cacc_data_i    (cacc_data_i),
      .valid_o        (src_valid),
      .ready_i        (src_ready),
      .data_o         (src_data),
      .last_o         (src_last)
  );

`ifndef NVDLA_NO_BS
  nvdla_sdp_x u_bs (
      .clk_i           (clk),
      .rst_ni          (rst_ni),
      .clk_on_i        (clk_on_i),
      .fp_i            (fp),
      .nan_to_zero_i   (nan_to_zero),
      .bypass_i        (d.bs_bypass),
      .alu_bypass_i    (d.bs_alu_bypass),
      .alu_algo_i      (d.bs_alu_algo),
      .alu_mem_i       (d.bs_alu_src),
      .alu_shift_i     (d.bs_alu_shift_value),
      .alu_operand_i   (d.bs_alu_operand),
      .mul_bypass_i    (d.bs_mul_bypass),
      .mul_prelu_i     (d.bs_mul_prelu),
      .mul_mem_i       (d.bs_mul_src),
      .mul_shift_i     (d.bs_mul_shift_value[5:0]),
      .mul_operand_i   (d.bs_mul_operand),
      .relu_bypass_i   (d.bs_relu_bypass),
      .op_valid_i      (bs_op_valid),
      .op_ready_o      (bs_op_ready),
      .op_alu_present_i(bs_alu_present),
      .op_mul_present_i(bs_mul_present),
      .op_alu_i        (bs_alu),
      .op_mul_i        (bs_mul),
      .busy_o          (bs_busy),
      .valid_i         (src_valid),
      .ready_o         (src_ready),
      .data_i          (src_data),
      .last_i          (src_last),
      .valid_o         (bs_valid),
      .ready_i         (bs_ready),
      .data_o          (bs_data),
      .last_o          (bs_last)
  );
`else
  assign {bs_op_ready, bs_busy} = '0;
  assign {bs_valid, bs_data, bs_last} = {src_valid, src_data, src_last};
  assign src_ready = bs_ready;
  wire unused_bs = &{1'b0, fp, nan_to_zero, bs_op_valid, bs_alu_present, bs_mul_present, bs_alu, bs_mul, d.bs_bypass,
      d.bs_alu_bypass, d.bs_alu_algo, d.bs_alu_src, d.bs_alu_shift_value, d.bs_alu_operand, d.bs_mul_bypass,
      d.bs_mul_prelu,
      d.bs_mul_src, d.bs_mul_shift_value, d.bs_mul_operand, d.bs_relu_bypass};
`endif

`ifndef NVDLA_NO_BN
  nvdla_sdp_x u_bn (
      .clk_i           (clk),
      .rst_ni          (rst_ni),
      .clk_on_i        (clk_on_i),
      .fp_i            (fp),
      .nan_to_zero_i   (nan_to_zero),
      .bypass_i        (d.bn_bypass),
      .alu_bypass_i    (d.bn_alu_bypass),
      .alu_algo_i      (d.bn_alu_algo),
      .alu_mem_i       (d.bn_alu_src),
      .alu_shift_i     (d.bn_alu_shift_value),
      .alu_operand_i   (d.bn_alu_operand),
      .mul_bypass_i    (d.bn_mul_bypass),
      .mul_prelu_i     (d.bn_mul_prelu),
      .mul_mem_i       (d.bn_mul_src),
      .mul_shift_i     (d.bn_mul_shift_value[5:0]),
      .mul_operand_i   (d.bn_mul_operand),
      .relu_bypass_i   (d.bn_relu_bypass),
      .op_valid_i      (bn_op_valid),
      .op_ready_o      (bn_op_ready),
      .op_alu_present_i(bn_alu_present),
      .op_mul_present_i(bn_mul_present),
      .op_alu_i        (bn_alu),
      .op_mul_i        (bn_mul),
      .busy_o          (bn_busy),
      .valid_i         (bs_valid),
      .ready_o         (bs_ready),
      .data_i          (bs_data),
      .last_i          (bs_last),
      .valid_o         (bn_valid),
      .ready_i         (bn_ready),
      .data_o          (bn_data),
      .last_o          (bn_last)
  );
`else
  assign {bn_op_ready, bn_busy} = '0;
  assign {bn_valid, bn_data, bn_last} = {bs_valid, bs_data, bs_last};
  assign bs_ready = bn_ready;
  wire unused_bn = &{1'b0, fp, nan_to_zero, bn_op_valid, bn_alu_present, bn_mul_present, bn_alu, bn_mul, d.bn_bypass,
      d.bn_alu_bypass, d.bn_alu_algo, d.bn_alu_src, d.bn_alu_shift_value, d.bn_alu_operand, d.bn_mul_bypass,
      d.bn_mul_prelu,
      d.bn_mul_src, d.bn_mul_shift_value, d.bn_mul_operand, d.bn_relu_bypass};
`endif

  if (SdpEwThroughput != 0) begin : gen_ew
    nvdla_sdp_y u_y (
        .clk_i             (clk),
        .rst_ni            (rst_ni),
        .clk_on_i          (clk_on_i),
        .csb_req_i         (csb_req_i),
        .csb_write_i       (csb_write_i),
        .csb_addr_i        (csb_addr_i),
        .csb_wdata_i       (csb_wdata_i),
        .csb_rdata_o       (y_rdata),
        .run_i             (run),
        .floating_i        (fp),
        .nan_to_zero_i     (nan_to_zero),
        .bypass_i          (d.ew_bypass),
        .alu_bypass_i      (d.ew_alu_bypass),
        .alu_algo_i        (d.ew_alu_algo),
        .alu_mem_i         (d.ew_alu_src),
        .alu_operand_i     (d.ew_alu_operand),
        .alu_cvt_bypass_i  (d.ew_alu_cvt_bypass),
        .alu_cvt_offset_i  (d.ew_alu_cvt_offset),
        .alu_cvt_scale_i   (d.ew_alu_cvt_scale),
        .alu_cvt_truncate_i(d.ew_alu_cvt_truncate),
        .mul_bypass_i      (d.ew_mul_bypass),
        .mul_prelu_i       (d.ew_mul_prelu),
        .mul_mem_i         (d.ew_mul_src),
        .mul_operand_i     (d.ew_mul_operand),
        .mul_cvt_bypass_i  (d.ew_mul_cvt_bypass),
        .mul_cvt_offset_i  (d.ew_mul_cvt_offset),
        .mul_cvt_scale_i   (d.ew_mul_cvt_scale),
        .mul_cvt_truncate_i(d.ew_mul_cvt_truncate),
        .truncate_i        (d.ew_truncate),
        .lut_bypass_i      (d.ew_lut_bypass),
        .count_i           (d.perf_lut_en),
        .counts_o          (table_counts),
        .op_valid_i        (ew_op_valid),
        .op_ready_o        (ew_op_ready),
        .op_alu_present_i  (ew_alu_present),
        .op_mul_present_i  (ew_mul_present),
        .op_alu_i          (ew_alu),
        .op_mul_i          (ew_mul),
        .busy_o            (y_busy),
        .valid_i           (bn_valid),
        .ready_o           (bn_ready),
        .data_i            (bn_data),
        .last_i            (bn_last),
        .valid_o           (y_valid),
        .ready_i           (y_ready),
        .data_o            (y_data),
        .last_o            (y_last)
    );
  end else begin : gen_no_ew
    assign y_rdata = '0;
    assign table_counts = '0;
    assign ew_op_ready = 1'b0;
    assign y_busy = 1'b0;
    assign y_valid = bn_valid;
    assign bn_ready = y_ready;
    assign y_data = bn_data;
    assign y_last = bn_last;
    wire unused_ew = &{1'b0, ew_op_valid, ew_alu_present, ew_mul_present, ew_alu, ew_mul, d.ew_alu_src,
        d.ew_alu_operand, d.ew_alu_cvt_bypass,
                       d.ew_alu_cvt_offset, d.ew_alu_cvt_scale, d.ew_alu_cvt_truncate, d.ew_mul_bypass, d.ew_mul_prelu,
                       d.ew_mul_src,
                       d.ew_mul_operand, d.ew_mul_cvt_bypass, d.ew_mul_cvt_offset, d.ew_mul_cvt_scale,
                       d.ew_mul_cvt_truncate, d.ew_truncate,
                       d.ew_lut_bypass, d.perf_lut_en};
  end

  nvdla_sdp_cvt u_cvt (
      .clk_i      (clk),
      .rst_ni     (rst_ni),
      .clk_on_i   (clk_on_i),
      .compare_i  (compare),
      .fp_i       (fp),
      .out_i      (out_precision),
      .offset_i   (d.cvt_offset),
      .scale_i    (d.cvt_scale),
      .shift_i    (d.cvt_shift),
      .busy_o     (cvt_busy),
      .valid_i    (y_valid),
      .ready_o    (y_ready),
      .data_i     (y_data),
      .last_i     (y_last),
      .valid_o    (out_valid),
      .ready_i    (out_ready),
      .data_o     (out_data),
      .saturated_o(out_saturated),
      .last_o     (out_last)
  );

  // Results: to the write client, to PDP, or nowhere.
  logic w_ready, w_done, w_stall, out_taken;
  logic [1:0] w_done_intr;
  assign out_ready = to_pdp ? pdp_ready_i : !to_memory || w_ready;
  assign out_taken = out_valid && out_ready;
  assign pdp_valid_o = out_valid && to_pdp;
  assign pdp_data_o = out_data;

  nvdla_sdp_wdma u_wdma (
      .clk_i           (clk),
      .rst_ni          (rst_ni),
      .run_i           (run && to_memory),
      .group_i         (group),
      .width_i         (d.width),
      .height_i        (d.height),
      .surface_count_i (surface_count),
      .base_i          (AddrBits'({d.dst_base_addr_high, d.dst_base_addr_low} & AddrMask)),
      .line_stride_i   (AddrBits'({32'd0, d.dst_line_stride} & AddrMask)),
      .surface_stride_i(AddrBits'({32'd0, d.dst_surface_stride} & AddrMask)),
      .ram_i           (d.dst_ram_type),
      .wide_i          (out_wide),
      .split_i         (out_split),
      .winograd_i      (winograd),
      .batches_i       (batches),
      .batch_stride_i  (AddrBits'({32'd0, d.dst_batch_stride} & AddrMask)),
      .done_o          (w_done),
      .stall_o         (w_stall),
      .done_intr_o     (w_done_intr),
      .busy_o          (write_busy),
      .valid_i         (out_valid && to_memory),
      .ready_o         (w_ready),
      .data_i          (out_data),
      .last_i          (out_last),
      .mif_o           (w_mif_o),
      .mif_i           (w_mif_i)
  );

  logic unequal;
  logic [31:0] saturation, nans, stall;

  nvdla_sdp_status u_status (
      .clk_i             (clk),
      .rst_ni            (rst_ni),
      .run_i             (run),
      .count_saturation_i(d.perf_sat_en),
      .count_stall_i     (d.perf_dma_en),
      .to_pdp_i          (to_pdp),
      .count_nans_i      (to_memory && out_precision == nvdla_precision_pkg::PrecisionFp16),
      .taken_i           (out_taken),
      .data_i            (out_data),
      .saturated_i       (out_saturated),
      .stall_i           (w_stall),
      .unequal_o         (unequal),
      .saturation_o      (saturation),
      .nans_o            (nans),
      .stall_o           (stall)
  );

  always_comb begin
    stat_d = '0;
    stat_d.status_unequal = unequal;
    stat_d.out_saturation = saturation;
    stat_d.status_nan_output_num = nans;
    stat_d.wdma_stall = stall;
    {stat_d.lut_lo_hit, stat_d.lut_le_hit, stat_d.lut_hybrid, stat_d.lut_oflow, stat_d.lut_uflow} = table_counts;
  end

  // End of the layer.
  logic passed_q;  // the last result went to PDP or nowhere
  logic passed;

  assign passed = run && !to_memory && passed_q;
  assign done = passed || (run && to_memory && w_done);
  assign done_intr_o = w_done_intr | {passed && group, passed && !group};

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) passed_q <= 1'b0;
    else if (!run) passed_q <= 1'b0;
    else if (out_taken && out_last && !to_memory) passed_q <= 1'b1;
  end

  // Clock: an access, a layer that begins or ends, elements on their way. A layer that waits for CACC or for memory
  // sleeps.
  logic work;
  assign work = csb_req_i || rdma_busy || (armed && !run) || done || (run && cacc_valid_i) || src_valid || bs_busy ||
      bn_busy || y_busy || cvt_busy ||
      write_busy;
  nvdla_clock_gate u_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(work),
      .clk_o (clk)
  );

  wire unused_d = &{1'b0, `NVDLA_SDP_D_UNUSED(d)};  // names and reasons: rtl/unused_fields.csv

  `NVDLA_STABLE(PdpStable, pdp_valid_o, pdp_ready_i, pdp_data_o)
  `NVDLA_STABLE(CaccStable, cacc_valid_i, cacc_ready_o, cacc_data_i)
  `NVDLA_CHECK(EmptyAtEndOfLayer, !done || !(src_valid || bs_valid || bn_valid || y_valid || out_valid))
  `NVDLA_CHECK(WorksOnlyInLayer, run || !(src_valid || bs_valid || bn_valid || y_valid || out_valid))
  // Beats in the pipe: the source, the stages of BS, BN and EW, the convertor.
  `NVDLA_BALANCE(Pipe, 10 + 64 * SdpEwThroughput, src_valid && src_ready, 1, out_valid && out_ready, 1)
`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(NothingLostInThePipe, !done || Pipe.level_q == 0)
  // Beats of a layer, at its end.
  localparam int AtomBeats = MemAtom / SdpBsThroughput;
  logic [63:0] results_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) results_q <= '0;
    else if (!run) results_q <= '0;
    else if (out_valid && out_ready) results_q <= results_q + 64'd1;
  `NVDLA_CHECK(AllResultsOfTheLayer, !done || results_q == (64'(d.width) + 64'd1) * (64'(d.height) + 64'd1) *
               (64'(surface_count) + 64'd1) * (64'(batches) + 64'd1) * (64'(AtomBeats) >> wide))
`endif
endmodule
