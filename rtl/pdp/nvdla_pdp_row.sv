// 1-D pooling along W, and the walk through strips, surfaces and lines that the later stages follow.
//
// in_*: input atoms in the order strip, surface, line, column, whole (in_atom_i) or in beats of SdpBsThroughput lanes,
// in_last_i when complete. They enter a ring of 16 columns; a window is computed straight from the ring in PdpBeats
// beats, each as soon as its lanes of the last column inside the line are there (elements of 16 bits: half as many
// beats). Columns and lines that belong to no window are taken and dropped.
// Output rows that the bottom pad completes are left in the banks at the end of a surface. They leave with the first
// lines of the next surface, as long as these send no row out and need no bank of the others, else by flush beats
// without a row result.
// beat_o with row_o (PdpThroughput lanes of PdpRowBits): one clock after the ring, one beat per clock, no gaps between
// windows, lines and surfaces, one clock between strips. The banks that it reads (read_o, at read_addr_o) are named in
// the clock before it comes. over_o: the walk through the active layer has ended.
// Averages of FP16: atoms come as FP17 numbers, and nvdla_pdp_fp17_row adds up the columns of a window, some clocks
// more. clk_mean_i is clk_i in layers of them, else it may stand still.
// Spec: 60-pdp, sections 4, 5, 7.
`include "nvdla_check.svh"
`ifndef NVDLA_PDP_D_UNUSED
`include "nvdla_unused.svh"
`endif
module nvdla_pdp_row
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_pdp_pkg::*;
(
    input  logic                                     clk_i,
    input  logic                                     clk_mean_i,
    input  logic                                     rst_ni,
    input  logic                                     run_i,
    input  pdp_d_t                                   d_i,
    output logic                                     over_o,
    input  logic                                     in_valid_i,
    output logic                                     in_ready_o,
    input  logic                                     in_atom_i,
    input  logic                                     in_last_i,
    input  logic [               PdpSdpBeatBits-1:0] in_beat_i,
    input  logic [                PdpColumnBits-1:0] in_atom_data_i,
    input  logic [            SdpBsThroughput*8-1:0] in_beat_data_i,
    output logic                                     beat_valid_o,
    input  logic                                     beat_ready_i,
    output pdp_beat_t                                beat_o,
    output logic [PdpThroughput-1:0][PdpRowBits-1:0] row_o,
    output logic [                              7:0] read_o,
    output logic [              PdpBankAddrBits-1:0] read_addr_o
);
  typedef enum logic [1:0] {
    StateIdle,  // no layer, or its walk has ended
    StateLoad,  // a strip begins
    StateLine,  // an input line
    StateFlush  // a left row on its own
  } state_e;

  // What other modules use, and what none does (names and reasons: rtl/unused_fields.csv).
  wire unused_d = &{1'b0, `NVDLA_PDP_D_UNUSED(d_i), d_i.flying_mode, d_i.nan_to_zero, d_i.recip_kernel_width,
      d_i.recip_kernel_height,
      d_i.dst_base_addr_low, d_i.dst_base_addr_high, d_i.dst_line_stride, d_i.dst_surface_stride, d_i.dst_ram_type,
      d_i.dma_en};

  // ---- where we are -------------------------------------------------------------------------------------------------
  state_e state_q;
  logic over_q, valid_q;
  logic [7:0] strip_q;
  logic [12:0] surface_q, line_q, column_q;  // column: of the output
  logic [13:0] row_q;                        // first output row not finished
  logic signed [14:0] row_start_q;           // its first line, negative in the top pad
  logic [2:0] row_slot_q;
  logic [13:0] left_q;  // rows left in the banks by the surface before (Flush after the last surface: by this one)
  logic signed [14:0] left_start_q;  // of the first of them
  logic [2:0] left_slot_q;
  logic [PdpTotBits-1:0] left_pad_q;  // its vertical pad term
  logic ride_q, ride_next;            // it leaves with this line
  logic final_q;                      // no line follows in this strip
  logic signed [14:0] x0_q;           // first column of the window, negative in the left pad
  logic [PdpBeatBits-1:0] lane_q;     // beat of the atom
  logic [13:0] width_q;
  logic [12:0] column_last_q;
  logic [2:0] pad_left_q;
  pdp_window_t window_q;  // of x0; for a line that belongs to no window: all its columns, none kept
  pdp_line_t now_q;
  logic [PdpTotBits-1:0] pad_q;  // vertical pad term of the first unfinished row
  logic [3:0] ring_write_q, ring_base_q;  // ring places of the next column to come and of column 0 of the line
  logic [PdpCountBits-1:0] part_q;  // beats (of PdpThroughput lanes) of the next column to come that are in the ring
  logic signed [14:0] arrived_q;  // columns of the line that came; negative: so many of earlier lines are still to come
  logic [1:0] shift;
  logic [12:0] surface_last;
  logic [7*PdpTotBits-1:0] pads;
  logic wide, mean;      // elements of 16 bits; an average of FP16
  logic [2:0] pad_more;  // rows of pad count so many times more

  assign shift = pdp_bank_shift(d_i.kernel_height, d_i.kernel_stride_height);
  assign surface_last = pdp_surface_last(d_i.cube_in_channel, d_i.input_data);
  assign wide = pdp_is_wide(d_i.input_data);
  assign mean = pdp_is_mean(d_i.input_data, d_i.pooling_method);
  assign pad_more = mean ? 3'd0 : d_i.kernel_width[2:0];
  assign pads = {
    PdpTotBits'($signed(d_i.pad_value_7x)), PdpTotBits'($signed(d_i.pad_value_6x)),
    PdpTotBits'($signed(d_i.pad_value_5x)),
    PdpTotBits'($signed(d_i.pad_value_4x)), PdpTotBits'($signed(d_i.pad_value_3x)),
    PdpTotBits'($signed(d_i.pad_value_2x)),
    PdpTotBits'($signed(d_i.pad_value_1x))};

  // ---- what happens in this clock -----------------------------------------------------------------------------------
  logic take, push, ready, fold_ready, complete, fold, go, window_end, row_end, line_end, input_end, surface_final,
      step;
  logic signed [14:0] missing;
  logic [13:0] row_next, rest, left_next;
  logic strip_final, strip_input_end, strip_end, layer_end, line_begin, window_begin;
  logic [7:0] strip_next;

  // What follows is made ready before it is known whether the beat goes: a line or a left row may end in this clock,
  // with last_line a surface, and a line begins.
  logic last_lane, last_column, last_line, left_leaves, ending, beginning;
  assign last_lane = lane_q == (wide ? PdpBeatBits'(PdpWideBeats - 1) : PdpBeatBits'(PdpBeatLast));
  assign last_column = column_q == column_last_q;
  assign last_line = state_q == StateLine && line_q == d_i.cube_in_height;
  assign left_leaves = state_q == StateFlush || (state_q == StateLine && ride_q);
  assign ending = (last_lane && last_column) || state_q == StateLoad || (state_q == StateLine && !now_q.used);
  assign beginning = ending && state_q != StateFlush && !(last_line && surface_final);

  assign take = in_valid_i && in_ready_o;
  assign push = take && in_last_i;
  assign ready = !valid_q || fold_ready;
  assign missing = $signed({1'b0, window_q.need}) - arrived_q;
  assign complete = missing <= 15'sd0 || (missing == 15'sd1 && PdpCountBits'(lane_q) < part_q);
  assign fold = state_q == StateLine && now_q.used && complete && ready;
  assign go = fold || (state_q == StateFlush && ready);
  assign window_end = go && last_lane;
  assign row_end = window_end && last_column;
  assign line_end = state_q == StateLine && (now_q.used ? row_end : complete);
  assign input_end = line_end && last_line;  // of the surface
  assign row_next = row_q + 14'(now_q.emit);
  assign rest = 14'(d_i.cube_out_height) + 14'd1 - row_next;  // rows that an ending surface leaves
  assign left_next = last_line ? rest : left_q - 14'(left_leaves);
  assign surface_final = surface_q == surface_last;
  assign strip_final = strip_q == d_i.split_num;
  assign strip_input_end = input_end && surface_final;
  assign strip_end = strip_input_end ? rest == 14'd0 : final_q && row_end && left_q == 14'd1;
  assign layer_end = strip_end && strip_final;
  assign strip_next = strip_q + 8'd1;
  assign step = line_end || (state_q == StateFlush && row_end);  // to a line or a left row
  assign line_begin = state_q == StateLoad || (line_end && !strip_input_end);
  assign window_begin = line_begin || (fold && window_end);

  assign in_ready_o = arrived_q - $signed({1'b0, window_q.keep}) < 15'sd16;
  assign over_o = over_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      over_q <= 1'b0;
      valid_q <= 1'b0;
      lane_q <= '0;
      ring_write_q <= 4'd0;
      ring_base_q <= 4'd0;
      arrived_q <= 15'sd0;
      part_q <= '0;
      left_q <= 14'd0;
      final_q <= 1'b0;
    end else begin
      case (state_q)
        StateIdle: if (run_i && !over_q) state_q <= StateLoad;
        StateLoad: state_q <= StateLine;
        StateLine, StateFlush:
          if (layer_end) state_q <= StateIdle;
          else if (strip_end) state_q <= StateLoad;
          else if (step) begin
            if (left_next != 14'd0 && !ride_next) state_q <= StateFlush;
            else state_q <= StateLine;
          end
      endcase
      if (!run_i) over_q <= 1'b0;
      else if (layer_end) over_q <= 1'b1;
      if (take) part_q <= in_last_i ? '0 : part_q + PdpCountBits'(SdpBsThroughput / PdpThroughput);
      if (push) ring_write_q <= ring_write_q + 4'd1;
      if (line_end) ring_base_q <= ring_base_q + width_q[3:0];
      if (push || line_end) arrived_q <=
          arrived_q + $signed(15'(push)) - (line_end ? $signed({1'b0, width_q}) : 15'sd0);
      if (step) left_q <= left_next;
      if (state_q == StateLoad) final_q <= 1'b0;
      else if (strip_input_end) final_q <= 1'b1;
      if (go) lane_q <= window_end ? '0 : lane_q + PdpBeatBits'(1);
      if (ready) valid_q <= go;
    end
  end

  // ---- strips and surfaces ------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (state_q == StateIdle) begin
      if (run_i) begin
        strip_q <= 8'd0;
        width_q <= pdp_strip_width_in(d_i.split_num, 8'd0, d_i.cube_in_width, d_i.partial_width_in_first,
            d_i.partial_width_in_mid,
                                      d_i.partial_width_in_last, d_i.kernel_width, d_i.kernel_stride_width);
        column_last_q <= pdp_strip_last_out(d_i.split_num, 8'd0, d_i.cube_out_width, d_i.partial_width_out_first,
                                            d_i.partial_width_out_mid, d_i.partial_width_out_last);
        pad_left_q <= d_i.pad_left;
      end
    end else if (strip_end) begin
      strip_q <= strip_next;
      width_q <= pdp_strip_width_in(d_i.split_num, strip_next, d_i.cube_in_width, d_i.partial_width_in_first,
                                    d_i.partial_width_in_mid, d_i.partial_width_in_last, d_i.kernel_width,
                                    d_i.kernel_stride_width);
      column_last_q <= pdp_strip_last_out(d_i.split_num, strip_next, d_i.cube_out_width, d_i.partial_width_out_first,
                                          d_i.partial_width_out_mid, d_i.partial_width_out_last);
      pad_left_q <= 3'd0;
    end
    if (state_q == StateLoad) surface_q <= 13'd0;
    else if (input_end) surface_q <= surface_q + 13'd1;
  end

  // ---- lines, left rows and windows ---------------------------------------------------------------------------------
  logic [12:0] line_next;
  logic [13:0] row_first_next;
  logic [2:0] row_slot_next, left_slot_next;
  logic signed [14:0] row_start_next, left_start_next, x0_next;
  pdp_line_t now_next;
  pdp_window_t window_next;

  always_comb begin
    line_next = line_q;
    row_first_next = row_next;
    row_slot_next = row_slot_q;
    row_start_next = row_start_q;
    left_slot_next = left_slot_q;
    left_start_next = left_start_q;
    ride_next = 1'b0;
    x0_next = x0_q + $signed(15'(d_i.kernel_stride_width)) + 15'sd1;
    now_next = now_q;
    window_next = window_q;
    if (ending) begin
      if (state_q == StateLine && now_q.emit) begin
        row_slot_next = row_slot_q + 3'd1;
        row_start_next = row_start_q + $signed(15'(d_i.kernel_stride_height)) + 15'sd1;
      end
      if (last_line) begin
        left_slot_next = row_slot_next;
        left_start_next = row_start_next;
        row_slot_next = row_slot_next + rest[2:0];
      end else if (left_leaves) begin
        left_slot_next = left_slot_q + 3'd1;
        left_start_next = left_start_q + $signed(15'(d_i.kernel_stride_height)) + 15'sd1;
      end
      if (last_line || state_q == StateLoad) begin
        line_next = 13'd0;
        row_first_next = 14'd0;
        row_start_next = -$signed(15'(d_i.pad_top));
      end else begin
        line_next = line_q + 13'd1;
      end
      if (beginning) now_next =
          pdp_line(line_next, d_i.cube_in_height, row_first_next, row_slot_next, d_i.cube_out_height, row_start_next,
                                          d_i.kernel_height, d_i.kernel_stride_height, shift);
      ride_next = left_next != 14'd0 && !final_q && !(last_line && surface_final) && now_next.used && !now_next.emit &&
                  (now_next.write & pdp_banks_behind(left_slot_next, left_next, shift)) == 8'd0;
    end
    if (beginning) x0_next = -$signed(15'(pad_left_q));
    if (ending || last_lane) window_next = pdp_window(x0_next, width_q, d_i.kernel_width);
    if (beginning && !now_next.used) begin
      window_next.need = width_q;
      window_next.keep = width_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (line_begin) begin
      line_q <= line_next;
      row_q <= row_first_next;
      row_start_q <= row_start_next;
      now_q <= now_next;
      pad_q <= pdp_row_pad(pdp_row_pads(row_start_next, d_i.kernel_height, d_i.cube_in_height), pads, pad_more);
    end
    if (step || state_q == StateLoad) begin
      ride_q <= ride_next;
      left_slot_q <= left_slot_next;
      left_start_q <= left_start_next;
      if (left_next != 14'd0)
        left_pad_q <=
            pdp_row_pad(pdp_row_pads(left_start_next, d_i.kernel_height, d_i.cube_in_height), pads, pad_more);
    end
    if (state_q == StateIdle || strip_input_end) window_q <= '0;
    else if (window_begin) window_q <= window_next;
    if (window_begin) x0_q <= x0_next;
    if (step || state_q == StateLoad) column_q <= 13'd0;
    else if (window_end) column_q <= column_q + 13'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) row_slot_q <= 3'd0;
    else if (step) row_slot_q <= row_slot_next;
  end

  // ---- the beat -----------------------------------------------------------------------------------------------------
  logic [7:0] banks;
  logic flush, row_last;

  assign banks = pdp_bank_column(shift, column_q[6:4]);
  assign flush = state_q == StateFlush || ride_q;
  assign row_last = state_q == StateFlush ? final_q && left_q == 14'd1  // the last row of the strip
                                          : surface_final && now_q.emit && row_q == 14'(d_i.cube_out_height);

  pdp_beat_t beat_next, beat_q;
  always_comb begin
    beat_next.last = row_end && row_last && strip_final;
    beat_next.emit = flush || now_q.emit;
    beat_next.flush = flush;
    beat_next.emit_first = now_q.emit_first;
    beat_next.bank = ((flush ? left_slot_q : row_slot_q) << shift) | (column_q[6:4] & ~(3'd7 << shift));
    beat_next.write = state_q == StateFlush ? 8'd0 : now_q.write & banks;
    beat_next.first = now_q.first;
    beat_next.addr = {column_q[3:0], lane_q};
    beat_next.pad = flush ? left_pad_q : pad_q;
  end
  always_ff @(posedge clk_i) if (go) beat_q <= beat_next;

  logic [7:0] banks_read;
  assign banks_read = go ? pdp_banks_read(beat_next.write, now_q.first, flush || (now_q.emit && !now_q.emit_first),
                                          beat_next.bank) : 8'd0;

  // ---- ring and fold ------------------------------------------------------------------------------------------------
  localparam int BitBits = $clog2(PdpColumnBits);
  // Eight read ports are eight copies of a memory of look-up tables; flip-flops would take a selection of 16 for each.
  (* ram_style = "distributed" *) logic [PdpColumnBits-1:0] ring_q[0:15];
  logic [PdpColumnBits-1:0] column[0:7];  // of the window, leftmost first: the ring's read ports
  for (genvar k = 0; k < 8; k++) begin : gen_place
    logic [3:0] place;
    assign place = ring_base_q + x0_q[3:0] + 4'(k);
    assign column[k] = ring_q[place];
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      if (in_atom_i) ring_q[ring_write_q] <= in_atom_data_i;
      else ring_q[ring_write_q][32'(in_beat_i)*SdpBsThroughput*8+:SdpBsThroughput*8] <= in_beat_data_i;
    end
  end

  if (LaneBytes == 1) begin : gen_narrow
    logic [BitBits-1:0] beat_bit;
    assign beat_bit = BitBits'(lane_q) * BitBits'(PdpThroughput * PdpLaneBits);
    assign fold_ready = beat_ready_i;
    assign beat_valid_o = valid_q;
    assign beat_o = beat_q;
    assign read_o = banks_read;
    assign read_addr_o = beat_next.addr;
    wire unused_clk = clk_mean_i;

    for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
      localparam logic [BitBits-1:0] Bit = BitBits'(p * PdpLaneBits);
      logic [PdpRowBits-1:0] sum_q;
      assign row_o[p] = sum_q;
      always_ff @(posedge clk_i) begin
        if (fold) begin
          sum_q <= pdp_row_fold(d_i.pooling_method, window_q.valid,
                                {column[7][beat_bit+Bit+:8], column[6][beat_bit+Bit+:8], column[5][beat_bit+Bit+:8],
                                 column[4][beat_bit+Bit+:8], column[3][beat_bit+Bit+:8], column[2][beat_bit+Bit+:8],
                                 column[1][beat_bit+Bit+:8], column[0][beat_bit+Bit+:8]},
                                PdpRowBits'(pdp_pad(window_q.pads, pads)));
        end
      end
    end
  end else begin : gen_wide
    // INT8, INT16, and maxima and minima of FP16: one fold. Averages of FP16: the columns of the window pass to
    // u_mean.
    logic mean_valid, mean_ready;
    logic [PdpThroughput*17-1:0] means;
    pdp_beat_t mean_beat;
    logic [7:0] mean_read;
    logic [PdpBankAddrBits-1:0] mean_read_addr;

    assign fold_ready = mean ? mean_ready : beat_ready_i;
    assign beat_valid_o = mean ? mean_valid : valid_q;
    assign beat_o = mean ? mean_beat : beat_q;
    assign read_o = mean ? mean_read : banks_read;
    assign read_addr_o = mean ? mean_read_addr : beat_next.addr;

    for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
      logic [BitBits-1:0] byte_bit, word_bit;
      logic [PdpRowBits-1:0] sum_q;
      assign byte_bit = BitBits'(lane_q) * BitBits'(PdpThroughput * 8) + BitBits'(p * 8);
      assign word_bit = BitBits'(lane_q) * BitBits'(PdpThroughput * 16) + BitBits'(p * 16);
      assign row_o[p] = mean ? PdpRowBits'(means[p*17+:17]) : sum_q;
      always_ff @(posedge clk_i) begin
        if (fold && !mean) begin
          sum_q <= pdp_wide_row_fold(
            built_precision(d_i.input_data), d_i.pooling_method, window_q.valid,
            wide ? {column[7][word_bit+:16], column[6][word_bit+:16], column[5][word_bit+:16], column[4][word_bit+:16],
                    column[3][word_bit+:16], column[2][word_bit+:16], column[1][word_bit+:16], column[0][word_bit+:16]}
                 : pdp_widen({column[7][byte_bit+:8], column[6][byte_bit+:8], column[5][byte_bit+:8],
                 column[4][byte_bit+:8],
                              column[3][byte_bit+:8], column[2][byte_bit+:8], column[1][byte_bit+:8],
                              column[0][byte_bit+:8]}),
            pdp_pad(window_q.pads, pads));
        end
      end
    end

    if (Fp16 != 0) begin : gen_mean
      logic [7:0] columns_q;                   // that are valid
      logic [16:0] mean_pad_q;                 // T17(nx)
      logic [2:0] mean_pads_q;                 // nx
      logic [8*PdpThroughput*17-1:0] columns;  // leftmost lowest
      always_ff @(posedge clk_mean_i) begin
        if (go) columns_q <= fold ? window_q.valid : 8'd0;
        if (fold) begin
          mean_pads_q <= window_q.pads;
          mean_pad_q <= 17'(pdp_pad(window_q.pads, pads));
        end
      end

      for (genvar k = 0; k < 8; k++) begin : gen_column
        logic [PdpThroughput*17-1:0] taken_q;
        assign columns[k*PdpThroughput*17+:PdpThroughput*17] = taken_q;
        always_ff @(posedge clk_mean_i)
          if (fold && window_q.valid[k])
            taken_q <= column[k][BitBits'(lane_q) * BitBits'(PdpThroughput * 17)+:PdpThroughput*17];
      end

      nvdla_pdp_fp17_row u_mean (
          .clk_i      (clk_mean_i),
          .rst_ni,
          .last_i     (d_i.kernel_width[2:0]),
          .valid_i    (valid_q && mean),
          .ready_o    (mean_ready),
          .beat_i     (beat_q),
          .columns_i  (columns),
          .present_i  (columns_q),
          .pad_i      (mean_pad_q),
          .padded_i   (mean_pads_q != 3'd0),
          .valid_o    (mean_valid),
          .ready_i    (beat_ready_i),
          .beat_o     (mean_beat),
          .row_o      (means),
          .read_o     (mean_read),
          .read_addr_o(mean_read_addr)
      );
    end else begin : gen_no_mean
      assign {mean_valid, mean_ready, mean_beat, mean_read, mean_read_addr, means} = '0;
      wire unused_mean = &{1'b0, clk_mean_i};
    end
  end

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_STABLE(InputStable, in_valid_i, in_ready_o, {in_atom_i, in_last_i, in_beat_i})
  `NVDLA_STABLE(BeatStable, beat_valid_o, beat_ready_i, {beat_o, beat_o.flush ? '0 : row_o})
  `NVDLA_CHECK(WorksOnlyInLayer, state_q == StateIdle || run_i)
  `NVDLA_CHECK(OneBeatAtATime, !go || !valid_q || fold_ready)

`ifdef NVDLA_CHECKS
  // Columns that came and columns of finished lines, since reset; the ring holds the last 16 that came, one of them
  // perhaps in part.
  int come_q, line_begin_q;
  logic [7:0] wanted, gone, not_here;
  assign wanted = fold ? window_q.valid : 8'd0;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      come_q       <= 0;
      line_begin_q <= 0;
    end else begin
      if (in_valid_i && in_ready_o && in_last_i) come_q <= come_q + 1;
      if (line_end) line_begin_q <= line_begin_q + 32'(width_q);
    end
  always_comb
    for (int k = 0; k < 8; k++) begin
      gone[k] = wanted[k] && line_begin_q + 32'(x0_q) + k + 16 < come_q + 32'(part_q != '0);
      not_here[k] = wanted[k] && line_begin_q + 32'(x0_q) + k >= come_q + 32'(PdpCountBits'(lane_q) < part_q);
    end
  `NVDLA_CHECK(ColumnsOfTheWindowAreStillThere, gone == '0)
  `NVDLA_CHECK(ColumnsOfTheWindowHaveCome, not_here == '0)
  `NVDLA_FINAL(WalkIsOverAtTheEnd, state_q == StateIdle)
  `NVDLA_CHECK(RingPlaces, ring_write_q == 4'(come_q) && ring_base_q == 4'(line_begin_q))
  `NVDLA_CHECK(ArrivedAddsUp, 32'(arrived_q) == come_q - line_begin_q)

  // Beats of the layer's output, at its end.
  logic [63:0] results_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) results_q <= '0;
    else if (!run_i) results_q <= '0;
    else if (beat_valid_o && beat_ready_i && beat_o.emit) results_q <= results_q + 64'd1;
  // The layer's output columns: with strips the register of the whole width does not count.
  logic [63:0] columns;
  assign columns = (d_i.split_num == 8'd0) ? 64'(d_i.cube_out_width) + 64'd1 :
                   64'(d_i.partial_width_out_first) + 64'd1 + (64'(d_i.split_num) - 64'd1) *
                       (64'(d_i.partial_width_out_mid) + 64'd1) +
                   64'(d_i.partial_width_out_last) + 64'd1;
  `NVDLA_CHECK(LastBeatIsTheLast, !(beat_valid_o && beat_o.last) || (beat_o.emit && results_q + 64'd1 ==
               columns * (64'(d_i.cube_out_height) + 64'd1) * (64'(surface_last) + 64'd1) *
               (wide ? 64'(PdpWideBeats) : 64'(PdpBeats))))
`endif
endmodule
