// Register window of a unit with two ping-pong groups.
//
// Words [0, FirstD) exist once: word 0 is S_STATUS, word 1 S_POINTER, the others are storage under WriteMask. Words [FirstD, Words)
// exist in both groups, word FirstD is D_OP_ENABLE. Reads and writes of them go to group PRODUCER; an armed group drops writes.
// Words with StatMask bits are status: cleared when their group is armed, loaded from stat_i at done_i.
//
// rdata_o answers in the clock after req_i and is 0 in all others, so that the answers of all units can be ORed.
// D_OP_ENABLE written in clock 0: armed in clock 1, run_o and d_o from clock 2 until done_i; the next armed layer's run_o rises
// two clocks after done_i. A write in the clock of done_i is dropped when it goes to the
// group that is being released, and counts when it goes to the other one.
// Spec: 10-system, section 6.
module nvdla_reg_group #(
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
    input  logic [                  9:0] addr_i,
    input  logic [                 31:0] wdata_i,
    output logic [                 31:0] rdata_o,
    output logic                         run_o,
    output logic                         group_o,
    output logic [(Words-FirstD)*32-1:0] d_o,
    input  logic                         done_i,
    input  logic [(Words-FirstD)*32-1:0] stat_i
);
  localparam int DBits = (Words - FirstD) * 32;
  localparam logic [DBits-1:0] DReset = Reset[Words*32-1:FirstD*32];
  localparam logic [DBits-1:0] DStat = StatMask[Words*32-1:FirstD*32];

  logic [FirstD*32-1:0] s_q;
  logic [DBits-1:0] group0_q, group1_q, layer_q;
  logic producer_q, consumer_q, run_q;
  logic [1:0] op_en_q;
  logic [31:0] rdata_q;

  logic is_d, write_s, write_d, arm, done;
  logic [31:0] s_status, s_pointer;
  logic [9:0] d_addr;

  assign is_d = addr_i >= 10'(FirstD);
  assign d_addr = addr_i - 10'(FirstD);
  assign write_s = req_i & write_i & ~is_d;
  assign write_d = req_i & write_i & is_d & (addr_i < 10'(Words)) & ~op_en_q[producer_q];
  assign arm = write_d & (d_addr == '0) & wdata_i[0];
  assign done = run_q & done_i;

  // 0 idle, 1 running (armed and selected), 2 pending (armed, the other group is selected).
  assign s_status = {14'b0, op_en_q[1] & ~consumer_q, op_en_q[1] & consumer_q, 14'b0, op_en_q[0] & consumer_q, op_en_q[0] & ~consumer_q};
  assign s_pointer = {15'b0, consumer_q, 15'b0, producer_q};

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      producer_q <= 1'b0;
      consumer_q <= 1'b0;
      op_en_q    <= '0;
      run_q      <= 1'b0;
      rdata_q    <= '0;
      s_q        <= Reset[FirstD*32-1:0];
      group0_q   <= DReset;
      group1_q   <= DReset;
    end else begin
      if (write_s) begin
        s_q[32'(addr_i)*32+:32] <= wdata_i & WriteMask[32'(addr_i)*32+:32];
        if (addr_i == 10'd1) producer_q <= wdata_i[0];
      end
      if (write_d) begin
        if (producer_q) group1_q[32'(d_addr)*32+:32] <= wdata_i & WriteMask[32'(addr_i)*32+:32];
        else group0_q[32'(d_addr)*32+:32] <= wdata_i & WriteMask[32'(addr_i)*32+:32];
      end
      if (arm) begin
        op_en_q[producer_q] <= 1'b1;
        if (producer_q) group1_q <= group1_q & ~DStat;
        else group0_q <= group0_q & ~DStat;
      end
      if (done) begin
        op_en_q[consumer_q] <= 1'b0;
        consumer_q          <= ~consumer_q;
        if (consumer_q) group1_q <= (group1_q & ~DStat) | (stat_i & DStat);
        else group0_q <= (group0_q & ~DStat) | (stat_i & DStat);
      end
      if (done) run_q <= 1'b0;
      else if (op_en_q[consumer_q]) run_q <= 1'b1;

      rdata_q <= '0;
      if (req_i && !write_i && addr_i < 10'(Words)) begin
        if (addr_i == 10'd0) rdata_q <= s_status;
        else if (addr_i == 10'd1) rdata_q <= s_pointer;
        else if (!is_d) rdata_q <= s_q[32'(addr_i)*32+:32];
        else if (d_addr == '0) rdata_q <= {31'b0, op_en_q[producer_q]};
        else if (producer_q) rdata_q <= group1_q[32'(d_addr)*32+:32];
        else rdata_q <= group0_q[32'(d_addr)*32+:32];
      end
    end

  always_ff @(posedge clk_i) if (!run_q && op_en_q[consumer_q]) layer_q <= consumer_q ? group1_q : group0_q;

  assign rdata_o = rdata_q;
  assign run_o   = run_q;
  assign group_o = consumer_q;
  assign d_o     = layer_q;
endmodule
