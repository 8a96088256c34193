// What CACC keeps of a MAC cell with 16-bit precisions: the accumulators of its values and their final sums.
//
// A value is a sum of INT16 or FP16, or two of INT8, kernels 2c (low) and 2c + 1 (high) of cell c. Every value has
// memories of one write and one read port: sums of the stripe's positions, and final sums, as they are, by the place of
// their atom in the delivery buffer. The sum that the next atom continues, of position next_i, is read with this one;
// in a stripe of one position it is the sum of this atom, which a register keeps. rd_i reads value rd_value_i of place
// rd_place_i; with bypass_i value 0 of this clock's atom is taken instead of the memory. low_o, high_o in the next
// clock, until the next rd_i.
// Spec: 40-convolution-core, sections 9.4 and 9.5.
module nvdla_cacc_cell
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
  import nvdla_cacc_pkg::*;
  import nvdla_fp48_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      int8_i,
    input  logic                      fp16_i,
    input  logic                      tile_i,  // Winograd: all values count, else value 0
    input  logic [               4:0] truncate_i,
    // An atom: sums by value, place in the stripe; it begins a stripe, it is final and goes to place_i.
    input  logic                      valid_i,
    input  logic [   ConvSumBits-1:0] sums_i,
    input  logic [ConvStripeBits-1:0] position_i,
    input  logic [ConvStripeBits-1:0] next_i,
    input  logic                      fresh_i,
    input  logic                      final_i,
    input  logic [   ConvRowBits-1:0] place_i,
    output logic [  2*ConvValues-1:0] clipped_o,  // final results that count as saturated
    input  logic                      rd_i,
    input  logic                      bypass_i,
    input  logic [               1:0] rd_value_i,
    input  logic [   ConvRowBits-1:0] rd_place_i,
    output logic signed [   CaccAccBits-1:0] low_o,
    output logic signed [CaccNarrowBits-1:0] high_o
);
  logic [ConvValues*CaccAccBits-1:0] read_low;  // read from the memories, by value
  logic [ConvValues*CaccNarrowBits-1:0] read_high;
  logic signed [CaccAccBits-1:0] bypass_low_q;
  logic signed [CaccNarrowBits-1:0] bypass_high_q;
  logic [1:0] value_q;
  logic bypass_q;

  logic same, same_q;  // a stripe of one position
  assign same = next_i == position_i;
  always_ff @(posedge clk_i) if (valid_i) same_q <= same;

  for (genvar n = 0; n < ConvValues; n++) begin : gen_value
    (* no_rw_check *) logic signed [CaccAccBits-1:0] final_low_q[0:ConvRows-1];
    (* no_rw_check *) logic signed [CaccNarrowBits-1:0] final_high_q[0:ConvRows-1];
    logic signed [CaccAccBits-1:0] low_q;
    logic signed [CaccNarrowBits-1:0] high_q;

    // Sums of the positions: what this atom continues, and its result. Only integers clip.
    logic on;
    logic [CaccAccBits-1:0] stored_low;
    logic [CaccNarrowBits-1:0] stored_high;
    logic signed [CaccAccBits-1:0] low, integer_low, kept_low_q;
    logic signed [CaccNarrowBits-1:0] high, kept_high_q;
    assign on = valid_i && (n == 0 || tile_i);
    always_comb begin
      logic [ConvValueBits-1:0] sum;
      sum         = sums_i[n*ConvValueBits+:ConvValueBits];
      low         = '0;
      high        = '0;
      integer_low = '0;
      if (on) begin
        if (!fresh_i) low = same_q ? kept_low_q : $signed(stored_low);
        if (!fresh_i) high = same_q ? kept_high_q : $signed(stored_high);
        if (!fp16_i)
          integer_low = cacc_accumulate(low, int8_i ? CaccSumBits'($signed(sum[ConvInt8Bits-1:0])) :
              $signed(sum[CaccSumBits-1:0]));
        low  = (Fp16 != 0 && fp16_i) ? $signed(fp48_sum(low, sum)) : integer_low;
        high = cacc_accumulate_narrow(high, $signed(sum[2*ConvInt8Bits-1:ConvInt8Bits]));
      end
    end
    nvdla_ram #(
        .Width(CaccAccBits),
        .Words(ConvStripeMax)
    ) u_low (
        .clk_i,
        .wr_en_i  (on && !final_i),
        .wr_addr_i(position_i),
        .wr_data_i(low),
        .rd_en_i  (on && !same),
        .rd_addr_i(next_i),
        .rd_data_o(stored_low)
    );
    nvdla_ram #(
        .Width(CaccNarrowBits),
        .Words(ConvStripeMax)
    ) u_high (
        .clk_i,
        .wr_en_i  (on && !final_i && int8_i),
        .wr_addr_i(position_i),
        .wr_data_i(high),
        .rd_en_i  (on && !same && int8_i),
        .rd_addr_i(next_i),
        .rd_data_o(stored_high)
    );

    always_ff @(posedge clk_i)
      if (on) begin
        if (same) begin
          kept_low_q <= low;
          if (int8_i) kept_high_q <= high;
        end
        if (final_i) begin
          final_low_q[place_i] <= low;
          if (int8_i) final_high_q[place_i] <= high;
          if (!fp16_i) clipped_o[2*n+:2] <= {int8_i && cacc_clips(CaccAccBits'(high), truncate_i),
                                             cacc_clips(integer_low, truncate_i)};
          if (n == 0 && bypass_i) begin
            bypass_low_q  <= low;
            bypass_high_q <= high;
          end
        end
      end
    always_ff @(posedge clk_i)
      if (rd_i && 32'(rd_value_i) == n) begin
        low_q  <= final_low_q[rd_place_i];
        high_q <= final_high_q[rd_place_i];
      end
    assign read_low[n*CaccAccBits+:CaccAccBits] = low_q;
    assign read_high[n*CaccNarrowBits+:CaccNarrowBits] = high_q;
  end

  always_ff @(posedge clk_i)
    if (rd_i) begin
      value_q  <= rd_value_i;
      bypass_q <= bypass_i;
    end

  if (ConvValues > 1) begin : gen_values
    assign low_o  = bypass_q ? bypass_low_q : $signed(read_low[value_q*CaccAccBits+:CaccAccBits]);
    assign high_o = bypass_q ? bypass_high_q : $signed(read_high[value_q*CaccNarrowBits+:CaccNarrowBits]);
  end else begin : gen_value_0
    assign low_o  = bypass_q ? bypass_low_q : $signed(read_low);
    assign high_o = bypass_q ? bypass_high_q : $signed(read_high);
    wire unused_value = &{1'b0, value_q};
  end
endmodule
