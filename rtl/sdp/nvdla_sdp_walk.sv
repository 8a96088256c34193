// Position in a cube, counted in atoms: columns of a line, lines of a surface, surfaces.
//
// step_i moves on by one atom. last_of_surface_o and last_o tell that the present atom is the last one of its surface and
// of the cube. clear_i goes back to the first atom and must be high for a clock before the sizes are used.
// Spec: 50-sdp section 8.1, "Processing order".
module nvdla_sdp_walk (
    input  logic        clk_i,
    input  logic        clear_i,
    input  logic        step_i,
    input  logic [12:0] width_i,          // minus 1
    input  logic [12:0] height_i,         // minus 1
    input  logic [12:0] surface_count_i,  // minus 1
    output logic        last_of_surface_o,
    output logic        last_o
);
  logic [12:0] column_q, line_q, surface_q;
  logic last_column;

  assign last_column = column_q == width_i;
  assign last_of_surface_o = last_column && line_q == height_i;
  assign last_o = last_of_surface_o && surface_q == surface_count_i;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      column_q <= 13'd0;
      line_q <= 13'd0;
      surface_q <= 13'd0;
    end else if (step_i) begin
      column_q <= last_column ? 13'd0 : column_q + 13'd1;
      if (last_column) line_q <= last_of_surface_o ? 13'd0 : line_q + 13'd1;
      if (last_of_surface_o) surface_q <= surface_q + 13'd1;
    end
  end

`ifdef NVDLA_CHECKS
  // There is no reset here: the checks begin when a layer has been begun.
  logic begun_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) if (clear_i) begun_q <= 1'b1;
  `NVDLA_CHECK_AT(PositionInsideCube, clk_i, begun_q, clear_i || !step_i ||
                  (column_q <= width_i && line_q <= height_i && surface_q <= surface_count_i))
`endif
endmodule
