// The cell of CMAC in FP16: the products of one atomic operation, aligned to the largest exponent and added as integers.
//
// weight_i, data_i: a lane each of what nvdla_fp16_decode makes. weight_nan_i, data_nan_i: what nvdla_fp16_first_nan finds among them;
// the weights' NaN wins. exponent_o is four times the largest sum of exponents of a lane with both operands other than zero, or 63 for a
// NaN; mantissa_o[0] is the sum of the terms, 38 bits, signed, or the sign and mantissa of the NaN on top of 27 zeros. The value is
// mantissa * 2^(exponent - 50). tile_i: the lanes are the 16 positions of a Winograd tile, Lanes / 16 channels of each, and
// mantissa_o[n] is output n of the tile (POA); else only [0] counts.
//
// A product whose exponents are smaller than the largest loses bits as the multiplier's two carry-save numbers U and V lose them, each
// for itself: the term is (U >> s) + (V >> s) less their bias, s four times the distance; from a distance of eight on it is 0. Products of
// distance 0, which lose nothing, are taken from the product itself. Latency: one clock.
// Spec: 40-convolution-core, sections 9.2 and 3.3.
module nvdla_fp16_dot #(
    parameter int Lanes = 64
) (
    input  logic                clk_i,
    input  logic                en_i,
    input  logic                tile_i,
    input  logic [18*Lanes-1:0] weight_i,
    input  logic [18*Lanes-1:0] data_i,
    input  logic [        11:0] weight_nan_i,
    input  logic [        11:0] data_nan_i,
    output logic [         5:0] exponent_o,
    output logic [    4*38-1:0] mantissa_o
);
  localparam logic [31:0] Bias = 32'h55550000;  // of U + V
  localparam int Channels = Lanes / 16;

  // Carry-save adder.
  function automatic logic [63:0] add3(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c);
    return {((a & b) | ((a ^ b) & c)) << 1, a ^ b ^ c};
  endfunction

  // Four Booth digits of the weight, bits w[8:1] and the one below, times the data, as two numbers of 24 bits.
  function automatic logic [63:0] half(input logic [8:0] w, input logic negative, input logic [13:0] d);
    logic [15:0] magnitude;
    logic [2:0] digit;
    logic [3:0] below;
    logic [31:0] number;
    logic [4*32-1:0] numbers;
    logic [63:0] sum;
    for (int k = 0; k < 4; k++) begin
      digit = w[2*k+:3] ^ {3{negative}};
      below[k] = digit[2] & (digit != 3'b111);
      magnitude = (digit == 3'b011 || digit == 3'b100) ? {1'b0, d, 1'b0} : (digit == 3'b000 || digit == 3'b111) ? '0 : {2'b00, d};
      number = 32'({~below[k], magnitude ^ {16{below[k]}}}) << (2 * k);
      if (k > 0) number = number + (32'(below[k-1]) << (2 * k - 2));
      numbers[32*k+:32] = number;
    end
    sum = add3(numbers[31:0], numbers[63:32], numbers[95:64]);
    sum = add3(sum[31:0], sum[63:32], numbers[127:96]);
    return add3(sum[31:0], sum[63:32], 32'(below[3]) << 6);
  endfunction

  // The term of a product that loses 4 * distance bits.
  function automatic logic [31:0] truncated(input logic [13:0] w, input logic [13:0] d, input logic negative, input logic [2:0] distance);
    /*verilator no_inline_task*/
    logic [63:0] low, high, sum;
    low = half({w[7:0], 1'b0}, negative, d);
    high = half({2'b00, w[13:7]}, negative, d);
    sum = add3(low[31:0], low[63:32], high[31:0] << 8);
    sum = add3(sum[31:0], sum[63:32], high[63:32] << 8);
    return (sum[31:0] >> {distance, 2'b00}) + (sum[63:32] >> {distance, 2'b00}) - (Bias >> {distance, 2'b00});
  endfunction

  // -1, 0 or 1: whether a position counts in a line of the output, out of {row or column of the tile, of the output}.
  function automatic logic [1:0] along(input logic [1:0] in, input logic out);
    return out ? {in[1], in != 2'd0} : {1'b0, in != 2'd3};
  endfunction

  function automatic logic [4*38+6-1:0] result(input logic [18*Lanes-1:0] weights, input logic [18*Lanes-1:0] data, input logic [11:0] weight_nan,
                                               input logic [11:0] data_nan, input logic tile);
    logic [3:0] most, exponent, distance;
    logic [17:0] w, d;
    logic [31:0] term;
    logic [37:0] wide;
    logic [4*38-1:0] sums;
    logic [1:0] row, column;
    if (weight_nan[11]) return {{4{weight_nan[10:0], 27'd0}}, 6'd63};
    if (data_nan[11]) return {{4{data_nan[10:0], 27'd0}}, 6'd63};
    most = '0;
    for (int l = 0; l < Lanes; l++) begin
      w = weights[18*l+:18];
      d = data[18*l+:18];
      exponent = 4'(w[16:14]) + 4'(d[16:14]);
      if (w[13:0] != '0 && d[13:0] != '0 && exponent > most) most = exponent;
    end
    sums = '0;
    for (int l = 0; l < Lanes; l++) begin
      w = weights[18*l+:18];
      d = data[18*l+:18];
      distance = most - (4'(w[16:14]) + 4'(d[16:14]));
      if (w[13:0] != '0 && d[13:0] != '0 && !distance[3]) begin
        if (distance == '0) begin
          term = 32'(w[13:0]) * 32'(d[13:0]);
          if (w[17] ^ d[17]) term = -term;
        end else term = truncated(w[13:0], d[13:0], w[17] ^ d[17], distance[2:0]);
        wide = {{6{term[31]}}, term};
        if (!tile) sums[37:0] = sums[37:0] + wide;
        else
          for (int n = 0; n < 4; n++) begin
            row = along(2'((l / Channels) >> 2), n >= 2);
            column = along(2'(l / Channels), n % 2 == 1);
            if (row[0] && column[0]) sums[38*n+:38] = (row[1] ^ column[1]) ? sums[38*n+:38] - wide : sums[38*n+:38] + wide;
          end
      end
    end
    return {sums, most, 2'b00};
  endfunction

  logic [4*38+6-1:0] result_q;
  always_ff @(posedge clk_i) if (en_i) result_q <= result(weight_i, data_i, weight_nan_i, data_nan_i, tile_i);
  assign {mantissa_o, exponent_o} = result_q;
endmodule
