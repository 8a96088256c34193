// Data reader: walks the positions of every stripe operation, reads their input from CBUF and queues the atoms. Lane l
// is in byte l; of lanes of 16 bits (LaneBytes 2) in bits 16l at 16 bits (wide_i), in byte l of the low half at INT8.
// Where LaneBytes is 2 lanes outside the block are 0, else they hold anything: their weights are 0.
//
// A step reads one or more entries and gives one or more atoms, one read and one atom a clock:
// - Feature input: one read, one atom: the block of one input pixel, from the part of the entry that chapter 40 section
//   5 gives it; or pad_value_i outside the cube. Every position has a step for each batch.
// - Image input: one read (of two entries if the atom crosses their border), one atom: AtomicC elements of a line from
//   any element on, or pad_value_i above and below the image. With rows_i = N = 2 or 4 an atom holds the same place of
//   N lines, AtomicC/N elements of each: AtomicC elements of a line serve N consecutive positions, so N positions of an
//   output line take N reads, line by line.
// - Winograd: the tiles of two tile columns in a band of four output lines lie in 2 x 2 entries: four reads, four
//   atoms, upper tile before lower tile. The input transform (nvdla_csc_winograd) follows.
//
// start_i begins a layer. read_done_o: one clock, the layer's last read is over.
// Stream out: one atom a clock, valid_o/ready_i. Latency of the first atom: 4 clocks, N > 1: N + 4, Winograd: 12.
// Spec: 40-convolution-core, sections 3.1 to 3.4, 4.2 and 5; 30-cdma-cbuf, section 5.
`include "nvdla_check.svh"
module nvdla_csc_data
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      clk_on_i,  // keeps all clocks running
    input  logic                      rst_ni,
    input  logic                      start_i,
    // Layer.
    input  logic                      wide_i,
    input  logic                      fp16_i,
    input  logic                      image_i,
    input  logic                      winograd_i,
    input  logic [               1:0] truncate_i,  // PRA_TRUNCATE
    input  logic [               2:0] rows_i,  // N
    input  logic [               4:0] batches_i,  // minus 1
    input  logic [  CbufAddrBits-1:0] base_i,  // first entry of the oldest line
    input  logic [EntryCountBits-1:0] ring_i,  // entries of the data banks
    input  logic [EntryCountBits-1:0] entries_i,  // of a line of one batch
    input  logic [EntryCountBits-1:0] line_entries_i,  // of a line of all batches
    input  logic [              12:0] width_i,  // minus 1
    input  logic [              12:0] height_i,  // minus 1
    input  logic [              12:0] out_width_i,  // minus 1
    input  logic [               5:0] step_x_i,  // input pixels (image: elements) between output columns (Winograd: 1)
    input  logic [               3:0] step_y_i,  // input lines between output lines (Winograd: between bands, 4)
    input  logic [               4:0] pad_left_i,  // 0 in image and Winograd mode
    input  logic [               4:0] pad_top_i,  // 0 in Winograd mode
    input  logic [              15:0] pad_value_i,
    // Operations.
    input  logic                      op_valid_i,
    output logic                      op_ready_o,
    input  conv_data_op_t             op_i,
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
  localparam int Depth = 16 * LaneBytes;
  localparam int PtrBits = $clog2(Depth);
  localparam int PosBits = 20;  // signed input coordinates, image: elements
  localparam int ShiftBits = ConvByteBits + 4;
  localparam int HalfBytes = EntryBytes / 2;
  localparam bit Halves = LaneBytes == 2;  // an atom of INT8 takes half of an entry's bytes

  // ---- walk: one read a clock ---------------------------------------------------------------------------------------
  // x: output column; in_x, in_y: input coordinates of the kernel's first tap. begin_*: first position of the stripe.
  logic [12:0] x_q, begin_x_q, x_next;
  logic signed [PosBits-1:0] in_x_q, in_y_q, begin_in_x_q, begin_in_y_q, in_x_next, in_y_next, origin_x, origin_y;
  logic [ConvStripeBits:0] done_q, done_next;
  logic [1:0] read_q;  // of the step
  logic [4:0] batch_q;
  logic [2:0] reads, count;  // of a step: reads, and positions, 1 .. reads
  logic [PtrBits:0] reserved_q;
  logic gather, issue, last_read, last_batch, step, op_last, line_end, pop;

  assign gather = winograd_i || rows_i != 3'd1;
  assign reads = winograd_i ? 3'd4 : rows_i;
  assign origin_x = -$signed(PosBits'(pad_left_i));
  assign origin_y = -$signed(PosBits'(pad_top_i));

  // Entries of in_y, begin_in_y and origin_y lines, of a step to the next output line, and of the batches before this
  // one.
  logic [EntryCountBits-1:0] in_row_q, begin_row_q, origin_row_q, step_row_q, in_row_next, batch_row, batch_row_q;
  logic load_q;  // the clock after start_i
  assign batch_row = (BatchMax > 1) ? batch_row_q : '0;
  assign last_read = {1'b0, read_q} == reads - 3'd1;
  assign last_batch = BatchMax == 1 || batch_q == batches_i;

  always_comb begin
    logic [SizeBits-1:0] columns;
    logic [ConvStripeBits:0] left;
    count   = 3'd1;
    columns = {1'b0, out_width_i} + 1'b1 - {1'b0, x_q};
    left    = op_i.positions - done_q;
    if (gather) begin
      count = reads;
      if (columns < {11'b0, count}) count = columns[2:0];
      if (left < (ConvStripeBits + 1)'(count)) count = left[2:0];
    end
    line_end  = columns == {11'b0, count};
    done_next = done_q + (ConvStripeBits + 1)'(count);
    x_next    = line_end ? '0 : x_q + {10'b0, count};
    in_x_next = in_x_q + $signed(PosBits'(step_x_i));
    if (gather)
      in_x_next = in_x_q + $signed((count[0] ? PosBits'(step_x_i) : '0) + (count[1] ? PosBits'(step_x_i) << 1 : '0) +
          (count[2] ? PosBits'(step_x_i) << 2 : '0));
    in_y_next = in_y_q;
    in_row_next = in_row_q;
    if (line_end) begin
      in_x_next = origin_x;
      in_y_next = in_y_q + $signed(PosBits'(step_y_i));
      in_row_next = in_row_q + step_row_q;
    end
  end

  assign op_last = done_next == op_i.positions;
  assign issue = op_valid_i && (read_q != '0 || reserved_q <= (PtrBits + 1)'(Depth - 4));
  assign step = issue && last_read && last_batch;
  assign op_ready_o = step && op_last;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      done_q     <= '0;
      read_q     <= '0;
      batch_q    <= '0;
      reserved_q <= '0;
      load_q     <= 1'b0;
    end else begin
      load_q <= start_i;
      if (issue) read_q <= last_read ? '0 : read_q + 2'd1;
      if (issue && last_read) batch_q <= last_batch ? '0 : batch_q + 5'd1;
      if (step) done_q <= op_last ? '0 : done_next;
      reserved_q <= reserved_q + ((issue && read_q == '0) ? (PtrBits + 1)'(count) : '0) - (PtrBits + 1)'(pop);
    end

  always_ff @(posedge clk_i)
    if (start_i || (op_ready_o && op_i.group_end)) begin
      x_q          <= '0;
      in_x_q       <= origin_x;
      in_y_q       <= origin_y;
      begin_x_q    <= '0;
      begin_in_x_q <= origin_x;
      begin_in_y_q <= origin_y;
    end else if (op_ready_o && !op_i.channel_end) begin
      x_q    <= begin_x_q;
      in_x_q <= begin_in_x_q;
      in_y_q <= begin_in_y_q;
    end else if (step) begin
      x_q    <= x_next;
      in_x_q <= in_x_next;
      in_y_q <= in_y_next;
      if (op_last) begin
        begin_x_q    <= x_next;
        begin_in_x_q <= in_x_next;
        begin_in_y_q <= in_y_next;
      end
    end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      origin_row_q <= -(EntryCountBits'(pad_top_i) * line_entries_i);
      step_row_q   <= EntryCountBits'(step_y_i) * line_entries_i;
    end
    if (load_q || (op_ready_o && op_i.group_end)) begin
      in_row_q    <= origin_row_q;
      begin_row_q <= origin_row_q;
    end else if (op_ready_o && !op_i.channel_end) in_row_q <= begin_row_q;
    else if (step) begin
      in_row_q <= in_row_next;
      if (op_last) begin_row_q <= in_row_next;
    end
    if (load_q) batch_row_q <= '0;
    else if (issue && last_read) batch_row_q <= last_batch ? '0 : batch_row_q + entries_i;
  end

  // ---- input coordinates --------------------------------------------------------------------------------------------
  // Pixels of the block that share an entry, as a power of two; columns of entries are four pixels with Winograd.
  logic [1:0] pack;
  logic [ConvLaneBits+1:0] block_bytes;
  assign block_bytes = wide_i ? {op_i.channels, 1'b0} : {1'b0, op_i.channels};
  always_comb begin
    pack = 2'd0;
    if (winograd_i) pack = 2'd2;
    else if (!image_i && (!Halves || (op_i.last && !op_i.odd))) begin
      if (Slots >= 2 && block_bytes <= (ConvLaneBits + 2)'(MemAtom)) pack = 2'($clog2(Slots));
      else if (Slots >= 4 && block_bytes <= (ConvLaneBits + 2)'(2 * MemAtom)) pack = 2'($clog2(Slots) - 1);
    end
  end

  localparam int InfoBits = 2 + 3 + 4 + (ConvLaneBits + 1) + 3 + 1;
  logic [InfoBits-1:0] info, at_info_q, rd_info_q, in_info_q;
  logic at_valid_q, rd_stage_q, in_valid_q;
  logic signed [PosBits-1:0] at_x_q, at_y_q;
  logic [EntryCountBits-1:0] at_row_q;  // entries before the column
  logic [1:0] at_pack_q;
  logic at_odd, at_odd_q;
  assign at_odd = Halves && at_odd_q;

  // Entries of the lines before read n of a position.
  function automatic logic [EntryCountBits-1:0] read_row(input logic [1:0] n);
    if (winograd_i) return n[1] ? line_entries_i << 2 : '0;
    return (n[0] ? line_entries_i : '0) + (n[1] ? line_entries_i << 1 : '0);
  endfunction

  assign info = {
    read_q, count, done_q == '0 && batch_q == '0, op_last && last_batch, op_i.channel_end, op_i.layer_end,
    op_i.channels, op_i.rows, op_i.odd
  };

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
      at_pack_q  <= pack;
      at_odd_q   <= op_i.odd;
      at_row_q   <= in_row_q + read_row(read_q) + op_i.block + batch_row;
      if (winograd_i) begin
        at_x_q <= in_x_q + $signed({{(PosBits - 3) {1'b0}}, read_q[0], 2'b00});
        at_y_q <= in_y_q + $signed({{(PosBits - 3) {1'b0}}, read_q[1], 2'b00});
      end else begin
        at_x_q <= in_x_q + $signed(PosBits'(op_i.tap_x));
        at_y_q <= in_y_q + $signed(PosBits'(op_i.tap_y)) + $signed(PosBits'(read_q));
      end
    end

  // ---- CBUF address -------------------------------------------------------------------------------------------------
  logic rd_valid_q, rd_next_valid_q, rd_pad_q, in_pad_q, in_two_q;
  logic [CbufAddrBits-1:0] rd_addr_q, rd_next_addr_q;
  logic [ConvByteBits-1:0] rd_byte_q, in_byte_q;  // byte of the entry that goes to lane 0
  logic at_pad;
  logic signed [PosBits:0] at_place;  // image: byte of the line

  assign at_pad = at_y_q < 0 || at_y_q > $signed(PosBits'(height_i)) ||
      (!image_i && (at_x_q < 0 || at_x_q > $signed(PosBits'(width_i))));
  assign at_place = wide_i ? $signed({at_x_q, 1'b0}) :
      $signed({at_x_q[PosBits-1], at_x_q}) + $signed((PosBits + 1)'(at_odd ? HalfBytes : 0));

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      rd_valid_q      <= 1'b0;
      rd_next_valid_q <= 1'b0;
    end else begin
      rd_valid_q      <= at_valid_q && !at_pad;
      rd_next_valid_q <= at_valid_q && !at_pad && image_i &&
          (!Halves || at_place[ConvByteBits-1:0] > (wide_i ? '0 : ConvByteBits'(HalfBytes)));
    end

  always_ff @(posedge clk_i) begin
    logic [EntryCountBits-1:0] column, entry;
    if (at_valid_q) begin
      rd_info_q <= at_info_q;
      rd_pad_q  <= at_pad;
      if (image_i) begin
        column    = EntryCountBits'(at_place >>> ConvByteBits);
        rd_byte_q <= at_place[ConvByteBits-1:0];
      end else begin
        column    = EntryCountBits'(at_x_q >>> at_pack_q);
        rd_byte_q <= at_odd ? ConvByteBits'(HalfBytes) : '0;
        if (at_pack_q == 2'd1) rd_byte_q <= at_x_q[0] ? ConvByteBits'(HalfBytes) : '0;
        if (at_pack_q == 2'd2) rd_byte_q <= ConvByteBits'(32'(at_x_q[1:0]) * (HalfBytes / 2));
        if (Slots == 8 && at_pack_q == 2'd3) rd_byte_q <= ConvByteBits'(32'(at_x_q[2:0]) * (HalfBytes / 4));
      end
      entry = conv_ring((EntryCountBits + 1)'(base_i) + (EntryCountBits + 1)'(EntryCountBits'(at_row_q + column)),
          ring_i);
      rd_addr_q      <= entry[CbufAddrBits-1:0];
      rd_next_addr_q <= CbufAddrBits'(conv_ring((EntryCountBits + 1)'(entry) + (EntryCountBits + 1)'(1), ring_i));
    end
  end

  assign rd_valid_o = rd_valid_q;
  assign rd_addr_o = rd_addr_q;
  assign rd_next_valid_o = rd_next_valid_q;
  assign rd_next_addr_o = rd_next_addr_q;

  always_ff @(posedge clk_i)
    if (rd_stage_q) begin
      in_info_q <= rd_info_q;
      in_pad_q  <= rd_pad_q;
      in_two_q  <= rd_next_valid_q;
      in_byte_q <= rd_byte_q;
    end

  // Lanes that take part, of all atoms of the operation.
  logic [EntryBits-1:0] in_mask;
  if (Halves) begin : gen_mask
    logic [EntryBits-1:0] in_mask_q;
    logic [ConvLaneBits:0] rd_channels;
    logic [2:0] rd_rows;
    logic rd_start;
    assign rd_channels = rd_info_q[ConvLaneBits+4:4];
    assign rd_rows = rd_info_q[3:1];
    assign rd_start = rd_info_q[ConvLaneBits+8];
    assign in_mask = in_mask_q;

    always_ff @(posedge clk_i) begin
      logic [EntryBits-1:0] row;
      if (rd_stage_q && rd_start && !winograd_i) begin
        row = ~({EntryBits{1'b1}} << (wide_i ? ShiftBits'({rd_channels, 4'b0}) : ShiftBits'({rd_channels, 3'b0})));
        in_mask_q <= row;
        // Rows from one part of the lanes to the next one; their places are AtomicC/N lanes apart.
        if (rows_i == 3'd2 && rd_rows == 3'd2) in_mask_q <= row | (row << (wide_i ? EntryBits / 2 : EntryBits / 4));
        if (rows_i == 3'd4)
          in_mask_q <= row | (rd_rows > 3'd1 ? row << (wide_i ? EntryBits / 4 : EntryBits / 8) : '0) |
              (rd_rows > 3'd2 ? row << (wide_i ? EntryBits / 2 : EntryBits / 4) : '0) |
              (rd_rows > 3'd3 ? row << (wide_i ? 3 * EntryBits / 4 : 3 * EntryBits / 8) : '0);
      end
    end
  end else begin : gen_all_lanes
    assign in_mask = '1;
    wire unused_mask = &{1'b0, rd_info_q[ConvLaneBits+4:1]};
  end

  // ---- entry to lanes -----------------------------------------------------------------------------------------------
  logic [1:0] in_read;
  logic [2:0] in_count;
  logic in_start, in_end, in_channel_end, in_layer_end, in_odd, in_last_read;
  logic [EntryBits-1:0] word;

  assign {in_read, in_count, in_start, in_end, in_channel_end, in_layer_end} = in_info_q[InfoBits-1-:9];
  assign in_odd = in_info_q[0];
  assign in_last_read = {1'b0, in_read} == reads - 3'd1;
  assign read_done_o = in_valid_q && in_last_read && in_end && in_layer_end;
  wire unused_info = &{1'b0, in_info_q[ConvLaneBits+4:1]};

  logic [EntryBits-1:0] window;
  logic [ConvByteBits:0] window_at;
  assign window_at = (in_valid_q && !in_pad_q && !winograd_i) ? {1'b0, in_byte_q} : '0;

  nvdla_funnel #(
      .Lanes   (EntryBytes),
      .LaneBits(8)
  ) u_window (
      .low_i       (rd_data_i),
      .high_i      (rd_next_data_i),
      .high_valid_i(in_two_q),
      .at_i        (window_at),
      .data_o      (window)
  );

  always_comb begin
    word = window;
    if (in_valid_q && in_pad_q && !winograd_i) word = wide_i ? {(EntryBytes / 2) {pad_value_i}} :
        {EntryBytes{pad_value_i[7:0]}};
  end

  // Reads of a step: gathered, then sent atom by atom. A position takes a part of each line, emit_at_q bytes from its
  // begin.
  logic [2:0] emit_q;  // atoms still to leave
  logic [1:0] tile_q;  // the next one of them
  logic emit_start_q, emit_end_q, emit_channel_end_q, emit_layer_end_q, emit_odd_q, gathered;
  logic [EntryBits-1:0] emit_mask_q, together;  // together: the lanes of all lines
  logic [4*EntryBits-1:0] leave;
  logic [ConvByteBits-1:0] emit_at_q;
  logic [ConvByteBits+2:0] emit_bit;

  assign gathered = in_valid_q && gather && in_last_read;
  assign emit_bit = {emit_at_q, 3'b0};
  for (genvar j = 0; j < 4; j++) begin : gen_read
    logic [EntryBits-1:0] gather_q, leave_q;
    always_ff @(posedge clk_i)
      if (gather) begin
        if (in_valid_q && in_read == 2'(j)) gather_q <= word;
        if (gathered) leave_q <= (in_read == 2'(j)) ? word : gather_q;
      end
    assign leave[j*EntryBits+:EntryBits] = leave_q;
  end

  always_comb begin
    together = '0;
    if (emit_q != '0 && !winograd_i) begin
      if (rows_i == 3'd2) begin
        if (!Halves || wide_i)
          together = {gen_read[1].leave_q[emit_bit+:EntryBits/2], gen_read[0].leave_q[emit_bit+:EntryBits/2]};
        else together = EntryBits'({gen_read[1].leave_q[emit_bit+:EntryBits/4],
                                    gen_read[0].leave_q[emit_bit+:EntryBits/4]});
      end else if (!Halves || wide_i)
        together = {gen_read[3].leave_q[emit_bit+:EntryBits/4], gen_read[2].leave_q[emit_bit+:EntryBits/4],
                    gen_read[1].leave_q[emit_bit+:EntryBits/4], gen_read[0].leave_q[emit_bit+:EntryBits/4]};
      else together = EntryBits'({gen_read[3].leave_q[emit_bit+:EntryBits/8],
                                  gen_read[2].leave_q[emit_bit+:EntryBits/8],
                                  gen_read[1].leave_q[emit_bit+:EntryBits/8],
                                  gen_read[0].leave_q[emit_bit+:EntryBits/8]});
    end
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
      emit_odd_q         <= in_odd;
      emit_mask_q        <= in_mask;
      emit_at_q          <= '0;
      tile_q             <= '0;
    end else if (emit_q != '0) begin
      emit_at_q    <= emit_at_q + ConvByteBits'(wide_i ? {step_x_i, 1'b0} : {1'b0, step_x_i});
      emit_start_q <= 1'b0;
      tile_q       <= tile_q + 2'd1;
    end

  logic [EntryBits-1:0] emit_mask;
  logic [3:0] emit_flags;
  assign emit_mask = Halves ? emit_mask_q : '1;
  assign emit_flags = {emit_start_q, emit_end_q && emit_q == 3'd1, emit_channel_end_q, emit_layer_end_q};

  // ---- input transform ----------------------------------------------------------------------------------------------
  logic tile_valid;
  logic [3:0] tile_flags;
  logic [EntryBits-1:0] tile;

  if (Winograd != 0) begin : gen_winograd
    nvdla_csc_winograd u_winograd (
        .clk_i     (clk_i),
        .clk_on_i  (clk_on_i),
        .rst_ni    (rst_ni),
        .wide_i    (wide_i),
        .fp16_i    (fp16_i),
        .truncate_i(truncate_i),
        .valid_i   (winograd_i && emit_q != '0),
        .entries_i (leave),
        .tile_i    (tile_q),
        .odd_i     (emit_odd_q),
        .flags_i   (emit_flags),
        .valid_o   (tile_valid),
        .flags_o   (tile_flags),
        .data_o    (tile)
    );
  end else begin : gen_direct
    assign tile_valid = 1'b0;
    assign tile_flags = '0;
    assign tile = '0;
    wire unused_winograd = &{1'b0, clk_on_i, fp16_i, truncate_i, tile_q, emit_odd_q, leave};
  end

  // ---- queue --------------------------------------------------------------------------------------------------------
  // Every push has a place that was reserved when the step began.
  logic push;
  logic [EntryBits-1:0] push_data;
  logic [3:0] push_flags;
  logic queue_ready;  // always, by the places that are reserved
  wire unused_ready = &{1'b0, queue_ready};

  assign push = winograd_i ? tile_valid : gather ? emit_q != '0 : in_valid_q;
  assign pop = valid_o && ready_i;
  assign push_flags = winograd_i ? tile_flags : gather ? emit_flags : {in_start, in_end, in_channel_end, in_layer_end};

  always_comb begin
    push_data = '0;
    if (push) begin
      if (winograd_i) push_data = tile;
      else if (gather) push_data = together & emit_mask;
      else push_data = word & in_mask;
    end
  end

  nvdla_fifo #(
      .Width(EntryBits + 4),
      .Depth(Depth)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .in_valid_i (push),
      .in_ready_o (queue_ready),
      .in_data_i  ({push_flags, push_data}),
      .out_valid_o(valid_o),
      .out_ready_i(ready_i),
      .out_data_o ({stripe_start_o, stripe_end_o, channel_end_o, layer_end_o, data_o})
  );

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(DepthLegal, Depth == 2 ** PtrBits && Depth >= 8)
  `NVDLA_PARAM(LanesLegal, LaneBytes == 1 || (LaneBytes == 2 && Slots >= 2))
  `NVDLA_STABLE(OperationStable, op_valid_i, op_ready_o, op_i)
  `NVDLA_STABLE(AtomStable, valid_o, ready_i, {stripe_start_o, stripe_end_o, channel_end_o, layer_end_o, data_o})
  `NVDLA_CHECK(RowsLegal, !op_valid_i || rows_i == 3'd1 || rows_i == 3'd2 || rows_i == 3'd4)
  `NVDLA_CHECK(ModeLegal, !op_valid_i || 32'(image_i) + 32'(winograd_i) + 32'(batches_i != '0) <= 1)
  `NVDLA_CHECK(WholeTilesOfWinograd,
               !(op_valid_i && winograd_i) || (op_i.positions[1:0] == '0 && out_width_i[1:0] == '1))
  `NVDLA_CHECK(ReadsInsideRing, !rd_valid_o || EntryCountBits'(rd_addr_o) < ring_i)
  `NVDLA_CHECK(ReadsInsideRingNext, !rd_next_valid_o || EntryCountBits'(rd_next_addr_o) < ring_i)
  `NVDLA_CHECK(RoomForTheAtom, !push || queue_ready)
  `NVDLA_QUEUE(Atoms, EntryBits + 4, Depth, push, {push_data, push_flags}, valid_o, valid_o && ready_i,
               {data_o, stripe_start_o, stripe_end_o, channel_end_o, layer_end_o})
  // Places of the queue: positions whose reads have begun and that have not left.
  `NVDLA_BALANCE(Places, Depth, issue && read_q == '0, 32'(count), valid_o && ready_i, 1)
`ifdef NVDLA_CHECKS
  logic [ConvStripeBits:0] stripe_atoms;
  assign stripe_atoms = op_i.positions * ((ConvStripeBits + 1)'(batches_i) + 1'b1);
`endif
  // Stripes: as many atoms as the operation has positions and batches, the first and the last one marked.
  `NVDLA_QUEUE(Stripes, ConvStripeBits + 1 + 2, 64, op_valid_i && op_ready_o,
               {stripe_atoms, op_i.channel_end, op_i.layer_end}, 1'b0,
               valid_o && ready_i && stripe_end_o, (ConvStripeBits + 3)'(0))

`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(PlacesAddUp, 32'(reserved_q) == Places.level_q)
  `NVDLA_CHECK(WaitsOnlyForPlaces, issue || !op_valid_i || Places.level_q > Depth - 4)
  int stripe_q;  // atoms of the stripe that have left
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) stripe_q <= 0;
    else if (valid_o && ready_i) stripe_q <= stripe_end_o ? 0 : stripe_q + 1;
  `NVDLA_CHECK(StripeBeginsWithItsFirstAtom, !valid_o || stripe_start_o == (stripe_q == 0))
  `NVDLA_CHECK(StripeHasAllItsAtoms, !(valid_o && stripe_end_o) || Stripes.level_q <= 0 ||
               {(ConvStripeBits + 1)'(stripe_q + 1), channel_end_o, layer_end_o} == Stripes.mem_q[Stripes.rd_q])
`endif
endmodule
