// CACC: accumulates the sums of the stripe operations, rounds the final ones and delivers them to SDP.
//
// Lane g is kernel g of the group. A stripe has at most ConvStripeMax positions; the operations of a stripe come with the same number
// of atoms each, the first one after a channel end starts from 0. Final results go to the delivery buffer, a row of AtomicK results per
// position, and leave as SdpBsThroughput lanes of 32 bits a clock in plain order (group, position, lane). CSC sends final atoms only as
// it has credits: one row each, given back by credit_valid_o when SDP has taken the row.
// The group is released when the layer's last row is in the buffer; done_intr_o follows when SDP has accepted the layer's last element.
// Latency from a final atom to cacc_valid_o: 2 clocks.
// Spec: 40-convolution-core, sections 4.6, 7.3, 8.2, 8.3, 9.4 and 9.7.
module nvdla_cacc
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
  import nvdla_cacc_pkg::*;
(
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             csb_req_i,
    input  logic                             csb_write_i,
    input  logic [          CsbAddrBits-1:0] csb_addr_i,
    input  logic [                     31:0] csb_wdata_i,
    output logic [                     31:0] csb_rdata_o,
    output logic                             work_o,  // to the clock gate: the clock has to run
    output logic                             run_o,
    // From CMAC: cells of A are lanes 0 .. ConvCells-1, cells of B the others; the flags come with A.
    input  logic                             valid_i,
    input  logic [ConvCells*ConvSumBits-1:0] sum_a_i,
    input  logic [ConvCells*ConvSumBits-1:0] sum_b_i,
    input  logic                             stripe_end_i,
    input  logic                             channel_end_i,
    input  logic                             layer_end_i,
    output logic                             credit_valid_o,
    // To SDP.
    output logic                             cacc_valid_o,
    input  logic                             cacc_ready_i,
    output logic [   SdpBsThroughput*32-1:0] cacc_data_o,
    // One clock per finished layer, by group.
    output logic [                      1:0] done_intr_o
);
  localparam int DataWords = CaccWords - CaccFirstD;
  localparam int Beats = AtomicK / SdpBsThroughput;
  localparam int BeatBits = $clog2(Beats);
  localparam int AddrLast = ConvRows * Beats;

  // ---- registers ----------------------------------------------------------------------------------------------------------------
  logic unused_group, armed, done;
  logic [DataWords*32-1:0] d_flat, stat;
  logic [31:0] count_q, count_d;
  cacc_d_t d;
  logic [4:0] truncate;
  assign d = d_flat;
  assign truncate = d.clip_truncate;
  assign stat = (DataWords * 32)'(count_d) << ((CaccDOutSaturation - CaccFirstD) * 32);

  nvdla_reg_group #(
      .Words    (CaccWords),
      .FirstD   (CaccFirstD),
      .WriteMask(CaccWriteMask),
      .Reset    (CaccReset),
      .StatMask (CaccStatMask)
  ) u_registers (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .req_i  (csb_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(csb_rdata_o),
      .run_o  (run_o),
      .group_o(unused_group),
      .armed_o(armed),
      .d_o    (d_flat),
      .done_i (done),
      .stat_i (stat)
  );

  // ---- accumulators -------------------------------------------------------------------------------------------------------------
  logic [ConvStripeBits-1:0] position_q;
  logic fresh_q;  // the next operation is the first of a stripe
  logic final_valid_q, final_last_q;
  logic [AtomicK*ConvSumBits-1:0] sums;
  logic signed [CaccAccBits-1:0] final_q[0:AtomicK-1];

  assign sums = {sum_b_i, sum_a_i};

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      position_q    <= '0;
      fresh_q       <= 1'b1;
      final_valid_q <= 1'b0;
    end else begin
      final_valid_q <= valid_i && channel_end_i;
      if (valid_i) begin
        position_q <= stripe_end_i ? '0 : position_q + 1'b1;
        if (stripe_end_i) fresh_q <= channel_end_i;
      end
    end

  always_ff @(posedge clk_i) if (valid_i) final_last_q <= stripe_end_i && layer_end_i;

  for (genvar g = 0; g < AtomicK; g++) begin : gen_lane
    logic signed [CaccAccBits-1:0] acc_q[0:ConvStripeMax-1];
    always_ff @(posedge clk_i) begin
      logic signed [CaccAccBits-1:0] acc;
      if (valid_i) begin
        acc = fresh_q ? '0 : acc_q[position_q];
        acc = cacc_accumulate(acc, $signed(sums[g*ConvSumBits+:ConvSumBits]));
        if (channel_end_i) final_q[g] <= acc;
        else acc_q[position_q] <= acc;
      end
    end
  end

  // ---- delivery buffer ----------------------------------------------------------------------------------------------------------
  // Word row * Beats + beat holds the lanes of that transfer.
  logic [SdpBsThroughput*32-1:0] row_mem_q[0:AddrLast-1];
  logic last_mem_q[0:ConvRows-1];
  logic [ConvRowBits-1:0] wr_row_q, rd_row_q;
  logic [BeatBits-1:0] beat_q;
  logic [ConvRowBits:0] rows_q;
  logic take, row_taken, layer_taken, toggle_q, first_q, count_base;
  logic [ConvKernelBits:0] clipped;

  assign done = final_valid_q && final_last_q;
  assign take = cacc_valid_o && cacc_ready_i;
  assign row_taken = take && beat_q == BeatBits'(Beats - 1);
  assign layer_taken = row_taken && last_mem_q[rd_row_q];
  assign cacc_valid_o = rows_q != '0;
  assign cacc_data_o = row_mem_q[{rd_row_q, beat_q}];

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      wr_row_q       <= '0;
      rd_row_q       <= '0;
      beat_q         <= '0;
      rows_q         <= '0;
      toggle_q       <= 1'b0;
      done_intr_o    <= '0;
      credit_valid_o <= 1'b0;
    end else begin
      if (final_valid_q) wr_row_q <= wr_row_q + 1'b1;
      if (take) beat_q <= row_taken ? '0 : beat_q + 1'b1;
      if (row_taken) rd_row_q <= rd_row_q + 1'b1;
      if (final_valid_q != row_taken) rows_q <= final_valid_q ? rows_q + 1'b1 : rows_q - 1'b1;
      if (layer_taken) toggle_q <= ~toggle_q;
      done_intr_o    <= {layer_taken && toggle_q, layer_taken && !toggle_q};
      credit_valid_o <= row_taken;
    end

  always_ff @(posedge clk_i) begin
    if (final_valid_q) begin
      last_mem_q[wr_row_q] <= final_last_q;
      for (int g = 0; g < AtomicK; g++)
        row_mem_q[32'(wr_row_q)*Beats+g/SdpBsThroughput][(g%SdpBsThroughput)*32+:32] <= cacc_deliver(final_q[g], truncate);
    end
  end

  assign work_o = csb_req_i || armed || final_valid_q || rows_q != '0;

  // ---- saturation counter: restarts with a layer's first row, unless that is its last one as well ----------------------------------
  always_comb begin
    clipped = '0;
    if (final_valid_q)
      for (int g = 0; g < AtomicK; g++) clipped = clipped + (ConvKernelBits + 1)'(cacc_saturates(final_q[g], truncate));
  end

  assign count_base = !first_q || final_last_q;
  assign count_d = (count_base && count_q > 32'hffff_ffff - 32'(clipped)) ? '1 : (count_base ? count_q : '0) + 32'(clipped);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      count_q <= '0;
      first_q <= 1'b1;
    end else if (final_valid_q) begin
      count_q <= count_d;
      first_q <= final_last_q;
    end

  wire unused_d = &{1'b0, `NVDLA_CACC_D_UNUSED(d)};  // names and reasons: rtl/unused_fields.csv

  // ---- checks -------------------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(BeatsLegal, AtomicK % SdpBsThroughput == 0 && Beats == 2 ** BeatBits && Beats >= 2)
  `NVDLA_STABLE(OutputStable, cacc_valid_o, cacc_ready_i, cacc_data_o)
  `NVDLA_CHECK(AtomsOnlyInLayer, !(valid_i || final_valid_q) || run_o)
  `NVDLA_CHECK(InterruptOfOneGroup, $onehot0(done_intr_o))
  // Rows that final atoms have taken and whose credit has not gone back.
  `NVDLA_BALANCE(RowsTaken, ConvRows, valid_i && channel_end_i, 1, credit_valid_o, 1)

`ifdef NVDLA_CHECKS
  // The operations of a stripe have the same number of atoms.
  int atoms_q, stripe_q;
  logic first_operation_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      atoms_q           <= 0;
      stripe_q          <= 0;
      first_operation_q <= 1'b1;
    end else if (valid_i) begin
      atoms_q <= stripe_end_i ? 0 : atoms_q + 1;
      if (stripe_end_i) begin
        stripe_q          <= atoms_q + 1;
        first_operation_q <= channel_end_i;
      end
    end
  `NVDLA_CHECK(StripeFits, !valid_i || atoms_q < ConvStripeMax)
  `NVDLA_CHECK(PositionCounts, !valid_i || 32'(position_q) == atoms_q)
  `NVDLA_CHECK(OperationsOfOneLength, !valid_i || first_operation_q || stripe_end_i == (atoms_q + 1 == stripe_q))
  `NVDLA_CHECK(FirstOperationStartsFromZero, !valid_i || fresh_q == first_operation_q)
  `NVDLA_CHECK(CreditsAddUp, RowsTaken.level_q == 32'(rows_q) + 32'(final_valid_q) + 32'(credit_valid_o))

  // The delivery buffer row by row, with the mark of a layer's last one.
  logic [AtomicK*32:0] shadow_q[0:ConvRows-1];
  logic [AtomicK*32:0] row, oldest;
  int written_q, taken_q, beats_q;
  logic layers_q, ends_q, end_group_q;
  always_comb begin
    row = '0;
    if (final_valid_q) begin
      row[AtomicK*32] = final_last_q;
      for (int g = 0; g < AtomicK; g++) row[g*32+:32] = cacc_deliver(final_q[g], truncate);
    end
  end
  assign oldest = shadow_q[taken_q%ConvRows];
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      written_q   <= 0;
      taken_q     <= 0;
      beats_q     <= 0;
      layers_q    <= 1'b0;
      ends_q      <= 1'b0;
      end_group_q <= 1'b0;
    end else begin
      ends_q <= 1'b0;
      if (final_valid_q) written_q <= written_q + 1;
      if (cacc_valid_o && cacc_ready_i) begin
        beats_q <= (beats_q + 1) % Beats;
        if (beats_q == Beats - 1) begin
          taken_q     <= taken_q + 1;
          ends_q      <= oldest[AtomicK*32];
          end_group_q <= layers_q;
          if (oldest[AtomicK*32]) layers_q <= ~layers_q;
        end
      end
    end
  always_ff @(posedge clk_i) if (final_valid_q) shadow_q[written_q%ConvRows] <= row;
  `NVDLA_CHECK(RoomForTheRow, !final_valid_q || written_q - taken_q < ConvRows)
  `NVDLA_CHECK(OffersOnlyWhatIsThere, cacc_valid_o == (written_q != taken_q))
  `NVDLA_CHECK(RowsInOrder, !cacc_valid_o || written_q == taken_q || cacc_data_o == oldest[beats_q*SdpBsThroughput*32+:SdpBsThroughput*32])
  `NVDLA_CHECK(InterruptWithLastElement, done_intr_o == {ends_q && end_group_q, ends_q && !end_group_q})
`endif
endmodule
