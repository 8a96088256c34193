// Floating-point product, rounded to nearest even: FP17 (ExpBits 6, ManBits 10) or FP32 (8, 23).
//
// product_o = a_i * b_i of the last clock with en_i. Not IEEE: the first NaN operand wins with its payload; a product
// below the smallest normal number is zero with its sign, one that is too large the largest number. A pattern with
// exponent 0 and a mantissa is the normal number 1.m * 2^-bias. If the exponents alone, before the product of the
// mantissas is looked at, are too small the product is zero, if they are too large it is the largest number. Latency:
// one clock.
// Spec: 50-sdp, section 6.
`include "nvdla_check.svh"
module nvdla_fp_mul #(
    parameter int ExpBits = 8,
    parameter int ManBits = 23
) (
    input  logic                       clk_i,
    input  logic                       en_i,
    input  logic [ExpBits+ManBits : 0] a_i,
    input  logic [ExpBits+ManBits : 0] b_i,
    output logic [ExpBits+ManBits : 0] product_o
);
  localparam int Bits = 1 + ExpBits + ManBits;
  localparam int ProductBits = 2 * ManBits + 2;
  localparam logic [Bits-2:0] Infinity = {{ExpBits{1'b1}}, ManBits'(0)};
  localparam logic [Bits-2:0] Largest = Infinity - 1'b1;
  localparam logic signed [ExpBits+1:0] Bias = $signed({3'b000, {(ExpBits - 1) {1'b1}}});
  localparam logic signed [ExpBits+1:0] Ones = $signed({2'b00, {ExpBits{1'b1}}});

  function automatic logic [Bits-1:0] multiplied(input logic [Bits-1:0] a, input logic [Bits-1:0] b);
    logic sign, up;
    logic signed [ExpBits+1:0] exponent;
    logic [ProductBits-1:0] exact;
    logic [ManBits+1:0] rounded;
    if (a[Bits-2:0] > Infinity) return a;
    if (b[Bits-2:0] > Infinity) return b;
    sign = a[Bits-1] ^ b[Bits-1];
    exponent = $signed({2'b00, a[Bits-2-:ExpBits]}) + $signed({2'b00, b[Bits-2-:ExpBits]}) - Bias;
    if (a[Bits-2:0] == '0 || b[Bits-2:0] == '0 || exponent < 0) return {sign, (Bits - 1)'(0)};
    if (exponent >= Ones) return {sign, Largest};
    exact = ProductBits'({1'b1, a[ManBits-1:0]}) * ProductBits'({1'b1, b[ManBits-1:0]});
    if (exact[ProductBits-1]) exponent = exponent + (ExpBits + 2)'(1);
    else exact = exact << 1;
    up = exact[ManBits] & (exact[ManBits+1] | (exact[ManBits-1:0] != '0));
    rounded = {1'b0, exact[ProductBits-1:ManBits+1]} + (ManBits + 2)'(up);
    if (rounded[ManBits+1]) exponent = exponent + (ExpBits + 2)'(1);
    if (exponent <= 0) return {sign, (Bits - 1)'(0)};
    if (exponent >= Ones) return {sign, Largest};
    return {sign, exponent[ExpBits-1:0], rounded[ManBits-1:0]};
  endfunction

  logic [Bits-1:0] product_q;
  always_ff @(posedge clk_i) if (en_i) product_q <= multiplied(a_i, b_i);
  assign product_o = product_q;

`ifdef NVDLA_CHECKS
`ifndef SYNTHESIS
  logic there_q;
  logic [31:0] expected_q;
  initial there_q = 1'b0;
  always @(posedge clk_i)
    if (en_i) begin
      there_q    <= 1'b1;
      expected_q <= nvdla_check_fp_pkg::product(32'(a_i), 32'(b_i), ExpBits, ManBits);
    end
  `NVDLA_CHECK_ON(AsComputed, clk_i, !there_q || 32'(product_o) == expected_q)
`endif
`endif
endmodule
