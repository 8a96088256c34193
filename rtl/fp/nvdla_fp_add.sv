// Floating-point sum, rounded to nearest even: FP17 (ExpBits 6, ManBits 10) or FP32 (8, 23).
//
// sum_o = a_i + b_i of the last clock with en_i. Not IEEE: the first NaN operand wins with its payload; a result below
// the smallest normal number is zero with the sign of the operand that is larger in magnitude (a_i if both are equal,
// so -1 + 1 is -0); one that is too large becomes the largest number. A pattern with exponent 0 and a mantissa is the
// normal number 1.m * 2^-bias, one with all ones and no mantissa is a number too. a - b is a + (b with its sign
// inverted), of a NaN too. Latency: one clock.
// Spec: 50-sdp, section 6; 40-convolution-core, section 9.6.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
module nvdla_fp_add #(
    parameter int ExpBits = 8,
    parameter int ManBits = 23
) (
    input  logic                       clk_i,
    input  logic                       en_i,
    input  logic [ExpBits+ManBits : 0] a_i,
    input  logic [ExpBits+ManBits : 0] b_i,
    output logic [ExpBits+ManBits : 0] sum_o
);
  localparam int Bits = 1 + ExpBits + ManBits;
  localparam int SumBits = ManBits + 5;  // carry, hidden 1, mantissa, guard, round, sticky
  localparam int Steps = $clog2(SumBits);
  localparam logic [Bits-2:0] Infinity = {{ExpBits{1'b1}}, ManBits'(0)};
  localparam logic [Bits-2:0] Largest = Infinity - 1'b1;

  function automatic logic [Bits-1:0] total(input logic [Bits-1:0] a, input logic [Bits-1:0] b);
    logic swap, sign, up;
    logic [Bits-1:0] major, minor;
    logic [ExpBits-1:0] distance;
    logic [SumBits-1:0] first, second, lost, sum;
    logic signed [ExpBits+1:0] exponent;
    logic [ManBits+1:0] rounded;
    if (a[Bits-2:0] > Infinity) return a;
    if (b[Bits-2:0] > Infinity) return b;
    swap = b[Bits-2:0] > a[Bits-2:0];
    major = swap ? b : a;
    minor = swap ? a : b;
    sign = major[Bits-1];
    distance = major[Bits-2-:ExpBits] - minor[Bits-2-:ExpBits];
    first = {1'b0, major[Bits-2:0] != '0, major[ManBits-1:0], 3'b000};
    second = {1'b0, minor[Bits-2:0] != '0, minor[ManBits-1:0], 3'b000};
    if (32'(distance) >= SumBits) second = {(SumBits - 1)'(0), second != '0};
    else begin
      lost = second & ~({SumBits{1'b1}} << distance);
      second = second >> distance;
      second[0] = second[0] | (lost != '0);
    end
    sum = (sign == minor[Bits-1]) ? first + second : first - second;
    if (sum == '0) return {sign, (Bits - 1)'(0)};
    // The leading 1 goes to the top; where it stood tells the exponent.
    exponent = $signed({2'b00, major[Bits-2-:ExpBits]}) + (ExpBits + 2)'(1);
    for (int s = Steps - 1; s >= 0; s--)
      if ((sum >> (SumBits - (1 << s))) == '0) begin
        sum = sum << (1 << s);
        exponent = exponent - (ExpBits + 2)'(1 << s);
      end
    if (exponent <= 0) return {sign, (Bits - 1)'(0)};
    up = sum[3] & (sum[4] | (sum[2:0] != '0));
    rounded = {1'b0, sum[SumBits-1:4]} + (ManBits + 2)'(up);
    if (rounded[ManBits+1]) exponent = exponent + (ExpBits + 2)'(1);
    // Saturation needs a carry into an exponent of all ones; an operand that has it already keeps it.
    if (exponent >= $signed({2'b00, {ExpBits{1'b1}}}) &&
        exponent > $signed({2'b00, major[Bits-2-:ExpBits]})) return {sign, Largest};
    return {sign, exponent[ExpBits-1:0], rounded[ManBits-1:0]};
  endfunction

  logic [Bits-1:0] sum_q;
  always_ff @(posedge clk_i) if (en_i) sum_q <= total(a_i, b_i);
  assign sum_o = sum_q;

`ifdef NVDLA_CHECKS
`ifndef SYNTHESIS
  logic there_q;
  logic [31:0] expected_q;
  initial there_q = 1'b0;
  always @(posedge clk_i)
    if (en_i) begin
      there_q    <= 1'b1;
      expected_q <= nvdla_check_fp_pkg::sum(32'(a_i), 32'(b_i), ExpBits, ManBits);
    end
  `NVDLA_CHECK_ON(AsComputed, clk_i, !there_q || 32'(sum_o) == expected_q)
`endif
`endif
endmodule
