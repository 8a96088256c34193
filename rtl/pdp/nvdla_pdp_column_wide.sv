// 2-D pooling with elements of 8 or 16 bits: nvdla_pdp_column for INT8, INT16 and FP16.
//
// The line buffer is the same: eight banks of 16 output columns. Averages of FP16 write one clock after their beat, so
// the beat must not be for the same place as the one before it; the beats of an atom lie between. What is read in the
// clock in which it is written is kept beside the memory. tot_o:
// PdpThroughput lanes of PdpSumBits, one clock after the beat. Averages of integers have their vertical pad term in
// it, those of FP16 leave it, as an FP17 number, to tot_pad_o. clk_mean_i is clk_i in layers of them, else it may stand
// still.
// Spec: 60-pdp, sections 5, 9.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
module nvdla_pdp_column_wide
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;
  import nvdla_pdp_wide_pkg::*;
(
    input  logic                                clk_i, clk_mean_i, rst_ni,
    input  logic [                         1:0] precision_i, method_i,
    input  logic [                         2:0] kernel_width_i,
    input  logic                                beat_valid_i,
    output logic                                beat_ready_o,
    input  pdp_beat_t                           beat_i,
    input  logic [PdpThroughput*PdpRowBits-1:0] row_i,
    input  logic [                         7:0] read_i,
    input  logic [         PdpBankAddrBits-1:0] read_addr_i,
    output logic                                tot_valid_o,
    input  logic                                tot_ready_i,
    output logic                                tot_last_o,
    output logic [PdpThroughput*PdpSumBits-1:0] tot_o,
    output logic [                        16:0] tot_pad_o
);
  localparam int Words = 1 << PdpBankAddrBits;
  localparam int WordBits = PdpThroughput * PdpTotBits;

  logic mean;
  logic valid_q, last_q, emit, take;
  logic [PdpBankAddrBits-1:0] addr;
  logic [7:0] first, write;

  assign mean = pdp_is_mean(precision_i, method_i);
  assign addr = beat_i.addr;
  assign first = beat_i.first;
  assign take = beat_valid_i && beat_ready_o;
  assign write = beat_i.write & {8{take}};
  assign emit = take && beat_i.emit;

  assign beat_ready_o = !valid_q || tot_ready_i || !beat_i.emit;
  assign tot_valid_o = valid_q;
  assign tot_last_o = last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (!valid_q || tot_ready_i) valid_q <= emit;
  end
  always_ff @(posedge clk_i) if (emit) last_q <= beat_i.last;

  // ---- averages of FP16: writes a clock later, pad term -------------------------------------------------------------
  logic sum_emit, sum_added_q;
  logic [7:0] late_q, late_first_q;
  logic [PdpBankAddrBits-1:0] late_addr_q;

  assign sum_emit = emit && mean && !beat_i.flush && !beat_i.emit_first;
  always_ff @(posedge clk_mean_i or negedge rst_ni) begin
    if (!rst_ni) late_q <= 8'd0;
    else late_q <= mean ? write : 8'd0;
  end
  always_ff @(posedge clk_mean_i) begin
    if (take) begin
      late_first_q <= first;
      late_addr_q <= addr;
    end
    if (emit) sum_added_q <= sum_emit;
  end

  nvdla_fp_mul #(
      .ExpBits(6),
      .ManBits(10)
  ) u_pad (
      .clk_i    (clk_mean_i),
      .en_i     (emit && mean),
      .a_i      (beat_i.pad[16:0]),
      .b_i      (pdp_fp17_width(kernel_width_i)),
      .product_o(tot_pad_o)
  );

  // ---- banks --------------------------------------------------------------------------------------------------------
  logic [PdpThroughput*17-1:0] late_row_q;
  for (genvar p = 0; p < PdpThroughput; p++) begin : gen_late
    always_ff @(posedge clk_mean_i) if (take) late_row_q[p*17+:17] <= row_i[p*PdpRowBits+:17];
  end

  for (genvar b = 0; b < 8; b++) begin : gen_bank
    logic [WordBits-1:0] read, stored, folded;
    logic [PdpThroughput*17-1:0] late, kept_q;  // late: what an average of FP16 writes
    logic keep, kept_here_q;
    logic write_here;
    assign write_here = late_q[b] || (write[b] && !mean);
    assign keep = late_q[b] && late_addr_q == read_addr_i;

    nvdla_ram #(
        .Width(WordBits),
        .Words(Words)
    ) u_bank (
        .clk_i,
        .wr_en_i  (write_here),
        .wr_addr_i(late_q[b] ? late_addr_q : addr),
        .wr_data_i(folded),
        .rd_en_i  (read_i[b]),
        .rd_addr_i(read_addr_i),
        .rd_data_o(read)
    );
    always_ff @(posedge clk_mean_i)
      if (read_i[b]) begin
        kept_here_q <= keep;
        if (keep) kept_q <= late;
      end

    for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
      logic [16:0] sum;
      logic [PdpRowBits-1:0] row;
      logic [PdpTotBits-1:0] word;
      assign row = row_i[p*PdpRowBits+:PdpRowBits];
      assign word = (mean && kept_here_q) ? PdpTotBits'(kept_q[p*17+:17]) : read[p*PdpTotBits+:PdpTotBits];
      assign stored[p*PdpTotBits+:PdpTotBits] = word;
      nvdla_fp_add #(
          .ExpBits(6),
          .ManBits(10)
      ) u_add (
          .clk_i(clk_mean_i),
          .en_i (write[b] && mean && !first[b]),
          .a_i  (row[16:0]),
          .b_i  (word[16:0]),
          .sum_o(sum)
      );
      assign late[p*17+:17] = late_first_q[b] ? late_row_q[p*17+:17] : sum;
      always_comb begin
        folded[p*PdpTotBits+:PdpTotBits] = PdpTotBits'(late[p*17+:17]);
        if (write[b] && !mean)
          folded[p*PdpTotBits+:PdpTotBits] = pdp_wide_column_fold(precision_i, method_i, first[b], word, row);
      end
    end
    `NVDLA_CHECK(NotReadAsItIsWritten, mean || !(write[b] && read_i[b] && addr == read_addr_i))
  end

  // ---- lanes --------------------------------------------------------------------------------------------------------
  for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
    logic [PdpRowBits-1:0] row;
    logic [16:0] mean_sum;
    logic [PdpTotBits-1:0] leaving;  // stored word of the row that leaves
    logic [PdpSumBits-1:0] tot_q;

    assign row = row_i[p*PdpRowBits+:PdpRowBits];
    always_comb begin
      leaving = '0;
      if (emit)
        case (beat_i.bank)
          3'd0: leaving = gen_bank[0].stored[p*PdpTotBits+:PdpTotBits];
          3'd1: leaving = gen_bank[1].stored[p*PdpTotBits+:PdpTotBits];
          3'd2: leaving = gen_bank[2].stored[p*PdpTotBits+:PdpTotBits];
          3'd3: leaving = gen_bank[3].stored[p*PdpTotBits+:PdpTotBits];
          3'd4: leaving = gen_bank[4].stored[p*PdpTotBits+:PdpTotBits];
          3'd5: leaving = gen_bank[5].stored[p*PdpTotBits+:PdpTotBits];
          3'd6: leaving = gen_bank[6].stored[p*PdpTotBits+:PdpTotBits];
          default: leaving = gen_bank[7].stored[p*PdpTotBits+:PdpTotBits];
        endcase
    end

    nvdla_fp_add #(
        .ExpBits(6),
        .ManBits(10)
    ) u_emit (
        .clk_i(clk_mean_i),
        .en_i (sum_emit),
        .a_i  (row[16:0]),
        .b_i  (leaving[16:0]),
        .sum_o(mean_sum)
    );

    always_ff @(posedge clk_i) begin
      if (emit) begin
        if (mean) tot_q <= beat_i.flush ? leaving : row;
        else
          tot_q <= pdp_wide_total(
            precision_i,
            beat_i.flush ? leaving : pdp_wide_column_fold(precision_i, method_i, beat_i.emit_first, leaving, row),
            method_i == PdpAverage ? beat_i.pad : '0);
      end
    end
    assign tot_o[p*PdpSumBits+:PdpSumBits] = (mean && sum_added_q) ? PdpSumBits'(mean_sum) : tot_q;
  end

  `NVDLA_STABLE(BeatStable, beat_valid_i, beat_ready_o, {beat_i, beat_i.flush ? '0 : row_i})
  `NVDLA_STABLE(OutputStable, tot_valid_o, tot_ready_i, {tot_last_o, tot_o})
  `NVDLA_QUEUE(Beats, 1, 2, beat_valid_i && beat_ready_o && beat_i.emit, beat_i.last, tot_valid_o,
               tot_valid_o && tot_ready_i, tot_last_o)
`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(NothingIsLost, Beats.level_q == 32'(tot_valid_o))
`endif
  `NVDLA_CHECK(NoBankReadBeforeItsSum, !(take && mean && late_q != 8'd0 && addr == late_addr_q))
  `NVDLA_CHECK(OneWriteAtATime, late_q == 8'd0 || mean || write == 8'd0)
  `NVDLA_PARAM(ClocksBetweenTheSameAddress, PdpBeats >= 4)
endmodule
