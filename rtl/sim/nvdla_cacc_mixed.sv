// Accumulators and delivery buffer of CACC, configurations with 16-bit precisions, in the form that simulates fast: one
// array for each kind of sums. The hardware is nvdla_cacc_cells.
//
// A cell's value is a sum of INT16 or FP16, or two of INT8 (kernels 2c and 2c + 1 of cell c); a Winograd atom has
// ConvValues of them, the outputs of its tile. A final atom gives rows of AtomicK / 2 results, which leave one a clock:
// for each value the lower half of the group's kernels (at 16 bits all), then, INT8, the upper half. With batches two
// columns, an even and an odd atom in memory, leave together, batch by batch: a row's place in the buffer gives the
// order, and rows after an empty place wait.
// Results are in the buffer one clock after their atom.
// Spec: 40-convolution-core, sections 4.6, 8.3, 9.4 and 9.5.
`include "nvdla_check.svh"
module nvdla_cacc_mixed
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
  import nvdla_cacc_pkg::*;
  import nvdla_fp48_pkg::*;
(
    input  logic                               clk_i,
    input  logic                               rst_ni,
    // The running layer: 0 INT8, 1 INT16, 2 FP16; Winograd; CLIP_TRUNCATE; batches, width and height of the output,
    // less one; whether surface stride, line stride and address are odd, in atoms.
    input  logic [                        1:0] precision_i,
    input  logic                               tile_i,
    input  logic [                        4:0] truncate_i,
    input  logic [                        4:0] batches_i,
    input  logic [                       12:0] width_i,
    input  logic [                       12:0] height_i,
    input  logic [                        2:0] odd_i,
    // An atom: its sums, its place in the stripe, and whether it is of the stripe's first operation, of its last one,
    // the layer's last.
    input  logic                               valid_i,
    input  logic [2*ConvCells*ConvSumBits-1:0] sums_i,
    input  logic [         ConvStripeBits-1:0] position_i,
    input  logic                               fresh_i,
    input  logic                               channel_end_i,
    input  logic                               last_i,
    // Final results are in the buffer; saturated ones among them.
    output logic                               final_valid_o,
    output logic                               final_last_o,
    output logic [                        7:0] clipped_o,
    output logic [              ConvRowBits:0] rows_o,  // that wait for SDP
    output logic                               layer_taken_o,
    output logic                               credit_valid_o,
    output logic                               cacc_valid_o,
    input  logic                               cacc_ready_i,
    output logic [     SdpBsThroughput*32-1:0] cacc_data_o
);
  localparam int Cells = 2 * ConvCells;
  localparam int Lanes = SdpBsThroughput;  // results of a row
  localparam int Sums = Cells * ConvValues;
  localparam int MostRows = 2 * ConvValues;  // of an atom

  logic int8, fp16;
  logic [3:0] rows_atom;  // rows of a final atom
  assign int8 = precision_i == 2'd0;
  assign fp16 = precision_i == 2'd2;
  assign rows_atom = 4'd1 << (2'(int8) + (tile_i ? 2'd2 : 2'd0));

  // ---- place of a final atom in the delivery buffer -----------------------------------------------------------------
  // Of two columns that leave together the first one leaves gaps, which the second one fills.
  logic [4:0] batch_q;
  logic [12:0] column_q, line_q;
  logic surface_q;  // the kernel group is odd
  logic second_q;   // the column before left gaps for this one
  logic gaps, batch_end, line_end;
  logic [ConvRowBits-1:0] base_q, at;       // first row of the column or of both; of the atom
  logic [ConvRowBits:0] batch_rows, ready;  // rows that come before the batch in one column; rows that can leave now

  assign batch_end = batch_q == batches_i;
  assign line_end = column_q == width_i;
  assign gaps = batches_i != '0 && !second_q && !line_end &&
      !(odd_i[0] ^ column_q[0] ^ (line_q[0] & odd_i[1]) ^ (surface_q & odd_i[2]));
  assign batch_rows = (ConvRowBits + 1)'(batch_q) * (ConvRowBits + 1)'(rows_atom);
  assign at = base_q + ConvRowBits'((gaps || second_q) ? batch_rows << 1 : batch_rows) +
      (second_q ? ConvRowBits'(rows_atom) : '0);
  assign ready = gaps ? '0 : second_q ? (ConvRowBits + 1)'(rows_atom) << 1 : (ConvRowBits + 1)'(rows_atom);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      batch_q   <= '0;
      column_q  <= '0;
      line_q    <= '0;
      surface_q <= 1'b0;
      second_q  <= 1'b0;
      base_q    <= '0;
    end else if (valid_i && channel_end_i) begin
      batch_q <= batch_end ? '0 : batch_q + 1'b1;
      if (batch_end) begin
        second_q <= gaps;
        if (!gaps) base_q <= at + ConvRowBits'(rows_atom);
        column_q <= line_end ? '0 : column_q + 1'b1;
        if (line_end) line_q <= (line_q == height_i) ? '0 : line_q + 1'b1;
        if (line_end && line_q == height_i) surface_q <= ~surface_q;
      end
      if (last_i) begin
        column_q  <= '0;
        line_q    <= '0;
        surface_q <= 1'b0;
      end
    end

  // ---- accumulators -------------------------------------------------------------------------------------------------
  logic [Lanes*32-1:0] row_mem_q[0:ConvRows-1];
  logic last_mem_q[0:ConvRows-1];
  logic final_valid_q, final_last_q;
  logic [7:0] clipped_q;

  // A final sum of integers: {it counts as saturated, its 32 bits}.
  function automatic logic [32:0] deliver(input logic signed [CaccAccBits-1:0] acc, input logic [4:0] truncate);
    /*verilator no_inline_task*/
    return {cacc_saturates(acc, truncate), cacc_deliver(acc, truncate)};
  endfunction

  always_ff @(posedge clk_i) begin : work
    // of FP16 too; value n of cell c has place n * Cells + c
    logic signed [CaccAccBits-1:0] acc[0:ConvStripeMax-1][0:Sums-1];
    logic signed [CaccAccBits-1:0] acc_high[0:ConvStripeMax-1][0:Sums-1];  // of the high kernels
    logic [31:0] result[0:MostRows*Lanes-1];
    logic [ConvValueBits-1:0] sum;
    logic signed [CaccAccBits-1:0] next;
    logic [32:0] one;
    logic [7:0] clipped;
    logic [Lanes*32-1:0] row;

    if (valid_i) begin
      clipped = '0;
      for (int n = 0; n < ConvValues; n++)
        if (n == 0 || tile_i)
          for (int c = 0; c < Cells; c++) begin
            sum = sums_i[c*ConvSumBits+n*ConvValueBits+:ConvValueBits];
            if (fp16) begin
              next = $signed(fp48_add(fresh_i ? '0 : acc[position_i][n*Cells+c], sum));
              if (channel_end_i) result[n*Cells+c] = fp48_to_fp32(next);
              else acc[position_i][n*Cells+c] = next;
            end else if (int8) begin
              next = cacc_accumulate(fresh_i ? '0 : acc[position_i][n*Cells+c],
                  CaccSumBits'($signed(sum[ConvInt8Bits-1:0])));
              if (channel_end_i) begin
                one = deliver(next, truncate_i);
                result[2*(n*Cells+c)] = one[31:0];
                clipped = clipped + 8'(one[32]);
              end else acc[position_i][n*Cells+c] = next;
              next = fresh_i ? '0 : acc_high[position_i][n*Cells+c];
              next = CaccAccBits'(cacc_accumulate_narrow(next[CaccNarrowBits-1:0],
                                                         $signed(sum[2*ConvInt8Bits-1:ConvInt8Bits])));
              if (channel_end_i) begin
                one = deliver(next, truncate_i);
                result[2*(n*Cells+c)+1] = one[31:0];
                clipped = clipped + 8'(one[32]);
              end else acc_high[position_i][n*Cells+c] = next;
            end else begin
              next = cacc_accumulate(fresh_i ? '0 : acc[position_i][n*Cells+c], $signed(sum[CaccSumBits-1:0]));
              if (channel_end_i) begin
                one = deliver(next, truncate_i);
                result[n*Cells+c] = one[31:0];
                clipped = clipped + 8'(one[32]);
              end else acc[position_i][n*Cells+c] = next;
            end
          end

      if (channel_end_i) begin
        for (int r = 0; r < MostRows; r++)
          if (r < 32'(rows_atom)) begin
            for (int l = 0; l < Lanes; l++) row[l*32+:32] = result[r*Lanes+l];
            row_mem_q[at+ConvRowBits'(r)] <= row;
            last_mem_q[at+ConvRowBits'(r)] <= last_i && r + 1 == 32'(rows_atom);
          end
        clipped_q <= clipped;
      end
      final_last_q <= last_i;
    end
  end

  assign final_valid_o = final_valid_q;
  assign final_last_o = final_last_q;
  assign clipped_o = clipped_q;

  // ---- delivery -----------------------------------------------------------------------------------------------------
  logic [ConvRowBits-1:0] rd_row_q;
  logic [ConvRowBits:0] rows_q;
  logic take;

  assign take = cacc_valid_o && cacc_ready_i;
  assign layer_taken_o = take && last_mem_q[rd_row_q];
  assign rows_o = rows_q;
  assign cacc_valid_o = rows_q != '0;
  assign cacc_data_o = row_mem_q[rd_row_q];

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      final_valid_q  <= 1'b0;
      rd_row_q       <= '0;
      rows_q         <= '0;
      credit_valid_o <= 1'b0;
    end else begin
      final_valid_q <= valid_i && channel_end_i;
      if (take) rd_row_q <= rd_row_q + 1'b1;
      rows_q <= rows_q + ((valid_i && channel_end_i) ? ready : '0) - (ConvRowBits + 1)'(take);
      credit_valid_o <= take;
    end

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(RowsLegal, Lanes == Cells && ConvRows == 2 ** ConvRowBits && MostRows <= 8)
  `NVDLA_CHECK(PrecisionLegal, !valid_i || precision_i != 2'd3)
  `NVDLA_CHECK(BatchesAreDirect, !valid_i || !tile_i || batches_i == '0)
  // Rows that final atoms have taken and whose credit has not gone back.
  `NVDLA_BALANCE(RowsTaken, ConvRows, valid_i && channel_end_i, 32'(rows_atom), credit_valid_o, 1)

`ifdef NVDLA_CHECKS
  // Every place is written before it is read, and once; a layer leaves no gap.
  logic [ConvRows-1:0] full_q;
  int gaps_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      full_q <= '0;
      gaps_q <= 0;
    end else begin
      if (take) full_q[rd_row_q] <= 1'b0;
      if (valid_i && channel_end_i) begin
        for (int r = 0; r < MostRows; r++) if (r < 32'(rows_atom)) full_q[at+ConvRowBits'(r)] <= 1'b1;
        gaps_q <= gaps_q + 32'(rows_atom) - 32'(ready);
      end
    end
  `NVDLA_CHECK(PlaceIsFree, !(valid_i && channel_end_i) || !full_q[at])
  `NVDLA_CHECK(OffersWhatIsThere, !cacc_valid_o || full_q[rd_row_q])
  `NVDLA_CHECK(RowsAddUp, 32'($countones(full_q)) == 32'(rows_q) + gaps_q)
  `NVDLA_CHECK(LayerLeavesNoGap, !(final_valid_q && final_last_q) || gaps_q == 0)
`endif
endmodule
