// Memory interface of one port: MCIF for the primary, CVIF for the secondary memory. Registers, read half, write half.
//
// Clients are vectors, one slot each. Read slots: 0 CDMA data (AXI id 8), 1 CDMA weight (9), 2 SDP (1), 3 SDP BS operand (5), 4 SDP BN operand (6),
// 5 SDP EW operand (7), 6 PDP (2), 7 CDP (3). Write slots: 0 SDP (1), 1 PDP (2), 2 CDP (3). See nvdla_mcif_read and
// nvdla_mcif_write for the handshakes; one beat is one atom. MaxBurst is the port's longest burst in beats.
// rdata_o answers in the clock after req_i and is 0 in all others. rready and bready are constantly 1, wstrb is all ones.
// Spec: 70-memory-interface, sections 1 to 4.
module nvdla_mcif
  import nvdla_pkg::*;
#(
    parameter int MaxBurst = 1
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    // registers
    input  logic                  req_i,
    input  logic                  write_i,
    input  logic [           9:0] addr_i,
    input  logic [          31:0] wdata_i,
    output logic [          31:0] rdata_o,
    // read clients
    input  logic [           7:0] rd_valid_i,
    output logic [           7:0] rd_ready_o,
    input  logic [8*AddrBits-1:0] rd_addr_i,
    input  logic [       8*4-1:0] rd_len_i,
    output logic [           7:0] rd_rsp_valid_o,
    // write clients
    input  logic [           2:0] wr_valid_i,
    output logic [           2:0] wr_ready_o,
    input  logic [3*AddrBits-1:0] wr_addr_i,
    input  logic [       3*4-1:0] wr_len_i,
    input  logic [           2:0] wr_dat_valid_i,
    output logic [           2:0] wr_dat_ready_o,
    input  logic [3*AtomBits-1:0] wr_dat_data_i,
    output logic [           2:0] wr_rsp_o,
    // AXI
    output logic                  arvalid_o,
    input  logic                  arready_i,
    output logic [           7:0] arid_o,
    output logic [           3:0] arlen_o,
    output logic [  AddrBits-1:0] araddr_o,
    input  logic                  rvalid_i,
    input  logic [           7:0] rid_i,
    output logic                  awvalid_o,
    input  logic                  awready_i,
    output logic [           7:0] awid_o,
    output logic [           3:0] awlen_o,
    output logic [  AddrBits-1:0] awaddr_o,
    output logic                  wvalid_o,
    input  logic                  wready_i,
    output logic [  AtomBits-1:0] wdata_o,
    output logic                  wlast_o,
    input  logic                  bvalid_i,
    input  logic [           7:0] bid_i
);
  logic [McifWords*32-1:0] regs;
  logic [31:0] rd_weight0, rd_weight1, rd_weight2, wr_weight0, outstanding;
  logic [8*8-1:0] rd_weight;
  logic [3*8-1:0] wr_weight;

  nvdla_reg_file #(
      .Words(McifWords),
      .WriteMask(McifWriteMask),
      .Reset(McifReset)
  ) u_regs (
      .clk_i,
      .rst_ni,
      .req_i,
      .write_i,
      .addr_i,
      .wdata_i,
      .rdata_o,
      .q_o(regs)
  );

  assign rd_weight0 = regs[McifCfgRdWeight0*32+:32];
  assign rd_weight1 = regs[McifCfgRdWeight1*32+:32];
  assign rd_weight2 = regs[McifCfgRdWeight2*32+:32];
  assign wr_weight0 = regs[McifCfgWrWeight0*32+:32];
  assign outstanding = regs[McifCfgOutstandingCnt*32+:32];
  // Slots downwards: CDP, PDP, SDP EW, SDP BN, SDP BS, SDP, CDMA weight, CDMA data.
  assign rd_weight = {
    rd_weight0[31:24], rd_weight0[23:16], rd_weight1[23:16], rd_weight1[15:8], rd_weight1[7:0], rd_weight0[15:8], rd_weight2[7:0],
    rd_weight1[31:24]
  };
  assign wr_weight = wr_weight0[31:8];

  nvdla_mcif_read #(
      .Clients  (8),
      .IndexBits(3),
      .Ids      ({4'd3, 4'd2, 4'd7, 4'd6, 4'd5, 4'd1, 4'd9, 4'd8})
  ) u_read (
      .clk_i,
      .rst_ni,
      .valid_i    (rd_valid_i),
      .ready_o    (rd_ready_o),
      .addr_i     (rd_addr_i),
      .len_i      (rd_len_i),
      .rsp_valid_o(rd_rsp_valid_o),
      .weight_i   (rd_weight),
      .limit_i    (outstanding[7:0]),
      .arvalid_o,
      .arready_i,
      .arid_o,
      .arlen_o,
      .araddr_o,
      .rvalid_i,
      .rid_i      (rid_i[3:0])
  );

  nvdla_mcif_write #(
      .Clients  (3),
      .IndexBits(2),
      .Ids      ({3'd3, 3'd2, 3'd1}),
      .MaxBurst (MaxBurst)
  ) u_write (
      .clk_i,
      .rst_ni,
      .valid_i    (wr_valid_i),
      .ready_o    (wr_ready_o),
      .addr_i     (wr_addr_i),
      .len_i      (wr_len_i),
      .dat_valid_i(wr_dat_valid_i),
      .dat_ready_o(wr_dat_ready_o),
      .dat_data_i (wr_dat_data_i),
      .rsp_o      (wr_rsp_o),
      .weight_i   (wr_weight),
      .limit_i    (outstanding[15:8]),
      .awvalid_o,
      .awready_i,
      .awid_o,
      .awlen_o,
      .awaddr_o,
      .wvalid_o,
      .wready_i,
      .wdata_o,
      .wlast_o,
      .bvalid_i,
      .bid_i      (bid_i[2:0])
  );

  // Weights without a client, and the upper id bits, which are always 0.
  wire unused = &{1'b0, regs, rd_weight0, rd_weight2, wr_weight0, outstanding, rid_i[7:4], bid_i[7:3]};
endmodule
