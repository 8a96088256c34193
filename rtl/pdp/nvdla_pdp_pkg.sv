// PDP arithmetic and geometry as pure functions, and the records that travel down its pipeline. Averages of FP16 are
// made of rtl/fp.
//
// Where elements may have 16 bits an integer takes a lane of 22 bits with its sign, an FP16 pattern in the low 16.
// A beat is PdpThroughput elements of one atom; an atom takes PdpBeats beats, half as many if its elements have 16
// bits, lane 0 first.
// Spec: 60-pdp, sections 4 (windows), 5.1 and 5.3 (arithmetic), 7 (strips), 9 (line buffer).
// Configurations without PDP use none of it.
/* verilator lint_off UNUSEDPARAM */
package nvdla_pdp_pkg;
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;

  localparam int PdpLaneBits = 8;
  // Bits of a lane. With 16-bit elements all of them are those of INT16; INT8 then uses the low ones, and FP17 17 of
  // them.
  localparam int PdpRowBits = LaneBytes == 2 ? 22 : 11;    // result along W (hw of section 5.3)
  localparam int PdpTotBits = LaneBytes == 2 ? 22 : 14;    // sum of the rows of a window, vertical pad term
  localparam int PdpSumBits = LaneBytes == 2 ? 22 : 15;    // both together (tot): the generations differ
  localparam int PdpWidthBits = LaneBytes == 2 ? 19 : 11;  // after the first reciprocal multiply of an average
  localparam int PdpElementBits = 8 * LaneBytes;
  // an atom behind the input; of FP17 numbers for FP16 averages
  localparam int PdpColumnBits = Fp16 != 0 ? 17 * MemAtom / 2 : AtomBits;
  localparam int PdpBeats = MemAtom / PdpThroughput;
  localparam int PdpWideBeats = PdpBeats / 2;  // with elements of 16 bits
  localparam int PdpBeatBits = PdpBeats > 1 ? $clog2(PdpBeats) : 1;
  localparam int PdpCountBits = PdpBeatBits + 1;  // counts 0 .. PdpBeats
  localparam int PdpBeatLast = PdpBeats - 1;
  localparam int PdpSdpBeatBits = MemAtom > SdpBsThroughput ? $clog2(MemAtom / SdpBsThroughput) : 1;
  localparam int PdpBankAddrBits = 4 + PdpBeatBits;  // a line-buffer bank has 16 output columns
  localparam int PdpChannelShift = $clog2(MemAtom);

  localparam logic [1:0] PdpAverage = 2'd0;
  localparam logic [1:0] PdpMax = 2'd1;

  // What the banks do with one beat of a window's row result.
  typedef struct packed {
    logic last;                        // last beat of the layer
    logic emit;                        // a beat of an output row leaves
    logic flush;                       // ... and it comes from the bank alone: an earlier row, ended by the bottom pad
    logic emit_first;                  // ... and its row starts with this very line: the bank holds nothing of it
    logic [2:0] bank;                  // ... bank of that row and column
    logic [7:0] write;                 // banks that fold the beat in
    logic [7:0] first;                 // of those, the ones whose row starts with this line
    logic [PdpBankAddrBits-1:0] addr;  // column inside the bank, beat
    logic [PdpTotBits-1:0] pad;        // T(ny) * kw of the row that leaves; FP16: T17(ny)
  } pdp_beat_t;

  // Banks that a beat reads: those that fold into a row which has begun, and that of a row which leaves.
  function automatic logic [7:0] pdp_banks_read(input logic [7:0] write, input logic [7:0] first, input logic leaves,
                                                input logic [2:0] bank);
    return (write & ~first) | (leaves ? 8'd1 << bank : 8'd0);
  endfunction

  // Geometry of one window along W, result of pdp_window.
  typedef struct packed {
    logic [13:0] need;  // columns of the line that must have arrived
    logic [13:0] keep;  // columns left of this one are no longer needed
    logic [7:0] valid;  // of the 8 columns from x0 on, those inside window and line
    logic [2:0] pads;   // nx
  } pdp_window_t;

  // What one input line means for the banks, result of pdp_line.
  typedef struct packed {
    logic used;        // the line belongs to a window
    logic emit;        // the first unfinished row ends with it
    logic emit_first;  // ... and starts with it
    logic [7:0] write;
    logic [7:0] first;
  } pdp_line_t;

  // Elements of 16 bits.
  function automatic logic pdp_is_wide(input logic [1:0] precision);
    return built_precision(precision) != PrecisionInt8;
  endfunction

  // An average in FP16.
  function automatic logic pdp_is_mean(input logic [1:0] precision, input logic [1:0] method);
    return built_precision(precision) == PrecisionFp16 && method == PdpAverage;
  endfunction

  // Surfaces less one. channels: register value (one less).
  function automatic logic [12:0] pdp_surface_last(input logic [12:0] channels, input logic [1:0] precision);
    return channels >> (pdp_is_wide(precision) ? PdpChannelShift - 1 : PdpChannelShift);
  endfunction

  // Columns read in a strip, 1..8192. split, width: register values (one less).
  function automatic logic [13:0] pdp_strip_width_in(
      input logic [7:0] split, input logic [7:0] strip, input logic [12:0] width,
      input logic [9:0] first, input logic [9:0] mid, input logic [9:0] last, input logic [3:0] kernel,
      input logic [3:0] stride);
    logic [13:0] overlap;
    overlap = 14'(kernel) - 14'(stride);
    if (split == 8'd0) return 14'(width) + 14'd1;
    if (strip == 8'd0) return 14'(first) + 14'd1;
    if (strip == split) return 14'(last) + 14'd1 + overlap;
    return 14'(mid) + 14'd1 + overlap;
  endfunction

  // Columns from the first input column of a strip to that of the next, two's complement.
  function automatic logic [13:0] pdp_strip_step_in(
      input logic [7:0] strip, input logic [9:0] first, input logic [9:0] mid, input logic [3:0] kernel,
      input logic [3:0] stride);
    if (strip == 8'd0) return 14'(first) + 14'd1 - (14'(kernel) - 14'(stride));
    return 14'(mid) + 14'd1;
  endfunction

  // Columns written in a strip, less one.
  function automatic logic [12:0] pdp_strip_last_out(
      input logic [7:0] split, input logic [7:0] strip, input logic [12:0] width,
      input logic [9:0] first, input logic [9:0] mid, input logic [9:0] last);
    if (split == 8'd0) return width;
    if (strip == 8'd0) return 13'(first);
    if (strip == split) return 13'(last);
    return 13'(mid);
  endfunction

  // Banks of one output row as a shift: a row owns 1 << shift banks. Kernel and stride are register values (one less).
  // Overlapping rows L = ceil(kernel / stride): 1, 2, 3..4, 5..8 rows share the 8 banks.
  function automatic logic [1:0] pdp_bank_shift(input logic [3:0] kernel, input logic [3:0] stride);
    logic [6:0] rows_1, rows_2, rows_4;
    rows_1 = 7'(stride) + 7'd1;
    rows_2 = rows_1 << 1;
    rows_4 = rows_1 << 2;
    if (7'(kernel) < rows_1) return 2'd3;
    if (7'(kernel) < rows_2) return 2'd2;
    if (7'(kernel) < rows_4) return 2'd1;
    return 2'd0;
  endfunction

  // Banks that hold output column 16 * block of some row.
  function automatic logic [7:0] pdp_bank_column(input logic [1:0] shift, input logic [2:0] block);
    case (shift)
      2'd3: return 8'h01 << block;
      2'd2: return 8'h11 << block[1:0];
      2'd1: return 8'h55 << block[0];
      default: return 8'hff;
    endcase
  endfunction

  // The window that starts at column x0 of a line of `width` columns. kernel: register value.
  function automatic pdp_window_t pdp_window(input logic signed [14:0] x0, input logic [13:0] width,
      input logic [3:0] kernel);
    pdp_window_t result;
    logic signed [15:0] x, w;
    logic [7:0] valid;
    w = $signed(16'(width));
    for (int i = 0; i < 8; i++) begin
      x = 16'(x0) + $signed(16'(i));
      valid[i] = 4'(i) <= kernel && x >= 16'sd0 && x < w;
    end
    x = 16'(x0) + $signed(16'(kernel)) + 16'sd1;
    result.need = x < w ? 14'(x) : width;
    result.keep = x0 < 15'sd0 ? 14'd0 : 14'(x0);
    result.valid = valid;
    result.pads = 3'(kernel + 4'd1 - 4'($countones(valid)));
    return result;
  endfunction

  // Output rows take the slots 0, 1, .. (modulo the rows that the banks hold) in turn, also from surface to surface.
  // This is the distance of bank b's slot behind a given one.
  function automatic logic [2:0] pdp_slot_distance(input logic [2:0] b, input logic [2:0] slot,
      input logic [1:0] shift);
    return ((b >> shift) - slot) & (3'd7 >> shift);
  endfunction

  // k times a value, by sums: products of so few bits take no multiplier.
  function automatic logic [PdpTotBits-1:0] pdp_times(input logic [2:0] k, input logic [PdpTotBits-1:0] value);
    return (k[0] ? value : '0) + (k[1] ? value << 1 : '0) + (k[2] ? value << 2 : '0);
  endfunction

  // Input line y for the output rows from `row` (the first one not finished; its slot) on, which starts at line `start`
  // (negative in the top pad). height, rows, kernel, stride: register values (one less).
  function automatic pdp_line_t pdp_line(
      input logic [12:0] y, input logic [12:0] height, input logic [13:0] row, input logic [2:0] slot,
      input logic [12:0] rows, input logic signed [14:0] start,
      input logic [3:0] kernel, input logic [3:0] stride, input logic [1:0] shift);
    pdp_line_t result;
    logic signed [15:0] line, s;
    logic [7:0] write, first;
    logic [2:0] k;
    logic used, leaves;
    line = $signed(16'(y));
    used = 16'(start) <= line && row <= 14'(rows);
    leaves = used && (16'(start) + $signed(16'(kernel)) == line || y == height);
    for (int b = 0; b < 8; b++) begin
      k = pdp_slot_distance(3'(b), slot, shift);
      s = 16'(start) + $signed(16'(pdp_times(k, PdpTotBits'(stride) + PdpTotBits'(1))));
      write[b] = s <= line && row + 14'(k) <= 14'(rows) && !(leaves && k == 3'd0);
      first[b] = s == line || y == 13'd0;
    end
    result.used = used;
    result.emit = leaves;
    result.emit_first = 16'(start) == line || y == 13'd0;
    result.write = write;
    result.first = first;
    return result;
  endfunction

  // Banks of the rows after the first of `count` rows from `slot` on.
  function automatic logic [7:0] pdp_banks_behind(input logic [2:0] slot, input logic [13:0] count,
      input logic [1:0] shift);
    logic [7:0] banks;
    logic [2:0] k;
    for (int b = 0; b < 8; b++) begin
      k = pdp_slot_distance(3'(b), slot, shift);
      banks[b] = k != 3'd0 && 14'(k) < count;
    end
    return banks;
  endfunction

  // ny of the output row that starts at line `start`. kernel, height: register values (one less).
  function automatic logic [2:0] pdp_row_pads(input logic signed [14:0] start, input logic [3:0] kernel,
      input logic [12:0] height);
    logic signed [15:0] below;
    below = 16'(start) + $signed(16'(kernel)) - $signed(16'(height));
    return (start < 15'sd0 ? 3'(-start) : 3'd0) + (below > 16'sd0 ? 3'(below) : 3'd0);
  endfunction

  // T(n); values: PAD_VALUE_7X .. PAD_VALUE_1X. PdpTotBits of each are enough for both uses: in INT8 T(nx) has 11 bits,
  // T(ny) * kw is reduced to 14.
  function automatic logic [PdpTotBits-1:0] pdp_pad(input logic [2:0] n, input logic [7*PdpTotBits-1:0] values);
    case (n)
      3'd0: return '0;
      3'd1: return values[0+:PdpTotBits];
      3'd2: return values[PdpTotBits+:PdpTotBits];
      3'd3: return values[2*PdpTotBits+:PdpTotBits];
      3'd4: return values[3*PdpTotBits+:PdpTotBits];
      3'd5: return values[4*PdpTotBits+:PdpTotBits];
      3'd6: return values[5*PdpTotBits+:PdpTotBits];
      default: return values[6*PdpTotBits+:PdpTotBits];
    endcase
  endfunction

  // ... times the width of the kernel, of which `more` is one less.
  function automatic logic [PdpTotBits-1:0] pdp_row_pad(input logic [2:0] n, input logic [7*PdpTotBits-1:0] values,
      input logic [2:0] more);
    logic [PdpTotBits-1:0] pad;
    pad = pdp_pad(n, values);
    return pad + pdp_times(more, pad);
  endfunction

  // The largest or smallest of four columns.
  function automatic logic signed [7:0] pdp_best_of_4(input logic max, input logic [3:0] valid,
      input logic [31:0] columns);
    logic signed [7:0] least, a, b, c, d;
    least = max ? -8'sd128 : 8'sd127;
    a = valid[0] ? $signed(columns[7:0]) : least;
    b = valid[1] ? $signed(columns[15:8]) : least;
    c = valid[2] ? $signed(columns[23:16]) : least;
    d = valid[3] ? $signed(columns[31:24]) : least;
    if (max ? b > a : b < a) a = b;
    if (max ? d > c : d < c) c = d;
    return (max ? c > a : c < a) ? c : a;
  endfunction

  // One lane along W: fold of the valid ones of 8 columns (leftmost lowest), for averages plus T(nx), 11 bits wrapping.
  function automatic logic [PdpRowBits-1:0] pdp_row_fold(
      input logic [1:0] method, input logic [7:0] valid, input logic [63:0] columns, input logic [PdpRowBits-1:0] pad);
    logic signed [7:0] left, right;
    logic [PdpRowBits-1:0] sum;
    logic max;
    if (method == PdpAverage) begin
      sum = pad;
      for (int i = 0; i < 8; i++) sum = sum + (valid[i] ? PdpRowBits'($signed(columns[i*8+:8])) : '0);
      return sum;
    end
    max = method == PdpMax;
    left = pdp_best_of_4(max, valid[3:0], columns[31:0]);
    right = pdp_best_of_4(max, valid[7:4], columns[63:32]);
    if (max ? right > left : right < left) left = right;
    return PdpRowBits'(left);
  endfunction

  // A number that orders elements: integers as they are; FP16 by sign and magnitude, -0 below +0, and a NaN beyond all
  // others on the side that method (max or min) looks for.
  function automatic logic signed [16:0] pdp_order(input logic [1:0] precision, input logic [1:0] method,
      input logic [16:0] v);
    if (Fp16 == 0 || precision != PrecisionFp16) return $signed(v);
    if (v[14:0] > 15'h7c00) return method == PdpMax ? 17'sh0ffff : 17'sh10000;
    return $signed({v[15], v[15:0] ^ {1'b0, {15{v[15]}}}});
  endfunction

  // {order, element} of a column; of one outside the window those of the least that a fold can give.
  function automatic logic [32:0] pdp_column(
      input logic [1:0] precision, input logic [1:0] method, input logic valid, input logic [15:0] column);
    logic [15:0] v;
    if (precision == PrecisionInt8) v = method == PdpMax ? 16'hff80 : 16'h007f;
    else if (Fp16 != 0 && precision == PrecisionFp16) v = method == PdpMax ? 16'hfc00 : 16'h7c00;
    else v = method == PdpMax ? 16'h8000 : 16'h7fff;
    if (valid) v = column;
    return {pdp_order(precision, method, 17'($signed(v))), v};
  endfunction

  // The one that stays of two columns or folds, the left one if both are alike.
  function automatic logic [32:0] pdp_better(input logic [1:0] method, input logic [32:0] left,
      input logic [32:0] right);
    if (method == PdpMax) return $signed(right[32:16]) > $signed(left[32:16]) ? right : left;
    return $signed(right[32:16]) < $signed(left[32:16]) ? right : left;
  endfunction

  // Fold of four columns.
  function automatic logic [32:0] pdp_best_of_4_wide(
      input logic [1:0] precision, input logic [1:0] method, input logic [3:0] valid, input logic [63:0] columns);
    return pdp_better(method,
                      pdp_better(method, pdp_column(precision, method, valid[0], columns[15:0]),
                                 pdp_column(precision, method, valid[1], columns[31:16])),
                      pdp_better(method, pdp_column(precision, method, valid[2], columns[47:32]),
                                 pdp_column(precision, method, valid[3], columns[63:48])));
  endfunction

  // 8 columns of INT8 as columns of 16 bits.
  function automatic logic [127:0] pdp_widen(input logic [63:0] columns);
    logic [127:0] wide;
    for (int i = 0; i < 8; i++) wide[i*16+:16] = 16'($signed(columns[i*8+:8]));
    return wide;
  endfunction

  // One lane along W: fold of the valid ones of 8 columns of 16 bits (leftmost lowest; INT8 with sign), for averages of
  // integers plus T(nx). Of several NaNs the leftmost stays.
  function automatic logic [21:0] pdp_wide_row_fold(
      input logic [1:0] precision, input logic [1:0] method, input logic [7:0] valid, input logic [127:0] columns,
      input logic [21:0] pad);
    logic [15:0] best;
    logic [16:0] unused_order;
    logic [21:0] sum;
    if (method == PdpAverage) begin
      sum = pad;
      for (int i = 0; i < 8; i++) sum = sum + (valid[i] ? 22'($signed(columns[i*16+:16])) : '0);
      return precision == PrecisionInt8 ? 22'($signed(sum[10:0])) : sum;
    end
    {unused_order, best} = pdp_better(method, pdp_best_of_4_wide(precision, method, valid[3:0], columns[63:0]),
                                      pdp_best_of_4_wide(precision, method, valid[7:4], columns[127:64]));
    return Fp16 != 0 && precision == PrecisionFp16 ? 22'(best) : 22'($signed(best));
  endfunction

  // One lane along H: fold of the total so far and a row result; `first`: there is no total yet. Of two NaNs that of
  // the row stays.
  function automatic logic [PdpTotBits-1:0] pdp_column_fold(
      input logic [1:0] precision, input logic [1:0] method, input logic first, input logic [PdpTotBits-1:0] total,
      input logic [PdpRowBits-1:0] row);
    logic [PdpTotBits-1:0] wide;
    logic signed [16:0] order, total_order;
    wide = PdpTotBits'($signed(row));
    if (first) return wide;
    if (method == PdpAverage) return total + wide;
    order = pdp_order(precision, method, 17'($signed(row[PdpElementBits:0])));
    total_order = pdp_order(precision, method, 17'($signed(total[PdpElementBits:0])));
    return (method == PdpMax ? order >= total_order : order <= total_order) ? wide : total;
  endfunction

  // RND(product, 11) of section 5.3: nearest, ties away from zero; a result that does not fit wraps by sign. product:
  // low bits.
  function automatic logic [10:0] pdp_round_11(input logic negative, input logic [26:0] product);
    if (negative) return product[26:16] + 11'(product[15:0] > 16'h8000);
    return {1'b0, product[25:16]} + 11'(product[15]);
  endfunction

  // RND(product, 8).
  function automatic logic [7:0] pdp_round_8(input logic negative, input logic [23:0] product);
    if (negative) return product[23:16] + 8'(product[15:0] > 16'h8000);
    return {1'b0, product[22:16]} + 8'(product[15]);
  endfunction

  // RND(product, 19).
  function automatic logic [18:0] pdp_round_19(input logic negative, input logic [34:0] product);
    if (negative) return product[34:16] + 19'(product[15:0] > 16'h8000);
    return {1'b0, product[33:16]} + 19'(product[15]);
  endfunction

  // RND(product, 16).
  function automatic logic [15:0] pdp_round_16(input logic negative, input logic [31:0] product);
    if (negative) return product[31:16] + 16'(product[15:0] > 16'h8000);
    return {1'b0, product[30:16]} + 16'(product[15]);
  endfunction

  // The total of an average of integers: sum of the rows and vertical pad term, without wrap; where elements may have
  // 16 bits, 14 bits (INT8) or 22.
  function automatic logic [PdpSumBits-1:0] pdp_total(input logic [1:0] precision, input logic [PdpTotBits-1:0] rows,
      input logic [PdpTotBits-1:0] pad);
    logic [PdpSumBits-1:0] sum;
    sum = PdpSumBits'($signed(rows)) + PdpSumBits'($signed(pad));
    return LaneBytes == 2 && precision == PrecisionInt8 ? PdpSumBits'($signed(sum[13:0])) : sum;
  endfunction

  // First reciprocal multiply of an average of integers: total times RECIP_KERNEL_WIDTH (unsigned 17 bits), 11 or 19
  // bits. Where there is INT8 alone the product keeps 31 bits of 32: large ones change their sign, and are rounded and
  // wrapped as the sign that they then have. Else a product of 0 rounds alike under both signs, so the sign of the
  // total serves.
  function automatic logic [PdpWidthBits-1:0] pdp_scale_width(input logic [1:0] precision,
      input logic [PdpSumBits-1:0] total, input logic [16:0] recip);
    logic [34:0] product;
    logic negative;
    product = 35'($signed(total)) * $signed(35'(recip));
    negative = LaneBytes == 2 ? total[PdpSumBits-1] : product[30];
    if (LaneBytes == 1 || precision == PrecisionInt8)
      return PdpWidthBits'($signed(pdp_round_11(negative, product[26:0])));
    return PdpWidthBits'(pdp_round_19(negative, product));
  endfunction

  // Second reciprocal multiply: signed 11 or 19 bits times RECIP_KERNEL_HEIGHT, 8 or 16 bits. A product of 0 rounds
  // alike under both signs, so the sign of the value serves.
  function automatic logic [PdpElementBits-1:0] pdp_scale_height(input logic [1:0] precision,
      input logic [PdpWidthBits-1:0] value, input logic [16:0] recip);
    logic [31:0] product;
    product = 32'($signed(value)) * $signed(32'(recip));
    if (LaneBytes == 1 || precision == PrecisionInt8)
      return PdpElementBits'(pdp_round_8(value[PdpWidthBits-1], product[23:0]));
    return PdpElementBits'(pdp_round_16(value[PdpWidthBits-1], product));
  endfunction

  // The low bytes of the elements of a beat.
  function automatic logic [PdpThroughput*8-1:0] pdp_narrow(input logic [PdpThroughput*PdpElementBits-1:0] elements);
    for (int p = 0; p < PdpThroughput; p++) pdp_narrow[p*8+:8] = elements[p*PdpElementBits+:8];
  endfunction

  // The width of a kernel as FP17. kernel: register value (one less).
  function automatic logic [16:0] pdp_fp17_width(input logic [2:0] kernel);
    case (kernel)
      3'd0: return 17'h07c00;
      3'd1: return 17'h08000;
      3'd2: return 17'h08200;
      3'd3: return 17'h08400;
      3'd4: return 17'h08500;
      3'd5: return 17'h08600;
      3'd6: return 17'h08700;
      default: return 17'h08800;
    endcase
  endfunction

  // An atom of FP16 elements with +0 in place of every NaN.
  function automatic logic [AtomBits-1:0] pdp_flush_nans(input logic [AtomBits-1:0] atom);
    logic [AtomBits-1:0] flushed;
    flushed = atom;
    for (int e = 0; e < AtomBits / 16; e++) if (atom[e*16+:15] > 15'h7c00) flushed[e*16+:16] = 16'd0;
    return flushed;
  endfunction

  // NaNs in an atom of FP16 elements.
  function automatic logic [5:0] pdp_count_nans(input logic [AtomBits-1:0] atom);
    logic [5:0] count;
    count = 6'd0;
    for (int e = 0; e < AtomBits / 16; e++) count = count + 6'(atom[e*16+:15] > 15'h7c00);
    return count;
  endfunction

endpackage
/* verilator lint_on UNUSEDPARAM */
