// Output convertor: (d - offset) * scale, rounding shift, clamp to 17 and then to 8 bits, on SdpBsThroughput lanes.
//
// With compare_i (EW compare mode) the low 8 bits of d come out and nothing is flagged. saturated_o has one flag per lane.
// Latency: 3 clocks (difference, product, shift); the three registers move together. Settings are stable while data is inside.
// Spec: 50-sdp sections 5.3, 9 and 10.
module nvdla_sdp_cvt
  import nvdla_pkg::*;
  import nvdla_sdp_pkg::*;
(
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          compare_i,
    input  logic [31:0]                   offset_i,
    input  logic [15:0]                   scale_i,
    input  logic [5:0]                    shift_i,
    input  logic                          valid_i,
    output logic                          ready_o,
    input  logic [SdpBsThroughput*32-1:0] data_i,
    input  logic                          last_i,
    output logic                          valid_o,
    input  logic                          ready_i,
    output logic [SdpBsThroughput*8-1:0]  data_o,
    output logic [SdpBsThroughput-1:0]    saturated_o,
    output logic                          last_o
);
  logic move, valid1_q, valid2_q, valid3_q, last1_q, last2_q, last3_q;

  assign move = !valid3_q || ready_i;
  assign ready_o = move;
  assign valid_o = valid3_q;
  assign last_o = last3_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      valid3_q <= 1'b0;
    end else if (move) begin
      valid1_q <= valid_i;
      valid2_q <= valid1_q;
      valid3_q <= valid2_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (move) begin
      last1_q <= last_i;
      last2_q <= last1_q;
      last3_q <= last2_q;
    end
  end

  for (genvar g = 0; g < SdpBsThroughput; g++) begin : gen_lane
    logic signed [32:0] difference_q;
    logic signed [48:0] product_q;
    logic [8:0] result_q;
    assign data_o[g*8+:8] = result_q[7:0];
    assign saturated_o[g] = result_q[8];

    always_ff @(posedge clk_i) begin
      if (move && valid_i) begin
        difference_q <= difference($signed(data_i[g*32+:32]), compare_i ? 32'sd0 : $signed(offset_i));
      end
      if (move && valid1_q) begin
        if (compare_i) product_q <= $signed({{16{difference_q[32]}}, difference_q});
        else product_q <= product(difference_q, $signed(scale_i));
      end
      if (move && valid2_q) result_q <= compare_i ? {1'b0, product_q[7:0]} : cvt_round(product_q, shift_i);
    end
  end
endmodule
