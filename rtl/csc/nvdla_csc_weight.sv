// Weight reader: unpacks the weight stream of CBUF into one kernel's block per clock, in lane order.
//
// A block has 1 .. AtomicC elements. Of a compressed layer the stream holds only those whose mask bit is set (mask_*: one block of mask
// bits per block of weights); the others are 0. Lanes outside the block are 0. With more than one kernel row in an operation (rows_i 2 or
// 4) row j goes to lanes from j*AtomicC/rows_i on.
//
// start_i .. ring_i and rl_* as in nvdla_csc_stream. Kernels are available when their last entry is complete.
// Stream out: one block a clock, valid_o/ready_i, kernel_o = cell, last_o = last kernel of the operation. Latency 2 clocks.
// Spec: 40-convolution-core, sections 3.2, 4.4, 4.5, 5 and 6.
module nvdla_csc_weight
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      start_i,
    input  logic                      finish_i,
    input  logic                      keep_i,
    input  logic                      clear_i,
    input  logic                      advance_i,
    input  logic [EntryCountBits-1:0] advance_entries_i,
    // Layer.
    input  logic [               2:0] rows_i,
    input  logic [  CbufAddrBits-1:0] base_i,        // first entry of the weight banks
    input  logic [EntryCountBits-1:0] ring_i,        // entries of the weight banks
    // Operations.
    input  logic                      op_valid_i,
    output logic                      op_ready_o,
    input  logic [ConvKernelBits-1:0] op_kernels_i,  // minus 1
    input  logic [    ConvLaneBits:0] op_channels_i,
    input  logic [               2:0] op_rows_i,
    input  logic                      op_stripe_first_i,
    input  logic                      op_group_first_i,
    input  logic                      op_group_end_i,
    // Mask bits, of compressed layers only.
    input  logic                      compressed_i,
    input  logic                      mask_valid_i,
    output logic                      mask_ready_o,
    input  logic [       AtomicC-1:0] mask_i,
    input  logic [    ConvLaneBits:0] mask_count_i,
    // CBUF.
    output logic                      rd_valid_o,
    output logic [  CbufAddrBits-1:0] rd_addr_o,
    input  logic [     EntryBits-1:0] rd_data_i,
    // Release.
    output logic                      rl_valid_o,
    output logic [EntryCountBits-1:0] rl_entries_o,
    // Weights.
    output logic                      valid_o,
    input  logic                      ready_i,
    output logic                      last_o,
    output logic [ConvKernelBits-1:0] kernel_o,
    output logic [     EntryBits-1:0] data_o
);
  localparam int Depth = 8;
  localparam int PtrBits = $clog2(Depth);
  localparam int InfoBits = 1 + ConvKernelBits;
  localparam int ShiftBits = ConvLaneBits + 4;  // shift amounts up to EntryBits

  // ---- pieces of the stream -----------------------------------------------------------------------------------------------------
  logic [ConvKernelBits-1:0] kernel_q;
  logic [ConvLaneBits+2:0] elements_all;
  logic [ConvLaneBits:0] elements;
  logic [PtrBits:0] reserved_q;
  logic compressed, first, issue, last, pop;

  // Blocks beyond an entry are illegal; they are cut.
  assign elements_all = {2'b0, op_channels_i} + (op_rows_i > 3'd1 ? {2'b0, op_channels_i} : '0)
      + (op_rows_i > 3'd2 ? {2'b0, op_channels_i} : '0) + (op_rows_i > 3'd3 ? {2'b0, op_channels_i} : '0);
  assign elements = elements_all > (ConvLaneBits + 3)'(AtomicC) ? (ConvLaneBits + 1)'(AtomicC) : elements_all[ConvLaneBits:0];

  assign compressed = WeightCompression != 0 && compressed_i;
  assign issue = op_valid_i && !reserved_q[PtrBits] && (!compressed || mask_valid_i);
  assign mask_ready_o = compressed && op_valid_i && !reserved_q[PtrBits];
  assign first = kernel_q == '0 && op_stripe_first_i;
  assign last = kernel_q == op_kernels_i;
  assign op_ready_o = issue && last;
  assign pop = valid_o && ready_i;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      kernel_q   <= '0;
      reserved_q <= '0;
    end else begin
      if (issue) kernel_q <= last ? '0 : kernel_q + 1'b1;
      if (issue != pop) reserved_q <= issue ? reserved_q + 1'b1 : reserved_q - 1'b1;
    end

  logic [EntryBits-1:0] word;

  nvdla_csc_stream #(
      .Unit(8)
  ) u_stream (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .start_i          (start_i),
      .finish_i         (finish_i),
      .keep_i           (keep_i),
      .clear_i          (clear_i),
      .advance_i        (advance_i),
      .advance_entries_i(advance_entries_i),
      .base_i           (base_i),
      .ring_i           (ring_i),
      .issue_i          (issue),
      .units_i          (compressed ? mask_count_i : elements),
      .first_i          (first),
      .again_i          (first && !op_group_first_i),
      .group_last_i     (last && op_group_end_i),
      .word_o           (word),
      .rd_valid_o       (rd_valid_o),
      .rd_addr_o        (rd_addr_o),
      .rd_data_i        (rd_data_i),
      .rl_valid_o       (rl_valid_o),
      .rl_entries_o     (rl_entries_o)
  );

  // ---- lanes, one clock later ---------------------------------------------------------------------------------------------------
  logic valid_q, last_q;
  logic [ConvKernelBits-1:0] index_q;
  logic [ConvLaneBits:0] elements_q, channels_q;
  logic [EntryBits-1:0] block, lanes;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= issue;

  always_ff @(posedge clk_i)
    if (issue) begin
      last_q     <= last;
      index_q    <= kernel_q;
      elements_q <= elements;
      channels_q <= op_channels_i;
    end

  if (WeightCompression != 0) begin : gen_expand
    logic expand_q;
    logic [AtomicC-1:0] mask_q;
    always_ff @(posedge clk_i)
      if (issue) begin
        expand_q <= compressed;
        mask_q   <= mask_i;
      end

    // The bytes of the stream go to the lanes whose mask bit is set.
    always_comb begin
      logic [ConvLaneBits-1:0] at;
      block = word;
      at = '0;
      if (valid_q && expand_q)
        for (int i = 0; i < AtomicC; i++) begin
          block[8*i+:8] = mask_q[i] ? word[{at, 3'b0}+:8] : 8'd0;
          at = at + ConvLaneBits'(mask_q[i]);
        end
    end
  end else begin : gen_plain
    assign block = word;
    wire unused_mask = &{1'b0, compressed_i, mask_valid_i, mask_i, mask_count_i};
  end

  always_comb begin
    logic [EntryBits-1:0] mask, part;
    lanes = '0;
    mask = '0;
    part = '0;
    if (valid_q) begin
      mask = ~({EntryBits{1'b1}} << ShiftBits'({channels_q, 3'b0}));
      if (rows_i == 3'd1) lanes = block & mask;
      else begin
        part = block & ~({EntryBits{1'b1}} << ShiftBits'({elements_q, 3'b0}));
        for (int j = 0; j < 4; j++) begin
          lanes = lanes | ((part & mask) << (rows_i == 3'd2 ? j * (EntryBits / 2) : j * (EntryBits / 4)));
          part  = part >> ShiftBits'({channels_q, 3'b0});
        end
      end
    end
  end

  // ---- queue --------------------------------------------------------------------------------------------------------------------
  // Every push has a place that was reserved when its read began.
  logic unused_ready;

  nvdla_fifo #(
      .Width(InfoBits + EntryBits),
      .Depth(Depth)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .in_valid_i (valid_q),
      .in_ready_o (unused_ready),
      .in_data_i  ({last_q, index_q, lanes}),
      .out_valid_o(valid_o),
      .out_ready_i(ready_i),
      .out_data_o ({last_o, kernel_o, data_o})
  );

  // ---- checks -------------------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(DepthLegal, Depth == 2 ** PtrBits)
  `NVDLA_STABLE(OperationStable, op_valid_i, op_ready_o, {op_kernels_i, op_channels_i, op_rows_i, op_stripe_first_i, op_group_first_i,
                op_group_end_i})
  `NVDLA_STABLE(MaskStable, mask_valid_i, mask_ready_o, {mask_i, mask_count_i})
  `NVDLA_STABLE(WeightsStable, valid_o, ready_i, {last_o, kernel_o, data_o})
  `NVDLA_CHECK(MaskBitsFitTheBlock, !(mask_ready_o && mask_valid_i) || mask_count_i <= elements)
  `NVDLA_QUEUE(Blocks, EntryBits + InfoBits, Depth, valid_q, {lanes, last_q, index_q}, valid_o, valid_o && ready_i, {data_o, last_o, kernel_o})
  // Places of the queue: blocks whose read has begun and that have not left.
  `NVDLA_BALANCE(Places, Depth, issue, 1, valid_o && ready_i, 1)
  `NVDLA_QUEUE(Operations, ConvKernelBits, 64, op_valid_i && op_ready_o, op_kernels_i, 1'b0, valid_o && ready_i && last_o, ConvKernelBits'(0))

`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(PlacesAddUp, 32'(reserved_q) == Places.level_q)
  int kernel_next_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) kernel_next_q <= 0;
    else if (valid_o && ready_i) kernel_next_q <= last_o ? 0 : kernel_next_q + 1;
  `NVDLA_CHECK(KernelsInOrder, !valid_o || 32'(kernel_o) == kernel_next_q)
  `NVDLA_CHECK(OperationEndsWithItsLastKernel, !(valid_o && last_o) || Operations.level_q <= 0 ||
               kernel_o == Operations.mem_q[Operations.rd_q])
`endif
endmodule
