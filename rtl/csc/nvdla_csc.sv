// CSC: convolution sequence controller. Reads input and weights of a layer from CBUF and feeds CMAC_A and CMAC_B.
//
//   sequence -> operations -> data reader ----> atoms   --+--> CMAC_A, CMAC_B
//                         \-> weight reader --> weights --+
//                          \-> mask reader (compressed weights) -> weight reader
//
// Both readers run ahead into queues. An operation's first atom leaves when the weights of its cells are in CMAC's
// shadow registers; the weights of the next operation follow from that clock on. Every atom of an operation that ends a
// channel operation takes the credits of its rows of results, which CACC returns when SDP has taken them.
// nvdla_csc_layer has the registers and the life of a layer, nvdla_csc_account the balance of CBUF and its release.
// Spec: 40-convolution-core, sections 4 to 8; 30-cdma-cbuf, section 9.
`include "nvdla_check.svh"
module nvdla_csc
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   clk_on_i,  // keeps all clocks running
    input  logic                   rst_ni,
    input  logic                   csb_req_i,
    input  logic                   csb_write_i,
    input  logic [CsbAddrBits-1:0] csb_addr_i,
    input  logic [           31:0] csb_wdata_i,
    output logic [           31:0] csb_rdata_o,
    output logic                   work_o,  // to the clock gate: the clock has to run
    // A layer is active there.
    input  logic                   cmac_a_run_i,
    input  logic                   cmac_b_run_i,
    input  logic                   cacc_run_i,
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
    output logic                   atom_stripe_start_o,
    output logic                   atom_stripe_end_o,
    output logic                   atom_channel_end_o,
    output logic                   atom_layer_end_o,
    output logic                   wt_valid_o,
    output logic [  ConvCells-1:0] wt_sel_a_o,
    output logic [  ConvCells-1:0] wt_sel_b_o,
    output logic [  EntryBits-1:0] wt_data_o,
    // From CACC.
    input  logic                   credit_valid_i
);
  // ---- layer and accounts -------------------------------------------------------------------------------------------
  logic armed, begins, start, last_atom, done, step_clk, clear_data, clear_weight, drop_data, drop_weight;
  logic image, skip_data, skip_weight, compressed, wide, fp16, winograd, slices_ok, read_done, take_valid;
  logic [1:0] truncate;
  logic [2:0] rows;
  logic [3:0] rows_taken, step_y;
  logic [4:0] batches, kernel_width, kernel_height, pad_left, pad_top;
  logic [5:0] dilation_x, dilation_y, step_x;
  logic [12:0] width, out_width;
  logic [15:0] pad_value;
  logic [26:0] positions;
  logic [ConvRowBits:0] room;
  logic [ConvKernelBits:0] group;
  logic [ConvLaneBits:0] block;
  logic [ConvStripeBits:0] stripe_most, stripe_least;
  logic [SizeBits-1:0] runs, kernels, channels, block_step, height, release_slices, last_left, last_kernels;
  logic [SizeBits-1:0] kernels_avl, take_kernels;
  logic [EntryCountBits-1:0] line_entries, entries, data_ring, weight_ring, release_entries, tap_step;
  logic [CbufAddrBits-1:0] base;
  logic [EntryCountBits-1:0] last_left_entries, last_weight_entries, last_mask_entries;
  logic group_rl_valid, mask_rl_valid;
  logic [EntryCountBits-1:0] group_rl_entries, mask_rl_entries;

  assign work_o = csb_req_i || armed || cdma_i.dat_valid || cdma_i.wt_valid || credit_valid_i;
  assign cdma_o.mask_valid = mask_rl_valid;
  assign cdma_o.mask_entries = mask_rl_entries;

  nvdla_csc_layer u_layer (
      .clk_i,
      .step_clk_i           (step_clk),
      .rst_ni,
      .csb_req_i,
      .csb_write_i,
      .csb_addr_i,
      .csb_wdata_i,
      .csb_rdata_o,
      .armed_o              (armed),
      .cmac_a_run_i,
      .cmac_b_run_i,
      .cacc_run_i,
      .begins_o             (begins),
      .start_o              (start),
      .last_atom_i          (last_atom),
      .done_o               (done),
      .dat_pending_req_o    (cdma_o.dat_pending_req),
      .wt_pending_req_o     (cdma_o.wt_pending_req),
      .dat_pending_ack_i    (cdma_i.dat_pending_ack),
      .wt_pending_ack_i     (cdma_i.wt_pending_ack),
      .clear_data_o         (clear_data),
      .clear_weight_o       (clear_weight),
      .drop_data_o          (drop_data),
      .drop_weight_o        (drop_weight),
      .last_left_o          (last_left),
      .last_kernels_o       (last_kernels),
      .last_left_entries_o  (last_left_entries),
      .last_weight_entries_o(last_weight_entries),
      .last_mask_entries_o  (last_mask_entries),
      .image_o              (image),
      .skip_data_o          (skip_data),
      .skip_weight_o        (skip_weight),
      .compressed_o         (compressed),
      .wide_o               (wide),
      .fp16_o               (fp16),
      .winograd_o           (winograd),
      .truncate_o           (truncate),
      .batches_o            (batches),
      .rows_taken_o         (rows_taken),
      .room_o               (room),
      .group_o              (group),
      .block_o              (block),
      .stripe_most_o        (stripe_most),
      .stripe_least_o       (stripe_least),
      .line_entries_o       (line_entries),
      .rows_o               (rows),
      .positions_o          (positions),
      .runs_o               (runs),
      .kernels_o            (kernels),
      .channels_o           (channels),
      .block_step_o         (block_step),
      .height_o             (height),
      .kernel_width_o       (kernel_width),
      .kernel_height_o      (kernel_height),
      .pad_left_o           (pad_left),
      .pad_top_o            (pad_top),
      .dilation_x_o         (dilation_x),
      .dilation_y_o         (dilation_y),
      .step_x_o             (step_x),
      .step_y_o             (step_y),
      .width_o              (width),
      .out_width_o          (out_width),
      .pad_value_o          (pad_value),
      .entries_o            (entries),
      .data_ring_o          (data_ring),
      .weight_ring_o        (weight_ring),
      .release_entries_o    (release_entries),
      .tap_step_o           (tap_step),
      .release_slices_o     (release_slices)
  );

  nvdla_csc_account u_account (
      .clk_i,
      .rst_ni,
      .dat_up_valid_i       (cdma_i.dat_valid),
      .wt_up_valid_i        (cdma_i.wt_valid),
      .dat_up_slices_i      (cdma_i.dat_slices),
      .wt_up_kernels_i      (cdma_i.wt_kernels),
      .clear_data_i         (clear_data),
      .clear_weight_i       (clear_weight),
      .drop_data_i          (drop_data),
      .drop_weight_i        (drop_weight),
      .skip_data_i          (skip_data),
      .last_left_i          (last_left),
      .last_kernels_i       (last_kernels),
      .release_slices_i     (release_slices),
      .height_i             (height),
      .last_left_entries_i  (last_left_entries),
      .last_weight_entries_i(last_weight_entries),
      .release_entries_i    (release_entries),
      .data_ring_i          (data_ring),
      .read_done_i          (read_done),
      .take_valid_i         (take_valid),
      .take_kernels_i       (take_kernels),
      .group_rl_valid_i     (group_rl_valid),
      .group_rl_entries_i   (group_rl_entries),
      .slices_ok_o          (slices_ok),
      .kernels_avl_o        (kernels_avl),
      .base_o               (base),
      .dat_rl_valid_o       (cdma_o.dat_valid),
      .wt_rl_valid_o        (cdma_o.wt_valid),
      .dat_rl_slices_o      (cdma_o.dat_slices),
      .dat_rl_entries_o     (cdma_o.dat_entries),
      .wt_rl_entries_o      (cdma_o.wt_entries)
  );

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
  assign paired = LaneBytes == 2 && !wide;

  assign op_ready = op_data_ready && op_weight_ready && op_mask_ready;

  // Elements of a kernel's block; blocks beyond AtomicC elements are illegal and cut. Where lanes have 16 bits, a cell
  // has two kernels at INT8.
  logic [ConvLaneBits+2:0] op_block_all;
  assign op_weight_channels = winograd ? (ConvLaneBits + 1)'(AtomicC) : op_channels;
  assign op_block_all = {2'b0, op_weight_channels} + (op_rows > 3'd1 ? {2'b0, op_weight_channels} : '0)
      + (op_rows > 3'd2 ? {2'b0, op_weight_channels} : '0) + (op_rows > 3'd3 ? {2'b0, op_weight_channels} : '0);
  assign op_block_elements = op_block_all > (ConvLaneBits + 3)'(AtomicC) ? (ConvLaneBits + 1)'(AtomicC) :
      op_block_all[ConvLaneBits:0];
  if (LaneBytes == 2) begin : gen_cells
    assign op_cells = wide ? op_kernels : op_kernels >> 1;
    assign op_elements = wide ? {1'b0, op_block_elements} : {op_block_elements, 1'b0};
    assign op_elements_last = (wide || !op_kernels[0]) ? {1'b0, op_block_elements} : {op_block_elements, 1'b0};
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
      .image_i        (image),
      .flat_i         (image || winograd),
      .group_i        (group),
      .block_i        (block),
      .paired_i       (paired),
      .stripe_most_i  (stripe_most),
      .stripe_least_i (stripe_least),
      .positions_i    (positions),
      .runs_i         (runs),
      .kernels_i      (kernels),
      .channels_i     (channels),
      .kernel_width_i (kernel_width),
      .kernel_height_i(winograd ? 5'd0 : kernel_height),
      .rows_i         (rows),
      .dilation_x_i   (dilation_x),
      .dilation_y_i   (dilation_y),
      .block_step_i   (block_step),
      .tap_step_i     (tap_step),
      .skip_weight_i  (skip_weight),
      .slices_ok_i    (slices_ok),
      .kernels_avl_i  (kernels_avl),
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
  logic mask_valid, mask_ready;
  logic [EntryBytes-1:0] mask;
  logic [ConvByteBits:0] mask_count;

  conv_stream_t weight_stream;
  assign weight_stream = {start, done, skip_weight, clear_weight, drop_weight, last_weight_entries};

  nvdla_csc_data u_data (
      .clk_i          (clk_i),
      .clk_on_i       (clk_on_i),
      .rst_ni         (rst_ni),
      .start_i        (start),
      .wide_i         (wide),
      .fp16_i         (fp16),
      .image_i        (image),
      .winograd_i     (winograd),
      .truncate_i     (truncate),
      .rows_i         (rows),
      .batches_i      (batches),
      .base_i         (base),
      .ring_i         (data_ring),
      .entries_i      (entries),
      .line_entries_i (line_entries),
      .width_i        (width),
      .height_i       (13'(height - 1'b1)),
      .out_width_i    (out_width),
      .step_x_i       (step_x),
      .step_y_i       (step_y),
      .pad_left_i     (pad_left),
      .pad_top_i      (pad_top),
      .pad_value_i    (pad_value),
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
      .wide_i      (wide),
      .rows_i      (rows),
      .base_i      (data_ring[CbufAddrBits-1:0]),
      .ring_i      (weight_ring),
      .op_valid_i  (weight_op_valid),
      .op_ready_o  (weight_op_ready),
      .op_i        (weight_op),
      .compressed_i(compressed),
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
    logic [EntryCountBits-1:0] group_mask_rl_entries;

    assign op_mask_ready = fifo_ready || !compressed;
    assign mask_stream = {start, done, skip_weight, clear_weight, drop_weight, last_mask_entries};

    nvdla_fifo #(
        .Width(MaskOpBits),
        .Depth(4)
    ) u_mask_ops (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .in_valid_i (op_valid && op_data_ready && op_weight_ready && compressed),
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
      if (drop_weight || group_mask_rl_valid) mask_rl_entries <= drop_weight ? last_mask_entries :
          group_mask_rl_entries;
  end else begin : gen_no_mask
    assign op_mask_ready     = 1'b1;
    assign mask_valid        = 1'b0;
    assign mask              = '0;
    assign mask_count        = '0;
    assign mask_rd_o.valid   = 1'b0;
    assign mask_rd_o.addr    = '0;
    assign mask_rl_valid   = 1'b0;
    assign mask_rl_entries = '0;
    wire unused_mask = &{1'b0, mask_ready, mask_rd_data_i, compressed, last_mask_entries};
  end

  // ---- to CMAC ------------------------------------------------------------------------------------------------------
  logic loaded_q;  // the shadow registers hold all weights of the next operation
  logic [ConvRowBits:0] credits_q;

  assign atom_go = atom_valid && (!atom_start || loaded_q) && (!atom_channel_end || credits_q >= room);
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
            ((atom_go && atom_channel_end) ? (ConvRowBits + 1)'(rows_taken) : '0);
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

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(CellsLegal, 2 * ConvCells * LaneBytes == AtomicK)
  `NVDLA_PARAM(RoomForBatches, BatchMax == 1 || ConvRows >= 6 * BatchMax)
  `NVDLA_STABLE(OperationStable, op_valid, op_ready,
                {op_positions, op_kernels, op_channels, op_rows, op_block, op_block_odd, op_block_last, op_tap_x,
                op_tap_y, op_stripe_first, op_group_first, op_channel_end, op_group_end, op_layer_end})
  `NVDLA_STABLE(DataOperationStable, data_op_valid, data_op_ready, data_op)
  `NVDLA_STABLE(WeightOperationStable, weight_op_valid, weight_op_ready, weight_op)
  `NVDLA_STABLE(AtomStable, atom_valid, atom_go, {atom_start, atom_end, atom_channel_end, atom_layer_end, atom_data_o})
  `NVDLA_STABLE(WeightStable, weight_valid, weight_go, {weight_last, weight_cell, wt_data_o})
  `NVDLA_CHECK(WorksOnlyInLayer, u_layer.running ||
               !(op_valid || data_op_valid || weight_op_valid || atom_valid_o || wt_valid_o))
  `NVDLA_CHECK(EmptyAtEndOfLayer, !done ||
               !(op_valid || data_op_valid || weight_op_valid || atom_valid || weight_valid))
  `NVDLA_CHECK(OneCellLoads, !wt_valid_o || `NVDLA_ONEHOT({wt_sel_b_o, wt_sel_a_o}))

`ifdef NVDLA_CHECKS
  // An operation goes to all readers in the same clock.
  `NVDLA_CHECK(OperationToAllReaders, (u_data_ops.in_valid_i && u_data_ops.in_ready_o) == (op_valid && op_ready) &&
               (u_weight_ops.in_valid_i && u_weight_ops.in_ready_o) == (op_valid && op_ready))

  // Credits: rows that final atoms have taken and CACC has not given back.
  `NVDLA_BALANCE(Credits, ConvRows, atom_valid_o && atom_channel_end_o, 32'(rows_taken), credit_valid_i, 1)
  `NVDLA_CHECK(CreditsAddUp, 32'(credits_q) + Credits.level_q == ConvRows)

  // Sets of weights in the shadow registers: an operation begins with one, and the next one is loaded after that.
  `NVDLA_BALANCE(WeightSets, 1, wt_valid_o && weight_last, 1, atom_valid_o && atom_stripe_start_o, 1)
  `NVDLA_CHECK(LoadedSetStays, !wt_valid_o || WeightSets.level_q == 0 || (atom_valid_o && atom_stripe_start_o))

  // Final atoms: one of a kernel group at each position of the output (Winograd: for four of them).
  logic [63:0] atoms_due_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) atoms_due_q <= '0;
    else if (start)
      atoms_due_q <= (image ? (64'(u_layer.d.dataout_width) + 64'd1) * (64'(u_layer.d.dataout_height) + 64'd1) :
                      winograd ? (64'(u_layer.d.atomics) >> 2) + 64'd1 : 64'(u_layer.d.atomics) + 64'd1) *
                      (64'(batches) + 64'd1) *
          ((64'(u_layer.d.weight_kernel) + 64'(group)) / 64'(group));
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
      .ring_i      (32'(data_ring)),
      .up_valid_i  (cdma_i.dat_valid),
      .up_entries_i(32'(cdma_i.dat_entries)),
      .rl_valid_i  (cdma_o.dat_valid),
      .rl_entries_i(32'(cdma_o.dat_entries)),
      .rd_valid_i  (dat_rd_o.valid),
      .rd_addr_i   (32'(dat_rd_o.addr))
  );
  nvdla_check_window u_weight_window (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .clear_i     (clear_weight),
      .first_i     (32'(data_ring)),
      .ring_i      (32'(weight_ring)),
      .up_valid_i  (cdma_i.wt_valid),
      .up_entries_i(32'(cdma_i.wt_entries)),
      .rl_valid_i  (cdma_o.wt_valid),
      .rl_entries_i(32'(cdma_o.wt_entries)),
      .rd_valid_i  (wt_rd_o.valid),
      .rd_addr_i   (32'(wt_rd_o.addr))
  );
  // What is given back is whole slices, and the oldest line follows it.
  logic [31:0] slice_entries_q, last_slice_entries_q;
  always_ff @(posedge clk_i) begin
    slice_entries_q <= drop_data ? last_slice_entries_q : 32'(line_entries);
    if (done) last_slice_entries_q <= 32'(line_entries);
  end
  `NVDLA_CHECK(ReleasesWholeSlices, !cdma_o.dat_valid ||
               32'(cdma_o.dat_entries) == 32'(cdma_o.dat_slices) * slice_entries_q)
  `NVDLA_CHECK(BaseFollowsReleases, cdma_o.dat_valid || 32'(u_account.base_q) == u_data_window.oldest_q)
`endif
endmodule
