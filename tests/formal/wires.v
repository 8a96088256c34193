// A register is a wire: what comes out for inputs that stay.
(* techmap_celltype = "$dff" *)
module register_is_wire (CLK, D, Q);
  parameter WIDTH = 1;
  parameter CLK_POLARITY = 1;
  input CLK;
  input [WIDTH-1:0] D;
  output [WIDTH-1:0] Q;
  assign Q = D;
endmodule
