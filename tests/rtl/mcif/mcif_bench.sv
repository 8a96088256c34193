// Top of the memory bench: the memory interfaces with four read and two write clients, one register group, and GLB.
//
// Read clients: 0 SDP (slot 2, AXI id 1), 1 SDP BS operand (slot 3, id 5), 2 SDP BN operand (slot 4, id 6), 3 PDP (slot
// 6, id 2). Client 1 has a latency buffer of 8 beats, the others of 64; client 2 takes a beat's atoms at once. Write
// clients: 0 SDP (slot 0, id 1), 1 PDP (slot 1, id 2), which gives a beat's atoms at once. Slots are those of small.
// The register group is a window of 8 words:
// 0 S_STATUS, 1 S_POINTER, 2 storage, 3 D_OP_ENABLE, 4 and 5 storage (5 of 16 bits), 6 status, 7 nothing.
module mcif_bench
  import nvdla_pkg::*;
(
    input  logic                  clk_i,
    input  logic                  clk_on_i,
    input  logic                  rst_ni,
    input  logic                  mcif_req_i,
    input  logic                  cvif_req_i,
    input  logic                  group_req_i,
    input  logic                  glb_req_i,
    input  logic                  write_i,
    input  logic [           9:0] addr_i,
    input  logic [          31:0] wdata_i,
    output logic [          31:0] rdata_o,
    output logic                  run_o,
    output logic                  group_o,
    output logic [      5*32-1:0] d_o,
    input  logic                  done_i,
    input  logic [          31:0] stat_i,
    input  logic [          15:0] done_intr_i,
    output logic                  intr_o,
    input  logic [           3:0] rq_valid_i,
    output logic [           3:0] rq_ready_o,
    input  logic [      4*64-1:0] rq_addr_i,
    input  logic [      4*16-1:0] rq_size_i,
    input  logic [           3:0] rq_ram_i,
    output logic [           3:0] rs_valid_o,
    input  logic [           3:0] rs_ready_i,
    output logic [ 4*MifBits-1:0] rs_data_o,
    input  logic [           1:0] wc_valid_i,
    output logic [           1:0] wc_ready_o,
    input  logic [      2*64-1:0] wc_addr_i,
    input  logic [      2*16-1:0] wc_size_i,
    input  logic [           1:0] wc_ram_i,
    input  logic [           1:0] wc_ack_i,
    input  logic [           1:0] wd_valid_i,
    output logic [           1:0] wd_ready_o,
    input  logic [ 2*MifBits-1:0] wd_data_i,
    output logic [           1:0] ack_o,
    // AXI ports: 0 primary, 1 secondary
    output logic [           1:0] arvalid_o,
    input  logic [           1:0] arready_i,
    output logic [          15:0] arid_o,
    output logic [           7:0] arlen_o,
    output logic [      2*64-1:0] araddr_o,
    input  logic [           1:0] rvalid_i,
    input  logic [          15:0] rid_i,
    input  logic [ 2*MifBits-1:0] rdata_i,
    output logic [           1:0] awvalid_o,
    input  logic [           1:0] awready_i,
    output logic [          15:0] awid_o,
    output logic [           7:0] awlen_o,
    output logic [      2*64-1:0] awaddr_o,
    output logic [           1:0] wvalid_o,
    input  logic [           1:0] wready_i,
    output logic [ 2*MifBits-1:0] wdata_o,
    output logic [2*MifAtoms-1:0] wmask_o,
    output logic [           1:0] wlast_o,
    input  logic [           1:0] bvalid_i,
    input  logic [          15:0] bid_i,
    // facts of the configuration
    output logic [           7:0] atom_bytes_o,
    output logic [           3:0] beat_atoms_o,
    output logic [           3:0] piece_o,
    output logic [           3:0] burst_o,
    output logic [           3:0] sram_burst_o
);
  localparam logic [8*32-1:0] GroupMask = 256'h00000000_00000000_0000ffff_ffffffff_00000000_ffffffff_00000001_00000000;
  localparam logic [8*32-1:0] GroupReset = 256'h00000000_00000000_00001234_00000000_00000000_00000000_00000000_00000000;
  localparam logic [8*32-1:0] GroupStat = 256'h00000000_ffffffff_00000000_00000000_00000000_00000000_00000000_00000000;

  assign atom_bytes_o = 8'(MemAtom);
  assign beat_atoms_o = 4'(MifAtoms);
  assign piece_o = 4'(DbbPieceBeats);
  assign burst_o = 4'(DbbBurstBeats);
  assign sram_burst_o = 4'(CvsramBurstBeats);

  logic [31:0] mcif_rdata, cvif_rdata, group_rdata, glb_rdata;
  assign rdata_o = mcif_rdata | cvif_rdata | group_rdata | glb_rdata;

  nvdla_glb u_glb (
      .clk_i,
      .rst_ni,
      .req_i          (glb_req_i),
      .write_i,
      .addr_i,
      .wdata_i,
      .rdata_o        (glb_rdata),
      .done_sdp_i     (done_intr_i[1:0]),
      .done_cdp_i     (done_intr_i[3:2]),
      .done_pdp_i     (done_intr_i[5:4]),
      .done_bdma_i    (done_intr_i[7:6]),
      .done_rubik_i   (done_intr_i[9:8]),
      .done_cdma_dat_i(done_intr_i[11:10]),
      .done_cdma_wt_i (done_intr_i[13:12]),
      .done_cacc_i    (done_intr_i[15:14]),
      .intr_o
  );

  logic unused_armed;
  nvdla_reg_group #(
      .Words    (8),
      .FirstD   (3),
      .WriteMask(GroupMask),
      .Reset    (GroupReset),
      .StatMask (GroupStat)
  ) u_group (
      .clk_i,
      .rst_ni,
      .req_i  (group_req_i),
      .write_i,
      .addr_i,
      .wdata_i,
      .rdata_o(group_rdata),
      .run_o,
      .group_o,
      .armed_o(unused_armed),
      .d_o,
      .done_i,
      .stat_i ({32'hffffffff, stat_i, {3{32'hffffffff}}})
  );

  // Four read and two write clients; the others ask for nothing.
  logic [RdClients*MifRdReqBits-1:0] rd_req;
  logic [RdClients*MifRdRspBits-1:0] rd_rsp;
  logic [WrClients*MifWrReqBits-1:0] wr_req;
  logic [WrClients*MifWrRspBits-1:0] wr_rsp;
  // of the clients that ask for nothing, high address bits, and upper halves
  wire unused = &{1'b0, rq_addr_i, wc_addr_i, rd_rsp, wr_rsp, wd_data_i};

  for (genvar slot = 0; slot < RdClients; slot++) begin : gen_read
    localparam int Number = (slot == RdSlotSdp) ? 0 : (slot == RdSlotSdpB) ? 1 : (slot == RdSlotSdpN) ? 2 :
        (slot == RdSlotPdp) ? 3 : -1;
    if (Number >= 0) begin : gen_client
      localparam int Atoms = (Number == 2) ? MifAtoms : 1;
      logic unused_busy;
      nvdla_dma_read #(
          .Depth   ((Number == 1) ? 8 : 64),
          .RspAtoms(Atoms)
      ) u_read (
          .clk_i,
          .rst_ni,
          .req_valid_i(rq_valid_i[Number]),
          .req_ready_o(rq_ready_o[Number]),
          .req_addr_i (rq_addr_i[Number*64+:AddrBits]),
          .req_size_i (rq_size_i[Number*16+:16]),
          .req_ram_i  (rq_ram_i[Number]),
          .rsp_valid_o(rs_valid_o[Number]),
          .rsp_ready_i(rs_ready_i[Number]),
          .rsp_data_o (rs_data_o[Number*MifBits+:Atoms*AtomBits]),
          .busy_o     (unused_busy),
          .mif_o      (rd_req[slot*MifRdReqBits+:MifRdReqBits]),
          .mif_i      (rd_rsp[slot*MifRdRspBits+:MifRdRspBits])
      );
      if (Atoms < MifAtoms) begin : gen_narrow
        assign rs_data_o[Number*MifBits+AtomBits+:(MifAtoms-1)*AtomBits] = '0;
      end
    end else begin : gen_silent
      assign rd_req[slot*MifRdReqBits+:MifRdReqBits] = '0;
    end
  end

  for (genvar slot = 0; slot < WrClients; slot++) begin : gen_write
    localparam int Number = (slot == WrSlotSdp) ? 0 : (slot == WrSlotPdp) ? 1 : -1;
    if (Number >= 0) begin : gen_client
      logic unused_ack, unused_busy;
      localparam int Atoms = (Number == 1) ? MifAtoms : 1;
      nvdla_dma_write #(
          .DatAtoms(Atoms)
      ) u_write (
          .clk_i,
          .rst_ni,
          .cmd_valid_i(wc_valid_i[Number]),
          .cmd_ready_o(wc_ready_o[Number]),
          .cmd_addr_i (wc_addr_i[Number*64+:AddrBits]),
          .cmd_size_i (wc_size_i[Number*16+:16]),
          .cmd_ram_i  (wc_ram_i[Number]),
          .cmd_ack_i  ({1'b0, wc_ack_i[Number]}),
          .dat_valid_i(wd_valid_i[Number]),
          .dat_ready_o(wd_ready_o[Number]),
          .dat_data_i (wd_data_i[Number*MifBits+:Atoms*AtomBits]),
          .ack_o      ({unused_ack, ack_o[Number]}),
          .busy_o     (unused_busy),
          .mif_o      (wr_req[slot*MifWrReqBits+:MifWrReqBits]),
          .mif_i      (wr_rsp[slot*MifWrRspBits+:MifWrRspBits])
      );
    end else begin : gen_silent
      assign wr_req[slot*MifWrReqBits+:MifWrReqBits] = '0;
    end
  end

  axi_req_t dbb_req, sram_req;
  axi_rsp_t dbb_rsp, sram_rsp;
  assign arvalid_o = {sram_req.arvalid, dbb_req.arvalid};
  assign arid_o = {sram_req.arid, dbb_req.arid};
  assign arlen_o = {sram_req.arlen, dbb_req.arlen};
  assign araddr_o = {64'(sram_req.araddr), 64'(dbb_req.araddr)};
  assign awvalid_o = {sram_req.awvalid, dbb_req.awvalid};
  assign awid_o = {sram_req.awid, dbb_req.awid};
  assign awlen_o = {sram_req.awlen, dbb_req.awlen};
  assign awaddr_o = {64'(sram_req.awaddr), 64'(dbb_req.awaddr)};
  assign wvalid_o = {sram_req.wvalid, dbb_req.wvalid};
  assign wdata_o = {sram_req.wdata, dbb_req.wdata};
  assign wmask_o = {sram_req.wmask, dbb_req.wmask};
  assign wlast_o = {sram_req.wlast, dbb_req.wlast};
  assign dbb_rsp = {
    arready_i[0], rvalid_i[0], rid_i[7:0], rdata_i[0+:MifBits], awready_i[0], wready_i[0], bvalid_i[0], bid_i[7:0]
  };
  assign sram_rsp = {
    arready_i[1], rvalid_i[1], rid_i[15:8], rdata_i[MifBits+:MifBits], awready_i[1], wready_i[1], bvalid_i[1],
    bid_i[15:8]
  };

  nvdla_mif u_mif (
      .clk_i,
      .clk_on_i,
      .rst_ni,
      .mcif_req_i,
      .cvif_req_i,
      .write_i,
      .addr_i,
      .wdata_i,
      .mcif_rdata_o(mcif_rdata),
      .cvif_rdata_o(cvif_rdata),
      .rd_req_i    (rd_req),
      .rd_rsp_o    (rd_rsp),
      .wr_req_i    (wr_req),
      .wr_rsp_o    (wr_rsp),
      .dbb_o       (dbb_req),
      .dbb_i       (dbb_rsp),
      .sram_o      (sram_req),
      .sram_i      (sram_rsp)
  );
endmodule
