// Register window of a unit with two ping-pong groups.
//
// Words [0, FirstD) exist once: word 0 is S_STATUS, word 1 S_POINTER, the others are storage under WriteMask. Words
// [FirstD, Words) exist in both groups, word FirstD is D_OP_ENABLE. Reads and writes of them go to group PRODUCER; an
// armed group drops writes. Words with StatMask bits are status: cleared when their group is armed, loaded from stat_i
// at done_i.
//
// rdata_o answers in the clock after req_i and is 0 in all others, so that the answers of all units can be ORed.
// armed_o: a group is armed, running or waiting.
// D_OP_ENABLE written in clock 0: armed in clock 1, run_o and d_o from clock 2 until done_i; the next armed layer's
// run_o rises two clocks after done_i. A write in the clock of done_i is dropped when it goes to the group that is
// being released, and counts when it goes to the other one.
// Spec: 10-system, section 6.
`include "nvdla_check.svh"
module nvdla_reg_group
  import nvdla_pkg::*;
#(
    parameter int Words = 3,
    parameter int FirstD = 2,
    parameter logic [Words*32-1:0] WriteMask = '0,
    parameter logic [Words*32-1:0] Reset = '0,
    parameter logic [Words*32-1:0] StatMask = '0
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         req_i,
    input  logic                         write_i,
    input  logic [      CsbAddrBits-1:0] addr_i,
    input  logic [                 31:0] wdata_i,
    output logic [                 31:0] rdata_o,
    output logic                         run_o,
    output logic                         group_o,
    output logic                         armed_o,
    output logic [(Words-FirstD)*32-1:0] d_o,
    input  logic                         done_i,
    input  logic [(Words-FirstD)*32-1:0] stat_i
);
  localparam int DBits = (Words - FirstD) * 32;
  localparam int IndexBits = $clog2(Words);
  localparam logic [DBits-1:0] DStat = StatMask[Words*32-1:FirstD*32];

  // What was written since reset: a memory that the bus reads, one word for each group (single words use group 0's
  // place), and registers, all of which a layer takes at once. written*_q shows which ones; the others are at their
  // reset value.
  logic [31:0] mem_q[0:2**(IndexBits+1)-1];
  (* ram_style = "registers" *) logic [31:0] words0_q[0:2**IndexBits-1];
  (* ram_style = "registers" *) logic [31:0] words1_q[0:2**IndexBits-1];
  logic [Words-1:0] written0_q, written1_q;
  // Status of the last finished layer of a group, while stat_valid_q[group]; else 0.
  logic [DBits-1:0] stat0_q, stat1_q;
  logic [1:0] stat_valid_q;

  logic producer_q, consumer_q, run_q;
  logic [1:0] op_en_q;
  logic [DBits-1:0] layer_q;
  logic [31:0] rdata_q;

  logic in_window, is_d, group, store, done, start;
  logic [IndexBits-1:0] index, d_index;

  assign in_window = addr_i < CsbAddrBits'(Words);
  assign index = addr_i[IndexBits-1:0];
  assign d_index = index - IndexBits'(FirstD);
  assign is_d = addr_i >= CsbAddrBits'(FirstD);
  always_comb begin
    group = 1'b0;
    store = 1'b0;
    if (req_i) begin
      group = is_d & producer_q;
      store = write_i & in_window & ~(is_d & op_en_q[producer_q]);
    end
  end
  assign done = run_q & done_i;
  assign start = ~run_q & op_en_q[consumer_q];

  // All D words of a group.
  function automatic logic [DBits-1:0] group_words(input logic which);
    logic [DBits-1:0] words;
    for (int i = FirstD; i < Words; i++) begin
      if (which ? written1_q[i] : written0_q[i])
        words[(i-FirstD)*32+:32] = (which ? words1_q[i] : words0_q[i]) & WriteMask[i*32+:32];
      else words[(i-FirstD)*32+:32] = Reset[i*32+:32];
    end
    group_words = words;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      producer_q   <= 1'b0;
      consumer_q   <= 1'b0;
      op_en_q      <= '0;
      stat_valid_q <= '0;
      run_q        <= 1'b0;
      rdata_q      <= '0;
      written0_q   <= '0;
      written1_q   <= '0;
    end else begin
      if (store) begin
        if (group) written1_q[index] <= 1'b1;
        else written0_q[index] <= 1'b1;
        if (addr_i == CsbAddrBits'(1)) producer_q <= wdata_i[0];
        if (addr_i == CsbAddrBits'(FirstD) && wdata_i[0]) begin
          op_en_q[producer_q]      <= 1'b1;
          stat_valid_q[producer_q] <= 1'b0;
        end
      end
      if (done) begin
        op_en_q[consumer_q]      <= 1'b0;
        stat_valid_q[consumer_q] <= 1'b1;
        consumer_q               <= ~consumer_q;
      end
      if (done) run_q <= 1'b0;
      else if (start) run_q <= 1'b1;

      rdata_q <= '0;
      if (req_i) if (!write_i && in_window) begin
        // S_STATUS: 0 idle, 1 running (armed and selected), 2 pending (armed, the other group is selected).
        if (addr_i == CsbAddrBits'(0))
          rdata_q <= {14'b0, op_en_q[1] & ~consumer_q, op_en_q[1] & consumer_q, 14'b0, op_en_q[0] & consumer_q,
              op_en_q[0] & ~consumer_q};
        else if (addr_i == CsbAddrBits'(1)) rdata_q <= {15'b0, consumer_q, 15'b0, producer_q};
        else if (addr_i == CsbAddrBits'(FirstD)) rdata_q <= {31'b0, op_en_q[producer_q]};
        else if (StatMask[32'(index)*32+:32] != '0)
          rdata_q <= !stat_valid_q[producer_q] ? '0 : producer_q ? stat1_q[32'(d_index)*32+:32] :
              stat0_q[32'(d_index)*32+:32];
        else if (group ? written1_q[index] : written0_q[index]) rdata_q <= mem_q[{group, index}];
        else rdata_q <= Reset[32'(index)*32+:32];
      end
    end

  always_ff @(posedge clk_i) begin
    if (store) begin
      mem_q[{group, index}] <= wdata_i & WriteMask[32'(index)*32+:32];
      if (group) words1_q[index] <= wdata_i;
      else words0_q[index] <= wdata_i;
    end
    if (start) layer_q <= group_words(consumer_q);
    if (done) begin
      if (consumer_q) stat1_q <= stat_i & DStat;
      else stat0_q <= stat_i & DStat;
    end
  end

  assign rdata_o = rdata_q;
  assign run_o   = run_q;
  assign group_o = consumer_q;
  assign armed_o = op_en_q != '0;
  assign d_o     = layer_q;

  `NVDLA_LAYER(start, done)
  `NVDLA_PARAM(WordsLegal, FirstD >= 2 && FirstD < Words && Words <= 1024)

`ifdef NVDLA_CHECKS
  // The groups as software sees them: armed by its writes, run in turn, released by done_i.
  logic asked_q, turn_q, producer_seen_q, run_before_q;
  logic [1:0] armed_q;
  logic [DBits-1:0] d_before_q;
  int waits_q;
  logic pointer_write, arms;
  assign pointer_write = req_i && write_i && addr_i == CsbAddrBits'(1);
  assign arms = req_i && write_i && addr_i == CsbAddrBits'(FirstD) && wdata_i[0] && !armed_q[producer_seen_q];

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      asked_q         <= 1'b0;
      turn_q          <= 1'b0;
      producer_seen_q <= 1'b0;
      armed_q         <= '0;
      run_before_q    <= 1'b0;
      waits_q         <= 0;
    end else begin
      asked_q <= req_i && !write_i;
      if (pointer_write) producer_seen_q <= wdata_i[0];
      if (arms) armed_q[producer_seen_q] <= 1'b1;
      if (run_o && done_i) begin
        armed_q[turn_q] <= 1'b0;
        turn_q          <= ~turn_q;
      end
      run_before_q <= run_o && !done_i;
      waits_q      <= (armed_q[turn_q] && !run_o) ? waits_q + 1 : 0;
    end

  always_ff @(posedge clk_i) d_before_q <= d_o;

  `NVDLA_CHECK(AnswersOnlyWhenAsked, rdata_o == '0 || asked_q)
  `NVDLA_CHECK(RunsOnlyArmedGroup, !run_o || armed_q[turn_q])
  `NVDLA_CHECK(ArmedBySoftwareOnly, op_en_q == armed_q)
  `NVDLA_CHECK(GroupsTakeTurns, group_o == turn_q)
  `NVDLA_CHECK(ArmedGroupRuns, waits_q <= 1)
  `NVDLA_CHECK(RunsUntilDone, !run_before_q || run_o)
  `NVDLA_CHECK(DoneOnlyWhileRunning, !done_i || run_o)
  `NVDLA_CHECK(LayerStaysWhileRunning, !run_before_q || d_o == d_before_q)
`endif
endmodule
