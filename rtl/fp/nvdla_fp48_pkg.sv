// CACC in FP16 as functions: the accumulator, {exponent (8), mantissa (40)} of value mantissa * 2^(exponent - 101).
//
// The mantissa is signed and has no redundant sign bit; zero is 0, 0; a NaN has exponent 255 and its sign and mantissa
// on top of 29 zeros. What CMAC sends is {exponent (6), mantissa (38)}, exponent 63 for a NaN; 36 bits of the mantissa
// count.
// Spec: 40-convolution-core, section 9.5.
package nvdla_fp48_pkg;
  // The sum of both. The first NaN wins. The operand with the smaller exponent is shifted right and keeps two bits and
  // the OR of 38 more behind its end; the sum is rounded halves away from zero.
  function automatic logic [47:0] fp48_add(input logic [47:0] acc, input logic [43:0] in);
    /*verilator no_inline_task*/
    logic signed [39:0] a, b, q, upper, lower;
    logic signed [63:0] wide;
    logic [39:0] dropped;
    logic [39:0] over;  // a with its sign made 0: what is above the leading 1 is redundant
    logic [43:0] sum, magnitude;
    logic [8:0] pa, pb, distance;
    logic [7:0] power;
    logic up;
    if (acc[47:40] == 8'hff) return {acc[47:29], 29'd0};
    if (in[43:38] == 6'd63) return {8'hff, in[37:27], 29'd0};
    a = {in[35:0], 4'd0};
    pa = 9'(in[43:38]) + 9'd47;
    over = a ^ {40{a[39]}};
    for (int s = 5; s >= 0; s--)
      if ((over >> (39 - (1 << s))) == '0) begin
        a = a << (1 << s);
        over = over << (1 << s);
        pa = pa - 9'(1 << s);
      end
    if (in[35:0] == '0) begin
      a = '0;
      pa = '0;
    end
    b = acc[39:0];
    pb = (b == '0) ? '0 : 9'(acc[47:40]);
    power = (pa < pb) ? pb[7:0] : pa[7:0];
    distance = (pa < pb) ? pb - pa : pa - pb;
    upper = (pa < pb) ? b : a;
    lower = (pa < pb) ? a : b;
    wide = 64'(lower);
    if (distance <= 9'd40) begin
      dropped = 40'(wide << (6'd40 - distance[5:0]));
      lower = 40'(wide >>> distance[5:0]);
    end else begin
      dropped = 40'(wide >>> ((distance >= 9'd103) ? 6'd63 : 6'(distance - 9'd40)));
      lower = 40'(wide >>> 6'd63);
    end
    sum = {{upper[39], upper} + {lower[39], lower}, dropped[39:38], dropped[37:0] != '0};
    if (sum == '0) return '0;
    magnitude = sum ^ {44{sum[43]}};
    power = power + 8'd1;
    for (int s = 5; s >= 0; s--)
      if ((magnitude >> (43 - (1 << s))) == '0) begin
        sum = sum << (1 << s);
        magnitude = magnitude << (1 << s);
        power = power - 8'(1 << s);
      end
    q = sum[43:4];
    up = sum[3] & (!q[39] | (sum[2:0] != '0));
    if (up && q == 40'sh7fffffffff) begin
      q = 40'sh4000000000;
      power = power + 8'd1;
    end else if (up && q == 40'shbfffffffff) begin
      q = 40'sh8000000000;
      power = power - 8'd1;
    end else q = q + 40'(up);
    return (q == '0) ? '0 : {power, q};
  endfunction

  // As FP32, rounded halves away from zero. A NaN keeps its sign, its mantissa comes to the low ten bits. Legal sums
  // neither overflow nor underflow.
  function automatic logic [31:0] fp48_to_fp32(input logic [47:0] acc);
    /*verilator no_inline_task*/
    logic [23:0] top;  // of the magnitude: bits 37 .. 14, below the hidden 1
    logic lowest;      // -2^39, which is 2^38 with the next exponent
    logic [7:0] power;
    logic [23:0] fraction;  // carry, mantissa of FP32
    if (acc[47:40] == 8'hff) return {acc[39], 8'hff, 13'd0, acc[38:29]};
    if (acc[39:0] == '0) return '0;
    lowest = acc[39:0] == {1'b1, 39'd0};
    top = acc[39] ? ~acc[37:14] + 24'(acc[13:0] == '0) : acc[37:14];
    fraction = {1'b0, top[23:1]} + 24'(top[0]);
    power = acc[47:40] + 8'd64 + 8'(lowest);
    return {acc[39], power + 8'(fraction[23]), fraction[22:0]};
  endfunction
endpackage
