// The LE and LO tables of a look-up unit: their memory, its access port, and the reading of Lanes pairs of entries per
// clock.
//
// Access port: cfg_req_i and data_req_i are accesses to S_LUT_ACCESS_CFG and S_LUT_ACCESS_DATA; rdata_o answers in the
// next clock and is 0 in all others. A DATA write with ACCESS_TYPE = write changes an entry, one after the last entry
// of its table nothing. In CDP the address advances with accesses of DATA in the programmed direction and stops at the
// last entry, and ACCESS_CFG shows it; in SDP (Wraps = 1) it advances with every access of DATA, wraps at 1024, reads 0
// after the last entry, and ACCESS_CFG shows what was written.
//
// Reading: with read_i, entries_o holds in the next clock for every lane the entry at its word_i (lower half) and the
// next one; LE starts at word 0, LO at LutLoBase. The tables have no reset. Every lane has the tables in two memories,
// of even and of odd words, and the access port has a third copy: each memory is read once in a clock.
// Spec: 55-lut, section 3.
`include "nvdla_check.svh"
module nvdla_lut_tables
  import nvdla_lut_pkg::*;
#(
    parameter int Lanes = 1,
    parameter int Wraps = 0
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    // access port
    input  logic                                 cfg_req_i,
    input  logic                                 data_req_i,
    input  logic                                 write_i,
    input  logic [                         31:0] wdata_i,
    output logic [                         31:0] rdata_o,
    // reading
    input  logic                                 read_i,
    input  logic [               Lanes-1:0][8:0] word_i,
    output logic [Lanes-1:0][2*LutEntryBits-1:0] entries_o
);
  logic lo_q, writing_q;  // TABLE_ID, ACCESS_TYPE
  logic [9:0] addr_q, shown, next;
  logic [31:0] rdata_q;
  logic entry_read_q;  // what the access port reads is an entry
  logic [LutEntryBits-1:0] entry;

  logic [8:0] last, word;
  logic inside_table, advance, change, look;

  assign last = lo_q ? LutLoLast : LutLeLast;
  assign word = lo_q ? LutLoBase + addr_q[8:0] : addr_q[8:0];
  assign inside_table = addr_q <= 10'(last);
  assign change = data_req_i && write_i && writing_q && inside_table;
  assign look = data_req_i && !write_i && inside_table;
  assign rdata_o = entry_read_q ? 32'(entry) : rdata_q;

  if (Wraps != 0) begin : gen_wraps
    logic [9:0] shown_q;
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) shown_q <= 10'd0;
      else if (cfg_req_i && write_i) shown_q <= wdata_i[9:0];
    assign shown = shown_q;
    assign advance = 1'b1;
    assign next = addr_q + 10'd1;
  end else begin : gen_stops
    assign shown = addr_q;
    assign advance = write_i == writing_q;
    assign next = addr_q < 10'(last) ? addr_q + 10'd1 : 10'(last);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lo_q <= 1'b0;
      writing_q <= 1'b0;
      addr_q <= 10'd0;
      rdata_q <= 32'd0;
      entry_read_q <= 1'b0;
    end else begin
      rdata_q <= 32'd0;
      entry_read_q <= look;
      if (cfg_req_i && write_i) begin
        writing_q <= wdata_i[17];
        lo_q <= wdata_i[16];
        addr_q <= wdata_i[9:0];
      end
      if (cfg_req_i && !write_i) rdata_q <= {14'd0, writing_q, lo_q, 6'd0, shown};
      if (data_req_i && advance) addr_q <= next;
    end
  end

  nvdla_ram #(
      .Width(LutEntryBits),
      .Words(LutWords)
  ) u_access (
      .clk_i,
      .wr_en_i  (change),
      .wr_addr_i(word),
      .wr_data_i(wdata_i[15:0]),
      .rd_en_i  (look),
      .rd_addr_i(word),
      .rd_data_o(entry)
  );

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [LutEntryBits-1:0] even, odd;
    logic [7:0] pair;
    logic from_odd, from_odd_q;
    assign {pair, from_odd} = word_i[l];
    assign entries_o[l] = from_odd_q ? {even, odd} : {odd, even};
    always_ff @(posedge clk_i) if (read_i) from_odd_q <= from_odd;
    nvdla_ram #(
        .Width(LutEntryBits),
        .Words(LutWords / 2)
    ) u_even (
        .clk_i,
        .wr_en_i  (change && !word[0]),
        .wr_addr_i(word[8:1]),
        .wr_data_i(wdata_i[15:0]),
        .rd_en_i  (read_i),
        .rd_addr_i(pair + 8'(from_odd)),
        .rd_data_o(even)
    );
    nvdla_ram #(
        .Width(LutEntryBits),
        .Words(LutWords / 2)
    ) u_odd (
        .clk_i,
        .wr_en_i  (change && word[0]),
        .wr_addr_i(word[8:1]),
        .wr_data_i(wdata_i[15:0]),
        .rd_en_i  (read_i),
        .rd_addr_i(pair),
        .rd_data_o(odd)
    );
  end

  wire unused_bits = &{1'b0, wdata_i[31:18]};

  `NVDLA_CHECK(OneAccessAtATime, !(cfg_req_i && data_req_i))
  `NVDLA_CHECK(AddressInRange, 32'(addr_q) < 1024)
`ifdef NVDLA_CHECKS
  logic asked_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) asked_q <= 1'b0;
    else asked_q <= (cfg_req_i || data_req_i) && !write_i;
  // Two neighbours are read, and both are of the tables.
  logic read_q;
  logic [Lanes*9-1:0] words_q;
  logic [Lanes-1:0] apart;
  logic [LutEntryBits-1:0] shadow_q[0:LutWords-1];  // the tables once more
  logic [LutWords-1:0] written_q;                   // entries that were written
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      read_q    <= 1'b0;
      written_q <= '0;
    end else begin
      if (read_i) read_q <= 1'b1;
      else if (data_req_i) read_q <= 1'b0;  // the entry may have changed
      if (change) written_q[word] <= 1'b1;
    end
  always_ff @(posedge clk_i) begin
    if (read_i) words_q <= word_i;
    if (change) shadow_q[word] <= wdata_i[15:0];
  end
  for (genvar l = 0; l < Lanes; l++) begin : gen_apart
    logic [8:0] at;
    assign at = words_q[l*9+:9];
    assign apart[l] = (written_q[at] && entries_o[l][LutEntryBits-1:0] != shadow_q[at]) ||
        (32'(at) + 1 < LutWords && written_q[at+9'd1] &&
        entries_o[l][2*LutEntryBits-1:LutEntryBits] != shadow_q[at+9'd1]);
  end
  `NVDLA_CHECK(EntriesOfTheWord, !read_q || data_req_i || apart == '0)
  `NVDLA_CHECK(AnswersOnlyWhenAsked, rdata_o == '0 || asked_q)
`endif
endmodule
