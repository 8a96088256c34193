// Write side of CDP: one command per block, followed by its output atoms.
//
// block_*: blocks in order; a command is offered as soon as its block is known. atom_*: output atoms in the same order,
// atom_last_i with the last one of the layer; it waits until all commands are out. done_o: the write DMA has taken it;
// held until run_i falls. done_intr_o: the layer of group_i is in memory. stall_o: running count of clocks in which an
// atom waits (D_PERF_WRITE_STALL), never cleared.
// Spec: 62-cdp, sections 2.2, 9.
`include "nvdla_check.svh"
module nvdla_cdp_wdma
  import nvdla_pkg::*;
  import nvdla_cdp_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                run_i,
    input  logic                group_i,
    input  logic [AddrBits-1:0] dst_base_addr_i,
    input  logic [        31:0] dst_line_stride_i,
    input  logic [        31:0] dst_surface_stride_i,
    input  logic                dst_ram_type_i,
    input  logic                dma_en_i,
    output logic                done_o,
    output logic [        31:0] stall_o,
    input  logic                block_valid_i,
    output logic                block_ready_o,
    input  cdp_block_t          block_i,
    input  logic                atom_valid_i,
    output logic                atom_ready_o,
    input  logic                atom_last_i,
    input  logic [AtomBits-1:0] atom_data_i,
    output logic [         1:0] done_intr_o,
    output logic                busy_o,
    output mif_wr_req_t         mif_o,
    input  mif_wr_rsp_t         mif_i
);
  localparam int Blocks = 8;  // more than the pipeline holds when blocks have one column

  logic cmd_valid, cmd_ready, atom_ready, loaded_q;
  logic [AddrBits-1:0] cmd_addr;
  logic [31:0] stall_q;
  logic [CdpBlockBits-1:0] block_flat;
  cdp_block_t block;
  logic held;

  assign held = atom_last_i && cmd_valid;

  nvdla_fifo #(
      .Width(CdpBlockBits),
      .Depth(Blocks)
  ) u_blocks (
      .clk_i,
      .rst_ni,
      .in_valid_i (block_valid_i),
      .in_ready_o (block_ready_o),
      .in_data_i  (block_i),
      .out_valid_o(cmd_valid),
      .out_ready_i(cmd_ready),
      .out_data_o (block_flat)
  );

  assign block = block_flat;

  nvdla_cdp_address u_address (
      .clk_i,
      .load_i          (run_i && !loaded_q),
      .base_i          (dst_base_addr_i),
      .line_stride_i   (dst_line_stride_i),
      .surface_stride_i(dst_surface_stride_i),
      .step_i          (cmd_valid && cmd_ready),
      .surface_last_i  (block.surface_last),
      .line_last_i     (block.line_last),
      .addr_o          (cmd_addr)
  );

  nvdla_engine_output u_output (
      .clk_i,
      .rst_ni,
      .run_i,
      .group_i,
      .cmd_valid_i (cmd_valid),
      .cmd_ready_o (cmd_ready),
      .cmd_addr_i  (cmd_addr),
      .cmd_size_i  (16'(block.columns)),
      .cmd_ram_i   (dst_ram_type_i),
      .cmd_last_i  (block.layer_last),
      .atom_valid_i(atom_valid_i && !held),
      .atom_ready_o(atom_ready),
      .atom_last_i,
      .atom_data_i,
      .done_o,
      .done_intr_o,
      .busy_o,
      .mif_o,
      .mif_i
  );

  assign atom_ready_o = atom_ready && !held;
  assign stall_o = stall_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q <= 1'b0;
      stall_q <= 32'd0;
    end else begin
      loaded_q <= run_i;
      if (atom_valid_i && !atom_ready_o && dma_en_i) stall_q <= stall_q + 32'd1;
    end
  end

  `NVDLA_STABLE(BlockStable, block_valid_i, block_ready_o, block_i)
  `NVDLA_STABLE(AtomStable, atom_valid_i, atom_ready_o, {atom_last_i, atom_data_i})
endmodule
