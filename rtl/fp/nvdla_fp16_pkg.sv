// Conversion to FP16 that is a function, since those who use it do so under a condition.
//
// Spec: 50-sdp, section 5.3.
package nvdla_fp16_pkg;

  // A signed 17-bit integer as FP16, rounded to nearest even; magnitudes above 65504 become +-65504.
  function automatic logic [15:0] fp16_from_int17(input logic [16:0] a);
    logic [19:0] leading;
    logic [4:0] zeros;
    logic [14:0] rounded;  // exponent and mantissa; the highest bit of `leading` is the hidden 1
    logic up;
    leading = {a[16] ? -a : a, 3'b000};
    zeros = 5'd16;
    for (int i = 1; i < 5; i++) if (leading[4*i+:4] != '0) zeros = 5'(4 * (4 - i));
    leading = leading << zeros;
    if (leading[19:18] == '0) begin
      zeros[1] = 1'b1;
      leading  = leading << 2;
    end
    if (!leading[19]) begin
      zeros[0] = 1'b1;
      leading  = leading << 1;
    end
    up = leading[8] & (leading[9] | (leading[7:0] != '0));
    rounded = {5'd31 - zeros, leading[18:9]} + 15'(up);
    if (a == '0) return '0;
    return {a[16], rounded[14:10] == '1 ? 15'h7bff : rounded};
  endfunction

endpackage
