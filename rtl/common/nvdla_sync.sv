// Two flip-flops in the receiving clock domain. For single bits, or vectors of which at most one bit changes at a time
// (Gray code).
`include "nvdla_check.svh"
module nvdla_sync #(
    parameter int Width = 1
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [Width-1:0] data_i,
    output logic [Width-1:0] data_o
);
  logic [Width-1:0] meta_q, stable_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      meta_q   <= '0;
      stable_q <= '0;
    end else begin
      meta_q   <= data_i;
      stable_q <= meta_q;
    end

  assign data_o = stable_q;

  `NVDLA_PARAM(WidthLegal, Width >= 1)
endmodule
