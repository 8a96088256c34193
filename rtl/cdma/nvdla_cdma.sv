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
// Spec: 30-cdma-cbuf.
`include "nvdla_check.svh"
`ifndef NVDLA_CDMA_D_UNUSED
`include "nvdla_unused.svh"
`endif
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
  wire unused_d = &{1'b0, `NVDLA_CDMA_D_UNUSED(d), csc_i.dat_slices};  // names and reasons: rtl/unused_fields.csv

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
  logic image, winograd;  // else direct
  logic gathered;         // one of them: atoms do not leave the fetch as they come from memory
  logic begin_layer, dat_changed, wt_changed, dat_skip, wt_skip, dat_start, wt_start, dat_end, wt_end, dat_clear,
      wt_clear;

  assign begin_layer = run & flush_done_q & (dat_state_q == StateIdle);
  assign dat_changed = d.data_bank != last_data_bank_q;
  assign wt_changed  = dat_changed | (d.weight_bank != last_weight_bank_q);
  assign winograd    = Winograd != 0 && d.conv_mode;
  assign image       = d.datain_format & ~winograd;
  assign gathered    = image | winograd;
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

  // ---- data: room in the ring ---------------------------------------------------------------------------------------
  // Of the direct fetch, of images, of Winograd, and of the one that works.
  logic [EntryCountBits-1:0] dc_next, img_next, win_next;
  logic dc_reserve, img_reserve, win_reserve, reserve;
  logic dc_req_valid, img_req_valid, win_req_valid, req_valid, req_ready;
  logic [AddrBits-1:0] dc_req_addr, img_req_addr, win_req_addr, req_addr;
  logic [15:0] dc_req_size, img_req_size, win_req_size, req_size;
  logic dc_rsp_ready, img_rsp_ready, win_rsp_ready, rsp_valid, rsp_ready;
  logic img_valid, win_valid, atom_valid;
  place_t dc_place, img_place, win_place, atom_place;

  logic [EntryCountBits-1:0] dat_ring, eps, dat_ptr_q;
  logic [EntryCountBits-1:0] used_q;  // entries requested or stored, and not released
  logic [31:0] dc_need, need;
  logic space;
  logic dat_rl_valid;  // what CSC releases
  logic [EntryCountBits-1:0] dat_rl_entries;
  assign dat_rl_valid   = csc_i.dat_valid;
  assign dat_rl_entries = csc_i.dat_entries;
  assign dat_ring = ring_size(d.data_bank);
  assign eps      = EntryCountBits'(d.entries) + 1'b1;
  assign need     = winograd ? 32'(eps) << 2 : image ? 32'(eps) : dc_need;
  assign space    = 32'(used_q) + need <= 32'(dat_ring);
  assign reserve  = dc_reserve | img_reserve | win_reserve;

  always_ff @(posedge clk or negedge rst_ni)
    if (!rst_ni) begin
      used_q    <= '0;
      dat_ptr_q <= '0;
    end else begin
      if (dat_clear) used_q <= '0;
      else if (reserve || dat_rl_valid) used_q <=
          used_q + (reserve ? need[EntryCountBits-1:0] : '0) - (dat_rl_valid ? dat_rl_entries : '0);
      if (dat_clear) dat_ptr_q <= '0;
      else if (dat_state_q == StateBusy && dat_end) dat_ptr_q <= winograd ? win_next : image ? img_next : dc_next;
    end

  // ---- data: requests and atoms of the engine that works ------------------------------------------------------------
  logic [CbufWrAtoms*AtomBits-1:0] rsp_data, win_data;
  logic [ChunkLanes*ElementBits-1:0] img_element;
  logic [ChunkLanes*3-1:0] img_kind;
  logic img_kinds;
  assign img_kinds = ElementBits == 16 || d.cvt_en;

  assign req_valid  = winograd ? win_req_valid : image ? img_req_valid : dc_req_valid;
  assign req_addr   = winograd ? win_req_addr : image ? img_req_addr : dc_req_addr;
  assign req_size   = winograd ? win_req_size : image ? img_req_size : dc_req_size;
  assign rsp_ready  = winograd ? win_rsp_ready : image ? img_rsp_ready : dc_rsp_ready;
  assign atom_valid = winograd ? win_valid : image ? img_valid : rsp_valid;
  assign atom_place = winograd ? win_place : image ? img_place : dc_place;

  logic unused_dat_busy;
  nvdla_dma_read #(
      .Depth   (ReadDepth),
      .RspAtoms(CbufWrAtoms)
  ) u_dat_read (
      .clk_i      (clk),
      .rst_ni,
      .req_valid_i(req_valid),
      .req_ready_o(req_ready),
      .req_addr_i (req_addr),
      .req_size_i (req_size),
      .req_ram_i  (d.datain_ram_type),
      .rsp_valid_o(rsp_valid),
      .rsp_ready_i(rsp_ready),
      .rsp_data_o (rsp_data),
      .busy_o     (unused_dat_busy),
      .mif_o      (dat_mif_o),
      .mif_i      (dat_mif_i)
  );

  logic [CbufWrAtoms*AtomBits-1:0] cvt_data;
  logic wide, fp16, from_fp16;  // processing precision of 16 bits, FP16; FP16 in memory
  logic placed_q;
  logic [31:0] dat_nan, dat_infinity;
  logic [1:0] in_precision, precision;
  assign in_precision = built_precision(d.in_precision);
  assign precision    = built_precision(d.proc_precision);
  assign wide         = precision != PrecisionInt8;
  assign fp16         = precision == PrecisionFp16;
  assign from_fp16    = in_precision == PrecisionFp16;

  nvdla_cdma_dc u_dc (
      .clk_i           (clk),
      .rst_ni,
      .start_i         (dat_start & ~gathered),
      .wide_i          (wide),
      .datain_width_i  (d.datain_width),
      .datain_height_i (d.datain_height),
      .datain_channel_i(d.datain_channel),
      .datain_addr_0_i (AddrBits'({d.datain_addr_high_0, d.datain_addr_low_0})),
      .line_stride_i   (d.line_stride),
      .surf_stride_i   (d.surf_stride),
      .batch_stride_i  (d.batch_stride),
      .batches_i       (d.batches),
      .line_packed_i   (d.line_packed),
      .surf_packed_i   (d.surf_packed),
      .grains_i        (d.grains),
      .eps_i           (eps),
      .ring_i          (dat_ring),
      .ptr_i           (dat_ptr_q),
      .need_o          (dc_need),
      .space_i         (space),
      .reserve_o       (dc_reserve),
      .req_valid_o     (dc_req_valid),
      .req_ready_i     (req_ready & ~gathered),
      .req_addr_o      (dc_req_addr),
      .req_size_o      (dc_req_size),
      .rsp_valid_i     (rsp_valid & ~gathered),
      .rsp_ready_o     (dc_rsp_ready),
      .place_o         (dc_place),
      .next_ptr_o      (dc_next)
  );

  nvdla_cdma_image u_image (
      .clk_i           (clk),
      .rst_ni,
      .start_i         (dat_start & image),
      .wide_i          (wide),
      .pixel_format_i  (d.pixel_format),
      .datain_width_i  (d.datain_width),
      .datain_height_i (d.datain_height),
      .pixel_x_offset_i(d.pixel_x_offset),
      .datain_addr_0_i (AddrBits'({d.datain_addr_high_0, d.datain_addr_low_0})),
      .datain_addr_1_i (AddrBits'({d.datain_addr_high_1, d.datain_addr_low_1})),
      .line_stride_i   (d.line_stride),
      .uv_line_stride_i(d.uv_line_stride),
      .kinds_i         (img_kinds),
      .pad_left_i      (d.pad_left),
      .pad_right_i     (d.pad_right),
      .pad_value_i     (d.pad_value[ElementBits-1:0]),
      .eps_i           (eps),
      .ring_i          (dat_ring),
      .ptr_i           (dat_ptr_q),
      .space_i         (space),
      .reserve_o       (img_reserve),
      .req_valid_o     (img_req_valid),
      .req_ready_i     (req_ready & image),
      .req_addr_o      (img_req_addr),
      .req_size_o      (img_req_size),
      .rsp_valid_i     (rsp_valid & image),
      .rsp_ready_o     (img_rsp_ready),
      .rsp_data_i      (rsp_data),
      .chunk_valid_o   (img_valid),
      .chunk_element_o (img_element),
      .chunk_kind_o    (img_kind),
      .place_o         (img_place),
      .next_ptr_o      (img_next)
  );

  if (Winograd != 0) begin : gen_winograd
    nvdla_cdma_winograd u_winograd (
        .clk_i              (clk),
        .rst_ni,
        .clk_on_i,
        .start_i            (dat_start & winograd),
        .wide_i             (wide),
        .datain_width_i     (d.datain_width),
        .datain_height_i    (d.datain_height),
        .datain_channel_i   (d.datain_channel),
        .datain_width_ext_i (d.datain_width_ext),
        .datain_height_ext_i(d.datain_height_ext),
        .conv_x_stride_i    (d.conv_x_stride),
        .conv_y_stride_i    (d.conv_y_stride),
        .pad_left_i         (d.pad_left),
        .pad_top_i          (d.pad_top),
        .pad_value_i        (d.pad_value),
        .datain_addr_0_i    (AddrBits'({d.datain_addr_high_0, d.datain_addr_low_0})),
        .line_stride_i      (d.line_stride),
        .surf_stride_i      (d.surf_stride),
        .eps_i              (eps),
        .ring_i             (dat_ring),
        .ptr_i              (dat_ptr_q),
        .space_i            (space),
        .reserve_o          (win_reserve),
        .req_valid_o        (win_req_valid),
        .req_ready_i        (req_ready & winograd),
        .req_addr_o         (win_req_addr),
        .req_size_o         (win_req_size),
        .rsp_valid_i        (rsp_valid & winograd),
        .rsp_ready_o        (win_rsp_ready),
        .rsp_data_i         (rsp_data),
        .atoms_valid_o      (win_valid),
        .atoms_data_o       (win_data),
        .place_o            (win_place),
        .next_ptr_o         (win_next)
    );
  end else begin : gen_no_winograd
    assign win_reserve   = 1'b0;
    assign win_req_valid = 1'b0;
    assign win_req_addr  = '0;
    assign win_req_size  = '0;
    assign win_rsp_ready = 1'b1;
    assign win_valid     = 1'b0;
    assign win_data      = '0;
    assign win_place     = '0;
    assign win_next      = '0;
    wire unused_winograd = &{1'b0, d.conv_x_stride, d.conv_y_stride, d.datain_height_ext, d.datain_width_ext,
        d.pad_top};
  end

  if (CbufWrAtoms == 1) begin : gen_bytes
    assign dat_nan      = '0;
    assign dat_infinity = '0;
    wire unused_wide = &{1'b0, from_fp16, win_data};

    nvdla_cdma_cvt u_cvt (
        .clk_i       (clk),
        .enable_i    (d.cvt_en),
        .int8_i      (d.proc_precision == 2'd0),
        .signed_i    (~image | d.pixel_sign_override),
        .mean_i      (image & d.mean_format),
        .means_i     ({d.mean_ax, d.mean_bv, d.mean_gu, d.mean_ry}),
        .offset_i    (d.cvt_offset),
        .scale_i     (d.cvt_scale),
        .truncate_i  (d.cvt_truncate),
        .valid_i     (atom_valid),
        .data_i      (image ? img_element : rsp_data),
        .kind_i      (image ? img_kind : '0),
        .next_valid_i(placed_q),
        .data_o      (cvt_data)
    );
  end else begin : gen_elements
    nvdla_cdma_cvt_pairs u_cvt (
        .clk_i       (clk),
        .rst_ni,
        .clk_on_i,
        .enable_i    (d.cvt_en & ~from_fp16),
        .image_i     (image),
        .source16_i  (in_precision != nvdla_precision_pkg::PrecisionInt8),
        .wide_i      (wide),
        .fp16_i      (fp16),
        .signed_i    (~image | d.pixel_sign_override),
        .mean_i      (image & d.mean_format),
        .means_i     ({d.mean_ax, d.mean_bv, d.mean_gu, d.mean_ry}),
        .offset_i    (d.cvt_offset),
        .scale_i     (d.cvt_scale),
        .truncate_i  (d.cvt_truncate),
        .watch_i     (from_fp16),
        .flush_i     (d.nan_to_zero),
        .valid_i     (atom_valid),
        .again_i     (~gathered & ~dc_rsp_ready),
        .data_i      (winograd ? win_data : rsp_data),
        .element_i   (img_element),
        .kind_i      (img_kind),
        .next_valid_i(placed_q),
        .data_o      (cvt_data),
        .clear_i     (begin_layer),
        .nan_o       (dat_nan),
        .infinity_o  (dat_infinity)
    );
  end

  // ---- data: convertor, write port, account -------------------------------------------------------------------------
  logic update_q, last_q, ended_q;
  logic [CbufWrAtoms-1:0] written_q;
  logic [EntryCountBits-1:0] up_entries_q, dat_up_entries_q;
  logic [SizeBits-1:0] up_slices_q, dat_up_slices_q;
  logic dat_up_valid_q;
  assign dat_end = ended_q;

  // The place of each atom that is written.
  logic [CbufWrAtoms*EntryCountBits-1:0] place_entry;
  logic [CbufWrAtoms*CbufAddrBits-1:0] wr_addr_q;
  logic [CbufWrAtoms*SlotBits-1:0] wr_slot_q;
  logic [CbufWrAtoms-1:0] wr_clear_q;
  assign place_entry = atom_place.entry;

  always_ff @(posedge clk or negedge rst_ni)
    if (!rst_ni) begin
      placed_q       <= 1'b0;
      written_q      <= '0;
      update_q       <= 1'b0;
      last_q         <= 1'b0;
      ended_q        <= 1'b0;
      dat_up_valid_q <= 1'b0;
    end else begin
      placed_q       <= atom_valid;
      written_q      <= placed_q ? atom_place.valid : '0;
      update_q       <= placed_q & atom_place.update;
      last_q         <= placed_q & atom_place.last;
      ended_q        <= last_q;
      dat_up_valid_q <= update_q;
    end

  always_ff @(posedge clk) begin
    if (placed_q) begin
      for (int a = 0; a < CbufWrAtoms; a++) wr_addr_q[a*CbufAddrBits+:CbufAddrBits] <=
          place_entry[a*EntryCountBits+:CbufAddrBits];
      wr_slot_q    <= atom_place.slot;
      wr_clear_q   <= atom_place.clear;
      up_entries_q <= atom_place.entries;
      up_slices_q  <= atom_place.slices;
    end
    if (update_q) begin
      dat_up_entries_q <= up_entries_q;
      dat_up_slices_q  <= up_slices_q;
    end
  end
  wire unused_entry = &{1'b0, place_entry};

  assign csc_o.dat_valid = dat_up_valid_q;
  assign csc_o.dat_entries = dat_up_entries_q;
  assign csc_o.dat_slices = dat_up_slices_q;
  // The zero fill writes an entry a clock through its slot 0.
  assign dat_wr_o.valid = flush_done_q ? written_q : CbufWrAtoms'(1);
  assign dat_wr_o.addr  = flush_done_q ? wr_addr_q : (CbufWrAtoms * CbufAddrBits)'({1'b0, flush_q});
  assign dat_wr_o.slot  = flush_done_q ? wr_slot_q : '0;
  assign dat_wr_o.clear = flush_done_q ? wr_clear_q : '1;
  assign dat_wr_o.data  = flush_done_q ? cvt_data : '0;

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
               (!req_valid || dat_state_q == StateBusy) && (!wt_req_valid || wt_state_q == StateBusy))
  `NVDLA_CHECK(AtomsOnlyWhileBusy, (!rsp_valid || dat_state_q == StateBusy) &&
               (!wt_rsp_valid || wt_state_q == StateBusy))
  `NVDLA_CHECK(FetchEndsWithItsLastAtom, !dat_end || dat_state_q == StateBusy)
  `NVDLA_CHECK(ReportsAfterZeroFill, flush_done_q || !(dat_up_valid_q || wt_up_valid))
  `NVDLA_CHECK(WritesNotDuringZeroFill, flush_done_q || !(written_q != '0 || wt_wr_valid != '0))
  `NVDLA_CHECK(UsedFitsTheRing, !reserve || 32'(used_q) + need <= 32'(dat_ring))

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
      reserved_held_q <= reserved_held_q + (reserve ? 32'(need) : 0) - (dat_rl_valid ? 32'(dat_rl_entries) : 0);
      reported_held_q <= reported_held_q + (dat_up_valid_q ? 32'(dat_up_entries_q) : 0) -
          (dat_rl_valid ? 32'(dat_rl_entries) : 0);
    end
  assign dat_stopped = dat_state_q == StateIdle && !dat_up_valid_q && !update_q && !placed_q && !atom_valid;
  `NVDLA_CHECK(UsedAddsUp, 32'(used_q) == reserved_held_q)
  `NVDLA_CHECK(UsedIsWhatWasReported, !dat_stopped || 32'(used_q) == reported_held_q)
  `NVDLA_CHECK(EmptyAtEndOfFetch, !dat_stopped || !(u_dat_read.Owed.level_q != 0 || req_valid))

  // What the rings hold: data, weights, mask bits.
  logic [CbufWrAtoms*32-1:0] dat_addrs, dat_slots, wt_addrs, wt_slots;
  for (genvar a = 0; a < CbufWrAtoms; a++) begin : gen_written
    assign dat_addrs[a*32+:32] = 32'(wr_addr_q[a*CbufAddrBits+:CbufAddrBits]);
    assign dat_slots[a*32+:32] = 32'(wr_slot_q[a*SlotBits+:SlotBits]);
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
      .wr_valid_i  (written_q),
      .wr_addr_i   (dat_addrs),
      .wr_slot_i   (dat_slots),
      .wr_clear_i  (wr_clear_q),
      .up_valid_i  (dat_up_valid_q),
      .up_entries_i(32'(dat_up_entries_q)),
      .rl_valid_i  (dat_rl_valid),
      .rl_entries_i(32'(dat_rl_entries))
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
