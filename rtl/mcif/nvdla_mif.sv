// Memory interfaces: hands every client's pieces to MCIF (ram 1, primary port dbb) or CVIF (ram 0, secondary port sram)
// and merges the answers. Words of the clients as in nvdla_mcif.
//
// A client has pieces in flight at one memory at a time, so its answers never collide. Without secondary memory pieces
// to it are never accepted, and sram_o is 0.
// Spec: 70-memory-interface, section 7.
`include "nvdla_check.svh"
module nvdla_mif
  import nvdla_pkg::*;
(
    input  logic                                   clk_i,
    input  logic                                   clk_on_i,  // keeps the clock running
    input  logic                                   rst_ni,
    // registers
    input  logic                                   mcif_req_i,
    input  logic                                   cvif_req_i,
    input  logic                                   write_i,
    input  logic [                CsbAddrBits-1:0] addr_i,
    input  logic [                           31:0] wdata_i,
    output logic [                           31:0] mcif_rdata_o,
    output logic [                           31:0] cvif_rdata_o,
    // clients
    input  logic [     RdClients*MifRdReqBits-1:0] rd_req_i,
    output logic [RdClients-1:0][MifRdRspBits-1:0] rd_rsp_o,
    input  logic [     WrClients*MifWrReqBits-1:0] wr_req_i,
    output logic [     WrClients*MifWrRspBits-1:0] wr_rsp_o,
    // AXI
    output axi_req_t                               dbb_o,
    input  axi_rsp_t                               dbb_i,
    output axi_req_t                               sram_o,
    input  axi_rsp_t                               sram_i
);
  logic [RdClients*MifRdRspBits-1:0] mc_rd_rsp;
  logic [WrClients*MifWrRspBits-1:0] mc_wr_rsp;

  nvdla_mcif #(
      .Ram     (1'b1),
      .MaxBurst(DbbBurstBeats)
  ) u_mcif (
      .clk_i,
      .clk_on_i,
      .rst_ni,
      .req_i   (mcif_req_i),
      .write_i,
      .addr_i,
      .wdata_i,
      .rdata_o (mcif_rdata_o),
      .rd_req_i,
      .rd_rsp_o(mc_rd_rsp),
      .wr_req_i,
      .wr_rsp_o(mc_wr_rsp),
      .axi_o   (dbb_o),
      .axi_i   (dbb_i)
  );

  if (SecondaryMemory != 0) begin : gen_cvif
    logic [RdClients*MifRdRspBits-1:0] cv_rd_rsp;
    logic [WrClients*MifWrRspBits-1:0] cv_wr_rsp;

    nvdla_mcif #(
        .Ram     (1'b0),
        .MaxBurst(CvsramBurstBeats)
    ) u_cvif (
        .clk_i,
        .clk_on_i,
        .rst_ni,
        .req_i   (cvif_req_i),
        .write_i,
        .addr_i,
        .wdata_i,
        .rdata_o (cvif_rdata_o),
        .rd_req_i,
        .rd_rsp_o(cv_rd_rsp),
        .wr_req_i,
        .wr_rsp_o(cv_wr_rsp),
        .axi_o   (sram_o),
        .axi_i   (sram_i)
    );

    for (genvar i = 0; i < RdClients; i++) begin : gen_merge
      mif_rd_rsp_t mc, cv, rsp;
      assign mc = mc_rd_rsp[i*MifRdRspBits+:MifRdRspBits];
      assign cv = cv_rd_rsp[i*MifRdRspBits+:MifRdRspBits];
      assign rsp.ready = mc.ready | cv.ready;
      assign rsp.valid = mc.valid | cv.valid;
      assign rsp.data = cv.valid ? cv.data : mc.data;
      assign rd_rsp_o[i] = rsp;
    end
    assign wr_rsp_o = mc_wr_rsp | cv_wr_rsp;
  end else begin : gen_no_cvif
    assign cvif_rdata_o = '0;
    assign rd_rsp_o = mc_rd_rsp;
    assign wr_rsp_o = mc_wr_rsp;
    assign sram_o = '0;
    wire unused = &{1'b0, cvif_req_i, sram_i};
  end

`ifdef NVDLA_CHECKS
  if (SecondaryMemory != 0) begin : gen_checks
    for (genvar i = 0; i < RdClients; i++) begin : gen_read
      mif_rd_rsp_t mc, cv;
      assign mc = mc_rd_rsp[i*MifRdRspBits+:MifRdRspBits];
      assign cv = gen_cvif.cv_rd_rsp[i*MifRdRspBits+:MifRdRspBits];
      `NVDLA_CHECK(AnswersNeverCollide, !(mc.valid && cv.valid) && !(mc.ready && cv.ready))
      wire unused = &{1'b0, mc.data, cv.data};
    end
    // Ready alone means nothing: both may have room. Two answers at once would count as one.
    for (genvar i = 0; i < WrClients; i++) begin : gen_write
      mif_wr_rsp_t mc, cv;
      assign mc = mc_wr_rsp[i*MifWrRspBits+:MifWrRspBits];
      assign cv = gen_cvif.cv_wr_rsp[i*MifWrRspBits+:MifWrRspBits];
      `NVDLA_CHECK(DoneNeverCollides, !(mc.done && cv.done))
      wire unused = &{1'b0, mc.ready, mc.dat_ready, cv.ready, cv.dat_ready};
    end
  end
`endif
endmodule
