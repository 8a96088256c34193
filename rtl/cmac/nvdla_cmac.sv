// CMAC unit (CMAC_A or CMAC_B): half of the AtomicK MAC cells with their register window.
//
// Atoms and weights come from CSC without back-pressure. Every atom gives one sum per cell ConvSumClocks later, with
// the atom's flags. wt_sel_i is one-hot over the cells. The layer ends with the atom flagged stripe end and layer end.
// Spec: 40-convolution-core, sections 4.3, 7.2, 8.2 and 9.1.
`include "nvdla_check.svh"
module nvdla_cmac
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                                  clk_i,
    input  logic                                  rst_ni,
    input  logic                                  csb_req_i,
    input  logic                                  csb_write_i,
    input  logic [               CsbAddrBits-1:0] csb_addr_i,
    input  logic [                          31:0] csb_wdata_i,
    output logic [                          31:0] csb_rdata_o,
    output logic                                  work_o,  // to the clock gate: the clock has to run
    output logic                                  run_o,
    // From CSC.
    input  logic                                  atom_valid_i,
    input  logic [              ConvAtomBits-1:0] atom_data_i,
    input  logic                                  atom_stripe_start_i,
    input  logic                                  atom_stripe_end_i,
    input  logic                                  atom_channel_end_i,
    input  logic                                  atom_layer_end_i,
    input  logic                                  wt_valid_i,
    input  logic [                 ConvCells-1:0] wt_sel_i,
    input  logic [              ConvAtomBits-1:0] wt_data_i,
    // To CACC.
    output logic                                  valid_o,
    output logic [ConvCells-1:0][ConvSumBits-1:0] sum_o,
    output logic                                  stripe_start_o,
    output logic                                  stripe_end_o,
    output logic                                  channel_end_o,
    output logic                                  layer_end_o
);
  localparam int DataWords = CmacAWords - CmacAFirstD;

  logic unused_group, armed, done, valid_q, swap, sums_wait;
  logic last_valid, last_stripe_end, last_layer_end;  // a clock before the sums
  logic [ConvSumClocks-2:0] stages;                   // there is an atom in stage s + 1
  logic [3:0] flags_q;
  logic [DataWords*32-1:0] d_flat;
  logic [ConvAtomBits-1:0] data_q;

  // The windows of CMAC_A and CMAC_B are alike.
  nvdla_reg_group #(
      .Words    (CmacAWords),
      .FirstD   (CmacAFirstD),
      .WriteMask(CmacAWriteMask),
      .Reset    (CmacAReset),
      .StatMask (CmacAStatMask)
  ) u_registers (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .req_i  (csb_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(csb_rdata_o),
      .run_o  (run_o),
      .group_o(unused_group),
      .armed_o(armed),
      .d_o    (d_flat),
      .done_i (done),
      .stat_i ((DataWords * 32)'(0))
  );

  assign work_o = csb_req_i || armed || sums_wait;

  assign done = last_valid && last_stripe_end && last_layer_end;
  assign swap = atom_valid_i && atom_stripe_start_i;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= atom_valid_i;

  always_ff @(posedge clk_i)
    if (atom_valid_i) begin
      data_q  <= atom_data_i;
      flags_q <= {atom_stripe_start_i, atom_stripe_end_i, atom_channel_end_i, atom_layer_end_i};
    end

  nvdla_cmac_stages u_stages (
      .clk_i,
      .rst_ni,
      .valid_i          (valid_q),
      .flags_i          (flags_q),
      .work_o           (sums_wait),
      .stage_o          (stages),
      .last_valid_o     (last_valid),
      .last_stripe_end_o(last_stripe_end),
      .last_layer_end_o (last_layer_end),
      .valid_o,
      .flags_o          ({stripe_start_o, stripe_end_o, channel_end_o, layer_end_o})
  );

  // A cell's weights are those of one stripe operation; one that was not loaded gives 0.
  if (LaneBytes == 1) begin : gen_int8
    for (genvar c = 0; c < ConvCells; c++) begin : gen_cell
      nvdla_cmac_cell u_cell (
          .clk_i   (clk_i),
          .rst_ni  (rst_ni),
          .load_i  (wt_valid_i && wt_sel_i[c]),
          .weight_i(wt_data_i),
          .swap_i  (swap),
          .valid_i (stages),
          .data_i  (data_q),
          .sum_o   (sum_o[c])
      );
    end
    wire unused_d = &{1'b0, d_flat};
  end else begin : gen_mixed
    nvdla_cmac_mixed u_cells (
        .clk_i,
        .rst_ni,
        .d_i     (d_flat),
        .load_i  (wt_valid_i ? wt_sel_i : '0),
        .weight_i(wt_data_i),
        .swap_i  (swap),
        .valid_i (valid_q),
        .data_i  (data_q),
        .sum_o
    );
    wire unused_stages = &{1'b0, stages};  // of its own
  end

  `NVDLA_PARAM(ClocksLegal, ConvSumClocks >= 2)
  `NVDLA_CHECK(OneCellLoads, !wt_valid_i || `NVDLA_ONEHOT0(wt_sel_i))
  `NVDLA_CHECK(AtomsOnlyInLayer, !(atom_valid_i || valid_q) || run_o)

`ifdef NVDLA_CHECKS
  // Each atom's flags come out with its sums, ConvSumClocks later; stripes begin and end, and all their atoms are of
  // one operation.
  logic in_stripe_q, ends_q;
  logic [ConvSumClocks-1:0] valid_seen_q;
  logic [3:0] flags, flags_seen_q[0:ConvSumClocks-1];
  assign flags = {atom_stripe_start_i, atom_stripe_end_i, atom_channel_end_i, atom_layer_end_i};
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      in_stripe_q  <= 1'b0;
      valid_seen_q <= '0;
    end else begin
      valid_seen_q <= {valid_seen_q[ConvSumClocks-2:0], atom_valid_i};
      if (atom_valid_i) in_stripe_q <= !atom_stripe_end_i;
    end
  always_ff @(posedge clk_i) begin
    flags_seen_q[0] <= flags;
    for (int stage = 1; stage < ConvSumClocks; stage++) flags_seen_q[stage] <= flags_seen_q[stage-1];
    if (atom_valid_i) ends_q <= atom_channel_end_i;
  end
  `NVDLA_CHECK(SumForEachAtom, valid_o == valid_seen_q[ConvSumClocks-1])
  `NVDLA_CHECK(FlagsOfTheAtom, !valid_o ||
               {stripe_start_o, stripe_end_o, channel_end_o, layer_end_o} == flags_seen_q[ConvSumClocks-1])
  `NVDLA_CHECK(StripeBeginsAfterEnd, !atom_valid_i || atom_stripe_start_i == !in_stripe_q)
  `NVDLA_FINAL(NoAtomAtTheEnd, !in_stripe_q && valid_seen_q == '0)
  `NVDLA_CHECK(StripeIsOfOneOperation, !(atom_valid_i && in_stripe_q) || atom_channel_end_i == ends_q)
`endif
endmodule
