// Convolution DMA: feature and image data and weights from memory into CBUF, and the accounts of both with CSC.
//
// CbufWrAtoms atoms pass each write port of CBUF in a clock; where that is two, elements have 8 or 16 bits.
// A data engine (direct, image or Winograd) and the weight engine work on a layer in parallel: idle, pending (handshake
// with CSC while banks change), busy, done; a fetch that is skipped by reuse goes from idle to done. The layer ends
// when both are done.
// Ring pointers and fill levels are kept between layers and return to 0 only in the handshake. Layers wait for the zero
// fill of CBUF, which takes CbufEntries / 2 clocks after reset, half of the entries through each write port. Latency:
// run of the register group to the first request at dat_mif and wt_mif 3 clocks (image 2); response to the write port 3
// clocks (weights 2, image 5), to the account of CSC 1 more.
// nvdla_cdma_data has the data engines with their ring, convertor and write port; nvdla_cdma_weight the weight engine.
// Spec: 30-cdma-cbuf.
`include "nvdla_check.svh"
module nvdla_cdma
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   clk_on_i,  // keeps the clock running
    input  logic                   rst_ni,
    input  logic                   csb_req_i,
    input  logic                   csb_write_i,
    input  logic [CsbAddrBits-1:0] csb_addr_i,
    input  logic [           31:0] csb_wdata_i,
    output logic [           31:0] csb_rdata_o,
    // Read clients: data and weights.
    output mif_rd_req_t            dat_mif_o,
    input  mif_rd_rsp_t            dat_mif_i,
    output mif_rd_req_t            wt_mif_o,
    input  mif_rd_rsp_t            wt_mif_i,
    // Write ports of CBUF.
    output cbuf_wr_t               dat_wr_o,
    output cbuf_wr_t               wt_wr_o,
    // Accounting with CSC.
    output cdma2csc_t              csc_o,
    input  csc2cdma_t              csc_i,
    // One clock per finished fetch, by group.
    output logic [            1:0] dat_done_intr_o,
    output logic [            1:0] wt_done_intr_o
);
  logic clk, armed;  // the clock of everything below

  localparam int DataWords = CdmaWords - CdmaFirstD;
  typedef enum logic [1:0] {
    StateIdle,
    StatePending,  // handshake with CSC
    StateBusy,
    StateDone  // until the other fetch has ended too
  } state_e;

  // ---- registers ----------------------------------------------------------------------------------------------------
  logic run, group, layer_done;
  logic [DataWords*32-1:0] d_flat, stat;
  cdma_d_t d;
  logic [31:0] group_rdata;
  logic flush_read_q, flush_done_q;
  assign d = d_flat;
  wire unused_slices = &{1'b0, csc_i.dat_slices};

  nvdla_reg_group #(
      .Words    (CdmaWords),
      .FirstD   (CdmaFirstD),
      .WriteMask(CdmaWriteMask),
      .Reset    (CdmaReset),
      .StatMask (CdmaStatMask)
  ) u_reg_group (
      .clk_i  (clk),
      .rst_ni,
      .req_i  (csb_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(group_rdata),
      .run_o  (run),
      .group_o(group),
      .armed_o(armed),
      .d_o    (d_flat),
      .done_i (layer_done),
      .stat_i (stat)
  );

  always_ff @(posedge clk or negedge rst_ni)
    if (!rst_ni) flush_read_q <= 1'b0;
    else flush_read_q <= csb_req_i & ~csb_write_i & (csb_addr_i == CsbAddrBits'(CdmaSCbufFlushStatus));

  assign csb_rdata_o = group_rdata | {31'd0, flush_read_q & flush_done_q};

  // ---- zero fill ----------------------------------------------------------------------------------------------------
  logic [CbufAddrBits-2:0] flush_q;

  always_ff @(posedge clk or negedge rst_ni)
    if (!rst_ni) begin
      flush_q      <= '0;
      flush_done_q <= 1'b0;
    end else if (!flush_done_q) begin
      flush_q      <= flush_q + 1'b1;
      flush_done_q <= &flush_q;
    end

  // Clock: an access, a group that is armed, the zero fill, what CSC gives back.
  nvdla_clock_gate u_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(csb_req_i || armed || !flush_done_q || csc_i.dat_valid || csc_i.wt_valid || csc_i.mask_valid),
      .clk_o (clk)
  );

  // ---- life of a layer ----------------------------------------------------------------------------------------------
  state_e dat_state_q, wt_state_q;
  logic dat_request_q, wt_request_q;  // the requests of CSC one clock before
  logic [4:0] last_data_bank_q, last_weight_bank_q;
  logic last_image_q, last_winograd_q, last_skip_data_q, last_skip_weight_q;
  logic image, winograd;  // neither: direct
  logic begin_layer, dat_changed, wt_changed, dat_skip, wt_skip, dat_start, wt_start, dat_end, wt_end, dat_clear,
      wt_clear;

  assign begin_layer = run & flush_done_q & (dat_state_q == StateIdle);
  assign dat_changed = d.data_bank != last_data_bank_q;
  assign wt_changed  = dat_changed | (d.weight_bank != last_weight_bank_q);
  assign winograd    = Winograd != 0 && d.conv_mode;
  assign image       = d.datain_format & ~winograd;
  assign dat_skip    = d.data_reuse & last_skip_data_q & (image == last_image_q) & (winograd == last_winograd_q);
  assign wt_skip     = d.weight_reuse & last_skip_weight_q;
  assign dat_start   = (begin_layer & ~dat_changed & ~dat_skip) |
      (dat_state_q == StatePending && dat_request_q && !csc_i.dat_pending_req);
  assign wt_start    = (begin_layer & ~wt_changed & ~wt_skip) |
      (wt_state_q == StatePending && wt_request_q && !csc_i.wt_pending_req);
  assign dat_clear   = (dat_state_q == StatePending) & csc_i.dat_pending_req;
  assign wt_clear    = (wt_state_q == StatePending) & csc_i.wt_pending_req;
  assign layer_done  = (dat_state_q == StateDone) & (wt_state_q == StateDone);
  assign csc_o.dat_pending_ack = dat_state_q == StatePending;
  assign csc_o.wt_pending_ack  = wt_state_q == StatePending;

  always_ff @(posedge clk or negedge rst_ni)
    if (!rst_ni) begin
      dat_state_q        <= StateIdle;
      wt_state_q         <= StateIdle;
      dat_request_q      <= 1'b0;
      wt_request_q       <= 1'b0;
      last_data_bank_q   <= '1;
      last_weight_bank_q <= '1;
      last_image_q       <= 1'b0;
      last_winograd_q    <= 1'b0;
      last_skip_data_q   <= 1'b0;
      last_skip_weight_q <= 1'b0;
      dat_done_intr_o    <= '0;
      wt_done_intr_o     <= '0;
    end else begin
      dat_request_q   <= dat_clear;
      wt_request_q    <= wt_clear;
      dat_done_intr_o <= '0;
      wt_done_intr_o  <= '0;
      case (dat_state_q)
        StateIdle:
        if (begin_layer) begin
          if (dat_changed) dat_state_q <= StatePending;
          else if (dat_skip) dat_state_q <= StateDone;
          else dat_state_q <= StateBusy;
        end
        StatePending: if (dat_start) dat_state_q <= StateBusy;
        StateBusy: if (dat_end) dat_state_q <= StateDone;
        StateDone: if (layer_done) dat_state_q <= StateIdle;
      endcase
      case (wt_state_q)
        StateIdle:
        if (begin_layer) begin
          if (wt_changed) wt_state_q <= StatePending;
          else if (wt_skip) wt_state_q <= StateDone;
          else wt_state_q <= StateBusy;
        end
        StatePending: if (wt_start) wt_state_q <= StateBusy;
        StateBusy: if (wt_end) wt_state_q <= StateDone;
        StateDone: if (layer_done) wt_state_q <= StateIdle;
      endcase
      if ((begin_layer && !dat_changed && dat_skip) || (dat_state_q == StateBusy && dat_end)) dat_done_intr_o <=
          {group, ~group};
      if ((begin_layer && !wt_changed && wt_skip) || (wt_state_q == StateBusy && wt_end)) wt_done_intr_o <=
          {group, ~group};
      if (layer_done) begin
        last_data_bank_q   <= d.data_bank;
        last_weight_bank_q <= d.weight_bank;
        last_image_q       <= image;
        last_winograd_q    <= winograd;
        last_skip_data_q   <= d.skip_data_rls;
        last_skip_weight_q <= d.skip_weight_rls;
      end
    end

  // ---- data ---------------------------------------------------------------------------------------------------------
  logic wide, fp16;
  logic [EntryCountBits-1:0] dat_ring;
  logic [31:0] dat_nan, dat_infinity;

  nvdla_cdma_data u_data (
      .clk_i       (clk),
      .clk_on_i,
      .rst_ni,
      .layer_i     (d),
      .image_i     (image),
      .winograd_i  (winograd),
      .wide_o      (wide),
      .fp16_o      (fp16),
      .begin_i     (begin_layer),
      .start_i     (dat_start),
      .clear_i     (dat_clear),
      .busy_i      (dat_state_q == StateBusy),
      .end_o       (dat_end),
      .ring_o      (dat_ring),
      .mif_o       (dat_mif_o),
      .mif_i       (dat_mif_i),
      .flush_done_i(flush_done_q),
      .flush_i     (flush_q),
      .wr_o        (dat_wr_o),
      .up_valid_o  (csc_o.dat_valid),
      .up_entries_o(csc_o.dat_entries),
      .up_slices_o (csc_o.dat_slices),
      .rl_valid_i  (csc_i.dat_valid),
      .rl_entries_i(csc_i.dat_entries),
      .nan_o       (dat_nan),
      .infinity_o  (dat_infinity)
  );

  // ---- weights ------------------------------------------------------------------------------------------------------
  // S_ARBITER, sampled when a layer begins.
  logic [3:0] arb_weight_q, arb_mask_q;
  if (WeightCompression != 0) begin : gen_arbiter
    logic [3:0] weight_q, mask_q;
    always_ff @(posedge clk or negedge rst_ni)
      if (!rst_ni) begin
        weight_q <= CdmaReset[CdmaSArbiter*32+:4];
        mask_q   <= CdmaReset[CdmaSArbiter*32+16+:4];
      end else if (csb_req_i && csb_write_i && csb_addr_i == CsbAddrBits'(CdmaSArbiter)) begin
        weight_q <= csb_wdata_i[3:0];
        mask_q   <= csb_wdata_i[19:16];
      end
    always_ff @(posedge clk)
      if (begin_layer) begin
        arb_weight_q <= weight_q;
        arb_mask_q   <= mask_q;
      end
  end else begin : gen_no_arbiter
    assign arb_weight_q = '0;
    assign arb_mask_q   = '0;
  end

  logic wt_req_valid, wt_req_ready, wt_rsp_valid, wt_wr_mask, wt_finished;
  logic [AddrBits-1:0] wt_req_addr;
  logic [15:0] wt_req_size;
  logic [CbufWrAtoms-1:0] wt_wr_valid, wt_wr_clear;
  logic [CbufWrAtoms*AtomBits-1:0] wt_rsp_data, wt_wr_data;
  logic [CbufWrAtoms*CbufAddrBits-1:0] wt_wr_addr;
  logic [CbufWrAtoms*SlotBits-1:0] wt_wr_slot;
  logic [31:0] wt_nan, wt_infinity;
  logic wt_up_valid;
  logic [SizeBits-1:0] wt_up_kernels;
  logic [EntryCountBits-1:0] wt_up_entries;
  assign wt_end = wt_finished;
  assign csc_o.wt_valid = wt_up_valid;
  assign csc_o.wt_kernels = wt_up_kernels;
  assign csc_o.wt_entries = wt_up_entries;

  logic unused_wt_busy;
  nvdla_dma_read #(
      .Depth   (ReadDepth),
      .RspAtoms(CbufWrAtoms)
  ) u_wt_read (
      .clk_i      (clk),
      .rst_ni,
      .req_valid_i(wt_req_valid),
      .req_ready_o(wt_req_ready),
      .req_addr_i (wt_req_addr),
      .req_size_i (wt_req_size),
      .req_ram_i  (d.weight_ram_type),
      .rsp_valid_o(wt_rsp_valid),
      .rsp_ready_i(1'b1),
      .rsp_data_o (wt_rsp_data),
      .busy_o     (unused_wt_busy),
      .mif_o      (wt_mif_o),
      .mif_i      (wt_mif_i)
  );

  nvdla_cdma_weight u_weight (
      .clk_i            (clk),
      .rst_ni,
      .start_i          (wt_start),
      .clear_i          (wt_clear),
      .count_clear_i    (begin_layer),
      .wide_i           (wide),
      .fp16_i           (fp16),
      .flush_i          (d.nan_to_zero),
      .weight_format_i  (d.weight_format),
      .byte_per_kernel_i(d.byte_per_kernel),
      .weight_kernel_i  (d.weight_kernel),
      .weight_addr_i    (AddrBits'({d.weight_addr_high, d.weight_addr_low})),
      .weight_bytes_i   (d.weight_bytes),
      .wgs_addr_i       (AddrBits'({d.wgs_addr_high, d.wgs_addr_low})),
      .wmb_addr_i       (AddrBits'({d.wmb_addr_high, d.wmb_addr_low})),
      .wmb_bytes_i      (d.wmb_bytes),
      .arb_weight_i     (arb_weight_q),
      .arb_mask_i       (arb_mask_q),
      .ring_i           (ring_size(d.weight_bank)),
      .first_i          (dat_ring),
      .done_o           (wt_finished),
      .req_valid_o      (wt_req_valid),
      .req_ready_i      (wt_req_ready),
      .req_addr_o       (wt_req_addr),
      .req_size_o       (wt_req_size),
      .rsp_valid_i      (wt_rsp_valid),
      .rsp_data_i       (wt_rsp_data),
      .wr_valid_o       (wt_wr_valid),
      .wr_mask_o        (wt_wr_mask),
      .wr_addr_o        (wt_wr_addr),
      .wr_slot_o        (wt_wr_slot),
      .wr_clear_o       (wt_wr_clear),
      .wr_data_o        (wt_wr_data),
      .nan_o            (wt_nan),
      .infinity_o       (wt_infinity),
      .up_valid_o       (wt_up_valid),
      .up_kernels_o     (wt_up_kernels),
      .up_entries_o     (wt_up_entries),
      .rl_valid_i       (csc_i.wt_valid),
      .rl_entries_i     (csc_i.wt_entries),
      .mask_rl_valid_i  (csc_i.mask_valid),
      .mask_rl_entries_i(csc_i.mask_entries)
  );

  wire unused_mask = &{1'b0, wt_wr_mask};  // for observers
  assign wt_wr_o.valid = flush_done_q ? wt_wr_valid : CbufWrAtoms'(1);
  assign wt_wr_o.addr  = flush_done_q ? wt_wr_addr : (CbufWrAtoms * CbufAddrBits)'({1'b1, flush_q});
  assign wt_wr_o.slot  = flush_done_q ? wt_wr_slot : '0;
  assign wt_wr_o.clear = flush_done_q ? wt_wr_clear : '1;
  assign wt_wr_o.data  = flush_done_q ? wt_wr_data : '0;

  // ---- performance counters -----------------------------------------------------------------------------------------
  logic [31:0] dat_stall, dat_latency, wt_stall, wt_latency;

  nvdla_cdma_perf #(
      .Depth(ReadBeats)
  ) u_dat_perf (
      .clk_i      (clk),
      .rst_ni,
      .enable_i   (run & d.dma_en),
      .clear_i    (layer_done),
      .req_valid_i(dat_mif_o.valid),
      .req_ready_i(dat_mif_i.ready),
      .req_len_i  (dat_mif_o.len),
      .rsp_valid_i(dat_mif_i.valid),
      .stall_o    (dat_stall),
      .latency_o  (dat_latency)
  );

  nvdla_cdma_perf #(
      .Depth(ReadBeats)
  ) u_wt_perf (
      .clk_i      (clk),
      .rst_ni,
      .enable_i   (run & d.dma_en),
      .clear_i    (layer_done),
      .req_valid_i(wt_mif_o.valid),
      .req_ready_i(wt_mif_i.ready),
      .req_len_i  (wt_mif_o.len),
      .rsp_valid_i(wt_mif_i.valid),
      .stall_o    (wt_stall),
      .latency_o  (wt_latency)
  );

  // Where there is INT8 only, the weight latency counter is constant 0, like those of NaN and infinity.
  always_comb begin
    stat = '0;
    stat[(CdmaDPerfDatReadStall-CdmaFirstD)*32+:32] = dat_stall;
    stat[(CdmaDPerfWtReadStall-CdmaFirstD)*32+:32] = wt_stall;
    stat[(CdmaDPerfDatReadLatency-CdmaFirstD)*32+:32] = dat_latency;
    stat[(CdmaDPerfWtReadLatency-CdmaFirstD)*32+:32] = (LaneBytes == 2) ? wt_latency : '0;
    stat[(CdmaDNanInputDataNum-CdmaFirstD)*32+:32] = dat_nan;
    stat[(CdmaDInfInputDataNum-CdmaFirstD)*32+:32] = dat_infinity;
    stat[(CdmaDNanInputWeightNum-CdmaFirstD)*32+:32] = wt_nan;
    stat[(CdmaDInfInputWeightNum-CdmaFirstD)*32+:32] = wt_infinity;
  end

  // ---- checks -------------------------------------------------------------------------------------------------------
  `NVDLA_PARAM(RingsLegal, CbufEntries == CbufBanks * BankEntries && Slots >= 1 && Slots <= 8)
  `NVDLA_PARAM(DepthCoversABurst, ReadDepth >= DbbBurstBeats && (SecondaryMemory == 0 || ReadDepth >= CvsramBurstBeats))
  `NVDLA_CHECK(WorksOnlyInLayer, run || (dat_state_q == StateIdle && wt_state_q == StateIdle))
  `NVDLA_CHECK(InterruptOfOneGroup, `NVDLA_ONEHOT0(dat_done_intr_o) && `NVDLA_ONEHOT0(wt_done_intr_o))
  `NVDLA_CHECK(RequestsOnlyWhileBusy,
               (!u_data.req_valid || dat_state_q == StateBusy) && (!wt_req_valid || wt_state_q == StateBusy))
  `NVDLA_CHECK(AtomsOnlyWhileBusy, (!u_data.rsp_valid || dat_state_q == StateBusy) &&
               (!wt_rsp_valid || wt_state_q == StateBusy))
  `NVDLA_CHECK(FetchEndsWithItsLastAtom, !dat_end || dat_state_q == StateBusy)
  `NVDLA_CHECK(ReportsAfterZeroFill, flush_done_q || !(csc_o.dat_valid || wt_up_valid))
  `NVDLA_CHECK(WritesNotDuringZeroFill, flush_done_q || !(u_data.written_q != '0 || wt_wr_valid != '0))

`ifdef NVDLA_CHECKS
  logic asked_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) asked_q <= 1'b0;
    else asked_q <= csb_req_i && !csb_write_i;
  `NVDLA_CHECK(AnswersOnlyWhenAsked, csb_rdata_o == '0 || asked_q)

  // Entries reserved by the fetch and given back by CSC; reported ones are among them.
  int reserved_held_q, reported_held_q;
  logic dat_stopped;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      reserved_held_q <= 0;
      reported_held_q <= 0;
    end else if (dat_clear) begin
      reserved_held_q <= 0;
      reported_held_q <= 0;
    end else begin
      reserved_held_q <= reserved_held_q + (u_data.reserve ? 32'(u_data.need) : 0) -
          (csc_i.dat_valid ? 32'(csc_i.dat_entries) : 0);
      reported_held_q <= reported_held_q + (csc_o.dat_valid ? 32'(csc_o.dat_entries) : 0) -
          (csc_i.dat_valid ? 32'(csc_i.dat_entries) : 0);
    end
  assign dat_stopped = dat_state_q == StateIdle && !csc_o.dat_valid && !u_data.update_q && !u_data.placed_q &&
      !u_data.atom_valid;
  `NVDLA_CHECK(UsedAddsUp, 32'(u_data.used_q) == reserved_held_q)
  `NVDLA_CHECK(UsedIsWhatWasReported, !dat_stopped || 32'(u_data.used_q) == reported_held_q)
  `NVDLA_CHECK(EmptyAtEndOfFetch, !dat_stopped || !(u_data.u_dat_read.Owed.level_q != 0 || u_data.req_valid))

  // What the rings hold: data, weights, mask bits.
  logic [CbufWrAtoms*32-1:0] dat_addrs, dat_slots, wt_addrs, wt_slots;
  for (genvar a = 0; a < CbufWrAtoms; a++) begin : gen_written
    assign dat_addrs[a*32+:32] = 32'(u_data.wr_addr_q[a*CbufAddrBits+:CbufAddrBits]);
    assign dat_slots[a*32+:32] = 32'(u_data.wr_slot_q[a*SlotBits+:SlotBits]);
    assign wt_addrs[a*32+:32]  = 32'(wt_wr_addr[a*CbufAddrBits+:CbufAddrBits]);
    assign wt_slots[a*32+:32]  = 32'(wt_wr_slot[a*SlotBits+:SlotBits]);
  end
  nvdla_check_ring #(
      .Entries(CbufEntries),
      .Slots  (Slots),
      .Gaps   (1),
      .Atoms  (CbufWrAtoms)
  ) u_data_ring (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .clear_i     (dat_clear),
      .first_i     (32'd0),
      .ring_i      (32'(dat_ring)),
      .wr_valid_i  (u_data.written_q),
      .wr_addr_i   (dat_addrs),
      .wr_slot_i   (dat_slots),
      .wr_clear_i  (u_data.wr_clear_q),
      .up_valid_i  (csc_o.dat_valid),
      .up_entries_i(32'(csc_o.dat_entries)),
      .rl_valid_i  (csc_i.dat_valid),
      .rl_entries_i(32'(csc_i.dat_entries))
  );
  nvdla_check_ring #(
      .Entries(CbufEntries),
      .Slots  (Slots),
      .Atoms  (CbufWrAtoms)
  ) u_weight_ring (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .clear_i     (wt_clear),
      .first_i     (32'(dat_ring)),
      .ring_i      (32'(ring_size(d.weight_bank))),
      .wr_valid_i  (wt_wr_mask ? '0 : wt_wr_valid),
      .wr_addr_i   (wt_addrs),
      .wr_slot_i   (wt_slots),
      .wr_clear_i  (wt_wr_clear),
      .up_valid_i  (wt_up_valid),
      .up_entries_i(32'(wt_up_entries)),
      .rl_valid_i  (csc_i.wt_valid),
      .rl_entries_i(32'(csc_i.wt_entries))
  );
  `NVDLA_FINAL(IdleAtTheEnd, dat_state_q == StateIdle && wt_state_q == StateIdle)
  `NVDLA_CHECK(DataInterruptWhenDone, dat_done_intr_o == '0 || dat_state_q == StateDone)
  `NVDLA_CHECK(WeightInterruptWhenDone, wt_done_intr_o == '0 || wt_state_q == StateDone)
`endif
endmodule
