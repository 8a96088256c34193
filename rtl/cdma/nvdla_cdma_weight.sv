// Weight fetch: reads the weight surface into the weight ring of CBUF and reports kernel groups to CSC.
//
// A group is AtomicK kernels, with elements of 16 bits (wide_i) half of them. Group i is reported when the bytes of i +
// 1 groups and the rest of their last entry are in CBUF (CSC reads an entry once and keeps its rest), the last one when
// all are. A report carries the kernels of the group and the complete entries not reported yet.
// Compressed weights (WEIGHT_FORMAT, where the configuration has them) are three surfaces: group sizes (WGS), mask bits
// (WMB) into the ring of the last bank, and the bytes that are not zero. Group i is reported when its mask bits and the
// bytes of groups 0 .. i are in CBUF. Requests for group sizes go first; weights and mask bits share the port by
// arb_weight_i + 1 and arb_mask_i + 1 grants. start_i, one clock with the layer's registers valid, begins a layer;
// they, ring_i (entries) and first_i (the ring's first entry in CBUF) stay. done_o rises with the last report and stays
// until start_i. clear_i empties the rings (handshake of changed banks); releases count at any time. With fp16_i NaN
// and infinity among the weights are counted from start_i on, and with flush_i NaN becomes +0.
// A clock brings an atom, or where CbufWrAtoms is 2 atoms 2k and 2k + 1 of a request. From response to wr_valid_o 1
// clock, to the report 2 clocks. start_i to first request: 2 clocks. wr_* and up_* are registers.
// Spec: 30-cdma-cbuf, sections 4.2 and 8; 20-data-formats, sections 6 and 9.
`include "nvdla_check.svh"
module nvdla_cdma_weight
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic                                start_i,
    input  logic                                clear_i,
    input  logic                                count_clear_i,  // a layer begins, with or without fetch
    input  logic                                wide_i,
    input  logic                                fp16_i,
    input  logic                                flush_i,
    input  logic                                weight_format_i,
    input  logic [                        17:0] byte_per_kernel_i,
    input  logic [                        12:0] weight_kernel_i,
    input  logic [                AddrBits-1:0] weight_addr_i,
    input  logic [                        31:0] weight_bytes_i,
    input  logic [                AddrBits-1:0] wgs_addr_i,
    input  logic [                AddrBits-1:0] wmb_addr_i,
    input  logic [                        27:0] wmb_bytes_i,
    input  logic [                         3:0] arb_weight_i,
    input  logic [                         3:0] arb_mask_i,
    input  logic [          EntryCountBits-1:0] ring_i,
    input  logic [          EntryCountBits-1:0] first_i,
    output logic                                done_o,
    output logic                                req_valid_o,
    input  logic                                req_ready_i,
    output logic [                AddrBits-1:0] req_addr_o,
    output logic [                        15:0] req_size_o,  // atoms - 1
    input  logic                                rsp_valid_i,
    input  logic [    CbufWrAtoms*AtomBits-1:0] rsp_data_i,
    output logic [             CbufWrAtoms-1:0] wr_valid_o,
    output logic                                wr_mask_o,  // it is mask bits
    output logic [CbufWrAtoms*CbufAddrBits-1:0] wr_addr_o,
    output logic [    CbufWrAtoms*SlotBits-1:0] wr_slot_o,
    output logic [             CbufWrAtoms-1:0] wr_clear_o,
    output logic [    CbufWrAtoms*AtomBits-1:0] wr_data_o,
    output logic [                        31:0] nan_o,
    output logic [                        31:0] infinity_o,
    output logic                                up_valid_o,
    output logic [                SizeBits-1:0] up_kernels_o,
    output logic [          EntryCountBits-1:0] up_entries_o,
    input  logic                                rl_valid_i,
    input  logic [          EntryCountBits-1:0] rl_entries_i,
    input  logic                                mask_rl_valid_i,
    input  logic [          EntryCountBits-1:0] mask_rl_entries_i
);
  localparam logic [AddrBits-1:0] AtomMask = ~(AddrBits'(MemAtom) - 1'b1);

  logic report;

  // ---- surfaces -----------------------------------------------------------------------------------------------------
  logic wt_req, wt_take, wt_rsp, wt_complete, two;
  logic [CbufWrAtoms-1:0] wt_clear;
  logic [AddrBits-1:0] wt_addr;
  logic [3:0] wt_atoms;
  logic [CbufWrAtoms*CbufAddrBits-1:0] wt_wr_addr;
  logic [CbufWrAtoms*SlotBits-1:0] wt_slot;
  logic [32:0] wt_written;
  logic [EntryCountBits-1:0] wt_stored;

  nvdla_cdma_stream u_weights (
      .clk_i,
      .rst_ni,
      .start_i,
      .clear_i,
      .enable_i   (1'b1),
      .base_i     (weight_addr_i & AtomMask),
      .bytes_i    (weight_bytes_i),
      .ring_i,
      .first_i,
      .req_valid_o(wt_req),
      .take_i     (wt_take),
      .req_addr_o (wt_addr),
      .req_atoms_o(wt_atoms),
      .rsp_valid_i(wt_rsp),
      .rsp_two_i  (two),
      .wr_addr_o  (wt_wr_addr),
      .wr_slot_o  (wt_slot),
      .wr_clear_o (wt_clear),
      .written_o  (wt_written),
      .complete_o (wt_complete),
      .stored_o   (wt_stored),
      .report_i   (report),
      .rl_valid_i,
      .rl_entries_i
  );

  // The next request: its source, address and atoms; where the next atom goes; whether what compression adds is there
  // for a group.
  localparam logic [1:0] Weights = 2'd0, Masks = 2'd1, Sizes = 2'd2;
  logic prepare, source_valid, mask_rsp, group_ready, record_ready;
  logic [1:0] source, arriving;
  logic [AddrBits-1:0] source_addr;
  logic [3:0] source_atoms;
  logic [CbufWrAtoms*CbufAddrBits-1:0] target_addr;
  logic [CbufWrAtoms*SlotBits-1:0] target_slot;
  logic [CbufWrAtoms-1:0] target_clear;
  logic complete;

  // ---- reports: bytes (compressed: mask bits) that complete a group -------------------------------------------------
  logic [SizeBits-1:0] kernels_q;  // not reported
  logic [32:0] threshold_q;
  logic [32:0] group_bytes;
  logic last_group, wide, whole_atoms;
  logic [SizeBits-1:0] group_kernels;
  assign wide          = LaneBytes == 2 && wide_i;
  assign group_kernels = wide ? SizeBits'(AtomicK / 2) : SizeBits'(AtomicK);
  assign group_bytes   = (33'(byte_per_kernel_i) + 33'd1) << $clog2(AtomicK) >> wide;
  assign last_group    = kernels_q <= group_kernels;
  // As NVIDIA's, an RTL with atoms of 8 bytes waits for the rest of an atom that is not read.
  assign whole_atoms   = MemAtom != 8 || weight_bytes_i[2:0] == 3'd0;
  assign report      = (kernels_q != '0) & (last_group ? complete & whole_atoms : group_ready);
  assign done_o      = kernels_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      kernels_q  <= '0;
      up_valid_o <= 1'b0;
    end else begin
      up_valid_o <= report;
      if (start_i) kernels_q <= SizeBits'(weight_kernel_i) + 1'b1;
      else if (report) kernels_q <= last_group ? '0 : kernels_q - group_kernels;
    end

  always_ff @(posedge clk_i)
    if (start_i) threshold_q <= group_bytes;
    else if (report) begin
      threshold_q  <= threshold_q + group_bytes;
      up_kernels_o <= last_group ? kernels_q : group_kernels;
      up_entries_o <= wt_stored;
    end

  // ---- one port for all surfaces ------------------------------------------------------------------------------------
  logic req_valid_q;
  logic [AddrBits-1:0] req_addr_q;
  logic [3:0] req_size_q;
  logic [CbufWrAtoms*AtomBits-1:0] clean_data;  // without NaN, where they are flushed
  assign req_valid_o = req_valid_q;
  assign req_addr_o  = req_addr_q;
  assign req_size_o  = 16'(req_size_q);
  assign prepare     = source_valid & (~req_valid_q | req_ready_i);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      req_valid_q <= 1'b0;
      wr_valid_o  <= '0;
    end else begin
      if (prepare) req_valid_q <= 1'b1;
      else if (req_ready_i) req_valid_q <= 1'b0;
      wr_valid_o <= !(wt_rsp | mask_rsp) ? '0 : two ? '1 : CbufWrAtoms'(1);
    end

  always_ff @(posedge clk_i) begin
    if (prepare) begin
      req_addr_q <= source_addr;
      req_size_q <= source_atoms - 4'd1;
    end
    if (wt_rsp || mask_rsp) begin
      wr_addr_o  <= target_addr;
      wr_slot_o  <= target_slot;
      wr_clear_o <= target_clear;
      wr_mask_o  <= mask_rsp;
      wr_data_o  <= clean_data;
    end
  end

  // ---- NaN and infinity ---------------------------------------------------------------------------------------------
  if (Fp16 != 0) begin : gen_specials
    logic [Halves-1:0] all_lanes;
    assign all_lanes = '1;
    always_comb begin
      clean_data = rsp_data_i;
      if (wt_rsp && fp16_i && flush_i) clean_data = without_nans(rsp_data_i, nan_lanes(rsp_data_i));
    end
    nvdla_cdma_specials u_specials (
        .clk_i,
        .rst_ni,
        .clear_i(count_clear_i),
        .valid_i(wt_rsp & fp16_i),
        .lanes_i(all_lanes),
        .data_i (rsp_data_i),
        .nan_o,
        .infinity_o
    );
  end else begin : gen_no_specials
    assign clean_data = rsp_data_i;
    assign nan_o      = '0;
    assign infinity_o = '0;
    wire unused_specials = &{1'b0, count_clear_i, wide_i, fp16_i, flush_i};
  end

  if (WeightCompression != 0) begin : gen_compressed
    localparam int GroupShift = $clog2(AtomicK);

    logic compressed, masks_next;
    logic [CbufWrAtoms-1:0] mask_clear;
    logic mask_req, mask_take, mask_complete, size_req, size_take, size_valid;
    logic [AddrBits-1:0] mask_addr, size_addr;
    logic [3:0] mask_atoms;
    logic [CbufWrAtoms*CbufAddrBits-1:0] mask_wr_addr;
    logic [CbufWrAtoms*SlotBits-1:0] mask_slot;
    logic [32:0] mask_written, bytes_q, mask_elements;
    logic [31:0] size;
    logic [SizeBits-1:0] kernels_up;
    logic [3:0] grants_q;
    logic masks_turn_q, size_rsp;
    logic [EntryCountBits-1:0] unused_mask_stored;

    assign compressed = weight_format_i;
    wire unused_mask_written = &{1'b0, mask_written[32:30]};
    assign kernels_up = SizeBits'(weight_kernel_i) + group_kernels;
    // Bytes of weights whose mask bits are there: one bit an element.
    assign mask_elements = wide ? {mask_written[28:0], 4'b0} : {mask_written[29:0], 3'b0};

    nvdla_cdma_stream u_masks (
        .clk_i,
        .rst_ni,
        .start_i,
        .clear_i,
        .enable_i    (compressed),
        .base_i      (wmb_addr_i & AtomMask),
        .bytes_i     (32'(wmb_bytes_i)),
        .ring_i      (EntryCountBits'(BankEntries)),
        .first_i     (EntryCountBits'(CbufEntries - BankEntries)),
        .req_valid_o (mask_req),
        .take_i      (mask_take),
        .req_addr_o  (mask_addr),
        .req_atoms_o (mask_atoms),
        .rsp_valid_i (mask_rsp),
        .rsp_two_i   (two),
        .wr_addr_o   (mask_wr_addr),
        .wr_slot_o   (mask_slot),
        .wr_clear_o  (mask_clear),
        .written_o   (mask_written),
        .complete_o  (mask_complete),
        .stored_o    (unused_mask_stored),
        .report_i    (report),
        .rl_valid_i  (mask_rl_valid_i),
        .rl_entries_i(mask_rl_entries_i)
    );

    nvdla_cdma_sizes u_sizes (
        .clk_i,
        .rst_ni,
        .start_i,
        .enable_i    (compressed),
        .base_i      (wgs_addr_i & AtomMask),
        .groups_i    (wide ? kernels_up >> (GroupShift - 1) : kernels_up >> GroupShift),
        .req_valid_o (size_req),
        .take_i      (size_take),
        .req_addr_o  (size_addr),
        .rsp_valid_i (size_rsp),
        .rsp_data_i  (rsp_data_i[AtomBits-1:0]),
        .size_valid_o(size_valid),
        .size_o      (size),
        .next_i      (report & compressed)
    );

    // Bytes of the groups reported so far.
    always_ff @(posedge clk_i)
      if (start_i) bytes_q <= '0;
      else if (report) bytes_q <= bytes_q + 33'(size);

    assign group_ready = compressed ?
        size_valid && mask_elements >= threshold_q && wt_written >= bytes_q + 33'(size) : wt_written >= threshold_q;
    assign complete = wt_complete && mask_complete && (size_valid || !compressed);

`ifdef NVDLA_CHECKS
    // Bytes of the groups reported, and of the next one, as they lie in memory and unpacked.
    logic [63:0] packed_q, unpacked_q;
    logic [63:0] packed_next, unpacked_next;
    assign packed_next = packed_q + 64'(size);
    assign unpacked_next = unpacked_q + (64'(byte_per_kernel_i) + 64'd1) * 64'(group_kernels);
    always_ff @(posedge clk_i)
      if (start_i) begin
        packed_q   <= '0;
        unpacked_q <= '0;
      end else if (report) begin
        packed_q   <= packed_next;
        unpacked_q <= unpacked_next;
      end
    `NVDLA_CHECK(GroupIsReportedOnceItIsThere, done_o || last_group ||
                 report == (compressed ? size_valid && 64'(mask_elements) >= unpacked_next &&
                            64'(wt_written) >= packed_next : 64'(wt_written) >= unpacked_next))
`endif

    // Weighted round robin of weights and mask bits behind the group sizes.
    assign masks_next   = mask_req && (masks_turn_q || !wt_req);
    assign source       = size_req ? Sizes : masks_next ? Masks : Weights;
    assign source_valid = (size_req || mask_req || wt_req) && record_ready;
    assign source_addr  = size_req ? size_addr : masks_next ? mask_addr : wt_addr;
    assign source_atoms = size_req ? 4'd1 : masks_next ? mask_atoms : wt_atoms;
    assign size_take    = prepare && source == Sizes;
    assign mask_take    = prepare && source == Masks;
    assign wt_take      = prepare && source == Weights;

    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) begin
        masks_turn_q <= 1'b0;
        grants_q     <= '0;
      end else if (mask_take || wt_take) begin
        if (mask_take != masks_turn_q) begin
          masks_turn_q <= mask_take;
          grants_q     <= 4'd0;
        end else if (grants_q == (mask_take ? arb_mask_i : arb_weight_i)) begin
          masks_turn_q <= !masks_turn_q;
          grants_q     <= 4'd0;
        end else grants_q <= grants_q + 4'd1;
      end

`ifdef NVDLA_CHECKS
    // Requests of one kind in a row while the other kind waits.
    logic [4:0] row_q;
    logic row_masks_q;
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) begin
        row_q       <= '0;
        row_masks_q <= 1'b0;
      end else if (!mask_req || !wt_req) row_q <= '0;
      else if (mask_take || wt_take) begin
        row_q       <= (mask_take == row_masks_q) ? row_q + 5'd1 : 5'd1;
        row_masks_q <= mask_take;
      end
    `NVDLA_CHECK(TurnsByTheirWeights, !mask_req || !wt_req || !(mask_take || wt_take) || mask_take != row_masks_q ||
                 row_q <= (mask_take ? {1'b0, arb_mask_i} : {1'b0, arb_weight_i}))
`endif

    assign wt_rsp      = rsp_valid_i && arriving == Weights;
    assign mask_rsp    = rsp_valid_i && arriving == Masks;
    assign size_rsp    = rsp_valid_i && arriving == Sizes;
    assign target_addr  = mask_rsp ? mask_wr_addr : wt_wr_addr;
    assign target_slot  = mask_rsp ? mask_slot : wt_slot;
    assign target_clear = mask_rsp ? mask_clear : wt_clear;
  end else begin : gen_plain
    assign source       = Weights;
    assign group_ready  = wt_written >= threshold_q;
    assign complete     = wt_complete;
    assign source_valid = wt_req && record_ready;
    assign source_addr  = wt_addr;
    assign source_atoms = wt_atoms;
    assign wt_take      = prepare;
    assign wt_rsp       = rsp_valid_i;
    assign mask_rsp     = 1'b0;
    assign target_addr   = wt_wr_addr;
    assign target_slot   = wt_slot;
    assign target_clear  = wt_clear;
    wire unused_masks = &{1'b0, arriving, weight_format_i, wgs_addr_i, wmb_addr_i, wmb_bytes_i, arb_weight_i,
        arb_mask_i,
        mask_rl_valid_i,
        mask_rl_entries_i};
  end

  if (WeightCompression != 0 || CbufWrAtoms > 1) begin : gen_requests
    // Requests whose atoms have not arrived: their surface and size. More of them than Requests wait.
    localparam int Requests = (CbufWrAtoms > 1) ? 512 : 128;
    localparam int RecordBits = (WeightCompression != 0) ? 6 : 4;
    logic [3:0] arriving_atoms, arrived_q;
    logic last_arrives, unused_record_valid;
    logic [RecordBits-1:0] record;

    nvdla_fifo #(
        .Width(RecordBits),
        .Depth(Requests)
    ) u_requests (
        .clk_i,
        .rst_ni,
        .in_valid_i (prepare),
        .in_ready_o (record_ready),
        .in_data_i  (RecordBits'({source, source_atoms})),
        .out_valid_o(unused_record_valid),
        .out_ready_i(rsp_valid_i & last_arrives),
        .out_data_o (record)
    );

    assign {arriving, arriving_atoms} = 6'(record);
    assign two = CbufWrAtoms > 1 && arrived_q + 4'd1 != arriving_atoms;
    assign last_arrives = arrived_q + 4'd1 + 4'(two) == arriving_atoms;
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) arrived_q <= '0;
      else if (rsp_valid_i) arrived_q <= last_arrives ? '0 : arrived_q + 4'd1 + 4'(two);
  end else begin : gen_single
    assign record_ready = 1'b1;
    assign arriving     = source;
    assign two          = 1'b0;
  end

  `NVDLA_STABLE(RequestStable, req_valid_o, req_ready_i, {req_addr_o, req_size_o})
  `NVDLA_CHECK(StartsOnlyWhenDone, !start_i || done_o)
  `NVDLA_CHECK(RequestsOfWholeAtoms, !source_valid || source_addr[$clog2(MemAtom)-1:0] == '0)
  `NVDLA_CHECK(AtomOfOneSurface, !(wt_rsp && mask_rsp))
  `NVDLA_CHECK(ReportsOnlyInLayer, !report || !done_o)

`ifdef NVDLA_CHECKS
  // Kernels and entries of the layer's reports.
  int kernels_up_q, entries_up_q, asked_q;
  logic up_ends;
  logic [31:0] entries;
  assign up_ends = up_valid_o && kernels_up_q + 32'(up_kernels_o) == 32'(weight_kernel_i) + 1;
  assign entries = (weight_bytes_i + EntryBytes - 1) / EntryBytes;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      kernels_up_q <= 0;
      entries_up_q <= 0;
      asked_q      <= 0;
    end else begin
      if (start_i || up_ends) kernels_up_q <= 0;
      else if (up_valid_o) kernels_up_q <= kernels_up_q + 32'(up_kernels_o);
      if (start_i || up_ends) entries_up_q <= 0;
      else if (up_valid_o) entries_up_q <= entries_up_q + 32'(up_entries_o);
      asked_q <= asked_q + ((req_valid_o && req_ready_i) ? 32'(req_size_o) + 1 : 0) - (rsp_valid_i ? 1 + 32'(two) : 0);
    end
  `NVDLA_CHECK(AtomsOnlyAskedFor, !rsp_valid_i || asked_q > 32'(two))
  `NVDLA_CHECK(KernelsOfTheLayer, !up_valid_o || kernels_up_q + 32'(up_kernels_o) <= 32'(weight_kernel_i) + 1)
  `NVDLA_CHECK(ReportsAllEntries, !up_ends || entries_up_q + 32'(up_entries_o) == 32'($signed(entries)))
`endif
endmodule
