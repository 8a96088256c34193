// The Winograd input transform (PRA) of one channel in FP16: a tile of 4 x 4 pixels, computed in FP17. Element 4 * row
// + column.
//
// Both stages x0 - x2, x1 + x2, x2 - x1, x1 - x3, first along the columns, then along the rows. z_o follows a_i by two
// clocks with en_i.
// Spec: 40-convolution-core, section 9.6.
module nvdla_fp16_winograd (
    input  logic              clk_i,
    input  logic              en_i,
    input  logic [15:0][15:0] a_i,
    output logic [15:0][15:0] z_o
);
  localparam logic [16:0] Sign = 17'h10000;

  // first, mid: place (from the right) 17 * element
  logic [16*17-1:0] first, mid, last;
  for (genvar e = 0; e < 16; e++) begin : gen_ends
    nvdla_fp_widen u_in (
        .a_i(a_i[e]),
        .z_o(first[17*e+:17])
    );
    nvdla_fp_narrow #(
        .ExpIn(6),
        .ManIn(10)
    ) u_out (
        .a_i(last[17*e+:17]),
        .z_o(z_o[e])
    );
  end
  for (genvar e = 0; e < 16; e++) begin : gen_sums
    // Which elements of the line are operands of element `k` of it.
    localparam int Row = e / 4, Column = e % 4;
    localparam int RowA = (Row == 0) ? 0 : (Row == 2) ? 2 : 1, RowB = (Row == 2) ? 1 : (Row == 3) ? 3 : 2;
    localparam int ColumnA = (Column == 0) ? 0 : (Column == 2) ? 2 : 1, ColumnB = (Column == 2) ? 1 : (Column == 3) ?
        3 : 2;
    nvdla_fp_add #(
        .ExpBits(6),
        .ManBits(10)
    ) u_column (
        .clk_i,
        .en_i,
        .a_i  (first[17*(4*RowA+Column)+:17]),
        .b_i  (first[17*(4*RowB+Column)+:17] ^ ((Row == 1) ? 17'd0 : Sign)),
        .sum_o(mid[17*e+:17])
    );
    nvdla_fp_add #(
        .ExpBits(6),
        .ManBits(10)
    ) u_row (
        .clk_i,
        .en_i,
        .a_i  (mid[17*(4*Row+ColumnA)+:17]),
        .b_i  (mid[17*(4*Row+ColumnB)+:17] ^ ((Column == 1) ? 17'd0 : Sign)),
        .sum_o(last[17*e+:17])
    );
  end
endmodule
