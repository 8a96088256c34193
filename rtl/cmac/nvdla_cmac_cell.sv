// MAC cell: AtomicC products of 8 by 8 bits and their sum, with one set of weights in use and the next one in shadow
// registers.
//
// load_i writes the shadow set. swap_i (with the first atom of a stripe) activates the shadow set and leaves the shadow
// empty; a load in the same clock belongs to the next set. A cell whose set was not loaded gives 0. data_i and valid_i
// come one clock after the atom's swap_i; sum_o is registered, latency 1 clock.
// Spec: 40-convolution-core, sections 4.3 and 9.1.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
module nvdla_cmac_cell
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 load_i,
    input  logic [AtomicC*8-1:0] weight_i,
    input  logic                 swap_i,
    input  logic                 valid_i,
    input  logic [AtomicC*8-1:0] data_i,
    output logic signed [ConvSumBits-1:0] sum_o
);
  logic [AtomicC*8-1:0] shadow_q;
  logic signed [7:0] weight_q[0:AtomicC-1];
  logic shadow_loaded_q, loaded_q;
  logic signed [ConvSumBits-1:0] sum_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      shadow_loaded_q <= 1'b0;
      loaded_q        <= 1'b0;
    end else begin
      if (load_i) shadow_loaded_q <= 1'b1;
      else if (swap_i) shadow_loaded_q <= 1'b0;
      if (swap_i) loaded_q <= shadow_loaded_q;
    end

  always_ff @(posedge clk_i) begin
    if (load_i) shadow_q <= weight_i;
    if (swap_i) for (int i = 0; i < AtomicC; i++) weight_q[i] <= $signed(shadow_q[i*8+:8]);
  end

  // Sums of eight products are one expression each; 32-bit arithmetic, of which ConvSumBits hold the exact sum.
  always_ff @(posedge clk_i) begin
    logic signed [31:0] sum;
    if (valid_i) begin
      sum = '0;
      if (loaded_q)
        for (int i = 0; i < AtomicC; i += 8)
          sum = sum + 32'($signed(data_i[i*8+:8])) * 32'(weight_q[i]) + 32'($signed(data_i[i*8+8+:8])) *
              32'(weight_q[i+1])
              + 32'($signed(data_i[i*8+16+:8])) * 32'(weight_q[i+2]) + 32'($signed(data_i[i*8+24+:8])) *
                  32'(weight_q[i+3])
              + 32'($signed(data_i[i*8+32+:8])) * 32'(weight_q[i+4]) + 32'($signed(data_i[i*8+40+:8])) *
                  32'(weight_q[i+5])
              + 32'($signed(data_i[i*8+48+:8])) * 32'(weight_q[i+6]) + 32'($signed(data_i[i*8+56+:8])) *
                  32'(weight_q[i+7]);
      sum_q <= sum[ConvSumBits-1:0];
    end
  end

  assign sum_o = sum_q;

  `NVDLA_PARAM(LanesLegal, AtomicC % 8 == 0)
`ifdef NVDLA_CHECKS
  // The set in use is the last one that was complete before the swap.
  logic [AtomicC*8-1:0] next_set_q, set_q, in_use;
  logic next_there_q, there_q;
  always_comb for (int i = 0; i < AtomicC; i++) in_use[i*8+:8] = weight_q[i];
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      next_there_q <= 1'b0;
      there_q      <= 1'b0;
    end else begin
      if (swap_i) there_q <= next_there_q;
      next_there_q <= load_i || (next_there_q && !swap_i);
    end
  always_ff @(posedge clk_i) begin
    if (load_i) next_set_q <= weight_i;
    if (swap_i) set_q <= next_set_q;
  end
  // Its sum, product by product.
  logic summed_q;
  logic signed [31:0] products, products_q;
  always_comb begin
    products = '0;
    for (int i = 0; i < AtomicC * 8; i += 8)
      if (there_q) products = products + 32'($signed(set_q[i+:8])) * 32'($signed(data_i[i+:8]));
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) summed_q <= 1'b0;
    else if (valid_i) summed_q <= 1'b1;
  always_ff @(posedge clk_i) if (valid_i) products_q <= products;
  `NVDLA_CHECK(SumOfTheProducts, !summed_q || 32'(sum_o) == products_q)
  `NVDLA_CHECK(SetInUse, !valid_i || (loaded_q == there_q && (!there_q || in_use == set_q)))
`endif
endmodule
