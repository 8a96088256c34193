// Position in a cube, counted in atoms: columns of a line, lines of a surface, surfaces; of batches, pairs of columns.
//
// step_i moves on by one atom. last_of_surface_o and last_o say that the present atom is the last one of its surface
// and of the cube. clear_i goes back to the first atom and must be high for a clock before the sizes are used.
// With batches_i > 0 the two columns of a pair come once for each batch before the next pair: second_o marks the second
// column, turn_end_o the last one of the pair (of the last pair of an odd width the only one), round_end_o that this is
// the last batch. Without batches a column is a turn of its own. Winograd order only permutes columns and lines of a
// surface: what is counted here is the same.
// Spec: 50-sdp sections 8.1, "Processing order", and 8.3.
`include "nvdla_check.svh"
module nvdla_sdp_walk
  import nvdla_pkg::*;
(
    input  logic        clk_i,
    input  logic        clear_i,
    input  logic        step_i,
    input  logic [12:0] width_i,          // minus 1
    input  logic [12:0] height_i,         // minus 1
    input  logic [12:0] surface_count_i,  // minus 1
    input  logic [ 4:0] batches_i,        // minus 1
    output logic        second_o,
    output logic        turn_end_o,
    output logic        round_end_o,
    output logic        last_of_surface_o,
    output logic        last_o
);
  logic [12:0] column_q, line_q, surface_q, next_column;
  logic last_column, round;  // round: the last atom of a turn of the last batch

  assign last_column = column_q == width_i;
  assign round = turn_end_o && round_end_o;
  assign last_of_surface_o = round && last_column && line_q == height_i;
  assign last_o = last_of_surface_o && surface_q == surface_count_i;

  if (BatchMax > 1) begin : gen_batches
    logic [4:0] batch_q;
    logic batches;
    assign batches = batches_i != 5'd0;
    assign second_o = batches && column_q[0];
    assign turn_end_o = !batches || column_q[0] || last_column;
    assign round_end_o = batch_q == batches_i;
    assign next_column = (turn_end_o && !round_end_o) ? {column_q[12:1], 1'b0} : (last_column && round_end_o) ? 13'd0 :
        column_q + 13'd1;
    always_ff @(posedge clk_i) begin
      if (clear_i) batch_q <= 5'd0;
      else if (step_i && turn_end_o) batch_q <= round_end_o ? 5'd0 : batch_q + 5'd1;
    end
  end else begin : gen_single
    assign second_o = 1'b0;
    assign turn_end_o = 1'b1;
    assign round_end_o = 1'b1;
    assign next_column = last_column ? 13'd0 : column_q + 13'd1;
    wire unused_batches = &{1'b0, batches_i};
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      column_q <= 13'd0;
      line_q <= 13'd0;
      surface_q <= 13'd0;
    end else if (step_i) begin
      column_q <= next_column;
      if (last_column && round) line_q <= last_of_surface_o ? 13'd0 : line_q + 13'd1;
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
