// Memory interface of one port: MCIF for the primary, CVIF for the secondary memory. Registers, read half, write half.
//
// One word of req and rsp per client, in the order of the arbiter slots (clients.csv). See nvdla_mcif_read and
// nvdla_mcif_write for the handshakes. Pieces for the other memory are ignored. MaxBurst is the port's longest burst in
// beats. rdata_o answers in the clock after req_i and is 0 in all others. rready and bready are constantly 1; wmask is
// wstrb by atom.
// Spec: 70-memory-interface, sections 1 to 4.
module nvdla_mcif
  import nvdla_pkg::*;
#(
    parameter logic Ram = 1'b1,  // 1 primary, 0 secondary
    parameter int MaxBurst = 1
) (
    input  logic                              clk_i,
    input  logic                              clk_on_i,  // keeps the clock running
    input  logic                              rst_ni,
    // registers
    input  logic                              req_i,
    input  logic                              write_i,
    input  logic [           CsbAddrBits-1:0] addr_i,
    input  logic [                      31:0] wdata_i,
    output logic [                      31:0] rdata_o,
    // clients
    input  logic [RdClients*MifRdReqBits-1:0] rd_req_i,
    output logic [RdClients*MifRdRspBits-1:0] rd_rsp_o,
    input  logic [WrClients*MifWrReqBits-1:0] wr_req_i,
    output logic [WrClients*MifWrRspBits-1:0] wr_rsp_o,
    // AXI
    output axi_req_t                          axi_o,
    input  axi_rsp_t                          axi_i
);
  logic clk, read_busy, write_busy;  // the clock of everything below

  logic [McifWords*32-1:0] regs;
  logic [31:0] outstanding;
  logic [RdClients*8-1:0] rd_weight;
  logic [WrClients*8-1:0] wr_weight;

  nvdla_reg_file #(
      .Words    (McifWords),
      .WriteMask(McifWriteMask),
      .Reset    (McifReset)
  ) u_regs (
      .clk_i(clk),
      .rst_ni,
      .req_i,
      .write_i,
      .addr_i,
      .wdata_i,
      .rdata_o,
      .q_o  (regs)
  );

  // Clock: an access, pieces of clients, beats and responses of the port.
  nvdla_clock_gate u_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(req_i || read_busy || write_busy),
      .clk_o (clk)
  );

  assign outstanding = regs[McifCfgOutstandingCnt*32+:32];
  for (genvar i = 0; i < RdClients; i++) begin : gen_rd_weight
    assign rd_weight[i*8+:8] = regs[32'(RdWeightLsb[i*8+:8])+:8];
  end
  for (genvar i = 0; i < WrClients; i++) begin : gen_wr_weight
    assign wr_weight[i*8+:8] = regs[32'(WrWeightLsb[i*8+:8])+:8];
  end

  nvdla_mcif_read #(
      .Ram     (Ram),
      .MaxBurst(MaxBurst)
  ) u_read (
      .clk_i    (clk),
      .rst_ni,
      .req_i    (rd_req_i),
      .rsp_o    (rd_rsp_o),
      .weight_i (rd_weight),
      .limit_i  (outstanding[7:0]),
      .busy_o   (read_busy),
      .arvalid_o(axi_o.arvalid),
      .arready_i(axi_i.arready),
      .arid_o   (axi_o.arid),
      .arlen_o  (axi_o.arlen),
      .araddr_o (axi_o.araddr),
      .rvalid_i (axi_i.rvalid),
      .rid_i    (axi_i.rid[RdIdBits-1:0]),
      .rdata_i  (axi_i.rdata)
  );

  nvdla_mcif_write #(
      .Ram     (Ram),
      .MaxBurst(MaxBurst)
  ) u_write (
      .clk_i    (clk),
      .rst_ni,
      .req_i    (wr_req_i),
      .rsp_o    (wr_rsp_o),
      .weight_i (wr_weight),
      .limit_i  (outstanding[15:8]),
      .busy_o   (write_busy),
      .awvalid_o(axi_o.awvalid),
      .awready_i(axi_i.awready),
      .awid_o   (axi_o.awid),
      .awlen_o  (axi_o.awlen),
      .awaddr_o (axi_o.awaddr),
      .wvalid_o (axi_o.wvalid),
      .wready_i (axi_i.wready),
      .wdata_o  (axi_o.wdata),
      .wmask_o  (axi_o.wmask),
      .wlast_o  (axi_o.wlast),
      .bvalid_i (axi_i.bvalid),
      .bid_i    (axi_i.bid[WrIdBits-1:0])
  );

  // Weights without a client, and the upper id bits, which are always 0.
  wire unused = &{1'b0, regs, outstanding, axi_i};
endmodule
