// Global unit: version, interrupt mask, set and status.
//
// done_*_i are pulses of one clock, bit = ping-pong group. A status bit is set by its done pulse or by S_INTR_SET,
// cleared by writing 1 to S_INTR_STATUS; set wins. intr_o (a register) is the level: any status bit that is not masked;
// it follows status and mask in the same clock. Status bits of units that the configuration lacks do not exist, their
// mask bits are storage.
// rdata_o answers in the clock after req_i and is 0 in all others.
// Spec: 10-system, section 7.
`include "nvdla_check.svh"
module nvdla_glb
  import nvdla_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   req_i,
    input  logic                   write_i,
    input  logic [CsbAddrBits-1:0] addr_i,
    input  logic [           31:0] wdata_i,
    output logic [           31:0] rdata_o,
    input  logic [            1:0] done_sdp_i,
    input  logic [            1:0] done_cdp_i,
    input  logic [            1:0] done_pdp_i,
    input  logic [            1:0] done_bdma_i,
    input  logic [            1:0] done_rubik_i,
    input  logic [            1:0] done_cdma_dat_i,
    input  logic [            1:0] done_cdma_wt_i,
    input  logic [            1:0] done_cacc_i,
    output logic                   intr_o
);
  localparam logic [31:0] MaskBits = GlbWriteMask[GlbSIntrMask*32+:32];
  localparam logic [31:0] Version = GlbReset[GlbSNvdlaHwVersion*32+:32];
  localparam logic [31:0] StatusBits = {
    16'h003f, 6'b0, (Rubik != 0) ? 2'b11 : 2'b00, (Bdma != 0) ? 2'b11 : 2'b00, 6'b111111
  };

  logic [31:0] mask_q, mask_d, status_q, status_d, set, clear, done, rdata_q;
  logic intr_q, write;

  assign write = req_i & write_i;
  assign done = {
    10'b0, done_cacc_i, done_cdma_wt_i, done_cdma_dat_i, 6'b0, done_rubik_i, done_bdma_i, done_pdp_i, done_cdp_i,
    done_sdp_i
  };
  assign set = (write && addr_i == CsbAddrBits'(GlbSIntrSet)) ? wdata_i : '0;
  assign clear = (write && addr_i == CsbAddrBits'(GlbSIntrStatus)) ? wdata_i : '0;
  assign status_d = ((status_q & ~clear) | set | done) & StatusBits;
  assign mask_d = (write && addr_i == CsbAddrBits'(GlbSIntrMask)) ? wdata_i & MaskBits : mask_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      mask_q   <= '0;
      status_q <= '0;
      intr_q   <= 1'b0;
      rdata_q  <= '0;
    end else begin
      mask_q   <= mask_d;
      status_q <= status_d;
      intr_q   <= |(status_d & ~mask_d);
      rdata_q  <= '0;
      if (req_i && !write_i) begin
        if (addr_i == CsbAddrBits'(GlbSNvdlaHwVersion)) rdata_q <= Version;
        else if (addr_i == CsbAddrBits'(GlbSIntrMask)) rdata_q <= mask_q;
        else if (addr_i == CsbAddrBits'(GlbSIntrStatus)) rdata_q <= status_q;
      end
    end

  assign rdata_o = rdata_q;
  assign intr_o  = intr_q;

  `NVDLA_CHECK(OnlyStatusOfUnitsThatExist, (status_q & ~StatusBits) == '0)
`ifdef NVDLA_CHECKS
  // The registers once more, from the accesses and the engines' pulses.
  logic [31:0] mask, status, answer, raised;
  always_comb begin
    raised        = '0;
    raised[9:0]   = {done_rubik_i, done_bdma_i, done_pdp_i, done_cdp_i, done_sdp_i};
    raised[21:16] = {done_cacc_i, done_cdma_wt_i, done_cdma_dat_i};
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      mask   <= '0;
      status <= '0;
      answer <= '0;
    end else begin
      status <= (status | raised) & StatusBits;
      answer <= '0;
      if (req_i && write_i)
        case (32'(addr_i))
          GlbSIntrMask:   mask <= wdata_i & MaskBits;
          GlbSIntrSet:    status <= (status | wdata_i | raised) & StatusBits;
          GlbSIntrStatus: status <= ((status & ~wdata_i) | raised) & StatusBits;
          default:        ;
        endcase
      else if (req_i)
        case (32'(addr_i))
          GlbSNvdlaHwVersion: answer <= Version;
          GlbSIntrMask:       answer <= mask;
          GlbSIntrStatus:     answer <= status;
          default:            ;
        endcase
    end
  `NVDLA_CHECK(InterruptIsUnmaskedStatus, intr_o == |(status & ~mask))
  `NVDLA_CHECK(AnswersWithItsRegister, rdata_o == answer)
`endif
endmodule
