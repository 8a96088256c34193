// A lane of a MAC cell with 16-bit precisions: one product of FP16 or INT16, or two of INT8 with the same data.
//
// weight_i and data_i are operands of cmac_decode (FP16), 16 bits (INT16), or bytes: {high kernel's, low kernel's}
// weight and the sign-extended datum (INT8). load_i writes the shadow weight, swap_i activates it if loaded_i, else 0.
//
// Stage 1, valid_i[0]: exponent_o, the sum of the exponents, 0 if an operand is 0. The product becomes two numbers U +
// V by Booth digits of the weight and carry-save adders. Stage 2, valid_i[1]: most_i is the largest exponent of the
// cell; U and V are shifted right by four times the distance to it, each loses its low bits, and term_o, a clock later,
// is their sum; 0 at a distance of 8 and more. INT8: term_o is {high, low} product, which are the halves of U + V.
// Spec: 40-convolution-core, sections 9.1 and 9.2.
`include "nvdla_check.svh"
module nvdla_cmac_lane
  import nvdla_pkg::*;
#(
    parameter int Bits = 18  // of an operand
) (
    input  logic            clk_i,
    input  logic            fp16_i,
    input  logic            int8_i,
    input  logic            load_i,
    input  logic [Bits-1:0] weight_i,
    input  logic            swap_i,
    input  logic            loaded_i,
    input  logic [     1:0] valid_i,
    input  logic [Bits-1:0] data_i,
    output logic [     3:0] exponent_o,
    input  logic [     3:0] most_i,
    output logic [    31:0] term_o
);
  /*verilator no_inline_module*/
  localparam logic [31:0] Bias = 32'h55550000;  // of U + V

  // A Booth digit times the data: {it is negative, 65536 + product, one's complement}.
  function automatic logic [17:0] digit(input logic [2:0] bits, input logic [16:0] d);
    logic below;
    logic [16:0] magnitude;
    below = bits[2] && bits != 3'b111;
    magnitude = (bits == 3'b011 || bits == 3'b100) ? {d[15:0], 1'b0} : (bits == 3'b000 || bits == 3'b111) ? '0 : d;
    return {below, {~magnitude[16], magnitude[15:0]} ^ {17{below}}};
  endfunction

  // Carry-save adder.
  function automatic logic [47:0] add3(input logic [23:0] a, input logic [23:0] b, input logic [23:0] c);
    return {((a & b) | ((a ^ b) & c)) << 1, a ^ b ^ c};
  endfunction

  // Four digits of the weight, bits w[8:1] and the one below, times the data, as two numbers.
  function automatic logic [47:0] half(input logic [8:0] w, input logic [16:0] d);
    /*verilator no_inline_task*/
    logic [17:0] s0, s1, s2, s3;
    logic [47:0] sum;
    s0 = digit(w[2:0], d);
    s1 = digit(w[4:2], d);
    s2 = digit(w[6:4], d);
    s3 = digit(w[8:6], d);
    sum = add3(24'(s0[16:0]), 24'({s1[16:0], 1'b0, s0[17]}), 24'({s2[16:0], 1'b0, s1[17], 2'b00}));
    sum = add3(sum[23:0], sum[47:24], 24'({s3[16:0], 1'b0, s2[17], 4'b0000}));
    return add3(sum[23:0], sum[47:24], 24'({s3[17], 6'b000000}));
  endfunction

  logic [Bits-1:0] shadow_q, weight_q;
  always_ff @(posedge clk_i) begin
    if (load_i) shadow_q <= weight_i;
    if (swap_i) weight_q <= loaded_i ? shadow_q : '0;
  end

  // Stage 1.
  logic fp16, there;
  assign fp16 = Fp16 != 0 && fp16_i;
  assign there = !fp16 || (weight_q[13:0] != '0 && data_i[13:0] != '0);
  assign exponent_o = (fp16 && there) ? 4'(weight_q[16:14]) + 4'(data_i[16:14]) : '0;

  logic there_q;
  logic [3:0] exponent_q;
  logic [31:0] u_q, v_q;
  always_ff @(posedge clk_i) begin
    logic [15:0] w;
    logic [16:0] d;
    logic [47:0] low, high;
    logic [31:0] sum, carry, shifted;
    if (valid_i[0]) begin
      there_q    <= there;
      exponent_q <= exponent_o;
      // Both operands' signs are in the weight's digits: inverted bits are digits with the other sign.
      w = (fp16 ? {2'b00, weight_q[13:0]} : weight_q[15:0]) ^ {16{fp16 && weight_q[17] != data_i[17]}};
      d = fp16 ? {3'b000, data_i[13:0]} : {data_i[15], data_i[15:0]};
      low = half({w[7:0], fp16 && weight_q[17] != data_i[17]}, d);
      high = half({w[15:8], w[7] && !int8_i}, d);
      if (int8_i) begin
        u_q <= {high[15:0], low[15:0]};
        v_q <= {high[39:24], low[39:24]};
      end else begin
        shifted = {high[23:0], 8'd0};
        sum = 32'(low[23:0]) ^ 32'(low[47:24]) ^ shifted;
        carry = ((32'(low[23:0]) & 32'(low[47:24])) | ((32'(low[23:0]) ^ 32'(low[47:24])) & shifted)) << 1;
        shifted = {high[47:24], 8'd0};
        u_q <= sum ^ carry ^ shifted;
        v_q <= ((sum & carry) | ((sum ^ carry) & shifted)) << 1;
      end
    end
  end

  // Stage 2. less: what has to be added for the bias to go away, less 1.
  logic [31:0] term_q;
  always_ff @(posedge clk_i) begin
    logic [3:0] distance;
    logic [31:0] u, v, less;
    logic [17:0] low;
    logic [15:0] high;
    if (valid_i[1]) begin
      distance = (Fp16 != 0) ? most_i - exponent_q : '0;
      u = u_q >> {distance[2:0], 2'b00};
      v = v_q >> {distance[2:0], 2'b00};
      less = int8_i ? '1 : ~(Bias >> {distance[2:0], 2'b00});
      low = 18'(u[15:0]) + 18'(v[15:0]) + 18'(less[15:0]) + 18'd1;
      high = u[31:16] + v[31:16] + less[31:16] + (int8_i ? 16'd1 : 16'(low[17:16]));
      term_q <= (there_q && !distance[3]) ? {high, low[15:0]} : '0;
    end
  end
  assign term_o = term_q;

  `NVDLA_PARAM(OperandsLegal, Bits == 18)
endmodule
