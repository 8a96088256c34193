// The two reciprocal multiplies of an average; for max and min the value passes.
//
// tot_i: PdpThroughput lanes of PdpTotBits; out_o: as many lanes of 8 bits, two clocks later (one per multiply).
// Spec: 60-pdp, section 5.3.
module nvdla_pdp_average
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;
(
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                average_i,
  input  logic [16:0]                         recip_width_i,
  input  logic [16:0]                         recip_height_i,
  input  logic                                tot_valid_i,
  output logic                                tot_ready_o,
  input  logic                                tot_last_i,
  input  logic [PdpThroughput*PdpTotBits-1:0] tot_i,
  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output logic                                out_last_o,
  output logic [PdpThroughput*PdpLaneBits-1:0] out_o
);
  logic width_valid_q, width_last_q, out_valid_q, out_last_q;
  wire out_ready = !out_valid_q || out_ready_i;
  wire width_take = tot_valid_i && tot_ready_o;
  wire out_take = width_valid_q && out_ready;

  assign tot_ready_o = !width_valid_q || out_ready;
  assign out_valid_o = out_valid_q;
  assign out_last_o = out_last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      width_valid_q <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      if (tot_ready_o) width_valid_q <= tot_valid_i;
      if (out_ready) out_valid_q <= width_valid_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (width_take) width_last_q <= tot_last_i;
    if (out_take) out_last_q <= width_last_q;
  end

  for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
    logic [10:0] width_q;
    logic [7:0] out_q;
    assign out_o[p*PdpLaneBits +: PdpLaneBits] = out_q;
    always_ff @(posedge clk_i) begin
      if (width_take) begin
        if (average_i) width_q <= pdp_scale_width(tot_i[p*PdpTotBits +: PdpTotBits], recip_width_i);
        else width_q <= tot_i[p*PdpTotBits +: 11];
      end
      if (out_take) begin
        if (average_i) out_q <= pdp_scale_height(width_q, recip_height_i);
        else out_q <= width_q[7:0];
      end
    end
  end
endmodule
