// Reader of a packed stream in a ring of CBUF: takes pieces of 0 .. EntryBytes units of Unit bits, one a clock
// (weights: bytes; mask bits: bits).
//
// The stream has no alignment: a piece begins at any unit of an entry. The rest of the last entry read stays in a
// register, so one entry a piece is enough; the unit that issues a piece knows that its last entry is complete. Every
// stripe of a group reads the group's stream again: position and rest at the group's begin are kept (the entry may be
// released already).
//
// issue_i takes a piece of units_i units: first_i the first one of a stripe, again_i in a stripe that is not the
// group's first one, group_last_i the group's last one. One clock later word_o has it in the low bits, with anything
// above it.
// stream_i: `start` begins a layer at the next entry boundary; with `keep` the read pointer returns to the layer's
// begin at `finish`. `advance` moves it over a kept stream that is given back, `clear` to 0. rl_*: entries first
// touched by the group that ended, one clock per group.
// Spec: 40-convolution-core, sections 4.4, 4.5, 5 and 6.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
module nvdla_csc_stream
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
#(
    parameter int Unit = 8
) (
    input  logic                      clk_i, rst_ni,
    input  conv_stream_t              stream_i,
    input  logic [  CbufAddrBits-1:0] base_i,  // first entry of the ring
    input  logic [EntryCountBits-1:0] ring_i,  // entries of the ring
    // Pieces.
    input  logic                      issue_i,
    input  logic [    ConvByteBits:0] units_i,
    input  logic                      first_i, again_i, group_last_i,
    output logic [     EntryBits-1:0] word_o,
    // CBUF.
    output logic                      rd_valid_o,
    output logic [  CbufAddrBits-1:0] rd_addr_o,
    input  logic [     EntryBits-1:0] rd_data_i,
    // Release.
    output logic                      rl_valid_o,
    output logic [EntryCountBits-1:0] rl_entries_o
);
  localparam int Units = EntryBits / Unit;  // of an entry
  localparam int RestBits = $clog2(Units);
  localparam int UnitShift = $clog2(Unit);
  localparam int ShiftBits = RestBits + UnitShift + 1;  // shift amounts up to EntryBits

  // ---- position -----------------------------------------------------------------------------------------------------
  logic [EntryCountBits-1:0] ptr_q, layer_ptr_q, group_ptr_q, touched_q, ptr, touched;
  logic [RestBits-1:0] rest_q, group_rest_q, rest;  // units left of the last entry read
  logic [RestBits:0] units, over;
  logic read;

  assign units = (RestBits + 1)'(units_i);
  assign ptr = again_i ? group_ptr_q : ptr_q;
  assign rest = again_i ? group_rest_q : rest_q;
  assign touched = (first_i ? '0 : touched_q) + EntryCountBits'(read);
  assign read = {1'b0, rest} < units;
  assign over = units - {1'b0, rest};  // units taken from the entry that is read
  assign rd_valid_o = issue_i && read;
  assign rd_addr_o = base_i + ptr[CbufAddrBits-1:0];

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      ptr_q      <= '0;
      rl_valid_o <= 1'b0;
    end else begin
      if (stream_i.clear) ptr_q <= '0;
      else if (stream_i.advance) ptr_q <= conv_ring({1'b0, ptr_q} + {1'b0, stream_i.advance_entries}, ring_i);
      else if (stream_i.finish && stream_i.keep) ptr_q <= layer_ptr_q;
      else if (issue_i) ptr_q <= read ? conv_ring({1'b0, ptr} + (EntryCountBits + 1)'(1), ring_i) : ptr;
      rl_valid_o <= issue_i && group_last_i && !stream_i.keep;
    end

  always_ff @(posedge clk_i)
    if (stream_i.start) begin
      layer_ptr_q <= ptr_q;
      rest_q      <= '0;
    end else if (issue_i) begin
      touched_q    <= touched;
      rl_entries_o <= touched;
      rest_q       <= read ? RestBits'(Units - 32'(over)) : RestBits'({1'b0, rest} - units);
      if (first_i && !again_i) begin
        group_ptr_q  <= ptr_q;
        group_rest_q <= rest_q;
      end
    end

  // ---- data, one clock later ----------------------------------------------------------------------------------------
  logic valid_q, read_q, save_q, again_q;
  logic [RestBits-1:0] at_q;
  logic [RestBits:0] units_q, over_q;
  logic [EntryBits-1:0] rest_data_q, group_data_q, rest_data;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= issue_i;

  always_ff @(posedge clk_i)
    if (issue_i) begin
      read_q  <= read;
      save_q  <= first_i && !again_i;
      again_q <= again_i;
      at_q    <= rest;
      units_q <= units;
      over_q  <= over;
    end

  // Units of the rest above its length are 0, so that the next entry can be ORed in.
  assign rest_data = again_q ? group_data_q : rest_data_q;

  always_comb begin
    word_o = rest_data;
    if (valid_q && read_q) word_o = rest_data | (rd_data_i << (ShiftBits'(at_q) << UnitShift));
  end

  always_ff @(posedge clk_i)
    if (stream_i.start) rest_data_q <= '0;
    else if (valid_q) begin
      rest_data_q <= read_q ? rd_data_i >> (ShiftBits'(over_q) << UnitShift) :
          rest_data >> (ShiftBits'(units_q) << UnitShift);
      if (save_q) group_data_q <= rest_data;
    end

  `NVDLA_PARAM(UnitLegal, Unit == 1 || Unit == 8)
  `NVDLA_CHECK(PieceFitsAnEntry, !issue_i || 32'(units_i) <= Units)
  `NVDLA_CHECK(PointerInsideRing, !issue_i || ptr < ring_i)
  `NVDLA_CHECK(ReleaseFitsTheRing, !rl_valid_o || rl_entries_o <= ring_i)
  `NVDLA_CHECK(NoReleaseOfKeptWeights, !(rl_valid_o && stream_i.keep))
endmodule
