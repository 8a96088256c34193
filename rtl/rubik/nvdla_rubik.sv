// RUBIK: contract (the phases of a deconvolution to a cube), split (feature to planar) and merge (planar to feature).
//
//   read requests -> read DMA -> turn (rows and columns exchanged) -> write DMA <- write commands
//
// The four parts walk through the same blocks of the layer, each at its own pace. csb_*: accesses to the register
// window, answered one clock later. r_*, w_*: read and write client of the memory interfaces. done_intr_o: one clock
// per layer whose last write has been acknowledged, by register group; the group is released when the last write has
// gone to the write DMA. The undefined mode never ends.
// Spec: 66-rubik; 10-system, section 6 (groups).
`ifdef NVDLA_RUBIK  // without it there are no such registers
`include "nvdla_check.svh"
`ifndef NVDLA_RBK_D_UNUSED
`include "nvdla_unused.svh"
`endif
module nvdla_rubik
  import nvdla_pkg::*;
  import nvdla_precision_pkg::*;
  import nvdla_rubik_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   clk_on_i,  // keeps the clock running
    input  logic                   rst_ni,
    input  logic                   csb_req_i,
    input  logic                   csb_write_i,
    input  logic [CsbAddrBits-1:0] csb_addr_i,
    input  logic [           31:0] csb_wdata_i,
    output logic [           31:0] csb_rdata_o,
    output mif_rd_req_t            r_mif_o,
    input  mif_rd_rsp_t            r_mif_i,
    output mif_wr_req_t            w_mif_o,
    input  mif_wr_rsp_t            w_mif_i,
    output logic [            1:0] done_intr_o
);
  localparam int ReadDepth = 80;  // beats in flight: 70-memory-interface, section 3
  localparam int Bits = (RbkWords - RbkFirstD) * 32;

  // ---- registers ----------------------------------------------------------------------------------------------------
  logic clk, armed, write_busy;  // the clock of everything below
  logic run, group, done, output_done, run_q, start;
  logic [Bits-1:0] flat, stat;
  rbk_d_t d;
  logic [31:0] read_stall_q, write_stall_q;

  // Clock: an access, a group that is armed, writes under way.
  nvdla_clock_gate u_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(csb_req_i || armed || write_busy),
      .clk_o (clk)
  );

  nvdla_reg_group #(
      .Words    (RbkWords),
      .FirstD   (RbkFirstD),
      .WriteMask(RbkWriteMask),
      .Reset    (RbkReset),
      .StatMask (RbkStatMask)
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
  assign d = flat;
  assign stat = Bits'({write_stall_q, read_stall_q}) << ((RbkDPerfReadStall - RbkFirstD) * 32);
  wire unused_d = &{1'b0, `NVDLA_RBK_D_UNUSED(d)};  // names and reasons: rtl/unused_fields.csv

  // Elements of an atom: 32, or 16 of two bytes. Sizes of contract in channels are those of the output.
  logic wide;
  rubik_layer_t layer;
  assign wide = built_precision(d.in_precision) != PrecisionInt8;
  assign layer.contract = d.rubik_mode == RubikContract;
  assign layer.split = d.rubik_mode == RubikSplit;
  assign layer.merge = d.rubik_mode == RubikMerge;
  assign layer.wide = wide;
  assign layer.columnwise = d.rubik_mode == RubikContract && d.deconv_x_stride > 5'd7;
  assign layer.width = d.datain_width;
  assign layer.height = d.datain_height;
  assign layer.surfaces = wide ? d.dataout_channel[12:4] : 9'(d.dataout_channel[12:5]);
  assign layer.in_surfaces = wide ? d.datain_channel[12:4] : 9'(d.datain_channel[12:5]);
  assign layer.last_rows = wide ? 5'(d.datain_channel[3:0]) : d.datain_channel[4:0];
  assign layer.x_stride = d.deconv_x_stride;
  assign layer.y_stride = d.deconv_y_stride;
  assign start = run & ~run_q & (d.rubik_mode <= RubikMerge);

  assign done = run & output_done;

  // ---- layer --------------------------------------------------------------------------------------------------------
  logic req_valid, req_ready, req_last, in_valid, in_ready, cmd_valid, cmd_ready, cmd_last, out_valid, out_ready,
      out_last;
  logic [63:0] req_addr, cmd_addr;
  logic [15:0] req_size, cmd_size;
  logic [MifBits-1:0] in_data, out_data;

  nvdla_rubik_read u_read (
      .clk_i           (clk),
      .rst_ni,
      .start_i         (start),
      .layer_i         (layer),
      .base_i          ({d.dain_addr_high, d.dain_addr_low}),
      .line_stride_i   (d.dain_line_stride),
      .surface_stride_i(!layer.merge ? 32'(d.dain_surf_stride) : 32'(d.dain_planar_stride) << (wide ? 4 : 5)),
      .row_stride_i    (layer.merge ? d.dain_planar_stride : d.contract_stride_0),
      .req_valid_o     (req_valid),
      .req_ready_i     (req_ready),
      .req_addr_o      (req_addr),
      .req_size_o      (req_size),
      .req_last_o      (req_last)
  );

  logic unused_read_busy;
  nvdla_dma_read #(
      .Depth   (ReadDepth),
      .RspAtoms(MifAtoms)
  ) u_read_dma (
      .clk_i      (clk),
      .rst_ni,
      .req_valid_i(req_valid),
      .req_ready_o(req_ready),
      .req_addr_i (AddrBits'(req_addr)),
      .req_size_i (req_size),
      .req_ram_i  (d.datain_ram_type),
      .rsp_valid_o(in_valid),
      .rsp_ready_i(in_ready),
      .rsp_data_o (in_data),
      .busy_o     (unused_read_busy),
      .mif_o      (r_mif_o),
      .mif_i      (r_mif_i)
  );

  nvdla_rubik_turn u_turn (
      .clk_i      (clk),
      .rst_ni,
      .start_i    (start),
      .layer_i    (layer),
      .in_valid_i (in_valid),
      .in_ready_o (in_ready),
      .in_data_i  (in_data),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready),
      .out_last_o (out_last),
      .out_data_o (out_data)
  );

  nvdla_rubik_command u_command (
      .clk_i           (clk),
      .rst_ni,
      .start_i         (start),
      .layer_i         (layer),
      .base_i          ({d.daout_addr_high, d.daout_addr_low}),
      .line_stride_i   (d.daout_line_stride),
      .surface_stride_i(!layer.split ? 32'(d.daout_surf_stride) : 32'(d.daout_planar_stride) << (wide ? 4 : 5)),
      .plane_stride_i  (d.daout_planar_stride),
      .cmd_valid_o     (cmd_valid),
      .cmd_ready_i     (cmd_ready),
      .cmd_addr_o      (cmd_addr),
      .cmd_size_o      (cmd_size),
      .cmd_last_o      (cmd_last)
  );

  nvdla_engine_output #(
      .DatAtoms(MifAtoms)
  ) u_output (
      .clk_i       (clk),
      .rst_ni,
      .run_i       (run),
      .group_i     (group),
      .cmd_valid_i (cmd_valid),
      .cmd_ready_o (cmd_ready),
      .cmd_addr_i  (AddrBits'(cmd_addr)),
      .cmd_size_i  (cmd_size),
      .cmd_ram_i   (d.dataout_ram_type),
      .cmd_last_i  (cmd_last),
      .atom_valid_i(out_valid),
      .atom_ready_o(out_ready),
      .atom_last_i (out_last),
      .atom_data_i (out_data),
      .done_o      (output_done),
      .done_intr_o,
      .busy_o      (write_busy),
      .mif_o       (w_mif_o),
      .mif_i       (w_mif_i)
  );

  // Reads count while they are valid, but for the clock in which the last one goes; writes count while they wait.
  // Section 7.
  always_ff @(posedge clk or negedge rst_ni)
    if (!rst_ni) begin
      run_q         <= 1'b0;
      read_stall_q  <= '0;
      write_stall_q <= '0;
    end else begin
      run_q <= run;
      if (start) begin
        read_stall_q  <= '0;
        write_stall_q <= '0;
      end else if (d.perf_en) begin
        if (req_valid && !(req_ready && req_last)) read_stall_q <= read_stall_q + 32'd1;
        if ((cmd_valid && !cmd_ready) || (out_valid && !out_ready)) write_stall_q <= write_stall_q + 32'd1;
      end
    end

  `NVDLA_PARAM(HasRubik, Rubik != 0)
  `NVDLA_CHECK(LayerIsWhole, !done || !(req_valid || in_valid || cmd_valid || out_valid))
endmodule
`endif
