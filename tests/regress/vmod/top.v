// Verilog as generators write it: macros, conditional lines, registers with an X for an enable that is unknown, modules that are looked for in a
// folder, lines for other tools. tests/regress/qualify.sh plants faults into it.
`include "sizes.vh"
`define ENABLED(X) ((X) == 1'b1)
module top (
   nvdla_core_clk
  ,nvdla_core_rstn
  ,a
  ,b
  ,en
  ,q
  ,w
);
input  nvdla_core_clk;
input  nvdla_core_rstn;
input  [`WIDTH-1:0] a;
input  [`WIDTH-1:0] b;
input  en;
output [`WIDTH-1:0] q;
output [`WIDTH:0] w;
reg    [`WIDTH-1:0] q;
reg    [1:0] state;
reg    [1:0] next;
parameter DEPTH = 4 + 1;
localparam IDLE = 2'd0;
wire [`WIDTH:0] sum = a + b;
wire [DEPTH-1:0] unused_depth = {DEPTH{1'b0}};
always @(posedge nvdla_core_clk or negedge nvdla_core_rstn) begin
  if (!nvdla_core_rstn) begin
    q <= {`WIDTH{1'b0}} + 8'd3;
    state <= 2'd0;
  end else begin
  state <= next;
  if (`ENABLED(en)) begin
    q <= a & b; // a comment with a + b
  // VCS coverage off
  end else if ((en) == 1'b0) begin
  end else begin
    q <= 'bx;
  // VCS coverage on
  end
  end
end
always @(
  state
  or a
  or en
  ) begin
    next = state;
    casez (state)
     IDLE, 2'b1?: begin
      if (en && (a != 0)) next = state + 2'd1;
     end
     default: next = (a < 8'h10) ? 2'd0 : 2'd2;
    endcase
end
`ifdef SYNTHESIS
assign w = sum - 9'd1;
`else
assign #0 w = sum ^ {more, leaf_y} ^ 9'(steps_y);
`endif
wire [`WIDTH-1:0] leaf_y;
leaf #(.SHIFT(1 + 1)) u_leaf (.clk(nvdla_core_clk), .x (a | b), .y (leaf_y));
wire [3:0] steps_y;
steps u_steps (.clk(nvdla_core_clk), .rst_n(nvdla_core_rstn), .x(a), .y(steps_y));
parameter WIDE = 0;
wire more = WIDE != 0 && a != b;
//synopsys translate_off
reg [7:0] seen;
always @(posedge nvdla_core_clk) seen <= seen + 8'd1;
//synopsys translate_on
function [7:0] uncalled;
input [7:0] x;
uncalled = for_uncalled(x);
endfunction
function [7:0] for_uncalled;
input [7:0] x;
for_uncalled = x + 8'd1;
endfunction
endmodule
