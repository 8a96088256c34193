// The data fetch of CDMA: room in the ring of CBUF's data banks, the engine of the layer (direct, image or Winograd),
// the convertor, the write port, and the account of CSC.
//
// A fetch begins with start_i and ends with end_o, after its last atom is written. The ring's pointer and level stay
// for the next layer; clear_i sets both to 0. Latency: start_i to the first request at mif_o 3 clocks (image 2);
// response to wr_o 3 clocks (image 5), to up_valid_o 1 more.
// Spec: 30-cdma-cbuf.
`include "nvdla_check.svh"
`ifndef NVDLA_CDMA_D_UNUSED
`include "nvdla_unused.svh"
`endif
module nvdla_cdma_data
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      clk_on_i,  // keeps the clocks of parts running
    input  logic                      rst_ni,
    // The layer: its registers, valid from start_i to end_o.
    input  cdma_d_t                   layer_i,
    input  logic                      image_i,
    input  logic                      winograd_i,  // neither: direct
    output logic                      wide_o,      // processing precision of 16 bits
    output logic                      fp16_o,
    input  logic                      begin_i,  // the layer begins, with or without a fetch
    input  logic                      start_i,
    input  logic                      clear_i,
    input  logic                      busy_i,
    output logic                      end_o,
    output logic [EntryCountBits-1:0] ring_o,  // entries of the data banks
    // Read client.
    output mif_rd_req_t               mif_o,
    input  mif_rd_rsp_t               mif_i,
    // Write port of CBUF; until flush_done_i it writes zeros to entry flush_i.
    input  logic                      flush_done_i,
    input  logic [  CbufAddrBits-2:0] flush_i,
    output cbuf_wr_t                  wr_o,
    // What CSC gets and releases.
    output logic                      up_valid_o,
    output logic [EntryCountBits-1:0] up_entries_o,
    output logic [      SizeBits-1:0] up_slices_o,
    input  logic                      rl_valid_i,
    input  logic [EntryCountBits-1:0] rl_entries_i,
    // Values of the layer that are NaN or infinite.
    output logic [              31:0] nan_o,
    output logic [              31:0] infinity_o
);
  wire unused_layer = &{1'b0, `NVDLA_CDMA_D_UNUSED(layer_i), layer_i.byte_per_kernel, layer_i.conv_mode,
      layer_i.data_reuse, layer_i.datain_format, layer_i.dma_en, layer_i.skip_data_rls, layer_i.skip_weight_rls,
      layer_i.weight_addr_high, layer_i.weight_addr_low, layer_i.weight_bank, layer_i.weight_bytes,
      layer_i.weight_format, layer_i.weight_kernel, layer_i.weight_ram_type, layer_i.weight_reuse,
      layer_i.wgs_addr_high, layer_i.wgs_addr_low, layer_i.wmb_addr_high, layer_i.wmb_addr_low, layer_i.wmb_bytes};

  // ---- room in the ring ---------------------------------------------------------------------------------------------
  // Of the direct fetch, of images, of Winograd, and of the one that works.
  logic [EntryCountBits-1:0] dc_next, img_next, win_next;
  logic dc_reserve, img_reserve, win_reserve, reserve;
  logic dc_req_valid, img_req_valid, win_req_valid, req_valid, req_ready;
  logic [AddrBits-1:0] dc_req_addr, img_req_addr, win_req_addr, req_addr;
  logic [15:0] dc_req_size, img_req_size, win_req_size, req_size;
  logic dc_rsp_ready, img_rsp_ready, win_rsp_ready, rsp_valid, rsp_ready;
  logic img_valid, win_valid, atom_valid;
  place_t dc_place, img_place, win_place, atom_place;
  logic gathered;  // atoms do not leave the fetch as they come from memory
  logic [EntryCountBits-1:0] eps, dat_ptr_q;
  logic [EntryCountBits-1:0] used_q;  // entries requested or stored, and not released
  logic [31:0] dc_need, need;
  logic space;
  assign gathered = image_i | winograd_i;
  assign ring_o   = ring_size(layer_i.data_bank);
  assign eps      = EntryCountBits'(layer_i.entries) + 1'b1;
  assign need     = winograd_i ? 32'(eps) << 2 : image_i ? 32'(eps) : dc_need;
  assign space    = 32'(used_q) + need <= 32'(ring_o);
  assign reserve  = dc_reserve | img_reserve | win_reserve;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      used_q    <= '0;
      dat_ptr_q <= '0;
    end else begin
      if (clear_i) used_q <= '0;
      else if (reserve || rl_valid_i) used_q <=
          used_q + (reserve ? need[EntryCountBits-1:0] : '0) - (rl_valid_i ? rl_entries_i : '0);
      if (clear_i) dat_ptr_q <= '0;
      else if (busy_i && end_o) dat_ptr_q <= winograd_i ? win_next : image_i ? img_next : dc_next;
    end

  // ---- requests and atoms of the engine that works ------------------------------------------------------------------
  logic [CbufWrAtoms*AtomBits-1:0] rsp_data, win_data;
  logic [ChunkLanes*ElementBits-1:0] img_element;
  logic [ChunkLanes*3-1:0] img_kind;
  logic img_kinds;
  assign img_kinds = ElementBits == 16 || layer_i.cvt_en;

  assign req_valid  = winograd_i ? win_req_valid : image_i ? img_req_valid : dc_req_valid;
  assign req_addr   = winograd_i ? win_req_addr : image_i ? img_req_addr : dc_req_addr;
  assign req_size   = winograd_i ? win_req_size : image_i ? img_req_size : dc_req_size;
  assign rsp_ready  = winograd_i ? win_rsp_ready : image_i ? img_rsp_ready : dc_rsp_ready;
  assign atom_valid = winograd_i ? win_valid : image_i ? img_valid : rsp_valid;
  assign atom_place = winograd_i ? win_place : image_i ? img_place : dc_place;

  logic unused_dat_busy;
  nvdla_dma_read #(
      .Depth   (ReadDepth),
      .RspAtoms(CbufWrAtoms)
  ) u_dat_read (
      .clk_i,
      .rst_ni,
      .req_valid_i(req_valid),
      .req_ready_o(req_ready),
      .req_addr_i (req_addr),
      .req_size_i (req_size),
      .req_ram_i  (layer_i.datain_ram_type),
      .rsp_valid_o(rsp_valid),
      .rsp_ready_i(rsp_ready),
      .rsp_data_o (rsp_data),
      .busy_o     (unused_dat_busy),
      .mif_o      (mif_o),
      .mif_i      (mif_i)
  );

  logic [CbufWrAtoms*AtomBits-1:0] cvt_data;
  logic from_fp16;  // FP16 in memory
  logic placed_q;
  logic [1:0] in_precision, precision;
  assign in_precision = built_precision(layer_i.in_precision);
  assign precision    = built_precision(layer_i.proc_precision);
  assign wide_o         = precision != PrecisionInt8;
  assign fp16_o         = precision == PrecisionFp16;
  assign from_fp16    = in_precision == PrecisionFp16;

  nvdla_cdma_dc u_dc (
      .clk_i,
      .rst_ni,
      .start_i         (start_i & ~gathered),
      .wide_i          (wide_o),
      .datain_width_i  (layer_i.datain_width),
      .datain_height_i (layer_i.datain_height),
      .datain_channel_i(layer_i.datain_channel),
      .datain_addr_0_i (AddrBits'({layer_i.datain_addr_high_0, layer_i.datain_addr_low_0})),
      .line_stride_i   (layer_i.line_stride),
      .surf_stride_i   (layer_i.surf_stride),
      .batch_stride_i  (layer_i.batch_stride),
      .batches_i       (layer_i.batches),
      .line_packed_i   (layer_i.line_packed),
      .surf_packed_i   (layer_i.surf_packed),
      .grains_i        (layer_i.grains),
      .eps_i           (eps),
      .ring_i          (ring_o),
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
      .clk_i,
      .rst_ni,
      .start_i         (start_i & image_i),
      .wide_i          (wide_o),
      .pixel_format_i  (layer_i.pixel_format),
      .datain_width_i  (layer_i.datain_width),
      .datain_height_i (layer_i.datain_height),
      .pixel_x_offset_i(layer_i.pixel_x_offset),
      .datain_addr_0_i (AddrBits'({layer_i.datain_addr_high_0, layer_i.datain_addr_low_0})),
      .datain_addr_1_i (AddrBits'({layer_i.datain_addr_high_1, layer_i.datain_addr_low_1})),
      .line_stride_i   (layer_i.line_stride),
      .uv_line_stride_i(layer_i.uv_line_stride),
      .kinds_i         (img_kinds),
      .pad_left_i      (layer_i.pad_left),
      .pad_right_i     (layer_i.pad_right),
      .pad_value_i     (layer_i.pad_value[ElementBits-1:0]),
      .eps_i           (eps),
      .ring_i          (ring_o),
      .ptr_i           (dat_ptr_q),
      .space_i         (space),
      .reserve_o       (img_reserve),
      .req_valid_o     (img_req_valid),
      .req_ready_i     (req_ready & image_i),
      .req_addr_o      (img_req_addr),
      .req_size_o      (img_req_size),
      .rsp_valid_i     (rsp_valid & image_i),
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
        .clk_i,
        .rst_ni,
        .clk_on_i,
        .start_i            (start_i & winograd_i),
        .wide_i             (wide_o),
        .datain_width_i     (layer_i.datain_width),
        .datain_height_i    (layer_i.datain_height),
        .datain_channel_i   (layer_i.datain_channel),
        .datain_width_ext_i (layer_i.datain_width_ext),
        .datain_height_ext_i(layer_i.datain_height_ext),
        .conv_x_stride_i    (layer_i.conv_x_stride),
        .conv_y_stride_i    (layer_i.conv_y_stride),
        .pad_left_i         (layer_i.pad_left),
        .pad_top_i          (layer_i.pad_top),
        .pad_value_i        (layer_i.pad_value),
        .datain_addr_0_i    (AddrBits'({layer_i.datain_addr_high_0, layer_i.datain_addr_low_0})),
        .line_stride_i      (layer_i.line_stride),
        .surf_stride_i      (layer_i.surf_stride),
        .eps_i              (eps),
        .ring_i             (ring_o),
        .ptr_i              (dat_ptr_q),
        .space_i            (space),
        .reserve_o          (win_reserve),
        .req_valid_o        (win_req_valid),
        .req_ready_i        (req_ready & winograd_i),
        .req_addr_o         (win_req_addr),
        .req_size_o         (win_req_size),
        .rsp_valid_i        (rsp_valid & winograd_i),
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
    wire unused_winograd = &{1'b0, layer_i.conv_x_stride, layer_i.conv_y_stride, layer_i.datain_height_ext,
        layer_i.datain_width_ext,
        layer_i.pad_top};
  end

  if (CbufWrAtoms == 1) begin : gen_bytes
    assign nan_o      = '0;
    assign infinity_o = '0;
    wire unused_wide = &{1'b0, clk_on_i, begin_i, layer_i.nan_to_zero, from_fp16, win_data};

    nvdla_cdma_cvt u_cvt (
        .clk_i,
        .enable_i    (layer_i.cvt_en),
        .int8_i      (layer_i.proc_precision == 2'd0),
        .signed_i    (~image_i | layer_i.pixel_sign_override),
        .mean_i      (image_i & layer_i.mean_format),
        .means_i     ({layer_i.mean_ax, layer_i.mean_bv, layer_i.mean_gu, layer_i.mean_ry}),
        .offset_i    (layer_i.cvt_offset),
        .scale_i     (layer_i.cvt_scale),
        .truncate_i  (layer_i.cvt_truncate),
        .valid_i     (atom_valid),
        .data_i      (image_i ? img_element : rsp_data),
        .kind_i      (image_i ? img_kind : '0),
        .next_valid_i(placed_q),
        .data_o      (cvt_data)
    );
  end else begin : gen_elements
    nvdla_cdma_cvt_pairs u_cvt (
        .clk_i,
        .rst_ni,
        .clk_on_i,
        .enable_i    (layer_i.cvt_en & ~from_fp16),
        .image_i     (image_i),
        .source16_i  (in_precision != PrecisionInt8),
        .wide_i      (wide_o),
        .fp16_i      (fp16_o),
        .signed_i    (~image_i | layer_i.pixel_sign_override),
        .mean_i      (image_i & layer_i.mean_format),
        .means_i     ({layer_i.mean_ax, layer_i.mean_bv, layer_i.mean_gu, layer_i.mean_ry}),
        .offset_i    (layer_i.cvt_offset),
        .scale_i     (layer_i.cvt_scale),
        .truncate_i  (layer_i.cvt_truncate),
        .watch_i     (from_fp16),
        .flush_i     (layer_i.nan_to_zero),
        .valid_i     (atom_valid),
        .again_i     (~gathered & ~dc_rsp_ready),
        .data_i      (winograd_i ? win_data : rsp_data),
        .element_i   (img_element),
        .kind_i      (img_kind),
        .next_valid_i(placed_q),
        .data_o      (cvt_data),
        .clear_i     (begin_i),
        .nan_o       (nan_o),
        .infinity_o  (infinity_o)
    );
  end

  // ---- convertor, write port, account -------------------------------------------------------------------------------
  logic update_q, last_q, ended_q;
  logic [CbufWrAtoms-1:0] written_q;
  logic [EntryCountBits-1:0] up_entries_q;
  logic [SizeBits-1:0] up_slices_q;
  assign end_o = ended_q;

  // The place of each atom that is written.
  logic [CbufWrAtoms*EntryCountBits-1:0] place_entry;
  logic [CbufWrAtoms*CbufAddrBits-1:0] wr_addr_q;
  logic [CbufWrAtoms*SlotBits-1:0] wr_slot_q;
  logic [CbufWrAtoms-1:0] wr_clear_q;
  assign place_entry = atom_place.entry;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      placed_q       <= 1'b0;
      written_q      <= '0;
      update_q       <= 1'b0;
      last_q         <= 1'b0;
      ended_q        <= 1'b0;
      up_valid_o <= 1'b0;
    end else begin
      placed_q       <= atom_valid;
      written_q      <= placed_q ? atom_place.valid : '0;
      update_q       <= placed_q & atom_place.update;
      last_q         <= placed_q & atom_place.last;
      ended_q        <= last_q;
      up_valid_o <= update_q;
    end

  always_ff @(posedge clk_i) begin
    if (placed_q) begin
      for (int a = 0; a < CbufWrAtoms; a++) wr_addr_q[a*CbufAddrBits+:CbufAddrBits] <=
          place_entry[a*EntryCountBits+:CbufAddrBits];
      wr_slot_q    <= atom_place.slot;
      wr_clear_q   <= atom_place.clear;
      up_entries_q <= atom_place.entries;
      up_slices_q  <= atom_place.slices;
    end
    if (update_q) begin
      up_entries_o <= up_entries_q;
      up_slices_o  <= up_slices_q;
    end
  end
  wire unused_entry = &{1'b0, place_entry};

  // The zero fill writes an entry a clock through its slot 0.
  assign wr_o.valid = flush_done_i ? written_q : CbufWrAtoms'(1);
  assign wr_o.addr  = flush_done_i ? wr_addr_q : (CbufWrAtoms * CbufAddrBits)'({1'b0, flush_i});
  assign wr_o.slot  = flush_done_i ? wr_slot_q : '0;
  assign wr_o.clear = flush_done_i ? wr_clear_q : '1;
  assign wr_o.data  = flush_done_i ? cvt_data : '0;

  `NVDLA_CHECK(UsedFitsTheRing, !reserve || 32'(used_q) + need <= 32'(ring_o))
endmodule
