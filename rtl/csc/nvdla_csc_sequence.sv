// Loop nest of a convolution layer: emits its stripe operations in order.
//
//   group of kernels > run > stripe of positions > channel block > kernel row (image: step of rows_i rows) > kernel
//   column
//
// start_i (one clock) begins a layer; the layer's values must be stable from then on to the last operation. The first
// operation of a group waits for slices_ok_i (whole input in CBUF) and for its kernels; with skip_weight_i the kernels
// of all earlier groups count too, else the group's kernels are taken from the balance (take_*) with its last
// operation.
// One operation a clock, valid_o/ready_i; latency from start_i 1 clock.
// Spec: 40-convolution-core, sections 4.1, 4.2, 4.4 and 6.
`include "nvdla_check.svh"
module nvdla_csc_sequence
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      start_i,
    // Layer. True values where not said otherwise.
    input  logic                      image_i,
    input  logic                      flat_i,         // one kernel column: image, Winograd
    input  logic [  ConvKernelBits:0] group_i,        // kernels of a group
    input  logic [    ConvLaneBits:0] block_i,        // channels of a block
    input  logic                      paired_i,       // blocks 2m and 2m+1 have one place in the line
    input  logic [  ConvStripeBits:0] stripe_most_i,  // positions of a stripe
    input  logic [  ConvStripeBits:0] stripe_least_i,
    input  logic [              26:0] positions_i,  // of a run of stripes
    input  logic [      SizeBits-1:0] runs_i,       // in a group
    input  logic [      SizeBits-1:0] kernels_i,
    input  logic [      SizeBits-1:0] channels_i,
    input  logic [               4:0] kernel_width_i,   // minus 1
    input  logic [               4:0] kernel_height_i,  // minus 1
    input  logic [               2:0] rows_i,           // kernel rows in one operation: 1, 2 or 4
    input  logic [               5:0] dilation_x_i,
    input  logic [               5:0] dilation_y_i,
    input  logic [EntryCountBits-1:0] tap_step_i,    // entries from tap_y to the next one
    input  logic [      SizeBits-1:0] block_step_i,  // entries between the blocks of one line
    input  logic                      skip_weight_i,
    // Contents of CBUF.
    input  logic                      slices_ok_i,
    input  logic [      SizeBits-1:0] kernels_avl_i,
    output logic                      take_valid_o,
    output logic [      SizeBits-1:0] take_kernels_o,
    // Operations.
    output logic                      valid_o,
    input  logic                      ready_i,
    output logic [  ConvStripeBits:0] positions_o,  // 1 .. ConvStripeMax
    output logic [ConvKernelBits-1:0] kernels_o,    // minus 1
    output logic [    ConvLaneBits:0] channels_o,   // of the block, 1 .. AtomicC
    output logic [               2:0] rows_o,       // kernel rows that exist of rows_i
    // entries from the first one of the line of the kernel's first tap to the block's first one in the line of this tap
    output logic [EntryCountBits-1:0] block_o,
    output logic                      block_odd_o,   // second block of a pair
    output logic                      block_last_o,  // last one of the line
    output logic [              10:0] tap_x_o,       // input columns and lines from the kernel's first tap
    output logic [              10:0] tap_y_o,
    output logic                      stripe_first_o,  // first operation of a stripe
    output logic                      group_first_o,   // ... of a group
    output logic                      channel_end_o,   // last operation of a stripe
    output logic                      group_end_o,     // ... of a group
    output logic                      layer_end_o      // ... of the layer
);
  logic active_q, stripe_first_q, group_first_q, block_odd_q;
  logic [SizeBits-1:0] kernels_left_q, kernels_seen_q, channels_left_q;
  logic [26:0] positions_left_q;
  logic [SizeBits-1:0] runs_left_q;
  logic [5:0] row_q;
  logic [4:0] column_q;
  logic [10:0] tap_x_q, tap_y_q;
  logic [EntryCountBits-1:0] block_q, tap_row_q;  // tap_row_q: of tap_y_q lines

  logic [SizeBits-1:0] group_kernels;
  logic [5:0] rows_left, row_next;
  logic last_column, last_row, last_block, last_stripe, last_run, last_group, step;

  assign last_group = kernels_left_q <= SizeBits'(group_i);
  assign group_kernels = last_group ? kernels_left_q : SizeBits'(group_i);
  assign last_stripe = positions_left_q <= 27'(stripe_most_i);
  assign last_run = runs_left_q == SizeBits'(1);
  assign last_block = channels_left_q <= SizeBits'(block_i);
  assign rows_left = {1'b0, kernel_height_i} + 6'd1 - row_q;
  assign row_next = row_q + {3'b0, rows_i};
  assign last_row = rows_left <= {3'b0, rows_i};
  assign last_column = flat_i || column_q == kernel_width_i;

  assign valid_o = active_q && (!group_first_q || (slices_ok_i && kernels_avl_i >= kernels_seen_q + group_kernels));
  assign step = valid_o && ready_i;
  assign positions_o = conv_stripe(positions_left_q, stripe_most_i, stripe_least_i);
  assign kernels_o = ConvKernelBits'(group_kernels - 1'b1);
  assign channels_o = last_block ? channels_left_q[ConvLaneBits:0] : block_i;
  assign rows_o = last_row ? rows_left[2:0] : rows_i;
  assign block_o = tap_row_q + block_q;
  assign block_odd_o = block_odd_q;
  assign block_last_o = last_block;
  assign tap_x_o = tap_x_q;
  assign tap_y_o = tap_y_q;
  assign stripe_first_o = stripe_first_q;
  assign group_first_o = group_first_q;
  assign channel_end_o = last_column && last_row && last_block;
  assign group_end_o = channel_end_o && last_stripe && last_run;
  assign layer_end_o = group_end_o && last_group;
  assign take_valid_o = step && group_end_o && !skip_weight_i;
  assign take_kernels_o = group_kernels;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (step && layer_end_o) active_q <= 1'b0;

  always_ff @(posedge clk_i)
    if (start_i) begin
      kernels_left_q   <= kernels_i;
      kernels_seen_q   <= '0;
      positions_left_q <= positions_i;
      runs_left_q      <= runs_i;
      channels_left_q  <= channels_i;
      row_q            <= '0;
      column_q         <= '0;
      tap_x_q          <= '0;
      tap_y_q          <= '0;
      tap_row_q        <= '0;
      block_q          <= '0;
      block_odd_q      <= 1'b0;
      stripe_first_q   <= 1'b1;
      group_first_q    <= 1'b1;
    end else if (step) begin
      stripe_first_q <= channel_end_o;
      group_first_q  <= group_end_o;
      if (!last_column) begin
        column_q <= column_q + 5'd1;
        tap_x_q  <= tap_x_q + {5'b0, dilation_x_i};
      end else begin
        column_q <= '0;
        tap_x_q  <= '0;
        if (!last_row) begin
          row_q     <= row_next;
          tap_row_q <= tap_row_q + tap_step_i;
          tap_y_q   <= image_i ? {5'b0, row_next} : tap_y_q + {5'b0, dilation_y_i};
        end else begin
          row_q           <= '0;
          tap_y_q         <= '0;
          tap_row_q       <= '0;
          channels_left_q <= last_block ? channels_i : channels_left_q - SizeBits'(block_i);
          block_odd_q     <= paired_i && !last_block && !block_odd_q;
          if (last_block) block_q <= '0;
          else if (!paired_i || block_odd_q) block_q <= block_q + {1'b0, block_step_i};
        end
      end
      if (channel_end_o) positions_left_q <= last_stripe ? positions_i : positions_left_q - 27'(positions_o);
      if (channel_end_o && last_stripe) runs_left_q <= last_run ? runs_i : runs_left_q - 1'b1;
      if (group_end_o) begin
        kernels_left_q <= kernels_left_q - group_kernels;
        if (skip_weight_i) kernels_seen_q <= kernels_seen_q + group_kernels;
      end
    end

  `NVDLA_STABLE(OperationStable, valid_o, ready_i,
                {positions_o, kernels_o, channels_o, rows_o, block_o, block_odd_o, block_last_o, tap_x_o, tap_y_o,
                stripe_first_o,
                group_first_o, channel_end_o, group_end_o, layer_end_o})
  `NVDLA_CHECK(PositionsInRange, !valid_o ||
               (positions_o != '0 && 32'(positions_o) <= ConvStripeMax && 27'(positions_o) <= positions_left_q))
  `NVDLA_CHECK(ChannelsInRange, !valid_o || (channels_o != '0 && 32'(channels_o) <= AtomicC))
  `NVDLA_CHECK(RowsInRange, !valid_o || (rows_o != '0 && rows_o <= rows_i))
  `NVDLA_CHECK(KernelsLeft, !valid_o || (kernels_left_q != '0 && kernels_left_q <= kernels_i))
  `NVDLA_CHECK(TakesOnlyWhatIsThere, !take_valid_o || take_kernels_o <= kernels_avl_i)
  `NVDLA_CHECK(StartsOnlyIdle, !start_i || !active_q)

`ifdef NVDLA_CHECKS
  // Positions of the groups, counted by the stripes that end.
  logic [63:0] positions_done_q, positions_due;
  assign positions_due = 64'(positions_i) * 64'(runs_i) * ((64'(kernels_i) + 64'(group_i) - 64'd1) / 64'(group_i));
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) positions_done_q <= '0;
    else if (start_i) positions_done_q <= '0;
    else if (valid_o && ready_i && channel_end_o) positions_done_q <= positions_done_q + 64'(positions_o);
  `NVDLA_CHECK(LayerEndsWithItsLastPosition, !(valid_o && channel_end_o) ||
               (positions_done_q + 64'(positions_o) == positions_due) == layer_end_o)
`endif
endmodule
