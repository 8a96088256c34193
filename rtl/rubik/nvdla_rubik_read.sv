// RUBIK's read requests: contract and merge, one for each phase or plane of a block; split, one for the block's atoms.
//
// start_i begins a layer; base_i and the strides are those of the input. row_stride_i: from a phase or plane to the
// next. req_* as in nvdla_dma_read; req_last_o marks the layer's last one.
// Spec: 66-rubik, sections 3 to 6.
`include "nvdla_check.svh"
module nvdla_rubik_read
  import nvdla_rubik_pkg::*;
(
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         start_i,
    input  rubik_layer_t layer_i,
    input  logic [58:0]  base_i,
    input  logic [26:0]  line_stride_i,
    input  logic [31:0]  surface_stride_i,
    input  logic [26:0]  row_stride_i,
    output logic         req_valid_o,
    input  logic         req_ready_i,
    output logic [63:0]  req_addr_o,
    output logic [15:0]  req_size_o,
    output logic         req_last_o
);
  logic active, step, row_last, block_last, unused_first;
  rubik_block_t block;
  logic [4:0] row_q;
  // In atoms: first line of the surface; the line; its first phase; the row; the columns' distance from it.
  logic [58:0] surface_q, line_q, phase_q, place_q, next_surface, next_line, next_row;
  logic [17:0] group_q, group_step;

  nvdla_rubik_walk u_walk (
      .clk_i,
      .rst_ni,
      .start_i,
      .layer_i,
      .step_i  (step & row_last),
      .active_o(active),
      .last_o  (block_last),
      .block_o (block)
  );
  assign unused_first = block.group_first;

  assign row_last = layer_i.split || row_q == block.rows;
  assign step = req_valid_o & req_ready_i;
  assign req_valid_o = active;
  assign req_addr_o = {place_q + 59'(group_q), 5'd0};
  // Planes are 64 bytes or 128 for 64 columns.
  assign req_size_o = !layer_i.merge ? 16'(block.columns) : layer_i.wide ? 16'(block.columns[5:4]) :
      16'(block.columns[5]);
  assign req_last_o = block_last & row_last;

  assign group_step = layer_i.contract ? 18'd8 : layer_i.split ? 18'd64 : layer_i.wide ? 18'd4 : 18'd2;
  assign next_surface = surface_q + 59'(surface_stride_i);
  assign next_line = line_q + 59'(line_stride_i);
  assign next_row = place_q + 59'(row_stride_i);

  always_ff @(posedge clk_i)
    if (start_i) begin
      row_q     <= '0;
      surface_q <= base_i;
      line_q    <= base_i;
      phase_q   <= base_i;
      place_q   <= base_i;
      group_q   <= '0;
    end else if (step) begin
      row_q <= row_last ? '0 : row_q + 5'd1;
      if (!row_last || !block.phase_last) place_q <= next_row;
      else if (!block.group_last) begin
        place_q <= phase_q;
        group_q <= group_q + group_step;
      end else begin
        group_q <= '0;
        if (!block.v_last) begin
          phase_q <= next_row;
          place_q <= next_row;
        end else if (!block.y_last) begin
          line_q  <= next_line;
          phase_q <= next_line;
          place_q <= next_line;
        end else begin
          surface_q <= next_surface;
          line_q    <= next_surface;
          phase_q   <= next_surface;
          place_q   <= next_surface;
        end
      end
    end

  wire unused = &{1'b0, unused_first, block.z_last};
  `NVDLA_STABLE(RequestStable, req_valid_o, req_ready_i, {req_addr_o, req_size_o})
endmodule
