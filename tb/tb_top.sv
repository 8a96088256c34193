// Top of every simulation: no ports, one instance of the design, packed vectors between it and the testbench.
//
//   clk       both clocks of the design. Toggled from outside VPI: by main_verilator.cpp, or by the source below.
//   ins       everything that the testbench drives in each clock; one vpi_put_value
//   outs      everything that the design drives; one vpi_get_value
//   pins      static inputs, put once at time 0, before ins
//   put       changes when ins was written (not for Icarus, where the design sees ins directly)
//   layout    port widths of this build; the testbench compares it with its own configuration
//
// The first two names are short on purpose: Verilator composes "TOP.tb_top.NAME" in every access, and allocates
// memory for more than 15 characters.
//
// The bit layout is that of signals.h: fields start at multiples of 32, flags in the lowest word.
//
// Macros:
//   TB_ICARUS   the simulator owns time: make the clock here
//   TB_TAPS     streams inside the design can be read; taps.svh, from a table such as rtl/taps.csv, has their places
//   TB_WAITS    the waits inside the design can be read; waits.svh, from rtl/waits.csv, has their places
//   TB_FAULTS   a number on a pin without function selects one of the faults planted in the design
//   TB_AW       address bits of the AXI ports
//   TB_DW       data bits of the primary AXI port
//   TB_SRAM_DW  data bits of the secondary AXI port; not defined if there is none
//   TB_TOP      top module of another RTL; its ports are those of chapter 10 section 2
//
// Spec: 10-system section 2.
`ifndef TB_TOP
`define TB_TOP NV_nvdla
`define TB_LINKS  // the RTL is this project's: its links are known by name
`endif

// The wires of an AXI port and their places: Port dbb or cvsram, Dw data bits, Flag its first flag in ins, At the first
// bit of its fields in ins, StrbW and OutW the widths of its strobe and of all its fields in outs.
`define TB_AXI_WIRES(Port, Dw, Flag, At, StrbW, OutW) \
    wire nvdla_core2``Port``_ar_arready = driven[Flag]; \
    wire nvdla_core2``Port``_r_rvalid = driven[Flag+1]; \
    wire nvdla_core2``Port``_r_rlast = driven[Flag+2]; \
    wire nvdla_core2``Port``_aw_awready = driven[Flag+3]; \
    wire nvdla_core2``Port``_w_wready = driven[Flag+4]; \
    wire nvdla_core2``Port``_b_bvalid = driven[Flag+5]; \
    wire [7:0] nvdla_core2``Port``_r_rid = driven[At+:8]; \
    wire [7:0] nvdla_core2``Port``_b_bid = driven[At+8+:8]; \
    wire [Dw-1:0] nvdla_core2``Port``_r_rdata = driven[At+32+:Dw]; \
    wire nvdla_core2``Port``_ar_arvalid; \
    wire [7:0] nvdla_core2``Port``_ar_arid; \
    wire [3:0] nvdla_core2``Port``_ar_arlen; \
    wire [`TB_AW-1:0] nvdla_core2``Port``_ar_araddr; \
    wire nvdla_core2``Port``_r_rready; \
    wire nvdla_core2``Port``_aw_awvalid; \
    wire [7:0] nvdla_core2``Port``_aw_awid; \
    wire [3:0] nvdla_core2``Port``_aw_awlen; \
    wire [`TB_AW-1:0] nvdla_core2``Port``_aw_awaddr; \
    wire nvdla_core2``Port``_w_wvalid; \
    wire [Dw-1:0] nvdla_core2``Port``_w_wdata; \
    wire [Dw/8-1:0] nvdla_core2``Port``_w_wstrb; \
    wire nvdla_core2``Port``_w_wlast; \
    wire nvdla_core2``Port``_b_bready; \
    wire [OutW-1:0] Port``_v = { \
        nvdla_core2``Port``_w_wdata, \
        StrbW'(nvdla_core2``Port``_w_wstrb), \
        AddrW'(nvdla_core2``Port``_aw_awaddr), \
        AddrW'(nvdla_core2``Port``_ar_araddr), \
        8'd0, \
        nvdla_core2``Port``_aw_awid, \
        nvdla_core2``Port``_aw_awlen, \
        nvdla_core2``Port``_ar_arlen, \
        nvdla_core2``Port``_ar_arid \
    }; \
    wire [5:0] Port``_flags = { \
        nvdla_core2``Port``_b_bready, \
        nvdla_core2``Port``_w_wlast, \
        nvdla_core2``Port``_w_wvalid, \
        nvdla_core2``Port``_aw_awvalid, \
        nvdla_core2``Port``_r_rready, \
        nvdla_core2``Port``_ar_arvalid \
    };

`define TB_AXI_PINS(Port) \
        .nvdla_core2``Port``_aw_awvalid(nvdla_core2``Port``_aw_awvalid), \
        .nvdla_core2``Port``_aw_awready(nvdla_core2``Port``_aw_awready), \
        .nvdla_core2``Port``_aw_awid(nvdla_core2``Port``_aw_awid), \
        .nvdla_core2``Port``_aw_awlen(nvdla_core2``Port``_aw_awlen), \
        .nvdla_core2``Port``_aw_awaddr(nvdla_core2``Port``_aw_awaddr), \
        .nvdla_core2``Port``_w_wvalid(nvdla_core2``Port``_w_wvalid), \
        .nvdla_core2``Port``_w_wready(nvdla_core2``Port``_w_wready), \
        .nvdla_core2``Port``_w_wdata(nvdla_core2``Port``_w_wdata), \
        .nvdla_core2``Port``_w_wstrb(nvdla_core2``Port``_w_wstrb), \
        .nvdla_core2``Port``_w_wlast(nvdla_core2``Port``_w_wlast), \
        .nvdla_core2``Port``_b_bvalid(nvdla_core2``Port``_b_bvalid), \
        .nvdla_core2``Port``_b_bready(nvdla_core2``Port``_b_bready), \
        .nvdla_core2``Port``_b_bid(nvdla_core2``Port``_b_bid), \
        .nvdla_core2``Port``_ar_arvalid(nvdla_core2``Port``_ar_arvalid), \
        .nvdla_core2``Port``_ar_arready(nvdla_core2``Port``_ar_arready), \
        .nvdla_core2``Port``_ar_arid(nvdla_core2``Port``_ar_arid), \
        .nvdla_core2``Port``_ar_arlen(nvdla_core2``Port``_ar_arlen), \
        .nvdla_core2``Port``_ar_araddr(nvdla_core2``Port``_ar_araddr), \
        .nvdla_core2``Port``_r_rvalid(nvdla_core2``Port``_r_rvalid), \
        .nvdla_core2``Port``_r_rready(nvdla_core2``Port``_r_rready), \
        .nvdla_core2``Port``_r_rid(nvdla_core2``Port``_r_rid), \
        .nvdla_core2``Port``_r_rlast(nvdla_core2``Port``_r_rlast), \
        .nvdla_core2``Port``_r_rdata(nvdla_core2``Port``_r_rdata),

module tb_top;
    localparam int AddrW = (`TB_AW > 32) ? 64 : 32;   // width of an address field in outs
    localparam int StrbW = (`TB_DW > 256) ? 64 : 32;  // width of the strobe field
    localparam int OutPortW = 32 + 2 * AddrW + StrbW + `TB_DW;
    localparam int InPortW = 32 + `TB_DW;
`ifdef TB_SRAM_DW
    localparam int SramStrbW = (`TB_SRAM_DW > 256) ? 64 : 32;
    localparam int SramOutPortW = 32 + 2 * AddrW + SramStrbW + `TB_SRAM_DW;
    localparam int SramInPortW = 32 + `TB_SRAM_DW;
    localparam int SramBytes = `TB_SRAM_DW / 8;
`else
    localparam int SramOutPortW = 0;
    localparam int SramInPortW = 0;
    localparam int SramBytes = 0;
`endif
`ifdef TB_TAPS
// Streams inside the design, for rtl_tap.c: tap_moves and tap_ends, TapW bits; t0, t1, ...; TapsBuilt, of layout
`include "taps.svh"
`else
    localparam int TapW = 0;
    localparam logic [7:0] TapsBuilt = 8'h00;
`endif
    localparam int OutW = 64 + OutPortW + SramOutPortW + TapW;
    localparam int InW = 64 + InPortW + SramInPortW;

    logic clk /*verilator public_flat_rw*/;
    logic [InW-1:0] ins /*verilator public_flat_rw*/;
    wire [OutW-1:0] outs /*verilator public_flat_rd*/;
    logic [223:0] pins /*verilator public_flat_rw*/;
    wire [31:0] layout /*verilator public_flat_rd*/;
`ifdef TB_LINKS
    assign layout = {8'h41 | TapsBuilt, 8'(SramBytes), 8'(`TB_DW / 8), 8'(`TB_AW)};
`else
    assign layout = {8'h01 | TapsBuilt, 8'(SramBytes), 8'(`TB_DW / 8), 8'(`TB_AW)};
`endif

    // ins and pins as the design sees them. Logic that depends on a public variable is evaluated by Verilator in every
    // evaluation; logic that depends on put, only when put has changed.
    /* verilator lint_off UNUSEDSIGNAL */
`ifdef TB_ICARUS
    wire [InW-1:0] driven = ins;
    wire [223:0] fixed = pins;
`else
    logic put /*verilator public_flat_rw*/;
    logic [InW-1:0] driven;
    logic [223:0] fixed;
    /* verilator lint_off BLKSEQ */
    always @(put) begin  // takes effect before the registers of this evaluation
        driven = ins;
        fixed = pins;
    end
    /* verilator lint_on BLKSEQ */
`endif
    /* verilator lint_on UNUSEDSIGNAL */

`ifdef TB_ICARUS
    initial begin
        clk = 1'b0;
        forever #5 clk = ~clk;
    end
`endif

`ifdef TB_FAULTS
    wire [15:0] fault = fixed[207:192];
`endif

    // Static inputs.
    wire global_clk_ovr_on = fixed[0];
    wire tmc2slcg_disable_clock_gating = fixed[1];
    wire test_mode = fixed[2];
    wire direct_reset_ = fixed[3];
    wire [31:0] nvdla_pwrbus_ram_c_pd = fixed[63:32];
    wire [31:0] nvdla_pwrbus_ram_ma_pd = fixed[95:64];
    wire [31:0] nvdla_pwrbus_ram_mb_pd = fixed[127:96];
    wire [31:0] nvdla_pwrbus_ram_p_pd = fixed[159:128];
    wire [31:0] nvdla_pwrbus_ram_o_pd = fixed[191:160];
    wire [31:0] nvdla_pwrbus_ram_a_pd = fixed[223:192];

    // Reset, CSB, interrupt.
    wire dla_reset_rstn = driven[0];
    wire csb2nvdla_valid = driven[1];
    wire csb2nvdla_write = driven[2];
    wire csb2nvdla_nposted = driven[3];
    wire [15:0] csb2nvdla_addr = driven[31:16];
    wire [31:0] csb2nvdla_wdat = driven[63:32];
    wire csb2nvdla_ready;
    wire nvdla2csb_valid;
    wire [31:0] nvdla2csb_data;
    wire nvdla2csb_wr_complete;
    wire dla_intr;

    `TB_AXI_WIRES(dbb, `TB_DW, 4, 64, StrbW, OutPortW)
`ifdef TB_SRAM_DW
    `TB_AXI_WIRES(cvsram, `TB_SRAM_DW, 10, 64 + InPortW, SramStrbW, SramOutPortW)
`else
    wire [5:0] cvsram_flags = 6'd0;
`endif

    // One bit for each link between engines: 1 if it moves. The names are in signals.c.
`ifdef TB_LINKS
    wire [15:0] links = {
        7'd0,
        dut.wt_rd.valid,
        dut.dat_rd.valid,
        dut.sdp2pdp_valid & dut.sdp2pdp_ready,
        dut.cacc2sdp_valid & dut.cacc2sdp_ready,
        dut.mac_valid,
        dut.wt_valid,
        dut.atom_valid,
        dut.wt_wr.valid != '0,
        dut.dat_wr.valid != '0
    };
`elsif TB_TAPS
    wire [15:0] links = {7'd0, tap_links};
`else
    wire [15:0] links = 16'd0;
`endif

    // Waits inside the design, for the hang triage.
`ifdef TB_WAITS
`include "waits.svh"
`endif

    assign outs = {
`ifdef TB_TAPS
        tap_ends,
        tap_moves,
`endif
`ifdef TB_SRAM_DW
        cvsram_v,
`endif
        dbb_v,
        nvdla2csb_data,
        links,
        cvsram_flags,
        dbb_flags,
        nvdla2csb_wr_complete,
        nvdla2csb_valid,
        csb2nvdla_ready,
        dla_intr
    };

    `TB_TOP dut (
        .dla_core_clk                 (clk),
        .dla_csb_clk                  (clk),
        .global_clk_ovr_on            (global_clk_ovr_on),
        .tmc2slcg_disable_clock_gating(tmc2slcg_disable_clock_gating),
        .dla_reset_rstn               (dla_reset_rstn),
        .direct_reset_                (direct_reset_),
        .test_mode                    (test_mode),
        .csb2nvdla_valid              (csb2nvdla_valid),
        .csb2nvdla_ready              (csb2nvdla_ready),
        .csb2nvdla_addr               (csb2nvdla_addr),
        .csb2nvdla_wdat               (csb2nvdla_wdat),
        .csb2nvdla_write              (csb2nvdla_write),
        .csb2nvdla_nposted            (csb2nvdla_nposted),
        .nvdla2csb_valid              (nvdla2csb_valid),
        .nvdla2csb_data               (nvdla2csb_data),
        .nvdla2csb_wr_complete        (nvdla2csb_wr_complete),
                `TB_AXI_PINS(dbb)
`ifdef TB_SRAM_DW
                `TB_AXI_PINS(cvsram)
`endif
        .dla_intr              (dla_intr),
        .nvdla_pwrbus_ram_c_pd (nvdla_pwrbus_ram_c_pd),
        .nvdla_pwrbus_ram_ma_pd(nvdla_pwrbus_ram_ma_pd),
        .nvdla_pwrbus_ram_mb_pd(nvdla_pwrbus_ram_mb_pd),
        .nvdla_pwrbus_ram_p_pd (nvdla_pwrbus_ram_p_pd),
        .nvdla_pwrbus_ram_o_pd (nvdla_pwrbus_ram_o_pd),
        .nvdla_pwrbus_ram_a_pd (nvdla_pwrbus_ram_a_pd)
    );
endmodule
