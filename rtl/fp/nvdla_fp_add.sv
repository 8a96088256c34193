// Floating-point sum, rounded to nearest even: FP17 (ExpBits 6, ManBits 10) or FP32 (8, 23).
//
// sum_o = a_i + b_i of the last clock with en_i. Not IEEE: the first NaN operand wins with its payload; a result below
// the smallest normal number is zero with the sign of the operand that is larger in magnitude (a_i if both are equal,
// so -1 + 1 is -0); one that is too large becomes the largest number. A pattern with exponent 0 and a mantissa is the
// normal number 1.m * 2^-bias, one with all ones and no mantissa is a number too. a - b is a + (b with its sign
// inverted), of a NaN too. Latency: one clock.
// Spec: 50-sdp, section 6; 40-convolution-core, section 9.6.
`include "nvdla_check.svh"
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
  localparam int SumBits = ManBits + 5;   // carry, hidden 1, mantissa, guard, round, sticky
  localparam int Half = SumBits / 2 + 1;  // bits of the lower half of the sum, the one below it included
  localparam int Steps = $clog2(SumBits);
  localparam int Groups = (SumBits + 3) / 4;  // of four bits
  localparam logic [Bits-2:0] Infinity = {{ExpBits{1'b1}}, ManBits'(0)};
  localparam logic [Bits-2:0] Largest = Infinity - 1'b1;

  function automatic logic [Bits-1:0] total(input logic [Bits-1:0] a, input logic [Bits-1:0] b);
    logic below, swap, minus, sign, up, carry;
    logic [ExpBits:0] a_above;
    logic [ExpBits-1:0] b_above, power, distance;
    logic [SumBits-1:0] upper, lower, lost, first, second, sum;
    logic [Half:0] half;
    logic [4*Groups-1:0] place;
    logic [Steps-1:0] zeros;
    logic signed [ExpBits+1:0] exponent, later;
    if (a[Bits-2:0] > Infinity) return a;
    if (b[Bits-2:0] > Infinity) return b;
    // The exponents alone say what is shifted; where they are the same nothing is, and the mantissas say what is
    // larger.
    a_above = {1'b0, a[Bits-2-:ExpBits]} - {1'b0, b[Bits-2-:ExpBits]};
    b_above = b[Bits-2-:ExpBits] - a[Bits-2-:ExpBits];
    below = a_above[ExpBits];
    swap = a_above == '0 && b[ManBits-1:0] > a[ManBits-1:0];
    sign = (below || swap) ? b[Bits-1] : a[Bits-1];
    minus = a[Bits-1] ^ b[Bits-1];
    power = below ? b[Bits-2-:ExpBits] : a[Bits-2-:ExpBits];
    distance = below ? b_above : a_above[ExpBits-1:0];
    first = {1'b0, a[Bits-2:0] != '0, a[ManBits-1:0], 3'b000};
    second = {1'b0, b[Bits-2:0] != '0, b[ManBits-1:0], 3'b000};
    upper = below ? second : first;
    lower = below ? first : second;
    first = swap ? lower : upper;
    second = swap ? upper : lower >> distance[Steps-1:0];
    lost = lower & ~({SumBits{1'b1}} << distance[Steps-1:0]);
    if (distance >> Steps != '0) second = {(SumBits - 1)'(0), lower != '0};
    else second[0] = second[0] | (lost != '0);
    // The 1 of the complement comes as the carry of a bit below the sum; the upper half is computed for both carries.
    second = second ^ {SumBits{minus}};
    half = {1'b0, first[Half-2:0], minus} + {1'b0, second[Half-2:0], minus};
    sum = {half[Half] ? first[SumBits-1:Half-1] + second[SumBits-1:Half-1] + 1'b1 :
        first[SumBits-1:Half-1] + second[SumBits-1:Half-1], half[Half-1:1]};
    // The leading 1 goes to the top, by groups of four bits and within its group; where it was gives the exponent.
    place = (4 * Groups)'(sum) << (4 * Groups - SumBits);
    zeros = Steps'(4 * (Groups - 1));
    for (int i = 1; i < Groups; i++) if (place[4*i+:4] != '0) zeros = Steps'(4 * (Groups - 1 - i));
    place = place << zeros;
    if (place[4*Groups-1-:4] == '0) return {sign, (Bits - 1)'(0)};
    if (place[4*Groups-1-:2] == '0) begin
      zeros[1] = 1'b1;
      place = place << 2;
    end
    if (!place[4*Groups-1]) begin
      zeros[0] = 1'b1;
      place = place << 1;
    end
    exponent = $signed({2'b00, power}) + (ExpBits + 2)'(1) - $signed({{(ExpBits + 2 - Steps){1'b0}}, zeros});
    if (exponent <= 0) return {sign, (Bits - 1)'(0)};
    up = place[4*Groups-ManBits-2] & (place[4*Groups-ManBits-1] | (place[4*Groups-ManBits-3:0] != '0));
    carry = up && place[4*Groups-1-:ManBits+1] == '1;
    // Saturation needs a carry into an exponent of all ones; an operand that has it already keeps it.
    later = exponent + (ExpBits + 2)'(carry);
    if (later >= $signed({2'b00, {ExpBits{1'b1}}}) && later > $signed({2'b00, power})) return {sign, Largest};
    return {sign, {exponent[ExpBits-1:0], place[4*Groups-2-:ManBits]} + (Bits - 1)'(up)};
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
