// PDP and PDP_RDMA: planar pooling (max, min, average) in the W x H plane.
//
//   PDP_RDMA or SDP -> input -> row (along W) -> column (line buffer, along H) -> average (reciprocals, packing) ->
//   write DMA
//
// csb_*: accesses to the two register windows, answered one clock later with 0 from the one not addressed. sdp_*:
// on-the-fly input, SdpBsThroughput elements a beat, lane 0 of an atom first, INT8 in the low byte of what has room for
// 16 bits. r_*, w_*: read and write client of the memory interfaces.
// done_intr_o: one clock per layer whose last write has been acknowledged, by register group.
// The PDP_RDMA group is released when its last atom has been delivered, the PDP group when the last output has gone to
// the write DMA, which happens after the whole input has been taken, even columns and lines that no window uses.
// Spec: 60-pdp; 10-system section 6 (groups).
`include "nvdla_check.svh"
`ifndef NVDLA_PDP_RDMA_D_UNUSED
`include "nvdla_unused.svh"
`endif
module nvdla_pdp
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_pdp_pkg::*;
(
    input  logic                                   clk_i,
    input  logic                                   clk_on_i,  // keeps the clock running
    input  logic                                   rst_ni,
    input  logic                                   csb_rdma_req_i,
    input  logic                                   csb_req_i,
    input  logic                                   csb_write_i,
    input  logic [                CsbAddrBits-1:0] csb_addr_i,
    input  logic [                           31:0] csb_wdata_i,
    output logic [                           31:0] csb_rdma_rdata_o,
    output logic [                           31:0] csb_rdata_o,
    input  logic                                   sdp_valid_i,
    output logic                                   sdp_ready_o,
    input  logic [SdpBsThroughput*8*LaneBytes-1:0] sdp_data_i,
    output mif_rd_req_t                            r_mif_o,
    input  mif_rd_rsp_t                            r_mif_i,
    output mif_wr_req_t                            w_mif_o,
    input  mif_wr_rsp_t                            w_mif_i,
    output logic [                            1:0] done_intr_o
);
  logic clk, rdma_armed, armed, write_busy;  // the clock of everything below

  // Atoms in flight that cover the design latency of the memory at full throughput.
  localparam int ReadDepth = DbbLatency * PdpThroughput / MemAtom;
  localparam int RdmaBits = (PdpRdmaWords - PdpRdmaFirstD) * 32;
  localparam int PdpBits = (PdpWords - PdpFirstD) * 32;

  // ---- register groups ----------------------------------------------------------------------------------------------
  logic rdma_run, rdma_done, run, done;
  logic unused_rdma_group, group;
  logic [RdmaBits-1:0] rdma_flat, rdma_stat;
  logic [PdpBits-1:0] flat, stat;
  pdp_rdma_d_t rdma_d;
  pdp_d_t d;
  logic [31:0] read_stall, write_stall;

  logic [1:0] precision;
  assign rdma_d = rdma_flat;
  assign d = flat;
  assign precision = built_precision(d.input_data);
  assign rdma_stat = RdmaBits'(read_stall) << ((PdpRdmaDPerfReadStall - PdpRdmaFirstD) * 32);
  // INF_INPUT_NUM and NAN_INPUT_NUM always read 0 (60-pdp section 10).
  logic [31:0] nan_outputs;
  assign stat = (PdpBits'(write_stall) << ((PdpDPerfWriteStall - PdpFirstD) * 32)) |
                (PdpBits'(nan_outputs) << ((PdpDNanOutputNum - PdpFirstD) * 32));

  nvdla_reg_group #(
      .Words    (PdpRdmaWords),
      .FirstD   (PdpRdmaFirstD),
      .WriteMask(PdpRdmaWriteMask),
      .Reset    (PdpRdmaReset),
      .StatMask (PdpRdmaStatMask)
  ) u_rdma_registers (
      .clk_i  (clk),
      .rst_ni,
      .req_i  (csb_rdma_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(csb_rdma_rdata_o),
      .run_o  (rdma_run),
      .group_o(unused_rdma_group),
      .armed_o(rdma_armed),
      .d_o    (rdma_flat),
      .done_i (rdma_done),
      .stat_i (rdma_stat)
  );

  nvdla_reg_group #(
      .Words    (PdpWords),
      .FirstD   (PdpFirstD),
      .WriteMask(PdpWriteMask),
      .Reset    (PdpReset),
      .StatMask (PdpStatMask)
  ) u_registers (
      .clk_i  (clk),
      .rst_ni,
      .req_i  (csb_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(csb_rdata_o),
      .run_o  (run),
      .group_o(group),
      .armed_o(armed),
      .d_o    (flat),
      .done_i (done),
      .stat_i (stat)
  );

  wire unused_rdma_d = &{1'b0, `NVDLA_PDP_RDMA_D_UNUSED(rdma_d)};  // names and reasons: rtl/unused_fields.csv

  // Clock: an access, a group that is armed, writes under way.
  nvdla_clock_gate u_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(csb_rdma_req_i || csb_req_i || rdma_armed || armed || write_busy),
      .clk_o (clk)
  );

  // ---- input --------------------------------------------------------------------------------------------------------
  logic mem_valid, mem_ready, input_done;
  logic in_valid, in_ready, in_atom, in_last;
  logic [PdpSdpBeatBits-1:0] in_beat;
  logic [SdpBsThroughput*8-1:0] in_beat_data;
  logic [AtomBits-1:0] mem_data, in_atom_data;

  nvdla_pdp_rdma #(
      .Depth(ReadDepth)
  ) u_rdma (
      .clk_i                   (clk),
      .rst_ni,
      .run_i                   (rdma_run),
      .cube_in_width_i         (rdma_d.cube_in_width),
      .cube_in_height_i        (rdma_d.cube_in_height),
      .cube_in_channel_i       (rdma_d.cube_in_channel),
      .input_data_i            (rdma_d.input_data),
      .src_base_addr_i         (AddrBits'({rdma_d.src_base_addr_high, rdma_d.src_base_addr_low})),
      .src_line_stride_i       (rdma_d.src_line_stride),
      .src_surface_stride_i    (rdma_d.src_surface_stride),
      .src_ram_type_i          (rdma_d.src_ram_type),
      .split_num_i             (rdma_d.split_num),
      .kernel_width_i          (rdma_d.kernel_width),
      .kernel_stride_width_i   (rdma_d.kernel_stride_width),
      .partial_width_in_first_i(rdma_d.partial_width_in_first),
      .partial_width_in_last_i (rdma_d.partial_width_in_last),
      .partial_width_in_mid_i  (rdma_d.partial_width_in_mid),
      .dma_en_i                (rdma_d.dma_en),
      .done_o                  (rdma_done),
      .stall_o                 (read_stall),
      .atom_valid_o            (mem_valid),
      .atom_ready_i            (mem_ready),
      .atom_data_o             (mem_data),
      .mif_o                   (r_mif_o),
      .mif_i                   (r_mif_i)
  );

  nvdla_pdp_input u_input (
      .clk_i                   (clk),
      .rst_ni,
      .run_i                   (run),
      .cube_in_width_i         (d.cube_in_width),
      .cube_in_height_i        (d.cube_in_height),
      .cube_in_channel_i       (d.cube_in_channel),
      .flying_mode_i           (d.flying_mode),
      .input_data_i            (precision),
      .nan_to_zero_i           (d.nan_to_zero),
      .split_num_i             (d.split_num),
      .partial_width_in_first_i(d.partial_width_in_first),
      .partial_width_in_last_i (d.partial_width_in_last),
      .partial_width_in_mid_i  (d.partial_width_in_mid),
      .kernel_width_i          (d.kernel_width),
      .kernel_stride_width_i   (d.kernel_stride_width),
      .done_o                  (input_done),
      .mem_valid_i             (mem_valid),
      .mem_ready_o             (mem_ready),
      .mem_data_i              (mem_data),
      .sdp_valid_i,
      .sdp_ready_o,
      .sdp_data_i,
      .in_valid_o              (in_valid),
      .in_ready_i              (in_ready),
      .in_atom_o               (in_atom),
      .in_last_o               (in_last),
      .in_beat_o               (in_beat),
      .in_atom_data_o          (in_atom_data),
      .in_beat_data_o          (in_beat_data)
  );

  // ---- pooling ------------------------------------------------------------------------------------------------------
  logic clk_mean;  // clk in layers of averages of FP16
  logic row_valid, row_ready;
  logic [PdpColumnBits-1:0] row_atom_data;
  logic walk_over, beat_valid, beat_ready, tot_valid, tot_ready, tot_last;
  pdp_beat_t beat;
  logic [7:0] bank_read;
  logic [PdpBankAddrBits-1:0] bank_addr;
  logic [PdpThroughput*PdpRowBits-1:0] row;
  logic [PdpThroughput*PdpSumBits-1:0] tot;
  logic out_begun, out_valid, out_ready, out_last;
  logic [AtomBits-1:0] out_data;

  nvdla_pdp_row u_row (
      .clk_i         (clk),
      .clk_mean_i    (clk_mean),
      .rst_ni,
      .run_i         (run),
      .d_i           (d),
      .over_o        (walk_over),
      .in_valid_i    (row_valid),
      .in_ready_o    (row_ready),
      .in_atom_i     (in_atom),
      .in_last_i     (in_last),
      .in_beat_i     (in_beat),
      .in_atom_data_i(row_atom_data),
      .in_beat_data_i(in_beat_data),
      .beat_valid_o  (beat_valid),
      .beat_ready_i  (beat_ready),
      .beat_o        (beat),
      .row_o         (row),
      .read_o        (bank_read),
      .read_addr_o   (bank_addr)
  );

  logic [16:0] tot_pad;
  logic atom_begun, atom_valid, atom_ready, atom_last;
  logic [AtomBits-1:0] atom_data;

  if (Fp16 != 0) begin : gen_mean
    logic mean, mean_valid, mean_ready;
    logic [PdpColumnBits-1:0] mean_data;

    assign mean = pdp_is_mean(precision, d.pooling_method);
    assign row_valid = mean ? mean_valid : in_valid;
    assign in_ready = mean ? mean_ready : row_ready;
    assign row_atom_data = mean ? mean_data : PdpColumnBits'(in_atom_data);

    // Clock of what only averages of FP16 need.
    nvdla_clock_gate u_mean_clock (
        .clk_i,
        .rst_ni,
        .on_i  (clk_on_i),
        .work_i(run && mean),
        .clk_o (clk_mean)
    );

    nvdla_pdp_fp17_input u_mean_input (
        .clk_i      (clk_mean),
        .rst_ni,
        .in_valid_i (in_valid && mean),
        .in_ready_o (mean_ready),
        .in_data_i  (in_atom_data),
        .out_valid_o(mean_valid),
        .out_ready_i(row_ready),
        .out_data_o (mean_data)
    );

    // NaNs that left (D_NAN_OUTPUT_NUM), counted over the whole output cube.
    logic [31:0] nans_q;
    logic count;
    assign nan_outputs = nans_q;
    assign count = out_valid && out_ready && precision == PrecisionFp16;
    always_ff @(posedge clk or negedge rst_ni)
      if (!rst_ni) nans_q <= 32'd0;
      else if (!run) nans_q <= 32'd0;
      else if (count) nans_q <= nans_q + 32'(pdp_count_nans(out_data));
  end else begin : gen_no_mean
    assign clk_mean = 1'b0;
    assign nan_outputs = 32'd0;
    assign row_valid = in_valid;
    assign in_ready = row_ready;
    assign row_atom_data = in_atom_data;
  end

  nvdla_pdp_column u_column (
      .clk_i         (clk),
      .clk_mean_i    (clk_mean),
      .rst_ni,
      .precision_i   (precision),
      .method_i      (d.pooling_method),
      .kernel_width_i(d.kernel_width[2:0]),
      .beat_valid_i  (beat_valid),
      .beat_ready_o  (beat_ready),
      .beat_i        (beat),
      .row_i         (row),
      .read_i        (bank_read),
      .read_addr_i   (bank_addr),
      .tot_valid_o   (tot_valid),
      .tot_ready_i   (tot_ready),
      .tot_last_o    (tot_last),
      .tot_o         (tot),
      .tot_pad_o     (tot_pad)
  );

  nvdla_pdp_average u_average (
      .clk_i         (clk),
      .clk_mean_i    (clk_mean),
      .rst_ni,
      .precision_i   (precision),
      .method_i      (d.pooling_method),
      .recip_width_i (d.recip_kernel_width),
      .recip_height_i(d.recip_kernel_height),
      .tot_valid_i   (tot_valid),
      .tot_ready_o   (tot_ready),
      .tot_last_i    (tot_last),
      .tot_i         (tot),
      .tot_pad_i     (tot_pad),
      .atom_begun_o  (atom_begun),
      .atom_valid_o  (atom_valid),
      .atom_ready_i  (atom_ready),
      .atom_last_o   (atom_last),
      .atom_data_o   (atom_data)
  );

  if (LaneBytes == 2) begin : gen_skid
    // Ready of the write DMA ends here: all stages up to the walk move by ready.
    nvdla_skid #(
        .Width(1 + AtomBits)
    ) u_skid (
        .clk_i      (clk),
        .rst_ni,
        .in_valid_i (atom_valid),
        .in_ready_o (atom_ready),
        .in_data_i  ({atom_last, atom_data}),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_data_o ({out_last, out_data})
    );
    assign out_begun = out_valid || atom_begun;
  end else begin : gen_straight
    assign out_begun = atom_begun;
    assign out_valid = atom_valid;
    assign atom_ready = out_ready;
    assign out_last = atom_last;
    assign out_data = atom_data;
  end

  // ---- output -------------------------------------------------------------------------------------------------------
  logic output_done;

  nvdla_pdp_wdma u_wdma (
      .clk_i                    (clk),
      .rst_ni,
      .run_i                    (run),
      .group_i                  (group),
      .cube_in_channel_i        (d.cube_in_channel),
      .input_data_i             (precision),
      .cube_out_width_i         (d.cube_out_width),
      .cube_out_height_i        (d.cube_out_height),
      .split_num_i              (d.split_num),
      .partial_width_out_first_i(d.partial_width_out_first),
      .partial_width_out_last_i (d.partial_width_out_last),
      .partial_width_out_mid_i  (d.partial_width_out_mid),
      .dst_base_addr_i          (AddrBits'({d.dst_base_addr_high, d.dst_base_addr_low})),
      .dst_line_stride_i        (d.dst_line_stride),
      .dst_surface_stride_i     (d.dst_surface_stride),
      .dst_ram_type_i           (d.dst_ram_type),
      .dma_en_i                 (d.dma_en),
      .release_i                (input_done && walk_over),
      .done_o                   (output_done),
      .stall_o                  (write_stall),
      .atom_begun_i             (out_begun),
      .atom_valid_i             (out_valid),
      .atom_ready_o             (out_ready),
      .atom_last_i              (out_last),
      .atom_data_i              (out_data),
      .done_intr_o,
      .busy_o                   (write_busy),
      .mif_o                    (w_mif_o),
      .mif_i                    (w_mif_i)
  );

  assign done = run && output_done;

  `NVDLA_CHECK(InterruptOfOneGroup, `NVDLA_ONEHOT0(done_intr_o))
  `NVDLA_CHECK(EmptyAtEndOfLayer, !done || !(in_valid || beat_valid || tot_valid || out_valid))
endmodule
