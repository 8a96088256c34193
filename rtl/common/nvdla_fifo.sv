// First-in first-out queue of Depth words: memory and pointers, any Depth >= 1.
//
// A word accepted in one clock is offered in the next. in_ready_o and out_valid_o come from registers. One word per
// clock in and out at the same time when Depth >= 2. out_data_o is the memory word at the read pointer and means
// nothing while out_valid_o is 0. Stays 1: words may be left at the end of a run (for checks only).
`include "nvdla_check.svh"
module nvdla_fifo #(
    parameter int Width = 8,
    parameter int Depth = 2,
    parameter int Registered = (Depth > 64) ? 1 : 0,
    parameter int Stays = 0
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);
  localparam int PtrBits = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int CountBits = $clog2(Depth + 1);
  localparam logic [PtrBits-1:0] Last = PtrBits'(Depth - 1);
  localparam logic [CountBits-1:0] Full = CountBits'(Depth);

`ifdef NVDLA_BOTH_FORMS
  localparam int Fast = 0;
`elsif NVDLA_FAST_FORMS
  localparam int Fast = 1;
`else
  localparam int Fast = 0;
`endif

  logic [PtrBits-1:0] wr_ptr_q, rd_ptr_q;
  logic [CountBits-1:0] count_q;
  logic push, pop;

  function automatic logic [PtrBits-1:0] after(input logic [PtrBits-1:0] ptr);
    after = (ptr == Last) ? '0 : ptr + 1'b1;
  endfunction

  assign in_ready_o  = count_q != Full;
  assign out_valid_o = count_q != '0;
  assign push        = in_valid_i & in_ready_o;
  assign pop         = out_valid_o & out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      wr_ptr_q <= '0;
      rd_ptr_q <= '0;
      count_q  <= '0;
    end else begin
      if (push) wr_ptr_q <= after(wr_ptr_q);
      if (pop) rd_ptr_q <= after(rd_ptr_q);
      if (push != pop) count_q <= push ? count_q + 1'b1 : count_q - 1'b1;
    end

  if (Registered == 0 || Fast != 0) begin : gen_direct
    logic [Width-1:0] mem_q[0:Depth-1];
    assign out_data_o = mem_q[rd_ptr_q];
    always_ff @(posedge clk_i) if (push) mem_q[wr_ptr_q] <= in_data_i;
  end else begin : gen_registered
    logic pass, passed_q;  // the word that comes in is the next first one
    logic [Width-1:0] word, word_q;
    assign pass = push && count_q == CountBits'(pop);
    assign out_data_o = passed_q ? word_q : word;
    always_ff @(posedge clk_i) begin
      if (pass) word_q <= in_data_i;
      if (pass || pop) passed_q <= pass;
    end
    nvdla_ram #(
        .Width(Width),
        .Words(Depth)
    ) u_memory (
        .clk_i,
        .wr_en_i  (push),
        .wr_addr_i(wr_ptr_q),
        .wr_data_i(in_data_i),
        .rd_en_i  (pop && !pass),
        .rd_addr_i(after(rd_ptr_q)),
        .rd_data_o(word)
    );
  end

  `NVDLA_PARAM(DepthLegal, Depth >= 1 && Width >= 1)
  `NVDLA_PARAM(StaysLegal, Stays == 0 || Stays == 1)
  `NVDLA_STABLE(OutputStable, out_valid_o, out_ready_i, out_data_o)
`ifdef NVDLA_CHECKS
  nvdla_check_queue #(
      .Width(Width),
      .Depth(Depth),
      .Stays(Stays)
  ) Queue (
      .clk_i,
      .rst_ni,
      .push_i (in_valid_i && in_ready_o),
      .in_i   (in_data_i),
      .valid_i(out_valid_o),
      .pop_i  (out_valid_o && out_ready_i),
      .out_i  (out_data_o)
  );
  `NVDLA_CHECK(ReadyIsNotFull, in_ready_o == (Queue.level_q < Depth))
  `NVDLA_CHECK(ValidIsNotEmpty, out_valid_o == (Queue.level_q > 0))
`endif
endmodule
