// Life of a layer's requests in a read DMA (or of its commands in a write DMA): idle, issue, drain.
//
// run_i rises with the layer: start_o in that clock, the first request is offered in the next. req_valid_o offers the
// present request as long as offer_i is 1; issue_o: it is taken, with req_last_i the last one. drain_o from
// then until done_i, which ends the layer. stall_o counts the clocks with a request that waits while count_i is 1,
// clear_i sets it to 0.
`include "nvdla_check.svh"
module nvdla_rdma_walk (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        run_i,
    input  logic        done_i,
    output logic        start_o,
    output logic        drain_o,
    input  logic        offer_i,
    output logic        req_valid_o,
    input  logic        req_ready_i,
    input  logic        req_last_i,
    output logic        issue_o,
    input  logic        clear_i,
    input  logic        count_i,
    output logic [31:0] stall_o
);
  typedef enum logic [1:0] {StateIdle, StateIssue, StateDrain} state_e;
  state_e state_q;
  logic [31:0] stall_q;

  assign start_o     = (state_q == StateIdle) & run_i;
  assign drain_o     = state_q == StateDrain;
  assign req_valid_o = (state_q == StateIssue) & offer_i;
  assign issue_o     = req_valid_o & req_ready_i;
  assign stall_o     = stall_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      state_q <= StateIdle;
      stall_q <= '0;
    end else begin
      case (state_q)
        StateIdle:  if (run_i) state_q <= StateIssue;
        StateIssue: if (issue_o && req_last_i) state_q <= StateDrain;
        StateDrain: if (done_i) state_q <= StateIdle;
        default:    ;  // check StateLegal
      endcase
      if (clear_i) stall_q <= '0;
      else if (count_i && req_valid_o && !req_ready_i) stall_q <= stall_q + 32'd1;
    end

  `NVDLA_CHECK(StateLegal, state_q <= StateDrain)
  `NVDLA_FINAL(IdleAtTheEnd, state_q == StateIdle)
  `NVDLA_CHECK(RequestsOnlyInLayer, !req_valid_o || run_i)
  `NVDLA_CHECK(NoRequestWhileDraining, !(drain_o && req_valid_o))

`ifdef NVDLA_CHECKS
  // Requests of a layer end with the last one.
  logic over_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) over_q <= 1'b0;
    else if (start_o) over_q <= 1'b0;
    else if (req_valid_o && req_ready_i && req_last_i) over_q <= 1'b1;
  `NVDLA_CHECK(NoRequestAfterTheLast, !(req_valid_o && over_q))
`endif
endmodule
