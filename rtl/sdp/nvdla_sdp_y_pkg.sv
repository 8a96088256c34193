// Integer arithmetic of SDP's EW stage (Y), one element at a time.
//
// Spec: 50-sdp, section 5.2.
package nvdla_sdp_y_pkg;
  import nvdla_arith_pkg::*;
  import nvdla_sdp_pkg::*;

  // End of an operand convertor: product (nvdla_sdp_pkg) / 2^shift, saturated to 32 bits.
  function automatic logic signed [31:0] y_operand(input logic signed [48:0] p, input logic [5:0] shift);
    return round_sat32($signed({{15{p[48]}}, p}), shift);
  endfunction

  // Product of two numbers of 32 bits, exact.
  function automatic logic signed [63:0] y_product(input logic signed [31:0] d, input logic signed [31:0] operand);
    return 64'(d) * 64'(operand);
  endfunction

  // Product / 2^shift to nearest, halves away from zero, saturated to 32 bits. The magnitude is at most 2^62.
  function automatic logic signed [31:0] y_truncate(input logic signed [63:0] p, input logic [9:0] shift);
    return shift[9:6] != 4'd0 ? 32'sd0 : round_sat32(p, shift[5:0]);
  endfunction

  // The ALU: the larger, the smaller, 0 if equal and 1 if not, the saturated sum.
  function automatic logic signed [31:0] y_alu(
      input logic signed [31:0] d, input logic signed [31:0] operand, input logic [1:0] algo);
    if (algo == AlgoMax) return operand > d ? operand : d;
    if (algo == AlgoMin) return operand < d ? operand : d;
    if (algo == AlgoEqual) return operand == d ? 32'sd0 : 32'sd1;
    return sat32(64'(d) + 64'(operand));
  endfunction

endpackage
