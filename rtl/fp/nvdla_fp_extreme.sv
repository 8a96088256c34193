// The larger or the smaller one of two floating-point numbers: FP16 (ExpBits 5, ManBits 10) or FP32 (8, 23).
// Combinational.
//
// Numbers are ordered by sign and magnitude, -0 below +0. A NaN operand wins, a_i before b_i, and comes out as it is.
// smaller_i: the smaller one. The order alone of two numbers is that of the integers that `key` makes of them.
// Spec: 50-sdp, section 6; 60-pdp, section 6.
module nvdla_fp_extreme #(
    parameter int ExpBits = 8,
    parameter int ManBits = 23
) (
    input  logic [ExpBits+ManBits : 0] a_i,
    input  logic [ExpBits+ManBits : 0] b_i,
    input  logic                       smaller_i,
    output logic [ExpBits+ManBits : 0] z_o
);
  localparam int Bits = 1 + ExpBits + ManBits;
  localparam logic [Bits-2:0] Infinity = {{ExpBits{1'b1}}, ManBits'(0)};

  // An unsigned number that grows with the value: negative ones have all bits inverted, others the sign.
  function automatic logic [Bits-1:0] key(input logic [Bits-1:0] x);
    return x ^ {1'b1, {(Bits - 1) {x[Bits-1]}}};
  endfunction

  logic below, take_a;
  assign below = key(a_i) < key(b_i);
  assign take_a = a_i[Bits-2:0] > Infinity || (b_i[Bits-2:0] <= Infinity && below == smaller_i);
  assign z_o = take_a ? a_i : b_i;
endmodule
