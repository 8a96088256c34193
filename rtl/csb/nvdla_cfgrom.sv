// Configuration ROM: the list of descriptors as read-only words. rdata_o answers in the clock after req_i and is 0 in
// all others.
// Spec: 10-system, section 8.
`include "nvdla_check.svh"
module nvdla_cfgrom
  import nvdla_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   req_i,
    input  logic                   write_i,
    input  logic [CsbAddrBits-1:0] addr_i,
    output logic [           31:0] rdata_o
);
  logic [31:0] rdata_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) rdata_q <= '0;
    else begin
      rdata_q <= '0;
      if (req_i && !write_i && addr_i < CsbAddrBits'(CfgromWords)) rdata_q <= CfgromReset[32'(addr_i)*32+:32];
    end

  assign rdata_o = rdata_q;

`ifdef NVDLA_CHECKS
  logic [31:0] word_q;  // that was asked for
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) word_q <= '1;
    else word_q <= (req_i && !write_i) ? 32'(addr_i) : '1;
  `NVDLA_CHECK(AnswersWithItsWord, rdata_o == (word_q < CfgromWords ? CfgromReset[word_q*32+:32] : '0))
`endif
endmodule
