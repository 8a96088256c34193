// Order of MRDMA's atoms for INT16 cubes that are processed as INT8: of each column the atoms of two surfaces, one
// after the other.
//
// on_i = 0: atoms pass as they come. on_i = 1: memory is read in blocks of eight columns of a line (the last one of a
// line shorter), first the atoms of the even surface, then those of the odd one; they leave column by column. on_i and
// width_i do not change while run_i is high. Latency: none with on_i = 0, else a clock and the wait for the other
// surface.
// Spec: 50-sdp section 3.2.
`include "nvdla_check.svh"
module nvdla_sdp_interleave
  import nvdla_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                run_i,
    input  logic                on_i,
    input  logic [        12:0] width_i,  // minus 1
    input  logic                valid_i,
    output logic                ready_o,
    input  logic [AtomBits-1:0] data_i,
    output logic                valid_o,
    input  logic                ready_i,
    output logic [AtomBits-1:0] data_o
);
  // Two blocks of two surfaces.
  logic [AtomBits-1:0] ring_q[32];
  logic [4:0] head_q, tail_q;
  logic [5:0] level_q;
  logic [12:0] gone_q, left;  // columns of the line before the block; those from it on, minus 1
  logic [2:0] column_q;       // in the block
  logic odd_q;                // the atom of the odd surface is next

  logic fill, step, block_end;
  logic [3:0] columns;  // of the block
  logic [4:0] place;
  assign left = width_i - gone_q;
  assign columns = (left < 13'd7) ? 4'(left) + 4'd1 : 4'd8;
  assign place = 5'(column_q) + (odd_q ? 5'(columns) : 5'd0);
  assign block_end = odd_q && 4'(column_q) + 4'd1 == columns;

  assign ready_o = on_i ? !level_q[5] : ready_i;
  assign valid_o = on_i ? level_q > 6'(place) : valid_i;
  assign data_o = on_i ? ring_q[head_q+place] : data_i;
  assign fill = on_i && valid_i && ready_o;
  assign step = on_i && valid_o && ready_i;

  always_ff @(posedge clk_i) if (fill) ring_q[tail_q] <= data_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= 5'd0;
      tail_q <= 5'd0;
      level_q <= 6'd0;
    end else if (fill || (step && block_end)) begin
      if (fill) tail_q <= tail_q + 5'd1;
      if (step && block_end) head_q <= head_q + {columns, 1'b0};
      level_q <= level_q + 6'(fill) - ((step && block_end) ? {1'b0, columns, 1'b0} : 6'd0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      gone_q <= 13'd0;
      column_q <= 3'd0;
      odd_q <= 1'b0;
    end else if (step) begin
      odd_q <= !odd_q;
      if (odd_q) column_q <= block_end ? 3'd0 : column_q + 3'd1;
      if (block_end) gone_q <= (left < 13'd8) ? 13'd0 : gone_q + 13'd8;
    end
  end

  `NVDLA_STABLE(OutputStable, valid_o, ready_i, data_o)
  `NVDLA_CHECK(EmptyBetweenLayers, run_i || level_q == '0)
  // Atoms in the ring.
  `NVDLA_BALANCE(Ring, 32, fill, 1, step && block_end, 32'({columns, 1'b0}))
`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(LevelAddsUp, 32'(level_q) == Ring.level_q)
  `NVDLA_CHECK(AtomIsThere, !step || Ring.level_q > 32'(place))
`endif
endmodule
