// Register bus: takes requests in the csb clock domain, executes them in the core clock domain, brings the answers back
// in order.
//
// Core side: one request per clock at most. sel_o has the bit of the addressed unit set for one clock (no bit: no such
// unit), with write_o, addr_o (word inside the unit's 4 KiB window) and wdata_o. Units answer reads in the next clock
// on rdata_i, the OR of all units' answers (0 from those not asked). A request is taken from the queue only when its
// answer has a place, so none is lost, however many are outstanding.
//
// Parameter Windows holds the window number (byte address bits 17:12) of every unit, unit 0 in the low bits.
// Latency with equal clocks: accepted request to sel_o 3 clocks, to nvdla2csb_valid or nvdla2csb_wr_complete 8 clocks.
// Spec: 10-system, section 4.
`include "nvdla_check.svh"
module nvdla_csb
  import nvdla_pkg::*;
#(
    parameter int Units = 1,
    parameter logic [Units*6-1:0] Windows = '0
) (
    // csb clock domain
    input  logic        csb_clk_i,
    input  logic        csb_rst_ni,
    input  logic        csb2nvdla_valid_i,
    output logic        csb2nvdla_ready_o,
    input  logic [15:0] csb2nvdla_addr_i,
    input  logic [31:0] csb2nvdla_wdat_i,
    input  logic        csb2nvdla_write_i,
    input  logic        csb2nvdla_nposted_i,
    output logic        nvdla2csb_valid_o,
    output logic [31:0] nvdla2csb_data_o,
    output logic        nvdla2csb_wr_complete_o,

    // core clock domain
    input  logic                   clk_i,
    input  logic                   rst_ni,
    output logic [      Units-1:0] sel_o,
    output logic                   write_o,
    output logic [CsbAddrBits-1:0] addr_o,
    output logic [           31:0] wdata_o,
    input  logic [           31:0] rdata_i
);
  localparam int RequestBits = 1 + 1 + 16 + 32;
  localparam int ResponseDepthLog2 = 3;

  logic req_valid, req_ready, req_write, req_nposted;
  logic [15:0] req_addr;
  logic [31:0] req_wdata;
  logic [3:0] unused_req_level;

  nvdla_async_fifo #(
      .Width    (RequestBits),
      .DepthLog2(3)
  ) u_request (
      .wr_clk_i  (csb_clk_i),
      .wr_rst_ni (csb_rst_ni),
      .wr_valid_i(csb2nvdla_valid_i),
      .wr_ready_o(csb2nvdla_ready_o),
      .wr_data_i ({csb2nvdla_write_i, csb2nvdla_nposted_i, csb2nvdla_addr_i, csb2nvdla_wdat_i}),
      .wr_level_o(unused_req_level),
      .rd_clk_i  (clk_i),
      .rd_rst_ni (rst_ni),
      .rd_valid_o(req_valid),
      .rd_ready_i(req_ready),
      .rd_data_o ({req_write, req_nposted, req_addr, req_wdata})
  );

  // Stage 1: the request is at the units. Stage 2: their answer is on rdata_i.
  logic [Units-1:0] sel_q;
  logic read1_q, complete1_q, read2_q, complete2_q, write_q;
  logic [CsbAddrBits-1:0] addr_q;
  logic [31:0] wdata_q;
  logic take;
  logic [ResponseDepthLog2:0] rsp_level;

  // Two answers may still be on their way into the queue.
  assign req_ready = rsp_level < (ResponseDepthLog2 + 1)'(2 ** ResponseDepthLog2 - 2);
  assign take = req_valid & req_ready;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      sel_q       <= '0;
      read1_q     <= 1'b0;
      complete1_q <= 1'b0;
      read2_q     <= 1'b0;
      complete2_q <= 1'b0;
    end else begin
      sel_q       <= '0;
      if (take) for (int i = 0; i < Units; i++) sel_q[i] <= req_addr[15:10] == Windows[i*6+:6];
      read1_q     <= take & ~req_write;
      complete1_q <= take & req_write & req_nposted;
      read2_q     <= read1_q;
      complete2_q <= complete1_q;
    end

  always_ff @(posedge clk_i)
    if (take) begin
      write_q <= req_write;
      addr_q  <= req_addr[CsbAddrBits-1:0];
      wdata_q <= req_wdata;
    end

  assign sel_o   = sel_q;
  assign write_o = write_q;
  assign addr_o  = addr_q;
  assign wdata_o = wdata_q;

  logic rsp_valid, rsp_read;
  logic [31:0] rsp_data;
  logic rsp_ready;
  wire unused_ready = &{1'b0, rsp_ready};

  nvdla_async_fifo #(
      .Width    (33),
      .DepthLog2(ResponseDepthLog2)
  ) u_response (
      .wr_clk_i  (clk_i),
      .wr_rst_ni (rst_ni),
      .wr_valid_i(read2_q | complete2_q),
      .wr_ready_o(rsp_ready),
      .wr_data_i ({read2_q, rdata_i}),
      .wr_level_o(rsp_level),
      .rd_clk_i  (csb_clk_i),
      .rd_rst_ni (csb_rst_ni),
      .rd_valid_o(rsp_valid),
      .rd_ready_i(1'b1),
      .rd_data_o ({rsp_read, rsp_data})
  );

  logic valid_q, complete_q;
  logic [31:0] data_q;

  always_ff @(posedge csb_clk_i or negedge csb_rst_ni)
    if (!csb_rst_ni) begin
      valid_q    <= 1'b0;
      complete_q <= 1'b0;
      data_q     <= '0;
    end else begin
      valid_q    <= rsp_valid & rsp_read;
      complete_q <= rsp_valid & ~rsp_read;
      if (rsp_valid && rsp_read) data_q <= rsp_data;
    end

  assign nvdla2csb_valid_o = valid_q;
  assign nvdla2csb_data_o = data_q;
  assign nvdla2csb_wr_complete_o = complete_q;

  `NVDLA_PARAM(UnitsLegal, Units >= 1 && Units <= 64)
  `NVDLA_STABLE_AT(RequestStable, csb_clk_i, csb_rst_ni, csb2nvdla_valid_i, csb2nvdla_ready_o,
                   {csb2nvdla_write_i, csb2nvdla_nposted_i, csb2nvdla_addr_i, csb2nvdla_write_i ? csb2nvdla_wdat_i :
                   '0})
  `NVDLA_CHECK(OneUnitSelected, `NVDLA_ONEHOT0(sel_o))
  `NVDLA_CHECK(AnswersHaveRoom, !(read2_q || complete2_q) || rsp_ready)
  `NVDLA_CHECK(OneAnswerAtATime, !(read2_q && complete2_q))
  `NVDLA_CHECK_AT(OneResponseAtATime, csb_clk_i, csb_rst_ni, !(nvdla2csb_valid_o && nvdla2csb_wr_complete_o))

`ifdef NVDLA_CHECKS
  // Requests that are answered, as the bus sees them: reads and non-posted writes, in order, as many as its queues can
  // hold.
  localparam int Outstanding = 32;
  logic answer;
  assign answer = nvdla2csb_valid_o || nvdla2csb_wr_complete_o;
  nvdla_check_queue #(
      .Width(1),
      .Depth(Outstanding)
  ) u_answers (
      .clk_i  (csb_clk_i),
      .rst_ni (csb_rst_ni),
      .push_i (csb2nvdla_valid_i && csb2nvdla_ready_o && (!csb2nvdla_write_i || csb2nvdla_nposted_i)),
      .in_i   (csb2nvdla_write_i),
      .valid_i(answer),
      .pop_i  (answer),
      .out_i  (nvdla2csb_wr_complete_o)
  );
  // A request in the clock after it was taken, as its unit sees it; the answer that is due one clock later; what comes
  // to the bus.
  logic took_q;
  logic [RequestBits-1:0] request_q;
  logic answers_q, reads_q;
  logic [Units-1:0] window;
  always_comb for (int i = 0; i < Units; i++) window[i] = request_q[32+10+:6] == Windows[i*6+:6];
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      took_q    <= 1'b0;
      answers_q <= 1'b0;
    end else begin
      took_q    <= req_valid && req_ready;
      answers_q <= took_q && (!request_q[RequestBits-1] || request_q[RequestBits-2]);
    end
  always_ff @(posedge clk_i) begin
    request_q <= {req_write, req_nposted, req_addr, req_wdata};
    reads_q   <= !request_q[RequestBits-1];
  end
  `NVDLA_CHECK(UnitSeesTheRequest, !took_q ||
               {write_o, addr_o, wdata_o, sel_o} == {request_q[RequestBits-1], request_q[32+:CsbAddrBits],
                                                     request_q[31:0], window})
  `NVDLA_CHECK(RequestIsAnswered, (read2_q || complete2_q) == answers_q && (!answers_q || read2_q == reads_q))
  logic [33:0] response_q;
  always_ff @(posedge csb_clk_i or negedge csb_rst_ni)
    if (!csb_rst_ni) response_q <= '0;
    else response_q <= {rsp_valid, rsp_read, rsp_data};
  `NVDLA_CHECK_AT(ResponseReachesTheBus, csb_clk_i, csb_rst_ni,
                  nvdla2csb_valid_o == (response_q[33] && response_q[32]) &&
                  nvdla2csb_wr_complete_o == (response_q[33] && !response_q[32]) &&
                  (!nvdla2csb_valid_o || nvdla2csb_data_o == response_q[31:0]))
  // The units' answers on their way to the bus.
  int select_q, answers_due_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      select_q      <= 0;
      answers_due_q <= 0;
    end else begin
      select_q      <= 32'(take);
      answers_due_q <= (u_answers.level_q == 0 || answer) ? 0 : answers_due_q + 1;
    end
  `NVDLA_CHECK(SelectedOnlyByRequest, sel_o == '0 || select_q != 0)
  `NVDLA_CHECK(RequestsAreAnswered, answers_due_q < 64 * Outstanding)
`endif
endmodule
