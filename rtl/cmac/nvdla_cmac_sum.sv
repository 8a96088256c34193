// The weights in use of a MAC cell of INT8, its products and their sum, as a pipeline: for cells of more than eight
// lanes, whose sum takes more than a clock.
//
// swap_i: weight_i is the set in use from now on. Stages, valid_i[s - 1] for stage s: 1 products with data_i, each in
// the registers of a multiplier, 2 sums of eight of them, 3 sum_o; 0 if the set was not loaded (loaded_i, of stage 1).
// Spec: 40-convolution-core, sections 4.3 and 9.1.
`include "nvdla_check.svh"
module nvdla_cmac_sum
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    swap_i,
    input  logic [AtomicC-1:0][7:0] weight_i,
    input  logic [             2:0] valid_i,
    input  logic                    loaded_i,
    input  logic [AtomicC-1:0][7:0] data_i,
    output logic signed [ConvSumBits-1:0] sum_o
);
  localparam int Eights = AtomicC / 8;
  localparam int EightBits = 19;

  logic signed [15:0] product[0:AtomicC-1];
  for (genvar l = 0; l < AtomicC; l++) begin : gen_lane
    logic signed [7:0] weight_q;
    logic signed [15:0] product_q;
    always_ff @(posedge clk_i) begin
      if (swap_i) weight_q <= $signed(weight_i[l]);
      if (valid_i[0]) product_q <= 16'($signed(data_i[l])) * 16'(weight_q);
    end
    assign product[l] = product_q;
  end

  function automatic logic signed [16:0] pair(input logic signed [15:0] a, input logic signed [15:0] b);
    return 17'(a) + 17'(b);
  endfunction

  logic signed [EightBits-1:0] eight_q[0:Eights-1];
  always_ff @(posedge clk_i)
    if (valid_i[1])
      for (int e = 0; e < Eights; e++)
        eight_q[e] <= (EightBits'(pair(product[8*e], product[8*e+1])) +
                       EightBits'(pair(product[8*e+2], product[8*e+3]))) +
                      (EightBits'(pair(product[8*e+4], product[8*e+5])) +
                       EightBits'(pair(product[8*e+6], product[8*e+7])));

  // The sum of all as a tree: node n is the sum of nodes 2n + 1 and 2n + 2, the sums of eight are its leaves.
  logic signed [ConvSumBits-1:0] node[0:2*Eights-2];
  always_comb begin
    for (int e = 0; e < Eights; e++) node[Eights-1+e] = ConvSumBits'(eight_q[e]);
    for (int n = Eights - 2; n >= 0; n = n - 1) node[n] = node[2*n+1] + node[2*n+2];
  end

  logic loaded_q[1:2];
  logic signed [ConvSumBits-1:0] sum_q;
  always_ff @(posedge clk_i) begin
    if (valid_i[0]) loaded_q[1] <= loaded_i;
    if (valid_i[1]) loaded_q[2] <= loaded_q[1];
    if (valid_i[2]) sum_q <= loaded_q[2] ? node[0] : '0;
  end
  assign sum_o = sum_q;

  `NVDLA_PARAM(StagesLegal, ConvSumClocks == 4 && AtomicC % 8 == 0)
endmodule
