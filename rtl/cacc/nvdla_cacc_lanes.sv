// Accumulators and delivery buffer of CACC, INT8-only configurations, as hardware has them.
//
// Lane g is kernel g of the group. Final sums go to the delivery buffer as they are, a row of AtomicK sums per
// position; they are rounded when they leave, SdpBsThroughput lanes of 32 bits a clock in plain order (group, position,
// lane).
// Sums and delivery buffer are memories of one write and one read port for each lane.
// Latency from a final atom to cacc_valid_o: 2 clocks.
// Spec: 40-convolution-core, sections 4.6, 8.3 and 9.4.
`include "nvdla_check.svh"
module nvdla_cacc_lanes
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
  import nvdla_cacc_pkg::*;
(
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic [                         4:0] truncate_i,
    // An atom: its sums, its place in the stripe, and whether it is of the stripe's first operation, of its last one,
    // the layer's last.
    input  logic                                valid_i,
    input  logic [AtomicK-1:0][ConvSumBits-1:0] sums_i,
    input  logic [          ConvStripeBits-1:0] position_i,
    input  logic                                fresh_i,
    input  logic                                channel_end_i,
    input  logic                                last_i,
    // Final results are written; saturated ones among them.
    output logic                                final_valid_o,
    output logic                                final_last_o,
    output logic [                         7:0] clipped_o,
    output logic [               ConvRowBits:0] rows_o,  // that wait for SDP
    output logic                                layer_taken_o,
    output logic                                credit_valid_o,
    output logic                                cacc_valid_o,
    input  logic                                cacc_ready_i,
    output logic [      SdpBsThroughput*32-1:0] cacc_data_o
);
  localparam int Beats = AtomicK / SdpBsThroughput;
  localparam int BeatBits = $clog2(Beats);

  // ---- accumulators and delivery buffer -----------------------------------------------------------------------------
  logic final_atom, final_valid_q, final_last_q, read, row_read;
  logic [7:0] clipped, clipped_q;
  logic [ConvRowBits-1:0] wr_row_q, rd_row_q;
  logic [BeatBits-1:0] rd_beat_q, beat_q;  // next to be read, at the output
  logic [AtomicK-1:0] saturates;
  logic [AtomicK*CaccAccBits-1:0] lanes;  // sums of the row that leaves
  logic [5:0] row_mem_q[0:ConvRows-1];    // {the layer's last one, CLIP_TRUNCATE}
  logic [5:0] row_q;

  assign final_atom = valid_i && channel_end_i;
  for (genvar g = 0; g < AtomicK; g++) begin : gen_lane
    (* no_rw_check *) logic signed [CaccAccBits-1:0] acc_q[0:ConvStripeMax-1];
    (* no_rw_check *) logic signed [CaccAccBits-1:0] final_mem_q[0:ConvRows-1];
    logic signed [CaccAccBits-1:0] acc, lane_q;
    assign acc = cacc_accumulate(fresh_i ? '0 : acc_q[position_i], $signed(sums_i[g]));
    assign saturates[g] = final_atom && cacc_clips(acc, truncate_i);
    always_ff @(posedge clk_i) begin
      if (valid_i && !channel_end_i) acc_q[position_i] <= acc;
      if (final_atom) final_mem_q[wr_row_q] <= acc;
      if (read && 32'(rd_beat_q) == g / SdpBsThroughput) lane_q <= final_mem_q[rd_row_q];
    end
    assign lanes[g*CaccAccBits+:CaccAccBits] = lane_q;
  end

  always_comb begin
    clipped = '0;
    if (final_atom) for (int g = 0; g < AtomicK; g++) clipped = clipped + 8'(saturates[g]);
  end
  assign final_valid_o = final_valid_q;
  assign final_last_o = final_last_q;
  assign clipped_o = clipped_q;

  always_ff @(posedge clk_i) begin
    if (final_atom) begin
      row_mem_q[wr_row_q] <= {last_i, truncate_i};
      clipped_q           <= clipped;
      final_last_q        <= last_i;
    end
    if (read) row_q <= row_mem_q[rd_row_q];
  end

  // ---- delivery: a transfer is read when the one before it leaves ---------------------------------------------------
  logic [ConvRowBits:0] rows_q, unread_q;  // not taken by SDP; not read
  logic out_valid_q, take, row_taken;

  assign read = unread_q != '0 && (!out_valid_q || cacc_ready_i);
  assign row_read = read && rd_beat_q == BeatBits'(Beats - 1);
  assign take = out_valid_q && cacc_ready_i;
  assign row_taken = take && beat_q == BeatBits'(Beats - 1);
  assign layer_taken_o = row_taken && row_q[5];
  assign rows_o = rows_q;
  assign cacc_valid_o = out_valid_q;
  always_comb begin
    cacc_data_o = '0;
    if (out_valid_q)
      for (int l = 0; l < SdpBsThroughput; l++)
        cacc_data_o[l*32+:32] =
            cacc_deliver($signed(lanes[(32'(beat_q)*SdpBsThroughput+l)*CaccAccBits+:CaccAccBits]), row_q[4:0]);
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      final_valid_q  <= 1'b0;
      wr_row_q       <= '0;
      rd_row_q       <= '0;
      rd_beat_q      <= '0;
      beat_q         <= '0;
      rows_q         <= '0;
      unread_q       <= '0;
      out_valid_q    <= 1'b0;
      credit_valid_o <= 1'b0;
    end else begin
      final_valid_q <= final_atom;
      if (final_atom) wr_row_q <= wr_row_q + 1'b1;
      if (read) rd_beat_q <= row_read ? '0 : rd_beat_q + 1'b1;
      if (row_read) rd_row_q <= rd_row_q + 1'b1;
      if (final_atom != row_read) unread_q <= final_atom ? unread_q + 1'b1 : unread_q - 1'b1;
      out_valid_q <= read || (out_valid_q && !cacc_ready_i);
      if (take) beat_q <= row_taken ? '0 : beat_q + 1'b1;
      if (final_valid_q != row_taken) rows_q <= final_valid_q ? rows_q + 1'b1 : rows_q - 1'b1;
      credit_valid_o <= row_taken;
    end

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(BeatsLegal, AtomicK % SdpBsThroughput == 0 && Beats == 2 ** BeatBits && Beats >= 2)
  // Rows that final atoms have taken and whose credit has not gone back.
  `NVDLA_BALANCE(RowsTaken, ConvRows, valid_i && channel_end_i, 1, credit_valid_o, 1)

`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(CreditsAddUp, RowsTaken.level_q == 32'(rows_q) + 32'(final_valid_q) + 32'(credit_valid_o))

  // The delivery buffer row by row, with the mark of a layer's last one.
  logic [AtomicK*32:0] shadow_q[0:ConvRows-1];
  logic [AtomicK*32:0] row, oldest;
  logic [AtomicK*CaccAccBits-1:0] acc_before_q;
  logic [4:0] truncate_before_q;
  int written_q, taken_q, beats_q;
  always_comb begin
    row = '0;
    if (final_valid_q) begin
      row[AtomicK*32] = final_last_q;
      for (int g = 0; g < AtomicK; g++)
        row[g*32+:32] = cacc_deliver($signed(acc_before_q[g*CaccAccBits+:CaccAccBits]), truncate_before_q);
    end
  end
  for (genvar g = 0; g < AtomicK; g++) begin : gen_before
    always_ff @(posedge clk_i) if (final_atom) acc_before_q[g*CaccAccBits+:CaccAccBits] <= gen_lane[g].acc;
  end
  always_ff @(posedge clk_i) if (final_atom) truncate_before_q <= truncate_i;
  assign oldest = shadow_q[taken_q%ConvRows];
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      written_q <= 0;
      taken_q   <= 0;
      beats_q   <= 0;
    end else begin
      if (final_valid_q) written_q <= written_q + 1;
      if (cacc_valid_o && cacc_ready_i) begin
        beats_q <= (beats_q + 1) % Beats;
        if (beats_q == Beats - 1) taken_q <= taken_q + 1;
      end
    end
  always_ff @(posedge clk_i) if (final_valid_q) shadow_q[written_q%ConvRows] <= row;
  `NVDLA_CHECK(RoomForTheRow, !final_valid_q || written_q - taken_q < ConvRows)
  `NVDLA_CHECK(OffersOnlyWhatIsThere, cacc_valid_o == (written_q != taken_q))
  `NVDLA_CHECK(RowsInOrder, !cacc_valid_o || written_q == taken_q ||
               cacc_data_o == oldest[beats_q*SdpBsThroughput*32+:SdpBsThroughput*32])
  `NVDLA_CHECK(LayerEndsWithItsLastRow,
               layer_taken_o == (cacc_valid_o && cacc_ready_i && beats_q == Beats - 1 && oldest[AtomicK*32]))
`endif
endmodule
