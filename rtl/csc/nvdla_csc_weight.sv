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
`include "nvdla_check.svh"
module nvdla_csc_weight
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
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
    input  logic                      compressed_i,
    input  logic                      mask_valid_i,
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
  localparam int PieceBytes = AtomicC / 4;  // a quarter of the lanes
  localparam int Pieces = EntryBytes / PieceBytes;
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

  // ---- elements of the cell without gaps, one clock later -----------------------------------------------------------
  logic word_valid_q, word_last_q, word_compressed_q, word_second_q;
  logic [ConvKernelBits-1:0] word_cell_q;
  logic [EntryBits-1:0] expanded;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) word_valid_q <= 1'b0;
    else word_valid_q <= issue;

  always_ff @(posedge clk_i)
    if (issue) begin
      word_last_q       <= last;
      word_cell_q       <= cell_q;
      word_second_q     <= elements > (ConvByteBits + 1)'(op_i.block);
      word_compressed_q <= compressed;
    end

  if (WeightCompression != 0) begin : gen_compressed
    logic load;
    logic [EntryBytes-1:0] byte_mask;
    assign load = issue && compressed;
    always_comb begin
      byte_mask = mask_i;
      if (LaneBytes == 2 && wide_i && load) for (int i = 0; i < EntryBytes; i++) byte_mask[i] = mask_i[i/2];
    end

    nvdla_csc_expand #(
        .Lanes(EntryBytes)
    ) u_expand (
        .clk_i   (clk_i),
        .load_i  (load),
        .mask_i  (byte_mask),
        .use_i   (word_valid_q && word_compressed_q),
        .packed_i(word),
        .data_o  (expanded)
    );
  end else begin : gen_uncompressed
    wire unused_mask = &{1'b0, mask_i};
    assign expanded = '0;
  end

  // Where lanes have 16 bits, lanes come another clock later.
  logic valid_q, last_q, second_q;
  logic [ConvKernelBits-1:0] index_q;
  logic [EntryBits-1:0] elements_q;
  // What an operation does, of the clock in front of its first cell's lanes.
  logic plan;
  logic [ConvLaneBits:0] plan_channels, plan_block;

  if (LaneBytes == 2) begin : gen_cells
    logic [ConvLaneBits:0] word_channels_q, word_block_q;
    assign plan          = word_valid_q && word_cell_q == '0;
    assign plan_channels = word_channels_q;
    assign plan_block    = word_block_q;

    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) valid_q <= 1'b0;
      else valid_q <= word_valid_q;

    always_ff @(posedge clk_i) begin
      if (issue) begin
        word_channels_q <= op_i.channels;
        word_block_q    <= op_i.block;
      end
      if (word_valid_q) begin
        last_q   <= word_last_q;
        index_q  <= word_cell_q;
        second_q <= word_second_q;
        if (WeightCompression != 0 && word_compressed_q) elements_q <= expanded;
        else elements_q <= word;
      end
    end
  end else begin : gen_kernels
    wire unused_second = &{1'b0, second_q};
    assign plan          = issue && cell_q == '0;
    assign plan_channels = op_i.channels;
    assign plan_block    = op_i.block;
    assign valid_q       = word_valid_q;
    assign last_q        = word_last_q;
    assign index_q       = word_cell_q;
    assign second_q      = word_second_q;
    assign elements_q    = (WeightCompression != 0 && word_compressed_q) ? expanded : word;
  end

  // ---- lanes --------------------------------------------------------------------------------------------------------
  // A piece is PieceBytes of the cell. It takes its part of a kernel row from a byte of the elements on, and of that
  // the lanes of the row's channels; both are the same for all cells of an operation.
  logic [ConvByteBits*Pieces-1:0] from_q;
  logic [EntryBits-1:0] mask_q, lanes;

  always_ff @(posedge clk_i) begin
    logic [EntryBits-1:0] row;
    logic [1:0] quarter, line, in_row;  // of the lanes; its row; quarter of that row's lanes
    logic [2:0] place;                  // piece of the row
    logic [ConvLaneBits+1:0] skip;      // elements of the rows before it
    if (plan) begin
      row = ~({EntryBits{1'b1}} << (wide_i ? ShiftBits'({plan_channels, 4'b0}) : ShiftBits'({plan_channels, 3'b0})));
      for (int p = 0; p < Pieces; p++) begin
        quarter = wide_i ? 2'(p / 2) : 2'(p);
        line    = (rows_i == 3'd4) ? quarter : (rows_i == 3'd2) ? {1'b0, quarter[1]} : 2'd0;
        in_row  = (rows_i == 3'd4) ? 2'd0 : (rows_i == 3'd2) ? {1'b0, quarter[0]} : quarter;
        place   = wide_i ? {in_row, 1'(p)} : {1'b0, in_row};
        skip    = (line[0] ? {1'b0, plan_channels} : '0) + (line[1] ? {plan_channels, 1'b0} : '0);
        from_q[p*ConvByteBits+:ConvByteBits] <= ConvByteBits'(wide_i ? {skip, 1'b0} : {1'b0, skip}) +
            ConvByteBits'(32'(place) * PieceBytes) + ((p >= 4 && !wide_i) ? ConvByteBits'(plan_block) : '0);
        mask_q[8*PieceBytes*p+:8*PieceBytes] <=
            (skip < {1'b0, plan_block}) ? row[8*PieceBytes*32'(place)+:8*PieceBytes] : '0;
      end
    end
  end

  always_comb begin
    lanes = '0;
    if (valid_q)
      for (int p = 0; p < Pieces; p++)
        if (p < 4 || wide_i || second_q)
          lanes[8*PieceBytes*p+:8*PieceBytes] = mask_q[8*PieceBytes*p+:8*PieceBytes] &
              elements_q[{from_q[p*ConvByteBits+:ConvByteBits], 3'b0}+:8*PieceBytes];
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
