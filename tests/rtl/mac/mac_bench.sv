// Bench top: both CMAC units and CACC connected as in NV_nvdla, with CSC's and SDP's side as ports.
//
// csb_sel_i is one-hot: CMAC_A, CMAC_B, CACC. sum_*_o: what the units send to CACC. credits_o, stripe_o: what CSC knows
// of CACC.
module mac_bench
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
  import nvdla_cacc_pkg::*;
(
    input  logic                             clk_i,
    input  logic                             clk_on_i,
    input  logic                             rst_ni,
    input  logic [                      2:0] csb_sel_i,
    input  logic                             csb_write_i,
    input  logic [                      9:0] csb_addr_i,
    input  logic [                     31:0] csb_wdata_i,
    output logic [                     31:0] csb_rdata_o,
    output logic                             run_o,  // all three units have a layer
    input  logic                             atom_valid_i,
    input  logic [         ConvAtomBits-1:0] atom_data_i,
    input  logic [                      3:0] atom_flags_i,  // {stripe start, stripe end, channel end, layer end}
    input  logic                             wt_valid_i,
    input  logic [          2*ConvCells-1:0] wt_sel_i,
    input  logic [         ConvAtomBits-1:0] wt_data_i,
    output logic                             sum_valid_o,
    output logic [ConvCells*ConvSumBits-1:0] sum_a_o,
    output logic [ConvCells*ConvSumBits-1:0] sum_b_o,
    output logic                             credit_valid_o,
    output logic                             cacc_valid_o,
    input  logic                             cacc_ready_i,
    output logic [   SdpBsThroughput*32-1:0] cacc_data_o,
    output logic [                      1:0] done_intr_o,
    output logic [                     31:0] credits_o,
    output logic [                     31:0] stripe_o,
    // Functions of nvdla_cacc_pkg: f_acc_i + f_sum_i, the same of the low bits for a high kernel of INT8, the result of
    // the first.
    input  logic [                     47:0] f_acc_i,
    input  logic [                     37:0] f_sum_i,
    input  logic [                      4:0] f_truncate_i,
    output logic [                     47:0] f_acc_o,
    output logic [       CaccNarrowBits-1:0] f_narrow_o,
    output logic [                     31:0] f_deliver_o,
    output logic                             f_saturates_o
);
  assign credits_o = ConvRows;
  assign stripe_o = ConvStripeMax;

  logic signed [CaccAccBits-1:0] f_acc;
  assign f_acc = cacc_accumulate(f_acc_i, f_sum_i);
  assign f_acc_o = f_acc;
  assign f_narrow_o = cacc_accumulate_narrow(f_acc_i[CaccNarrowBits-1:0], f_sum_i[ConvInt8Bits-1:0]);
  assign f_deliver_o = cacc_deliver(f_acc, f_truncate_i);
  assign f_saturates_o = cacc_saturates(f_acc, f_truncate_i);

  logic clk, cmac_a_work, cmac_b_work, cacc_work, cmac_a_run, cmac_b_run, cacc_run;
  logic [31:0] cmac_a_rdata, cmac_b_rdata, cacc_rdata;
  logic stripe_end, channel_end, layer_end, unused_start, unused_valid;
  logic [3:0] unused_flags;

  assign csb_rdata_o = cmac_a_rdata | cmac_b_rdata | cacc_rdata;
  assign run_o = cmac_a_run && cmac_b_run && cacc_run;

  nvdla_clock_gate u_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(cmac_a_work || cmac_b_work || cacc_work || atom_valid_i || wt_valid_i),
      .clk_o (clk)
  );

  nvdla_cmac u_cmac_a (
      .clk_i              (clk),
      .rst_ni             (rst_ni),
      .csb_req_i          (csb_sel_i[0]),
      .csb_write_i        (csb_write_i),
      .csb_addr_i         (csb_addr_i),
      .csb_wdata_i        (csb_wdata_i),
      .csb_rdata_o        (cmac_a_rdata),
      .work_o             (cmac_a_work),
      .run_o              (cmac_a_run),
      .atom_valid_i       (atom_valid_i),
      .atom_data_i        (atom_data_i),
      .atom_stripe_start_i(atom_flags_i[3]),
      .atom_stripe_end_i  (atom_flags_i[2]),
      .atom_channel_end_i (atom_flags_i[1]),
      .atom_layer_end_i   (atom_flags_i[0]),
      .wt_valid_i         (wt_valid_i && wt_sel_i[ConvCells-1:0] != '0),
      .wt_sel_i           (wt_sel_i[ConvCells-1:0]),
      .wt_data_i          (wt_data_i),
      .valid_o            (sum_valid_o),
      .sum_o              (sum_a_o),
      .stripe_start_o     (unused_start),
      .stripe_end_o       (stripe_end),
      .channel_end_o      (channel_end),
      .layer_end_o        (layer_end)
  );

  nvdla_cmac u_cmac_b (
      .clk_i              (clk),
      .rst_ni             (rst_ni),
      .csb_req_i          (csb_sel_i[1]),
      .csb_write_i        (csb_write_i),
      .csb_addr_i         (csb_addr_i),
      .csb_wdata_i        (csb_wdata_i),
      .csb_rdata_o        (cmac_b_rdata),
      .work_o             (cmac_b_work),
      .run_o              (cmac_b_run),
      .atom_valid_i       (atom_valid_i),
      .atom_data_i        (atom_data_i),
      .atom_stripe_start_i(atom_flags_i[3]),
      .atom_stripe_end_i  (atom_flags_i[2]),
      .atom_channel_end_i (atom_flags_i[1]),
      .atom_layer_end_i   (atom_flags_i[0]),
      .wt_valid_i         (wt_valid_i && wt_sel_i[2*ConvCells-1:ConvCells] != '0),
      .wt_sel_i           (wt_sel_i[2*ConvCells-1:ConvCells]),
      .wt_data_i          (wt_data_i),
      .valid_o            (unused_valid),
      .sum_o              (sum_b_o),
      .stripe_start_o     (unused_flags[3]),
      .stripe_end_o       (unused_flags[2]),
      .channel_end_o      (unused_flags[1]),
      .layer_end_o        (unused_flags[0])
  );

  nvdla_cacc u_cacc (
      .clk_i         (clk),
      .rst_ni        (rst_ni),
      .csb_req_i     (csb_sel_i[2]),
      .csb_write_i   (csb_write_i),
      .csb_addr_i    (csb_addr_i),
      .csb_wdata_i   (csb_wdata_i),
      .csb_rdata_o   (cacc_rdata),
      .work_o        (cacc_work),
      .run_o         (cacc_run),
      .valid_i       (sum_valid_o),
      .sum_a_i       (sum_a_o),
      .sum_b_i       (sum_b_o),
      .stripe_end_i  (stripe_end),
      .channel_end_i (channel_end),
      .layer_end_i   (layer_end),
      .credit_valid_o(credit_valid_o),
      .cacc_valid_o  (cacc_valid_o),
      .cacc_ready_i  (cacc_ready_i),
      .cacc_data_o   (cacc_data_o),
      .done_intr_o   (done_intr_o)
  );
endmodule
