// RUBIK's write commands: contract, one for each output line, or, column by column, one for each column of a block;
// split, one for each plane of a block; merge, one for the block's atoms.
//
// start_i begins a layer; base_i and the strides are those of the output; plane_stride_i: from a plane to the next
// (split). cmd_* as in nvdla_engine_output.
// Spec: 66-rubik, sections 3 to 6.
`include "nvdla_check.svh"
module nvdla_rubik_command
  import nvdla_rubik_pkg::*;
(
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         start_i,
    input  rubik_layer_t layer_i,
    input  logic [58:0]  base_i,
    input  logic [26:0]  line_stride_i,
    input  logic [31:0]  surface_stride_i,
    input  logic [26:0]  plane_stride_i,
    output logic         cmd_valid_o,
    input  logic         cmd_ready_i,
    output logic [63:0]  cmd_addr_o,
    output logic [15:0]  cmd_size_o,
    output logic         cmd_last_o
);
  logic active, step, item_last, block_last, line;
  rubik_block_t block;
  logic [5:0] item_q;
  // In atoms: first line of the surface; the line; the group of columns; its first phase of the block; the column or
  // plane.
  logic [58:0] surface_q, line_q, group_q, phase_q, place_q, next_surface, next_line, next_group, next_phase;
  logic [26:0] item_stride;
  logic [8:0] group_step;

  nvdla_rubik_walk u_walk (
      .clk_i,
      .rst_ni,
      .start_i,
      .layer_i,
      .step_i  (step & item_last),
      .active_o(active),
      .last_o  (block_last),
      .block_o (block)
  );

  logic [15:0] line_size_q;  // atoms of an output line of contract, less 1
  always_ff @(posedge clk_i)
    if (start_i) line_size_q <= (16'(layer_i.width) + 16'd1) * (16'(layer_i.x_stride) + 16'd1) - 16'd1;

  assign line = layer_i.contract & ~layer_i.columnwise;
  always_comb begin
    item_last = 1'b1;
    if (layer_i.columnwise) item_last = item_q == block.columns;
    else if (layer_i.split) item_last = item_q == 6'(block.rows);
  end
  assign cmd_valid_o = active & (~line | block.group_first);
  assign step = active & (cmd_ready_i | ~cmd_valid_o);
  assign cmd_addr_o = {place_q, 5'd0};
  always_comb begin
    cmd_size_o = 16'(block.columns);
    if (line) cmd_size_o = line_size_q;
    else if (layer_i.columnwise) cmd_size_o = 16'(block.rows);
    else if (layer_i.split) cmd_size_o = layer_i.wide ? 16'(block.columns[5:4]) : 16'(block.columns[5]);
  end
  assign cmd_last_o = line ? block.z_last & block.y_last & block.v_last : block_last & item_last;

  assign item_stride = layer_i.split ? plane_stride_i : 27'(layer_i.x_stride) + 27'd1;
  assign group_step = layer_i.contract ? {1'b0, layer_i.x_stride, 3'd0} + 9'd8 : layer_i.merge ? 9'd64 : layer_i.wide ?
      9'd4 : 9'd2;
  assign next_surface = surface_q + 59'(surface_stride_i);
  assign next_line = line_q + 59'(line_stride_i);
  assign next_group = group_q + 59'(group_step);
  assign next_phase = phase_q + 59'd8;

  always_ff @(posedge clk_i)
    if (start_i) begin
      item_q    <= '0;
      surface_q <= base_i;
      line_q    <= base_i;
      group_q   <= base_i;
      phase_q   <= base_i;
      place_q   <= base_i;
    end else if (step) begin
      item_q <= item_last ? '0 : item_q + 6'd1;
      if (!item_last) place_q <= place_q + 59'(item_stride);
      else if (!block.phase_last) begin
        phase_q <= next_phase;
        place_q <= next_phase;
      end else if (!block.group_last) begin
        group_q <= next_group;
        phase_q <= next_group;
        place_q <= next_group;
      end else if (!(block.v_last && block.y_last)) begin
        line_q  <= next_line;
        group_q <= next_line;
        phase_q <= next_line;
        place_q <= next_line;
      end else begin
        surface_q <= next_surface;
        line_q    <= next_surface;
        group_q   <= next_surface;
        phase_q   <= next_surface;
        place_q   <= next_surface;
      end
    end

  `NVDLA_STABLE(CommandStable, cmd_valid_o, cmd_ready_i, {cmd_addr_o, cmd_size_o, cmd_last_o})
endmodule
