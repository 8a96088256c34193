// Floating-point arithmetic for checks only, in the simulator's own 64-bit numbers, which hold each exact result to
// more bits than a rounding to 24 can depend on. It shares no formula with the modules that it checks.
//
// Patterns are those of FP32 (exp_bits 8, man_bits 23), FP17 (6, 10) or FP16 (5, 10), in the low bits of a word. What
// is not IEEE about them: nvdla_fp_add and nvdla_fp_mul.
// Spec: 50-sdp, section 6.
package nvdla_check_fp_pkg;
`ifndef SYNTHESIS
  localparam int Bias64 = 1023;

  function automatic logic [30:0] magnitude(input logic [31:0] x, input int exp_bits, input int man_bits);
    /*verilator no_inline_task*/
    return 31'(x & ~(32'hffffffff << (exp_bits + man_bits)));
  endfunction

  function automatic logic is_nan(input logic [31:0] x, input int exp_bits, input int man_bits);
    /*verilator no_inline_task*/
    return magnitude(x, exp_bits, man_bits) > ((31'd1 << exp_bits) - 31'd1) << man_bits;
  endfunction

  // The number of a pattern other than a NaN; exponent 0 with a mantissa is the normal number 1.m * 2^-bias.
  function automatic real number(input logic [31:0] x, input int exp_bits, input int man_bits);
    /*verilator no_inline_task*/
    logic [63:0] bits;
    bits = 64'(magnitude(x, exp_bits, man_bits)) << (52 - man_bits);
    if (bits != '0) bits[62:52] = bits[62:52] + 11'(Bias64) - 11'((1 << (exp_bits - 1)) - 1);
    bits[63] = x[exp_bits+man_bits];
    return $bitstoreal(bits);
  endfunction

  // The pattern of a number, rounded to nearest even. From the exponent of all ones on it is the largest number, unless
  // an operand has that exponent already (least: the larger exponent of the operands of a sum).
  function automatic logic [31:0] rounded(input real exact, input int least, input int exp_bits, input int man_bits);
    /*verilator no_inline_task*/
    logic [63:0] bits, top;
    logic [31:0] sign;
    int exponent;
    bits = $realtobits(exact);
    sign = 32'(bits[63]) << (exp_bits + man_bits);
    bits[63] = 1'b0;
    top = bits >> (52 - man_bits);
    bits = bits << (12 + man_bits);
    if (bits > 64'h80000000_00000000 || (bits[63] && top[0])) top = top + 64'd1;
    exponent = 32'(top >> man_bits) - Bias64 + (1 << (exp_bits - 1)) - 1;
    if (exponent <= 0) return sign;
    if (exponent >= (1 << exp_bits) - 1 && exponent > least)
      return sign | ((((32'd1 << exp_bits) - 32'd1) << man_bits) - 32'd1);
    return sign | (32'(exponent) << man_bits) | (32'(top) & ((32'd1 << man_bits) - 32'd1));
  endfunction

  function automatic logic [31:0] sum(input logic [31:0] a, input logic [31:0] b, input int exp_bits,
      input int man_bits);
    /*verilator no_inline_task*/
    logic [30:0] size_a, size_b;
    real exact;
    size_a = magnitude(a, exp_bits, man_bits);
    size_b = magnitude(b, exp_bits, man_bits);
    if (is_nan(a, exp_bits, man_bits)) return a;
    if (is_nan(b, exp_bits, man_bits)) return b;
    exact = number(a, exp_bits, man_bits) + number(b, exp_bits, man_bits);
    if (exact == 0.0) return (size_b > size_a ? b : a) & (32'd1 << (exp_bits + man_bits));
    if (size_b > size_a) size_a = size_b;
    return rounded(exact, 32'(size_a) >> man_bits, exp_bits, man_bits);
  endfunction

  function automatic logic [31:0] product(input logic [31:0] a, input logic [31:0] b, input int exp_bits,
      input int man_bits);
    /*verilator no_inline_task*/
    if (is_nan(a, exp_bits, man_bits)) return a;
    if (is_nan(b, exp_bits, man_bits)) return b;
    return rounded(number(a, exp_bits, man_bits) * number(b, exp_bits, man_bits), 0, exp_bits, man_bits);
  endfunction

  // An operand of SDP, FP16, as FP32: denormals are numbers, infinity is the largest number, a NaN is 0 if nan_to_zero.
  function automatic logic [31:0] operand(input logic [15:0] x, input logic nan_to_zero);
    /*verilator no_inline_task*/
    real value;
    if (x[14:0] > 15'h7c00) return nan_to_zero ? 32'd0 : {x[15], 8'hff, 13'd0, x[9:0]};
    if (x[14:0] == 15'h7c00) return {x[15], 31'h7f7fffff};
    if (x[14:10] == '0) value = $itor({22'd0, x[9:0]}) / 16777216.0;
    else value = number({17'd0, x[14:0]}, 5, 10);
    return rounded(value, 0, 8, 23) | {x[15], 31'd0};
  endfunction

  // The ALU of SDP on FP32. algo: 0 maximum, 1 minimum, 2 sum, 3 whether they differ.
  function automatic logic [31:0] alu(input logic [31:0] a, input logic [31:0] b, input logic [1:0] algo);
    /*verilator no_inline_task*/
    logic below;
    if (algo == 2'd2) return sum(a, b, 8, 23);
    if (algo == 2'd3) return {31'd0, a != b};
    if (is_nan(a, 8, 23)) return a;
    if (is_nan(b, 8, 23)) return b;
    below = number(a, 8, 23) < number(b, 8, 23) || (a[30:0] == '0 && b[30:0] == '0 && a[31] && !b[31]);
    return below == (algo == 2'd1) ? a : b;
  endfunction

  // Whether a table (nvdla_fp_lut_locate) has a distance from its first entry, FP32, where index and fraction say.
  function automatic logic in_table(input logic [31:0] distance, input logic exponential, input logic [7:0] scale,
      input int last, input logic under, input logic over, input logic [8:0] index, input logic [34:0] fraction);
    /*verilator no_inline_task*/
    real place, entry, part, unit;
    if (is_nan(distance, 8, 23)) return under && !over;
    place = number(distance, 8, 23) * $bitstoreal({1'b0, 11'd1023 - {{3{scale[7]}}, scale}, 52'd0});
    if (under) return !over && (place <= 0.0 || (exponential && place < 1.0));
    if (place <= 0.0 || (exponential && place < 1.0)) return 1'b0;
    if (over) return 1'b1;
    unit = $bitstoreal({1'b0, 11'd988, 52'd0});  // 2^-35
    part = unit * ($itor({15'd0, fraction[34:18]}) * 262144.0 + $itor({14'd0, fraction[17:0]}));
    if (32'(index) >= last) return 1'b0;
    entry = $itor({23'd0, index});
    if (exponential) entry = $bitstoreal({1'b0, 11'd1023 + 11'(index), 52'd0});
    if (exponential) return place == entry * (1.0 + part);
    return place >= entry + part && place < entry + part + unit;
  endfunction
`endif
endpackage
