// PDP arithmetic where elements have 8 or 16 bits: INT8, INT16, and maxima and minima of FP16. Averages of FP16 are
// made of rtl/fp.
//
// Precision 0 is INT8, PdpFp16 is FP16, all others are INT16. An integer takes a lane of 22 bits with its sign, an
// FP16 pattern in the low 16.
// Spec: 60-pdp, sections 5.1 to 5.3.
package nvdla_pdp_wide_pkg;
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;

  // A number that orders elements: integers as they are; FP16 by sign and magnitude, -0 below +0, and a NaN beyond all
  // others on the side that method (max or min) looks for.
  function automatic logic signed [16:0] pdp_order(input logic fp16, input logic [1:0] method, input logic [15:0] v);
    if (fp16 && v[14:0] > 15'h7c00) return method == PdpMax ? 17'sh0ffff : 17'sh10000;
    return 17'($signed(v ^ {1'b0, {15{fp16 & v[15]}}}));
  endfunction

  // 8 columns of INT8 as columns of 16 bits.
  function automatic logic [127:0] pdp_widen(input logic [63:0] columns);
    logic [127:0] wide;
    for (int i = 0; i < 8; i++) wide[i*16+:16] = 16'($signed(columns[i*8+:8]));
    return wide;
  endfunction

  // The low bytes of the elements of a beat.
  function automatic logic [PdpThroughput*8-1:0] pdp_narrow(input logic [PdpThroughput*16-1:0] elements);
    for (int p = 0; p < PdpThroughput; p++) pdp_narrow[p*8+:8] = elements[p*16+:8];
  endfunction

  // {order, element} of a column; of one outside the window those of the least that a fold can give.
  function automatic logic [32:0] pdp_column(
      input logic [1:0] precision, input logic [1:0] method, input logic valid, input logic [15:0] column);
    logic [15:0] v;
    case (precision)
      2'd0: v = method == PdpMax ? 16'hff80 : 16'h007f;
      PdpFp16: v = method == PdpMax ? 16'hfc00 : 16'h7c00;
      default: v = method == PdpMax ? 16'h8000 : 16'h7fff;
    endcase
    if (valid) v = column;
    return {pdp_order(precision == PdpFp16, method, v), v};
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
      return precision == 2'd0 ? 22'($signed(sum[10:0])) : sum;
    end
    {unused_order, best} = pdp_better(method, pdp_best_of_4_wide(precision, method, valid[3:0], columns[63:0]),
                                      pdp_best_of_4_wide(precision, method, valid[7:4], columns[127:64]));
    return precision == PdpFp16 ? 22'(best) : 22'($signed(best));
  endfunction

  // One lane along H: fold of the total so far and a row result; `first`: there is no total yet. Of two NaNs that of
  // the row stays.
  function automatic logic [21:0] pdp_wide_column_fold(
      input logic [1:0] precision, input logic [1:0] method, input logic first, input logic [21:0] total,
      input logic [21:0] row);
    logic signed [16:0] order, total_order;
    if (first) return row;
    if (method == PdpAverage) return total + row;
    order = pdp_order(precision == PdpFp16, method, row[15:0]);
    total_order = pdp_order(precision == PdpFp16, method, total[15:0]);
    return (method == PdpMax ? order >= total_order : order <= total_order) ? row : total;
  endfunction

  // The total of an average of integers: sum of the rows and vertical pad term, 14 bits (INT8) or 22.
  function automatic logic [21:0] pdp_wide_total(input logic [1:0] precision, input logic [21:0] rows,
      input logic [21:0] pad);
    logic [21:0] sum;
    sum = rows + pad;
    return precision == 2'd0 ? 22'($signed(sum[13:0])) : sum;
  endfunction

  // RND(product, 19) of section 5.3. product: low bits.
  function automatic logic [18:0] pdp_round_19(input logic negative, input logic [34:0] product);
    if (negative) return product[34:16] + 19'(product[15:0] > 16'h8000);
    return {1'b0, product[33:16]} + 19'(product[15]);
  endfunction

  // RND(product, 16).
  function automatic logic [15:0] pdp_round_16(input logic negative, input logic [31:0] product);
    if (negative) return product[31:16] + 16'(product[15:0] > 16'h8000);
    return {1'b0, product[30:16]} + 16'(product[15]);
  endfunction

  // First reciprocal multiply of an average of integers: total times RECIP_KERNEL_WIDTH (unsigned 17 bits), 11 or 19
  // bits. A product of 0 rounds alike under both signs, so the sign of the total serves.
  function automatic logic [18:0] pdp_wide_scale_width(input logic [1:0] precision, input logic [21:0] total,
      input logic [16:0] recip);
    logic [34:0] product;
    logic [10:0] narrow;
    product = 35'($signed(total)) * $signed(35'(recip));
    narrow = pdp_round_11(total[21], product[26:0]);
    return precision == 2'd0 ? 19'($signed(narrow)) : pdp_round_19(total[21], product);
  endfunction

  // Second reciprocal multiply: signed 11 or 19 bits times RECIP_KERNEL_HEIGHT, 8 or 16 bits.
  function automatic logic [15:0] pdp_wide_scale_height(input logic [1:0] precision, input logic [18:0] value,
      input logic [16:0] recip);
    logic [31:0] product;
    product = 32'($signed(value)) * $signed(32'(recip));
    return precision == 2'd0 ? 16'(pdp_round_8(value[18], product[23:0])) : pdp_round_16(value[18], product);
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
