// Y stage (EW) of SDP in configurations that have it: MUL, ALU and table between X2 (BN) and the output convertor.
//
// Here: transparent, with EW bypassed. A layer that has EW active passes unchanged and takes no operands.
//
// Streams: SdpBsThroughput lanes of 32 bits a transfer in and out, in the pipe's order: signed integers, or FP32 patterns with
// PROC_PRECISION FP16; last_i / last_o stand with the layer's last transfer. Operands: SdpBsThroughput lanes a transfer, one transfer for
// each transfer of data, in the same order, from ERDMA, which repeats those per kernel and follows Winograd order and batches by itself
// (nvdla_sdp_rdma_operand); 16 bits a lane, one-byte components sign-extended; op_*_present_i tell which components memory has. Per layer
// operands are in d_i.
// d_i: the layer's registers, stable from run_i's rise to its fall. csb_*: SDP's register window for the shared words of the table;
// csb_rdata_o answers in the clock after csb_req_i and is 0 in all others. counts_o: D_PERF_LUT_{LO_HIT, LE_HIT, HYBRID, OFLOW, UFLOW},
// UFLOW in the low word, valid with the layer's last output. busy_o: something inside moves, so the clock must run.
// Latency: 0 in bypass.
// Spec: 50-sdp sections 5.2 and 6.3; 55-lut.
module nvdla_sdp_y
  import nvdla_pkg::*;
(
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          csb_req_i,
    input  logic                          csb_write_i,
    input  logic [       CsbAddrBits-1:0] csb_addr_i,
    input  logic [                  31:0] csb_wdata_i,
    output logic [                  31:0] csb_rdata_o,
    input  logic                          run_i,
    input  sdp_d_t                        d_i,
    output logic [              5*32-1:0] counts_o,
    // Operands from memory.
    input  logic                          op_valid_i,
    output logic                          op_ready_o,
    input  logic                          op_alu_present_i,
    input  logic                          op_mul_present_i,
    input  logic [SdpBsThroughput*16-1:0] op_alu_i,
    input  logic [SdpBsThroughput*16-1:0] op_mul_i,
    // Data.
    output logic                          busy_o,
    input  logic                          valid_i,
    output logic                          ready_o,
    input  logic [SdpBsThroughput*32-1:0] data_i,
    input  logic                          last_i,
    output logic                          valid_o,
    input  logic                          ready_i,
    output logic [SdpBsThroughput*32-1:0] data_o,
    output logic                          last_o
);
  assign csb_rdata_o = '0;
  assign counts_o = '0;
  assign op_ready_o = 1'b0;
  assign busy_o = 1'b0;
  assign valid_o = valid_i;
  assign ready_o = ready_i;
  assign data_o = data_i;
  assign last_o = last_i;

  wire unused = &{1'b0, clk_i, rst_ni, csb_req_i, csb_write_i, csb_addr_i, csb_wdata_i, run_i, d_i, op_valid_i, op_alu_present_i,
                  op_mul_present_i, op_alu_i, op_mul_i};
endmodule
