// A wrapper of NVDLA as forks have it: APB instead of CSB, AXI names without the channel, an input of its own that
// must be 1, and no static inputs.
module apb_wrapper (
    input  logic        core_clk,
    input  logic        pclk,
    input  logic        prstn,
    input  logic        dma_enable_i,
    output logic        dla_intr,
    input  logic        s_apb_psel,
    input  logic        s_apb_penable,
    input  logic        s_apb_pwrite,
    input  logic [31:0] s_apb_paddr,
    input  logic [31:0] s_apb_pwdata,
    output logic [31:0] s_apb_prdata,
    output logic        s_apb_pready,
    output logic        s_apb_pslverr,
    input  logic [ 1:0] nvdla_core2dbb_bresp,
    output logic [ 2:0] nvdla_core2dbb_awsize,
    output logic        nvdla_core2dbb_awvalid,
    input  logic        nvdla_core2dbb_awready,
    output logic [ 7:0] nvdla_core2dbb_awid,
    output logic [ 3:0] nvdla_core2dbb_awlen,
    output logic [31:0] nvdla_core2dbb_awaddr,
    output logic        nvdla_core2dbb_wvalid,
    input  logic        nvdla_core2dbb_wready,
    output logic [63:0] nvdla_core2dbb_wdata,
    output logic [ 7:0] nvdla_core2dbb_wstrb,
    output logic        nvdla_core2dbb_wlast,
    input  logic        nvdla_core2dbb_bvalid,
    output logic        nvdla_core2dbb_bready,
    input  logic [ 7:0] nvdla_core2dbb_bid,
    output logic        nvdla_core2dbb_arvalid,
    input  logic        nvdla_core2dbb_arready,
    output logic [ 7:0] nvdla_core2dbb_arid,
    output logic [ 3:0] nvdla_core2dbb_arlen,
    output logic [31:0] nvdla_core2dbb_araddr,
    input  logic        nvdla_core2dbb_rvalid,
    output logic        nvdla_core2dbb_rready,
    input  logic [ 7:0] nvdla_core2dbb_rid,
    input  logic        nvdla_core2dbb_rlast,
    input  logic [63:0] nvdla_core2dbb_rdata
);
    logic csb_valid_q, csb_write_q, busy_q;
    logic [15:0] csb_addr_q;
    logic [31:0] csb_wdat_q;
    wire csb_ready, csb_answers;
    wire [31:0] csb_data;
    wire arvalid;

    // busy: the request is with NVDLA, or, of a read, has not been answered.
    always_ff @(posedge pclk or negedge prstn) begin
        if (!prstn) begin
            csb_valid_q <= 1'b0;
            busy_q      <= 1'b0;
        end else if (!busy_q) begin
            if (s_apb_psel && s_apb_penable) begin
                csb_valid_q <= 1'b1;
                busy_q      <= 1'b1;
                csb_write_q <= s_apb_pwrite;
                csb_addr_q  <= s_apb_paddr[17:2];
                csb_wdat_q  <= s_apb_pwdata;
            end
        end else begin
            csb_valid_q <= csb_valid_q & ~csb_ready;
            busy_q      <= ~s_apb_pready;
        end
    end

    assign s_apb_pready  = busy_q & (csb_write_q ? csb_valid_q & csb_ready : csb_answers);
    assign s_apb_prdata  = csb_data;
    assign s_apb_pslverr = 1'b0;
    assign nvdla_core2dbb_awsize  = 3'd3;
    assign nvdla_core2dbb_arvalid = arvalid & dma_enable_i;

    NV_nvdla u_nvdla (
        .dla_core_clk                 (core_clk),
        .dla_csb_clk                  (pclk),
        .dla_reset_rstn               (prstn),
        .direct_reset_                (1'b1),
        .test_mode                    (1'b0),
        .global_clk_ovr_on            (1'b0),
        .tmc2slcg_disable_clock_gating(1'b0),
        .nvdla_pwrbus_ram_c_pd        ('0),
        .nvdla_pwrbus_ram_ma_pd       ('0),
        .nvdla_pwrbus_ram_mb_pd       ('0),
        .nvdla_pwrbus_ram_p_pd        ('0),
        .nvdla_pwrbus_ram_o_pd        ('0),
        .nvdla_pwrbus_ram_a_pd        ('0),
        .csb2nvdla_valid              (csb_valid_q),
        .csb2nvdla_ready              (csb_ready),
        .csb2nvdla_addr               (csb_addr_q),
        .csb2nvdla_wdat               (csb_wdat_q),
        .csb2nvdla_write              (csb_write_q),
        .csb2nvdla_nposted            (1'b0),
        .nvdla2csb_valid              (csb_answers),
        .nvdla2csb_data               (csb_data),
        .nvdla2csb_wr_complete        (),
        .nvdla_core2dbb_aw_awvalid    (nvdla_core2dbb_awvalid),
        .nvdla_core2dbb_aw_awready    (nvdla_core2dbb_awready),
        .nvdla_core2dbb_aw_awid       (nvdla_core2dbb_awid),
        .nvdla_core2dbb_aw_awlen      (nvdla_core2dbb_awlen),
        .nvdla_core2dbb_aw_awaddr     (nvdla_core2dbb_awaddr),
        .nvdla_core2dbb_w_wvalid      (nvdla_core2dbb_wvalid),
        .nvdla_core2dbb_w_wready      (nvdla_core2dbb_wready),
        .nvdla_core2dbb_w_wdata       (nvdla_core2dbb_wdata),
        .nvdla_core2dbb_w_wstrb       (nvdla_core2dbb_wstrb),
        .nvdla_core2dbb_w_wlast       (nvdla_core2dbb_wlast),
        .nvdla_core2dbb_b_bvalid      (nvdla_core2dbb_bvalid),
        .nvdla_core2dbb_b_bready      (nvdla_core2dbb_bready),
        .nvdla_core2dbb_b_bid         (nvdla_core2dbb_bid),
        .nvdla_core2dbb_ar_arvalid    (arvalid),
        .nvdla_core2dbb_ar_arready    (nvdla_core2dbb_arready),
        .nvdla_core2dbb_ar_arid       (nvdla_core2dbb_arid),
        .nvdla_core2dbb_ar_arlen      (nvdla_core2dbb_arlen),
        .nvdla_core2dbb_ar_araddr     (nvdla_core2dbb_araddr),
        .nvdla_core2dbb_r_rvalid      (nvdla_core2dbb_rvalid),
        .nvdla_core2dbb_r_rready      (nvdla_core2dbb_rready),
        .nvdla_core2dbb_r_rid         (nvdla_core2dbb_rid),
        .nvdla_core2dbb_r_rlast       (nvdla_core2dbb_rlast),
        .nvdla_core2dbb_r_rdata       (nvdla_core2dbb_rdata),
        .dla_intr                     (dla_intr)
    );
endmodule
