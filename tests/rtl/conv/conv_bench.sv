// Bench top: CDMA, CBUF, CSC, both CMAC units and CACC connected as in NV_nvdla, with memory's and SDP's side as ports,
// and the arithmetic of CACC as plain functions.
//
// csb_sel_i is one-hot: CDMA, CSC, CMAC_A, CMAC_B, CACC.
module conv_bench
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
  import nvdla_cacc_pkg::*;
(
    input  logic                          clk_i,
    input  logic                          clk_on_i,
    input  logic                          rst_ni,
    input  logic [                   4:0] csb_sel_i,
    input  logic                          csb_write_i,
    input  logic [                   9:0] csb_addr_i,
    input  logic [                  31:0] csb_wdata_i,
    output logic [                  31:0] csb_rdata_o,
    output mif_rd_req_t                   dat_mif_o,
    input  mif_rd_rsp_t                   dat_mif_i,
    output mif_rd_req_t                   wt_mif_o,
    input  mif_rd_rsp_t                   wt_mif_i,
    output logic [                   1:0] dat_done_intr_o,
    output logic [                   1:0] wt_done_intr_o,
    output logic                          cacc_valid_o,
    input  logic                          cacc_ready_i,
    output logic [SdpBsThroughput*32-1:0] cacc_data_o,
    output logic [                   1:0] done_intr_o,
    // What CDMA writes into CBUF, and when CSC sends atoms to CMAC.
    output cbuf_wr_t                      dat_wr_o,
    output cbuf_wr_t                      wt_wr_o,
    output logic                          atom_valid_o,
    // Functions of nvdla_cacc_pkg: f_acc_i + f_sum_i, the same of the low bits for a high kernel of INT8, the result of
    // the first.
    input  logic [       CaccAccBits-1:0] f_acc_i,
    input  logic [       CaccSumBits-1:0] f_sum_i,
    input  logic [                   4:0] f_truncate_i,
    output logic [       CaccAccBits-1:0] f_acc_o,
    output logic [    CaccNarrowBits-1:0] f_narrow_o,
    output logic [                  31:0] f_deliver_o,
    output logic                          f_saturates_o
);
  logic signed [CaccAccBits-1:0] f_acc;
  assign f_acc         = cacc_accumulate(f_acc_i, f_sum_i);
  assign f_acc_o       = f_acc;
  assign f_narrow_o    = cacc_accumulate_narrow(f_acc_i[CaccNarrowBits-1:0], f_sum_i[ConvInt8Bits-1:0]);
  assign f_deliver_o   = cacc_deliver(f_acc, f_truncate_i);
  assign f_saturates_o = cacc_saturates(f_acc, f_truncate_i);

  cdma2csc_t cdma2csc;
  csc2cdma_t csc2cdma;
  logic [31:0] cdma_rdata, csc_rdata, cmac_a_rdata, cmac_b_rdata, cacc_rdata;
  assign csb_rdata_o = cdma_rdata | csc_rdata | cmac_a_rdata | cmac_b_rdata | cacc_rdata;

  nvdla_cdma u_cdma (
      .csb_req_i  (csb_sel_i[0]),
      .csb_rdata_o(cdma_rdata),
      .csc_o      (cdma2csc),
      .csc_i      (csc2cdma),
      .*
  );

  cbuf_rd_t dat_rd, dat_rd_next, wt_rd, mask_rd;
  logic [EntryBits-1:0] dat_rd_data, dat_rd_next_data, wt_rd_data, mask_rd_data;

  nvdla_cbuf u_cbuf (
      .dat_wr_i          (dat_wr_o),
      .wt_wr_i           (wt_wr_o),
      .dat_rd_i          (dat_rd),
      .dat_rd_data_o     (dat_rd_data),
      .dat_rd_next_i     (dat_rd_next),
      .dat_rd_next_data_o(dat_rd_next_data),
      .wt_rd_i           (wt_rd),
      .wt_rd_data_o      (wt_rd_data),
      .mask_rd_i         (mask_rd),
      .mask_rd_data_o    (mask_rd_data),
      .*
  );

  logic clk, csc_work, cmac_a_work, cmac_b_work, cacc_work, cmac_a_run, cmac_b_run, cacc_run, credit_valid;
  logic atom_stripe_start, atom_stripe_end, atom_channel_end, atom_layer_end, wt_valid;
  logic [ConvAtomBits-1:0] atom_data, wt_data;
  logic [ConvCells-1:0] wt_sel_a, wt_sel_b;
  logic a_valid, a_stripe_end, a_channel_end, a_layer_end, unused_a_start, unused_b_valid;
  logic [3:0] unused_b_flags;
  logic [ConvCells*ConvSumBits-1:0] a_sum, b_sum;

  nvdla_clock_gate u_clock (
      .on_i  (clk_on_i),
      .work_i(csc_work || cmac_a_work || cmac_b_work || cacc_work),
      .clk_o (clk),
      .*
  );

  nvdla_csc u_csc (
      .clk_i              (clk),
      .csb_req_i          (csb_sel_i[1]),
      .csb_rdata_o        (csc_rdata),
      .work_o             (csc_work),
      .cmac_a_run_i       (cmac_a_run),
      .cmac_b_run_i       (cmac_b_run),
      .cacc_run_i         (cacc_run),
      .cdma_i             (cdma2csc),
      .cdma_o             (csc2cdma),
      .dat_rd_o           (dat_rd),
      .dat_rd_data_i      (dat_rd_data),
      .dat_rd_next_o      (dat_rd_next),
      .dat_rd_next_data_i (dat_rd_next_data),
      .wt_rd_o            (wt_rd),
      .wt_rd_data_i       (wt_rd_data),
      .mask_rd_o          (mask_rd),
      .mask_rd_data_i     (mask_rd_data),
      .atom_data_o        (atom_data),
      .atom_stripe_start_o(atom_stripe_start),
      .atom_stripe_end_o  (atom_stripe_end),
      .atom_channel_end_o (atom_channel_end),
      .atom_layer_end_o   (atom_layer_end),
      .wt_valid_o         (wt_valid),
      .wt_sel_a_o         (wt_sel_a),
      .wt_sel_b_o         (wt_sel_b),
      .wt_data_o          (wt_data),
      .credit_valid_i     (credit_valid),
      .*
  );

  nvdla_cmac u_cmac_a (
      .clk_i              (clk),
      .csb_req_i          (csb_sel_i[2]),
      .csb_rdata_o        (cmac_a_rdata),
      .work_o             (cmac_a_work),
      .run_o              (cmac_a_run),
      .atom_valid_i       (atom_valid_o),
      .atom_data_i        (atom_data),
      .atom_stripe_start_i(atom_stripe_start),
      .atom_stripe_end_i  (atom_stripe_end),
      .atom_channel_end_i (atom_channel_end),
      .atom_layer_end_i   (atom_layer_end),
      .wt_valid_i         (wt_valid),
      .wt_sel_i           (wt_sel_a),
      .wt_data_i          (wt_data),
      .valid_o            (a_valid),
      .sum_o              (a_sum),
      .stripe_start_o     (unused_a_start),
      .stripe_end_o       (a_stripe_end),
      .channel_end_o      (a_channel_end),
      .layer_end_o        (a_layer_end),
      .*
  );

  nvdla_cmac u_cmac_b (
      .clk_i              (clk),
      .csb_req_i          (csb_sel_i[3]),
      .csb_rdata_o        (cmac_b_rdata),
      .work_o             (cmac_b_work),
      .run_o              (cmac_b_run),
      .atom_valid_i       (atom_valid_o),
      .atom_data_i        (atom_data),
      .atom_stripe_start_i(atom_stripe_start),
      .atom_stripe_end_i  (atom_stripe_end),
      .atom_channel_end_i (atom_channel_end),
      .atom_layer_end_i   (atom_layer_end),
      .wt_valid_i         (wt_valid),
      .wt_sel_i           (wt_sel_b),
      .wt_data_i          (wt_data),
      .valid_o            (unused_b_valid),
      .sum_o              (b_sum),
      .stripe_start_o     (unused_b_flags[3]),
      .stripe_end_o       (unused_b_flags[2]),
      .channel_end_o      (unused_b_flags[1]),
      .layer_end_o        (unused_b_flags[0]),
      .*
  );

  nvdla_cacc u_cacc (
      .clk_i         (clk),
      .csb_req_i     (csb_sel_i[4]),
      .csb_rdata_o   (cacc_rdata),
      .work_o        (cacc_work),
      .run_o         (cacc_run),
      .valid_i       (a_valid),
      .sum_a_i       (a_sum),
      .sum_b_i       (b_sum),
      .stripe_end_i  (a_stripe_end),
      .channel_end_i (a_channel_end),
      .layer_end_i   (a_layer_end),
      .credit_valid_o(credit_valid),
      .*
  );
endmodule
