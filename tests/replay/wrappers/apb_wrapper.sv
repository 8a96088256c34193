// A wrapper of NVDLA as forks have it: APB instead of CSB, AXI names without the channel, an input of its own that
// must be 1, and no static inputs.
`include "nvdla.svh"

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

    `NVDLA(core_clk, pclk, prstn, nvdla_core2dbb, arvalid, dla_intr)
endmodule
