// RUBIK's buffer: two halves of 64 atoms, one of which is filled with a block while the other one leaves with rows and
// columns exchanged.
//
// start_i begins a layer. in_*: beats of the read requests in their order (nvdla_rubik_read), every request from a new
// beat on. out_*: beats of the write commands (nvdla_rubik_command), out_last_o with the layer's last one. Contract
// moves atoms: phases of a column become neighbours. Split and merge move elements: what lies past the last column of
// a plane, or in lanes past the last plane, is 0. One beat per clock in and out.
// Spec: 66-rubik, sections 3 to 5.
`ifndef NVDLA_CHECK_SVH
`include "../common/nvdla_check.svh"
`endif
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
  logic [MifBits-1:0] mem_q[0:63];  // {half, beat}
  logic [1:0] full_q;               // halves
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

  always_ff @(posedge clk_i) if (in_step) mem_q[{in_half_q, in_place}] <= in_data_i;
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
  logic [MifBits-1:0] data_q;

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

  always_ff @(posedge clk_i)
    if (out_step) begin
      out_last_q <= out_last & out_block_last;
      if (layer_i.contract) begin
        data_q[0+:AtomBits]         <=
            mem_q[{out_half_q, row_q[2:0], column_q[2:1]}][32'(column_q[0])*AtomBits+:AtomBits];
        data_q[MifBits-1-:AtomBits] <=
            mem_q[{out_half_q, second_row[2:0], second_column[2:1]}][32'(second_column[0])*AtomBits+:AtomBits];
      end else if (layer_i.split && layer_i.wide) begin
        for (int i = 0; i < 32; i++)
          data_q[16*i+:16] <= ({column_q[5], 5'(i)} > out_block.columns) ? '0 :
              mem_q[{out_half_q, column_q[5], 4'(i >> 1)}][32'(row_q)*16+(i%2)*AtomBits+:16];
      end else if (layer_i.split) begin
        for (int i = 0; i < 64; i++)
          data_q[8*i+:8] <= (6'(i) > out_block.columns) ? '0 :
              mem_q[{out_half_q, 5'(i >> 1)}][32'(row_q)*8+(i%2)*AtomBits+:8];
      end else if (layer_i.wide) begin
        for (int i = 0; i < 32; i++)
          data_q[16*i+:16] <= (5'(i % 16) > out_block.rows) ? '0 :
              mem_q[{out_half_q, 4'(i), column_q[5]}][(32'(column_q[4:0])+i/16)*16+:16];
      end else begin
        for (int i = 0; i < 64; i++)
          data_q[8*i+:8] <= (5'(i) > out_block.rows) ? '0 : mem_q[{out_half_q, 5'(i)}][(32'(column_q)+i/32)*8+:8];
      end
    end

  assign out_valid_o = out_valid_q;
  assign out_last_o = out_last_q;
  assign out_data_o = data_q;

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
endmodule
