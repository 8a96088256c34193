// CACC in FP16 as functions: the accumulator, {exponent (8), mantissa (40)} of value mantissa * 2^(exponent - 101).
//
// The mantissa is signed and has no redundant sign bit; zero is 0, 0; a NaN has exponent 255 and its sign and mantissa
// on top of 29 zeros. What CMAC sends is {exponent (6), mantissa (38)}, exponent 63 for a NaN; 36 bits of the mantissa
// count.
// Spec: 40-convolution-core, section 9.5.
package nvdla_fp48_pkg;
  localparam int Fp48Low = 36;  // bits past an accumulator's end that a sum keeps: see fp48_sum

  // The sum of both, as simulators compute it fast (nvdla_cacc_mixed). The first NaN wins. The operand with the smaller
  // exponent is shifted right and keeps two bits and the OR of 38 more behind its end; the sum is rounded halves away
  // from zero.
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

  // The same sum for hardware (nvdla_cacc_cell), in one clock since a stripe of one position feeds it back. It is the
  // exact sum, rounded once: the input is not normalised, the operand with the smaller exponent is shifted by their
  // difference alone and keeps Fp48Low bits past the other one's end, and the sum is normalised. What is shifted out
  // further cannot become the bit that rounds, since the lowest bit of the input is four bits above the end. Zeros are
  // counted and ones passed by trees.
  function automatic logic [47:0] fp48_sum(input logic [47:0] acc, input logic [43:0] in);
    /*verilator no_inline_task*/
    logic [39:0] a, b, upper, lower;
    logic [39+Fp48Low:0] window;  // lower shifted right
    logic [8:0] a_above;          // difference of the exponents, signed
    logic [7:0] b_above, distance;
    logic a_zero, b_upper, lost, sign, up;
    logic [20:0] half;
    logic [40+Fp48Low:0] sum;
    logic [7:0] zeros;
    logic [39:0] q;
    logic [37:0] ones;  // bit i: all bits of q up to i are 1
    logic [7:0] power;

    a = {in[35:0], 4'd0};
    b = acc[39:0];
    a_zero = in[35:0] == '0;
    a_above = 9'(in[43:38]) + 9'd47 - 9'(acc[47:40]);
    b_above = acc[47:40] - 8'(in[43:38]) - 8'd47;
    b_upper = a_zero || a_above[8];
    power = b_upper ? acc[47:40] : 8'(in[43:38]) + 8'd47;
    distance = b_upper ? b_above : a_above[7:0];  // anything with a 0, which is shifted
    upper = b_upper ? b : a;
    lower = b_upper ? a : b;
    lost = 1'b0;
    for (int i = 0; i < 40; i++) lost = lost | (lower[i] && distance > 8'(i + Fp48Low));
    window = {lower, Fp48Low'(0)};
    for (int s = 7; s >= 0; s--) if (distance[s]) window = (40 + Fp48Low)'($signed(window) >>> (1 << s));
    half = 21'(upper[19:0]) + 21'(window[19+Fp48Low:Fp48Low]);
    // The upper half of the sum is computed for both carries.
    sum[19+Fp48Low:0] = {half[19:0], window[Fp48Low-1:0]};
    sum[40+Fp48Low:20+Fp48Low] = half[20] ?
        {upper[39], upper[39:20]} + {window[39+Fp48Low], window[39+Fp48Low:20+Fp48Low]} + 21'd1 :
        {upper[39], upper[39:20]} + {window[39+Fp48Low], window[39+Fp48Low:20+Fp48Low]};

    sign = sum[40+Fp48Low];
    zeros = fp48_zeros({sum[39+Fp48Low:0] ^ {(40 + Fp48Low) {sign}}, (88 - Fp48Low)'(0)});
    for (int s = 6; s >= 0; s--) if (zeros[s]) sum = sum << (1 << s);
    q = sum[40+Fp48Low:1+Fp48Low];
    up = sum[Fp48Low] & (!sign | lost | (sum[Fp48Low-1:0] != '0));
    // Rounding leaves the two highest bits, which differ: where a carry would reach them the exponent changes instead.
    ones = q[37:0];
    for (int s = 0; s < 6; s++) ones = ones & ((ones << (1 << s)) | ~(38'h3fffffffff << (1 << s)));
    power = power + 8'd1 - 8'(zeros[6:0]);
    if (up && ones[37]) power = sign ? power - 8'd1 : power + 8'd1;
    q[37:0] = q[37:0] ^ ({ones[36:0], 1'b1} & {38{up}});
    if (acc[47:40] == 8'hff) return {acc[47:29], 29'd0};
    if (in[43:38] == 6'd63) return {8'hff, in[37:27], 29'd0};
    return zeros[7] ? '0 : {power, q};
  endfunction

  // {all bits are 0, zeros above the highest 1} of x, as a tree. After step k group i of 2^(k+1) bits is zero if bit
  // i * 2^(k+1) of all says so, and bit j of its number of zeros is there in the 128 bits j of count; other bits do not
  // matter.
  function automatic logic [7:0] fp48_zeros(input logic [127:0] x);
    logic [127:0] all, upper;  // upper: the upper half of a group is zero
    logic [7*128-1:0] count;
    all   = ~x;
    count = '0;
    for (int k = 0; k < 7; k++) begin
      upper = all >> (1 << k);
      count = (count & {7{upper}}) | ((count >> (1 << k)) & ~{7{upper}}) | ((7 * 128)'(upper) << (128 * k));
      all   = all & upper;
    end
    return {all[0], count[128*6], count[128*5], count[128*4], count[128*3], count[128*2], count[128], count[0]};
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
