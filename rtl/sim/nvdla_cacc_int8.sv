// Accumulators and delivery buffer of CACC, INT8-only configurations, in the form that simulates fast: a delivery
// buffer that takes all transfers of a row at once. The hardware is nvdla_cacc_lanes.
//
// Lane g is kernel g of the group. Final results go to the delivery buffer, a row of AtomicK results per position, and
// leave as SdpBsThroughput lanes of 32 bits a clock in plain order (group, position, lane).
// Latency from a final atom to cacc_valid_o: 2 clocks.
// Spec: 40-convolution-core, sections 4.6, 8.3 and 9.4.
`include "nvdla_check.svh"
module nvdla_cacc_int8
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
  localparam int AddrLast = ConvRows * Beats;

  // ---- accumulators -------------------------------------------------------------------------------------------------
  logic final_valid_q, final_last_q;
  logic signed [CaccAccBits-1:0] final_q[0:AtomicK-1];

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) final_valid_q <= 1'b0;
    else final_valid_q <= valid_i && channel_end_i;

  always_ff @(posedge clk_i) if (valid_i) final_last_q <= last_i;

  for (genvar g = 0; g < AtomicK; g++) begin : gen_lane
    logic signed [CaccAccBits-1:0] acc_q[0:ConvStripeMax-1];
    always_ff @(posedge clk_i) begin
      logic signed [CaccAccBits-1:0] acc;
      if (valid_i) begin
        acc = fresh_i ? '0 : acc_q[position_i];
        acc = cacc_accumulate(acc, $signed(sums_i[g]));
        if (channel_end_i) final_q[g] <= acc;
        else acc_q[position_i] <= acc;
      end
    end
  end

  always_comb begin
    clipped_o = '0;
    if (final_valid_q) for (int g = 0; g < AtomicK; g++) clipped_o =
        clipped_o + 8'(cacc_saturates(final_q[g], truncate_i));
  end
  assign final_valid_o = final_valid_q;
  assign final_last_o = final_last_q;

  // ---- delivery buffer ----------------------------------------------------------------------------------------------
  // Word row * Beats + beat holds the lanes of that transfer.
  logic [SdpBsThroughput*32-1:0] row_mem_q[0:AddrLast-1];
  logic last_mem_q[0:ConvRows-1];
  logic [ConvRowBits-1:0] wr_row_q, rd_row_q;
  logic [BeatBits-1:0] beat_q;
  logic [ConvRowBits:0] rows_q;
  logic take, row_taken;

  assign take = cacc_valid_o && cacc_ready_i;
  assign row_taken = take && beat_q == BeatBits'(Beats - 1);
  assign layer_taken_o = row_taken && last_mem_q[rd_row_q];
  assign rows_o = rows_q;
  assign cacc_valid_o = rows_q != '0;
  assign cacc_data_o = row_mem_q[{rd_row_q, beat_q}];

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      wr_row_q       <= '0;
      rd_row_q       <= '0;
      beat_q         <= '0;
      rows_q         <= '0;
      credit_valid_o <= 1'b0;
    end else begin
      if (final_valid_q) wr_row_q <= wr_row_q + 1'b1;
      if (take) beat_q <= row_taken ? '0 : beat_q + 1'b1;
      if (row_taken) rd_row_q <= rd_row_q + 1'b1;
      if (final_valid_q != row_taken) rows_q <= final_valid_q ? rows_q + 1'b1 : rows_q - 1'b1;
      credit_valid_o <= row_taken;
    end

  always_ff @(posedge clk_i) begin
    if (final_valid_q) begin
      last_mem_q[wr_row_q] <= final_last_q;
      for (int g = 0; g < AtomicK; g++)
        row_mem_q[32'(wr_row_q)*Beats+g/SdpBsThroughput][(g%SdpBsThroughput)*32+:32] <=
            cacc_deliver(final_q[g], truncate_i);
    end
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
  int written_q, taken_q, beats_q;
  always_comb begin
    row = '0;
    if (final_valid_q) begin
      row[AtomicK*32] = final_last_q;
      for (int g = 0; g < AtomicK; g++) row[g*32+:32] = cacc_deliver(final_q[g], truncate_i);
    end
  end
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
