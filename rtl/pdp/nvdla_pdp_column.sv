// 2-D pooling: the line buffer. Eight banks of 16 output columns (one atom each, PdpTotBits per lane), shared by the
// output rows that overlap (60-pdp section 9); a kernel of height 1 needs none.
//
// Every beat of a row result is folded into the banks of all output rows it belongs to, in one clock; read_i names the
// banks that it reads, one clock before it comes. The row that ends with it leaves instead of being stored, with its
// vertical pad term added; flush beats take a stored row out. tot_o: PdpThroughput lanes of PdpSumBits, one clock
// later.
// Spec: 60-pdp, sections 5.1, 5.3, 9.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
module nvdla_pdp_column
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;
(
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic [                         1:0] method_i,
    input  logic                                beat_valid_i,
    output logic                                beat_ready_o,
    input  pdp_beat_t                           beat_i,
    input  logic [PdpThroughput*PdpRowBits-1:0] row_i,
    input  logic [                         7:0] read_i,
    input  logic [         PdpBankAddrBits-1:0] read_addr_i,
    output logic                                tot_valid_o,
    input  logic                                tot_ready_i,
    output logic                                tot_last_o,
    output logic [PdpThroughput*PdpSumBits-1:0] tot_o
);
  localparam int WordBits = PdpThroughput * PdpTotBits;
  localparam int BitBits = $clog2(8 * WordBits);
  localparam int Words = 1 << PdpBankAddrBits;

  logic valid_q, last_q;
  logic [8*WordBits-1:0] stored;  // word of each bank at the beat's address, if it reads the bank
  logic [PdpBankAddrBits-1:0] addr;
  logic [7:0] first, write;
  logic [BitBits-1:0] emit_bit;
  logic emit;

  assign addr = beat_i.addr;
  assign first = beat_i.first;
  assign write = beat_i.write & {8{beat_valid_i && beat_ready_o}};
  assign emit_bit = BitBits'(beat_i.bank) * BitBits'(WordBits);
  assign emit = beat_valid_i && beat_ready_o && beat_i.emit;

  assign beat_ready_o = !valid_q || tot_ready_i || !beat_i.emit;
  assign tot_valid_o = valid_q;
  assign tot_last_o = last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (!valid_q || tot_ready_i) valid_q <= emit;
  end
  always_ff @(posedge clk_i) if (emit) last_q <= beat_i.last;

  for (genvar b = 0; b < 8; b++) begin : gen_bank
    logic [WordBits-1:0] word, folded;
    assign stored[b*WordBits+:WordBits] = word;
    always_comb begin
      folded = '0;
      if (write[b])
        for (int p = 0; p < PdpThroughput; p++)
          folded[p*PdpTotBits+:PdpTotBits] =
              pdp_column_fold(method_i, first[b], word[p*PdpTotBits+:PdpTotBits], row_i[p*PdpRowBits+:PdpRowBits]);
    end
    nvdla_ram #(
        .Width(WordBits),
        .Words(Words)
    ) u_bank (
        .clk_i,
        .wr_en_i  (write[b]),
        .wr_addr_i(addr),
        .wr_data_i(folded),
        .rd_en_i  (read_i[b]),
        .rd_addr_i(read_addr_i),
        .rd_data_o(word)
    );
    `NVDLA_CHECK(NotReadAsItIsWritten, !(write[b] && read_i[b] && addr == read_addr_i))
  end

  for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
    logic [PdpSumBits-1:0] tot_q;
    assign tot_o[p*PdpSumBits+:PdpSumBits] = tot_q;
    always_ff @(posedge clk_i) begin
      if (emit) begin
        tot_q <= pdp_total(
          beat_i.flush ? stored[emit_bit + BitBits'(p*PdpTotBits)+:PdpTotBits]
                       : pdp_column_fold(method_i, beat_i.emit_first,
                       stored[emit_bit + BitBits'(p*PdpTotBits)+:PdpTotBits],
                                         row_i[p*PdpRowBits+:PdpRowBits]),
          method_i == PdpAverage ? beat_i.pad : '0);
      end
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
