// NVDLA core. Wiring only: the published ports, clock and reset crossings, the register bus with its units, the engines and the memory
// interfaces.
//
// dla_core_clk drives everything but the register bus side and the interrupt pin, which belong to dla_csb_clk; the two need no
// relation. The ports nvdla_core2cvsram_* exist with NVDLA_SECONDARY_MEMORY, which goes with SecondaryMemory of the package.
// One memory beat is one atom. Engines that are not here leave their register windows reading 0 and their interrupt bits at 0.
// Spec: 10-system, sections 2 and 3.
module NV_nvdla
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                          dla_core_clk,
    input  logic                          dla_csb_clk,
    input  logic                          global_clk_ovr_on,
    input  logic                          tmc2slcg_disable_clock_gating,
    input  logic                          dla_reset_rstn,
    input  logic                          direct_reset_,
    input  logic                          test_mode,
    input  logic                          csb2nvdla_valid,
    output logic                          csb2nvdla_ready,
    input  logic [                  15:0] csb2nvdla_addr,
    input  logic [                  31:0] csb2nvdla_wdat,
    input  logic                          csb2nvdla_write,
    input  logic                          csb2nvdla_nposted,
    output logic                          nvdla2csb_valid,
    output logic [                  31:0] nvdla2csb_data,
    output logic                          nvdla2csb_wr_complete,
    output logic                          nvdla_core2dbb_aw_awvalid,
    input  logic                          nvdla_core2dbb_aw_awready,
    output logic [                   7:0] nvdla_core2dbb_aw_awid,
    output logic [                   3:0] nvdla_core2dbb_aw_awlen,
    output logic [          AddrBits-1:0] nvdla_core2dbb_aw_awaddr,
    output logic                          nvdla_core2dbb_w_wvalid,
    input  logic                          nvdla_core2dbb_w_wready,
    output logic [         DbbDataBits-1:0] nvdla_core2dbb_w_wdata,
    output logic [       DbbDataBits/8-1:0] nvdla_core2dbb_w_wstrb,
    output logic                          nvdla_core2dbb_w_wlast,
    output logic                          nvdla_core2dbb_ar_arvalid,
    input  logic                          nvdla_core2dbb_ar_arready,
    output logic [                   7:0] nvdla_core2dbb_ar_arid,
    output logic [                   3:0] nvdla_core2dbb_ar_arlen,
    output logic [          AddrBits-1:0] nvdla_core2dbb_ar_araddr,
    input  logic                          nvdla_core2dbb_b_bvalid,
    output logic                          nvdla_core2dbb_b_bready,
    input  logic [                   7:0] nvdla_core2dbb_b_bid,
    input  logic                          nvdla_core2dbb_r_rvalid,
    output logic                          nvdla_core2dbb_r_rready,
    input  logic [                   7:0] nvdla_core2dbb_r_rid,
    input  logic                          nvdla_core2dbb_r_rlast,
    input  logic [         DbbDataBits-1:0] nvdla_core2dbb_r_rdata,
`ifdef NVDLA_SECONDARY_MEMORY
    output logic                          nvdla_core2cvsram_aw_awvalid,
    input  logic                          nvdla_core2cvsram_aw_awready,
    output logic [                   7:0] nvdla_core2cvsram_aw_awid,
    output logic [                   3:0] nvdla_core2cvsram_aw_awlen,
    output logic [          AddrBits-1:0] nvdla_core2cvsram_aw_awaddr,
    output logic                          nvdla_core2cvsram_w_wvalid,
    input  logic                          nvdla_core2cvsram_w_wready,
    output logic [      CvsramDataBits-1:0] nvdla_core2cvsram_w_wdata,
    output logic [    CvsramDataBits/8-1:0] nvdla_core2cvsram_w_wstrb,
    output logic                          nvdla_core2cvsram_w_wlast,
    output logic                          nvdla_core2cvsram_ar_arvalid,
    input  logic                          nvdla_core2cvsram_ar_arready,
    output logic [                   7:0] nvdla_core2cvsram_ar_arid,
    output logic [                   3:0] nvdla_core2cvsram_ar_arlen,
    output logic [          AddrBits-1:0] nvdla_core2cvsram_ar_araddr,
    input  logic                          nvdla_core2cvsram_b_bvalid,
    output logic                          nvdla_core2cvsram_b_bready,
    input  logic [                   7:0] nvdla_core2cvsram_b_bid,
    input  logic                          nvdla_core2cvsram_r_rvalid,
    output logic                          nvdla_core2cvsram_r_rready,
    input  logic [                   7:0] nvdla_core2cvsram_r_rid,
    input  logic                          nvdla_core2cvsram_r_rlast,
    input  logic [      CvsramDataBits-1:0] nvdla_core2cvsram_r_rdata,
`endif
    output logic                          dla_intr,
    input  logic [                  31:0] nvdla_pwrbus_ram_c_pd,
    input  logic [                  31:0] nvdla_pwrbus_ram_ma_pd,
    input  logic [                  31:0] nvdla_pwrbus_ram_mb_pd,
    input  logic [                  31:0] nvdla_pwrbus_ram_p_pd,
    input  logic [                  31:0] nvdla_pwrbus_ram_o_pd,
    input  logic [                  31:0] nvdla_pwrbus_ram_a_pd
);
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

  // Register bus. A window without unit reads 0; that is what the place of the secondary memory's interface points to when there is none.
`ifdef NVDLA_SECONDARY_MEMORY
  localparam logic [5:0] SecondaryWindow = CvifWindow;
`else
  localparam logic [5:0] SecondaryWindow = 6'h3f;
`endif
  localparam int Units = 15;
  logic [Units-1:0] sel;
  logic csb_write;
  logic [9:0] csb_addr;
  logic [31:0] csb_wdata, rdata;
  logic [31:0] cfgrom_rdata, glb_rdata, mcif_rdata, cvif_rdata, sdp_rdma_rdata, sdp_rdata, pdp_rdma_rdata, pdp_rdata,
      cdp_rdma_rdata, cdp_rdata, cdma_rdata, csc_rdata, cmac_a_rdata, cmac_b_rdata, cacc_rdata;

  assign rdata = cfgrom_rdata | glb_rdata | mcif_rdata | cvif_rdata | sdp_rdma_rdata | sdp_rdata | pdp_rdma_rdata | pdp_rdata |
      cdp_rdma_rdata | cdp_rdata | cdma_rdata | csc_rdata | cmac_a_rdata | cmac_b_rdata | cacc_rdata;

  nvdla_csb #(
      .Units  (Units),
      .Windows({CaccWindow, CmacBWindow, CmacAWindow, CscWindow, CdmaWindow, CdpWindow, CdpRdmaWindow, SecondaryWindow, PdpWindow, PdpRdmaWindow,
                SdpWindow, SdpRdmaWindow, McifWindow, GlbWindow, CfgromWindow})
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

  nvdla_cfgrom u_cfgrom (
      .clk_i  (dla_core_clk),
      .rst_ni (core_rst_n),
      .req_i  (sel[0]),
      .write_i(csb_write),
      .addr_i (csb_addr),
      .rdata_o(cfgrom_rdata)
  );

  logic [1:0] sdp_done, pdp_done, cdp_done, cdma_dat_done, cdma_wt_done, cacc_done;
  logic intr;

  nvdla_glb u_glb (
      .clk_i          (dla_core_clk),
      .rst_ni         (core_rst_n),
      .req_i          (sel[1]),
      .write_i        (csb_write),
      .addr_i         (csb_addr),
      .wdata_i        (csb_wdata),
      .rdata_o        (glb_rdata),
      .done_sdp_i     (sdp_done),
      .done_cdp_i     (cdp_done),
      .done_pdp_i     (pdp_done),
      .done_bdma_i    (2'b00),
      .done_rubik_i   (2'b00),
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

  // Engines.
  logic sdp_m_valid, sdp_m_ready, sdp_m_ram, sdp_m_rsp_valid, sdp_b_valid, sdp_b_ready, sdp_b_ram, sdp_b_rsp_valid,
      sdp_n_valid, sdp_n_ready, sdp_n_ram, sdp_n_rsp_valid, pdp_r_valid, pdp_r_ready, pdp_r_ram, pdp_r_rsp_valid;
  logic [AddrBits-1:0] sdp_m_addr, sdp_b_addr, sdp_n_addr, pdp_r_addr, sdp_w_addr, pdp_w_addr;
  logic [3:0] sdp_m_len, sdp_b_len, sdp_n_len, pdp_r_len, sdp_w_len, pdp_w_len;
  logic [AtomBits-1:0] sdp_m_rsp_data, sdp_b_rsp_data, sdp_n_rsp_data, pdp_r_rsp_data, sdp_w_dat_data, pdp_w_dat_data;
  logic sdp_w_valid, sdp_w_ready, sdp_w_ram, sdp_w_dat_valid, sdp_w_dat_ready, sdp_w_rsp,
      pdp_w_valid, pdp_w_ready, pdp_w_ram, pdp_w_dat_valid, pdp_w_dat_ready, pdp_w_rsp;
  logic sdp2pdp_valid, sdp2pdp_ready;
  logic [SdpBsThroughput*8-1:0] sdp2pdp_data;
  logic cacc2sdp_valid, cacc2sdp_ready;
  logic [SdpBsThroughput*32-1:0] cacc2sdp_data;

  nvdla_sdp u_sdp (
      .clk_i           (dla_core_clk),
      .rst_ni          (core_rst_n),
      .csb_rdma_req_i  (sel[3]),
      .csb_req_i       (sel[4]),
      .csb_write_i     (csb_write),
      .csb_addr_i      (csb_addr),
      .csb_wdata_i     (csb_wdata),
      .csb_rdma_rdata_o(sdp_rdma_rdata),
      .csb_rdata_o     (sdp_rdata),
      .cacc_valid_i    (cacc2sdp_valid),
      .cacc_ready_o    (cacc2sdp_ready),
      .cacc_data_i     (cacc2sdp_data),
      .m_mif_valid_o(sdp_m_valid),
      .m_mif_ready_i(sdp_m_ready),
      .m_mif_ram_o(sdp_m_ram),
      .m_mif_addr_o(sdp_m_addr),
      .m_mif_len_o(sdp_m_len),
      .m_mif_rsp_valid_i(sdp_m_rsp_valid),
      .m_mif_rsp_data_i(sdp_m_rsp_data),
      .b_mif_valid_o(sdp_b_valid),
      .b_mif_ready_i(sdp_b_ready),
      .b_mif_ram_o(sdp_b_ram),
      .b_mif_addr_o(sdp_b_addr),
      .b_mif_len_o(sdp_b_len),
      .b_mif_rsp_valid_i(sdp_b_rsp_valid),
      .b_mif_rsp_data_i(sdp_b_rsp_data),
      .n_mif_valid_o(sdp_n_valid),
      .n_mif_ready_i(sdp_n_ready),
      .n_mif_ram_o(sdp_n_ram),
      .n_mif_addr_o(sdp_n_addr),
      .n_mif_len_o(sdp_n_len),
      .n_mif_rsp_valid_i(sdp_n_rsp_valid),
      .n_mif_rsp_data_i(sdp_n_rsp_data),
      .w_mif_valid_o(sdp_w_valid),
      .w_mif_ready_i(sdp_w_ready),
      .w_mif_ram_o(sdp_w_ram),
      .w_mif_addr_o(sdp_w_addr),
      .w_mif_len_o(sdp_w_len),
      .w_mif_dat_valid_o(sdp_w_dat_valid),
      .w_mif_dat_ready_i(sdp_w_dat_ready),
      .w_mif_dat_data_o(sdp_w_dat_data),
      .w_mif_rsp_i(sdp_w_rsp),
      .pdp_valid_o     (sdp2pdp_valid),
      .pdp_ready_i     (sdp2pdp_ready),
      .pdp_data_o      (sdp2pdp_data),
      .done_intr_o     (sdp_done)
  );

  nvdla_pdp u_pdp (
      .clk_i           (dla_core_clk),
      .rst_ni          (core_rst_n),
      .csb_rdma_req_i  (sel[5]),
      .csb_req_i       (sel[6]),
      .csb_write_i     (csb_write),
      .csb_addr_i      (csb_addr),
      .csb_wdata_i     (csb_wdata),
      .csb_rdma_rdata_o(pdp_rdma_rdata),
      .csb_rdata_o     (pdp_rdata),
      .sdp_valid_i     (sdp2pdp_valid),
      .sdp_ready_o     (sdp2pdp_ready),
      .sdp_data_i      (sdp2pdp_data),
      .r_mif_valid_o(pdp_r_valid),
      .r_mif_ready_i(pdp_r_ready),
      .r_mif_ram_o(pdp_r_ram),
      .r_mif_addr_o(pdp_r_addr),
      .r_mif_len_o(pdp_r_len),
      .r_mif_rsp_valid_i(pdp_r_rsp_valid),
      .r_mif_rsp_data_i(pdp_r_rsp_data),
      .w_mif_valid_o(pdp_w_valid),
      .w_mif_ready_i(pdp_w_ready),
      .w_mif_ram_o(pdp_w_ram),
      .w_mif_addr_o(pdp_w_addr),
      .w_mif_len_o(pdp_w_len),
      .w_mif_dat_valid_o(pdp_w_dat_valid),
      .w_mif_dat_ready_i(pdp_w_dat_ready),
      .w_mif_dat_data_o(pdp_w_dat_data),
      .w_mif_rsp_i(pdp_w_rsp),
      .done_intr_o     (pdp_done)
  );

  logic cdp_r_valid, cdp_r_ready, cdp_r_ram, cdp_r_rsp_valid;
  logic [AddrBits-1:0] cdp_r_addr, cdp_w_addr;
  logic [3:0] cdp_r_len, cdp_w_len;
  logic [AtomBits-1:0] cdp_r_rsp_data, cdp_w_dat_data;
  logic cdp_w_valid, cdp_w_ready, cdp_w_ram, cdp_w_dat_valid, cdp_w_dat_ready, cdp_w_rsp;

  nvdla_cdp u_cdp (
      .clk_i            (dla_core_clk),
      .rst_ni           (core_rst_n),
      .csb_rdma_req_i   (sel[8]),
      .csb_req_i        (sel[9]),
      .csb_write_i      (csb_write),
      .csb_addr_i       (csb_addr),
      .csb_wdata_i      (csb_wdata),
      .csb_rdma_rdata_o (cdp_rdma_rdata),
      .csb_rdata_o      (cdp_rdata),
      .r_mif_valid_o    (cdp_r_valid),
      .r_mif_ready_i    (cdp_r_ready),
      .r_mif_ram_o      (cdp_r_ram),
      .r_mif_addr_o     (cdp_r_addr),
      .r_mif_len_o      (cdp_r_len),
      .r_mif_rsp_valid_i(cdp_r_rsp_valid),
      .r_mif_rsp_data_i (cdp_r_rsp_data),
      .w_mif_valid_o    (cdp_w_valid),
      .w_mif_ready_i    (cdp_w_ready),
      .w_mif_ram_o      (cdp_w_ram),
      .w_mif_addr_o     (cdp_w_addr),
      .w_mif_len_o      (cdp_w_len),
      .w_mif_dat_valid_o(cdp_w_dat_valid),
      .w_mif_dat_ready_i(cdp_w_dat_ready),
      .w_mif_dat_data_o (cdp_w_dat_data),
      .w_mif_rsp_i      (cdp_w_rsp),
      .done_intr_o      (cdp_done)
  );

  // Convolution: CDMA -> CBUF -> CSC -> CMAC_A, CMAC_B -> CACC -> SDP.
  logic cdma_d_valid, cdma_d_ready, cdma_d_ram, cdma_d_rsp_valid, cdma_w_valid, cdma_w_ready, cdma_w_ram, cdma_w_rsp_valid;
  logic [AddrBits-1:0] cdma_d_addr, cdma_w_addr;
  logic [3:0] cdma_d_len, cdma_w_len;
  logic [AtomBits-1:0] cdma_d_rsp_data, cdma_w_rsp_data;

  logic dat_wr_valid, dat_wr_clear, wt_wr_valid, wt_wr_clear, dat_rd_valid, dat_rd_next_valid, wt_rd_valid, mask_rd_valid;
  logic [CbufAddrBits-1:0] dat_wr_addr, wt_wr_addr, dat_rd_addr, dat_rd_next_addr, wt_rd_addr, mask_rd_addr;
  logic [SlotBits-1:0] dat_wr_slot, wt_wr_slot;
  logic [AtomBits-1:0] dat_wr_data, wt_wr_data;
  logic [EntryBits-1:0] dat_rd_data, dat_rd_next_data, wt_rd_data, mask_rd_data;

  logic dat_up_valid, wt_up_valid, dat_rl_valid, wt_rl_valid, mask_rl_valid, dat_pending_req, dat_pending_ack, wt_pending_req, wt_pending_ack;
  logic [14:0] dat_up_entries, wt_up_entries, dat_rl_entries, wt_rl_entries, mask_rl_entries;
  logic [13:0] dat_up_slices, wt_up_kernels, dat_rl_slices;

  logic cmac_a_run, cmac_b_run, cacc_run, atom_valid, atom_stripe_start, atom_stripe_end, atom_channel_end, atom_layer_end, wt_valid;
  logic [EntryBits-1:0] atom_data, wt_data;
  logic [ConvCells-1:0] wt_sel_a, wt_sel_b;
  logic mac_valid, mac_stripe_end, mac_channel_end, mac_layer_end, credit_valid, unused_mac_start, unused_mac_valid;
  logic [3:0] unused_mac_flags;
  logic [ConvCells*ConvSumBits-1:0] mac_a_sum, mac_b_sum;

  nvdla_cdma u_cdma (
      .clk_i              (dla_core_clk),
      .rst_ni             (core_rst_n),
      .csb_req_i          (sel[10]),
      .csb_write_i        (csb_write),
      .csb_addr_i         (csb_addr),
      .csb_wdata_i        (csb_wdata),
      .csb_rdata_o        (cdma_rdata),
      .dat_mif_valid_o    (cdma_d_valid),
      .dat_mif_ready_i    (cdma_d_ready),
      .dat_mif_ram_o      (cdma_d_ram),
      .dat_mif_addr_o     (cdma_d_addr),
      .dat_mif_len_o      (cdma_d_len),
      .dat_mif_rsp_valid_i(cdma_d_rsp_valid),
      .dat_mif_rsp_data_i (cdma_d_rsp_data),
      .wt_mif_valid_o     (cdma_w_valid),
      .wt_mif_ready_i     (cdma_w_ready),
      .wt_mif_ram_o       (cdma_w_ram),
      .wt_mif_addr_o      (cdma_w_addr),
      .wt_mif_len_o       (cdma_w_len),
      .wt_mif_rsp_valid_i (cdma_w_rsp_valid),
      .wt_mif_rsp_data_i  (cdma_w_rsp_data),
      .dat_wr_valid_o     (dat_wr_valid),
      .dat_wr_addr_o      (dat_wr_addr),
      .dat_wr_slot_o      (dat_wr_slot),
      .dat_wr_clear_o     (dat_wr_clear),
      .dat_wr_data_o      (dat_wr_data),
      .wt_wr_valid_o      (wt_wr_valid),
      .wt_wr_addr_o       (wt_wr_addr),
      .wt_wr_slot_o       (wt_wr_slot),
      .wt_wr_clear_o      (wt_wr_clear),
      .wt_wr_data_o       (wt_wr_data),
      .dat_up_valid_o     (dat_up_valid),
      .dat_up_entries_o   (dat_up_entries),
      .dat_up_slices_o    (dat_up_slices),
      .wt_up_valid_o      (wt_up_valid),
      .wt_up_kernels_o    (wt_up_kernels),
      .wt_up_entries_o    (wt_up_entries),
      .dat_rl_valid_i     (dat_rl_valid),
      .dat_rl_entries_i   (dat_rl_entries),
      .dat_rl_slices_i    (dat_rl_slices),
      .wt_rl_valid_i      (wt_rl_valid),
      .wt_rl_entries_i    (wt_rl_entries),
      .mask_rl_valid_i    (mask_rl_valid),
      .mask_rl_entries_i  (mask_rl_entries),
      .dat_pending_req_i  (dat_pending_req),
      .dat_pending_ack_o  (dat_pending_ack),
      .wt_pending_req_i   (wt_pending_req),
      .wt_pending_ack_o   (wt_pending_ack),
      .dat_done_intr_o    (cdma_dat_done),
      .wt_done_intr_o     (cdma_wt_done)
  );

  nvdla_cbuf u_cbuf (
      .clk_i              (dla_core_clk),
      .dat_wr_valid_i     (dat_wr_valid),
      .dat_wr_addr_i      (dat_wr_addr),
      .dat_wr_slot_i      (dat_wr_slot),
      .dat_wr_clear_i     (dat_wr_clear),
      .dat_wr_data_i      (dat_wr_data),
      .wt_wr_valid_i      (wt_wr_valid),
      .wt_wr_addr_i       (wt_wr_addr),
      .wt_wr_slot_i       (wt_wr_slot),
      .wt_wr_clear_i      (wt_wr_clear),
      .wt_wr_data_i       (wt_wr_data),
      .dat_rd_valid_i     (dat_rd_valid),
      .dat_rd_addr_i      (dat_rd_addr),
      .dat_rd_data_o      (dat_rd_data),
      .dat_rd_next_valid_i(dat_rd_next_valid),
      .dat_rd_next_addr_i (dat_rd_next_addr),
      .dat_rd_next_data_o (dat_rd_next_data),
      .wt_rd_valid_i      (wt_rd_valid),
      .wt_rd_addr_i       (wt_rd_addr),
      .wt_rd_data_o       (wt_rd_data),
      .mask_rd_valid_i    (mask_rd_valid),
      .mask_rd_addr_i     (mask_rd_addr),
      .mask_rd_data_o     (mask_rd_data)
  );

  nvdla_csc u_csc (
      .clk_i              (dla_core_clk),
      .rst_ni             (core_rst_n),
      .csb_req_i          (sel[11]),
      .csb_write_i        (csb_write),
      .csb_addr_i         (csb_addr),
      .csb_wdata_i        (csb_wdata),
      .csb_rdata_o        (csc_rdata),
      .cmac_a_run_i       (cmac_a_run),
      .cmac_b_run_i       (cmac_b_run),
      .cacc_run_i         (cacc_run),
      .dat_up_valid_i     (dat_up_valid),
      .dat_up_entries_i   (dat_up_entries),
      .dat_up_slices_i    (dat_up_slices),
      .wt_up_valid_i      (wt_up_valid),
      .wt_up_kernels_i    (wt_up_kernels),
      .wt_up_entries_i    (wt_up_entries),
      .dat_rl_valid_o     (dat_rl_valid),
      .dat_rl_entries_o   (dat_rl_entries),
      .dat_rl_slices_o    (dat_rl_slices),
      .wt_rl_valid_o      (wt_rl_valid),
      .wt_rl_entries_o    (wt_rl_entries),
      .mask_rl_valid_o    (mask_rl_valid),
      .mask_rl_entries_o  (mask_rl_entries),
      .dat_pending_req_o  (dat_pending_req),
      .dat_pending_ack_i  (dat_pending_ack),
      .wt_pending_req_o   (wt_pending_req),
      .wt_pending_ack_i   (wt_pending_ack),
      .dat_rd_valid_o     (dat_rd_valid),
      .dat_rd_addr_o      (dat_rd_addr),
      .dat_rd_data_i      (dat_rd_data),
      .dat_rd_next_valid_o(dat_rd_next_valid),
      .dat_rd_next_addr_o (dat_rd_next_addr),
      .dat_rd_next_data_i (dat_rd_next_data),
      .wt_rd_valid_o      (wt_rd_valid),
      .wt_rd_addr_o       (wt_rd_addr),
      .wt_rd_data_i       (wt_rd_data),
      .mask_rd_valid_o    (mask_rd_valid),
      .mask_rd_addr_o     (mask_rd_addr),
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
      .clk_i              (dla_core_clk),
      .rst_ni             (core_rst_n),
      .csb_req_i          (sel[12]),
      .csb_write_i        (csb_write),
      .csb_addr_i         (csb_addr),
      .csb_wdata_i        (csb_wdata),
      .csb_rdata_o        (cmac_a_rdata),
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
      .stripe_start_o     (unused_mac_start),
      .stripe_end_o       (mac_stripe_end),
      .channel_end_o      (mac_channel_end),
      .layer_end_o        (mac_layer_end)
  );

  nvdla_cmac u_cmac_b (
      .clk_i              (dla_core_clk),
      .rst_ni             (core_rst_n),
      .csb_req_i          (sel[13]),
      .csb_write_i        (csb_write),
      .csb_addr_i         (csb_addr),
      .csb_wdata_i        (csb_wdata),
      .csb_rdata_o        (cmac_b_rdata),
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
      .valid_o            (unused_mac_valid),
      .sum_o              (mac_b_sum),
      .stripe_start_o     (unused_mac_flags[3]),
      .stripe_end_o       (unused_mac_flags[2]),
      .channel_end_o      (unused_mac_flags[1]),
      .layer_end_o        (unused_mac_flags[0])
  );

  nvdla_cacc u_cacc (
      .clk_i         (dla_core_clk),
      .rst_ni        (core_rst_n),
      .csb_req_i     (sel[14]),
      .csb_write_i   (csb_write),
      .csb_addr_i    (csb_addr),
      .csb_wdata_i   (csb_wdata),
      .csb_rdata_o   (cacc_rdata),
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

  // Secondary port inside; below it is connected or silent.
  logic sram_arvalid;
  logic sram_arready;
  logic [7:0] sram_arid;
  logic [3:0] sram_arlen;
  logic [AddrBits-1:0] sram_araddr;
  logic sram_rvalid;
  logic [7:0] sram_rid;
  logic sram_awvalid;
  logic sram_awready;
  logic [7:0] sram_awid;
  logic [3:0] sram_awlen;
  logic [AddrBits-1:0] sram_awaddr;
  logic sram_wvalid;
  logic sram_wready;
  logic [AtomBits-1:0] sram_wdata;
  logic sram_wlast;
  logic sram_bvalid;
  logic [7:0] sram_bid;
  logic [AtomBits-1:0] sram_rdata;

  // Memory. Slots: nvdla_mcif. Those of engines that are not here request nothing.
  logic [7:0] rd_ready, rd_rsp_valid, rd_rsp_sram;
  logic [2:0] wr_ready, wr_dat_ready, wr_rsp;
  assign cdma_d_ready = rd_ready[0];
  assign cdma_d_rsp_valid = rd_rsp_valid[0];
  assign cdma_d_rsp_data = rd_rsp_sram[0] ? sram_rdata : nvdla_core2dbb_r_rdata;
  assign cdma_w_ready = rd_ready[1];
  assign cdma_w_rsp_valid = rd_rsp_valid[1];
  assign cdma_w_rsp_data = rd_rsp_sram[1] ? sram_rdata : nvdla_core2dbb_r_rdata;
  assign sdp_m_ready = rd_ready[2];
  assign sdp_m_rsp_valid = rd_rsp_valid[2];
  assign sdp_m_rsp_data = rd_rsp_sram[2] ? sram_rdata : nvdla_core2dbb_r_rdata;
  assign sdp_b_ready = rd_ready[3];
  assign sdp_b_rsp_valid = rd_rsp_valid[3];
  assign sdp_b_rsp_data = rd_rsp_sram[3] ? sram_rdata : nvdla_core2dbb_r_rdata;
  assign sdp_n_ready = rd_ready[4];
  assign sdp_n_rsp_valid = rd_rsp_valid[4];
  assign sdp_n_rsp_data = rd_rsp_sram[4] ? sram_rdata : nvdla_core2dbb_r_rdata;
  assign pdp_r_ready = rd_ready[6];
  assign pdp_r_rsp_valid = rd_rsp_valid[6];
  assign pdp_r_rsp_data = rd_rsp_sram[6] ? sram_rdata : nvdla_core2dbb_r_rdata;
  assign cdp_r_ready = rd_ready[7];
  assign cdp_r_rsp_valid = rd_rsp_valid[7];
  assign cdp_r_rsp_data = rd_rsp_sram[7] ? sram_rdata : nvdla_core2dbb_r_rdata;
  assign sdp_w_ready = wr_ready[0];
  assign sdp_w_dat_ready = wr_dat_ready[0];
  assign sdp_w_rsp = wr_rsp[0];
  assign pdp_w_ready = wr_ready[1];
  assign pdp_w_dat_ready = wr_dat_ready[1];
  assign pdp_w_rsp = wr_rsp[1];
  assign cdp_w_ready = wr_ready[2];
  assign cdp_w_dat_ready = wr_dat_ready[2];
  assign cdp_w_rsp = wr_rsp[2];

  nvdla_mif u_mif (
      .clk_i(dla_core_clk),
      .rst_ni(core_rst_n),
      .mcif_req_i(sel[2]),
      .cvif_req_i(sel[7]),
      .write_i(csb_write),
      .addr_i(csb_addr),
      .wdata_i(csb_wdata),
      .mcif_rdata_o(mcif_rdata),
      .cvif_rdata_o(cvif_rdata),
      .rd_valid_i({cdp_r_valid, pdp_r_valid, 1'b0, sdp_n_valid, sdp_b_valid, sdp_m_valid, cdma_w_valid, cdma_d_valid}),
      .rd_ready_o(rd_ready),
      .rd_ram_i({cdp_r_ram, pdp_r_ram, 1'b0, sdp_n_ram, sdp_b_ram, sdp_m_ram, cdma_w_ram, cdma_d_ram}),
      .rd_addr_i({cdp_r_addr, pdp_r_addr, AddrBits'(0), sdp_n_addr, sdp_b_addr, sdp_m_addr, cdma_w_addr, cdma_d_addr}),
      .rd_len_i({cdp_r_len, pdp_r_len, 4'd0, sdp_n_len, sdp_b_len, sdp_m_len, cdma_w_len, cdma_d_len}),
      .rd_rsp_valid_o(rd_rsp_valid),
      .rd_rsp_sram_o(rd_rsp_sram),
      .wr_valid_i({cdp_w_valid, pdp_w_valid, sdp_w_valid}),
      .wr_ready_o(wr_ready),
      .wr_ram_i({cdp_w_ram, pdp_w_ram, sdp_w_ram}),
      .wr_addr_i({cdp_w_addr, pdp_w_addr, sdp_w_addr}),
      .wr_len_i({cdp_w_len, pdp_w_len, sdp_w_len}),
      .wr_dat_valid_i({cdp_w_dat_valid, pdp_w_dat_valid, sdp_w_dat_valid}),
      .wr_dat_ready_o(wr_dat_ready),
      .wr_dat_data_i({cdp_w_dat_data, pdp_w_dat_data, sdp_w_dat_data}),
      .wr_rsp_o(wr_rsp),
      .dbb_arvalid_o(nvdla_core2dbb_ar_arvalid),
      .dbb_arready_i(nvdla_core2dbb_ar_arready),
      .dbb_arid_o(nvdla_core2dbb_ar_arid),
      .dbb_arlen_o(nvdla_core2dbb_ar_arlen),
      .dbb_araddr_o(nvdla_core2dbb_ar_araddr),
      .dbb_rvalid_i(nvdla_core2dbb_r_rvalid),
      .dbb_rid_i(nvdla_core2dbb_r_rid),
      .dbb_awvalid_o(nvdla_core2dbb_aw_awvalid),
      .dbb_awready_i(nvdla_core2dbb_aw_awready),
      .dbb_awid_o(nvdla_core2dbb_aw_awid),
      .dbb_awlen_o(nvdla_core2dbb_aw_awlen),
      .dbb_awaddr_o(nvdla_core2dbb_aw_awaddr),
      .dbb_wvalid_o(nvdla_core2dbb_w_wvalid),
      .dbb_wready_i(nvdla_core2dbb_w_wready),
      .dbb_wdata_o(nvdla_core2dbb_w_wdata),
      .dbb_wlast_o(nvdla_core2dbb_w_wlast),
      .dbb_bvalid_i(nvdla_core2dbb_b_bvalid),
      .dbb_bid_i(nvdla_core2dbb_b_bid),
      .sram_arvalid_o(sram_arvalid),
      .sram_arready_i(sram_arready),
      .sram_arid_o(sram_arid),
      .sram_arlen_o(sram_arlen),
      .sram_araddr_o(sram_araddr),
      .sram_rvalid_i(sram_rvalid),
      .sram_rid_i(sram_rid),
      .sram_awvalid_o(sram_awvalid),
      .sram_awready_i(sram_awready),
      .sram_awid_o(sram_awid),
      .sram_awlen_o(sram_awlen),
      .sram_awaddr_o(sram_awaddr),
      .sram_wvalid_o(sram_wvalid),
      .sram_wready_i(sram_wready),
      .sram_wdata_o(sram_wdata),
      .sram_wlast_o(sram_wlast),
      .sram_bvalid_i(sram_bvalid),
      .sram_bid_i(sram_bid)
  );

  assign nvdla_core2dbb_r_rready = 1'b1;
  assign nvdla_core2dbb_b_bready = 1'b1;
  assign nvdla_core2dbb_w_wstrb  = '1;

  // The secondary port, or its silence.
`ifdef NVDLA_SECONDARY_MEMORY
  assign nvdla_core2cvsram_ar_arvalid = sram_arvalid;
  assign sram_arready = nvdla_core2cvsram_ar_arready;
  assign nvdla_core2cvsram_ar_arid = sram_arid;
  assign nvdla_core2cvsram_ar_arlen = sram_arlen;
  assign nvdla_core2cvsram_ar_araddr = sram_araddr;
  assign sram_rvalid = nvdla_core2cvsram_r_rvalid;
  assign sram_rid = nvdla_core2cvsram_r_rid;
  assign nvdla_core2cvsram_aw_awvalid = sram_awvalid;
  assign sram_awready = nvdla_core2cvsram_aw_awready;
  assign nvdla_core2cvsram_aw_awid = sram_awid;
  assign nvdla_core2cvsram_aw_awlen = sram_awlen;
  assign nvdla_core2cvsram_aw_awaddr = sram_awaddr;
  assign nvdla_core2cvsram_w_wvalid = sram_wvalid;
  assign sram_wready = nvdla_core2cvsram_w_wready;
  assign nvdla_core2cvsram_w_wdata = sram_wdata;
  assign nvdla_core2cvsram_w_wlast = sram_wlast;
  assign sram_bvalid = nvdla_core2cvsram_b_bvalid;
  assign sram_bid = nvdla_core2cvsram_b_bid;
  assign sram_rdata = nvdla_core2cvsram_r_rdata;
  assign nvdla_core2cvsram_r_rready = 1'b1;
  assign nvdla_core2cvsram_b_bready = 1'b1;
  assign nvdla_core2cvsram_w_wstrb = '1;
  wire unused_sram = &{1'b0, nvdla_core2cvsram_r_rlast};
`else
  assign sram_arready = '0;
  assign sram_rvalid = '0;
  assign sram_rid = '0;
  assign sram_awready = '0;
  assign sram_wready = '0;
  assign sram_bvalid = '0;
  assign sram_bid = '0;
  assign sram_rdata = '0;
  wire unused_sram = &{1'b0, sram_arvalid, sram_arid, sram_arlen, sram_araddr,
      sram_awvalid, sram_awid, sram_awlen, sram_awaddr, sram_wvalid, sram_wdata, sram_wlast};
`endif

  // Clock gating, RAM power and the end mark of read bursts have no function here; the slots without engine get no answers.
  wire unused = &{1'b0, global_clk_ovr_on, tmc2slcg_disable_clock_gating, nvdla_core2dbb_r_rlast,
      nvdla_pwrbus_ram_c_pd, nvdla_pwrbus_ram_ma_pd, nvdla_pwrbus_ram_mb_pd, nvdla_pwrbus_ram_p_pd, nvdla_pwrbus_ram_o_pd,
      nvdla_pwrbus_ram_a_pd, rd_ready, rd_rsp_valid, rd_rsp_sram, wr_ready, wr_dat_ready, wr_rsp};
endmodule
