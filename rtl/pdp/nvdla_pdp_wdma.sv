// Write side of PDP: one command per output line of a strip, in the order strip, surface, line, followed by its atoms.
//
// atom_*: the output atoms in that order, atom_last_i with the last one of the layer. A line's command is offered as
// soon as its first atom is being packed (atom_begun_i); the last command asks for the acknowledge. The last atom of
// the layer waits for release_i (nothing of the input is left). done_o: the write DMA has taken it; held until run_i
// falls. done_intr_o: the layer of group_i is in memory. stall_o: running count of clocks in which a command or an atom
// waits (D_PERF_WRITE_STALL), never cleared.
// Byte sums of base and strides are passed on as they are (20-data-formats section 9).
// Spec: 60-pdp, sections 3, 7, 10.
`include "nvdla_check.svh"
module nvdla_pdp_wdma
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                run_i,
    input  logic                group_i,
    input  logic [        12:0] cube_in_channel_i,
    input  logic [         1:0] input_data_i,
    input  logic [        12:0] cube_out_width_i,
    input  logic [        12:0] cube_out_height_i,
    input  logic [         7:0] split_num_i,
    input  logic [         9:0] partial_width_out_first_i,
    input  logic [         9:0] partial_width_out_last_i,
    input  logic [         9:0] partial_width_out_mid_i,
    input  logic [AddrBits-1:0] dst_base_addr_i,
    input  logic [        31:0] dst_line_stride_i,
    input  logic [        31:0] dst_surface_stride_i,
    input  logic                dst_ram_type_i,
    input  logic                dma_en_i,
    input  logic                release_i,
    output logic                done_o,
    output logic [        31:0] stall_o,
    input  logic                atom_begun_i,
    input  logic                atom_valid_i,
    output logic                atom_ready_o,
    input  logic                atom_last_i,
    input  logic [AtomBits-1:0] atom_data_i,
    output logic [         1:0] done_intr_o,
    output logic                busy_o,
    output mif_wr_req_t         mif_o,
    input  mif_wr_rsp_t         mif_i
);
  logic cmd_valid, cmd_ready, dat_valid, dat_ready;
  logic loaded_q, command_q;  // command: the line's command is still to be accepted
  logic [31:0] stall_q;
  logic [7:0] strip_q;
  logic [12:0] surface_q, line_q, column_q, column_last_q;
  logic [AddrBits-1:0] strip_addr_q, surface_addr_q, line_addr_q;
  logic released, dat_take, line_last, strip_last, line_end;
  logic [12:0] surface_last;
  logic [7:0] strip_next;
  logic [AddrBits-1:0] strip_addr_next, surface_addr_next;

  assign released = release_i || !atom_last_i;
  assign dat_take = dat_valid && dat_ready;
  assign surface_last = pdp_surface_last(cube_in_channel_i, input_data_i);
  assign line_last = line_q == cube_out_height_i;
  assign strip_last = line_last && surface_q == surface_last;
  assign line_end = dat_take && column_q == column_last_q;
  assign strip_next = loaded_q ? strip_q + 8'd1 : 8'd0;
  assign strip_addr_next = strip_addr_q + (AddrBits'(column_last_q) + AddrBits'(1) << PdpChannelShift);
  assign surface_addr_next = surface_addr_q + AddrBits'(dst_surface_stride_i);

  assign cmd_valid = command_q && atom_begun_i;
  assign dat_valid = atom_valid_i && !command_q && released;
  assign atom_ready_o = dat_ready && !command_q && released;
  assign stall_o = stall_q;

  nvdla_engine_output u_output (
      .clk_i,
      .rst_ni,
      .run_i,
      .group_i,
      .cmd_valid_i (cmd_valid),
      .cmd_ready_o (cmd_ready),
      .cmd_addr_i  (line_addr_q),
      .cmd_size_i  (16'(column_last_q)),
      .cmd_ram_i   (dst_ram_type_i),
      .cmd_last_i  (strip_last && strip_q == split_num_i),
      .atom_valid_i(dat_valid),
      .atom_ready_o(dat_ready),
      .atom_last_i,
      .atom_data_i,
      .done_o,
      .done_intr_o,
      .busy_o,
      .mif_o,
      .mif_i
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q <= 1'b0;
      command_q <= 1'b1;
      stall_q <= 32'd0;
    end else begin
      loaded_q <= run_i;
      if (line_end) command_q <= 1'b1;
      else if (cmd_valid && cmd_ready) command_q <= 1'b0;
      if (((cmd_valid && !cmd_ready) || (dat_valid && !dat_ready)) && dma_en_i) stall_q <= stall_q + 32'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (run_i && !loaded_q) begin
      strip_q <= strip_next;
      surface_q <= 13'd0;
      line_q <= 13'd0;
      column_q <= 13'd0;
      column_last_q <= pdp_strip_last_out(split_num_i, strip_next, cube_out_width_i, partial_width_out_first_i,
                         partial_width_out_mid_i, partial_width_out_last_i);
      strip_addr_q <= dst_base_addr_i;
      surface_addr_q <= dst_base_addr_i;
      line_addr_q <= dst_base_addr_i;
    end else if (line_end) begin
      column_q <= 13'd0;
      if (!line_last) begin
        line_q <= line_q + 13'd1;
        line_addr_q <= line_addr_q + AddrBits'(dst_line_stride_i);
      end else begin
        line_q <= 13'd0;
        if (!strip_last) begin
          surface_q <= surface_q + 13'd1;
          surface_addr_q <= surface_addr_next;
          line_addr_q <= surface_addr_next;
        end else begin
          surface_q <= 13'd0;
          strip_q <= strip_next;
          column_last_q <= pdp_strip_last_out(split_num_i, strip_next, cube_out_width_i, partial_width_out_first_i,
                             partial_width_out_mid_i, partial_width_out_last_i);
          strip_addr_q <= strip_addr_next;
          surface_addr_q <= strip_addr_next;
          line_addr_q <= strip_addr_next;
        end
      end
    end else if (dat_take) begin
      column_q <= column_q + 13'd1;
    end
  end

  `NVDLA_STABLE(AtomStable, atom_valid_i, atom_ready_o, {atom_last_i, atom_data_i})
  `NVDLA_CHECK(LayerEndsWithItsLastLine,
               !(dat_take && atom_last_i) || (line_end && strip_last && strip_q == split_num_i))
  // Without its line and its surface an address is whole atoms from the base: where the strip begins.
  `NVDLA_CHECK(AddressOfItsLine,
               !cmd_valid || (line_addr_q - dst_base_addr_i - AddrBits'(line_q) * AddrBits'(dst_line_stride_i) -
                            AddrBits'(surface_q) * AddrBits'(dst_surface_stride_i)) % AddrBits'(MemAtom) == '0)
  `NVDLA_CHECK(CommandBeforeItsAtoms, !dat_take || !command_q)
endmodule
