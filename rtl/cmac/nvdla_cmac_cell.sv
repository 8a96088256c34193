// MAC cell: AtomicC products of 8 by 8 bits and their sum, with one set of weights in use and the next one in shadow
// registers.
//
// load_i writes the shadow set. swap_i (with the first atom of a stripe) activates the shadow set and leaves the shadow
// empty; a load in the same clock belongs to the next set. A cell whose set was not loaded gives 0. data_i comes one
// clock after the atom's swap_i, and sum_o ConvSumClocks - 1 clocks after data_i. valid_i[s]: there is an atom in stage
// s + 1.
//
// The sum of eight lanes takes one clock. For more lanes there are two forms: the hardware (nvdla_cmac_sum), or with
// NVDLA_FAST_FORMS the sum of all lanes in one clock, which then waits for as long as the hardware takes. With
// NVDLA_BOTH_FORMS the hardware works and the fast form is compared with it.
// Spec: 40-convolution-core, sections 4.3 and 9.1.
`include "nvdla_check.svh"
module nvdla_cmac_cell
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     load_i,
    input  logic [    AtomicC*8-1:0] weight_i,
    input  logic                     swap_i,
    input  logic [ConvSumClocks-2:0] valid_i,
    input  logic [ AtomicC-1:0][7:0] data_i,
    output logic signed [  ConvSumBits-1:0] sum_o
);
  localparam int Stages = ConvSumClocks - 1;
`ifdef NVDLA_BOTH_FORMS
  localparam bit Hardware = Stages > 1;
  localparam bit OneClock = 1'b1;
`elsif NVDLA_FAST_FORMS
  localparam bit Hardware = 1'b0;
  localparam bit OneClock = 1'b1;
`else
  localparam bit Hardware = Stages > 1;
  localparam bit OneClock = !Hardware;
`endif

  logic [AtomicC*8-1:0] shadow_q;
  logic shadow_loaded_q, loaded_q;
  logic signed [ConvSumBits-1:0] one_clock_sum;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      shadow_loaded_q <= 1'b0;
      loaded_q        <= 1'b0;
    end else begin
      if (load_i) shadow_loaded_q <= 1'b1;
      else if (swap_i) shadow_loaded_q <= 1'b0;
      if (swap_i) loaded_q <= shadow_loaded_q;
    end

  always_ff @(posedge clk_i) if (load_i) shadow_q <= weight_i;

  if (OneClock) begin : gen_one_clock
    logic signed [7:0] weight_q[0:AtomicC-1];
    logic signed [ConvSumBits-1:0] sum_q;
    always_ff @(posedge clk_i) if (swap_i) for (int i = 0; i < AtomicC; i++) weight_q[i] <= $signed(shadow_q[i*8+:8]);

    // Sums of eight products are one expression each; 32-bit arithmetic, of which ConvSumBits hold the exact sum.
    always_ff @(posedge clk_i) begin
      logic signed [31:0] sum;
      if (valid_i[0]) begin
        sum = '0;
        if (loaded_q)
          for (int i = 0; i < AtomicC; i += 8)
            sum = sum + 32'($signed(data_i[i])) * 32'(weight_q[i]) + 32'($signed(data_i[i+1])) * 32'(weight_q[i+1])
                + 32'($signed(data_i[i+2])) * 32'(weight_q[i+2]) + 32'($signed(data_i[i+3])) * 32'(weight_q[i+3])
                + 32'($signed(data_i[i+4])) * 32'(weight_q[i+4]) + 32'($signed(data_i[i+5])) * 32'(weight_q[i+5])
                + 32'($signed(data_i[i+6])) * 32'(weight_q[i+6]) + 32'($signed(data_i[i+7])) * 32'(weight_q[i+7]);
        sum_q <= sum[ConvSumBits-1:0];
      end
    end
    for (genvar s = 1; s < Stages; s++) begin : gen_wait
      logic signed [ConvSumBits-1:0] from, wait_q;
      if (s == 1) assign from = gen_one_clock.sum_q;
      else assign from = gen_wait[s-1].wait_q;
      always_ff @(posedge clk_i) if (valid_i[s]) wait_q <= from;
    end
    if (Stages == 1) assign one_clock_sum = sum_q;
    else assign one_clock_sum = gen_wait[Stages-1].wait_q;
  end else begin : gen_no_one_clock
    assign one_clock_sum = '0;
  end

  if (Hardware) begin : gen_hardware
    nvdla_cmac_sum u_sum (
        .clk_i,
        .swap_i,
        .weight_i(shadow_q),
        .valid_i,
        .loaded_i(loaded_q),
        .data_i,
        .sum_o
    );
  end else begin : gen_fast
    assign sum_o = one_clock_sum;
  end

  `NVDLA_PARAM(LanesLegal, AtomicC % 8 == 0)
`ifdef NVDLA_CHECKS
  // The set in use is the last one that was complete before the swap.
  logic [AtomicC*8-1:0] next_set_q, set_q;
  logic next_there_q, there_q;
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
  `NVDLA_CHECK(SetLoaded, !valid_i[0] || loaded_q == there_q)
  if (OneClock) begin : gen_check_set
    logic [AtomicC*8-1:0] in_use;
    always_comb for (int i = 0; i < AtomicC; i++) in_use[i*8+:8] = gen_one_clock.weight_q[i];
    `NVDLA_CHECK(SetInUse, !valid_i[0] || !there_q || in_use == set_q)
  end
  // Its sum, product by product.
  logic [Stages:1] summed_q;
  logic signed [31:0] products, products_q[1:Stages];
  always_comb begin
    products = '0;
    for (int i = 0; i < AtomicC; i++)
      if (there_q) products = products + 32'($signed(set_q[i*8+:8])) * 32'($signed(data_i[i]));
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) summed_q <= '0;
    else summed_q <= summed_q | valid_i;
  always_ff @(posedge clk_i) begin
    if (valid_i[0]) products_q[1] <= products;
    for (int s = 2; s <= Stages; s++) if (valid_i[s-1]) products_q[s] <= products_q[s-1];
  end
  `NVDLA_CHECK(SumOfTheProducts, !summed_q[Stages] || 32'(sum_o) == products_q[Stages])
  if (OneClock && Hardware) begin : gen_check_forms
    `NVDLA_CHECK(FormsAgree, !summed_q[Stages] || sum_o == one_clock_sum)
  end
`endif
endmodule
