// Weight reader: unpacks the weight stream of CBUF into one kernel's block per clock, in lane order.
//
// The stream has no alignment: a block of 1 .. AtomicC bytes begins at any byte of an entry. What is left of the last entry read stays
// in a register, so one entry a block is enough; kernels are available when their last entry is complete. Every stripe of a group reads the group's weights again: position and rest at the
// group's begin are kept (the entry may be released already).
// Lanes outside the block are 0. With more than one kernel row in an operation (rows_i 2 or 4) row j goes to lanes from j*AtomicC/rows_i on.
//
// start_i begins a layer at the next entry boundary; with keep_i the read pointer returns to the layer's begin at finish_i. advance_i
// moves it over kept weights that are given back, clear_i to 0. rl_*: entries first touched by the group that ended, one clock per group.
// Stream out: one block a clock, valid_o/ready_i, kernel_o = cell, last_o = last kernel of the operation. Latency 2 clocks.
// Spec: 40-convolution-core, sections 3.2, 4.4, 5 and 6.
module nvdla_csc_weight
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      start_i,
    input  logic                      finish_i,
    input  logic                      keep_i,
    input  logic                      clear_i,
    input  logic                      advance_i,
    input  logic [ConvEntryCount-1:0] advance_entries_i,
    // Layer.
    input  logic [               2:0] rows_i,
    input  logic [  CbufAddrBits-1:0] base_i,           // first entry of the weight banks
    input  logic [ConvEntryCount-1:0] ring_i,           // entries of the weight banks
    // Operations.
    input  logic                      op_valid_i,
    output logic                      op_ready_o,
    input  logic [ConvKernelBits-1:0] op_kernels_i,     // minus 1
    input  logic [    ConvLaneBits:0] op_channels_i,
    input  logic [               2:0] op_rows_i,
    input  logic                      op_stripe_first_i,
    input  logic                      op_group_first_i,
    input  logic                      op_group_end_i,
    // CBUF.
    output logic                      rd_valid_o,
    output logic [  CbufAddrBits-1:0] rd_addr_o,
    input  logic [     EntryBits-1:0] rd_data_i,
    // Release.
    output logic                      rl_valid_o,
    output logic [ConvEntryCount-1:0] rl_entries_o,
    // Weights.
    output logic                      valid_o,
    input  logic                      ready_i,
    output logic                      last_o,
    output logic [ConvKernelBits-1:0] kernel_o,
    output logic [     EntryBits-1:0] data_o
);
  localparam int Depth = 8;
  localparam int PtrBits = $clog2(Depth);
  localparam int InfoBits = 1 + ConvKernelBits;
  localparam int ShiftBits = ConvLaneBits + 4;  // shift amounts up to EntryBits

  // ---- position in the stream ---------------------------------------------------------------------------------------------------
  logic [ConvEntryCount-1:0] ptr_q, layer_ptr_q, group_ptr_q, touched_q, ptr, touched;
  logic [ConvLaneBits-1:0] rest_q, group_rest_q, rest;  // bytes left of the last entry read
  logic [ConvKernelBits-1:0] kernel_q;
  logic [ConvLaneBits+2:0] bytes_all;
  logic [ConvLaneBits:0] bytes, over;
  logic [PtrBits:0] reserved_q;
  logic first, again, issue, read, last, pop;

  // Blocks beyond an entry are illegal; they are cut.
  assign bytes_all = {2'b0, op_channels_i} + (op_rows_i > 3'd1 ? {2'b0, op_channels_i} : '0)
      + (op_rows_i > 3'd2 ? {2'b0, op_channels_i} : '0) + (op_rows_i > 3'd3 ? {2'b0, op_channels_i} : '0);
  assign bytes = bytes_all > (ConvLaneBits + 3)'(AtomicC) ? (ConvLaneBits + 1)'(AtomicC) : bytes_all[ConvLaneBits:0];

  assign issue = op_valid_i && !reserved_q[PtrBits];
  assign first = kernel_q == '0 && op_stripe_first_i;
  assign again = first && !op_group_first_i;
  assign last = kernel_q == op_kernels_i;
  assign op_ready_o = issue && last;
  assign ptr = again ? group_ptr_q : ptr_q;
  assign rest = again ? group_rest_q : rest_q;
  assign touched = (first ? '0 : touched_q) + ConvEntryCount'(read);
  assign read = {1'b0, rest} < bytes;
  assign over = bytes - {1'b0, rest};  // bytes taken from the entry that is read
  assign rd_valid_o = issue && read;
  assign rd_addr_o = base_i + ptr[CbufAddrBits-1:0];
  assign pop = valid_o && ready_i;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      ptr_q      <= '0;
      kernel_q   <= '0;
      reserved_q <= '0;
      rl_valid_o <= 1'b0;
    end else begin
      if (clear_i) ptr_q <= '0;
      else if (advance_i) ptr_q <= conv_ring({1'b0, ptr_q} + {1'b0, advance_entries_i}, ring_i);
      else if (finish_i && keep_i) ptr_q <= layer_ptr_q;
      else if (issue) ptr_q <= read ? conv_ring({1'b0, ptr} + (ConvEntryCount + 1)'(1), ring_i) : ptr;
      if (issue) kernel_q <= last ? '0 : kernel_q + 1'b1;
      if (issue != pop) reserved_q <= issue ? reserved_q + 1'b1 : reserved_q - 1'b1;
      rl_valid_o <= issue && last && op_group_end_i && !keep_i;
    end

  always_ff @(posedge clk_i)
    if (start_i) begin
      layer_ptr_q <= ptr_q;
      rest_q      <= '0;
    end else if (issue) begin
      touched_q    <= touched;
      rl_entries_o <= touched;
      rest_q       <= read ? ConvLaneBits'(AtomicC - 32'(over)) : ConvLaneBits'({1'b0, rest} - bytes);
      if (first && !again) begin
        group_ptr_q  <= ptr_q;
        group_rest_q <= rest_q;
      end
    end

  // ---- data, one clock later ----------------------------------------------------------------------------------------------------
  logic valid_q, read_q, save_q, again_q, last_q;
  logic [ConvKernelBits-1:0] index_q;
  logic [ConvLaneBits-1:0] at_q;
  logic [ConvLaneBits:0] bytes_q, over_q, channels_q;
  logic [EntryBits-1:0] rest_data_q, group_data_q, rest_data, word, lanes;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= issue;

  always_ff @(posedge clk_i)
    if (issue) begin
      read_q     <= read;
      save_q     <= first && !again;
      again_q    <= again;
      last_q     <= last;
      index_q    <= kernel_q;
      at_q       <= rest;
      bytes_q    <= bytes;
      over_q     <= over;
      channels_q <= op_channels_i;
    end

  // Bytes of the rest above its length are 0, so that the next entry can be ORed in.
  assign rest_data = again_q ? group_data_q : rest_data_q;

  always_comb begin
    logic [EntryBits-1:0] mask, part;
    word = rest_data;
    lanes = '0;
    mask = '0;
    part = '0;
    if (valid_q) begin
      if (read_q) word = rest_data | (rd_data_i << ShiftBits'({at_q, 3'b0}));
      mask = ~({EntryBits{1'b1}} << ShiftBits'({channels_q, 3'b0}));
      if (rows_i == 3'd1) lanes = word & mask;
      else begin
        word = word & ~({EntryBits{1'b1}} << ShiftBits'({bytes_q, 3'b0}));
        part = word;
        for (int j = 0; j < 4; j++) begin
          lanes = lanes | ((part & mask) << (rows_i == 3'd2 ? j * (EntryBits / 2) : j * (EntryBits / 4)));
          part  = part >> ShiftBits'({channels_q, 3'b0});
        end
      end
    end
  end

  always_ff @(posedge clk_i)
    if (start_i) rest_data_q <= '0;
    else if (valid_q) begin
      rest_data_q <= read_q ? rd_data_i >> ShiftBits'({over_q, 3'b0}) : rest_data >> ShiftBits'({bytes_q, 3'b0});
      if (save_q) group_data_q <= rest_data;
    end

  // ---- queue --------------------------------------------------------------------------------------------------------------------
  logic [EntryBits-1:0] data_mem_q[0:Depth-1];
  logic [InfoBits-1:0] info_mem_q[0:Depth-1];
  logic [PtrBits-1:0] wr_q, rd_q;
  logic [PtrBits:0] count_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      wr_q    <= '0;
      rd_q    <= '0;
      count_q <= '0;
    end else begin
      if (valid_q) wr_q <= wr_q + 1'b1;
      if (pop) rd_q <= rd_q + 1'b1;
      if (valid_q != pop) count_q <= valid_q ? count_q + 1'b1 : count_q - 1'b1;
    end

  always_ff @(posedge clk_i)
    if (valid_q) begin
      data_mem_q[wr_q] <= lanes;
      info_mem_q[wr_q] <= {last_q, index_q};
    end

  assign valid_o = count_q != '0;
  assign {last_o, kernel_o} = info_mem_q[rd_q];
  assign data_o = data_mem_q[rd_q];
endmodule
