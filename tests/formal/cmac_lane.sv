// A lane of a MAC cell in its two forms, for all operands: nvdla_cmac_lane, the hardware, and what the fast form
// computes of a lane. prove.sh takes that from the text of nvdla_cmac_fast_fp16.sv: its functions (package fast), where
// digits carry (lane_digits.svh, lane_carries.svh). The functions of the hardware are in package hardware. Registers
// are wires here: all inputs stay as long as the lane takes.
//
// One claim a run, chosen by a define. Together they say that a product of the hardware is that of `*`, which
// nvdla_cmac_fast_integer uses, and that an FP16 term is that of the fast form at each distance to the largest
// exponent:
//   INT8_PRODUCTS     term_o is both products INT16_SUM         term_o is the sum of the numbers into which both bytes
//   of the weight are made, less the bias HARDWARE_HALF     these numbers are exactly 0x550000 and a byte of the
//   weight, with the carry into it, times the data FAST_SUM, FAST_HALF   the same of the fast form's FP16 product
//   FP16_TERM         term_o is the fast form's term, with that product for weight * mantissa
module proof
  import fast::add3_sum, fast::add3_carry;
(
    input  logic        clk_i,
    input  logic [15:0] w,
    input  logic [15:0] d,
    input  logic [ 3:0] most,
    output logic        bad
);
  localparam logic [63:0] Ones = 64'h0101010101010101;
  localparam logic [31:0] Bias = 32'h55550000;

  logic fp16, int8;
  logic [17:0] weight, data;
  logic [3:0] unused_exponent;
  logic [31:0] term;
`ifdef FP16_TERM
  assign {fp16, int8} = 2'b10;
  assign weight = fast::decode(w);
  assign data = fast::decode(d);
`elsif INT8_PRODUCTS
  assign {fp16, int8} = 2'b01;
  assign weight = 18'(w);
  assign data = 18'({{8{d[7]}}, d[7:0]});
`else
  assign {fp16, int8} = 2'b00;
  assign weight = 18'(w);
  assign data = 18'(d);
`endif
  nvdla_cmac_lane dut (
      .clk_i,
      .fp16_i    (fp16),
      .int8_i    (int8),
      .load_i    (1'b1),
      .weight_i  (weight),
      .swap_i    (1'b1),
      .loaded_i  (1'b1),
      .valid_i   (2'b11),
      .data_i    (data),
      .exponent_o(unused_exponent),
      .most_i    (fp16 ? most : 4'd0),
      .term_o    (term)
  );

`ifdef INT8_PRODUCTS
  logic signed [15:0] low, high;
  assign low = 16'($signed(w[7:0])) * 16'($signed(d[7:0]));
  assign high = 16'($signed(w[15:8])) * 16'($signed(d[7:0]));
  assign bad = term != {high, low};
`elsif INT16_SUM
  logic [47:0] low, high;
  assign low = hardware::half({w[7:0], 1'b0}, {d[15], d});
  assign high = hardware::half({w[15:8], w[7]}, {d[15], d});
  assign bad = term != 32'(low[23:0]) + 32'(low[47:24]) + ((32'(high[23:0]) + 32'(high[47:24])) << 8) - Bias;
`elsif HARDWARE_HALF
  logic [47:0] sum;
  logic signed [24:0] product;
  assign sum = hardware::half(w[8:0], {d[15], d});
  assign product = (25'($signed(w[8:1])) + 25'(w[0])) * 25'($signed(d));
  assign bad = 25'(sum[23:0]) + 25'(sum[47:24]) != 25'h550000 + product;
`elsif FAST_SUM
  logic [63:0] low, high;
  assign low = fast::half({w[7:0], 1'b0}, w[15], d[13:0]);
  assign high = fast::half({2'b00, w[13:7]}, w[15], d[13:0]);
  assign bad = fast::truncated(w[13:0], d[13:0], w[15], 3'd0) !=
      low[31:0] + low[63:32] + ((high[31:0] + high[63:32]) << 8) - Bias;
`elsif FAST_HALF
  logic [63:0] sum;
  logic signed [31:0] value;
  assign sum = fast::half(w[8:0], w[15], d[13:0]);
  assign value = 32'($signed(w[8:1])) + 32'(w[0]);
  assign bad = sum[31:0] + sum[63:32] != 32'h550000 + (w[15] ? -value : value) * 32'(d[13:0]);
`elsif FP16_TERM
  // Names as in the fast form, of lane 0 and cell 0.
  logic [63:0] once[0:0][0:3], twice[0:0][0:3], below[0:1][0:0][0:3], carried;
  logic [17:0] operand;
  assign operand = data;
  always_comb begin
    localparam int i = 0;
    logic [63:0] bytes, negative, t, one, two, minus;
    bytes = 64'(weight[7:0]);
    negative = 64'(weight[17]);
`include "lane_digits.svh"
  end
  always_comb begin
    localparam int l = 0;
    logic [63:0] d, bytes, negative, x0, x1, x2, x3, u, v, t, carries;
`include "lane_carries.svh"
    carried = carries;
  end

  logic signed [31:0] product;
  logic [31:0] want;
  logic [3:0] far;
  always_comb begin
    product = $signed(fast::truncated(weight[13:0], operand[13:0], weight[17] ^ operand[17], 3'd0));
    far = most - 4'(weight[16:14]) - 4'(operand[16:14]);
    want = '0;
    if (d[14:0] != '0) begin
      if (far < 4'd3) begin
        product = product >>> {far[1:0], 2'b00};
        want = product - 32'((carried >> far[1:0]) & 64'd1);
      end else if (far < 4'd8 && weight[13:0] != '0)
        want = fast::truncated(weight[13:0], operand[13:0], weight[17] ^ operand[17], far[2:0]);
    end
  end
  assign bad = term != want && most >= 4'(weight[16:14]) + 4'(operand[16:14]);
`endif
endmodule
