// Counts NaN and infinity among FP16 lanes, from clear_i on: lanes_i of data_i in every clock with valid_i. Counts stop
// at 32'hffffffff.
//
// Spec: 30-cdma-cbuf, section 7.
`include "nvdla_check.svh"
module nvdla_cdma_specials
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic                            clear_i,
    input  logic                            valid_i,
    input  logic [              Halves-1:0] lanes_i,
    input  logic [CbufWrAtoms*AtomBits-1:0] data_i,
    output logic [                    31:0] nan_o,
    output logic [                    31:0] infinity_o
);
  logic [31:0] nan_q, infinity_q;
  assign nan_o      = nan_q;
  assign infinity_o = infinity_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      nan_q      <= '0;
      infinity_q <= '0;
    end else if (clear_i) begin
      nan_q      <= '0;
      infinity_q <= '0;
    end else if (valid_i) begin
      nan_q      <= count_up(nan_q, 32'($countones(nan_lanes(data_i) & lanes_i)));
      infinity_q <= count_up(infinity_q, 32'($countones(infinity_lanes(data_i) & lanes_i)));
    end

  `NVDLA_CHECK(ClearsBetweenLayers, !(clear_i && valid_i))
endmodule
