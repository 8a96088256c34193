// Atoms of requests between their places in memory and a dense stream, where a beat has two atoms (full).
//
// A request is req_size_i + 1 atoms, the first of which is the upper one of its line of memory if req_odd_i. Requests are queued, and the
// beats pass in their order. Dense: each request begins with a new beat, whose atoms 2k and 2k+1 of the request are the lower and the upper
// half; behind an odd last one there is anything or nothing. Lines: the beats of memory that the request touches; in what it does not touch there is
// anything. ToLines 0: lines come in and dense beats go out; 1: the other way round. Combinational; one beat per clock and direction, but
// one clock more for a request that begins with an odd atom and has more than one.
// Spec: 70-memory-interface, section 5.
module nvdla_dma_align
  import nvdla_pkg::*;
#(
    parameter int Depth   = 4,  // requests
    parameter int ToLines = 0
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                req_valid_i,
    output logic                req_ready_o,
    input  logic                req_odd_i,
    input  logic [        15:0] req_size_i,
    input  logic                in_valid_i,
    output logic                in_ready_o,
    input  logic [MemBeatBits-1:0] in_data_i,
    output logic                out_valid_o,
    input  logic                out_ready_i,
    output logic [MemBeatBits-1:0] out_data_o
);
  logic valid, odd, first_q, alone, absorb, emit, drain, step, last;
  logic [15:0] size, left_q, left;  // atoms - 1 that have not gone out: ToLines 0; not come in or not gone out: 1
  logic [AtomBits-1:0] carry_q, low, high;

  nvdla_fifo #(
      .Width(17),
      .Depth(Depth)
  ) u_requests (
      .clk_i,
      .rst_ni,
      .in_valid_i (req_valid_i),
      .in_ready_o (req_ready_o),
      .in_data_i  ({req_odd_i, req_size_i}),
      .out_valid_o(valid),
      .out_ready_i(last),
      .out_data_o ({odd, size})
  );

  assign low = in_data_i[0+:AtomBits];
  assign high = in_data_i[AtomBits+:AtomBits];
  assign left = first_q ? size : left_q;
  assign alone = left == '0;

  // drain: the last atom is in the carry. absorb: a line comes in and nothing goes out. emit: a beat comes in, another goes out.
  if (ToLines == 0) begin : gen_dense
    assign drain = valid & odd & ~first_q & alone;
    assign absorb = valid & odd & first_q & ~alone & in_valid_i;
    assign out_data_o = !odd ? in_data_i : !alone ? {low, carry_q} : first_q ? MemBeatBits'(high) : MemBeatBits'(carry_q);
  end else begin : gen_lines
    assign drain = valid & odd & ~first_q & alone;
    assign absorb = 1'b0;
    assign out_data_o = !odd ? in_data_i : drain ? MemBeatBits'(carry_q) : {low, carry_q};
  end
  assign out_valid_o = drain | (valid & in_valid_i & ~absorb);
  assign emit = out_valid_o & out_ready_i;
  assign in_ready_o = absorb | (emit & ~drain);
  assign step = absorb | emit;
  // The first line of an odd request takes one atom along, its first dense beat none or all; all others take two.
  assign last = emit & ((left <= 16'd1 && !(ToLines != 0 && odd && first_q)) || alone);

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) first_q <= 1'b1;
    else if (step) first_q <= last;

  always_ff @(posedge clk_i)
    if (step) begin
      carry_q <= high;
      if (absorb) left_q <= left;
      else left_q <= left - ((ToLines != 0 && odd && first_q) ? 16'd1 : 16'd2);
    end

  `NVDLA_PARAM(TwoAtoms, MemBeatAtoms == 2)
  `NVDLA_STABLE(InputStable, in_valid_i, in_ready_o, in_data_i)
endmodule
