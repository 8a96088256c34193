// The instance that the wrappers have in common.
`define NVDLA(CORE_CLK, CSB_CLK, RST_N, AXI, ARVALID, INTR) \
    NV_nvdla u_nvdla ( \
        .dla_core_clk                 (CORE_CLK), \
        .dla_csb_clk                  (CSB_CLK), \
        .dla_reset_rstn               (RST_N), \
        .direct_reset_                (1'b1), \
        .test_mode                    (1'b0), \
        .global_clk_ovr_on            (1'b0), \
        .tmc2slcg_disable_clock_gating(1'b0), \
        .nvdla_pwrbus_ram_c_pd        ('0), \
        .nvdla_pwrbus_ram_ma_pd       ('0), \
        .nvdla_pwrbus_ram_mb_pd       ('0), \
        .nvdla_pwrbus_ram_p_pd        ('0), \
        .nvdla_pwrbus_ram_o_pd        ('0), \
        .nvdla_pwrbus_ram_a_pd        ('0), \
        .csb2nvdla_valid              (csb_valid_q), \
        .csb2nvdla_ready              (csb_ready), \
        .csb2nvdla_addr               (csb_addr_q), \
        .csb2nvdla_wdat               (csb_wdat_q), \
        .csb2nvdla_write              (csb_write_q), \
        .csb2nvdla_nposted            (1'b0), \
        .nvdla2csb_valid              (csb_answers), \
        .nvdla2csb_data               (csb_data), \
        .nvdla2csb_wr_complete        (), \
        .nvdla_core2dbb_aw_awvalid    (AXI``_awvalid), \
        .nvdla_core2dbb_aw_awready    (AXI``_awready), \
        .nvdla_core2dbb_aw_awid       (AXI``_awid), \
        .nvdla_core2dbb_aw_awlen      (AXI``_awlen), \
        .nvdla_core2dbb_aw_awaddr     (AXI``_awaddr), \
        .nvdla_core2dbb_w_wvalid      (AXI``_wvalid), \
        .nvdla_core2dbb_w_wready      (AXI``_wready), \
        .nvdla_core2dbb_w_wdata       (AXI``_wdata), \
        .nvdla_core2dbb_w_wstrb       (AXI``_wstrb), \
        .nvdla_core2dbb_w_wlast       (AXI``_wlast), \
        .nvdla_core2dbb_b_bvalid      (AXI``_bvalid), \
        .nvdla_core2dbb_b_bready      (AXI``_bready), \
        .nvdla_core2dbb_b_bid         (AXI``_bid), \
        .nvdla_core2dbb_ar_arvalid    (ARVALID), \
        .nvdla_core2dbb_ar_arready    (AXI``_arready), \
        .nvdla_core2dbb_ar_arid       (AXI``_arid), \
        .nvdla_core2dbb_ar_arlen      (AXI``_arlen), \
        .nvdla_core2dbb_ar_araddr     (AXI``_araddr), \
        .nvdla_core2dbb_r_rvalid      (AXI``_rvalid), \
        .nvdla_core2dbb_r_rready      (AXI``_rready), \
        .nvdla_core2dbb_r_rid         (AXI``_rid), \
        .nvdla_core2dbb_r_rlast       (AXI``_rlast), \
        .nvdla_core2dbb_r_rdata       (AXI``_rdata), \
        .dla_intr                     (INTR) \
    );
