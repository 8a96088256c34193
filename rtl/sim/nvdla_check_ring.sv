// Shadow of a ring of CBUF on its writer's side, for checks only: nothing is overwritten before its reader has given it
// back, and nothing is reported that has not been written.
//
// The ring has ring_i entries of Slots atoms from entry first_i on, of Entries in all. wr_*: up to Atoms atoms go to a
// slot of an entry each (with wr_clear_i the slots above it become 0), the first one in the low bits. up_*: entries
// reported, rl_*: the oldest entries given back; clear_i empties the ring. Gaps 1: slices may be larger than their
// data, and entries after the data stay unwritten; then only the first entry of a report must have been written.
// Spec: 30-cdma-cbuf, sections 4 and 9.
`include "nvdla_check.svh"
module nvdla_check_ring #(
    parameter int Entries = 1,
    parameter int Slots = 1,
    parameter int Gaps = 0,
    parameter int Atoms = 1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   clear_i,
    input  logic [           31:0] first_i,
    input  logic [           31:0] ring_i,
    input  logic [      Atoms-1:0] wr_valid_i,
    input  logic [Atoms-1:0][31:0] wr_addr_i,
    input  logic [Atoms-1:0][31:0] wr_slot_i,
    input  logic [      Atoms-1:0] wr_clear_i,
    input  logic                   up_valid_i,
    input  logic [           31:0] up_entries_i,
    input  logic                   rl_valid_i,
    input  logic [           31:0] rl_entries_i
);
`ifdef SYNTHESIS  // loops as long as the ring, which only a simulator runs
  wire unused_ring = &{1'b0, clk_i, rst_ni, clear_i, first_i, ring_i, wr_valid_i, wr_addr_i, wr_slot_i, wr_clear_i,
                       up_valid_i, up_entries_i, rl_valid_i, rl_entries_i};
`else
  // Entries are numbered without end: the oldest one that is not given back is number released_q and stands at place
  // oldest_q of the ring. Each slot keeps the number under which it was written last, plus 1.
  logic [31:0] number_q[0:Entries*Slots-1];
  logic [31:0] released_q, oldest_q, reported_q;

  function automatic logic [31:0] wrap(input logic [31:0] place);
    return place >= ring_i ? place - ring_i : place;
  endfunction

  function automatic logic [31:0] number(input logic [31:0] addr);
    return released_q + wrap(addr - first_i + ring_i - oldest_q) + 32'd1;
  endfunction

  function automatic logic written(input logic [31:0] count);
    written = 1'b1;
    for (logic [31:0] i = 0; i < count; i++)
      for (int slot = 0; slot < Slots; slot++)
        if (number_q[(first_i+wrap(wrap(oldest_q+reported_q)+i))*Slots+slot] != released_q + reported_q + i +
            32'd1) written = 1'b0;
  endfunction

  logic reset_q, clear;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) reset_q <= 1'b1;
    else reset_q <= 1'b0;
  assign clear = clear_i || reset_q;

  // Numbers continue through resets: what was written before counts as given back.
  always_ff @(posedge clk_i)
    if (clear) begin
      released_q <= released_q + 32'(Entries);
      oldest_q   <= '0;
      reported_q <= '0;
    end else begin
      reported_q <= reported_q + (up_valid_i ? up_entries_i : '0) - (rl_valid_i ? rl_entries_i : '0);
      if (rl_valid_i) begin
        released_q <= released_q + rl_entries_i;
        oldest_q   <= wrap(oldest_q + rl_entries_i);
      end
    end

  always_ff @(posedge clk_i)
    for (int a = 0; a < Atoms; a++)
      if (wr_valid_i[a])
        for (int slot = 0; slot < Slots; slot++)
          if (32'(slot) == wr_slot_i[a] || (wr_clear_i[a] && 32'(slot) > wr_slot_i[a]))
            number_q[wr_addr_i[a]*Slots+slot] <= number(wr_addr_i[a]);

  initial begin
    released_q = '0;
    for (int i = 0; i < Entries * Slots; i++) number_q[i] = '0;
  end

  for (genvar a = 0; a < Atoms; a++) begin : gen_atom
    logic [31:0] addr, slot;
    assign addr = wr_addr_i[a];
    assign slot = wr_slot_i[a];
    `NVDLA_CHECK(WritesInsideRing, !wr_valid_i[a] || (addr >= first_i && addr - first_i < ring_i))
    `NVDLA_CHECK(NeverOverwrites, !wr_valid_i[a] || number_q[addr*Slots+slot] != number(addr))
  end
  `NVDLA_CHECK(ReportsFitTheRing, !up_valid_i || reported_q + up_entries_i <= ring_i)
  `NVDLA_CHECK(ReportsOnlyWhatIsWritten,
               !up_valid_i || written((Gaps != 0 && up_entries_i > 32'd1) ? 32'd1 : up_entries_i))
  `NVDLA_CHECK(TakesBackOnlyWhatWasReported, !rl_valid_i || clear_i || reported_q >= rl_entries_i)
`endif
endmodule
