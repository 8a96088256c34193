// A module that the file list does not name; its folder is that of a library.
module leaf (clk, x, y);
parameter SHIFT = 1;
input clk;
input [7:0] x;
output [7:0] y;
reg [7:0] y;
function [7:0] turn;
  input [7:0] v;
  begin
    turn = (v << SHIFT) | (v >> (8 - SHIFT));
  end
endfunction
generate
if (SHIFT == 3) begin : never
  always @(posedge clk) y <= x ^ 8'h55;
end else begin : always_there
  always @(posedge clk) y <= turn(x);
end
endgenerate
endmodule
// No one instantiates this one.
module idle (input x, output y);
assign y = ~x & x;
endmodule
