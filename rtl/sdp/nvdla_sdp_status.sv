// Status of an SDP layer: STATUS_UNEQUAL, OUT_SATURATION, WDMA_WRITE_STALL, and with FP16 NAN_OUTPUT_NUM.
//
// run_i is high while a layer is active; the values are those of the layer so far. A transfer of SdpBsThroughput
// results is counted in the clock of taken_i. The two counters are cleared and count only in layers that enable them;
// other layers show what the last counting one left. NAN_OUTPUT_NUM begins at 0 in every layer; count_nans_i: the
// results are FP16 on their way to memory.
// Spec: 50-sdp sections 9 and 10.
`include "nvdla_check.svh"
module nvdla_sdp_status
  import nvdla_pkg::*;
(
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    input  logic                                   run_i,
    input  logic                                   count_saturation_i,  // PERF_SAT_EN
    input  logic                                   count_stall_i,       // PERF_DMA_EN
    input  logic                                   to_pdp_i,
    input  logic                                   count_nans_i,
    input  logic                                   taken_i,
    input  logic [SdpBsThroughput*8*LaneBytes-1:0] data_i,
    input  logic [            SdpBsThroughput-1:0] saturated_i,
    input  logic                                   stall_i,
    output logic                                   unequal_o,
    output logic [                           31:0] saturation_o,
    output logic [                           31:0] nans_o,
    output logic [                           31:0] stall_o
);
  logic run_q, start, unequal_q;
  logic [31:0] saturation_q, stall_q;

  assign start = run_i && !run_q;
  assign unequal_o = unequal_q;
  assign saturation_o = saturation_q;
  assign stall_o = stall_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q <= 1'b0;
      unequal_q <= 1'b0;
      saturation_q <= 32'd0;
      stall_q <= 32'd0;
    end else begin
      run_q <= run_i;
      if (start) unequal_q <= 1'b0;
      else if (taken_i && !to_pdp_i && data_i != '0) unequal_q <= 1'b1;
      if (count_saturation_i) begin
        if (start) saturation_q <= 32'd0;
        else if (taken_i && saturated_i != '0) saturation_q <=
            nvdla_sdp_pkg::count_up(saturation_q, 6'($countones(saturated_i)));
      end
      if (count_stall_i) begin
        if (start) stall_q <= 32'd0;
        else if (stall_i) stall_q <= stall_q + 32'd1;
      end
    end
  end

  if (Fp16 != 0) begin : gen_nans
    logic [31:0] nans_q;
    assign nans_o = nans_q;
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) nans_q <= 32'd0;
      else if (start) nans_q <= 32'd0;
      else if (count_nans_i && taken_i) nans_q <= nvdla_sdp_pkg::count_up(nans_q, nvdla_sdp_pkg::fp16_nans(data_i));
  end else begin : gen_no_nans
    assign nans_o = '0;
    wire unused_nans = &{1'b0, count_nans_i};
  end

  `NVDLA_CHECK(CountsOnlyInLayer, !(taken_i || stall_i) || run_i)
endmodule
