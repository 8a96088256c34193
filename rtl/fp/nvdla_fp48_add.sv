// CACC in FP16: a sum of CMAC added to the accumulator, {exponent (8), mantissa (40)} of value mantissa * 2^(exponent - 101).
//
// The mantissa is signed and has no redundant sign bit; zero is 0, 0; a NaN has exponent 255 and its sign and mantissa on top of 29
// zeros. What CMAC sends is {exponent (6), mantissa (38)}, exponent 63 for a NaN; 36 bits of the mantissa count. The first NaN wins.
// The operand with the smaller exponent is shifted right and keeps two bits and the OR of 38 more behind its end; the sum is rounded
// halves away from zero. sum_o: of the last clock with en_i. Latency: one clock.
// Spec: 40-convolution-core, section 9.5.
module nvdla_fp48_add (
    input  logic        clk_i,
    input  logic        en_i,
    input  logic [47:0] acc_i,
    input  logic [43:0] in_i,
    output logic [47:0] sum_o
);
  function automatic logic [47:0] total(input logic [47:0] acc, input logic [43:0] in);
    logic signed [39:0] a, b, q;
    logic signed [79:0] shifted;
    logic [39:0] over;  // a, or the sum, with its sign made 0: what is above the leading 1 is redundant
    logic [43:0] sum, magnitude;
    logic [8:0] pa, pb;
    logic [7:0] power;
    logic [2:0] cut;
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
    cut = '0;
    power = pa[7:0];
    if (pa < pb) begin
      power = pb[7:0];
      shifted = $signed({a, 40'd0}) >>> (pb - pa);
      a = shifted[79:40];
      cut = {shifted[39:38], shifted[37:0] != '0};
    end else if (pb < pa) begin
      shifted = $signed({b, 40'd0}) >>> (pa - pb);
      b = shifted[79:40];
      cut = {shifted[39:38], shifted[37:0] != '0};
    end
    sum = {{a[39], a} + {b[39], b}, cut};
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

  logic [47:0] sum_q;
  always_ff @(posedge clk_i) if (en_i) sum_q <= total(acc_i, in_i);
  assign sum_o = sum_q;
endmodule
