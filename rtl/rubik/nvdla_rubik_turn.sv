// RUBIK's buffer: two halves of 64 atoms, one of which is filled with a block while the other one leaves with rows and
// columns exchanged.
//
// start_i begins a layer. in_*: beats of the read requests in their order (nvdla_rubik_read), every request from a new
// beat on. out_*: beats of the write commands (nvdla_rubik_command), out_last_o with the layer's last one. Contract
// moves atoms: phases of a column become neighbours. Split and merge move elements: what lies past the last column of
// a plane, or in lanes past the last plane, is 0. One beat per clock in and out.
// The buffer is 64 memories of a byte. A beat's bytes lie at its place in all of them, byte i in memory i ^ skew: the
// skew of a place is such that the 64 bytes that leave together lie in different memories.
// Spec: 66-rubik, sections 3 to 5.
`include "nvdla_check.svh"
module nvdla_rubik_turn
  import nvdla_pkg::*;
  import nvdla_rubik_pkg::*;
(
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               start_i,
    input  rubik_layer_t       layer_i,
    input  logic               in_valid_i,
    output logic               in_ready_o,
    input  logic [MifBits-1:0] in_data_i,
    output logic               out_valid_o,
    input  logic               out_ready_i,
    output logic               out_last_o,
    output logic [MifBits-1:0] out_data_o
);
  localparam int Bytes = MifBits / 8;

  // Bytes in the order of their index ^ by.
  function automatic logic [MifBits-1:0] exchanged(input logic [MifBits-1:0] bytes, input logic [5:0] by);
    logic [MifBits-1:0] data;
    data = bytes;
    if (by[0]) data = ((data >> 8) & {32{16'h00ff}}) | ((data & {32{16'h00ff}}) << 8);
    if (by[1]) data = ((data >> 16) & {16{32'h0000_ffff}}) | ((data & {16{32'h0000_ffff}}) << 16);
    if (by[2]) data = ((data >> 32) & {8{64'h0000_0000_ffff_ffff}}) | ((data & {8{64'h0000_0000_ffff_ffff}}) << 32);
    if (by[3]) data = ((data >> 64) & {4{64'd0, {64{1'b1}}}}) | ((data & {4{64'd0, {64{1'b1}}}}) << 64);
    if (by[4]) data = ((data >> 128) & {2{128'd0, {128{1'b1}}}}) | ((data & {2{128'd0, {128{1'b1}}}}) << 128);
    if (by[5]) data = {data[MifBits/2-1:0], data[MifBits-1:MifBits/2]};
    return data;
  endfunction

  logic [1:0] full_q;  // halves
  logic filled, emptied;

  // ---- in -----------------------------------------------------------------------------------------------------------
  logic in_active, in_half_q, in_step, in_beat_last, in_row_last, unused_in_last;
  rubik_block_t in_block;
  logic [4:0] in_row_q, in_beat_q, in_beats, in_place;  // in_beats: of a row, less 1

  nvdla_rubik_walk u_in (
      .clk_i,
      .rst_ni,
      .start_i,
      .layer_i,
      .step_i  (filled),
      .active_o(in_active),
      .last_o  (unused_in_last),
      .block_o (in_block)
  );
  always_comb begin
    in_beats = in_block.columns[5:1];
    in_place = in_beat_q;
    if (layer_i.contract) in_place = {in_row_q[2:0], in_beat_q[1:0]};
    else if (layer_i.merge) begin
      in_beats = layer_i.wide ? 5'(in_block.columns[5]) : 5'd0;
      in_place = layer_i.wide ? {in_row_q[3:0], in_beat_q[0]} : in_row_q;
    end
  end
  assign in_ready_o = in_active & ~full_q[1];
  assign in_step = in_valid_i & in_ready_o;
  assign in_beat_last = in_beat_q == in_beats;
  assign in_row_last = layer_i.split || in_row_q == in_block.rows;
  assign filled = in_step & in_beat_last & in_row_last;

  // Contract: rows of a column change between the atoms of a beat. Split: a byte or element is followed by that of the
  // same plane, merge: of the same column, a place further.
  logic [5:0] skew;
  always_comb begin
    if (layer_i.contract) skew = {in_place[2], 5'd0};
    else if (layer_i.split) skew = layer_i.wide ? {1'b0, in_place[3:0], 1'b0} : {1'b0, in_place};
    else skew = layer_i.wide ? {in_place[4:1], 2'd0} : {in_place, 1'b0};
  end
  logic [MifBits-1:0] stored;
  assign stored = in_step ? exchanged(in_data_i, skew) : '0;

  always_ff @(posedge clk_i)
    if (start_i) begin
      in_row_q  <= '0;
      in_beat_q <= '0;
      in_half_q <= 1'b0;
    end else if (in_step) begin
      in_beat_q <= in_beat_last ? '0 : in_beat_q + 5'd1;
      if (in_beat_last) in_row_q <= in_row_last ? '0 : in_row_q + 5'd1;
      if (filled) in_half_q <= ~in_half_q;
    end

  // ---- out ----------------------------------------------------------------------------------------------------------
  logic out_active, out_half_q, out_step, out_block_last, out_last, out_valid_q, out_last_q;
  rubik_block_t out_block;
  logic [5:0] column_q, column_next, second_column;
  logic [4:0] row_q, row_next, second_row;

  nvdla_rubik_walk u_out (
      .clk_i,
      .rst_ni,
      .start_i,
      .layer_i,
      .step_i  (emptied),
      .active_o(out_active),
      .last_o  (out_last),
      .block_o (out_block)
  );

  // Where the beat after this one begins; and of contract, the second atom of this one.
  logic row_end, column_end, second_ends;
  assign row_end = row_q == out_block.rows;
  assign column_end = column_q == out_block.columns;
  assign second_row = row_end ? '0 : row_q + 5'd1;
  assign second_column = row_end ? column_q + 6'd1 : column_q;
  assign second_ends = second_row == out_block.rows && second_column == out_block.columns;
  always_comb begin
    row_next = row_q;
    column_next = column_q;
    if (layer_i.columnwise) begin  // pairs of rows of a column
      out_block_last = column_end && (row_end || second_row == out_block.rows);
      row_next = (row_end || second_row == out_block.rows) ? '0 : row_q + 5'd2;
      column_next = (row_next == '0) ? column_q + 6'd1 : column_q;
    end else if (layer_i.contract) begin  // pairs of atoms, column after column
      out_block_last = (row_end && column_end) || second_ends;
      row_next = (second_row == out_block.rows) ? '0 : second_row + 5'd1;
      column_next = (second_row == out_block.rows) ? second_column + 6'd1 : second_column;
    end else if (layer_i.split) begin  // 64 bytes of a plane
      out_block_last = row_end && (column_q[5] || !layer_i.wide || !out_block.columns[5]);
      column_next = {layer_i.wide & ~column_q[5] & out_block.columns[5], 5'd0};
      row_next = column_next[5] ? row_q : row_q + 5'd1;
    end else begin  // two columns
      out_block_last = column_q[5:1] == out_block.columns[5:1];
      column_next = column_q + 6'd2;
    end
  end
  assign out_step = out_active & (full_q != '0) & (~out_valid_q | out_ready_i);
  assign emptied = out_step & out_block_last;

  always_ff @(posedge clk_i)
    if (start_i) begin
      row_q      <= '0;
      column_q   <= '0;
      out_half_q <= 1'b0;
    end else if (out_step) begin
      row_q    <= emptied ? '0 : row_next;
      column_q <= emptied ? '0 : column_next;
      if (emptied) out_half_q <= ~out_half_q;
    end

  // Where memory b is read: contract, one of two places; else where ^ the bits of b that the skew changes.
  logic [4:0] first_place, second_place;
  logic [5:0] turn, turn_q;  // of the bytes read
  logic first_half;          // memories in which the first atom of contract lies
  assign first_place = {row_q[2:0], column_q[2:1]};
  assign second_place = {second_row[2:0], second_column[2:1]};
  assign first_half = column_q[0] ^ row_q[0];
  always_comb begin
    if (layer_i.contract) turn = {first_half, 5'd0};
    else if (layer_i.split) turn = layer_i.wide ? {1'b0, row_q[3:0], 1'b0} : {1'b0, row_q};
    else turn = layer_i.wide ? {column_q[4:1], 2'd0} : {column_q[5:1], 1'b0};
  end

  logic [MifBits-1:0] read;
  for (genvar b = 0; b < Bytes; b++) begin : gen_memory
    localparam logic [5:0] At = 6'(b);
    logic [4:0] place;
    always_comb begin
      if (layer_i.contract) place = (At[5] == first_half) ? first_place : second_place;
      else if (layer_i.split)
        place = layer_i.wide ? {column_q[5], At[4:1] ^ row_q[3:0]} : At[4:0] ^ row_q;
      else place = layer_i.wide ? {At[5:2] ^ column_q[4:1], column_q[5]} : At[5:1] ^ column_q[5:1];
    end
    nvdla_ram #(
        .Width(8),
        .Words(64)
    ) u_memory (
        .clk_i,
        .wr_en_i  (in_step),
        .wr_addr_i({in_half_q, in_place}),
        .wr_data_i(stored[b*8+:8]),
        .rd_en_i  (out_step),
        .rd_addr_i({out_half_q, place}),
        .rd_data_o(read[b*8+:8])
    );
  end

  // Elements that count: split, columns of the block; merge, planes of it, in both columns.
  logic [Bytes-1:0] here_q;
  logic [4:0] split_last;  // elements of two bytes
  assign split_last = column_q[5] == out_block.columns[5] ? out_block.columns[4:0] : 5'd31;
  always_ff @(posedge clk_i)
    if (out_step) begin
      out_last_q <= out_last & out_block_last;
      turn_q <= turn;
      if (layer_i.contract) here_q <= '1;
      else if (layer_i.split && layer_i.wide) here_q <= ~({{(Bytes-2){1'b1}}, 2'b00} << {split_last, 1'b0});
      else if (layer_i.split) here_q <= ~({{(Bytes-1){1'b1}}, 1'b0} << out_block.columns);
      else if (layer_i.wide) here_q <= {2{~({{30{1'b1}}, 2'b00} << {out_block.rows[3:0], 1'b0})}};
      else here_q <= {2{~({{31{1'b1}}, 1'b0} << out_block.rows)}};
    end

  // The bytes in their places: turned, then by the order of the memories in which they lie.
  logic [MifBits-1:0] turned;
  assign turned = out_valid_q ? exchanged(read, turn_q) : '0;
  for (genvar i = 0; i < Bytes; i++) begin : gen_byte
    localparam logic [5:0] At = 6'(i);
    localparam int Split16 = 32'({At[1], At[5:2], At[0]});
    localparam int Split8 = 32'({At[0], At[5:1]});
    localparam int Merge16 = 32'({At[4:1], At[5], At[0]});
    localparam int Merge8 = 32'({At[4:0], At[5]});
    logic [7:0] split, merge;
    assign split = layer_i.wide ? turned[Split16*8+:8] : turned[Split8*8+:8];
    assign merge = layer_i.wide ? turned[Merge16*8+:8] : turned[Merge8*8+:8];
    assign out_data_o[i*8+:8] = !here_q[i] ? 8'd0 : layer_i.contract ? turned[i*8+:8] : layer_i.split ? split : merge;
  end

  assign out_valid_o = out_valid_q;
  assign out_last_o = out_last_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      full_q      <= '0;
      out_valid_q <= 1'b0;
    end else begin
      if (start_i) full_q <= '0;
      else full_q <= full_q + 2'(filled) - 2'(emptied);
      if (out_step) out_valid_q <= 1'b1;
      else if (out_ready_i) out_valid_q <= 1'b0;
    end

  // Where a block lies is no matter here.
  wire unused = &{1'b0, in_block.phase_last, in_block.group_first, in_block.group_last, in_block.v_last,
      in_block.y_last, in_block.z_last,
                  out_block.phase_last, out_block.group_first, out_block.group_last, out_block.v_last, out_block.y_last,
                  out_block.z_last};

  `NVDLA_PARAM(TwoAtoms, MifAtoms == 2 && MemAtom == 32)
  `NVDLA_STABLE(OutputStable, out_valid_o, out_ready_i, {out_last_o, out_data_o})
  `NVDLA_BALANCE(Halves, 2, filled, 1, emptied, 1)
  `NVDLA_CHECK(EmptyAtStart, !start_i || (full_q == '0 && !out_valid_q))

`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(HalvesAddUp, 32'(full_q) == Halves.level_q)
  `NVDLA_CHECK(HalfIsFree, !(in_valid_i && in_ready_o) || Halves.level_q < 2)
  `NVDLA_CHECK(HalfIsThere, !out_step || Halves.level_q > 0)
`endif
endmodule
