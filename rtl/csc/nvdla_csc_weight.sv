// Weight reader: unpacks the weight stream of CBUF into the weights of one cell per clock, in lane order.
//
// A cell has one kernel's block: lane l in byte l, of lanes of 16 bits (LaneBytes 2) in bits 16l at 16 bits (wide_i).
// Where LaneBytes is 2 and weights are INT8 a cell has the blocks of two neighbouring kernels: kernel 2i in the low
// half, 2i+1 (0 if there is none) in the high half, lane l in byte l. They follow each other in the stream, so that a
// cell is one piece of at most an entry. A kernel's block has 1 .. AtomicC elements (op_i.block = channels * rows;
// Winograd: AtomicC). Of a compressed layer the stream holds only those whose mask bit is set (mask_*: one block of
// mask bits per cell); the others are 0. Lanes outside the block are 0. With more than one kernel row in an operation
// (rows_i 2 or 4) row j goes to lanes from j*AtomicC/rows_i on.
//
// stream_i and rl_* as in nvdla_csc_stream. Kernels are available when their last entry is complete.
// Stream out: one cell a clock, valid_o/ready_i, cell_o = its number, last_o = last cell of the operation. Latency
// LaneBytes + 1 clocks.
// Spec: 40-convolution-core, sections 3.2, 4.3, 4.4, 4.5, 5 and 6.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
module nvdla_csc_weight
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                      clk_i, rst_ni,
    input  conv_stream_t              stream_i,
    // Layer.
    input  logic                      wide_i,
    input  logic [               2:0] rows_i,
    input  logic [  CbufAddrBits-1:0] base_i,  // first entry of the weight banks
    input  logic [EntryCountBits-1:0] ring_i,  // entries of the weight banks
    // Operations.
    input  logic                      op_valid_i,
    output logic                      op_ready_o,
    input  conv_weight_op_t           op_i,
    // Mask bits, of compressed layers only.
    input  logic                      compressed_i, mask_valid_i,
    output logic                      mask_ready_o,
    input  logic [    EntryBytes-1:0] mask_i,
    input  logic [    ConvByteBits:0] mask_count_i,
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
    output logic [ConvKernelBits-1:0] cell_o,
    output logic [     EntryBits-1:0] data_o
);
  localparam int Depth = 8;
  localparam int PtrBits = $clog2(Depth);
  localparam int InfoBits = 1 + ConvKernelBits;
  localparam int HalfBits = EntryBits / 2;
  localparam int ShiftBits = ConvByteBits + 4;  // shift amounts up to EntryBits

  // ---- pieces of the stream -----------------------------------------------------------------------------------------
  logic [ConvKernelBits-1:0] cell_q;
  logic [ConvByteBits:0] elements, taken;
  logic [PtrBits:0] reserved_q;
  logic compressed, first, issue, last, pop;

  assign elements = last ? op_i.elements_last : op_i.elements;
  assign compressed = WeightCompression != 0 && compressed_i;
  assign taken = compressed ? mask_count_i : elements;
  assign issue = op_valid_i && !reserved_q[PtrBits] && (!compressed || mask_valid_i);
  assign mask_ready_o = compressed && op_valid_i && !reserved_q[PtrBits];
  assign first = cell_q == '0 && op_i.stripe_first;
  assign last = cell_q == op_i.cells;
  assign op_ready_o = issue && last;
  assign pop = valid_o && ready_i;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      cell_q     <= '0;
      reserved_q <= '0;
    end else begin
      if (issue) cell_q <= last ? '0 : cell_q + 1'b1;
      if (issue != pop) reserved_q <= issue ? reserved_q + 1'b1 : reserved_q - 1'b1;
    end

  logic [EntryBits-1:0] word;

  nvdla_csc_stream #(
      .Unit(8)
  ) u_stream (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .stream_i    (stream_i),
      .base_i      (base_i),
      .ring_i      (ring_i),
      .issue_i     (issue),
      .units_i     (wide_i ? taken << 1 : taken),
      .first_i     (first),
      .again_i     (first && !op_i.group_first),
      .group_last_i(last && op_i.group_end),
      .word_o      (word),
      .rd_valid_o  (rd_valid_o),
      .rd_addr_o   (rd_addr_o),
      .rd_data_i   (rd_data_i),
      .rl_valid_o  (rl_valid_o),
      .rl_entries_o(rl_entries_o)
  );

  // ---- elements, one clock later ------------------------------------------------------------------------------------
  logic word_valid_q, word_last_q, word_compressed_q;
  logic [ConvKernelBits-1:0] word_cell_q;
  logic [ConvByteBits:0] word_elements_q;
  logic [ConvLaneBits:0] word_channels_q;
  logic [EntryBytes-1:0] word_mask_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) word_valid_q <= 1'b0;
    else word_valid_q <= issue;

  always_ff @(posedge clk_i)
    if (issue) begin
      word_last_q       <= last;
      word_cell_q       <= cell_q;
      word_elements_q   <= elements;
      word_channels_q   <= op_i.channels;
      word_compressed_q <= compressed;
      if (compressed) word_mask_q <= mask_i;
    end

  // The bits of the first n elements of an entry.
  function automatic logic [EntryBits-1:0] first_bits(input logic [ConvByteBits:0] n, input logic halfwords);
    return ~({EntryBits{1'b1}} << (halfwords ? ShiftBits'({n, 4'b0}) : ShiftBits'({n, 3'b0})));
  endfunction

  // Where the elements of compressed weights are in the stream: mask bits before each one, as a tree of sums.
  logic [ConvByteBits-1:0] place[0:EntryBytes-1];
  always_comb begin
    int right;  // first place of a right half
    right = 0;
    for (int i = 0; i < EntryBytes; i++) place[i] = '0;
    if (WeightCompression != 0 && word_valid_q && word_compressed_q) begin
      for (int i = 1; i < EntryBytes; i++) place[i] = ConvByteBits'(word_mask_q[i-1]);
      for (int s = 0; s < ConvByteBits; s++)  // the right half of each 2^(s+1) places gets the sum of the left half
        for (int i = 0; i < EntryBytes / 2; i++) begin
          right = (2 * (i >> s) + 1) << s;
          place[right+i%(1<<s)] = place[right+i%(1<<s)] + place[right-1];
        end
    end
  end

  logic valid_q, last_q;
  logic [ConvKernelBits-1:0] index_q;
  logic [EntryBits-1:0] lanes;

  if (LaneBytes == 2) begin : gen_cells
    // The elements of the cell without gaps, 0 after them; of compressed weights, the stream's elements at those whose
    // mask bit is set.
    logic [ConvLaneBits:0] word_block_q, block_q, channels_q;
    logic [EntryBits-1:0] elements_q;

    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) valid_q <= 1'b0;
      else valid_q <= word_valid_q;

    always_ff @(posedge clk_i) begin
      if (issue) word_block_q <= op_i.block;
      if (word_valid_q) begin
        last_q     <= word_last_q;
        index_q    <= word_cell_q;
        block_q    <= word_block_q;
        channels_q <= word_channels_q;
        if (word_compressed_q) begin
          if (wide_i)
            for (int i = 0; i < AtomicC; i++)
              elements_q[16*i+:16] <= word_mask_q[i] ? word[{place[i][ConvByteBits-2:0], 4'b0}+:16] : 16'd0;
          else
            for (int i = 0; i < EntryBytes; i++)
              elements_q[8*i+:8] <= word_mask_q[i] ? word[{place[i], 3'b0}+:8] : 8'd0;
        end else if (word_elements_q ==
            (wide_i ? (ConvByteBits + 1)'(AtomicC) : (ConvByteBits + 1)'(EntryBytes))) elements_q <= word;
        else elements_q <= word & first_bits(word_elements_q, wide_i);
      end
    end

    // ---- lanes, one clock later -------------------------------------------------------------------------------------
    // A kernel's rows to their places: row j from lane j*AtomicC/N on. step: bits of a row.
    function automatic logic [EntryBits-1:0] spread(input logic [EntryBits-1:0] rows, input logic [ShiftBits-1:0] step,
        input logic two);
      logic [EntryBits-1:0] mask, part;
      mask = ~({EntryBits{1'b1}} << step);
      part = rows;
      spread = part & mask;
      part = part >> step;
      if (two) return spread | ((part & mask) << HalfBits);
      spread = spread | ((part & mask) << (HalfBits / 2));
      part = part >> step;
      spread = spread | ((part & mask) << HalfBits);
      part = part >> step;
      return spread | ((part & mask) << (HalfBits + HalfBits / 2));
    endfunction

    function automatic logic [HalfBits-1:0] spread_half(input logic [HalfBits-1:0] rows,
        input logic [ShiftBits-1:0] step, input logic two);
      logic [HalfBits-1:0] mask, part;
      mask = ~({HalfBits{1'b1}} << step);
      part = rows;
      spread_half = part & mask;
      part = part >> step;
      if (two) return spread_half | ((part & mask) << (HalfBits / 2));
      spread_half = spread_half | ((part & mask) << (HalfBits / 4));
      part = part >> step;
      spread_half = spread_half | ((part & mask) << (HalfBits / 2));
      part = part >> step;
      return spread_half | ((part & mask) << (HalfBits / 2 + HalfBits / 4));
    endfunction

    always_comb begin
      logic [HalfBits-1:0] low, high;
      logic [ShiftBits-1:0] step;
      lanes = '0;
      low = '0;
      high = '0;
      step = '0;
      if (valid_q) begin
        if (wide_i) begin
          step  = ShiftBits'({channels_q, 4'b0});
          lanes = (rows_i == 3'd1) ? elements_q : spread(elements_q, step, rows_i == 3'd2);
        end else begin
          // The first kernel has block_q elements, the second one those behind.
          low  = elements_q[HalfBits-1:0] & ~({HalfBits{1'b1}} << ShiftBits'({block_q, 3'b0}));
          high = HalfBits'(elements_q >> ShiftBits'({block_q, 3'b0}));
          step = ShiftBits'({channels_q, 3'b0});
          if (rows_i != 3'd1) begin
            low  = spread_half(low, step, rows_i == 3'd2);
            high = spread_half(high, step, rows_i == 3'd2);
          end
          lanes = {high, low};
        end
      end
    end
  end else begin : gen_kernels
    wire unused_block = &{1'b0, op_i.block};
    logic [EntryBits-1:0] block;
    assign valid_q = word_valid_q;
    assign last_q  = word_last_q;
    assign index_q = word_cell_q;

    // The bytes of the stream go to the lanes whose mask bit is set.
    always_comb begin
      block = word;
      if (WeightCompression != 0 && word_valid_q && word_compressed_q)
        for (int i = 0; i < AtomicC; i++) block[8*i+:8] = word_mask_q[i] ? word[{place[i], 3'b0}+:8] : 8'd0;
    end

    always_comb begin
      logic [EntryBits-1:0] row, part;
      lanes = '0;
      row = '0;
      part = '0;
      if (word_valid_q) begin
        row = first_bits(word_channels_q, 1'b0);
        if (rows_i == 3'd1) lanes = block & row;
        else begin
          part = block & first_bits(word_elements_q, 1'b0);
          for (int j = 0; j < 4; j++) begin
            lanes = lanes | ((part & row) << (rows_i == 3'd2 ? j * (EntryBits / 2) : j * (EntryBits / 4)));
            part  = part >> ShiftBits'({word_channels_q, 3'b0});
          end
        end
      end
    end
  end

  // ---- queue --------------------------------------------------------------------------------------------------------
  // Every push has a place that was reserved when its read began.
  logic queue_ready;  // always, by the places that are reserved
  wire unused_ready = &{1'b0, queue_ready};

  nvdla_fifo #(
      .Width(InfoBits + EntryBits),
      .Depth(Depth)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .in_valid_i (valid_q),
      .in_ready_o (queue_ready),
      .in_data_i  ({last_q, index_q, lanes}),
      .out_valid_o(valid_o),
      .out_ready_i(ready_i),
      .out_data_o ({last_o, cell_o, data_o})
  );

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(DepthLegal, Depth == 2 ** PtrBits)
  `NVDLA_PARAM(LanesLegal, LaneBytes == 1 || LaneBytes == 2)
  `NVDLA_STABLE(OperationStable, op_valid_i, op_ready_o, op_i)
  `NVDLA_STABLE(MaskStable, mask_valid_i, mask_ready_o, {mask_i, mask_count_i})
  `NVDLA_STABLE(WeightsStable, valid_o, ready_i, {last_o, cell_o, data_o})
  `NVDLA_CHECK(MaskBitsFitTheBlock, !(mask_ready_o && mask_valid_i) || mask_count_i <= elements)
  `NVDLA_CHECK(BlockFitsTheLanes, !op_valid_i || 32'(op_i.block) <= AtomicC)
  `NVDLA_CHECK(RoomForTheCell, !valid_q || queue_ready)
  `NVDLA_QUEUE(Blocks, EntryBits + InfoBits, Depth, valid_q, {lanes, last_q, index_q}, valid_o, valid_o && ready_i,
               {data_o, last_o, cell_o})
  // Places of the queue: cells whose read has begun and that have not left.
  `NVDLA_BALANCE(Places, Depth, issue, 1, valid_o && ready_i, 1)
  `NVDLA_QUEUE(Operations, ConvKernelBits, 64, op_valid_i && op_ready_o, op_i.cells, 1'b0, valid_o && ready_i && last_o,
               ConvKernelBits'(0))

`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(PlacesAddUp, 32'(reserved_q) == Places.level_q)
  int cell_next_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) cell_next_q <= 0;
    else if (valid_o && ready_i) cell_next_q <= last_o ? 0 : cell_next_q + 1;
  `NVDLA_CHECK(CellsInOrder, !valid_o || 32'(cell_o) == cell_next_q)
  `NVDLA_CHECK(OperationEndsWithItsLastCell,
               !(valid_o && last_o) || Operations.level_q <= 0 || cell_o == Operations.mem_q[Operations.rd_q])
`endif
endmodule
