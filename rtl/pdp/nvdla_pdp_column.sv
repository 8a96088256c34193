// 2-D pooling: the line buffer. Eight banks of 16 output columns (one atom each, PdpTotBits per lane), shared by the
// output rows that overlap (60-pdp section 9); a kernel of height 1 needs none.
//
// Every beat of a row result is folded into the banks of all output rows it belongs to, in one clock; read_i names the
// banks that it reads, one clock before it comes. The row that ends with it leaves instead of being stored; flush beats
// take a stored row out. tot_o: PdpThroughput lanes of PdpSumBits, one clock later, of integers with the vertical pad
// term in it.
// Averages of FP16 leave their vertical pad term, as an FP17 number, to tot_pad_o, and write one clock after their
// beat, so the beat must not be for the same place as the one before it; the beats of an atom lie between. What is read
// in the clock in which it is written is kept beside the memory. clk_mean_i is clk_i in layers of them, else it may
// stand still.
// Spec: 60-pdp, sections 5, 9.
`include "nvdla_check.svh"
module nvdla_pdp_column
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;
(
    input  logic                                     clk_i,
    input  logic                                     clk_mean_i,
    input  logic                                     rst_ni,
    input  logic [                              1:0] precision_i,
    input  logic [                              1:0] method_i,
    input  logic [                              2:0] kernel_width_i,
    input  logic                                     beat_valid_i,
    output logic                                     beat_ready_o,
    input  pdp_beat_t                                beat_i,
    input  logic [PdpThroughput-1:0][PdpRowBits-1:0] row_i,
    input  logic [                              7:0] read_i,
    input  logic [              PdpBankAddrBits-1:0] read_addr_i,
    output logic                                     tot_valid_o,
    input  logic                                     tot_ready_i,
    output logic                                     tot_last_o,
    output logic [PdpThroughput-1:0][PdpSumBits-1:0] tot_o,
    output logic [                             16:0] tot_pad_o
);
  localparam int WordBits = PdpThroughput * PdpTotBits;
  localparam int BitBits = $clog2(8 * WordBits);
  localparam int LateBits = PdpThroughput * 17;

  logic mean, valid_q, last_q, emit, take;
  logic [8*WordBits-1:0] stored;  // word of each bank at the beat's address, if it reads the bank
  logic [WordBits-1:0] leaving;   // that of the row that leaves
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
  always_comb begin
    leaving = '0;
    if (emit) leaving = stored[BitBits'(beat_i.bank) * BitBits'(WordBits)+:WordBits];
  end

  // ---- averages of FP16: writes a clock later, pad term -------------------------------------------------------------
  if (Fp16 != 0) begin : gen_late
    logic sum_emit, sum_added_q;
    logic [7:0] late_q, late_first_q;
    logic [PdpBankAddrBits-1:0] late_addr_q;
    logic [LateBits-1:0] late_row_q;

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
    for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
      always_ff @(posedge clk_mean_i) if (take) late_row_q[p*17+:17] <= row_i[p][16:0];
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

    `NVDLA_CHECK(NoBankReadBeforeItsSum, !(take && mean && late_q != 8'd0 && addr == late_addr_q))
    `NVDLA_CHECK(OneWriteAtATime, late_q == 8'd0 || mean || write == 8'd0)
    `NVDLA_PARAM(ClocksBetweenTheSameAddress, PdpBeats >= 4)
  end else begin : gen_never_late
    assign tot_pad_o = '0;
    wire unused_mean = &{1'b0, clk_mean_i, kernel_width_i};
  end

  // ---- banks --------------------------------------------------------------------------------------------------------
  for (genvar b = 0; b < 8; b++) begin : gen_bank
    logic [WordBits-1:0] read, word, folded, sums;  // sums: what an average of FP16 writes
    logic write_here;
    logic [PdpBankAddrBits-1:0] write_addr;
    assign stored[b*WordBits+:WordBits] = word;

    nvdla_ram #(
        .Width(WordBits),
        .Words(1 << PdpBankAddrBits)
    ) u_bank (
        .clk_i,
        .wr_en_i  (write_here),
        .wr_addr_i(write_addr),
        .wr_data_i(folded),
        .rd_en_i  (read_i[b]),
        .rd_addr_i(read_addr_i),
        .rd_data_o(read)
    );
    // Not in an always_comb: under Icarus the variables of the function would wake those of all banks, again and again.
    for (genvar p = 0; p < PdpThroughput; p++) begin : gen_fold
      assign folded[p*PdpTotBits+:PdpTotBits] = (write[b] && !mean) ?
          pdp_column_fold(precision_i, method_i, first[b], word[p*PdpTotBits+:PdpTotBits], row_i[p])
          : sums[p*PdpTotBits+:PdpTotBits];
    end
    `NVDLA_CHECK(NotReadAsItIsWritten, mean || !(write[b] && read_i[b] && addr == read_addr_i))

    if (Fp16 != 0) begin : gen_mean
      logic [LateBits-1:0] late, kept_q;
      logic keep, kept_here_q;
      assign write_here = gen_late.late_q[b] || (write[b] && !mean);
      assign write_addr = gen_late.late_q[b] ? gen_late.late_addr_q : addr;
      assign keep = gen_late.late_q[b] && gen_late.late_addr_q == read_addr_i;
      always_ff @(posedge clk_mean_i)
        if (read_i[b]) begin
          kept_here_q <= keep;
          if (keep) kept_q <= late;
        end

      for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
        logic [16:0] sum;
        assign word[p*PdpTotBits+:PdpTotBits] = (mean && kept_here_q) ? PdpTotBits'(kept_q[p*17+:17]) :
            read[p*PdpTotBits+:PdpTotBits];
        nvdla_fp_add #(
            .ExpBits(6),
            .ManBits(10)
        ) u_add (
            .clk_i(clk_mean_i),
            .en_i (write[b] && mean && !first[b]),
            .a_i  (row_i[p][16:0]),
            .b_i  (word[p*PdpTotBits+:17]),
            .sum_o(sum)
        );
        assign late[p*17+:17] = gen_late.late_first_q[b] ? gen_late.late_row_q[p*17+:17] : sum;
        assign sums[p*PdpTotBits+:PdpTotBits] = PdpTotBits'(late[p*17+:17]);
      end
    end else begin : gen_no_mean
      assign write_here = write[b];
      assign write_addr = addr;
      assign word = read;
      assign sums = '0;
    end
  end

  // ---- lanes --------------------------------------------------------------------------------------------------------
  for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
    logic [PdpSumBits-1:0] tot_q;
    always_ff @(posedge clk_i) begin
      if (emit) begin
        if (mean) tot_q <= beat_i.flush ? PdpSumBits'(leaving[p*PdpTotBits+:PdpTotBits])
                                        : PdpSumBits'(row_i[p]);
        else
          tot_q <= pdp_total(
            precision_i,
            beat_i.flush ? leaving[p*PdpTotBits+:PdpTotBits]
                         : pdp_column_fold(precision_i, method_i, beat_i.emit_first, leaving[p*PdpTotBits+:PdpTotBits],
                                           row_i[p]),
            method_i == PdpAverage ? beat_i.pad : '0);
      end
    end

    if (Fp16 != 0) begin : gen_mean
      logic [16:0] sum;
      nvdla_fp_add #(
          .ExpBits(6),
          .ManBits(10)
      ) u_emit (
          .clk_i(clk_mean_i),
          .en_i (gen_late.sum_emit),
          .a_i  (row_i[p][16:0]),
          .b_i  (leaving[p*PdpTotBits+:17]),
          .sum_o(sum)
      );
      assign tot_o[p] = (mean && gen_late.sum_added_q) ? PdpSumBits'(sum) : tot_q;
    end else begin : gen_no_mean
      assign tot_o[p] = tot_q;
    end
  end

  `NVDLA_STABLE(BeatStable, beat_valid_i, beat_ready_o, {beat_i, beat_i.flush ? '0 : row_i})
  `NVDLA_STABLE(OutputStable, tot_valid_o, tot_ready_i, {tot_last_o, tot_o})
  `NVDLA_QUEUE(Beats, 1, 2, beat_valid_i && beat_ready_o && beat_i.emit, beat_i.last, tot_valid_o,
               tot_valid_o && tot_ready_i, tot_last_o)
`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(NothingIsLost, Beats.level_q == 32'(tot_valid_o))
`endif
endmodule
