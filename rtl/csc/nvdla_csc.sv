// CSC: convolution sequence controller. Reads input and weights of a layer from CBUF and feeds CMAC_A and CMAC_B.
//
//   sequence -> operations -> data reader ----> atoms   --+--> CMAC_A, CMAC_B
//                         \-> weight reader --> weights --+
//                          \-> mask reader (compressed weights) -> weight reader
//
// Both readers run ahead into queues. An operation's first atom leaves when the weights of its cells are in CMAC's
// shadow registers; the weights of the next operation follow from that clock on. Every atom of an operation that ends a
// channel operation takes the credits of its rows of results, which CACC returns when SDP has taken them.
// Layer: begin (release of data that the previous layer left and this one does not reuse) -> pending handshake with
// CDMA if a bank register changed -> until CMAC_A, CMAC_B and CACC run -> operations -> drain -> done. The group is
// released DrainClocks after the last atom, when CMAC and CACC have ended the layer.
// Spec: 40-convolution-core, sections 4 to 8; 30-cdma-cbuf, section 9.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
`ifndef NVDLA_CSC_D_UNUSED
`include "nvdla_unused.svh"
`endif
module nvdla_csc
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   clk_on_i,  // keeps all clocks running
    input  logic                   rst_ni, csb_req_i, csb_write_i,
    input  logic [CsbAddrBits-1:0] csb_addr_i,
    input  logic [           31:0] csb_wdata_i,
    output logic [           31:0] csb_rdata_o,
    output logic                   work_o,  // to the clock gate: the clock has to run
    // A layer is active there.
    input  logic                   cmac_a_run_i, cmac_b_run_i, cacc_run_i,
    // Accounting with CDMA.
    input  cdma2csc_t              cdma_i,
    output csc2cdma_t              cdma_o,
    // CBUF.
    output cbuf_rd_t               dat_rd_o,
    input  logic [  EntryBits-1:0] dat_rd_data_i,
    output cbuf_rd_t               dat_rd_next_o,
    input  logic [  EntryBits-1:0] dat_rd_next_data_i,
    output cbuf_rd_t               wt_rd_o,
    input  logic [  EntryBits-1:0] wt_rd_data_i,
    output cbuf_rd_t               mask_rd_o,
    input  logic [  EntryBits-1:0] mask_rd_data_i,
    // To both CMAC units.
    output logic                   atom_valid_o,
    output logic [  EntryBits-1:0] atom_data_o,
    output logic                   atom_stripe_start_o, atom_stripe_end_o, atom_channel_end_o,
    output logic                   atom_layer_end_o, wt_valid_o,
    output logic [  ConvCells-1:0] wt_sel_a_o, wt_sel_b_o,
    output logic [  EntryBits-1:0] wt_data_o,
    // From CACC.
    input  logic                   credit_valid_i
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
  logic run, unused_group, armed, done;
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
      .armed_o(armed),
      .d_o    (d_flat),
      .done_i (done),
      .stat_i ((DataWords * 32)'(0))
  );

  assign work_o = csb_req_i || armed || cdma_i.dat_valid || cdma_i.wt_valid || credit_valid_i;

  // True values, taken over when the layer begins.
  logic image_q, skip_data_q, skip_weight_q;
  // What configurations without 16-bit precisions do not have: constants there.
  logic wide_q, fp16_q, winograd_q, last_winograd_q;       // 16 bits; FP16
  logic [1:0] truncate_q;                                  // PRA_TRUNCATE
  logic [4:0] batches_q;                                   // minus 1
  logic [3:0] rows_taken_q;                                // rows of results of an atom
  logic [ConvRowBits:0] room_q;                            // and those that must be free when it leaves
  logic [ConvKernelBits:0] group_q;                        // kernels
  logic [ConvLaneBits:0] block_q;                          // channels
  logic [ConvStripeBits:0] stripe_most_q, stripe_least_q;  // positions
  logic [EntryCountBits-1:0] line_entries_q;               // of all batches
  logic [2:0] rows_q;
  logic [26:0] positions_q;
  logic [SizeBits-1:0] runs_q, kernels_q, channels_q, block_step_q, height_q;
  logic [4:0] kernel_width_q, kernel_height_q, pad_left_q, pad_top_q;
  logic [5:0] dilation_x_q, dilation_y_q, step_x_q;
  logic [3:0] step_y_q;
  logic [12:0] width_q, out_width_q;
  logic [15:0] pad_value_q;
  logic [EntryCountBits-1:0] entries_q, data_ring_q, weight_ring_q, release_entries_q, left_entries_q, weight_entries_q;
  logic [EntryCountBits-1:0] tap_step_q;  // entries from a row of kernels to the next one
  logic [SizeBits-1:0] release_slices_q, left_slices_q;

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

  logic step_clk;  // of the layer's settings and of the sequence of operations

  // ---- life of a layer ----------------------------------------------------------------------------------------------
  state_e state_q;
  logic [2:0] drain_q;
  logic begins, start, bank_changed, data_bank_changed, pend_data_q;
  logic [4:0] last_data_bank_q, last_weight_bank_q;
  logic last_image_q, last_skip_weight_q;
  logic [SizeBits-1:0] last_left_q, last_kernels_q;
  logic [EntryCountBits-1:0] last_left_entries_q, last_weight_entries_q;
  logic first_q;  // no layer since reset: the bank registers count as changed
  logic drop_data, drop_weight, clear_data, clear_weight, acknowledged, last_atom, read_done;

  assign begins = state_q == StateIdle && run;
  assign start = state_q == StateWait && cmac_a_run_i && cmac_b_run_i && cacc_run_i;
  assign done = state_q == StateDrain && drain_q == DrainClocks;
  assign data_bank_changed = first_q || d.data_bank != last_data_bank_q;
  assign bank_changed = data_bank_changed || d.weight_bank != last_weight_bank_q;

  // What the previous layer kept and this one does not reuse. A pending handshake clears the counters on both sides
  // instead.
  assign drop_data = begins && !data_bank_changed && last_left_q != '0 &&
      (!d.data_reuse || image != last_image_q || winograd != last_winograd_q);
  assign drop_weight = begins && !bank_changed && last_skip_weight_q && !d.weight_reuse;

  // Released entries, slices and masks.
  logic dat_rl_valid_q, wt_rl_valid_q, mask_rl_valid;
  logic [EntryCountBits-1:0] dat_rl_entries_q, wt_rl_entries_q, mask_rl_entries;
  logic [SizeBits-1:0] dat_rl_slices_q;
  assign cdma_o.dat_valid = dat_rl_valid_q;
  assign cdma_o.dat_entries = dat_rl_entries_q;
  assign cdma_o.dat_slices = dat_rl_slices_q;
  assign cdma_o.wt_valid = wt_rl_valid_q;
  assign cdma_o.wt_entries = wt_rl_entries_q;
  assign cdma_o.mask_valid = mask_rl_valid;
  assign cdma_o.mask_entries = mask_rl_entries;

  assign cdma_o.wt_pending_req = state_q == StatePend;
  assign cdma_o.dat_pending_req = state_q == StatePend && pend_data_q;
  assign clear_weight = cdma_o.wt_pending_req && cdma_i.wt_pending_ack;
  assign clear_data = cdma_o.dat_pending_req && cdma_i.dat_pending_ack;
  assign acknowledged = clear_weight && (!pend_data_q || cdma_i.dat_pending_ack);

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
      last_left_q        <= '0;
    end else begin
      case (state_q)
        StateIdle:
        if (run) begin
          if (bank_changed) state_q <= StatePend;
          else state_q <= StateWait;
          pend_data_q <= data_bank_changed;
        end
        StatePend: if (acknowledged) state_q <= StateWait;
        StateWait: if (start) state_q <= StateRun;
        StateRun: if (last_atom) state_q <= StateDrain;
        StateDrain: if (done) state_q <= StateIdle;
        default: ;  // check StateLegal
      endcase
      drain_q <= (state_q == StateDrain) ? drain_q + 3'd1 : '0;
      if (done) begin
        first_q            <= 1'b0;
        last_data_bank_q   <= d.data_bank;
        last_weight_bank_q <= d.weight_bank;
        last_image_q       <= image_q;
        last_skip_weight_q <= skip_weight_q;
        last_left_q        <= left_slices_q;
      end
    end

  always_ff @(posedge step_clk) begin
    if (begins) begin
      image_q         <= image;
      skip_data_q     <= d.skip_data_rls;
      skip_weight_q   <= d.skip_weight_rls;
      rows_q          <= rows;
      if (winograd) positions_q <= 27'(d.atomics[20:2]) + 27'd1;
      else if (!image) positions_q <= 27'(d.atomics) + 27'd1;
      else positions_q <= (27'(d.dataout_width) + 27'd1) * (by_line ? 27'd1 : 27'(d.dataout_height) + 27'd1);
      runs_q          <= by_line ? SizeBits'(d.dataout_height) + 1'b1 : SizeBits'(1);
      kernels_q       <= SizeBits'(d.weight_kernel) + 1'b1;
      channels_q      <= SizeBits'(d.weight_channel_ext) + 1'b1;
      block_step_q    <= image ? SizeBits'(1) : (SizeBits'(d.datain_width_ext) + 1'b1) >> (winograd ? 2 : 0);
      kernel_width_q  <= d.weight_width_ext;
      kernel_height_q <= d.weight_height_ext;
      pad_left_q      <= (image || winograd) ? 5'd0 : d.pad_left;
      pad_top_q       <= winograd ? 5'd0 : d.pad_top;
      pad_value_q     <= d.pad_value;
      dilation_x_q    <= 6'(d.x_dilation_ext) + 6'd1;
      dilation_y_q    <= 6'(d.y_dilation_ext) + 6'd1;
      step_x_q        <= step_x;
      step_y_q        <= winograd ? 4'd4 : 4'(d.conv_y_stride_ext) + 4'd1;
      width_q         <= d.datain_width_ext;
      height_q        <= SizeBits'(d.datain_height_ext) + 1'b1;
      out_width_q     <= d.dataout_width;
      entries_q       <= EntryCountBits'(d.entries) + 1'b1;
      data_ring_q     <= (EntryCountBits'(d.data_bank) + 1'b1) * EntryCountBits'(BankEntries);
      weight_ring_q   <= (EntryCountBits'(d.weight_bank) + 1'b1) * EntryCountBits'(BankEntries);
      weight_entries_q  <= EntryCountBits'(d.weight_bytes >> ConvByteBits);
      release_slices_q  <= SizeBits'(d.rls_slices) + 1'b1;
      left_slices_q     <= SizeBits'(d.datain_height_ext) - (d.skip_data_rls ? '1 : SizeBits'(d.rls_slices));
    end
    if (start) begin
      release_entries_q <= line_entries_q * EntryCountBits'(release_slices_q);
      left_entries_q    <= line_entries_q * EntryCountBits'(left_slices_q);
      tap_step_q        <= image_q ? line_entries_q << rows_q[2:1] : line_entries_q * EntryCountBits'(dilation_y_q);
    end
    if (done) begin
      last_left_entries_q   <= left_entries_q;
      last_weight_entries_q <= weight_entries_q;
      last_kernels_q        <= kernels_q;
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
    always_ff @(posedge step_clk) begin
      if (begins) begin
        wide_q         <= wide;
        fp16_q         <= precision == PrecisionFp16;
        winograd_q     <= winograd;
        truncate_q     <= d.pra_truncate;
        batches_q      <= 5'(batches - 6'd1);
        rows_taken_q   <= rows_taken;
        // With batches CACC keeps places free between the rows of a column for those of the next one.
        room_q         <= (ConvRowBits + 1)'(rows_taken) *
            (batches == 6'd1 ? (ConvRowBits + 1)'(1) : (ConvRowBits + 1)'(batches) + 1'b1);
        group_q        <= (ConvKernelBits + 1)'(wide ? AtomicK / 2 : AtomicK);
        block_q        <= (ConvLaneBits + 1)'(winograd ? 4 : AtomicC);
        // The results of a Winograd stripe fill the delivery buffer at most, so that the next stripe runs while they
        // leave.
        stripe_most_q  <= winograd ? (ConvStripeBits + 1)'(ConvStripeMax / 2) :
            conv_positions(ConvStripeMax, 5'(batches - 6'd1));
        stripe_least_q <= conv_positions(ConvLoads - 1, 5'(batches - 6'd1)) + 1'b1;
        line_entries_q <= (EntryCountBits'(d.entries) + 1'b1) * EntryCountBits'(batches);
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) last_winograd_q <= 1'b0;
      else if (done) last_winograd_q <= winograd_q;
  end else begin : gen_int8
    assign wide_q          = 1'b0;
    assign fp16_q          = 1'b0;
    assign winograd_q      = 1'b0;
    assign last_winograd_q = 1'b0;
    assign truncate_q      = 2'd0;
    assign batches_q       = 5'd0;
    assign rows_taken_q    = 4'd1;
    assign room_q          = (ConvRowBits + 1)'(1);
    assign group_q         = (ConvKernelBits + 1)'(AtomicK);
    assign block_q         = (ConvLaneBits + 1)'(AtomicC);
    assign stripe_most_q   = (ConvStripeBits + 1)'(ConvStripeMax);
    assign stripe_least_q  = (ConvStripeBits + 1)'(ConvLoads);
    assign line_entries_q  = entries_q;
    wire unused_modes = &{1'b0, d.proc_precision, d.pra_truncate, d.batches};
  end

  // ---- balance of CBUF and release ----------------------------------------------------------------------------------
  logic [SizeBits-1:0] slices_q, kernels_avl_q, take_kernels;
  logic [EntryCountBits-1:0] base_q, moved;
  logic slices_ok_q, take_valid, drop, group_rl_valid;
  logic [EntryCountBits-1:0] group_rl_entries;

  // What CDMA reports.
  logic dat_up_valid, wt_up_valid;
  logic [SizeBits-1:0] dat_up_slices, wt_up_kernels;

  assign dat_up_valid = cdma_i.dat_valid;
  assign dat_up_slices = cdma_i.dat_slices;
  assign wt_up_valid = cdma_i.wt_valid;
  assign wt_up_kernels = cdma_i.wt_kernels;
  assign drop = read_done && !skip_data_q;
  assign moved = drop_data ? last_left_entries_q : release_entries_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      slices_q       <= '0;
      kernels_avl_q  <= '0;
      base_q         <= '0;
      slices_ok_q    <= 1'b0;
      dat_rl_valid_q <= 1'b0;
    end else begin
      dat_rl_valid_q <= drop_data || drop;
      slices_ok_q    <= slices_q >= height_q;
      if (clear_data) begin
        slices_q <= '0;
        base_q   <= '0;
      end else begin
        if (dat_up_valid || drop_data || drop)
          slices_q <= slices_q + (dat_up_valid ? dat_up_slices : '0) -
              (drop_data ? last_left_q : drop ? release_slices_q : '0);
        if (drop_data || drop)
          base_q <= conv_ring({1'b0, base_q} + {1'b0, moved}, data_ring_q);
      end
      if (clear_weight) kernels_avl_q <= '0;
      else if (wt_up_valid || drop_weight || take_valid)
        kernels_avl_q <= kernels_avl_q + (wt_up_valid ? wt_up_kernels : '0) -
            (drop_weight ? last_kernels_q : take_valid ? take_kernels : '0);
    end

  always_ff @(posedge clk_i)
    if (drop_data || drop) begin
      dat_rl_entries_q <= moved;
      dat_rl_slices_q  <= drop_data ? last_left_q : release_slices_q;
    end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) wt_rl_valid_q <= 1'b0;
    else wt_rl_valid_q <= drop_weight || (group_rl_valid && group_rl_entries != '0);

  always_ff @(posedge clk_i) if (drop_weight || group_rl_valid) wt_rl_entries_q <= drop_weight ? last_weight_entries_q :
      group_rl_entries;

  wire unused_entries = &{1'b0, cdma_i.dat_entries, cdma_i.wt_entries};

  // ---- operations ---------------------------------------------------------------------------------------------------
  localparam int DataOpBits = $bits(conv_data_op_t);
  localparam int MaskOpBits = $bits(conv_mask_op_t);
  localparam int WeightOpBits = $bits(conv_weight_op_t);

  logic op_valid, op_ready, op_data_ready, op_weight_ready, op_mask_ready;
  logic [ConvStripeBits:0] op_positions;
  logic [ConvKernelBits-1:0] op_kernels, op_cells;
  logic [ConvLaneBits:0] op_channels, op_weight_channels, op_block_elements;
  logic [ConvByteBits:0] op_elements, op_elements_last;
  logic [2:0] op_rows;
  logic [EntryCountBits-1:0] op_block;
  logic [10:0] op_tap_x, op_tap_y;
  logic op_block_odd, op_block_last, op_stripe_first, op_group_first, op_channel_end, op_group_end, op_layer_end;

  logic paired;  // channel blocks, in an entry of 16-bit lanes
  assign paired = LaneBytes == 2 && !wide_q;

  assign op_ready = op_data_ready && op_weight_ready && op_mask_ready;

  // Elements of a kernel's block; blocks beyond AtomicC elements are illegal and cut. Where lanes have 16 bits, a cell
  // has two kernels at INT8.
  logic [ConvLaneBits+2:0] op_block_all;
  assign op_weight_channels = winograd_q ? (ConvLaneBits + 1)'(AtomicC) : op_channels;
  assign op_block_all = {2'b0, op_weight_channels} + (op_rows > 3'd1 ? {2'b0, op_weight_channels} : '0)
      + (op_rows > 3'd2 ? {2'b0, op_weight_channels} : '0) + (op_rows > 3'd3 ? {2'b0, op_weight_channels} : '0);
  assign op_block_elements = op_block_all > (ConvLaneBits + 3)'(AtomicC) ? (ConvLaneBits + 1)'(AtomicC) :
      op_block_all[ConvLaneBits:0];
  if (LaneBytes == 2) begin : gen_cells
    assign op_cells = wide_q ? op_kernels : op_kernels >> 1;
    assign op_elements = wide_q ? {1'b0, op_block_elements} : {op_block_elements, 1'b0};
    assign op_elements_last = (wide_q || !op_kernels[0]) ? {1'b0, op_block_elements} : {op_block_elements, 1'b0};
  end else begin : gen_kernels
    assign op_cells = op_kernels;
    assign op_elements = op_block_elements;
    assign op_elements_last = op_block_elements;
  end

  nvdla_clock_gate #(
      .After(0)
  ) u_step_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(begins || start || done || (op_valid && op_ready)),
      .clk_o (step_clk)
  );

  nvdla_csc_sequence u_sequence (
      .clk_i          (step_clk),
      .rst_ni         (rst_ni),
      .start_i        (start),
      .image_i        (image_q),
      .flat_i         (image_q || winograd_q),
      .group_i        (group_q),
      .block_i        (block_q),
      .paired_i       (paired),
      .stripe_most_i  (stripe_most_q),
      .stripe_least_i (stripe_least_q),
      .positions_i    (positions_q),
      .runs_i         (runs_q),
      .kernels_i      (kernels_q),
      .channels_i     (channels_q),
      .kernel_width_i (kernel_width_q),
      .kernel_height_i(winograd_q ? 5'd0 : kernel_height_q),
      .rows_i         (rows_q),
      .dilation_x_i   (dilation_x_q),
      .dilation_y_i   (dilation_y_q),
      .block_step_i   (block_step_q),
      .tap_step_i     (tap_step_q),
      .skip_weight_i  (skip_weight_q),
      .slices_ok_i    (slices_ok_q),
      .kernels_avl_i  (kernels_avl_q),
      .take_valid_o   (take_valid),
      .take_kernels_o (take_kernels),
      .valid_o        (op_valid),
      .ready_i        (op_ready),
      .positions_o    (op_positions),
      .kernels_o      (op_kernels),
      .channels_o     (op_channels),
      .rows_o         (op_rows),
      .block_o        (op_block),
      .block_odd_o    (op_block_odd),
      .block_last_o   (op_block_last),
      .tap_x_o        (op_tap_x),
      .tap_y_o        (op_tap_y),
      .stripe_first_o (op_stripe_first),
      .group_first_o  (op_group_first),
      .channel_end_o  (op_channel_end),
      .group_end_o    (op_group_end),
      .layer_end_o    (op_layer_end)
  );

  logic data_op_valid, data_op_ready, weight_op_valid, weight_op_ready;
  logic [DataOpBits-1:0] data_op;
  logic [WeightOpBits-1:0] weight_op;
  logic [MaskOpBits-1:0] op_mask;
  assign op_mask = {op_cells, op_elements, op_elements_last, op_stripe_first, op_group_first, op_group_end};

  nvdla_fifo #(
      .Width(DataOpBits),
      .Depth(4)
  ) u_data_ops (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .in_valid_i (op_valid && op_weight_ready && op_mask_ready),
      .in_ready_o (op_data_ready),
      .in_data_i  ({op_positions, op_channels, op_rows, op_block, op_block_odd, op_block_last, op_tap_x, op_tap_y,
                    op_channel_end,
                    op_group_end, op_layer_end}),
      .out_valid_o(data_op_valid),
      .out_ready_i(data_op_ready),
      .out_data_o (data_op)
  );

  nvdla_fifo #(
      .Width(WeightOpBits),
      .Depth(4)
  ) u_weight_ops (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .in_valid_i (op_valid && op_data_ready && op_mask_ready),
      .in_ready_o (op_weight_ready),
      .in_data_i  ({op_weight_channels, op_block_elements, op_mask}),
      .out_valid_o(weight_op_valid),
      .out_ready_i(weight_op_ready),
      .out_data_o (weight_op)
  );

  // ---- readers ------------------------------------------------------------------------------------------------------
  logic atom_valid, atom_go, atom_start, atom_end, atom_channel_end, atom_layer_end, weight_valid, weight_go,
      weight_last;
  logic [ConvKernelBits-1:0] weight_cell;
  logic [ConvLoads-1:0] weight_sel;
  logic compressed_q, mask_valid, mask_ready;
  logic [EntryBytes-1:0] mask;
  logic [ConvByteBits:0] mask_count;

  conv_stream_t weight_stream;
  assign weight_stream = {start, done, skip_weight_q, clear_weight, drop_weight, last_weight_entries_q};

  nvdla_csc_data u_data (
      .clk_i          (clk_i),
      .clk_on_i       (clk_on_i),
      .rst_ni         (rst_ni),
      .start_i        (start),
      .wide_i         (wide_q),
      .fp16_i         (fp16_q),
      .image_i        (image_q),
      .winograd_i     (winograd_q),
      .truncate_i     (truncate_q),
      .rows_i         (rows_q),
      .batches_i      (batches_q),
      .base_i         (base_q[CbufAddrBits-1:0]),
      .ring_i         (data_ring_q),
      .entries_i      (entries_q),
      .line_entries_i (line_entries_q),
      .width_i        (width_q),
      .height_i       (13'(height_q - 1'b1)),
      .out_width_i    (out_width_q),
      .step_x_i       (step_x_q),
      .step_y_i       (step_y_q),
      .pad_left_i     (pad_left_q),
      .pad_top_i      (pad_top_q),
      .pad_value_i    (pad_value_q),
      .op_valid_i     (data_op_valid),
      .op_ready_o     (data_op_ready),
      .op_i           (data_op),
      .rd_valid_o     (dat_rd_o.valid),
      .rd_addr_o      (dat_rd_o.addr),
      .rd_next_valid_o(dat_rd_next_o.valid),
      .rd_next_addr_o (dat_rd_next_o.addr),
      .rd_data_i      (dat_rd_data_i),
      .rd_next_data_i (dat_rd_next_data_i),
      .read_done_o    (read_done),
      .valid_o        (atom_valid),
      .ready_i        (atom_go),
      .stripe_start_o (atom_start),
      .stripe_end_o   (atom_end),
      .channel_end_o  (atom_channel_end),
      .layer_end_o    (atom_layer_end),
      .data_o         (atom_data_o)
  );

  nvdla_csc_weight u_weight (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .stream_i    (weight_stream),
      .wide_i      (wide_q),
      .rows_i      (rows_q),
      .base_i      (data_ring_q[CbufAddrBits-1:0]),
      .ring_i      (weight_ring_q),
      .op_valid_i  (weight_op_valid),
      .op_ready_o  (weight_op_ready),
      .op_i        (weight_op),
      .compressed_i(compressed_q),
      .mask_valid_i(mask_valid),
      .mask_ready_o(mask_ready),
      .mask_i      (mask),
      .mask_count_i(mask_count),
      .rd_valid_o  (wt_rd_o.valid),
      .rd_addr_o   (wt_rd_o.addr),
      .rd_data_i   (wt_rd_data_i),
      .rl_valid_o  (group_rl_valid),
      .rl_entries_o(group_rl_entries),
      .valid_o     (weight_valid),
      .ready_i     (weight_go),
      .last_o      (weight_last),
      .cell_o      (weight_cell),
      .data_o      (wt_data_o)
  );
  // ---- mask bits of compressed weights ------------------------------------------------------------------------------
  if (WeightCompression != 0) begin : gen_mask
    logic mask_op_valid, mask_op_ready, fifo_ready, group_mask_rl_valid;
    logic [MaskOpBits-1:0] mask_op;
    conv_stream_t mask_stream;
    logic [EntryCountBits-1:0] mask_entries_q, last_mask_entries_q, group_mask_rl_entries;

    always_ff @(posedge clk_i) begin
      if (begins) begin
        compressed_q   <= d.weight_format;
        mask_entries_q <= d.weight_format ? EntryCountBits'(d.wmb_bytes >> ConvByteBits) : '0;
      end
      if (done) last_mask_entries_q <= mask_entries_q;
    end

    assign op_mask_ready = fifo_ready || !compressed_q;
    assign mask_stream = {start, done, skip_weight_q, clear_weight, drop_weight, last_mask_entries_q};

    nvdla_fifo #(
        .Width(MaskOpBits),
        .Depth(4)
    ) u_mask_ops (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .in_valid_i (op_valid && op_data_ready && op_weight_ready && compressed_q),
        .in_ready_o (fifo_ready),
        .in_data_i  (op_mask),
        .out_valid_o(mask_op_valid),
        .out_ready_i(mask_op_ready),
        .out_data_o (mask_op)
    );

    nvdla_csc_mask u_mask (
        .clk_i       (clk_i),
        .rst_ni      (rst_ni),
        .stream_i    (mask_stream),
        .op_valid_i  (mask_op_valid),
        .op_ready_o  (mask_op_ready),
        .op_i        (mask_op),
        .rd_valid_o  (mask_rd_o.valid),
        .rd_addr_o   (mask_rd_o.addr),
        .rd_data_i   (mask_rd_data_i),
        .rl_valid_o  (group_mask_rl_valid),
        .rl_entries_o(group_mask_rl_entries),
        .valid_o     (mask_valid),
        .ready_i     (mask_ready),
        .mask_o      (mask),
        .count_o     (mask_count)
    );

    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) mask_rl_valid <= 1'b0;
      else mask_rl_valid <= drop_weight || group_mask_rl_valid;

    always_ff @(posedge clk_i)
      if (drop_weight || group_mask_rl_valid) mask_rl_entries <= drop_weight ? last_mask_entries_q :
          group_mask_rl_entries;
  end else begin : gen_no_mask
    assign compressed_q      = 1'b0;
    assign op_mask_ready     = 1'b1;
    assign mask_valid        = 1'b0;
    assign mask              = '0;
    assign mask_count        = '0;
    assign mask_rd_o.valid   = 1'b0;
    assign mask_rd_o.addr    = '0;
    assign mask_rl_valid   = 1'b0;
    assign mask_rl_entries = '0;
    wire unused_mask = &{1'b0, mask_ready, mask_rd_data_i, d.weight_format, d.wmb_bytes};
  end

  // ---- to CMAC ------------------------------------------------------------------------------------------------------
  logic loaded_q;  // the shadow registers hold all weights of the next operation
  logic [ConvRowBits:0] credits_q;

  assign atom_go = atom_valid && (!atom_start || loaded_q) && (!atom_channel_end || credits_q >= room_q);
  assign weight_go = weight_valid && (!loaded_q || (atom_go && atom_start));
  assign last_atom = atom_go && atom_end && atom_layer_end;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      loaded_q  <= 1'b0;
      credits_q <= (ConvRowBits + 1)'(ConvRows);
    end else begin
      if (weight_go) loaded_q <= weight_last;
      else if (atom_go && atom_start) loaded_q <= 1'b0;
      if ((atom_go && atom_channel_end) || credit_valid_i)
        credits_q <= credits_q + (ConvRowBits + 1)'(credit_valid_i) -
            ((atom_go && atom_channel_end) ? (ConvRowBits + 1)'(rows_taken_q) : '0);
    end

  assign atom_valid_o = atom_go;
  assign atom_stripe_start_o = atom_start;
  assign atom_stripe_end_o = atom_end;
  assign atom_channel_end_o = atom_channel_end;
  assign atom_layer_end_o = atom_layer_end;
  assign weight_sel = ConvLoads'(1) << weight_cell;
  assign wt_valid_o = weight_go;
  assign wt_sel_a_o = weight_sel[ConvCells-1:0];
  assign wt_sel_b_o = weight_sel[ConvLoads-1:ConvCells];

  wire unused_registers = &{1'b0, `NVDLA_CSC_D_UNUSED(d)};  // names and reasons: rtl/unused_fields.csv

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(CellsLegal, 2 * ConvCells * LaneBytes == AtomicK)
  `NVDLA_CHECK(StateLegal, state_q <= StateDrain)
  `NVDLA_FINAL(IdleAtTheEnd, state_q == StateIdle)
  `NVDLA_STABLE(OperationStable, op_valid, op_ready,
                {op_positions, op_kernels, op_channels, op_rows, op_block, op_block_odd, op_block_last, op_tap_x,
                op_tap_y, op_stripe_first, op_group_first, op_channel_end, op_group_end, op_layer_end})
  `NVDLA_STABLE(DataOperationStable, data_op_valid, data_op_ready, data_op)
  `NVDLA_STABLE(WeightOperationStable, weight_op_valid, weight_op_ready, weight_op)
  `NVDLA_STABLE(AtomStable, atom_valid, atom_go, {atom_start, atom_end, atom_channel_end, atom_layer_end, atom_data_o})
  `NVDLA_STABLE(WeightStable, weight_valid, weight_go, {weight_last, weight_cell, wt_data_o})
  `NVDLA_CHECK(WorksOnlyInLayer, state_q == StateRun ||
               !(op_valid || data_op_valid || weight_op_valid || atom_valid_o || wt_valid_o))
  `NVDLA_CHECK_OTHERS(LayerOnlyWhileOthersRun,
                      state_q != StateRun || (run && cmac_a_run_i && cmac_b_run_i && cacc_run_i))
  `NVDLA_CHECK(EmptyAtEndOfLayer, !done ||
               !(op_valid || data_op_valid || weight_op_valid || atom_valid || weight_valid))
  `NVDLA_CHECK(OneCellLoads, !wt_valid_o || `NVDLA_ONEHOT({wt_sel_b_o, wt_sel_a_o}))
  `NVDLA_CHECK(PendingTogether, !cdma_o.dat_pending_req || cdma_o.wt_pending_req)
  `NVDLA_CHECK_OTHERS(AcknowledgedTogether, !cdma_i.dat_pending_ack || cdma_i.wt_pending_ack)

`ifdef NVDLA_CHECKS
  // An operation goes to all readers in the same clock.
  `NVDLA_CHECK(OperationToAllReaders, (u_data_ops.in_valid_i && u_data_ops.in_ready_o) == (op_valid && op_ready) &&
               (u_weight_ops.in_valid_i && u_weight_ops.in_ready_o) == (op_valid && op_ready))

  // Credits: rows that final atoms have taken and CACC has not given back.
  `NVDLA_BALANCE(Credits, ConvRows, atom_valid_o && atom_channel_end_o, 32'(rows_taken_q), credit_valid_i, 1)
  `NVDLA_CHECK(CreditsAddUp, 32'(credits_q) + Credits.level_q == ConvRows)

  // Sets of weights in the shadow registers: an operation begins with one, and the next one is loaded after that.
  `NVDLA_BALANCE(WeightSets, 1, wt_valid_o && weight_last, 1, atom_valid_o && atom_stripe_start_o, 1)
  `NVDLA_CHECK(LoadedSetStays, !wt_valid_o || WeightSets.level_q == 0 || (atom_valid_o && atom_stripe_start_o))

  // Final atoms: one of a kernel group at each position of the output (Winograd: for four of them).
  logic [63:0] atoms_due_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) atoms_due_q <= '0;
    else if (start)
      atoms_due_q <= (image_q ? (64'(d.dataout_width) + 64'd1) * (64'(d.dataout_height) + 64'd1) :
                      winograd_q ? (64'(d.atomics) >> 2) + 64'd1 : 64'(d.atomics) + 64'd1) * (64'(batches_q) + 64'd1) *
          ((64'(d.weight_kernel) + 64'(group_q)) / 64'(group_q));
    else if (atom_valid_o && atom_channel_end_o) atoms_due_q <= atoms_due_q - 64'd1;
  `NVDLA_CHECK(NoMoreAtomsThanDue, !(atom_valid_o && atom_channel_end_o) || atoms_due_q != '0)
  `NVDLA_CHECK(LayerEndsWithItsLastAtom, !(atom_valid_o && atom_channel_end_o) ||
               (atoms_due_q == 64'd1) == (atom_layer_end_o && atom_stripe_end_o))

  // What CBUF holds for this unit, from the accounts alone.
  nvdla_check_window u_data_window (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .clear_i     (clear_data),
      .first_i     (32'd0),
      .ring_i      (32'(data_ring_q)),
      .up_valid_i  (cdma_i.dat_valid),
      .up_entries_i(32'(cdma_i.dat_entries)),
      .rl_valid_i  (dat_rl_valid_q),
      .rl_entries_i(32'(dat_rl_entries_q)),
      .rd_valid_i  (dat_rd_o.valid),
      .rd_addr_i   (32'(dat_rd_o.addr))
  );
  nvdla_check_window u_weight_window (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .clear_i     (clear_weight),
      .first_i     (32'(data_ring_q)),
      .ring_i      (32'(weight_ring_q)),
      .up_valid_i  (cdma_i.wt_valid),
      .up_entries_i(32'(cdma_i.wt_entries)),
      .rl_valid_i  (wt_rl_valid_q),
      .rl_entries_i(32'(wt_rl_entries_q)),
      .rd_valid_i  (wt_rd_o.valid),
      .rd_addr_i   (32'(wt_rd_o.addr))
  );
  int slices_held_q, kernels_held_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      slices_held_q  <= 0;
      kernels_held_q <= 0;
    end else begin
      if (clear_data) slices_held_q <= 0;
      else slices_held_q <= slices_held_q + (dat_up_valid ? 32'(dat_up_slices) : 0) -
          (dat_rl_valid_q ? 32'(dat_rl_slices_q) : 0);
      if (clear_weight) kernels_held_q <= 0;
      else
        kernels_held_q <= kernels_held_q + (wt_up_valid ? 32'(wt_up_kernels) : 0) -
            (take_valid ? 32'(take_kernels) : 0) -
            (drop_weight ? 32'(last_kernels_q) : 0);
    end
  `NVDLA_CHECK(SlicesAddUp, 32'(slices_q) == slices_held_q - (dat_rl_valid_q ? 32'(dat_rl_slices_q) : 0))
  `NVDLA_CHECK(KernelsAddUp, 32'(kernels_avl_q) == kernels_held_q)
  // What is given back is whole slices, and the oldest line follows it.
  logic [31:0] slice_entries_q, last_slice_entries_q;
  always_ff @(posedge clk_i) begin
    slice_entries_q <= drop_data ? last_slice_entries_q : 32'(line_entries_q);
    if (done) last_slice_entries_q <= 32'(line_entries_q);
  end
  `NVDLA_CHECK(ReleasesWholeSlices, !dat_rl_valid_q || 32'(dat_rl_entries_q) == 32'(dat_rl_slices_q) * slice_entries_q)
  `NVDLA_CHECK(BaseFollowsReleases, dat_rl_valid_q || 32'(base_q) == u_data_window.oldest_q)
  `NVDLA_CHECK(SlicesNeverNegative, slices_held_q >= 0)
  `NVDLA_CHECK(KernelsNeverNegative, kernels_held_q >= 0)
`endif
endmodule
