// Performance counters of one read client: clocks in which its request waits, and clocks with atoms under way.
//
// They count while enable_i, stop at 32'hffffffff, and restart from 0 at clear_i (end of the layer). Spec:
// 30-cdma-cbuf, section 10.
`include "nvdla_check.svh"
module nvdla_cdma_perf
  import nvdla_pkg::*;
#(
    parameter int Depth = 8  // largest number of beats under way
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        enable_i,
    input  logic        clear_i,
    input  logic        req_valid_i,
    input  logic        req_ready_i,
    input  logic [ 3:0] req_len_i,  // atoms - 1
    input  logic        rsp_valid_i,
    output logic [31:0] stall_o,
    output logic [31:0] latency_o
);
  localparam int FlightBits = $clog2(Depth + 1);
  logic [FlightBits-1:0] flight_q;  // atoms requested and not come
  logic [31:0] stall_q, latency_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      flight_q  <= '0;
      stall_q   <= '0;
      latency_q <= '0;
    end else begin
      if ((req_valid_i && req_ready_i) || rsp_valid_i)
        flight_q <= flight_q + ((req_valid_i && req_ready_i) ? FlightBits'(req_len_i) + 1'b1 : '0) -
            FlightBits'(rsp_valid_i);
      if (clear_i) begin
        stall_q   <= '0;
        latency_q <= '0;
      end else if (enable_i) begin
        if (req_valid_i && !req_ready_i && stall_q != '1) stall_q <= stall_q + 32'd1;
        if (flight_q != '0 && latency_q != '1) latency_q <= latency_q + 32'd1;
      end
    end

  assign stall_o   = stall_q;
  assign latency_o = latency_q;

  `NVDLA_CHECK(AtomsOnlyAskedFor, !rsp_valid_i || flight_q != '0)
  `NVDLA_CHECK(FlightFits, 32'(flight_q) <= Depth)
endmodule
