// A layer of CSC: its registers, their true values, and its life from the handshake with CDMA to the last atom.
//
// Begin (release of data that the previous layer left and this one does not reuse) -> pending handshake with
// CDMA if a bank register changed -> until CMAC_A, CMAC_B and CACC run -> operations -> drain -> done. The group is
// released DrainClocks after the last atom, when CMAC and CACC have ended the layer.
// Spec: 40-convolution-core, sections 4 to 8; 30-cdma-cbuf, section 9.
`include "nvdla_check.svh"
`ifndef NVDLA_CSC_D_UNUSED
`include "nvdla_unused.svh"
`endif
module nvdla_csc_layer
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      step_clk_i,  // runs when a layer begins, starts or is done
    input  logic                      rst_ni,
    input  logic                      csb_req_i,
    input  logic                      csb_write_i,
    input  logic [   CsbAddrBits-1:0] csb_addr_i,
    input  logic [              31:0] csb_wdata_i,
    output logic [              31:0] csb_rdata_o,
    output logic                      armed_o,
    // A layer is active there.
    input  logic                      cmac_a_run_i,
    input  logic                      cmac_b_run_i,
    input  logic                      cacc_run_i,
    // Clocks in which a layer begins, starts its operations, has sent its last atom, is done.
    output logic                      begins_o,
    output logic                      start_o,
    input  logic                      last_atom_i,
    output logic                      done_o,
    // Handshake with CDMA after which both start with empty banks.
    output logic                      dat_pending_req_o,
    output logic                      wt_pending_req_o,
    input  logic                      dat_pending_ack_i,
    input  logic                      wt_pending_ack_i,
    output logic                      clear_data_o,
    output logic                      clear_weight_o,
    // What the previous layer kept and this one does not reuse.
    output logic                      drop_data_o,
    output logic                      drop_weight_o,
    output logic [      SizeBits-1:0] last_left_o,
    output logic [      SizeBits-1:0] last_kernels_o,
    output logic [EntryCountBits-1:0] last_left_entries_o,
    output logic [EntryCountBits-1:0] last_weight_entries_o,
    output logic [EntryCountBits-1:0] last_mask_entries_o,
    // True values, taken over when the layer begins.
    output logic                      image_o,
    output logic                      skip_data_o,
    output logic                      skip_weight_o,
    output logic                      compressed_o,
    // What configurations without 16-bit precisions do not have: constants there.
    output logic                      wide_o,  // 16 bits
    output logic                      fp16_o,
    output logic                      winograd_o,
    output logic [               1:0] truncate_o,      // PRA_TRUNCATE
    output logic [               4:0] batches_o,       // minus 1
    output logic [               3:0] rows_taken_o,    // rows of results of an atom
    output logic [     ConvRowBits:0] room_o,          // and those that must be free when it leaves
    output logic [  ConvKernelBits:0] group_o,         // kernels
    output logic [    ConvLaneBits:0] block_o,         // channels
    output logic [  ConvStripeBits:0] stripe_most_o,   // positions
    output logic [  ConvStripeBits:0] stripe_least_o,  // positions
    output logic [EntryCountBits-1:0] line_entries_o,  // of all batches
    output logic [               2:0] rows_o,
    output logic [              26:0] positions_o,
    output logic [      SizeBits-1:0] runs_o,
    output logic [      SizeBits-1:0] kernels_o,
    output logic [      SizeBits-1:0] channels_o,
    output logic [      SizeBits-1:0] block_step_o,
    output logic [      SizeBits-1:0] height_o,
    output logic [               4:0] kernel_width_o,
    output logic [               4:0] kernel_height_o,
    output logic [               4:0] pad_left_o,
    output logic [               4:0] pad_top_o,
    output logic [               5:0] dilation_x_o,
    output logic [               5:0] dilation_y_o,
    output logic [               5:0] step_x_o,
    output logic [               3:0] step_y_o,
    output logic [              12:0] width_o,
    output logic [              12:0] out_width_o,
    output logic [              15:0] pad_value_o,
    output logic [EntryCountBits-1:0] entries_o,
    output logic [EntryCountBits-1:0] data_ring_o,
    output logic [EntryCountBits-1:0] weight_ring_o,
    output logic [EntryCountBits-1:0] release_entries_o,
    output logic [EntryCountBits-1:0] tap_step_o,  // entries from a row of kernels to the next one
    output logic [      SizeBits-1:0] release_slices_o
);
  localparam int DataWords = CscWords - CscFirstD;
  localparam logic [2:0] DrainClocks = 3'd7;

  typedef enum logic [2:0] {
    StateIdle,
    StatePend,  // handshake with CDMA
    StateWait,  // for CMAC and CACC
    StateRun,   // operations
    StateDrain  // CMAC and CACC end the layer
  } state_e;

  // ---- registers of the layer ---------------------------------------------------------------------------------------
  logic run, unused_group;
  logic [DataWords*32-1:0] d_flat;
  csc_d_t d;
  assign d = d_flat;

  nvdla_reg_group #(
      .Words    (CscWords),
      .FirstD   (CscFirstD),
      .WriteMask(CscWriteMask),
      .Reset    (CscReset),
      .StatMask (CscStatMask)
  ) u_registers (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .req_i  (csb_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(csb_rdata_o),
      .run_o  (run),
      .group_o(unused_group),
      .armed_o(armed_o),
      .d_o    (d_flat),
      .done_i (done_o),
      .stat_i ((DataWords * 32)'(0))
  );

  logic [3:0] pixel_step;
  logic [5:0] step_x;
  logic [2:0] rows;
  logic by_line;  // stripes end with the output line: groups of `rows` positions do not cross it
  logic image, winograd;
  assign winograd = Winograd != 0 && d.conv_mode;
  assign image = d.datain_format && !winograd;
  assign pixel_step = !image ? 4'd1 : (d.datain_channel_ext[1:0] == 2'd3) ? 4'd4 : (d.datain_channel_ext[1:0] == 2'd2) ?
      4'd3 : 4'd1;
  assign step_x = winograd ? 6'd1 : 6'({3'b0, d.conv_x_stride_ext} + 6'd1) * 6'(pixel_step);
  assign rows = (!image || d.y_extension == 2'd0) ? 3'd1 : (d.y_extension == 2'd1) ? 3'd2 : 3'd4;
  assign by_line = rows != 3'd1 && d.dataout_width >= 13'(ConvLoads - 1);

  // ---- life of a layer ----------------------------------------------------------------------------------------------
  state_e state_q;
  logic [2:0] drain_q;
  logic bank_changed, data_bank_changed, pend_data_q, acknowledged;
  logic [4:0] last_data_bank_q, last_weight_bank_q;
  logic last_image_q, last_skip_weight_q, last_winograd_q;
  logic [SizeBits-1:0] left_slices_q;
  logic [EntryCountBits-1:0] left_entries_q, weight_entries_q;
  logic first_q;  // no layer since reset: the bank registers count as changed

  assign begins_o = state_q == StateIdle && run;
  assign start_o = state_q == StateWait && cmac_a_run_i && cmac_b_run_i && cacc_run_i;
  assign done_o = state_q == StateDrain && drain_q == DrainClocks;
  assign data_bank_changed = first_q || d.data_bank != last_data_bank_q;
  assign bank_changed = data_bank_changed || d.weight_bank != last_weight_bank_q;

  // What the previous layer kept and this one does not reuse. A pending handshake clears the counters on both sides
  // instead.
  assign drop_data_o = begins_o && !data_bank_changed && last_left_o != '0 &&
      (!d.data_reuse || image != last_image_q || winograd != last_winograd_q);
  assign drop_weight_o = begins_o && !bank_changed && last_skip_weight_q && !d.weight_reuse;

  assign wt_pending_req_o = state_q == StatePend;
  assign dat_pending_req_o = state_q == StatePend && pend_data_q;
  assign clear_weight_o = wt_pending_req_o && wt_pending_ack_i;
  assign clear_data_o = dat_pending_req_o && dat_pending_ack_i;
  assign acknowledged = clear_weight_o && (!pend_data_q || dat_pending_ack_i);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      state_q            <= StateIdle;
      drain_q            <= '0;
      first_q            <= 1'b1;
      pend_data_q        <= 1'b0;
      last_data_bank_q   <= '1;
      last_weight_bank_q <= '1;
      last_image_q       <= 1'b0;
      last_skip_weight_q <= 1'b0;
      last_left_o        <= '0;
    end else begin
      case (state_q)
        StateIdle:
        if (run) begin
          if (bank_changed) state_q <= StatePend;
          else state_q <= StateWait;
          pend_data_q <= data_bank_changed;
        end
        StatePend: if (acknowledged) state_q <= StateWait;
        StateWait: if (start_o) state_q <= StateRun;
        StateRun: if (last_atom_i) state_q <= StateDrain;
        StateDrain: if (done_o) state_q <= StateIdle;
        default: ;  // check StateLegal
      endcase
      drain_q <= (state_q == StateDrain) ? drain_q + 3'd1 : '0;
      if (done_o) begin
        first_q            <= 1'b0;
        last_data_bank_q   <= d.data_bank;
        last_weight_bank_q <= d.weight_bank;
        last_image_q       <= image_o;
        last_skip_weight_q <= skip_weight_o;
        last_left_o        <= left_slices_q;
      end
    end

  always_ff @(posedge step_clk_i) begin
    if (begins_o) begin
      image_o         <= image;
      skip_data_o     <= d.skip_data_rls;
      skip_weight_o   <= d.skip_weight_rls;
      rows_o          <= rows;
      if (winograd) positions_o <= 27'(d.atomics[20:2]) + 27'd1;
      else if (!image) positions_o <= 27'(d.atomics) + 27'd1;
      else positions_o <= (27'(d.dataout_width) + 27'd1) * (by_line ? 27'd1 : 27'(d.dataout_height) + 27'd1);
      runs_o          <= by_line ? SizeBits'(d.dataout_height) + 1'b1 : SizeBits'(1);
      kernels_o       <= SizeBits'(d.weight_kernel) + 1'b1;
      channels_o      <= SizeBits'(d.weight_channel_ext) + 1'b1;
      block_step_o    <= image ? SizeBits'(1) : (SizeBits'(d.datain_width_ext) + 1'b1) >> (winograd ? 2 : 0);
      kernel_width_o  <= d.weight_width_ext;
      kernel_height_o <= d.weight_height_ext;
      pad_left_o      <= (image || winograd) ? 5'd0 : d.pad_left;
      pad_top_o       <= winograd ? 5'd0 : d.pad_top;
      pad_value_o     <= d.pad_value;
      dilation_x_o    <= 6'(d.x_dilation_ext) + 6'd1;
      dilation_y_o    <= 6'(d.y_dilation_ext) + 6'd1;
      step_x_o        <= step_x;
      step_y_o        <= winograd ? 4'd4 : 4'(d.conv_y_stride_ext) + 4'd1;
      width_o         <= d.datain_width_ext;
      height_o        <= SizeBits'(d.datain_height_ext) + 1'b1;
      out_width_o     <= d.dataout_width;
      entries_o       <= EntryCountBits'(d.entries) + 1'b1;
      data_ring_o     <= (EntryCountBits'(d.data_bank) + 1'b1) * EntryCountBits'(BankEntries);
      weight_ring_o   <= (EntryCountBits'(d.weight_bank) + 1'b1) * EntryCountBits'(BankEntries);
      weight_entries_q  <= EntryCountBits'(d.weight_bytes >> ConvByteBits);
      release_slices_o  <= SizeBits'(d.rls_slices) + 1'b1;
      left_slices_q     <= SizeBits'(d.datain_height_ext) - (d.skip_data_rls ? '1 : SizeBits'(d.rls_slices));
    end
    if (start_o) begin
      release_entries_o <= line_entries_o * EntryCountBits'(release_slices_o);
      left_entries_q    <= line_entries_o * EntryCountBits'(left_slices_q);
      tap_step_o        <= image_o ? line_entries_o << rows_o[2:1] : line_entries_o * EntryCountBits'(dilation_y_o);
    end
    if (done_o) begin
      last_left_entries_o   <= left_entries_q;
      last_weight_entries_o <= weight_entries_q;
      last_kernels_o        <= kernels_o;
    end
  end

  if (LaneBytes == 2) begin : gen_modes
    logic wide;
    logic [1:0] precision;
    logic [5:0] batches;     // true value
    logic [3:0] rows_taken;  // of 16 results
    assign batches = (BatchMax > 1 && !d.datain_format && !winograd) ? 6'(d.batches) + 6'd1 : 6'd1;
    assign precision = built_precision(d.proc_precision);
    assign wide = precision != PrecisionInt8;
    assign rows_taken = winograd ? (wide ? 4'd4 : 4'd8) : (wide ? 4'd1 : 4'd2);
    always_ff @(posedge step_clk_i) begin
      if (begins_o) begin
        wide_o         <= wide;
        fp16_o         <= precision == PrecisionFp16;
        winograd_o     <= winograd;
        truncate_o     <= d.pra_truncate;
        batches_o      <= 5'(batches - 6'd1);
        rows_taken_o   <= rows_taken;
        // With batches CACC keeps places free between the rows of a column for those of the next one.
        room_o         <= (ConvRowBits + 1)'(rows_taken) *
            (batches == 6'd1 ? (ConvRowBits + 1)'(1) : (ConvRowBits + 1)'(batches) + 1'b1);
        group_o        <= (ConvKernelBits + 1)'(wide ? AtomicK / 2 : AtomicK);
        block_o        <= (ConvLaneBits + 1)'(winograd ? 4 : AtomicC);
        // The results of a Winograd stripe fill the delivery buffer at most, so that the next stripe runs while they
        // leave.
        stripe_most_o  <= winograd ? (ConvStripeBits + 1)'(ConvStripeMax / 2) :
            conv_positions(ConvStripeMax, 5'(batches - 6'd1));
        stripe_least_o <= conv_positions(ConvLoads - 1, 5'(batches - 6'd1)) + 1'b1;
        line_entries_o <= (EntryCountBits'(d.entries) + 1'b1) * EntryCountBits'(batches);
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) last_winograd_q <= 1'b0;
      else if (done_o) last_winograd_q <= winograd_o;
  end else begin : gen_int8
    assign wide_o          = 1'b0;
    assign fp16_o          = 1'b0;
    assign winograd_o      = 1'b0;
    assign last_winograd_q = 1'b0;
    assign truncate_o      = 2'd0;
    assign batches_o       = 5'd0;
    assign rows_taken_o    = 4'd1;
    assign room_o          = (ConvRowBits + 1)'(1);
    assign group_o         = (ConvKernelBits + 1)'(AtomicK);
    assign block_o         = (ConvLaneBits + 1)'(AtomicC);
    assign stripe_most_o   = (ConvStripeBits + 1)'(ConvStripeMax);
    assign stripe_least_o  = (ConvStripeBits + 1)'(ConvLoads);
    assign line_entries_o  = entries_o;
    wire unused_modes = &{1'b0, d.proc_precision, d.pra_truncate, d.batches};
  end

  // ---- mask bits of compressed weights ------------------------------------------------------------------------------
  if (WeightCompression != 0) begin : gen_mask
    logic [EntryCountBits-1:0] mask_entries_q;
    always_ff @(posedge step_clk_i) begin
      if (begins_o) begin
        compressed_o   <= d.weight_format;
        mask_entries_q <= d.weight_format ? EntryCountBits'(d.wmb_bytes >> ConvByteBits) : '0;
      end
      if (done_o) last_mask_entries_o <= mask_entries_q;
    end
  end else begin : gen_no_mask
    assign compressed_o        = 1'b0;
    assign last_mask_entries_o = '0;
    wire unused_mask = &{1'b0, d.weight_format, d.wmb_bytes};
  end

  wire unused_registers = &{1'b0, `NVDLA_CSC_D_UNUSED(d)};  // names and reasons: rtl/unused_fields.csv

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_CHECK(StateLegal, state_q <= StateDrain)
`ifdef NVDLA_CHECKS
  logic running;  // seen by checks of nvdla_csc
  assign running = state_q == StateRun;
`endif
  `NVDLA_FINAL(IdleAtTheEnd, state_q == StateIdle)
  `NVDLA_CHECK_OTHERS(LayerOnlyWhileOthersRun,
                      state_q != StateRun || (run && cmac_a_run_i && cmac_b_run_i && cacc_run_i))
  `NVDLA_CHECK(PendingTogether, !dat_pending_req_o || wt_pending_req_o)
  `NVDLA_CHECK_OTHERS(AcknowledgedTogether, !dat_pending_ack_i || wt_pending_ack_i)
endmodule
