// Data reader: walks the positions of every stripe operation, reads their input from CBUF and queues the atoms.
//
// Feature input: an atom is the block of AtomicC channels of one input pixel (one entry, or a part of one when the last block of a line is
// packed), or pad_value_i in all lanes outside the cube. Image input: AtomicC bytes of a line from any byte on (two entries), or pad_value_i
// above and below the image. With rows_i = N = 2 or 4 an atom holds the same place of N lines, AtomicC/N bytes of each: AtomicC bytes
// of a line serve N consecutive positions, so N positions of an output line take N reads, line by line, and leave as N atoms.
//
// start_i begins a layer. Lanes outside the block hold anything: their weights are 0. read_done_o: one clock, the layer's last read is over.
// Stream out: one atom a clock, valid_o/ready_i. Latency of the first atom: 4 clocks, N > 1: N + 4.
// Spec: 40-convolution-core, sections 3.1, 3.2, 4.2 and 5; 30-cdma-cbuf, section 5.
module nvdla_csc_data
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      start_i,
    // Layer.
    input  logic                      image_i,
    input  logic [               2:0] rows_i,       // N
    input  logic [  CbufAddrBits-1:0] base_i,       // first entry of the oldest line
    input  logic [EntryCountBits-1:0] ring_i,       // entries of the data banks
    input  logic [EntryCountBits-1:0] entries_i,    // of a line
    input  logic [              12:0] width_i,      // minus 1
    input  logic [              12:0] height_i,     // minus 1
    input  logic [              12:0] out_width_i,  // minus 1
    input  logic [               5:0] step_x_i,     // input pixels (image: bytes) between output columns
    input  logic [               3:0] step_y_i,
    input  logic [               4:0] pad_left_i,   // 0 in image mode
    input  logic [               4:0] pad_top_i,
    input  logic [               7:0] pad_value_i,
    // Operations.
    input  logic                      op_valid_i,
    output logic                      op_ready_o,
    input  logic [  ConvStripeBits:0] op_positions_i,
    input  logic [    ConvLaneBits:0] op_channels_i,
    input  logic [EntryCountBits-1:0] op_block_i,
    input  logic [              10:0] op_tap_x_i,
    input  logic [              10:0] op_tap_y_i,
    input  logic                      op_channel_end_i,
    input  logic                      op_group_end_i,
    input  logic                      op_layer_end_i,
    // CBUF.
    output logic                      rd_valid_o,
    output logic [  CbufAddrBits-1:0] rd_addr_o,
    output logic                      rd_next_valid_o,
    output logic [  CbufAddrBits-1:0] rd_next_addr_o,
    input  logic [     EntryBits-1:0] rd_data_i,
    input  logic [     EntryBits-1:0] rd_next_data_i,
    output logic                      read_done_o,
    // Atoms.
    output logic                      valid_o,
    input  logic                      ready_i,
    output logic                      stripe_start_o,
    output logic                      stripe_end_o,
    output logic                      channel_end_o,
    output logic                      layer_end_o,
    output logic [     EntryBits-1:0] data_o
);
  localparam int Depth = 16;
  localparam int PtrBits = $clog2(Depth);
  localparam int PosBits = 20;  // signed input coordinates, image: bytes
  localparam int ShiftBits = ConvLaneBits + 4;

  // ---- walk: one read a clock ---------------------------------------------------------------------------------------------------
  // x: output column; in_x, in_y: input coordinates of the kernel's first tap. begin_*: first position of the stripe.
  logic [12:0] x_q, begin_x_q, x_next;
  logic signed [PosBits-1:0] in_x_q, in_y_q, begin_in_x_q, begin_in_y_q, in_x_next, in_y_next, origin_x, origin_y;
  logic [ConvStripeBits:0] done_q, done_next;
  logic [1:0] line_q;  // 0 .. N-1
  logic [2:0] count;   // positions of this group of reads, 1 .. N
  logic [PtrBits:0] reserved_q;
  logic post, issue, last_line, op_last, line_end, pop;

  assign post = rows_i != 3'd1;
  assign origin_x = -$signed(PosBits'(pad_left_i));
  assign origin_y = -$signed(PosBits'(pad_top_i));
  assign last_line = {1'b0, line_q} == rows_i - 3'd1;

  always_comb begin
    logic [SizeBits-1:0] columns;
    logic [ConvStripeBits:0] left;
    count   = 3'd1;
    columns = {1'b0, out_width_i} + 1'b1 - {1'b0, x_q};
    left    = op_positions_i - done_q;
    if (post) begin
      count = rows_i;
      if (columns < {11'b0, count}) count = columns[2:0];
      if (left < (ConvStripeBits + 1)'(count)) count = left[2:0];
    end
    line_end  = columns == {11'b0, count};
    done_next = done_q + (ConvStripeBits + 1)'(count);
    x_next    = line_end ? '0 : x_q + {10'b0, count};
    in_x_next = in_x_q + $signed(PosBits'(step_x_i));
    if (post) in_x_next = in_x_q + $signed(PosBits'(step_x_i) * PosBits'(count));
    in_y_next = in_y_q;
    if (line_end) begin
      in_x_next = origin_x;
      in_y_next = in_y_q + $signed(PosBits'(step_y_i));
    end
  end

  assign op_last = done_next == op_positions_i;
  assign issue = op_valid_i && (line_q != '0 || reserved_q <= (PtrBits + 1)'(Depth - 4));
  assign op_ready_o = issue && last_line && op_last;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      done_q     <= '0;
      line_q     <= '0;
      reserved_q <= '0;
    end else begin
      if (issue) line_q <= last_line ? '0 : line_q + 2'd1;
      if (issue && last_line) done_q <= op_last ? '0 : done_next;
      reserved_q <= reserved_q + ((issue && line_q == '0) ? (PtrBits + 1)'(count) : '0) - (PtrBits + 1)'(pop);
    end

  always_ff @(posedge clk_i)
    if (start_i || (op_ready_o && op_group_end_i)) begin
      x_q          <= '0;
      in_x_q       <= origin_x;
      in_y_q       <= origin_y;
      begin_x_q    <= '0;
      begin_in_x_q <= origin_x;
      begin_in_y_q <= origin_y;
    end else if (op_ready_o && !op_channel_end_i) begin
      x_q    <= begin_x_q;
      in_x_q <= begin_in_x_q;
      in_y_q <= begin_in_y_q;
    end else if (issue && last_line) begin
      x_q    <= x_next;
      in_x_q <= in_x_next;
      in_y_q <= in_y_next;
      if (op_last) begin
        begin_x_q    <= x_next;
        begin_in_x_q <= in_x_next;
        begin_in_y_q <= in_y_next;
      end
    end

  // ---- input coordinates --------------------------------------------------------------------------------------------------------
  // Packing of the block in its line: pixels that share an entry, as a power of two.
  function automatic logic [1:0] pack_shift(input logic [ConvLaneBits:0] channels);
    if (Slots >= 2 && channels <= (ConvLaneBits + 1)'(MemAtom)) return 2'($clog2(Slots));
    if (Slots == 4 && channels <= (ConvLaneBits + 1)'(2 * MemAtom)) return 2'd1;
    return 2'd0;
  endfunction

  localparam int InfoBits = 9;
  logic [InfoBits-1:0] info, at_info_q, rd_info_q, in_info_q;
  logic at_valid_q, rd_stage_q, in_valid_q;
  logic signed [PosBits-1:0] at_x_q, at_y_q;
  logic [EntryCountBits-1:0] at_block_q;
  logic [1:0] at_pack_q;

  assign info = {line_q, count, done_q == '0, op_last, op_channel_end_i, op_layer_end_i};

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      at_valid_q <= 1'b0;
      rd_stage_q <= 1'b0;
      in_valid_q <= 1'b0;
    end else begin
      at_valid_q <= issue;
      rd_stage_q <= at_valid_q;
      in_valid_q <= rd_stage_q;
    end

  always_ff @(posedge clk_i)
    if (issue) begin
      at_info_q  <= info;
      at_x_q     <= in_x_q + $signed(PosBits'(op_tap_x_i));
      at_y_q     <= in_y_q + $signed(PosBits'(op_tap_y_i)) + $signed(PosBits'(line_q));
      at_block_q <= op_block_i;
      at_pack_q  <= image_i ? 2'd0 : pack_shift(op_channels_i);
    end

  // ---- CBUF address -------------------------------------------------------------------------------------------------------------
  logic rd_valid_q, rd_next_valid_q, rd_pad_q, in_pad_q;
  logic [CbufAddrBits-1:0] rd_addr_q, rd_next_addr_q;
  logic [ConvLaneBits-1:0] rd_byte_q, in_byte_q;  // byte of the entry that goes to lane 0

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      rd_valid_q      <= 1'b0;
      rd_next_valid_q <= 1'b0;
    end else begin
      rd_valid_q      <= 1'b0;
      rd_next_valid_q <= 1'b0;
      if (at_valid_q) begin
        rd_valid_q      <= 1'b1;
        rd_next_valid_q <= image_i;
      end
    end

  always_ff @(posedge clk_i) begin
    logic [EntryCountBits-1:0] column, entry;
    if (at_valid_q) begin
      rd_info_q <= at_info_q;
      rd_pad_q  <= at_y_q < 0 || at_y_q > $signed(PosBits'(height_i)) ||
          (!image_i && (at_x_q < 0 || at_x_q > $signed(PosBits'(width_i))));
      if (image_i) begin
        column    = EntryCountBits'(at_x_q >>> ConvLaneBits);
        rd_byte_q <= at_x_q[ConvLaneBits-1:0];
      end else begin
        column    = EntryCountBits'(at_x_q >>> at_pack_q);
        rd_byte_q <= '0;
        if (Slots == 2) rd_byte_q <= (at_pack_q == 2'd1 && at_x_q[0]) ? ConvLaneBits'(MemAtom) : '0;
        if (Slots == 4) begin
          if (at_pack_q == 2'd1) rd_byte_q <= at_x_q[0] ? ConvLaneBits'(2 * MemAtom) : '0;
          if (at_pack_q == 2'd2) rd_byte_q <= ConvLaneBits'(32'(at_x_q[1:0]) * MemAtom);
        end
      end
      entry = conv_ring((EntryCountBits + 1)'(base_i) + (EntryCountBits + 1)'(EntryCountBits'(at_y_q) * entries_i + at_block_q + column), ring_i);
      rd_addr_q      <= entry[CbufAddrBits-1:0];
      rd_next_addr_q <= CbufAddrBits'(conv_ring((EntryCountBits + 1)'(entry) + (EntryCountBits + 1)'(1), ring_i));
    end
  end

  assign rd_valid_o = rd_valid_q && !rd_pad_q;
  assign rd_addr_o = rd_addr_q;
  assign rd_next_valid_o = rd_next_valid_q && !rd_pad_q;
  assign rd_next_addr_o = rd_next_addr_q;

  always_ff @(posedge clk_i)
    if (rd_stage_q) begin
      in_info_q <= rd_info_q;
      in_pad_q  <= rd_pad_q;
      in_byte_q <= rd_byte_q;
    end

  // ---- entry to lanes -----------------------------------------------------------------------------------------------------------
  logic [1:0] in_line;
  logic [2:0] in_count;
  logic in_start, in_end, in_channel_end, in_layer_end, in_last_line;
  logic [EntryBits-1:0] word;

  assign {in_line, in_count, in_start, in_end, in_channel_end, in_layer_end} = in_info_q;
  assign in_last_line = {1'b0, in_line} == rows_i - 3'd1;
  assign read_done_o = in_valid_q && in_last_line && in_end && in_layer_end;

  always_comb begin
    word = rd_data_i;
    if (in_valid_q) begin
      if (in_pad_q) word = {AtomicC{pad_value_i}};
      else if (image_i)
        word = (rd_data_i >> ShiftBits'({in_byte_q, 3'b0})) |
            (rd_next_data_i << (ShiftBits'(EntryBits) - ShiftBits'({in_byte_q, 3'b0})));
      else if (Slots > 1) word = rd_data_i >> ShiftBits'({in_byte_q, 3'b0});
    end
  end

  // Lines of a group of positions: gathered, then shifted out position by position.
  logic [2:0] emit_q;  // positions still to leave
  logic emit_start_q, emit_end_q, emit_channel_end_q, emit_layer_end_q, gathered;
  logic [EntryBits-1:0] halves, quarters;

  assign gathered = in_valid_q && post && in_last_line;

  for (genvar j = 0; j < 4; j++) begin : gen_line
    logic [EntryBits-1:0] gather_q, leave_q;
    always_ff @(posedge clk_i)
      if (post) begin
        if (in_valid_q && in_line == 2'(j)) gather_q <= word;
        if (gathered) leave_q <= (in_line == 2'(j)) ? word : gather_q;
        else leave_q <= leave_q >> {step_x_i, 3'b0};
      end
    if (j < 2) begin : gen_half
      assign halves[j*EntryBits/2+:EntryBits/2] = leave_q[EntryBits/2-1:0];
    end
    assign quarters[j*EntryBits/4+:EntryBits/4] = leave_q[EntryBits/4-1:0];
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) emit_q <= '0;
    else if (gathered) emit_q <= in_count;
    else if (emit_q != '0) emit_q <= emit_q - 3'd1;

  always_ff @(posedge clk_i)
    if (gathered) begin
      emit_start_q       <= in_start;
      emit_end_q         <= in_end;
      emit_channel_end_q <= in_channel_end;
      emit_layer_end_q   <= in_layer_end;
    end else if (emit_q != '0) emit_start_q <= 1'b0;

  // ---- queue --------------------------------------------------------------------------------------------------------------------
  // Every push has a place that was reserved when its first line was read.
  logic push;
  logic [EntryBits-1:0] push_data;
  logic [3:0] push_flags;
  logic unused_ready;

  assign push = post ? emit_q != '0 : in_valid_q;
  assign pop = valid_o && ready_i;
  assign push_data = !post ? word : (rows_i == 3'd2 ? halves : quarters);
  assign push_flags = post ? {emit_start_q, emit_end_q && emit_q == 3'd1, emit_channel_end_q, emit_layer_end_q} :
      {in_start, in_end, in_channel_end, in_layer_end};

  nvdla_fifo #(
      .Width(EntryBits + 4),
      .Depth(Depth)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .in_valid_i (push),
      .in_ready_o (unused_ready),
      .in_data_i  ({push_flags, push_data}),
      .out_valid_o(valid_o),
      .out_ready_i(ready_i),
      .out_data_o ({stripe_start_o, stripe_end_o, channel_end_o, layer_end_o, data_o})
  );

  // ---- checks -------------------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(DepthLegal, Depth == 2 ** PtrBits && Depth >= 8)
  `NVDLA_STABLE(OperationStable, op_valid_i, op_ready_o, {op_positions_i, op_channels_i, op_block_i, op_tap_x_i, op_tap_y_i,
                op_channel_end_i, op_group_end_i, op_layer_end_i})
  `NVDLA_STABLE(AtomStable, valid_o, ready_i, {stripe_start_o, stripe_end_o, channel_end_o, layer_end_o, data_o})
  `NVDLA_CHECK(RowsLegal, !op_valid_i || rows_i == 3'd1 || rows_i == 3'd2 || rows_i == 3'd4)
  `NVDLA_CHECK(ReadsInsideRing, !rd_valid_o || EntryCountBits'(rd_addr_o) < ring_i)
  `NVDLA_CHECK(ReadsInsideRingNext, !rd_next_valid_o || EntryCountBits'(rd_next_addr_o) < ring_i)
  `NVDLA_QUEUE(Atoms, EntryBits + 4, Depth, push, {push_data, push_flags}, valid_o, valid_o && ready_i,
               {data_o, stripe_start_o, stripe_end_o, channel_end_o, layer_end_o})
  // Places of the queue: positions whose reads have begun and that have not left.
  `NVDLA_BALANCE(Places, Depth, issue && line_q == '0, 32'(count), valid_o && ready_i, 1)
  // Stripes: as many atoms as the operation has positions, the first and the last one marked.
  `NVDLA_QUEUE(Stripes, ConvStripeBits + 1 + 2, 64, op_valid_i && op_ready_o, {op_positions_i, op_channel_end_i, op_layer_end_i}, 1'b0,
               valid_o && ready_i && stripe_end_o, (ConvStripeBits + 3)'(0))

`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(PlacesAddUp, 32'(reserved_q) == Places.level_q)
  int stripe_q;  // atoms of the stripe that have left
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) stripe_q <= 0;
    else if (valid_o && ready_i) stripe_q <= stripe_end_o ? 0 : stripe_q + 1;
  `NVDLA_CHECK(StripeBeginsWithItsFirstAtom, !valid_o || stripe_start_o == (stripe_q == 0))
  `NVDLA_CHECK(StripeHasAllItsAtoms, !(valid_o && stripe_end_o) || Stripes.level_q <= 0 ||
               {(ConvStripeBits + 1)'(stripe_q + 1), channel_end_o, layer_end_o} == Stripes.mem_q[Stripes.rd_q])
`endif
endmodule
