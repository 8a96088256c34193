// Register window of a unit without groups: storage under WriteMask, every other bit constantly at its Reset value.
//
// rdata_o answers in the clock after req_i and is 0 in all others. q_o is the whole window, word 0 in the low bits.
// Spec: 10-system, access codes and section 4.3.
`include "nvdla_check.svh"
module nvdla_reg_file
  import nvdla_pkg::*;
#(
    parameter int Words = 1,
    parameter logic [Words*32-1:0] WriteMask = '0,
    parameter logic [Words*32-1:0] Reset = '0
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   req_i,
    input  logic                   write_i,
    input  logic [CsbAddrBits-1:0] addr_i,
    input  logic [           31:0] wdata_i,
    output logic [           31:0] rdata_o,
    output logic [   Words*32-1:0] q_o
);
  logic [Words*32-1:0] q_q;
  logic [31:0] rdata_q;

  // The window with one word written.
  function automatic logic [Words*32-1:0] with_word(
      input logic [Words*32-1:0] window, input logic [CsbAddrBits-1:0] index, input logic [31:0] data);
    with_word = window;
    with_word[32'(index)*32+:32] =
        (data & WriteMask[32'(index)*32+:32]) | (Reset[32'(index)*32+:32] & ~WriteMask[32'(index)*32+:32]);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      q_q     <= Reset;
      rdata_q <= '0;
    end else begin
      rdata_q <= '0;
      if (req_i && addr_i < CsbAddrBits'(Words)) begin
        if (!write_i) rdata_q <= q_q[32'(addr_i)*32+:32];
        else q_q <= with_word(q_q, addr_i, wdata_i);
      end
    end

  assign rdata_o = rdata_q;
  assign q_o     = q_q;

  `NVDLA_PARAM(WordsLegal, Words >= 1 && Words <= 1024)
`ifdef NVDLA_CHECKS
  logic asked_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) asked_q <= 1'b0;
    else asked_q <= req_i && !write_i;
  `NVDLA_CHECK(AnswersOnlyWhenAsked, rdata_o == '0 || asked_q)
  `NVDLA_CHECK(OnlyWrittenBitsChange, ((q_o ^ Reset) & ~WriteMask) == '0)
`endif
endmodule
