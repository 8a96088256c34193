// Accumulators and delivery buffer of CACC, configurations with 16-bit precisions, as hardware has them.
//
// A cell's value is a sum of INT16 or FP16, or two of INT8 (kernels 2c and 2c + 1 of cell c); a Winograd atom has
// ConvValues of them, the outputs of its tile. nvdla_cacc_cell keeps them, a final atom at one place of the delivery
// buffer, as sums: they are rounded when they leave. It leaves as rows of AtomicK / 2 results, one a clock: for each
// value the lower half of the group's kernels (at 16 bits all), then, INT8, the upper half. With batches two columns,
// an even and an odd atom in memory, leave together, batch by batch: an atom's place in the buffer gives the order, and
// atoms after an empty place wait.
// From a final atom to its first row, if none waits: 1 clock.
// Spec: 40-convolution-core, sections 4.6, 8.3, 9.4 and 9.5.
`include "nvdla_check.svh"
module nvdla_cacc_cells
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
  import nvdla_cacc_pkg::*;
  import nvdla_fp48_pkg::*;
(
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    // The running layer: 0 INT8, 1 INT16, 2 FP16; Winograd; CLIP_TRUNCATE; batches, width and height of the output,
    // less one; whether surface stride, line stride and address are odd, in atoms.
    input  logic [                             1:0] precision_i,
    input  logic                                    tile_i,
    input  logic [                             4:0] truncate_i,
    input  logic [                             4:0] batches_i,
    input  logic [                            12:0] width_i,
    input  logic [                            12:0] height_i,
    input  logic [                             2:0] odd_i,
    // An atom: its sums, its place in the stripe and that of the next one, and whether it is of the stripe's first
    // operation, of its last one, the layer's last.
    input  logic                                    valid_i,
    input  logic [2*ConvCells-1:0][ConvSumBits-1:0] sums_i,
    input  logic [              ConvStripeBits-1:0] position_i,
    input  logic [              ConvStripeBits-1:0] next_i,
    input  logic                                    fresh_i,
    input  logic                                    channel_end_i,
    input  logic                                    last_i,
    // Final results are in the buffer; saturated ones among them.
    output logic                                    final_valid_o,
    output logic                                    final_last_o,
    output logic [                             7:0] clipped_o,
    output logic [                   ConvRowBits:0] rows_o,  // that wait for SDP
    output logic                                    layer_taken_o,
    output logic                                    credit_valid_o,
    output logic                                    cacc_valid_o,
    input  logic                                    cacc_ready_i,
    output logic [          SdpBsThroughput*32-1:0] cacc_data_o
);
  localparam int Cells = 2 * ConvCells;
  localparam int Lanes = SdpBsThroughput;    // results of a row
  localparam int MostRows = 2 * ConvValues;  // of an atom

  logic int8, fp16, final_atom;
  logic [3:0] rows_atom;  // rows of a final atom
  assign int8 = precision_i == 2'd0;
  assign fp16 = precision_i == 2'd2;
  assign rows_atom = 4'd1 << (2'(int8) + (tile_i ? 2'd2 : 2'd0));
  assign final_atom = valid_i && channel_end_i;

  // ---- place of a final atom in the delivery buffer -----------------------------------------------------------------
  // Of two columns that leave together the first one leaves gaps, which the second one fills.
  logic [4:0] batch_q;
  logic [12:0] column_q, line_q;
  logic surface_q;  // the kernel group is odd
  logic second_q;   // the column before left gaps for this one
  logic gaps, batch_end, line_end;
  logic [ConvRowBits-1:0] base_q, at;  // first place of the column or of both; of the atom
  logic [ConvRowBits:0] ready;         // rows that can leave now

  assign batch_end = BatchMax == 1 || batch_q == batches_i;
  assign line_end = column_q == width_i;
  assign gaps = BatchMax > 1 && batches_i != '0 && !second_q && !line_end &&
      !(odd_i[0] ^ column_q[0] ^ (line_q[0] & odd_i[1]) ^ (surface_q & odd_i[2]));
  assign at = base_q + ((gaps || second_q) ? ConvRowBits'({batch_q, second_q}) : ConvRowBits'(batch_q));
  assign ready = gaps ? '0 : second_q ? (ConvRowBits + 1)'(rows_atom) << 1 : (ConvRowBits + 1)'(rows_atom);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      batch_q   <= '0;
      column_q  <= '0;
      line_q    <= '0;
      surface_q <= 1'b0;
      second_q  <= 1'b0;
      base_q    <= '0;
    end else if (final_atom) begin
      batch_q <= batch_end ? '0 : batch_q + 1'b1;
      if (batch_end) begin
        second_q <= gaps;
        if (!gaps) base_q <= at + 1'b1;
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

  // ---- delivery: a row is read when the one before it leaves --------------------------------------------------------
  typedef struct packed {
    logic       last;  // of the layer
    logic       int8;
    logic       fp16;
    logic [2:0] rows;  // of the atom - 1
    logic [4:0] truncate;
  } atom_t;
  localparam int AtomInfoBits = $bits(atom_t);

  (* no_rw_check *) logic [AtomInfoBits-1:0] info_mem_q[0:ConvRows-1];
  atom_t info, out;
  logic [AtomInfoBits-1:0] info_q;         // of the atom at the output
  logic [ConvRowBits-1:0] place_q, out_q;  // of the next atom to be read; of the one at the output
  logic [2:0] row_q, rd_row;               // at the output, to be read
  logic [ConvRowBits-1:0] rd_place;
  logic [ConvRowBits:0] rows_q;  // of all places that SDP has not taken, without those that wait
  logic more, read, bypass, take;
  assign info = {last_i, int8, fp16, 3'(rows_atom - 4'd1), truncate_i};
  assign out = info_q;

  assign take = cacc_valid_o && cacc_ready_i;
  assign more = cacc_valid_o && row_q != out.rows;
  assign read = take ? rows_q != (ConvRowBits + 1)'(1) || (final_atom && ready != '0) :
      rows_q == '0 && final_atom && ready != '0;
  assign rd_place = more ? out_q : place_q;
  assign rd_row = more ? row_q + 3'd1 : '0;
  assign bypass = read && !more && final_atom && at == place_q;
  assign layer_taken_o = take && !more && out.last;
  assign rows_o = rows_q;
  assign cacc_valid_o = rows_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      place_q        <= '0;
      rows_q         <= '0;
      credit_valid_o <= 1'b0;
    end else begin
      if (read && !more) place_q <= place_q + 1'b1;
      rows_q <= rows_q + (final_atom ? ready : '0) - (ConvRowBits + 1)'(take);
      credit_valid_o <= take;
    end

  always_ff @(posedge clk_i) begin
    if (final_atom) info_mem_q[at] <= info;
    if (read) begin
      out_q <= rd_place;
      row_q <= rd_row;
      if (!more) info_q <= bypass ? info : info_mem_q[place_q];
    end
  end

  // ---- cells --------------------------------------------------------------------------------------------------------
  logic rd_int8;
  logic [1:0] rd_value;
  // The values of INT8 have two rows; which value the first row is of is clear.
  assign rd_int8 = more && out.int8;
  assign rd_value = rd_int8 ? rd_row[2:1] : rd_row[1:0];

  logic [Cells*2*ConvValues-1:0] clips;

  for (genvar c = 0; c < Cells; c++) begin : gen_cell
    logic signed [CaccAccBits-1:0] low;
    logic signed [CaccNarrowBits-1:0] high;
    nvdla_cacc_cell u_cell (
        .clk_i,
        .int8_i    (int8),
        .fp16_i    (fp16),
        .tile_i,
        .truncate_i,
        .valid_i,
        .sums_i    (sums_i[c]),
        .position_i,
        .next_i,
        .fresh_i,
        .final_i   (channel_end_i),
        .place_i   (at),
        .clipped_o (clips[c*2*ConvValues+:2*ConvValues]),
        .rd_i      (read),
        .bypass_i  (bypass),
        .rd_value_i(rd_value),
        .rd_place_i(rd_place),
        .low_o     (low),
        .high_o    (high)
    );
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    // INT8: kernels of the upper or of the lower half of the cells.
    logic signed [CaccAccBits-1:0] lower, upper, value;
    if (l % 2 == 0) begin : gen_low
      assign lower = gen_cell[l/2].low;
      assign upper = gen_cell[Cells/2+l/2].low;
    end else begin : gen_high
      assign lower = CaccAccBits'(gen_cell[l/2].high);
      assign upper = CaccAccBits'(gen_cell[Cells/2+l/2].high);
    end
    assign value = !out.int8 ? gen_cell[l].low : row_q[0] ? upper : lower;
    always_comb begin
      cacc_data_o[l*32+:32] = '0;
      if (cacc_valid_o) cacc_data_o[l*32+:32] =
          (Fp16 != 0 && out.fp16) ? fp48_to_fp32(value) : cacc_deliver(value, out.truncate);
    end
  end

  logic final_valid_q, final_last_q;
  logic [Cells*2*ConvValues-1:0] counted;
  assign counted = (!final_valid_q || fp16) ? '0 : tile_i ? clips : clips & {Cells{(2 * ConvValues)'(2'b11)}};
  always_comb begin
    clipped_o = '0;
    for (int i = 0; i < Cells * 2 * ConvValues; i++) clipped_o = clipped_o + 8'(counted[i]);  // a tree of adders
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) final_valid_q <= 1'b0;
    else final_valid_q <= final_atom;
  always_ff @(posedge clk_i) if (final_atom) final_last_q <= last_i;
  assign final_valid_o = final_valid_q;
  assign final_last_o = final_last_q;

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(RowsLegal, Lanes == Cells && ConvRows == 2 ** ConvRowBits && MostRows <= 8)
  `NVDLA_CHECK(PrecisionLegal, !valid_i || precision_i != 2'd3)
  `NVDLA_CHECK(BatchesAreDirect, !valid_i || !tile_i || batches_i == '0)
  // Rows that final atoms have taken and whose credit has not gone back.
  `NVDLA_BALANCE(RowsTaken, ConvRows, valid_i && channel_end_i, 32'(rows_atom), credit_valid_o, 1)

`ifdef NVDLA_CHECKS
  // Every place is written before it is read, and once; a layer leaves no gap.
  logic [ConvRows-1:0] full_q;
  int gaps_q, held_q;  // rows that wait, rows written and not taken
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      full_q <= '0;
      gaps_q <= 0;
      held_q <= 0;
    end else begin
      if (take && !more) full_q[out_q] <= 1'b0;
      if (final_atom) begin
        full_q[at] <= 1'b1;
        gaps_q <= gaps_q + 32'(rows_atom) - 32'(ready);
      end
      held_q <= held_q + (final_atom ? 32'(rows_atom) : 0) - 32'(take);
    end
  `NVDLA_CHECK(PlaceIsFree, !final_atom || !full_q[at])
  `NVDLA_CHECK(OffersWhatIsThere, !cacc_valid_o || full_q[out_q])
  `NVDLA_CHECK(RowsAddUp, held_q == 32'(rows_q) + gaps_q)
  `NVDLA_CHECK(LayerLeavesNoGap, !(final_valid_q && final_last_q) || gaps_q == 0)
`endif
endmodule
