// The blocks of a layer in order: surface, line, phase in y, group of columns, group of phases in x.
//
// start_i begins with the first block, which block_o shows from the next clock on; step_i moves to the next; active_o
// ends with the last one. Split and merge have one phase. Spec: 66-rubik, section 6.
`include "nvdla_check.svh"
module nvdla_rubik_walk
  import nvdla_rubik_pkg::*;
(
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         start_i,
    input  rubik_layer_t layer_i,
    input  logic         step_i,
    output logic         active_o,
    output logic         last_o,
    output rubik_block_t block_o
);
  logic active_q, first_q, phase_last, group_last, v_last, y_last, z_last;
  logic [12:0] columns_q, lines_q;  // those left, less 1
  logic [4:0] phases_q, v_q;
  logic [8:0] surfaces_q, surface_q;
  logic [12:0] width;
  logic [4:0] full, rows;

  assign width = layer_i.contract ? 13'd7 : 13'd63;  // of a group, less 1
  assign full = layer_i.wide ? 5'd15 : 5'd31;
  assign phase_last = !layer_i.contract || phases_q <= 5'd7;
  assign group_last = columns_q <= width;
  assign v_last = !layer_i.contract || v_q == '0;
  assign y_last = lines_q == '0;
  assign z_last = surfaces_q == '0;

  assign block_o.columns = group_last ? columns_q[5:0] : width[5:0];
  always_comb begin
    rows = full;
    if (layer_i.contract) rows = phase_last ? phases_q : 5'd7;
    else if (layer_i.split ? z_last : surface_q == layer_i.in_surfaces) rows = layer_i.last_rows;
  end
  assign block_o.rows = rows;
  assign block_o.phase_last = phase_last;
  assign block_o.group_first = first_q;
  assign block_o.group_last = group_last;
  assign block_o.v_last = v_last;
  assign block_o.y_last = y_last;
  assign block_o.z_last = z_last;
  assign active_o = active_q;
  assign last_o = phase_last & group_last & v_last & y_last & z_last;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (step_i && last_o) active_q <= 1'b0;

  always_ff @(posedge clk_i)
    if (start_i) begin
      phases_q   <= layer_i.x_stride;
      columns_q  <= layer_i.width;
      first_q    <= 1'b1;
      v_q        <= layer_i.y_stride;
      lines_q    <= layer_i.height;
      surfaces_q <= layer_i.surfaces;
      surface_q  <= '0;
    end else if (step_i) begin
      phases_q <= phase_last ? layer_i.x_stride : phases_q - 5'd8;
      if (phase_last) begin
        columns_q <= group_last ? layer_i.width : columns_q - width - 13'd1;
        first_q   <= group_last;
        if (group_last) begin
          v_q <= v_last ? layer_i.y_stride : v_q - 5'd1;
          if (v_last) begin
            lines_q <= y_last ? layer_i.height : lines_q - 13'd1;
            if (y_last) begin
              surfaces_q <= surfaces_q - 9'd1;
              surface_q  <= surface_q + 9'd1;
            end
          end
        end
      end
    end

  wire unused = &{1'b0, layer_i.merge, layer_i.columnwise};
  `NVDLA_CHECK(StepsInALayer, !step_i || active_o)
  `NVDLA_CHECK(OneLayerAtATime, !start_i || !active_o)
  `NVDLA_FINAL(IdleAtTheEnd, !active_q)
endmodule
