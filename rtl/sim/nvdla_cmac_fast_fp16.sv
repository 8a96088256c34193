// Fast form of the cells of a CMAC unit in FP16, for simulators: the products of one atomic operation, aligned to the
// largest exponent and added as integers, as a program in one clocked block. nvdla_cmac_array is the hardware.
//
// load_i, one-hot, writes weight_i to a cell's shadow set; swap_i (with the first atom of a stripe) activates the
// shadow sets of the cells in next_i; a load in the same clock belongs to the next sets. data_i is multiplied by the
// active sets when valid_i; cells that are not in loaded_i give 0. tile_i: lane 4e + channel is position e of a
// Winograd tile, the values are the outputs of the tile (POA); else only value 0 counts. Latency: one clock.
//
// A value is {exponent (6), mantissa (38)}, mantissa * 2^(exponent - 50): four times the largest sum of exponents of a
// lane with both operands other than zero, and the sum of the terms; or 63 and the sign and mantissa of a NaN on top of
// 27 zeros, the first one of the weights, else the first one of the data.
//
// The multiplier of the chapter gives a product as two carry-save numbers U + V, which lose their low bits separately
// when they are shifted right by four times the distance to the largest exponent. So the term is the shifted product
// less the carry of those bits. At a distance of one or two the carry depends only on the low eight bits of weight and
// data, and is computed for eight cells at once, a byte each. The few terms further away are computed from U and V.
// Spec: 40-convolution-core, sections 3.3, 4.3 and 9.2.
`include "nvdla_check.svh"
module nvdla_cmac_fast_fp16
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                             clk_i,
    input  logic                             tile_i,
    input  logic [            ConvCells-1:0] load_i,
    input  logic [         ConvAtomBits-1:0] weight_i,
    input  logic                             swap_i,
    input  logic [            ConvCells-1:0] next_i,
    input  logic                             valid_i,
    input  logic [            ConvCells-1:0] loaded_i,
    input  logic [         ConvAtomBits-1:0] data_i,
    output logic [ConvCells*ConvSumBits-1:0] sum_o
);
  localparam int Positions = 16;                        // of a Winograd tile
  localparam logic [31:0] Bias = 32'h55550000;          // of U + V
  localparam logic [63:0] Ones = 64'h0101010101010101;  // a bit for each of eight bytes

  logic [ConvValueBits-1:0] value_q[0:ConvCells*ConvValues-1];

  // An operand: {sign, exponent (3), mantissa (14)} of value +-mantissa * 16^exponent * 2^-25,
  // infinity included.
  function automatic logic [17:0] decode(input logic [15:0] a);
    logic [10:0] significand;
    significand = (a[14:10] == '0) ? {a[9:0], 1'b0} : {1'b1, a[9:0]};
    return {a[15], a[14:12], 14'(significand) << a[11:10]};
  endfunction

  // Carry-save adder.
  function automatic logic [63:0] add3(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c);
    return {((a & b) | ((a ^ b) & c)) << 1, a ^ b ^ c};
  endfunction
  // The same, eight bytes each; the sum and the carries.
  function automatic logic [63:0] add3_sum(input logic [63:0] a, input logic [63:0] b, input logic [63:0] c);
    return a ^ b ^ c;
  endfunction
  function automatic logic [63:0] add3_carry(input logic [63:0] a, input logic [63:0] b, input logic [63:0] c);
    return (((a & b) | ((a ^ b) & c)) & ~(Ones << 7)) << 1;
  endfunction

  // A Booth digit times the data: {it is negative, 65536 + product, one's complement}.
  function automatic logic [17:0] digit(input logic [2:0] bits, input logic [13:0] d);
    logic below;
    logic [15:0] magnitude;
    below = bits[2] && bits != 3'b111;
    magnitude = (bits == 3'b011 || bits == 3'b100) ? {1'b0, d, 1'b0} : (bits == 3'b000 || bits == 3'b111) ? '0 :
        {2'b00, d};
    return {below, ~below, magnitude ^ {16{below}}};
  endfunction

  // Four digits of the weight, bits w[8:1] and the one below, times the data, as two numbers.
  function automatic logic [63:0] half(input logic [8:0] w, input logic negative, input logic [13:0] d);
    logic [17:0] s0, s1, s2, s3;
    logic [63:0] sum;
    s0 = digit(w[2:0] ^ {3{negative}}, d);
    s1 = digit(w[4:2] ^ {3{negative}}, d);
    s2 = digit(w[6:4] ^ {3{negative}}, d);
    s3 = digit(w[8:6] ^ {3{negative}}, d);
    sum = add3(32'(s0[16:0]), 32'({s1[16:0], 1'b0, s0[17]}), 32'({s2[16:0], 1'b0, s1[17], 2'b00}));
    sum = add3(sum[31:0], sum[63:32], 32'({s3[16:0], 1'b0, s2[17], 4'b0000}));
    return add3(sum[31:0], sum[63:32], 32'({s3[17], 6'b000000}));
  endfunction

  // The term of a product that loses 4 * distance bits.
  function automatic logic [31:0] truncated(input logic [13:0] w, input logic [13:0] d, input logic negative,
      input logic [2:0] distance);
    /*verilator no_inline_task*/
    logic [63:0] low, high, sum;
    low = half({w[7:0], 1'b0}, negative, d);
    high = half({2'b00, w[13:7]}, negative, d);
    sum = add3(low[31:0], low[63:32], high[31:0] << 8);
    sum = add3(sum[31:0], sum[63:32], high[63:32] << 8);
    return (sum[31:0] >> {distance, 2'b00}) + (sum[63:32] >> {distance, 2'b00}) - (Bias >> {distance, 2'b00});
  endfunction

  // The highest bit that is set, 0 if none is.
  function automatic logic [3:0] highest(input logic [15:0] bits);
    logic [3:0] at;
    logic [15:0] left;
    left = bits;
    for (int s = 3; s >= 0; s--) begin
      at[s] = (left >> (1 << s)) != '0;
      if (at[s]) left = left >> (1 << s);
    end
    return at;
  endfunction

  always @(posedge clk_i) begin : work  // loops as long as there are operands that are not 0
    logic [15:0] shadow[0:ConvCells-1][0:AtomicC-1];
    // Weights in use.
    logic signed [31:0] weight[0:AtomicC-1][0:ConvCells-1];  // mantissa and sign
    logic [3:0] weight_exponent[0:AtomicC-1][0:ConvCells-1];
    logic [63:0] exponents[0:AtomicC-1][0:1];  // 16 bits a cell: the one of the exponent, unless the weight is 0
    logic [11:0] weight_nan[0:ConvCells-1];    // the first one: {there is one, sign, mantissa (10)}
    // A byte a cell: where digit k of the low byte is +-1, where it is +-2, and where it is negative with data of each
    // sign, there with the bits that the digit's place leaves.
    logic [63:0] once[0:AtomicC-1][0:3];
    logic [63:0] twice[0:AtomicC-1][0:3];
    logic [63:0] below[0:1][0:AtomicC-1][0:3];
    // Data that are not 0.
    logic [ConvLaneBits:0] count;
    logic [ConvLaneBits-1:0] lane[0:AtomicC-1];
    logic [17:0] datum[0:AtomicC-1];
    logic [11:0] data_nan;
    logic signed [63:0] sum[0:Positions-1][0:ConvCells-1];  // direct layers: [0]
    logic [3:0] most[0:ConvCells-1];
    logic [ConvValueBits-1:0] value[0:ConvCells*ConvValues-1];
    // Temporaries.
    logic [17:0] operand;
    logic [ConvLaneBits-1:0] l;
    logic [3:0] p, far;
    logic [63:0] low, high, bytes, negative, d, one, two, minus, x0, x1, x2, x3, u, v, t, carries;
    logic signed [31:0] product, mantissa;
    logic signed [63:0] row[0:7];  // of a tile: row r of the terms to column x of the output is row[2r + x]

    if (valid_i) begin
      count = '0;
      data_nan = '0;
      for (int i = AtomicC - 1; i >= 0; i--) begin
        if (data_i[16*i+:15] > 15'h7c00) data_nan = {1'b1, data_i[16*i+15], data_i[16*i+:10]};
        lane[count[ConvLaneBits-1:0]]  = ConvLaneBits'(i);
        datum[count[ConvLaneBits-1:0]] = decode(data_i[16*i+:16]);
        count = count + (ConvLaneBits + 1)'(data_i[16*i+:15] != '0);
      end

      // The largest exponents.
      low = '0;
      high = '0;
      for (int i = 0; i < 32'(count); i++) begin
        l = lane[i];
        low = low | exponents[l][0] << datum[i][16:14];
        high = high | exponents[l][1] << datum[i][16:14];
      end
      for (int c = 0; c < ConvCells; c++) begin
        most[c] = highest(c < 4 ? low[16*(c%4)+:16] : high[16*(c%4)+:16]);
        sum[0][c] = '0;
      end
      if (tile_i) for (int e = 1; e < Positions; e++) for (int c = 0; c < ConvCells; c++) sum[e][c] = '0;

      // The terms.
      for (int i = 0; i < 32'(count); i++) begin
        l = lane[i];
        operand = datum[i];
        p = tile_i ? 4'(l >> 2) : '0;
        mantissa = operand[17] ? -32'(operand[13:0]) : 32'(operand[13:0]);
        // What the low four and eight bits of U and V carry, in bits 1 and 2 of the cells' bytes.
        d = Ones * 64'(operand[7:0]);
        bytes = below[operand[17]][l][0];
        x0 = ((d & once[l][0]) | (((d & (Ones * 64'h7f)) << 1) & twice[l][0])) ^ bytes;
        d = (d & (Ones * 64'h3f)) << 2;
        negative = below[operand[17]][l][1];
        x1 = (((d & once[l][1]) | (((d & (Ones * 64'h7f)) << 1) & twice[l][1])) ^ negative) | (bytes & Ones);
        d = (d & (Ones * 64'h3f)) << 2;
        bytes = below[operand[17]][l][2];
        x2 = (((d & once[l][2]) | (((d & (Ones * 64'h7f)) << 1) & twice[l][2])) ^ bytes) | (negative & (Ones << 2));
        d = (d & (Ones * 64'h3f)) << 2;
        negative = below[operand[17]][l][3];
        x3 = (((d & once[l][3]) | (((d & (Ones * 64'h7f)) << 1) & twice[l][3])) ^ negative) | (bytes & (Ones << 4));
        u = add3_sum(x0, x1, x2);
        v = add3_carry(x0, x1, x2);
        t = add3_sum(u, v, x3);
        v = add3_carry(u, v, x3);
        u = add3_sum(t, v, negative & (Ones << 6));
        v = add3_carry(t, v, negative & (Ones << 6));
        t = u ^ v;  // the high half of the product begins at bit 8
        v = ((u & v) & ~(Ones << 7)) << 1;
        u = t ^ v;
        v = ((t & v) & ~(Ones << 7)) << 1;
        t = (u & (Ones * 64'h7f)) + (v & (Ones * 64'h7f));
        carries = ((((u & (Ones * 64'h0f)) + (v & (Ones * 64'h0f))) >> 3) & (Ones << 1)) |
            ((((u & v) | ((u | v) & t)) >> 5) & (Ones << 2));

        for (int c = 0; c < ConvCells; c++) begin
          product = weight[l][c] * mantissa;
          far = most[c] - weight_exponent[l][c] - 4'(operand[16:14]);
          if (far < 4'd3) begin
            product = product >>> {far[1:0], 2'b00};
            product = product - $signed(32'((carries >> {3'(c), 1'b0, far[1:0]}) & 64'd1));
            sum[p][c] = sum[p][c] + 64'(product);
          end else if (far < 4'd8 && weight[l][c] != '0) begin
            product = $signed(truncated(weight[l][c] < 0 ? 14'(-weight[l][c]) : weight[l][c][13:0], operand[13:0],
                weight[l][c][31] ^ operand[17], far[2:0]));
            sum[p][c] = sum[p][c] + 64'(product);
          end
        end
      end

      for (int c = 0; c < ConvCells; c++) begin
        for (int n = 0; n < ConvValues; n++) value[c*ConvValues+n] = '0;
        if (loaded_i[c]) begin
          if (tile_i) begin
            for (int r = 0; r < 4; r++) begin
              row[2*r]   = sum[4*r][c] + sum[4*r+1][c] + sum[4*r+2][c];
              row[2*r+1] = sum[4*r+1][c] - sum[4*r+2][c] - sum[4*r+3][c];
            end
            for (int x = 0; x < ConvValues / 2; x++) begin
              value[c*ConvValues+x]   = {most[c], 2'b00, 38'(row[x] + row[2+x] + row[4+x])};
              value[c*ConvValues+2+x] = {most[c], 2'b00, 38'(row[2+x] - row[4+x] - row[6+x])};
            end
          end else value[c*ConvValues] = {most[c], 2'b00, sum[0][c][37:0]};
          if (weight_nan[c][11] || data_nan[11])
            for (int n = 0; n < ConvValues; n++)
              if (n == 0 || tile_i) value[c*ConvValues+n] =
                  {6'd63, weight_nan[c][11] ? weight_nan[c][10:0] : data_nan[10:0], 27'd0};
        end
      end
      for (int i = 0; i < ConvCells * ConvValues; i++) value_q[i] <= value[i];
    end

    if (swap_i) begin
      for (int c = 0; c < ConvCells; c++) weight_nan[c] = '0;
      for (int i = AtomicC - 1; i >= 0; i--) begin
        bytes = '0;
        negative = '0;
        low = '0;
        high = '0;
        for (int c = 0; c < ConvCells; c++) begin
          operand = next_i[c] ? decode(shadow[c][i]) : '0;
          if (next_i[c] && shadow[c][i][14:0] > 15'h7c00) weight_nan[c] = {1'b1, shadow[c][i][15], shadow[c][i][9:0]};
          weight[i][c] = operand[17] ? -32'(operand[13:0]) : 32'(operand[13:0]);
          weight_exponent[i][c] = 4'(operand[16:14]);
          bytes[8*c+:8] = operand[7:0];
          negative[8*c] = operand[17];
          if (operand[13:0] != '0)
            if (c < 4) low[16*c+:16] = 16'd1 << operand[16:14];
            else high[16*(c-4)+:16] = 16'd1 << operand[16:14];
        end
        exponents[i][0] = low;
        exponents[i][1] = high;
        for (int k = 0; k < 4; k++) begin
          t = (bytes << 1) >> (2 * k);  // bit 0 of a byte: the bit below the digit, for k = 0 nothing
          one = ((bytes >> (2 * k)) ^ (k == 0 ? '0 : t)) & Ones;
          two = ((bytes >> (2 * k + 1)) ^ (bytes >> (2 * k))) & Ones & ~one;
          minus = (bytes >> (2 * k + 1)) ^ negative;
          once[i][k] = one * 64'hff;
          twice[i][k] = two * 64'hff;
          below[0][i][k] = ((one | two) & minus) * 64'(8'(8'hff << (2 * k)));
          below[1][i][k] = ((one | two) & ~minus) * 64'(8'(8'hff << (2 * k)));
        end
      end
    end

    for (int c = 0; c < ConvCells; c++) if (load_i[c]) for (int i = 0; i < AtomicC; i++) shadow[c][i] =
        weight_i[16*i+:16];
  end

  for (genvar i = 0; i < ConvCells * ConvValues; i++) begin : gen_value
    assign sum_o[i*ConvValueBits+:ConvValueBits] = value_q[i];
  end

  `NVDLA_PARAM(CellsLegal, ConvCells <= 8 && AtomicC <= 64 && (ConvValues == 1 || AtomicC == 4 * Positions))
endmodule
