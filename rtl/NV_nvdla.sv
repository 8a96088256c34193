// NVDLA core. Wiring only: the published ports, clock and reset crossings, the register bus with its units, the engines
// and the memory interfaces.
//
// dla_core_clk drives everything except the register bus side and the interrupt pin, which belong to dla_csb_clk; the
// two clocks may be asynchronous. The ports nvdla_core2cvsram_* exist with NVDLA_SECONDARY_MEMORY, which must agree
// with SecondaryMemory of the package, as NVDLA_NO_PDP and the like, which leave stages and engines out, must with its
// clients. Register windows and interrupt bits of missing engines read 0.
// Spec: 10-system, sections 2 and 3.
module NV_nvdla
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                        dla_core_clk,
    input  logic                        dla_csb_clk,
    input  logic                        global_clk_ovr_on,
    input  logic                        tmc2slcg_disable_clock_gating,
    input  logic                        dla_reset_rstn,
    input  logic                        direct_reset_,
    input  logic                        test_mode,
    input  logic                        csb2nvdla_valid,
    output logic                        csb2nvdla_ready,
    input  logic [                15:0] csb2nvdla_addr,
    input  logic [                31:0] csb2nvdla_wdat,
    input  logic                        csb2nvdla_write,
    input  logic                        csb2nvdla_nposted,
    output logic                        nvdla2csb_valid,
    output logic [                31:0] nvdla2csb_data,
    output logic                        nvdla2csb_wr_complete,
    output logic                        nvdla_core2dbb_aw_awvalid,
    input  logic                        nvdla_core2dbb_aw_awready,
    output logic [                 7:0] nvdla_core2dbb_aw_awid,
    output logic [                 3:0] nvdla_core2dbb_aw_awlen,
    output logic [        AddrBits-1:0] nvdla_core2dbb_aw_awaddr,
    output logic                        nvdla_core2dbb_w_wvalid,
    input  logic                        nvdla_core2dbb_w_wready,
    output logic [     DbbDataBits-1:0] nvdla_core2dbb_w_wdata,
    output logic [   DbbDataBits/8-1:0] nvdla_core2dbb_w_wstrb,
    output logic                        nvdla_core2dbb_w_wlast,
    output logic                        nvdla_core2dbb_ar_arvalid,
    input  logic                        nvdla_core2dbb_ar_arready,
    output logic [                 7:0] nvdla_core2dbb_ar_arid,
    output logic [                 3:0] nvdla_core2dbb_ar_arlen,
    output logic [        AddrBits-1:0] nvdla_core2dbb_ar_araddr,
    input  logic                        nvdla_core2dbb_b_bvalid,
    output logic                        nvdla_core2dbb_b_bready,
    input  logic [                 7:0] nvdla_core2dbb_b_bid,
    input  logic                        nvdla_core2dbb_r_rvalid,
    output logic                        nvdla_core2dbb_r_rready,
    input  logic [                 7:0] nvdla_core2dbb_r_rid,
    input  logic                        nvdla_core2dbb_r_rlast,
    input  logic [     DbbDataBits-1:0] nvdla_core2dbb_r_rdata,
`ifdef NVDLA_SECONDARY_MEMORY
    output logic                        nvdla_core2cvsram_aw_awvalid,
    input  logic                        nvdla_core2cvsram_aw_awready,
    output logic [                 7:0] nvdla_core2cvsram_aw_awid,
    output logic [                 3:0] nvdla_core2cvsram_aw_awlen,
    output logic [        AddrBits-1:0] nvdla_core2cvsram_aw_awaddr,
    output logic                        nvdla_core2cvsram_w_wvalid,
    input  logic                        nvdla_core2cvsram_w_wready,
    output logic [  CvsramDataBits-1:0] nvdla_core2cvsram_w_wdata,
    output logic [CvsramDataBits/8-1:0] nvdla_core2cvsram_w_wstrb,
    output logic                        nvdla_core2cvsram_w_wlast,
    output logic                        nvdla_core2cvsram_ar_arvalid,
    input  logic                        nvdla_core2cvsram_ar_arready,
    output logic [                 7:0] nvdla_core2cvsram_ar_arid,
    output logic [                 3:0] nvdla_core2cvsram_ar_arlen,
    output logic [        AddrBits-1:0] nvdla_core2cvsram_ar_araddr,
    input  logic                        nvdla_core2cvsram_b_bvalid,
    output logic                        nvdla_core2cvsram_b_bready,
    input  logic [                 7:0] nvdla_core2cvsram_b_bid,
    input  logic                        nvdla_core2cvsram_r_rvalid,
    output logic                        nvdla_core2cvsram_r_rready,
    input  logic [                 7:0] nvdla_core2cvsram_r_rid,
    input  logic                        nvdla_core2cvsram_r_rlast,
    input  logic [  CvsramDataBits-1:0] nvdla_core2cvsram_r_rdata,
`endif
    output logic                        dla_intr,
    input  logic [                31:0] nvdla_pwrbus_ram_c_pd,
    input  logic [                31:0] nvdla_pwrbus_ram_ma_pd,
    input  logic [                31:0] nvdla_pwrbus_ram_mb_pd,
    input  logic [                31:0] nvdla_pwrbus_ram_p_pd,
    input  logic [                31:0] nvdla_pwrbus_ram_o_pd,
    input  logic [                31:0] nvdla_pwrbus_ram_a_pd
);
  // Nothing depends on it but which clocks run.
  logic clk_on;
  assign clk_on = global_clk_ovr_on | tmc2slcg_disable_clock_gating;

  // Resets.
  logic core_rst_n, csb_rst_n;

  nvdla_reset_sync u_core_reset (
      .clk_i        (dla_core_clk),
      .rst_ni       (dla_reset_rstn),
      .direct_rst_ni(direct_reset_),
      .test_mode_i  (test_mode),
      .rst_no       (core_rst_n)
  );

  nvdla_reset_sync u_csb_reset (
      .clk_i        (dla_csb_clk),
      .rst_ni       (dla_reset_rstn),
      .direct_rst_ni(direct_reset_),
      .test_mode_i  (test_mode),
      .rst_no       (csb_rst_n)
  );

  // Register bus.
  logic [CsbUnits-1:0] sel;
  logic csb_write;
  logic [CsbAddrBits-1:0] csb_addr;
  logic [31:0] csb_wdata, rdata;
  logic [31:0] cfgrom_rdata, glb_rdata, mcif_rdata, cvif_rdata, sdp_rdma_rdata, sdp_rdata, pdp_rdma_rdata, pdp_rdata,
      cdp_rdma_rdata, cdp_rdata, cdma_rdata, csc_rdata, cmac_a_rdata, cmac_b_rdata, cacc_rdata, bdma_rdata, rubik_rdata;

  assign rdata = cfgrom_rdata | glb_rdata | mcif_rdata | cvif_rdata | sdp_rdma_rdata | sdp_rdata | pdp_rdma_rdata |
      pdp_rdata |
      cdp_rdma_rdata | cdp_rdata | cdma_rdata | csc_rdata | cmac_a_rdata | cmac_b_rdata | cacc_rdata |
      bdma_rdata | rubik_rdata;

  nvdla_csb #(
      .Units  (CsbUnits),
      .Windows(CsbWindows)
  ) u_csb (
      .csb_clk_i              (dla_csb_clk),
      .csb_rst_ni             (csb_rst_n),
      .csb2nvdla_valid_i      (csb2nvdla_valid),
      .csb2nvdla_ready_o      (csb2nvdla_ready),
      .csb2nvdla_addr_i       (csb2nvdla_addr),
      .csb2nvdla_wdat_i       (csb2nvdla_wdat),
      .csb2nvdla_write_i      (csb2nvdla_write),
      .csb2nvdla_nposted_i    (csb2nvdla_nposted),
      .nvdla2csb_valid_o      (nvdla2csb_valid),
      .nvdla2csb_data_o       (nvdla2csb_data),
      .nvdla2csb_wr_complete_o(nvdla2csb_wr_complete),
      .clk_i                  (dla_core_clk),
      .rst_ni                 (core_rst_n),
      .sel_o                  (sel),
      .write_o                (csb_write),
      .addr_o                 (csb_addr),
      .wdata_o                (csb_wdata),
      .rdata_i                (rdata)
  );

  logic cfgrom_req;
  assign cfgrom_req = SelCfgrom >= 0 && sel[(SelCfgrom >= 0) ? SelCfgrom : 0];

  nvdla_cfgrom u_cfgrom (
      .clk_i  (dla_core_clk),
      .rst_ni (core_rst_n),
      .req_i  (cfgrom_req),
      .write_i(csb_write),
      .addr_i (csb_addr),
      .rdata_o(cfgrom_rdata)
  );

  logic [1:0] sdp_done, pdp_done, cdp_done, cdma_dat_done, cdma_wt_done, cacc_done, bdma_done, rubik_done;
  logic intr;

  nvdla_glb u_glb (
      .clk_i          (dla_core_clk),
      .rst_ni         (core_rst_n),
      .req_i          (sel[SelGlb]),
      .write_i        (csb_write),
      .addr_i         (csb_addr),
      .wdata_i        (csb_wdata),
      .rdata_o        (glb_rdata),
      .done_sdp_i     (sdp_done),
      .done_cdp_i     (cdp_done),
      .done_pdp_i     (pdp_done),
      .done_bdma_i    (bdma_done),
      .done_rubik_i   (rubik_done),
      .done_cdma_dat_i(cdma_dat_done),
      .done_cdma_wt_i (cdma_wt_done),
      .done_cacc_i    (cacc_done),
      .intr_o         (intr)
  );

  nvdla_sync u_intr (
      .clk_i (dla_csb_clk),
      .rst_ni(csb_rst_n),
      .data_i(intr),
      .data_o(dla_intr)
  );

  // Words of the clients of the memory interfaces, by slot.
  logic [RdClients*MifRdReqBits-1:0] rd_req;
  logic [RdClients*MifRdRspBits-1:0] rd_rsp;
  logic [WrClients*MifWrReqBits-1:0] wr_req;
  logic [WrClients*MifWrRspBits-1:0] wr_rsp;

  // Engines.
  logic sdp2pdp_valid, sdp2pdp_ready;
  logic [SdpBsThroughput*8*LaneBytes-1:0] sdp2pdp_data;
  logic cacc2sdp_valid, cacc2sdp_ready;
  logic [SdpBsThroughput*32-1:0] cacc2sdp_data;

  // The readers of operands, which configurations with their stage have.
  mif_rd_req_t sdp_b_req, sdp_n_req, sdp_e_req;
  mif_rd_rsp_t sdp_b_rsp, sdp_n_rsp, sdp_e_rsp;
  if (RdSlotSdpB >= 0) begin : gen_bs
    assign rd_req[RdSlotSdpB*MifRdReqBits+:MifRdReqBits] = sdp_b_req;
    assign sdp_b_rsp = rd_rsp[RdSlotSdpB*MifRdRspBits+:MifRdRspBits];
  end else begin : gen_no_bs
    assign sdp_b_rsp = '0;
    wire unused_bs = &{1'b0, sdp_b_req};
  end
  if (RdSlotSdpN >= 0) begin : gen_bn
    assign rd_req[RdSlotSdpN*MifRdReqBits+:MifRdReqBits] = sdp_n_req;
    assign sdp_n_rsp = rd_rsp[RdSlotSdpN*MifRdRspBits+:MifRdRspBits];
  end else begin : gen_no_bn
    assign sdp_n_rsp = '0;
    wire unused_bn = &{1'b0, sdp_n_req};
  end
  if (RdSlotSdpE >= 0) begin : gen_ew
    assign rd_req[RdSlotSdpE*MifRdReqBits+:MifRdReqBits] = sdp_e_req;
    assign sdp_e_rsp = rd_rsp[RdSlotSdpE*MifRdRspBits+:MifRdRspBits];
  end else begin : gen_no_ew
    assign sdp_e_rsp = '0;
    wire unused_ew = &{1'b0, sdp_e_req};
  end

  nvdla_sdp u_sdp (
      .clk_i           (dla_core_clk),
      .clk_on_i        (clk_on),
      .rst_ni          (core_rst_n),
      .csb_rdma_req_i  (sel[SelSdpRdma]),
      .csb_req_i       (sel[SelSdp]),
      .csb_write_i     (csb_write),
      .csb_addr_i      (csb_addr),
      .csb_wdata_i     (csb_wdata),
      .csb_rdma_rdata_o(sdp_rdma_rdata),
      .csb_rdata_o     (sdp_rdata),
      .cacc_valid_i    (cacc2sdp_valid),
      .cacc_ready_o    (cacc2sdp_ready),
      .cacc_data_i     (cacc2sdp_data),
      .m_mif_o         (rd_req[RdSlotSdp*MifRdReqBits+:MifRdReqBits]),
      .m_mif_i         (rd_rsp[RdSlotSdp*MifRdRspBits+:MifRdRspBits]),
      .b_mif_o         (sdp_b_req),
      .b_mif_i         (sdp_b_rsp),
      .n_mif_o         (sdp_n_req),
      .n_mif_i         (sdp_n_rsp),
      .e_mif_o         (sdp_e_req),
      .e_mif_i         (sdp_e_rsp),
      .w_mif_o         (wr_req[WrSlotSdp*MifWrReqBits+:MifWrReqBits]),
      .w_mif_i         (wr_rsp[WrSlotSdp*MifWrRspBits+:MifWrRspBits]),
      .pdp_valid_o     (sdp2pdp_valid),
      .pdp_ready_i     (sdp2pdp_ready),
      .pdp_data_o      (sdp2pdp_data),
      .done_intr_o     (sdp_done)
  );

`ifndef NVDLA_NO_PDP
  nvdla_pdp u_pdp (
      .clk_i           (dla_core_clk),
      .clk_on_i        (clk_on),
      .rst_ni          (core_rst_n),
      .csb_rdma_req_i  (sel[SelPdpRdma]),
      .csb_req_i       (sel[SelPdp]),
      .csb_write_i     (csb_write),
      .csb_addr_i      (csb_addr),
      .csb_wdata_i     (csb_wdata),
      .csb_rdma_rdata_o(pdp_rdma_rdata),
      .csb_rdata_o     (pdp_rdata),
      .sdp_valid_i     (sdp2pdp_valid),
      .sdp_ready_o     (sdp2pdp_ready),
      .sdp_data_i      (sdp2pdp_data),
      .r_mif_o         (rd_req[RdSlotPdp*MifRdReqBits+:MifRdReqBits]),
      .r_mif_i         (rd_rsp[RdSlotPdp*MifRdRspBits+:MifRdRspBits]),
      .w_mif_o         (wr_req[WrSlotPdp*MifWrReqBits+:MifWrReqBits]),
      .w_mif_i         (wr_rsp[WrSlotPdp*MifWrRspBits+:MifWrRspBits]),
      .done_intr_o     (pdp_done)
  );
`else
  assign {pdp_rdma_rdata, pdp_rdata, pdp_done, sdp2pdp_ready} = '0;
  wire unused_pdp = &{1'b0, sdp2pdp_valid, sdp2pdp_data};
`endif

`ifndef NVDLA_NO_CDP
  nvdla_cdp u_cdp (
      .clk_i           (dla_core_clk),
      .clk_on_i        (clk_on),
      .rst_ni          (core_rst_n),
      .csb_rdma_req_i  (sel[SelCdpRdma]),
      .csb_req_i       (sel[SelCdp]),
      .csb_write_i     (csb_write),
      .csb_addr_i      (csb_addr),
      .csb_wdata_i     (csb_wdata),
      .csb_rdma_rdata_o(cdp_rdma_rdata),
      .csb_rdata_o     (cdp_rdata),
      .r_mif_o         (rd_req[RdSlotCdp*MifRdReqBits+:MifRdReqBits]),
      .r_mif_i         (rd_rsp[RdSlotCdp*MifRdRspBits+:MifRdRspBits]),
      .w_mif_o         (wr_req[WrSlotCdp*MifWrReqBits+:MifWrReqBits]),
      .w_mif_i         (wr_rsp[WrSlotCdp*MifWrRspBits+:MifWrRspBits]),
      .done_intr_o     (cdp_done)
  );
`else
  assign {cdp_rdma_rdata, cdp_rdata, cdp_done} = '0;
`endif

  // Convolution: CDMA -> CBUF -> CSC -> CMAC_A, CMAC_B -> CACC -> SDP.
  cbuf_wr_t dat_wr, wt_wr;
  cbuf_rd_t dat_rd, dat_rd_next, wt_rd, mask_rd;
  logic [EntryBits-1:0] dat_rd_data, dat_rd_next_data, wt_rd_data, mask_rd_data;
  cdma2csc_t cdma2csc;
  csc2cdma_t csc2cdma;

  logic cmac_a_run, cmac_b_run, cacc_run, atom_valid, atom_stripe_start, atom_stripe_end, atom_channel_end,
      atom_layer_end, wt_valid;
  logic [EntryBits-1:0] atom_data, wt_data;
  logic [ConvCells-1:0] wt_sel_a, wt_sel_b;
  logic mac_valid, mac_stripe_end, mac_channel_end, mac_layer_end, credit_valid, mac_start, mac_b_valid;
  logic [3:0] mac_b_flags;
  wire unused_mac = &{1'b0, mac_start, mac_b_valid, mac_b_flags};  // for rtl/taps.csv
  logic [ConvCells*ConvSumBits-1:0] mac_a_sum, mac_b_sum;

  nvdla_cdma u_cdma (
      .clk_i          (dla_core_clk),
      .clk_on_i       (clk_on),
      .rst_ni         (core_rst_n),
      .csb_req_i      (sel[SelCdma]),
      .csb_write_i    (csb_write),
      .csb_addr_i     (csb_addr),
      .csb_wdata_i    (csb_wdata),
      .csb_rdata_o    (cdma_rdata),
      .dat_mif_o      (rd_req[RdSlotCdmaDat*MifRdReqBits+:MifRdReqBits]),
      .dat_mif_i      (rd_rsp[RdSlotCdmaDat*MifRdRspBits+:MifRdRspBits]),
      .wt_mif_o       (rd_req[RdSlotCdmaWt*MifRdReqBits+:MifRdReqBits]),
      .wt_mif_i       (rd_rsp[RdSlotCdmaWt*MifRdRspBits+:MifRdRspBits]),
      .dat_wr_o       (dat_wr),
      .wt_wr_o        (wt_wr),
      .csc_o          (cdma2csc),
      .csc_i          (csc2cdma),
      .dat_done_intr_o(cdma_dat_done),
      .wt_done_intr_o (cdma_wt_done)
  );

  nvdla_cbuf u_cbuf (
      .clk_i             (dla_core_clk),
      .clk_on_i          (clk_on),
      .dat_wr_i          (dat_wr),
      .wt_wr_i           (wt_wr),
      .dat_rd_i          (dat_rd),
      .dat_rd_data_o     (dat_rd_data),
      .dat_rd_next_i     (dat_rd_next),
      .dat_rd_next_data_o(dat_rd_next_data),
      .wt_rd_i           (wt_rd),
      .wt_rd_data_o      (wt_rd_data),
      .mask_rd_i         (mask_rd),
      .mask_rd_data_o    (mask_rd_data)
  );

  // CSC, CMAC and CACC work on a layer together: they share a gate.
  logic conv_clk, csc_work, cmac_a_work, cmac_b_work, cacc_work;

  nvdla_clock_gate u_conv_clock (
      .clk_i (dla_core_clk),
      .rst_ni(core_rst_n),
      .on_i  (clk_on),
      .work_i(csc_work || cmac_a_work || cmac_b_work || cacc_work),
      .clk_o (conv_clk)
  );

  nvdla_csc u_csc (
      .clk_i              (conv_clk),
      .clk_on_i           (clk_on),
      .rst_ni             (core_rst_n),
      .csb_req_i          (sel[SelCsc]),
      .csb_write_i        (csb_write),
      .csb_addr_i         (csb_addr),
      .csb_wdata_i        (csb_wdata),
      .csb_rdata_o        (csc_rdata),
      .work_o             (csc_work),
      .cmac_a_run_i       (cmac_a_run),
      .cmac_b_run_i       (cmac_b_run),
      .cacc_run_i         (cacc_run),
      .cdma_i             (cdma2csc),
      .cdma_o             (csc2cdma),
      .dat_rd_o           (dat_rd),
      .dat_rd_data_i      (dat_rd_data),
      .dat_rd_next_o      (dat_rd_next),
      .dat_rd_next_data_i (dat_rd_next_data),
      .wt_rd_o            (wt_rd),
      .wt_rd_data_i       (wt_rd_data),
      .mask_rd_o          (mask_rd),
      .mask_rd_data_i     (mask_rd_data),
      .atom_valid_o       (atom_valid),
      .atom_data_o        (atom_data),
      .atom_stripe_start_o(atom_stripe_start),
      .atom_stripe_end_o  (atom_stripe_end),
      .atom_channel_end_o (atom_channel_end),
      .atom_layer_end_o   (atom_layer_end),
      .wt_valid_o         (wt_valid),
      .wt_sel_a_o         (wt_sel_a),
      .wt_sel_b_o         (wt_sel_b),
      .wt_data_o          (wt_data),
      .credit_valid_i     (credit_valid)
  );

  nvdla_cmac u_cmac_a (
      .clk_i              (conv_clk),
      .rst_ni             (core_rst_n),
      .csb_req_i          (sel[SelCmacA]),
      .csb_write_i        (csb_write),
      .csb_addr_i         (csb_addr),
      .csb_wdata_i        (csb_wdata),
      .csb_rdata_o        (cmac_a_rdata),
      .work_o             (cmac_a_work),
      .run_o              (cmac_a_run),
      .atom_valid_i       (atom_valid),
      .atom_data_i        (atom_data),
      .atom_stripe_start_i(atom_stripe_start),
      .atom_stripe_end_i  (atom_stripe_end),
      .atom_channel_end_i (atom_channel_end),
      .atom_layer_end_i   (atom_layer_end),
      .wt_valid_i         (wt_valid),
      .wt_sel_i           (wt_sel_a),
      .wt_data_i          (wt_data),
      .valid_o            (mac_valid),
      .sum_o              (mac_a_sum),
      .stripe_start_o     (mac_start),
      .stripe_end_o       (mac_stripe_end),
      .channel_end_o      (mac_channel_end),
      .layer_end_o        (mac_layer_end)
  );

  nvdla_cmac u_cmac_b (
      .clk_i              (conv_clk),
      .rst_ni             (core_rst_n),
      .csb_req_i          (sel[SelCmacB]),
      .csb_write_i        (csb_write),
      .csb_addr_i         (csb_addr),
      .csb_wdata_i        (csb_wdata),
      .csb_rdata_o        (cmac_b_rdata),
      .work_o             (cmac_b_work),
      .run_o              (cmac_b_run),
      .atom_valid_i       (atom_valid),
      .atom_data_i        (atom_data),
      .atom_stripe_start_i(atom_stripe_start),
      .atom_stripe_end_i  (atom_stripe_end),
      .atom_channel_end_i (atom_channel_end),
      .atom_layer_end_i   (atom_layer_end),
      .wt_valid_i         (wt_valid),
      .wt_sel_i           (wt_sel_b),
      .wt_data_i          (wt_data),
      .valid_o            (mac_b_valid),
      .sum_o              (mac_b_sum),
      .stripe_start_o     (mac_b_flags[3]),
      .stripe_end_o       (mac_b_flags[2]),
      .channel_end_o      (mac_b_flags[1]),
      .layer_end_o        (mac_b_flags[0])
  );

  nvdla_cacc u_cacc (
      .clk_i         (conv_clk),
      .rst_ni        (core_rst_n),
      .csb_req_i     (sel[SelCacc]),
      .csb_write_i   (csb_write),
      .csb_addr_i    (csb_addr),
      .csb_wdata_i   (csb_wdata),
      .csb_rdata_o   (cacc_rdata),
      .work_o        (cacc_work),
      .run_o         (cacc_run),
      .valid_i       (mac_valid),
      .sum_a_i       (mac_a_sum),
      .sum_b_i       (mac_b_sum),
      .stripe_end_i  (mac_stripe_end),
      .channel_end_i (mac_channel_end),
      .layer_end_i   (mac_layer_end),
      .credit_valid_o(credit_valid),
      .cacc_valid_o  (cacc2sdp_valid),
      .cacc_ready_i  (cacc2sdp_ready),
      .cacc_data_o   (cacc2sdp_data),
      .done_intr_o   (cacc_done)
  );

  // Engines that only some configurations have: their modules need registers that the others do not have.
`ifdef NVDLA_BDMA
  nvdla_bdma u_bdma (
      .clk_i      (dla_core_clk),
      .clk_on_i   (clk_on),
      .rst_ni     (core_rst_n),
      .csb_req_i  (sel[SelBdma]),
      .csb_write_i(csb_write),
      .csb_addr_i (csb_addr),
      .csb_wdata_i(csb_wdata),
      .csb_rdata_o(bdma_rdata),
      .r_mif_o    (rd_req[RdSlotBdma*MifRdReqBits+:MifRdReqBits]),
      .r_mif_i    (rd_rsp[RdSlotBdma*MifRdRspBits+:MifRdRspBits]),
      .w_mif_o    (wr_req[WrSlotBdma*MifWrReqBits+:MifWrReqBits]),
      .w_mif_i    (wr_rsp[WrSlotBdma*MifWrRspBits+:MifWrRspBits]),
      .done_intr_o(bdma_done)
  );
`else
  assign bdma_rdata = '0;
  assign bdma_done  = '0;
`endif
`ifdef NVDLA_RUBIK
  nvdla_rubik u_rubik (
      .clk_i      (dla_core_clk),
      .clk_on_i   (clk_on),
      .rst_ni     (core_rst_n),
      .csb_req_i  (sel[SelRbk]),
      .csb_write_i(csb_write),
      .csb_addr_i (csb_addr),
      .csb_wdata_i(csb_wdata),
      .csb_rdata_o(rubik_rdata),
      .r_mif_o    (rd_req[RdSlotRubik*MifRdReqBits+:MifRdReqBits]),
      .r_mif_i    (rd_rsp[RdSlotRubik*MifRdRspBits+:MifRdRspBits]),
      .w_mif_o    (wr_req[WrSlotRubik*MifWrReqBits+:MifWrReqBits]),
      .w_mif_i    (wr_rsp[WrSlotRubik*MifWrRspBits+:MifWrRspBits]),
      .done_intr_o(rubik_done)
  );
`else
  assign rubik_rdata = '0;
  assign rubik_done  = '0;
`endif

  // Memory.
  axi_req_t dbb_req, sram_req;
  axi_rsp_t dbb_rsp, sram_rsp;
  logic cvif_sel;

  nvdla_mif u_mif (
      .clk_i       (dla_core_clk),
      .clk_on_i    (clk_on),
      .rst_ni      (core_rst_n),
      .mcif_req_i  (sel[SelMcif]),
      .cvif_req_i  (cvif_sel),
      .write_i     (csb_write),
      .addr_i      (csb_addr),
      .wdata_i     (csb_wdata),
      .mcif_rdata_o(mcif_rdata),
      .cvif_rdata_o(cvif_rdata),
      .rd_req_i    (rd_req),
      .rd_rsp_o    (rd_rsp),
      .wr_req_i    (wr_req),
      .wr_rsp_o    (wr_rsp),
      .dbb_o       (dbb_req),
      .dbb_i       (dbb_rsp),
      .sram_o      (sram_req),
      .sram_i      (sram_rsp)
  );

  assign nvdla_core2dbb_ar_arvalid = dbb_req.arvalid;
  assign nvdla_core2dbb_ar_arid    = dbb_req.arid;
  assign nvdla_core2dbb_ar_arlen   = dbb_req.arlen;
  assign nvdla_core2dbb_ar_araddr  = dbb_req.araddr;
  assign nvdla_core2dbb_aw_awvalid = dbb_req.awvalid;
  assign nvdla_core2dbb_aw_awid    = dbb_req.awid;
  assign nvdla_core2dbb_aw_awlen   = dbb_req.awlen;
  assign nvdla_core2dbb_aw_awaddr  = dbb_req.awaddr;
  assign nvdla_core2dbb_w_wvalid   = dbb_req.wvalid;
  assign nvdla_core2dbb_w_wdata    = dbb_req.wdata;
  assign nvdla_core2dbb_w_wlast    = dbb_req.wlast;
  assign nvdla_core2dbb_r_rready   = 1'b1;
  assign nvdla_core2dbb_b_bready   = 1'b1;
  assign dbb_rsp = {
      nvdla_core2dbb_ar_arready, nvdla_core2dbb_r_rvalid, nvdla_core2dbb_r_rid, nvdla_core2dbb_r_rdata,
      nvdla_core2dbb_aw_awready,
      nvdla_core2dbb_w_wready, nvdla_core2dbb_b_bvalid, nvdla_core2dbb_b_bid
  };

  // A beat of one atom, or of less, is written whole.
  localparam int StrobeBits = DbbDataBits / 8 / MifAtoms;
  for (genvar i = 0; i < MifAtoms; i++) begin : gen_strobe
    assign nvdla_core2dbb_w_wstrb[i*StrobeBits+:StrobeBits] = {StrobeBits{MifAtoms == 1 || dbb_req.wmask[i]}};
`ifdef NVDLA_SECONDARY_MEMORY
    assign nvdla_core2cvsram_w_wstrb[i*StrobeBits+:StrobeBits] = {StrobeBits{MifAtoms == 1 || sram_req.wmask[i]}};
`endif
  end

  // The secondary port, or its silence.
`ifdef NVDLA_SECONDARY_MEMORY
  assign cvif_sel = sel[SelCvif];
  assign nvdla_core2cvsram_ar_arvalid = sram_req.arvalid;
  assign nvdla_core2cvsram_ar_arid    = sram_req.arid;
  assign nvdla_core2cvsram_ar_arlen   = sram_req.arlen;
  assign nvdla_core2cvsram_ar_araddr  = sram_req.araddr;
  assign nvdla_core2cvsram_aw_awvalid = sram_req.awvalid;
  assign nvdla_core2cvsram_aw_awid    = sram_req.awid;
  assign nvdla_core2cvsram_aw_awlen   = sram_req.awlen;
  assign nvdla_core2cvsram_aw_awaddr  = sram_req.awaddr;
  assign nvdla_core2cvsram_w_wvalid   = sram_req.wvalid;
  assign nvdla_core2cvsram_w_wdata    = sram_req.wdata;
  assign nvdla_core2cvsram_w_wlast    = sram_req.wlast;
  assign nvdla_core2cvsram_r_rready   = 1'b1;
  assign nvdla_core2cvsram_b_bready   = 1'b1;
  assign sram_rsp = {
      nvdla_core2cvsram_ar_arready, nvdla_core2cvsram_r_rvalid, nvdla_core2cvsram_r_rid, nvdla_core2cvsram_r_rdata,
      nvdla_core2cvsram_aw_awready, nvdla_core2cvsram_w_wready, nvdla_core2cvsram_b_bvalid, nvdla_core2cvsram_b_bid
  };
  wire unused_sram = &{1'b0, sram_req.wmask, nvdla_core2cvsram_r_rlast};
`else
  assign cvif_sel = 1'b0;
  assign sram_rsp = '0;
  wire unused_sram = &{1'b0, sram_req};
`endif

  // RAM power and the end mark of read bursts have no function here; the clients without engine get no answers.
  wire unused = &{1'b0, dbb_req.wmask, nvdla_core2dbb_r_rlast,
      nvdla_pwrbus_ram_c_pd, nvdla_pwrbus_ram_ma_pd, nvdla_pwrbus_ram_mb_pd, nvdla_pwrbus_ram_p_pd,
      nvdla_pwrbus_ram_o_pd,
      nvdla_pwrbus_ram_a_pd, sel, rd_rsp, wr_rsp};
endmodule
