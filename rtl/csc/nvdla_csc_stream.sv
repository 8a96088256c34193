// Reader of a packed stream in a ring of CBUF: takes pieces of 0 .. EntryBytes units of Unit bits, one a clock
// (weights: bytes; mask bits: bits).
//
// The stream has no alignment: a piece begins at any unit of an entry. The last entry read stays in a register, so one
// entry a piece is enough; the unit that issues a piece knows that its last entry is complete. Every stripe of a group
// reads the group's stream again: the position at the group's begin and the entry of then are kept (it may be released
// already).
//
// issue_i takes a piece of units_i units: first_i the first one of a stripe, again_i in a stripe that is not the
// group's first one, group_last_i the group's last one. One clock later word_o has it in the low bits, with anything
// above it.
// stream_i: `start` begins a layer at the next entry boundary; with `keep` the read pointer returns to the layer's
// begin at `finish`. `advance` moves it over a kept stream that is given back, `clear` to 0. rl_*: entries first
// touched by the group that ended, one clock per group.
// Spec: 40-convolution-core, sections 4.4, 4.5, 5 and 6.
`include "nvdla_check.svh"
module nvdla_csc_stream
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
#(
    parameter int Unit = 8
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  conv_stream_t              stream_i,
    input  logic [  CbufAddrBits-1:0] base_i,  // first entry of the ring
    input  logic [EntryCountBits-1:0] ring_i,  // entries of the ring
    // Pieces.
    input  logic                      issue_i,
    input  logic [    ConvByteBits:0] units_i,
    input  logic                      first_i,
    input  logic                      again_i,
    input  logic                      group_last_i,
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
  localparam int AtBits = $clog2(Units);

  // ---- position -----------------------------------------------------------------------------------------------------
  logic [EntryCountBits-1:0] ptr_q, layer_ptr_q, group_ptr_q, touched_q, ptr, touched;
  logic [AtBits-1:0] at_q, group_at_q, at;  // next unit of the entry read last; 0: it has no more
  logic [AtBits:0] units, past;
  logic read;

  assign units = (AtBits + 1)'(units_i);
  assign ptr = again_i ? group_ptr_q : ptr_q;
  assign at = again_i ? group_at_q : at_q;
  assign past = {1'b0, at} + units;
  assign read = (at == '0) ? units != '0 : past > (AtBits + 1)'(Units);
  assign touched = (first_i ? '0 : touched_q) + EntryCountBits'(read);
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
      at_q        <= '0;
    end else if (issue_i) begin
      touched_q    <= touched;
      rl_entries_o <= touched;
      at_q         <= past[AtBits-1:0];
      if (first_i && !again_i) begin
        group_ptr_q <= ptr_q;
        group_at_q  <= at_q;
      end
    end

  // ---- data, one clock later ----------------------------------------------------------------------------------------
  logic valid_q, read_q, save_q, again_q;
  logic [AtBits:0] take_q;  // first unit of the piece in the entry read before; Units: it is in the one that comes
  logic [EntryBits-1:0] entry_q, group_entry_q, entry;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= issue_i;

  always_ff @(posedge clk_i)
    if (issue_i) begin
      read_q  <= read;
      save_q  <= first_i && !again_i;
      again_q <= again_i;
      take_q  <= {at == '0, at};
    end

  assign entry = again_q ? group_entry_q : entry_q;

  nvdla_funnel #(
      .Lanes   (Units),
      .LaneBits(Unit)
  ) u_funnel (
      .low_i       (entry),
      .high_i      (rd_data_i),
      .high_valid_i(read_q),
      .at_i        (valid_q ? take_q : '0),
      .data_o      (word_o)
  );

  always_ff @(posedge clk_i)
    if (valid_q) begin
      entry_q <= read_q ? rd_data_i : entry;
      if (save_q) group_entry_q <= entry;
    end

  `NVDLA_PARAM(UnitLegal, Unit == 1 || Unit == 8)
  `NVDLA_CHECK(PieceFitsAnEntry, !issue_i || 32'(units_i) <= Units)
  `NVDLA_CHECK(PointerInsideRing, !issue_i || ptr < ring_i)
  `NVDLA_CHECK(ReleaseFitsTheRing, !rl_valid_o || rl_entries_o <= ring_i)
  `NVDLA_CHECK(NoReleaseOfKeptWeights, !(rl_valid_o && stream_i.keep))
endmodule
