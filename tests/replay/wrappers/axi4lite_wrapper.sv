// A wrapper of NVDLA with AXI4-Lite instead of CSB and names that nothing but a port map knows.
`include "nvdla.svh"

module axi4lite_wrapper (
    input  logic        bus_clock,
    input  logic        aresetn,
    output logic        done,
    input  logic        s_axi_awvalid,
    output logic        s_axi_awready,
    input  logic [31:0] s_axi_awaddr,
    input  logic        s_axi_wvalid,
    output logic        s_axi_wready,
    input  logic [31:0] s_axi_wdata,
    input  logic [ 3:0] s_axi_wstrb,
    output logic        s_axi_bvalid,
    input  logic        s_axi_bready,
    output logic [ 1:0] s_axi_bresp,
    input  logic        s_axi_arvalid,
    output logic        s_axi_arready,
    input  logic [31:0] s_axi_araddr,
    output logic        s_axi_rvalid,
    input  logic        s_axi_rready,
    output logic [31:0] s_axi_rdata,
    output logic [ 1:0] s_axi_rresp,
    output logic        m_axi_awvalid,
    input  logic        m_axi_awready,
    output logic [ 7:0] m_axi_awid,
    output logic [ 3:0] m_axi_awlen,
    output logic [31:0] m_axi_awaddr,
    output logic        m_axi_wvalid,
    input  logic        m_axi_wready,
    output logic [63:0] m_axi_wdata,
    output logic [ 7:0] m_axi_wstrb,
    output logic        m_axi_wlast,
    input  logic        m_axi_bvalid,
    output logic        m_axi_bready,
    input  logic [ 7:0] m_axi_bid,
    output logic        m_axi_arvalid,
    input  logic        m_axi_arready,
    output logic [ 7:0] m_axi_arid,
    output logic [ 3:0] m_axi_arlen,
    output logic [31:0] m_axi_araddr,
    input  logic        m_axi_rvalid,
    output logic        m_axi_rready,
    input  logic [ 7:0] m_axi_rid,
    input  logic        m_axi_rlast,
    input  logic [63:0] m_axi_rdata
);
    logic csb_valid_q, csb_write_q, busy_q;
    logic [15:0] csb_addr_q;
    logic [31:0] csb_wdat_q;
    wire csb_ready, csb_answers;
    wire [31:0] csb_data;
    logic b_q, r_q;
    logic [31:0] rdata_q;

    // A write is taken when address and data are there; a read waits for NVDLA's answer. busy: until the response.
    always_ff @(posedge bus_clock or negedge aresetn) begin
        if (!aresetn) begin
            csb_valid_q <= 1'b0;
            busy_q      <= 1'b0;
            b_q         <= 1'b0;
            r_q         <= 1'b0;
        end else begin
            csb_valid_q <= csb_valid_q & ~csb_ready;
            b_q         <= (b_q & ~s_axi_bready) | (busy_q & csb_write_q & csb_valid_q & csb_ready);
            r_q         <= (r_q & ~s_axi_rready) | csb_answers;
            if (csb_answers) begin
                rdata_q <= csb_data;
            end
            if ((b_q & s_axi_bready) | (r_q & s_axi_rready)) begin
                busy_q <= 1'b0;
            end
            if (!busy_q && ((s_axi_awvalid && s_axi_wvalid && s_axi_wstrb == 4'hf) || s_axi_arvalid)) begin
                csb_valid_q <= 1'b1;
                busy_q      <= 1'b1;
                csb_write_q <= s_axi_awvalid;
                csb_addr_q  <= s_axi_awvalid ? s_axi_awaddr[17:2] : s_axi_araddr[17:2];
                csb_wdat_q  <= s_axi_wdata;
            end
        end
    end

    assign s_axi_awready = ~busy_q & s_axi_awvalid & s_axi_wvalid;
    assign s_axi_wready  = s_axi_awready;
    assign s_axi_arready = ~busy_q & ~s_axi_awvalid;
    assign s_axi_bvalid  = b_q;
    assign s_axi_bresp   = 2'd0;
    assign s_axi_rvalid  = r_q;
    assign s_axi_rdata   = rdata_q;
    assign s_axi_rresp   = 2'd0;

    `NVDLA(bus_clock, bus_clock, aresetn, m_axi, m_axi_arvalid, done)
endmodule
