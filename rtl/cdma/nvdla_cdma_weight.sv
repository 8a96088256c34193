// Weight fetch, uncompressed: reads the weight surface into the weight ring of CBUF and reports kernel groups to CSC.
//
// WEIGHT_BYTES (rounded up to atoms) are read linearly, at most 8 aligned atoms a request and never more than is free in the ring. They
// follow each other in the ring from an entry's start on; a last entry that is not full ends with zeros.
// Group i of AtomicK kernels is reported when (i + 1) * AtomicK * BYTE_PER_KERNEL bytes and the rest of their last entry are in CBUF (CSC
// reads an entry once and keeps its rest), the last one when all are. A report carries the kernels of the group and the complete entries
// not reported yet.
// start_i, one clock with d_i valid, begins a layer; d_i, ring_i (entries) and first_i (the ring's first entry in CBUF) stay. done_o rises
// with the last report and stays until start_i. clear_i empties the ring (handshake of changed banks); releases count at any time.
// From response to wr_valid_o 1 clock, to the report 2 clocks. start_i to first request: 2 clocks. wr_* and up_* are registers.
// Spec: 30-cdma-cbuf, sections 4.2 and 8.1; 20-data-formats, section 9.
module nvdla_cdma_weight
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    start_i,
    input  logic                    clear_i,
    input  cdma_d_t                 d_i,
    input  logic [            14:0] ring_i,
    input  logic [            14:0] first_i,
    output logic                    done_o,
    output logic                    req_valid_o,
    input  logic                    req_ready_i,
    output logic [    AddrBits-1:0] req_addr_o,
    output logic [            15:0] req_size_o,    // atoms - 1
    input  logic                    rsp_valid_i,
    input  logic [    AtomBits-1:0] rsp_data_i,
    output logic                    wr_valid_o,
    output logic [CbufAddrBits-1:0] wr_addr_o,
    output logic [    SlotBits-1:0] wr_slot_o,
    output logic                    wr_clear_o,
    output logic [    AtomBits-1:0] wr_data_o,
    output logic                    up_valid_o,
    output logic [            13:0] up_kernels_o,
    output logic [            14:0] up_entries_o,
    input  logic                    rl_valid_i,
    input  logic [            14:0] rl_entries_i
);
  localparam logic [AddrBits-1:0] AtomMask = ~(AddrBits'(MemAtom) - 1'b1);
  localparam logic [13:0] GroupKernels = 14'(AtomicK);
  localparam int FillBits = 15 + SlotShift;  // atoms of the ring
  localparam int ChunkShift = 3;             // atoms of a request, and their alignment, as a power of two

  wire unused_d = &{1'b0, d_i};

  logic [AddrBits-1:0] base;
  logic [32:0] bytes_up;
  logic [31:0] total;  // atoms
  assign base     = AddrBits'({d_i.weight_addr_high, d_i.weight_addr_low}) & AtomMask;
  assign bytes_up = {1'b0, d_i.weight_bytes} + 33'(MemAtom - 1);
  assign total    = 32'(bytes_up >> AtomShift);

  // ---- requests --------------------------------------------------------------------------------------------------------------
  logic [31:0] todo_q;             // atoms not requested
  logic [FillBits-1:0] used_q;     // atoms of the ring requested or stored, and not released
  logic [AddrBits-1:0] addr_q;
  logic req_valid_q;
  logic [AddrBits-1:0] req_addr_q;
  logic [ChunkShift:0] req_size_q;
  logic prepare;
  logic [FillBits-1:0] free;
  logic [ChunkShift:0] chunk, aligned;
  logic [FillBits-1:0] taken, released, fill;

  assign req_valid_o = req_valid_q;
  assign req_addr_o  = req_addr_q;
  assign req_size_o  = 16'(req_size_q);
  assign free        = FillBits'(32'(ring_i) << SlotShift) - used_q;
  assign prepare     = (todo_q != 32'd0) & (free != '0) & (~req_valid_q | req_ready_i);
  assign aligned     = {1'b1, {ChunkShift{1'b0}}} - {1'b0, addr_q[AtomShift+:ChunkShift]};
  always_comb begin
    chunk = aligned;
    if (32'(chunk) > todo_q) chunk = todo_q[ChunkShift:0];
    if (32'(chunk) > 32'(free)) chunk = (ChunkShift + 1)'(free);
  end
  // The last request also takes the rest of the last entry.
  assign fill     = FillBits'(32'(0 - total) & (Slots - 1));
  assign taken    = FillBits'(chunk) + ((32'(chunk) == todo_q) ? fill : '0);
  assign released = FillBits'(32'(rl_entries_i) << SlotShift);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      todo_q      <= '0;
      used_q      <= '0;
      req_valid_q <= 1'b0;
    end else begin
      if (start_i) todo_q <= total;
      else if (prepare) todo_q <= todo_q - 32'(chunk);
      if (prepare) req_valid_q <= 1'b1;
      else if (req_ready_i) req_valid_q <= 1'b0;
      if (clear_i) used_q <= '0;
      else if (prepare || rl_valid_i) used_q <= used_q + (prepare ? taken : '0) - (rl_valid_i ? released : '0);
    end

  always_ff @(posedge clk_i)
    if (start_i) addr_q <= base;
    else if (prepare) begin
      addr_q     <= addr_q + (AddrBits'(chunk) << AtomShift);
      req_addr_q <= addr_q;
      req_size_q <= chunk - 1'b1;
    end

  // ---- writes ----------------------------------------------------------------------------------------------------------------
  logic [31:0] missing_q;    // atoms not written
  logic [14:0] entry_q;      // ring entry of the next atom
  logic [SlotBits-1:0] slot_q;
  logic [14:0] stored_q;     // complete entries not reported
  logic [32:0] written_q;    // bytes of complete entries
  logic last_atom, entry_end, report;
  logic [14:0] wr_entry;

  assign last_atom = missing_q == 32'd1;
  assign entry_end = last_atom | (32'(slot_q) == Slots - 1);
  assign wr_entry  = first_i + entry_q;
  wire unused_wr_entry = &{1'b0, wr_entry};

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      wr_valid_o <= 1'b0;
      entry_q    <= '0;
      slot_q     <= '0;
    end else begin
      wr_valid_o <= rsp_valid_i;
      if (clear_i) entry_q <= '0;
      else if (rsp_valid_i && entry_end) entry_q <= ring_add(entry_q, 15'd1, ring_i);
      if (rsp_valid_i) slot_q <= entry_end ? '0 : slot_q + 1'b1;
    end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      missing_q <= total;
      written_q <= '0;
    end else if (rsp_valid_i) begin
      missing_q  <= missing_q - 32'd1;
      if (entry_end) written_q <= written_q + 33'(CbufBankBytes);
      wr_addr_o  <= wr_entry[CbufAddrBits-1:0];
      wr_slot_o  <= slot_q;
      wr_clear_o <= last_atom;
      wr_data_o  <= rsp_data_i;
    end
    if (start_i || report || rsp_valid_i) stored_q <= ((start_i || report) ? '0 : stored_q) + {14'd0, rsp_valid_i & entry_end};
  end

  // ---- reports ---------------------------------------------------------------------------------------------------------------
  logic [13:0] kernels_q;    // not reported
  logic [32:0] threshold_q;  // bytes that complete the group
  logic [32:0] group_bytes;
  logic last_group;
  assign group_bytes = (33'(d_i.byte_per_kernel) + 33'd1) * 33'(AtomicK);
  assign last_group  = kernels_q <= GroupKernels;
  assign report      = (kernels_q != '0) & (last_group ? missing_q == 32'd0 : written_q >= threshold_q);
  assign done_o      = kernels_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      kernels_q  <= '0;
      up_valid_o <= 1'b0;
    end else begin
      up_valid_o <= report;
      if (start_i) kernels_q <= 14'(d_i.weight_kernel) + 14'd1;
      else if (report) kernels_q <= last_group ? '0 : kernels_q - GroupKernels;
    end

  always_ff @(posedge clk_i)
    if (start_i) threshold_q <= group_bytes;
    else if (report) begin
      threshold_q  <= threshold_q + group_bytes;
      up_kernels_o <= last_group ? kernels_q : GroupKernels;
      up_entries_o <= stored_q;
    end
endmodule
