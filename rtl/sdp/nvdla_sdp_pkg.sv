// Arithmetic of SDP, one element at a time, in integers: the X stage (BS and BN alike) and the output convertor.
//
// Spec: 50-sdp, sections 5.1, 5.3 and 10.
package nvdla_sdp_pkg;
  import nvdla_pkg::*;

  // D_DP_*_ALU_ALGO; the value 3, "equal", adds in an integer X stage.
  localparam logic [1:0] AlgoMax = 2'd0;
  localparam logic [1:0] AlgoMin = 2'd1;
  localparam logic [1:0] AlgoSum = 2'd2;
  localparam logic [1:0] AlgoEqual = 2'd3;

  // ALU of an X stage: d and operand * 2^shift, saturated to 32 bits, by max, min or sum. The sum is exact in 33 bits.
  function automatic logic signed [32:0] x_alu(input logic signed [31:0] d, input logic signed [15:0] operand,
                                               input logic [5:0] shift, input logic [1:0] algo);
    logic signed [31:0] op;
    // From a shift of 31 on every operand but 0 is at a limit, so larger shifts need no more bits.
    op = nvdla_arith_pkg::sat32($signed({{48{operand[15]}}, operand}) <<< (shift[5] ? 5'd31 : shift[4:0]));
    if (algo == AlgoMax) return (op > d) ? $signed({op[31], op}) : $signed({d[31], d});
    if (algo == AlgoMin) return (op < d) ? $signed({op[31], op}) : $signed({d[31], d});
    return $signed({d[31], d}) + $signed({op[31], op});
  endfunction

  // Product of an X stage and of the convertor: 33 by 16 bits, exact.
  function automatic logic signed [48:0] product(input logic signed [32:0] a, input logic signed [15:0] b);
    return $signed({{16{a[32]}}, a}) * $signed({{33{b[15]}}, b});
  endfunction

  // End of an X stage: rounding shift and saturation to 32 bits unless PReLU passes the value (its low 32 bits), then
  // ReLU.
  function automatic logic [31:0] x_round(input logic signed [48:0] p, input logic pass, input logic [5:0] shift,
                                          input logic relu);
    logic signed [31:0] t;
    if (pass) t = $signed(p[31:0]);
    else t = nvdla_arith_pkg::sat32(nvdla_arith_pkg::round_shift($signed({{15{p[48]}}, p}), shift));
    if (relu && t[31]) return 32'd0;
    return t;
  endfunction

  // Difference of the output convertor, exact in 33 bits.
  function automatic logic signed [32:0] difference(input logic signed [31:0] d, input logic signed [31:0] offset);
    return $signed({d[31], d}) - $signed({offset[31], offset});
  endfunction

  // End of the output convertor of INT8 alone: {saturation flag, result}. The flag says that the shifted product leaves
  // 17 bits, rounded or rounded down; the clamp from 17 to 8 bits raises no flag.
  function automatic logic [8:0] cvt_round(input logic signed [48:0] p, input logic [5:0] shift);
    logic signed [63:0] wide;
    logic signed [63:0] floor;
    logic signed [63:0] rounded;
    logic signed [16:0] t;
    logic flag;
    wide = $signed({{15{p[48]}}, p});
    floor = wide >>> shift;
    rounded = nvdla_arith_pkg::round_shift(wide, shift);
    t = nvdla_arith_pkg::sat17(rounded);
    flag = ($signed({{47{t[16]}}, t}) != rounded) || (floor != $signed({{47{floor[16]}}, floor[16:0]}));
    return {flag, nvdla_arith_pkg::sat8($signed({{47{t[16]}}, t}))};
  endfunction

  // End of the output convertor where results may have 16 bits: {saturation flag, result of 17 bits}. The flag says
  // that the clamp to 17 bits changes the floor of the shifted product by more than 1. No sum is in front of the
  // shifter: what is shifted out says whether the floor becomes one more.
  function automatic logic [17:0] cvt_round_17(input logic signed [48:0] p, input logic [5:0] shift);
    logic signed [49:0] parts;  // the floor, and the highest bit that is shifted out
    logic [49:0] below;         // the bits below that one
    logic [48:0] floor;
    logic up, fits, near;
    parts = $signed({p, 1'b0}) >>> shift;
    below = {p[48], p} & (~({50{1'b1}} << shift) >> 1);
    floor = parts[49:1];
    up = parts[0] && (!p[48] || below != '0);
    fits = floor[48:16] == '0 || floor[48:16] == '1;
    near = floor == 49'h0_0000_0001_0000 || floor == 49'h1_ffff_fffe_ffff;  // one beyond the range
    if (!fits) return {!near, p[48], {16{!p[48]}}};
    return {1'b0, floor[16:0] + 17'(up && floor[16:0] != 17'h0_ffff)};
  endfunction

  // End of the output convertor for a lane: {saturation flag, result}. Where lanes have 16 bits it is INT8,
  // sign-extended, or INT16; the last clamp raises no flag.
  function automatic logic [8*LaneBytes:0] cvt_element(input logic signed [48:0] p, input logic [5:0] shift,
      input logic int8);
    localparam int Bits = 8 * LaneBytes + 1;
    logic [17:0] t;
    logic signed [7:0] t8;
    if (LaneBytes == 1) return Bits'(cvt_round(p, shift));
    t = cvt_round_17(p, shift);
    t8 = nvdla_arith_pkg::sat8($signed({{47{t[16]}}, t[16:0]}));
    if (int8) return Bits'({t[17], {8{t8[7]}}, t8});
    if (t[16] != t[15]) return Bits'({t[17], t[16] ? 16'h8000 : 16'h7fff});
    return Bits'({t[17], t[15:0]});
  endfunction

  // How many FP16 lanes of an atom are NaN, and infinite: trees of adders.
  function automatic logic [5:0] fp16_nans(input logic [AtomBits-1:0] lanes);
    logic [5:0] count;
    count = 6'd0;
    for (int g = 0; g < AtomBits / 16; g++) count = count + 6'(lanes[g*16+:15] > 15'h7c00);
    return count;
  endfunction
  function automatic logic [5:0] fp16_infinities(input logic [AtomBits-1:0] lanes);
    logic [5:0] count;
    count = 6'd0;
    for (int g = 0; g < AtomBits / 16; g++) count = count + 6'(lanes[g*16+:15] == 15'h7c00);
    return count;
  endfunction

  // A counter that stays at its largest value.
  function automatic logic [31:0] count_up(input logic [31:0] count, input logic [5:0] by);
    logic [32:0] sum;
    sum = {1'b0, count} + 33'(by);
    return sum[32] ? 32'hffff_ffff : sum[31:0];
  endfunction

endpackage
