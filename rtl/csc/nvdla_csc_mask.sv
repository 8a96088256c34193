// Mask reader of compressed weights (WMB): one cell's block of mask bits per clock, in lane order, and how many of them
// are set.
//
// It takes the same operations as the weight reader and runs ahead of it. stream_i as in nvdla_csc_stream. The ring is
// the last bank of CBUF.
// Stream out: valid_o/ready_i, bit i of mask_o = element i of the block is in the weight stream; bits after the block
// are 0. Latency 3 clocks.
// Spec: 40-convolution-core, sections 4.5 and 6; 20-data-formats, section 6.
`include "nvdla_check.svh"
module nvdla_csc_mask
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  conv_stream_t              stream_i,
    // Operations.
    input  logic                      op_valid_i,
    output logic                      op_ready_o,
    input  conv_mask_op_t             op_i,
    // CBUF.
    output logic                      rd_valid_o,
    output logic [  CbufAddrBits-1:0] rd_addr_o,
    input  logic [     EntryBits-1:0] rd_data_i,
    // Release.
    output logic                      rl_valid_o,
    output logic [EntryCountBits-1:0] rl_entries_o,
    // Masks.
    output logic                      valid_o,
    input  logic                      ready_i,
    output logic [    EntryBytes-1:0] mask_o,
    output logic [    ConvByteBits:0] count_o
);
  localparam int Depth = 4;
  localparam int CountBits = $clog2(Depth + 1);

  logic [ConvKernelBits-1:0] cell_q;
  logic [CountBits-1:0] reserved_q;
  logic [ConvByteBits:0] elements;
  logic issue, first, last, pop;
  assign elements = last ? op_i.elements_last : op_i.elements;
  assign issue = op_valid_i && reserved_q != CountBits'(Depth);
  assign first = cell_q == '0 && op_i.stripe_first;
  assign last = cell_q == op_i.cells;
  assign op_ready_o = issue && last;
  assign pop = valid_o && ready_i;

  logic valid_q;
  logic [ConvByteBits:0] elements_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      cell_q     <= '0;
      reserved_q <= '0;
      valid_q    <= 1'b0;
    end else begin
      if (issue) cell_q <= last ? '0 : cell_q + 1'b1;
      if (issue != pop) reserved_q <= issue ? reserved_q + 1'b1 : reserved_q - 1'b1;
      valid_q <= issue;
    end

  always_ff @(posedge clk_i) if (issue) elements_q <= elements;

  logic [EntryBits-1:0] word;

  nvdla_csc_stream #(
      .Unit(1)
  ) u_stream (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .stream_i    (stream_i),
      .base_i      (CbufAddrBits'(CbufEntries - BankEntries)),
      .ring_i      (EntryCountBits'(BankEntries)),
      .issue_i     (issue),
      .units_i     (elements),
      .first_i     (first),
      .again_i     (first && !op_i.group_first),
      .group_last_i(last && op_i.group_end),
      .word_o      (word),
      .rd_valid_o  (rd_valid_o),
      .rd_addr_o   (rd_addr_o),
      .rd_data_i   (rd_data_i),
      .rl_valid_o  (rl_valid_o),
      .rl_entries_o(rl_entries_o)
  );
  wire unused_word = &{1'b0, word[EntryBits-1:EntryBytes]};

  logic [EntryBytes-1:0] mask;
  logic [ConvByteBits:0] count;
  always_comb begin
    mask  = '0;
    count = '0;
    if (valid_q) begin
      mask = word[EntryBytes-1:0] & ~({EntryBytes{1'b1}} << elements_q);
      count = (ConvByteBits + 1)'($countones(mask));
    end
  end

  logic queue_ready;  // always, by the places that are reserved
  wire unused_ready = &{1'b0, queue_ready};
  nvdla_fifo #(
      .Width(ConvByteBits + 1 + EntryBytes),
      .Depth(Depth)
  ) u_masks (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .in_valid_i (valid_q),
      .in_ready_o (queue_ready),
      .in_data_i  ({count, mask}),
      .out_valid_o(valid_o),
      .out_ready_i(ready_i),
      .out_data_o ({count_o, mask_o})
  );

  `NVDLA_STABLE(OperationStable, op_valid_i, op_ready_o, op_i)
  `NVDLA_STABLE(MaskStable, valid_o, ready_i, {count_o, mask_o})
  `NVDLA_CHECK(RoomForTheMask, !valid_q || queue_ready)
  `NVDLA_CHECK(CountIsThatOfTheMask, !valid_o || 32'(count_o) == $countones(mask_o))
  // Places of the queue: masks whose read has begun and that have not left.
  `NVDLA_BALANCE(Places, Depth, issue, 1, valid_o && ready_i, 1)
`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(PlacesAddUp, 32'(reserved_q) == Places.level_q)
`endif
endmodule
