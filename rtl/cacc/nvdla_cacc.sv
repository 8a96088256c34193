// CACC: accumulates the sums of the stripe operations, rounds the final ones and delivers them to SDP.
//
// A stripe has at most ConvStripeMax atoms, the same number in each of its operations; the first operation after a
// channel end starts from 0. Accumulators and delivery buffer are nvdla_cacc_lanes or, with 16-bit precisions,
// nvdla_cacc_cells; with NVDLA_FAST_FORMS nvdla_cacc_int8 or nvdla_cacc_mixed, which simulate faster; with
// NVDLA_BOTH_FORMS the hardware works and the fast form is compared with it in every clock. CSC sends final atoms only
// if it has credits: one for each row of the buffer, returned by credit_valid_o when SDP has taken the row.
// The group is released when the layer's last row is in the buffer; done_intr_o follows when SDP has accepted the
// layer's last element.
// Spec: 40-convolution-core, sections 4.6, 7.3, 8.2, 8.3, 9.4 and 9.7.
`include "nvdla_check.svh"
`ifndef NVDLA_CACC_D_UNUSED
`include "nvdla_unused.svh"
`endif
`ifdef NVDLA_BOTH_FORMS
  `define NVDLA_CACC_HARDWARE
  `define NVDLA_CACC_FAST
`elsif NVDLA_FAST_FORMS
  `define NVDLA_CACC_FAST
`else
  `define NVDLA_CACC_HARDWARE
`endif
module nvdla_cacc
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             csb_req_i,
    input  logic                             csb_write_i,
    input  logic [          CsbAddrBits-1:0] csb_addr_i,
    input  logic [                     31:0] csb_wdata_i,
    output logic [                     31:0] csb_rdata_o,
    output logic                             work_o,  // to the clock gate: the clock has to run
    output logic                             run_o,
    // From CMAC: cells of A come before the cells of B; the flags come with A.
    input  logic                             valid_i,
    input  logic [ConvCells*ConvSumBits-1:0] sum_a_i,
    input  logic [ConvCells*ConvSumBits-1:0] sum_b_i,
    input  logic                             stripe_end_i,
    input  logic                             channel_end_i,
    input  logic                             layer_end_i,
    output logic                             credit_valid_o,
    // To SDP.
    output logic                             cacc_valid_o,
    input  logic                             cacc_ready_i,
    output logic [   SdpBsThroughput*32-1:0] cacc_data_o,
    // One clock per finished layer, by group.
    output logic [                      1:0] done_intr_o
);
  localparam int DataWords = CaccWords - CaccFirstD;
  localparam int AtomShift = $clog2(MemAtom);

  // ---- registers ----------------------------------------------------------------------------------------------------
  logic unused_group, armed, done;
  logic [DataWords*32-1:0] d_flat, stat;
  logic [31:0] count_q, count_d;
  cacc_d_t d;
  assign d = d_flat;
  assign stat = (DataWords * 32)'(count_d) << ((CaccDOutSaturation - CaccFirstD) * 32);

  nvdla_reg_group #(
      .Words    (CaccWords),
      .FirstD   (CaccFirstD),
      .WriteMask(CaccWriteMask),
      .Reset    (CaccReset),
      .StatMask (CaccStatMask)
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
      .stat_i (stat)
  );

  // ---- accumulators and delivery buffer -----------------------------------------------------------------------------
  logic [ConvStripeBits-1:0] position_q, next_position;
  logic fresh_q;      // the next operation is the first of a stripe
  logic final_valid;  // final results are written to the buffer
  logic final_last;   // they are the layer's last ones
  logic layer_taken;  // SDP takes the layer's last element
  logic [7:0] clipped;
  logic [ConvRowBits:0] rows;  // that wait for SDP

  assign next_position = stripe_end_i ? '0 : position_q + 1'b1;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      position_q <= '0;
      fresh_q    <= 1'b1;
    end else if (valid_i) begin
      position_q <= next_position;
      if (stripe_end_i) fresh_q <= channel_end_i;
    end

  logic credit_valid, out_valid;
  logic [SdpBsThroughput*32-1:0] out_data;
  assign credit_valid_o = credit_valid;
  assign cacc_valid_o = out_valid;
  assign cacc_data_o = out_data;
`ifdef NVDLA_CACC_FAST
  logic fast_final_valid, fast_final_last, fast_layer_taken, fast_credit_valid, fast_out_valid;
  logic [7:0] fast_clipped;
  logic [ConvRowBits:0] fast_rows;
  logic [SdpBsThroughput*32-1:0] fast_out_data;
`endif

  if (LaneBytes == 1) begin : gen_int8
`ifdef NVDLA_CACC_HARDWARE
    nvdla_cacc_lanes u_lanes (
        .clk_i,
        .rst_ni,
        .truncate_i    (d.clip_truncate),
        .valid_i,
        .sums_i        ({sum_b_i, sum_a_i}),
        .position_i    (position_q),
        .fresh_i       (fresh_q),
        .channel_end_i,
        .last_i        (stripe_end_i && layer_end_i),
        .final_valid_o (final_valid),
        .final_last_o  (final_last),
        .clipped_o     (clipped),
        .rows_o        (rows),
        .layer_taken_o (layer_taken),
        .credit_valid_o(credit_valid),
        .cacc_valid_o  (out_valid),
        .cacc_ready_i,
        .cacc_data_o   (out_data)
    );
`endif
`ifdef NVDLA_CACC_FAST
    nvdla_cacc_int8 u_sums (
        .clk_i,
        .rst_ni,
        .truncate_i    (d.clip_truncate),
        .valid_i,
        .sums_i        ({sum_b_i, sum_a_i}),
        .position_i    (position_q),
        .fresh_i       (fresh_q),
        .channel_end_i,
        .last_i        (stripe_end_i && layer_end_i),
        .final_valid_o (fast_final_valid),
        .final_last_o  (fast_final_last),
        .clipped_o     (fast_clipped),
        .rows_o        (fast_rows),
        .layer_taken_o (fast_layer_taken),
        .credit_valid_o(fast_credit_valid),
        .cacc_valid_o  (fast_out_valid),
        .cacc_ready_i,
        .cacc_data_o   (fast_out_data)
    );
`endif
    // There is one precision, and neither Winograd nor batches.
    wire unused_modes = &{1'b0, d.proc_precision, d.conv_mode, d.batches, d.dataout_width, d.dataout_height,
        d.dataout_addr, d.line_stride,
        d.surf_stride};
  end else begin : gen_mixed
    logic tile;
    logic [1:0] precision;
    logic [4:0] batches;
    assign precision = built_precision(d.proc_precision);
    assign tile = Winograd != 0 && d.conv_mode[0];
    assign batches = (BatchMax > 1) ? d.batches : '0;
`ifdef NVDLA_CACC_HARDWARE
    nvdla_cacc_cells u_cells (
        .clk_i,
        .rst_ni,
        .precision_i   (precision),
        .tile_i        (tile),
        .truncate_i    (d.clip_truncate),
        .batches_i     (batches),
        .width_i       (d.dataout_width),
        .height_i      (d.dataout_height),
        .odd_i         ({d.surf_stride[AtomShift], d.line_stride[AtomShift], d.dataout_addr[AtomShift]}),
        .valid_i,
        .sums_i        ({sum_b_i, sum_a_i}),
        .position_i    (position_q),
        .next_i        (next_position),
        .fresh_i       (fresh_q),
        .channel_end_i,
        .last_i        (stripe_end_i && layer_end_i),
        .final_valid_o (final_valid),
        .final_last_o  (final_last),
        .clipped_o     (clipped),
        .rows_o        (rows),
        .layer_taken_o (layer_taken),
        .credit_valid_o(credit_valid),
        .cacc_valid_o  (out_valid),
        .cacc_ready_i,
        .cacc_data_o   (out_data)
    );
`endif
`ifdef NVDLA_CACC_FAST
    nvdla_cacc_mixed u_sums (
        .clk_i,
        .rst_ni,
        .precision_i   (precision),
        .tile_i        (tile),
        .truncate_i    (d.clip_truncate),
        .batches_i     (batches),
        .width_i       (d.dataout_width),
        .height_i      (d.dataout_height),
        .odd_i         ({d.surf_stride[AtomShift], d.line_stride[AtomShift], d.dataout_addr[AtomShift]}),
        .valid_i,
        .sums_i        ({sum_b_i, sum_a_i}),
        .position_i    (position_q),
        .fresh_i       (fresh_q),
        .channel_end_i,
        .last_i        (stripe_end_i && layer_end_i),
        .final_valid_o (fast_final_valid),
        .final_last_o  (fast_final_last),
        .clipped_o     (fast_clipped),
        .rows_o        (fast_rows),
        .layer_taken_o (fast_layer_taken),
        .credit_valid_o(fast_credit_valid),
        .cacc_valid_o  (fast_out_valid),
        .cacc_ready_i,
        .cacc_data_o   (fast_out_data)
    );
`endif
    wire unused_strides = &{1'b0, d.surf_stride, d.line_stride, d.dataout_addr};  // one bit alone counts
  end

`ifdef NVDLA_CACC_FAST
`ifdef NVDLA_CACC_HARDWARE
  `NVDLA_CHECK(FormsAgree,
               {final_valid, layer_taken, credit_valid, out_valid, rows} ==
               {fast_final_valid, fast_layer_taken, fast_credit_valid, fast_out_valid, fast_rows} &&
               (!final_valid || {final_last, clipped} == {fast_final_last, fast_clipped}) &&
               (!out_valid || out_data == fast_out_data))
`ifndef NVDLA_CHECKS
  wire unused_forms = &{1'b0, fast_final_valid, fast_final_last, fast_layer_taken, fast_credit_valid, fast_out_valid,
      fast_clipped, fast_rows, fast_out_data};
`endif
`else
  assign final_valid = fast_final_valid;
  assign final_last = fast_final_last;
  assign clipped = fast_clipped;
  assign rows = fast_rows;
  assign layer_taken = fast_layer_taken;
  assign credit_valid = fast_credit_valid;
  assign out_valid = fast_out_valid;
  assign out_data = fast_out_data;
`endif
`endif

  assign done = final_valid && final_last;
  assign work_o = csb_req_i || armed || final_valid || rows != '0;

  logic toggle_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      toggle_q    <= 1'b0;
      done_intr_o <= '0;
    end else begin
      if (layer_taken) toggle_q <= ~toggle_q;
      done_intr_o <= {layer_taken && toggle_q, layer_taken && !toggle_q};
    end

  // ---- saturation counter: restarts with a layer's first final atom, unless that is its last one as well ------------
  logic first_q, count_base;
  assign count_base = !first_q || final_last;
  assign count_d = (count_base && count_q > 32'hffff_ffff - 32'(clipped)) ? '1 :
      (count_base ? count_q : '0) + 32'(clipped);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      count_q <= '0;
      first_q <= 1'b1;
    end else if (final_valid) begin
      count_q <= count_d;
      first_q <= final_last;
    end

  wire unused_d = &{1'b0, `NVDLA_CACC_D_UNUSED(d)};  // names and reasons: rtl/unused_fields.csv

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_STABLE(OutputStable, cacc_valid_o, cacc_ready_i, cacc_data_o)
  `NVDLA_CHECK(AtomsOnlyInLayer, !(valid_i || final_valid) || run_o)
  `NVDLA_CHECK(InterruptOfOneGroup, `NVDLA_ONEHOT0(done_intr_o))

`ifdef NVDLA_CHECKS
  // The operations of a stripe have the same number of atoms.
  int atoms_q, stripe_q;
  logic first_operation_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      atoms_q           <= 0;
      stripe_q          <= 0;
      first_operation_q <= 1'b1;
    end else if (valid_i) begin
      atoms_q <= stripe_end_i ? 0 : atoms_q + 1;
      if (stripe_end_i) begin
        stripe_q          <= atoms_q + 1;
        first_operation_q <= channel_end_i;
      end
    end
  `NVDLA_CHECK(StripeFits, !valid_i || atoms_q < ConvStripeMax)
  `NVDLA_CHECK(PositionCounts, !valid_i || 32'(position_q) == atoms_q)
  `NVDLA_CHECK(OperationsOfOneLength, !valid_i || first_operation_q || stripe_end_i == (atoms_q + 1 == stripe_q))
  `NVDLA_CHECK(FirstOperationStartsFromZero, !valid_i || fresh_q == first_operation_q)

  // An interrupt for each layer whose last element has been taken, by group.
  logic layers_q, ends_q, end_group_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      layers_q    <= 1'b0;
      ends_q      <= 1'b0;
      end_group_q <= 1'b0;
    end else begin
      ends_q      <= layer_taken;
      end_group_q <= layers_q;
      if (layer_taken) layers_q <= ~layers_q;
    end
  `NVDLA_CHECK(InterruptWithLastElement, done_intr_o == {ends_q && end_group_q, ends_q && !end_group_q})
`endif
endmodule
`undef NVDLA_CACC_HARDWARE
`undef NVDLA_CACC_FAST
