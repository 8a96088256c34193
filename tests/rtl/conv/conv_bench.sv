// Bench top: CSC, both CMAC units, CACC and CBUF connected as in NV_nvdla, with CDMA's and SDP's side as ports, and the
// arithmetic of CACC as plain functions.
//
// csb_sel_i is one-hot: CSC, CMAC_A, CMAC_B, CACC.
module conv_bench
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
  import nvdla_cacc_pkg::*;
(
    input  logic                          clk_i,
    input  logic                          clk_on_i,
    input  logic                          rst_ni,
    input  logic [                   3:0] csb_sel_i,
    input  logic                          csb_write_i,
    input  logic [                   9:0] csb_addr_i,
    input  logic [                  31:0] csb_wdata_i,
    output logic [                  31:0] csb_rdata_o,
    input  logic                          dat_wr_valid_i,
    input  logic [      CbufAddrBits-1:0] dat_wr_addr_i,
    input  logic [          SlotBits-1:0] dat_wr_slot_i,
    input  logic [          AtomBits-1:0] dat_wr_data_i,
    input  logic                          wt_wr_valid_i,
    input  logic [      CbufAddrBits-1:0] wt_wr_addr_i,
    input  logic [          SlotBits-1:0] wt_wr_slot_i,
    input  logic [          AtomBits-1:0] wt_wr_data_i,
    input  logic                          dat_up_valid_i,
    input  logic [                  14:0] dat_up_entries_i,
    input  logic [                  13:0] dat_up_slices_i,
    input  logic                          wt_up_valid_i,
    input  logic [                  13:0] wt_up_kernels_i,
    input  logic [                  14:0] wt_up_entries_i,
    output logic                          dat_rl_valid_o,
    output logic [                  14:0] dat_rl_entries_o,
    output logic [                  13:0] dat_rl_slices_o,
    output logic                          wt_rl_valid_o,
    output logic [                  14:0] wt_rl_entries_o,
    output logic                          mask_rl_valid_o,
    output logic [                  14:0] mask_rl_entries_o,
    output logic                          dat_pending_req_o,
    input  logic                          dat_pending_ack_i,
    output logic                          wt_pending_req_o,
    input  logic                          wt_pending_ack_i,
    output logic                          cacc_valid_o,
    input  logic                          cacc_ready_i,
    output logic [SdpBsThroughput*32-1:0] cacc_data_o,
    output logic [                   1:0] done_intr_o,
    // What CSC sends to CMAC. Flags: stripe start, stripe end, channel end, layer end.
    output logic                          atom_valid_o,
    output logic [                   3:0] atom_flags_o,
    output logic [      ConvAtomBits-1:0] atom_data_o,
    output logic                          wt_valid_o,
    output logic [       2*ConvCells-1:0] wt_sel_o,
    output logic [      ConvAtomBits-1:0] wt_data_o,
    // Functions of nvdla_cacc_pkg, in configurations that have INT8 only.
    input  logic [                  33:0] f_acc_i,
    input  logic [                  31:0] f_sum_i,
    input  logic [                   4:0] f_truncate_i,
    output logic [                  33:0] f_acc_o,
    output logic [                  31:0] f_deliver_o,
    output logic                          f_saturates_o
);
  logic cmac_a_run, cmac_b_run, cacc_run, credit_valid;
  logic [31:0] csc_rdata, cmac_a_rdata, cmac_b_rdata, cacc_rdata;
  cbuf_wr_t dat_wr, wt_wr;
  cbuf_rd_t dat_rd, dat_rd_next, wt_rd, mask_rd;
  cdma2csc_t cdma2csc;
  csc2cdma_t csc2cdma;
  logic [EntryBits-1:0] dat_rd_data, dat_rd_next_data, wt_rd_data, mask_rd_data;
  logic atom_valid, atom_stripe_start, atom_stripe_end, atom_channel_end, atom_layer_end, wt_valid;
  logic [EntryBits-1:0] atom_data, wt_data;
  logic [ConvCells-1:0] wt_sel_a, wt_sel_b;
  logic a_valid, a_stripe_end, a_channel_end, a_layer_end, unused_a_start, unused_b_valid;
  logic [3:0] unused_b_flags;
  logic [ConvCells*ConvSumBits-1:0] a_sum, b_sum;

  assign csb_rdata_o = csc_rdata | cmac_a_rdata | cmac_b_rdata | cacc_rdata;
  assign atom_valid_o = atom_valid;
  assign atom_flags_o = {atom_stripe_start, atom_stripe_end, atom_channel_end, atom_layer_end};
  assign atom_data_o = atom_data;
  assign wt_valid_o = wt_valid;
  assign wt_sel_o = {wt_sel_b, wt_sel_a};
  assign wt_data_o = wt_data;

  if (LaneBytes == 1) begin : gen_functions
    logic signed [CaccAccBits-1:0] f_acc;
    logic signed [ConvSumBits-1:0] f_sum;
    assign f_sum = f_sum_i[ConvSumBits-1:0];
    assign f_acc = cacc_accumulate(f_acc_i, f_sum);
    assign f_acc_o = f_acc;
    assign f_deliver_o = cacc_deliver(f_acc, f_truncate_i);
    assign f_saturates_o = cacc_saturates(f_acc, f_truncate_i);
    wire unused = &{1'b0, f_sum_i};
  end else begin : gen_no_functions
    assign f_acc_o = '0;
    assign f_deliver_o = '0;
    assign f_saturates_o = 1'b0;
    wire unused = &{1'b0, f_acc_i, f_sum_i, f_truncate_i};
  end

  // One atom a clock, the first of those that the ports of CBUF take.
  assign dat_wr.valid = CbufWrAtoms'(dat_wr_valid_i);
  assign dat_wr.addr  = (CbufWrAtoms * CbufAddrBits)'(dat_wr_addr_i);
  assign dat_wr.slot  = (CbufWrAtoms * SlotBits)'(dat_wr_slot_i);
  assign dat_wr.clear = '0;
  assign dat_wr.data  = (CbufWrAtoms * AtomBits)'(dat_wr_data_i);
  assign wt_wr.valid  = CbufWrAtoms'(wt_wr_valid_i);
  assign wt_wr.addr   = (CbufWrAtoms * CbufAddrBits)'(wt_wr_addr_i);
  assign wt_wr.slot   = (CbufWrAtoms * SlotBits)'(wt_wr_slot_i);
  assign wt_wr.clear  = '0;
  assign wt_wr.data   = (CbufWrAtoms * AtomBits)'(wt_wr_data_i);
  assign cdma2csc = {
    dat_up_valid_i, dat_up_entries_i, dat_up_slices_i, wt_up_valid_i, wt_up_kernels_i, wt_up_entries_i,
    dat_pending_ack_i, wt_pending_ack_i
  };
  assign {dat_rl_valid_o, dat_rl_entries_o, dat_rl_slices_o, wt_rl_valid_o, wt_rl_entries_o, mask_rl_valid_o,
      mask_rl_entries_o,
      dat_pending_req_o, wt_pending_req_o} = csc2cdma;

  nvdla_cbuf u_cbuf (
      .clk_i             (clk_i),
      .clk_on_i          (clk_on_i),
      .dat_wr_i          (dat_wr),
      .wt_wr_i           (wt_wr),
      .dat_rd_i          (dat_rd),
      .dat_rd_data_o     (dat_rd_data),
      .dat_rd_next_i     (dat_rd_next),
      .dat_rd_next_data_o(dat_rd_next_data),
      .wt_rd_i           (wt_rd),
      .wt_rd_data_o      (wt_rd_data),
      .mask_rd_i         (mask_rd),
      .mask_rd_data_o    (mask_rd_data)
  );

  logic clk, csc_work, cmac_a_work, cmac_b_work, cacc_work;

  nvdla_clock_gate u_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(csc_work || cmac_a_work || cmac_b_work || cacc_work),
      .clk_o (clk)
  );

  nvdla_csc u_csc (
      .clk_i              (clk),
      .clk_on_i           (clk_on_i),
      .rst_ni             (rst_ni),
      .csb_req_i          (csb_sel_i[0]),
      .csb_write_i        (csb_write_i),
      .csb_addr_i         (csb_addr_i),
      .csb_wdata_i        (csb_wdata_i),
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
      .atom_valid_o       (atom_valid),
      .atom_data_o        (atom_data),
      .atom_stripe_start_o(atom_stripe_start),
      .atom_stripe_end_o  (atom_stripe_end),
      .atom_channel_end_o (atom_channel_end),
      .atom_layer_end_o   (atom_layer_end),
      .wt_valid_o         (wt_valid),
      .wt_sel_a_o         (wt_sel_a),
      .wt_sel_b_o         (wt_sel_b),
      .wt_data_o          (wt_data),
      .credit_valid_i     (credit_valid)
  );

  nvdla_cmac u_cmac_a (
      .clk_i              (clk),
      .rst_ni             (rst_ni),
      .csb_req_i          (csb_sel_i[1]),
      .csb_write_i        (csb_write_i),
      .csb_addr_i         (csb_addr_i),
      .csb_wdata_i        (csb_wdata_i),
      .csb_rdata_o        (cmac_a_rdata),
      .work_o             (cmac_a_work),
      .run_o              (cmac_a_run),
      .atom_valid_i       (atom_valid),
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
      .layer_end_o        (a_layer_end)
  );

  nvdla_cmac u_cmac_b (
      .clk_i              (clk),
      .rst_ni             (rst_ni),
      .csb_req_i          (csb_sel_i[2]),
      .csb_write_i        (csb_write_i),
      .csb_addr_i         (csb_addr_i),
      .csb_wdata_i        (csb_wdata_i),
      .csb_rdata_o        (cmac_b_rdata),
      .work_o             (cmac_b_work),
      .run_o              (cmac_b_run),
      .atom_valid_i       (atom_valid),
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
      .layer_end_o        (unused_b_flags[0])
  );

  nvdla_cacc u_cacc (
      .clk_i         (clk),
      .rst_ni        (rst_ni),
      .csb_req_i     (csb_sel_i[3]),
      .csb_write_i   (csb_write_i),
      .csb_addr_i    (csb_addr_i),
      .csb_wdata_i   (csb_wdata_i),
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
      .cacc_valid_o  (cacc_valid_o),
      .cacc_ready_i  (cacc_ready_i),
      .cacc_data_o   (cacc_data_o),
      .done_intr_o   (done_intr_o)
  );
endmodule
