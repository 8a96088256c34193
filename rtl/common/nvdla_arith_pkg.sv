// Fixed-point arithmetic that several engines share: the rounding right shift and saturation.
//
// Values come in as signed 64-bit integers, sign-extended by the caller.
// Spec: 50-sdp, "Notation".
package nvdla_arith_pkg;

  // value / 2^shift to nearest, halves away from zero; shift 0 changes nothing. |value| < 2^62, shift 0..63.
  // A half is added to the magnitude: floor((v + 2^(s-1)) / 2^s) for v >= 0, floor((v + 2^(s-1) - 1) / 2^s) for v < 0.
  function automatic logic signed [63:0] round_shift(input logic signed [63:0] value, input logic [5:0] shift);
    logic [63:0] half;
    logic signed [63:0] sum;
    half = (value[63] ? ~({64{1'b1}} << shift) : 64'd1 << shift) >> 1;
    sum = value + $signed(half);
    return sum >>> shift;
  endfunction

  // value clamped to 8, 16, 17 and 32 signed bits.
  function automatic logic signed [7:0] sat8(input logic signed [63:0] value);
    if (value == $signed({{56{value[7]}}, value[7:0]})) return $signed(value[7:0]);
    return value[63] ? -8'sd128 : 8'sd127;
  endfunction

  function automatic logic signed [15:0] sat16(input logic signed [63:0] value);
    if (value == $signed({{48{value[15]}}, value[15:0]})) return $signed(value[15:0]);
    return value[63] ? -16'sd32768 : 16'sd32767;
  endfunction

  function automatic logic signed [16:0] sat17(input logic signed [63:0] value);
    if (value == $signed({{47{value[16]}}, value[16:0]})) return $signed(value[16:0]);
    return value[63] ? -17'sd65536 : 17'sd65535;
  endfunction

  function automatic logic signed [31:0] sat32(input logic signed [63:0] value);
    if (value == $signed({{32{value[31]}}, value[31:0]})) return $signed(value[31:0]);
    return value[63] ? $signed(32'h8000_0000) : $signed(32'h7fff_ffff);
  endfunction

  // sat32(round_shift(value, shift)) of any value but -2^63, for hardware: no sum in front of the shifter. What is
  // shifted out says whether the floor of value / 2^shift becomes one more.
  function automatic logic signed [31:0] round_sat32(input logic signed [63:0] value, input logic [5:0] shift);
    logic signed [63:0] whole;
    logic [63:0] half, below;
    logic up;
    whole = value >>> shift;
    half  = (64'd1 << shift) >> 1;
    below = ~({64{1'b1}} << shift) >> 1;
    up = (value & half) != '0 && (!value[63] || (value & below) != '0);
    if (whole != $signed({{32{whole[31]}}, whole[31:0]})) return $signed({value[63], {31{~value[63]}}});
    return whole[31:0] + 32'(up && whole[31:0] != 32'h7fff_ffff);
  endfunction

endpackage
