// The lines of a block in memory: y fastest, then z.
//
// start_i takes the block's place and size (lines and surfaces less 1, of CountBits); from the next clock on active_o
// is 1 and addr_o is the address of the present line, last_o marks the last one; step_i moves to the next. Addresses
// are 64 bits wide, strides zero-extended.
// Spec: 64-bdma, section 3.
`include "nvdla_check.svh"
module nvdla_bdma_walk #(
    parameter int CountBits = 24
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 start_i,
    input  logic [         58:0] base_i,
    input  logic [CountBits-1:0] lines_i,
    input  logic [CountBits-1:0] surfaces_i,
    input  logic [         26:0] line_stride_i,
    input  logic [         26:0] surface_stride_i,
    input  logic                 step_i,
    output logic                 active_o,
    output logic [         63:0] addr_o,
    output logic                 last_o
);
  logic active_q, line_last;
  logic [58:0] addr_q, surface_q, next_surface;
  logic [26:0] line_stride_q, surface_stride_q;
  logic [CountBits-1:0] lines_q, left_q, surfaces_left_q;

  assign active_o = active_q;
  assign addr_o = {addr_q, 5'd0};
  assign line_last = left_q == '0;
  assign last_o = line_last & (surfaces_left_q == '0);
  assign next_surface = surface_q + 59'(surface_stride_q);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (step_i && last_o) active_q <= 1'b0;

  always_ff @(posedge clk_i)
    if (start_i) begin
      addr_q           <= base_i;
      surface_q        <= base_i;
      line_stride_q    <= line_stride_i;
      surface_stride_q <= surface_stride_i;
      lines_q          <= lines_i;
      left_q           <= lines_i;
      surfaces_left_q  <= surfaces_i;
    end else if (step_i) begin
      if (line_last) begin
        addr_q          <= next_surface;
        surface_q       <= next_surface;
        left_q          <= lines_q;
        surfaces_left_q <= surfaces_left_q - 1'b1;
      end else begin
        addr_q <= addr_q + 59'(line_stride_q);
        left_q <= left_q - 1'b1;
      end
    end

  `NVDLA_CHECK(StepsInABlock, !step_i || active_o)
  `NVDLA_CHECK(OneBlockAtATime, !start_i || !active_o)
endmodule
