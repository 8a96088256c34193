// Arithmetic of CACC on integers: accumulation, and the rounding and saturation of final results.
//
// Spec: 40-convolution-core, section 9.4.
package nvdla_cacc_pkg;
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;

  // the accumulators of configurations of INT8 alone, and those of the high kernels of a cell in INT8
  localparam int CaccNarrowBits = 34;
  localparam int CaccAccBits = (LaneBytes == 2) ? 48 : CaccNarrowBits;
  localparam int CaccSumBits = (LaneBytes == 2) ? 38 : ConvInt8Bits;  // the widest sum of a cell

  // acc + sum, saturated to CaccAccBits bits.
  function automatic logic signed [CaccAccBits-1:0] cacc_accumulate(input logic signed [CaccAccBits-1:0] acc,
                                                                    input logic signed [CaccSumBits-1:0] sum);
    logic signed [CaccAccBits:0] wide;
    wide = $signed({acc[CaccAccBits-1], acc}) + $signed({{(CaccAccBits + 1 - CaccSumBits) {sum[CaccSumBits-1]}}, sum});
    if (wide[CaccAccBits] != wide[CaccAccBits-1])
      return $signed({wide[CaccAccBits], {(CaccAccBits - 1) {~wide[CaccAccBits]}}});
    return $signed(wide[CaccAccBits-1:0]);
  endfunction

  // The same of the high kernels of a cell, to CaccNarrowBits bits.
  function automatic logic signed [CaccNarrowBits-1:0] cacc_accumulate_narrow(
      input logic signed [CaccNarrowBits-1:0] acc, input logic signed [ConvInt8Bits-1:0] sum);
    logic signed [CaccNarrowBits:0] wide;
    wide = $signed({acc[CaccNarrowBits-1], acc}) +
        $signed({{(CaccNarrowBits + 1 - ConvInt8Bits) {sum[ConvInt8Bits-1]}}, sum});
    if (wide[CaccNarrowBits] != wide[CaccNarrowBits-1])
      return $signed({wide[CaccNarrowBits], {(CaccNarrowBits - 1) {~wide[CaccNarrowBits]}}});
    return $signed(wide[CaccNarrowBits-1:0]);
  endfunction

  // acc / 2^truncate rounded half away from zero. Of a negative value at most 15 bits below the guard bit decide
  // whether it is more than half.
  function automatic logic signed [CaccAccBits-1:0] cacc_round(input logic signed [CaccAccBits-1:0] acc,
      input logic [4:0] truncate);
    logic [14:0] below;
    logic guard;
    // Bit truncate-1 of acc is the guard bit; bits truncate-2 .. truncate-16 move to the top.
    guard = truncate != '0 && (({acc, 1'b0} >> truncate) & (CaccAccBits + 1)'(1)) != '0;
    below = 15'((CaccAccBits'(acc) << (6'(CaccAccBits + 1) - {1'b0, truncate})) >> (CaccAccBits - 15));
    return (acc >>> truncate) + $signed({{(CaccAccBits - 1) {1'b0}}, guard && (!acc[CaccAccBits-1] || below != '0)});
  endfunction

  // Final result of an accumulator, clamped to 32 bits.
  function automatic logic [31:0] cacc_deliver(input logic signed [CaccAccBits-1:0] acc, input logic [4:0] truncate);
    logic signed [CaccAccBits-1:0] value;
    value = cacc_round(acc, truncate);
    if (value[CaccAccBits-1:31] != '0 && value[CaccAccBits-1:31] != '1) return {value[CaccAccBits-1],
        {31{~value[CaccAccBits-1]}}};
    return value[31:0];
  endfunction

  // That result counts as saturated: above the range when rounded, below the range when rounded down.
  function automatic logic cacc_saturates(input logic signed [CaccAccBits-1:0] acc, input logic [4:0] truncate);
    if (acc[CaccAccBits-1]) return (acc >>> truncate) < -(CaccAccBits'(1) <<< 31);
    return cacc_round(acc, truncate) > (CaccAccBits'(1) <<< 31) - CaccAccBits'(1);
  endfunction

  // The same by masks, which all lanes share.
  function automatic logic cacc_clips(input logic signed [CaccAccBits-1:0] acc, input logic [4:0] truncate);
    logic [CaccAccBits-1:0] beyond, rounds_up;  // bits above the result; the result's below its sign, and the guard bit
    beyond = {CaccAccBits{1'b1}} << (6'd31 + 6'(truncate));
    rounds_up = CaccAccBits'(((CaccAccBits + 1)'(32'hffff_ffff) << truncate) >> 1);
    if (acc[CaccAccBits-1]) return (~acc & beyond) != '0;
    return (acc & beyond) != '0 || (truncate != '0 && (~acc & rounds_up) == '0);
  endfunction
endpackage
