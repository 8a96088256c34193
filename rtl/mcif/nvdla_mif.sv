// Memory interfaces: hands every client's pieces to MCIF (ram 1, primary port dbb) or CVIF (ram 0, secondary port sram) and merges the
// answers. Slots of the clients: nvdla_mcif.
//
// A client has pieces in flight at one memory at a time, so its answers never collide. rd_rsp_sram_o[i] tells that the beat of client i is
// on the secondary port's R pins. Without secondary memory pieces for it are never accepted, and the sram outputs are 0.
// Spec: 70-memory-interface, section 7.
module nvdla_mif
  import nvdla_pkg::*;
(
    input  logic                  clk_i,
    input  logic                  rst_ni,
    // registers
    input  logic                  mcif_req_i,
    input  logic                  cvif_req_i,
    input  logic                  write_i,
    input  logic [           9:0] addr_i,
    input  logic [          31:0] wdata_i,
    output logic [          31:0] mcif_rdata_o,
    output logic [          31:0] cvif_rdata_o,
    // read clients
    input  logic [           7:0] rd_valid_i,
    output logic [           7:0] rd_ready_o,
    input  logic [           7:0] rd_ram_i,
    input  logic [8*AddrBits-1:0] rd_addr_i,
    input  logic [       8*4-1:0] rd_len_i,
    output logic [           7:0] rd_rsp_valid_o,
    output logic [           7:0] rd_rsp_sram_o,
    // write clients
    input  logic [           2:0] wr_valid_i,
    output logic [           2:0] wr_ready_o,
    input  logic [           2:0] wr_ram_i,
    input  logic [3*AddrBits-1:0] wr_addr_i,
    input  logic [       3*4-1:0] wr_len_i,
    input  logic [           2:0] wr_dat_valid_i,
    output logic [           2:0] wr_dat_ready_o,
    input  logic [3*AtomBits-1:0] wr_dat_data_i,
    output logic [           2:0] wr_rsp_o,
    // AXI, primary port
    output logic                  dbb_arvalid_o,
    input  logic                  dbb_arready_i,
    output logic [           7:0] dbb_arid_o,
    output logic [           3:0] dbb_arlen_o,
    output logic [  AddrBits-1:0] dbb_araddr_o,
    input  logic                  dbb_rvalid_i,
    input  logic [           7:0] dbb_rid_i,
    output logic                  dbb_awvalid_o,
    input  logic                  dbb_awready_i,
    output logic [           7:0] dbb_awid_o,
    output logic [           3:0] dbb_awlen_o,
    output logic [  AddrBits-1:0] dbb_awaddr_o,
    output logic                  dbb_wvalid_o,
    input  logic                  dbb_wready_i,
    output logic [  AtomBits-1:0] dbb_wdata_o,
    output logic                  dbb_wlast_o,
    input  logic                  dbb_bvalid_i,
    input  logic [           7:0] dbb_bid_i,
    // AXI, secondary port
    output logic                  sram_arvalid_o,
    input  logic                  sram_arready_i,
    output logic [           7:0] sram_arid_o,
    output logic [           3:0] sram_arlen_o,
    output logic [  AddrBits-1:0] sram_araddr_o,
    input  logic                  sram_rvalid_i,
    input  logic [           7:0] sram_rid_i,
    output logic                  sram_awvalid_o,
    input  logic                  sram_awready_i,
    output logic [           7:0] sram_awid_o,
    output logic [           3:0] sram_awlen_o,
    output logic [  AddrBits-1:0] sram_awaddr_o,
    output logic                  sram_wvalid_o,
    input  logic                  sram_wready_i,
    output logic [  AtomBits-1:0] sram_wdata_o,
    output logic                  sram_wlast_o,
    input  logic                  sram_bvalid_i,
    input  logic [           7:0] sram_bid_i
);
  logic [7:0] mc_rd_ready, cv_rd_ready, mc_rd_rsp, cv_rd_rsp;
  logic [2:0] mc_wr_ready, cv_wr_ready, mc_dat_ready, cv_dat_ready, mc_wr_rsp, cv_wr_rsp;

  assign rd_ready_o = mc_rd_ready | cv_rd_ready;
  assign rd_rsp_valid_o = mc_rd_rsp | cv_rd_rsp;
  assign rd_rsp_sram_o = cv_rd_rsp;
  assign wr_ready_o = mc_wr_ready | cv_wr_ready;
  assign wr_dat_ready_o = mc_dat_ready | cv_dat_ready;
  assign wr_rsp_o = mc_wr_rsp | cv_wr_rsp;

  nvdla_mcif #(
      .MaxBurst(DbbBurstBeats)
  ) u_mcif (
      .clk_i,
      .rst_ni,
      .req_i         (mcif_req_i),
      .write_i,
      .addr_i,
      .wdata_i,
      .rdata_o       (mcif_rdata_o),
      .rd_valid_i    (rd_valid_i & rd_ram_i),
      .rd_ready_o    (mc_rd_ready),
      .rd_addr_i,
      .rd_len_i,
      .rd_rsp_valid_o(mc_rd_rsp),
      .wr_valid_i    (wr_valid_i & wr_ram_i),
      .wr_ready_o    (mc_wr_ready),
      .wr_addr_i,
      .wr_len_i,
      .wr_dat_valid_i,
      .wr_dat_ready_o(mc_dat_ready),
      .wr_dat_data_i,
      .wr_rsp_o      (mc_wr_rsp),
      .arvalid_o     (dbb_arvalid_o),
      .arready_i     (dbb_arready_i),
      .arid_o        (dbb_arid_o),
      .arlen_o       (dbb_arlen_o),
      .araddr_o      (dbb_araddr_o),
      .rvalid_i      (dbb_rvalid_i),
      .rid_i         (dbb_rid_i),
      .awvalid_o     (dbb_awvalid_o),
      .awready_i     (dbb_awready_i),
      .awid_o        (dbb_awid_o),
      .awlen_o       (dbb_awlen_o),
      .awaddr_o      (dbb_awaddr_o),
      .wvalid_o      (dbb_wvalid_o),
      .wready_i      (dbb_wready_i),
      .wdata_o       (dbb_wdata_o),
      .wlast_o       (dbb_wlast_o),
      .bvalid_i      (dbb_bvalid_i),
      .bid_i         (dbb_bid_i)
  );

  if (SecondaryMemory != 0) begin : gen_cvif
    nvdla_mcif #(
        .MaxBurst(CvsramBurstBeats)
    ) u_cvif (
        .clk_i,
        .rst_ni,
        .req_i         (cvif_req_i),
        .write_i,
        .addr_i,
        .wdata_i,
        .rdata_o       (cvif_rdata_o),
        .rd_valid_i    (rd_valid_i & ~rd_ram_i),
        .rd_ready_o    (cv_rd_ready),
        .rd_addr_i,
        .rd_len_i,
        .rd_rsp_valid_o(cv_rd_rsp),
        .wr_valid_i    (wr_valid_i & ~wr_ram_i),
        .wr_ready_o    (cv_wr_ready),
        .wr_addr_i,
        .wr_len_i,
        .wr_dat_valid_i,
        .wr_dat_ready_o(cv_dat_ready),
        .wr_dat_data_i,
        .wr_rsp_o      (cv_wr_rsp),
        .arvalid_o     (sram_arvalid_o),
        .arready_i     (sram_arready_i),
        .arid_o        (sram_arid_o),
        .arlen_o       (sram_arlen_o),
        .araddr_o      (sram_araddr_o),
        .rvalid_i      (sram_rvalid_i),
        .rid_i         (sram_rid_i),
        .awvalid_o     (sram_awvalid_o),
        .awready_i     (sram_awready_i),
        .awid_o        (sram_awid_o),
        .awlen_o       (sram_awlen_o),
        .awaddr_o      (sram_awaddr_o),
        .wvalid_o      (sram_wvalid_o),
        .wready_i      (sram_wready_i),
        .wdata_o       (sram_wdata_o),
        .wlast_o       (sram_wlast_o),
        .bvalid_i      (sram_bvalid_i),
        .bid_i         (sram_bid_i)
    );
  end else begin : gen_no_cvif
    assign cvif_rdata_o = '0;
    assign cv_rd_ready = '0;
    assign cv_rd_rsp = '0;
    assign cv_wr_ready = '0;
    assign cv_dat_ready = '0;
    assign cv_wr_rsp = '0;
    assign sram_arvalid_o = 1'b0;
    assign sram_arid_o = '0;
    assign sram_arlen_o = '0;
    assign sram_araddr_o = '0;
    assign sram_awvalid_o = 1'b0;
    assign sram_awid_o = '0;
    assign sram_awlen_o = '0;
    assign sram_awaddr_o = '0;
    assign sram_wvalid_o = 1'b0;
    assign sram_wdata_o = '0;
    assign sram_wlast_o = 1'b0;
    wire unused = &{1'b0, cvif_req_i, sram_arready_i, sram_rvalid_i, sram_rid_i, sram_awready_i, sram_wready_i, sram_bvalid_i, sram_bid_i};
  end
endmodule
