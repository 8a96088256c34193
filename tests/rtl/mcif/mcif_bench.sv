// Top of the memory bench: the memory interfaces with four read and two write clients, one register group, and GLB.
//
// Read clients: 0 SDP (slot 2, AXI id 1), 1 SDP BS operand (slot 3, id 5), 2 SDP BN operand (slot 4, id 6), 3 PDP (slot 6, id 2). Client 1 has a latency
// buffer of 8 atoms, the others of 64. Write clients: 0 SDP (slot 0, id 1), 1 PDP (slot 1, id 2). The register group is a window of 8 words:
// 0 S_STATUS, 1 S_POINTER, 2 storage, 3 D_OP_ENABLE, 4 and 5 storage (5 of 16 bits), 6 status, 7 nothing.
module mcif_bench
  import nvdla_pkg::*;
(
    input  logic                  clk_i,
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
    output logic [       5*32-1:0] d_o,
    input  logic                  done_i,
    input  logic [          31:0] stat_i,
    input  logic [          15:0] done_intr_i,
    output logic                  intr_o,
    input  logic [           3:0] rq_valid_i,
    output logic [           3:0] rq_ready_o,
    input  logic [4*64-1:0]       rq_addr_i,
    input  logic [4*16-1:0]       rq_size_i,
    input  logic [           3:0] rq_ram_i,
    output logic [           3:0] rs_valid_o,
    input  logic [           3:0] rs_ready_i,
    output logic [4*AtomBits-1:0] rs_data_o,
    input  logic [           1:0] wc_valid_i,
    output logic [           1:0] wc_ready_o,
    input  logic [2*64-1:0]       wc_addr_i,
    input  logic [2*16-1:0]       wc_size_i,
    input  logic [           1:0] wc_ram_i,
    input  logic [           1:0] wc_ack_i,
    input  logic [           1:0] wd_valid_i,
    output logic [           1:0] wd_ready_o,
    input  logic [2*AtomBits-1:0] wd_data_i,
    output logic [           1:0] ack_o,
    // AXI ports: 0 primary, 1 secondary
    output logic [           1:0] arvalid_o,
    input  logic [           1:0] arready_i,
    output logic [          15:0] arid_o,
    output logic [           7:0] arlen_o,
    output logic [2*64-1:0]       araddr_o,
    input  logic [           1:0] rvalid_i,
    input  logic [          15:0] rid_i,
    input  logic [2*AtomBits-1:0] rdata_i,
    output logic [           1:0] awvalid_o,
    input  logic [           1:0] awready_i,
    output logic [          15:0] awid_o,
    output logic [           7:0] awlen_o,
    output logic [2*64-1:0]       awaddr_o,
    output logic [           1:0] wvalid_o,
    input  logic [           1:0] wready_i,
    output logic [2*AtomBits-1:0] wdata_o,
    output logic [           1:0] wlast_o,
    input  logic [           1:0] bvalid_i,
    input  logic [          15:0] bid_i,
    // facts of the configuration
    output logic [           7:0] atom_bytes_o,
    output logic [           3:0] burst_o,
    output logic [           3:0] sram_burst_o
);
  localparam logic [8*32-1:0] GroupMask = 256'h00000000_00000000_0000ffff_ffffffff_00000000_ffffffff_00000001_00000000;
  localparam logic [8*32-1:0] GroupReset = 256'h00000000_00000000_00001234_00000000_00000000_00000000_00000000_00000000;
  localparam logic [8*32-1:0] GroupStat = 256'h00000000_ffffffff_00000000_00000000_00000000_00000000_00000000_00000000;

  assign atom_bytes_o = 8'(MemAtom);
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

  nvdla_reg_group #(
      .Words(8),
      .FirstD(3),
      .WriteMask(GroupMask),
      .Reset(GroupReset),
      .StatMask(GroupStat)
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
      .d_o,
      .done_i,
      .stat_i ({32'hffffffff, stat_i, {3{32'hffffffff}}})
  );

  logic [3:0] rd_valid, rd_ram;
  logic [7:0] rd_ready, rd_rsp_valid, rd_rsp_sram;
  logic [4*AddrBits-1:0] rd_addr;
  logic [15:0] rd_len;
  logic [2:0] wr_ready, wr_dat_ready, wr_rsp;
  logic [1:0] wr_valid, wr_ram, wr_dat_valid;
  logic [2*AddrBits-1:0] wr_addr;
  logic [7:0] wr_len;
  logic [2*AtomBits-1:0] wr_dat_data;

  wire unused = &{1'b0, rq_addr_i, wc_addr_i, wr_ready[2], wr_dat_ready[2], wr_rsp[2]};

  for (genvar i = 0; i < 4; i++) begin : gen_read
    localparam int Slot = (i == 3) ? 6 : i + 2;
    nvdla_dma_read #(
        .Depth((i == 1) ? 8 : 64)
    ) u_read (
        .clk_i,
        .rst_ni,
        .req_valid_i    (rq_valid_i[i]),
        .req_ready_o    (rq_ready_o[i]),
        .req_addr_i     (rq_addr_i[i*64+:AddrBits]),
        .req_size_i     (rq_size_i[i*16+:16]),
        .req_ram_i      (rq_ram_i[i]),
        .rsp_valid_o    (rs_valid_o[i]),
        .rsp_ready_i    (rs_ready_i[i]),
        .rsp_data_o     (rs_data_o[i*AtomBits+:AtomBits]),
        .mif_valid_o    (rd_valid[i]),
        .mif_ready_i    (rd_ready[Slot]),
        .mif_ram_o      (rd_ram[i]),
        .mif_addr_o     (rd_addr[i*AddrBits+:AddrBits]),
        .mif_len_o      (rd_len[i*4+:4]),
        .mif_rsp_valid_i(rd_rsp_valid[Slot]),
        .mif_rsp_data_i (rd_rsp_sram[Slot] ? rdata_i[AtomBits+:AtomBits] : rdata_i[0+:AtomBits])
    );
  end

  for (genvar i = 0; i < 2; i++) begin : gen_write
    nvdla_dma_write u_write (
        .clk_i,
        .rst_ni,
        .cmd_valid_i    (wc_valid_i[i]),
        .cmd_ready_o    (wc_ready_o[i]),
        .cmd_addr_i     (wc_addr_i[i*64+:AddrBits]),
        .cmd_size_i     (wc_size_i[i*16+:16]),
        .cmd_ram_i      (wc_ram_i[i]),
        .cmd_ack_i      (wc_ack_i[i]),
        .dat_valid_i    (wd_valid_i[i]),
        .dat_ready_o    (wd_ready_o[i]),
        .dat_data_i     (wd_data_i[i*AtomBits+:AtomBits]),
        .ack_o          (ack_o[i]),
        .mif_valid_o    (wr_valid[i]),
        .mif_ready_i    (wr_ready[i]),
        .mif_ram_o      (wr_ram[i]),
        .mif_addr_o     (wr_addr[i*AddrBits+:AddrBits]),
        .mif_len_o      (wr_len[i*4+:4]),
        .mif_dat_valid_o(wr_dat_valid[i]),
        .mif_dat_ready_i(wr_dat_ready[i]),
        .mif_dat_data_o (wr_dat_data[i*AtomBits+:AtomBits]),
        .mif_rsp_i      (wr_rsp[i])
    );
  end

  logic [AddrBits-1:0] dbb_araddr, dbb_awaddr, sram_araddr, sram_awaddr;
  assign araddr_o = {64'(sram_araddr), 64'(dbb_araddr)};
  assign awaddr_o = {64'(sram_awaddr), 64'(dbb_awaddr)};

  nvdla_mif u_mif (
      .clk_i,
      .rst_ni,
      .mcif_req_i,
      .cvif_req_i,
      .write_i,
      .addr_i,
      .wdata_i,
      .mcif_rdata_o  (mcif_rdata),
      .cvif_rdata_o  (cvif_rdata),
      .rd_valid_i    ({1'b0, rd_valid[3], 1'b0, rd_valid[2:0], 2'b0}),
      .rd_ready_o    (rd_ready),
      .rd_ram_i      ({1'b0, rd_ram[3], 1'b0, rd_ram[2:0], 2'b0}),
      .rd_addr_i     ({AddrBits'(0), rd_addr[3*AddrBits+:AddrBits], AddrBits'(0), rd_addr[0+:3*AddrBits], (2 * AddrBits)'(0)}),
      .rd_len_i      ({4'b0, rd_len[15:12], 4'b0, rd_len[11:0], 8'b0}),
      .rd_rsp_valid_o(rd_rsp_valid),
      .rd_rsp_sram_o (rd_rsp_sram),
      .wr_valid_i    ({1'b0, wr_valid}),
      .wr_ready_o    (wr_ready),
      .wr_ram_i      ({1'b0, wr_ram}),
      .wr_addr_i     ({AddrBits'(0), wr_addr}),
      .wr_len_i      ({4'b0, wr_len}),
      .wr_dat_valid_i({1'b0, wr_dat_valid}),
      .wr_dat_ready_o(wr_dat_ready),
      .wr_dat_data_i ({AtomBits'(0), wr_dat_data}),
      .wr_rsp_o      (wr_rsp),
      .dbb_arvalid_o (arvalid_o[0]),
      .dbb_arready_i (arready_i[0]),
      .dbb_arid_o    (arid_o[7:0]),
      .dbb_arlen_o   (arlen_o[3:0]),
      .dbb_araddr_o  (dbb_araddr),
      .dbb_rvalid_i  (rvalid_i[0]),
      .dbb_rid_i     (rid_i[7:0]),
      .dbb_awvalid_o (awvalid_o[0]),
      .dbb_awready_i (awready_i[0]),
      .dbb_awid_o    (awid_o[7:0]),
      .dbb_awlen_o   (awlen_o[3:0]),
      .dbb_awaddr_o  (dbb_awaddr),
      .dbb_wvalid_o  (wvalid_o[0]),
      .dbb_wready_i  (wready_i[0]),
      .dbb_wdata_o   (wdata_o[0+:AtomBits]),
      .dbb_wlast_o   (wlast_o[0]),
      .dbb_bvalid_i  (bvalid_i[0]),
      .dbb_bid_i     (bid_i[7:0]),
      .sram_arvalid_o(arvalid_o[1]),
      .sram_arready_i(arready_i[1]),
      .sram_arid_o   (arid_o[15:8]),
      .sram_arlen_o  (arlen_o[7:4]),
      .sram_araddr_o (sram_araddr),
      .sram_rvalid_i (rvalid_i[1]),
      .sram_rid_i    (rid_i[15:8]),
      .sram_awvalid_o(awvalid_o[1]),
      .sram_awready_i(awready_i[1]),
      .sram_awid_o   (awid_o[15:8]),
      .sram_awlen_o  (awlen_o[7:4]),
      .sram_awaddr_o (sram_awaddr),
      .sram_wvalid_o (wvalid_o[1]),
      .sram_wready_i (wready_i[1]),
      .sram_wdata_o  (wdata_o[AtomBits+:AtomBits]),
      .sram_wlast_o  (wlast_o[1]),
      .sram_bvalid_i (bvalid_i[1]),
      .sram_bid_i    (bid_i[15:8])
  );
endmodule
